//! What happens to a world of bytes in the course of its life, as in a game: bodies and joints come, change
//! and go, settings change, it is kept and put back, and goes on from a snapshot.

use orthant::engine::Simulation;
use orthant::engine::body::BodyId;
use orthant::engine::joint::{AxisLimit, JointDesc, JointId, JointKind, Motor};
use orthant::engine::settings::Settings;
use orthant::math::{Real, Vec3};
use orthant::snapshot::Snapshot;

use super::Bytes;
use super::world::{body, change, joint, settings};
use crate::support::DT;

/// What is kept of a world, and of that without what the bytes make.
#[derive(Default)]
pub(super) struct Life {
    copy: Option<[Simulation; 2]>,
    snapshot: Option<[Snapshot; 2]>,
}

impl Life {
    /// A few things of many, before a step.
    pub(super) fn go_on(
        &mut self,
        bytes: &mut Bytes,
        mut worlds: [&mut Simulation; 2],
        ids: &mut Vec<BodyId>,
        all: &mut Settings,
        dt: &mut Real,
    ) -> Result<(), String> {
        for _ in 0..bytes.below(4) {
            match bytes.below(16) {
                0..=3 => ids.extend(worlds[0].add_body(body(bytes))),
                4..=6 if !ids.is_empty() => _ = worlds[0].add_joint(joint(bytes, ids)),
                7 | 8 if !ids.is_empty() => _ = worlds[0].add_joint(sound(bytes, ids)),
                9 => {
                    let joints: Vec<JointId> = worlds[0].joints().map(|joint| joint.id()).collect();
                    let gone = joints.get(bytes.below(joints.len().max(1)));
                    gone.into_iter().for_each(|&id| _ = worlds[0].remove_joint(id));
                }
                10 => *all = settings(bytes),
                11 => *dt = DT * bytes.between(0.1, 3.0),
                12..=15 => self.travel(bytes, &mut worlds)?,
                _ if !ids.is_empty() => change(bytes, worlds[0], ids),
                _ => {}
            }
            // Those of another time may not have come yet.
            ids.retain(|&id| worlds[0].body(id).is_some());
        }
        Ok(())
    }

    /// Keeps a world, puts one back, or lets it go on from what is written of it.
    fn travel(
        &mut self,
        bytes: &mut Bytes,
        worlds: &mut [&mut Simulation; 2],
    ) -> Result<(), String> {
        let take = |world: &mut Simulation| world.snapshot().map_err(|e| e.to_string());
        match bytes.below(6) {
            0 => self.copy = Some([worlds[0].clone(), worlds[1].clone()]),
            1 => {
                let both = self.copy.iter().flatten().zip(worlds);
                both.for_each(|(copy, world)| **world = copy.clone());
            }
            2 => self.snapshot = Some([take(worlds[0])?, take(worlds[1])?]),
            3 => {
                for (kept, world) in self.snapshot.iter().flatten().zip(worlds) {
                    world.restore(kept).map_err(|e| format!("its own snapshot: {e}"))?;
                }
            }
            _ => {
                for world in worlds {
                    let kept = take(world)?;
                    let mut anew = Simulation::new();
                    anew.restore(&kept).map_err(|e| format!("a snapshot: {e}"))?;
                    // What is not a number is not equal to itself.
                    let again = take(&mut anew)?;
                    if again != kept && again == again.clone() {
                        return Err("what is restored is kept otherwise".into());
                    }
                    **world = anew;
                }
            }
        }
        Ok(())
    }
}

/// A joint of any kind that makes sense, with a limit and a motor where it may have them.
fn sound(bytes: &mut Bytes, ids: &[BodyId]) -> JointDesc {
    let mut end = || ids.get(bytes.below(ids.len() + 1)).copied();
    let ends = [end(), end()];
    let kind = match bytes.below(14) {
        0 => JointKind::Fixed,
        1 => JointKind::Revolute,
        2 => JointKind::Spherical,
        3 => JointKind::Prismatic,
        4 => JointKind::Cylindrical,
        5 => JointKind::Universal,
        6 => JointKind::Planar,
        7 => JointKind::Pivot,
        8 => JointKind::Distance { min: 0.2, max: bytes.between(0.2, 2.0) },
        9 => JointKind::Gear { ratio: bytes.between(0.5, 2.0) },
        10 => JointKind::RackAndPinion { radius: bytes.between(0.1, 1.0) },
        11 => JointKind::Screw { lead: bytes.between(0.1, 1.0) },
        12 => JointKind::Pulley { wheels: [Vec3::Y * 2.0, Vec3::ONE], ratio: 1.0, length: 4.0 },
        _ => JointKind::Generic,
    };
    let mut desc = JointDesc::new(kind, ends);
    for frame in &mut desc.frames {
        frame.anchor = Vec3::from_array([0; 3].map(|_| bytes.between(-0.5, 0.5)));
    }
    for k in 0..6 {
        if kind.limitable() >> k & 1 != 0 && bytes.one_in(3) {
            let [min, max] = [bytes.between(-1.0, 0.0), bytes.between(0.0, 1.0)];
            let unbounded = bytes.below(4);
            desc.limits[k] = Some(AxisLimit {
                min: if unbounded == 0 { Real::NEG_INFINITY } else { min },
                max: if unbounded == 1 { Real::INFINITY } else { max },
            });
        }
        if kind.drivable() >> k & 1 != 0 && bytes.one_in(3) {
            let speed = bytes.between(-5.0, 5.0);
            desc.motors[k] = Some(match bytes.below(3) {
                0 => Motor::velocity(speed, bytes.between(1.0, 100.0)),
                1 => Motor::velocity(speed, Real::INFINITY),
                _ => Motor::spring(bytes.between(-1.0, 1.0), bytes.between(1.0, 1e4), 1.0),
            });
            desc.friction[k] = if bytes.one_in(3) { bytes.between(0.0, 5.0) } else { 0.0 };
        }
    }
    desc.enabled = !bytes.one_in(8);
    desc.collide = bytes.one_in(4);
    if bytes.one_in(4) {
        (desc.break_force, desc.yield_torque) = (bytes.between(1.0, 1e3), bytes.between(1.0, 1e3));
    }
    desc
}
