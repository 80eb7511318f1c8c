//! Joints and contacts in one island: a chain that falls on a table and lies there.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::shape::Shape;
use orthant::math::{PI, Real, Vec3, exp_double, narrow, quat_exp, quat_rotate, sin, widen};

use orthant_lab::support::{DT, add_floor, body, settings};

/// Half the distance between two joints of a link (m).
const HALF: Real = 0.15;

/// Drag (1/s). A link that bears on one cap and hangs in its joint rolls about the line through both
/// without slip, and without drag for ever.
const DRAG: Real = 1.0;

/// Capsules in a row above the ground, thrown so that the chain bends.
fn chain(n: usize) -> (Simulation, Vec<BodyId>) {
    let mut world = Simulation::new();
    add_floor(&mut world);
    let ids: Vec<BodyId> = (0..n)
        .map(|i| {
            let shape = Some(Shape::capsule(0.05, 0.2).expect("a capsule"));
            let rotation = quat_exp(Vec3::Z * (0.5 * PI));
            let position = Vec3::new(2.0 * HALF * i as Real, 0.4, 0.0);
            let linear_velocity = Vec3::Z * sin(0.7 * i as Real);
            let angular_damping = DRAG;
            let desc = BodyDesc {
                shape,
                position,
                rotation,
                linear_velocity,
                angular_damping,
                ..BodyDesc::default()
            };
            world.add_body(desc)
        })
        .map(|id| id.expect("a sound body"))
        .collect();
    for pair in ids.windows(2) {
        // A capsule lies along its y axis, which points to -x here.
        let desc = JointDesc::between(JointKind::Spherical, pair[0], pair[1]);
        let desc = desc.with_anchors(Vec3::Y * -HALF, Vec3::Y * HALF);
        world.add_joint(desc).expect("two bodies");
    }
    (world, ids)
}

#[test]
fn a_chain_lies_on_a_table() {
    let (mut world, ids) = chain(16);
    let fastest = |world: &Simulation| {
        ids.iter().map(|&id| body(world, id).linear_velocity.length()).fold(0.0, Real::max)
    };
    let mut before = 0.0;
    for step in 0..300 {
        if step == 180 {
            before = fastest(&world);
        }
        let report = world.step(&settings(), DT);
        let error = report.natural_map.max(report.natural_map_relaxed);
        // While it slides, the slip bound of every link depends on those of the others.
        assert!(error < 1e-3, "step {step}: {report}");
        assert!(step < 120 || report.islands_unsolved == 0, "step {step}: {report}");
    }
    let report = world.report();
    assert!(report.contacts >= 16, "it lies: {report}");
    assert!(report.joint_error < 1e-5 && report.overlap < 3e-5, "{report}");
    for pair in ids.windows(2) {
        let end = |id, y| {
            let body = body(&world, id);
            body.position() + quat_rotate(body.rotation(), Vec3::Y * y)
        };
        let apart = (end(pair[0], -HALF) - end(pair[1], HALF)).length();
        assert!(apart < 1e-5, "joints hold: {apart}");
    }
    for &id in &ids {
        let body = body(&world, id);
        assert!((body.position().y - 0.05).abs() < 1e-4, "on the table: {}", body.position());
    }
    // What rolls without slip about an axis of inertia I has the part I / (I + m r²) of its drag, a third for
    // a thin link about its own.
    let (after, time) = (fastest(&world), 120.0 * DT);
    let most = before * narrow(exp_double(widen(-DRAG / 3.0 * time))) + 1e-5;
    assert!(after <= most, "{before} m/s fell to {after} m/s in {time} s, at most {most}");
    // What was thrown at 1 m/s then has lost all but a thousandth after 3 ln 1000 = 20.7 s.
    for _ in 300..1250 {
        world.step(&settings(), DT);
    }
    for &id in &ids {
        let body = body(&world, id);
        assert!(body.linear_velocity.length() < 1e-3, "at rest: {}", body.linear_velocity);
    }
}
