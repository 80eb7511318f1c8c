//! Joints as components: what is told, ids, ends that come and go, drawing, storing.

use super::joints::{edit, floating, joint, link};
use super::*;
use bevy_ecs::system::RunSystemOnce;
use orthant::math::{PI, quat_rotate};

#[test]
fn what_makes_no_sense_is_told_once() {
    let mut app = app();
    listen(&mut app);
    let lamp = floating(&mut app, Transform::IDENTITY);
    let bad = [
        Joint::default(),
        Joint::ball(lamp, lamp),
        Joint::fixed(None, lamp).with_limits(0.0, 1.0),
        Joint::revolute(None, lamp).with_limits(1.0, 0.0),
        Joint::revolute(None, lamp).with_swing_limit(1.0),
        Joint::revolute(None, lamp).with_axis(Vec3::ZERO),
        Joint::revolute(None, lamp).with_local_axes(Vec3::X, Vec3::splat(Real::NAN)),
        Joint::prismatic(None, lamp)
            .with_axis_motor(JointAxis::AngularX, Motor::velocity(1.0, 1.0)),
        Joint::spherical(None, lamp).with_swing_limit(2.0 * PI),
        Joint::ball(None, lamp).with_friction(-1.0),
        Joint::ball(None, lamp).with_break_force(-1.0),
        Joint::rope(None, lamp, -1.0),
    ];
    for joint in bad {
        let entity = spawn(&mut app, joint);
        run(&mut app, 2);
        // What else happens does not matter.
        let other = spawn(&mut app, (RigidBody::Static, cube(), at(9.0, 0.0, 0.0)));
        run(&mut app, 1);
        app.world_mut().despawn(other);
        run(&mut app, 1);
        let errors = told(&mut app);
        assert!(
            matches!(errors[..], [PhysicsError {
                entity: told,
                error: PhysicsErrorKind::Joint(_) | PhysicsErrorKind::JointAxis
            }] if entity == told),
            "told once, with the entity: {errors:?} of {joint:?}"
        );
        app.world_mut().despawn(entity);
    }
}

#[test]
fn a_bad_change_leaves_the_joint_as_it_was() {
    let mut app = app();
    listen(&mut app);
    let lamp = spawn(&mut app, (RigidBody::Dynamic, cube(), SleepingDisabled));
    let made = spawn(&mut app, Joint::ball(None, lamp).with_anchor(Vec3::Y));
    run(&mut app, 1);
    let (id, before) = (link(&app, made), *joint(&app, made).desc());
    edit(&mut app, made, |joint| joint.break_force = Some(Real::NAN));
    run(&mut app, 5);
    assert_eq!(told(&mut app).len(), 1, "told once");
    assert_eq!((link(&app, made), *joint(&app, made).desc()), (id, before), "it holds as before");
    edit(&mut app, made, |joint| joint.break_force = None);
    run(&mut app, 1);
    edit(&mut app, made, |joint| joint.break_force = Some(Real::NAN));
    run(&mut app, 1);
    assert_eq!(told(&mut app).len(), 1, "and told again when it happens again");
    edit(&mut app, made, |joint| joint.a = Some(lamp));
    run(&mut app, 1);
    assert_eq!(told(&mut app).len(), 1, "both ends the same");
    assert_eq!(physics(&app).engine().joints().count(), 0, "other ends are no small change");
    edit(&mut app, made, |joint| (joint.a, joint.break_force) = (None, None));
    run(&mut app, 1);
    assert!(link(&app, made).is_some(), "well again");
}

#[test]
fn ids_follow_the_commands() {
    let mut app = app();
    let bodies = [0.0, 3.0, 6.0].map(|x| floating(&mut app, at(x, 0.0, 0.0)));
    let late = spawn(&mut app, JointForces::default());
    let first = spawn(&mut app, (Joint::ball(None, bodies[2]), JointDisabled));
    let second = spawn(&mut app, Joint::ball(None, bodies[1]));
    app.world_mut().entity_mut(late).insert(Joint::ball(None, bodies[0]));
    run(&mut app, 1);
    let ids = [first, second, late].map(|joint| link(&app, joint).expect("it is there"));
    assert!(ids.is_sorted(), "{ids:?}");
}

