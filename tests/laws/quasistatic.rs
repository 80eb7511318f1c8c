//! Quasistatic steps: what is pushed moves as little as it must, and stays in equilibrium.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::lcp::{Cone, Method};
use orthant::engine::settings::{Quasistatic, Settings, StepMode};
use orthant::engine::shape::Shape;
use orthant::math::{DVec3, Double, EPSILON, Real, Vec3, cos, sin, widen, widen3};
use orthant_lab::random::Rng;
use orthant_lab::support::{body, change, cuboid};

const G: Real = 9.81;

/// Settings of a quasistatic step without tolerances of games.
fn exact(step_max: Real) -> Settings {
    let mode = StepMode::Quasistatic(Quasistatic { step_max, ..Quasistatic::default() });
    let mut settings = Settings { mode, ..Settings::default() };
    (settings.contact.dead_zone, settings.contact.stillness) = (0.0, 0.0);
    settings.contact.push_speed_max = Real::INFINITY;
    // In a step of 0.1 s a tenth of the rounding of a pose, and of what the table is rounded to.
    settings.solver.tolerance = widen(EPSILON).max(1e-9);
    settings
}

/// A body with one collider.
fn place(
    world: &mut Simulation,
    kind: BodyKind,
    shape: Shape,
    friction: Real,
    position: Vec3,
) -> BodyId {
    let colliders = vec![Collider { material: Material::new(friction), ..Collider::new(shape) }];
    let desc = BodyDesc { kind, position, colliders, ..BodyDesc::default() };
    world.add_body(desc).expect("a sound body")
}

/// A floor at y = 0.
fn floor(world: &mut Simulation, friction: Real) -> BodyId {
    let shape = Shape::half_space(Vec3::Y).expect("a direction");
    place(world, BodyKind::Static, shape, friction, Vec3::ZERO)
}

/// The particle that a fence pushes on a table (Trinkle, Berard, Pang 2005, section 5): a block of 0.2 m that
/// does not turn. `friction` is that of the fence, the particle and the ground; pairs have the mean. The
/// fence is at `x = 0.5 + 0.4 sin t` and moves along its face at 1 m/s. Gives where the particle is after
/// `steps` steps, along x and along the face.
fn fence(settings: &Settings, friction: [Real; 3], h: Real, steps: usize) -> Vec<[Double; 2]> {
    let mut world = Simulation::new();
    floor(&mut world, friction[2]);
    let half = 0.1;
    let colliders = vec![Collider {
        material: Material::new(friction[1]),
        ..Collider::new(cuboid(0.2, 0.2, 0.2))
    }];
    let particle = BodyDesc {
        position: Vec3::new(0.6, half, 0.0),
        colliders,
        locked_axes: orthant::engine::body::LockedAxes::ROTATION,
        ..BodyDesc::default()
    };
    let particle = world.add_body(particle).expect("a sound body");
    // Its face is half a block before where the paper has it, its own half behind that.
    let behind = half + 0.25;
    let wall = cuboid(0.5, 1.0, 40.0);
    let wall = place(&mut world, BodyKind::Kinematic, wall, friction[0], Vec3::Y);
    (0..steps)
        .map(|k| {
            let t = h * k as Real;
            let x = 0.5 + 0.4 * sin(t) - behind;
            let fence = change(&mut world, wall);
            fence.set_pose(Vec3::new(x, 0.5, t), fence.rotation());
            fence.linear_velocity = Vec3::new(0.4 * cos(t), 0.0, 1.0);
            let report = world.step(settings, h);
            assert!(report.unbalanced.is_empty(), "step {k}: {report}");
            let at = body(&world, particle).center();
            [widen(at.x), widen(at.z)]
        })
        .collect()
}

/// The states of Model-DQC that an independent implementation in double precision has, with h = 0.1:
/// (t, x, way along the fence at μ = 0.5, 1, 4).
const TABLE: [(usize, Double, [Double; 3]); 5] = [
    (3, 0.618_670_395, [0.009_335_198, 0.018_670_395, 0.074_681_582]),
    (9, 0.814_810_705, [0.107_405_352, 0.214_810_705, 0.674_681_582]),
    (15, 0.900_978_578, [0.150_489_289, 0.300_978_578, 1.019_353_074]),
    (18, 0.901_827_483, [0.150_913_741, 0.301_827_483, 1.022_748_694]),
    (63, 0.901_827_483, [0.150_913_741, 0.301_827_483, 1.022_748_694]),
];

