//! A three-fingered hand that closes on a glass (Anitescu, Miller, Hart 2003, section 4; Miller, Christensen
//! 2003).
//!
//! The palm looks down on a glass on a table. Each finger has two links, and the outer one is led by the
//! inner one, as in the paper's hand: a rod from the palm, on the other side of the knuckle, turns it on by
//! a third of the angle of the inner link. A motor at the inner joint closes with a speed and a torque, and
//! friction of the joint keeps the finger where it is, as the worm gears of such hands do. The table then
//! sinks. What holds the glass is friction alone: its walls are upright, so that it stays if
//! `μ Σ N ≥ m g`.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::joint::{JointAxis, JointDesc, JointFrame, JointId, JointKind, Motor};
use orthant::engine::report::StepReport;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{DVec3, Double, PI, Real, Vec3, cos, narrow, quat_exp, sin, widen, widen3};

use super::ellipse;
use crate::support::{body, change};

/// Length of a step (s): the paper's.
pub const STEP: Double = 2.5e-3;
/// When the table begins to sink (s), and how fast [m/s].
pub const LET_GO: Double = 1.0;
const SINKING: Real = 0.5;
/// Friction that is too small for the weight (–).
pub const SLIPPERY: Double = 0.02;
/// Mass of the glass (kg), half its width across flats (m), its height (m).
pub const GLASS: Real = 0.2;
const RADIUS: Real = 0.035;
const HEIGHT: Real = 0.12;
/// Lengths of the inner and the outer link (m).
const LINKS: [Real; 2] = [0.07, 0.058];
/// Their masses (kg).
const MASSES: [Real; 2] = [0.1, 0.06];
/// How far the fingers stand from the middle (m), and how high above the table.
const BASE: Real = 0.1;
const KNUCKLES: Real = 0.18;
/// Lever of a rod at the outer link (m); a third of it is that at the palm, on the other side.
const LEVER: Real = 0.018;
/// Angle by which the outer link is bent inwards (rad).
const BENT: Real = 0.6;
/// Speed [rad/s] and torque [N·m] of a motor, friction of a joint [N·m].
const CLOSING: Real = 0.5;
const TORQUE: Real = 0.6;
const DRAG: Real = 0.2;

/// Least and largest sum of the normal forces on the glass (N), since friction of the joints takes some of
/// the torque or adds to it: by virtual work, where the outer link turns by four thirds of the inner one.
pub fn squeeze() -> [Double; 2] {
    let lever = widen(LINKS[0] + 4.0 / 3.0 * LINKS[1] * cos(BENT));
    [-1.0, 1.0].map(|sign| 3.0 * (widen(TORQUE) + sign * widen(DRAG)) / lever)
}

/// A hand, a glass and a table.
#[derive(Clone, Debug)]
pub struct Grasp {
    /// The engine.
    pub world: Simulation,
    /// The glass.
    pub glass: BodyId,
    /// What it stands on.
    pub table: BodyId,
    /// Inner and outer links of the fingers.
    pub links: [[BodyId; 2]; 3],
    /// Their motors, and the joints between their links.
    pub joints: [[JointId; 2]; 3],
    time: Double,
}

/// What a step showed.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// When the step began (s).
    pub time: Double,
    /// `max |Θ|` of the joints [m or rad], and the largest overlap (m), of the pose it began with.
    pub infeasibility: [Double; 2],
    /// Natural-map residual of the step [m/s].
    pub residual: Double,
    /// Height of the glass after it (m).
    pub height: Double,
}

/// The step of the paper with γ and one coefficient of friction.
pub fn settings(gamma: Double, friction: Double) -> Settings {
    let mut settings = ellipse::settings(gamma);
    settings.contact.friction = Some(narrow(friction));
    settings
}

