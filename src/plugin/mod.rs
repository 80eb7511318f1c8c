//! The Bevy plugin: components in, one call of the engine for each stage, components out.
//!
//! Add [`PhysicsPlugins`], spawn entities with a [`RigidBody`], a [`Collider`] and a `Transform`:
//!
//! ```
//! # use bevy_app::prelude::*;
//! # use bevy_ecs::prelude::*;
//! # use bevy_transform::components::Transform;
//! use orthant::plugin::{Collider, PhysicsPlugins, RigidBody};
//!
//! fn spawn(mut commands: Commands) {
//!     commands.spawn((RigidBody::Static, Collider::cuboid(20.0, 1.0, 20.0)));
//!     let above = Transform::from_xyz(0.0, 4.0, 0.0);
//!     commands.spawn((RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), above));
//! }
//!
//! App::new()
//!     .add_plugins((bevy_time::TimePlugin, PhysicsPlugins::default()))
//!     .add_systems(Startup, spawn)
//!     .update();
//! ```
//!
//! # Who owns what
//!
//! The engine owns the state, components are mirrors of it. Before a step the values that a user
//! changed are read, and after it those that the step changed are written; nothing else is touched.
//! Inside [`PhysicsSchedule`], after [`PhysicsStepSystems::Gather`], change bodies through
//! [`PhysicsWorld`] instead.
//!
//! # What goes wrong
//!
//! The plugin never panics; Bevy does, if it is added twice. An entity whose components make no body or joint
//! is named in the log and in a [`PhysicsError`], a message and an entity event.
//!
//! # Not done
//!
//! Unequal scales above a rotation shear what is below in Bevy. Bodies and colliders keep their angles:
//! such scales act along their own axes.

mod attach;
mod bodies;
mod built;
mod changed;
mod character;
mod collider;
mod collision;
mod components;
mod constant_forces;
mod constructor;
#[cfg(feature = "debug")]
mod debug;
mod decompose;
mod decomposition;
mod diagnostics;
mod drive;
mod error;
mod explosion;
mod forces;
mod frame;
mod hierarchy;
mod idle;
mod interpolation;
mod joints;
mod layers;
mod link;
mod locked_axes;
mod mass;
#[cfg(feature = "mesh")]
mod mesh;
mod mirror;
mod origin;
mod overlap;
#[cfg(feature = "panel")]
mod panel;
#[cfg(feature = "picking")]
mod picking;
mod primitives;
mod report;
mod schedule;
mod settings;
mod skeleton;
mod sleep;
mod snapshot;
mod spatial;
mod speed;
mod stages;
mod sync;
mod time;
#[cfg(feature = "urdf")]
mod urdf;
pub mod values;
mod vehicle;
mod voxels;
mod world;

use bevy_app::{FixedPostUpdate, PluginGroup, PluginGroupBuilder};
use bevy_ecs::intern::Interned;
use bevy_ecs::schedule::ScheduleLabel;

