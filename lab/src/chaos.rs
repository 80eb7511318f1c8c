//! Random things that happen to an app: bodies come, change and go.

use std::collections::{HashMap, HashSet};

use bevy_app::prelude::*;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_time::{Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use orthant::engine::lcp::Method;
use orthant::engine::report::StepStatus;
use orthant::engine::settings::RestitutionModel;
use orthant::math::{
    PI, Quat, Real, Vec3, from_single_quat, from_single3, quat_exp, single_quat, single3,
};
use orthant::plugin::*;

use crate::hostile::Bytes;

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
    /// Pairs that do not touch and whose start was told, and those that touch and have none, after the last
    /// step: what a step finds is told in the next one at the latest.
    behind: [HashSet<[Entity; 2]>; 2],
    starts: usize,
    ends: usize,
    slept: usize,
    wrong: Vec<String>,
}

impl Book {
    fn start(&mut self, one: Entity, two: Entity) {
        self.starts += 1;
        if self.open.insert(sorted(one, two), true) == Some(true) {
            self.wrong.push(format!("{one} and {two} start twice"));
        }
    }

    fn end(&mut self, one: Entity, two: Entity) {
        self.ends += 1;
        if self.open.insert(sorted(one, two), false) != Some(true) {
            self.wrong.push(format!("{one} and {two} end without a start"));
        }
    }

    /// Compares with what touches, of which some have someone who listens.
    fn compare(&mut self, touching: &HashMap<[Entity; 2], bool>) {
        let open = |pair: &[Entity; 2]| self.open.get(pair) == Some(&true);
        let told = self.open.iter().filter(|of| *of.1).map(|of| *of.0);
        let silent: HashSet<_> = told.filter(|pair| !touching.contains_key(pair)).collect();
        let heard = touching.iter().filter(|of| *of.1).map(|of| *of.0);
        let late: HashSet<_> = heard.filter(|pair| !open(pair)).collect();
        for (now, before, what) in
            [(&silent, &self.behind[0], "end"), (&late, &self.behind[1], "start")]
        {
            let missed = now.intersection(before).map(|[a, b]| format!("no {what} of {a} and {b}"));
            self.wrong.extend(missed);
        }
        self.behind = [silent, late];
    }
}

/// Two entities in an order of their own.
fn sorted(one: Entity, two: Entity) -> [Entity; 2] {
    if one < two { [one, two] } else { [two, one] }
}

/// In the order in which they were told: within a step ends come first.
fn keep_book(
    mut book: ResMut<Book>,
    mut starts: MessageReader<CollisionStart>,
    mut ends: MessageReader<CollisionEnd>,
    physics: Res<PhysicsWorld>,
    touching: Collisions,
    listeners: Query<(), (With<CollisionEventsEnabled>, Allow<Disabled>)>,
) {
    book.slept += usize::from(physics.engine().report().sleeping > 0);
    ends.read().for_each(|end| book.end(end.collider1, end.collider2));
    starts.read().for_each(|start| book.start(start.collider1, start.collider2));
    if physics.engine().report().status == StepStatus::Refused {
        return;
    }
    let touching = touching.iter().map(|pair| {
        let bodies = [pair.body1, pair.body2].into_iter().flatten();
        let heard = bodies.chain([pair.collider1, pair.collider2]).any(|e| listeners.contains(e));
        (sorted(pair.collider1, pair.collider2), heard)
    });
    book.compare(&touching.collect());
}

/// Has every body the marker that fits, after a step?
fn check_markers(
    mut book: ResMut<Book>,
    mut last: Local<u64>,
    physics: Res<PhysicsWorld>,
    bodies: Query<(Entity, &EngineBody, Has<Sleeping>)>,
) {
    let report = physics.engine().report();
    let before = core::mem::replace(&mut *last, report.step);
    if report.step == before || report.status == StepStatus::Refused {
        return;
    }
    for (entity, link, sleeps) in &bodies {
        let body = link.id().and_then(|id| physics.engine().body(id));
        if body.is_some_and(|body| body.is_sleeping() != sleeps) {
            book.wrong.push(format!("{entity} has the wrong marker"));
        }
    }
}

/// What there is to play with.
struct World<'a, 'b> {
    app: &'a mut App,
    bytes: Bytes<'b>,
    bodies: Vec<Entity>,
    joints: Vec<Entity>,
}

