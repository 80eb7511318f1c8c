//! Small scenes with closed-form end states.
//!
//! Runs the scene with the papers' parameters and compares poses at the end with `expect` (position
//! (m) and rotation (rad)) and the total momentum with `expect_total_momentum` [kg·m/s]. The result
//! of the default settings is printed beside it and not judged.

use orthant::engine::body::Body;
use orthant::math::{DVec3, Double, Quat, widen, widen3};
use serde_json::Value;

use super::json;
use super::{Check, Group, is_double};
use crate::scenes::{Run, Scene, World};

/// Runs one case.
pub fn run(case: &Value, file: &str) -> Vec<Group> {
    let name = json::text_or(case, "name", file).to_owned();
    vec![judge(case, &name).unwrap_or_else(|why| Group::broken(name, why))]
}

fn judge(case: &Value, name: &str) -> Result<Group, String> {
    let description = case.get("scene").ok_or("`scene` is missing")?;
    if let Some(kind) = description.get("kind").and_then(Value::as_str)
        && kind != "polyhedra"
    {
        return Ok(Group::skipped(format!("micro {name}"), &format!("kind {kind}")));
    }
    let scene = json::scene(description, name)?;
    let tolerance = json::number_or(case, "tol", 1e-6)?;
    let tolerance = if is_double() { tolerance } else { tolerance.max(1e-3) };
    let params = &scene.params;
    let mut world = World::new(&scene)?;
    let run = Run::new(&mut world, &params.papers(), params.dt, params.steps(), |_, _| {});
    let mut group = Group::new(format!("micro {name}"));
    check_motion(&mut group, &run, params.steps());
    check_bodies(&mut group, &scene, &world, case, tolerance)?;
    if let Some(expected) = case.get("expect_total_momentum") {
        let expected = json::vector(expected).ok_or("`expect_total_momentum` is no vector")?;
        let error = (world.momentum() - expected).length();
        group.checks.push(Check::new("total momentum", error, tolerance).note(format!(
            "{:?} expected, {:?} found",
            expected.to_array(),
            world.momentum().to_array()
        )));
    }
    if group.checks.len() < 2 {
        return Err("the case expects nothing that is known here".to_owned());
    }
    group.info.push(default_result(&scene, &world)?);
    Ok(group)
}

/// Every step must have been taken, and no body frozen.
pub fn check_motion(group: &mut Group, run: &Run, steps: usize) {
    let broken = run.refused + run.quarantined + usize::from(steps == 0);
    let note =
        format!("{} of {steps} steps refused, {} bodies frozen", run.refused, run.quarantined);
    group.checks.push(Check::new("steps taken", broken as Double, 0.0).note(note));
    if run.unsolved > 0 {
        group.info.push(format!(
            "{} of {steps} steps above the solver's tolerance, worst residual {:.1e} m/s",
            run.unsolved, run.residual_max
        ));
    }
}

fn check_bodies(
    group: &mut Group,
    scene: &Scene,
    world: &World,
    case: &Value,
    tolerance: Double,
) -> Result<(), String> {
    let Some(expected) = case.get("expect").and_then(Value::as_object) else { return Ok(()) };
    for (name, expected) in expected {
        let body = scene
            .bodies
            .iter()
            .zip(world.bodies())
            .find_map(|(b, body)| (b.name == *name).then_some(body))
            .ok_or_else(|| format!("`expect` names an unknown body {name}"))?;
        let end = [("x", widen3(body.center())), ("v", widen3(body.linear_velocity))];
        for (key, found) in end {
            if let Some(value) = expected.get(key) {
                let value =
                    json::vector(value).ok_or_else(|| format!("{name}.{key}: no vector"))?;
                group.checks.push(compare(&format!("{name}.{key}"), value, found, tolerance));
            }
        }
        if let Some(value) = expected.get("rot") {
            let error = rotation_error(body, value)
                .ok_or_else(|| format!("{name}.rot: neither an angle nor a quaternion"))?;
            group.checks.push(Check::new(format!("{name}.rot"), error, tolerance));
        }
        if let Some(value) = expected.get("w") {
            let value = json::numbers(value).or_else(|| value.as_f64().map(|w| vec![w]));
            let value = match value.as_deref() {
                Some(&[w]) => DVec3::Z * w,
                Some(&[x, y, z]) => DVec3::new(x, y, z),
                _ => return Err(format!("{name}.w: no angular velocity")),
            };
            let found = widen3(body.angular_velocity);
            group.checks.push(compare(&format!("{name}.w"), value, found, tolerance));
        }
    }
    Ok(())
}

fn compare(name: &str, expected: DVec3, found: DVec3, tolerance: Double) -> Check {
    Check::new(name, (found - expected).length(), tolerance).note(format!(
        "{:?} expected, {:?} found",
        expected.to_array(),
        found.to_array()
    ))
}

/// The angle (rad) between a body's rotation and an expected one: an angle about z, or (w, x, y, z).
pub fn rotation_error(body: &Body, expected: &Value) -> Option<Double> {
    let [w, x, y, z] = match expected.as_f64() {
        Some(angle) => crate::scenes::about_z(angle),
        None => json::numbers(expected)?.try_into().ok()?,
    };
    let q: Quat = body.rotation();
    let (a, b) = (DVec3::new(widen(q.x), widen(q.y), widen(q.z)), DVec3::new(x, y, z));
    let cos = widen(q.w) * w + a.dot(b);
    let sin = (b * widen(q.w) - a * w - a.cross(b)).length();
    Some(2.0 * libm::atan2(sin, cos.abs()))
}

/// One line on how far the default settings end from the papers' scheme.
fn default_result(scene: &Scene, papers: &World) -> Result<String, String> {
    let params = &scene.params;
    let mut world = World::new(scene)?;
    let run = Run::new(&mut world, &params.defaults(), params.dt, params.steps(), |_, _| {});
    let distance = world
        .bodies()
        .zip(papers.bodies())
        .map(|(a, b)| (widen3(a.center()) - widen3(b.center())).length())
        .fold(0.0, Double::max);
    Ok(format!(
        "default settings: ends within {distance:.1e} m of it, largest overlap {:.1e} m",
        run.overlap_max
    ))
}
