//! Mechanisms of joints against conservation laws and equations of motion.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::lcp::Method;
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::{
    DVec3, Double, PI, Real, SymMat3, Vec3, quat_conjugate, quat_exp, quat_rotate, widen, widen3,
};
use orthant_lab::random::Rng;
use orthant_lab::support::{DOUBLE, DT, body, cuboid, settings, sphere};

const G: Double = 9.81;
/// Rounding in single precision (–).
const SINGLE: Real = 1.2e-7;

fn heavy(position: Vec3, mass: Real, inertia: Vec3) -> BodyDesc {
    let mass_properties =
        MassProperties { mass, center_of_mass: Vec3::ZERO, inertia: SymMat3::diagonal(inertia) };
    BodyDesc { position, mass_properties: Some(mass_properties), ..BodyDesc::default() }
}

fn spin(world: &Simulation, id: BodyId) -> DVec3 {
    let body = body(world, id);
    let inside = quat_rotate(quat_conjugate(body.rotation()), body.angular_velocity);
    widen3(quat_rotate(body.rotation(), body.inertia().mul_vec(inside)))
}

/// Energy with that of height (J), and angular momentum about the origin [N·m·s].
pub(crate) fn state(world: &Simulation, ids: &[BodyId]) -> (Double, DVec3) {
    let (mut energy, mut momentum) = (0.0, DVec3::ZERO);
    for &id in ids {
        let body = body(world, id);
        let (m, x) = (widen(body.mass()), widen3(body.center()));
        energy += widen(body.kinetic_energy()) + m * G * x.y;
        momentum += spin(world, id) + x.cross(widen3(body.linear_velocity)) * m;
    }
    (energy, momentum)
}

/// A pendulum of 2 m, released level, keeps its energy, whatever holds it.
#[test]
fn pendulums_keep_their_energy() {
    let rope = JointKind::Distance { min: 0.0, max: 2.0 };
    let rod = JointKind::Distance { min: 2.0, max: 2.0 };
    for kind in [JointKind::Spherical, rod, rope] {
        let mut world = Simulation::new();
        let desc = heavy(Vec3::X * 2.0, 1.0, Vec3::splat(0.01));
        let id = world.add_body(desc).expect("a sound body");
        let arm = if kind == JointKind::Spherical { Vec3::X * -2.0 } else { Vec3::ZERO };
        let joint = JointDesc::to_world(kind, id).with_anchors(Vec3::ZERO, arm);
        world.add_joint(joint).expect("a sound joint");
        let mut lowest: Double = 0.0;
        for _ in 0..600 {
            let report = world.step(&settings(), DT);
            assert_eq!(report.status, StepStatus::Solved, "{kind:?}: {report}");
            let (energy, _) = state(&world, &[id]);
            lowest = lowest.min(energy);
            assert!(energy < 1e-3 * 2.0 * G, "{kind:?} gains {energy} J");
            let apart = (body(&world, id).center().length() - 2.0).abs();
            assert!(apart < 1e-4, "{kind:?}: {apart} m");
        }
        println!("{kind:?}: {lowest} J");
        assert!(lowest > -0.01 * 2.0 * G, "{kind:?} loses {lowest} J");
    }
}

/// `n` links of 0.5 m that hang from the origin at an angle from level, with a ball at the end.
fn chain(n: usize, ratio: Real, angle: Real) -> (Simulation, Vec<BodyId>) {
    let mut world = Simulation::new();
    let mut ids = Vec::new();
    let turn = quat_exp(Vec3::Z * -angle);
    let along = quat_rotate(turn, Vec3::X);
    for i in 0..=n {
        let ball = i == n;
        let (mass, inertia) = if ball {
            (2.88 * ratio, Vec3::splat(0.4 * 2.88 * ratio * 0.0625))
        } else {
            (2.88, Vec3::new(0.0035, 0.032, 0.032))
        };
        let half = 0.25;
        let place = along * (0.5 * i as Real + half);
        let desc = BodyDesc { rotation: turn, ..heavy(place, mass, inertia) };
        let id = world.add_body(desc).expect("a sound body");
        let joint = match ids.last() {
            None => JointDesc::to_world(JointKind::Spherical, id)
                .with_anchors(Vec3::ZERO, Vec3::X * -half),
            Some(&last) => JointDesc::between(JointKind::Spherical, last, id)
                .with_anchors(Vec3::X * 0.25, Vec3::X * -half),
        };
        world.add_joint(joint).expect("a sound joint");
        ids.push(id);
    }
    (world, ids)
}