#[test]
fn ends_go_and_come_in_any_order() {
    for order in 0..4 {
        let mut app = app();
        let a = floating(&mut app, Transform::IDENTITY);
        let b = floating(&mut app, at(0.0, 2.0, 0.0));
        let made = spawn(&mut app, Joint::ball(a, b).with_anchor(Vec3::Y));
        run(&mut app, 2);
        let id = link(&app, made);
        // Below another entity it is the same body.
        let parent = spawn(&mut app, at(1.0, 0.0, 0.0));
        app.world_mut().entity_mut(b).insert(ChildOf(parent));
        run(&mut app, 2);
        assert_eq!(link(&app, made), id, "reparented");
        let gone: &[Entity] = match order {
            0 => &[a, made, b],
            1 => &[made, a],
            2 => &[parent, made],
            _ => &[b, a, made],
        };
        for &entity in gone {
            app.world_mut().despawn(entity);
            if order == 3 {
                run(&mut app, 1);
            }
        }
        run(&mut app, 2);
        assert_eq!(physics(&app).engine().joints().count(), 0, "order {order}");
    }
}

#[test]
fn joints_are_seen_with_their_frames() {
    fn check(joints: Joints, made: Res<Made>) {
        assert_eq!(joints.iter().count(), 1, "the other waits");
        let seen = joints.get(made.0).expect("it is there");
        let [(a, axes_a), (b, axes_b)] = seen.frames;
        assert_near(a, Vec3::new(0.0, 2.0, 1.0), 1e-6);
        assert_near(b, a, 1e-3);
        assert_near(quat_rotate(axes_a, Vec3::X), Vec3::Z, 1e-6);
        assert_near(quat_rotate(axes_b, Vec3::X), Vec3::Z, 1e-3);
        let limit = seen.limits(JointAxis::AngularX).map(|limit| (limit.min, limit.max));
        assert_eq!(limit, Some((-0.5, 0.5)));
        let locked = seen.limits(JointAxis::LinearY).map(|limit| (limit.min, limit.max));
        assert_eq!(locked, Some((0.0, 0.0)));
        assert!(seen.is_enabled() && seen.position(JointAxis::AngularX).abs() <= 0.51, "{seen:?}");
        assert!(joints.get(Entity::PLACEHOLDER).is_none(), "no such joint");
    }
    #[derive(Resource)]
    struct Made(Entity);
    let mut app = app();
    let arm = spawn(&mut app, (RigidBody::Dynamic, cube(), at(1.0, 2.0, 1.0)));
    let made = Joint::hinge(None, arm).with_anchor(Vec3::new(0.0, 2.0, 1.0)).with_axis(Vec3::Z);
    let made = spawn(&mut app, made.with_limits(-0.5, 0.5));
    spawn(&mut app, Joint::ball(arm, made));
    app.insert_resource(Made(made));
    app.add_systems(Last, check);
    run(&mut app, 100);
}

#[test]
fn forces_are_seen_along_the_axes() {
    let mut app = app();
    let weight = 2.0 * 9.81;
    let lamp = |app: &mut App, place| spawn(app, (RigidBody::Dynamic, cube(), Mass(2.0), place));
    let hold = Motor::spring(0.0, 1e4, 1e3);
    let arm = lamp(&mut app, at(1.0, 0.0, 0.0));
    let arm = Joint::hinge(None, arm).with_anchor(Vec3::ZERO).with_axis(Vec3::Z);
    let lift = lamp(&mut app, at(4.0, 0.0, 0.0));
    let lift = Joint::prismatic(None, lift).with_anchor(Vec3::X * 4.0);
    let lift = lift.with_axis(Vec3::new(3.0, 4.0, 0.0));
    let hung = lamp(&mut app, at(8.0, 0.0, 0.0));
    let hung = Joint::rope(None, hung, 2.0).with_anchors(Vec3::new(8.0, 2.0, 0.0), Vec3::ZERO);
    let made =
        [arm.with_motor(hold), lift.with_motor(hold), hung].map(|made| spawn(&mut app, made));
    run(&mut app, 200);
    let see = move |joints: Joints| {
        use JointAxis::{AngularX, LinearX, LinearY};
        let wanted = [
            (0, AngularX, weight),
            (0, LinearY, weight),
            (1, LinearX, 0.8 * weight),
            (2, LinearX, -weight),
        ];
        for (k, axis, wanted) in wanted {
            let force = joints.get(made[k]).expect("it is there").force(axis);
            assert!((force - wanted).abs() < 0.02 * weight, "{k}, {axis:?}: {force}, not {wanted}");
        }
    };
    app.world_mut().run_system_once(see).expect("it can run");
}

#[test]
fn entities_are_mapped() {
    let mut world = World::new();
    let [one, two, three] = [(); 3].map(|()| world.spawn_empty().id());
    let mut joint = Joint::ball(one, None);
    let mut map = bevy_ecs::entity::EntityHashMap::default();
    map.insert(one, three);
    map.insert(two, two);
    <Joint as Component>::map_entities(&mut joint, &mut map);
    assert_eq!((joint.a, joint.b), (Some(three), None));
}

