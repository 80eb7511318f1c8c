//! A step in `n` small ones, and sweeps over a whole one.
//!
//! A substep of `h_s = h/n`:
//!
//! ```text
//! v ← v + (v* - v_l)/n + M⁻¹ Jᵀ l                the impulses of the last substep again
//! sweep v + u with  b = gap/h_s apart;  b = -|gap + left|/h_s and softness in overlap
//! s ← s + v + u,   gap = gap_0 + h_s n·J s       the biased velocities move the bodies
//! sweep v without push
//! ```
//!
//! `left` is the overlap that is not yet to be taken back: the dead zone, what is to stay of the overlap
//! beyond it, and a share of the way that falls to nothing along the step, see `plan` in `sweep.rs`. So a
//! step takes back `γ` of an overlap, at most `v_push h`, as the one problem does.
//!
//! The push `u = M⁻¹ Jᵀ p` moves bodies along that way for the whole step, and nothing of it is carried.
//! Some sweeps from rest find it before the first substep, the least that goes the way where there is one,
//! closes no gap and keeps joints: `p ≥ 0` and `n·J u ≥ way/h`, or `-gap/h` apart. What they leave, and
//! what overlaps anew, the biased sweeps make up for and the others take out again. Made and taken back by
//! those alone, once a substep, the push would leave in both velocities the eighth that a sweep leaves of
//! it. It has no friction, with which sweeps would leave a half of it each; the biased sweeps see it slide.
//! Where no contact has a way there is none, nor with `relax: false`: the second sweep keeps the speed of
//! the way then.
//!
//! The warm start needs no pass over the contacts: in the substep that ended, the same impulses took the
//! velocity from `v_0 + (v* - v_l)/n` to `v_1`, so the next one starts from `2 v_1 - v_0`. Poses move with
//! `s/n`, the mean of the biased velocities; the velocity after the last sweep is carried on, with the sums
//! `Σ l` of its impulses, which give it to the digits of single precision. With the biased velocity go the
//! impulses `Σ l + Σ (p + l_biased - l)/n`. They give the velocity of the end of the step with the mean
//! push, not the mean over the step: what both differ by is how bodies accelerate within it, and is reported.
//! Those of the way, `Σ l (n - 1 - k)/n + Σ (p + l_biased)/n`, are kept as well ([`substep_ways`]).
//!
//! The softness, a part of the warm start that the biased sweep drops, is what brings piles to rest and keeps
//! chains together: a compliance `s W` that damps the errors which one sweep leaves and the warm start
//! repeats. The relaxing sweep takes its effect out of the velocity again. It is a softness all the same:
//! bodies at rest sink by `s/γ` of what their load moves them in a substep, which falls like `1/n²`.
//!
//! Stiffness has no cap but the speed of the push, and where that is reached the softness is less in the
//! same proportion: what bodies sink by is in proportion to any load. Joints follow the path that their bias
//! sets for the whole step, see `joints.rs`; only what they push beyond what may be carried is relaxed.

use super::batch::Contacts;
use super::joints;
use super::lanes::{SweptBody, at, single};
use super::lists::{Lists, SweepScratch};
use super::problem::{SweepIterate, SweptIsland};
use super::sweep::{Rates, apply, mode, plan, sweep};
use crate::engine::lcp::problem::Vec6;
use crate::engine::tuning::lanes::PUSH_SWEEPS;
use crate::math::refill;
use crate::math::{Double, Single};

/// Sweeps of a substep: the biased one and the relaxing one.
const SWEEPS: u32 = 2;

/// Parameters of [`solve_substeps`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SubstepParams {
    /// h (s).
    pub dt: Double,
    /// n, at least 1.
    pub substeps: u32,
    /// γ: the part of an overlap that the step takes back, from 0 to 1 [-].
    pub gamma: Double,
    /// Is the velocity carried on freed of the push?
    pub relax: bool,
    /// Part of the impulse it starts from that the biased sweep of a substep drops, of normal rows that are
    /// not apart, from 0 to 1 [-]. Without it bodies at rest tremble at 0.1 m/s, with it at
    /// 0.5 mm/s (wall of 210 cubes, 32 substeps). It lets them sink by `softness / gamma` of what
    /// their load moves them in a substep, which falls like `1/n²`.
    pub softness: Double,
    /// Part of the impulse that the biased sweep of a substep drops, of joint rows [-].
    /// Without it chains blow up.
    pub joint_softness: Double,
    /// v_push [m/s]: no joint is closed faster than this; of contacts it is `Manifold::push_max`.
    pub push_speed_max: Double,
    /// Overlap that is left alone (m).
    pub dead_zone: Double,
}