/// Chains that fall from level: light ones that whip, and such with heavy ends.
const CHAINS: [(usize, Real); 6] =
    [(17, 1.0), (20, 1.0), (50, 1.0), (50, 100.0), (20, 100.0), (10, 1000.0)];

/// Joints hold in every step, all are solved, the angular momentum about the hook changes by the torque of
/// gravity alone, and energy is kept.
#[test]
fn chains_obey_mechanics() {
    for (n, ratio) in CHAINS {
        let (mut world, ids) = chain(n, ratio, 0.0);
        let (begin, mut before) = state(&world, &ids);
        let (mut apart, mut off, mut drift): (Double, Double, Double) = (0.0, 0.0, 0.0);
        let (mut kinetic, mut unsolved, mut size): (Double, u32, Double) = (0.0, 0, 0.0);
        for _ in 0..600 {
            let at = motions(&world, &ids);
            let report = world.step(&Settings::default(), DT);
            unsolved += u32::from(report.status != StepStatus::Solved);
            kinetic = kinetic.max(report.kinetic_energy);
            apart = apart.max(widen(report.joint_error));
            let (energy, momentum) = state(&world, &ids);
            let (turn, between) = turn_by_gravity(&world, &ids, &at);
            size = size.max(momentum.length());
            off = off.max((momentum - before - turn).length() - between);
            before = momentum;
            drift = drift.max((energy - begin).abs());
        }
        let (part, percent) = (off / size, 100.0 * drift / kinetic);
        println!(
            "{n} links, ball x{ratio}: apart {apart:.2e} m, L off by {part:.1e} of {size:.0},"
        );
        println!("    energy {percent:.2} % of {kinetic:.0} J, {unsolved} unsolved");
        assert!(apart < 0.01, "{n} links, x{ratio}: joints part by {apart} m");
        let bar = if DOUBLE { 1e-9 } else { 1e-6 };
        assert!(part < bar, "{n} links, x{ratio}: {off} of {size}");
        assert_eq!(unsolved, 0, "{n} links, x{ratio}: all steps are solved");
        assert!(drift < 0.05 * kinetic, "{n} links, x{ratio}: {drift} of {kinetic} J");
    }
}

