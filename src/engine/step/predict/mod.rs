//! Free motion: world inertia and the velocity every body would have without constraints.
//!
//! `v* = v + h M⁻¹ k` (right-hand side of (5.1)), with gravity, applied forces and impulses, and damping.
//! A body on which no impulse acts in the step moves by the mean velocity of its free flight instead,
//!
//! ```text
//! x⁺ = x + h v + h²/2 M⁻¹ k,    R⁺ and ω⁺ of a free rotation (`spin.rs`)
//! ```
//!
//! exact under a constant force. [`Integration::Euler`] is the papers' `x⁺ = x + h v*`: `g h t / 2` too far.

use crate::engine::lcp::BodyBlock;
use crate::engine::settings::{Integration, Settings};
use crate::engine::state::body::{Body, BodyKind};
use crate::engine::state::motion::{Course, Motion, vec6};
use crate::engine::step::quasistatic;
use crate::math::{Real, SymMat3, Vec3, narrow3, quat_to_mat3, widen, widen3};

pub mod spin;
#[cfg(test)]
mod tests;

/// A body with the velocities that it has, and no mass.
fn coasting(body: &Body) -> Motion {
    let rotation = quat_to_mat3(body.rotation());
    let offset = body.center_of_mass().length();
    let colliders = body.colliders();
    let radius =
        if colliders.list().is_empty() { 0.0 } else { colliders.bounding_radius() + offset };
    let i = body.inertia();
    let spread =
        if body.moves() { ((i.xx + i.yy + i.zz) / (2.0 * body.mass())).sqrt() } else { 0.0 };
    let radius = if radius.is_finite() { radius.max(spread) } else { spread };
    let inradius = if colliders.list().is_empty() { 0.0 } else { colliders.inradius() };
    Motion {
        moves: body.moves(),
        asleep: body.is_sleeping(),
        rotation,
        inertia: SymMat3::diagonal(Vec3::ONE),
        linear: body.linear_velocity,
        angular: body.angular_velocity,
        radius,
        inradius,
        planar: if body.moves() { body.locked_axes.planes() } else { 0b111 },
        ..Motion::default()
    }
}

/// Free motion of a body over `dt` seconds; consumes the forces applied to it, unless it sleeps.
pub fn predict(body: &mut Body, settings: &Settings, dt: Real) -> Motion {
    if body.is_sleeping() {
        let (linear, angular) = (Vec3::ZERO, Vec3::ZERO);
        return Motion { linear, angular, ..coasting(body) };
    }
    body.aim(dt);
    let (force, torque, impulse, angular_impulse) = body.take_forces();
    let mut motion = coasting(body);
    if !motion.moves {
        if body.kind() != BodyKind::Kinematic {
            (motion.linear, motion.angular) = (Vec3::ZERO, Vec3::ZERO);
        }
        return motion;
    }
    let locked = body.locked_axes;
    let inverse_mass = 1.0 / body.mass();
    (motion.mass, motion.inverse_mass) = (body.mass(), inverse_mass);
    (motion.inertia, motion.inverse_inertia) = lock(body.inertia().rotated(motion.rotation), body);
    if let Some(quasistatic) = settings.mode.as_quasistatic() {
        let weight = settings.gravity * (body.gravity_scale * body.mass());
        let force = weight + force + impulse / dt;
        let wrench = [force, torque + angular_impulse / dt];
        quasistatic::predict(&mut motion, body, quasistatic, wrench, dt);
        return motion;
    }
    let fall = settings.gravity * (body.gravity_scale * dt);
    let gain = locked.filter_translation(fall + force * (dt * inverse_mass));
    motion.linear = locked.filter_translation(body.linear_velocity + impulse * inverse_mass);
    motion.fall = locked.filter_translation(fall);
    motion.lead = [gain * 0.5, motion.inverse_inertia.mul_vec(torque * (0.5 * dt))];
    if locked.locks_rotation() || spin::is_round(body.inertia()) {
        let turn = motion.inverse_inertia.mul_vec(angular_impulse);
        motion.angular = locked.filter_rotation(body.angular_velocity + turn);
    } else {
        let [impulse, kick] = [angular_impulse, torque * dt].map(widen3);
        let free = spin::spin(body, impulse, kick, widen(dt));
        // The mean has the first half of the kick.
        motion.angular = narrow3(free.mean) - motion.lead[1];
        let end = narrow3(free.momentum);
        motion.momentum = [end - torque * (0.5 * dt), end];
    }
    damp(&mut motion, body, dt);
    if settings.solver.integration == Integration::Euler {
        motion.linear += motion.lead[0];
        motion.angular += motion.lead[1];
        motion.lead = [Vec3::ZERO; 2];
    }
    motion
}

