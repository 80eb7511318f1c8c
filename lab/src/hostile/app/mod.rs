//! Apps in which bytes decide which components come, change and go, beside a heap that they must not touch.
//!
//! Whatever the bytes say: no update panics; where a body is, and the `Transform` that shows it, is finite
//! after every step; the heap is to the last bit where it is in an app without them; what is wrong is told
//! once an update, and not again while nothing changes; and all of it is gone when its entities are.

mod insert;

use std::collections::HashSet;
use std::time::Duration;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy, Virtual};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::math::Vec3;
use orthant::plugin::*;

use self::insert::{
    collider, coupling, insert, insert_other, joint, kind, layers, remove, transform,
};
use super::Bytes;
use super::world::{absurd_settings, check_touches, work_within};

/// Most updates in which something happens, and those after them in which nothing does.
const UPDATES: usize = 16;
const QUIET: usize = 6;
/// Length of a step at the start, that of Bevy.
const DT: Duration = Duration::from_micros(15_625);

/// What became of an app.
#[derive(Clone, Copy, Debug, Default)]
pub struct AppOutcome {
    /// Entities and joints that were made, motors that were coupled, and components of `insert_other`.
    pub made: [usize; 4],
    /// What was told to be wrong.
    pub told: usize,
    /// Bodies that were told to be frozen.
    pub frozen: usize,
    /// Steps that were taken and those that were refused.
    pub steps: [usize; 2],
}

/// An app that takes one step an update, with a heap in layers of its own: a floor, three boxes, a ball.
fn app() -> (App, Vec<Entity>) {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin));
    app.add_plugins(PhysicsPlugins::default());
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.world_mut().resource_mut::<Time<Virtual>>().set_max_delta(Duration::MAX);
    // The first update only starts the clock.
    app.update();
    let ours = CollisionLayers::from_bits(2, 2);
    let world = app.world_mut();
    let floor = Collider::half_space(Vec3::Y);
    let mut heap = vec![world.spawn((RigidBody::Static, floor.clone(), ours)).id()];
    world.spawn((RigidBody::Static, floor, CollisionLayers::from_bits(!2, !2)));
    for i in 0..4_u8 {
        let shape = if i == 3 { Collider::sphere(0.3) } else { Collider::cuboid(0.5, 0.5, 0.5) };
        let (x, y) = (0.1 * f32::from(i), 0.25 + 0.5 * f32::from(i));
        let body = (RigidBody::Dynamic, shape, Transform::from_xyz(x, y, 0.0), ours);
        heap.push(world.spawn(body).id());
    }
    (app, heap)
}

/// An app, the same without what the bytes make, and what they made.
struct Played {
    app: App,
    alone: App,
    heap: Vec<Entity>,
    entities: Vec<Entity>,
    joints: Vec<Entity>,
    /// Something reaches bodies that it does not touch: rays of wheels, explosions.
    reaches: bool,
    /// Settings are those of the start.
    ordinary: bool,
    step: u64,
    /// What is kept of both apps, if they go back and forth in time.
    travels: bool,
    copies: Option<[PhysicsCopy; 2]>,
    snapshots: Option<[PhysicsSnapshot; 2]>,
    outcome: AppOutcome,
}

impl Played {
    fn new() -> Self {
        let ((app, heap), (alone, _)) = (app(), app());
        let (entities, joints) = (vec![], vec![]);
        let (reaches, ordinary) = (false, true);
        let outcome = AppOutcome::default();
        let (copies, snapshots, travels) = (None, None, false);
        Self {
            app,
            alone,
            heap,
            entities,
            joints,
            reaches,
            ordinary,
            step: 0,
            travels,
            copies,
            snapshots,
            outcome,
        }
    }

    fn spawn(&mut self, bytes: &mut Bytes) {
        let body = (kind(bytes), collider(bytes), transform(bytes), layers(bytes));
        let speed = (LinearVelocity(bytes.vector(3.0)), AngularVelocity(bytes.vector(5.0)));
        let alone = bytes.one_in(8);
        let mut entity = self.app.world_mut().spawn(body);
        entity.insert(speed);
        if alone {
            entity.remove::<RigidBody>();
        }
        self.entities.push(entity.id());
        self.outcome.made[0] += 1;
    }