/// A net of balls and ball joints, hung level by two corners: near its plane every load is many times the
/// weights, and what is left of the joints times these loads is energy. Joints hold, and energy is kept.
#[test]
fn nets_keep_their_energy() {
    let (n, pitch): (usize, Real) = (6, 0.3);
    let mut world = Simulation::new();
    let (mut all, mut moving) = (Vec::new(), Vec::new());
    for i in 0..n * n {
        let (row, column) = (i / n, i % n);
        let place = Vec3::new(row as Real, 0.0, column as Real) * pitch;
        let hung = row == 0 && (column == 0 || column == n - 1);
        let kind = if hung { BodyKind::Static } else { BodyKind::Dynamic };
        let ball = heavy(place, 4.0, Vec3::splat(0.4 * 4.0 * 0.01));
        let id = world.add_body(BodyDesc { kind, ..ball }).expect("a sound body");
        for (is_there, back, axis) in [(row > 0, n, Vec3::X), (column > 0, 1, Vec3::Z)] {
            if is_there {
                let last: BodyId = all[i - back];
                let joint = JointDesc::between(JointKind::Spherical, last, id)
                    .with_anchors(axis * (0.5 * pitch), axis * (-0.5 * pitch));
                world.add_joint(joint).expect("a sound joint");
            }
        }
        all.push(id);
        if !hung {
            moving.push(id);
        }
    }
    let (begin, _) = state(&world, &moving);
    let (mut apart, mut drift, mut kinetic): (Double, Double, Double) = (0.0, 0.0, 0.0);
    for _ in 0..180 {
        let report = world.step(&Settings::default(), DT);
        assert_eq!(report.status, StepStatus::Solved, "{report}");
        kinetic = kinetic.max(report.kinetic_energy);
        apart = apart.max(widen(report.joint_error));
        drift = drift.max((state(&world, &moving).0 - begin).abs());
    }
    println!("net: apart {apart:.2e} m, energy off by {drift:.1e} of {kinetic:.0} J");
    assert!(apart < 0.01, "joints part by {apart} m");
    assert!(drift < 0.01 * kinetic, "{drift} of {kinetic} J");
}

/// Centers and velocities.
fn motions(world: &Simulation, ids: &[BodyId]) -> Vec<[DVec3; 2]> {
    let bodies = ids.iter().map(|&id| body(world, id));
    bodies.map(|body| [body.center(), body.linear_velocity].map(widen3)).collect()
}

/// What gravity adds to the angular momentum about the origin in a step, by the mean of both ends of the
/// ways [N·m·s], and by how much the ways themselves may differ from that: with the velocities at its ends
/// as tangents a way that bends to one side lies in a triangle of the area `h² |Δv| / 8` beside its chord.
/// A step that the engine makes in parts knows more of the ways than their ends.
fn turn_by_gravity(world: &Simulation, ids: &[BodyId], before: &[[DVec3; 2]]) -> (DVec3, Double) {
    let (mut turn, mut between) = (DVec3::ZERO, 0.0);
    for ((id, from), to) in ids.iter().zip(before).zip(motions(world, ids)) {
        let weight = DVec3::NEG_Y * G * widen(body(world, *id).mass());
        let h = widen(DT);
        turn += ((from[0] + to[0]) * (0.5 * h)).cross(weight);
        between += ((to[1] - from[1]) * (h * h / 8.0)).cross(weight).length();
    }
    (turn, between)
}

/// Without gravity nothing turns them about the hook: whips and all, the angular momentum stays.
#[test]
fn chains_keep_their_angular_momentum() {
    for (n, ratio) in CHAINS {
        let (mut world, ids) = chain(n, ratio, 0.0);
        let floating = Settings { gravity: Vec3::ZERO, ..Settings::default() };
        let mut off: Double = 0.0;
        for step in 0..600 {
            if step % 100 == 50 {
                let mut world = world.clone();
                let (_, begin) = state(&world, &ids);
                for _ in 0..20 {
                    world.step(&floating, DT);
                    let (_, momentum) = state(&world, &ids);
                    off = off.max((momentum - begin).length() / begin.length());
                }
            }
            world.step(&Settings::default(), DT);
        }
        println!("{n} links, ball x{ratio}: L off by {off:.1e} in 20 steps");
        // The state is rounded in every step; in double precision arms are off by the gaps of joints.
        let bar = (20.0 * widen(orthant::math::EPSILON)).max(1e-8);
        assert!(off < bar, "{n} links, x{ratio}: {off}");
    }
}

