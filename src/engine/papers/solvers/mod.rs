//! The solvers on rows, and which of them a problem gets.

mod coupled;
mod envelope;
pub(in crate::engine) mod expand;
pub mod lemke;
pub mod newton;
mod order;
pub mod pivoting;
pub(in crate::engine) mod relaxation;
#[cfg(test)]
pub(in crate::engine) mod tests;

use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::pgs;
use crate::engine::lcp::{Cone, Iterate, JointRow, Method, Problem, SolveStats, Status};
use crate::math::Double;

/// Parameters of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverParams {
    /// Which solver.
    pub method: Method,
    /// Largest number of contacts, joint rows and bodies together that `Auto` gives to Newton.
    /// Default 2500: about 250 bodies in a pile, whose factor takes ten milliseconds. Counted, not
    /// timed, so that results do not depend on the machine.
    pub newton_rows_max: usize,
    /// Parameters of the cone Newton.
    pub newton: newton::NewtonParams,
    /// Parameters of projected Gauss–Seidel.
    pub pgs: pgs::PgsParams,
    /// Parameters of Lemke's algorithm.
    pub lemke: lemke::LemkeParams,
}

impl Default for SolverParams {
    fn default() -> Self {
        Self {
            method: Method::Auto,
            newton_rows_max: 2500,
            newton: newton::NewtonParams::default(),
            pgs: pgs::PgsParams::default(),
            lemke: lemke::LemkeParams::default(),
        }
    }
}

impl SolverParams {
    /// Sets the tolerance of all methods [m/s].
    pub fn aim(&mut self, tolerance: Double) {
        self.newton.tolerance = tolerance;
        self.pgs.tolerance = tolerance;
        self.lemke.tolerance = tolerance;
    }
}

/// Buffers of all solvers, reused from problem to problem. Its content never influences a result.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// For certificates.
    pub(crate) cone: FrictionCone,
    pub(crate) newton: newton::NewtonScratch,
    pub(crate) pgs: pgs::PgsScratch,
}

/// Solves the step problem (5.1)–(5.2) by the method chosen in `params`, from the warm start in
/// `iterate`.
pub fn solve(
    problem: &Problem,
    iterate: &mut Iterate,
    params: &SolverParams,
    scratch: &mut Scratch,
) -> SolveStats {
    match params.method {
        Method::Pgs | Method::Substeps => {
            pgs::solve(problem, iterate, &params.pgs, &mut scratch.pgs)
        }
        Method::Newton => newton::solve(problem, iterate, &params.newton, &mut scratch.newton),
        Method::Lemke => lemke::solve(problem, iterate, &params.lemke),
        Method::Auto => solve_auto(problem, iterate, params, scratch),
    }
}

/// Rounds of sweeps and Newton after a first Newton that did not converge.
const AUTO_ROUNDS: u32 = 3;

fn solve_auto(
    problem: &Problem,
    iterate: &mut Iterate,
    params: &SolverParams,
    scratch: &mut Scratch,
) -> SolveStats {
    let rows = problem.contacts.len() + problem.joints.len() + problem.bodies.len();
    if rows > params.newton_rows_max {
        return pgs::solve(problem, iterate, &params.pgs, &mut scratch.pgs);
    }
    let (tolerance, gravity_dt) = (params.newton.tolerance, params.newton.gravity_dt);
    let sweeps = pgs::PgsParams { tolerance, gravity_dt, ..params.pgs };
    // Every solver keeps the best iterate it sees, its start among them: no round makes things
    // worse.
    let mut total = newton::solve(problem, iterate, &params.newton, &mut scratch.newton);
    for _ in 0..AUTO_ROUNDS {
        if total.factorizations >= params.newton.factorizations_max {
            // The budget is spent: sweeps alone from here.
            if total.status != Status::Converged {
                total.add(&pgs::solve(problem, iterate, &sweeps, &mut scratch.pgs));
            }
            return total;
        }
        if total.status != Status::Converged {
            total.add(&pgs::solve(problem, iterate, &sweeps, &mut scratch.pgs));
        }
        if total.status != Status::Converged {
            total.add(&newton::solve(problem, iterate, &params.newton, &mut scratch.newton));
        }
    }
    let known = problem.rolling.is_empty() && !problem.joints.iter().any(JointRow::is_bounded);
    let pivots = problem.cone != Cone::Circular && known;
    if total.status != Status::Converged && pivots {
        let status = total.status;
        let lemke = lemke::LemkeParams { tolerance, gravity_dt, ..params.lemke };
        total.add(&lemke::solve(problem, iterate, &lemke));
        if total.certificate.error() > tolerance {
            total.status = status;
        }
    }
    total
}
