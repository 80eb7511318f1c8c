//! Contacts with other cones than that of friction in a circle: pyramids, and those with rolling rows.
//!
//! Input: manifolds under a pyramid or with [rolling rows](crate::engine::lcp::rolling), their relative
//! velocities. Output: projections, torques, errors, and the block that a manifold adds to the matrix. In the
//! frame `E` of a contact, with the length ℓ of its rolling rows, its six rows are
//!
//! ```text
//! w = (E u, ℓ E ω) + b        force E l_t,  torque ℓ E l_r        u, ω: velocity and rotation of b less a
//! ```
//!
//! so that its derivative becomes a 6×6 block of the world, `[F X; Xᵀ T]`, and with `u = v + K(p) ω` at the
//! reference point of the manifold
//!
//! ```text
//! A = F        B = F K + X        C = Kᵀ (F K + X) + Xᵀ K + T
//! ```
//!
//! The projection on a pyramid is linear in pieces, that on the other cones smooth in pieces: the Newton
//! method is one and the same. About 0.3 µs a contact.

use super::problem::ManifoldProblem;
use super::round::{APEX, SURFACE};
use crate::engine::lcp::certificate::{Certificate, contact_error};
use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::manifold::{LANES, LaneVectors, Lanes, Manifold};
use crate::engine::lcp::problem::{Cone, RollingRow, Vec6};
use crate::engine::lcp::rolling::{RollingProjection, join};
use crate::engine::lcp::rows::{Mat, dot3, k_mul, mul_k, transpose};
use crate::engine::tuning::held::INSIDE;
use crate::math::Double;
use crate::math::refill;

/// Marks a contact without rolling rows.
const NONE: u32 = u32::MAX;

/// The contacts with such cones; empty lists if there are none.
#[derive(Clone, Debug, Default)]
pub(super) struct Cones {
    kernel: FrictionCone,
    /// Where the contacts of every manifold begin in the lists below, and the end of the last.
    starts: Vec<u32>,
    /// Rolling row of every contact, or [`NONE`].
    rows: Vec<u32>,
    /// `p` of every contact at the last evaluation.
    point: Vec<[Double; 6]>,
    /// `P_K(p)`.
    pub(super) image: Vec<RollingProjection>,
    /// `l` of every rolling row: (s, r_1, r_2).
    pub(super) rolling: Vec<[Double; 3]>,
}

/// What an evaluation of a manifold gives.
pub(super) struct Evaluated {
    /// Images of the forces, world axes.
    pub(super) image: LaneVectors,
    /// [`APEX`] or another zone, two bits a contact.
    pub(super) zones: u8,
    /// Largest `|P_K(p) - l|² W_nn²`.
    pub(super) worst: Double,
}

fn in_frame(frame: &[[Double; 3]; 3], x: &LaneVectors, lane: usize) -> [Double; 3] {
    frame.map(|d| dot3(&d, &[x[0][lane], x[1][lane], x[2][lane]]))
}

fn to_world(frame: &[[Double; 3]; 3], x: &[Double]) -> [Double; 3] {
    [0, 1, 2].map(|k| frame[0][k] * x[0] + frame[1][k] * x[1] + frame[2][k] * x[2])
}

impl Cones {
    /// Finds the contacts with such cones.
    pub(super) fn find(&mut self, problem: &ManifoldProblem<'_>) {
        self.kernel.set(problem.cone);
        self.starts.clear();
        self.rows.clear();
        refill(&mut self.rolling, problem.rolling.len(), [0.0; 3]);
        let polygonal = problem.cone != Cone::Circular;
        if polygonal || !problem.rolling.is_empty() {
            let mut next = 0;
            self.starts.push(0);
            for m in problem.manifolds {
                let contacts = m.first..m.first + m.count;
                let rolls =
                    problem.rolling.get(next).is_some_and(|r| contacts.contains(&r.contact));
                for contact in contacts.filter(|_| polygonal || rolls) {
                    let has = problem.rolling.get(next).is_some_and(|r| r.contact == contact);
                    self.rows.push(if has { next as u32 } else { NONE });
                    next += usize::from(has);
                }
                self.starts.push(self.rows.len() as u32);
            }
        }
        refill(&mut self.point, self.rows.len(), [0.0; 6]);
        refill(&mut self.image, self.rows.len(), RollingProjection::APEX);
    }

    /// Are there such contacts?
    pub(super) fn any(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Has manifold `i` such contacts? Then all of its contacts are here.
    #[inline(always)]
    pub(super) fn has(&self, i: usize) -> bool {
        !self.starts.is_empty() && self.starts[i] != self.starts[i + 1]
    }

    /// Radius of the circle inside the polygon of friction, relative to that around it (–).
    pub(super) fn inradius(&self) -> Double {
        self.kernel.apothem()
    }

    /// Index of a contact in the lists, and its rolling row.
    fn contact<'a>(
        &self,
        problem: &ManifoldProblem<'a>,
        i: usize,
        lane: usize,
    ) -> (usize, Option<&'a RollingRow>) {
        let k = self.starts[i] as usize + lane;
        (k, problem.rolling.get(self.rows[k] as usize))
    }

