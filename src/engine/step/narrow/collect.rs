//! Contacts of a pair: ids, points, and the bounded list that a pair hands to the solver.
//!
//! A contact is known by the features of both bodies that meet in it, so that its impulse can be found
//! again in the next step. At most [`CONTACTS_MAX`] contacts leave a pair; more (faces with many corners)
//! are thinned to the deepest one and those farthest from the ones already kept, and counted.

use crate::engine::state::contact::ContactId;
use crate::engine::tuning::collect::LEVEL;
use smallvec::SmallVec;

use crate::math::{Real, Vec3};

/// Most contacts of a pair.
pub const CONTACTS_MAX: usize = 8;
/// Candidates held before they are thinned: two faces of 32 corners need no thinning midway.
const CANDIDATES_MAX: usize = 64;
/// One point of contact, in the axes of body `a` about its centroid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The features that meet.
    pub id: ContactId,
    /// Touching point on the surface of `a` (m).
    pub point_a: Vec3,
    /// Touching point on the surface of `b` (m), in the same axes, about the same origin.
    pub point_b: Vec3,
    /// `normal · (point_b - point_a)` (m): this contact's own distance, negative in overlap.
    pub separation: Real,
}

/// What the normal of a manifold turns with when the bodies move a little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Anchor {
    /// Nothing simple.
    #[default]
    Unknown,
    /// The body 0 or 1, of whose face it is the normal.
    Face(usize),
    /// An edge of each body.
    Edges,
    /// The line from the one core point to the other, as of two balls.
    Points,
}

/// How contacts change when the bodies move a little.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outlook {
    /// What the normal turns with.
    pub anchor: Anchor,
    /// By how much gaps change at most with a slip of the bodies along each other (-), beside what the
    /// motion of the touching points tells.
    pub slope: Real,
    /// Does that motion tell all, as for corners on the face whose normal this is?
    pub exact: bool,
    /// No contact nearer than this was left out (m).
    pub complete: Real,
}

impl Outlook {
    /// Of contacts whose normal turns with something and leans by `tilt` (-) from the face there.
    pub(in crate::engine) fn new(anchor: Anchor, tilt: Real, complete: Real) -> Self {
        Self { anchor, slope: tilt, exact: tilt <= LEVEL, complete }
    }
}

/// All contacts of a pair, with their one normal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifold {
    /// Unit normal from `a` to `b`, in the axes of `a`.
    pub normal: Vec3,
    /// The contacts, sorted by id, at most [`CONTACTS_MAX`].
    pub contacts: SmallVec<[Contact; CONTACTS_MAX]>,
    /// Contacts left out because there were more. Beyond 64 candidates a place can count twice.
    pub dropped: u32,
    /// What becomes of them.
    pub outlook: Outlook,
    /// At what distance the free paths pass each other (m), if they do.
    pub passes: Option<Real>,
}

/// Features of body a that make no contacts, by their bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Its first eight vertices.
    pub vertices: u8,
    /// Its first eight edges.
    pub edges: u8,
}

impl Hidden {
    /// Is this vertex hidden?
    #[inline]
    pub(in crate::engine) const fn vertex(self, vertex: u32) -> bool {
        vertex < 8 && self.vertices >> vertex & 1 == 1
    }

    /// Is the feature of body a of this contact hidden?
    #[inline]
    const fn hides(self, id: ContactId) -> bool {
        let index = (id.0 >> 32) as u32 & 0x3fff_ffff;
        match id.0 >> 62 {
            0 => self.vertex(index),
            1 => index < 8 && self.edges >> index & 1 == 1,
            _ => false,
        }
    }
}

/// Takes candidates, merges those in one place, and thins them. It is large, and stays where it is made.
pub(in crate::engine) struct Collector {
    normal: Vec3,
    /// Only contacts up to this separation are kept (m).
    band: Real,
    /// Difference in height of two core points beyond which they are no contact; with a margin, so
    /// that the points themselves decide (m).
    room: Real,
    /// Candidates closer than the root of this across the normal are one [m²].
    merge_squared: Real,
    /// Rounding radii of `a` and `b` (m).
    radii: [Real; 2],
    /// By how much the core of `b` was moved back before touching points were sought (m).
    shift: Vec3,
    /// Distance of the supporting planes (m): no contact is nearer. A corner just outside of a slanted
    /// face, which counts as on it, would be.
    nearest: Real,
    /// The body whose own points the contacts are at, where those of the two are not above each other.
    holder: Option<usize>,
    hidden: Hidden,
    candidates: SmallVec<[Contact; CANDIDATES_MAX]>,
    dropped: u32,
    outlook: Outlook,
}

impl Collector {
    #[inline(always)]
    pub(in crate::engine) fn new(normal: Vec3, band: Real, merge: Real, radii: [Real; 2]) -> Self {
        Self {
            normal,
            band,
            room: band + radii[0] + radii[1] + merge,
            merge_squared: merge * merge,
            radii,
            shift: Vec3::ZERO,
            nearest: Real::NEG_INFINITY,
            holder: None,
            hidden: Hidden::default(),
            candidates: SmallVec::new(),
            dropped: 0,
            outlook: Outlook::new(Anchor::Unknown, 0.0, Real::INFINITY),
        }
    }

    /// Says what the normal turns with, and how far it leans from the face there (-).
    pub(in crate::engine) fn set_anchor(&mut self, anchor: Anchor, tilt: Real) {
        self.outlook = Outlook::new(anchor, tilt, Real::INFINITY);
    }