/// Largest tilt (rad) of a heavy symmetric top within ten seconds, by its equation of motion: with the
/// constants `a = L_3 / I_1` and the conserved momentum about the vertical, `θ'' = (b - a cos θ)(…)`,
/// integrated by the classical Runge–Kutta method.
fn tilt_of_reference(spin: Double) -> Double {
    let (about, along) = (0.2733333, 0.045);
    let (m, l, start): (Double, Double, Double) = (1.0, 0.5, 0.5);
    let a = along * spin / about;
    let b = a * libm_cos(start);
    let accelerate = |t: Double| {
        let (s, c) = (libm_sin(t), libm_cos(t));
        let phi = (b - a * c) / (s * s);
        phi * phi * s * c - a * phi * s + m * G * l / about * s
    };
    let (mut t, mut w, h) = (start, 0.0, 1e-4);
    let mut most: Double = start;
    for _ in 0..100_000 {
        let (k1, l1) = (w, accelerate(t));
        let (k2, l2) = (w + 0.5 * h * l1, accelerate(t + 0.5 * h * k1));
        let (k3, l3) = (w + 0.5 * h * l2, accelerate(t + 0.5 * h * k2));
        let (k4, l4) = (w + h * l3, accelerate(t + h * k3));
        t += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        w += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        most = most.max(t);
    }
    most
}

fn libm_sin(x: Double) -> Double {
    orthant::math::sin_cos_double(x).0
}

fn libm_cos(x: Double) -> Double {
    orthant::math::sin_cos_double(x).1
}

/// A spinning disk on a stick that stands on a ball joint nods as far as its equation says.
#[test]
fn tops_do_not_fall_over() {
    for speed in [30.0, 60.0, 100.0, 200.0] {
        let mut world = Simulation::new();
        let turn = quat_exp(Vec3::Z * 0.5);
        let up = quat_rotate(turn, Vec3::Y);
        let across = 0.023_333_3;
        let mut desc = heavy(up * 0.5, 1.0, Vec3::new(across, 0.045, across));
        (desc.rotation, desc.angular_velocity) = (turn, up * speed);
        let id = world.add_body(desc).expect("a sound body");
        let anchors = [Vec3::ZERO, Vec3::Y * -0.5];
        let joint = JointDesc::to_world(JointKind::Spherical, id);
        world.add_joint(joint.with_anchors(anchors[0], anchors[1])).expect("a sound joint");
        let (mut most, mut apart): (Real, Real) = (0.5, 0.0);
        for _ in 0..600 {
            let report = world.step(&settings(), DT);
            apart = apart.max(report.joint_error);
            let axis = quat_rotate(body(&world, id).rotation(), Vec3::Y);
            let side = Vec3::new(axis.x, 0.0, axis.z).length();
            most = most.max(orthant::math::atan2(side, axis.y));
        }
        let wanted = tilt_of_reference(widen(speed));
        println!("{speed} rad/s: tilt {most} for {wanted}, joint {apart} m");
        assert!((widen(most) - wanted).abs() < 0.1 * wanted, "{speed} rad/s: {most} for {wanted}");
        assert!(apart < 1e-3, "{speed} rad/s: the joint parts by {apart} m");
    }
}

/// Chains whose loads no Newton method follows for long gain no energy.
#[test]
fn what_is_hard_to_follow_gains_nothing() {
    for (n, ratio) in [(20, 10_000.0), (100, 1.0), (100, 10_000.0)] {
        let (mut world, ids) = chain(n, ratio, 0.0);
        let (begin, _) = state(&world, &ids);
        let (mut most, mut kinetic): (Double, Double) = (0.0, 1.0);
        for _ in 0..300 {
            let report = world.step(&Settings::default(), DT);
            kinetic = kinetic.max(report.kinetic_energy);
            most = most.max(state(&world, &ids).0 - begin);
        }
        println!("{n} links, x{ratio}: gains {most} of {kinetic} J");
        assert!(most < 0.05 * kinetic, "{n} links, x{ratio}: {most} J");
    }
}

