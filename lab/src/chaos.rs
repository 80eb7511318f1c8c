//! Random things that happen to an app: bodies come, change and go.

use std::collections::HashMap;

use bevy_app::prelude::*;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use orthant::math::{Quat, Vec3, single_quat, single3};
use orthant::plugin::*;

use crate::random::Rng;

/// What is to be found afterwards.
#[derive(Debug)]
pub struct Outcome {
    /// Collisions that began.
    pub starts: usize,
    /// Collisions that ended.
    pub ends: usize,
    /// Starts and ends out of place.
    pub wrong: Vec<String>,
    /// Steps in which something slept.
    pub slept: usize,
    /// Bodies, joints, pairs and touches left after all is despawned.
    pub left: [usize; 4],
}

/// Which pairs touch, by what was told.
#[derive(Resource, Default)]
struct Book {
    open: HashMap<[Entity; 2], bool>,
    starts: usize,
    ends: usize,
    slept: usize,
    wrong: Vec<String>,
}

impl Book {
    fn start(&mut self, one: Entity, two: Entity) {
        self.starts += 1;
        if self.open.insert([one, two], true) == Some(true) {
            self.wrong.push(format!("{one} and {two} start twice"));
        }
    }

    fn end(&mut self, one: Entity, two: Entity) {
        self.ends += 1;
        if self.open.insert([one, two], false) != Some(true) {
            self.wrong.push(format!("{one} and {two} end without a start"));
        }
    }
}

/// In the order in which they were told: within a step ends come first.
fn keep_book(
    mut book: ResMut<Book>,
    mut starts: MessageReader<CollisionStart>,
    mut ends: MessageReader<CollisionEnd>,
    physics: Res<PhysicsWorld>,
    bodies: Query<(Entity, &EngineBody, Has<Sleeping>)>,
) {
    book.slept += usize::from(physics.engine().report().sleeping > 0);
    for (entity, link, sleeps) in &bodies {
        let body = link.id().and_then(|id| physics.engine().body(id));
        if body.is_some_and(|body| body.is_sleeping() != sleeps) {
            book.wrong.push(format!("{entity} has the wrong marker"));
        }
    }
    ends.read().for_each(|end| book.end(end.collider1, end.collider2));
    starts.read().for_each(|start| book.start(start.collider1, start.collider2));
}

/// What there is to play with.
struct World<'a> {
    app: &'a mut App,
    rng: Rng,
    bodies: Vec<Entity>,
    joints: Vec<Entity>,
}