    /// All six impulses of a contact.
    fn impulse(&self, k: usize, frame: &[[Double; 3]; 3], l: &LaneVectors, lane: usize) -> Vec6 {
        let rolling = self.rolling.get(self.rows[k] as usize).copied().unwrap_or_default();
        join(in_frame(frame, l, lane), rolling)
    }

    /// Takes the impulses of a warm start into their cones; what is not finite, or acts between bodies that
    /// cannot move, is no start. Gives the forces, world axes.
    pub(super) fn begin(
        &mut self,
        problem: &ManifoldProblem<'_>,
        i: usize,
        start: (&LaneVectors, &[[Double; 3]]),
    ) -> LaneVectors {
        let m = &problem.manifolds[i];
        let (frame, mut out) = (m.frame(), [[0.0; LANES]; 3]);
        for lane in 0..m.count as usize {
            let (k, row) = self.contact(problem, i, lane);
            let rolling = start.1.get(self.rows[k] as usize).copied().unwrap_or_default();
            let usable = m.compliance[lane] > 0.0 && rolling.iter().all(|x| x.is_finite());
            let l = join(in_frame(&frame, start.0, lane), rolling);
            let l = if usable { l } else { [0.0; 6] };
            let l = self.kernel.project_rolling(limits(m, row), l).point;
            let force = to_world(&frame, &l);
            (0..3).for_each(|k| out[k][lane] = force[k]);
            if row.is_some() {
                self.rolling[self.rows[k] as usize].copy_from_slice(&l[3..]);
            }
        }
        out
    }

    /// Projections of a manifold with the impulses `l` of its contacts and their `ρ_c`; with `NEW_GAMMA` at
    /// the slip bound of this velocity, which is given in `slip_bounds`.
    pub(super) fn evaluate<const NEW_SLIP_BOUND: bool>(
        &mut self,
        problem: &ManifoldProblem<'_>,
        i: usize,
        (l, slip_bounds, weight): (&LaneVectors, &mut Lanes, &Lanes),
        motion: (&LaneVectors, &[Vec6]),
    ) -> Evaluated {
        let m = &problem.manifolds[i];
        let frame = m.frame();
        let mut out = Evaluated { image: [[0.0; LANES]; 3], zones: 0, worst: 0.0 };
        for lane in 0..m.count as usize {
            let (k, row) = self.contact(problem, i, lane);
            let (limits, w) = (limits(m, row), rates(m, row, &frame, motion, lane));
            if NEW_SLIP_BOUND {
                slip_bounds[lane] = self.kernel.slip_rolling(limits, &w);
            }
            let l = self.impulse(k, &frame, l, lane);
            let mut p = [0, 1, 2, 3, 4, 5].map(|j| l[j] - weight[lane] * w[j]);
            p[0] = l[0] - weight[lane] * (w[0] + slip_bounds[lane]);
            let image = self.kernel.project_rolling(limits, p);
            let size = (0..6).fold(0.0, |sum: Double, j| {
                let d = (image.point[j] - l[j]) * m.compliance[lane];
                sum + d * d
            });
            out.worst = if size > out.worst { size } else { out.worst };
            let force = to_world(&frame, &image.point);
            (0..3).for_each(|k| out.image[k][lane] = force[k]);
            let apex = image == RollingProjection::APEX;
            out.zones |= (if apex { APEX } else { SURFACE }) << (2 * lane);
            (self.point[k], self.image[k]) = (p, image);
        }
        out
    }

    /// `μ Λ(w_t)` of the contacts of a manifold, with the speeds of rolling and spinning.
    pub(super) fn slip_bound(
        &self,
        problem: &ManifoldProblem<'_>,
        i: usize,
        motion: (&LaneVectors, &[Vec6]),
    ) -> Lanes {
        let m = &problem.manifolds[i];
        let (frame, mut slip) = (m.frame(), [0.0; LANES]);
        for lane in 0..m.count as usize {
            let (_, row) = self.contact(problem, i, lane);
            let w = rates(m, row, &frame, motion, lane);
            slip[lane] = self.kernel.slip_rolling(limits(m, row), &w);
        }
        slip
    }

    /// Adds `sign` times the torques of a manifold to impulses of the bodies: those of the images or of the
    /// impulses at hand.
    pub(super) fn twist(
        &self,
        problem: &ManifoldProblem<'_>,
        i: usize,
        of_images: bool,
        sign: Double,
        out: &mut [Vec6],
    ) {
        let m = &problem.manifolds[i];
        let (frame, mut torque) = (m.frame(), [0.0; 3]);
        for lane in 0..m.count as usize {
            let (k, row) = self.contact(problem, i, lane);
            let Some(row) = row else { continue };
            let at_hand = &self.rolling[self.rows[k] as usize];
            let l = if of_images { &self.image[k].point[3..] } else { &at_hand[..] };
            let t = to_world(&frame, l);
            (0..3).for_each(|k| torque[k] += sign * row.length * t[k]);
        }
        for k in 0..3 {
            out[m.b as usize][3 + k] += torque[k];
            out[m.a as usize][3 + k] -= torque[k];
        }
    }

