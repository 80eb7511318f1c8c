//! The rows of a joint in a step.
//!
//! Input: a joint, where it is, how its ends move. Output: rows for the
//! [step problem](crate::engine::step::assemble), each with the slot that names it from step to step. With
//! position `x`, `w = νᵀ v`, step h:
//!
//! ```text
//! lock      w + γ Θ/h = 0                       (4.14), not faster than v_push
//! limit     w + gap/h ≥ 0   apart,  w + γ gap/h ≥ 0, not faster than v_push, beyond it; c ≥ 0
//! motor     w + (k (x - x*) - d w*) / (d + h k) + c / (h (d + h k)) = 0,   |c| ≤ F h
//! friction  w = 0,   |c| ≤ F h
//! ```
//!
//! These are the rows of the papers' step, at its start. Each row also knows its [aim](Aim), from which
//! `step/solve/midpoint` makes the rows of a step that keeps energy and angular momentum.
//!
//! Locks and limits may have a bound `F h`, too: they yield to a larger force.
//!
//! The row of a motor or spring is the force of the end of the step, `c = -h (k (x + h w - x*) + d (w -
//! w*))`: implicit Euler, whatever the stiffness. A motor without stiffness and with infinite damping is the
//! hard row `w = w*`. Limits are there when they are within reach in this step, like contacts, also by a blow
//! where the island touches; their push is not carried. At most one row a slot; O(rows).

use super::axes::{End, JointPose, Sides, plus, rate};
use super::{AxisLimit, Joint, JointKind, Motor};
use crate::engine::lcp::Vec6;
use crate::engine::settings::Settings;
use crate::engine::state::body::Body;
use crate::engine::tuning::joint_rows::{ANGLE_MARGIN, CARRIED_MAX};
use crate::math::turns::unwound;
use crate::math::{
    DVec3, Double, PI_DOUBLE, Real, narrow, narrow3, quat_conjugate, quat_rotate, widen,
};

/// A row of a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Its name within the joint.
    pub(crate) slot: usize,
    /// `ν` of both ends.
    pub(crate) sides: Sides,
    /// `Υ`.
    pub(crate) bias: Double,
    /// Part of it that is not carried on.
    pub(crate) push: Double,
    /// `s` of the row.
    pub(crate) softness: Double,
    /// Bounds of the impulse.
    pub(crate) bounds: [Double; 2],
    /// What it is for.
    pub(crate) aim: Aim,
}

/// What a row is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Aim {
    /// A position at the end of the step, or at least that [m or rad].
    Place(Double),
    /// A rate [m/s or rad/s].
    Rate(Double),
    /// A rate, by a damper [m/s or rad/s].
    Damper,
    /// The force of a spring and damper.
    Spring,
}

/// First slot of upper limits, motors and friction; that of the swing cone. Locks and lower limits are first.
const UPPER: usize = 6;
const MOTOR: usize = 12;
const FRICTION: usize = 18;
const CONE: usize = 24;
/// Number of slots.
pub(crate) const SLOTS: usize = 25;

/// What the rows of a joint are made from.
#[derive(Debug)]
pub(crate) struct JointRowBuilder<'a> {
    /// The joint.
    pub(crate) joint: &'a Joint,
    /// Its bodies.
    pub(crate) ends: [Option<&'a Body>; 2],
    /// Free velocities of its ends.
    pub(crate) free: [Vec6; 2],
    /// Velocities of its ends before the step.
    pub(crate) last: [Vec6; 2],
    /// The force along an axis and the torque about one that its island bears [N, N·m]; may be infinite.
    pub(crate) strength: [Double; 2],
    /// Does anything of its island touch?
    pub(crate) touches: bool,
    /// Settings.
    pub(crate) settings: &'a Settings,
    /// Step (s).
    pub(crate) dt: Real,
}

