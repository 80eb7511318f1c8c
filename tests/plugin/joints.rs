//! Joints as components: kinds, frames, tuning, forces, breaking.

use super::*;
use orthant::math::{quat_conjugate, quat_exp, quat_mul, quat_rotate, single_quat};

pub(super) fn link(app: &App, joint: Entity) -> Option<orthant::engine::joint::JointId> {
    app.world().get::<EngineJoint>(joint).and_then(EngineJoint::id)
}

/// The engine's joint of an entity.
pub(super) fn joint(app: &App, joint: Entity) -> &orthant::engine::joint::Joint {
    let id = link(app, joint).expect("the joint is there");
    physics(app).engine().joint(id).expect("the engine has what is linked")
}

pub(super) fn component(app: &App, joint: Entity) -> Joint {
    *app.world().get::<Joint>(joint).expect("alive")
}

pub(super) fn edit(app: &mut App, joint: Entity, change: impl FnOnce(&mut Joint)) {
    change(&mut app.world_mut().get_mut::<Joint>(joint).expect("alive"));
}

fn spin(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<AngularVelocity>(entity).expect("a body").0
}

fn read<T: Component + Copy>(app: &App, entity: Entity) -> T {
    *app.world().get::<T>(entity).expect("it has one")
}

/// A cube of 1 kg that no gravity moves, at a place.
pub(super) fn floating(app: &mut App, place: Transform) -> Entity {
    without_gravity(app);
    spawn(app, (RigidBody::Dynamic, cube(), Mass(1.0), place, SleepingDisabled))
}

#[test]
fn every_kind_has_its_constructor() {
    let mut app = app();
    listen(&mut app);
    let hook = spawn(&mut app, (RigidBody::Static, Collider::sphere(0.1)));
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(1.0, 0.0, 0.0)));
    let rod = JointKind::Distance { min: 1.0, max: 1.0 };
    let rope = JointKind::Distance { min: 0.0, max: 2.0 };
    let all = [
        (Joint::fixed(hook, cube).with_frame(Vec3::ZERO, Quat::IDENTITY), JointKind::Fixed),
        (Joint::revolute(hook, cube), JointKind::Revolute),
        (Joint::hinge(hook, cube), JointKind::Revolute),
        (Joint::spherical(hook, cube), JointKind::Spherical),
        (Joint::ball(hook, cube), JointKind::Spherical),
        (Joint::prismatic(hook, cube), JointKind::Prismatic),
        (Joint::cylindrical(hook, cube), JointKind::Cylindrical),
        (Joint::universal(hook, cube), JointKind::Universal),
        (Joint::planar(hook, cube), JointKind::Planar),
        (Joint::pivot(hook, cube), JointKind::Pivot),
        (Joint::generic(hook, cube), JointKind::Generic),
        (Joint::distance(hook, cube, 1.0), rod),
        (Joint::rope(hook, cube, 2.0), rope),
    ];
    for (made, kind) in all {
        let entity = spawn(&mut app, made);
        run(&mut app, 1);
        assert_eq!(joint(&app, entity).desc().kind, kind, "as named");
        app.world_mut().despawn(entity);
        run(&mut app, 1);
        assert!(physics(&app).engine().joints().next().is_none(), "{kind:?} is gone again");
    }
    assert_eq!(told(&mut app), [], "nothing is wrong");
}

