//! Which solver is asked for, and what it tells of its work.

use super::certificate::Certificate;
use crate::math::Double;

/// How a solver ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// The tolerance is met, or pivoting found a solution.
    #[default]
    Converged,
    /// The iteration limit came first; the best iterate is returned.
    IterationLimit,
    /// Iterations no longer gain; the best iterate is returned.
    Stalled,
    /// Impulses that grow without end prove that there is no solution; the best iterate is returned.
    Infeasible,
    /// Lemke's algorithm ended on a ray; the better of warm start and last basis is returned.
    Ray,
    /// The problem exceeds the size cap of the method, or has rolling rows or joint rows with bounds, which
    /// Lemke's algorithm does not know; the warm start is returned.
    TooLarge,
}

/// Outcome of a solver; by default that of nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveStats {
    /// How it ended.
    pub status: Status,
    /// Newton steps, sweeps or pivots.
    pub iterations: u32,
    /// Matrix factors computed.
    pub factorizations: u32,
    /// Work, counted in sweeps over all contacts and bodies; measuring impulses counts as two (–).
    pub work: Double,
    /// Error of the velocity and the impulses returned.
    pub certificate: Certificate,
}

/// Which solver to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Method {
    /// The cone Newton up to `newton_rows_max` rows; if it does not converge, sweeps from where it stopped,
    /// with joints, pyramids or rolling rows up to three rounds of Gauss–Seidel and Newton. Larger problems
    /// get Newton with a budget, and softened small steps where bodies strike each other; Gauss–Seidel alone
    /// under pyramids and with rolling rows.
    #[default]
    Auto,
    /// Projected Gauss–Seidel.
    Pgs,
    /// Small steps of Gauss–Seidel, softened by half of the impulses and to no tolerance, see
    /// `lcp::sweeps`; here, where rows know no gaps, the same as `Pgs`.
    Substeps,
    /// The cone Newton.
    Newton,
    /// Lemke's algorithm.
    Lemke,
}

impl SolveStats {
    /// Adds the work of a later solver and takes its outcome.
    pub(crate) fn add(&mut self, later: &Self) {
        self.status = later.status;
        self.iterations += later.iterations;
        self.factorizations += later.factorizations;
        self.work += later.work;
        self.certificate = later.certificate;
    }
}
