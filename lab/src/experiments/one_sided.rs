//! Remark 2.18 of the thesis in a step: a block falls on a fixed one, of which only the one that moves grows.
//!
//! Over the middle of its top the fixed block is a half-space, whose ratio has a closed form: the one-sided
//! metric has to move the block as that does. The metric of which both grow has other gaps, and so another
//! motion.

use std::path::Path;

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyKind};
use orthant::engine::settings::{ActiveEvents, Settings};
use orthant::engine::shape::{Shape, ShapeError};
use orthant::math::{Double, Quat, Vec3, narrow, quat_exp, widen, widen3};

use super::Outcome;
use crate::measure::fitted_slope;

/// What the block falls on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// A half-space.
    HalfSpace,
    /// A fixed block, with growth of both.
    BothGrow,
    /// A fixed block, which does not grow.
    OneSided,
}

/// A run: where the block was after each step, and how it was solved.
#[derive(Clone, Debug, Default)]
pub struct Fall {
    /// Centers and rotations after each step (m).
    pub poses: Vec<(Vec3, Quat)>,
    /// Largest depth of a corner below the ground after each step (m).
    pub depths: Vec<Double>,
    /// `-Φ` of the report after each step, zero where it is not negative (–).
    pub infeasibility: Vec<Double>,
    /// Contacts of each step.
    pub contacts: Vec<u32>,
    /// Natural-map residual, the largest of all steps [m/s].
    pub residual: Double,
}

/// Half lengths of the block (m).
const HALF: [Double; 3] = [0.5, 0.25, 0.4];
/// Lengths of the fixed block (m).
const BLOCK: [Double; 3] = [3.0, 1.0, 3.0];

/// The papers' scheme with this γ and ground.
pub fn settings(ground: Ground, gamma: Double) -> Settings {
    let mut settings = Settings::papers(narrow(gamma), 0.3, 0.01, 0.5, 1e-4, 8);
    if let ActiveEvents::Enumerated { one_sided, .. } = &mut settings.contact.active {
        *one_sided = ground == Ground::OneSided;
    }
    settings
}

/// Drops the tilted block for some seconds, in steps of `dt` (s).
///
/// # Errors
/// None of these sizes.
pub fn fall(
    ground: Ground,
    gamma: Double,
    dt: Double,
    seconds: Double,
) -> Result<Fall, ShapeError> {
    let mut world = Simulation::new();
    let [x, y, z] = BLOCK.map(narrow);
    let (shape, height) = match ground {
        Ground::HalfSpace => (Shape::half_space(Vec3::Y)?, 0.0),
        _ => (Shape::cuboid(x, y, z)?, -0.5 * y),
    };
    let position = Vec3::new(0.0, height, 0.0);
    let fixed =
        BodyDesc { kind: BodyKind::Static, position, shape: Some(shape), ..BodyDesc::default() };
    let half = Vec3::from_array(HALF.map(narrow));
    let moving = BodyDesc {
        position: Vec3::new(0.0, 1.0, 0.0),
        rotation: quat_exp(Vec3::new(0.3, 0.2, 0.5)),
        angular_velocity: Vec3::new(0.5, 0.3, -1.0),
        shape: Some(Shape::cuboid(2.0 * half.x, 2.0 * half.y, 2.0 * half.z)?),
        ..BodyDesc::default()
    };
    let (Ok(_), Ok(id)) = (world.add_body(fixed), world.add_body(moving)) else {
        return Ok(Fall::default());
    };
    let settings = settings(ground, gamma);
    let mut fall = Fall::default();
    for _ in 0..libm::round(seconds / dt) as usize {
        let report = world.step(&settings, narrow(dt));
        fall.residual = fall.residual.max(report.natural_map);
        fall.contacts.push(report.contacts);
        fall.infeasibility.push(widen(report.infeasibility).max(0.0));
        let Some(body) = world.body(id) else { break };
        let turn = body.rotation_matrix();
        let lowest = (0..8).map(|i: u32| {
            let sign = |bit: u32| if i & bit == 0 { -1.0 } else { 1.0 };
            let corner = half * Vec3::new(sign(1), sign(2), sign(4));
            widen3(body.center()).y + widen3(turn * corner).y
        });
        fall.depths.push(-lowest.fold(0.0, Double::min));
        fall.poses.push((body.center(), body.rotation()));
    }
    Ok(fall)
}

/// How far two runs are from each other at most (m).
pub fn apart(one: &Fall, other: &Fall) -> Double {
    let pairs = one.poses.iter().zip(&other.poses);
    pairs.map(|((p, _), (q, _))| widen((*p - *q).length())).fold(0.0, Double::max)
}

/// Step lengths (s), half octaves.
pub const DTS: [Double; 9] = [0.02, 0.014, 0.01, 0.007, 0.005, 0.0035, 0.0025, 0.00175, 0.00125];

/// Depths over the step length, and how far from the half-space's motion.
pub fn perform(_: &Path) -> Outcome {
    println!(
        "| γ | ground | deepest at 10 ms [mm] | slope: average | deepest | residual [m/s] | off [m] |"
    );
    println!("|---|---|---|---|---|---|---|");
    for gamma in [1.0, 0.5] {
        for (name, ground) in [
            ("half-space", Ground::HalfSpace),
            ("fixed block, r̂: it does not grow", Ground::OneSided),
            ("fixed block, r: both grow", Ground::BothGrow),
        ] {
            let (mut averages, mut largest) = (Vec::new(), Vec::new());
            let mut residual: Double = 0.0;
            let (mut deepest, mut off) = (0.0, 0.0);
            for dt in DTS {
                let run = fall(ground, gamma, dt, 3.0)?;
                let most = run.depths.iter().copied().fold(0.0, Double::max);
                let average = run.depths.iter().sum::<Double>() / run.depths.len() as Double;
                averages.push((dt, average));
                largest.push((dt, most));
                residual = residual.max(run.residual);
                if dt == 0.01 {
                    deepest = most;
                    off = apart(&run, &fall(Ground::HalfSpace, gamma, dt, 3.0)?);
                }
            }
            let slope = |points: Vec<(Double, Double)>| {
                fitted_slope(points.into_iter())
                    .map_or("rounding".to_owned(), |s| format!("{s:.2}"))
            };
            println!(
                "| {gamma} | {name} | {:.3} | {} | {} | {residual:.0e} | {off:.1e} |",
                1e3 * deepest,
                slope(averages),
                slope(largest)
            );
        }
    }
    Ok(())
}
