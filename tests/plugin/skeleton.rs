//! Ragdolls from bones: joints that fit, hold together and keep their limits.

use super::*;
use orthant::math::quat_exp;

fn spawn_skeleton(app: &mut App, skeleton: &Skeleton, transform: Transform) -> Ragdoll {
    let made = skeleton.spawn(&mut app.world_mut().commands(), transform);
    app.world_mut().flush();
    let ragdoll = made.expect("a skeleton that is sound");
    for joint in ragdoll.joints.iter().flatten() {
        app.world_mut()
            .entity_mut(*joint)
            .insert((JointForces::default(), JointPosition::default()));
    }
    ragdoll
}

fn angles(app: &App, joint: Entity) -> Vec3 {
    app.world().get::<JointPosition>(joint).expect("it was asked for").angular
}

#[test]
fn joints_of_a_human_fit_at_the_start() {
    let mut app = app();
    listen(&mut app);
    without_gravity(&mut app);
    let turn = orthant::math::single_quat(quat_exp(Vec3::new(0.3, -0.7, 0.2)));
    let place = at(1.0, 2.0, 3.0).with_rotation(turn);
    let human = Skeleton::human(1.8);
    let ragdoll = spawn_skeleton(&mut app, &human, place);
    run(&mut app, 2);
    assert_eq!((bodies(&app), ragdoll.joints.iter().flatten().count()), (11, 10));
    // Some roundings of single precision at four metres.
    let rounding = 64.0 * Real::from(f32::EPSILON);
    assert!(report(&app).joint_error <= rounding, "{} m", report(&app).joint_error);
    for joint in ragdoll.joints.iter().flatten() {
        assert_near(angles(&app, *joint), Vec3::ZERO, rounding);
    }
    let waist = Vec3::new(1.0, 2.0, 3.0);
    for (bone, entity) in human.bones.iter().zip(&ragdoll.bones) {
        let middle = (bone.start + bone.end) * 0.5;
        let place = orthant::math::quat_rotate(quat_exp(Vec3::new(0.3, -0.7, 0.2)), middle);
        assert_near(position(&app, *entity), waist + place, 4.0 * rounding);
        assert_eq!(app.world().get::<Name>(*entity).expect("named").as_str(), bone.name);
    }
    let mass = |&bone: &Entity| **app.world().get::<ComputedMass>(bone).expect("a body");
    let mass: Real = ragdoll.bones.iter().map(mass).sum();
    assert!((mass - 75.0).abs() < 1.0, "{mass} kg");
    assert_eq!(told(&mut app), []);
}

/// However it falls: also a limit that a blow would pass within a step.
#[test]
fn a_human_falls_and_stays_together() {
    fall(Vec3::new(0.4, 0.0, 0.3));
    let mut rng = Rng::new(1);
    for _ in 0..7 {
        fall(rng.vector(-2.0, 2.0));
    }
}

fn fall(turn: Vec3) {
    let mut app = app();
    floor(&mut app);
    let human = Skeleton::human(1.8);
    let turn = orthant::math::single_quat(quat_exp(turn));
    let ragdoll = spawn_skeleton(&mut app, &human, at(0.0, 2.0, 0.0).with_rotation(turn));
    // A centimetre at the end of a hand's breadth.
    let (apart, off) = (0.01, 0.1);
    for step in 0..320 {
        run(&mut app, 1);
        let error = report(&app).joint_error;
        let opened = |joint: &Entity| app.world().get::<JointPosition>(*joint).copied();
        let all: Vec<_> = ragdoll.joints.iter().flatten().map(opened).collect();
        assert!(
            error < apart,
            "{error} at step {step}, turned by {turn}: {all:?}, {}",
            report(&app)
        );
        for (bone, joint) in human.bones.iter().zip(&ragdoll.joints) {
            if let (BoneJoint::Hinge { min, max, .. }, Some(joint)) = (bone.joint, joint) {
                let angle = angles(&app, *joint).x;
                assert!((min - off..=max + off).contains(&angle), "{angle} of {}", bone.name);
            }
        }
    }
    for bone in &ragdoll.bones {
        let height = position(&app, *bone).y;
        assert!((0.0..0.6).contains(&height), "a bone lies, and is not {height} m high");
    }
}

#[test]
fn a_bone_hangs_at_the_limit_of_its_joint() {
    let limit: Real = 0.5;
    let hinge = BoneJoint::Hinge { axis: Vec3::Z * 3.0, min: -limit, max: 1.0 };
    let ball = BoneJoint::Ball { swing: limit, twist: 0.2 };
    for (joint, angle) in [(hinge, limit), (ball, limit), (BoneJoint::Fixed, 0.0)] {
        let mut app = app();
        let arm = Skeleton::new([
            Bone::new("upper", Vec3::ZERO, Vec3::X * 0.4, 0.05),
            Bone::new("fore", Vec3::X * 0.4, Vec3::X * 0.8, 0.05)
                .on("upper", joint)
                .with_friction(0.5),
        ]);
        let ragdoll = spawn_skeleton(&mut app, &arm, at(0.0, 1.0, 0.0));
        spawn(&mut app, Joint::fixed(None, ragdoll.bones[0]).with_frame(Vec3::Y, Quat::IDENTITY));
        run(&mut app, 200);
        let (sin, cos) = orthant::math::sin_cos_double(orthant::math::widen(angle));
        let expected = Vec3::new(
            0.4 + 0.2 * orthant::math::narrow(cos),
            1.0 - 0.2 * orthant::math::narrow(sin),
            0.0,
        );
        assert_near(position(&app, ragdoll.bones[1]), expected, 1e-3);
    }
}

#[test]
fn a_skeleton_that_makes_no_sense_is_refused() {
    let bone = |name: &str| Bone::new(name, Vec3::ZERO, Vec3::Y, 0.1);
    let point = Bone::new("b", Vec3::Y, Vec3::Y, 0.1);
    let endless = Bone::new("b", Vec3::Y, Vec3::Y * Real::INFINITY, 0.1);
    let lost = SkeletonError::NoParent { bone: "b".into(), parent: "c".into() };
    let cases = [
        (bone("a"), SkeletonError::SameName("a".into())),
        (bone("b").on("c", BoneJoint::Fixed), lost),
        (point, SkeletonError::NoLength("b".into())),
        (endless, SkeletonError::NoLength("b".into())),
    ];
    for (second, error) in cases {
        let mut app = app();
        let skeleton = Skeleton::new([bone("a"), second]);
        let made = skeleton.spawn(&mut app.world_mut().commands(), Transform::IDENTITY);
        assert_eq!(made, Err(error));
        run(&mut app, 1);
        assert_eq!(bodies(&app), 0, "nothing is spawned");
    }
}
