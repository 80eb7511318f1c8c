//! The order of systems is given, and results do not depend on chance.

use super::*;
use bevy_ecs::schedule::{LogLevel, ScheduleBuildSettings};
use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::Collider as EngineCollider;
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;

/// Poses and velocities of all bodies, in the order of their ids.
fn fingerprint(world: &Simulation) -> Vec<[Vec3; 4]> {
    let of = |body: &Body| {
        let q = body.rotation();
        let axis = Vec3::new(q.x, q.y, q.z);
        [body.center(), axis, body.linear_velocity, body.angular_velocity]
    };
    world.bodies().iter().map(of).collect()
}

fn heap_positions() -> impl Iterator<Item = (usize, [f32; 3])> {
    let mut rng = Rng::new(7);
    let mut next = move || (rng.below(1000) as f32) / 1000.0;
    (0..12).map(move |i| (i, [next() * 0.6, 0.8 + 1.1 * i as f32, next() * 0.6]))
}

/// Four heaps far from each other, so that there is work for threads.
fn heaps() -> impl Iterator<Item = (usize, [f32; 3])> {
    let one =
        |k: u8| heap_positions().map(move |(i, [x, y, z])| (i, [x + 9.0 * f32::from(k), y, z]));
    (0..4).flat_map(one)
}

/// An app, and the engine alone, which get the same calls.
struct Both {
    app: App,
    world: Simulation,
}

impl Both {
    /// A body for both. The plugin names bodies and colliders by their entities.
    fn add(
        &mut self,
        bundle: impl Bundle,
        desc: BodyDesc,
        mut collider: EngineCollider,
    ) -> (Entity, BodyId) {
        let entity = spawn(&mut self.app, bundle);
        let single = self.app.world().get::<Transform>(entity).map(|place| place.translation);
        let position = single.map_or(Vec3::ZERO, from_single3);
        collider.tag = entity.to_bits();
        let (tag, colliders) = (collider.tag, vec![collider]);
        let desc = BodyDesc { position, tag, colliders, ..desc };
        (entity, self.world.add_body(desc).expect("a sound body"))
    }

    fn add_dynamic(
        &mut self,
        collider: Collider,
        shape: Shape,
        place: Transform,
    ) -> (Entity, BodyId) {
        let bundle = (RigidBody::Dynamic, collider, place);
        self.add(bundle, BodyDesc::default(), EngineCollider::new(shape))
    }

    /// A floor, heaps of boxes with a hull above each, a sensor in the first, a lift below the second.
    fn add_heaps(&mut self) -> Vec<(Entity, BodyId)> {
        let fixed = BodyDesc { kind: BodyKind::Static, ..BodyDesc::default() };
        let plane = EngineCollider::new(Shape::half_space(Vec3::Y).expect("a direction"));
        let floor = (RigidBody::Static, Collider::half_space(Vec3::Y));
        self.add(floor, fixed.clone(), plane);
        let mut boxes = Vec::new();
        for (i, [x, y, z]) in heaps() {
            let length = 0.6 + 0.05 * i as Real;
            let shape = Shape::cuboid(length, 0.7, 0.8).expect("positive lengths");
            let collider = Collider::cuboid(length, 0.7, 0.8);
            boxes.push(self.add_dynamic(collider, shape, at(x, y, z)));
        }
        let mut rng = Rng::new(5);
        for k in 0..4_u8 {
            let points: Vec<Vec3> = (0..12).map(|_| rng.vector(-0.5, 0.5)).collect();
            let shape = Shape::convex_hull(&points).expect("random points span a hull");
            let collider = Collider::convex_hull(&points).expect("random points span a hull");
            self.add_dynamic(collider, shape, at(9.0 * f32::from(k) + 0.3, 15.0, 0.3));
        }
        let ball = Shape::sphere(1.8).expect("a positive radius");
        let eye = EngineCollider { sensor: true, ..EngineCollider::new(ball) };
        self.add((RigidBody::Static, Sensor, Collider::sphere(1.8)), fixed, eye);
        let speed = Vec3::Y * 0.25;
        let lift = (RigidBody::Kinematic, Collider::cuboid(3.0, 0.2, 3.0), LinearVelocity(speed));
        let kind = BodyKind::Kinematic;
        let desc = BodyDesc { kind, linear_velocity: speed, ..BodyDesc::default() };
        let plate = Shape::cuboid(3.0, 0.2, 3.0).expect("positive lengths");
        self.add((lift, at(9.0, -0.2, 0.0)), desc, EngineCollider::new(plate));
        boxes
    }