/// Corners of a link whose joint is in the origin: a tapered bar along `-y`, bent inwards by an angle (rad).
fn bar(length: Real, thick: [Real; 2], bent: Real) -> Vec<Vec3> {
    let (sin, cos) = (sin(bent), cos(bent));
    let turned = |x: Real, y: Real, z: Real| Vec3::new(cos * x + sin * y, cos * y - sin * x, z);
    let mut corners = Vec::new();
    for (y, half) in [(0.0, thick[0]), (-length, thick[1])] {
        for [x, z] in [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]] {
            corners.push(turned(half * x, y, 0.006 * z));
        }
    }
    corners
}

/// A body of this mass (kg), a hull in a protective layer (m): the distance of two is that of their hulls
/// less both layers.
fn layered(corners: &[Vec3], layer: Real, mass: Real) -> Result<BodyDesc, String> {
    let shape = match layer > 0.0 {
        true => Shape::round_convex_hull(corners, layer),
        false => Shape::convex_hull(corners),
    };
    let shape = shape.map_err(|e| e.to_string())?;
    let density = mass / shape.mass_properties(1.0).mass;
    Ok(BodyDesc { shape: Some(shape), density, ..BodyDesc::default() })
}

impl Grasp {
    /// The hand, open. Hulls have a protective layer of half of `layer` (m) each, and are smaller by as much.
    ///
    /// # Errors
    /// The engine refused something.
    pub fn new(layer: Double) -> Result<Self, String> {
        let half = narrow(0.5 * layer);
        let mut world = Simulation::new();
        let refused = |e: &dyn core::fmt::Display| e.to_string();
        let add = |world: &mut Simulation, desc| world.add_body(desc).map_err(|e| refused(&e));
        let fixed = BodyDesc { kind: BodyKind::Static, ..BodyDesc::default() };
        let palm = disc(BASE + 0.02, 0.03, 12);
        let palm = BodyDesc {
            shape: Some(Shape::convex_hull(&palm).map_err(|e| refused(&e))?),
            position: Vec3::Y * (KNUCKLES + 0.03),
            ..fixed.clone()
        };
        let palm = add(&mut world, palm)?;
        let top = Shape::cuboid(0.4, 0.04, 0.4).map_err(|e| refused(&e))?;
        let table = BodyDesc {
            kind: BodyKind::Kinematic,
            shape: Some(top),
            position: Vec3::Y * -0.02,
            ..BodyDesc::default()
        };
        let table = add(&mut world, table)?;
        let glass = disc(RADIUS - half, HEIGHT - 2.0 * half, 6);
        let glass = BodyDesc {
            // Beside the middle: one finger arrives first.
            position: Vec3::new(0.003, 0.5 * HEIGHT, 0.002),
            ..layered(&glass, half, GLASS)?
        };
        let glass = add(&mut world, glass)?;
        let mut links = [[glass; 2]; 3];
        let mut joints = [[JointId(0); 2]; 3];
        for (k, angle) in [PI, PI / 3.0, -PI / 3.0].into_iter().enumerate() {
            (links[k], joints[k]) = finger(&mut world, palm, angle, half)?;
        }
        Ok(Self { world, glass, table, links, joints, time: 0.0 })
    }

    /// A step.
    pub fn advance(&mut self, settings: &Settings, dt: Double) -> Moment {
        let time = self.time;
        self.time += dt;
        let mut world = core::mem::take(&mut self.world);
        self.let_go(&mut world, time);
        self.world = world;
        let report = self.world.step(settings, narrow(dt));
        let StepReport { joint_error, overlap, natural_map, .. } = *report;
        Moment {
            time,
            infeasibility: [widen(joint_error), widen(overlap)],
            residual: natural_map,
            height: self.center().y,
        }
    }

    /// Lets the table of a world that began as this one sink, if it is time (s).
    pub fn let_go(&self, world: &mut Simulation, time: Double) {
        if time > LET_GO - 1e-9 {
            change(world, self.table).linear_velocity = Vec3::Y * -SINKING;
        }
    }

