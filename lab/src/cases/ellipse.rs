//! The ellipse on a tabletop of Anitescu, Miller & Hart (2003): one smooth body in the plane.
//!
//! Input: a case with the semi-axes, the first state and runs for many h and γ. Judged: mean and
//! largest infeasibility of every run and its end state, at the tolerance of the file. The step is the
//! papers' with the Euclidean distance `Φ = y - √(a² sin²θ + b² cos²θ)` of the smooth body in meters:
//! after the engine has found the touching point, the row's gap is set to Φ and its point to the one on
//! the ellipse itself, active if `Φ ≤ ε̂`. The body is an ellipsoid of which only the section in the
//! plane matters.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind, LockedAxes};
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::{
    Double, Real, SymMat3, Vec3, narrow, narrow3, quat_exp, quat_rotate, widen, widen3,
};
use serde_json::Value;

use super::json;
use super::{Check, Group};
use crate::support::end_step;

/// What the file says of the body and the step.
struct Ellipse {
    /// Semi-axes (m).
    axes: [Double; 2],
    /// Mass (kg).
    mass: Double,
    /// First position (m), angle (rad) and velocities [m/s, rad/s].
    position: [Double; 2],
    angle: Double,
    velocity: [Double; 2],
    angular_velocity: Double,
    /// Duration (s), friction (–), gravity [m/s²].
    duration: Double,
    friction: Double,
    gravity: [Double; 2],
    /// Distance below which the row is active (m).
    eps_hat: Double,
}

/// What a run showed.
struct Run {
    average: Double,
    max: Double,
    /// x, y (m) and angle (rad) at the end; velocities [m/s, rad/s].
    q: [Double; 3],
    v: [Double; 3],
    /// Steps that were not solved.
    unsolved: usize,
}

/// Judges a case.
pub fn judge(case: &Value, name: &str) -> Result<Group, String> {
    let ellipse = read(case.get("scene").ok_or("`scene` is missing")?)?;
    let tolerance = 1e-6;
    let mut group = Group::new(name);
    for run in json::list(case, "runs").iter().chain(json::list(case, "gamma_runs")) {
        let dt = json::number_or(run, "h", 0.05)?;
        let gamma = json::number_or(run, "gamma", 1.0)?;
        let eps_hat = json::number_or(run, "eps_hat", ellipse.eps_hat)?;
        let found = simulate(&Ellipse { eps_hat, ..ellipse }, dt, gamma)?;
        let what = format!("h = {dt}, γ = {gamma}, ε = {eps_hat}");
        let solved = Check::new(format!("{what}: unsolved"), found.unsolved as Double, 0.0);
        group.checks.push(solved);
        for (key, value) in [("avg", found.average), ("max", found.max)] {
            let expected = json::number_or(run, key, Double::NAN)?;
            let error = (value - expected).abs() / expected.abs().max(1e-9);
            let note = format!("{value:e}, expected {expected:e}");
            group.checks.push(Check::new(format!("{what}: {key}"), error, tolerance).note(note));
        }
        for (key, value) in [("q", found.q), ("v", found.v)] {
            let expected = run.get(key).and_then(json::numbers).ok_or("no end state")?;
            let error = value.iter().zip(&expected).map(|(x, y)| (x - y).abs());
            let error = error.fold(0.0, |m: Double, e| if e <= m { m } else { e });
            let note = format!("{value:?}, expected {expected:?}");
            group.checks.push(Check::new(format!("{what}: {key}"), error, tolerance).note(note));
        }
    }
    Ok(group)
}

fn read(scene: &Value) -> Result<Ellipse, String> {
    let params = scene.get("params").ok_or("`params` is missing")?;
    let pair = |object: &Value, key: &str| -> Result<[Double; 2], String> {
        let list = object.get(key).and_then(json::numbers);
        list.and_then(|list| list.try_into().ok()).ok_or(format!("`{key}` is no pair of numbers"))
    };
    Ok(Ellipse {
        axes: pair(scene, "semi_axes")?,
        mass: json::number_or(scene, "mass", 1.0)?,
        position: pair(scene, "position")?,
        angle: json::number_or(scene, "angle", 0.0)?,
        velocity: pair(scene, "velocity")?,
        angular_velocity: json::number_or(scene, "angular_velocity", 0.0)?,
        duration: json::number_or(params, "T", 10.0)?,
        friction: json::number_or(params, "mu", 0.0)?,
        gravity: pair(params, "gravity")?,
        eps_hat: json::number_or(params, "eps_hat", 1.0)?,
    })
}

