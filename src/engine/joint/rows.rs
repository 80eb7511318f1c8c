//! The rows of a joint in a step.
//!
//! Input: a joint, where it is, how its ends move. Output: rows for the
//! [step problem](super::super::assemble), each with the slot that names it from step to step. With
//! position `x`, `w = νᵀ v`, step h:
//!
//! ```text
//! lock      w + γ Θ/h + β/h = 0                 as in (4.14), β of anchors kept in place
//! limit     w + gap/h ≥ 0   apart,  w + γ gap/h ≥ 0, not faster than v_push, beyond it; c ≥ 0
//! motor     c = -h (k (x - x* + h (w - w₋)/4) + d ((w + w₋)/2 - w*)),   |c| ≤ F h
//! friction  w = 0,   |c| ≤ F h
//! ```
//!
//! Locks and limits may have a bound `F h`, too: they yield to a larger force.
//!
//! Rows know straight lines only, but anchors go round the centers of their bodies. `β` is how far they part
//! by that in a step, if the bodies turn as they did:
//!
//! ```text
//! β = (exp(h ω_b) - 1 - h ω_b×) r_b - (exp(h ω_a) - 1 - h ω_a×) r_a
//! ```
//!
//! With it joint errors are of third order in h. Without it `Θ` has to bring it in a step later, which is the
//! same in a steady turn but for an error of `½ h² ω² r` that stays. In loops, whose rows almost repeat each
//! other, `β` is left out: it is not known of angular rows, and what would fit together no longer would.
//!
//! Velocities are those of the middle of a step: `h w` is what `x` moves by in this one and `h w₋` what it
//! moved by in the last. So a spring has the mean of the places `(x₋ + 2 x + x⁺)/4` and a damper the
//! velocity between both, as of the time of `x`: second order in h, and without damping no energy is lost,
//! `m w²/2 + k x̄²/2` with `x̄ = (x + x₋)/2`. Where a step cannot tell the oscillation, with `h² k W > 1`
//! for `W = ν M⁻¹ νᵀ`, or the decay, both pass over to the force of the end of the step, implicit Euler:
//! stable and damped, however stiff. A motor without stiffness and with infinite damping is the hard row
//! `w = w*`. Limits are there when they are within reach in this step, like contacts; their push is not
//! carried. At most one row a slot; O(rows).

use super::super::body::Body;
use super::super::lcp::rows::{dot6, inverse_mass_mul};
use super::super::lcp::{BodyBlock, Vec6};
use super::super::settings::Settings;
use super::axes::{End, Place, Sides, rate, unwound};
use super::{AxisLimit, Joint, JointKind, Motor};
use crate::math::{DVec3, Double, Real, exp_double, sin_cos_double, widen};

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
    /// How far it is from where it should be [m or rad].
    pub(crate) error: Double,
}

/// First slot of upper limits, motors and friction; that of the swing cone. Locks and lower limits are first.
const UPPER: usize = 6;
const MOTOR: usize = 12;
const FRICTION: usize = 18;
const CONE: usize = 24;
/// Number of slots.
pub(crate) const SLOTS: usize = 25;

/// Joint bias that stays in the carried velocity (m/s). Within it the bias carries the curvature, and a
/// pendulum keeps its energy; more of it would whip a long chain up, less would slow it down.
const CARRIED_MAX: Double = 1.0;
/// Angular limits within this angle have a row (rad).
const ANGLE_MARGIN: Double = 0.02;

