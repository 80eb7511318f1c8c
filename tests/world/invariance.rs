//! Laws have no place, no direction, no unit: a world that is moved, turned, mirrored, larger or denser goes
//! on as it did, and one whose bodies came in another order too.
//!
//! How near follows from what differs: in every step velocities are solved to the tolerance `τ` in each of
//! the two worlds, and rounded, at the largest speed `V` a few `ε` times; once, at the start, places are,
//! at the reach `L` of the scene, which a step takes for gaps. In `n` steps of what does not amplify
//! (bodies that slide, stand, swing and fly) speeds come apart by `n (2 τ + 4 ε V) + 4 ε L / h` at most, and
//! places by that times the time that passed, and by their own rounding.

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyId, BodyKind};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Quat, Real, Vec3, quat_conjugate, quat_mul, quat_rotate, widen, widen3};
use orthant_lab::random::Rng;
use orthant_lab::support::{DT, cuboid, settings, sphere};

const STEPS: usize = 45;
/// Largest speed [m/s] and reach (m) of the scene.
const SPEED: Real = 8.0;
const REACH: Real = 12.0;

/// A way to look at the same world.
#[derive(Clone, Copy)]
struct View {
    shift: Vec3,
    turn: Quat,
    /// x becomes -x, first of all.
    mirror: bool,
    /// Lengths grow by this, times by its root.
    scale: Real,
    density: Real,
}

const PLAIN: View =
    View { shift: Vec3::ZERO, turn: Quat::IDENTITY, mirror: false, scale: 1.0, density: 1.0 };

impl View {
    fn direction(&self, v: Vec3) -> Vec3 {
        let x = if self.mirror { -v.x } else { v.x };
        quat_rotate(self.turn, Vec3::new(x, v.y, v.z))
    }

    fn point(&self, p: Vec3) -> Vec3 {
        self.direction(p) * self.scale + self.shift
    }

    /// What turns, turns the other way in a mirror.
    fn spin(&self, w: Vec3) -> Vec3 {
        let sign = if self.mirror { -1.0 } else { 1.0 };
        self.direction(w) * sign
    }

    fn rotation(&self, q: Quat) -> Quat {
        let mirrored = Quat::from_xyzw(q.x, -q.y, -q.z, q.w);
        quat_mul(self.turn, if self.mirror { mirrored } else { q })
    }

    fn time(&self) -> Real {
        self.scale.sqrt()
    }

    fn settings(&self) -> Settings {
        let mut all = settings();
        all.gravity = self.direction(all.gravity);
        all.contact.margin *= self.scale;
        all.contact.push_speed_max *= self.time();
        all.contact.restitution_speed *= self.time();
        // The steps are longer, and a tolerance is a speed.
        all.solver.tolerance *= widen(self.time());
        all
    }
}

/// What a body of the scene begins with: half of its edges or a radius, place, turn, velocity, spin.
struct Thing {
    edges: Vec3,
    at: Vec3,
    rotation: Quat,
    velocity: Vec3,
    spin: Vec3,
}

fn thing(edges: [Real; 3], at: [Real; 3], velocity: [Real; 3]) -> Thing {
    let [edges, at, velocity] = [edges, at, velocity].map(Vec3::from_array);
    Thing { edges, at, rotation: Quat::IDENTITY, velocity, spin: Vec3::ZERO }
}

/// A tower that stands, a box that slides, a ball that rolls, a box that spins in the air, two that swing.
fn things() -> Vec<Thing> {
    let mut list = vec![
        thing([1.0, 1.0, 1.0], [0.0, 0.5, 0.0], [0.0; 3]),
        thing([1.0, 1.0, 1.0], [0.0, 1.5, 0.0], [0.0; 3]),
        thing([0.5, 1.0, 0.75], [0.125, 2.5, 0.0], [0.0; 3]),
        thing([1.0, 0.5, 1.0], [4.0, 0.25, 1.0], [3.0, 0.0, 1.0]),
        thing([0.5, 0.5, 0.5], [-4.0, 0.5, -2.0], [2.0, 0.0, 0.5]),
        thing([0.5, 1.0, 2.0], [-4.0, 6.0, 3.0], [1.0, 2.0, 0.0]),
        thing([1.0, 0.25, 0.25], [5.5, 6.0, -4.0], [0.0; 3]),
        thing([1.0, 0.25, 0.25], [6.5, 6.0, -4.0], [0.0; 3]),
    ];
    list[5].spin = Vec3::new(1.0, 3.0, -2.0);
    list[5].rotation = Rng::new(4).rotation();
    list
}

