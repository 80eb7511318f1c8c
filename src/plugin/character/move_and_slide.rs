//! Moving shapes through the world at any time: [`MoveAndSlide`].

use core::time::Duration;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::controller::{CharacterController, CharacterGround, CharacterInput, CharacterState};
use super::planes;
use super::surroundings::{Met, Surroundings};
use super::walk::{Pace, Walker};
use crate::engine::body::BodyId;
use crate::engine::collider::Collider as EngineCollider;
use crate::math::{Quat, Real, Vec3, from_single3, narrow};
use crate::plugin::collider::Collider;
use crate::plugin::spatial::{SpatialQuery, SpatialQueryFilter};

/// How a shape moves and slides.
///
/// ```
/// # use orthant::prelude::*;
/// let narrow = MoveAndSlideConfig { skin_width: 0.02, ..MoveAndSlideConfig::default() };
/// # let _ = narrow;
/// ```
#[derive(Clone, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(default, deny_unknown_fields))]
#[reflect(Debug, Default, PartialEq, Clone)]
pub struct MoveAndSlideConfig {
    /// Casts at most; each but the last ends at something.
    pub move_and_slide_iterations: usize,
    /// Rounds in which a shape leaves what it overlaps, at most; of flat things one is enough.
    pub depenetration_iterations: usize,
    /// Distance from other colliders at which the shape rests (m), > 0.
    pub skin_width: Real,
    /// Unit normals of planes into which it does not move, wherever it is: a ground, say.
    pub planes: Vec<Vec3>,
    /// Surfaces at most that are looked at in one place, nearest first.
    pub max_planes: usize,
}

impl Default for MoveAndSlideConfig {
    /// Eight casts, four rounds, a skin of 1 cm, sixteen surfaces.
    fn default() -> Self {
        Self {
            move_and_slide_iterations: 8,
            depenetration_iterations: 4,
            skin_width: 0.01,
            planes: Vec::new(),
            max_planes: 16,
        }
    }
}

/// Where a shape is after a move.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ecs::system::RunSystemOnce;
/// # use bevy_transform::components::Transform;
/// use core::time::Duration;
/// use orthant::math::{Quat, Vec3};
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// // A wall at x = 1.5 m.
/// world.spawn((Collider::cuboid(1.0, 9.0, 9.0), Transform::from_xyz(2.0, 0.0, 0.0)));
/// orthant::plugin::sync_physics(world);
/// let slide = |slide: MoveAndSlide| {
///     let (ball, speed) = (Collider::sphere(0.5), Vec3::new(3.0, 1.0, 0.0));
///     let (config, any) = (MoveAndSlideConfig::default(), SpatialQueryFilter::default());
///     let (start, turn, dt) = (Vec3::ZERO, Quat::IDENTITY, Duration::from_secs(1));
///     slide.move_and_slide(&ball, start, turn, speed, dt, &config, &any, |_| {
///         MoveAndSlideHitResponse::Accept
///     })
/// };
/// let moved = world.run_system_once(slide).expect("a system");
/// // It stops at the wall, and goes on along it.
/// assert!((moved.position - Vec3::new(1.0, 1.0, 0.0)).length() < 0.03, "{moved:?}");
/// assert!((moved.projected_velocity - Vec3::Y).length() < 1e-3, "{moved:?}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub struct MoveAndSlideOutput {
    /// World position (m).
    pub position: Vec3,
    /// What the surfaces on the way left of the velocity [m/s].
    pub projected_velocity: Vec3,
}

/// A surface in the way, while a shape moves.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ecs::system::RunSystemOnce;
/// # use bevy_transform::components::Transform;
/// use core::time::Duration;
/// use orthant::math::{Quat, Vec3};
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// // A wall at x = 1.5 m.
/// world.spawn((Collider::cuboid(1.0, 9.0, 9.0), Transform::from_xyz(2.0, 0.0, 0.0)));
/// orthant::plugin::sync_physics(world);
/// let slide = |slide: MoveAndSlide| {
///     let (ball, speed) = (Collider::sphere(0.5), Vec3::new(3.0, 1.0, 0.0));
///     let (config, any) = (MoveAndSlideConfig::default(), SpatialQueryFilter::default());
///     let (start, turn, dt) = (Vec3::ZERO, Quat::IDENTITY, Duration::from_secs(1));
///     slide.move_and_slide(&ball, start, turn, speed, dt, &config, &any, |hit| {
///         // A wall that catches.
///         *hit.velocity = Vec3::ZERO;
///         MoveAndSlideHitResponse::Accept
///     })
/// };
/// let moved = world.run_system_once(slide).expect("a system");
/// assert!(moved.position.y < 0.5, "it hangs where it met the wall: {moved:?}");
/// ```
#[derive(Debug)]
pub struct MoveAndSlideHitData<'a> {
    /// The collider.
    pub entity: Entity,
    /// How far away it is (m); half a skin for what was run into.
    pub distance: Real,
    /// World point on the collider (m).
    pub point: Vec3,
    /// Outward unit normal of the collider, in the world; may be changed.
    pub normal: &'a mut Vec3,
    /// Where the shape is (m); may be changed.
    pub position: &'a mut Vec3,
    /// How it moves [m/s]; may be changed.
    pub velocity: &'a mut Vec3,
}