#[test]
fn short_names_act_on_what_the_kind_is_about() {
    use JointAxis::*;
    let world: Option<Entity> = None;
    let motor = Motor::velocity(1.0, 2.0);
    let limited = |joint: Joint| joint.with_limits(-0.5, 0.5).with_motor(motor);
    let soft = |joint: Joint| joint.with_spring(3.0, 4.0).with_friction(5.0);
    let table: [(Joint, JointAxis, &[JointAxis]); 9] = [
        (Joint::revolute(world, world), AngularX, &[AngularX]),
        (Joint::prismatic(world, world), LinearX, &[LinearX]),
        (Joint::cylindrical(world, world), LinearX, &[LinearX]),
        (Joint::rope(world, world, 1.0), LinearX, &[LinearX]),
        (Joint::spherical(world, world), AngularX, &[AngularX, AngularY, AngularZ]),
        (Joint::universal(world, world), AngularX, &[AngularX, AngularY]),
        (Joint::pivot(world, world), AngularX, &[AngularY, AngularZ]),
        (Joint::planar(world, world), LinearY, &[LinearY, LinearZ]),
        (Joint::generic(world, world), LinearX, &[LinearX, LinearY, LinearZ]),
    ];
    for (joint, main, axes) in table {
        for axis in JointAxis::ALL {
            let (k, is_main) = (axis.index(), axis == main);
            let made = limited(joint);
            let is_distance = matches!(joint.kind, JointKind::Distance { .. });
            assert_eq!(made.limits[k].is_some(), is_main && !is_distance, "{axis:?} of {joint:?}");
            assert_eq!(made.motors[k], is_main.then_some(motor), "{axis:?} of {joint:?}");
            let made = soft(joint);
            let is_soft = axes.contains(&axis);
            assert_eq!(made.motors[k].is_some(), is_soft, "{axis:?} of {joint:?}");
            assert_eq!(made.friction[k], if is_soft { 5.0 } else { 0.0 }, "{axis:?} of {joint:?}");
        }
    }
    let spring = Joint::distance(world, world, 2.0).with_spring(3.0, 4.0);
    assert_eq!(spring.motors[0].map(|motor| motor.position), Some(2.0), "a spring of its length");
    let rope = Joint::rope(world, world, 2.0).with_limits(0.5, 1.0);
    assert_eq!(rope.kind, JointKind::Distance { min: 0.5, max: 1.0 }, "limits of a distance");
}

#[test]
fn an_end_may_be_the_world() {
    let mut app = app();
    let lamp = |x: f32| (RigidBody::Dynamic, Collider::sphere(0.2), at(x, 0.0, 0.0));
    let hook = spawn(&mut app, (RigidBody::Static, Collider::sphere(0.1)));
    let [one, two, three] = [1.0, 1.0, 5.0].map(|x| spawn(&mut app, lamp(x)));
    spawn(&mut app, Joint::ball(hook, one).with_anchors(Vec3::ZERO, Vec3::NEG_X));
    spawn(&mut app, Joint::ball(None, two).with_anchors(Vec3::ZERO, Vec3::NEG_X));
    spawn(&mut app, Joint::ball(three, None).with_anchor(Vec3::X * 4.0));
    // They hang in the same place.
    let alone = CollisionLayers::new(LayerMask::NONE, LayerMask::NONE);
    for lamp in [one, two, three] {
        app.world_mut().entity_mut(lamp).insert(alone);
    }
    run(&mut app, 40);
    assert!(position(&app, one).y < -0.1, "they swing");
    assert_near(position(&app, two), position(&app, one), 1e-4);
    assert_near(position(&app, three) - Vec3::X * 4.0, position(&app, one), 1e-4);
}

/// Two bodies somewhere, and their poses.
fn two_bodies(app: &mut App) -> [(Entity, Vec3, Quat); 2] {
    let mut rng = Rng::new(3);
    [Vec3::ZERO, Vec3::new(0.3, 1.5, -0.4)].map(|place| {
        let turn = rng.rotation();
        let place = Transform::from_translation(single3(place)).with_rotation(single_quat(turn));
        let body = (RigidBody::Dynamic, cube(), place, AngularVelocity(rng.vector(-1.0, 1.0)));
        let exact = orthant::math::from_single_quat(place.rotation);
        (spawn(app, body), from_single3(place.translation), exact)
    })
}

