//! The sweep over contacts: one kernel for a point, for any number of lanes.
//!
//! Input: velocities and impulses. Output: both, corrected contact by contact, always with the newest
//! velocity:
//!
//! ```text
//! normal    l_n ← max(0, (1 - s) l_n - (w_n + b) / W_nn)
//! friction  l_t ← nearest point of the disc μ l_n to  l_t - w_t' / λ_max(W_tt)
//! ```
//!
//! where the softness `s` is that of the biased sweep of a substep for contacts that are not apart, less by
//! as much as the push is less than the overlap asks for, else zero, and `w_t'` is the tangential velocity
//! after the normal impulse has changed, `w_t + c Δl_n`. The push of a step, in the sums of the biased sweeps
//! until those begin, is normal alone. Friction is a vector across the normal and needs no
//! tangents. It is each contact's own: beside the normal impulse, with which it shares the velocity and what
//! that changes, it takes about 40 of 150 operations. One point of friction for four contacts would take as
//! much as it saves, for fewer contacts more, and be less exact.
//!
//! Lanes never mix: eight of them give the same bits as one. Plain loops over lanes, which compilers turn
//! into vector operations; no fused operations and no approximate roots, so that every target gives the
//! same bits. Cost: about 150 operations a contact.

use super::batch::{Batch, Drift, PointLanes, lane_mass};
use super::lanes::{
    Abreast, LaneSides, Mass, Row3, SweptBody, add, at, cross, dot, gather, put, scale, scatter,
    sub, symmetric,
};
use crate::engine::lcp::manifold::LANES as POINTS;
use crate::engine::tuning::lanes::LOADED;
use crate::math::Single;

/// Which sweep it is.
pub(super) mod mode {
    /// On one problem with given biases.
    pub(in crate::engine) const PLAIN: u8 = 0;
    /// The first of a substep: gaps are brought up to date, overlap is pushed.
    pub(in crate::engine) const BIASED: u8 = 1;
    /// The second of a substep: without push.
    pub(in crate::engine) const RELAXED: u8 = 2;
    /// Before the first substep: on the push of the step alone, from rest.
    pub(in crate::engine) const PUSH: u8 = 3;
}

/// What gaps turn into.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rates {
    /// Length of a substep (s), and its inverse.
    pub(super) dt: Single,
    pub(super) inverse_dt: Single,
    /// Substeps that have ended.
    pub(super) done: Single,
    /// Part of what is to be taken back by now that a second takes back [1/s].
    pub(super) push: Single,
    /// Largest speed of the push of a step, and of what catches up with it [m/s].
    pub(super) push_max: Single,
    /// Overlap that is left alone (m).
    pub(super) dead_zone: Single,
    /// γ: part of the overlap beyond that at the start of the step which the step takes back [-].
    pub(super) gamma: Single,
    /// Part of the step that is left after this substep [-].
    pub(super) ahead: Single,
    /// One over the step [1/s].
    pub(super) along: Single,
    /// One over the step where the push is carried on [1/s], else zero.
    pub(super) carried: Single,
    /// Part of an impulse that the biased sweep drops [-].
    pub(super) softness: Single,
}

#[inline(always)]
fn above_zero(x: Single) -> Single {
    if x > 0.0 { x } else { 0.0 }
}

/// Relative velocity of both bodies at a point of lane `l`.
#[inline(always)]
fn relative<const L: usize>(sides: &LaneSides<L>, point: &PointLanes<L>, l: usize) -> [Single; 3] {
    let [a, b] = sides;
    let turn_a = cross([a[3][l], a[4][l], a[5][l]], at(&point.arm_a, l));
    let turn_b = cross([b[3][l], b[4][l], b[5][l]], at(&point.arm_b, l));
    let straight = sub([b[0][l], b[1][l], b[2][l]], [a[0][l], a[1][l], a[2][l]]);
    add(straight, sub(turn_b, turn_a))
}

