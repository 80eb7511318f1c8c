//! What is drawn of joints: errors of what they keep, limits where they are.

use super::debug::{RED, drawing, lines, only};
use super::*;

/// The lines of a color of a joint between the world and a ball at (x, 0, 0), after a step without forces.
fn joint_lines(
    gizmos: PhysicsGizmos,
    place: Transform,
    joint: fn(Entity) -> Joint,
) -> Vec<[Vec3; 2]> {
    let mut app = drawing(gizmos);
    without_gravity(&mut app);
    let ball = spawn(&mut app, (RigidBody::Dynamic, Collider::sphere(0.2), place));
    // What yields to nothing much stays where it is.
    spawn(&mut app, joint(ball).with_yield_force(1e-6).with_yield_torque(1e-6));
    run(&mut app, 1);
    lines(&app).into_iter().map(|(ends, _)| ends).collect()
}

/// A turn about an axis (rad), at this place.
fn turned(place: bevy_math::Vec3, axis: bevy_math::Vec3, angle: f32) -> Transform {
    Transform::from_translation(place).with_rotation(bevy_math::Quat::from_axis_angle(axis, angle))
}

/// The way that a joint leaves free is no error of it; what goes beyond is, and is drawn where it is.
#[test]
fn errors_of_joints_are_those_of_what_they_keep() {
    use JointAxis::{AngularX, AngularY, AngularZ};
    let errors = |place: Transform, joint| {
        joint_lines(only(|g| g.joint_error_color = Some(RED)), place, joint)
    };
    type V = bevy_math::Vec3;
    let free: [fn(Entity) -> Joint; 10] = [
        |b| Joint::prismatic(None, b),
        |b| Joint::prismatic(None, b).with_limits(-1.0, 1.0),
        |b| Joint::cylindrical(None, b),
        |b| Joint::planar(None, b).with_axis(Vec3::Y),
        |b| Joint::rope(None, b, 1.0),
        |b| Joint::distance(None, b, 0.5),
        |b| Joint::distance(None, b, 2.0).with_spring(1e-6, 0.0),
        |b| Joint::generic(None, b),
        |b| Joint::rack_and_pinion(None, b, 0.1),
        |b| Joint::wheel(None, b, [1e-6, 0.0, 1.0]).with_local_axes(Vec3::NEG_Y, Vec3::NEG_Y),
    ];
    for (k, joint) in free.into_iter().enumerate() {
        let drawn = errors(at(0.5, 0.0, 0.0), joint);
        assert!(drawn.is_empty(), "joint {k}: {drawn:?}");
    }
    let off: [(fn(Entity) -> Joint, [Vec3; 2]); 7] = [
        (|b| Joint::ball(None, b), [Vec3::ZERO, Vec3::new(0.5, 0.2, 0.0)]),
        (|b| Joint::prismatic(None, b), [Vec3::X * 0.5, Vec3::new(0.5, 0.2, 0.0)]),
        (
            |b| Joint::prismatic(None, b).with_limits(-1.0, 0.1),
            [Vec3::X * 0.1, Vec3::new(0.5, 0.2, 0.0)],
        ),
        (|b| Joint::planar(None, b).with_axis(Vec3::Y), [Vec3::X * 0.5, Vec3::new(0.5, 0.2, 0.0)]),
        (|b| Joint::screw(None, b, 1.0), [Vec3::ZERO, Vec3::new(0.5, 0.2, 0.0)]),
        (
            |b| Joint::rope(None, b, 0.1),
            [Vec3::new(0.5, 0.2, 0.0).normalize() * 0.1, Vec3::new(0.5, 0.2, 0.0)],
        ),
        (
            |b| Joint::pulley(None, b, [Vec3::Y, Vec3::new(0.5, 0.5, 0.0)], 2.0, 1.5),
            [Vec3::new(0.5, 0.25, 0.0), Vec3::new(0.5, 0.2, 0.0)],
        ),
    ];
    for (k, (joint, [from, to])) in off.into_iter().enumerate() {
        let drawn = errors(at(0.5, 0.2, 0.0), joint);
        let [line] = drawn[..] else { panic!("joint {k}: {drawn:?}") };
        assert_near(line[0], from, 1e-4);
        assert_near(line[1], to, 1e-4);
    }
    // Chords of 0.1 rad beyond what is kept.
    let chord = 0.6 * libm::sin(0.05) as Real;
    let about: [(V, fn(Entity) -> Joint); 6] = [
        (V::X, |b| Joint::prismatic(None, b)),
        (V::Y, |b| Joint::hinge(None, b)),
        (V::Z, |b| Joint::hinge(None, b)),
        (V::X, |b| Joint::hinge(None, b).with_limits(-1.0, 0.2)),
        (V::Y, |b| Joint::universal(None, b).with_axis_limits(AngularY, -1.0, 0.2)),
        (V::Y, |b| Joint::ball(None, b).with_swing_limit(0.2)),
    ];
    for (k, (axis, joint)) in about.into_iter().enumerate() {
        let angle = if k < 3 { 0.1 } else { 0.3 };
        let drawn = errors(turned(V::ZERO, axis, angle), joint);
        let [[from, to]] = drawn[..] else { panic!("joint {k}: {drawn:?}") };
        assert!((from.distance(to) - chord).abs() < 1e-4, "joint {k}: {drawn:?}");
        assert!((to.length() - 0.3).abs() < 1e-4, "joint {k}: {drawn:?}");
    }
    let joint: fn(Entity) -> Joint = |b| {
        let free = Joint::generic(None, b);
        [AngularX, AngularY, AngularZ]
            .into_iter()
            .fold(free, |joint, k| joint.with_axis_limits(k, -1.0, 1.0))
    };
    assert!(errors(turned(V::ZERO, V::Z, 0.9), joint).is_empty(), "within its limits");
    assert_eq!(errors(turned(V::ZERO, V::Z, 1.1), joint).len(), 1, "beyond one of them");
}

