//! Whether the friction cone is pointed or the configuration jammed: Definitions 5.5 and 5.7 of the thesis.
//!
//! Input: a step problem. Output: a velocity that opens every contact and keeps every joint, whatever
//! friction does, or impulses in the friction cones that are in equilibrium by themselves. With the
//! generators of the friction cone as rows, `a = n + μ d_i` of every contact and `ν` of the joints, these
//! are the two alternatives of Gordan's theorem,
//!
//! ```text
//! A d > 0, νᵀ d = 0          the constraints of (5.7) satisfy MFCQ, the step has a solution for any Δ
//! Aᵀ u + ν c = 0, u ≥ 0, u ≠ 0    the cone is not pointed: what is squeezed may be stuck
//! ```
//!
//! told by the point of `conv {a}` nearest to zero, across the joints and in the norm of `M⁻¹`: where it is
//! not zero it is `d`, else its weights are `u`. Bodies between fixed walls are jammed in this sense if the
//! friction is large enough; solvers may or may not find impulses then. Steps tell it of small islands that
//! they did not solve, [`StepReport::jammed`](crate::engine::report::StepReport::jammed). A circular cone is
//! treated as a pyramid with sixteen directions inside it, which may tell `Yes` of what is barely jammed.
//! O((contacts · m_C)³).

use super::export::{ContactOrigin, ExportedProblem};
use super::solvers::lemke::Reduced;
use super::solvers::pivoting::lcp_lemke;
use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::{BodyBlock, Cone, FIXED, Iterate, JointRow, Problem, Vec6};
use crate::engine::state::body::BodyId;
use crate::engine::step::assemble::Unknowns;
use crate::math::{DVec3, Double};

/// Directions of the pyramid that stands for the circular cone.
const DIRECTIONS: u32 = 16;
/// Part of the rows' length below which what is left of them is zero (–).
const ROUNDING: Double = 1e-5;
/// Added to the diagonal of the problem of least distance (–): its solution is then bounded, and what is left
/// of rows that hold each other is about as much.
const DIAGONAL: Double = 1e-8;

/// Which of the two alternatives holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Pointed {
    /// The friction cone is pointed: with this velocity of the bodies [m/s, rad/s] every contact opens.
    Yes(Vec<Vec6>),
    /// Jammed: these impulses of the contacts, as (n, t_1, t_2) [N·s], hold each other with those of the
    /// joints; the largest normal one is 1.
    No(Vec<[Double; 3]>),
}

/// Contacts whose impulses can hold each other: what they touch may be stuck, whatever force is on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jam {
    /// The bodies that move and that they touch, ascending.
    pub bodies: Vec<BodyId>,
    /// Where each comes from, and its impulse on body b of the pair in world axes [N·s]; the largest normal
    /// one is 1.
    pub contacts: Vec<(ContactOrigin, DVec3)>,
}

impl ExportedProblem {
    /// What jams, of contacts with a gap up to `touching` (m); none if the friction cone is pointed.
    #[must_use]
    pub fn jam(&self, touching: Double) -> Option<Jam> {
        let here = self.instantaneous(touching);
        let Pointed::No(impulses) = is_pointed(&here.problem()) else { return None };
        let mut jam = Jam::default();
        for ((row, l), origin) in here.contacts.iter().zip(&impulses).zip(&here.contact_origins) {
            if l[0] <= ROUNDING {
                continue;
            }
            let b = row.b != FIXED;
            let (rows, sign) = if b { (&row.jacobian_b, 1.0) } else { (&row.jacobian_a, -1.0) };
            let along = |k: usize| (0..3).map(|r| sign * l[r] * rows[r][k]).sum();
            jam.contacts.push((*origin, DVec3::new(along(0), along(1), along(2))));
            jam.bodies.extend([row.a, row.b].iter().filter_map(|i| here.bodies.get(*i as usize)));
        }
        jam.bodies.sort_unstable();
        jam.bodies.dedup();
        Some(jam)
    }
}

/// Tells it of a problem; rolling rows and joint rows with bounds are left out.
#[must_use]
pub fn is_pointed(problem: &Problem) -> Pointed {
    // What the impulses alone give.
    let still = |block: &BodyBlock| BodyBlock { velocity_free: [0.0; 6], ..*block };
    let bodies: Vec<_> = problem.bodies.iter().map(still).collect();
    let joints = problem.joints.iter().filter(|row| !row.is_bounded());
    let joints: Vec<_> = joints.map(|row| JointRow { bias: 0.0, ..row.clone() }).collect();
    let problem = &Problem { bodies: &bodies, joints: &joints, rolling: &[], ..*problem };
    let reduced = Reduced::new(problem);
    let mut generators = generators(problem);
    for g in &mut generators {
        let length = reduced.product(*g, *g).max(0.0).sqrt();
        if length > 0.0 {
            g.1 = g.1.map(|x| x / length);
        }
    }
    let n = generators.len();
    let pairs = generators.iter().flat_map(|g| generators.iter().map(move |h| (g, h)));
    let gram: Vec<_> = pairs.map(|(g, h)| reduced.product(*g, *h)).collect();
    // 0 ≤ u ⊥ (A M⁻¹ Aᵀ + δ) u - 1 ≥ 0: u over its sum is the point of least length.
    let mut matrix = gram.clone();
    (0..n).for_each(|i| matrix[i * n + i] += DIAGONAL);
    let u = lcp_lemke(&matrix, &vec![-1.0; n], 50 * n as u32 + 100).z;
    let total: Double = u.iter().sum();
    let square: Double = (0..n * n).map(|k| u[k / n] * gram[k] * u[k % n]).sum();
    let mut found = Unknowns::at_rest(problem);
    let impulses = &mut found.contact_impulse;
    for ((c, x), u) in generators.iter().zip(&u) {
        (0..3).for_each(|r| impulses[*c][r] += u * x[r]);
    }
    if n > 0 && square.max(0.0).sqrt() <= ROUNDING * total {
        let most = impulses.iter().fold(0.0, |most: Double, l| most.max(l[0]));
        return Pointed::No(impulses.iter().map(|l| l.map(|x| x / most)).collect());
    }
    let mut iterate = Iterate::new(&mut found);
    reduced.answer(&mut iterate);
    iterate.rebuild(problem);
    Pointed::Yes(found.velocity)
}

/// Sides of the pyramid by which a cone is looked at.
pub(in crate::engine) const fn sides(cone: Cone) -> u32 {
    match cone {
        Cone::Circular => DIRECTIONS,
        Cone::Pyramid(sides) => sides,
    }
}

/// A corner of a friction cone: the contact, and weights of its three rows.
pub(super) type Generator = (usize, [Double; 3]);

/// Corners of all friction cones.
fn generators(problem: &Problem) -> Vec<Generator> {
    let cone = FrictionCone::new(Cone::Pyramid(sides(problem.cone)));
    let mut list = Vec::new();
    for (c, row) in problem.contacts.iter().enumerate() {
        let mu = row.friction;
        let corner = |d: &[Double; 2]| (c, [1.0, mu * d[0], mu * d[1]]);
        if mu > 0.0 {
            list.extend(cone.directions().iter().map(corner));
        } else {
            list.push((c, [1.0, 0.0, 0.0]));
        }
    }
    list
}
