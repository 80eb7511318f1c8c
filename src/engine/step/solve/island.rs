//! An island while it is solved: its problem and its budget of counted work.
//!
//! Input: the island's part of the step, the settings, its memory. Output: what the policy decides by. What
//! is left of the work of the whole step, for each contact and body in sweeps over a contact, is
//!
//! ```text
//! left = PATIENCE * effort * work_max - spent       1 / PATIENCE <= effort <= 1
//! ```
//!
//! The account of a large island is in the same unit. With `p = PRICE s`, where `s` is the work of small
//! steps, Newton may spend the savings, or `p / 2` on each of the two problems. Then the savings are
//!
//! ```text
//! solved                savings + p, at most work_max
//! not yet, but at rest  savings; 0 if spent twice in a row, then no try before 2 spent, or work_max / PRICE
//! rough                 savings - min(spent - p, p), at least 0
//! failed                savings - spent, and there is no try before they are p again
//! made small            savings + min(TRIES, ROUGH / error) s
//! swept while at rest   savings + s
//! a blow comes          savings, at most what a small island may spend
//! at rest after it      savings, at least what they were before it
//! ```
//!
//! Cost: a count of rows each.

use super::memory::IslandMemory;
use crate::engine::lcp::manifold::Manifold;
use crate::engine::lcp::newton::NewtonParams;
use crate::engine::lcp::{Cone, JointRow, Method, SolveStats, mass_ratio};
use crate::engine::settings::{Settings, SolverSettings};
use crate::engine::state::body::LockedAxes;
use crate::engine::step::assemble::{IslandStep, Sources};
use crate::engine::step::predict::spin::is_round;
use crate::engine::tuning::newton::{AT_REST, TINY};
use crate::engine::tuning::policy::{FAST, MECHANISM, PATIENCE, PRICE, ROUGH, TRIES};
use crate::engine::tuning::work::{CHECK, ROUNDED_SINGLE};
use crate::engine::tuning::yielding::PRESSED;
use crate::math::{DVec3, Double, widen};
use crate::par::Pool;

/// May a solution of a large island with this residual [m/s] be taken, for the next steps to go on from?
pub(super) fn is_rough(error: Double) -> bool {
    error <= ROUGH
}

/// An island to solve.
#[derive(Debug)]
pub(super) struct Island<'a, 'b> {
    pub(super) step: &'a mut IslandStep<'b>,
    pub(super) sources: &'a Sources<'a>,
    pub(super) settings: &'a Settings,
    /// For the parts of an island that are worked on at the same time.
    pub(super) pool: &'a dyn Pool,
    pub(super) dt: Double,
    pub(super) memory: &'a mut IslandMemory,
    /// What the solves of this step have taken so far, as a budget of that size would allow (–).
    pub(super) spent: Double,
    /// Did Newton end so far from a solution that nothing more is worth trying in this step?
    pub(super) in_vain: bool,
}

impl Island<'_, '_> {
    /// Contacts, joint rows and bodies together.
    pub(super) fn rows(&self) -> usize {
        self.step.blows.len() + self.step.joints.len() + self.step.bodies.len()
    }

    /// Are nearly all of its rows those of joints?
    pub(super) fn is_mechanism(&self) -> bool {
        self.step.joints.len() >= MECHANISM * self.step.blows.len() && !self.step.joints.is_empty()
    }

    /// Did joints hold it in the last step, and next to no contact push?
    pub(super) fn is_held(&self) -> bool {
        let pushed = self.step.biased.contact_impulse.iter().filter(|c| **c != [0.0; 3]).count();
        self.step.joints.len() >= MECHANISM * pushed && !self.step.joints.is_empty()
    }

    /// Have its joints no loops, so that their factor costs as little as some sweeps?
    pub(super) fn is_tree(&self) -> bool {
        self.joints() <= self.step.bodies.len()
    }

