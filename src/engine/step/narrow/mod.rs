//! From pairs to contacts: the ratio metric and the active events of one pair of pieces.
//!
//! Input: a pair, its bodies and their free motion. Output: Φ and separation of the pair, and its
//! contacts: a world normal, arms from both centers, the gap, and the impulses of the last step, found
//! again by feature id. A pair depends on itself and its two bodies only, so the order does not matter.
//!
//! By default the normal is that of the ratio metric, or the neighbor that the motion separates first,
//! and the contacts are the clipped features within the band `ε = h v + h² |g| + margin`; rows act
//! in the middle between the touching points of the unscaled bodies. With the papers' events, every
//! event of the set (4.8) gives a row at the touching point of the scaled bodies, with its own value
//! (4.17).

pub mod clip;
pub mod collect;
pub mod exposed;
pub mod half_space;
mod intersect;
pub mod mesh;
pub mod normal;
mod outline;
mod reuse;
pub(in crate::engine) mod smooth;
mod support;
#[cfg(test)]
mod tests;

use crate::engine::state::contact::{ActiveContact, ContactId};
use crate::engine::tuning::narrow::{SAME, SLACK};
use smallvec::SmallVec;

use super::ccd::swept::Swept;

use self::clip::{ClipParams, find_contacts};
use self::collect::{Anchor, Contact, Manifold};
use self::half_space::find_contacts_half_space;
use self::mesh::OnTriangle;
use self::normal::{Twist, reference_normal};
use super::broad::{Reach, blow};
use super::predict;
use super::predict::planar_axis;
use crate::engine::geometry::ratio::{
    Centers, Measured, Ratio, Relative, is_long, measure, measure_half_space, near_centers,
    still_apart,
};
use crate::engine::geometry::shape::HalfSpace;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::papers::enumerate::Placement;
use crate::engine::settings::{ActiveEvents, Settings};
use crate::engine::state::body::Body;
use crate::engine::state::changes::Changes;
use crate::engine::state::collider::{ConvexRef, PieceRef};
use crate::engine::state::motion::Motion;
use crate::engine::state::pairs::Pair;
use crate::math::{Mat3, Real, Vec3, quat_exp, quat_to_mat3, widen, widen_mat3, widen3};

/// What the pairs of a step have in common.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// All bodies.
    pub bodies: &'a [Body],
    /// Their free motion.
    pub motions: &'a [Motion],
    /// When they last changed.
    pub changes: &'a Changes,
    /// What the step can move them.
    pub reach: &'a [Reach],
    /// Parameters.
    pub settings: &'a Settings,
    /// Time step (s).
    pub dt: Real,
}

/// The two pieces of a pair in world axes, each relative to the center of its body.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Placed {
    /// From the center of body a to that of body b (m).
    pub(in crate::engine) between: Vec3,
    /// From the center of each body to the centroid of its piece (m).
    pub(in crate::engine) arms: [Vec3; 2],
    /// Rotation of each piece.
    pub(in crate::engine) rotations: [Mat3; 2],
    /// The time (s) after which swept pieces meet here, if that is why they are here.
    met: Option<Real>,
}