#[test]
fn frames_in_the_world_equal_local_ones() {
    let (point, axis) = (Vec3::new(0.2, 0.8, -0.1), Vec3::new(1.0, 2.0, -0.5));
    let mut app = [app(), app()];
    let [world, local] = &mut app;
    let ends = two_bodies(world);
    let made = Joint::revolute(ends[0].0, ends[1].0).with_anchor(point).with_axis(axis);
    assert!(made.is_in_world(), "until the bodies are there");
    let made = spawn(world, made);
    let ends = two_bodies(local);
    let [frame_a, frame_b] = ends.map(|(_, position, rotation)| {
        let inverse = quat_conjugate(rotation);
        let turn = Vec3::X.cross(axis).normalize() * Vec3::X.angle_between(axis);
        let basis = quat_mul(inverse, quat_exp(turn));
        JointFrame::local(quat_rotate(inverse, point - position), basis)
    });
    spawn(local, Joint::revolute(ends[0].0, ends[1].0).with_frames(frame_a, frame_b));
    for (app, (end, ..)) in [(&mut *world, ends[0]), (&mut *local, ends[0])] {
        run(app, 1);
        assert!(body(app, end).is_some(), "the same entities in both");
    }
    let held = component(world, made);
    assert!(!held.is_in_world(), "taken over by the bodies: {held:?}");
    for (held, made) in [(held.frame_a, frame_a), (held.frame_b, frame_b)] {
        let (JointAnchor::Local(held), JointAnchor::Local(made)) = (held.anchor, made.anchor)
        else {
            panic!("{held:?}")
        };
        assert_near(held, made, 1e-6);
    }
    run(world, 60);
    run(local, 60);
    for (entity, from, _) in ends {
        assert!((position(local, entity) - from).length() > 1.0, "they fall");
        assert_near(position(world, entity), position(local, entity), 1e-3);
    }
    run(world, 1);
    let same = component(world, made);
    assert_eq!(same, held, "and stay as they were then");
}

#[test]
fn frames_in_the_world_wait_for_both_ends() {
    let mut app = app();
    without_gravity(&mut app);
    let a = floating(&mut app, at(0.0, 0.0, 0.0));
    let b = spawn(&mut app, at(0.0, 3.0, 0.0));
    let made = spawn(&mut app, Joint::ball(a, b).with_anchor(Vec3::new(1.0, 1.0, 0.0)));
    run(&mut app, 2);
    assert!(component(&app, made).is_in_world() && link(&app, made).is_none(), "it waits");
    app.world_mut().get_mut::<Transform>(a).expect("alive").translation.x = 1.0;
    app.world_mut().entity_mut(b).insert((RigidBody::Dynamic, cube()));
    run(&mut app, 1);
    let held = component(&app, made);
    assert_eq!(held.frame_a.anchor, JointAnchor::Local(Vec3::Y), "from where a is now");
    assert_eq!(held.frame_b.anchor, JointAnchor::Local(Vec3::new(1.0, -2.0, 0.0)), "and b");
}

#[test]
fn a_fixed_joint_holds_bodies_as_they_are() {
    let mut app = app();
    let [(a, ..), (b, from, turn)] = two_bodies(&mut app);
    app.world_mut().entity_mut(a).insert(RigidBody::Static);
    spawn(&mut app, Joint::fixed(a, b).with_frame(Vec3::ZERO, Quat::IDENTITY));
    run(&mut app, 100);
    assert_near(position(&app, b), from, 1e-3);
    let now = body(&app, b).expect("alive").rotation();
    let off = orthant::math::quat_log(quat_mul(now, quat_conjugate(turn))).length();
    assert!(off < 2e-3, "it turned by {off}");
}

