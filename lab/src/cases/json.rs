//! Reads scenes and numbers out of case files. Odd input gives a text, never a panic.

use orthant::math::{DVec3, Double};
use serde_json::Value;

use crate::scenes::{HalfSpace, Params, Scene, SceneBody, about_z};

/// The numbers of a JSON list; none if it is no list or an entry is no number.
pub fn numbers(value: &Value) -> Option<Vec<Double>> {
    value.as_array()?.iter().map(Value::as_f64).collect()
}

/// A vector of two or three numbers; z is 0 if it is missing.
pub fn vector(value: &Value) -> Option<DVec3> {
    match *numbers(value)?.as_slice() {
        [x, y] => Some(DVec3::new(x, y, 0.0)),
        [x, y, z] => Some(DVec3::new(x, y, z)),
        _ => None,
    }
}

/// A number under a key, or the default if the key is missing.
///
/// # Errors
/// The value is no number.
pub fn number_or(object: &Value, key: &str, default: Double) -> Result<Double, String> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(default),
        Some(value) => value.as_f64().ok_or_else(|| format!("`{key}` is no number")),
    }
}

/// A vector under a key, or zero if the key is missing.
///
/// # Errors
/// The value is no vector.
pub fn vector_or_zero(object: &Value, key: &str) -> Result<DVec3, String> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(DVec3::ZERO),
        Some(value) => vector(value).ok_or_else(|| format!("`{key}` is no vector")),
    }
}

/// A list under a key, empty if the key is missing.
pub fn list<'a>(object: &'a Value, key: &str) -> &'a [Value] {
    object.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The text under a key, or the default.
pub fn text_or<'a>(object: &'a Value, key: &str, default: &'a str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or(default)
}

/// Reads a scene: `dim`, `bodies`, `halfspaces`, `params`.
///
/// # Errors
/// What is missing or malformed.
pub fn scene(value: &Value, name: &str) -> Result<Scene, String> {
    let planar = match number_or(value, "dim", 3.0)? {
        2.0 => true,
        3.0 => false,
        dim => return Err(format!("dimension {dim}: 2 or 3 expected")),
    };
    if !list(value, "joints").is_empty() {
        return Err("joints are not part of this format".to_owned());
    }
    let bodies: Result<Vec<_>, _> =
        list(value, "bodies").iter().enumerate().map(|(i, b)| body(b, i, planar)).collect();
    let half_spaces: Result<Vec<_>, _> = list(value, "halfspaces").iter().map(half_space).collect();
    let scene = Scene {
        name: text_or(value, "name", name).to_owned(),
        planar,
        bodies: bodies?,
        half_spaces: half_spaces?,
        params: params(value.get("params").ok_or("`params` is missing")?, planar)?,
    };
    if scene.bodies.is_empty() { Err("the scene has no bodies".to_owned()) } else { Ok(scene) }
}

fn params(value: &Value, planar: bool) -> Result<Params, String> {
    let required = |key: &str| {
        value
            .get(key)
            .and_then(Value::as_f64)
            .ok_or_else(|| format!("parameter `{key}` is missing"))
    };
    let sides = number_or(value, "mC", 4.0)?;
    Ok(Params {
        duration: required("T")?,
        dt: required("h")?,
        mu: number_or(value, "mu", 0.0)?,
        gamma: number_or(value, "gamma", 1.0)?,
        eps_x: number_or(value, "eps_x", 0.01)?,
        eps_t: number_or(value, "eps_t", 0.1)?,
        eps_0: number_or(value, "eps_0", 1e-4)?,
        // As in the tables of the thesis.
        delta_max: number_or(value, "delta_max", if planar { 1e6 } else { 1e10 })?,
        gravity: vector_or_zero(value, "gravity")?,
        // In the plane every balanced pyramid is the two directions along the surface.
        sides: if planar { 2 } else { sides as u32 },
    })
}

fn half_space(value: &Value) -> Result<HalfSpace, String> {
    let normal =
        value.get("normal").and_then(vector).ok_or("a half-space needs a `normal` vector")?;
    let length = normal.length();
    if !(length > 0.0 && length.is_finite()) {
        return Err("the normal of a half-space has no direction".to_owned());
    }
    Ok(HalfSpace { normal: normal / length, offset: number_or(value, "offset", 0.0)? / length })
}

fn body(value: &Value, index: usize, planar: bool) -> Result<SceneBody, String> {
    let name = text_or(value, "name", "").to_owned();
    let name = if name.is_empty() { format!("body {index}") } else { name };
    let read = || -> Result<SceneBody, String> {
        let vertices: Option<Vec<_>> = list(value, "vertices").iter().map(vector).collect();
        let vertices = vertices.ok_or("`vertices` is no list of vectors")?;
        if vertices.is_empty() {
            return Err("`vertices` is missing".to_owned());
        }
        let quaternion = value.get("quaternion").or_else(|| value.get("quaternion_wxyz"));
        let rotation = match quaternion {
            Some(q) => match numbers(q).as_deref() {
                Some(&[w, x, y, z]) => [w, x, y, z],
                _ => return Err("`quaternion` is no list of four numbers".to_owned()),
            },
            None => about_z(number_or(value, "angle", 0.0)?),
        };
        let angular_velocity = match value.get("angular_velocity") {
            Some(w) if planar || w.is_number() => {
                let w = w.as_f64().or_else(|| numbers(w).and_then(|w| w.last().copied()));
                DVec3::Z * w.ok_or("`angular_velocity` is no number")?
            }
            _ => vector_or_zero(value, "angular_velocity")?,
        };
        Ok(SceneBody {
            name: name.clone(),
            vertices,
            density: number_or(value, "density", 1.0)?,
            position: vector_or_zero(value, "position")?,
            rotation,
            velocity: vector_or_zero(value, "velocity")?,
            angular_velocity,
            fixed: value.get("fixed").and_then(Value::as_bool).unwrap_or(false),
        })
    };
    read().map_err(|error| format!("{name}: {error}"))
}