    /// Puts an entity below another, or takes it away from there.
    fn parent(&mut self, bytes: &mut Bytes, entity: Entity) {
        let parent = self.entities[bytes.below(self.entities.len())];
        let world = self.app.world_mut();
        let above =
            |entity| core::iter::successors(Some(entity), |&e| Some(world.get::<ChildOf>(e)?.0));
        let cyclic = above(parent).any(|e| e == entity);
        let mut entity = world.entity_mut(entity);
        if cyclic {
            entity.remove::<ChildOf>();
        } else {
            entity.insert(ChildOf(parent));
        }
    }

    fn change_joints(&mut self, bytes: &mut Bytes) {
        let joint = joint(bytes, &self.entities);
        let known = self.joints.get(bytes.below(self.joints.len() + 1)).copied();
        let world = self.app.world_mut();
        match known {
            Some(known) if bytes.one_in(3) => _ = world.despawn(known),
            Some(known) if bytes.one_in(3) => _ = world.entity_mut(known).insert(JointDisabled),
            Some(known) => _ = world.entity_mut(known).remove::<JointDisabled>().insert(joint),
            None => {
                let joint = (joint, JointForces::default(), JointPosition::default());
                self.joints.push(world.spawn(joint).id());
                self.outcome.made[1] += 1;
            }
        }
        self.joints.retain(|&joint| world.get_entity(joint).is_ok());
    }

    /// Lets the motor of a joint follow another joint, itself, or none.
    fn couple(&mut self, bytes: &mut Bytes) {
        let mut any = || self.joints.get(bytes.below(self.joints.len() + 1)).copied();
        let (joint, leader) = (any(), any().unwrap_or(Entity::PLACEHOLDER));
        let coupling = coupling(bytes, leader);
        let Some(joint) = joint else { return self.change_joints(bytes) };
        let mut joint = self.app.world_mut().entity_mut(joint);
        if bytes.one_in(4) {
            joint.remove::<MotorCoupling>();
            return;
        }
        joint.insert((coupling, JointVelocity::default()));
        if let Some(mut joint) = joint.get_mut::<Joint>() {
            let motor = &mut joint.motors[coupling.axes[1] as usize];
            motor.get_or_insert(Motor::velocity(0.0, bytes.number(100.0)));
        }
        self.outcome.made[2] += 1;
    }

    /// Pushes a body, or all near a place.
    fn push(&mut self, bytes: &mut Bytes, entity: Entity) {
        let (force, place) = (bytes.vector(100.0), bytes.vector(1.0));
        let world = self.app.world_mut();
        if bytes.one_in(8) {
            let mask = LayerMask(!2);
            let mut explosion = Explosion::new(place, bytes.positive(3.0), bytes.number(10.0));
            explosion.filter = SpatialQueryFilter::from_mask(mask);
            explosion.is_occluded = bytes.one_in(2);
            let explode = move |mut explosions: Explosions| explosions.explode(&explosion);
            _ = world.run_system_once(explode);
            return;
        }
        let mut query = world.query::<Forces>();
        let Ok(mut forces) = query.get_mut(world, entity) else { return };
        match bytes.below(6) {
            0 => forces.apply_force(force),
            1 => forces.apply_force_at_point(force, place),
            2 => forces.apply_linear_impulse_at_point(force, place),
            3 => forces.apply_angular_impulse(force),
            4 => forces.apply_local_linear_acceleration(force),
            _ => forces.apply_local_torque(force),
        }
    }

