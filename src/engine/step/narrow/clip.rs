//! The contacts of a pair for a given normal, without enumeration.
//!
//! Input: two hulls, their relative pose, and a unit normal from `a` to `b`. Output: a [`Manifold`].
//!
//! Seen along the normal, the feature of each body that faces the other is a convex polygon (a face), a
//! segment or a point. The contacts are the corners of the intersection of the two polygons: corners of `a`
//! on the face of `b`, corners of `b` on the face of `a`, and crossings of edges. When the normal is that of
//! a face this is face clipping, and by Theorem 3.4 the contact region is the convex hull of these points;
//! when the normal is that of two crossing edges, their crossing is one of the corners and the others lie
//! above it. Each contact has its own separation along the normal (4.17); those beyond the band are left out.
//!
//! No body is the reference of the other: exchanging the bodies exchanges the ids, and nothing
//! flips while bodies move. A corner counts as inside a face up to `ε_x` outside it, and edges
//! cross only if their ends are farther than that from the other edge; so coincident features give
//! one contact each, with the same id while they move less than `ε_x`.
//!
//! The bodies meet exactly above each other only when scaled to touching. Where the outlines of the
//! unscaled bodies miss each other, `b` is moved back along the line of centers by `d sep / (n·d)`,
//! which is what scaling does, and as a last resort the nearest points of the outlines make a
//! contact: a pair within the band always has one.
//!
//! Only what lies within the band matters, so only that part of the outlines is traced. A corner over
//! the middle of a face, whose edges leave the band before they come to a side of the face, is one
//! contact and needs no outlines at all.
//!
//! Boxes, balls and capsules: the same in closed form (`boxes.rs`, `slim.rs`). Rounded hulls: the same on
//! their cores, with the points moved by the radii along the normal. Cost: a climb from the hints, and
//! O(corners of a × corners of b) of those within the band; no allocation below 64 corners a face. Not
//! done: corners of other faces than the facing one, however close.

use super::boxes;
use super::collect::{Anchor, Collector, Contact, Hidden, Manifold, Outlook};
use super::intersect::intersect;
use super::outline::{Axes, Corner, Outline, OutlineReach, PlacedFace};
use super::slim;
use super::smooth;
use super::support::{Top, nearest_of};
use crate::engine::geometry::ratio::Relative;
use crate::engine::geometry::shape::curve::Curve;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::state::contact::{ContactId, Feature};
use crate::engine::tuning::clip::{ALIGNED, TILT};
use crate::math::{Real, Vec3, narrow3, widen3};

/// Tolerances of the contact search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipParams {
    /// Contacts up to this separation are found (m).
    pub band: Real,
    /// ε_x: part of the smaller bounding radius by which faces are enlarged (-).
    pub eps_x: Real,
    /// Are there contacts only where the outlines overlap? Else a pair within the band always has one.
    pub overlap_only: bool,
    /// Features of body a that make no contacts.
    pub hidden: Hidden,
}

impl ClipParams {
    /// Contacts of all features, at least one within the band.
    #[must_use]
    pub const fn new(band: Real, eps_x: Real) -> Self {
        Self { band, eps_x, overlap_only: false, hidden: Hidden { vertices: 0, edges: 0 } }
    }
}