impl Placed {
    fn new(bodies: [&Body; 2], motions: [&Motion; 2], pieces: [&PieceRef<'_>; 2]) -> Self {
        let arm =
            |k: usize| motions[k].rotation * (pieces[k].centroid() - bodies[k].center_of_mass());
        let turn = |k: usize| motions[k].rotation * quat_to_mat3(pieces[k].rotation);
        Self {
            between: bodies[0].to_center_of(bodies[1]),
            arms: [arm(0), arm(1)],
            rotations: [turn(0), turn(1)],
            met: None,
        }
    }

    /// From centroid to centroid (m).
    pub(in crate::engine) fn offset(&self) -> Vec3 {
        self.between + self.arms[1] - self.arms[0]
    }

    /// Arms from both centers to a point given from the center of body a.
    pub(in crate::engine) fn arms_to(&self, point: Vec3) -> [Vec3; 2] {
        [point, point - self.between]
    }

    /// A contact of the pair with this id and `normal` from a to b and touching points from the center of a
    /// in world axes. `radii` are those of the rounding (m), `to_bodies` turn to the axes of both bodies.
    fn contact(
        &self,
        contact: &Contact,
        id: ContactId,
        normal: Vec3,
        points: [Vec3; 2],
        radii: [Real; 2],
        to_bodies: &[Mat3; 2],
    ) -> ActiveContact {
        let cores = [
            to_bodies[0] * (points[0] - normal * radii[0]),
            to_bodies[1] * (points[1] + normal * radii[1] - self.between),
        ];
        let arms = self.arms_to((points[0] + points[1]) * 0.5);
        let gap = contact.separation;
        ActiveContact { cores, ..ActiveContact::new(id, normal, arms, gap, widen(gap)) }
    }

    /// Moves both pieces along the free motion of their bodies to where they meet, after some time (s).
    fn advance(&mut self, motions: [&Motion; 2], time: Real) {
        self.met = Some(time);
        self.between += (motions[1].linear - motions[0].linear) * time;
        for k in 0..2 {
            if motions[k].angular != Vec3::ZERO {
                let turn = quat_to_mat3(quat_exp(motions[k].angular * time));
                self.arms[k] = turn * self.arms[k];
                self.rotations[k] = turn * self.rotations[k];
            }
        }
    }

    /// Pose of piece `k` about the center of body a, in double precision.
    pub(in crate::engine) fn placement(&self, k: usize) -> Placement {
        let from_a = if k == 0 { self.arms[0] } else { self.between + self.arms[1] };
        Placement { position: widen3(from_a), rotation: widen_mat3(self.rotations[k]) }
    }
}

impl Context<'_> {
    /// Distance below which the pair is active (m).
    fn active(&self, bodies: [u32; 2]) -> Real {
        let moved =
            self.approach(bodies).max(blow(bodies.map(|i| self.reach[i as usize]), self.dt));
        let gravity = self.settings.gravity.length();
        moved + self.dt * self.dt * gravity + self.settings.contact.margin
    }

    /// How far two bodies can come closer within the step by their free motions (m), see
    /// [`approach`](predict::approach); what moves by more than its size may run into the other even if
    /// that moves along with it and is stopped.
    fn approach(&self, bodies: [u32; 2]) -> Real {
        let motions = bodies.map(|i| &self.motions[i as usize]);
        let [a, b] = bodies.map(|i| self.reach[i as usize].own);
        let own = self.dt * (a + b);
        if own > motions[0].inradius.min(motions[1].inradius) {
            return own;
        }
        let [a, b] = bodies.map(|i| self.bodies[i as usize].center());
        predict::approach(motions, b - a, self.dt)
    }

    /// Distance up to which contacts are sought (m): a little farther, so that they serve again.
    pub(in crate::engine) fn band(&self, bodies: [u32; 2]) -> Real {
        self.active(bodies) + 2.0 * self.stillness()
    }

    /// Measures a pair and finds its contacts, unless it hardly moved since that was done.
    pub fn update(&self, pair: &mut Pair) {
        let bodies = pair.bodies.map(|i| &self.bodies[i as usize]);
        let motions = pair.bodies.map(|i| &self.motions[i as usize]);
        // A body that was placed or shaped anew after the broad phase starts afresh in the next step.
        let same = bodies.map(Body::version) == pair.versions;
        let was_kept = pair.stamps.rows < pair.stamps.seen;
        if was_kept && same && self.is_unchanged(pair) {
            return;
        }
        if same && self.serves(pair, bodies, motions) {
            return;
        }
        let step = self.changes.began();
        (pair.stamps.measured, pair.stamps.rows) = (step, step);
        let old: SmallVec<[ActiveContact; 32]> = SmallVec::from_slice(&pair.contacts);
        pair.contacts.clear();
        pair.measured = if same { self.measurement(pair, bodies) } else { None };
        pair.dropped = 0;
        pair.gap = Real::INFINITY;
        pair.separation = Real::INFINITY;
        pair.impact = Real::INFINITY;
        if same {
            self.measure(pair, bodies, motions);
        }
        pair.contacts.sort_unstable_by_key(|contact| contact.id);
        merge(&mut pair.contacts, planar_axis(motions[0], motions[1]));
        inherit(pair, &old);
    }