/// The table is rounded to half a unit of its last place; in single precision a pose is by a few roundings a
/// step.
fn allowed() -> Double {
    if EPSILON < 1e-10 { 1e-8 } else { 64.0 * 4.0 * widen(EPSILON) }
}

#[test]
fn a_fence_pushes_a_particle_as_model_dqc_says() {
    for (k, mu) in [0.5, 1.0, 4.0].into_iter().enumerate() {
        let states = fence(&exact(1.0), [mu; 3], 0.1, 63);
        for (step, x, along) in TABLE {
            let [a, b] = states[step - 1];
            let off = (a - x).abs().max((b - along[k]).abs());
            println!("mu {mu}, t = {:.1}: {a:.9} {b:.9}, off {off:.1e}", 0.1 * step as Double);
            assert!(off <= allowed(), "mu {mu}, step {step}: ({a}, {b}) for ({x}, {})", along[k]);
        }
    }
}

/// With friction at the ground only nothing pushes the particle along the fence, whatever method is asked
/// for: there are no small steps to equilibrium.
#[test]
fn a_smooth_fence_pushes_straight() {
    for method in [Method::Auto, Method::Newton, Method::Substeps] {
        let mut settings = exact(1.0);
        settings.solver.method = method;
        let states = fence(&settings, [0.0, 0.0, 1.0], 0.1, 63);
        for (step, x, _) in TABLE {
            let [a, b] = states[step - 1];
            let off = (a - x).abs().max(b.abs());
            assert!(off <= allowed(), "{method:?}, step {step}: ({a}, {b}) for {x}");
        }
    }
}

/// With a pyramid of four sides friction at the ground opposes a tilted force only at 45°: the particle goes
/// as far along the fence as ahead of it, if that goes as far, for every friction of the fence.
#[test]
fn under_a_pyramid_the_particle_goes_at_45_degrees() {
    for mu in [0.5, 1.0, 4.0] {
        let mut settings = exact(1.0);
        settings.solver.cone = Cone::Pyramid(4);
        let states = fence(&settings, [mu; 3], 0.1, 20);
        let (mut x, mut z): (Double, Double) = (0.6, 0.0);
        for (k, [a, b]) in states.into_iter().enumerate() {
            let t = 0.1 * k as Real;
            let ahead = 0.4 * 0.1 * widen(cos(t)) + 0.5 + 0.4 * widen(sin(t)) - x;
            let ahead = ahead.max(0.0);
            (x, z) = (x + ahead, z + ahead.min(0.1));
            let off = (a - x).abs().max((b - z).abs());
            assert!(off <= 4.0 * allowed(), "mu {mu}, step {k}: ({a}, {b}) for ({x}, {z})");
        }
    }
}

/// Proposition 1: on a table without friction a block may go anywhere, with friction it stays.
#[test]
fn friction_makes_the_motion_unique() {
    for (friction, is_unique) in [(0.0, false), (0.5, true)] {
        let mut world = Simulation::new();
        floor(&mut world, friction);
        let at = Vec3::new(0.0, 0.1, 0.0);
        let id = place(&mut world, BodyKind::Dynamic, cuboid(0.2, 0.2, 0.2), friction, at);
        for _ in 0..3 {
            world.step(&exact(0.005), 1.0 / 60.0);
        }
        let free = world.free_motion(1e-6);
        assert_eq!(free.is_none(), is_unique, "friction {friction}: {free:?}");
        assert!((body(&world, id).center() - at).length() < 1e-6, "it stays in any case");
        let Some(free) = free else { continue };
        // The body neither falls nor tips.
        let [motion] = free[..] else { panic!("one body: {free:?}") };
        let tilt = motion.angular - Vec3::Y * motion.angular.y;
        assert!(motion.linear.y.abs() + tilt.length() < 1e-6, "{motion:?}");
    }
}

/// What nothing holds is told and stays; what is near its support comes to rest on it.
#[test]
fn without_equilibrium_nothing_moves() {
    let mut world = Simulation::new();
    floor(&mut world, 0.5);
    let shape = || cuboid(0.2, 0.2, 0.2);
    let near = place(&mut world, BodyKind::Dynamic, shape(), 0.5, Vec3::new(0.0, 0.104, 0.0));
    let far = place(&mut world, BodyKind::Dynamic, shape(), 0.5, Vec3::new(2.0, 1.0, 0.0));
    for step in 0..10 {
        let report = world.step(&exact(0.005), 1.0 / 60.0);
        assert_eq!(report.unbalanced, [far], "step {step}: {report}");
    }
    assert!((body(&world, near).center().y - 0.1).abs() < 1e-6);
    assert_eq!(body(&world, far).center(), Vec3::new(2.0, 1.0, 0.0));
    assert_eq!(body(&world, far).linear_velocity, Vec3::ZERO);
}