impl JointRowBuilder<'_> {
    /// Where the joint is.
    pub(crate) fn place(&self) -> JointPose {
        let ends = self.ends.map(|end| end.map(End::of));
        JointPose::new(self.joint.desc.kind, &self.joint.desc.frames, &ends)
    }

    /// All rows, locks first.
    pub(crate) fn make(&self, place: &JointPose, rows: &mut Vec<Row>) {
        rows.clear();
        let desc = &self.joint.desc;
        let locked = desc.locked();
        if locked != 0 {
            // Positions keep up with the curvature of the motion, however fast; beyond that a joint far
            // apart is drawn together at v_push.
            let contact = &self.settings.contact;
            let cap = widen(contact.push_speed_max) + widen(self.dt) * self.curvature(place);
            // Too fast to be told: not drawn at all.
            let cap = if cap.is_nan() { 0.0 } else { cap };
            let locks = (0..6).filter(|k| locked & 1 << k != 0);
            rows.extend(locks.map(|k| self.lock(place, k, cap)));
        }
        self.joint.limits().for_each(|slot| self.limit(place, slot, rows));
        for k in 0..6 {
            if let Some(motor) = &desc.motors[k] {
                rows.extend(self.motor(place, k, motor));
            }
        }
        for k in 0..6 {
            let bound = widen(desc.friction[k]) * widen(self.dt);
            if bound > 0.0 {
                let (sides, bounds) = (self.joint.rate_rows(place, k), [-bound, bound]);
                rows.push(Row { bounds, ..row(FRICTION + k, sides) });
            }
        }
        rows.iter_mut().for_each(|row| self.yield_at_most(row));
    }

    /// Bounds the impulse of a row by what the joint and its island bear.
    fn yield_at_most(&self, row: &mut Row) {
        let desc = &self.joint.desc;
        let about = usize::from(row.slot % 6 >= 3 || row.slot == CONE);
        let own = [desc.yield_force, desc.yield_torque][about];
        let own = if keeps(row.slot) { widen(own) } else { Double::INFINITY };
        let most = own.min(self.strength[about]) * widen(self.dt);
        row.bounds = [row.bounds[0].max(-most), row.bounds[1].min(most)];
    }

    /// The row of a locked axis, with the largest speed at which it is drawn together [m/s].
    fn lock(&self, place: &JointPose, k: usize, cap: Double) -> Row {
        let (error, sides) = self.joint.at(place, k);
        let dt = widen(self.dt);
        let contact = &self.settings.contact;
        let full = widen(contact.gamma) * error / dt;
        let bias = full.max(-cap).min(cap);
        let kept = if contact.relax { CARRIED_MAX } else { Double::INFINITY };
        let push = bias - bias.max(-kept).min(kept);
        let most = widen(contact.push_speed_max);
        let aim = Aim::Place(error - dt * full.max(-most).min(most));
        Row { bias, push, aim, ..row(k, sides) }
    }

    /// The row of a limit, if it is within reach.
    fn limit(&self, place: &JointPose, slot: usize, rows: &mut Vec<Row>) {
        let (gap, sides) = self.joint.at(place, slot);
        let dt = widen(self.dt);
        let contact = &self.settings.contact;
        let margin =
            if slot % 6 < 3 && slot != CONE { widen(contact.margin) } else { ANGLE_MARGIN };
        let speed = |v: &[Vec6; 2]| -> Double {
            let all = sides.iter().flatten().zip(v.iter().flatten());
            all.map(|(x, v)| (x * v).abs()).sum()
        };
        let blow = if self.touches { self.blow(&sides) } else { 0.0 };
        // A NaN has no row.
        let within = gap <= margin + dt * (blow + 2.0 * speed(&self.free).max(speed(&self.last)));
        if !within {
            return;
        }
        let zone = widen(contact.dead_zone) * dt * dt;
        let pushed = self.joint.impulse[0][slot] != 0.0;
        let (bias, push) = if gap >= -zone {
            // As for contacts: what pushed still touches, so that trembling within the zone changes nothing.
            (((gap - if pushed { zone } else { 0.0 }).max(0.0)) / dt, 0.0)
        } else {
            let full = widen(contact.gamma) * (gap + zone) / dt;
            let push = full.max(-widen(contact.push_speed_max));
            (push, if contact.relax { push } else { 0.0 })
        };
        let bounds = [0.0, Double::INFINITY];
        let aim = Aim::Place(gap - dt * bias);
        rows.push(Row { bias, push, bounds, aim, ..row(slot, sides) });
    }

    /// How fast a blow may turn the ends of a row about its axis, `m v² = I ω²` of all their speed [rad/s].
    fn blow(&self, sides: &Sides) -> Double {
        let ends = self.ends.iter().zip(sides).filter_map(|(end, side)| Some(((*end)?, side)));
        let spins = ends.map(|(body, side)| {
            let axis = narrow3(DVec3::new(side[3], side[4], side[5]));
            let axis = quat_rotate(quat_conjugate(body.rotation()), axis);
            let moment = axis.dot(body.inertia().mul_vec(axis));
            let most = (body.mass() / moment).sqrt() * axis.length_squared();
            let spin = widen(body.linear_velocity.length() * most);
            if spin.is_finite() { spin } else { 0.0 }
        });
        spins.sum()
    }

    /// The row of a motor, unless it does nothing.
    fn motor(&self, place: &JointPose, k: usize, motor: &Motor) -> Option<Row> {
        let dt = widen(self.dt);
        let [stiffness, damping] = [motor.stiffness, motor.damping].map(widen);
        let bound = widen(motor.max_force) * dt;
        let total = damping + dt * stiffness;
        if !(total > 0.0 && bound > 0.0) {
            return None;
        }
        let target = widen(motor.velocity);
        let bounds = [-bound, bound];
        if stiffness == 0.0 || damping.is_infinite() {
            let softness = 1.0 / (dt * total);
            let sides = self.joint.rate_rows(place, k);
            let aim = if softness > 0.0 { Aim::Damper } else { Aim::Rate(target) };
            return Some(Row { bias: -target, softness, bounds, aim, ..row(MOTOR + k, sides) });
        }
        let (error, sides) = self.joint.at(place, MOTOR + k);
        let bias = (stiffness * error - damping * target) / total;
        let softness = 1.0 / (dt * total);
        Some(Row { bias, softness, bounds, aim: Aim::Spring, ..row(MOTOR + k, sides) })
    }

    /// Acceleration of the anchors that rows along straight lines do not know (m/s²): centripetal, and
    /// Coriolis' along an axis that turns.
    fn curvature(&self, place: &JointPose) -> Double {
        let slides = self.joint.desc.kind.slides();
        let mut sum = 0.0;
        for (k, body) in self.ends.iter().enumerate() {
            let Some(body) = body else { continue };
            let anchor = self.joint.desc.frames[k].anchor;
            let arm = (anchor - body.center_of_mass()).length();
            sum += widen(body.angular_velocity.length_squared() * arm);
        }
        if slides && let Some(a) = self.ends[0] {
            let speed = (0..3).map(|k| {
                let along = rate(&place.gradient(k), &self.last);
                along * along
            });
            let speed = speed.sum::<Double>().sqrt();
            let spin = widen(a.angular_velocity.length());
            sum += spin * (spin * place.apart.length() + 2.0 * speed);
        }
        sum
    }
}

