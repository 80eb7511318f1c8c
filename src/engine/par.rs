//! Work on disjoint parts of a list, possibly at the same time.
//!
//! The engine starts no threads of its own: a [`Pool`] comes from outside. Whatever it does, the result
//! is the same, because every item is a function of itself and of shared, unchanging data; buffers that
//! threads have for themselves hold nothing that counts.

use std::sync::{Mutex, PoisonError};

/// Runs a function over disjoint parts of a list.
pub trait Pool {
    /// How many threads work at the same time, at most.
    fn threads(&self) -> usize;

    /// Calls `work` on parts of `items` that together make up all of them, in any order and on any
    /// thread, and returns when all calls have ended. Parts of less than `least` items are not worth it.
    fn run<T: Send>(&self, items: &mut [T], least: usize, work: impl Fn(&mut [T]) + Sync);
}

/// All of it at once, on this thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Pool for Serial {
    fn threads(&self) -> usize {
        1
    }

    fn run<T: Send>(&self, items: &mut [T], _: usize, work: impl Fn(&mut [T]) + Sync) {
        work(items);
    }
}

/// As many threads as it says, this one and scoped ones that are started for each call: for tests, and for
/// programs without a pool. Whichever is idle takes the next part.
#[derive(Clone, Copy, Debug)]
pub struct Threads(
    /// Number of threads, at least 1.
    pub usize,
);

/// Parts of a list for each thread.
const PARTS: usize = 8;

impl Pool for Threads {
    fn threads(&self) -> usize {
        self.0.max(1)
    }

    fn run<T: Send>(&self, items: &mut [T], least: usize, work: impl Fn(&mut [T]) + Sync) {
        let threads = self.threads();
        let part = items.len().div_ceil(PARTS * threads).max(least).max(1);
        let others = threads.min(items.len().div_ceil(part)).saturating_sub(1);
        let parts = Mutex::new(items.chunks_mut(part));
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        let take = || {
            while let Some(items) = next() {
                work(items);
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