#[test]
fn a_motor_is_tuned_while_it_runs() {
    let mut app = app();
    let wheel = floating(&mut app, at(2.0, 1.0, 0.0));
    let made = Joint::revolute(None, wheel).with_anchor(Vec3::new(2.0, 1.0, 0.0));
    let made = made.with_axis(Vec3::Z).with_motor(Motor::velocity(0.0, 100.0));
    let reads = (JointPosition::default(), JointVelocity::default());
    let made = spawn(&mut app, (made, reads));
    run(&mut app, 1);
    let id = link(&app, made);
    let mut angle = 0.0;
    for step in 1..=60_u8 {
        let speed = 0.1 * Real::from(step);
        edit(&mut app, made, |joint| {
            *joint.motor_mut() = Some(Motor::velocity(speed, 100.0));
        });
        run(&mut app, 1);
        angle += speed / 64.0;
        assert_near(spin(&app, wheel), Vec3::Z * speed, 1e-3);
        assert_near(read::<JointVelocity>(&app, made).angular, Vec3::X * speed, 2e-3);
    }
    assert_eq!(link(&app, made), id, "the same joint");
    assert_near(read::<JointPosition>(&app, made).angular, Vec3::X * angle, 1e-2);
    assert_near(position(&app, wheel), Vec3::new(2.0, 1.0, 0.0), 1e-3);
    edit(&mut app, made, |joint| *joint.motor_mut() = Some(Motor::velocity(0.0, 100.0)));
    run(&mut app, 2);
    assert_near(spin(&app, wheel), Vec3::ZERO, 1e-3);
}

#[test]
fn friction_and_springs_of_a_ball_joint_act_on_every_angle() {
    let mut app = app();
    let spin = AngularVelocity(Vec3::new(1.0, -2.0, 1.5));
    let one = floating(&mut app, at(0.0, 0.0, 0.0));
    app.world_mut().entity_mut(one).insert(spin);
    // Of a cube of 1 kg and 1 m the inertia is 1/6 kg m²: 0.5 N m take 3 rad/s a second.
    spawn(&mut app, Joint::ball(None, one).with_friction(0.5));
    run(&mut app, 32);
    let half = body(&app, one).expect("alive").angular_velocity;
    assert!(half.length() > 0.3 && half.length() < 1.5, "not at once: {half}");
    run(&mut app, 32);
    assert_near(body(&app, one).expect("alive").angular_velocity, Vec3::ZERO, 1e-3);
    let turned = at(9.0, 0.0, 0.0).with_rotation(single_quat(quat_exp(spin.0)));
    let two = floating(&mut app, turned);
    spawn(
        &mut app,
        Joint::ball(None, two).with_anchors(Vec3::X * 9.0, Vec3::ZERO).with_spring(9.0, 3.0),
    );
    run(&mut app, 400);
    let off = orthant::math::quat_log(body(&app, two).expect("alive").rotation());
    assert_near(off, Vec3::ZERO, 1e-2);
}

/// A chain of three that swings, whose joints a deed changes before each step.
fn swing(deed: impl Fn(&mut Joint)) -> [Vec3; 3] {
    let mut app = app();
    let mut joints = Vec::new();
    let mut above = None;
    let links = [1.0, 2.0, 3.0].map(|x: f32| {
        let link = (RigidBody::Dynamic, Collider::sphere(0.2), at(x, 0.0, 0.0), SleepingDisabled);
        let link = spawn(&mut app, link);
        let at = from_single3(bevy_math::Vec3::X * (x - 1.0));
        joints.push(spawn(&mut app, Joint::ball(above, link).with_anchor(at)));
        above = Some(link);
        link
    });
    for _ in 0..40 {
        run(&mut app, 1);
        for &joint in &joints {
            edit(&mut app, joint, &deed);
        }
    }
    links.map(|link| position(&app, link))
}

#[test]
fn a_changed_joint_goes_on_from_its_impulses() {
    let plain = swing(|_| {});
    assert!(plain[2].y < -0.3, "it swings: {plain:?}");
    // A strength that is never reached changes the joint, not the motion: to the last bit, so that
    // the solver started where it had ended.
    let grow = |joint: &mut Joint| {
        joint.break_force = Some(joint.break_force.map_or(1e9, |force| 1.5 * force));
    };
    assert_eq!(swing(grow), plain, "changed in every step");
    assert_eq!(swing(|joint| *joint = joint.with_collision(false)), plain, "set to the same");
}