    /// Asks what is near something.
    fn ask(&mut self, bytes: &mut Bytes, entity: Entity) {
        let (shape, other) = (collider(bytes), self.entities[bytes.below(self.entities.len())]);
        let (place, rotation) = (bytes.vector(2.0), bytes.rotation());
        let reach = bytes.positive(10.0);
        let to = transform(bytes).translation;
        let to = bevy_math::Dir3::new(to).unwrap_or(bevy_math::Dir3::X);
        let ask = move |query: SpatialQuery| {
            let filter = SpatialQueryFilter::default();
            let config = ShapeCastConfig { max_distance: reach, ..ShapeCastConfig::default() };
            // No answer is judged.
            _ = query.cast_ray(place, to, reach, true, &filter);
            _ = query.ray_hits(place, to, reach, 4, false, &filter);
            _ = query.cast_shape(&shape, place, rotation, to, &config, &filter);
            _ = query.shape_intersections(&shape, place, rotation, &filter);
            _ = query.project_point(place, true, &filter);
            _ = query.closest_points(entity, other);
            _ = query.ratio(entity, other);
        };
        _ = self.app.world_mut().run_system_once(ask);
    }

    /// Sets resources, in both apps.
    fn set(&mut self, bytes: &mut Bytes) {
        let settings = absurd_settings(bytes);
        let (what, number) = (bytes.below(12), bytes.positive(1.0));
        let origin = bytes.vector(10.0);
        let timesteps = [1, 1_000, 1_000_000, 10_000_000, 15_625_000, 1_000_000_000];
        let nanos = timesteps[bytes.below(timesteps.len())] * (1 + u64::from(bytes.byte()) / 25);
        self.ordinary = false;
        for app in [&mut self.app, &mut self.alone] {
            let world = app.world_mut();
            match what {
                0 => world.insert_resource(Gravity(settings.gravity)),
                1 => world.insert_resource(StepConfig(settings.mode)),
                2 => world.insert_resource(StepConfig::quasistatic()),
                3 => world.insert_resource(SleepConfig(settings.sleep)),
                4 => world.insert_resource(DefaultFriction(Friction::new(number))),
                5 => world.resource_mut::<Time<Physics>>().set_relative_speed(number),
                6 => {
                    let mut clock = world.resource_mut::<Time<Physics>>();
                    if clock.is_paused() { clock.unpause() } else { clock.pause() }
                }
                7 => world.resource_mut::<Time<Physics>>().step_once(),
                8 => {
                    let fixed = Duration::from_nanos(nanos);
                    world.resource_mut::<Time<Fixed>>().set_timestep(fixed);
                }
                9 => MoveOrigin(origin).apply(world),
                _ => {
                    world.insert_resource(ContactConfig(settings.contact));
                    world.insert_resource(SolverConfig(settings.solver));
                }
            }
        }
    }

    /// Keeps both apps, or puts them back to when they were kept.
    fn travel(&mut self, bytes: &mut Bytes) {
        let both = [&mut self.app, &mut self.alone];
        let between = "no step is under way";
        match bytes.below(4) {
            0 => {
                let take = |app: &mut App| PhysicsCopy::take(app.world_mut()).expect(between);
                self.copies = Some(both.map(take));
            }
            1 => {
                let take = |app: &mut App| PhysicsSnapshot::take(app.world_mut()).expect(between);
                self.snapshots = Some(both.map(take));
            }
            2 => {
                for (app, kept) in both.into_iter().zip(self.copies.iter().flatten()) {
                    kept.restore(app.world_mut()).expect(between);
                }
            }
            _ => {
                for (app, kept) in both.into_iter().zip(self.snapshots.iter().flatten()) {
                    kept.restore(app.world_mut()).expect("their own");
                }
            }
        }
        self.step = self.app.world().resource::<PhysicsWorld>().engine().report().step;
    }

