//! Integration: velocities out of the solver, poses a step further.
//!
//! Positions move with the biased velocity, `q⁺ = q + h v⁺` (Algorithm 6.5 step 3 with `v^{l+1}`), those
//! of bodies on which nothing acts with the mean velocity of their flight; the rotation by the
//! exponential map of `h ω`. The velocity carried to the next step is that of the relaxed problem:
//! without the push out of overlap.
//!
//! What is carried of rotation is angular momentum: that of a free step, and what the impulses gave,
//! `L⁺ = L* + I (ω - ω*)`, with the inertia `I` of the rotation at which the step problem was posed. The
//! angular velocity is the one that has it after the body has turned, `ω⁺ = I(q⁺)⁻¹ L⁺`, or less where
//! that would take more energy than at the start. Where impulses matter the carried problem is posed at
//! the end already (`solve/ending.rs`).

use super::ccd::stop::Stop;
use super::islands::{Islands, NO_ISLAND, marked};
use super::predict::spin::{Rotor, is_round, unit};
use crate::engine::lcp::Vec6;
use crate::engine::state::bodies::Bodies;
use crate::engine::state::body::{Body, BodyId, BodyKind};
use crate::engine::state::motion::Motion;
use crate::math::{
    Double, Quat, Real, Vec3, narrow, narrow3, quat_conjugate, quat_exp, quat_mul, quat_normalize,
    quat_rotate, widen, widen_quat, widen3,
};

fn split(v: &Vec6) -> (Vec3, Vec3) {
    let [a, b, c, d, e, f] = v.map(narrow);
    (Vec3::new(a, b, c), Vec3::new(d, e, f))
}

/// Takes back the fall of the time for which the body did not live, as far as it falls, and keeps its
/// angular velocity in its own axes: it turned by less than to the rotation for which that was found.
fn shorten(body: &mut Body, motion: &Motion, stop: &Stop, rotation: Quat) {
    let length = motion.fall.length();
    if length > 0.0 {
        let down = motion.fall / length;
        let lost = length * (1.0 - stop.part);
        body.linear_velocity -= down * down.dot(body.linear_velocity).max(0.0).min(lost);
    }
    let turn = quat_mul(stop.rotation, quat_conjugate(rotation));
    body.angular_velocity = quat_rotate(turn, body.angular_velocity);
}

/// The angular velocity of a body at the end of the step, for the one of the step problem [rad/s].
fn carried(body: &Body, motion: &Motion, solved: Vec3, end: Quat) -> Vec3 {
    if body.locked_axes.locks_rotation() || is_round(body.inertia()) {
        return solved;
    }
    let [_, free] = motion.end();
    let rotor = Rotor::new(body);
    let momentum = widen3(motion.momentum[1]) + rotor.momentum(widen3(solved) - widen3(free));
    let there = rotor.with(unit(widen_quat(end))).velocity(momentum);
    // The turn does not give energy.
    let (before, after) = (rotor.velocity(momentum).dot(momentum), there.dot(momentum));
    let pushed = solved != free;
    let part = if pushed && after > before { (before / after).sqrt() } else { 1.0 };
    narrow3(there * part)
}

/// The velocities of body `i` that the solver found, or its free ones.
pub fn solved(i: usize, motions: &[Motion], islands: &Islands, velocity: &[Vec6]) -> (Vec3, Vec3) {
    let island = islands.island[i];
    if island == NO_ISLAND {
        return (motions[i].linear, motions[i].angular);
    }
    split(&velocity[(islands.start[island as usize] + islands.local[i]) as usize])
}

/// The velocities of body `i` that the solver lets it keep, or its free ones at the end of the step.
fn kept(i: usize, motions: &[Motion], islands: &Islands, velocity: &[Vec6]) -> [Vec3; 2] {
    if islands.island[i] == NO_ISLAND {
        return motions[i].end();
    }
    solved(i, motions, islands, velocity).into()
}

/// What a step changes of a body.
pub(in crate::engine) fn state(body: &Body) -> (Vec3, Vec3, Quat, [Vec3; 2]) {
    let (center, remainder) = body.exact_center();
    (center, remainder, body.rotation(), [body.linear_velocity, body.angular_velocity])
}

/// Moves the active bodies, those of `stops` to the poses given there; appends the bodies it had to
/// freeze. Returns the kinetic energy (J).
pub fn integrate(
    bodies: &mut Bodies,
    motions: &[Motion],
    active: &[bool],
    steady: &[bool],
    islands: &Islands,
    biased: &[Vec6],
    relaxed: &[Vec6],
    at_end: &[bool],
    stops: &[Stop],
    dt: Real,
    quarantined: &mut Vec<BodyId>,
) -> Double {
    let mut energy = 0.0;
    let mut stops = stops.iter().peekable();
    for i in marked(active) {
        let body = &mut bodies.as_mut_slice()[i];
        if steady.get(islands.island[i] as usize) == Some(&true) {
            // This body moves as little as it did in the last step.
            energy += widen(body.kinetic_energy());
            continue;
        }
        // Of bodies that became static since, too.
        let stop = stops.next_if(|stop| stop.body as usize == i);
        if body.kind() == BodyKind::Static {
            continue;
        }
        let before = state(body);
        let move_by = solved(i, motions, islands, biased);
        let mut way = move_by.0 * dt;
        let mut rotation = quat_normalize(quat_mul(quat_exp(move_by.1 * dt), body.rotation()));
        if motions[i].moves {
            let [linear, angular] = kept(i, motions, islands, relaxed);
            let is_final = at_end.get(islands.island[i] as usize) == Some(&true);
            body.angular_velocity =
                if is_final { angular } else { carried(body, &motions[i], angular, rotation) };
            body.linear_velocity = linear;
        }
        if let Some(stop) = stop {
            if stop.part < 1.0 || stop.rotation != rotation {
                shorten(body, &motions[i], stop, rotation);
            }
            (way, rotation) = (stop.center - body.center(), stop.rotation);
        }
        if motions[i].moves || body.kind() == BodyKind::Kinematic {
            body.advance(way, rotation);
        }
        if body.quarantine_if_broken() {
            quarantined.push(body.id());
        }
        energy += widen(body.kinetic_energy());
        if state(body) != before {
            bodies.mark_changed(i);
        }
    }
    energy
}