/// Work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepStats {
    /// Sweeps over all rows.
    pub sweeps: u32,
    /// Batches of eight manifolds or joints.
    pub batches: u32,
}

/// Solves a step in small ones, see the [module](super). Starts from the relaxed impulses in `iterate`.
pub fn solve_substeps(
    island: &SweptIsland<'_>,
    iterate: &mut SweepIterate<'_>,
    params: &SubstepParams,
    scratch: &mut SweepScratch,
) -> SweepStats {
    scratch.lists.substeps(island, iterate, params)
}

/// The impulses of the contacts by which [`solve_substeps`] moved the bodies last, with the scratch of that
/// call: `s/n - v = M⁻¹ Jᵀ l` but for other forces.
pub fn substep_ways(
    island: &SweptIsland<'_>,
    substeps: u32,
    out: &mut [[Double; 3]],
    scratch: &SweepScratch,
) {
    scratch.lists.moved(island, 1.0 / Double::from(substeps.max(1)), out);
}

/// What sweeps over the one problem of the step start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The impulses, whatever the velocities.
    Impulses,
    /// Velocities that the impulses have given: what heavy loads would lose in single precision is kept.
    Velocities,
}

/// Sweeps `sweeps` times over the one problem of the step. Of each pair of unknowns in `iterate` only the one
/// with index `of` is read and written.
pub fn solve_sweeps(
    island: &SweptIsland<'_>,
    iterate: &mut SweepIterate<'_>,
    of: usize,
    start: Start,
    sweeps: u32,
    scratch: &mut SweepScratch,
) -> SweepStats {
    scratch.lists.sweeps(island, iterate, of, start, sweeps)
}

impl<const L: usize> Lists<L> {
    pub(super) fn substeps(
        &mut self,
        island: &SweptIsland<'_>,
        iterate: &mut SweepIterate<'_>,
        params: &SubstepParams,
    ) -> SweepStats {
        let n = params.substeps.max(1);
        let part = 1.0 / Double::from(n);
        let dt = params.dt * part;
        let mut rates = Rates {
            dt: single(dt),
            inverse_dt: single(1.0 / dt),
            done: 0.0,
            push: single(1.0 / dt),
            push_max: single(params.push_speed_max),
            dead_zone: single(params.dead_zone),
            gamma: single(params.gamma),
            ahead: 1.0 - 1.0 / n as Single,
            along: single(1.0 / params.dt),
            carried: single(if params.relax { 0.0 } else { 1.0 / params.dt }),
            softness: single(params.softness),
        };
        let mut joint_rates = Rates { softness: single(params.joint_softness), ..rates };
        let last = |i: usize| &island.velocity_last[i];
        self.fill(island, iterate, 1, part, last);
        // A push that is carried on is a part of every sweep.
        let is_pushed = plan(&mut self.contacts.batches, &rates) && params.relax;
        let before = if is_pushed { PUSH_SWEEPS } else { 0 };
        self.push(before, &rates, &joint_rates, single(part));
        for _ in 0..n {
            self.sweep_once::<{ mode::BIASED }>(&rates, &joint_rates);
            for (body, pushed) in self.bodies.iter_mut().zip(&self.pushed) {
                body.advance(pushed);
            }
            self.sweep_once::<{ mode::RELAXED }>(&rates, &joint_rates);
            rates.advance(n);
            joint_rates.advance(n);
            let known = self.last.iter_mut().zip(&self.pushed);
            for (body, (last, pushed)) in self.bodies.iter_mut().zip(known) {
                body.repeat(last, pushed);
            }
        }
        self.finish(island, iterate, part);
        self.stats(before + SWEEPS * n)
    }

    fn sweep_once<const MODE: u8>(&mut self, rates: &Rates, joint_rates: &Rates) {
        joints::sweep::<L, MODE>(&mut self.joints.batches, &mut self.bodies, joint_rates);
        let Contacts { batches, drifts, .. } = &mut self.contacts;
        sweep::<L, MODE>(batches, drifts, &mut self.bodies, rates);
    }

