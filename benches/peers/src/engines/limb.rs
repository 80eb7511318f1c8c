//! What the joints of a scene are to every engine: balls, balls within a cone, hinges within limits.
//!
//! No engine means quite the same by a cone. Ours bounds the angle between the two x axes, Avian as well;
//! rapier3d knows limits of single axes, so there the cone is a pyramid about it: swings to both sides are
//! bounded one by one, as is the twist.

use orthant::engine::joint::{AxisLimit, JointAxis, JointDesc, JointFrame, JointKind};
use orthant_lab::games::Game;
use rapier3d::prelude::{GenericJoint, JointAxesMask, JointAxis as Axis, Pose, Rotation, Vector};

/// How a joint lets its second body turn against the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bend {
    /// As it likes.
    Ball,
    /// By a largest angle between the x axes of its frames (rad), and about x to both sides (rad).
    Cone { swing: f32, twist: f32 },
    /// About x alone, between two angles (rad).
    Hinge { min: f32, max: f32 },
}

/// A joint between two bodies of a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limb {
    /// Indices of the bodies.
    pub bodies: [usize; 2],
    /// Where it is on each of them.
    pub frames: [JointFrame; 2],
    /// What it allows.
    pub bend: Bend,
}

impl Limb {
    /// All joints of a scene.
    ///
    /// # Errors
    /// One of them is more than the engines have in common.
    pub fn all(game: &Game) -> Result<Vec<Self>, String> {
        let limb = |(index, link): (usize, &orthant_lab::games::Link)| {
            if link.length.is_some() {
                return Err(format!("{} has rods", game.name));
            }
            let desc = game.limbs.iter().find(|(limb, _)| *limb == index).map(|(_, desc)| desc);
            let [a, b] = link.anchors;
            let [basis_a, basis_b] =
                desc.map_or_else(Default::default, |desc| desc.frames.map(|f| f.basis));
            let frames = [
                JointFrame { anchor: a, basis: basis_a },
                JointFrame { anchor: b, basis: basis_b },
            ];
            let bend = desc.map_or(Some(Bend::Ball), bend);
            let bend =
                bend.ok_or_else(|| format!("{} has other joints than all know", game.name))?;
            Ok(Self { bodies: link.bodies, frames, bend })
        };
        game.links.iter().enumerate().map(limb).collect()
    }

    /// The joint of rapier3d that is nearest to it.
    pub fn rapier(&self) -> GenericJoint {
        let place = |frame: JointFrame| {
            let ([x, y, z], [i, j, k, w]) = (frame.anchor.to_array(), frame.basis.to_array());
            Pose::from_parts(Vector::new(x, y, z), Rotation::from_xyzw(i, j, k, w))
        };
        let locked = match self.bend {
            Bend::Ball | Bend::Cone { .. } => JointAxesMask::LOCKED_SPHERICAL_AXES,
            Bend::Hinge { .. } => JointAxesMask::LOCKED_REVOLUTE_AXES,
        };
        let mut joint = GenericJoint::new(locked);
        let [a, b] = self.frames.map(place);
        joint.set_local_frame1(a).set_local_frame2(b).set_contacts_enabled(false);
        match self.bend {
            Bend::Ball => {}
            Bend::Cone { swing, twist } => {
                joint
                    .set_limits(Axis::AngX, [-twist, twist])
                    .set_limits(Axis::AngY, [-swing, swing])
                    .set_limits(Axis::AngZ, [-swing, swing]);
            }
            Bend::Hinge { min, max } => {
                joint.set_limits(Axis::AngX, [min, max]);
            }
        }
        joint
    }
}

/// What a joint of ours allows, if all engines have such a joint.
fn bend(desc: &JointDesc) -> Option<Bend> {
    let plain = JointDesc::new(desc.kind, desc.ends).with_frames(desc.frames[0], desc.frames[1]);
    let twist = desc.limits[JointAxis::AngularX.index()];
    let limited = twist
        .map_or(plain, |AxisLimit { min, max }| plain.with_limit(JointAxis::AngularX, min, max));
    let limited = JointDesc { swing: desc.swing, ..limited };
    let is_all = limited == *desc;
    match (desc.kind, twist, desc.swing) {
        (JointKind::Spherical, None, None) if is_all => Some(Bend::Ball),
        (JointKind::Spherical, Some(AxisLimit { min, max }), Some(swing))
            if is_all && min == -max =>
        {
            Some(Bend::Cone { swing, twist: max })
        }
        (JointKind::Revolute, Some(AxisLimit { min, max }), None) if is_all => {
            Some(Bend::Hinge { min, max })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines::{Engine, Pose as Place};
    use orthant::engine::body::BodyKind;
    use orthant::math::{Quat, Vec3};
    use orthant_lab::games::{Form, Link, Piece, by_name};

    /// A bar along x, 1 m long, of which one end is held; it falls until its joint ends that.
    fn held(desc: JointDesc) -> Game {
        let mut game = Game::new("held");
        let hook = Piece::new(Form::Ball(0.01), Vec3::ZERO);
        game.pieces.push(Piece { kind: BodyKind::Static, ..hook });
        game.add(Form::Cuboid(Vec3::new(0.5, 0.05, 0.05)), Vec3::X * 0.5);
        let anchors = [Vec3::ZERO, Vec3::X * -0.5];
        game.links.push(Link { bodies: [0, 1], anchors, length: None });
        game.limbs.push((0, desc));
        game
    }

    /// How far down it points in the end (rad).
    fn sags(engine: Engine, game: &Game) -> f32 {
        let mut runner = engine.start(game, None).expect("a joint that all know");
        (0..600).for_each(|_| runner.step(None));
        let Place { rotation, .. } = runner.poses()[1];
        -(rotation * Vec3::X).y.asin()
    }

    #[test]
    fn a_bar_falls_to_the_limit_of_its_joint_with_every_engine() {
        // About -z, so that down is the positive side.
        let down = JointFrame::along(Vec3::ZERO, -Vec3::Z).basis;
        let hinge = JointDesc::new(JointKind::Revolute, [None; 2]).with_bases(down, down);
        let hinge = hinge.with_limit(JointAxis::AngularX, -0.2, 0.6);
        let cone = JointDesc::new(JointKind::Spherical, [None; 2]).with_swing(0.4);
        let cone = cone.with_limit(JointAxis::AngularX, -0.3, 0.3);
        for (desc, limit) in [(hinge, 0.6), (cone, 0.4)] {
            for engine in Engine::RUN {
                let angle = sags(engine, &held(desc));
                assert!((angle - limit).abs() < 0.03, "{}: {angle} for {limit}", engine.name());
            }
        }
    }

    #[test]
    fn what_engines_do_not_share_is_refused() {
        let fine = |name: &str| Limb::all(&by_name(name).expect("a scene of this name")).is_ok();
        assert!(fine("ragdolls-10") && fine("net-30"), "limits and balls");
        assert!(!fine("ragdoll"), "its joints brake");
        assert!(!fine("cradle-6"), "strings");
        let turned = JointDesc::new(JointKind::Fixed, [None; 2]);
        let turned = turned.with_bases(Quat::IDENTITY, Quat::IDENTITY);
        assert!(Limb::all(&held(turned)).is_err(), "fixed");
    }
}