/// Decides at the start of a step how much of each overlap is taken back along the whole of it, at one speed,
/// and what is left. Tells whether there is anything to take back so, and lays the sweeps of the push out.
///
/// The rest of what is to be taken back is wanted from the first substep on: as much as the softness makes
/// under the load, which then stays where it is, and bodies at rest with it. All of it at once would throw
/// bodies of several contacts up, since one sweep does not balance them. By as much as the load lets a row
/// sink more is taken back, of what is left. A push that is carried on has one speed.
pub(super) fn plan<const L: usize>(batches: &mut [Batch<L>], rates: &Rates) -> bool {
    let mut any = false;
    for batch in batches {
        let Batch { points, push_max, .. } = batch;
        for point in &mut points[..batch.count] {
            for l in 0..L {
                let deep = above_zero(-(point.gap[l] + rates.dead_zone));
                let (back, most) = (rates.gamma * deep, push_max[l] / rates.along);
                let back = if back < most { back } else { most };
                let mass = point.normal_mass[l];
                let yields = rates.carried == 0.0 && mass > 0.0;
                let speed = if yields { rates.softness * point.normal[l] / mass } else { 0.0 };
                let sinks = rates.dt * speed;
                point.way[l] = above_zero(back - LOADED * sinks);
                point.rest[l] = rates.dead_zone + above_zero(deep - back - sinks);
                point.bias[l] = rates.inverse_dt * (above_zero(point.gap[l]) - point.way[l]);
                any |= point.way[l] > 0.0;
            }
        }
    }
    any
}

/// Brings the gaps of a point up to date and finds its biases: that of this sweep is returned, that of
/// the relaxing one kept. With the part of its impulse that this sweep starts from: softness lets a row yield
/// by `s W l`, and where the push is not as fast as the overlap asks for, it must not use that up, or a heavy
/// load would sink without end.
#[inline(never)]
fn advance<const L: usize, const DRIFTS: bool>(
    sums: &LaneSides<L>,
    normal: &Row3<L>,
    point: &mut PointLanes<L>,
    drift: &Row3<L>,
    push_max: &Abreast<L>,
    rates: &Rates,
) -> [Abreast<L>; 2] {
    let [mut bias, mut kept] = [[0.0; L]; 2];
    for l in 0..L {
        let mut path = relative(sums, point, l);
        if DRIFTS {
            path = add(path, scale(at(drift, l), rates.done));
        }
        let gap = point.gap[l] + rates.dt * dot(at(normal, l), path);
        let apart = if gap > 0.0 { gap * rates.inverse_dt } else { 0.0 };
        let left = point.rest[l] + rates.ahead * point.way[l];
        let wanted = rates.push * (gap + left);
        let wanted = if wanted < 0.0 { wanted } else { 0.0 };
        let most = push_max[l] + rates.along * point.way[l];
        let capped = wanted < -most;
        let push = if capped { -most } else { wanted };
        let part = if capped { push / wanted } else { 1.0 };
        point.bias[l] = if gap > 0.0 { apart } else { 0.0 - rates.carried * point.way[l] };
        bias[l] = apart + push;
        // Rows that are apart are met exactly.
        kept[l] = if apart > 0.0 { 1.0 } else { 1.0 - rates.softness * part };
    }
    [bias, kept]
}

/// Changes the velocities of one side of lane `l` by an impulse at `arm`.
#[inline(always)]
fn push<const L: usize>(
    side: &mut [Abreast<L>; 6],
    mass: Mass,
    arm: [Single; 3],
    impulse: [Single; 3],
    l: usize,
) {
    let inertia = [mass[3], mass[4], mass[5], mass[6], mass[7], mass[8]];
    let turn = symmetric(inertia, cross(arm, impulse));
    for k in 0..3 {
        side[k][l] += mass[k] * impulse[k];
        side[3 + k][l] += turn[k];
    }
}

/// Corrects the push of one contact of every lane, which has no friction.
#[inline(never)]
fn push_point<const L: usize>(
    sides: &mut LaneSides<L>,
    normal: &Row3<L>,
    mass_a: &[Abreast<L>; 9],
    mass_b: &[Abreast<L>; 9],
    point: &mut PointLanes<L>,
) {
    for l in 0..L {
        let n = at(normal, l);
        let along = dot(n, relative(sides, point, l));
        let old = point.total[0][0][l];
        let new = above_zero(old - point.normal_mass[l] * (along + point.bias[l]));
        point.total[0][0][l] = new;
        let impulse = scale(n, new - old);
        let [a, b] = sides;
        push(b, lane_mass(mass_b, l), at(&point.arm_b, l), impulse, l);
        push(a, lane_mass(mass_a, l), at(&point.arm_a, l), scale(impulse, -1.0), l);
    }
}

