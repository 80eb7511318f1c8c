//! The energy of a bounce: it never exceeds what gravity, forces, joints and what moves by itself gave.
//!
//! Input: unknowns before and after the bounce. Output: a part of the way between them. With the velocity
//! `v_0` before the step, free velocity `v*`, the velocity `v_b` that moves the bodies, velocity and
//! impulses `v`, `l` (contacts), `c` (joints) that are to be carried, the *excess* is
//!
//! ```text
//! X = T(v) - T(v_0) - F · h v_b - Σ c ν · (v_0 + v)/2 + Σ l · drift,       F h = M (v* - v_0)
//! ```
//!
//! the kinetic energy beside the work of forces over the displacement that is made, of joints, and of
//! kinematic bodies and belts; without those `X` is the change of the total energy. Where `v_b = v*` a body
//! flies freely, on the way `h (v_0 + v*)/2`. Torques do the work of
//! the free rotation, `T(ω*) - T(ω_0)`. `X` is convex and quadratic on the way from the compression to the
//! end of the bounce; where it would end above zero the way is cut short, which keeps every contact
//! feasible, and `l` in its cone, since both are convex. O(bodies + contacts).

use super::BounceScratch;
use crate::engine::lcp::rows::{dot3, dot6, joint_rate, mass_mul};
use crate::engine::lcp::{BodyBlock, RollingRow, Vec6};
use crate::engine::step::assemble::Unknowns;
use crate::engine::step::predict::spin::{Rotor, is_round};
use crate::engine::step::solve::common::{Anchorage, Common, kinetic};
use crate::engine::step::solve::island::Island;
use crate::engine::step::solve::midpoint::member::Member;
use crate::math::{DVec3, Double, fill_from, widen3};

impl BounceScratch {
    /// Shortens the way from the base to the relaxed unknowns to where no energy is gained.
    pub(super) fn guard(&mut self, island: &mut Island<'_, '_>) {
        let end = &mut self.end;
        end.take(&island.step.relaxed);
        let first = self.excess(island, &self.base);
        let last = self.excess(island, &self.end);
        // What the compression itself errs by is not for the bounce to repair.
        let (room, rise) = (first.min(0.0).abs(), last - first);
        if rise <= room {
            return;
        }
        island.step.relaxed.mix(&self.base, &self.end, 0.5);
        self.half.take(&island.step.relaxed);
        let half = self.excess(island, &self.half);
        let square = 2.0 * (first + last - 2.0 * half);
        let part = root(square, rise - square, room);
        island.step.relaxed.mix(&self.base, &self.end, part);
    }

    /// Slows an island that has more energy than it was given, at the pose of the end, about its common
    /// motion. `plain`: the blocks of the start, without what pushes turn bodies by, which no force gives.
    /// Did it change any velocity?
    pub(in crate::engine::step::solve) fn slow(
        &mut self,
        island: &mut Island<'_, '_>,
        members: &[Member],
        plain: &[BodyBlock],
    ) -> bool {
        fill_from(&mut self.free, plain.iter().map(|body| body.velocity_free));
        self.half.take(&island.step.relaxed);
        let excess = self.excess(island, &self.half);
        if excess <= 0.0 {
            return false;
        }
        let isolated = island.is_isolated();
        let anchorage = if isolated { Anchorage::Nothing } else { Anchorage::Anything };
        let step = &mut *island.step;
        let common = Common::of(step, members, anchorage);
        let all = kinetic(step.bodies, step.relaxed.velocity.iter());
        let factor = (1.0 - excess / (all - common.energy)).max(0.0).sqrt();
        factor.is_finite() && common.scale(step, members, factor) > 0.0
    }

    /// `X` of unknowns (J).
    pub(super) fn excess(&self, island: &Island<'_, '_>, at: &Unknowns) -> Double {
        let (step, tolerance) = (&*island.step, island.settings.solver.tolerance);
        let (before, moved) = (step.velocity_last, &*step.biased.velocity);
        let mut sum = 0.0;
        for (i, body) in step.bodies.iter().enumerate() {
            let (start, end, free) = (&before[i], &at.velocity[i], &self.free[i]);
            let flies = (0..3).all(|k| (moved[i][k] - free[k]).abs() <= tolerance);
            for k in 0..3 {
                let force = free[k] - start[k];
                let kinetic = 0.5 * (end[k] * end[k] - start[k] * start[k]);
                let way = if flies { 0.5 * (start[k] + free[k]) } else { moved[i][k] };
                sum += body.mass[k] * (kinetic - force * way);
            }
            sum += spin_energy(body, end)
                - spin_given(island, i).unwrap_or_else(|| spin_energy(body, free));
        }
        for m in &*step.manifolds {
            for lane in 0..m.count as usize {
                let drift = [m.drift[0][lane], m.drift[1][lane], m.drift[2][lane]];
                sum += dot3(&at.contact_impulse[m.first as usize + lane], &drift);
            }
        }
        for (row, impulse) in step.joints.iter().zip(&at.joint_impulse) {
            let rate = joint_rate(row, before) + joint_rate(row, &at.velocity);
            sum -= 0.5 * impulse * rate;
        }
        for (row, impulse) in step.rolling.iter().zip(&at.rolling_impulse) {
            sum += rolling_drift(row, impulse);
        }
        sum
    }
}

/// Energy that the rotation of member `i` has in free motion (J), if the problem is posed where it does not
/// turn by itself: the angular momentum that it keeps is not that energy there.
fn spin_given(island: &Island<'_, '_>, i: usize) -> Option<Double> {
    let (step, sources) = (&*island.step, island.sources);
    let at = step.members[i] as usize;
    let (body, motion) = (&sources.bodies[at], &sources.motions[at]);
    let plain = body.locked_axes.locks_rotation() || is_round(body.inertia());
    if plain || !*step.at_end || !step.joints.is_empty() {
        return None;
    }
    let v = &step.velocity_last[i];
    let spin = DVec3::new(v[3], v[4], v[5]);
    let [middle, end] = motion.momentum.map(widen3);
    let work = (end - middle).dot(widen3(motion.angular)) * 2.0;
    Some(0.5 * spin.dot(Rotor::new(body).momentum(spin)) + work)
}

/// Energy of rotation (J).
fn spin_energy(body: &BodyBlock, velocity: &Vec6) -> Double {
    let spin = [0.0, 0.0, 0.0, velocity[3], velocity[4], velocity[5]];
    0.5 * dot6(&spin, &mass_mul(body, &spin))
}

/// Impulse of a rolling row times what turns by itself in it.
fn rolling_drift(row: &RollingRow, impulse: &[Double; 3]) -> Double {
    dot3(impulse, &row.bias)
}

/// Largest `t` from 0 to 1 with `a t² + b t ≤ room`, for `a + b > room ≥ 0`.
fn root(a: Double, b: Double, room: Double) -> Double {
    let size = (b * b + 4.0 * a * room).max(0.0).sqrt();
    let t = if b > 0.0 { 2.0 * room / (b + size) } else { (size - b) / (2.0 * a) };
    // Not a number, or not convex: nothing is given back.
    if t.is_finite() && a >= 0.0 { t.clamp(0.0, 1.0) } else { 0.0 }
}
