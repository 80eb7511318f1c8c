//! Pairs of a step by runs, each of which one thread goes through.
//!
//! Input: all pairs, and of which of them a step has to know more. Output: calls with some of these at a
//! time, whose memory was asked for before. What is said of a pair does not depend on those beside it.
//! O(pairs looked at).

use smallvec::SmallVec;

use super::pair_head::{Guard, Head};
use super::pairs::{ABREAST, Pair, Pairs, fetch};
use crate::engine::tuning::threads::PAIRS_MIN;
use crate::math::Real;
use crate::par::Pool;

/// A run of pairs, for one task.
struct Run<'a> {
    heads: &'a mut [Head],
    guards: &'a mut [Guard],
    pairs: &'a mut [Box<Pair>],
    /// Place of the first.
    start: usize,
}

impl Run<'_> {
    /// Works on some of its pairs together.
    fn work_on<T>(
        &mut self,
        due: &mut SmallVec<[(usize, T); ABREAST]>,
        work: &impl Fn(&mut PairBatch<'_, T>),
    ) {
        let Run { heads, guards, pairs, .. } = self;
        let known = due.iter().map(|&(k, _)| &*pairs[k]);
        fetch(known.clone());
        // Where and how they were measured, of which nobody else asks.
        let last = |pair: &Pair| pair.measured.as_ref().map_or(0.0, |known| known.last.between.x);
        core::hint::black_box(known.map(|pair| pair.cache.normal.x + last(pair)).sum::<Real>());
        work(&mut PairBatch { due, heads, guards, pairs });
        due.clear();
    }
}

/// Pairs that are worked on together.
pub(in crate::engine) struct PairBatch<'a, T> {
    /// Their places in the run, and what was said of them.
    pub(in crate::engine) due: &'a [(usize, T)],
    heads: &'a mut [Head],
    guards: &'a mut [Guard],
    pairs: &'a mut [Box<Pair>],
}

impl<T> PairBatch<'_, T> {
    /// One of them.
    pub(in crate::engine) fn at(&mut self, k: usize) -> (&mut Head, &mut Guard, &mut Pair, &T) {
        let (place, due) = &self.due[k];
        (&mut self.heads[*place], &mut self.guards[*place], &mut self.pairs[*place], due)
    }
}

/// Runs for each thread, and for all.
const RUNS: usize = 8;
const RUNS_MAX: usize = 128;

impl Pairs {
    /// Calls `work` with every pair of which `judge`, told its head, says that it is to be looked at in this
    /// step, some of them together, and what it says.
    pub(in crate::engine) fn measure<T>(
        &mut self,
        pool: &dyn Pool,
        judge: impl Fn(&Head, &mut Guard) -> Option<T> + Sync,
        work: impl Fn(&mut PairBatch<'_, T>) + Sync,
    ) {
        self.take_up_changes();
        let Self { list, heads, guards, seen, step, measured, .. } = self;
        let (seen, step) = (&*seen, *step);
        let measure = |run: &mut Run<'_>| {
            let end = run.start + run.heads.len();
            let from = seen.partition_point(|&p| (p as usize) < run.start);
            let to = seen.partition_point(|&p| (p as usize) < end);
            let mut due: SmallVec<[(usize, T); ABREAST]> = SmallVec::new();
            for place in &seen[from..to] {
                let k = *place as usize - run.start;
                let (head, guard) = (&mut run.heads[k], &mut run.guards[k]);
                if head.dormant || guard.seen == step {
                    continue;
                }
                head.measured = false;
                due.extend(judge(head, guard).map(|due| (k, due)));
                guard.seen = step;
                if due.len() == ABREAST {
                    run.work_on(&mut due, &work);
                }
            }
            run.work_on(&mut due, &work);
        };
        let few = (*measured as usize) < 2 * PAIRS_MIN;
        let runs = if few { 1 } else { RUNS * pool.threads() };
        let size = list.len().div_ceil(runs).max(PAIRS_MIN).max(list.len().div_ceil(RUNS_MAX));
        let mut start = 0;
        let mut parts: SmallVec<[Run<'_>; RUNS_MAX]> = SmallVec::new();
        let guards = guards.chunks_mut(size);
        for ((heads, guards), pairs) in
            heads.chunks_mut(size).zip(guards).zip(list.chunks_mut(size))
        {
            parts.push(Run { heads, guards, pairs, start });
            start += size;
        }
        pool.run(&mut parts, 1, |parts| parts.iter_mut().for_each(measure));
    }
}