    /// Where the glass is (m).
    pub fn center(&self) -> DVec3 {
        widen3(body(&self.world, self.glass).center())
    }

    /// Sums of the normal forces of the fingers on the glass, and of what they carry of its weight, in the
    /// last step (N).
    pub fn forces(&self, dt: Double) -> [Double; 2] {
        let mut sums = [0.0; 2];
        for contact in self.world.contacts() {
            let Some(side) = contact.bodies.iter().position(|&id| id == self.glass) else {
                continue;
            };
            if contact.bodies.contains(&self.table) {
                continue;
            }
            let sign = 2.0 * side as Double - 1.0;
            sums[0] += widen(contact.impulse.dot(contact.normal)) / dt;
            sums[1] += sign * widen(contact.impulse.y) / dt;
        }
        sums
    }
}

/// Corners of a prism about the vertical, by half its width across flats and its height (m); a face looks
/// along -x.
fn disc(radius: Real, height: Real, sides: usize) -> Vec<Vec3> {
    let around = PI / sides as Real;
    let reach = radius / cos(around);
    let corner = |k: usize| {
        let at = around * (2 * k + 1) as Real;
        [0.5, -0.5].map(|y| Vec3::new(reach * cos(at), y * height, reach * sin(at)))
    };
    (0..sides).flat_map(corner).collect()
}

/// A finger at an angle (rad) about the vertical: its links, inner and outer, and their joints.
fn finger(
    world: &mut Simulation,
    palm: BodyId,
    angle: Real,
    layer: Real,
) -> Result<([BodyId; 2], [JointId; 2]), String> {
    let refused = |e: &dyn core::fmt::Display| e.to_string();
    let turn = quat_exp(Vec3::Y * -angle);
    let outward = Vec3::new(cos(angle), 0.0, sin(angle));
    let knuckle = outward * BASE + Vec3::Y * KNUCKLES;
    let joint_of = [knuckle, knuckle - Vec3::Y * LINKS[0]];
    let mut links = [palm; 2];
    for (k, (thick, bent)) in
        [([0.009, 0.008], 0.0), ([0.008, 0.005], BENT)].into_iter().enumerate()
    {
        let corners = bar(LINKS[k] - layer, thick.map(|t| t - layer), bent);
        let desc = BodyDesc {
            position: joint_of[k],
            rotation: turn,
            ..layered(&corners, layer, MASSES[k])?
        };
        links[k] = world.add_body(desc).map_err(|e| refused(&e))?;
    }
    let [inner, outer] = links;
    // Closing turns about -z of a finger, whose x points outwards.
    let axis = |anchor| JointFrame::along(anchor, -Vec3::Z);
    let in_palm = |at: Vec3| at - Vec3::Y * (KNUCKLES + 0.03);
    let at_palm = JointFrame::along(in_palm(knuckle), outward.cross(Vec3::Y) * -1.0);
    let hinge = JointDesc::between(JointKind::Revolute, palm, inner)
        .with_frames(at_palm, axis(Vec3::ZERO))
        .with_motor(JointAxis::AngularX, Motor::velocity(CLOSING, TORQUE))
        .with_friction(JointAxis::AngularX, DRAG);
    let hinge = world.add_joint(hinge).map_err(|e| refused(&e))?;
    let middle = JointDesc::between(JointKind::Revolute, inner, outer)
        .with_frames(axis(Vec3::Y * -LINKS[0]), axis(Vec3::ZERO));
    let middle = world.add_joint(middle).map_err(|e| refused(&e))?;
    let (near, far) = (-LEVER / 3.0, LEVER);
    let length = ((far - near) * (far - near) + LINKS[0] * LINKS[0]).sqrt();
    let rod = JointDesc::rod(palm, outer, length)
        .with_anchors(in_palm(knuckle + outward * near), Vec3::X * far);
    world.add_joint(rod).map_err(|e| refused(&e))?;
    Ok((links, [hinge, middle]))
}
