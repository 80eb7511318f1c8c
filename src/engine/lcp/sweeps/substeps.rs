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
//! In an island of several leaves a leaf is swept twice while its memory is at hand: the sweep without push
//! of one substep goes before the biased one of the next. Between the two, what lies between leaves:
//!
//! ```text
//! leaves    sweep k-1 without push, on to substep k, sweep k biased        between: sweep k biased
//! leaves    move                                                           between: sweep k without push
//! ```
//!
//! Stiffness has no cap but the speed of the push, and where that is reached the softness is less in the
//! same proportion: what bodies sink by is in proportion to any load. Joints follow the path that their bias
//! sets for the whole step, see `joints.rs`; only what they push beyond what may be carried is relaxed.

use std::sync::atomic::{AtomicBool, Ordering};

use super::domains::Domains;
use super::lanes::{at, single};
use super::lists::{Lists, Part, SweepScratch, WarmStart};
use super::problem::{SweepIterate, SweptIsland};
use super::sweep::{Rates, mode, plan};
use crate::engine::lcp::problem::Vec6;
use crate::engine::tuning::lanes::PUSH_SWEEPS;
use crate::math::{Double, Single};
use crate::par::Pool;

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

/// The impulses of the contacts by which [`solve_substeps`] moved the bodies last, each by the part of the
/// step that it acted, with the scratch of that call: `s/n - v = M⁻¹ Jᵀ l` but for other forces.
pub fn substep_ways(
    island: &SweptIsland<'_>,
    substeps: u32,
    out: &mut [[Double; 3]],
    scratch: &mut SweepScratch,
) {
    let part = 1.0 / Double::from(substeps.max(1));
    for of in scratch.lists.parts() {
        of.contacts.each(island.manifolds, |i, n, point, lane| {
            let [now, ahead] = [&point.total[0], &point.ahead]
                .map(|sum| world(n, sum[0][lane], [sum[1][lane], sum[2][lane], sum[3][lane]]));
            out[i] = [0, 1, 2].map(|axis| ahead[axis] + part * now[axis]);
        });
    }
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
        let (first, joint_first) = Rates::of(params);
        let start = warm_start(iterate, 1, part);
        let is_pushed = AtomicBool::new(false);
        let push_sweeps = if params.relax { PUSH_SWEEPS } else { 0 };
        self.divide(island);
        let fill = |of: &mut Part<L>, domains: &Domains, node: [usize; 2]| {
            of.fill(island, domains, node, &start, |i| {
                let (last, free) = (&island.velocity_last[i], &island.bodies[i].velocity_free);
                core::array::from_fn(|k| last[k] + (free[k] - last[k]) * part)
            });
            of.last.clear();
            if node[0] == 0 {
                let bodies = domains.bodies(node[1]).iter();
                let last = bodies.map(|&i| island.velocity_last[i as usize]);
                of.last.extend(last.map(|last| last.map(|x| single(x) + 0.0)));
            }
            if plan(&mut of.contacts.batches, &first) {
                is_pushed.store(true, Ordering::Relaxed);
            }
        };
        let rounds = 1 + push_sweeps + SWEEPS * n + 1;
        self.rounds(island.pool, rounds as usize, fill, |of, round, is_leaf| {
            let (round, push) = (round as u32, is_pushed.load(Ordering::Relaxed));
            let rates = |k: u32| [&first, &joint_first].map(|rates| rates.at(k, n));
            match round.checked_sub(1 + push_sweeps) {
                None if round == 0 => of.apply(),
                // A push that is carried on is a part of every sweep.
                None if push => {
                    if is_leaf && round == 1 {
                        of.begin_push();
                    }
                    of.sweep::<{ mode::PUSH }>(&[first, joint_first]);
                }
                None => (),
                Some(sweep) if sweep % SWEEPS == 1 && is_leaf => of.advance(),
                Some(sweep) if sweep % SWEEPS == 1 => {
                    of.sweep::<{ mode::RELAXED }>(&rates(sweep / SWEEPS));
                }
                Some(sweep) => {
                    let k = sweep / SWEEPS;
                    if is_leaf && k > 0 {
                        of.sweep::<{ mode::RELAXED }>(&rates(k - 1));
                    }
                    match (k, is_leaf) {
                        (0, true) if push && push_sweeps > 0 => of.end_push(single(part)),
                        (1.., true) if k < n => of.repeat(),
                        _ => (),
                    }
                    if k < n {
                        of.sweep::<{ mode::BIASED }>(&rates(k));
                    }
                }
            }
        });
        self.finish(island, iterate, part);
        let before = if is_pushed.into_inner() { push_sweeps } else { 0 };
        self.stats(before + SWEEPS * n)
    }

    pub(super) fn sweeps(
        &mut self,
        island: &SweptIsland<'_>,
        iterate: &mut SweepIterate<'_>,
        of: usize,
        start: Start,
        sweeps: u32,
    ) -> SweepStats {
        self.start_sweeps(island, iterate, of, start);
        self.plain_sweeps(island.pool, sweeps);
        self.end_sweeps(island, iterate, of);
        self.stats(sweeps)
    }

    /// Lays an island out for sweeps over the one problem of the step.
    pub(super) fn start_sweeps(
        &mut self,
        island: &SweptIsland<'_>,
        iterate: &SweepIterate<'_>,
        of: usize,
        start: Start,
    ) {
        let (velocity, warm) = (&*iterate.velocity[of], warm_start(iterate, of, 1.0));
        self.divide(island);
        let fill = |part: &mut Part<L>, domains: &Domains, node: [usize; 2]| match start {
            Start::Impulses => {
                part.fill(island, domains, node, &warm, |i| island.bodies[i].velocity_free);
            }
            Start::Velocities => part.fill(island, domains, node, &warm, |i| velocity[i]),
        };
        self.rounds(island.pool, 1, fill, |part, _, _| {
            if start == Start::Impulses {
                part.apply();
            }
        });
    }

    /// Sweeps over the one problem of the step.
    pub(super) fn plain_sweeps(&mut self, pool: &dyn Pool, sweeps: u32) {
        // Given biases know no gaps.
        let rates = Rates::default();
        self.rounds(
            pool,
            sweeps as usize,
            |_, _, _| (),
            |part, _, _| part.sweep::<{ mode::PLAIN }>(&[rates; 2]),
        );
    }

    /// Writes velocities and impulses of the one problem of the step.
    pub(super) fn end_sweeps(
        &mut self,
        island: &SweptIsland<'_>,
        iterate: &mut SweepIterate<'_>,
        of: usize,
    ) {
        let velocity = &mut *iterate.velocity[of];
        self.each_body(|i, part, place| velocity[i] = six(&part.bodies[place].velocity, 1.0));
        let contacts = &mut *iterate.contact_impulse[of];
        let joints = &mut *iterate.joint_impulse[of];
        for part in self.parts() {
            part.contacts.each(island.manifolds, |i, n, point, lane| {
                contacts[i] = world(n, point.normal[lane], at(&point.friction, lane));
            });
            part.joints.each(|i, row, lane| joints[i] = Double::from(row.impulse[lane]));
        }
    }

    /// Writes velocities and the impulses of the whole step.
    fn finish(&mut self, island: &SweptIsland<'_>, iterate: &mut SweepIterate<'_>, part: Double) {
        let [moved, carried] = &mut iterate.velocity;
        self.each_body(|i, of, place| {
            let body = &of.bodies[place];
            (moved[i], carried[i]) = (six(&body.sum, part), six(&body.velocity, 1.0));
        });
        let (contacts, joints) = (&mut iterate.contact_impulse, &mut iterate.joint_impulse);
        for of in self.parts() {
            of.contacts.each(island.manifolds, |i, n, point, lane| {
                let sums = point.total.map(|total| {
                    world(n, total[0][lane], [total[1][lane], total[2][lane], total[3][lane]])
                });
                for (impulses, of) in contacts.iter_mut().zip([0, 1]) {
                    impulses[i] = [0, 1, 2].map(|axis| mean(sums.map(|sum| sum[axis]), part)[of]);
                }
            });
            of.joints.each(|i, row, lane| {
                let sums = mean(row.total.map(|total| Double::from(total[lane])), part);
                for (impulses, sum) in joints.iter_mut().zip(sums) {
                    impulses[i] = sum;
                }
            });
        }
    }

    fn stats(&mut self, sweeps: u32) -> SweepStats {
        let batches = |part: &mut Part<L>| part.contacts.batches.len() + part.joints.batches.len();
        SweepStats { sweeps, batches: self.parts().map(batches).sum::<usize>() as u32 }
    }
}