/// Is a row of this slot what a joint keeps, a lock or limit?
pub(crate) const fn keeps(slot: usize) -> bool {
    slot < MOTOR || slot == CONE
}

/// A hard row without bounds.
const fn row(slot: usize, sides: Sides) -> Row {
    let bounds = [-Double::INFINITY, Double::INFINITY];
    let aim = Aim::Rate(0.0);
    Row { slot, sides, bias: 0.0, push: 0.0, softness: 0.0, bounds, aim }
}

fn opposite(sides: Sides) -> Sides {
    sides.map(|side| side.map(|x| -x))
}

impl Joint {
    /// Limits of an axis [m or rad].
    fn range(&self, k: usize) -> Option<[Real; 2]> {
        match (self.desc.kind, self.desc.limits[k]) {
            // Nothing is nearer than nothing.
            (JointKind::Distance { min, max }, _) if k == 0 && min > 0.0 => Some([min, max]),
            (JointKind::Distance { max, .. }, _) if k == 0 => Some([Real::NEG_INFINITY, max]),
            (JointKind::Pulley { length, .. }, _) if k == 0 => Some([Real::NEG_INFINITY, length]),
            (_, Some(AxisLimit { min, max })) => Some([min, max]),
            _ => None,
        }
    }

    /// Slots of its limits, lower and upper of each axis, then of the swing cone.
    fn limits(&self) -> impl Iterator<Item = usize> {
        let locked = self.desc.locked();
        let free = (0..6).filter(move |k| locked & 1 << k == 0);
        let of_axes = free.flat_map(|k| {
            let ranges = self.range(k).into_iter();
            let bounds = ranges.flat_map(move |[min, max]| [(k, min), (UPPER + k, max)]);
            bounds.filter(|(_, bound)| bound.is_finite()).map(|(slot, _)| slot)
        });
        of_axes.chain(self.desc.swing.map(|_| CONE))
    }

