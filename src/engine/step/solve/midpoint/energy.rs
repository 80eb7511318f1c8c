//! What a part of a step does to the energy of its island.
//!
//! Input: an island at the end of a part, with its velocities there. Output: whether that part is to be
//! made anew. If it is not solved, so much of the impulses as cannot throw its bodies about:
//!
//! ```text
//! v ← v* + s (v - v*)      largest s ≤ 1 with |v| ≤ |v_0| + |f h / m + u|     in the norm of the masses
//! ```
//!
//! At its end the velocities `v⁺` are scaled about the common motion `c` that has their momentum and angular
//! momentum, or about rest where something outside may take those up, until they have the energy `E` that
//! the bodies had and were given; a common motion with more than that turns slower:
//!
//! ```text
//! v⁺ ← c + s (v⁺ - c)      s² = (E - T(c)) / (T(v⁺) - T(c))
//! ```
//!
//! Where locks at rest alone act and nothing is damped, energy is an invariant of the motion like places and
//! momenta, and the velocities are projected on all of them (Hairer, Lubich, Wanner, *Geometric Numerical
//! Integration*, 2006, IV.4); elsewhere what has more is slowed, if nothing could give it that or the part is
//! not solved.
//!
//! O(bodies + contacts).

use super::member::{Member, join, split};
use super::scratch::MidpointScratch;
use crate::engine::lcp::rows::{dot3, dot6, mass_mul};
use crate::engine::lcp::{BodyBlock, JointRow, SolveStats, Vec6};
use crate::engine::settings::{ContactSettings, Settings};
use crate::engine::state::body::LockedAxes;
use crate::engine::state::joint::{Aim, JointKind};
use crate::engine::step::assemble::{IslandStep, IslandUnknowns};
use crate::engine::step::solve::common::{Anchorage, Common};
use crate::engine::step::solve::island::Island;
use crate::engine::tuning::ending::LENT;
use crate::engine::tuning::midpoint::NEAR;
use crate::engine::tuning::midpoint_energy::{LOSS_MAX, STILL};
use crate::engine::tuning::newton::AT_REST;
use crate::math::{DVec3, Double, sym_times, widen};

impl MidpointScratch {
    /// Did the velocities lose much energy when they were made to fit the joints?
    pub(super) fn loses_much(&self, step: &IslandStep<'_>) -> bool {
        if !step.manifolds.is_empty() || self.rows.iter().any(JointRow::is_bounded) {
            // Blows and stops take energy by nature.
            return false;
        }
        let (mut lost, mut all, mut still) = (0.0, 0.0, 0.0);
        for (block, v) in step.bodies.iter().zip(&*step.relaxed.velocity) {
            let change: Vec6 = core::array::from_fn(|k| v[k] - block.velocity_free[k]);
            lost += dot6(&change, &mass_mul(block, &change));
            all += dot6(v, &mass_mul(block, v));
            still += block.mass[0] * STILL * STILL;
        }
        // What is at rest trembles by the tolerance.
        lost > LOSS_MAX * all.max(still)
    }

    /// Puts the energy at the end of a part right: kept where nothing can take or give it, else paid back
    /// where the part is not solved, its joints were off or bodies touch.
    /// By how much it changes a velocity at most goes into the certificate.
    pub(super) fn settle(
        &self,
        island: &mut Island<'_, '_>,
        pays: bool,
        h: Double,
        stats: &mut SolveStats,
    ) {
        let moved = match self.keeps.then(|| self.restore(island, h)).flatten() {
            Some(moved) => moved,
            None if pays => self.pay(island, h),
            None => 0.0,
        };
        stats.certificate.motion += moved;
    }

    /// Gives the bodies the energy that they had and the work of the forces. What differs is what Newton's
    /// method leaves of the joints, times loads that may be many times the weights, and what the velocities
    /// lost when they were made to fit. None if nearly all that they had or have is the common motion.
    fn restore(&self, island: &mut Island<'_, '_>, h: Double) -> Option<Double> {
        let anchorage = self.anchorage(island);
        let tolerance = island.settings.solver.tolerance;
        let step = &mut *island.step;
        let [first, gain, work] = self.ledger(step.bodies, step.relaxed.velocity, h);
        let common = Common::of(step, &self.members, anchorage);
        let mass: Double = self.members.iter().map(|member| member.mass).sum();
        // What is at rest trembles by what Newton's method leaves of the joints.
        let tremble = AT_REST * NEAR * tolerance;
        let still = 0.5 * mass * tremble * tremble;
        let [beside, aim] = [first + gain + work, first + work].map(|e| e - common.energy);
        let possible = beside.is_finite() && beside > still && aim > still;
        // What is nearly stopped has no direction worth more.
        possible.then(|| common.scale(step, &self.members, (aim / beside).sqrt().min(2.0)))
    }