    /// Do the spinning and the rolling rows of a contact stick for certain, on what does not turn?
    pub(super) fn sticks(
        &self,
        problem: &ManifoldProblem<'_>,
        i: usize,
        l: &LaneVectors,
        lane: usize,
    ) -> [bool; 2] {
        if !self.has(i) {
            return [false; 2];
        }
        let m = &problem.manifolds[i];
        let (k, Some(row)) = self.contact(problem, i, lane) else { return [false; 2] };
        let normal = INSIDE * dot3(&m.normal, &[l[0][lane], l[1][lane], l[2][lane]]);
        let [s, x, y] = self.rolling[self.rows[k] as usize];
        let size = (x * x + y * y).sqrt();
        let still = row.bias == [0.0; 3];
        [still && s.abs() < normal * row.spinning, still && size < normal * row.rolling]
    }

    /// `l ← P_K(p)` of the rolling rows.
    pub(super) fn update(&mut self) {
        for (row, image) in self.rows.iter().zip(&self.image) {
            if let Some(l) = self.rolling.get_mut(*row as usize) {
                l.copy_from_slice(&image.point[3..]);
            }
        }
    }

    /// Adds the errors of a manifold to a certificate; `slip_bounds` where the slip bound is given.
    pub(super) fn certify(
        &self,
        problem: &ManifoldProblem<'_>,
        i: usize,
        (l, slip_bounds): (&LaneVectors, Option<&Lanes>),
        motion: (&LaneVectors, &[Vec6]),
        out: &mut Certificate,
    ) {
        let m = &problem.manifolds[i];
        let frame = m.frame();
        for lane in 0..m.count as usize {
            let (k, row) = self.contact(problem, i, lane);
            let (l, w) = (self.impulse(k, &frame, l, lane), rates(m, row, &frame, motion, lane));
            let frozen = slip_bounds.map(|slip_bounds| slip_bounds[lane]);
            let limits = limits(m, row);
            let error = contact_error(limits, &self.kernel, frozen, &l, w, m.compliance[lane]);
            out.add_contact(&error);
        }
    }

    /// `[A B; Bᵀ C]` of a manifold at its reference point, with the `ρ_c` of its contacts.
    pub(super) fn wrench_block(
        &self,
        problem: &ManifoldProblem<'_>,
        i: usize,
        weight: &Lanes,
    ) -> [Mat; 3] {
        let m = &problem.manifolds[i];
        let (frame, mut sums) = (m.frame(), [[[0.0; 3]; 3]; 3]);
        for lane in 0..m.count as usize {
            let (k, row) = self.contact(problem, i, lane);
            let d = self.kernel.derivative_rolling(limits(m, row), &self.point[k], &self.image[k]);
            // Eᵀ D E, part by part.
            let part = |row: usize, column: usize, scale: Double| -> Mat {
                let scale = scale * weight[lane];
                let half = [0, 1, 2].map(|r| to_world(&frame, &d[row + r][column..column + 3]));
                [0, 1, 2].map(|a| {
                    [0, 1, 2]
                        .map(|b| scale * (0..3).fold(0.0, |sum, r| sum + frame[r][a] * half[r][b]))
                })
            };
            let length = row.map_or(0.0, |row| row.length);
            let (f, x, t) = (part(0, 0, 1.0), part(0, 3, length), part(3, 3, length * length));
            let p = [m.point[0][lane], m.point[1][lane], m.point[2][lane]];
            let b = mul_k(&f, &p, &x);
            let c = k_mul(&p, &b, &mul_k(&transpose(&x), &p, &t));
            for (sum, part) in sums.iter_mut().zip([f, b, c]) {
                for (sum, x) in sum.as_flattened_mut().iter_mut().zip(part.as_flattened()) {
                    *sum += x;
                }
            }
        }
        sums
    }
}

/// Bounds of friction, spinning and rolling impulses over the normal one (–).
fn limits(m: &Manifold, row: Option<&RollingRow>) -> [Double; 3] {
    row.map_or([m.friction, 0.0, 0.0], |row| [m.friction, row.spinning, row.rolling])
}

/// `w` of all six rows of a contact: from the relative velocities of its manifold and those of the bodies.
fn rates(
    m: &Manifold,
    row: Option<&RollingRow>,
    frame: &[[Double; 3]; 3],
    (u, velocity): (&LaneVectors, &[Vec6]),
    lane: usize,
) -> Vec6 {
    let mut w = in_frame(frame, u, lane);
    w[0] += m.bias[lane];
    let Some(row) = row else { return join(w, [0.0; 3]) };
    let (a, b) = (&velocity[m.a as usize], &velocity[m.b as usize]);
    let turn = [b[3] - a[3], b[4] - a[4], b[5] - a[5]];
    let mut r = frame.map(|d| row.length * dot3(&d, &turn));
    (0..3).for_each(|k| r[k] += row.bias[k]);
    join(w, r)
}
