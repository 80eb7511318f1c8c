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
//! The solvers of the step work on contacts in [manifolds](manifold), for circular cones without rolling
//! rows: [`newton`] (with kept factors, the default) and [`sweeps`] (sweeps and small steps in eight lanes).
//! [`pgs`] (any size, modest accuracy) and those of [`solvers`](crate::engine::papers::solvers) work on rows.
//! Whatever the method, the [`certificate`](certificate::Certificate) tells how well what is returned solves
//! the problem. But for small steps, and bodies that [`newton`] holds still, the velocity returned is the one
//! that the impulses give; by how much it is not is part of the certificate. A solver cannot fail: it returns
//! its best iterate and says so in [`SolveStats::status`].

pub(in crate::engine) mod bounded;
pub mod certificate;
pub mod cone;
pub mod factor;
mod joint_row;
pub mod manifold;
pub mod newton;
pub mod pgs;
#[cfg(test)]
pub(in crate::engine) mod random;
pub mod rolling;
pub(crate) mod rows;
pub mod sweeps;

use self::certificate::{Certificate, rebuild_velocity};
pub(crate) use self::rolling::RollingRow;
use crate::math::Double;

pub use self::joint_row::JointRow;

/// Six velocity or impulse components of a body: three of translation, three of rotation (about the
/// center of mass, world axes).
pub type Vec6 = [Double; 6];

/// Marks the missing body of a contact with the fixed world.
pub const FIXED: u32 = u32::MAX;

/// Shape of the friction cone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Cone {
    /// `|t| ≤ μ c_n`.
    Circular,
    /// `t ∈ μ c_n conv{d_i}` with this many directions `d_i = (cos 2πi/m_C, sin 2πi/m_C)`: the
    /// balanced set (4.5). Even, at least 2; with 2 the second tangent carries no friction (planar
    /// motion).
    Pyramid(u32),
}

/// A body's mass matrix and free velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyBlock {
    /// Mass in each direction of translation (kg); 1 for a locked direction.
    pub mass: [Double; 3],
    /// World inertia [kg·m²] as (xx, yy, zz, xy, xz, yz); locked axes have an identity row.
    pub inertia: [Double; 6],
    /// Inverse masses [1/kg]; 0 for a locked direction.
    pub inverse_mass: [Double; 3],
    /// Inverse world inertia [1/(kg·m²)], same order; locked axes have a zero row.
    pub inverse_inertia: [Double; 6],
    /// `v* = v_l + h M⁻¹ k` [m/s, rad/s].
    pub velocity_free: Vec6,
}

impl BodyBlock {
    /// Which of the six directions are not locked.
    #[must_use]
    pub fn free(&self) -> [bool; 6] {
        let (m, [x, y, z, ..]) = (self.inverse_mass, self.inverse_inertia);
        [m[0], m[1], m[2], x, y, z].map(|inverse| inverse != 0.0)
    }
}

/// A contact: one normal and two tangent rows between bodies `a` and `b`.
///
/// Row `i` reads `w_i = jacobian_a[i] · v_a + jacobian_b[i] · v_b + bias[i]`, [m/s] for rows scaled
/// as ordinary contact rows; the impulse is then in N·s. Components of locked directions are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRow {
    /// Index of body a in the island, or [`FIXED`].
    pub a: u32,
    /// Index of body b in the island, or [`FIXED`].
    pub b: u32,
    /// Rows (normal, tangent 1, tangent 2) of body a; zero if `a` is fixed.
    pub jacobian_a: [Vec6; 3],
    /// Rows of body b; zero if `b` is fixed.
    pub jacobian_b: [Vec6; 3],
    /// `Δ` for the normal and the surface velocity of fixed or kinematic bodies for all three.
    pub bias: [Double; 3],
    /// Friction coefficient μ.
    pub friction: Double,
}

/// The problem of one island.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// Mass blocks.
    pub bodies: &'a [BodyBlock],
    /// Joint rows.
    pub joints: &'a [JointRow],
    /// Contacts.
    pub contacts: &'a [ContactRow],
    /// Rolling and spinning rows of some contacts, ascending by contact, at most one each.
    pub rolling: &'a [RollingRow],
    /// Friction cone of all contacts.
    pub cone: Cone,
}

/// Unknowns of an island: warm start in, solution out.
#[derive(Debug)]
pub struct Iterate<'a> {
    /// `v`, one for each body.
    pub velocity: &'a mut [Vec6],
    /// `c_ν`, one for each joint row.
    pub joint_impulse: &'a mut [Double],
    /// `(c_n, t_1, t_2)`, one for each contact.
    pub contact_impulse: &'a mut [[Double; 3]],
    /// `(s, r_1, r_2)`, one for each rolling row.
    pub rolling_impulse: &'a mut [[Double; 3]],
}

impl Iterate<'_> {
    /// The impulses, to read.
    #[must_use]
    pub fn impulses(&self) -> Impulses<'_> {
        Impulses {
            joint: self.joint_impulse,
            contact: self.contact_impulse,
            rolling: self.rolling_impulse,
        }
    }

    /// Makes the velocity that of the impulses.
    pub(crate) fn rebuild(&mut self, problem: &Problem) {
        let impulses = Impulses {
            joint: self.joint_impulse,
            contact: self.contact_impulse,
            rolling: self.rolling_impulse,
        };
        rebuild_velocity(problem, impulses, self.velocity);
    }
}

/// Impulses of an island, to read.
#[derive(Clone, Copy, Debug)]
pub struct Impulses<'a> {
    /// `c_ν`, one for each joint row.
    pub joint: &'a [Double],
    /// `(c_n, t_1, t_2)`, one for each contact.
    pub contact: &'a [[Double; 3]],
    /// `(s, r_1, r_2)`, one for each rolling row.
    pub rolling: &'a [[Double; 3]],
}

/// How a solver ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The tolerance is met, or pivoting found a solution.
    Converged,
    /// The iteration limit came first; the best iterate is returned.
    IterationLimit,
    /// Iterations no longer gain; the best iterate is returned.
    Stalled,
    /// Lemke's algorithm ended on a ray; the better of warm start and last basis is returned.
    Ray,
    /// The problem exceeds the size cap of the method, or has rolling rows or joint rows with bounds, which
    /// Lemke's algorithm does not know; the warm start is returned.
    TooLarge,
}

/// Outcome of a solver.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Newton up to `newton_rows_max` rows; if it does not
    /// converge, up to three rounds of Gauss–Seidel and Newton from where it stopped, and for small problems
    /// with a pyramid Lemke's algorithm. Gauss–Seidel alone for larger problems. Islands with circular cones
    /// and without rolling rows get [`newton`] first, and softened small steps where they are large
    /// and violent.
    #[default]
    Auto,
    /// Projected Gauss–Seidel.
    Pgs,
    /// Small steps of Gauss–Seidel, softened by half of the impulses and to no tolerance, see [`sweeps`];
    /// here,
    /// where rows know no gaps, the same as `Pgs`.
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