#[cfg(feature = "serialize")]
#[test]
fn joints_survive_being_stored() {
    let mut world = World::new();
    let [one, two] = [(); 2].map(|()| world.spawn_empty().id());
    let mut rng = Rng::new(1);
    let all = [
        Joint::default(),
        Joint::ball(one, two).with_anchors(rng.vector(-1.0, 1.0), rng.vector(-1.0, 1.0)),
        Joint::fixed(one, two).with_frame(rng.vector(-1.0, 1.0), rng.rotation()),
        Joint::pivot(two, None).with_swing_limit(0.5).with_twist_limits(-0.1, 0.2),
        Joint::hinge(None, two).with_limits(-Real::INFINITY, 1.0).with_friction(0.1),
        Joint::hinge(None, two).with_motor(Motor::velocity(3.0, Real::INFINITY)),
        Joint::generic(one, two).with_axis_motor(JointAxis::AngularZ, Motor::spring(1.0, 2.0, 3.0)),
        Joint::rope(one, two, Real::INFINITY).with_break_force(3.0).with_break_torque(1.0),
        Joint::distance(one, two, 2.0).with_spring(100.0, 1.0).with_collision(true),
    ];
    for joint in all {
        let text = serde_json::to_string(&joint).expect("it can be stored");
        let back: Joint = serde_json::from_str(&text).expect("and read");
        assert_eq!(back, joint, "{text}");
    }
    let short: Joint = serde_json::from_str(r#"{"kind":"Revolute"}"#).expect("the rest is default");
    assert_eq!(short, Joint::hinge(None, None));
}

#[test]
fn what_is_pressed_against_what_cannot_yield_is_told_once() {
    let mut app = app();
    listen(&mut app);
    floor(&mut app);
    // Their lower faces are 1 cm below the floor.
    let hand = |app: &mut App, x: f32, edit: fn(Joint) -> Joint| {
        let place = at(x, 0.49, 0.0);
        let target = spawn(app, (RigidBody::Kinematic, place));
        let hand = spawn(app, (RigidBody::Dynamic, cube(), place));
        (target, hand, spawn(app, edit(Joint::fixed(target, hand))))
    };
    let (target, held, joint) = hand(&mut app, 0.0, |joint| joint);
    let (_, soft, _) = hand(&mut app, 5.0, |joint| joint.with_yield_force(3.0));
    run(&mut app, 60);
    let errors = told(&mut app);
    assert_eq!(errors, [PhysicsError { entity: joint, error: PhysicsErrorKind::Pressed }]);
    for hand in [held, soft] {
        assert!((position(&app, hand).y - 0.5).abs() < 1e-3, "it lies on the floor");
    }
    for height in [0.6, 0.49] {
        app.world_mut().get_mut::<Transform>(target).expect("it has one").translation.y = height;
        run(&mut app, 60);
        assert!((position(&app, held).y - Real::from(height).max(0.5)).abs() < 1e-3, "led");
    }
    assert_eq!(told(&mut app), [], "told once");
}

#[test]
fn what_contacts_press_between_what_cannot_yield_is_told_once_an_occasion() {
    let mut app = app();
    listen(&mut app);
    floor(&mut app);
    let first = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0)));
    let other = spawn(&mut app, (RigidBody::Dynamic, cube(), at(5.0, 0.5, 0.0)));
    let lids = [0.0, 5.0].map(|x| spawn(&mut app, (RigidBody::Kinematic, cube(), at(x, 1.6, 0.0))));
    let lead = |app: &mut App, lid: usize, height: f32| {
        let mut place = app.world_mut().get_mut::<Transform>(lids[lid]).expect("it has one");
        place.translation.y = height;
        run(app, 120);
        told(app)
    };
    let squeezed = |entity| PhysicsError { entity, error: PhysicsErrorKind::Squeezed };
    assert_eq!(lead(&mut app, 0, 1.51), [], "the lid does not touch yet");
    assert_eq!(lead(&mut app, 0, 1.49), [squeezed(first)], "told once, with what is pressed");
    assert_eq!(lead(&mut app, 1, 1.49), [squeezed(other)], "the other is told beside");
    assert_eq!(lead(&mut app, 0, 1.6), [], "it is free");
    assert!((position(&app, first).y - 0.5).abs() < 1e-3, "it lies on the floor");
    assert_eq!(lead(&mut app, 0, 1.49), [squeezed(first)], "a second occasion");
}
