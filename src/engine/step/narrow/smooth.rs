//! What a curved hull shows to the other body along the contact normal.
//!
//! Input: a curve and the outward direction. Output: a few corners that bound the feature that faces the
//! other body: the support point of an ellipsoid, the generator of a lying cylinder or cone, or the cap
//! of a standing one, as eight corners at azimuths fixed in the body. Of a tilted cap the lowest point of
//! the rim takes the place of the corner next to it, so the lowest point is always exact. It has its own
//! number, which the end of a generator there shares: a coin that falls over keeps its contact. O(1).

use crate::engine::geometry::shape::curve::Curve;
use crate::engine::state::contact::Feature;
use crate::engine::tuning::smooth::{BESIDE, LEVEL, SQUARE, STEEP};
use crate::math::{EIGHTHS, Real, Vec3, widen3};

/// Corners of a cap.
const CORNERS: usize = 8;
/// Corners of a tilted cap: two more beside its lowest point.
const PLACES: usize = 10;
/// Vertex number of the lowest point of the first cap's rim; that of the second cap, or the apex, is next.
const LOWEST: u32 = 16;
/// From this number on, corners only round off the outline.
const BETWEEN: u32 = 20;
/// Number of a generator among the edges; those of caps have the numbers of their first corners.
pub(in crate::engine) const GENERATOR: u32 = 1 << 29;
/// The corners of the feature that faces outward, in the axes of the hull about its centroid.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Facing {
    pub(in crate::engine) feature: Feature,
    /// Numbers and places (m), counterclockwise seen from outside.
    corners: [(u32, Vec3); PLACES],
    len: usize,
    /// Cosine of a cap with the direction; 1 without a cap.
    pub(in crate::engine) cosine: Real,
}

impl Facing {
    /// The feature of a curve that faces the unit direction `outward`.
    pub(in crate::engine) fn new(curve: &Curve, outward: Vec3) -> Self {
        let across = (outward.x * outward.x + outward.z * outward.z).sqrt();
        let unit = if across > 0.0 { [outward.x / across, outward.z / across] } else { [0.0, 1.0] };
        let on_rim = |radius: Real, y: Real| Vec3::new(unit[0] * radius, y, unit[1] * radius);
        match *curve {
            Curve::Ellipsoid { half } => {
                let scaled = half * outward;
                Self::point(0, half * scaled / scaled.length())
            }
            Curve::Cylinder { radius, half_height } => {
                if outward.y.abs() < across {
                    let ends = [on_rim(radius, -half_height), on_rim(radius, half_height)];
                    return Self::generator(ends);
                }
                let top = outward.y >= 0.0;
                let y = if top { half_height } else { -half_height };
                Self::cap(u32::from(top), radius, y, unit, across)
            }
            Curve::Cone { radius, height } => {
                let apex = Vec3::new(0.0, 0.75 * height, 0.0);
                let slant = (radius * radius + height * height).sqrt();
                let beside = (height * across + radius * outward.y) / slant;
                if -outward.y >= beside {
                    Self::cap(0, radius, -0.25 * height, unit, across)
                } else if across > 0.0 {
                    Self::generator([on_rim(radius, -0.25 * height), apex])
                } else {
                    Self::point(LOWEST + 1, apex)
                }
            }
        }
    }

    fn point(number: u32, at: Vec3) -> Self {
        let corners = [(number, at); PLACES];
        Self { feature: Feature::Vertex(number), corners, len: 1, cosine: 1.0 }
    }

    fn generator([low, high]: [Vec3; 2]) -> Self {
        let mut corners = [(LOWEST, low); PLACES];
        corners[1] = (LOWEST + 1, high);
        Self { feature: Feature::Edge(GENERATOR), corners, len: 2, cosine: 1.0 }
    }