    /// Are its joints as many as hold all of its bodies together?
    pub(super) fn is_joined(&self) -> bool {
        self.joints() + 1 >= self.step.bodies.len()
    }

    fn joints(&self) -> usize {
        self.step.joint_source.chunk_by(|a, b| a[0] == b[0]).count()
    }

    /// Does `Auto` sweep it where the cone Newton fails? Sweeps in single precision do not hold joints
    /// together nor reach fine tolerances, and what is large gets its budget only.
    pub(super) fn is_swept_at_last(&self) -> bool {
        let solver = &self.settings.solver;
        let small = self.rows() <= solver.newton_rows_max as usize;
        let reachable = solver.tolerance >= ROUNDED_SINGLE;
        solver.method == Method::Auto && small && reachable && self.step.joints.is_empty()
    }

    /// Does nothing outside, nor a locked axis, take momentum or angular momentum from it?
    pub(super) fn is_isolated(&self) -> bool {
        let (step, bodies) = (&*self.step, self.sources.bodies);
        let inside = |i: u32| (i as usize) < step.bodies.len();
        step.manifolds.iter().all(|m| inside(m.a) && inside(m.b))
            && step.joints.iter().all(|r| r.terms.iter().filter(|(i, _)| inside(*i)).count() == 2)
            && step.members.iter().all(|&i| bodies[i as usize].locked_axes == LockedAxes::NONE)
    }

    /// Full pushes that its overlaps ask for (–).
    fn pushes(&self) -> Double {
        let all: Double = self.step.manifolds.iter().map(Manifold::push_speed).sum();
        all / widen(self.settings.contact.push_speed_max)
    }

    /// Do its overlaps together ask for more than one full push? What those turn bodies by counts.
    pub(super) fn is_torn_apart(&self) -> bool {
        self.pushes() > 1.0
    }

    /// May the fast solvers have it?
    pub(super) fn is_plain(&self) -> bool {
        self.settings.solver.cone == Cone::Circular && self.step.rolling.is_empty()
    }

    /// Is it small enough for Lemke's algorithm, with rows that this knows?
    pub(super) fn suits_lemke(&self) -> bool {
        self.step.blows.len() <= self.settings.solver.lemke_contacts_max as usize
            && self.step.rolling.is_empty()
            && !self.step.joints.iter().any(JointRow::is_bounded)
    }

    /// Is its problem a linear one that Lemke's algorithm solves to rounding?
    pub(super) fn is_linear(&self) -> bool {
        matches!(self.settings.solver.cone, Cone::Pyramid(_)) && self.suits_lemke()
    }

    /// Does `Auto` spend less on it where it does not solve it?
    fn has_effort(&self) -> bool {
        let auto = self.settings.solver.method == Method::Auto;
        auto && self.is_plain() && !self.step.joints.is_empty()
    }

    /// Work of the whole step (–).
    fn work(&self) -> Double {
        PATIENCE * self.memory.effort * self.settings.solver.work_max
    }

    /// What is left of it (–).
    pub(super) fn left(&self) -> Double {
        (self.work() - self.spent).max(0.0)
    }

