//! Stiff small steps and sweeps in eight lanes: the budget mode, and the answer to impacts.
//!
//! Input: one island, manifolds and joint rows, and the impulses of the last step. Output: velocities and
//! impulses. Three ways of using the same sweep of projected Gauss–Seidel:
//!
//! - [`solve_substeps`] divides the step into `n` steps of `h/n`, each a problem (5.1)–(5.2) of its own
//!   with the gaps brought up to date, and gives each two sweeps: one with the bias of its gaps and the
//!   push of the step, which moves the bodies, and one without, for the velocity carried on. The first is
//!   *soft*: contacts drop half of the impulse that they start from, joints three tenths. The error falls
//!   like `1/n²`, is bounded by no tolerance, and that of the whole step is measured by the caller.
//! - [`solve_sweeps`] sweeps `n` times over the one problem of the step. The error falls like `1/n`.
//! - [`solve_nncg`] accelerates the latter by conjugate directions.
//!
//! Manifolds are colored (`color.rs`): those of a color share no moving body and are solved eight abreast by
//! one kernel (`sweep.rs`), written for any number of lanes; one lane gives the same bits. Arms and
//! normals stay those of the start of the step, as in the one problem.
//!
//! State is in single precision: positions enter only as arms and gaps. The cone is circular; pyramids and
//! rolling rows are left to the other solvers. Cost: see `benches/sweep.rs`; no allocation once the
//! buffers have grown.

mod batch;
mod bounded;
mod color;
pub(in crate::engine) mod domains;
mod joints;
mod lanes;
mod lists;
mod nncg;
mod problem;
mod substeps;
mod sweep;
#[cfg(test)]
mod tests;

pub use self::lists::SweepScratch;
pub use self::nncg::solve_nncg;
pub use self::problem::{SweepIterate, SweptIsland};
pub use self::substeps::{Start, SubstepParams, SweepStats};
pub use self::substeps::{solve_substeps, solve_sweeps, substep_ways};