/// A step that is told solved leaves joints within ten tolerances of their places along each axis, whatever
/// its method and budget.
#[test]
fn joints_that_parted_are_not_told_solved() {
    for (method, sweeps) in [
        (Method::Auto, 100),
        (Method::Newton, 100),
        (Method::Pgs, 100),
        (Method::Pgs, 1),
        (Method::Substeps, 100),
    ] {
        let mut settings = Settings::default();
        (settings.solver.method, settings.solver.sweeps_max) = (method, sweeps);
        let n = 17_u8;
        let (mut world, _) = chain(usize::from(n), 100.0, 0.0);
        // Both ends of a joint are rounded where they are, at up to half a meter for each link.
        let rounding = widen(Real::EPSILON) * Double::from(n);
        let told = 10.0 * settings.solver.tolerance * widen(DT) + rounding;
        let (mut solved, mut unsolved, mut most): (bool, u32, Double) = (true, 0, 0.0);
        for step in 0..60 {
            let report = world.step(&settings, DT);
            // As the step before left them.
            let parted = widen(report.joint_error);
            most = most.max(parted);
            assert!(!solved || parted <= told, "{method:?}, {sweeps}, step {step}: {parted} m");
            solved = report.status == StepStatus::Solved;
            unsolved += u32::from(!solved);
        }
        println!("{method:?}, {sweeps} sweeps: {unsolved} unsolved, apart by {most} m");
        let rough = sweeps == 1 || method == Method::Substeps;
        assert!(!rough || unsolved > 0 && most > told, "{method:?}, {sweeps}: {most} m");
    }
}

/// Forty bodies that fly into each other.
fn cluster(rng: &mut Rng, shape: impl Fn(Vec3) -> Shape) -> (Simulation, Vec<BodyId>) {
    let mut world = Simulation::new();
    let mut ids = Vec::new();
    for i in 0..40_u8 {
        let grid = [i % 4, i / 4 % 4, i / 16].map(Real::from);
        let grid = Vec3::new(grid[0] - 1.5, grid[1] - 1.5, grid[2] - 0.75);
        let position = grid * 0.9 + rng.vector(-0.1, 0.1);
        let desc = BodyDesc {
            shape: Some(shape(rng.vector(0.3, 0.6))),
            position,
            rotation: rng.rotation(),
            linear_velocity: position * -4.0 + rng.vector(-2.0, 2.0),
            angular_velocity: rng.vector(-10.0, 10.0),
            ..BodyDesc::default()
        };
        ids.push(world.add_body(desc).expect("a sound body"));
    }
    (world, ids)
}

/// Without gravity bodies that collide change their angular momentum about the origin by the rounding of
/// their states in every step, whatever solves them, pushed out of overlaps as they are.
#[test]
fn what_collides_keeps_its_angular_momentum() {
    let boxes = |sides: Vec3| cuboid(sides.x, sides.y, sides.z);
    let cubes = |sides: Vec3| cuboid(sides.x, sides.x, sides.x);
    let capsules = |sides: Vec3| Shape::capsule(0.4 * sides.x, sides.y).expect("a capsule");
    let balls = |sides: Vec3| sphere(0.5 * sides.x);
    let shapes: [(&str, &dyn Fn(Vec3) -> Shape); 4] =
        [("boxes", &boxes), ("cubes", &cubes), ("capsules", &capsules), ("balls", &balls)];
    for method in [Method::Auto, Method::Newton, Method::Substeps] {
        for (name, shape) in shapes {
            for seed in 1..=2 {
                let mut settings = Settings { gravity: Vec3::ZERO, ..settings() };
                settings.solver.method = method;
                let (mut world, ids) = cluster(&mut Rng::new(seed), shape);
                // Small steps count in single precision, to which `Auto` may turn.
                let single = widen(if method == Method::Newton { 0.0 } else { SINGLE });
                let epsilon = widen(Real::EPSILON).max(256.0 * Double::EPSILON).max(single);
                let (_, begin) = state(&world, &ids);
                let all: Double = ids.iter().map(|id| state(&world, &[*id]).1.length()).sum();
                let (mut drift, mut part, mut last): (Double, Double, DVec3) = (0.0, 0.0, begin);
                for _ in 0..200 {
                    world.step(&settings, DT);
                    let now = state(&world, &ids).1;
                    // Places, rotations and velocities are rounded.
                    let rounding = |id: &BodyId| {
                        let body = body(&world, *id);
                        let lever = widen(body.center().length() * body.linear_velocity.length());
                        2.0 * epsilon * (lever * widen(body.mass()) + spin(&world, *id).length())
                    };
                    let rounding: Double = ids.iter().map(rounding).sum();
                    part = part.max((now - last).length() / rounding);
                    drift = drift.max((now - begin).length() / all);
                    last = now;
                }
                let what = format!("{method:?}, {name} {seed}");
                println!("{what}: L drifts by {drift:.1e}, {part:.1e} of rounding in a step");
                assert!(part < 1.0 && drift < 1e-3, "{what}: {drift}, {part} of rounding");
            }
        }
    }
}