#[test]
fn a_joint_is_disabled_and_enabled() {
    let mut app = app();
    let lamp = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.0, 0.0)));
    let made = (Joint::ball(None, lamp).with_anchor(Vec3::Y), JointDisabled);
    let made = spawn(&mut app, (made, JointForces::default()));
    run(&mut app, 10);
    let fallen = position(&app, lamp).y;
    assert!(fallen < -0.05, "it begins disabled: {fallen}");
    assert!(!joint(&app, made).is_enabled(), "and is there nevertheless");
    assert!(!component(&app, made).is_in_world(), "it took its frames over");
    let mut lamp_at = app.world_mut().get_mut::<Transform>(lamp).expect("alive");
    *lamp_at = Transform::IDENTITY;
    app.world_mut().get_mut::<LinearVelocity>(lamp).expect("alive").0 = Vec3::ZERO;
    app.world_mut().entity_mut(made).remove::<JointDisabled>();
    run(&mut app, 10);
    assert_near(position(&app, lamp), Vec3::ZERO, 1e-3);
    assert!(read::<JointForces>(&app, made).force.y > 1.0, "it carries");
    let id = link(&app, made);
    app.world_mut().entity_mut(made).insert(JointDisabled);
    run(&mut app, 10);
    assert!(position(&app, lamp).y < -0.05, "it falls again");
    assert_eq!(read::<JointForces>(&app, made), JointForces::default(), "nothing carries");
    assert_eq!(link(&app, made), id, "the same joint all the time");
}

#[test]
fn forces_are_those_of_statics() {
    let mut app = app();
    let lamp = spawn(&mut app, (RigidBody::Dynamic, cube(), Mass(2.0), SleepingDisabled));
    // The anchor is beside the center: the joint carries the moment.
    let made = Joint::fixed(None, lamp).with_frame(Vec3::X, quat_exp(Vec3::Y));
    let made = spawn(&mut app, (made, JointForces::default()));
    run(&mut app, 20);
    let forces: JointForces = read(&app, made);
    assert_near(forces.force, Vec3::Y * 2.0 * 9.81, 1e-2);
    assert_near(forces.torque, Vec3::NEG_X.cross(Vec3::Y) * 2.0 * 9.81, 1e-2);
}

#[test]
fn what_is_read_is_written_only_when_it_changed() {
    #[derive(Resource, Default)]
    struct Writes(u32);
    fn count(changed: Query<(), Changed<JointForces>>, mut writes: ResMut<Writes>) {
        writes.0 += changed.iter().map(|()| 1).sum::<u32>();
    }
    let mut app = app();
    app.init_resource::<Writes>().add_systems(Last, count);
    let lamp = spawn(&mut app, (RigidBody::Dynamic, cube()));
    let made = (Joint::ball(None, lamp).with_anchor(Vec3::Y), JointForces::default());
    let made = spawn(&mut app, made);
    run(&mut app, 200);
    assert!(app.world().get::<Sleeping>(lamp).is_some(), "it hangs at rest");
    let before = app.world().resource::<Writes>().0;
    assert!(
        before > 0 && read::<JointForces>(&app, made).force.y > 1.0,
        "it was written: {before}"
    );
    run(&mut app, 20);
    assert_eq!(app.world().resource::<Writes>().0, before, "at rest nothing is written");
}

/// What broke, as messages and as entity events.
#[derive(Resource, Default)]
struct Broken {
    messages: Vec<JointBroken>,
    events: Vec<JointBroken>,
}

fn watch(app: &mut App) {
    app.init_resource::<Broken>();
    app.add_systems(Last, |mut reader: MessageReader<JointBroken>, mut broken: ResMut<Broken>| {
        broken.messages.extend(reader.read());
    });
}

