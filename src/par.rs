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
const JOBS: usize = 64;
/// How often a thread looks whether others have ended before it lets others run.
const SPINS: u32 = 1000;

impl dyn Pool + '_ {
    /// Calls `work` on parts of `items` that together make up all of them, in any order and on any
    /// thread, and returns when all calls have ended. Parts of less than `least` items are not worth it.
    pub fn run<T: Send>(&self, items: &mut [T], least: usize, work: impl Fn(&mut [T]) + Sync) {
        let part = items.len().div_ceil(PARTS * self.threads()).max(least).max(1);
        if self.threads() == 1 || items.len() <= part {
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
    /// calls of a level have ended before the next begins. Threads are asked for once, and wait for each
    /// other awake. O(rounds × levels) beside the calls.
    pub fn rounds(
        &self,
        rounds: usize,
        levels: &[usize],
        work: impl Fn(usize, usize, usize) + Sync,
    ) {
        let size = levels.iter().sum::<usize>().max(1);
        let rounds = if levels.is_empty() { 0 } else { rounds };
        let [next, done] = [AtomicUsize::new(0), AtomicUsize::new(0)];
        let take = || {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let (round, mut k, mut level) = (i / size, i % size, 0);
                if round >= rounds {
                    return;
                }
                while k >= levels[level] {
                    (k, level) = (k - levels[level], level + 1);
                }
                // Who takes a call has all before it taken by those who are at it now, or were.
                let mut waits = 0;
                while done.load(Ordering::Acquire) < i - k {
                    waits += 1;
                    if waits < SPINS { core::hint::spin_loop() } else { std::thread::yield_now() }
                }
                work(round, level, k);
                done.fetch_add(1, Ordering::Release);
            }
        };
        let most = levels.iter().copied().max().unwrap_or(0);
        let mut takes: SmallVec<[_; JOBS]> = (0..most.min(self.threads())).map(|_| &take).collect();
        if takes.len() < 2 {
            return take();
        }
        let mut calls: SmallVec<[_; JOBS]> = takes.iter_mut().map(|take| move || take()).collect();
        let mut jobs: SmallVec<[Job<'_>; JOBS]> =
            calls.iter_mut().map(|call| call as Job<'_>).collect();
        self.call(&mut jobs);
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
