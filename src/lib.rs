//! Orthant.
pub mod engine;
pub mod math;
#[cfg(feature = "bevy")]
pub mod plugin;

/// What most games need: `use orthant::prelude::*;`.
#[cfg(feature = "bevy")]
pub mod prelude {
    pub use crate::plugin::{
        AngularDamping, AngularInertia, AngularVelocity, CenterOfMass, Collider, ColliderDensity,
        ConstantForce, ConstantTorque, ContactConfig, DefaultFriction, Forces, Friction, Gravity,
        GravityScale, Joint, KinematicTarget, LinearDamping, LinearVelocity, LockedAxes, Mass,
        Physics, PhysicsError, PhysicsPlugins, PhysicsSchedule, PhysicsStepSystems, PhysicsSystems,
        PhysicsTime, PhysicsWorld, RigidBody, SolverConfig, StepReport,
    };
}
