//! The highest of many corners along a direction: to the bit what a scan of all finds, O(log n) for a face.
//!
//! A tree of halves, each within a box along axes of its own: small parts of a curved surface lie in flat
//! boxes, few of which reach the plane of a face, however many there are. Halves are cut across where they
//! are longest in units of the whole's length, width and thickness: else parts of sheets and needles would
//! have two sides.

use crate::math::{DMat3, DVec3, Double};

/// Most corners of a leaf.
const LEAF: usize = 32;
/// More than heights and boxes are off by rounding, of the largest coordinates.
const ROUNDING: Double = 64.0 * Double::EPSILON;

/// Corners, or two halves of them.
pub(super) struct Cloud {
    corners: Vec<DVec3>,
    halves: Option<Box<[(Around, Self); 2]>>,
}

/// A box around corners.
struct Around {
    /// Its axes as rows.
    axes: DMat3,
    low: DVec3,
    high: DVec3,
}

impl Around {
    /// Along where the corners are long and wide.
    fn new(corners: &[DVec3]) -> Self {
        let along = length(corners, DMat3::IDENTITY);
        let off = |v: DVec3| along.cross(v - corners[0]);
        let square = off(farthest(corners, |v| off(v).length_squared()));
        let square = square.try_normalize().unwrap_or(along.any_orthonormal_vector());
        let third = along.cross(square).normalize();
        let axes = DMat3::from_cols(along, third, along.cross(third)).transpose();
        let most = corners.iter().map(|v| v.abs().element_sum()).fold(0.0, Double::max);
        let slack = DVec3::splat(ROUNDING * most);
        let places = || corners.iter().map(|&v| axes * v);
        let low = places().fold(DVec3::INFINITY, DVec3::min) - slack;
        Self { axes, low, high: places().fold(DVec3::NEG_INFINITY, DVec3::max) + slack }
    }

    /// No corner is higher.
    fn top(&self, normal: DVec3) -> Double {
        let n = self.axes * normal;
        n.max(DVec3::ZERO).dot(self.high) + n.min(DVec3::ZERO).dot(self.low)
    }
}

/// The first corner with the largest of these numbers.
fn farthest(corners: &[DVec3], far: impl Fn(DVec3) -> Double) -> DVec3 {
    corners.iter().copied().fold(corners[0], |a, b| if far(b) > far(a) { b } else { a })
}

/// About the direction, in other coordinates, in which the corners are farthest apart there.
fn length(corners: &[DVec3], into: DMat3) -> DVec3 {
    let from = |a: DVec3| move |v: DVec3| (into * (v - a)).length_squared();
    let end = farthest(corners, from(corners[0]));
    let other = farthest(corners, from(end));
    (into * (other - end)).try_normalize().unwrap_or(DVec3::X)
}

impl Cloud {
    pub(super) fn new(corners: Vec<DVec3>) -> Self {
        // Until here it takes longer to make a tree than it saves.
        if corners.len() <= 16 * LEAF {
            return Self { corners, halves: None };
        }
        let whole = Around::new(&corners);
        let unit = (whole.high - whole.low).recip();
        Self::cut(corners, DMat3::from_diagonal(unit) * whole.axes)
    }

    fn cut(mut corners: Vec<DVec3>, into: DMat3) -> Self {
        if corners.len() <= LEAF {
            return Self { corners, halves: None };
        }
        let along = into.transpose() * length(&corners, into);
        let middle = corners.len() / 2;
        corners.select_nth_unstable_by(middle, |a, b| along.dot(*a).total_cmp(&along.dot(*b)));
        let upper = corners.split_off(middle);
        let halves = [corners, upper].map(|half| (Around::new(&half), Self::cut(half, into)));
        Self { corners: Vec::new(), halves: Some(Box::new(halves)) }
    }

    /// The largest height of a corner along a unit normal, if it is above `known`, best that of a high one,
    /// else this. `scanned` counts the corners that are looked at.
    pub(super) fn highest(&self, normal: DVec3, known: Double, scanned: &mut usize) -> Double {
        *scanned += self.corners.len();
        let heights = self.corners.iter().map(|&v| normal.dot(v));
        let mut best = heights.fold(known, |a, b| if b > a { b } else { a });
        if let Some(halves) = &self.halves {
            let tops = halves.each_ref().map(|(around, _)| around.top(normal));
            let first = usize::from(tops[1] > tops[0]);
            for k in [first, 1 - first] {
                if tops[k] > best {
                    best = halves[k].1.highest(normal, best, scanned);
                }
            }
        }
        best
    }
}