    /// `|Θ|_∞`: how far its ends are from where it keeps them, the worst lock or limit [m or rad].
    pub(crate) fn error(&self, ends: [Option<&Body>; 2]) -> Double {
        let desc = &self.desc;
        let place = JointPose::new(desc.kind, &desc.frames, &ends.map(|end| end.map(End::of)));
        let locked = desc.locked();
        let locks = (0..6).filter(|k| locked & 1 << k != 0);
        let apart = locks.map(|k| self.at(&place, k).0.abs());
        let beyond = self.limits().map(|slot| -self.at(&place, slot).0);
        apart.chain(beyond).fold(0.0, Double::max)
    }

    /// What a row of this name is about at a place, how far a position is from its aim [m or rad], and
    /// the rows of its rate. Inlined, since half of it is asked for by most.
    #[inline(always)]
    pub(crate) fn at(&self, place: &JointPose, slot: usize) -> (Double, Sides) {
        let desc = &self.desc;
        let k = slot % 6;
        let locked = desc.locked();
        match slot {
            CONE => {
                let (angle, sides) = place.swing();
                (desc.swing.map_or(0.0, widen) - angle, opposite(sides))
            }
            MOTOR..FRICTION if k >= 3 && self.is_ball() => {
                let targets = [3, 4, 5].map(|k| self.target(k));
                place.turn_from(DVec3::from_array(targets), k)
            }
            MOTOR..FRICTION => (self.position_at(place, k) - self.target(k), place.gradient(k)),
            FRICTION..CONE => (0.0, self.rate_rows(place, k)),
            0..UPPER if locked & 1 << k != 0 => match (desc.kind, k) {
                (JointKind::Distance { min, .. }, _) => {
                    (place.position(0) - widen(min), place.gradient(0))
                }
                (JointKind::Gear { .. } | JointKind::RackAndPinion { .. }, _) => {
                    (self.rolled(place), place.rolling())
                }
                (JointKind::Screw { lead }, 0) => {
                    let slope = -widen(lead) / (2.0 * PI_DOUBLE);
                    let error = place.position(0) + slope * self.position_at(place, 3);
                    (error, plus(place.gradient(0), &place.gradient(3), slope))
                }
                (kind, 0..3) if !kind.slides() => {
                    let axis = [DVec3::X, DVec3::Y, DVec3::Z][k];
                    (place.apart.dot(axis), place.along_world(axis))
                }
                (kind, 3..) if kind.locked() & 0b11_1000 == 0b11_1000 => {
                    place.turn_from(DVec3::ZERO, k)
                }
                _ => {
                    let target = desc.limits[k].map_or(0.0, |limit| widen(limit.min));
                    (self.position_at(place, k) - target, place.gradient(k))
                }
            },
            _ => {
                let [min, max] = self.range(k).unwrap_or([Real::NEG_INFINITY, Real::INFINITY]);
                let (at, sides) = (self.position_at(place, k), place.gradient(k));
                if slot < UPPER {
                    (at - widen(min), sides)
                } else {
                    (widen(max) - at, opposite(sides))
                }
            }
        }
    }

