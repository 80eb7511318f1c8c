//! Light bodies and the heavy ones on which they lie, solved in turns.
//!
//! Input: an island and a warm start. Output: its solution, or word that turns find none. One turn is
//!
//! ```text
//! light   every group of light bodies that touch, on heavy ones that move as they do now
//! heavy   those alone, from v* + M⁻¹ Jᵀ l of the impulses l on light ones
//! ```
//!
//! What strikes a light body changes the velocity of a heavy one by the ratio of their masses, and so does a
//! turn the error (Gauss–Seidel over two blocks of bodies). Groups are small, a pebble most often; heavy
//! bodies keep their factor while pebbles come, roll and go, and none of the whole is made where one slides.
//! The certificate is that of the whole island. Cost: the solves'.

use crate::engine::lcp::certificate::distance;
use crate::engine::lcp::manifold::Manifold;
use crate::engine::lcp::newton::{
    self, ManifoldIterate, ManifoldProblem, NewtonMemory, NewtonParams, NewtonScratch,
};
use crate::engine::lcp::rows::inverse_mass_mul;
use crate::engine::lcp::{BodyBlock, SolveStats, Status, Vec6};
use crate::engine::step::islands::Islands;
use crate::engine::tuning::by_mass::LIGHT;
use crate::engine::tuning::newton::{AIM, AT_REST};
use crate::engine::tuning::work::{CHECK, ROUNDS};
use crate::math::{Double, Groups, fill_from, refill};
use crate::par::Pool;

/// Mass of a body (kg), at least 1 where a direction is locked.
fn mass(body: &BodyBlock) -> Double {
    body.mass.iter().fold(0.0, |most: Double, x| most.max(*x))
}

/// Some bodies of an island with their contacts, as a problem by itself.
#[derive(Debug, Default)]
struct Subproblem {
    bodies: Vec<BodyBlock>,
    manifolds: Vec<Manifold>,
    velocity: Vec<Vec6>,
    contact: Vec<[Double; 3]>,
}

impl Subproblem {
    /// Takes bodies and manifolds, with their unknowns, from these places in an island. A body that has no
    /// place here moves as it does there.
    fn take(
        &mut self,
        [members, manifolds]: [&[u32]; 2],
        problem: &ManifoldProblem<'_>,
        iterate: &ManifoldIterate<'_>,
        place: impl Fn(u32) -> Option<u32>,
    ) {
        let world = members.len() as u32;
        fill_from(&mut self.bodies, members.iter().map(|&i| problem.bodies[i as usize]));
        fill_from(&mut self.velocity, members.iter().map(|&i| iterate.velocity[i as usize]));
        self.manifolds.clear();
        self.contact.clear();
        for &k in manifolds {
            let whole = &problem.manifolds[k as usize];
            let ends = [whole.a, whole.b];
            let [a, b] = ends.map(|i| place(i).unwrap_or(world));
            let mut m = Manifold { a, b, first: self.contact.len() as u32, ..*whole };
            let velocity = |i: u32| iterate.velocity.get(i as usize).copied();
            let others = ends.map(|i| velocity(i).filter(|_| place(i).is_none()));
            for lane in 0..m.count as usize {
                let speed = whole.relative(lane, &others);
                (0..3).for_each(|k| m.drift[k][lane] += speed[k]);
                self.contact.push(iterate.contact[whole.first as usize + lane]);
            }
            self.manifolds.push(m);
        }
    }

    /// Forgets its start: where the last step's leads nowhere, none may lead somewhere.
    fn reset(&mut self) {
        self.contact.fill([0.0; 3]);
        let free = self.bodies.iter().map(|body| body.velocity_free);
        self.velocity.iter_mut().zip(free).for_each(|(v, free)| *v = free);
    }

    /// Gives their unknowns back.
    fn put(
        &self,
        [members, manifolds]: [&[u32]; 2],
        problem: &ManifoldProblem<'_>,
        iterate: &mut ManifoldIterate<'_>,
    ) {
        members.iter().zip(&self.velocity).for_each(|(&i, v)| iterate.velocity[i as usize] = *v);
        for (m, &k) in self.manifolds.iter().zip(manifolds) {
            let first = problem.manifolds[k as usize].first as usize;
            let (count, from) = (m.count as usize, m.first as usize);
            iterate.contact[first..first + count]
                .copy_from_slice(&self.contact[from..from + count]);
        }
    }

