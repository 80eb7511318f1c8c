//! Components and engine agree, and nothing is touched without need.

use super::*;
use bevy_transform::components::GlobalTransform;
use orthant::math::{PI, Quat, from_single_quat, quat_exp, quat_rotate, single_quat, single3};

#[test]
fn a_box_falls_and_rests() {
    let mut app = app();
    floor(&mut app);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 2.0, 0.0)));
    run(&mut app, 200);
    assert_near(position(&app, cube), Vec3::new(0.0, 0.5, 0.0), 1e-3);
    assert!(velocity(&app, cube).length() < 1e-3, "at rest: {}", velocity(&app, cube));
    let carried = physics(&app).engine().contacts().count();
    assert!(carried > 0, "the floor carries it: {}", report(&app));
    assert_eq!(report(&app).sleeping, 1, "and it sleeps there");
}

/// Counts changed components in every update.
#[derive(Resource, Default)]
struct Changes {
    transforms: usize,
    velocities: usize,
}

#[test]
fn resting_and_foreign_entities_are_left_alone() {
    let mut app = app();
    without_gravity(&mut app);
    app.init_resource::<Changes>();
    spawn(&mut app, at(1.0, 2.0, 3.0));
    spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 5.0, 0.0)));
    spawn(&mut app, (RigidBody::Static, cube(), at(9.0, 5.0, 0.0)));
    let mover = (RigidBody::Dynamic, cube(), at(0.0, 9.0, 0.0), LinearVelocity(Vec3::X));
    spawn(&mut app, mover);
    run(&mut app, 3);
    let count = |transforms: Query<(), Changed<Transform>>,
                 velocities: Query<(), Changed<LinearVelocity>>,
                 mut changes: ResMut<Changes>| {
        changes.transforms = transforms.iter().count();
        changes.velocities = velocities.iter().count();
    };
    app.add_systems(Last, count);
    run(&mut app, 5);
    let changes = app.world().resource::<Changes>();
    assert_eq!((changes.transforms, changes.velocities), (1, 0), "only the mover's transform");
}

#[test]
fn writing_the_transform_moves_the_body() {
    let mut app = app();
    without_gravity(&mut app);
    let spin = AngularVelocity(Vec3::new(0.3, 0.0, 0.1));
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), LinearVelocity(Vec3::X), spin));
    run(&mut app, 10);
    let turned = body(&app, cube).expect("alive").rotation();
    app.world_mut().get_mut::<Transform>(cube).expect("alive").translation =
        bevy_math::Vec3::new(100.0, 5.0, 0.0);
    app.world_mut().resource_mut::<bevy_time::Time<Physics>>().pause();
    app.update();
    let moved = body(&app, cube).expect("alive");
    assert_eq!(moved.position(), Vec3::new(100.0, 5.0, 0.0), "it is where it was put");
    assert_near(moved.linear_velocity, Vec3::X, 1e-6);
    let old = [turned.x, turned.y, turned.z, turned.w];
    let new = moved.rotation();
    let apart = old.iter().zip([new.x, new.y, new.z, new.w]).map(|(a, b)| (a - b).abs());
    assert!(apart.fold(0.0, Real::max) < 1e-6, "the rotation stays");
    app.world_mut().resource_mut::<bevy_time::Time<Physics>>().unpause();
    run(&mut app, 64);
    assert_near(position(&app, cube), Vec3::new(101.0, 5.0, 0.0), 1e-3);
}

#[test]
fn writing_the_velocity_acts_and_does_not_move() {
    let mut app = app();
    without_gravity(&mut app);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(3.0, 0.0, 0.0)));
    run(&mut app, 2);
    app.world_mut().get_mut::<LinearVelocity>(cube).expect("alive").0 = Vec3::Y * 64.0;
    run(&mut app, 1);
    assert_near(position(&app, cube), Vec3::new(3.0, 1.0, 0.0), 1e-5);
}

#[test]
fn a_static_body_keeps_the_transform_it_was_given() {
    let mut app = app();
    let slanted = bevy_math::Quat::from_xyzw(0.1, 0.2, 0.3, 0.9);
    let given = Transform { rotation: slanted, ..at(0.1, 0.2, 0.3) };
    let wall = spawn(&mut app, (RigidBody::Static, cube(), given, LinearVelocity(Vec3::X)));
    run(&mut app, 10);
    assert_eq!(app.world().get::<Transform>(wall), Some(&given), "nothing writes it");
}

#[test]
fn the_frame_is_not_the_center_of_mass() {
    let mut app = app();
    without_gravity(&mut app);
    let offset = CenterOfMass(Vec3::new(0.5, 0.0, 0.0));
    let turn = AngularVelocity(Vec3::Z * PI);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), offset, turn));
    run(&mut app, 64);
    // Half a turn about (0.5, 0, 0) takes the frame from the origin to (1, 0, 0).
    assert_near(position(&app, cube), Vec3::X, 2e-3);
    assert_near(body(&app, cube).expect("alive").center(), Vec3::X * 0.5, 1e-5);
}

