//! Which separating plane a pair uses for one step.
//!
//! Input: the normal of the ratio metric and the velocities. Output: a normal. Just before a box
//! sliding over tiles reaches the next tile, that tile's *side* has the larger ratio, and its row
//! would stop the box; at touching both planes are within the tolerance. Any plane that separates
//! the bodies now may serve (Theorem 3.13 says that the largest one decides, and at touching they
//! are equal), so among the ratio's normal and the faces beside the touching features we take the
//! plane that is predicted to separate best at the end of the step,
//!
//! ```text
//! sep(n) + h ṡep(n),     ṡep = n·(v_b(p) - v_a(p)),     eligible if sep(n) ≥ -c h²
//! ```
//!
//! with `p` the touching corner. The ratio's normal wins ties. If no plane is eligible the bodies
//! overlap and the ratio's normal, which knows the way out, is kept. So it is where it would not be
//! reached within the step: its rows then stop nothing. The plane of an edge or a corner must be missed
//! clearly for that, by as far as the bodies slide along it in the step, `h |v_t|`, or `c h²` if that is
//! less. A wheel that comes to the next tile narrowly misses the tile's edge, and slides along that
//! plane; the step problem with friction then has two solutions, in one of which the wheel runs up
//! the edge, and the plane of the tile's top leaves only the other.
//! Cost: two support queries from hints, one more for each face that a first bound does not rule out.

use super::boxes;
use crate::engine::geometry::ratio::Relative;
use crate::engine::geometry::shape::hull::{Face, Hull, Spoke};
use crate::engine::tuning::normal::{ALIGNED, PREFERENCE, SINK_DEPTH, SQUARE};
use crate::math::{Real, Vec3, array3, narrow3, widen3};

/// Faces of curved hulls: at most two caps.
const CAPS: [u32; 2] = [0, 1];

/// Velocity of body `b` relative to body `a`, in the axes of `a`: the material of `b` at `p` (from
/// the centroid of `a`) moves against that of `a` with `linear + angular × p`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Relative velocity at the centroid of `a` [m/s].
    pub linear: Vec3,
    /// Relative angular velocity [rad/s].
    pub angular: Vec3,
}

impl Twist {
    /// From the velocities at both centroids and the angular velocities, all in the axes of `a`,
    /// and the centroid of `b` from that of `a` (m).
    #[must_use]
    pub fn new(velocities: [Vec3; 2], angular: [Vec3; 2], offset: Vec3) -> Self {
        let linear = velocities[1] - angular[1].cross(offset) - velocities[0];
        Self { linear, angular: angular[1] - angular[0] }
    }

    /// Relative velocity at `p` [m/s].
    #[must_use]
    pub fn at(&self, p: Vec3) -> Vec3 {
        self.linear + self.angular.cross(p)
    }
}

/// A pair and its motion, for trying normals.
struct Trial<'h> {
    a: &'h Hull,
    b: &'h Hull,
    relative: &'h Relative,
    twist: &'h Twist,
    dt: Real,
    eligible_below: Real,
    /// Sum of the rounding radii (m).
    radius: Real,
    /// Outermost core vertices along the ratio's normal.
    support: [u32; 2],
    /// That of `a` in the axes of `b`, and that of `b` in the axes of `a`, about their centroids (m).
    opposite: [Vec3; 2],
    best: Vec3,
    /// What another plane's predicted separation must exceed (m).
    bar: Real,
}

/// The normal that the pair uses for this step: `ratio_normal`, or that of a face beside the
/// touching features. All vectors in the axes of `a`; normals are unit vectors from `a` to `b`.
///
/// `hints` are vertices of both near those that touch, best the support vertices for the normal;
/// they matter for speed only. `twist` is the motion that the bodies would have without contact;
/// `eligible_below` is `c h²` (m).
#[must_use]
pub fn reference_normal(
    a: &Hull,
    b: &Hull,
    relative: &Relative,
    ratio_normal: Vec3,
    hints: [u32; 2],
    twist: &Twist,
    dt: Real,
    eligible_below: Real,
) -> Vec3 {
    if let Some(half) = boxes::boxes([a, b]) {
        let (radii, n) = ([a.radius, b.radius], ratio_normal);
        return boxes::reference_normal(half, radii, relative, n, twist, dt, eligible_below);
    }
    if a.faces.is_empty() && b.faces.is_empty() {
        return ratio_normal;
    }
    let inverse = relative.rotation.transpose();
    let outward_b = -(inverse * ratio_normal);
    let (support_a, _, p) = outermost(a, ratio_normal, hints[0], Real::INFINITY);
    let (support_b, _, on_b) = outermost(b, outward_b, hints[1], Real::INFINITY);
    let q = relative.rotation * on_b + relative.offset;
    let (face_a, face_b) =
        (touching_face(a, ratio_normal, support_a), touching_face(b, outward_b, support_b));
    // The touching point: the corner on the other body's face, else that of a curved body, else one on
    // the smaller body, since the outermost corner of the larger one may be far from where they touch.
    // A wheel as large as the tile rolls about an axis, on which all its touching points are alike.
    let at = match (face_a, face_b) {
        (Some(_), None) => q,
        (None, Some(_)) => p,
        _ if a.curve.is_some() && b.curve.is_none() => p,
        _ if b.curve.is_some() && a.curve.is_none() => q,
        _ if a.bounding_radius < b.bounding_radius => p,
        _ => q,
    };
    let radius = a.radius + b.radius;
    let separation = ratio_normal.dot(q - p) - radius;
    let on_face = face_a.is_some() || face_b.is_some();
    let serving = Serving { normal: ratio_normal, separation, velocity: twist.at(at), on_face };
    let Some(bar) = serving.bar(dt, eligible_below) else { return ratio_normal };
    let mut trial = Trial {
        a,
        b,
        relative,
        twist,
        dt,
        eligible_below,
        radius,
        support: [support_a, support_b],
        opposite: [inverse * (p - relative.offset), q],
        best: ratio_normal,
        bar,
    };
    faces_beside(a, face_a, support_a, ratio_normal, |face| trial.face_of_a(face));
    faces_beside(b, face_b, support_b, outward_b, |face| trial.face_of_b(face));
    trial.best
}

