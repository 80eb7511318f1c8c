//! The solvers of an island's problems, and what judges them.
//!
//! Input: an island, with the tolerance and the work that the policy allows. Output: its biased or its
//! relaxed unknowns, and how they were found. [`Solvers::measure`] judges impulses, by the velocity that
//! they give; [`Solvers::certify`] judges velocities and impulses as they are, whoever made them. A solver
//! may go on from where another stopped. Cost: that of the solver; two sweeps for a certificate.

use super::by_mass::ByMass;
use super::domains::Leaves;
use super::island::Island;
use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::expand::Rows;
use crate::engine::lcp::manifold::Lanes;
use crate::engine::lcp::newton;
use crate::engine::lcp::newton::joints_only;
use crate::engine::lcp::newton::joints_only::JointsScratch;
use crate::engine::lcp::newton::wrench::Wrench;
use crate::engine::lcp::newton::{ManifoldProblem, NewtonParams, NewtonScratch};
use crate::engine::lcp::pgs::{self, PgsParams, PgsScratch};
use crate::engine::lcp::rows::dot3;
use crate::engine::lcp::sweeps::SweepScratch;
use crate::engine::lcp::{Iterate, Problem, SolveStats, Status};
use crate::engine::papers::solvers::lemke::{self, LemkeParams};
use crate::engine::step::assemble::Unknowns;
use crate::engine::tuning::newton::{AIM, TINY};
use crate::engine::tuning::policy::{HALF_WORK, TURNS};
use crate::engine::tuning::work::ROUNDED;
use crate::math::Double;

/// The solvers with their buffers, whose content never influences a result.
#[derive(Debug, Default)]
pub(super) struct Solvers {
    pgs: PgsScratch,
    newton: NewtonScratch,
    joints_only: JointsScratch,
    by_mass: ByMass,
    pub(super) sweeps: SweepScratch,
    pub(super) leaves: Leaves,
    rows: Rows,
    biases: Vec<Lanes>,
    /// The best unknowns that sweeps have found.
    pub(super) best: Unknowns,
}

/// Solves one of the two problems of an island; true for the relaxed one.
pub(super) type Solve<'a> = dyn FnMut(&mut Solvers, &mut Island<'_, '_>, bool) -> SolveStats + 'a;

/// An island with the solvers, and the way in which its problems are solved.
pub(super) struct Bench<'s, 'a, 'b> {
    pub(super) state: &'s mut Solvers,
    pub(super) island: &'s mut Island<'a, 'b>,
    pub(super) by: &'s mut Solve<'s>,
}

impl Bench<'_, '_, '_> {
    /// Solves the biased or the relaxed problem.
    pub(super) fn solve(&mut self, relaxed: bool) -> SolveStats {
        (self.by)(self.state, self.island, relaxed)
    }
}

impl Solvers {
    /// The cone Newton; where contacts ask for the impossible they give way.
    pub(super) fn newton_or_press(
        &mut self,
        island: &mut Island<'_, '_>,
        relaxed: bool,
        work_max: Double,
        patient: bool,
    ) -> SolveStats {
        let mut stats = self.newton_solve(island, relaxed, work_max, patient);
        if stats.status == Status::Infeasible {
            island.memory.pressed = true;
            self.give_way(island, relaxed);
            stats.add(&self.newton_solve(island, relaxed, work_max, patient));
            for (m, bias) in island.step.manifolds.iter_mut().zip(&self.biases) {
                m.bias = *bias;
            }
        }
        stats
    }

    /// Lets contacts ask for no more than they have at the velocity at hand, and forgets their impulses.
    fn give_way(&mut self, island: &mut Island<'_, '_>, relaxed: bool) {
        let step = &mut *island.step;
        let unknowns = if relaxed { &mut step.relaxed } else { &mut step.biased };
        self.biases.clear();
        for m in step.manifolds.iter_mut() {
            self.biases.push(m.bias);
            for lane in 0..m.count as usize {
                let speed = dot3(&m.normal, &m.velocity(lane, unknowns.velocity));
                m.bias[lane] = m.bias[lane].max(-speed);
            }
        }
        unknowns.contact_impulse.fill([0.0; 3]);
    }