    /// Solves it; the work is told in sweeps over an island of size `of`.
    fn solve(
        &mut self,
        of: Double,
        params: &NewtonParams,
        memory: &mut NewtonMemory,
        scratch: &mut NewtonScratch,
    ) -> SolveStats {
        let problem = ManifoldProblem::round(&self.bodies, &self.manifolds, &[]);
        let mut iterate = ManifoldIterate {
            velocity: &mut self.velocity,
            contact: &mut self.contact,
            rolling: &mut [],
            joint: &mut [],
        };
        let mut stats = newton::solve(&problem, None, &mut iterate, params, memory, scratch);
        stats.work *= problem.size() / of;
        stats
    }
}

/// Buffers, and how the island at hand is divided.
#[derive(Debug, Default)]
pub(super) struct ByMass {
    masses: Vec<Double>,
    is_light: Vec<bool>,
    /// Light bodies that touch.
    groups: Islands,
    /// Do bodies touch heavy ones, or what is fixed?
    stands: Vec<bool>,
    /// Places of the heavy bodies in the island, ascending.
    pub(super) heavies: Vec<u32>,
    /// Manifolds of each group, then those between heavy bodies.
    manifolds: Groups,
    part: Subproblem,
    heavy: Subproblem,
    scratch: NewtonScratch,
    memory: NewtonMemory,
    impulses: Vec<Vec6>,
    /// Velocities beside which light bodies were solved.
    seen: Vec<Vec6>,
}

impl ByMass {
    /// Divides an island where the masses of its bodies leave the first gap, seen from the lightest. False if
    /// there is none, light bodies that touch are the larger problem, or a heavy one touches light ones only,
    /// which may bear it.
    pub(super) fn divide(&mut self, problem: &ManifoldProblem<'_>) -> bool {
        let bodies = problem.bodies;
        fill_from(&mut self.masses, bodies.iter().map(mass));
        self.masses.sort_unstable_by(Double::total_cmp);
        let gap = self.masses.windows(2).find(|pair| pair[0] <= LIGHT * pair[1]);
        let Some(most) = gap.map(|pair| pair[0]) else { return false };
        fill_from(&mut self.is_light, bodies.iter().map(|body| mass(body) <= most));
        fill_from(
            &mut self.heavies,
            (0..bodies.len() as u32).filter(|&i| !self.is_light[i as usize]),
        );
        let n = bodies.len() as u32;
        let edges = problem.manifolds.iter().map(|m| [m.a, m.b]);
        self.groups.build(&self.is_light, edges.filter(|[a, b]| *a < n && *b < n));
        let (groups, island) = (self.groups.len(), &self.groups.island);
        let group = |i: u32| island.get(i as usize).copied().unwrap_or(u32::MAX);
        let of = |m: &Manifold| group(m.a).min(group(m.b)).min(groups as u32);
        self.manifolds.fill(groups + 1, problem.manifolds.iter().map(of));
        let heavy = self.manifolds.of(groups);
        if (0..groups).any(|k| self.manifolds.of(k).len() > heavy.len()) {
            return false;
        }
        refill(&mut self.stands, bodies.len() + 1, false);
        for &k in heavy {
            let m = &problem.manifolds[k as usize];
            [m.a, m.b].into_iter().for_each(|i| self.stands[i as usize] = true);
        }
        self.heavies.iter().all(|&i| self.stands[i as usize])
    }

