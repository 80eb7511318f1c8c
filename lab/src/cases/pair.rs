//! Runs the pair cases: the ratio metric of two polytopes against an independent reference.
//!
//! Two-dimensional bodies become prisms about z = 0, all of the same thickness, which have the same
//! metric: their side faces give the ratio as long as the ends do not, and these never do, because
//! the centers are at the same height.

use orthant::engine::ratio::{Centers, Measured, PortalCache, Relative, Status, measure};
use orthant::engine::shape::hull::Hull;
use orthant::math::{
    DMat3, DVec3, Double, Mat3, Real, Vec3, narrow, narrow3, sin_cos_double, widen, widen3,
};
use orthant::papers::one_sided::one_sided;
use serde_json::Value;

/// A body of a pair case.
#[derive(Clone, Debug)]
pub struct PairBody {
    /// The hull about its centroid.
    pub hull: Hull,
    /// World position of the hull's centroid (m).
    pub position: Vec3,
    /// World rotation.
    pub rotation: Mat3,
}

/// A pair case with what the reference found.
#[derive(Clone, Debug)]
pub struct PairCase {
    /// The first body.
    pub a: PairBody,
    /// The second body.
    pub b: PairBody,
    /// r.
    pub ratio: Double,
    /// ρ = Φ.
    pub gap: Double,
    /// r̂ with the second body fixed.
    pub one_sided: Option<Double>,
    /// World normals from the first to the second body: the optimal ones are their cone. One if
    /// unique; none if the case does not say.
    pub normals: Vec<DVec3>,
}

/// Deviations from the reference.
#[derive(Clone, Copy, Debug)]
pub struct PairErrors {
    /// Of r, relative.
    pub ratio: Double,
    /// Of ρ, relative to max(1, |ρ|).
    pub gap: Double,
    /// Of r̂, relative to max(1, r̂); 0 if the case has none.
    pub one_sided: Double,
    /// Distance of the unit normal from the cone of optimal normals; 0 if the case has none.
    pub normal: Double,
}

fn number(value: &Value, what: &str) -> Result<Double, String> {
    value.as_f64().ok_or_else(|| format!("{what} is not a number"))
}

/// A vector of two or three numbers; z is 0 for two.
fn vector(value: &Value, what: &str) -> Result<DVec3, String> {
    let items = value.as_array().ok_or_else(|| format!("{what} is not a list"))?;
    match items[..] {
        [ref x, ref y] => Ok(DVec3::new(number(x, what)?, number(y, what)?, 0.0)),
        [ref x, ref y, ref z] => {
            Ok(DVec3::new(number(x, what)?, number(y, what)?, number(z, what)?))
        }
        _ => Err(format!("{what} has {} components, not 2 or 3", items.len())),
    }
}

fn vectors(value: &Value, what: &str) -> Result<Vec<DVec3>, String> {
    let items = value.as_array().ok_or_else(|| format!("{what} is not a list"))?;
    items.iter().map(|v| vector(v, what)).collect()
}

/// The rotation of a body: `R` (rows, 2×2 or 3×3), else its `angle` about z or its quaternion.
fn rotation(body: &Value) -> Result<DMat3, String> {
    let value = &body["R"];
    if value.is_null() {
        let (key, angle) = ("quaternion_wxyz", body["angle"].as_f64().unwrap_or(0.0));
        let q = if body[key].is_null() { &body["quaternion"] } else { &body[key] };
        let (sin, cos) = sin_cos_double(0.5 * angle);
        let [w, x, y, z] = match q.as_array() {
            None => [cos, 0.0, 0.0, sin],
            Some(q) => {
                let q: Result<Vec<_>, _> = q.iter().map(|v| number(v, key)).collect();
                q?.try_into().map_err(|_| "a quaternion has 4 components")?
            }
        };
        return Ok(DMat3::from_quat(glam::DQuat::from_xyzw(x, y, z, w).normalize()));
    }
    match vectors(value, "R")?[..] {
        [x, y] => Ok(DMat3::from_cols(x, y, DVec3::Z).transpose()),
        [x, y, z] => Ok(DMat3::from_cols(x, y, z).transpose()),
        _ => Err("R has not 2 or 3 rows".into()),
    }
}

/// A hull of the case's vertices, extruded if they lie in a plane.
fn hull(vertices: &Value, dim: u64) -> Result<Hull, String> {
    let points: Vec<Vec3> = vectors(vertices, "vertices")?.into_iter().map(narrow3).collect();
    let hull = if dim == 2 {
        let polygon: Vec<[Real; 2]> = points.iter().map(|p| [p.x, p.y]).collect();
        Hull::prism(&polygon, 1.0)
    } else {
        Hull::convex_hull(&points)
    };
    hull.map_err(|e| e.to_string())
}

