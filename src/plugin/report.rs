//! Reflection of the engine's report, which knows no Bevy.

use bevy_reflect::impl_reflect;

use crate::engine::body::BodyId;
use crate::engine::joint::JointId;
use crate::engine::lcp::Method;
use crate::engine::report::{IslandReport, StepReport, StepStatus};
use crate::math::{Double, Real};

impl_reflect!(
    #[type_path = "orthant::engine::body"]
    #[reflect(Debug, PartialEq, Hash, Clone)]
    struct BodyId(u64);
);
impl_reflect!(
    #[type_path = "orthant::engine::joint"]
    #[reflect(Debug, PartialEq, Hash, Clone)]
    struct JointId(u64);
);
impl_reflect!(
    #[type_path = "orthant::engine::report"]
    #[reflect(Debug, PartialEq, Clone)]
    enum StepStatus {
        Solved,
        NotConverged,
        Refused,
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::report"]
    #[reflect(Debug, PartialEq, Clone)]
    struct IslandReport {
        first: BodyId,
        bodies: u32,
        contacts: u32,
        joint_rows: u32,
        method: Method,
        iterations: u32,
        factorizations: u32,
        work: [Double; 2],
        residual: Double,
        residual_relaxed: Double,
        energy_given: Double,
        solved: bool,
        rows_solved: u32,
        rows_swept: u32,
        rows_softened: u32,
        rows_pressed: u32,
    }
);
impl_reflect!(
    #[type_path = "orthant::engine::report"]
    #[type_name = "EngineStepReport"]
    #[reflect(Debug, PartialEq, Clone)]
    struct StepReport {
        step: u64,
        dt: Real,
        status: StepStatus,
        infeasibility: Real,
        overlap: Real,
        natural_map: Double,
        natural_map_relaxed: Double,
        complementarity_gap: Double,
        joint_residual: Double,
        joint_residual_relaxed: Double,
        motion_residual: Double,
        motion_residual_relaxed: Double,
        energy_given: Double,
        joint_error: Real,
        kinetic_energy: Double,
        bodies: u32,
        dynamic_bodies: u32,
        sleeping: u32,
        pairs: u32,
        searched: u32,
        measured: u32,
        contacts: u32,
        rows_solved: u32,
        rows_swept: u32,
        rows_softened: u32,
        rows_pressed: u32,
        contacts_out_of_reach: u32,
        pairs_left_out: u32,
        pairs_refused: u64,
        events_dropped: u32,
        joints: u32,
        islands: u32,
        islands_steady: u32,
        islands_unsolved: u32,
        islands_beyond_lemke: u32,
        iterations: u32,
        factorizations: u32,
        solves: Vec<IslandReport>,
        unbalanced: Vec<BodyId>,
        jammed: Vec<BodyId>,
        crowded: Vec<BodyId>,
        quarantined: Vec<BodyId>,
        broken: Vec<JointId>,
        yielded: Vec<JointId>,
        pressed: Vec<BodyId>,
    }
);