    /// The cone Newton with a budget of work; for joints alone their factor, whatever it costs.
    fn newton_solve(
        &mut self,
        island: &mut Island<'_, '_>,
        relaxed: bool,
        work_max: Double,
        patient: bool,
    ) -> SolveStats {
        let idle = island.is_mechanism();
        let hurried = island.is_swept_at_last() && island.rows() > TINY;
        let half_work = if hurried { HALF_WORK } else { Double::INFINITY };
        let params = island.params(work_max);
        let (problem, mut iterate) = island.step.unknowns(usize::from(relaxed));
        let solver = &island.settings.solver;
        let memory = &mut *island.memory;
        // Contacts that did not push may be none: chains that fold have many near each other.
        let idle = idle && iterate.contact.iter().all(|c| *c == [0.0; 3]);
        let alone = ManifoldProblem { manifolds: &[], ..problem };
        let mut before = 0.0;
        if (problem.manifolds.is_empty() || idle)
            && joints_only::suits(&alone)
            && let Some(mut stats) = joints_only::solve(
                &alone,
                &mut iterate,
                solver.tolerance,
                &mut memory.joints_only.get_or_insert_default()[usize::from(relaxed)],
                &mut self.joints_only,
            )
        {
            if stats.iterations > 0 {
                memory.newton.mark_changed();
            }
            if !problem.manifolds.is_empty() {
                stats.certificate = newton::measure(&problem, &iterate, &mut self.newton);
            }
            if stats.certificate.error() <= solver.tolerance {
                island.charge(&stats);
                return stats;
            }
            before = stats.work;
        }
        let params = NewtonParams { half_work, patient, ..params };
        let (kept, scratch) = (&mut memory.newton, &mut self.newton);
        let mut stats = newton::solve(&problem, None, &mut iterate, &params, kept, scratch);
        stats.work += before;
        island.charge(&stats);
        stats
    }

    /// Divides an island into light bodies and heavy ones; false if there are not both.
    pub(super) fn divide_by_mass(&mut self, island: &Island<'_, '_>) -> bool {
        let plain = island.is_plain() && island.step.joints.is_empty();
        plain && self.by_mass.divide(&island.step.problem())
    }

    /// Light bodies and heavy ones in turns; none if there are not both, all is good, or turns lead nowhere.
    pub(super) fn by_mass(
        &mut self,
        island: &mut Island<'_, '_>,
        relaxed: bool,
        work_max: Double,
    ) -> Option<SolveStats> {
        let (of, tolerance) = (usize::from(relaxed), island.settings.solver.tolerance);
        if !self.divide_by_mass(island) {
            return None;
        }
        let measured = self.measure(island, of);
        if island.memory.newton.accepts(measured, tolerance) {
            return None;
        }
        let params = island.params(work_max);
        let (members, bodies) = (island.step.members, island.sources.bodies);
        let memory = island.memory.heavy();
        let id = |&i: &u32| bodies[members[i as usize] as usize].id();
        if !memory.go_on(self.by_mass.heavies.iter().map(id)) {
            return None;
        }
        let step = &mut *island.step;
        self.best.take(if relaxed { &step.relaxed } else { &step.biased });
        let (problem, mut iterate) = step.unknowns(of);
        let judge = (island.pool, &mut self.newton);
        let stats = self.by_mass.solve(&problem, &mut iterate, &params, &mut memory.newton, judge);
        let leads = stats.status != Status::Stalled;
        memory.note(leads);
        island.charge(&stats);
        if leads {
            island.memory.newton.mark_changed();
            return Some(stats);
        }
        let step = &mut *island.step;
        if relaxed { &mut step.relaxed } else { &mut step.biased }.put(&self.best);
        None
    }

    /// Scalar sweeps.
    pub(super) fn row_sweeps(&mut self, island: &mut Island<'_, '_>, relaxed: bool) -> SolveStats {
        let iterations_max = island.settings.solver.sweeps_max;
        let params = PgsParams { iterations_max, ..PgsParams::default() };
        self.on_rows(island, relaxed, |problem, iterate, tolerance, scratch| {
            pgs::solve(problem, iterate, &PgsParams { tolerance, ..params }, scratch)
        })
    }

    /// Lemke's algorithm; its size is counted in contacts, by whoever asks for it.
    pub(super) fn lemke(&mut self, island: &mut Island<'_, '_>, relaxed: bool) -> SolveStats {
        let work_max = island.share() * island.step.problem().budget();
        self.on_rows(island, relaxed, |problem, iterate, tolerance, _| {
            lemke::solve(problem, iterate, &LemkeParams { tolerance, work_max })
        })
    }