    /// Target position of the motor of an axis [m or rad].
    fn target(&self, k: usize) -> Double {
        self.desc.motors[k].map_or(0.0, |motor| widen(motor.position))
    }

    /// Position of an axis at a place with its turns counted.
    fn position_at(&self, place: &JointPose, k: usize) -> Double {
        let raw = place.position(k);
        if self.counts(k) { unwound(raw, self.turned[k - 3]) } else { raw }
    }

    /// Rows of the speed that a motor or friction acts on: where several angles are free, that about an
    /// axis of frame a.
    pub(crate) fn rate_rows(&self, place: &JointPose, k: usize) -> Sides {
        let swings = self.desc.kind != JointKind::Universal && k >= 4;
        if swings || (k == 3 && self.is_ball()) { place.spin(k) } else { place.gradient(k) }
    }

    /// May it turn about every axis?
    fn is_ball(&self) -> bool {
        let kinds = [JointKind::Spherical, JointKind::Generic];
        kinds.contains(&self.desc.kind) && self.desc.locked() & 0b11_1000 == 0
    }

    /// Are turns about axis k counted?
    fn counts(&self, k: usize) -> bool {
        match self.desc.kind {
            JointKind::Universal => k == 3 || k == 4,
            // With a free swing the twist has a pole, at which turns have no meaning.
            _ => k == 3 && self.desc.locked() & 0b11_0000 == 0b11_0000,
        }
    }

    /// How far what it couples has come apart by a place, since it began [rad or m].
    fn rolled(&self, place: &JointPose) -> Double {
        let from = JointPose::new(self.desc.kind, &self.desc.frames, &self.ends);
        self.turned[0] + place.rolled(&from)
    }

    /// Takes up where its ends are, and counts turns.
    pub(crate) fn read(&mut self, ends: [Option<&Body>; 2], dt: Double) {
        let ends = ends.map(|end| end.map(End::of));
        let turned = [3, 4].map(|k| match self.desc.kind {
            JointKind::Gear { .. } | JointKind::RackAndPinion { .. } if k == 3 => {
                let place = JointPose::new(self.desc.kind, &self.desc.frames, &ends);
                if self.desc.enabled { self.rolled(&place) } else { 0.0 }
            }
            _ if self.counts(k) => {
                let (position, velocity) = self.motion(&ends)(k);
                unwound(position, self.turned[k - 3] + dt * velocity)
            }
            _ => 0.0,
        });
        // Turns outlive what is broken now and is mended by the next step.
        let is_sound = |k: usize| narrow(turned[k]).is_finite();
        let sound = |k: usize| if is_sound(k) { turned[k] } else { self.turned[k] };
        (self.ends, self.turned) = (ends, [sound(0), sound(1)]);
    }

    /// Position and velocity of any axis at these ends, turns counted from where it was.
    pub(super) fn motion(&self, ends: &[Option<End>; 2]) -> impl Fn(usize) -> (Double, Double) {
        let place = JointPose::new(self.desc.kind, &self.desc.frames, ends);
        let velocity = ends.map(|end| end.map_or([0.0; 6], |end| end.velocity));
        move |k| (self.position_at(&place, k), rate(&place.gradient(k), &velocity))
    }
}
