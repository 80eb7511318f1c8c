//! A slider-crank whose slider rubs on the walls of its guide (Anitescu, Miller, Hart 2003, 2.3).
//!
//! A motor turns a crank of radius r, a rod of length L lifts a slider between two upright walls. The rod
//! carries forces along itself only. Where it leans by β it presses the slider against one wall with
//! `F sin β`, lifts it with `F cos β`, and friction may take `μ F sin β` of that: beyond `tan β = 1 / μ` no
//! force lifts it, the impulses of rod and wall hold each other, and the friction cone is not pointed. With
//! the crank at the angle θ from where the slider is lowest `sin β = (r / L) sin θ`, so that it gets stuck if
//! `r / L` is larger than `1 / √(1 + μ²)`.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::joint::{JointAxis, JointDesc, JointFrame, JointId, JointKind, Motor};
use orthant::engine::lcp::Cone;
use orthant::engine::papers::export::ExportedProblem;
use orthant::engine::papers::pointed::{Pointed, is_pointed};
use orthant::engine::settings::Settings;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::{
    Double, PI_DOUBLE, Quat, Real, SymMat3, Vec3, cos, narrow, quat_exp, quat_rotate, widen,
};

use super::grasp;
use crate::support::{body, cuboid};

/// Radius of the crank and length of the rod (m).
pub const CRANK: Double = 0.8;
pub const ROD: Double = 1.0;
/// Width and length of the slider (m), which weighs 1 kg. It is too long to be wedged by its corners.
const SLIDER: [Real; 2] = [0.2, 1.0];
/// Speed of the motor [rad/s], slow, so that the slider does not fly on; its torque (N·m): a hundred times
/// what lifts the slider.
const SPEED: Real = 0.1;
const TORQUE: Real = 800.0;

/// The mechanism.
#[derive(Clone, Debug)]
pub struct SliderCrank {
    /// The engine.
    pub world: Simulation,
    slider: BodyId,
    motor: JointId,
}

impl SliderCrank {
    /// With the crank at an angle (rad), and a clearance of the slider at its left and right (m).
    ///
    /// # Errors
    /// The engine refused something.
    pub fn new(start: Double, clearance: [Double; 2]) -> Result<Self, String> {
        let mut world = Simulation::new();
        let turn = |angle: Double| quat_exp(Vec3::Z * narrow(angle));
        let lean = libm::asin(CRANK / ROD * libm::sin(start));
        let [crank, rod] = [CRANK, ROD].map(narrow);
        let pin = quat_rotate(turn(start), Vec3::Y * -crank);
        let top = pin.y + rod * cos(narrow(lean));
        for (side, clearance) in [-1.0, 1.0].into_iter().zip(clearance) {
            let away = 0.5 * SLIDER[0] + narrow(clearance) + 0.5;
            let desc = BodyDesc {
                kind: BodyKind::Static,
                shape: Some(cuboid(1.0, 6.0, 1.0)),
                position: Vec3::new(side * away, 0.0, 0.0),
                ..BodyDesc::default()
            };
            world.add_body(desc).map_err(|e| e.to_string())?;
        }
        let bar = |length: Real, position: Vec3, rotation: Quat| BodyDesc {
            mass_properties: Some(MassProperties {
                mass: 0.1,
                center_of_mass: Vec3::Y * (0.5 * length),
                inertia: SymMat3::diagonal(Vec3::splat(0.1 * length * length / 12.0)),
            }),
            position,
            rotation,
            ..BodyDesc::default()
        };
        // The crank from its axis to the pin, the rod from the pin to the slider.
        let crank_body = bar(-crank, Vec3::ZERO, turn(start));
        let crank_body = world.add_body(crank_body).map_err(|e| e.to_string())?;
        let rod_body = world.add_body(bar(rod, pin, turn(lean))).map_err(|e| e.to_string())?;
        let [width, length] = SLIDER;
        let slider = BodyDesc {
            shape: Some(cuboid(width, length, 0.2)),
            density: 1.0 / (width * length * 0.2),
            position: Vec3::Y * top,
            ..BodyDesc::default()
        };
        let slider = world.add_body(slider).map_err(|e| e.to_string())?;
        let at = |y: Real| JointFrame::along(Vec3::Y * y, Vec3::Z);
        let hinge = |a: Option<BodyId>, b, from, to| {
            JointDesc::new(JointKind::Revolute, [a, Some(b)]).with_frames(at(from), at(to))
        };
        let motor = hinge(None, crank_body, 0.0, 0.0)
            .with_motor(JointAxis::AngularX, Motor::velocity(SPEED, TORQUE));
        let middle = hinge(Some(crank_body), rod_body, -crank, 0.0);
        let end = hinge(Some(rod_body), slider, rod, 0.0);
        let motor = world.add_joint(motor).map_err(|e| e.to_string())?;
        world.add_joint(middle).map_err(|e| e.to_string())?;
        world.add_joint(end).map_err(|e| e.to_string())?;
        Ok(Self { world, slider, motor })
    }