/// Finds the contacts of two hulls along the unit normal from `a` to `b`, given in the axes of `a`.
///
/// `hints` are vertices of both near those that touch, best the support vertices for the normal;
/// they matter for speed only. Clears and fills `out`. It stays empty if the hulls are farther apart
/// than the band along the normal.
pub fn find_contacts(
    a: &Hull,
    b: &Hull,
    relative: &Relative,
    normal: Vec3,
    hints: [u32; 2],
    params: &ClipParams,
    out: &mut Manifold,
) {
    if let Some(half) = boxes::boxes([a, b]) {
        let sizes = [a, b].map(|hull| hull.bounding_radius);
        let radii = [a.radius, b.radius];
        if boxes::find_contacts(half, sizes, radii, relative, normal, params, out) {
            return;
        }
    }
    if slim::find_contact([a, b], relative, normal, params.band, out) {
        return;
    }
    out.normal = normal;
    out.dropped = 0;
    out.contacts.clear();
    out.outlook = Outlook { complete: params.band, ..Outlook::default() };
    let scene = FacePair::new([a, b], relative, normal, hints, params);
    if scene.room < 0.0 {
        out.outlook.complete = scene.separation;
        return;
    }
    if is_round(b) {
        scene.ball::<1>(params, out);
        return;
    }
    if is_round(a) {
        scene.ball::<0>(params, out);
        return;
    }
    let [(feature_a, facing_a), (feature_b, facing_b)] = scene.facing();
    let single = match (feature_a, feature_b) {
        _ if a.curve.is_some() || b.curve.is_some() => None,
        (Feature::Face(face), _) if facing_a >= ALIGNED => {
            scene.corner_on_face(0, face).map(|contact| (0, contact))
        }
        (_, Feature::Face(face))
            if facing_b >= ALIGNED && !params.hidden.vertex(scene.top[0].vertex) =>
        {
            scene.corner_on_face(1, face).map(|contact| (1, contact))
        }
        _ => None,
    };
    if let Some((side, contact)) = single {
        let (anchor, tilt) = scene.anchor([feature_a, feature_b], [facing_a, facing_b]);
        if anchor == Anchor::Face(side) {
            out.outlook = Outlook::new(anchor, tilt, params.band);
        }
        out.contacts.push(contact);
        return;
    }
    // A corner up to the slack outside of a face is within the room if its plane falls so much there.
    let depth = scene.room + scene.slack * (1.0 + 1.0 / facing_a + 1.0 / facing_b);
    let anchor = scene.anchor([feature_a, feature_b], [facing_a, facing_b]);
    scene.outlines([feature_a, feature_b], anchor, depth, params, out);
}

/// Does a hull touch with one point whatever the normal, as balls and ellipsoids do?
fn is_round(hull: &Hull) -> bool {
    match hull.curve {
        Some(Curve::Ellipsoid { .. }) => true,
        Some(_) => false,
        None => hull.vertices.len() == 1,
    }
}

/// Two hulls and their features along the normal.
pub(super) struct FacePair<'h> {
    hulls: [&'h Hull; 2],
    relative: &'h Relative,
    normal: Vec3,
    /// Outward directions of both, each in its own axes.
    outward: [Vec3; 2],
    top: [Top; 2],
    /// Distance of the outermost points along the normal (m).
    separation: Real,
    /// How much farther apart than those contacts may be (m).
    room: Real,
    /// ε_x in meters.
    slack: Real,
}