    /// Finds the push of the step and adds it to the velocities: by `sweeps` from rest, as if bodies went
    /// all of the way in one substep, a `part` of the step. The sums of biased impulses begin with its own.
    fn push(&mut self, sweeps: u32, rates: &Rates, joint_rates: &Rates, part: Single) {
        refill(&mut self.pushed, self.bodies.len(), [0.0; 6]);
        if sweeps == 0 {
            return;
        }
        for (body, carried) in self.bodies.iter_mut().zip(&mut self.pushed) {
            for k in 0..6 {
                (carried[k], body.velocity[k]) = (body.velocity[k], 0.0);
            }
        }
        for _ in 0..sweeps {
            self.sweep_once::<{ mode::PUSH }>(rates, joint_rates);
        }
        for (body, pushed) in self.bodies.iter_mut().zip(&mut self.pushed) {
            for k in 0..6 {
                let push = part * body.velocity[k];
                (body.velocity[k], pushed[k]) = (pushed[k] + push, push);
            }
        }
    }

    pub(super) fn sweeps(
        &mut self,
        island: &SweptIsland<'_>,
        iterate: &mut SweepIterate<'_>,
        of: usize,
        start: Start,
        sweeps: u32,
    ) -> SweepStats {
        match start {
            Start::Impulses => self.start_sweeps(island, iterate, of),
            Start::Velocities => {
                let velocity = &*iterate.velocity[of];
                self.lay_out(island, iterate, of, 1.0, |i| velocity[i]);
            }
        }
        for _ in 0..sweeps {
            self.plain_sweep();
        }
        self.end_sweeps(island, iterate, of);
        self.stats(sweeps)
    }

    /// Lays an island out for sweeps over the one problem of the step.
    pub(super) fn start_sweeps(
        &mut self,
        island: &SweptIsland<'_>,
        iterate: &SweepIterate<'_>,
        of: usize,
    ) {
        self.fill(island, iterate, of, 1.0, |i| &island.bodies[i].velocity_free);
    }

    /// Sweeps once over the one problem of the step.
    pub(super) fn plain_sweep(&mut self) {
        // Given biases know no gaps.
        let rates = Rates::default();
        self.sweep_once::<{ mode::PLAIN }>(&rates, &rates);
    }

    /// Writes velocities and impulses of the one problem of the step.
    pub(super) fn end_sweeps(
        &self,
        island: &SweptIsland<'_>,
        iterate: &mut SweepIterate<'_>,
        of: usize,
    ) {
        for (velocity, body) in iterate.velocity[of].iter_mut().zip(&self.bodies) {
            *velocity = six(&body.velocity, 1.0);
        }
        let impulses = &mut iterate.contact_impulse[of];
        self.contacts.each(island.manifolds, |i, n, point, lane| {
            impulses[i] = world(n, point.normal[lane], at(&point.friction, lane));
        });
        let impulses = &mut iterate.joint_impulse[of];
        self.joints.each(|i, row, lane| impulses[i] = Double::from(row.impulse[lane]));
    }
}

