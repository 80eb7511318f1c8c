//! Queries of one triangle: the closest point, a ray.

use crate::math::{Real, Vec3};

/// The point of a triangle closest to `p`, and its weights (barycentric coordinates). O(1), after
/// Ericson 2005, section 5.1.5.
#[must_use]
pub fn closest_on_triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> (Vec3, [Real; 3]) {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, [1.0, 0.0, 0.0]);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, [0.0, 1.0, 0.0]);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return (a + ab * v, [1.0 - v, v, 0.0]);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, [0.0, 0.0, 1.0]);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return (a + ac * w, [1.0 - w, 0.0, w]);
    }
    let va = d3 * d6 - d5 * d4;
    let (e, f) = (d4 - d3, d5 - d6);
    if va <= 0.0 && e >= 0.0 && f >= 0.0 {
        let w = e / (e + f);
        return (b + (c - b) * w, [0.0, 1.0 - w, w]);
    }
    let total = va + vb + vc;
    let (v, w) = (vb / total, vc / total);
    (a + ab * v + ac * w, [1.0 - v - w, v, w])
}

/// Where the ray `origin + t direction`, `0 ≤ t ≤ reach`, meets a triangle: `t`, and whether it comes
/// from the front (from which the corners run counterclockwise). None if it misses or runs along it.
#[must_use]
pub fn ray_triangle(
    origin: Vec3,
    direction: Vec3,
    reach: Real,
    [a, b, c]: [Vec3; 3],
) -> Option<(Real, bool)> {
    // The volumes that the ray spans with the edges (Segura and Feito 2001): two triangles with a
    // common edge get the same number with opposite signs, so no ray passes between them.
    let (p, q, r) = (a - origin, b - origin, c - origin);
    let (u, v, w) =
        (direction.dot(q.cross(r)), direction.dot(r.cross(p)), direction.dot(p.cross(q)));
    let inside = (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0);
    let normal = (b - a).cross(c - a);
    let along = normal.dot(direction);
    if !inside || along == 0.0 {
        return None;
    }
    let t = normal.dot(p) / along;
    (t >= 0.0 && t <= reach).then_some((t, along < 0.0))
}
