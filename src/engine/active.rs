//! From pairs to contacts: the ratio metric and the active events of one pair of pieces.
//!
//! Input: a pair, its bodies and their free motion. Output: Φ and separation of the pair, and its
//! contacts: a world normal, arms from both centers, the gap, and the impulses of the last step, found
//! again by feature id. A pair is a function of its own state only, so pairs may run in any order.
//!
//! By default the normal is that of the ratio metric, or the neighbor that the motion separates first,
//! and the contacts are the clipped features within the band `ε = h v + h² |g| + margin`; rows act
//! in the middle between the touching points of the unscaled bodies. With the papers' events, every
//! event of the set (4.8) gives a row at the touching point of the scaled bodies, with its own value
//! (4.17).

use smallvec::SmallVec;

use super::body::Body;
use super::broad::Reach;
use super::event::{
    self, ContactId, Manifold, PapersActive, PairEvent, choose_normal, find_contacts,
    find_contacts_half_space,
};
use super::pair::Pair;
use super::predict::Motion;
use super::ratio::{self, Measured, PortalCache, Relative};
use super::settings::{ActiveEvents, Settings};
use super::shape::{Convex, HalfSpace, Hull, Piece};
use crate::math::{
    DMat3, DVec3, Double, Mat3, Real, Vec3, narrow, narrow3, quat_to_mat3, widen, widen3,
    widen_mat3,
};

/// A contact of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActiveContact {
    /// The features of both pieces that touch.
    pub id: ContactId,
    /// Unit normal in world axes, from body a to body b.
    pub normal: Vec3,
    /// Contact point from the center of each body, world axes [m].
    pub arms: [Vec3; 2],
    /// Distance of the touching points along the normal [m].
    pub gap: Real,
    /// Gap of the row [m]: the same, or `(t - 1) D` for an event of the papers.
    pub row_gap: Double,
    /// Impulse on body b in world axes [N·s] in the biased and the relaxed solve.
    pub impulse: [DVec3; 2],
}

/// What the pairs of a step have in common.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// All bodies.
    pub bodies: &'a [Body],
    /// Their free motion.
    pub motions: &'a [Motion],
    /// What the step can move them.
    pub reach: &'a [Reach],
    /// Parameters.
    pub settings: &'a Settings,
    /// Time step [s].
    pub dt: Real,
}

/// A piece in the world: its hull's centroid frame.
#[derive(Clone, Copy, Debug)]
struct Placed {
    /// From the center of the body to the centroid of the piece, world axes [m].
    arm: Vec3,
    /// Rotation of the piece.
    rotation: Mat3,
}

fn place(body: &Body, rotation: Mat3, piece: &Piece) -> Placed {
    Placed {
        arm: rotation * (piece.position - body.center_of_mass()),
        rotation: rotation * quat_to_mat3(piece.rotation),
    }
}

impl Context<'_> {
    /// Distance below which the pair is active [m].
    fn band(&self, bodies: [u32; 2]) -> Real {
        let [a, b] = bodies.map(|i| self.reach[i as usize]);
        let speed = (a.own + b.own).max(a.component.max(b.component));
        let gravity = self.settings.gravity.length();
        self.dt * speed + self.dt * self.dt * gravity + self.settings.contact.margin
    }

    /// Measures a pair and finds its contacts.
    pub fn update(&self, pair: &mut Pair) {
        let old = core::mem::take(&mut pair.contacts);
        pair.dropped = 0;
        pair.gap = Real::INFINITY;
        pair.separation = Real::INFINITY;
        let [a, b] = pair.bodies.map(|i| &self.bodies[i as usize]);
        let [motion_a, motion_b] = pair.bodies.map(|i| &self.motions[i as usize]);
        if let (Some(shape_a), Some(shape_b)) = (a.shape(), b.shape()) {
            let piece_a = &shape_a.pieces()[pair.key.piece_a as usize];
            let piece_b = &shape_b.pieces()[pair.key.piece_b as usize];
            let between = b.center() - a.center();
            let placed = Placed {
                between,
                arms: [arm(a, motion_a, piece_a), arm(b, motion_b, piece_b)],
                rotations: [turn(motion_a, piece_a), turn(motion_b, piece_b)],
            };
            match (&piece_a.convex, &piece_b.convex) {
                (Convex::Hull(x), Convex::Hull(y)) => self.hulls(pair, [x, y], &placed),
                (Convex::Hull(x), Convex::HalfSpace(p)) => self.plane(pair, x, p, &placed, 0),
                (Convex::HalfSpace(p), Convex::Hull(y)) => self.plane(pair, y, p, &placed, 1),
                (Convex::HalfSpace(_), Convex::HalfSpace(_)) => {}
            }
        }
        merge(&mut pair.contacts, planar_axis(motion_a, motion_b));
        pair.contacts.sort_unstable_by_key(|contact| contact.id);
        inherit(&mut pair.contacts, &old);
    }

    /// Two hulls.
    fn hulls(&self, pair: &mut Pair, [a, b]: [&Hull; 2], placed: &Placed) {
        let offset = placed.between + placed.arms[1] - placed.arms[0];
        let relative = Relative::new(placed.rotations[0], placed.rotations[1], offset);
        if let ActiveEvents::Enumerated { eps_x, eps_t, eps_0 } = self.settings.contact.active {
            let active = papers(eps_x, eps_t, eps_0);
            let margin = Real::INFINITY;
            let Measured::Near(ratio) =
                ratio::measure(a, b, &relative, Vec3::ZERO, margin, &mut pair.cache)
            else {
                return;
            };
            (pair.gap, pair.separation) = (ratio.gap, ratio.separation);
            if ratio.gap <= eps_t {
                enumerated(pair, [a, b], placed, &active);
            }
            return;
        }
        let band = self.band(pair.bodies);
        let origin = self.origin(pair, [a, b], &relative);
        let Measured::Near(ratio) =
            ratio::measure(a, b, &relative, origin, band, &mut pair.cache)
        else {
            return;
        };
        (pair.gap, pair.separation) = (ratio.gap, ratio.separation);
        if ratio.separation > band {
            return;
        }
        self.clipped(pair, [a, b], placed, &relative, ratio.normal, band);
    }