/// The world of the scene: a table at y = 0 and the ellipse.
fn world(ellipse: &Ellipse) -> Result<(Simulation, BodyId), String> {
    let mut world = Simulation::new();
    let table = Shape::half_space(Vec3::Y).map_err(|e| e.to_string())?;
    let fixed = BodyDesc { kind: BodyKind::Static, shape: Some(table), ..BodyDesc::default() };
    world.add_body(fixed).map_err(|e| e.to_string())?;
    let [a, b] = ellipse.axes;
    let lengths = [a, b].map(|x| narrow(2.0 * x));
    let inertia = narrow(ellipse.mass * (a * a + b * b) / 4.0);
    let flat = |v: [Double; 2]| Vec3::new(narrow(v[0]), narrow(v[1]), 0.0);
    let desc = BodyDesc {
        shape: Some(
            Shape::ellipsoid(lengths[0], lengths[1], lengths[1]).map_err(|e| e.to_string())?,
        ),
        mass_properties: Some(MassProperties {
            mass: narrow(ellipse.mass),
            center_of_mass: Vec3::ZERO,
            inertia: SymMat3::diagonal(Vec3::splat(inertia)),
        }),
        position: flat(ellipse.position),
        rotation: quat_exp(Vec3::Z * narrow(ellipse.angle)),
        linear_velocity: flat(ellipse.velocity),
        angular_velocity: Vec3::Z * narrow(ellipse.angular_velocity),
        locked_axes: LockedAxes::PLANAR_XY,
        ..BodyDesc::default()
    };
    let id = world.add_body(desc).map_err(|e| e.to_string())?;
    Ok((world, id))
}

fn simulate(ellipse: &Ellipse, dt: Double, gamma: Double) -> Result<Run, String> {
    let (mut world, id) = world(ellipse)?;
    // Every distance up to ε̂ is a ratio well below a half here; the row is chosen below.
    let mut settings =
        Settings::papers(narrow(gamma), narrow(ellipse.friction), 0.01, 0.6, 1e-4, 2);
    settings.gravity = narrow3(flat(ellipse.gravity));
    let n_steps = (ellipse.duration / dt).round() as usize;
    let mut run = Run { average: 0.0, max: 0.0, q: [0.0; 3], v: [0.0; 3], unsolved: 0 };
    let mut angle = ellipse.angle;
    for _ in 0..n_steps {
        step(&mut world, &settings, narrow(dt), ellipse);
        run.unsolved += usize::from(world.report().status != StepStatus::Solved);
        let body = world.body(id).ok_or("the ellipse is lost")?;
        let along = widen3(quat_rotate(body.rotation(), Vec3::X));
        angle += widen(body.angular_velocity.z) * dt;
        let [a, b] = ellipse.axes;
        let reach = ((a * along.y) * (a * along.y) + (b * along.x) * (b * along.x)).sqrt();
        let overlap = (reach - widen(body.center().y)).max(0.0);
        run.average += overlap / n_steps as Double;
        run.max = run.max.max(overlap);
    }
    let body = world.body(id).ok_or("the ellipse is lost")?;
    let (x, v) = (widen3(body.center()), widen3(body.linear_velocity));
    (run.q, run.v) = ([x.x, x.y, angle], [v.x, v.y, widen(body.angular_velocity.z)]);
    Ok(run)
}

fn flat(v: [Double; 2]) -> orthant::math::DVec3 {
    orthant::math::DVec3::new(v[0], v[1], 0.0)
}

/// A step whose row has the Euclidean distance and the point on the ellipse.
fn step(world: &mut Simulation, settings: &Settings, dt: Real, ellipse: &Ellipse) {
    world.begin(settings, dt);
    world.find_pairs(settings);
    world.find_contacts(settings);
    for pair in world.pairs_mut() {
        let gap = widen(pair.separation);
        // Events are at the touching point of the body scaled by t; Φ̂ = 1 - 1/t.
        let shrink = 1.0 - pair.gap;
        let table_first = pair.contacts.first().is_some_and(|contact| contact.normal.y > 0.0);
        pair.contacts.retain(|_| gap <= ellipse.eps_hat);
        for contact in &mut pair.contacts {
            let [on, other] = if table_first { [1, 0] } else { [0, 1] };
            let between = contact.arms[other] - contact.arms[on];
            contact.arms[on] *= shrink;
            contact.arms[other] = contact.arms[on] + between;
            contact.row_gap = gap;
            contact.gap = narrow(gap);
        }
    }
    end_step(world, settings);
}
