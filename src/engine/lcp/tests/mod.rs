//! Laws of mechanics with exact discrete answers, and random problems that every solver must
//! certify.

mod laws;
pub(in crate::engine) mod mixed;
pub(crate) mod random;
pub(in crate::engine) mod random_problems;
mod rolling;
pub(in crate::engine) mod scenes;

use super::newton::{NewtonParams, NewtonScratch, solve_rows};
use super::pgs::{self, PgsParams, PgsScratch};
use super::{Iterate, Method, Problem, SolveStats, Status};
use crate::engine::papers::solvers::lemke::{self, LemkeParams};
use crate::engine::tuning::policy::TURNS;
use crate::math::Double;

/// Buffers of all solvers.
#[derive(Debug, Default)]
pub(in crate::engine) struct Scratch {
    pub(in crate::engine) newton: NewtonScratch,
    pub(in crate::engine) pgs: PgsScratch,
}

/// Solves a problem in rows; `Auto` is Newton, then sweeps and Newton in turns.
pub(in crate::engine) fn solve(
    problem: &Problem<'_>,
    iterate: &mut Iterate<'_>,
    method: Method,
    tolerance: Double,
    scratch: &mut Scratch,
) -> SolveStats {
    let iterations_max = if method == Method::Auto { 200 } else { 20_000 };
    let sweeps = PgsParams { tolerance, iterations_max };
    let params = NewtonParams { tolerance, ..NewtonParams::default() };
    match method {
        Method::Pgs | Method::Substeps => pgs::solve(problem, iterate, &sweeps, &mut scratch.pgs),
        Method::Newton => solve_rows(problem, None, iterate, &params, &mut scratch.newton),
        Method::Lemke => {
            lemke::solve(problem, iterate, &LemkeParams { tolerance, ..LemkeParams::default() })
        }
        Method::Auto => {
            let mut stats = solve_rows(problem, None, iterate, &params, &mut scratch.newton);
            for _ in 0..TURNS {
                if stats.status != Status::Converged {
                    stats.add(&pgs::solve(problem, iterate, &sweeps, &mut scratch.pgs));
                }
                if stats.status != Status::Converged {
                    stats.add(&solve_rows(problem, None, iterate, &params, &mut scratch.newton));
                }
            }
            stats
        }
    }
}