    /// Measures a pair by what its pieces are.
    fn measure(&self, pair: &mut Pair, bodies: [&Body; 2], motions: [&Motion; 2]) {
        let numbers = [pair.key.piece_a, pair.key.piece_b];
        let [Some(piece_a), Some(piece_b)] =
            [0, 1].map(|k| bodies[k].colliders().piece(numbers[k]))
        else {
            return;
        };
        let mut placed = Placed::new(bodies, motions, [&piece_a, &piece_b]);
        let convex = [piece_a.convex, piece_b.convex];
        if let Some(measured) = &mut pair.measured {
            measured.set_levers([0, 1].map(|k| Context::lever(convex[k], placed.arms[k])));
        }
        let swept = self.sweep(pair, convex, &placed);
        if let Swept::Hit(time) = swept {
            placed.advance(motions, time);
        }
        match (piece_a.convex, piece_b.convex) {
            // The step is free: a plane through a far face would stop what flies past it.
            _ if swept == Swept::Missed => {}
            (ConvexRef::Hull(x), ConvexRef::Hull(y)) => self.hulls(pair, [x, y], &placed),
            (ConvexRef::Hull(x), ConvexRef::HalfSpace(p)) => self.plane(pair, x, p, &placed, 0),
            (ConvexRef::HalfSpace(p), ConvexRef::Hull(y)) => self.plane(pair, y, p, &placed, 1),
            (ConvexRef::Triangle(mesh, index), ConvexRef::Hull(hull)) => {
                self.triangle(pair, OnTriangle { mesh, index, hull, side: 0 }, &placed);
            }
            (ConvexRef::Hull(hull), ConvexRef::Triangle(mesh, index)) => {
                self.triangle(pair, OnTriangle { mesh, index, hull, side: 1 }, &placed);
            }
            (
                ConvexRef::HalfSpace(_) | ConvexRef::Triangle(..),
                ConvexRef::HalfSpace(_) | ConvexRef::Triangle(..),
            ) => {}
        }
        if let Swept::Hit(time) = swept {
            self.defer(pair, motions, time);
        }
    }

    /// Two hulls.
    fn hulls(&self, pair: &mut Pair, hulls: [&Hull; 2], placed: &Placed) {
        let [a, b] = hulls;
        let relative =
            Relative::new(Vec3::ZERO, placed.rotations[0], placed.offset(), placed.rotations[1]);
        if let ActiveEvents::Enumerated { eps_t, .. } = self.settings.contact.active {
            let centers = Centers::default();
            let margin = Real::INFINITY;
            let measured = measure(a, b, &relative, &centers, margin, &mut pair.cache);
            let Measured::Near(ratio) = measured else { return };
            (pair.gap, pair.separation) = (ratio.gap, ratio.separation);
            if ratio.gap <= eps_t && !pair.sensor {
                if a.curve().is_some() || b.curve().is_some() {
                    // A curved hull is no polyhedron and has no such events; clipping stands in.
                    let band = self.band(pair.bodies);
                    self.clipped(pair, hulls, placed, &relative, &ratio, band);
                } else {
                    self.enumerated(pair, hulls, placed);
                }
            }
            return;
        }
        let band = self.band(pair.bodies);
        if let Some(separation) = still_apart(a, b, &relative, band, &mut pair.cache) {
            if let Some(measured) = &mut pair.measured {
                measured.reach = separation;
            }
            return;
        }
        let centers = self.centers(pair, hulls, &relative);
        let ratio = match measure(a, b, &relative, &centers, band, &mut pair.cache) {
            Measured::Near(ratio) => ratio,
            Measured::Apart { separation, .. } => {
                if let Some(measured) = &mut pair.measured {
                    measured.reach = separation;
                }
                return;
            }
        };
        (pair.gap, pair.separation) = (ratio.gap, ratio.separation);
        if pair.sensor {
            return;
        }
        self.clipped(pair, hulls, placed, &relative, &ratio, band);
    }

