//! How an island was solved: by which method, with what work, how well.

use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::{Method, SolveStats, Status};
use crate::math::Double;

/// How an island was solved.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcome {
    /// The method that gave the solution.
    pub(super) method: Method,
    pub(super) biased: SolveStats,
    /// None if nothing pushed, or small steps found both at once.
    pub(super) relaxed: Option<SolveStats>,
    /// Residual of the carried velocity, whatever found it.
    pub(super) carried: Certificate,
    /// Was the step, or a part of it, made in small steps, or by one soft problem?
    pub(super) softened: bool,
    pub(super) beyond_lemke: bool,
    /// Kinetic energy of what is carried beyond that of the free velocities (J).
    pub(super) given: Double,
    /// Do bodies without impulses move by their free flight already?
    pub(super) flown: bool,
}

impl Outcome {
    pub(super) fn is_solved(&self) -> bool {
        let solved = |stats: &SolveStats| stats.status == Status::Converged;
        solved(&self.biased) && self.relaxed.as_ref().is_none_or(solved)
    }

    /// Residual of the velocities that move the bodies and of those carried on, as they are returned [m/s].
    pub(super) fn error(&self) -> Double {
        self.biased.certificate.error().max(self.carried.error())
    }

    /// Residual that the solves left [m/s].
    pub(super) fn error_of_solves(&self) -> Double {
        let error = |stats: &SolveStats| stats.certificate.error();
        error(&self.biased).max(self.relaxed.as_ref().map_or(0.0, error))
    }

    /// Were the impulses taken as they were?
    pub(super) fn is_as_it_was(&self) -> bool {
        let as_it_was = |stats: &SolveStats| {
            (stats.status, stats.iterations, stats.factorizations) == (Status::Converged, 0, 0)
        };
        as_it_was(&self.biased) && self.relaxed.as_ref().is_none_or(as_it_was)
    }

    /// Takes note of the speeds at which what moves and what is carried close gaps that have no rows [m/s].
    pub(super) fn note_crossed(&mut self, [biased, carried]: [Double; 2], tolerance: Double) {
        let certificates = [&mut self.biased.certificate, &mut self.carried];
        for (certificate, crossed) in certificates.into_iter().zip([biased, carried]) {
            certificate.natural_map = certificate.natural_map.max(crossed);
        }
        if biased.max(carried) > tolerance {
            self.biased.status = Status::IterationLimit;
        }
    }

    /// Counts the work of an attempt that came before.
    pub(super) fn after(mut self, attempt: &Self) -> Self {
        self.biased.work += attempt.biased.work;
        if let (Some(relaxed), Some(before)) = (&mut self.relaxed, &attempt.relaxed) {
            relaxed.work += before.work;
        }
        self
    }
}