fn body(hull: Hull, position: DVec3, rotation: DMat3) -> PairBody {
    // The centroid of the case is the origin of its frame; ours differs by the rounding of the
    // vertices.
    let position = narrow3(position + rotation * widen3(hull.centroid()));
    let column = |v: DVec3| narrow3(v);
    let rotation =
        Mat3::from_cols(column(rotation.x_axis), column(rotation.y_axis), column(rotation.z_axis));
    PairBody { hull, position, rotation }
}

/// Reads a case of `pairs.json` or `pairs_degenerate.json`.
///
/// # Errors
/// Says what is missing or malformed.
pub fn read_pair(case: &Value) -> Result<PairCase, String> {
    let dim = case["dim"].as_u64().ok_or("dim is not a number")?;
    if dim != 2 && dim != 3 {
        return Err(format!("dim is {dim}, not 2 or 3"));
    }
    let ratio = number(&case["r"], "r")?;
    let gap = number(&case["rho"], "rho")?;
    if !case["extreme_optimal_normals"].is_null() {
        let hull = hull(&case["vertices"], dim)?;
        let place = |c: &Value, what: &str| {
            Ok::<_, String>(body(hull.clone(), vector(c, what)?, DMat3::IDENTITY))
        };
        return Ok(PairCase {
            a: place(&case["c1"], "c1")?,
            b: place(&case["c2"], "c2")?,
            ratio,
            gap,
            one_sided: None,
            normals: vectors(&case["extreme_optimal_normals"], "extreme_optimal_normals")?,
        });
    }
    let place = |b: &Value| {
        let hull = hull(&b["vertices"], dim)?;
        Ok::<_, String>(body(hull, vector(&b["position"], "position")?, rotation(b)?))
    };
    let unique = case["normal_unique"].as_bool().unwrap_or(false);
    Ok(PairCase {
        a: place(&case["body1"])?,
        b: place(&case["body2"])?,
        ratio,
        gap,
        one_sided: case["r_hat_body2_fixed"].as_f64(),
        normals: if unique { vec![vector(&case["normal_1to2"], "normal")?] } else { Vec::new() },
    })
}

/// Measures the pair and compares.
///
/// # Errors
/// The metric did not close.
pub fn check_pair(case: &PairCase) -> Result<PairErrors, String> {
    let PairCase { a, b, .. } = case;
    let relative = Relative::new(a.position, a.rotation, b.position, b.rotation);
    let mut cache = PortalCache::default();
    let centers = Centers::default();
    let margin = Real::INFINITY;
    let Measured::Near(found) = measure(&a.hull, &b.hull, &relative, &centers, margin, &mut cache)
    else {
        return Err("apart by more than an infinite margin".into());
    };
    if found.status != Status::Exact {
        return Err(format!("the metric ended with {:?}", found.status));
    }
    let r_hat = case.one_sided.map(|expected| {
        let found = widen(one_sided(&a.hull, &b.hull, &relative));
        (found - expected).abs() / expected.max(1.0)
    });
    let normal = widen3(a.rotation * found.normal);
    Ok(PairErrors {
        ratio: (widen(found.ratio) / case.ratio - 1.0).abs(),
        gap: (widen(found.gap) - case.gap).abs() / case.gap.abs().max(1.0),
        one_sided: r_hat.unwrap_or(0.0),
        normal: distance_from_cone(normal, &case.normals),
    })
}

/// Distance of a unit vector from the cone of some vectors; 0 for no vectors.
///
/// The nearest point of the cone lies on a face of it, which at most three of the vectors span: try
/// every one, two and three of them.
fn distance_from_cone(normal: DVec3, extreme: &[DVec3]) -> Double {
    let extreme: Vec<_> = extreme.iter().filter_map(|v| v.try_normalize()).collect();
    let mut best = if extreme.is_empty() { 0.0 } else { Double::INFINITY };
    for (i, &a) in extreme.iter().enumerate() {
        best = best.min(normal.distance(a * normal.dot(a).max(0.0)));
        for (j, &b) in extreme.iter().enumerate().skip(i + 1) {
            let across = a.cross(b);
            let flat = normal - across * (across.dot(normal) / across.dot(across));
            if a.cross(flat).dot(across) >= 0.0 && flat.cross(b).dot(across) >= 0.0 {
                best = best.min(normal.distance(flat));
            }
            for &c in &extreme[j + 1..] {
                let volume = across.dot(c);
                let parts = [across, b.cross(c), c.cross(a)].map(|n| n.dot(normal) * volume);
                if volume.abs() > 1e-9 && parts.iter().all(|&part| part >= 0.0) {
                    best = 0.0;
                }
            }
        }
    }
    best
}

/// What is accepted in the precision of the build: r relative, ρ, r̂, normal.
#[must_use]
pub fn tolerances() -> PairErrors {
    if narrow(1e-12) + 1.0 == 1.0 as Real {
        PairErrors { ratio: 2e-6, gap: 4e-6, one_sided: 4e-6, normal: 1e-3 }
    } else {
        PairErrors { ratio: 1e-9, gap: 1e-9, one_sided: 1e-9, normal: 1e-6 }
    }
}