/// Corrects one contact of every lane. Not inlined: compilers make vector operations of the loop only
/// where they know that the arguments do not overlap.
#[inline(never)]
fn solve_point<const L: usize, const MODE: u8, const DRIFTS: bool>(
    sides: &mut LaneSides<L>,
    normal: &Row3<L>,
    friction: &Abreast<L>,
    mass_a: &[Abreast<L>; 9],
    mass_b: &[Abreast<L>; 9],
    point: &mut PointLanes<L>,
    bias: &Abreast<L>,
    kept: &Abreast<L>,
    drift: &Row3<L>,
    ahead: Single,
) {
    for l in 0..L {
        let n = at(normal, l);
        let mut w = relative(sides, point, l);
        if DRIFTS {
            w = add(w, at(drift, l));
        }
        let along = dot(n, w);
        let old = point.normal[l];
        let kept = if MODE == mode::BIASED { kept[l] * old } else { old };
        let new = kept - point.normal_mass[l] * (along + bias[l]);
        let new = if new > 0.0 { new } else { 0.0 };
        let change = new - old;
        let slip = add(sub(w, scale(n, along)), scale(at(&point.coupling, l), change));
        let held = at(&point.friction, l);
        let t = sub(held, scale(slip, point.tangent_mass[l]));
        let size = dot(t, t);
        let limit = friction[l] * new;
        // The bound keeps the quotient finite where friction is cut to nothing.
        let root = if size > 1e-30 { size } else { 1e-30 }.sqrt();
        let part = if size > limit * limit { limit / root } else { 1.0 };
        let t = scale(t, part);
        let impulse = add(scale(n, change), sub(t, held));
        point.normal[l] = new;
        put(&mut point.friction, l, t);
        if MODE != mode::PLAIN {
            let total = &mut point.total[usize::from(MODE == mode::RELAXED)];
            total[0][l] += new;
            for k in 0..3 {
                total[1 + k][l] += t[k];
            }
        }
        if MODE == mode::RELAXED {
            point.ahead[0][l] += ahead * new;
            for k in 0..3 {
                point.ahead[1 + k][l] += ahead * t[k];
            }
        }
        let [a, b] = sides;
        push(b, lane_mass(mass_b, l), at(&point.arm_b, l), impulse, l);
        push(a, lane_mass(mass_a, l), at(&point.arm_a, l), scale(impulse, -1.0), l);
    }
}

#[inline(always)]
fn sweep_batch<const L: usize, const MODE: u8, const DRIFTS: bool>(
    batch: &mut Batch<L>,
    drift: &Drift<L>,
    bodies: &mut [SweptBody],
    rates: &Rates,
) {
    let Batch { a, b, count, normal, friction, push_max, mass_a, mass_b, points, .. } = batch;
    let points = &mut points[..*count];
    let [mut bias, mut kept] = [[[0.0; L]; POINTS]; 2];
    if MODE == mode::BIASED {
        let sums = gather::<L, true>(bodies, a, b);
        for (k, point) in points.iter_mut().enumerate() {
            [bias[k], kept[k]] =
                advance::<L, DRIFTS>(&sums, normal, point, &drift[k], push_max, rates);
        }
    }
    let mut sides = gather::<L, false>(bodies, a, b);
    for (k, point) in points.iter_mut().enumerate() {
        if MODE == mode::PUSH {
            push_point(&mut sides, normal, mass_a, mass_b, point);
            continue;
        }
        let bias = if MODE == mode::BIASED { bias[k] } else { point.bias };
        solve_point::<L, MODE, DRIFTS>(
            &mut sides,
            normal,
            friction,
            mass_a,
            mass_b,
            point,
            &bias,
            &kept[k],
            &drift[k],
            rates.ahead,
        );
    }
    scatter(bodies, a, b, &sides);
}

/// Sweeps once over all contacts.
pub(super) fn sweep<const L: usize, const MODE: u8>(
    batches: &mut [Batch<L>],
    drifts: &[Drift<L>],
    bodies: &mut [SweptBody],
    rates: &Rates,
) {
    let none = [[[0.0; L]; 3]; POINTS];
    for batch in batches {
        match batch.drift {
            None => sweep_batch::<L, MODE, false>(batch, &none, bodies, rates),
            Some(i) => sweep_batch::<L, MODE, true>(batch, &drifts[i as usize], bodies, rates),
        }
    }
}

/// Adds what the impulses at hand do to the velocities: the warm start.
pub(super) fn apply<const L: usize>(batches: &[Batch<L>], bodies: &mut [SweptBody]) {
    for batch in batches {
        let mut sides = gather::<L, false>(bodies, &batch.a, &batch.b);
        for point in &batch.points[..batch.count] {
            for l in 0..L {
                let normal = scale(at(&batch.normal, l), point.normal[l]);
                let impulse = add(normal, at(&point.friction, l));
                let [a, b] = &mut sides;
                push(b, lane_mass(&batch.mass_b, l), at(&point.arm_b, l), impulse, l);
                let back = scale(impulse, -1.0);
                push(a, lane_mass(&batch.mass_a, l), at(&point.arm_a, l), back, l);
            }
        }
        scatter(bodies, &batch.a, &batch.b, &sides);
    }
}