/// Limits are drawn where they are: a rope's along the rope, angles about any axis, ends of one side alone.
#[test]
fn limits_of_ropes_and_of_all_angles_are_drawn() {
    use JointAxis::{AngularY, AngularZ};
    let limits =
        |place: Transform, joint| joint_lines(only(|g| g.limit_color = Some(RED)), place, joint);
    type V = bevy_math::Vec3;
    let below = at(0.0, -0.5, 0.0);
    let drawn = limits(below, |b| Joint::rope(None, b, 1.0));
    assert_eq!(drawn.len(), 4, "a way and a cross: {drawn:?}");
    assert_near(drawn[0][0], Vec3::ZERO, 1e-4);
    assert_near(drawn[0][1], Vec3::NEG_Y, 1e-4);
    assert_eq!(limits(below, |b| Joint::distance(None, b, 0.5)).len(), 0, "a rod is locked");
    let spring = limits(below, |b| Joint::distance(None, b, 0.5).with_spring(1e-6, 0.0));
    assert_eq!(spring.len(), 0, "a spring has none");
    let stop = limits(below, |b| Joint::prismatic(None, b).with_limits(0.0, Real::INFINITY));
    assert_eq!(stop.len(), 3, "one end: {stop:?}");
    for (k, joint) in [
        (|b| Joint::universal(None, b).with_axis_limits(AngularY, -0.5, 0.5))
            as fn(Entity) -> Joint,
        |b| Joint::generic(None, b).with_axis_limits(AngularY, -0.5, 0.5),
        |b| Joint::ball(None, b).with_axis_limits(AngularZ, -0.5, 0.5),
    ]
    .into_iter()
    .enumerate()
    {
        let drawn = limits(turned(V::ZERO, V::X, 0.0), joint);
        assert_eq!(drawn.len(), 14, "an arc and its ends: joint {k}");
        let (sin, cos) = (0.3 * libm::sin(0.5) as Real, 0.3 * libm::cos(0.5) as Real);
        let across = if k < 2 { Vec3::Z } else { Vec3::Y };
        for end in [drawn[12][1], drawn[13][1]] {
            assert!((end.x - cos).abs() < 1e-4, "{end}");
            assert!((end.dot(across).abs() - sin).abs() < 1e-4, "{end}");
        }
    }
    // The second axis of a universal joint is y of the second end.
    let drawn = limits(turned(V::ZERO, V::X, 0.7), |b| {
        Joint::universal(None, b).with_axis_limits(AngularY, -0.5, 0.5)
    });
    let axis = Vec3::new(0.0, libm::cos(0.7) as Real, libm::sin(0.7) as Real);
    assert!(drawn.iter().flatten().all(|end| end.dot(axis).abs() < 1e-4), "{drawn:?}");
}