    /// A cap at the height `y`, whose lowest point is towards `unit` in x and z.
    fn cap(face: u32, radius: Real, y: Real, unit: [Real; 2], across: Real) -> Self {
        // From z towards x is counterclockwise seen from above.
        let turn = |k: usize| if face == 1 { k } else { CORNERS - 1 - k };
        let at = |[sin, cos]: [Real; 2]| Vec3::new(radius * sin, y, radius * cos);
        let near = |k: usize| unit[0] * EIGHTHS[turn(k)][0] + unit[1] * EIGHTHS[turn(k)][1];
        if across > STEEP {
            return Self::point(LOWEST + face, at(unit));
        }
        let tilted = across > LEVEL;
        let nearer = |best: usize, k: usize| if near(k) > near(best) { k } else { best };
        let nearest = (1..CORNERS).fold(0, nearer);
        let mut this = Self {
            feature: Feature::Face(face),
            corners: [(0, Vec3::ZERO); PLACES],
            len: 0,
            cosine: 1.0,
        };
        let mut push = |number: u32, azimuth| {
            this.corners[this.len] = (number, at(azimuth));
            this.len += 1;
        };
        for k in 0..CORNERS {
            if tilted && k == nearest {
                let square = BESIDE * BESIDE;
                let [sine, cosine] = [2.0 * BESIDE, 1.0 - square].map(|x| x / (1.0 + square));
                let sine = if face == 1 { sine } else { -sine };
                let [x, z] = unit.map(|c| c * cosine);
                let (dx, dz) = (unit[1] * sine, -unit[0] * sine);
                push(BETWEEN + 2 * face, [x - dx, z - dz]);
                push(LOWEST + face, unit);
                push(BETWEEN + 2 * face + 1, [x + dx, z + dz]);
            } else {
                push(8 * face + turn(k) as u32, EIGHTHS[turn(k)]);
            }
        }
        this.cosine = (1.0 - across * across).max(0.0).sqrt();
        this
    }

    /// The corners with their numbers, and whether they may be contacts: those beside the lowest
    /// point only round off the outline.
    #[inline]
    pub(in crate::engine) fn outline(&self) -> impl Iterator<Item = (u32, Vec3, bool)> {
        self.corners[..self.len].iter().map(|&(number, at)| (number, at, number < BETWEEN))
    }

    /// Number of corners of the outline.
    #[inline]
    pub(in crate::engine) fn len(&self) -> usize {
        self.len
    }

    /// A corner of the outline.
    #[inline]
    pub(in crate::engine) fn corner(&self, k: usize) -> (u32, Vec3, bool) {
        let (number, at) = self.corners[k];
        (number, at, number < BETWEEN)
    }

    /// Number of the edge from a corner to the next one.
    #[inline]
    pub(in crate::engine) fn edge(&self, corner: usize) -> u32 {
        if matches!(self.feature, Feature::Face(_)) { self.corners[corner].0 } else { GENERATOR }
    }
}

/// Does a curve touch a plane with one point only?
pub(in crate::engine) fn touches_with_a_point(curve: &Curve, outward: Vec3) -> bool {
    matches!(nearest(curve, outward, Vec3::ZERO).0, Feature::Vertex(_))
}

/// The number of the support point of a curve.
pub(in crate::engine) fn support_number(curve: &Curve, outward: Vec3) -> u32 {
    match curve {
        Curve::Ellipsoid { .. } => 0,
        Curve::Cylinder { .. } | Curve::Cone { .. } => LOWEST + curve.branch(widen3(outward)),
    }
}

/// The feature of a curve that is square to the unit direction `outward`, and its point nearest to
/// `p` across that direction (m): on a cap or a generator, else the support point.
pub(in crate::engine) fn nearest(curve: &Curve, outward: Vec3, p: Vec3) -> (Feature, Vec3) {
    let facing = Facing::new(curve, outward);
    match (&facing.corners[..facing.len], curve) {
        (&[(_, low), (_, high)], _) => {
            let along = high - low;
            let square = along.dot(along);
            let drop = outward.dot(along);
            if drop * drop <= SQUARE * SQUARE * square {
                let s = ((p - low).dot(along) / square).clamp(0.0, 1.0);
                (facing.feature, low + along * s)
            } else if drop > 0.0 {
                (Feature::Vertex(LOWEST + 1), high)
            } else {
                (Feature::Vertex(LOWEST), low)
            }
        }
        ([(number, at), ..], Curve::Ellipsoid { .. }) => (Feature::Vertex(*number), *at),
        ([(_, corner), _, ..], Curve::Cylinder { radius, .. } | Curve::Cone { radius, .. }) => {
            let tilt = (outward.x * outward.x + outward.z * outward.z).sqrt();
            let [x, z] = if tilt <= SQUARE { [p.x, p.z] } else { [outward.x, outward.z] };
            let length = (x * x + z * z).sqrt();
            let outside = length > *radius || tilt > SQUARE;
            let k = if outside { radius / length } else { 1.0 };
            let rim = Feature::Vertex(support_number(curve, outward));
            let feature = if tilt <= SQUARE { facing.feature } else { rim };
            (feature, Vec3::new(x * k, corner.y, z * k))
        }
        (corners, _) => (facing.feature, corners.first().map_or(Vec3::ZERO, |c| c.1)),
    }
}