    /// Calls a solver that knows rows, with the tolerance to aim at.
    fn on_rows(
        &mut self,
        island: &mut Island<'_, '_>,
        relaxed: bool,
        solve: impl FnOnce(&Problem<'_>, &mut Iterate<'_>, Double, &mut PgsScratch) -> SolveStats,
    ) -> SolveStats {
        let tolerance = island.settings.solver.tolerance;
        let aim = match island.memory.changed[usize::from(relaxed)] {
            // Rounding at a meter a second allows no finer.
            true => (AIM * tolerance).max(ROUNDED).min(tolerance),
            false => tolerance,
        };
        let step = &mut *island.step;
        let unknowns = if relaxed { &mut step.relaxed } else { &mut step.biased };
        let bodies = &*step.bodies;
        let manifolds = &*step.manifolds;
        let world = &mut *unknowns.contact_impulse;
        self.rows.expand(manifolds, bodies, world);
        let problem = Problem {
            bodies,
            joints: &*step.joints,
            contacts: &self.rows.contacts,
            rolling: step.rolling,
            cone: step.cone,
        };
        let mut iterate = Iterate {
            velocity: &mut *unknowns.velocity,
            joint_impulse: &mut *unknowns.joint_impulse,
            contact_impulse: &mut self.rows.impulse,
            rolling_impulse: &mut *unknowns.rolling_impulse,
        };
        let mut stats = solve(&problem, &mut iterate, aim, &mut self.pgs);
        self.rows.keep(manifolds, world);
        island.charge(&stats);
        island.memory.changed[usize::from(relaxed)] = stats.iterations > 0;
        if stats.iterations > 0 {
            island.memory.newton.mark_changed();
        }
        if stats.certificate.error() <= tolerance {
            stats.status = Status::Converged;
        }
        stats
    }

    /// Scalar sweeps and the cone Newton in turns, each from where the other stopped; of a linear problem the
    /// first turn is Lemke's algorithm, whose pivots leave more than rounding.
    pub(super) fn take_turns(
        &mut self,
        island: &mut Island<'_, '_>,
        relaxed: bool,
        budget: Double,
    ) -> SolveStats {
        let mut stats = match island.is_linear() {
            true => self.lemke(island, relaxed),
            false => self.row_sweeps(island, relaxed),
        };
        for _ in 0..TURNS {
            if stats.status == Status::Converged {
                break;
            }
            stats.add(&self.newton_solve(island, relaxed, budget, true));
            if stats.status != Status::Converged {
                stats.add(&self.row_sweeps(island, relaxed));
            }
        }
        stats
    }

    /// Largest speed at which contacts approach each other before the step.
    pub(super) fn approach(&mut self, island: &Island<'_, '_>) -> Double {
        let step = &*island.step;
        let problem = ManifoldProblem { joints: &[], ..step.problem() };
        newton::approach(&problem, step.velocity_last, island.pool, &mut self.newton)
    }

    /// Residual of the impulses of the biased (0) or relaxed (1) problem.
    pub(super) fn measure(&mut self, island: &mut Island<'_, '_>, of: usize) -> Certificate {
        let (problem, iterate) = island.step.unknowns(of);
        newton::measure(&problem, &iterate, &mut self.newton)
    }

    /// Takes what was measured last: the impulses in their cones, and the velocity rebuilt from them.
    pub(super) fn take_measured(&self, island: &mut Island<'_, '_>, of: usize) {
        let (problem, mut iterate) = island.step.unknowns(of);
        self.newton.give(&problem, &mut iterate);
    }

    /// Takes the impulses in their cones, and the velocity rebuilt from them.
    pub(super) fn rebuild(&mut self, island: &mut Island<'_, '_>, of: usize) {
        let (problem, mut iterate) = island.step.unknowns(of);
        newton::rebuild(&problem, &mut iterate, &mut self.newton);
    }

    /// Takes the velocity of the relaxed problem that impulses give which do this to the bodies.
    pub(super) fn rebuild_by(&mut self, island: &mut Island<'_, '_>, wrenches: &[Wrench]) {
        let (problem, mut iterate) = island.step.unknowns(1);
        newton::rebuild_by(&problem, &mut iterate, wrenches, &mut self.newton);
    }

    /// Residual of the velocities and impulses of the biased (0) or relaxed (1) problem.
    pub(super) fn certify(&mut self, island: &mut Island<'_, '_>, of: usize) -> Certificate {
        let (problem, mut iterate) = island.step.unknowns(of);
        newton::certify(&problem, &mut iterate, island.pool, &mut self.newton)
    }

    /// Residual of the carried velocities and their impulses: of the problem without push.
    pub(super) fn certify_carried(&mut self, island: &mut Island<'_, '_>) -> Certificate {
        island.step.take_push(-1.0);
        let certificate = self.certify(island, 1);
        island.step.take_push(1.0);
        certificate
    }
}