/// What to do about a surface.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ecs::system::RunSystemOnce;
/// # use bevy_transform::components::Transform;
/// use core::time::Duration;
/// use orthant::math::{Quat, Vec3};
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// // A wall at x = 1.5 m.
/// world.spawn((Collider::cuboid(1.0, 9.0, 9.0), Transform::from_xyz(2.0, 0.0, 0.0)));
/// orthant::plugin::sync_physics(world);
/// let slide = |slide: MoveAndSlide| {
///     let (ball, speed) = (Collider::sphere(0.5), Vec3::new(3.0, 1.0, 0.0));
///     let (config, any) = (MoveAndSlideConfig::default(), SpatialQueryFilter::default());
///     let (start, turn, dt) = (Vec3::ZERO, Quat::IDENTITY, Duration::from_secs(1));
///     slide.move_and_slide(&ball, start, turn, speed, dt, &config, &any, |_| {
///         MoveAndSlideHitResponse::Ignore
///     })
/// };
/// let moved = world.run_system_once(slide).expect("a system");
/// // It goes through the wall.
/// assert!((moved.position - Vec3::new(3.0, 1.0, 0.0)).length() < 0.03, "{moved:?}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveAndSlideHitResponse {
    /// Slide along it.
    Accept,
    /// Pass through it, in this move.
    Ignore,
    /// Stop here.
    Abort,
}

/// The first collider on a straight way.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_ecs::system::RunSystemOnce;
/// # use bevy_transform::components::Transform;
/// use orthant::math::{Quat, Vec3};
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// // A wall at x = 1.5 m.
/// world.spawn((Collider::cuboid(1.0, 9.0, 9.0), Transform::from_xyz(2.0, 0.0, 0.0)));
/// orthant::plugin::sync_physics(world);
/// let look = |slide: MoveAndSlide| {
///     let ball = Collider::sphere(0.5);
///     let any = SpatialQueryFilter::default();
///     slide.cast_move(&ball, Vec3::ZERO, Quat::IDENTITY, Vec3::X * 3.0, 0.01, &any)
/// };
/// let hit = world.run_system_once(look).expect("a system").expect("a wall");
/// assert!((hit.distance - 0.99).abs() < 1e-3 && hit.normal.x < -0.99, "{hit:?}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
pub struct MoveHitData {
    /// The collider.
    pub entity: Entity,
    /// How far the shape moves until it is a skin away (m).
    pub distance: Real,
    /// World point on the collider (m).
    pub point: Vec3,
    /// Outward unit normal of the collider, in the world.
    pub normal: Vec3,
}

/// Where a character is that a game leads itself, by [`MoveAndSlide::walk`], and how it moves.
///
/// ```
/// use orthant::math::Vec3;
/// use orthant::plugin::CharacterPlace;
///
/// let start = CharacterPlace { position: Vec3::Y, ..CharacterPlace::default() };
/// assert!(!start.state.is_grounded(), "it looks for its ground in the first step");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Debug, Default, PartialEq, Clone)]
pub struct CharacterPlace {
    /// World position (m).
    pub position: Vec3,
    /// World rotation.
    pub rotation: Quat,
    /// Its velocity and what it stands on.
    pub state: CharacterState,
}