fn parent_pose() -> Transform {
    let rotation = single_quat(quat_exp(Vec3::new(0.4, -0.7, 0.2)));
    Transform { rotation, ..at(10.0, -3.0, 2.0) }
}

/// The world pose of an entity as Bevy computes it.
fn global(app: &App, entity: Entity) -> (Vec3, Quat) {
    let global = app.world().get::<GlobalTransform>(entity).expect("the entity has a transform");
    let (_, rotation, translation) = global.to_scale_rotation_translation();
    (from_single3(translation), from_single_quat(rotation))
}

#[test]
fn a_body_below_a_parent_is_where_bevy_shows_it() {
    let mut app = app();
    let group = spawn(&mut app, parent_pose());
    let child = spawn(&mut app, (RigidBody::Dynamic, cube(), at(1.0, 2.0, 3.0), ChildOf(group)));
    for _ in 0..40 {
        app.update();
        let (shown, turned) = global(&app, child);
        let body = body(&app, child).expect("alive");
        assert_near(shown, body.position(), 2e-5);
        assert_near(quat_rotate(turned, Vec3::X), quat_rotate(body.rotation(), Vec3::X), 1e-5);
    }
    let start = quat_rotate(from_single_quat(parent_pose().rotation), Vec3::new(1.0, 2.0, 3.0))
        + Vec3::new(10.0, -3.0, 2.0);
    let fallen = body(&app, child).expect("alive").position() - start;
    let t = 40.0 / 64.0;
    assert_near(fallen, Vec3::NEG_Y * (9.81 * 0.5 * t * t), 1e-3);
}

#[test]
fn moving_the_parent_moves_the_body() {
    let mut app = app();
    without_gravity(&mut app);
    let group = spawn(&mut app, parent_pose());
    let child = spawn(&mut app, (RigidBody::Dynamic, cube(), at(1.0, 2.0, 3.0), ChildOf(group)));
    run(&mut app, 3);
    let before = body(&app, child).expect("alive").position();
    app.world_mut().get_mut::<Transform>(group).expect("alive").translation.x += 5.0;
    run(&mut app, 1);
    assert_near(body(&app, child).expect("alive").position(), before + Vec3::X * 5.0, 1e-5);
    app.world_mut().entity_mut(child).remove::<ChildOf>();
    run(&mut app, 1);
    let local = body(&app, child).expect("alive").position();
    assert_near(local, Vec3::new(1.0, 2.0, 3.0), 1e-4);
}

#[test]
fn a_body_below_a_moving_body_keeps_its_own_motion() {
    let mut app = app();
    without_gravity(&mut app);
    let fast = (LinearVelocity(Vec3::X * 4.0), AngularVelocity(Vec3::Y));
    let parent = spawn(&mut app, (RigidBody::Dynamic, cube(), fast));
    let slow = (RigidBody::Dynamic, cube(), LinearVelocity(Vec3::Z), at(0.0, 5.0, 0.0));
    let child = spawn(&mut app, (slow, ChildOf(parent)));
    let grandchild =
        spawn(&mut app, (RigidBody::Static, cube(), at(0.0, 5.0, 0.0), ChildOf(child)));
    run(&mut app, 64);
    assert_near(body(&app, parent).expect("alive").position(), Vec3::X * 4.0, 1e-4);
    assert_near(body(&app, child).expect("alive").position(), Vec3::new(0.0, 5.0, 1.0), 1e-4);
    assert_near(body(&app, grandchild).expect("alive").position(), Vec3::Y * 10.0, 1e-6);
    assert_near(global(&app, child).0, Vec3::new(0.0, 5.0, 1.0), 1e-4);
    assert_near(global(&app, grandchild).0, Vec3::Y * 10.0, 1e-4);
}

#[test]
fn scale_of_a_parent_places_the_body() {
    let mut app = app();
    listen(&mut app);
    without_gravity(&mut app);
    let group = spawn(&mut app, parent_pose().with_scale(bevy_math::Vec3::splat(2.0)));
    let moving = (RigidBody::Dynamic, Mass(1.0), at(1.0, 2.0, 3.0), LinearVelocity(Vec3::X));
    let child = spawn(&mut app, (moving, ChildOf(group)));
    run(&mut app, 10);
    assert_near(global(&app, child).0, body(&app, child).expect("alive").position(), 2e-5);
    let errors = told(&mut app);
    assert_eq!(errors, [], "nothing is wrong");
}

#[test]
fn a_kinematic_target_is_reached_and_pushes() {
    let mut app = app();
    without_gravity(&mut app);
    let pusher = spawn(&mut app, (RigidBody::Kinematic, cube()));
    let pushed = spawn(&mut app, (RigidBody::Dynamic, cube(), at(1.0, 0.0, 0.0)));
    run(&mut app, 2);
    let goal = KinematicTarget::new(Vec3::X * 0.1, Quat::IDENTITY);
    app.world_mut().entity_mut(pusher).insert(goal);
    run(&mut app, 1);
    // The engine lands exactly; the transform rounds to single precision.
    assert_near(position(&app, pusher), Vec3::X * 0.1, 1e-8);
    assert_near(position(&app, pushed), Vec3::X * 1.1, 2e-3);
    assert!(velocity(&app, pushed).x > 6.0, "it got the pusher's velocity, 6.4 m/s");
    run(&mut app, 5);
    // The engine lands exactly; the transform rounds to single precision.
    assert_near(position(&app, pusher), Vec3::X * 0.1, 1e-8);
}