impl<'h> FacePair<'h> {
    #[inline]
    pub(super) fn new(
        hulls: [&'h Hull; 2],
        relative: &'h Relative,
        normal: Vec3,
        hints: [u32; 2],
        params: &ClipParams,
    ) -> Self {
        let [a, b] = hulls;
        let outward = [normal, -(relative.rotation.transpose() * normal)];
        let top = [Top::find(a, outward[0], hints[0]), Top::find(b, outward[1], hints[1])];
        let distance = normal.dot(relative.offset);
        let separation = distance - top[1].height - top[0].height - a.radius - b.radius;
        let room = params.band - separation;
        let slack = params.eps_x * a.bounding_radius.min(b.bounding_radius);
        Self { hulls, relative, normal, outward, top, separation, room, slack }
    }

    /// The features that face each other, and for faces their cosines with the normal.
    #[inline]
    pub(super) fn facing(&self) -> [(Feature, Real); 2] {
        [0, 1].map(|k| self.top[k].facing(self.hulls[k], self.outward[k]))
    }

    /// What the normal turns with, for these facing features and their cosines, and how far it leans from
    /// the face there (-).
    fn anchor(&self, features: [Feature; 2], facing: [Real; 2]) -> (Anchor, Real) {
        let tilt = |k: usize| match features[k] {
            Feature::Face(face) if facing[k] >= ALIGNED => {
                (self.hulls[k].faces[face as usize].normal - self.outward[k]).length()
            }
            _ => Real::INFINITY,
        };
        if self.hulls.iter().any(|hull| hull.curve.is_some()) {
            return (Anchor::Unknown, 0.0);
        }
        let [on_a, on_b] = [tilt(0), tilt(1)];
        if on_a.min(on_b) < Real::INFINITY {
            return if on_b < on_a { (Anchor::Face(1), on_b) } else { (Anchor::Face(0), on_a) };
        }
        // The normal of rounded edges and corners turns with every slip.
        let sharp = self.hulls[0].radius + self.hulls[1].radius == 0.0;
        (if sharp { Anchor::Edges } else { Anchor::Unknown }, 0.0)
    }

    /// The contact of a face of hull `on`, square to the normal, with the outermost vertex of the
    /// other hull, if it is the only one within the band.
    ///
    /// The other hull lies in a cone about the normal with its apex in that vertex, as steep as the
    /// flattest edge there. Within the band the cone is no wider than `reach`, and if the vertex is
    /// farther than that inside all sides of the face, nothing else is near the face.
    #[inline]
    fn corner_on_face(&self, on: usize, face: u32) -> Option<Contact> {
        let (hull, other) = (self.hulls[on], self.hulls[1 - on]);
        let top = &self.top[1 - on];
        let room = self.room + self.slack;
        let [drop, length] = top.slope;
        // Within the room there is no other vertex, and so no level edge.
        if top.drop <= room {
            return None;
        }
        let tangent = (drop / (length - drop).max(0.0)).sqrt();
        if tangent <= 2.0 * TILT {
            return None;
        }
        let reach = room / (tangent - TILT) + 2.0 * self.slack;
        let vertex = other.corner(top.vertex);
        let Relative { rotation, offset } = self.relative;
        let (at, at_own);
        if on == 0 {
            at = *rotation * vertex + *offset;
            at_own = at;
        } else {
            at = vertex;
            at_own = rotation.transpose() * (vertex - *offset);
        }
        let plane = &hull.faces[face as usize];
        let sides = &hull.loop_sides[plane.start as usize..(plane.start + plane.len) as usize];
        if !sides.iter().all(|side| side.normal.dot(at_own) + reach <= side.offset) {
            return None;
        }
        let height = plane.normal.dot(at_own) - plane.offset;
        let separation = height / plane.normal.dot(self.outward[on]);
        let between = self.normal * separation;
        let [ra, rb] = [self.hulls[0].radius, self.hulls[1].radius];
        let (vertex, face) = (Feature::Vertex(top.vertex), Feature::Face(face));
        let (id, core_a, core_b) = if on == 0 {
            (ContactId::new(face, vertex), at - between, at)
        } else {
            (ContactId::new(vertex, face), at, at + between)
        };
        let point_a = core_a + self.normal * ra;
        let point_b = core_b - self.normal * rb;
        Some(Contact { id, point_a, point_b, separation: separation - ra - rb })
    }

    fn placed(&self, axes: &Axes) -> [PlacedFace<'_>; 2] {
        let [a, b] = self.hulls;
        [PlacedFace::body_a(a, axes), PlacedFace::body_b(b, self.relative, axes, self.outward[1])]
    }

    #[inline(always)]
    fn collector(&self, params: &ClipParams) -> Collector {
        // Two candidates that a slack of ε_x makes out of one lie at most this far apart.
        let (merge, radii) = (2.0 * self.slack, self.hulls.map(|hull| hull.radius));
        let mut found = Collector::new(self.normal, params.band, merge, radii);
        found.hide(params.hidden);
        found.set_nearest(self.separation);
        found
    }

    /// The contacts of these facing features, from the parts of their outlines within `depth` (m) of
    /// the outermost points.
    #[inline(never)]
    pub(super) fn outlines(
        &self,
        features: [Feature; 2],
        (anchor, tilt): (Anchor, Real),
        depth: Real,
        params: &ClipParams,
        out: &mut Manifold,
    ) {
        let axes = Axes::new(self.normal);
        let placed = self.placed(&axes);
        let mut found = self.collector(params);
        found.set_anchor(anchor, tilt);
        let mut outline_a = Outline::new();
        let mut outline_b = Outline::new();
        let reach =
            |k: usize, depth| OutlineReach { top: self.top[k].height, depth, slack: self.slack };
        outline_a.trace(&placed[0], features[0], &reach(0, depth));
        outline_b.trace(&placed[1], features[1], &reach(1, depth));
        // A corner so far down is as far from the other body, but for the slack.
        let left_out = outline_a.left_out.min(outline_b.left_out);
        if left_out < Real::INFINITY {
            found.leaves_out(params.band + (left_out - depth));
        }
        // First, since of two candidates in one place the first one stays.
        self.rims(&placed, &axes, &mut found);
        intersect(&outline_a, &outline_b, &axes, &mut found);
        if found.is_empty() && !params.overlap_only {
            found.leaves_out(params.band);
            let [size_a, size_b] = self.hulls.map(|hull| hull.bounding_radius);
            found.set_holder(usize::from(size_b <= size_a));
            outline_a.trace(&placed[0], features[0], &reach(0, Real::INFINITY));
            outline_b.trace(&placed[1], features[1], &reach(1, Real::INFINITY));
            let distance = self.normal.dot(self.relative.offset);
            if distance > self.separation.abs() {
                let shift = self.relative.offset * (self.separation / distance);
                found.set_shift(shift);
                found.lose_anchor();
                let moved = placed[1].moved(&axes, -shift);
                let mut outline_b = Outline::new();
                outline_b.trace(&moved, features[1], &reach(1, Real::INFINITY));
                intersect(&outline_a, &outline_b, &axes, &mut found);
                found.set_shift(Vec3::ZERO);
            }
            if found.is_empty() && !self.on_plane([&outline_a, &outline_b], &axes, &mut found) {
                self.nearest(&placed, [&outline_a, &outline_b], &axes, &mut found);
            }
        }
        found.finish(out);
    }

    /// The contact of a rim or a corner with a curved hull, whose outline is only near its surface: the
    /// outermost point, and what the other hull has there but for the overlap.
    fn rims(&self, placed: &[PlacedFace; 2], axes: &Axes, found: &mut Collector) {
        if self.hulls[0].curve.is_none() && self.hulls[1].curve.is_none() {
            return;
        }
        let across = self.slack + 2.0 * self.separation.abs();
        for k in 0..2 {
            let is_point = match &self.hulls[k].curve {
                Some(curve) => smooth::touches_with_a_point(curve, self.outward[k]),
                None => {
                    let feature = self.top[k].square(self.hulls[k], self.outward[k]);
                    matches!(feature, Feature::Vertex(_))
                }
            };
            if !is_point {
                continue;
            }
            let p = placed[k].place(self.outermost(k));
            let (feature, on) = self.square(1 - k, placed[1 - k].local(p));
            let on = placed[1 - k].place(on);
            let (x, y) = (on.x - p.x, on.y - p.y);
            if x * x + y * y > across * across {
                continue;
            }
            let own = self.support_feature(k);
            if k == 0 {
                found.push(ContactId::new(own, feature), axes.lift(p), axes.lift(on));
            } else {
                found.push(ContactId::new(feature, own), axes.lift(on), axes.lift(p));
            }
            return;
        }
    }

    /// The vertex that is outermost, by its number.
    fn support_feature(&self, k: usize) -> Feature {
        Feature::Vertex(match &self.hulls[k].curve {
            Some(curve) => smooth::support_number(curve, self.outward[k]),
            None => self.top[k].vertex,
        })
    }

    /// The one contact of a ball or an ellipsoid, hull `K`: its center or outermost point against the feature
    /// square to the normal. What is read by a number that is known takes half the time.
    #[inline(always)]
    pub(super) fn ball<const K: usize>(&self, params: &ClipParams, out: &mut Manifold) {
        let mut found = self.collector(params);
        // A corner is pushed through its own point, also by a plane that its neighbor makes.
        let other = 1 - K;
        let Relative { rotation, offset } = self.relative;
        let center = self.outermost(K);
        let in_a = if K == 1 { *rotation * center + *offset } else { center };
        let seen = if K == 1 { in_a } else { rotation.transpose() * (center - *offset) };
        let (feature, on) = self.square(other, seen);
        self.anchor_ball(&mut found, K, feature);
        let height = self.outward[other].dot(seen - on);
        let beside = seen - on - self.outward[other] * height;
        if !params.overlap_only || beside.dot(beside) <= self.slack * self.slack {
            let (vertex, between) = (Feature::Vertex(0), self.normal * height);
            if K == 1 {
                found.push(ContactId::new(feature, vertex), in_a - between, in_a);
            } else {
                found.push(ContactId::new(vertex, feature), in_a, in_a + between);
            }
        }
        found.finish(out);
    }

    /// What becomes of the contact of a ball, hull `k`, with a feature of the other hull.
    #[inline(always)]
    fn anchor_ball(&self, found: &mut Collector, k: usize, feature: Feature) {
        if self.hulls.iter().any(|hull| hull.curve.is_some()) {
            return;
        }
        let other = self.hulls[1 - k];
        match feature {
            Feature::Face(face) => {
                let lean = other.faces[face as usize].normal - self.outward[1 - k];
                found.set_anchor(Anchor::Face(1 - k), lean.length());
            }
            Feature::Vertex(_) if other.vertices.len() == 1 => {
                found.set_anchor(Anchor::Points, 0.0);
            }
            _ => {}
        }
    }

    /// Contacts of outlines that miss each other along the normal of a face: the corners of the other
    /// one with the plane of the face. False if there are none, or the normal is that of no face.
    ///
    /// The plane is what keeps the bodies apart in this step, and not the face: a capsule that rolls
    /// towards the next tile is on the plane of its top already, with both ends.
    fn on_plane(&self, [a, b]: [&Outline; 2], axes: &Axes, found: &mut Collector) -> bool {
        let flat = |k: usize| {
            let (feature, facing) = self.top[k].facing(self.hulls[k], self.outward[k]);
            matches!(feature, Feature::Face(_)) && facing >= ALIGNED
        };
        let [on_a, on_b] = [flat(0), flat(1)];
        let [size_a, size_b] = self.hulls.map(|hull| hull.bounding_radius);
        let plane_of_a = on_a && !(on_b && size_b > size_a);
        // The outermost point is among the corners, unless the body is curved or sunk in deep.
        let lowest = |corners: &[Corner], toward: Real| {
            let gap = |corner: &Corner| {
                let plane = if plane_of_a { a.above(corner.at) } else { b.above(corner.at) };
                (corner.at.z - plane.z) * toward
            };
            let radii = self.hulls[0].radius + self.hulls[1].radius;
            corners.iter().map(gap).fold(Real::INFINITY, Real::min) - radii
        };
        if plane_of_a && lowest(&b.corners, 1.0) <= self.separation + self.slack {
            for corner in &b.corners {
                let id = ContactId::new(a.feature, Feature::Vertex(corner.vertex));
                found.push(id, axes.lift(a.above(corner.at)), axes.lift(corner.at));
            }
        } else if on_b && !plane_of_a && lowest(&a.corners, -1.0) <= self.separation + self.slack {
            for corner in &a.corners {
                let id = ContactId::new(Feature::Vertex(corner.vertex), b.feature);
                found.push(id, axes.lift(corner.at), axes.lift(b.above(corner.at)));
            }
        }
        !found.is_empty()
    }

    /// The outermost point of a core, in its axes.
    #[inline(always)]
    fn outermost(&self, k: usize) -> Vec3 {
        match &self.hulls[k].curve {
            Some(curve) => narrow3(curve.support(widen3(self.outward[k]))),
            None => self.hulls[k].corner(self.top[k].vertex),
        }
    }

    /// The largest feature of a hull square to the normal, and its point nearest to `p` across the
    /// normal, in its axes.
    #[inline(always)]
    fn square(&self, k: usize, p: Vec3) -> (Feature, Vec3) {
        let (hull, outward) = (self.hulls[k], self.outward[k]);
        if let Some(curve) = &hull.curve {
            return smooth::nearest(curve, outward, p);
        }
        let feature = self.top[k].square(hull, outward);
        (feature, nearest_of(hull, feature, outward, p))
    }

    /// One contact of outlines that miss each other: the outermost corner of one body and the point
    /// of the other's outline nearest to it across the normal, whichever pair is nearer.
    fn nearest(
        &self,
        placed: &[PlacedFace; 2],
        [a, b]: [&Outline; 2],
        axes: &Axes,
        found: &mut Collector,
    ) {
        found.lose_anchor();
        let (support_a, support_b) = (self.support_feature(0), self.support_feature(1));
        let [p, q] = [0, 1].map(|k| placed[k].place(self.outermost(k)));
        let (on_a, on_b) = (a.nearest(q), b.nearest(p));
        let apart = |v: Vec3| v.x * v.x + v.y * v.y;
        if apart(q - on_a) <= apart(on_b - p) {
            let id = ContactId::new(a.feature, support_b);
            found.push(id, axes.lift(on_a), axes.lift(q));
        } else {
            let id = ContactId::new(support_a, b.feature);
            found.push(id, axes.lift(p), axes.lift(on_b));
        }
        if found.is_empty() {
            // Nearer across the normal, but beyond the band along it; the outermost points are not.
            let id = ContactId::new(support_a, support_b);
            found.push(id, axes.lift(p), axes.lift(q));
        }
    }
}