impl World<'_> {
    fn shape(&mut self) -> Collider {
        let mut size = || self.rng.range(0.3, 1.0);
        let (a, b, c) = (size(), size(), size());
        match self.rng.below(4) {
            0 => Collider::sphere(0.5 * a),
            1 => Collider::capsule(0.3 * a, b),
            2 => Collider::compound(vec![
                (Vec3::ZERO, Quat::IDENTITY, Collider::cuboid(a, b, c)),
                (Vec3::X * a, Quat::IDENTITY, Collider::sphere(0.4 * b)),
            ]),
            _ => Collider::cuboid(a, b, c),
        }
    }

    fn place(&mut self) -> Transform {
        let p = self.rng.vector(-2.0, 2.0);
        let q = self.rng.rotation();
        Transform {
            translation: single3(p + Vec3::Y * 2.5),
            rotation: single_quat(q),
            ..Transform::IDENTITY
        }
    }

    fn any(&mut self) -> Option<Entity> {
        let n = self.bodies.len();
        (n > 0).then(|| self.bodies[self.rng.below(n)])
    }

    fn spawn(&mut self) {
        let kind = match self.rng.below(6) {
            0 => RigidBody::Static,
            1 => RigidBody::Kinematic,
            _ => RigidBody::Dynamic,
        };
        let (shape, place) = (self.shape(), self.place());
        let entity = spawn(self.app, (kind, shape, place, CollisionEventsEnabled));
        self.app.world_mut().entity_mut(entity).insert(CollidingEntities::default());
        self.bodies.push(entity);
    }

    fn join(&mut self) {
        let (Some(a), Some(b)) = (self.any(), self.any()) else { return };
        let a = Some(a).filter(|&a| a != b);
        let joint = match self.rng.below(6) {
            0 => Joint::revolute(a, b).with_anchor(Vec3::Y).with_limits(-1.0, 1.0),
            1 => Joint::prismatic(b, a).with_anchor(Vec3::Y).with_axis(Vec3::Z).with_friction(1.0),
            2 => Joint::fixed(a, b).with_frame(Vec3::ZERO, Quat::IDENTITY).with_break_force(30.0),
            3 => Joint::rope(a, b, 3.0),
            _ => Joint::ball(a, b).with_anchors(Vec3::Y, -Vec3::Y),
        };
        let joint = spawn(self.app, (joint, JointForces::default(), JointPosition::default()));
        self.joints.push(joint);
    }

    /// Switches or tunes a joint.
    fn change_joint(&mut self) {
        let n = self.joints.len();
        let Some(&joint) = self.joints.get(self.rng.below(n.max(1))) else { return };
        let speed = self.rng.range(-2.0, 2.0);
        let what = self.rng.below(4);
        let mut entity = self.app.world_mut().entity_mut(joint);
        match what {
            0 => drop(entity.insert(JointDisabled)),
            1 => drop(entity.remove::<JointDisabled>()),
            _ => {
                let mut joint = entity.get_mut::<Joint>().expect("it is one");
                *joint.motor_mut() = Some(Motor::velocity(speed, 20.0));
            }
        }
    }

    /// One random thing.
    fn happen(&mut self) {
        let what = self.rng.below(16);
        if what == 0 || self.bodies.len() < 12 {
            return self.spawn();
        }
        if what == 1 {
            return self.join();
        }
        if what == 15 {
            return self.change_joint();
        }
        let Some(entity) = self.any() else { return };
        let (shape, place, other) = (self.shape(), self.place(), self.any());
        let scale = bevy_math::Vec3::splat(0.7 + 0.1 * self.rng.below(6) as f32);
        let mut entity = self.app.world_mut().entity_mut(entity);
        match what {
            2 => {
                let gone = entity.id();
                entity.despawn();
                let world = self.app.world();
                self.bodies.retain(|&body| body != gone && world.get_entity(body).is_ok());
            }
            3 => drop(entity.insert(place)),
            4 => drop(entity.insert(shape)),
            5 => drop(entity.insert(Disabled)),
            6 => drop(entity.remove::<Disabled>()),
            7 => drop(entity.insert(RigidBody::Kinematic)),
            8 => drop(entity.insert(RigidBody::Dynamic)),
            9 => {
                let this = entity.id();
                let cyclic = other.is_none_or(|other| is_below(self.app.world(), other, this));
                let mut entity = self.app.world_mut().entity_mut(this);
                match other {
                    Some(other) if !cyclic => drop(entity.insert(ChildOf(other))),
                    _ => drop(entity.remove::<ChildOf>()),
                }
            }
            10 => {
                let mut transform = entity.get_mut::<Transform>().expect("it has one");
                transform.scale = scale;
            }
            11 => drop(entity.insert(Sleeping)),
            12 => drop(entity.remove::<Sleeping>()),
            13 => {
                let gone = entity.take::<SleepingDisabled>().is_some();
                if let Some(other) = other.filter(|_| !gone) {
                    self.app.world_mut().entity_mut(other).insert(SleepingDisabled);
                }
            }
            _ => {
                if let Some(joint) = self.joints.pop() {
                    self.app.world_mut().despawn(joint);
                }
            }
        }
    }
}

/// Is `entity` the same as `above` or somewhere below it?
fn is_below(world: &bevy_ecs::world::World, entity: Entity, above: Entity) -> bool {
    let mut at = Some(entity);
    while let Some(entity) = at {
        if entity == above {
            return true;
        }
        at = world.get::<ChildOf>(entity).map(ChildOf::parent);
    }
    false
}

/// Lets things happen to an app that takes one step an update.
pub fn disorder(seed: u64, operations: usize) -> Outcome {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin));
    app.add_plugins(PhysicsPlugins::default());
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    // Soon asleep, so that much happens to sleepers.
    let mut sleep = SleepConfig::default();
    (sleep.linear, sleep.angular, sleep.time) = (0.5, 1.0, 0.05);
    app.insert_resource(sleep);
    app.init_resource::<Book>().add_systems(Last, keep_book);
    // The first update only starts the clock.
    app.update();
    let ground = spawn(&mut app, (RigidBody::Static, Collider::cuboid(8.0, 1.0, 8.0)));
    let mut world =
        World { app: &mut app, rng: Rng::new(seed), bodies: vec![ground], joints: vec![] };
    for _ in 0..operations {
        world.happen();
        if world.rng.below(2) == 0 {
            world.app.update();
        }
    }
    let World { joints, bodies, .. } = world;
    (0..2).for_each(|_| app.update());
    for entity in joints.into_iter().chain(bodies) {
        if app.world().get_entity(entity).is_ok() {
            app.world_mut().despawn(entity);
        }
    }
    (0..3).for_each(|_| app.update());
    let Book { starts, ends, wrong, slept, .. } =
        app.world_mut().remove_resource().unwrap_or_default();
    let engine = app.world().resource::<PhysicsWorld>().engine();
    let touches = engine.touches().all().len();
    let left = [engine.bodies().len(), engine.joints().len(), engine.pairs().len(), touches];
    Outcome { starts, ends, wrong, slept, left }
}

fn spawn(app: &mut App, bundle: impl Bundle) -> Entity {
    app.world_mut().spawn(bundle).id()
}