impl World<'_, '_> {
    fn shape(&mut self) -> Collider {
        let [a, b, c] = [0; 3].map(|_| self.bytes.between(0.3, 1.0));
        match self.bytes.below(8) {
            0 => Collider::sphere(0.5 * a),
            1 => Collider::capsule(0.3 * a, b),
            3 => Collider::cylinder(0.4 * a, b),
            4 => Collider::heightfield([vec![0.0, a], vec![b, c]], Vec3::ONE).expect("a field"),
            2 => Collider::compound(vec![
                (Vec3::ZERO, Quat::IDENTITY, Collider::cuboid(a, b, c)),
                (Vec3::X * a, Quat::IDENTITY, Collider::sphere(0.4 * b)),
            ]),
            _ => Collider::cuboid(a, b, c),
        }
    }

    fn place(&mut self) -> Transform {
        let mut vector =
            |size: Real| Vec3::from_array([0; 3].map(|_| self.bytes.between(-size, size)));
        let (p, q) = (vector(2.0), quat_exp(vector(PI)));
        Transform {
            translation: single3(p + Vec3::Y * 2.5),
            rotation: single_quat(q),
            ..Transform::IDENTITY
        }
    }

    fn any(&mut self) -> Option<Entity> {
        let n = self.bodies.len();
        (n > 0).then(|| self.bodies[self.bytes.below(n)])
    }