    /// A hull (body `hull_side` of the pair) and a half-space.
    fn plane(
        &self,
        pair: &mut Pair,
        hull: &Hull,
        plane: &HalfSpace,
        placed: &Placed,
        hull_side: usize,
    ) {
        let normal = placed.rotations[1 - hull_side] * plane.normal;
        let from_plane = if hull_side == 1 { placed.offset() } else { -placed.offset() };
        let height = normal.dot(from_plane);
        let rotation = placed.rotations[hull_side];
        let ratio = measure_half_space(hull, rotation, height, normal);
        (pair.gap, pair.separation) = (ratio.gap, ratio.separation);
        if pair.sensor {
            return;
        }
        if let ActiveEvents::Enumerated { eps_t, .. } = self.settings.contact.active {
            if ratio.gap <= eps_t {
                self.enumerated_half_space(pair, hull, placed, hull_side, normal);
            }
            return;
        }
        if ratio.separation <= self.band(pair.bodies) {
            self.clipped_half_space(pair, hull, placed, hull_side, height, &ratio);
        } else if let Some(measured) = &mut pair.measured {
            measured.reach = ratio.separation;
        }
    }

    /// Scaling centers: the centroids, or for bodies that are fixed or long a point near the other
    /// body, found by turns.
    fn centers(&self, pair: &Pair, [a, b]: [&Hull; 2], relative: &Relative) -> Centers {
        let wants = |k: usize, hull: &Hull| {
            let moves = self.motions[pair.bodies[k] as usize].moves;
            !moves || is_long(hull)
        };
        near_centers([a, b], [wants(0, a), wants(1, b)], relative)
    }

    /// Velocity of piece b relative to piece a in the axes of a, to which `to_a` turns; `offset` leads
    /// there from centroid to centroid.
    ///
    /// The velocities as they are: with those predicted for the step, gravity alone would make the
    /// plane a body rests on look worse than the side of a neighbor that it slides towards.
    pub(in crate::engine) fn twist(
        &self,
        pair: &Pair,
        placed: &Placed,
        to_a: &Mat3,
        offset: Vec3,
    ) -> Twist {
        let bodies = pair.bodies.map(|i| &self.bodies[i as usize]);
        // A fixed body has no velocity, whatever its field says.
        let velocities = [0, 1].map(|k| {
            let motion = &self.motions[pair.bodies[k] as usize];
            let body = bodies[k];
            if motion.moves {
                (body.velocity_at(body.center() + placed.arms[k]), body.angular_velocity)
            } else {
                (motion.velocity_at(placed.arms[k]), motion.angular)
            }
        });
        Twist::new(
            velocities.map(|(linear, _)| *to_a * linear),
            velocities.map(|(_, angular)| *to_a * angular),
            offset,
        )
    }

    /// Clipped contacts of two hulls along the ratio's normal or a better neighbor.
    fn clipped(
        &self,
        pair: &mut Pair,
        [a, b]: [&Hull; 2],
        placed: &Placed,
        relative: &Relative,
        ratio: &Ratio,
        band: Real,
    ) {
        let to_a = placed.rotations[0].transpose();
        let twist = self.twist(pair, placed, &to_a, relative.offset);
        let mut slack = self.settings.contact.normal_slack * self.dt * self.dt;
        if let Some(time) = placed.met {
            // What is small beside the step is not small beside a bullet; but the free path has sunk
            // into what carries the bodies.
            let sunk = time * self.bent(pair.bodies);
            slack = slack.min(SLACK * a.inradius().min(b.inradius()) + sunk);
        }
        let hints = pair.cache.hints;
        let normal = reference_normal(a, b, relative, ratio.normal, hints, &twist, self.dt, slack);
        let mut manifold = Manifold::default();
        find_contacts(a, b, relative, normal, hints, &self.clip(band), &mut manifold);
        let turn = placed.rotations[0];
        pair.dropped = manifold.dropped;
        let radii = [a.radius, b.radius];
        let normal = turn * manifold.normal;
        let to_bodies = pair.bodies.map(|i| self.motions[i as usize].rotation.transpose());
        for contact in &manifold.contacts {
            let points = [contact.point_a, contact.point_b].map(|p| placed.arms[0] + turn * p);
            let new = placed.contact(contact, contact.id, normal, points, radii, &to_bodies);
            pair.contacts.push(new);
        }
        let inradius = a.inradius().min(b.inradius());
        let outlook = &manifold.outlook;
        self.remember(pair, outlook, outlook.anchor, ratio, radii, inradius);
    }