    /// A chain that hangs from the world, with a motor in its second joint.
    fn add_chain(&mut self) {
        let mut last: Option<(Entity, BodyId)> = None;
        for i in 0..5_u8 {
            let shape = Shape::cuboid(0.5, 0.1, 0.1).expect("positive lengths");
            let place = at(-9.7 + 0.6 * f32::from(i), 6.0, 0.0);
            let link = self.add_dynamic(Collider::cuboid(0.5, 0.1, 0.1), shape, place);
            let hung = if last.is_some() { Vec3::X * 0.3 } else { Vec3::new(-10.0, 6.0, 0.0) };
            let (end, motor) = (Vec3::X * -0.3, Motor::velocity(2.0, 0.5));
            let before = last.map(|(entity, _)| entity);
            let joint = if i == 1 {
                Joint::hinge(before, link.0).with_motor(motor)
            } else {
                Joint::ball(before, link.0)
            };
            spawn(&mut self.app, joint.with_anchors(hung, end));
            let kind = if i == 1 { JointKind::Revolute } else { JointKind::Spherical };
            let mut desc = JointDesc::new(kind, [last.map(|(_, id)| id), Some(link.1)]);
            desc.motors[JointAxis::AngularX.index()] = (i == 1).then_some(motor);
            self.world.add_joint(desc.with_anchors(hung, end)).expect("a sound joint");
            last = Some(link);
        }
    }

    fn remove(&mut self, (entity, id): (Entity, BodyId)) {
        self.app.world_mut().despawn(entity);
        assert!(self.world.remove_body(id), "it was there");
    }
}

#[test]
fn plugin_and_engine_agree_bit_by_bit() {
    let mut both = Both { app: app(), world: Simulation::new() };
    let boxes = both.add_heaps();
    both.add_chain();
    let settings = Settings { sleep: SleepConfig::default().0, ..Settings::default() };
    let (mut most, mut starts, mut seen) = (0, 0, 0);
    for step in 0..200 {
        if [40, 70, 100].contains(&step) {
            // One goes from the ground of a heap, and one comes.
            both.remove(boxes[step / 10]);
            let shape = Shape::sphere(0.4).expect("a positive radius");
            both.add_dynamic(Collider::sphere(0.4), shape, at(0.2, 9.0, 0.1));
        }
        let Both { app, world } = &mut both;
        app.update();
        world.step(&settings, 1.0 / 64.0);
        most = most.max(report(app).contacts);
        let engine = physics(app).engine();
        starts += engine.touches().started().count();
        seen += engine.touches().started().filter(|touch| touch.sensor).count();
        assert_eq!(fingerprint(engine), fingerprint(world), "step {step}");
        // Contacts, touches, joints and who sleeps, with the names of entities.
        let [(bits, one), (other, two)] = [engine, &*world].map(support::moving::told);
        assert!(bits == other && one == two, "step {step}: what is told: {one}\n{two}");
        assert_eq!(**report(app), *world.report(), "step {step}: with the same certificate");
    }
    let report = report(&both.app);
    assert!(most > 10 && starts > 48 && seen > 4, "no empty world: {starts}, {seen}, {report}");
    assert!(report.sleeping > 0 && report.joints == 5, "some of it sleeps: {report}");
}