/// The plane of the ratio, and how the bodies move next to it.
pub(super) struct Serving {
    /// Unit normal.
    pub(super) normal: Vec3,
    /// Signed distance (m).
    pub(super) separation: Real,
    /// Relative velocity at the touching point [m/s].
    pub(super) velocity: Vec3,
    /// Is it that of a face?
    pub(super) on_face: bool,
}

impl Serving {
    /// Separation (m) by which another plane is better; none if the bodies stay apart on this one.
    #[inline]
    pub(super) fn bar(&self, dt: Real, eligible_below: Real) -> Option<Real> {
        if self.separation < -eligible_below {
            return Some(Real::NEG_INFINITY);
        }
        let closing = self.normal.dot(self.velocity);
        let predicted = self.separation + dt * closing;
        let slid = dt * (self.velocity - self.normal * closing).length();
        if predicted >= if self.on_face { 0.0 } else { slid.min(eligible_below) } {
            return None;
        }
        // An edge just missed or just met is no better than a plane on which the body stays.
        let most = if self.on_face { Real::INFINITY } else { -SINK_DEPTH * eligible_below };
        Some(predicted.min(most) + PREFERENCE * eligible_below)
    }
}

impl Trial<'_> {
    /// Tries the plane of a face of `a`.
    #[inline]
    fn face_of_a(&mut self, face: &Face) {
        let n = face.normal;
        if n.dot(self.opposite[1]) - face.offset - self.radius < -self.eligible_below {
            return;
        }
        let outward = -(self.relative.rotation.transpose() * n);
        let plane = n.dot(self.relative.offset) - face.offset - self.radius;
        // Beyond this height the plane cuts too deep to be eligible.
        let enough = plane + self.eligible_below;
        let (_, height, on_b) = outermost(self.b, outward, self.support[1], enough);
        if height <= enough {
            let q = self.relative.rotation * on_b;
            self.offer(n, plane - height, q + self.relative.offset);
        }
    }

    /// Tries the plane of a face of `b`.
    #[inline]
    fn face_of_b(&mut self, face: &Face) {
        let plane = -face.offset - self.radius;
        if plane + face.normal.dot(self.opposite[0]) < -self.eligible_below {
            return;
        }
        let n = -(self.relative.rotation * face.normal);
        let plane = plane + n.dot(self.relative.offset);
        let enough = plane + self.eligible_below;
        let (_, height, on_a) = outermost(self.a, n, self.support[0], enough);
        if height <= enough {
            self.offer(n, plane - height, on_a);
        }
    }

    /// Takes the plane `n`, which is eligible, if it is predicted to separate better at the point `p`.
    fn offer(&mut self, n: Vec3, separation: Real, p: Vec3) {
        let predicted = separation + self.dt * n.dot(self.twist.at(p));
        if predicted > self.bar {
            self.bar = predicted;
            self.best = n;
        }
    }
}

/// The outermost point of a core in a direction, or any one higher than `enough`: its vertex, its
/// height and the point (m). A curved hull has no vertices; its vertex is 0.
#[inline]
pub(super) fn outermost(hull: &Hull, outward: Vec3, hint: u32, enough: Real) -> (u32, Real, Vec3) {
    if let Some(curve) = &hull.curve {
        let point = narrow3(curve.support(widen3(outward)));
        return (0, outward.dot(point), point);
    }
    let (vertex, height) = hull.climb(array3(outward), hint, enough);
    (vertex, height, hull.corner(vertex))
}

/// The face around the support vertex, or the cap, that is square to the outward direction.
#[inline]
fn touching_face(hull: &Hull, outward: Vec3, support: u32) -> Option<u32> {
    let square = |face: &u32| {
        hull.faces.get(*face as usize).is_some_and(|face| face.normal.dot(outward) >= ALIGNED)
    };
    if hull.curve.is_some() {
        return CAPS.into_iter().find(square);
    }
    hull.spokes(support).iter().map(|spoke| spoke.face).find(square)
}

/// Calls `visit` with the faces beside the touching feature of a hull: the touching face and
/// those across its edges or, without one, those around the support vertex and around the other end
/// of an edge that is just as far out; of a curved hull its caps. A face may be visited twice.
#[inline]
fn faces_beside(
    hull: &Hull,
    touching: Option<u32>,
    support: u32,
    outward: Vec3,
    mut visit: impl FnMut(&Face),
) {
    if hull.curve.is_some() {
        hull.faces.iter().for_each(visit);
        return;
    }
    let Some(face) = touching else {
        let spokes = hull.spokes(support);
        // A capsule has none.
        let face = |spoke: &Spoke| hull.faces.get(spoke.face as usize);
        let mut at_end = |spokes: &[Spoke]| spokes.iter().filter_map(face).for_each(&mut visit);
        at_end(spokes);
        let at = hull.corner(support);
        for end in spokes {
            let along = at - end.at;
            let drop = outward.dot(along);
            if drop * drop <= SQUARE * SQUARE * along.dot(along) {
                at_end(hull.spokes(end.vertex));
            }
        }
        return;
    };
    // The normal of a rolling body leans a little over the edge that it comes to.
    let face = &hull.faces[face as usize];
    visit(face);
    for step in &hull.loop_edges[face.start as usize..(face.start + face.len) as usize] {
        visit(&hull.faces[step.face as usize]);
    }
}
