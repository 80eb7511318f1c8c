//! What the cone Newton is given, keeps from step to step and works with.

use super::anderson::Anderson;
use super::held::Held;
use super::inner::Inner;
use super::kernel::{Measure, Sweep};
use super::matrix::JointNode;
use super::rigid::Rigid;
use super::wrench::Wrench;
use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::factor::{Factor, NodeLanes, Order, Pattern};
use crate::engine::lcp::manifold::LaneVectors;
use crate::engine::lcp::outcome::SolveStats;
use crate::engine::lcp::problem::Vec6;
use crate::engine::tuning::newton::AIM;
use crate::math::{Double, Single};

/// Parameters of the cone Newton.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonParams {
    /// Bound on [`Certificate::error`](crate::engine::lcp::certificate::Certificate::error) [m/s].
    pub tolerance: Double,
    /// First `ρ` of an island (–).
    pub penalty: Double,
    /// Largest number of multiplier updates.
    pub outer_max: u32,
    /// Largest number of Newton steps between two updates.
    pub newton_max: u32,
    /// Budget of work for each contact and body, in sweeps over a contact (–).
    pub work_max: Double,
    /// Within so much of it (–) the error has to fall by half, else the solve ends; infinite to spend it all.
    pub half_work: Double,
    /// Does it go on for long where it no longer gains?
    pub patient: bool,
    /// Is it at rest but for its loads, however much it errs?
    pub loaded: bool,
}

impl Default for NewtonParams {
    /// To 1e-10 m/s, without a budget.
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            penalty: 200.0,
            outer_max: 200,
            newton_max: 40,
            work_max: Double::INFINITY,
            half_work: Double::INFINITY,
            patient: true,
            loaded: false,
        }
    }
}

/// What an island keeps from step to step: the factor and `ρ`. It makes solving fast and changes results
/// only within the tolerance.
#[derive(Clone, Debug, Default)]
pub struct NewtonMemory {
    pub(super) pattern: Pattern,
    /// Nodes of the pattern that stand for the bodies, ascending, where others are gone; empty while there is
    /// one for each.
    pub(super) nodes: Vec<u32>,
    pub(super) single: Factor<Single>,
    pub(super) double: Factor<Double>,
    /// Is there a factor, in double precision or not, and for which `ρ`?
    pub(super) state: FactorState,
    /// `ρ` of the last solve; 0 before the first.
    pub(super) penalty: Double,
    /// Did the last solve change the impulses? Then they hold what it took to stop the bodies, which would
    /// act once more if they were taken as they are.
    pub(super) changed: bool,
    /// The bodies that contacts held together when that was looked at last.
    pub(super) rigid: Rigid,
}

impl NewtonMemory {
    /// Tells that another solver changed the impulses after the last solve.
    pub fn mark_changed(&mut self) {
        self.changed = true;
    }

    /// Are impulses that were measured good enough to be taken as they are?
    pub(in crate::engine) fn accepts(&self, measured: Certificate, tolerance: Double) -> bool {
        measured.error() <= if self.changed { AIM } else { 1.0 } * tolerance
    }

    /// Begins with other bodies, and this `ρ`.
    pub(in crate::engine) fn forget(&mut self, penalty: Double) {
        self.nodes.clear();
        self.rigid.clear();
        (self.state, self.penalty, self.changed) = (FactorState::None, penalty, true);
    }

    /// Goes on with other bodies: for each its place among those before, ascending, or none if it is new. The
    /// factor serves on if all were there, with the contacts that are left: as good as an older one.
    pub fn pass_on(&mut self, places: impl ExactSizeIterator<Item = Option<usize>>) {
        self.rigid.clear();
        let before = core::mem::take(&mut self.nodes);
        let node = |place: usize| before.get(place).copied().unwrap_or(place as u32);
        let bodies = places.len();
        self.nodes.extend(places.flatten().map(node));
        if self.nodes.len() < bodies {
            self.nodes.clear();
            self.pattern.forget();
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum FactorState {
    #[default]
    None,
    Made {
        double: bool,
        penalty: Double,
        /// Did `ρ` follow the loads?
        by_load: bool,
    },
}

/// Buffers of the cone Newton.
#[derive(Clone, Debug, Default)]
pub struct NewtonScratch {
    pub(super) sweep: Sweep,
    pub(super) nodes: Vec<JointNode>,
    pub(super) edges: Vec<[u32; 2]>,
    pub(super) order: Order,
    pub(super) velocity: Vec<Vec6>,
    pub(super) trial: Vec<Vec6>,
    pub(super) step: Vec<Vec6>,
    pub(super) rebuilt: Vec<Vec6>,
    /// What the contacts of each manifold do to its bodies.
    pub(super) wrenches: Vec<Wrench>,
    pub(super) joint: Vec<Double>,
    pub(super) trial_joint: Vec<Double>,
    pub(super) joint_step: Vec<Double>,
    pub(super) single: Vec<NodeLanes<Single>>,
    pub(super) double: Vec<NodeLanes<Double>>,
    pub(super) best_impulse: Vec<LaneVectors>,
    pub(super) best_rolling: Vec<[Double; 3]>,
    pub(super) best_joint: Vec<Double>,
    /// Are the impulses given back earlier ones than the last?
    pub(super) went_back: bool,
    pub(super) anderson: Anderson,
    pub(super) slip_bound_error: Vec<Double>,
    pub(super) held: Held,
    pub(super) inner: Vec<Inner>,
}

/// Work and outcome while solving.
pub(super) struct Progress {
    pub(super) stats: SolveStats,
    pub(super) work: Double,
    pub(super) work_max: Double,
    pub(super) half_work: Double,
    /// Does it get as much work again where it comes near, since the last solve left a factor?
    pub(super) overdraft: bool,
    pub(super) double: bool,
    pub(super) penalty: Double,
    pub(super) poor: bool,
    /// Error at which the solve ends.
    pub(super) aim: Double,
    /// Error of the impulses at hand; infinite if they have not been measured.
    pub(super) last_error: Double,
    /// Is the factor of an earlier step all there is, for now?
    pub(super) at_hand: bool,
    /// Has the pass that was made minimized?
    pub(super) minimized: bool,
    /// Does it go on until what sticks is held?
    pub(super) to_be_held: bool,
    /// The certificate with held bodies moved, if the solve ended with it.
    pub(super) held: Option<Certificate>,
    /// What a sweep measured at the velocity at hand, if it was the last one.
    pub(super) measured: Option<Measure>,
}