    /// Says that the contacts that follow cannot be foreseen.
    pub(in crate::engine) fn lose_anchor(&mut self) {
        self.outlook.anchor = Anchor::Unknown;
    }

    /// Says that contacts from this separation on were left out (m).
    pub(in crate::engine) fn leaves_out(&mut self, separation: Real) {
        self.outlook.complete = self.outlook.complete.min(separation);
    }

    /// Says how steep the contacts taken next are against the normal's plane (-): by how much their gaps
    /// change when the bodies slip along each other.
    #[inline]
    pub(in crate::engine) fn slopes(&mut self, steepness: Real) {
        self.outlook.slope = self.outlook.slope.max(steepness);
        self.outlook.exact = false;
    }

    /// Is the normal that of a face of this body?
    #[inline]
    pub(in crate::engine) fn is_face_of(&self, side: usize) -> bool {
        self.outlook.anchor == Anchor::Face(side)
    }

    /// Takes no contact for nearer than the supporting planes are (m).
    pub(in crate::engine) fn set_nearest(&mut self, nearest: Real) {
        self.nearest = nearest;
    }

    /// Takes no contacts of these features.
    pub(in crate::engine) fn hide(&mut self, hidden: Hidden) {
        self.hidden = hidden;
    }

    /// Says by how much the core of `b` is moved back.
    pub(in crate::engine) fn set_shift(&mut self, shift: Vec3) {
        self.room += self.normal.dot(self.shift) - self.normal.dot(shift);
        self.shift = shift;
    }

    /// Says that from now on points need not be above each other, and whose points count. What counts
    /// must be the smaller body: a body that turns about its own point there does not come nearer.
    pub(in crate::engine) fn set_holder(&mut self, holder: usize) {
        self.holder = Some(holder);
    }

    pub(in crate::engine) fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    /// Squared distance of two points across the normal [m²].
    fn apart_squared(&self, p: Vec3, q: Vec3) -> Real {
        let between = q - p;
        let height = self.normal.dot(between);
        between.dot(between) - height * height
    }

    /// Is a contact of two points of the cores with these heights along the normal beyond the band?
    #[inline]
    pub(in crate::engine) fn is_far(&mut self, height_a: Real, height_b: Real) -> bool {
        let far = height_b - height_a > self.room;
        if far {
            self.leaves_out(self.band + (height_b - height_a - self.room));
        }
        far
    }

    /// Adds a contact of two points of the cores, unless it is beyond the band or already there.
    pub(in crate::engine) fn push(&mut self, id: ContactId, core_a: Vec3, core_b: Vec3) {
        let point_a = core_a + self.normal * self.radii[0];
        let mut point_b = core_b + self.shift - self.normal * self.radii[1];
        let mut separation = self.normal.dot(point_b - point_a);
        if separation < self.nearest {
            point_b += self.normal * (self.nearest - separation);
            separation = self.nearest;
        }
        if self.hidden.hides(id) {
            return;
        }
        let near = separation <= self.band;
        if !near {
            self.leaves_out(separation);
            return;
        }
        let (point_a, point_b) = match self.holder {
            None => (point_a, point_b),
            Some(0) => (point_a, point_a + self.normal * separation),
            Some(_) => (point_b - self.normal * separation, point_b),
        };
        let contact = Contact { id, point_a, point_b, separation };
        let known = |c: &Contact| self.apart_squared(c.point_a, point_a) <= self.merge_squared;
        if let Some(place) = self.candidates.iter().position(known) {
            // The first one keeps its id while the two stay together; one clearly deeper wins.
            let kept = &mut self.candidates[place];
            let deeper = kept.separation - separation;
            if deeper > 0.0 && deeper * deeper > self.merge_squared {
                *kept = contact;
            }
            return;
        }
        if self.candidates.len() == CANDIDATES_MAX {
            self.thin();
        }
        self.candidates.push(contact);
    }

    /// Keeps the deepest candidate, then each time the one farthest from those kept; the earlier of equals.
    fn thin(&mut self) {
        if self.candidates.len() <= CONTACTS_MAX {
            return;
        }
        let mut distances: SmallVec<[Real; CANDIDATES_MAX]> =
            self.candidates.iter().map(|c| -c.separation).collect();
        for kept in 0..CONTACTS_MAX {
            let mut best = kept;
            for k in kept + 1..distances.len() {
                if distances[k] > distances[best] {
                    best = k;
                }
            }
            self.candidates.swap(kept, best);
            distances.swap(kept, best);
            let point = self.candidates[kept].point_a;
            for k in kept + 1..distances.len() {
                let apart = self.apart_squared(self.candidates[k].point_a, point);
                distances[k] = if kept == 0 { apart } else { distances[k].min(apart) };
            }
        }
        self.dropped += (self.candidates.len() - CONTACTS_MAX) as u32;
        self.candidates.truncate(CONTACTS_MAX);
    }

    /// Writes the contacts, sorted by id.
    pub(in crate::engine) fn finish(&mut self, out: &mut Manifold) {
        self.thin();
        if self.candidates.len() > 1 {
            self.candidates.sort_unstable_by_key(|c| c.id);
        }
        out.normal = self.normal;
        out.dropped = self.dropped;
        out.outlook = self.outlook;
        out.contacts.clear();
        out.contacts.extend_from_slice(&self.candidates);
    }
}
