//! What makes no sense is refused with a reason.

use orthant::engine::Simulation;
use orthant::engine::joint::{JointAxis, JointDesc, JointError, JointKind, Motor};
use orthant::math::{Quat, Real, Vec3};

use super::{joint, weight};

#[test]
fn what_makes_no_sense_is_refused() {
    let mut world = Simulation::new();
    let a = weight(&mut world, Vec3::ZERO);
    let hinge = JointDesc::to_world(JointKind::Revolute, a);
    let b = weight(&mut world, Vec3::X);
    let no_turn = Quat::from_xyzw(Real::NAN, 0.0, 0.0, 1.0);
    let screw = JointKind::Screw { lead: 0.0 };
    let rope = JointKind::Pulley { wheels: [Vec3::Y, Vec3::X + Vec3::Y], ratio: 1.0, length: -1.0 };
    let of_rope = "ratio or length";
    let x = JointAxis::LinearX;
    let turn = JointAxis::AngularX;
    let cases = [
        (JointDesc::new(JointKind::Fixed, [None, None]), JointError::NoBody),
        (hinge.with_motor(x, Motor::velocity(1.0, 1.0)), JointError::Locked(x)),
        (hinge.with_limit(x, 0.0, 1.0), JointError::Locked(x)),
        (hinge.with_friction(x, 1.0), JointError::Locked(x)),
        (hinge.with_limit(turn, 1.0, 0.0), JointError::Limits(turn, 1.0, 0.0)),
        (
            hinge.with_limit(turn, 1.0, 1.0).with_motor(turn, Motor::spring(0.0, 1.0, 1.0)),
            JointError::Locked(turn),
        ),
        (
            hinge.with_motor(turn, Motor::spring(0.0, -1.0, 1.0)),
            JointError::Negative(turn, "stiffness", -1.0),
        ),
        (hinge.with_swing(1.0), JointError::NoSwing),
        (JointDesc::to_world(JointKind::Spherical, a).with_swing(4.0), JointError::Swing(4.0)),
        (hinge.with_strength(0.0, 1.0), JointError::NotPositive("break force", 0.0)),
        (
            JointDesc::to_world(JointKind::Distance { min: 2.0, max: 1.0 }, a),
            JointError::Length(2.0, 1.0),
        ),
        (hinge.with_anchors(Vec3::NAN, Vec3::ZERO), JointError::NotFinite("anchor")),
        (hinge.with_bases(no_turn, Quat::IDENTITY), JointError::NotFinite("basis")),
        (
            hinge.with_motor(turn, Motor::velocity(Real::INFINITY, 1.0)),
            JointError::NotFinite("target of a motor"),
        ),
        (
            hinge.with_motor(turn, Motor::spring(0.0, Real::INFINITY, 1.0)),
            JointError::NotFinite("stiffness of a motor"),
        ),
        (hinge.with_friction(turn, -1.0), JointError::Negative(turn, "friction", -1.0)),
        (JointDesc::to_world(screw, a), JointError::NotPositive("lead", 0.0)),
        (JointDesc::new(rope, [Some(a), Some(b)]), JointError::NotPositive(of_rope, -1.0)),
    ];
    for (desc, error) in cases {
        assert_eq!(world.add_joint(desc), Err(error.clone()), "{error}");
    }
    assert!(world.joints().next().is_none(), "nothing was added");
    let id = world.add_joint(hinge).expect("a sound joint");
    let bad = hinge.with_limit(x, 0.0, 1.0);
    assert_eq!(world.set_joint(id, bad), Err(JointError::Locked(x)), "nor changed");
    assert_eq!(joint(&world, id).desc(), &hinge, "it is as it was");
}
