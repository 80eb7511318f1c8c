//! An ellipse on a tabletop: the planar experiment of Anitescu, Miller and Hart (2003), section 4.
//!
//! Axes of 8 m and 4 m, dropped from a height of 8 m of its center with 3 rad/s, friction 0.3, steps of
//! 50 ms. The gap of the tilted ellipse over the table is known,
//!
//! ```text
//! Φ = y - s(θ),   s = √(a² sin² θ + b² cos² θ),   s'' = a² b² / s³ - s,   |s''| ≤ (a² - b²) / b
//! ```
//!
//! (`s + s''` is the radius of curvature), so that Theorem 3.1 holds with a constant that is known, too:
//! a step whose row keeps the linear part of Φ from falling below `(1 - γ) Φ` has
//! `I⁺ ≤ (1 - γ) I + C h² ω²` with `C = (a² - b²) / 2b`.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind, LockedAxes};
use orthant::engine::report::StepStatus;
use orthant::engine::settings::{Integration, Settings};
use orthant::engine::shape::Shape;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::{Double, Real, SymMat3, Vec3, narrow, quat_rotate, widen, widen3};

/// Semi-axes (m).
pub const AXES: [Double; 2] = [4.0, 2.0];
/// Half the largest second derivative of Φ by the angle (m).
pub const CURVATURE: Double = 0.5 * (AXES[0] * AXES[0] - AXES[1] * AXES[1]) / AXES[1];
/// Length of a step (s) and of the experiment (s).
pub const STEP: Double = 0.05;
pub const DURATION: Double = 10.0;
/// Values of γ.
pub const GAMMAS: [Double; 5] = [0.0, 0.2, 0.5, 0.8, 1.0];

/// After a step.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Overlap, `max(0, -Φ)` (m).
    pub infeasibility: Double,
    /// Angular velocity with which the step moved the ellipse [rad/s].
    pub turning: Double,
    /// Was the step solved?
    pub solved: bool,
}

/// The ellipse in the air, over a table at y = 0.
#[derive(Clone, Debug)]
pub struct Ellipse {
    /// The engine.
    pub world: Simulation,
    /// The ellipse.
    pub id: BodyId,
}

impl Ellipse {
    /// The world of the experiment.
    ///
    /// # Errors
    /// The engine refused something.
    pub fn new() -> Result<Self, String> {
        let mut world = Simulation::new();
        let table = Shape::half_space(Vec3::Y).map_err(|e| e.to_string())?;
        let fixed = BodyDesc { kind: BodyKind::Static, shape: Some(table), ..BodyDesc::default() };
        world.add_body(fixed).map_err(|e| e.to_string())?;
        let [a, b] = AXES.map(|x| narrow(2.0 * x));
        let inertia = narrow((AXES[0] * AXES[0] + AXES[1] * AXES[1]) / 4.0);
        let desc = BodyDesc {
            shape: Some(Shape::ellipsoid(a, b, b).map_err(|e| e.to_string())?),
            mass_properties: Some(MassProperties {
                mass: 1.0,
                center_of_mass: Vec3::ZERO,
                inertia: SymMat3::diagonal(Vec3::splat(inertia)),
            }),
            position: Vec3::Y * 8.0,
            angular_velocity: Vec3::Z * 3.0,
            locked_axes: LockedAxes::PLANAR_XY,
            ..BodyDesc::default()
        };
        let id = world.add_body(desc).map_err(|e| e.to_string())?;
        Ok(Self { world, id })
    }

    /// The gap Φ as it is (m).
    pub fn gap(&self) -> Double {
        let Some(body) = self.world.body(self.id) else { return Double::NAN };
        let along = widen3(quat_rotate(body.rotation(), Vec3::X));
        let [a, b] = AXES;
        let reach = ((a * along.y) * (a * along.y) + (b * along.x) * (b * along.x)).sqrt();
        widen(body.center().y) - reach
    }

    /// A step.
    pub fn advance(&mut self, settings: &Settings, dt: Double) -> Moment {
        let solved = self.world.step(settings, narrow(dt)).status == StepStatus::Solved;
        let turning = self.world.body(self.id).map_or(0.0, |body| widen(body.angular_velocity.z));
        Moment { infeasibility: (-self.gap()).max(0.0), turning, solved }
    }
}

/// The engine's own contact and gap with the stabilization of the paper: γ takes back a part of every
/// overlap, the velocity that moves the body is carried on, nothing is capped.
pub fn settings(gamma: Double) -> Settings {
    let mut settings = Settings::default();
    let contact = &mut settings.contact;
    (contact.gamma, contact.friction, contact.relax) = (narrow(gamma), Some(0.3), false);
    (contact.push_speed_max, contact.dead_zone, contact.stillness) = (Real::INFINITY, 0.0, 0.0);
    settings.solver.integration = Integration::Euler;
    settings.solver.tolerance = 1e-10;
    settings
}

/// All steps of a drop.
///
/// # Errors
/// The engine refused something.
pub fn drop(settings: &Settings, dt: Double) -> Result<Vec<Moment>, String> {
    let mut ellipse = Ellipse::new()?;
    let steps = (DURATION / dt).round() as usize;
    Ok((0..steps).map(|_| ellipse.advance(settings, dt)).collect())
}