    /// Has the island more energy at the end of the part than it was given? A blow that turns a body far has
    /// another arm there.
    pub(super) fn gains_much(&self, step: &IslandStep<'_>, h: Double) -> bool {
        let [first, mut gain, _] = self.ledger(step.bodies, step.relaxed.velocity, h);
        for m in &*step.manifolds {
            for lane in 0..m.count as usize {
                let drift = [m.drift[0][lane], m.drift[1][lane], m.drift[2][lane]];
                gain += dot3(&step.relaxed.contact_impulse[m.first as usize + lane], &drift);
            }
        }
        gain > LENT * first
    }

    /// Energy at the start of the part, what velocities at its end have gained beyond the work of the forces,
    /// and that work (J).
    fn ledger(&self, blocks: &[BodyBlock], velocity: &[Vec6], h: Double) -> [Double; 3] {
        let (mut first, mut last, mut all) = (0.0, 0.0, 0.0);
        let kinetic = |member: &Member, block: &BodyBlock, linear: DVec3, angular: DVec3| {
            let damping = 1.0 + h * member.damping[1];
            let spin = sym_times(&block.inertia, angular) / damping;
            0.5 * (member.mass * member.filter(linear).length_squared() + spin.dot(angular))
        };
        let lists = self.members.iter().zip(&self.plain).zip(blocks);
        for (((member, from), to), v) in lists.zip(velocity) {
            let (linear, angular) = split(v);
            let [way, turn] = [split(&member.mean).0, split(&member.mean).1].map(|x| x * h);
            let torque = match member.rotor {
                Some(_) => member.force[1],
                None => sym_times(&member.inertia[0], member.force[1]),
            };
            first += kinetic(member, from, member.velocity, member.angular());
            last += kinetic(member, to, linear, angular);
            all += member.mass * member.force[0].dot(way) + torque.dot(turn);
        }
        [first, last - first - all, all]
    }

    /// Takes of the impulses of a soft problem what lends the bodies no more energy than their forces and a
    /// push may add to what they had.
    pub(super) fn lend(
        &self,
        settings: &Settings,
        blocks: &[BodyBlock],
        unknowns: &mut IslandUnknowns<'_>,
        h: Double,
    ) {
        let push_max = ContactSettings::default().push_speed_max;
        let push = widen(settings.contact.push_speed_max.min(push_max));
        let (mut before, mut gain) = (0.0, 0.0);
        for (member, block) in self.members.iter().zip(&self.plain) {
            let v = join(member.velocity, member.angular());
            let speed = member.force[0].length() * h + push;
            before += dot6(&v, &mass_mul(block, &v));
            gain += member.mass * speed * speed;
        }
        let most = before.sqrt() + gain.sqrt();
        // |v* + s d|² = free + 2 s across + s² along
        let (mut free, mut across, mut along) = (0.0, 0.0, 0.0);
        for (to, v) in blocks.iter().zip(&*unknowns.velocity) {
            let change: Vec6 = core::array::from_fn(|k| v[k] - to.velocity_free[k]);
            let momentum = mass_mul(to, &change);
            free += dot6(&to.velocity_free, &mass_mul(to, &to.velocity_free));
            across += dot6(&to.velocity_free, &momentum);
            along += dot6(&change, &momentum);
        }
        let left = most * most - free;
        if free + 2.0 * across + along <= most * most {
            return;
        }
        let part = (across * across + along * left.max(0.0)).sqrt() - across;
        let part = part / along;
        let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
        let all = free + part * (2.0 * across + part * along);
        // Where what they had been given before is too much already, they are slowed down.
        let slower = if all > most * most { most / all.sqrt() } else { 1.0 };
        for (to, v) in blocks.iter().zip(&mut *unknowns.velocity) {
            for (x, free) in v.iter_mut().zip(&to.velocity_free) {
                *x = slower * if part > 0.0 { free + part * (*x - free) } else { *free };
            }
        }
        unknowns.scale(part);
    }

