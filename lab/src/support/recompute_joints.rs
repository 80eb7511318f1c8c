//! What a step's report tells of jointed balls, recomputed from poses, velocities and impulses alone.
//!
//! Of balls on ball joints, which turn little in a step, and touch nothing but a fixed floor without a dead
//! zone: arms of contacts and inertias are then numbers, and rows of joints lie along the world's axes. With
//! half impulses `λ`, whole ones `l`, poses `q`, the velocities `u = (q⁺ - q)/h` that moved the bodies and
//! `v⁺` that they carry, what is left over is, by the midpoint rule
//!
//! ```text
//! joints   Θ(q⁺) / h                                      J(q⁺) v⁺
//! motion   u - v - h g/2 - M⁻¹ J̄ᵀ λ                       v⁺ - v - h g - M⁻¹ (J̄ᵀ 2λ + J(q⁺)ᵀ (l - 2λ))
//! ```
//!
//! and in small steps, whose rows are those of the start,
//!
//! ```text
//! joints   J(q) u + Θ(q) / h                              J(q) v⁺
//! motion   u - v - h g - M⁻¹ J(q)ᵀ 2λ                     v⁺ - v - h g - M⁻¹ J(q)ᵀ l
//! ```

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyId};
use orthant::engine::joint::JointId;
use orthant::engine::settings::Settings;
use orthant::math::{
    DVec3, Double, narrow3, quat_conjugate, quat_log, quat_mul, quat_rotate, widen, widen3,
};

use super::body;
use super::recompute::nearest;

/// Balls, and the ball joints between them: indices of the ends, none for the world, and anchors.
#[derive(Clone, Debug, Default)]
pub struct Balls {
    pub ids: Vec<BodyId>,
    pub radius: Double,
    pub joints: Vec<(JointId, [Option<usize>; 2], [DVec3; 2])>,
}

/// Residuals: of contacts, of joints, of the equation of motion [m/s, rad/s].
pub type Residuals = [Double; 3];

/// How a step was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Midpoint,
    SmallSteps,
}

/// A ball as it was or is.
#[derive(Clone, Copy, Debug)]
struct State {
    center: DVec3,
    linear: DVec3,
    angular: DVec3,
}

/// A ball through a step.
struct Part {
    mass: Double,
    inertia: Double,
    before: State,
    after: State,
    /// What moved it.
    moved: [DVec3; 2],
    /// Half and whole impulses on it: linear and angular.
    half: [DVec3; 2],
    whole: [DVec3; 2],
}

fn state(body: &Body) -> State {
    let [center, linear, angular] =
        [body.center(), body.linear_velocity, body.angular_velocity].map(widen3);
    State { center, linear, angular }
}

impl Balls {
    /// Anchor of an end: from the center of its ball, in the world.
    fn arm(&self, world: &Simulation, end: Option<usize>, anchor: DVec3) -> DVec3 {
        let turned = |i: usize| {
            let rotation = body(world, self.ids[i]).rotation();
            widen3(quat_rotate(rotation, narrow3(anchor)))
        };
        end.map_or(anchor, turned)
    }

    /// From the anchor of the first end of each joint to that of the second (m).
    fn apart(&self, world: &Simulation) -> Vec<DVec3> {
        let place = |end: Option<usize>, anchor| {
            let center = end.map_or(DVec3::ZERO, |i| widen3(body(world, self.ids[i]).center()));
            center + self.arm(world, end, anchor)
        };
        let of = |(_, ends, anchors): &(_, [Option<usize>; 2], [DVec3; 2])| {
            place(ends[1], anchors[1]) - place(ends[0], anchors[0])
        };
        self.joints.iter().map(of).collect()
    }

    /// Largest turn of a ball in a step (rad).
    pub fn turn(&self, world: &Simulation, dt: Double) -> Double {
        let speed = |id: &BodyId| widen(body(world, *id).angular_velocity.length());
        dt * self.ids.iter().map(speed).fold(0.0, Double::max)
    }

    /// Largest distance of the anchors of a joint (m).
    pub fn parted(&self, world: &Simulation) -> Double {
        self.apart(world).into_iter().map(DVec3::length).fold(0.0, Double::max)
    }