    /// One thing of many.
    fn happen(&mut self, bytes: &mut Bytes) {
        if self.travels && bytes.one_in(6) {
            return self.travel(bytes);
        }
        let what = bytes.below(32);
        if self.entities.is_empty() || what < 5 {
            return self.spawn(bytes);
        }
        let entity = self.entities[bytes.below(self.entities.len())];
        match what {
            5..=16 => insert(bytes, &mut self.app.world_mut().entity_mut(entity)),
            17 | 26 => self.couple(bytes),
            18 => {
                insert_other(bytes, &mut self.app.world_mut().entity_mut(entity));
                self.outcome.made[3] += 1;
            }
            19..=21 => remove(bytes, &mut self.app.world_mut().entity_mut(entity)),
            22 | 23 => self.parent(bytes, entity),
            24 | 25 => self.change_joints(bytes),
            27 => {
                let world = self.app.world_mut();
                world.despawn(entity);
                self.entities.retain(|&entity| world.get_entity(entity).is_ok());
            }
            28 | 29 => self.push(bytes, entity),
            30 => self.ask(bytes, entity),
            _ => self.set(bytes),
        }
        if let Some(wheels) = self.app.world().get::<RaycastVehicle>(entity) {
            self.reaches |= !wheels.wheels.is_empty();
        }
    }

    /// Updates both apps, and tells what was told to be wrong.
    fn update(&mut self) -> Result<Vec<PhysicsError>, String> {
        self.app.update();
        self.alone.update();
        let world = self.app.world_mut();
        let told: Vec<_> = world.resource_mut::<Messages<PhysicsError>>().drain().collect();
        let mut once = HashSet::new();
        for PhysicsError { entity, error } in &told {
            if !once.insert((*entity, error.to_string())) {
                return Err(format!("{entity} is told twice in an update: {error}"));
            }
        }
        self.outcome.told += told.len();
        let frozen = |error: &&PhysicsError| error.error == PhysicsErrorKind::Frozen;
        self.outcome.frozen += told.iter().filter(frozen).count();
        self.check()?;
        Ok(told)
    }

    /// What must hold after every update.
    fn check(&mut self) -> Result<(), String> {
        let world = self.app.world();
        let engine = world.resource::<PhysicsWorld>().engine();
        for body in engine.bodies().iter() {
            let pose = body.position().is_finite() && body.rotation().is_finite();
            if !(pose && body.linear_velocity.is_finite() && body.angular_velocity.is_finite()) {
                let (x, v) = (body.position(), body.linear_velocity);
                return Err(format!("body {} is not finite: {x} {v}", body.id().0));
            }
        }
        check_touches(engine)?;
        let state = |app: &App, entity| {
            let world = app.world();
            let speeds = (world.get(entity).copied(), world.get(entity).copied());
            let (linear, angular): (Option<LinearVelocity>, Option<AngularVelocity>) = speeds;
            (world.get::<Transform>(entity).copied(), linear, angular)
        };
        for &entity in self.heap.iter().filter(|_| !self.reaches) {
            let [with, without] = [&self.app, &self.alone].map(|app| state(app, entity));
            if with != without {
                return Err(format!("{entity} of the heap: {with:?} with, {without:?} without"));
            }
        }
        let refused = engine.report().status == StepStatus::Refused;
        let budget = Settings::default().solver.work_max;
        if self.ordinary && !refused {
            work_within(engine, budget)?;
        }
        let stepped = engine.report().step > self.step;
        self.step = engine.report().step;
        self.outcome.steps[usize::from(refused)] += usize::from(stepped || refused);
        if !stepped || refused {
            return Ok(());
        }
        for &entity in &self.entities {
            self.check_shown(entity)?;
        }
        for &joint in &self.joints {
            let velocity = self.app.world().get::<JointVelocity>(joint);
            if velocity.is_some_and(|v| !(v.linear.is_finite() && v.angular.is_finite())) {
                return Err(format!("joint {joint} tells {velocity:?}"));
            }
        }
        Ok(())
    }