/// Where an elevator is to be, by its `Transform` alone.
fn lift(mut lifts: Query<(&mut Transform, &RigidBody)>, time: Res<bevy_time::Time>) {
    for (mut transform, _) in lifts.iter_mut().filter(|(_, body)| body.is_kinematic()) {
        transform.translation += bevy_math::Vec3::new(0.5, 1.0, 0.0) * time.delta_secs();
    }
}

#[test]
fn an_elevator_carries_by_its_transform() {
    let mut app = app();
    let elevator = (RigidBody::Kinematic, Collider::cuboid(4.0, 1.0, 4.0), at(0.0, -0.5, 0.0));
    let elevator = spawn(&mut app, elevator);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0)));
    run(&mut app, 8);
    app.add_systems(FixedUpdate, lift);
    run(&mut app, 128);
    assert_near(position(&app, elevator), Vec3::new(1.0, 1.5, 0.0), 1e-4);
    assert_near(body(&app, elevator).expect("alive").position(), Vec3::new(1.0, 1.5, 0.0), 1e-4);
    assert_near(velocity(&app, elevator), Vec3::new(0.5, 1.0, 0.0), 1e-3);
    assert_near(velocity(&app, cube), Vec3::new(0.5, 1.0, 0.0), 5e-3);
    assert!(position(&app, cube).y > 2.49, "carried up: {}", position(&app, cube));
    assert!(position(&app, cube).x > 0.9, "and along: {}", position(&app, cube));
}

#[test]
fn a_group_moves_its_kinematic_bodies() {
    let mut app = app();
    without_gravity(&mut app);
    let group = spawn(&mut app, Transform::default());
    let pusher = spawn(&mut app, (RigidBody::Kinematic, cube(), ChildOf(group)));
    let pushed = spawn(&mut app, (RigidBody::Dynamic, cube(), at(1.0, 0.0, 0.0)));
    run(&mut app, 2);
    app.world_mut().get_mut::<Transform>(group).expect("alive").translation.x = 0.1;
    run(&mut app, 1);
    assert_near(body(&app, pusher).expect("alive").position(), Vec3::X * 0.1, 1e-7);
    assert_eq!(position(&app, pusher), Vec3::ZERO, "below its parent it stays where it was");
    assert!(velocity(&app, pushed).x > 6.0, "pushed at 6.4 m/s");
    run(&mut app, 5);
    assert_near(body(&app, pusher).expect("alive").position(), Vec3::X * 0.1, 1e-7);
    assert_eq!(velocity(&app, pusher), Vec3::ZERO, "then it stands still");
}

#[test]
fn a_far_jump_of_a_kinematic_body_pushes_nothing() {
    let mut app = app();
    without_gravity(&mut app);
    let pusher = spawn(&mut app, (RigidBody::Kinematic, cube(), LinearVelocity(Vec3::Y)));
    let pushed = spawn(&mut app, (RigidBody::Dynamic, cube(), at(1.2, 0.0, 0.0)));
    run(&mut app, 2);
    let jumps = [(at(3.0, 0.0, 0.0), "53 m/s and more"), (at(0.0, 0.0, 0.0), "back")];
    for (place, what) in jumps {
        *app.world_mut().get_mut::<Transform>(pusher).expect("alive") = place;
        run(&mut app, 1);
        assert_eq!(velocity(&app, pusher), Vec3::Y, "{what}: its velocity stays its own");
        assert_eq!(velocity(&app, pushed), Vec3::ZERO, "{what}: nothing is pushed");
        let expected = from_single3(place.translation) + Vec3::Y / 64.0;
        assert_near(position(&app, pusher), expected, 1e-6);
    }
    let turn = bevy_math::Quat::from_rotation_y(1.0);
    app.world_mut().get_mut::<Transform>(pusher).expect("alive").rotation = turn;
    run(&mut app, 1);
    assert_eq!(velocity(&app, pusher), Vec3::Y, "64 rad/s are too many as well");
}

#[test]
fn rounding_a_pose_twice_changes_nothing() {
    // What a gather reads after a scatter is what was written: no body moves by being mirrored.
    let mut app = app();
    without_gravity(&mut app);
    let tilted = Transform { rotation: single_quat(quat_exp(Vec3::ONE)), ..at(0.1, 0.2, 0.3) };
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), tilted));
    run(&mut app, 1);
    let once = body(&app, cube).expect("alive").clone();
    run(&mut app, 50);
    let later = body(&app, cube).expect("alive");
    assert_eq!(once.position(), later.position(), "position");
    assert_eq!(once.rotation(), later.rotation(), "rotation");
    assert_eq!(single3(later.position()), single3(position(&app, cube)), "the transform");
}