const BALL: usize = 4;
const SWING: [usize; 2] = [6, 7];

/// The scene as seen from a view, its things added in this order.
fn world(view: &View, order: &[usize]) -> (Simulation, Vec<BodyId>) {
    let mut world = Simulation::new();
    let floor = Shape::half_space(view.direction(Vec3::Y)).expect("a direction");
    let floor = BodyDesc {
        kind: BodyKind::Static,
        shape: Some(floor),
        position: view.shift,
        ..BodyDesc::default()
    };
    world.add_body(floor).expect("a floor");
    let things = things();
    let mut ids = vec![BodyId::default(); things.len()];
    for &k in order {
        let Thing { edges, at, rotation, velocity, spin } = things[k];
        let e = edges * view.scale;
        let desc = BodyDesc {
            shape: Some(if k == BALL { sphere(e.x) } else { cuboid(e.x, e.y, e.z) }),
            position: view.point(at),
            rotation: view.rotation(rotation),
            linear_velocity: view.direction(velocity) * view.time(),
            angular_velocity: view.spin(spin) * (1.0 / view.time()),
            density: view.density,
            ..BodyDesc::default()
        };
        ids[k] = world.add_body(desc).expect("a sound body");
    }
    let mut last = None;
    for k in SWING {
        // Frames of bodies are mirrored, too, and turn with them.
        let side = if view.mirror { -1.0 } else { 1.0 };
        let back = Vec3::X * (-0.5 * side * view.scale);
        let hung = if last.is_some() { -back } else { view.point(Vec3::new(5.0, 6.0, -4.0)) };
        let joint = JointDesc::new(JointKind::Spherical, [last, Some(ids[k])]);
        world.add_joint(joint.with_anchors(hung, back)).expect("a sound joint");
        last = Some(ids[k]);
    }
    (world, ids)
}

fn state(body: &Body) -> [Vec3; 3] {
    [body.center(), body.linear_velocity, body.angular_velocity]
}

/// Compares a view with the plain world in every step; `far` is the largest coordinate (m).
fn compare(name: &str, view: &View, order: &[usize], far: Real) {
    let plain: Vec<usize> = (0..things().len()).collect();
    let [(mut one, ids_one), (mut two, ids_two)] = [world(&PLAIN, &plain), world(view, order)];
    let [settings_one, settings_two] = [PLAIN.settings(), view.settings()];
    let (tau, mut worst) = (settings_one.solver.tolerance as Real, [0.0 as Real; 2]);
    for step in 1..=STEPS {
        one.step(&settings_one, DT);
        two.step(&settings_two, DT * view.time());
        let (n, epsilon) = (step as Real, 4.0 * Real::EPSILON);
        let speed = n * (2.0 * tau + epsilon * SPEED) + epsilon * REACH / DT;
        // The place itself is rounded at its distance from the origin.
        let place = speed * n * DT + 2.0 * Real::EPSILON * far;
        for (k, (a, b)) in ids_one.iter().zip(&ids_two).enumerate() {
            let [a, b] = [one.body(*a), two.body(*b)].map(|body| state(body.expect("it is there")));
            let apart = (view.point(a[0]) - b[0]).length() / view.scale;
            let drift = (view.direction(a[1]) - b[1] * (1.0 / view.time())).length();
            let spin = (view.spin(a[2]) - b[2] * view.time()).length();
            worst = [worst[0].max(apart), worst[1].max(drift.max(spin))];
            assert!(
                apart <= place,
                "{name}: step {step}, body {k}: {apart} m apart, {place} borne"
            );
            // The shortest lever of a thing is an eighth of a metre.
            let fast = drift.max(spin / 8.0);
            assert!(
                fast <= speed,
                "{name}: step {step}, body {k}: {fast} m/s apart, {speed} borne"
            );
        }
    }
    println!("{name}: {:.1e} m, {:.1e} m/s or rad/s apart", worst[0], worst[1]);
}

