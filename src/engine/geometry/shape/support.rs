//! The support function: the vertex farthest along a direction.
//!
//! Two ways with the same answer, the first vertex of the largest value of `vertex · direction`:
//!
//! - the *scan* evaluates all vertices in [`LANES`] independent lanes, O(vertices);
//! - the *climb* walks along edges to ever larger values, about O(√vertices), O(1) from a vertex
//!   near the answer.
//!
//! On a polytope a vertex above all its neighbors is the highest of all. Rounding, and faces that
//! are flat and convex only to within `Hull::flatness`, make that uncertain when a neighbor is
//! nearly as high; then, and only then, the climb ends in a scan.
//!
//! The rounding radius is not included: it adds `radius · |direction|` to the value at any vertex.

use super::hull::{Hull, LANES};
use crate::math::{Array3, Double, EPSILON, Real, Scalar, Vec3, array3, dot3};

/// From this number of vertices on climbing is faster than scanning.
const CLIMB_VERTICES_MIN: usize = 32;
/// Heights closer than this many roundings of the bounding radius are told apart by a scan.
const SLACK_ROUNDINGS: Real = 8.0;
/// Heights closer than this many times the flatness of the faces are told apart by a scan.
const SLACK_FLATNESS: Real = 4.0;

impl Hull {
    /// Index of the vertex farthest along `direction`, the lowest one of equals; `hint` is a guess,
    /// best the last answer.
    #[inline]
    #[must_use]
    pub fn support(&self, direction: Vec3, hint: u32) -> u32 {
        if self.vertices.len() < CLIMB_VERTICES_MIN {
            self.support_scan(direction)
        } else {
            self.support_climb(direction, hint)
        }
    }

    /// [`support`](Self::support) by evaluating all vertices.
    #[inline]
    #[must_use]
    pub fn support_scan(&self, direction: Vec3) -> u32 {
        if cfg!(feature = "simd") {
            scan(&self.lanes, direction.to_array())
        } else {
            self.scan_one_by_one(direction)
        }
    }

    /// The scan in its plain form.
    #[inline]
    pub(super) fn scan_one_by_one(&self, direction: Vec3) -> u32 {
        // Summed as in the lanes, for their bits.
        let height = |v: &Vec3| v.x * direction.x + v.y * direction.y + v.z * direction.z;
        let heights = (0_u32..).zip(self.vertices.iter().map(height));
        let higher = |best: (u32, Real), new: (u32, Real)| if new.1 > best.1 { new } else { best };
        heights.fold((0, Real::NEG_INFINITY), higher).0
    }

    /// [`support`](Self::support) by walking along edges from the vertex `start`.
    #[inline]
    #[must_use]
    pub fn support_climb(&self, direction: Vec3, start: u32) -> u32 {
        let n = direction.to_array();
        let (at, highest) = self.climb(n, start, Real::MAX);
        let beside = self.spokes(at).iter().map(|spoke| dot3(spoke.at.to_array(), n));
        let next = beside.fold(Real::NEG_INFINITY, Real::max);
        let lengths =
            SLACK_FLATNESS * self.flatness + SLACK_ROUNDINGS * EPSILON * self.core_radius();
        let slack = lengths * direction.length();
        if next + slack < highest { at } else { self.support_scan(direction) }
    }

    /// Walks along edges from the vertex `start` to ever higher ones along `n`, up to the last or to any
    /// higher than `enough`: the vertex and its height. On faces that are flat only to within
    /// `Hull::flatness` it may stop at a vertex lower by as much.
    #[inline]
    pub(crate) fn climb<S: Scalar>(&self, n: Array3<S>, start: u32, enough: S) -> (u32, S) {
        let mut at = if (start as usize) < self.vertices.len() { start } else { 0 };
        let mut highest = dot3(array3(self.corner(at)), n);
        loop {
            let from = at;
            for spoke in self.spokes(from) {
                let level = dot3(array3(spoke.at), n);
                if level > highest {
                    (at, highest) = (spoke.vertex, level);
                    if level > enough {
                        return (at, highest);
                    }
                }
            }
            if at == from {
                return (at, highest);
            }
        }
    }

    /// Distance of the farthest vertex from the centroid (m), without the rounding radius.
    #[inline]
    fn core_radius(&self) -> Real {
        self.bounding_radius - self.radius
    }
}

/// Support by evaluating all vertices in independent lanes; the lowest vertex of equals.
///
/// Without branches on the data, which random directions would make mispredict, and with the index
/// carried as a number of the same width as the heights, so that the lanes stay whole vectors.
#[inline(never)]
pub(crate) fn scan<S: Scalar>(lanes: &[[[Real; LANES]; 3]], n: Array3<S>) -> u32 {
    let mut best = [-S::MAX; LANES];
    let mut best_at = [S::ZERO; LANES];
    let (mut at, step) = (S::ZERO, S::from_double(LANES as Double));
    for chunk in lanes {
        let height = core::array::from_fn::<S, LANES, _>(|k| {
            let [x, y, z] = chunk.each_ref().map(|lane| S::from_real(lane[k]));
            x * n[0] + y * n[1] + z * n[2]
        });
        // One after the other, else lanes are shuffled.
        for k in 0..LANES {
            best_at[k] = if height[k] > best[k] { at } else { best_at[k] };
        }
        for k in 0..LANES {
            best[k] = if height[k] > best[k] { height[k] } else { best[k] };
        }
        at = at + step;
    }
    // The lowest index among the lanes with the largest height. Padding repeats vertex 0 and so never is the
    // first of equals. A direction that is no number finds vertex 0.
    let top = fold(best, |a, b| if a > b { a } else { b });
    let mut first = [S::MAX; LANES];
    for k in 0..LANES {
        let at = best_at[k] + S::from_double(k as Double);
        first[k] = if best[k] == top { at } else { S::MAX };
    }
    fold(first, |a, b| if a < b { a } else { b }).to_index()
}

/// Folds the lanes by halves.
#[inline(always)]
pub(super) fn fold<S: Scalar>(v: [S; LANES], f: impl Fn(S, S) -> S) -> S {
    f(f(v[0], v[2]), f(v[1], v[3]))
}
