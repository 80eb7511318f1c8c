//! Threads that wait for work, for times: those of [`Threads`] are started anew for each call. Threads that
//! count what they are called for.

use std::sync::atomic::{AtomicUsize, Ordering};

use orthant::engine::par::{Job, Pool, Serial, Threads};

/// So many threads, and the most jobs that they were called for at once.
#[derive(Debug)]
pub struct Counted {
    threads: Threads,
    most: AtomicUsize,
}

impl Counted {
    pub const fn new(threads: usize) -> Self {
        Self { threads: Threads(threads), most: AtomicUsize::new(0) }
    }

    /// Jobs of the call that had most: none is called for what one thread does by itself.
    pub fn most(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }
}

impl Pool for Counted {
    fn threads(&self) -> usize {
        self.threads.threads()
    }

    fn call(&self, jobs: &mut [Job<'_>]) {
        self.most.fetch_max(jobs.len(), Ordering::Relaxed);
        self.threads.call(jobs);
    }
}

/// So many threads, each on a core of its own, beside this one, which waits for them; one is this one, as
/// all are where there are no threads. An error where they cannot be had.
pub fn waiting(threads: usize) -> Result<Box<dyn Pool>, String> {
    #[cfg(not(target_family = "wasm"))]
    if threads > 1 {
        return Ok(Box::new(many::Waiting::new(threads)?));
    }
    let _ = threads;
    Ok(Box::new(Serial))
}

#[cfg(not(target_family = "wasm"))]
mod many {
    use orthant::engine::par::{Job, Pool};
    use rayon_core::{ThreadPool, ThreadPoolBuilder};

    #[derive(Debug)]
    pub(super) struct Waiting(ThreadPool);

    impl Waiting {
        pub(super) fn new(threads: usize) -> Result<Self, String> {
            let cores = core_affinity::get_core_ids().unwrap_or_default();
            let stay = move |thread: usize| {
                cores.get(thread).copied().map(core_affinity::set_for_current);
            };
            let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(stay).build();
            pool.map(Self).map_err(|error| error.to_string())
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
}
