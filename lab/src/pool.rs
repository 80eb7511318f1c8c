//! Threads that wait for work, for times: those of [`Threads`](orthant::engine::par::Threads) are started
//! anew for each call.

use orthant::engine::par::{Job, Pool};
use rayon_core::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// So many threads, each on a core of its own, and this one, which waits for them.
#[derive(Debug)]
pub struct Waiting(ThreadPool);

impl Waiting {
    /// Starts the threads, or tells why it could not.
    pub fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let cores = core_affinity::get_core_ids().unwrap_or_default();
        let stay = move |thread: usize| {
            cores.get(thread).copied().map(core_affinity::set_for_current);
        };
        ThreadPoolBuilder::new().num_threads(threads).start_handler(stay).build().map(Self)
    }
}

impl Pool for Waiting {
    fn threads(&self) -> usize {
        self.0.current_num_threads()
    }

    fn call(&self, jobs: &mut [Job<'_>]) {
        self.0.scope(|scope| jobs.iter_mut().for_each(|job| scope.spawn(|_| job())));
    }
}
