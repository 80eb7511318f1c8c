//! Rays against one convex piece, in its frame.
//!
//! A polytope is cut out of the ray plane by plane, O(faces); balls, capsules and curved bodies have
//! closed forms; what is rounded otherwise is a cast of a point. The origin is first moved along the
//! ray to the piece, in double precision, so that rays from afar lose no digits.

use super::cast::cast;
use super::round::{Interval, ray_ball, ray_capsule, ray_cone, ray_cylinder, ray_ellipsoid};
use super::support::Difference;
use crate::engine::geometry::shape::curve::Curve;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::geometry::shape::{Convex, HalfSpace};
use crate::math::{DVec3, Double, Real, narrow3, widen, widen3};

/// Polytopes of more faces are searched, not scanned.
const SCAN_FACES_MAX: usize = 96;

/// Where a ray meets a piece: the distance and the normal against the ray, zero inside.
pub(super) type Crossing = (Double, DVec3);

/// The first touch of a ray from `o` along the unit vector `v` within `max` (m), in the frame of the
/// piece. From inside: the origin itself if `solid`, else where the ray leaves.
pub(super) fn ray(
    convex: &Convex,
    o: DVec3,
    v: DVec3,
    max: Double,
    solid: bool,
) -> Option<Crossing> {
    let hull = match convex {
        Convex::Hull(hull) => hull,
        Convex::HalfSpace(HalfSpace { normal }) => {
            return touch(ray_half_space(o, v, widen3(*normal))?, max, solid);
        }
        Convex::Mesh(mesh) => return super::surface::ray(mesh, o, v, max),
    };
    let shift = -o.dot(v);
    let near = o + v * shift;
    let radius = widen(hull.radius);
    let interval = match (&hull.curve, &hull.vertices[..]) {
        (Some(curve), _) if radius == 0.0 => ray_curve(near, v, curve),
        (None, [center]) => ray_ball(near, v, widen3(*center), radius),
        (None, [_, end]) => ray_capsule(near, v, widen(end.y).abs(), radius),
        (None, _) if radius == 0.0 && hull.faces.len() <= SCAN_FACES_MAX => {
            ray_faces(near, v, hull)
        }
        _ => ray_rounded(near, v, hull),
    };
    let mut interval = interval?;
    interval.enter += shift;
    interval.leave += shift;
    touch(interval, max, solid)
}

/// Can the ray meet a ball of this radius about the origin? Most pass by at a distance.
#[inline]
pub(super) fn is_near(o: DVec3, v: DVec3, max: Double, reach: Double) -> bool {
    let shift = -o.dot(v);
    let near = o + v * shift;
    let passes = near.dot(near) > reach * reach * 1.00001;
    !(passes || shift + reach < 0.0 || shift - reach > max)
}

/// Closed forms of curved bodies.
fn ray_curve(o: DVec3, v: DVec3, curve: &Curve) -> Option<Interval> {
    match *curve {
        Curve::Cylinder { radius, half_height } => {
            ray_cylinder(o, v, widen(radius), widen(half_height))
        }
        Curve::Cone { radius, height } => ray_cone(o, v, widen(radius), widen(height)),
        Curve::Ellipsoid { half } => ray_ellipsoid(o, v, widen3(half)),
    }
}

fn ray_half_space(o: DVec3, v: DVec3, normal: DVec3) -> Option<Interval> {
    Interval::ALL.cut(o, v, normal, 0.0)
}

/// What of an interval a ray from the origin sees.
fn touch(interval: Interval, max: Double, solid: bool) -> Option<Crossing> {
    let Interval { enter, leave, normal_in, normal_out } = interval;
    let (distance, normal) = if leave < 0.0 {
        return None;
    } else if enter >= 0.0 {
        (enter, normal_in)
    } else if solid {
        (0.0, DVec3::ZERO)
    } else {
        (leave, -normal_out)
    };
    (distance <= max && distance.is_finite()).then_some((distance, normal))
}

/// Cuts the line by the planes of the faces. In [`Real`]: the origin is near.
fn ray_faces(o: DVec3, v: DVec3, hull: &Hull) -> Option<Interval> {
    let (o, v) = (narrow3(o), narrow3(v));
    let (mut enter, mut leave) = (Real::NEG_INFINITY, Real::INFINITY);
    let (mut face_in, mut face_out) = (0, 0);
    for (k, face) in hull.faces.iter().enumerate() {
        let height = face.offset - face.normal.dot(o);
        let slope = face.normal.dot(v);
        let t = height / slope;
        if slope < 0.0 {
            if t > enter {
                (enter, face_in) = (t, k);
            }
        } else if slope > 0.0 {
            if t < leave {
                (leave, face_out) = (t, k);
            }
        } else if height < 0.0 {
            return None;
        }
    }
    (enter <= leave).then(|| Interval {
        enter: widen(enter),
        leave: widen(leave),
        normal_in: widen3(hull.faces[face_in].normal),
        normal_out: widen3(hull.faces[face_out].normal),
    })
}

/// A point cast against the core from outside on either side.
fn ray_rounded(o: DVec3, v: DVec3, hull: &Hull) -> Option<Interval> {
    let mut m = Difference::of_point(hull);
    let (radius, far) = (m.radius, 2.0 * (m.size + m.radius));
    let there = cast(&mut m, o - v * far, v, radius, 2.0 * far)?;
    let back = cast(&mut m, o + v * far, -v, radius, 2.0 * far)?;
    let (enter, leave) = (there.time - far, far - back.time);
    // A ray that only just grazes may be found from one side alone.
    let leave = if leave < enter { enter } else { leave };
    Some(Interval { enter, leave, normal_in: there.normal, normal_out: back.normal })
}
