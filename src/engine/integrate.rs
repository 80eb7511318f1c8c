//! Integration: velocities out of the solver, poses a step further.
//!
//! Positions move with the biased velocity, `q⁺ = q + h v⁺` (Algorithm 6.5 step 3 with `v^{l+1}`), the
//! rotation by the exponential map of `h ω`. The velocity carried to the next step is that of the
//! relaxed problem: without the push out of overlap.

use super::bodies::Bodies;
use super::body::{Body, BodyId, BodyKind};
use super::graph::{Islands, NO_ISLAND, marked};
use super::lcp::Vec6;
use super::predict::Motion;
use super::rest::Stop;
use crate::math::{
    Double, Quat, Real, Vec3, narrow, quat_conjugate, quat_exp, quat_mul, quat_normalize,
    quat_rotate, widen,
};

fn split(v: &Vec6) -> (Vec3, Vec3) {
    let [a, b, c, d, e, f] = v.map(narrow);
    (Vec3::new(a, b, c), Vec3::new(d, e, f))
}

/// Takes back the fall of the time for which the body did not live, as far as it falls, and keeps its
/// angular velocity in its own axes: it turned by other angles than that velocity says.
fn shorten(body: &mut Body, motion: &Motion, stop: &Stop) {
    let length = motion.fall.length();
    if length > 0.0 {
        let down = motion.fall / length;
        let lost = length * (1.0 - stop.part);
        body.linear_velocity -= down * down.dot(body.linear_velocity).clamp(0.0, lost);
    }
    let turn = quat_mul(stop.rotation, quat_conjugate(body.rotation()));
    body.angular_velocity = quat_rotate(turn, body.angular_velocity);
}

/// The velocities of body `i` that the solver found, or its free ones.
pub fn solved(i: usize, motions: &[Motion], islands: &Islands, velocity: &[Vec6]) -> (Vec3, Vec3) {
    let island = islands.island[i];
    if island == NO_ISLAND {
        return (motions[i].linear, motions[i].angular);
    }
    split(&velocity[(islands.start[island as usize] + islands.local[i]) as usize])
}

/// What a step changes of a body.
pub(super) fn state(body: &Body) -> (Vec3, Quat, [Vec3; 2]) {
    (body.center(), body.rotation(), [body.linear_velocity, body.angular_velocity])
}

/// Moves the active bodies, those of `stops` to the poses given there; appends the bodies it had to freeze.
/// Returns the kinetic energy (J).
pub fn integrate(
    bodies: &mut Bodies,
    motions: &[Motion],
    active: &[bool],
    steady: &[bool],
    islands: &Islands,
    biased: &[Vec6],
    relaxed: &[Vec6],
    stops: &[Stop],
    dt: Real,
    quarantined: &mut Vec<BodyId>,
) -> Double {
    let mut energy = 0.0;
    let mut stops = stops.iter().peekable();
    for i in marked(active) {
        let body = &mut bodies.as_mut_slice()[i];
        if steady.get(islands.island[i] as usize) == Some(&true) {
            // It moves as little as it did in the last step.
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
        if motions[i].moves {
            (body.linear_velocity, body.angular_velocity) = solved(i, motions, islands, relaxed);
        }
        let mut center = body.center() + move_by.0 * dt;
        let mut rotation = quat_normalize(quat_mul(quat_exp(move_by.1 * dt), body.rotation()));
        if let Some(stop) = stop {
            (center, rotation) = (stop.center, stop.rotation);
            if stop.part < 1.0 || move_by.1 != body.angular_velocity {
                shorten(body, &motions[i], stop);
            }
        }
        if motions[i].moves || body.kind() == BodyKind::Kinematic {
            body.advance(center, rotation);
        }
        if body.quarantine_if_broken() {
            quarantined.push(body.id());
        }
        energy += widen(body.kinetic_energy());
        if state(body) != before {
            bodies.note_change(i);
        }
    }
    energy
}