    /// Are the components that show a body finite?
    fn check_shown(&self, entity: Entity) -> Result<(), String> {
        let world = self.app.world();
        let id = world.get::<EngineBody>(entity).and_then(EngineBody::id);
        let engine = world.resource::<PhysicsWorld>().engine();
        let Some(body) = id.and_then(|id| engine.body(id)) else { return Ok(()) };
        if let Some(place) = world.get::<Transform>(entity) {
            let is_finite = place.translation.is_finite() && place.rotation.is_finite();
            // Below what has no frame of its own there is no place to show.
            if !is_finite && !world.entity(entity).contains::<ChildOf>() {
                let kind = body.kind();
                return Err(format!(
                    "{entity}, {kind:?}, at {} is shown at {place:?}",
                    body.position()
                ));
            }
        }
        let linear = world.get::<LinearVelocity>(entity).is_none_or(|v| v.0.is_finite());
        let angular = world.get::<AngularVelocity>(entity).is_none_or(|v| v.0.is_finite());
        if !(linear && angular) && world.get::<RigidBody>(entity).is_some_and(|k| !k.is_static()) {
            return Err(format!("{entity} tells a velocity that is not finite"));
        }
        Ok(())
    }

    /// Takes away all that the bytes made.
    fn clear(&mut self) -> Result<(), String> {
        for entity in self.joints.drain(..).chain(self.entities.drain(..)) {
            if self.app.world().get_entity(entity).is_ok() {
                self.app.world_mut().despawn(entity);
            }
        }
        for app in [&mut self.app, &mut self.alone] {
            let world = app.world_mut();
            world.resource_mut::<Time<Physics>>().unpause();
            world.resource_mut::<Time<Physics>>().set_relative_speed(1.0);
            world.resource_mut::<Time<Fixed>>().set_timestep(DT);
        }
        // What is left of the last fixed step may be less than one.
        self.update()?;
        self.update()?;
        let left = [&self.app, &self.alone].map(|app| {
            let engine = app.world().resource::<PhysicsWorld>().engine();
            (engine.bodies().len(), engine.joints().count(), engine.pairs().len())
        });
        if left[0].0 != left[1].0 || left[0].1 != left[1].1 {
            return Err(format!(
                "bodies, joints and pairs left: {:?}, {:?} alone",
                left[0], left[1]
            ));
        }
        Ok(())
    }
}

/// Is this a state in which something is, which is told as long as nothing changes it, and not an event that
/// may come again?
fn is_lasting(error: &PhysicsErrorKind) -> bool {
    use PhysicsErrorKind as Kind;
    !matches!(
        error,
        Kind::Pressed | Kind::Squeezed | Kind::Jammed | Kind::Unbalanced | Kind::FarAway(..)
    ) && !matches!(error, Kind::MassRatio(_))
}

/// Lets the bytes play with an app.
///
/// # Errors
/// What went wrong, in words. A panic or an update that does not return is for the caller to see.
pub fn play_app(bytes: &[u8]) -> Result<AppOutcome, String> {
    play_with(bytes, Played::new())
}

/// As [`play_app`], with an app that is kept and put back now and then.
///
/// # Errors
/// As [`play_app`] has.
pub fn play_app_back_and_forth(bytes: &[u8]) -> Result<AppOutcome, String> {
    play_with(bytes, Played { travels: true, ..Played::new() })
}

fn play_with(bytes: &[u8], mut played: Played) -> Result<AppOutcome, String> {
    let bytes = &mut Bytes::new(bytes);
    (0..2 + bytes.below(3)).for_each(|_| played.spawn(bytes));
    for update in 0..UPDATES {
        if bytes.is_empty() {
            break;
        }
        (0..1 + bytes.below(4)).for_each(|_| played.happen(bytes));
        played.update().map_err(|wrong| format!("update {update}: {wrong}"))?;
    }
    let mut once = HashSet::new();
    for update in 0..QUIET {
        let told = played.update().map_err(|wrong| format!("quiet update {update}: {wrong}"))?;
        for PhysicsError { entity, error } in told.iter().filter(|told| is_lasting(&told.error)) {
            if !once.insert((*entity, error.to_string())) {
                return Err(format!("quiet update {update}: {entity} is told again: {error}"));
            }
        }
    }
    played.clear().map_err(|wrong| format!("in the end: {wrong}"))?;
    Ok(played.outcome)
}
