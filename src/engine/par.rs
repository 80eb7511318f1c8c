//! Work on disjoint parts of a list, possibly at the same time.
//!
//! The engine starts no threads of its own: a [`Pool`] comes from outside. Whatever it does, the result
//! is the same, because every item is a function of itself and of shared, unchanging data.

/// Runs a function over disjoint parts of a list.
pub trait Pool {
    /// Calls `work` on parts of `items` that together make up all of them, in any order and on any
    /// thread, and returns when all calls have ended.
    fn run<T: Send>(&self, items: &mut [T], work: impl Fn(&mut [T]) + Sync);
}

/// All of it at once, on this thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Pool for Serial {
    fn run<T: Send>(&self, items: &mut [T], work: impl Fn(&mut [T]) + Sync) {
        work(items);
    }
}

/// As many scoped threads as it says, started for each call: for tests, and for programs without a
/// pool.
#[derive(Clone, Copy, Debug)]
pub struct Threads(
    /// Number of threads, at least 1.
    pub usize,
);

impl Pool for Threads {
    fn run<T: Send>(&self, items: &mut [T], work: impl Fn(&mut [T]) + Sync) {
        let part = items.len().div_ceil(self.0.max(1)).max(1);
        std::thread::scope(|scope| {
            for items in items.chunks_mut(part) {
                scope.spawn(|| work(items));
            }
        });
    }
}
