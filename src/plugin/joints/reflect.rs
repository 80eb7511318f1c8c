//! Reflection of the engine's types, which know no Bevy.

use bevy_reflect::impl_reflect;

use crate::engine::joint::{AxisLimit, JointAxis, JointKind, Motor};
use crate::math::{Real, Vec3};

impl_reflect!(
    #[type_path = "orthant::engine::joint"]
    #[reflect(Debug, PartialEq, Hash, Clone)]
    enum JointAxis {
        LinearX,
        LinearY,
        LinearZ,
        AngularX,
        AngularY,
        AngularZ,
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::joint"]
    #[reflect(Debug, PartialEq, Clone)]
    enum JointKind {
        Fixed,
        Revolute,
        Spherical,
        Prismatic,
        Cylindrical,
        Universal,
        Planar,
        Pivot,
        Distance { min: Real, max: Real },
        Gear { ratio: Real },
        RackAndPinion { radius: Real },
        Screw { lead: Real },
        Pulley { wheels: [Vec3; 2], ratio: Real, length: Real },
        Generic,
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::joint"]
    #[reflect(Debug, PartialEq, Clone)]
    struct AxisLimit {
        min: Real,
        max: Real,
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::joint"]
    #[reflect(Debug, PartialEq, Clone)]
    struct Motor {
        velocity: Real,
        position: Real,
        stiffness: Real,
        damping: Real,
        max_force: Real,
    }
);
