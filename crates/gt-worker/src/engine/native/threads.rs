//! The threads that share large kernels. They are our own: a global pool would hang in a forked
//! child and could not be shared fairly.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use gt_core::error::{Error, Result};
use rayon_core::{ThreadPool, ThreadPoolBuilder};

/// A group of threads; several engines may share one.
pub struct Threads {
    count: usize,
    pool: Option<ThreadPool>,
}

impl Threads {
    /// `count` threads; one means that the caller computes alone.
    pub fn new(count: usize) -> Result<Arc<Self>> {
        super::matmul::warm_up();
        let builder = ThreadPoolBuilder::new().num_threads(count);
        let build = || builder.thread_name(|index| format!("gt-kernel-{index}")).build();
        let pool = (count > 1).then(build).transpose();
        let pool =
            pool.map_err(|error| Error::runtime(format!("cannot start threads: {error}")))?;
        Ok(Arc::new(Threads { count: count.max(1), pool }))
    }

    /// How many threads work at the same time.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Calls `each` once for every number below `tasks`, in any order, on all threads.
    pub fn share(&self, tasks: usize, each: impl Fn(usize) + Sync) {
        let Some(pool) = self.pool.as_ref().filter(|_| tasks > 1) else {
            return (0..tasks).for_each(each);
        };
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let task = next.fetch_add(1, Relaxed);
                if task >= tasks {
                    return;
                }
                each(task);
            }
        };
        // The caller works too, and does not wait for the others to wake up before it begins.
        pool.in_place_scope(|scope| {
            for _ in 1..self.count.min(tasks) {
                scope.spawn(|_| work());
            }
            work();
        });
    }

    /// Calls `compute` on one of the threads, with the others at its service.
    pub fn install<R: Send>(&self, compute: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(compute),
            None => compute(),
        }
    }
}
