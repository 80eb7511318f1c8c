//! Work on disjoint parts of a list, possibly at the same time.
//!
//! The engine starts no threads of its own: a [`Pool`] comes from outside. Whatever it does, the result
//! is the same, because every item is a function of itself and of shared, unchanging data; buffers that
//! threads have for themselves hold nothing that counts.

use core::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use smallvec::SmallVec;

/// Something to be done once.
pub type Job<'a> = &'a mut (dyn FnMut() + Send);

/// Threads that do jobs.
pub trait Pool: Debug + Sync {
    /// How many threads work at the same time, at most.
    fn threads(&self) -> usize;

    /// Does each job once, in any order and on any thread, and returns when all have ended.
    fn call(&self, jobs: &mut [Job<'_>]);
}

/// Parts of a list for each thread: whichever is idle takes the next.
const PARTS: usize = 4;
/// Jobs of a list for which no memory is asked.
pub(crate) const JOBS: usize = 64;
/// How often a thread looks whether others have ended before it lets others run.
const SPINS: u32 = 1000;

/// Length of the parts of a list that are worked on at the same time, at most so many that no memory is asked
/// for them, and whatever the pool: sums over parts do not depend on it. Parts of less than `least` items are
/// not worth it.
pub(crate) const fn part_of(items: usize, least: usize) -> usize {
    let part = items.div_ceil(JOBS);
    if part < least { least } else { part }
}

impl dyn Pool + '_ {
    /// Size of the parts of a list of so many items, of which at least `least` are worth a part: all of it on
    /// one thread, and where there are fewer than twice as many.
    pub(crate) fn part(&self, items: usize, least: usize) -> usize {
        let most = if self.threads() < 2 { 1 } else { PARTS * self.threads() };
        items.div_ceil((items / least.max(1)).max(1).min(most)).max(1)
    }

    /// Calls `work` on parts of `items` that together make up all of them, in any order and on any
    /// thread, and returns when all calls have ended. Parts of less than `least` items are not worth it.
    pub fn run<T: Send>(&self, items: &mut [T], least: usize, work: impl Fn(&mut [T]) + Sync) {
        let part = self.part(items.len(), least);
        if items.len() <= part {
            return work(items);
        }
        let work = &work;
        let mut parts: SmallVec<[_; JOBS]> =
            items.chunks_mut(part).map(|items| move || work(items)).collect();
        let mut jobs: SmallVec<[Job<'_>; JOBS]> =
            parts.iter_mut().map(|part| part as Job<'_>).collect();
        self.call(&mut jobs);
    }

    /// Calls `work(round, level, k)` for each `k` below `levels[level]`, level by level, in each round: all
    /// calls of a level have ended before the next begins. Threads are asked for once, wait for each other
    /// awake, and begin with the same part of each level, whose memory they have at hand. O(rounds × calls
    /// of a round) beside the calls.
    pub fn rounds(
        &self,
        rounds: usize,
        levels: &[usize],
        work: impl Fn(usize, usize, usize) + Sync,
    ) {
        let takers = levels.iter().copied().max().unwrap_or(0).min(self.threads());
        let calls = (0..levels.iter().sum()).map(|_| AtomicUsize::new(0));
        let (taken, ended) = (calls.collect::<SmallVec<[_; JOBS]>>(), AtomicUsize::new(0));
        let take = |taker: usize| {
            let mut before = 0;
            for round in 0..rounds {
                let mut first = 0;
                for (level, &count) in levels.iter().enumerate() {
                    // All before were taken by threads that are at work on them.
                    await_all(&ended, before);
                    for i in 0..count {
                        let k = (i + taker * count / takers) % count;
                        let [now, next] = [round, round + 1];
                        let order = Ordering::Relaxed;
                        if taken[first + k].compare_exchange(now, next, order, order).is_ok() {
                            let _ended = Ended(&ended);
                            work(round, level, k);
                        }
                    }
                    (before, first) = (before + count, first + count);
                }
            }
        };
        if takers < 2 {
            return take(0);
        }
        let mut takes: SmallVec<[_; JOBS]> = (0..takers)
            .map(|i| {
                let take = &take;
                move || take(i)
            })
            .collect();
        let mut jobs: SmallVec<[Job<'_>; JOBS]> =
            takes.iter_mut().map(|take| take as Job<'_>).collect();
        self.call(&mut jobs);
    }
}

/// Counts a call that ends, also by a panic: nobody waits for ever for one that will not.
struct Ended<'a>(&'a AtomicUsize);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// Waits until so many calls have ended.
fn await_all(ended: &AtomicUsize, calls: usize) {
    let mut looks = 0;
    while ended.load(Ordering::Acquire) < calls {
        looks += 1;
        if looks < SPINS { core::hint::spin_loop() } else { std::thread::yield_now() }
    }
}

/// All of it one after the other, on this thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Pool for Serial {
    fn threads(&self) -> usize {
        1
    }

    fn call(&self, jobs: &mut [Job<'_>]) {
        jobs.iter_mut().for_each(|job| job());
    }
}

/// As many threads as it says, this one and scoped ones that are started for each call: for tests, and for
/// programs without a pool.
#[derive(Clone, Copy, Debug)]
pub struct Threads(
    /// Number of threads, at least 1.
    pub usize,
);

impl Pool for Threads {
    fn threads(&self) -> usize {
        self.0.max(1)
    }

    fn call(&self, jobs: &mut [Job<'_>]) {
        let others = self.threads().min(jobs.len()).saturating_sub(1);
        let jobs = Mutex::new(jobs.iter_mut());
        let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
        let take = || {
            while let Some(job) = next() {
                job();
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..others {
                scope.spawn(take);
            }
            take();
        });
    }
}

#[cfg(test)]
mod tests;