/// Moves shapes through the world without a body: they stop at colliders, slide along them and leave what
/// they overlap. What a character is made of; [`walk`](Self::walk) is its step, with slopes, stairs and
/// ground that moves, and [`CharacterController`](super::CharacterController) is one that is ready.
///
/// Sensors are passed. Exclude the character's own entity. A move sees bodies where they were after the
/// last step; it pushes nothing.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_time::Time;
/// # use bevy_transform::components::Transform;
/// use orthant::math::{from_single_quat, from_single3, single3};
/// use orthant::prelude::*;
///
/// fn fly(
///     mut birds: Query<(Entity, &Collider, &mut Transform, &mut LinearVelocity)>,
///     slide: MoveAndSlide,
///     time: Res<Time>,
/// ) {
///     let config = MoveAndSlideConfig::default();
///     for (entity, shape, mut transform, mut velocity) in &mut birds {
///         let filter = SpatialQueryFilter::from_excluded_entities([entity]);
///         let position = from_single3(transform.translation);
///         let rotation = from_single_quat(transform.rotation);
///         let dt = time.delta();
///         let moved =
///             slide.move_and_slide(shape, position, rotation, velocity.0, dt, &config, &filter, |_| {
///                 MoveAndSlideHitResponse::Accept
///             });
///         transform.translation = single3(moved.position);
///         velocity.0 = moved.projected_velocity;
///     }
/// }
/// ```
#[derive(SystemParam)]
pub struct MoveAndSlide<'w, 's> {
    /// The queries it makes.
    pub spatial_query: SpatialQuery<'w, 's>,
}

impl MoveAndSlide<'_, '_> {
    /// Moves a shape from a position (m) by a velocity [m/s] for a time. Where it begins in an overlap it
    /// leaves that first. `on_hit` is asked about every surface on the way.
    #[must_use]
    pub fn move_and_slide(
        &self,
        shape: &Collider,
        shape_position: Vec3,
        shape_rotation: Quat,
        velocity: Vec3,
        delta_time: Duration,
        config: &MoveAndSlideConfig,
        filter: &SpatialQueryFilter,
        mut on_hit: impl FnMut(MoveAndSlideHitData) -> MoveAndSlideHitResponse,
    ) -> MoveAndSlideOutput {
        let time = narrow(delta_time.as_secs_f64());
        let moved = self.around(shape, shape_rotation, filter, |around| {
            let start = shape_position
                + around.depenetrate(shape_position, config.skin_width, config, |plane| plane);
            around.slide(start, velocity, time, config, |met, position, velocity| {
                let Some(entity) = Entity::try_from_bits(met.tag) else {
                    return MoveAndSlideHitResponse::Accept;
                };
                let Met { distance, point, normal, .. } = met;
                let (distance, point) = (*distance, *point);
                on_hit(MoveAndSlideHitData { entity, distance, point, normal, position, velocity })
            })
        });
        moved.map_or(
            MoveAndSlideOutput { position: shape_position, projected_velocity: velocity },
            |moved| MoveAndSlideOutput {
                position: moved.position,
                projected_velocity: moved.velocity,
            },
        )
    }

    /// The step of a [`CharacterController`] for a shape that the game leads itself: slopes, steps, jumps,
    /// what moves below it, by `settings` and `input`, in the gravity [m/s²] that acts on it, for a time.
    /// Call it once for each fixed step.
    ///
    /// Nothing is pushed: `on_push` is told of the dynamic bodies that are run into, each by its entity, the
    /// point (m) and the velocity into it [m/s]; `mass` and `push_force` are the game's to apply. Other
    /// characters are met where they are, not where they are going to be.
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// # use bevy_ecs::system::RunSystemOnce;
    /// # use core::time::Duration;
    /// # use orthant::math::Vec3;
    /// # use orthant::plugin::CharacterPlace;
    /// # use orthant::prelude::*;
    /// # let mut app = bevy_app::App::new();
    /// # app.add_plugins(PhysicsPlugins::default());
    /// # let world = app.world_mut();
    /// world.spawn(Collider::half_space(Vec3::Y));
    /// orthant::plugin::sync_physics(world);
    /// let walk = |slide: MoveAndSlide, gravity: Res<Gravity>| {
    ///     let (shape, settings) = (Collider::capsule(0.3, 1.2), CharacterController::default());
    ///     let input = CharacterInput { walk: Vec3::X * 2.0, ..CharacterInput::default() };
    ///     let (step, any) = (Duration::from_secs_f64(1.0 / 64.0), SpatialQueryFilter::default());
    ///     let place = CharacterPlace { position: Vec3::Y, ..CharacterPlace::default() };
    ///     (0..64).fold(place, |place, _| {
    ///         slide.walk(&shape, place, &settings, &input, gravity.0, step, &any, |_, _, _| {})
    ///     })
    /// };
    /// let place = world.run_system_once(walk).expect("a system");
    /// assert!(place.state.is_grounded() && place.position.x > 1.5, "{place:?}");
    /// ```
    #[must_use]
    pub fn walk(
        &self,
        shape: &Collider,
        place: CharacterPlace,
        settings: &CharacterController,
        input: &CharacterInput,
        gravity: Vec3,
        delta_time: Duration,
        filter: &SpatialQueryFilter,
        mut on_push: impl FnMut(Entity, Vec3, Vec3),
    ) -> CharacterPlace {
        let CharacterPlace { position, rotation, state: CharacterState { velocity, ground } } =
            place;
        let physics = self.spatial_query.world();
        let ground =
            ground.and_then(|ground| Some(ground.met(self.spatial_query.body_id(ground.body)?)));
        let walker = Walker { position, rotation, velocity, ground };
        let (dt, up) = (narrow(delta_time.as_secs_f64()), from_single3(*settings.up));
        if dt <= 0.0 {
            return place;
        }
        let mut pushes = Vec::new();
        let walked = self.around(shape, rotation, filter, |around| {
            Pace { around, settings, up, gravity, dt }.step(walker, input, &mut pushes)
        });
        let Some(Walker { position, rotation, velocity, ground }) = walked else { return place };
        for push in pushes {
            if let Some(entity) = physics.entity(push.body) {
                on_push(entity, push.point, push.direction * push.speed);
            }
        }
        let ground = ground.and_then(|met| CharacterGround::new(physics, &met));
        CharacterPlace { position, rotation, state: CharacterState { velocity, ground } }
    }

