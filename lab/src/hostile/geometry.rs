//! Hulls and metrics of absurd points, judged by what they are defined by.

use orthant::engine::ratio::{Centers, Measured, PortalCache, Relative, measure};
use orthant::engine::shape::hull::Hull;
use orthant::engine::shape::{Convex, LENGTH_MAX, Shape};
use orthant::math::{Double, Mat3, Real, Vec3, quat_normalize, quat_to_mat3, widen, widen3};

use super::{Bytes, shape};

/// Nearly equal points and nearly coplanar faces are merged: so far, in extents, may a point of a hull lie
/// outside of it. `MERGE_FRACTION`, of thickness ten and flatness four.
const MERGED: Double = 4e-5;

/// The convex hull of points: every one of them is within all faces, and it has a volume.
///
/// # Errors
/// What is wrong with it.
pub fn check_hull(bytes: &[u8]) -> Result<(), String> {
    let bytes = &mut Bytes::new(bytes);
    let scale = [1.0, 1e-5, 1e6, 1.0][bytes.below(4)];
    let n = usize::from(bytes.byte()) % 64;
    let points: Vec<Vec3> = (0..n).map(|_| bytes.vector(scale)).collect();
    let Ok(hull) = Hull::convex_hull(&points) else { return Ok(()) };
    let largest = points.iter().map(|p| p.abs().max_element()).fold(0.0, Real::max);
    let tolerance = MERGED * widen(largest);
    for (i, face) in hull.faces().iter().enumerate() {
        for &p in &points {
            let out =
                widen3(face.normal).dot(widen3(p) - widen3(hull.centroid())) - widen(face.offset);
            if out.is_nan() || out > tolerance {
                return Err(format!("{p} is {out} m outside face {i} of {points:?}"));
            }
        }
    }
    // No further than the diagonal of the cube of all places.
    let radius = hull.bounding_radius();
    if !(hull.volume() > 0.0 && hull.inradius() >= 0.0 && radius <= 4.0 * LENGTH_MAX) {
        let sizes = [hull.volume(), hull.inradius(), radius];
        return Err(format!("volume, inradius and radius {sizes:?} of {points:?}"));
    }
    Ok(())
}

/// `H(n) = h_a(n) + h_b(-n)` of two polytopes, in the frame of a (m).
fn width(hulls: [&Hull; 2], rotation: Mat3, n: Vec3) -> Double {
    let back = rotation.transpose() * n;
    let reach = |hull: &Hull, n: Vec3| {
        let far = |v: &Vec3| widen3(*v).dot(widen3(n));
        hull.vertices().iter().map(far).fold(Double::NEG_INFINITY, Double::max)
    };
    reach(hulls[0], n) + reach(hulls[1], -back)
}

/// The ratio metric of two pieces: its normal proves the ratio, and no normal of a face proves more.
///
/// # Errors
/// What is wrong with it.
pub fn check_metric(bytes: &[u8]) -> Result<(), String> {
    let bytes = &mut Bytes::new(bytes);
    // What polytopes answer is judged; other shapes only have to answer.
    let polytopes = bytes.one_in(2);
    let mut any = || {
        if !polytopes {
            return shape(bytes);
        }
        let points: Vec<Vec3> = (0..4 + bytes.below(16)).map(|_| bytes.vector(1.0)).collect();
        Shape::convex_hull(&points).ok()
    };
    let (Some(one), Some(two)) = (any(), any()) else { return Ok(()) };
    let hull = |shape: &Shape| match &shape.pieces()[0].convex {
        Convex::Hull(hull) => Some(hull.clone()),
        _ => None,
    };
    let (Some(a), Some(b)) = (hull(&one), hull(&two)) else { return Ok(()) };
    let rotation = quat_normalize(bytes.rotation());
    if !rotation.is_finite() {
        return Ok(());
    }
    let rotation = quat_to_mat3(rotation);
    let relative = Relative { rotation, offset: bytes.vector(1.0) };
    let margin = 0.01;
    let mut cache = PortalCache::default();
    for turn in 0..2 {
        let found = measure(&a, &b, &relative, &Centers::default(), margin, &mut cache);
        let sizes = a.bounding_radius() + b.bounding_radius();
        let sound =
            polytopes && relative.offset.is_finite() && relative.offset.length() < 1e3 * sizes;
        // Rounding of offsets and of rotations, in single precision.
        let rounding = 64.0 * widen(Real::EPSILON) * widen(sizes + relative.offset.length());
        let gap_along =
            |n: Vec3| widen3(n).dot(widen3(relative.offset)) - width([&a, &b], rotation, n);
        match found {
            Measured::Apart { normal, .. } => {
                if sound && gap_along(normal) < widen(margin) - rounding {
                    return Err(format!("turn {turn}: apart by {}", gap_along(normal)));
                }
            }
            Measured::Near(ratio) => {
                if !ratio.normal.is_finite() || ratio.separation.is_nan() {
                    return Err(format!("turn {turn}: {ratio:?}"));
                }
                let told = widen(ratio.separation);
                if sound && (gap_along(ratio.normal) - told).abs() > rounding {
                    return Err(format!("turn {turn}: {told}, not {}", gap_along(ratio.normal)));
                }
            }
        }
    }
    Ok(())
}
