//! Figures of an experiment: infeasibility over step lengths, slopes, the constant of the theorem.

pub mod frames;
pub mod output;

use orthant::math::{DVec3, Double, widen_mat3, widen3};

use crate::scenes::thesis::Experiment;
use crate::scenes::{Params, Run, World};

/// Infeasibility below this is rounding (-).
pub const ROUNDING: Double = 1e-11;
/// Slopes are fitted over step lengths up to this (s).
pub const ASYMPTOTIC_DT: Double = 0.02;

/// Which settings a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// `Settings::papers`.
    Papers,
    /// The defaults with the experiment's gravity, friction and γ.
    Default,
}

impl Preset {
    pub fn name(self) -> &'static str {
        match self {
            Self::Papers => "papers",
            Self::Default => "default",
        }
    }
}

/// What one run showed.
#[derive(Clone, Debug)]
pub struct Row {
    pub preset: Preset,
    pub dt: Double,
    pub gamma: Double,
    pub run: Run,
    /// Largest velocity in the norm of M over the root of the largest mass [m/s].
    pub speed: Double,
    /// Where the centers of the bodies are at the end, and how far each is from every half-space (m).
    pub ends: Vec<(DVec3, Vec<Double>)>,
}

impl Row {
    /// `C(h) = max I / (h² |v|²)` [s²/m² · 1/s²]: bounded as h → 0 by Theorem 6.12.
    pub fn constant(&self) -> Double {
        self.run.max() / (self.dt * self.speed).powi(2)
    }
}

/// Runs a scene once; `tick` is called after each step.
pub fn measure(
    experiment: &Experiment,
    preset: Preset,
    dt: Double,
    gamma: Double,
    tick: impl Fn(),
) -> Result<Row, String> {
    let params = Params { dt, gamma, ..experiment.scene.params };
    let settings = match preset {
        Preset::Papers => params.papers(),
        Preset::Default => params.defaults(),
    };
    let mut world = World::new(&experiment.scene)?;
    let run = Run::new(&mut world, &settings, dt, params.steps(), |_, _| tick());
    let speed = (2.0 * run.kinetic_energy_max / world.mass_max()).sqrt();
    let scene = &experiment.scene;
    let ends = scene.bodies.iter().zip(world.bodies()).map(|(described, body)| {
        let (center, turn) = (widen3(body.center()), widen_mat3(body.rotation_matrix()));
        let gaps = scene.half_spaces.iter().map(|wall| {
            let height = |&v: &DVec3| wall.normal.dot(center + turn * v) - wall.offset;
            described.vertices.iter().map(height).fold(Double::INFINITY, Double::min)
        });
        (center, gaps.collect())
    });
    let ends = ends.collect();
    Ok(Row { preset, dt, gamma, run, speed, ends })
}

/// Slope between two points in logarithmic axes; none if a value is rounding.
pub fn slope(a: (Double, Double), b: (Double, Double)) -> Option<Double> {
    let real = a.1 > ROUNDING && b.1 > ROUNDING;
    real.then(|| libm::log(a.1 / b.1) / libm::log(a.0 / b.0))
}

/// Slope of the line of least squares in logarithmic axes through the points with h up to
/// [`ASYMPTOTIC_DT`]; none with fewer than two that are not rounding.
pub fn fitted_slope(points: impl Iterator<Item = (Double, Double)>) -> Option<Double> {
    let logs: Vec<_> = points
        .filter(|&(h, i)| h <= ASYMPTOTIC_DT * 1.0001 && i > ROUNDING)
        .map(|(h, i)| (libm::log(h), libm::log(i)))
        .collect();
    let n = logs.len() as Double;
    let mean_x = logs.iter().map(|p| p.0).sum::<Double>() / n;
    let mean_y = logs.iter().map(|p| p.1).sum::<Double>() / n;
    let sxy: Double = logs.iter().map(|p| (p.0 - mean_x) * (p.1 - mean_y)).sum();
    let sxx: Double = logs.iter().map(|p| (p.0 - mean_x).powi(2)).sum();
    (logs.len() >= 2).then(|| sxy / sxx)
}