fn in_order() -> Vec<usize> {
    (0..things().len()).collect()
}

#[test]
fn a_world_has_no_origin() {
    // Sixty-fourths of a metre: what begins there begins as exactly.
    let shift = Vec3::new(96.5, -48.25, 64.0);
    compare("shifted", &View { shift, ..PLAIN }, &in_order(), 128.0);
}

#[test]
fn a_world_has_no_direction() {
    for seed in 1..5 {
        compare("turned", &View { turn: Rng::new(seed).rotation(), ..PLAIN }, &in_order(), REACH);
    }
}

#[test]
fn a_mirror_shows_a_world() {
    compare("mirrored", &View { mirror: true, ..PLAIN }, &in_order(), REACH);
}

#[test]
fn a_world_has_no_size() {
    for scale in [0.25, 4.0, 9.0] {
        compare("scaled", &View { scale, ..PLAIN }, &in_order(), REACH * scale);
    }
}

#[test]
fn a_world_has_no_weight() {
    for density in [1e-3, 7.0, 4096.0] {
        compare("dense", &View { density, ..PLAIN }, &in_order(), REACH);
    }
}

#[test]
fn the_order_of_bodies_does_not_matter() {
    for seed in 1..5 {
        compare("ordered", &PLAIN, &Rng::new(seed).order(things().len()), REACH);
    }
}

/// Momentum, and angular momentum about the origin, in double precision.
fn momenta(world: &Simulation) -> [[f64; 3]; 2] {
    let mut sum = [[0.0; 3]; 2];
    for body in world.bodies().iter() {
        let (m, x, v) = (widen(body.mass()), widen3(body.center()), widen3(body.linear_velocity));
        let turned = quat_rotate(quat_conjugate(body.rotation()), body.angular_velocity);
        let spin = widen3(quat_rotate(body.rotation(), body.inertia().mul_vec(turned)));
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            sum[0][k] += m * v[k];
            sum[1][k] += m * (x[i] * v[j] - x[j] * v[i]) + spin[k];
        }
    }
    sum
}

/// In free space what bodies do to each other is equal and opposite, to the rounding of their velocities,
/// of which every step rounds each. The angular momentum is kept where nothing is pushed out of an overlap,
/// which moves bodies beside their velocities: by joints alone, and by balls that meet.
///
/// What is borne: a step rounds each velocity, at the largest speed `V`, by a few `ε V`, so in `n` steps the
/// momentum differs by `4 ε n m V` for bodies of mass `m` together. At a distance `L` from the origin that is
/// `L` times as much of angular momentum. A step also rounds the place, by `ε L / 2`, which changes `x × m v`
/// by `ε L m V / 2`, and a spin of `r ω ≤ V` by `ε m r V`, `r ≤ L`: all within the four.
///
/// Returns the deepest overlap (m).
fn keep_momenta(
    name: &str,
    world: &mut Simulation,
    count: usize,
    speed: f64,
    reach: Option<f64>,
) -> Real {
    let mut settings = settings();
    settings.gravity = Vec3::ZERO;
    let begin = momenta(world);
    let (mut worst, mut rows, mut overlap) = ([0.0_f64; 2], 0, 0.0 as Real);
    let mass: f64 = world.bodies().iter().map(|body| widen(body.mass())).sum();
    for step in 1..=120_u32 {
        world.step(&settings, DT);
        rows += world.report().contacts + world.report().joints;
        overlap = overlap.max(world.report().overlap);
        let now = momenta(world);
        let most = f64::from(step) * mass * speed * 4.0 * widen(Real::EPSILON);
        for (k, lever) in [(0, Some(1.0)), (1, reach)] {
            let Some(lever) = lever else { continue };
            let change = (0..3).map(|i| (now[k][i] - begin[k][i]).abs()).fold(0.0, f64::max);
            worst[k] = worst[k].max(change);
            let most = most * lever;
            assert!(change <= most, "{name}: step {step}: {k} by {change:e}, {most:e} borne");
        }
    }
    println!("{name}: {rows} rows; {:.1e} N s, {:.1e} N m s", worst[0], worst[1]);
    assert!(rows as usize > count, "{name}: they act on each other: {rows} rows");
    overlap
}