    /// Residuals of what moved the balls and of what they carry, of a step made in one part.
    pub fn find(
        &self,
        [before, after]: [&Simulation; 2],
        settings: &Settings,
        rule: Rule,
    ) -> [Residuals; 2] {
        let h = widen(after.report().dt);
        let mut parts = self.parts([before, after], h);
        let small = rule == Rule::SmallSteps;
        let mut found: [Residuals; 2] = Default::default();
        let [from, to] = [before, after].map(|world| self.apart(world));
        for (k, (id, ends, anchors)) in self.joints.iter().enumerate() {
            let joint = after.joint(*id).expect("the joint is there");
            let [half, whole] = joint.impulses().map(|l| DVec3::new(l[0], l[1], l[2]));
            let (mut rates, sides) = ([DVec3::ZERO; 2], [-1.0, 1.0]);
            for (side, sign) in sides.into_iter().enumerate() {
                let Some(i) = ends[side] else { continue };
                let arms = [before, after].map(|world| self.arm(world, ends[side], anchors[side]));
                let (way, end) = match rule {
                    Rule::Midpoint => ((arms[0] + arms[1]) * 0.5, arms[1]),
                    Rule::SmallSteps => (arms[0], arms[0]),
                };
                let part = &mut parts[i];
                part.half[0] += half * sign;
                part.half[1] += way.cross(half) * sign;
                part.whole[0] += whole * sign;
                let torque = way.cross(half * 2.0) + end.cross(whole - half * 2.0);
                part.whole[1] += torque * sign;
                let [u, turn] = part.moved;
                rates[0] += (u + turn.cross(way)) * sign;
                rates[1] += (part.after.linear + part.after.angular.cross(end)) * sign;
            }
            let moved = if small { rates[0] + from[k] / h } else { to[k] / h };
            for (found, rate) in found.iter_mut().zip([moved, rates[1]]) {
                found[1] = found[1].max(rate.abs().max_element());
            }
        }
        self.touch(after, &mut parts, settings, small, &mut found);
        let fall = widen3(settings.gravity) * h;
        for part in &parts {
            let part_of_fall = if small { fall } else { fall * 0.5 };
            let times = if small { 2.0 } else { 1.0 };
            let begin = [part.before.linear, part.before.angular];
            let now = [part.moved, [part.after.linear, part.after.angular]];
            let falls = [part_of_fall, fall];
            let pushes = [part.half.map(|l| l * times), part.whole];
            for of in 0..2 {
                let [force, torque] = pushes[of];
                let straight = now[of][0] - begin[0] - falls[of] - force / part.mass;
                let turn = now[of][1] - begin[1] - torque / part.inertia;
                // What moves by the midpoint rule is told at the radius of gyration.
                let at = if small || of == 1 { 1.0 } else { (part.inertia / part.mass).sqrt() };
                let miss = straight.abs().max_element().max(at * turn.abs().max_element());
                found[of][2] = found[of][2].max(miss);
            }
        }
        found
    }

    fn parts(&self, [before, after]: [&Simulation; 2], h: Double) -> Vec<Part> {
        let part = |&id: &BodyId| {
            let [old, new] = [before, after].map(|world| body(world, id));
            let mass = widen(new.mass());
            let turn = quat_log(quat_mul(new.rotation(), quat_conjugate(old.rotation())));
            let (before, after) = (state(old), state(new));
            Part {
                mass,
                inertia: 0.4 * mass * self.radius * self.radius,
                before,
                after,
                moved: [(after.center - before.center) / h, widen3(turn) / h],
                half: [DVec3::ZERO; 2],
                whole: [DVec3::ZERO; 2],
            }
        };
        self.ids.iter().map(part).collect()
    }

    /// Adds the impulses of the floor, and finds its natural maps.
    fn touch(
        &self,
        world: &Simulation,
        parts: &mut [Part],
        settings: &Settings,
        small: bool,
        found: &mut [Residuals; 2],
    ) {
        let h = widen(world.report().dt);
        for pair in world.pairs() {
            let which = self.ids.iter().position(|id| [pair.key.a, pair.key.b].contains(id));
            let Some(i) = which.filter(|_| !pair.contacts.is_empty()) else { continue };
            let (side, sign) = if pair.key.b == self.ids[i] { (1, 1.0) } else { (0, -1.0) };
            let mu = widen(settings.contact.friction.unwrap_or(pair.friction));
            for contact in &pair.contacts {
                let (n, arm) = (widen3(contact.normal).normalize(), widen3(contact.arms[side]));
                let [half, whole] = contact.impulse;
                let part = &mut parts[i];
                part.half[0] += half * sign;
                part.half[1] += arm.cross(half) * sign;
                part.whole[0] += whole * sign;
                part.whole[1] += arm.cross(whole) * sign;
                let gap = contact.row_gap;
                let (push, open) = if gap < 0.0 {
                    let back = widen(settings.contact.gamma) * gap / h;
                    (back.max(-widen(settings.contact.push_speed_max)), 0.0)
                } else {
                    (gap / h, gap / h)
                };
                // What is open at the end of a midpoint step asks for nothing.
                let closed = small || half.dot(n) > 0.0;
                let times = if small { 2.0 } else { 1.0 };
                let after = [part.after.linear, part.after.angular];
                let carried = if small { open } else { 0.0 };
                let both = [(part.moved, half * times, push), (after, whole, carried)];
                for (of, ([v, turn], l, bias)) in both.into_iter().enumerate() {
                    if of == 1 && !closed {
                        continue;
                    }
                    let w = (v + turn.cross(arm)) * sign;
                    let slip = (w - n * n.dot(w)).length();
                    let w = w + n * (bias + mu * slip);
                    // A ball's compliance along the normal.
                    let error = (l - nearest(l - w * part.mass, n, mu)).length() / part.mass;
                    found[of][0] = found[of][0].max(error);
                }
            }
        }
    }
}