    /// By how much this step turns the relative velocity of two bodies aside [m/s].
    fn bent(&self, bodies: [u32; 2]) -> Real {
        let [a, b] = bodies.map(|i| {
            let (body, motion) = (&self.bodies[i as usize], &self.motions[i as usize]);
            let change =
                if motion.moves { motion.linear - body.linear_velocity } else { Vec3::ZERO };
            (motion.linear, change)
        });
        let (free, change) = (b.0 - a.0, b.1 - a.1);
        let along = free.try_normalize().unwrap_or(Vec3::ZERO);
        (change - along * along.dot(change)).length()
    }

    /// Clipped contacts of a hull and a half-space with this outward normal.
    fn clipped_half_space(
        &self,
        pair: &mut Pair,
        hull: &Hull,
        placed: &Placed,
        hull_side: usize,
        height: Real,
        ratio: &Ratio,
    ) {
        let normal = ratio.normal;
        let mut manifold = Manifold::default();
        let params = self.clip(self.band(pair.bodies));
        let rotation = placed.rotations[hull_side];
        find_contacts_half_space(hull, &rotation, height, normal, &params, &mut manifold);
        let toward_b = if hull_side == 1 { 1.0 } else { -1.0 };
        let origin = if hull_side == 1 { placed.between + placed.arms[1] } else { placed.arms[0] };
        pair.dropped = manifold.dropped;
        let (outlook, swap) = (&manifold.outlook, hull_side == 0);
        let radii = if swap { [hull.radius, 0.0] } else { [0.0, hull.radius] };
        let to_bodies = pair.bodies.map(|i| self.motions[i as usize].rotation.transpose());
        for contact in &manifold.contacts {
            let [p, q] = [origin + contact.point_a, origin + contact.point_b];
            let (id, points) =
                if swap { (contact.id.swapped(), [q, p]) } else { (contact.id, [p, q]) };
            let normal = normal * toward_b;
            let new = placed.contact(contact, id, normal, points, radii, &to_bodies);
            pair.contacts.push(new);
        }
        let anchor = match outlook.anchor {
            Anchor::Unknown => Anchor::Unknown,
            _ => Anchor::Face(1 - hull_side),
        };
        self.remember(pair, outlook, anchor, ratio, radii, Real::MAX);
    }

    /// Tolerances of the clipping.
    pub(in crate::engine) fn clip(&self, band: Real) -> ClipParams {
        ClipParams::new(band, self.settings.contact.reference_slack)
    }
}

/// Leaves out contacts that repeat an earlier one: the same row at the same point. In planar motion
/// points that differ along the axis only are the same.
fn merge(contacts: &mut SmallVec<[ActiveContact; 4]>, axis: Option<Vec3>) {
    let axis = axis.unwrap_or(Vec3::ZERO);
    let mut kept = 0;
    for i in 0..contacts.len() {
        let new = contacts[i];
        let reach = new.arms[0].length().max(new.arms[1].length());
        let near = SAME * (1.0 + reach);
        let same = |old: &ActiveContact| {
            let apart = new.arms[0] - old.arms[0];
            let apart = apart - axis * axis.dot(apart);
            let turned = new.normal - old.normal;
            apart.dot(apart) <= near * near
                && turned.dot(turned) <= SAME * SAME
                && (new.gap - old.gap).abs() <= near
        };
        if !contacts[..kept].iter().any(same) {
            if kept < i {
                contacts[kept] = new;
            }
            kept += 1;
        }
    }
    contacts.truncate(kept);
}

/// Takes over the impulses of contacts that were there before. Both lists are sorted by id.
fn inherit(pair: &mut Pair, old: &[ActiveContact]) {
    for contact in &mut pair.contacts {
        if let Ok(i) = old.binary_search_by_key(&contact.id, |old| old.id) {
            contact.impulse = old[i].impulse;
            contact.blow = old[i].blow;
        }
    }
    let is_in = |id, list: &[ActiveContact]| list.binary_search_by_key(&id, |c| c.id).is_ok();
    let contacts = &pair.contacts;
    pair.angular_impulses.retain(|&(id, _)| is_in(id, old) && is_in(id, contacts));
}