/// What the rows of a joint are made from.
#[derive(Debug)]
pub(crate) struct Maker<'a> {
    /// The joint.
    pub(crate) joint: &'a Joint,
    /// Its bodies.
    pub(crate) ends: [Option<&'a Body>; 2],
    /// Free velocities of its ends.
    pub(crate) free: [Vec6; 2],
    /// Velocities of its ends before the step.
    pub(crate) last: [Vec6; 2],
    /// Part of their turns that is expected to go on (–).
    pub(crate) lasting: [Double; 2],
    /// Mass blocks of its bodies, of those that move.
    pub(crate) blocks: [Option<&'a BodyBlock>; 2],
    /// The force along an axis and the torque about one that its island bears [N, N·m]; may be infinite.
    pub(crate) strength: [Double; 2],
    /// Settings.
    pub(crate) settings: &'a Settings,
    /// Step (s).
    pub(crate) dt: Real,
}

impl Maker<'_> {
    /// Where the joint is.
    pub(crate) fn place(&self) -> Place {
        let ends = self.ends.map(|end| end.map(End::of));
        let mut place = Place::new(self.joint.desc.kind, &self.joint.desc.frames, &ends);
        let dt = widen(self.dt);
        let [a, b] = [0, 1].map(|k| {
            let [_, _, _, x, y, z] = self.last[k];
            // What is kept away from anchor a turns with it.
            let arm = if k == 0 { place.arms[0] + place.apart } else { place.arms[1] };
            bent(DVec3::new(x, y, z) * (self.lasting[k] * dt), arm)
        });
        place.bend = b - a;
        place
    }

    /// All rows, locks first.
    pub(crate) fn make(&self, place: &Place, rows: &mut Vec<Row>) {
        rows.clear();
        let desc = &self.joint.desc;
        let locked = desc.locked();
        if locked != 0 {
            // Positions keep up with the curvature of the motion, however fast; beyond that a joint far apart
            // is drawn together at v_push.
            let contact = &self.settings.contact;
            let cap = widen(contact.push_speed_max) + widen(self.dt) * self.curvature(place);
            let locks = (0..6).filter(|k| locked & 1 << k != 0);
            rows.extend(locks.map(|k| self.lock(place, k, cap)));
        }
        for k in (0..6).filter(|k| locked & 1 << k == 0) {
            let (min, max) = match (desc.kind, desc.limits[k]) {
                // Nothing is nearer than nothing.
                (JointKind::Distance { min, max }, _) if k == 0 && min > 0.0 => (min, max),
                (JointKind::Distance { max, .. }, _) if k == 0 => (Real::NEG_INFINITY, max),
                (_, Some(AxisLimit { min, max })) => (min, max),
                _ => continue,
            };
            let (at, sides) = (self.position(place, k), place.gradient(k));
            self.limit(k, at - widen(min), sides, rows);
            self.limit(UPPER + k, widen(max) - at, opposite(sides), rows);
        }
        if let Some(cone) = desc.swing {
            let (angle, sides) = place.swing();
            self.limit(CONE, widen(cone) - angle, opposite(sides), rows);
        }
        for k in 0..6 {
            if let Some(motor) = &desc.motors[k] {
                rows.extend(self.motor(place, k, motor));
            }
        }
        for k in 0..6 {
            let bound = widen(desc.friction[k]) * widen(self.dt);
            if bound > 0.0 {
                let (sides, bounds) = (self.rate(place, k), [-bound, bound]);
                rows.push(Row { bounds, ..row(FRICTION + k, sides) });
            }
        }
        for row in rows {
            self.yield_at_most(row);
        }
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

    /// Position of an axis with its turns counted.
    fn position(&self, place: &Place, k: usize) -> Double {
        self.joint.counted(k, place.position(k))
    }

    /// The row of a locked axis, with the largest speed at which it is drawn together [m/s].
    fn lock(&self, place: &Place, k: usize, cap: Double) -> Row {
        let desc = &self.joint.desc;
        let mut bend = 0.0;
        let (error, sides) = match (desc.kind, k) {
            (JointKind::Distance { min, .. }, _) => {
                (place.position(0) - widen(min), place.gradient(0))
            }
            (kind, 0..3) if kind.locked() & 0b111 == 0b111 => {
                let axis = [DVec3::X, DVec3::Y, DVec3::Z][k];
                bend = place.bend.dot(axis);
                (place.apart.dot(axis), place.along_world(axis))
            }
            (kind, 3..) if kind.locked() & 0b11_1000 == 0b11_1000 => {
                place.turn_from(DVec3::ZERO, k)
            }
            _ => {
                let target = desc.limits[k].map_or(0.0, |limit| widen(limit.min));
                if k < 3 && desc.locked() & 0b111 == 0b111 {
                    bend = place.bend.dot(place.axes[0][k]);
                }
                (self.position(place, k) - target, place.gradient(k))
            }
        };
        let dt = widen(self.dt);
        let contact = &self.settings.contact;
        let full = widen(contact.gamma) * error / dt;
        let bias = full.clamp(-cap, cap) + bend / dt;
        let kept = if contact.relax { CARRIED_MAX } else { Double::INFINITY };
        let push = bias - bias.clamp(-kept, kept);
        Row { bias, push, error: error.abs(), ..row(k, sides) }
    }

    /// The row of a limit at a gap [m or rad], if it is within reach.
    fn limit(&self, slot: usize, gap: Double, sides: Sides, rows: &mut Vec<Row>) {
        let dt = widen(self.dt);
        let contact = &self.settings.contact;
        let margin =
            if slot % 6 < 3 && slot != CONE { widen(contact.margin) } else { ANGLE_MARGIN };
        let speed = |v: &[Vec6; 2]| -> Double {
            let all = sides.iter().flatten().zip(v.iter().flatten());
            all.map(|(x, v)| (x * v).abs()).sum()
        };
        // A NaN has no row.
        let within = gap <= margin + 2.0 * dt * speed(&self.free).max(speed(&self.last));
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
        rows.push(Row { bias, push, bounds, error: (-gap).max(0.0), ..row(slot, sides) });
    }

    /// The row of a motor, unless it does nothing.
    fn motor(&self, place: &Place, k: usize, motor: &Motor) -> Option<Row> {
        let dt = widen(self.dt);
        let [stiffness, damping] = [motor.stiffness, motor.damping].map(widen);
        let bound = widen(motor.max_force) * dt;
        if !(damping + dt * stiffness > 0.0 && bound > 0.0) {
            return None;
        }
        let target = widen(motor.velocity);
        let bounds = [-bound, bound];
        if damping.is_infinite() {
            return Some(Row { bias: -target, bounds, ..row(MOTOR + k, self.rate(place, k)) });
        }
        let (error, sides) = if stiffness == 0.0 {
            (0.0, self.rate(place, k))
        } else if k >= 3 && self.is_ball() {
            let targets = [3, 4, 5]
                .map(|k| self.joint.desc.motors[k].map_or(0.0, |motor| widen(motor.position)));
            place.turn_from(DVec3::from_array(targets), k)
        } else {
            (self.position(place, k) - widen(motor.position), place.gradient(k))
        };
        let compliance = self.compliance(&sides);
        let [spring, later] = spring_weights(dt * dt * stiffness * compliance);
        let end = damper_weight(dt * damping * compliance);
        // The force is -(k x + now w - before w₋ - d w*).
        let now = dt * stiffness * (spring + later) + damping * end;
        let before = dt * stiffness * spring - damping * (1.0 - end);
        let bias = (stiffness * error - before * rate(&sides, &self.last) - damping * target) / now;
        Some(Row { bias, softness: 1.0 / (dt * now), bounds, ..row(MOTOR + k, sides) })
    }

    /// `ν M⁻¹ νᵀ` of both ends alone.
    fn compliance(&self, sides: &Sides) -> Double {
        let ends = sides.iter().zip(&self.blocks);
        ends.filter_map(|(side, block)| Some(dot6(side, &inverse_mass_mul((*block)?, side)))).sum()
    }

    /// Rows of the speed that a motor or friction acts on: where several angles are free, that about an axis
    /// of frame a.
    fn rate(&self, place: &Place, k: usize) -> Sides {
        let swings = self.joint.desc.kind != JointKind::Universal && k >= 4;
        if swings || (k == 3 && self.is_ball()) { place.spin(k) } else { place.gradient(k) }
    }

    /// May it turn about every axis?
    fn is_ball(&self) -> bool {
        let desc = &self.joint.desc;
        let kinds = [JointKind::Spherical, JointKind::Generic];
        kinds.contains(&desc.kind) && desc.locked() & 0b11_1000 == 0
    }

    /// Acceleration of the anchors that rows along straight lines do not know (m/s²): centripetal, and
    /// Coriolis' along an axis that turns.
    fn curvature(&self, place: &Place) -> Double {
        let slides = self.joint.desc.kind.locked() & 0b111 != 0b111;
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

/// Turns of `1 / √WILD` radians a step and more are hardly expected to go on: links that whip stop as
/// suddenly.
const WILD: Double = 10.0;

/// `(exp(θ) - 1 - θ×) r` of a rotation vector, less where it is large.
fn bent(theta: DVec3, r: DVec3) -> DVec3 {
    let t = theta.length_squared();
    let (first, second) = if t < 1.0 {
        // The series of sin θ / θ - 1 and (1 - cos θ) / θ².
        let first = -t / 6.0 * (1.0 - t / 20.0 * (1.0 - t / 42.0 * (1.0 - t / 72.0)));
        let second = 1.0 - t / 12.0 * (1.0 - t / 30.0 * (1.0 - t / 56.0 * (1.0 - t / 90.0)));
        (first, 0.5 * second)
    } else {
        let angle = t.sqrt();
        let (sin, cos) = sin_cos_double(angle);
        (sin / angle - 1.0, (1.0 - cos) / t)
    };
    let turn = theta.cross(r);
    (turn * first + theta.cross(turn) * second) / (1.0 + WILD * t)
}

/// Parts of `h w - h w₋` and of `h w` that a spring is taken later by, for `κ = h² k W`.
///
/// The first alone is the trapezoidal rule for places, of second order and without damping. The second takes
/// its place where a step is more than a radian of the oscillation, `κ > 1`, up to implicit Euler, which
/// brings what is too fast for the step to rest. Any springs together are stable while the first plus half
/// the second is at least 1/4.
fn spring_weights(kappa: Double) -> [Double; 2] {
    let later = if kappa > 1.0 { 1.0 - 1.0 / kappa } else { 0.0 };
    [0.25 * (1.0 - later), later]
}

/// The part of a damper's force that is taken at the end of the step, of velocities that go from `w₋` to `w`:
/// `1/(1 - e^-δ) - 1/δ` for `δ = h d W`, with which a damper alone slows down by `e^-δ`. From 1/2 to 1.
fn damper_weight(delta: Double) -> Double {
    if delta < 0.1 {
        // To within 1e-9; the difference of the two loses digits.
        0.5 + delta / 12.0 - delta * delta * delta / 720.0
    } else {
        1.0 / (1.0 - exp_double(-delta)) - 1.0 / delta
    }
}

/// Is a row of this slot what a joint keeps, a lock or limit?
pub(crate) const fn keeps(slot: usize) -> bool {
    slot < MOTOR || slot == CONE
}

/// A hard row without bounds.
const fn row(slot: usize, sides: Sides) -> Row {
    let bounds = [-Double::INFINITY, Double::INFINITY];
    Row { slot, sides, bias: 0.0, push: 0.0, softness: 0.0, bounds, error: 0.0 }
}

fn opposite(sides: Sides) -> Sides {
    sides.map(|side| side.map(|x| -x))
}

impl Joint {
    /// Are turns about axis k counted?
    fn counts(&self, k: usize) -> bool {
        match self.desc.kind {
            JointKind::Universal => k == 3 || k == 4,
            // With a free swing the twist has a pole, at which turns have no meaning.
            _ => k == 3 && self.desc.locked() & 0b11_0000 == 0b11_0000,
        }
    }

    /// Position of an axis of which `raw` is known, with its turns counted from where it was.
    fn counted(&self, k: usize, raw: Double) -> Double {
        if self.counts(k) { unwound(raw, self.turned[k - 3]) } else { raw }
    }

    /// Takes up where its ends are, and counts turns.
    pub(crate) fn read(&mut self, ends: [Option<&Body>; 2], dt: Double) {
        self.ends = ends.map(|end| end.map(End::of));
        let counts = [self.counts(3), self.counts(4)];
        if counts == [false; 2] {
            self.turned = [0.0; 2];
            return;
        }
        let (position, velocity) = self.raw_motion();
        for (k, turned) in (3..).zip(&mut self.turned) {
            let near = *turned + dt * velocity[k];
            *turned = if counts[k - 3] { unwound(position[k], near) } else { 0.0 };
        }
    }

    /// Positions and velocities of all axes where its ends were read, turns counted.
    pub(super) fn motion(&self) -> ([Double; 6], [Double; 6]) {
        let (mut position, velocity) = self.raw_motion();
        for k in 3..5 {
            if self.counts(k) {
                position[k] = self.turned[k - 3];
            }
        }
        (position, velocity)
    }

    /// The same with angles within half a turn.
    fn raw_motion(&self) -> ([Double; 6], [Double; 6]) {
        let place = Place::new(self.desc.kind, &self.desc.frames, &self.ends);
        place.motion(&self.ends.map(|end| end.map_or([0.0; 6], |end| end.velocity())))
    }
}