    /// Scales the impulses of a step that is not solved to what could stop the whole island, of its speeds
    /// and of what it gains a thousand times faster than by its weight. Where bodies are pressed they would
    /// grow from step to step else, until their rounding moves everything. Returns by how much more the
    /// biased and the carried velocities differ from what their impulses give then [m/s, rad/s], at most.
    pub(super) fn bound_impulses(&mut self) -> [Double; 2] {
        let step = &mut *self.step;
        let mass: Double = step.bodies.iter().map(|body| body.mass[0]).sum();
        let linear = step.bodies.iter().map(|body| &body.velocity_free[..3]);
        let fastest = linear.flatten().fold(0.0, |most: Double, v| most.max(v.abs()));
        let bound = mass * (PRESSED * self.dt + fastest);
        [&mut step.biased, &mut step.relaxed].map(|unknowns| {
            if !unknowns.has_finite_impulses() {
                // No iterate at all: the bodies fly, and nothing else is told of it or begun with.
                unknowns.scale(0.0);
                step.joint_wrench.fill([DVec3::ZERO; 2]);
                let pairs = unknowns.velocity.iter_mut().zip(&*step.bodies);
                pairs.for_each(|(v, body)| *v = body.velocity_free);
                return 0.0;
            }
            let impulses = unknowns.contact_impulse.as_flattened().iter();
            let most = impulses.fold(0.0, |most: Double, x| most.max(x.abs()));
            if most > bound {
                let part = bound / most;
                unknowns.scale(part);
                let pairs = unknowns.velocity.iter().zip(&*step.bodies);
                let given = pairs
                    .flat_map(|(v, body)| (0..6).map(|k| (v[k] - body.velocity_free[k]).abs()));
                (1.0 - part) * given.fold(0.0, Double::max)
            } else {
                0.0
            }
        })
    }

    /// Charges a solve for its work.
    pub(super) fn charge(&mut self, stats: &SolveStats) {
        self.spent += stats.work / self.step.problem().budget();
    }

    /// Work that one solve may take (–): what is left, or a budget more.
    pub(super) fn share(&self) -> Double {
        self.left().max(self.settings.solver.work_max)
    }

    /// Parameters of the cone Newton with at most this work (–).
    pub(super) fn params(&self, work_max: Double) -> NewtonParams {
        let solver = &self.settings.solver;
        NewtonParams {
            tolerance: solver.tolerance,
            penalty: solver.penalty,
            outer_max: solver.newton_max,
            work_max: work_max.min(self.share()),
            ..NewtonParams::default()
        }
    }

    /// Is nothing left of the work of the step, or in vain? Then one more solve each has to do for what
    /// follows.
    pub(super) fn is_spent(&self) -> bool {
        self.in_vain || self.left() == 0.0
    }

    /// Was as much again spent on what was left to do?
    pub(super) fn is_overdrawn(&self) -> bool {
        self.spent > 2.0 * self.work()
    }

    /// The effort of the next steps, after one that was solved or not: halved or doubled.
    pub(super) fn note_effort(&mut self, is_solved: bool) {
        if !self.has_effort() {
            return;
        }
        let effort = &mut self.memory.effort;
        *effort = match is_solved {
            true => (2.0 * *effort).min(1.0),
            false => (0.5 * *effort).max(1.0 / PATIENCE),
        };
    }

    /// What it has saved in a step in which contacts approach each other so fast [m/s]. Who is new has all
    /// that it may need, or what a blow leaves: the work of the largest small island. Who was struck and is
    /// at rest has what it had: the impulses are those of the blow, and to rest on takes others. A crowd, in
    /// which every body is pushed on the mean, has nothing: its factor has no zeros.
    pub(super) fn open_account(&mut self, approach: Double) {
        let (solver, left) = (&self.settings.solver, self.least());
        let blow = approach > widen(self.settings.contact.restitution_speed);
        let at_rest = approach < AT_REST * solver.tolerance;
        self.memory.vain = at_rest.then(|| self.memory.vain.unwrap_or(0.0));
        let savings = match self.memory.savings {
            None if 2.0 * self.pushes() > self.step.bodies.len() as Double => 0.0,
            None if !blow => solver.work_max,
            None => left,
            Some(savings) if blow => {
                self.memory.aside.get_or_insert(savings);
                savings.min(left)
            }
            Some(savings) if at_rest => savings.max(self.memory.aside.take().unwrap_or(savings)),
            Some(savings) => savings,
        };
        self.memory.savings = Some(savings);
    }

    /// Work of the largest small island (–).
    pub(super) fn least(&self) -> Double {
        let solver = &self.settings.solver;
        let small = Double::from(solver.newton_rows_max) / self.rows().max(1) as Double;
        solver.work_max * small.min(1.0)
    }