/// The impulses at hand of the biased (0) or relaxed (1) problem, of which sweeps start from `part`.
fn warm_start<'a>(iterate: &'a SweepIterate<'_>, of: usize, part: Double) -> WarmStart<'a> {
    let (contacts, joints) = (&*iterate.contact_impulse[of], &*iterate.joint_impulse[of]);
    WarmStart { contacts, joints, part }
}

impl Rates {
    /// Those of the first substep, of contacts and of joints.
    fn of(params: &SubstepParams) -> (Self, Self) {
        let n = params.substeps.max(1);
        let dt = params.dt / Double::from(n);
        let rates = Self {
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
        (rates, Self { softness: single(params.joint_softness), ..rates })
    }

    /// Those of substep `k` of `n`, from 0.
    fn at(&self, k: u32, n: u32) -> Self {
        Self { done: k as Single, ahead: 1.0 - (k + 1) as Single / n as Single, ..*self }
    }
}

/// What becomes of the bodies of a leaf around a sweep.
impl<const L: usize> Part<L> {
    /// Begins to look for the push of the step: from rest, as if bodies went all of the way in one substep.
    fn begin_push(&mut self) {
        for (body, carried) in self.bodies.iter_mut().zip(&mut self.pushed) {
            for k in 0..6 {
                (carried[k], body.velocity[k]) = (body.velocity[k], 0.0);
            }
        }
    }

    /// Adds the push, of a substep that is this part of the step. The sums of biased impulses begin with its
    /// own.
    fn end_push(&mut self, part: Single) {
        for (body, pushed) in self.bodies.iter_mut().zip(&mut self.pushed) {
            for k in 0..6 {
                let push = part * body.velocity[k];
                (body.velocity[k], pushed[k]) = (pushed[k] + push, push);
            }
        }
    }

    /// Moves on with the velocity at hand, and goes on without the push.
    fn advance(&mut self) {
        for (body, pushed) in self.bodies.iter_mut().zip(&self.pushed) {
            for k in 0..6 {
                body.sum[k] += body.velocity[k];
                body.velocity[k] -= pushed[k];
            }
        }
    }

    /// Starts the next substep: the forces and impulses of the one that ended act again, and the push.
    fn repeat(&mut self) {
        let known = self.last.iter_mut().zip(&self.pushed);
        for (body, (last, pushed)) in self.bodies.iter_mut().zip(known) {
            for k in 0..6 {
                let now = body.velocity[k];
                body.velocity[k] = (2.0 * now - last[k]) + pushed[k];
                last[k] = now;
            }
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