impl<const L: usize> Lists<L> {
    /// Lays an island out. Its bodies start from the velocity `last` with `part` of what the step's forces
    /// change it by, and `part` of the impulses.
    fn fill<'a>(
        &mut self,
        island: &SweptIsland<'a>,
        iterate: &SweepIterate<'_>,
        of: usize,
        part: Double,
        last: impl Fn(usize) -> &'a Vec6,
    ) {
        self.last.clear();
        self.last.extend((0..island.bodies.len()).map(|i| last(i).map(|x| single(x) + 0.0)));
        self.last.push([0.0; 6]);
        self.lay_out(island, iterate, of, part, |i| {
            let (last, free) = (last(i), &island.bodies[i].velocity_free);
            core::array::from_fn(|k| last[k] + (free[k] - last[k]) * part)
        });
        apply(&self.contacts.batches, &mut self.bodies);
        joints::apply(&self.joints.batches, &mut self.bodies);
    }

    /// Lays an island out with these velocities, and `part` of the impulses, which have acted on them.
    fn lay_out(
        &mut self,
        island: &SweptIsland<'_>,
        iterate: &SweepIterate<'_>,
        of: usize,
        part: Double,
        velocity: impl Fn(usize) -> Vec6,
    ) {
        self.bodies.clear();
        self.masses.clear();
        for (i, block) in island.bodies.iter().enumerate() {
            let mut body = SweptBody::default();
            for (x, v) in body.velocity.iter_mut().zip(velocity(i)) {
                // Never a negative zero, to which adding nothing would make a difference.
                *x = single(v) + 0.0;
            }
            self.bodies.push(body);
            let ([x, y, z], [a, b, c, d, e, f]) = (block.inverse_mass, block.inverse_inertia);
            self.masses.push([x, y, z, a, b, c, d, e, f].map(single));
        }
        self.bodies.push(SweptBody::default());
        self.masses.push([0.0; 9]);
        let impulses = &*iterate.contact_impulse[of];
        self.contacts.fill(island.manifolds, &self.masses, impulses, part);
        let (rows, push, blocks) = (island.joints, island.joint_push, island.bodies);
        self.joints.fill(rows, push, blocks, &*iterate.joint_impulse[of], part);
    }

    /// Writes velocities and the impulses of the whole step.
    fn finish(&self, island: &SweptIsland<'_>, iterate: &mut SweepIterate<'_>, part: Double) {
        let [moved, carried] = &mut iterate.velocity;
        for (velocity, body) in moved.iter_mut().zip(&self.bodies) {
            *velocity = six(&body.sum, part);
        }
        for (velocity, last) in carried.iter_mut().zip(&self.last) {
            *velocity = last.map(Double::from);
        }
        let impulses = &mut iterate.contact_impulse;
        self.contacts.each(island.manifolds, |i, n, point, lane| {
            let sums = point.total.map(|total| {
                world(n, total[0][lane], [total[1][lane], total[2][lane], total[3][lane]])
            });
            for (impulses, of) in impulses.iter_mut().zip([0, 1]) {
                impulses[i] = [0, 1, 2].map(|axis| mean(sums.map(|sum| sum[axis]), part)[of]);
            }
        });
        let impulses = &mut iterate.joint_impulse;
        self.joints.each(|i, row, lane| {
            let sums = mean(row.total.map(|total| Double::from(total[lane])), part);
            for (impulses, sum) in impulses.iter_mut().zip(sums) {
                impulses[i] = sum;
            }
        });
    }

    /// The impulses by which bodies moved in small steps: each by the part of the step that it acted.
    pub(super) fn moved(&self, island: &SweptIsland<'_>, part: Double, out: &mut [[Double; 3]]) {
        self.contacts.each(island.manifolds, |i, n, point, lane| {
            let [now, ahead] = [&point.total[0], &point.ahead]
                .map(|sum| world(n, sum[0][lane], [sum[1][lane], sum[2][lane], sum[3][lane]]));
            out[i] = [0, 1, 2].map(|axis| ahead[axis] + part * now[axis]);
        });
    }

    fn stats(&self, sweeps: u32) -> SweepStats {
        let batches = self.contacts.batches.len() + self.joints.batches.len();
        SweepStats { sweeps, batches: batches as u32 }
    }
}

impl SweptBody {
    /// Moves on with the velocity at hand, and goes on without the push.
    fn advance(&mut self, pushed: &[Single; 6]) {
        for k in 0..6 {
            self.sum[k] += self.velocity[k];
            self.velocity[k] -= pushed[k];
        }
    }

    /// Starts the next substep: the forces and impulses of the one that ended act again, and the push.
    fn repeat(&mut self, last: &mut [Single; 6], pushed: &[Single; 6]) {
        for k in 0..6 {
            let now = self.velocity[k];
            self.velocity[k] = (2.0 * now - last[k]) + pushed[k];
            last[k] = now;
        }
    }
}

/// From the sums over substeps after both sweeps: the impulse with which bodies move, of which the push
/// counts with its mean, and that of the carried velocity.
fn mean([biased, relaxed]: [Double; 2], part: Double) -> [Double; 2] {
    [relaxed + (biased - relaxed) * part, relaxed]
}

/// Six numbers in double precision, scaled.
fn six(x: &[Single; 8], scale: Double) -> Vec6 {
    [0, 1, 2, 3, 4, 5].map(|k| Double::from(x[k]) * scale)
}

/// The impulse of a contact as a vector of the world.
fn world(normal: [Single; 3], along: Single, across: [Single; 3]) -> [Double; 3] {
    let along = Double::from(along);
    [0, 1, 2].map(|k| Double::from(normal[k]) * along + Double::from(across[k]))
}