/// Markers that put bodies into different archetypes.
#[derive(Component, Clone, Copy)]
struct Odd;
#[derive(Component, Clone, Copy)]
struct Third;

fn heap(markers: impl Fn(usize) -> (bool, bool)) -> Vec<[Vec3; 4]> {
    let mut app = app();
    floor(&mut app);
    for (i, [x, y, z]) in heap_positions() {
        let entity = spawn(&mut app, (RigidBody::Dynamic, cube(), at(x, y, z)));
        let (odd, third) = markers(i);
        let mut entity = app.world_mut().entity_mut(entity);
        if odd {
            entity.insert((Odd, Friction::default()));
        }
        if third {
            entity.insert((Third, GravityScale(1.0)));
        }
    }
    run(&mut app, 100);
    fingerprint(physics(&app).engine())
}

#[test]
fn archetypes_do_not_matter() {
    let plain = heap(|_| (false, false));
    assert_eq!(plain, heap(|_| (false, false)), "two runs");
    assert_eq!(plain, heap(|i| (i % 2 == 0, i % 3 == 0)), "spread over archetypes");
    assert_eq!(plain, heap(|i| (i > 6, i < 3)), "and otherwise");
}

#[test]
fn ids_follow_the_commands() {
    let mut app = app();
    let late = spawn(&mut app, Odd);
    let first = spawn(&mut app, (RigidBody::Dynamic, cube(), Odd));
    let second = spawn(&mut app, (RigidBody::Dynamic, cube()));
    app.world_mut().entity_mut(late).insert((RigidBody::Dynamic, cube()));
    run(&mut app, 1);
    let ids = [first, second, late].map(|e| body(&app, e).expect("alive").id());
    assert!(ids.is_sorted(), "{ids:?}");
    for (id, entity) in ids.into_iter().zip([first, second, late]) {
        assert_eq!(physics(&app).entity(id), Some(entity), "and back");
    }
}

#[test]
fn the_order_of_our_systems_is_given() {
    let mut app = app();
    let settings = ScheduleBuildSettings {
        ambiguity_detection: LogLevel::Error,
        ..ScheduleBuildSettings::new()
    };
    app.edit_schedule(FixedPostUpdate, |schedule| {
        schedule.set_build_settings(settings.clone());
    });
    for outer in [true, false] {
        let world = app.world_mut();
        let build = |world: &mut World, schedule: &mut Schedule| {
            schedule.initialize(world).map(|_| ()).map_err(|error| format!("{error:?}"))
        };
        let result = if outer {
            world.schedule_scope(FixedPostUpdate, build)
        } else {
            world.schedule_scope(PhysicsSchedule, build)
        };
        assert_eq!(result, Ok(()), "no ambiguity");
    }
}

/// Heaps, a chain and a lift, played on schedules that `change` made others, and all that the engine and the
/// messages of collisions tell of every step. With `names` the entities have others.
fn played(change: impl Fn(&mut App), names: Option<u64>) -> Vec<(u64, String)> {
    let mut app = app();
    change(&mut app);
    // Entities that are there before they are bodies, taken in a random order.
    let mut free: Vec<Entity> = (0..48).map(|_| spawn(&mut app, ())).collect();
    let mut rng = Rng::new(names.unwrap_or_default());
    floor(&mut app);
    let mut entities = Vec::new();
    for (_, [x, y, z]) in heaps() {
        let body = (RigidBody::Dynamic, cube(), CollidingEntities::default(), at(x, y, z));
        let k = if names.is_some() { rng.below(free.len()) } else { 0 };
        let entity = free.remove(k);
        app.world_mut().entity_mut(entity).insert((body, CollisionEventsEnabled));
        entities.push(entity);
    }
    let ordered = entities.is_sorted_by_key(|entity| entity.index_u32());
    assert_eq!(ordered, names.is_none(), "names are given out in order, or not");
    for pair in entities[40..].windows(2) {
        spawn(&mut app, Joint::rope(pair[0], pair[1], 1.3));
    }
    let lift = (RigidBody::Kinematic, Collider::cuboid(9.0, 0.2, 9.0), LinearVelocity(Vec3::Y));
    entities.push(spawn(&mut app, (lift, at(9.0, -0.2, 0.0))));
    let mut known = entities.clone();
    let mut steps = Vec::new();
    for step in 0..90 {
        if step % 20 == 19 {
            // Bodies go and come.
            let gone = entities.remove(step / 3);
            app.world_mut().despawn(gone);
            let come = (RigidBody::Dynamic, Collider::sphere(0.4), at(0.0, 9.0, 0.0));
            entities.push(spawn(&mut app, come));
            known.extend(entities.last());
        }
        run(&mut app, 1);
        let (bits, told) = support::moving::told(physics(&app).engine());
        steps.push((bits, format!("{told} {:?}", collisions(&mut app, &known))));
    }
    steps
}