#[test]
fn bodies_that_meet_in_free_space_keep_their_momentum() {
    let (mut world, mut rng) = (Simulation::new(), Rng::new(9));
    for k in 0..12_u8 {
        let at = Vec3::new(0.8 * Real::from(k % 4), 0.8 * Real::from(k / 4), rng.range(-0.1, 0.1));
        let desc = BodyDesc {
            shape: Some(if k % 3 == 0 { sphere(0.3) } else { cuboid(0.5, 0.5, 0.5) }),
            position: at,
            linear_velocity: (Vec3::new(1.2, 0.8, 0.0) - at) * 0.8,
            angular_velocity: rng.vector(-1.0, 1.0),
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a sound body");
    }
    keep_momenta("bodies that meet", &mut world, 100, 2.0, None);
}

/// Balls of several sizes and weights that come together from all sides, rub and part. The gap of balls along
/// the normal of the start of a step is no more than that at its end, so none comes to overlap and nothing is
/// pushed: an impulse acts on both at one point, and turns one as it turns the other.
#[test]
fn balls_that_meet_in_free_space_keep_both_momenta() {
    let (mut world, mut rng) = (Simulation::new(), Rng::new(12));
    let mut ids = Vec::new();
    for k in 0..14_u8 {
        let at = rng.vector(-1.0, 1.0).normalize() * (1.0 + 0.1 * Real::from(k));
        let desc = BodyDesc {
            shape: Some(sphere(0.15 + 0.02 * Real::from(k % 5))),
            position: at,
            density: [1.0, 4.0, 0.5][usize::from(k % 3)],
            linear_velocity: at * -0.9 + rng.vector(-0.2, 0.2),
            angular_velocity: rng.vector(-4.0, 4.0),
            friction: 0.7,
            ..BodyDesc::default()
        };
        ids.push(world.add_body(desc).expect("a sound body"));
    }
    let spins = |world: &Simulation| -> Vec<Vec3> {
        ids.iter().map(|&id| world.body(id).expect("a ball").angular_velocity).collect()
    };
    let before = spins(&world);
    let overlap = keep_momenta("balls that meet", &mut world, 30, 2.5, Some(3.0));
    assert!(overlap <= 4.0 * Real::EPSILON, "nothing overlaps but by rounding: {overlap} m");
    let pairs = spins(&world).into_iter().zip(before);
    let turned = pairs.filter(|(now, then)| (*now - *then).length() > 0.1).count();
    assert!(turned > 7, "friction turned {turned} of them");
}

#[test]
fn a_chain_in_free_space_keeps_both_momenta() {
    let (mut world, mut rng) = (Simulation::new(), Rng::new(9));
    let mut last = None;
    for k in 0..6_u8 {
        let desc = BodyDesc {
            shape: Some(cuboid(0.5, 0.2, 0.1)),
            position: Vec3::X * (0.75 * Real::from(k)),
            linear_velocity: rng.vector(-1.0, 1.0),
            angular_velocity: rng.vector(-1.0, 1.0),
            ..BodyDesc::default()
        };
        let id = world.add_body(desc).expect("a sound body");
        if last.is_some() {
            let joint = JointDesc::new(JointKind::Spherical, [last, Some(id)]);
            let ends = joint.with_anchors(Vec3::X * 0.375, Vec3::X * -0.375);
            world.add_joint(ends).expect("a joint");
        }
        last = Some(id);
    }
    keep_momenta("a chain", &mut world, 500, 3.0, Some(5.0));
}