    /// Slows the bodies of a part that is not solved, whose joints were off or in which bodies touch, where
    /// they have more energy than they had and what forces, springs, motors and belts gave them on their way;
    /// ends that move by themselves may take them along at twice their speed. Slowed alike, they fit their
    /// joints as before, and where nothing outside takes it up they keep their momentum and angular momentum.
    /// Returns the largest change [m/s].
    pub(super) fn pay(&self, island: &mut Island<'_, '_>, h: Double) -> Double {
        let isolated = island.is_isolated();
        let anchorage = if isolated { Anchorage::Nothing } else { Anchorage::Anything };
        let step = &mut *island.step;
        let [first, gain, work] = self.ledger(step.bodies, step.relaxed.velocity, h);
        let mut given = 0.0;
        for (i, row) in step.joints.iter().enumerate() {
            let impulse = step.relaxed.joint_impulse[i];
            let of = |v: &dyn Fn(usize) -> Vec6| -> Double {
                row.terms.iter().map(|(k, t)| dot6(t, &v(*k as usize))).sum()
            };
            given += match step.joint_aim[i] {
                Aim::Rate(_) => {
                    let before = of(&|k| join(self.members[k].velocity, self.members[k].angular()));
                    let after = of(&|k| step.relaxed.velocity[k]);
                    motor_work(impulse, [before, after], -row.bias)
                }
                Aim::Spring | Aim::Damper => impulse * of(&|k| self.members[k].mean),
                Aim::Place(_) => 0.0,
            };
        }
        for m in &*step.manifolds {
            for lane in 0..m.count as usize {
                let drift = [m.drift[0][lane], m.drift[1][lane], m.drift[2][lane]];
                given -= dot3(&step.relaxed.contact_impulse[m.first as usize + lane], &drift);
            }
        }
        let mass: Double = self.members.iter().map(|member| member.mass).sum();
        let driven = 2.0 * self.driven() * mass.sqrt();
        let (has, may) = (first + gain + work, first + work + given.max(0.0));
        let most = (2.0 * may.max(0.0)).sqrt() + driven;
        let speed = (2.0 * has).sqrt();
        // At rest rounding leaves less than nothing.
        if has <= 0.0 || speed <= most {
            return 0.0;
        }
        let mut common = Common::of(step, &self.members, anchorage);
        common.slow_turn(0.5 * most * most);
        let beside = has - common.energy;
        let left = (0.5 * most * most - common.energy).max(0.0);
        let slower = if beside.is_finite() && beside > 0.0 { (left / beside).sqrt() } else { 0.0 };
        if speed.is_finite() {
            common.scale(step, &self.members, slower)
        } else {
            step.relaxed.velocity.fill([0.0; 6]);
            Double::INFINITY
        }
    }

    /// What outside the island takes momentum or angular momentum from it: nothing, a ball joint at one point
    /// at rest, which takes no angular momentum about that, or anything else.
    fn anchorage(&self, island: &Island<'_, '_>) -> Anchorage {
        if island.is_isolated() {
            return Anchorage::Nothing;
        }
        let (step, sources) = (&*island.step, island.sources);
        let mut outside = self.links.iter().filter_map(|link| {
            let side = (0..2).find(|&side| link.members[side].is_none())?;
            let center = self.members[link.members[1 - side]? as usize].to.0;
            Some((link, center + link.to.arms[1 - side]))
        });
        let locked = |&i: &u32| sources.bodies[i as usize].locked_axes != LockedAxes::NONE;
        match (outside.next(), outside.next()) {
            (Some((link, pivot)), None)
                if sources.joints[link.joint as usize].desc.kind == JointKind::Spherical
                    && step.manifolds.is_empty()
                    && !step.members.iter().any(locked)
                    && self.driven() == 0.0 =>
            {
                Anchorage::Point(pivot)
            }
            _ => Anchorage::Anything,
        }
    }

    /// Largest speed of ends that are not of the island, where they touch it or are joined with it [m/s].
    pub(super) fn driven(&self) -> Double {
        let joined = self.links.iter().flat_map(|link| {
            (0..2).filter(|&k| link.members[k].is_none()).filter_map(|k| {
                let (linear, angular) = split(&link.ends[k]?.velocity);
                Some((linear + angular.cross(link.from.arms[k])).length())
            })
        });
        let touched = self.touches.iter().map(|touch| touch.driven());
        joined.chain(touched).fold(0.0, Double::max)
    }
}

/// Work of a motor's impulse on speeds before and after it [J]. What is thrown beyond the speed that it asks
/// for has not got that from it.
fn motor_work(impulse: Double, [before, after]: [Double; 2], asked: Double) -> Double {
    let beyond = impulse * (after - asked) > 0.0;
    0.5 * impulse * (before + if beyond { asked } else { after })
}

#[cfg(test)]
mod tests {
    use super::motor_work;

    #[test]
    fn a_motor_gives_no_more_than_on_its_way_to_its_speed() {
        // 3 N·s from 1 m/s: on the way to 5 m/s, thrown the other way, at that speed, and thrown beyond it.
        assert_eq!(motor_work(3.0, [1.0, 2.0], 5.0), 4.5);
        assert_eq!(motor_work(3.0, [1.0, -12.0], 5.0), -16.5);
        assert_eq!(motor_work(3.0, [1.0, 4.0], 4.0), 7.5);
        assert_eq!(motor_work(3.0, [1.0, 90.0], 4.0), 7.5);
    }
}