    /// Solves the island that was divided last, with the memory of its heavy bodies. What light bodies leave
    /// unsolved, but near, ends at the iteration limit; where the turns lead nowhere it is stalled.
    pub(super) fn solve(
        &mut self,
        problem: &ManifoldProblem<'_>,
        iterate: &mut ManifoldIterate<'_>,
        params: &NewtonParams,
        memory: &mut NewtonMemory,
        (pool, judge): (&dyn Pool, &mut NewtonScratch),
    ) -> SolveStats {
        let mut stats = SolveStats { work: CHECK, ..Default::default() };
        let half = NewtonParams { tolerance: 0.5 * params.tolerance, ..*params };
        let work_max = params.work_max * problem.budget();
        let (mut left, mut moved, size) = (false, Double::INFINITY, problem.size());
        let places = [&*self.heavies, self.manifolds.of(self.groups.len())];
        let place = |i| places[0].binary_search(&i).ok().map(|place| place as u32);
        self.heavy.take(places, problem, iterate, place);
        refill(&mut self.seen, problem.bodies.len(), [Double::INFINITY; 6]);
        for turn in 0..ROUNDS {
            let error = self.solve_light(problem, iterate, &half, &mut stats);
            left |= error > half.tolerance;
            if error > AT_REST * params.tolerance || stats.work > work_max {
                return SolveStats { status: Status::Stalled, ..stats };
            }
            let change = self.load(problem, iterate.contact);
            // What bears a heavy body gives back all that it moves.
            let bears = change > (0.5 * moved).max(half.tolerance);
            if bears || turn > 0 && change <= half.tolerance {
                left &= !bears;
                break;
            }
            let places = [&*self.heavies, self.manifolds.of(self.groups.len())];
            let loaded = NewtonParams { loaded: true, ..half };
            let found = self.heavy.solve(size, &loaded, memory, &mut self.scratch);
            self.heavy.put(places, problem, iterate);
            moved = distance(&self.seen, iterate.velocity);
            stats.add(&found);
            if found.status != Status::Converged {
                return SolveStats { status: Status::Stalled, ..stats };
            }
        }
        stats.certificate = newton::certify(problem, iterate, pool, judge);
        let error = stats.certificate.error();
        stats.status = match left {
            _ if error <= params.tolerance => Status::Converged,
            true if error <= AT_REST * params.tolerance => Status::IterationLimit,
            _ => Status::Stalled,
        };
        stats
    }

    /// Solves the groups of light bodies that are new or whose heavy ones move otherwise than before; the
    /// largest error left [m/s].
    fn solve_light(
        &mut self,
        problem: &ManifoldProblem<'_>,
        iterate: &mut ManifoldIterate<'_>,
        params: &NewtonParams,
        stats: &mut SolveStats,
    ) -> Double {
        let (mut worst, size): (Double, _) = (0.0, problem.size());
        for k in 0..self.groups.len() {
            let places = [self.groups.members_of(k), self.manifolds.of(k)];
            let ends =
                |&k: &u32| [problem.manifolds[k as usize].a, problem.manifolds[k as usize].b];
            let moves = |i: u32| {
                let i = i as usize..i as usize + 1;
                let pair = self.seen.get(i.clone()).zip(iterate.velocity.get(i));
                pair.is_some_and(|(a, b)| distance(a, b) > AIM * params.tolerance)
            };
            // All of them move when they are new, those too that fly without contacts.
            let mut bodies = places[1].iter().flat_map(ends).chain(places[0].iter().copied());
            if !bodies.any(moves) {
                continue;
            }
            let groups = &self.groups;
            self.part.take(places, problem, iterate, |i| {
                let is_here = groups.island.get(i as usize) == Some(&(k as u32));
                is_here.then(|| groups.local[i as usize])
            });
            let mut error = Double::INFINITY;
            for from_nothing in [false, true] {
                if from_nothing {
                    self.part.reset();
                }
                self.memory.forget(params.penalty);
                let found = self.part.solve(size, params, &mut self.memory, &mut self.scratch);
                stats.add(&found);
                if found.certificate.error() < error {
                    error = found.certificate.error();
                    self.part.put(places, problem, iterate);
                }
                if error <= AT_REST * params.tolerance {
                    break;
                }
            }
            worst = worst.max(error);
        }
        iterate.velocity.clone_into(&mut self.seen);
        worst
    }

    /// Loads the heavy bodies with the impulses of light ones; by how much that changes a velocity of theirs
    /// [m/s, rad/s].
    fn load(&mut self, problem: &ManifoldProblem<'_>, contact: &[[Double; 3]]) -> Double {
        refill(&mut self.impulses, problem.bodies.len(), [0.0; 6]);
        for k in 0..self.groups.len() {
            for m in self.manifolds.of(k).iter().map(|&k| &problem.manifolds[k as usize]) {
                for lane in 0..m.count as usize {
                    m.add_impulse(lane, contact[m.first as usize + lane], &mut self.impulses);
                }
            }
        }
        let mut change: Double = 0.0;
        for (heavy, &i) in self.heavy.bodies.iter_mut().zip(&self.heavies) {
            let body = &problem.bodies[i as usize];
            let given = inverse_mass_mul(body, &self.impulses[i as usize]);
            let free = core::array::from_fn(|k| body.velocity_free[k] + given[k]);
            change = change.max(distance(&[free], &[heavy.velocity_free]));
            heavy.velocity_free = free;
        }
        change
    }
}

#[cfg(test)]
mod tests;
