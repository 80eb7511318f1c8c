//! Rigid-body physics for [Bevy](https://bevy.org) with hard contacts.
//!
//! Each step computes the forces of all contacts and joints together, to a tolerance, and a report says how
//! near it came: the certificate. Heavy things do not sink into light ones, and a stack stands because its
//! forces balance. Large heaps whose bodies strike each other are advanced in small, softened steps instead,
//! and the report says so.
//!
//! The method is the constraint-stabilized time-stepping of Anitescu, Hart, Potra and Miller for convex
//! polyhedra: one metric for distance and overlap (the ratio metric), a complementarity problem for the
//! contacts and joints of a step, infeasibility (overlaps, joint errors) that stays O(h²).
//!
//! A first app stands in the README and, shorter, at the head of `plugin`. `guide` has pages: concepts with
//! units and going back, how it works, tuning, coming from other engines. With the feature `bevy` the
//! documentation shows of the engine only what the plugin holds, `plugin::values`; without it, the engine
//! alone.
//!
//! # Map
//!
//! | module | what it is |
//! |---|---|
//! | `engine` | the method: plain functions on slices; knows no Bevy, cannot fail |
//! | `plugin` (feature `bevy`) | the Bevy shell: components in, one engine call a stage, components out |
//! | [`math`] | numbers: the precision of the build, deterministic functions |
//! | [`snapshot`] | worlds as data: what a `PhysicsSnapshot` of the plugin holds, and its errors |
//!
//! With the engine go `papers` and `accelerations`, questions of the papers that no step asks.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `bevy` | yes | the plugin |
//! | `debug` | no | drawing of shapes, contacts, joints, islands and their certificates with Bevy's gizmos |
//! | `interpolation` | no | bodies are shown between fixed steps unless said otherwise, for games |
//! | `mesh` | no | colliders from Bevy's meshes |
//! | `panel` | no | a panel to watch and tune physics while it runs |
//! | `picking` | no | pointers hit colliders, for Bevy's picking |
//! | `urdf` | no | robots from URDF become bodies and joints |
//! | `scene` | no | colliders of scenes wait until these are spawned |
//! | `parallel` | yes | bodies, pairs, islands and parts of them on Bevy's compute task pool; the same bits |
//! | `simd` | yes | support scans in eight lanes; the same bits as without |
//! | `f64` | no | positions, velocities and the metric in double precision |
//! | `serialize` | no | serde on settings, reports, components and snapshots |
//! | `validate` | no | checks internal invariants after every stage |
//!
//! All are additive but `f64`, which changes the type [`math::Real`].
//!
//! # Conventions
//!
//! SI units; gravity is (0, -9.81, 0) m/s² unless set; lengths of shapes are full lengths; velocities are
//! at the center of mass in world axes; normals point from the first body of a pair to the second.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg_attr(feature = "bevy", doc(hidden))]
pub mod accelerations;
#[cfg_attr(feature = "bevy", doc(hidden))]
pub mod engine;
pub mod math;
#[cfg_attr(feature = "bevy", doc(hidden))]
pub mod papers;
#[doc(hidden)]
pub mod par;
#[cfg(feature = "bevy")]
pub mod plugin;
#[doc(hidden)]
pub mod query;
pub mod snapshot;

#[cfg(all(doctest, feature = "bevy"))]
#[doc = include_str!("../README.md")]
struct Readme;

/// Pages that teach. In the repository they are in `docs`; pictures are only there, here their captions tell
/// what they show.
#[cfg(any(doc, doctest))]
pub mod guide {
    #[doc = "[slider-crank]: crate"]
    #[doc = "[experiments]: crate"]
    #[doc = "[quasistatic]: crate::engine::settings::Quasistatic"]
    #[doc = "[ARCHITECTURE.md]: crate\n"]
    #[doc = include_str!("../docs/how_it_works.md")]
    pub mod how_it_works {}
    #[cfg(feature = "bevy")]
    #[doc = include_str!("../docs/concepts.md")]
    pub mod concepts {}
    #[cfg(feature = "bevy")]
    #[doc = include_str!("../docs/tuning.md")]
    pub mod tuning {}
    #[cfg(feature = "bevy")]
    #[doc = include_str!("../docs/life.md")]
    pub mod life {}
    #[cfg(feature = "bevy")]
    #[doc = include_str!("../docs/coming_from_avian.md")]
    pub mod coming_from_avian {}
    #[cfg(feature = "bevy")]
    #[doc = include_str!("../docs/coming_from_rapier.md")]
    pub mod coming_from_rapier {}
    #[cfg(feature = "bevy")]
    #[doc = include_str!("../docs/trust.md")]
    pub mod trust {}
}