    fn savings(&self) -> Double {
        self.memory.savings.unwrap_or(0.0)
    }

    /// Small steps of a step: what bears `R` times its mass sinks as `R` over their square.
    pub(super) fn substeps(&self) -> u32 {
        let asked = self.settings.solver.substeps;
        let loaded = mass_ratio(self.step.bodies).sqrt();
        asked.max(SolverSettings::default().substeps.min(loaded as u32))
    }

    /// Work of a step made of small ones that push nothing (–).
    fn small(&self) -> Double {
        2.0 * Double::from(self.substeps()) + 2.0 * CHECK
    }

    /// Work that Newton may always cost (–).
    fn price(&self) -> Double {
        PRICE * self.small()
    }

    /// Did Newton not fail, or is there enough for a try again?
    pub(super) fn may_try(&self) -> bool {
        !self.memory.failed || self.savings() >= self.price()
    }

    /// Is it at rest, and Newton did not solve it? It would fail anew with what it had: it goes on by some
    /// sweeps until twice as much is saved.
    pub(super) fn waits(&self) -> bool {
        let most = self.settings.solver.work_max / PRICE;
        self.savings() < (2.0 * self.memory.vain.unwrap_or(0.0)).min(most)
    }

    /// Saves what sweeps did not cost, which left this residual [m/s].
    pub(super) fn save(&mut self, error: Double) {
        if error > AT_REST * self.settings.solver.tolerance {
            self.memory.vain = None;
        }
        self.memory.savings = Some(self.savings() + self.small());
    }

    /// Work that Newton may take now (–): what is saved, and in any case half of the price for each of the
    /// two problems.
    pub(super) fn allowance(&self) -> Double {
        (self.savings() - self.spent).max(0.5 * self.price())
    }

    /// Did a try after small steps take more than what is saved, and the price? With joints it may, pass by
    /// pass.
    pub(super) fn is_overspent(&self) -> bool {
        let joints = !self.step.joints.is_empty();
        joints && self.memory.failed && self.spent > self.savings() + self.price()
    }

    /// Pays for Newton, which left this residual [m/s].
    pub(super) fn pay(&mut self, is_solved: bool, error: Double) {
        let (savings, price) = (self.savings(), self.price());
        let at_rest = AT_REST * self.settings.solver.tolerance;
        self.memory.failed = !is_solved && !is_rough(error);
        let in_vain = !is_solved && error <= at_rest && self.spent >= savings;
        let before = self.memory.vain.filter(|_| in_vain);
        self.memory.vain = before.map(|_| self.spent);
        self.memory.savings = Some(if is_solved {
            (savings + price).min(savings.max(self.settings.solver.work_max))
        } else if error <= at_rest {
            if before > Some(0.0) { 0.0 } else { savings }
        } else if is_rough(error) {
            (savings - (self.spent - price).max(0.0).min(price)).max(0.0)
        } else {
            savings - self.spent
        });
    }

    /// Earns a part of the price of small steps, which left this residual [m/s].
    pub(super) fn earn(&mut self, error: Double) {
        (self.memory.failed, self.memory.aside) = (true, None);
        self.memory.savings = Some(self.savings() + (ROUGH / error).min(TRIES) * self.small());
    }

    /// Does a body of a tiny island turn so fast that its contacts and inertia are others within the step?
    pub(super) fn turns_fast(&self) -> bool {
        let step = &*self.step;
        let plain = self.rows() <= TINY && step.rolling.is_empty();
        plain
            && !step.bounces()
            && step.members.iter().zip(step.velocity_last).any(|(&i, v)| {
                let body = &self.sources.bodies[i as usize];
                let turn = self.dt * DVec3::new(v[3], v[4], v[5]).length();
                // The contacts of swept bodies are of where they meet, and do not turn with them.
                let turns = !body.swept && !body.locked_axes.locks_rotation();
                turn > FAST && turns && !is_round(body.inertia())
            })
    }
}