/// What is told of the steps without the names that entities lend.
fn nameless(steps: Vec<(u64, String)>) -> Vec<(u64, String)> {
    let cut = |part: &str| part.split_once(']').map_or("", |(_, rest)| rest).to_owned();
    let strip = |told: String| {
        let mut parts = told.split("tags: [");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |text, part| text + &cut(part))
    };
    steps.into_iter().map(|(bits, told)| (bits, strip(told))).collect()
}

/// Systems without an order between them run in any, one after the other or at the same time: with the
/// lab's feature `shuffle` in another for each seed, always among others that look on.
#[test]
fn shuffled_schedules_and_names_give_the_same_bits() {
    use bevy_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};
    let plain = played(|_| {}, None);
    assert!(plain.iter().any(|(_, told)| told.contains("TouchKey")), "something touches");
    let messages =
        ["start [", "end ["].map(|kind| plain.iter().map(|s| s.1.matches(kind).count()).sum());
    let [starts, ends]: [usize; 2] = messages;
    assert!(starts > 60 && ends > 5, "and is told: {starts} starts, {ends} ends");
    for seed in 0..4 {
        let scramble = |app: &mut App| {
            let mut rng = Rng::new(seed);
            for _ in 0..rng.below(20) {
                app.add_systems(PhysicsSchedule, |_: Res<Gravity>| {});
                app.add_systems(FixedPostUpdate, |_: Res<Gravity>| {});
            }
            let change = |schedule: &mut Schedule| {
                if let Some(settings) = orthant_lab::headless::shuffled(seed) {
                    schedule.set_build_settings(settings);
                }
                if seed % 2 == 0 {
                    schedule.set_executor(MultiThreadedExecutor::new());
                } else {
                    schedule.set_executor(SingleThreadedExecutor::new());
                }
            };
            app.edit_schedule(PhysicsSchedule, change);
            app.edit_schedule(FixedPostUpdate, change);
        };
        assert!(played(scramble, None) == plain, "schedules of seed {seed}");
        let other = played(|_| {}, Some(seed));
        assert!(nameless(other) == nameless(plain.clone()), "names of seed {seed}");
    }
}

/// Heaps that fall apart and are taken away one after the other: every message of a collision, in order, with
/// the update that told it.
fn messages(change: impl Fn(&mut Schedule) + Copy) -> Vec<String> {
    let mut app = app();
    app.edit_schedule(PhysicsSchedule, change);
    app.edit_schedule(FixedPostUpdate, change);
    app.edit_schedule(RunFixedMainLoop, change);
    floor(&mut app);
    let mut rng = Rng::new(3);
    let mut of = |(_, [x, y, z]): (usize, [f32; 3])| {
        let speed = LinearVelocity(rng.vector(-2.0, 2.0));
        (RigidBody::Dynamic, cube(), CollisionEventsEnabled, speed, at(x, y, z))
    };
    let entities: Vec<Entity> = heaps().map(|place| spawn(&mut app, of(place))).collect();
    let mut list = Vec::new();
    for update in 0..159 {
        if update > 110 {
            app.world_mut().despawn(entities[update - 111]);
        }
        run(&mut app, 1);
        let world = app.world_mut();
        let starts: Vec<_> = world.resource_mut::<Messages<CollisionStart>>().drain().collect();
        let ends: Vec<_> = world.resource_mut::<Messages<CollisionEnd>>().drain().collect();
        list.extend(starts.iter().map(|start| format!("{update}: {start:?}")));
        list.extend(ends.iter().map(|end| format!("{update}: {end:?}")));
    }
    list
}