    /// The first collider that comes within `skin_width` (m) of a shape on a straight way (m).
    #[must_use]
    pub fn cast_move(
        &self,
        shape: &Collider,
        shape_position: Vec3,
        shape_rotation: Quat,
        movement: Vec3,
        skin_width: Real,
        filter: &SpatialQueryFilter,
    ) -> Option<MoveHitData> {
        let length = movement.length();
        let met = self.around(shape, shape_rotation, filter, |around| {
            let direction = if length > 0.0 { movement / length } else { Vec3::ZERO };
            around.cast(shape_position, direction, length, skin_width)
        })??;
        let Met { distance, point, normal, tag, .. } = met;
        Some(MoveHitData { entity: Entity::try_from_bits(tag)?, distance, point, normal })
    }

    /// The way out of everything that a shape overlaps, to a skin away (m). Overlaps are measured by the
    /// ratio metric.
    #[must_use]
    pub fn depenetrate(
        &self,
        shape: &Collider,
        shape_position: Vec3,
        shape_rotation: Quat,
        config: &MoveAndSlideConfig,
        filter: &SpatialQueryFilter,
    ) -> Vec3 {
        let out = self.around(shape, shape_rotation, filter, |around| {
            around.depenetrate(shape_position, config.skin_width, config, |plane| plane)
        });
        out.unwrap_or(Vec3::ZERO)
    }

    /// Tells of every surface within `prediction_distance` (m), nearest or deepest first, with its distance,
    /// which is negative in overlap, until `callback` returns false.
    pub fn intersections(
        &self,
        shape: &Collider,
        shape_position: Vec3,
        shape_rotation: Quat,
        prediction_distance: Real,
        filter: &SpatialQueryFilter,
        mut callback: impl FnMut(MoveHitData) -> bool,
    ) {
        let near = self.around(shape, shape_rotation, filter, |around| {
            around.near(shape_position, prediction_distance)
        });
        for Met { distance, point, normal, tag, .. } in near.into_iter().flatten() {
            let hit = |entity| MoveHitData { entity, distance, point, normal };
            if Entity::try_from_bits(tag).map(hit).is_some_and(|hit| !callback(hit)) {
                break;
            }
        }
    }

    /// The velocity nearest to `velocity` that leads into none of the surfaces with these unit normals.
    #[must_use]
    pub fn project_velocity(velocity: Vec3, normals: &[Vec3]) -> Vec3 {
        planes::project_velocity(velocity, normals)
    }

    /// Asks something of what is around a shape; none if the collider has no shape.
    fn around<T>(
        &self,
        shape: &Collider,
        rotation: Quat,
        filter: &SpatialQueryFilter,
        ask: impl FnOnce(&Surroundings) -> T,
    ) -> Option<T> {
        let physics = self.spatial_query.world();
        let all = self.spatial_query.admits(filter, &|_| true);
        let admits = |id: BodyId, collider: &EngineCollider| !collider.sensor && all(id, collider);
        Some(ask(&Surroundings {
            engine: physics.engine(),
            tree: &physics.tree(),
            admits: &admits,
            others: &[],
            shape: shape.shape().ok()?,
            rotation,
        }))
    }
}