/// What most games need: `use orthant::prelude::*;`.
#[cfg(feature = "bevy")]
pub mod prelude {
    pub use crate::plugin::{
        AngularDamping, AngularInertia, AngularVelocity, Bone, BoneJoint, CenterOfMass,
        CharacterController, CharacterGround, CharacterInput, CharacterState, CoefficientCombine,
        Collider, ColliderConstructor, ColliderConstructorHierarchy,
        ColliderConstructorHierarchyReady, ColliderDensity, ColliderDisabled, ColliderOf,
        CollidingEntities, CollisionEnd, CollisionEventsEnabled, CollisionLayers, CollisionPairs,
        CollisionStart, Collisions, ComputedAngularInertia, ComputedCenterOfMass, ComputedMass,
        ConstantAngularAcceleration, ConstantForce, ConstantLinearAcceleration,
        ConstantLocalAngularAcceleration, ConstantLocalForce, ConstantLocalLinearAcceleration,
        ConstantLocalTorque, ConstantTorque, ContactConfig, ContactImpulse,
        ContactImpulseThreshold, ConvexDecomposition, ConvexDecompositionReady,
        DecompositionProgress, DefaultFriction, Dominance, Explosion, Explosions, FloatingOrigin,
        Forces, Friction, Gravity, GravityScale, Joint, JointAxis, JointBroken, JointDisabled,
        JointForces, JointPosition, JointVelocity, Joints, KinematicTarget, LayerMask,
        LinearDamping, LinearVelocity, LockedAxes, Mass, MassPropertiesBundle, MaxAngularSpeed,
        MaxLinearSpeed, Motor, MotorCoupling, MouseJoint, MoveAndSlide, MoveAndSlideConfig,
        MoveAndSlideHitResponse, MoveOrigin, NoTransformEasing, OverlapsCountedOnce, Physics,
        PhysicsCopy, PhysicsDiagnosticsPlugin, PhysicsError, PhysicsInterpolationPlugin,
        PhysicsLayer, PhysicsPlugins, PhysicsSchedule, PhysicsSnapshot, PhysicsStepSystems,
        PhysicsSystems, PhysicsTime, PhysicsWorld, PoseController, Position, Ragdoll, RayCaster,
        RayHits, RaycastVehicle, Restitution, RigidBody, RollingFriction, Sensor, ShapeCastConfig,
        ShapeCaster, ShapeHits, Skeleton, SleepConfig, Sleeping, SleepingDisabled, SolverConfig,
        SpatialQuery, SpatialQueryFilter, StageTimes, StepConfig, StepReport, StepStage,
        SurfaceVelocity, SweptCcd, TransformExtrapolation, TransformInterpolation, Wheel,
        step_physics,
    };
    #[cfg(feature = "debug")]
    pub use crate::plugin::{DebugRender, PhysicsDebugPlugin, PhysicsGizmos, ShapeShade};
    #[cfg(feature = "panel")]
    pub use crate::plugin::{PhysicsPanel, PhysicsPanelPlugin};
    #[cfg(feature = "picking")]
    pub use crate::plugin::{
        PhysicsPickable, PhysicsPickingFilter, PhysicsPickingPlugin, PhysicsPickingSettings,
    };
    #[cfg(feature = "urdf")]
    pub use crate::plugin::{Urdf, UrdfEntities, UrdfError, UrdfLimit, UrdfShape, UrdfVisual};
}