/// From the velocities of the start to the mean ones, with damping at the velocity of the end of the
/// step: `(1 + h d) M v' = M v + h k + Jᵀ λ`. The factor is on the mass, so that it acts on impulses as
/// on all else; on the free velocity alone it would let what rests weigh less than it does.
fn damp(motion: &mut Motion, body: &Body, dt: Real) {
    let linear = 1.0 + dt * body.linear_damping.max(0.0);
    motion.mass *= linear;
    motion.inverse_mass /= linear;
    motion.fall /= linear;
    let angular = 1.0 + dt * body.angular_damping.max(0.0);
    motion.inertia = motion.inertia.scaled(angular);
    motion.inverse_inertia = motion.inverse_inertia.scaled(1.0 / angular);
    let [middle, end] = motion.momentum;
    // The momentum of the start is `2 middle - end`.
    motion.momentum = [middle - end * (0.5 - 0.5 / angular), end / angular];
    // Half of all that changes until the end, of which `lead` was half of what forces do.
    let lead = |start: Vec3, lead: Vec3, factor: Real| {
        if factor == 1.0 { lead } else { ((start + lead * 2.0) / factor - start) * 0.5 }
    };
    motion.lead[0] = lead(motion.linear, motion.lead[0], linear);
    motion.lead[1] = lead(motion.angular, motion.lead[1], angular);
    motion.linear += motion.lead[0];
    motion.angular += motion.lead[1];
}

/// Free motion of a body; freezes it if its state is not finite, and is true then.
pub fn predict_or_freeze(body: &mut Body, settings: &Settings, dt: Real) -> (Motion, bool) {
    let broken = body.quarantine_if_broken();
    let motion = predict(body, settings, dt);
    if motion.is_finite() {
        return (motion, broken);
    }
    body.freeze();
    (predict(body, settings, dt), true)
}

/// The axis orthogonal to the plane in which both bodies of a pair move, if there is one.
pub fn planar_axis(a: &Motion, b: &Motion) -> Option<Vec3> {
    common_axis([a.planar, b.planar])
}

/// The axis orthogonal to the plane of two bodies by what [`Motion::planar`] says of them, if there is one.
pub(in crate::engine) fn common_axis([a, b]: [u8; 2]) -> Option<Vec3> {
    match a & b {
        0b001 => Some(Vec3::X),
        0b010 => Some(Vec3::Y),
        0b100 => Some(Vec3::Z),
        _ => None,
    }
}

/// World inertia and its inverse with locked axes of rotation taken out: the free axes keep their
/// block, which is inverted alone.
fn lock(inertia: SymMat3, body: &Body) -> (SymMat3, SymMat3) {
    let locked = [0, 1, 2].map(|axis| body.locked_axes.rotation(axis));
    let mut i = inertia;
    let free = |p: usize, q: usize, x: Real| if locked[p] || locked[q] { 0.0 } else { x };
    (i.xy, i.xz, i.yz) = (free(0, 1, i.xy), free(0, 2, i.xz), free(1, 2, i.yz));
    let diagonal = |p: usize, x: Real| if locked[p] { 1.0 } else { x };
    (i.xx, i.yy, i.zz) = (diagonal(0, i.xx), diagonal(1, i.yy), diagonal(2, i.zz));
    let mut inverse = i.inverse_or_zero();
    let zero = |p: usize, x: Real| if locked[p] { 0.0 } else { x };
    (inverse.xx, inverse.yy, inverse.zz) =
        (zero(0, inverse.xx), zero(1, inverse.yy), zero(2, inverse.zz));
    (i, inverse)
}

/// How far two bodies, the second one's center `between` from the first one's, can come closer within
/// `dt` seconds of free motion (m), at most:
///
/// ```text
/// h |v_s - v_l - ω_l × d| + h r_s |ω_s - ω_l| + h² |ω_l| |v_s - v_l| / 2,    d = x_s - x_l
/// ```
///
/// where `s` is the smaller one: no point of it moves farther as seen from the other, which turns. What
/// is carried along does not come closer, but for the last term, by which a straight way leaves a circle.
pub fn approach([a, b]: [&Course; 2], between: Vec3, dt: Real) -> Real {
    let unbounded = |course: &Course| course.radius == 0.0;
    let (small, large, d) = if unbounded(a) || (b.radius < a.radius && !unbounded(b)) {
        (b, a, between)
    } else {
        (a, b, -between)
    };
    let apart = small.linear - large.linear;
    let slide = (apart - large.angular.cross(d)).length();
    let turn = small.radius * (small.angular - large.angular).length();
    let bend = 0.5 * dt * large.angular.length() * apart.length();
    dt * (slide + turn + bend)
}

/// The block of a moving body in the step problem.
pub fn block(body: &Body, motion: &Motion) -> BodyBlock {
    let locked = body.locked_axes;
    let mass = widen(motion.mass);
    let tensor = |s: SymMat3| [s.xx, s.yy, s.zz, s.xy, s.xz, s.yz].map(widen);
    BodyBlock {
        mass: [0, 1, 2].map(|axis| if locked.translation(axis) { 1.0 } else { mass }),
        inertia: tensor(motion.inertia),
        inverse_mass: [0, 1, 2].map(|axis| if locked.translation(axis) { 0.0 } else { 1.0 / mass }),
        inverse_inertia: tensor(motion.inverse_inertia),
        velocity_free: {
            let [linear, angular] = motion.end();
            vec6(linear, angular)
        },
    }
}