    /// Angle of the crank (rad) from where the slider is lowest.
    pub fn angle(&self) -> Double {
        self.world.joint(self.motor).map_or(0.0, |joint| widen(joint.position(JointAxis::AngularX)))
    }

    /// Height of the slider (m).
    pub fn height(&self) -> Double {
        widen(body(&self.world, self.slider).center().y)
    }

    /// Is the friction cone of what touches pointed, if joints and motor bear everything? Of the next step.
    pub fn is_pointed(&self, settings: &Settings, dt: Double) -> bool {
        let mut world = self.world.clone();
        world.begin(settings, narrow(dt));
        world.find_pairs(settings);
        world.find_contacts(settings);
        world.build_islands();
        world.assemble(settings);
        let problems = world.step_problems(Cone::Pyramid(SIDES));
        problems.iter().map(|p| p.instantaneous(TOUCHING)).all(is_rigidly_pointed)
    }
}

/// Sides of the pyramid that stands for the friction cone, and up to which gap bodies touch (m).
const SIDES: u32 = 64;
const TOUCHING: Double = 1e-6;

/// Is it pointed with joints and motors that bear everything?
fn is_rigidly_pointed(mut problem: ExportedProblem) -> bool {
    for row in &mut problem.joints {
        (row.bounds, row.softness) = ([-Double::INFINITY, Double::INFINITY], 0.0);
    }
    matches!(is_pointed(&problem.problem()), Pointed::Yes(_))
}

/// Where the crank gets stuck (rad), if it does.
pub fn stuck_at(friction: Double) -> Option<Double> {
    let sine = ROD / CRANK / (1.0 + friction * friction).sqrt();
    (sine < 1.0).then(|| libm::asin(sine))
}

/// Angle of the crank (rad) from which on the cone is not pointed where the slider leans on one wall, or on
/// both; none if it is up to a right angle.
///
/// # Errors
/// The engine refused something.
pub fn not_pointed_from(friction: Double, both: bool) -> Result<Option<Double>, String> {
    let right = if both { 0.0 } else { 0.01 };
    let settings = grasp::settings(1.0, friction);
    let holds = |angle: Double| -> Result<bool, String> {
        Ok(SliderCrank::new(angle, [0.0, right])?.is_pointed(&settings, 1e-3))
    };
    let (mut low, mut high) = (0.0, 0.5 * PI_DOUBLE);
    if holds(high)? {
        return Ok(None);
    }
    for _ in 0..12 {
        let middle = 0.5 * (low + high);
        *(if holds(middle)? { &mut low } else { &mut high }) = middle;
    }
    Ok(Some(high))
}

/// Turns the crank from where the slider is lowest, for so long that it would be at its top, with a clearance
/// on either side (m); gives the angle that it comes to (rad).
///
/// # Errors
/// The engine refused something.
pub fn turn(friction: Double, clearance: Double) -> Result<Double, String> {
    let mut it = SliderCrank::new(0.1, [clearance; 2])?;
    let settings = grasp::settings(1.0, friction);
    for _ in 0..1600 {
        it.world.step(&settings, 0.02);
        if it.angle() > 3.0 {
            break;
        }
    }
    Ok(it.angle())
}