    fn spawn(&mut self) {
        let kind = match self.bytes.below(6) {
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
        let joint = match self.bytes.below(10) {
            0 => Joint::revolute(a, b).with_anchor(Vec3::Y).with_limits(-1.0, 1.0),
            1 => Joint::prismatic(b, a).with_anchor(Vec3::Y).with_axis(Vec3::Z).with_friction(1.0),
            2 => Joint::fixed(a, b).with_frame(Vec3::ZERO, Quat::IDENTITY).with_break_force(30.0),
            3 => Joint::rope(a, b, 3.0),
            4 => Joint::generic(a, b).with_axis_limits(JointAxis::LinearY, -0.5, 0.5),
            5 => Joint::cylindrical(b, a).with_motor(Motor::spring(0.5, 100.0, 5.0)),
            6 => Joint::universal(a, b).with_limits(-0.5, 0.5).with_collision(true),
            7 => Joint::planar(b, a).with_motor(Motor::velocity(1.0, 50.0)),
            _ => Joint::ball(a, b).with_anchors(Vec3::Y, -Vec3::Y),
        };
        let joint = spawn(self.app, (joint, JointForces::default(), JointPosition::default()));
        self.joints.push(joint);
    }

    /// Switches or tunes a joint.
    fn change_joint(&mut self) {
        let n = self.joints.len();
        let Some(&joint) = self.joints.get(self.bytes.below(n.max(1))) else { return };
        let speed = self.bytes.between(-2.0, 2.0);
        let what = self.bytes.below(4);
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

    /// What touches, and who hears of it, changes.
    fn switch(&mut self) {
        let Some(entity) = self.any() else { return };
        let (what, shape) = (self.bytes.below(12), self.shape());
        let world = self.app.world_mut();
        let mut entity = world.entity_mut(entity);
        match what {
            0 => drop(entity.remove::<CollisionEventsEnabled>()),
            1 | 2 => drop(entity.insert(CollisionEventsEnabled)),
            3 => drop(entity.insert(ColliderDisabled)),
            4 => drop(entity.remove::<ColliderDisabled>()),
            5 if entity.take::<Sensor>().is_none() => drop(entity.insert(Sensor)),
            6 => drop(entity.insert(CollisionLayers::from_bits(2, 2))),
            7 => drop(entity.remove::<CollisionLayers>()),
            8 => drop(entity.remove::<RigidBody>()),
            9 => drop(entity.remove::<Collider>()),
            10 => drop(entity.insert((Restitution::new(1.0), LinearVelocity(-9.0 * Vec3::Y)))),
            _ => {
                // A collider of the body, or one that has none.
                let body = entity.id();
                let shape = (shape, Transform::from_xyz(0.5, 0.0, 0.0), ChildOf(body));
                let child = world.spawn((shape, CollidingEntities::default())).id();
                self.bodies.push(child);
            }
        }
    }

    /// For an update or two time stands still, or steps are refused, and something happens meanwhile.
    fn hold(&mut self) {
        let refused = self.bytes.one_in(2);
        if refused {
            self.app.world_mut().resource_mut::<SolverConfig>().tolerance = -1.0;
        } else {
            self.app.world_mut().resource_mut::<Time<Physics>>().pause();
        }
        self.app.update();
        if self.bytes.one_in(2) {
            self.switch();
            self.app.update();
        }
        self.app.insert_resource(SolverConfig::default());
        self.app.world_mut().resource_mut::<Time<Physics>>().unpause();
    }

    /// One random thing.
    fn happen(&mut self) {
        let what = self.bytes.below(28);
        if what == 0 || self.bodies.len() < 12 {
            return self.spawn();
        }
        match what {
            1 => self.join(),
            14 => _ = self.joints.pop().map(|joint| self.app.world_mut().despawn(joint)),
            15 => self.change_joint(),
            16..=22 => self.switch(),
            23 => self.hold(),
            24..=26 => self.drive(),
            27 => self.tune(),
            _ => self.change(what),
        }
    }

    /// Something moves a body, or keeps it from moving.
    fn drive(&mut self) {
        let Some(entity) = self.any() else { return };
        let (what, axes, place) = (self.bytes.below(6), self.bytes.byte(), self.place());
        let velocity = Vec3::from_array([0; 3].map(|_| self.bytes.between(-8.0, 8.0)));
        let mut entity = self.app.world_mut().entity_mut(entity);
        match what {
            0 => drop(entity.insert(LinearVelocity(velocity))),
            1 => drop(entity.insert(AngularVelocity(velocity))),
            2 => drop(entity.insert(LockedAxes::from_bits(axes))),
            3 => drop(entity.insert((RigidBody::Kinematic, LinearVelocity(0.2 * velocity)))),
            4 => {
                let (p, q) = (from_single3(place.translation), from_single_quat(place.rotation));
                entity.insert((RigidBody::Kinematic, KinematicTarget::new(p, q)));
            }
            _ => drop(entity.insert((SweptCcd, LinearVelocity(10.0 * velocity)))),
        }
    }

    /// Other settings, which hold for what comes.
    fn tune(&mut self) {
        let methods = [Method::Auto, Method::Newton, Method::Substeps, Method::Pgs];
        let models = [RestitutionModel::Poisson, RestitutionModel::Sequence];
        let (method, model) = (methods[self.bytes.below(4)], models[self.bytes.below(2)]);
        let (sleeps, strength) = (!self.bytes.one_in(4), self.bytes.between(-15.0, 5.0));
        let world = self.app.world_mut();
        world.resource_mut::<SolverConfig>().method = method;
        world.resource_mut::<ContactConfig>().restitution = model;
        world.resource_mut::<SleepConfig>().enabled = sleeps;
        world.insert_resource(Gravity(Vec3::Y * strength));
    }

    /// Something happens to a body.
    fn change(&mut self, what: usize) {
        let (Some(entity), other) = (self.any(), self.any()) else { return };
        let (shape, place) = (self.shape(), self.place());
        let scale = bevy_math::Vec3::splat(0.7 + 0.1 * self.bytes.below(6) as f32);
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
            _ => {
                let gone = entity.take::<SleepingDisabled>().is_some();
                if let Some(other) = other.filter(|_| !gone) {
                    self.app.world_mut().entity_mut(other).insert(SleepingDisabled);
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

/// Lets what bytes say happen to an app that takes one step an update.
pub fn disorder(bytes: &[u8]) -> Outcome {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin));
    app.add_plugins(PhysicsPlugins::default());
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    // Soon asleep, so that much happens to sleepers.
    let mut sleep = SleepConfig::default();
    (sleep.linear, sleep.angular, sleep.time) = (0.5, 1.0, 0.05);
    app.insert_resource(sleep);
    app.init_resource::<Book>().add_systems(Last, check_markers);
    app.add_systems(PhysicsSchedule, keep_book.after(PhysicsStepSystems::Events));
    // The first update only starts the clock.
    app.update();
    let ground = spawn(&mut app, (RigidBody::Static, Collider::cuboid(8.0, 1.0, 8.0)));
    let bytes = Bytes::new(bytes);
    let mut world = World { app: &mut app, bytes, bodies: vec![ground], joints: vec![] };
    while !world.bytes.is_empty() {
        world.happen();
        if world.bytes.below(2) == 0 {
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
    let left = [engine.bodies().len(), engine.joints().count(), engine.pairs().len(), touches];
    Outcome { starts, ends, wrong, slept, left }
}

fn spawn(app: &mut App, bundle: impl Bundle) -> Entity {
    app.world_mut().spawn(bundle).id()
}