/// Largest tilt (rad) of a cone of 0.4 m on its tip in five seconds, and when its rim strikes if it falls
/// (s).
fn tilt_on_the_ground(speed: Real, hertz: u32) -> (Real, Option<Real>) {
    let mut world = Simulation::new();
    let collider = |shape| Collider { material: Material::new(0.8), ..Collider::new(shape) };
    let ground = Shape::half_space(Vec3::Y).expect("a direction");
    let colliders = vec![collider(ground)];
    let desc = BodyDesc { kind: BodyKind::Static, colliders, ..BodyDesc::default() };
    world.add_body(desc).expect("a sound body");
    let rim = (0..24).map(|k: u8| {
        let turn = quat_exp(Vec3::Y * (2.0 * PI * Real::from(k) / 24.0));
        quat_rotate(turn, Vec3::X * 0.2) + Vec3::Y * 0.4
    });
    let points: Vec<Vec3> = core::iter::once(Vec3::ZERO).chain(rim).collect();
    let turn = quat_exp(Vec3::Z * -0.2);
    let desc = BodyDesc {
        colliders: vec![collider(Shape::convex_hull(&points).expect("a hull"))],
        density: 50.0,
        rotation: turn,
        angular_velocity: quat_rotate(turn, Vec3::Y) * speed,
        ..BodyDesc::default()
    };
    let id = world.add_body(desc).expect("a sound body");
    let mut most: Real = 0.0;
    for step in 1..=5 * hertz {
        world.step(&Settings::default(), 1.0 / hertz as Real);
        let axis = quat_rotate(body(&world, id).rotation(), Vec3::Y);
        let side = Vec3::new(axis.x, 0.0, axis.z).length();
        most = most.max(orthant::math::atan2(side, axis.y));
        // Its rim is half as far from the axis as from the tip.
        if most >= orthant::math::atan2(2.0, 1.0) {
            return (most, Some(step as Real / hertz as Real));
        }
    }
    (most, None)
}

/// A cone that spins on the ground nods as far as it does in steps of a sixteenth, or falls when it does.
#[test]
fn tops_on_the_ground_stand_or_fall() {
    for (speed, stands) in
        [(30.0, false), (60.0, false), (100.0, true), (120.0, true), (150.0, true)]
    {
        let [coarse, fine] = [60, 960].map(|hertz| tilt_on_the_ground(speed, hertz));
        println!("{speed} rad/s: tilt and fall {coarse:?}, {fine:?} at 960 Hz");
        assert_eq!([coarse.1.is_none(), fine.1.is_none()], [stands; 2], "{speed} rad/s");
        let of = |(tilt, fall): (Real, Option<Real>)| fall.unwrap_or(tilt);
        let (coarse, fine) = (of(coarse), of(fine));
        assert!((coarse - fine).abs() < 0.1 * fine, "{speed} rad/s: {coarse} for {fine}");
    }
}