pub use attach::{ColliderAncestor, ColliderOf};
pub use bodies::PhysicsBodiesPlugin;
pub use character::{
    CharacterController, CharacterGround, CharacterInput, CharacterPlace, CharacterState,
    MoveAndSlide, MoveAndSlideConfig, MoveAndSlideHitData, MoveAndSlideHitResponse,
    MoveAndSlideOutput, MoveHitData, PhysicsCharacterPlugin,
};
pub use collider::{Collider, ColliderDisabled, Sensor};
pub use collision::{
    CollidingEntities, CollisionEnd, CollisionEventsEnabled, CollisionPair, CollisionPairs,
    CollisionStart, Collisions, ContactImpulse, ContactImpulseThreshold, ContactPair, ContactPoint,
    Impact, PhysicsCollisionPlugin, SurfaceVelocity,
};
pub use components::{
    AngularDamping, AngularVelocity, DefaultFriction, Dominance, Friction, GravityScale,
    KinematicTarget, LinearDamping, LinearVelocity, Restitution, RigidBody, RollingFriction,
    SweptCcd,
};
pub use constant_forces::{
    ConstantAngularAcceleration, ConstantForce, ConstantLinearAcceleration,
    ConstantLocalAngularAcceleration, ConstantLocalForce, ConstantLocalLinearAcceleration,
    ConstantLocalTorque, ConstantTorque,
};
pub use constructor::ColliderConstructor;
#[cfg(feature = "debug")]
pub use debug::{DebugRender, PhysicsDebugPlugin, PhysicsGizmos, ShapeShade};
pub use decompose::DecompositionConfig;
pub use decomposition::{ConvexDecomposition, ConvexDecompositionReady, DecompositionProgress};
pub use diagnostics::{PhysicsDiagnosticsPlugin, StageTimes, StepStage};
pub use drive::{MouseJoint, PhysicsDrivePlugin, PoseController};
pub use error::{PhysicsError, PhysicsErrorKind};
pub use explosion::{Explosion, Explosions};
pub use forces::{Forces, ForcesItem, PendingForces, PhysicsForcesPlugin};
pub use hierarchy::{
    ColliderConstructorHierarchy, ColliderConstructorHierarchyConfig,
    ColliderConstructorHierarchyReady,
};
pub use interpolation::{
    NoTransformEasing, PhysicsInterpolationPlugin, TransformExtrapolation, TransformInterpolation,
};
pub use joints::{
    Joint, JointAnchor, JointBasis, JointBroken, JointDisabled, JointForces, JointFrame,
    JointPosition, JointVelocity, JointView, Joints, MotorCoupling, PhysicsJointsPlugin,
};
pub use layers::{CollisionLayers, LayerMask, PhysicsLayer};
pub use link::{EngineBody, EngineJoint};
pub use locked_axes::LockedAxes;
pub use mass::{
    AngularInertia, CenterOfMass, ColliderDensity, ComputedAngularInertia, ComputedCenterOfMass,
    ComputedMass, Mass, MassPropertiesBundle,
};
#[cfg(feature = "mesh")]
pub use mesh::MeshColliderError;
pub use origin::{FloatingOrigin, MoveOrigin, PhysicsOriginPlugin, Position};
pub use overlap::OverlapsCountedOnce;
#[cfg(feature = "panel")]
pub use panel::{PhysicsPanel, PhysicsPanelPlugin};
#[cfg(feature = "picking")]
pub use picking::{
    PhysicsPickable, PhysicsPickingFilter, PhysicsPickingPlugin, PhysicsPickingSettings,
};
pub use schedule::{
    PhysicsSchedule, PhysicsSchedulePlugin, PhysicsStepSystems, PhysicsSystems, step_physics,
};
pub use settings::{ContactConfig, Gravity, SleepConfig, SolverConfig, StepConfig};
pub use skeleton::{Bone, BoneJoint, Ragdoll, Skeleton, SkeletonError};
pub use sleep::{Sleeping, SleepingDisabled};
pub use snapshot::{PhysicsCopy, PhysicsSnapshot};
pub use spatial::{
    ClosestPoints, PhysicsSpatialPlugin, PointProjection, RayCaster, RayHitData, RayHits,
    ShapeCastConfig, ShapeCaster, ShapeHitData, ShapeHits, SpatialQuery, SpatialQueryFilter,
};
pub use speed::{MaxAngularSpeed, MaxLinearSpeed, PhysicsSpeedPlugin};
pub use stages::PhysicsStepPlugin;
pub use sync::{GatherSystems, PhysicsSyncPlugin, sync_physics};
pub use time::{Physics, PhysicsTime};
#[cfg(feature = "urdf")]
pub use urdf::{Urdf, UrdfEntities, UrdfError, UrdfLimit, UrdfShape, UrdfVisual};
pub use vehicle::{PhysicsVehiclePlugin, RaycastVehicle, Wheel};
pub use world::{PhysicsWorld, StepReport};

pub use crate::engine::collider::CoefficientCombine;
pub use crate::engine::joint::{AxisLimit, JointAxis, JointKind, Motor};

/// All of physics. Steps in `FixedPostUpdate` by default, once for each step of the fixed clock.
///
/// | plugin | what it does |
/// |---|---|
/// | [`PhysicsSchedulePlugin`] | schedules, sets and their order, the clock |
/// | [`PhysicsSyncPlugin`] | poses and velocities between components and engine |
/// | [`PhysicsBodiesPlugin`] | bodies from components |
/// | [`PhysicsJointsPlugin`] | joints from components |
/// | [`PhysicsForcesPlugin`] | forces, impulses, kinematic targets |
/// | [`PhysicsCharacterPlugin`] | characters |
/// | [`PhysicsCollisionPlugin`] | collision events |
/// | [`PhysicsDrivePlugin`] | bodies that are led by bounded forces |
/// | [`PhysicsInterpolationPlugin`] | smooth `Transform`s between fixed steps |
/// | [`PhysicsOriginPlugin`] | positions in full precision, an origin that moves |
/// | [`PhysicsSpatialPlugin`] | ray casters, shape casters |
/// | [`PhysicsSpeedPlugin`] | largest speeds |
/// | [`PhysicsStepPlugin`] | the stages of the step, settings and report |
/// | [`PhysicsVehiclePlugin`] | vehicles on wheels that are rays |
///
/// Any of them can be disabled or replaced: `PhysicsPlugins::default().build().disable::<…>()`.
///
/// ```
/// # use orthant::prelude::*;
/// # use bevy_app::prelude::*;
/// // Once a frame, by what the frame took, in place of the fixed steps in `FixedPostUpdate`.
/// App::new().add_plugins((bevy_time::TimePlugin, PhysicsPlugins::new(PostUpdate)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PhysicsPlugins {
    schedule: Interned<dyn ScheduleLabel>,
}

impl PhysicsPlugins {
    /// Steps once each time this schedule runs, by the time the generic clock passed. In a schedule
    /// of variable rate results depend on the frame rate.
    #[must_use]
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for PhysicsPlugins {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl PluginGroup for PhysicsPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>()
            .add(PhysicsSchedulePlugin::new(self.schedule))
            .add(PhysicsSyncPlugin)
            .add(PhysicsBodiesPlugin)
            .add(PhysicsJointsPlugin)
            .add(PhysicsForcesPlugin)
            .add(PhysicsCharacterPlugin)
            .add(PhysicsCollisionPlugin)
            .add(PhysicsDrivePlugin)
            .add(PhysicsInterpolationPlugin::default())
            .add(PhysicsOriginPlugin)
            .add(PhysicsSpatialPlugin)
            .add(PhysicsSpeedPlugin)
            .add(PhysicsStepPlugin)
            .add(PhysicsVehiclePlugin)
    }
}
