//! Reads bodies of the case files: a polytope `A x <= 1` about its centroid with its pose.

use orthant::engine::papers::enumerate::Placement;
use orthant::engine::shape::hull::Hull;
use orthant::math::{DMat3, DVec3, Double, narrow3, widen3};
use serde_json::Value;

/// A body of a case file and how its features are numbered in our hull.
pub struct CaseBody {
    /// The hull about its own centroid.
    pub hull: Hull,
    /// World pose of the hull's centroid.
    pub placement: Placement,
    /// Index in our hull of each vertex of the case.
    pub vertices: Vec<u32>,
    /// Index in our hull of each face (row of `A`) of the case.
    pub faces: Vec<u32>,
}

/// A number of the case.
pub fn number(value: &Value, what: &str) -> Result<Double, String> {
    value.as_f64().ok_or_else(|| format!("{what} is not a number"))
}

/// A list of the case.
pub fn list<'a>(value: &'a Value, what: &str) -> Result<&'a Vec<Value>, String> {
    value.as_array().ok_or_else(|| format!("{what} is not a list"))
}

/// An index of the case.
pub fn index(value: &Value, what: &str) -> Result<usize, String> {
    let number = value.as_u64().ok_or_else(|| format!("{what} is not an index"))?;
    usize::try_from(number).map_err(|e| format!("{what}: {e}"))
}

/// A vector of three numbers.
pub fn vector(value: &Value, what: &str) -> Result<DVec3, String> {
    let v = list(value, what)?;
    if v.len() != 3 {
        return Err(format!("{what} has {} components, not 3", v.len()));
    }
    Ok(DVec3::new(number(&v[0], what)?, number(&v[1], what)?, number(&v[2], what)?))
}

/// A list of vectors.
pub fn vectors(value: &Value, what: &str) -> Result<Vec<DVec3>, String> {
    list(value, what)?.iter().map(|v| vector(v, what)).collect()
}

/// The rotation of a body: its matrix `R` (rows), or the matrix of its quaternion (w, x, y, z).
pub fn rotation(body: &Value) -> Result<DMat3, String> {
    if !body["R"].is_null() {
        let rows = vectors(&body["R"], "R")?;
        let [x, y, z] = rows[..] else { return Err("R has not 3 rows".into()) };
        return Ok(DMat3::from_cols(x, y, z).transpose());
    }
    let q =
        if body["quaternion"].is_null() { &body["quaternion_wxyz"] } else { &body["quaternion"] };
    let q: Vec<_> =
        list(q, "quaternion")?.iter().map(|x| number(x, "quaternion")).collect::<Result<_, _>>()?;
    let [w, x, y, z] = q[..] else { return Err("a quaternion has 4 components".into()) };
    Ok(DMat3::from_cols(
        DVec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
        DVec3::new(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
        DVec3::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
    ))
}

/// Reads a three-dimensional body.
pub fn read_body(body: &Value) -> Result<CaseBody, String> {
    let points = vectors(&body["vertices"], "vertices")?;
    let planes = vectors(&body["A"], "A")?;
    let narrowed: Vec<_> = points.iter().map(|&p| narrow3(p)).collect();
    let hull = Hull::convex_hull(&narrowed).map_err(|e| e.to_string())?;
    let rotation = rotation(body)?;
    let centroid = widen3(hull.centroid());
    let position = vector(&body["position"], "position")? + rotation * centroid;
    let ours: Vec<_> = hull.vertices().iter().map(|&v| widen3(v) + centroid).collect();
    let normals: Vec<_> = hull.faces().iter().map(|f| widen3(f.normal)).collect();
    let size = points.iter().fold(0.0, |size: Double, p| size.max(p.length()));
    let vertices = points
        .iter()
        .map(|p| unique(&ours, |v| v.distance(*p) < 1e-5 * size, "vertex"))
        .collect::<Result<_, _>>()?;
    let faces = planes
        .iter()
        .map(|a| unique(&normals, |n| n.distance(a.normalize()) < 1e-4, "face"))
        .collect::<Result<_, _>>()?;
    Ok(CaseBody { hull, placement: Placement { position, rotation }, vertices, faces })
}

/// The index of the only item that fits.
fn unique(items: &[DVec3], fits: impl Fn(&DVec3) -> bool, what: &str) -> Result<u32, String> {
    let mut found = (0_u32..).zip(items).filter(|(_, item)| fits(item));
    match (found.next(), found.next()) {
        (Some((i, _)), None) => Ok(i),
        (None, _) => Err(format!("a {what} of the case is not in the hull")),
        _ => Err(format!("a {what} of the case is in the hull twice")),
    }
}