#[test]
fn a_joint_breaks_and_is_mended() {
    let mut app = app();
    watch(&mut app);
    let lamp = spawn(&mut app, (RigidBody::Dynamic, cube(), Mass(2.0), SleepingDisabled));
    let strong = Joint::ball(None, lamp).with_anchor(Vec3::Y).with_break_force(30.0);
    let made = spawn(&mut app, strong);
    app.world_mut().entity_mut(made).observe(
        |on: On<JointBroken>, off: Query<Has<JointDisabled>>, mut broken: ResMut<Broken>| {
            assert!(off.get(on.joint).expect("alive"), "disabled by now");
            broken.events.push(*on.event());
        },
    );
    run(&mut app, 30);
    assert!(app.world().resource::<Broken>().messages.is_empty(), "it carries 20 N");
    app.world_mut().entity_mut(lamp).insert(ConstantForce(Vec3::Y * -20.0));
    run(&mut app, 20);
    let Broken { messages, events } = app.world().resource::<Broken>();
    assert_eq!(messages, events, "told both ways");
    let [broken] = messages[..] else { panic!("it breaks once: {messages:?}") };
    assert_eq!((broken.joint, broken.a, broken.b), (made, None, Some(lamp)));
    assert_near(broken.force, Vec3::Y * (2.0 * 9.81 + 20.0), 1.0);
    assert!(app.world().get::<JointDisabled>(made).is_some(), "it is marked");
    assert!(position(&app, lamp).y < -0.3, "it falls: {}", position(&app, lamp));
    let mut entity = app.world_mut().entity_mut(made);
    entity.remove::<JointDisabled>();
    entity.get_mut::<Joint>().expect("alive").break_force = None;
    run(&mut app, 200);
    assert_near(position(&app, lamp), Vec3::ZERO, 1e-2);
    assert_eq!(app.world().resource::<Broken>().messages.len(), 1, "it holds");
}

#[test]
fn a_joint_breaks_under_torque() {
    let mut app = app();
    watch(&mut app);
    let lamp = spawn(&mut app, (RigidBody::Dynamic, cube(), Mass(2.0)));
    let made = Joint::fixed(None, lamp).with_frame(Vec3::X, Quat::IDENTITY);
    let [weak, strong] = [15.0, 25.0].map(|torque| made.with_break_torque(torque));
    let strong = spawn(&mut app, strong);
    run(&mut app, 30);
    assert!(app.world().resource::<Broken>().messages.is_empty(), "it carries 20 N m");
    app.world_mut().entity_mut(strong).insert(weak);
    run(&mut app, 2);
    assert_eq!(app.world().resource::<Broken>().messages.len(), 1, "it does not carry 15 N m more");
}

#[test]
fn who_hears_of_a_broken_joint_may_despawn_it() {
    let mut app = app();
    watch(&mut app);
    app.add_observer(|on: On<JointBroken>, mut commands: Commands| {
        commands.entity(on.joint).despawn();
        commands.entity(on.b.expect("a lamp")).despawn();
    });
    for x in [0.0, 3.0, 6.0] {
        let lamp = spawn(&mut app, (RigidBody::Dynamic, cube(), at(x, 0.0, 0.0)));
        let anchors = [Vec3::Y, Vec3::Y + position(&app, lamp)];
        let weak = Joint::ball(None, lamp).with_anchors(anchors[1], anchors[0]);
        spawn(&mut app, weak.with_break_force(0.5));
    }
    run(&mut app, 5);
    let messages = &app.world().resource::<Broken>().messages;
    assert_eq!(messages.len(), 3, "all broke");
    assert!(messages.is_sorted_by_key(|broken| broken.joint.index()), "in the order of their ids");
    assert_eq!((bodies(&app), physics(&app).engine().joints().count()), (0, 0), "all is gone");
}
