//! The thesis' experiments with an expected infeasibility and end state.
//!
//! The scene is run at its own h and γ with the papers' parameters. Judged: the mean infeasibility
//! over l = 1…N, which must lie in the range that the readings of the thesis span, widened by a
//! factor of 2; the position of every body at the end, within `tol_any_reading` (m); the kinetic
//! energy at the end (J). The table over h and γ and the default settings are figures beside it.

use orthant::math::{Double, widen3};
use serde_json::Value;

use super::json;
use super::micro::{check_motion, rotation_error};
use super::{Check, Group};
use crate::scenes::{Params, Run, Scene, World};

/// Infeasibility below this is rounding (-).
const ROUNDING: Double = 1e-11;
/// Steps of this length and longer are run for the table (s).
const TABLE_DT_MIN: Double = 0.005;

/// Runs one case.
pub fn run(case: &Value, file: &str) -> Vec<Group> {
    let name = case.get("scene").map_or(file, |s| json::text_or(s, "name", file)).to_owned();
    let name = format!("scene {name}");
    vec![judge(case, &name).unwrap_or_else(|why| Group::broken(name, why))]
}

fn judge(case: &Value, name: &str) -> Result<Group, String> {
    let description = case.get("scene").ok_or("`scene` is missing")?;
    match description.get("kind").and_then(Value::as_str) {
        Some("ellipse") => return super::ellipse::judge(case, name),
        Some(kind) if kind != "polyhedra" => {
            return Ok(Group::skipped(name, &format!("unknown kind {kind}")));
        }
        _ => {}
    }
    let mut scene = json::scene(description, name)?;
    // The expected values may be for another γ than the scene's own.
    scene.params.gamma = json::number_or(case, "gamma", scene.params.gamma)?;
    let expected = case.get("expected_h001");
    if expected.is_some() {
        scene.params.dt = 0.01;
    }
    let mut world = World::new(&scene)?;
    let params = scene.params;
    let run = Run::new(&mut world, &params.papers(), params.dt, params.steps(), |_, _| {});
    let mut group = Group::new(name);
    check_motion(&mut group, &run, params.steps());
    match expected {
        Some(expected) => {
            check_average(&mut group, &run, expected)?;
            check_end(&mut group, &scene, &world, &run, expected)?;
        }
        None => group.info.push("no expected values at h = 0.01: only the table".to_owned()),
    }
    let default = figures(&scene, &params, true)?;
    group.info.push(format!(
        "h = {}, γ = {}: average {:.3e}, max {:.3e}; default settings {:.3e}, {:.3e}",
        params.dt,
        params.gamma,
        run.average(),
        run.max(),
        default.average(),
        default.max()
    ));
    print_table(&mut group, &scene, case)?;
    Ok(group)
}

fn check_average(group: &mut Group, run: &Run, expected: &Value) -> Result<(), String> {
    let average = run.average();
    let range = expected.get("avg_range_over_readings").and_then(json::numbers);
    let (low, high) = match (range.as_deref(), expected.get("avg").and_then(Value::as_f64)) {
        (Some(&[low, high]), _) => (low, high),
        (_, Some(average)) => (average, average),
        _ => return Err("`expected_h001` has no average".to_owned()),
    };
    // The factor by which the average is outside the range; rounding counts as zero.
    let above = average / high.max(ROUNDING);
    let below = if low <= ROUNDING { 0.0 } else { low / average };
    let note = format!("average {average:.4e}, readings span {low:.4e} … {high:.4e}");
    group.checks.push(Check::new("average infeasibility", above.max(below), 2.0).note(note));
    Ok(())
}

fn check_end(
    group: &mut Group,
    scene: &Scene,
    world: &World,
    run: &Run,
    expected: &Value,
) -> Result<(), String> {
    for end in json::list(expected, "bodies") {
        let name = json::text_or(end, "name", "");
        let body = scene
            .bodies
            .iter()
            .zip(world.bodies())
            .find_map(|(b, body)| (b.name == name).then_some(body))
            .ok_or_else(|| format!("`expected_h001` names an unknown body `{name}`"))?;
        let x = end.get("x").and_then(json::vector).ok_or_else(|| format!("{name}: no `x`"))?;
        let tolerance = json::number_or(end, "tol_any_reading", 0.02)?;
        let found = widen3(body.center());
        let mut note = format!("{:?} expected, {:?} found", x.to_array(), found.to_array());
        let close = json::number_or(end, "tol_same_conventions", 0.0)?;
        let error = (found - x).length();
        if error <= close {
            note += "; as with the same conventions";
        }
        if let Some(angle) = end.get("rot").and_then(|rot| rotation_error(body, rot)) {
            note += &format!("; turned {angle:.1e} rad away");
        }
        group
            .info
            .push(format!("{name}: {error:.1e} m of {tolerance:.1e} ({close:.1e}) m — {note}"));
        group.checks.push(Check::new(format!("end of {name}"), error, tolerance).note(note));
    }
    let limit = json::number_or(expected, "kinetic_energy_end_below", 1e-6)?;
    let energy = run.kinetic_energy_end;
    group.checks.push(Check::new("kinetic energy at the end", energy, limit));
    Ok(())
}

fn figures(scene: &Scene, params: &Params, default: bool) -> Result<Run, String> {
    let settings = if default { params.defaults() } else { params.papers() };
    let mut world = World::new(scene)?;
    Ok(Run::new(&mut world, &settings, params.dt, params.steps(), |_, _| {}))
}

fn print_table(group: &mut Group, scene: &Scene, case: &Value) -> Result<(), String> {
    for row in json::list(case, "table") {
        let dt = json::number_or(row, "h", 0.0)?;
        let gamma = json::number_or(row, "gamma", 1.0)?;
        if !(TABLE_DT_MIN..=1.0).contains(&dt) || !(0.0..=1.0).contains(&gamma) {
            continue;
        }
        let params = Params { dt, gamma, ..scene.params };
        let run = figures(scene, &params, false)?;
        let reference = |key: &str| {
            let value = row.get(key).and_then(Value::as_f64);
            value.map_or_else(String::new, |v| format!(" (reference {v:.3e})"))
        };
        group.info.push(format!(
            "h = {dt}, γ = {gamma}: average {:.3e}{}, max {:.3e}{}, kinetic energy at the end {:.1e} J",
            run.average(),
            reference("avg"),
            run.max(),
            reference("max"),
            run.kinetic_energy_end
        ));
    }
    Ok(())
}