/// Work of a small displacement of a body beside the one that it made: against its weight, and against
/// friction, whose part of a contact with the slip `d` is `μ λ_n (|d + δ| - |d|)`, the objective of (29).
fn work(contacts: &[Touching], weight: Double, [linear, angular]: [DVec3; 2]) -> Double {
    let friction = |c: &Touching| {
        let moved = linear + angular.cross(c.arm);
        let along = moved - c.normal * c.normal.dot(moved);
        c.bound * ((c.slip + along).length() - c.slip.length())
    };
    weight * linear.y + contacts.iter().map(friction).sum::<Double>()
}

/// A contact of the body: arm (m), normal towards it, slip in the step (m), friction bound (N).
struct Touching {
    arm: DVec3,
    normal: DVec3,
    slip: DVec3,
    bound: Double,
}

/// Theorem 1: given the normal forces, the displacement of a step is a global minimum of the convex program
/// (29). A box is pushed off its middle by a finger, and turns; no displacement that opens or keeps its
/// contacts takes less work.
#[test]
fn the_pushed_box_is_lazy() {
    let mut world = Simulation::new();
    let ground = floor(&mut world, 0.5);
    let size = Vec3::new(0.4, 0.2, 0.3);
    let shape = cuboid(size.x, size.y, size.z);
    let id = place(&mut world, BodyKind::Dynamic, shape, 0.5, Vec3::new(0.0, 0.1, 0.0));
    let ball = Shape::sphere(0.05).expect("a ball");
    let from = Vec3::new(-0.25, 0.1, 0.06);
    let finger = place(&mut world, BodyKind::Kinematic, ball, 0.5, from);
    change(&mut world, finger).linear_velocity = Vec3::new(0.06, 0.0, 0.0);
    let (h, settings) = (1.0 / 60.0, exact(0.005));
    let mut rng = Rng::new(5);
    let mut turned: Real = 0.0;
    for step in 0..120 {
        let report = world.step(&settings, h);
        assert!(report.unbalanced.is_empty() && report.natural_map < 1e-6, "step {step}: {report}");
        let pushed = body(&world, id);
        let own = [pushed.linear_velocity, pushed.angular_velocity].map(|v| widen3(v) * widen(h));
        let weight = widen(pushed.mass() * G);
        turned += h * pushed.angular_velocity.y;
        let mut contacts = Vec::new();
        for pair in world.pairs() {
            let side = usize::from(pair.key.b == id);
            let other = if side == 1 { pair.key.a } else { pair.key.b };
            for c in &pair.contacts {
                let (arm, sign) = (widen3(c.arms[side]), 2.0 * side as Double - 1.0);
                let normal = widen3(c.normal) * sign;
                let force = c.impulse[0].dot(widen3(c.normal)) / widen(h);
                if force <= 1e-9 * weight {
                    continue;
                }
                let led = if other == ground { Vec3::ZERO } else { Vec3::X * 0.06 };
                let slip = own[0] + own[1].cross(arm) - widen3(led) * widen(h);
                let slip = slip - normal * normal.dot(slip);
                contacts.push(Touching { arm, normal, slip, bound: 0.5 * force });
            }
        }
        assert!(contacts.len() >= 3, "step {step}: it stands");
        // Displacements of some µm, of which those count that keep all contacts or open them.
        let mut tried = 0;
        for _ in 0..400 {
            let [a, b] = [(); 2].map(|()| widen3(rng.vector(-1.0, 1.0)));
            let flat = DVec3::new(a.x, 0.0, a.z);
            let way = if tried % 2 == 0 { [flat, DVec3::Y * b.y] } else { [a, b] };
            let opens = |c: &Touching| c.normal.dot(way[0] + way[1].cross(c.arm)) >= -1e-12;
            if !contacts.iter().all(opens) {
                continue;
            }
            tried += 1;
            let way = way.map(|w| w * 1e-5);
            let cost = work(&contacts, weight, way);
            // The resistance to displacements that chooses the least one bends forces by m Δq / T².
            let bend = widen(pushed.mass()) * own[0].length().max(own[1].length()) * 1e-5 * 4.0;
            assert!(cost >= -bend - 1e-9 * weight * 1e-5, "step {step}: {way:?} takes {cost} J");
        }
        assert!(tried > 50, "step {step}: {tried} displacements were tried");
    }
    assert!(turned > 0.05, "it turns: {turned} rad");
}
