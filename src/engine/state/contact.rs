//! A contact of a pair, and its name.

use super::body::BodyId;
use super::motion::Motion;
use crate::engine::tuning::warm_start::RATIO_MAX;
use crate::math::{DVec3, Double, Real, Vec3, widen3};

/// A feature of a hull, by its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// A vertex.
    Vertex(u32),
    /// An edge.
    Edge(u32),
    /// A face.
    Face(u32),
}

impl Feature {
    /// Kind in the two high bits, index below.
    pub(in crate::engine) const fn code(self) -> u32 {
        let (kind, index) = match self {
            Self::Vertex(i) => (0, i),
            Self::Edge(i) => (1, i),
            Self::Face(i) => (2, i),
        };
        kind << 30 | (index & 0x3fff_ffff)
    }
}

/// Names a contact of a pair: the features of `a` and of `b` that meet, 32 bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactId(pub u64);

impl ContactId {
    /// The contact of these two features.
    #[must_use]
    pub const fn new(a: Feature, b: Feature) -> Self {
        Self::of([a.code(), b.code()])
    }

    /// The contact of the features with these codes.
    #[inline(always)]
    pub(in crate::engine) const fn of([a, b]: [u32; 2]) -> Self {
        Self((a as u64) << 32 | b as u64)
    }

    /// This contact with the bodies exchanged.
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self(self.0.rotate_left(32))
    }

    /// Are the features that meet corners?
    pub(in crate::engine) const fn corners(self) -> [bool; 2] {
        [self.0 >> 62 == 0, self.0 >> 30 & 3 == 0]
    }
}

/// What a contact was in the last step. A blow does not come again: its impulses are no start for the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Blow {
    /// Nothing of its island bounced.
    #[default]
    None,
    /// Others of its island did: the impulse of the relaxed solve holds what the blow added.
    Near,
    /// Its bodies bounced off each other.
    Hit,
    /// No contact: this one is new.
    Unknown,
}

/// A contact of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActiveContact {
    /// The features of both pieces that touch.
    pub id: ContactId,
    /// Unit normal in world axes, from body a to body b.
    pub normal: Vec3,
    /// Contact point from the center of each body, world axes (m).
    pub arms: [Vec3; 2],
    /// The touching points of both pieces without their rounding, in the axes of their bodies from their
    /// centers (m).
    pub cores: [Vec3; 2],
    /// Distance of the touching points along the normal (m).
    pub gap: Real,
    /// Gap of the row (m): the same, or `(t - 1) D` for an event of the papers.
    pub row_gap: Double,
    /// Impulse on body b in world axes [N·s] in the biased and the relaxed solve.
    pub impulse: [DVec3; 2],
    /// What it was in the last step.
    pub blow: Blow,
}

impl ActiveContact {
    /// A contact that has not been pushed yet.
    pub(in crate::engine) fn new(
        id: ContactId,
        normal: Vec3,
        arms: [Vec3; 2],
        gap: Real,
        row_gap: Double,
    ) -> Self {
        Self {
            id,
            normal,
            arms,
            cores: [Vec3::ZERO; 2],
            gap,
            row_gap,
            impulse: [DVec3::ZERO; 2],
            blow: Blow::Unknown,
        }
    }

    /// Velocity at which bodies with these motions part here in a free step, the mean of the step and what
    /// is added to that until its end [m/s].
    pub(in crate::engine) fn parting(&self, [a, b]: [&Motion; 2]) -> [Vec3; 2] {
        let [p, q] = self.arms;
        [b.velocity_at(q) - a.velocity_at(p), b.lead_at(q) - a.lead_at(p)]
    }

    /// Turns the normal, and with it the impulses: what pushes through bodies that turn together goes on to
    /// push through the same points.
    pub(in crate::engine) fn turn_to(&mut self, normal: Vec3) {
        let (from, to) = (widen3(self.normal), widen3(normal));
        let (axis, cosine) = (from.cross(to), from.dot(to));
        if cosine > 0.0 && axis != DVec3::ZERO {
            for l in &mut self.impulse {
                *l = *l * cosine + axis.cross(*l) + axis * (axis.dot(*l) / (1.0 + cosine));
            }
        }
        self.normal = normal;
    }
}

/// What a contact goes with as its bodies move.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct ContactCarrier {
    /// Indices of its bodies.
    pub(in crate::engine) bodies: [u32; 2],
    /// The touching points without their rounding, in the axes of the bodies from their centers (m); none on
    /// curved shapes, on which another point touches as they turn.
    pub(in crate::engine) cores: Option<[Vec3; 2]>,
    /// Are the features that meet corners?
    pub(in crate::engine) corners: [bool; 2],
    /// Which body, 0 or 1, has the smaller piece.
    pub(in crate::engine) small: u8,
}

impl ContactCarrier {
    /// The end with which the contact goes, of which some are bodies of an island. A corner is where it is;
    /// else the smaller body slides or rolls over the larger one.
    pub(in crate::engine) fn end(&self, inside: [bool; 2]) -> usize {
        match (self.corners, inside) {
            ([true, false], _) => 0,
            ([false, true], _) => 1,
            (_, [true, false]) => 0,
            (_, [false, true]) => 1,
            _ => usize::from(self.small),
        }
    }
}

/// A contact of the last step, for reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The two bodies, ascending.
    pub bodies: [BodyId; 2],
    /// World point in the middle between the two touching points (m), found at the start of the step and
    /// moved along with the center of the first body.
    pub point: Vec3,
    /// Unit normal from the first body to the second.
    pub normal: Vec3,
    /// Distance of the touching points along the normal at the start of the step (m); negative in overlap.
    pub gap: Real,
    /// Impulse on the second body in the last step [N·s], world axes; opposite on the first.
    pub impulse: Vec3,
}

/// Factor on the impulses of the last step as a start for this one: they grow with the step. After a
/// step of quite another length they tell nothing.
pub(in crate::engine) fn warm_start(dt: Real, dt_last: Real) -> Real {
    let ratio = dt / dt_last;
    if dt_last == 0.0 {
        1.0
    } else if (1.0 / RATIO_MAX..=RATIO_MAX).contains(&ratio) {
        ratio
    } else {
        0.0
    }
}