#[test]
fn collisions_are_told_in_the_same_order_by_any_executor() {
    use bevy_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};
    let single = messages(|schedule| _ = schedule.set_executor(SingleThreadedExecutor::new()));
    let multi = messages(|schedule| _ = schedule.set_executor(MultiThreadedExecutor::new()));
    let count = |kind: &str| single.iter().filter(|told| told.contains(kind)).count();
    let [starts, ends] = ["CollisionStart", "CollisionEnd"].map(count);
    assert!(starts > 60 && ends > 60, "{starts} starts, {ends} ends");
    let at_once =
        single.windows(2).filter(|two| two[0].split(':').next() == two[1].split(':').next());
    assert!(at_once.count() > 20, "several in an update, whose order counts");
    assert_eq!(single, multi, "the same messages in the same order");
}

#[test]
fn an_ambiguity_in_the_step_is_an_error() {
    let mut app = app();
    let nudge = |mut physics: ResMut<PhysicsWorld>| {
        let _ = &mut *physics;
    };
    app.add_systems(PhysicsSchedule, nudge);
    let result = app.world_mut().schedule_scope(PhysicsSchedule, |world, schedule| {
        schedule.initialize(world).map(|_| ()).is_err()
    });
    assert!(result, "a system without an order is refused");
}

#[derive(Resource, Default)]
struct Trace(Vec<(&'static str, u32)>);

#[test]
fn users_hook_between_the_stages() {
    use PhysicsStepSystems as Step;
    let mut app = app();
    floor(&mut app);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0)));
    app.init_resource::<Trace>();
    let look = |name| {
        move |physics: Res<PhysicsWorld>, mut trace: ResMut<Trace>| {
            trace.0.push((name, physics.engine().report().contacts));
        }
    };
    app.add_systems(PhysicsSchedule, look("before").in_set(Step::First));
    app.add_systems(PhysicsSchedule, look("found").after(Step::NarrowPhase).before(Step::Islands));
    app.add_systems(PhysicsSchedule, look("last").in_set(Step::Last));
    run(&mut app, 2);
    let trace = &app.world().resource::<Trace>().0;
    let names: Vec<_> = trace.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["before", "found", "last", "before", "found", "last"]);
    assert_eq!(trace[0].1, 0, "no contact before the first step");
    assert!(trace[1].1 > 0 && trace[2].1 == trace[1].1, "contacts after the narrow phase");
    assert_near(position(&app, cube), Vec3::Y * 0.5, 1e-4);
}

#[test]
fn despawning_between_stages_is_safe() {
    use PhysicsStepSystems as Step;
    let mut app = app();
    floor(&mut app);
    for (_, [x, y, z]) in heap_positions() {
        spawn(&mut app, (RigidBody::Dynamic, cube(), at(x, y * 0.7, z)));
    }
    let remove = |mut commands: Commands, bodies: Query<Entity, With<LinearVelocity>>| {
        if let Some(entity) = bodies.iter().last() {
            commands.entity(entity).despawn();
        }
    };
    app.add_systems(PhysicsSchedule, remove.after(Step::NarrowPhase).before(Step::Islands));
    run(&mut app, 8);
    let alive = app.world_mut().query::<&RigidBody>().iter(app.world()).count();
    assert_eq!(alive, 5, "13 bodies less 8");
    run(&mut app, 10);
    assert_eq!(bodies(&app), 0, "all removed");
}
