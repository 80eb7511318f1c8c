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
//! friction is large enough; solvers may or may not find impulses then. A circular cone is treated as a
//! pyramid with sixteen directions inside it, which may tell `Yes` of what is barely jammed.
//! O((contacts · m_C)³).

use super::solvers::lemke::Reduced;
use super::solvers::pivoting::lcp_lemke;
use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::{BodyBlock, Cone, Iterate, JointRow, Problem, Vec6};
use crate::math::Double;

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
    let (mut generators, n_rows) = (generators(problem), 3 * problem.contacts.len());
    for g in &mut generators {
        let length = product(g, g, &reduced.a, n_rows).max(0.0).sqrt();
        if length > 0.0 {
            g.1 = g.1.map(|x| x / length);
        }
    }
    let n = generators.len();
    let pairs = generators.iter().flat_map(|g| generators.iter().map(move |h| (g, h)));
    let gram: Vec<_> = pairs.map(|(g, h)| product(g, h, &reduced.a, n_rows)).collect();
    // 0 ≤ u ⊥ (A M⁻¹ Aᵀ + δ) u - 1 ≥ 0: u over its sum is the point of least length.
    let mut matrix = gram.clone();
    (0..n).for_each(|i| matrix[i * n + i] += DIAGONAL);
    let u = lcp_lemke(&matrix, &vec![-1.0; n], 50 * n as u32 + 100).z;
    let total: Double = u.iter().sum();
    let square: Double = (0..n * n).map(|k| u[k / n] * gram[k] * u[k % n]).sum();
    let mut impulses = vec![[0.0; 3]; problem.contacts.len()];
    for ((c, x), u) in generators.iter().zip(&u) {
        (0..3).for_each(|r| impulses[*c][r] += u * x[r]);
    }
    if n > 0 && square.max(0.0).sqrt() <= ROUNDING * total {
        let most = impulses.iter().fold(0.0, |most: Double, l| most.max(l[0]));
        return Pointed::No(impulses.iter().map(|l| l.map(|x| x / most)).collect());
    }
    let mut velocity = vec![[0.0; 6]; bodies.len()];
    let mut iterate = Iterate {
        velocity: &mut velocity,
        joint_impulse: &mut vec![0.0; joints.len()],
        contact_impulse: &mut impulses,
        rolling_impulse: &mut [],
    };
    reduced.answer(&mut iterate);
    iterate.rebuild(problem);
    Pointed::Yes(velocity)
}

/// A corner of a friction cone: the contact, and weights of its three rows.
type Generator = (usize, [Double; 3]);

/// Corners of all friction cones.
fn generators(problem: &Problem) -> Vec<Generator> {
    let cone = FrictionCone::new(match problem.cone {
        Cone::Circular => Cone::Pyramid(DIRECTIONS),
        pyramid @ Cone::Pyramid(_) => pyramid,
    });
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

/// `g A M⁻¹ Aᵀ h` of two generators; `a` is that of the rows, `n_rows` of them.
fn product(g: &Generator, h: &Generator, a: &[Double], n_rows: usize) -> Double {
    let ((c, x), (e, y)) = (g, h);
    let mut sum = 0.0;
    for r in 0..3 {
        let row = &a[(3 * c + r) * n_rows + 3 * e..][..3];
        sum += x[r] * (row[0] * y[0] + row[1] * y[1] + row[2] * y[2]);
    }
    sum
}
