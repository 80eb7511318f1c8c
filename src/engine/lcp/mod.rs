//! The step problem and its solvers. A solver sees rows and blocks, never bodies or components: the
//! same problem in gives the same answer out. Everything here is in double precision.
//!
//! The mixed LCP (5.1)–(5.2) of one island, with velocities `v` (six numbers a body), joint
//! impulses `c_ν`, and per contact an impulse `l = (c_n, t_1, t_2)` in a friction cone `K_μ`:
//!
//! ```text
//! M (v - v*) = ν c_ν + Jᵀ l          v* = v_l + h M⁻¹ k, the velocity free of constraints
//! νᵀ v + Υ = 0                       joints; with bounds and softness see [`JointRow`]
//! K_μ ∋ l  ⊥  w̃ ∈ K_μ*               contacts:  w = J v + b,  w̃ = w + μ Λ(w_t) e_n
//! ```
//!
//! `Λ(w_t)` is the slip speed: `|w_t|` for the circular cone, `max_i(-d_i · w_t)` for the pyramid
//! with directions `d_i`. With `Λ` frozen at `Γ/μ` the problem is the convex relaxation
//! (5.3)–(5.7). Some contacts have three more rows, see [`rolling`].
//!
//! The solvers of the step work on contacts in [manifolds](manifold): [`newton`] (with kept factors, the
//! default), and for circular cones without rolling rows [`sweeps`] (sweeps and small steps in eight lanes).
//! [`pgs`] (any size, modest accuracy) and [`lemke`](crate::engine::papers::solvers::lemke) work on rows.
//! Whatever the method, the [`certificate`](certificate::Certificate) tells how well what is returned solves
//! the problem. But for small steps, and bodies that [`newton`] holds still, the velocity returned is the one
//! that the impulses give; by how much it is not is part of the certificate. A solver cannot fail: it returns
//! its best iterate and says so in [`SolveStats::status`].

pub(in crate::engine) mod bounded;
pub mod certificate;
pub mod cone;
pub(in crate::engine) mod expand;
pub mod factor;
mod joint_row;
pub mod manifold;
pub mod newton;
mod outcome;
pub mod pgs;
mod problem;
pub mod rolling;
pub(crate) mod rows;
pub mod sweeps;
#[cfg(test)]
pub(crate) mod tests;

pub use self::outcome::{Method, SolveStats, Status};
pub use self::problem::{
    BodyBlock, Cone, ContactRow, FIXED, Impulses, Iterate, JointRow, Problem, RollingRow, Vec6,
    mass_ratio,
};
