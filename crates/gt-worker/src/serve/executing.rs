//! The threads that run plans, so that the worker loop can answer meanwhile.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use gt_core::{Error, Result, SessionId};
use gt_transport::report::MemoryUsage;

use super::inbox::{Inbox, News};
use crate::buffer::Pool;
use crate::executor::Executor;
use crate::lane::Lane;
use crate::plan::Work;

/// Plans up to this estimate run in the worker loop, because waking a thread costs as much.
const SMALL_NS: u64 = 100_000;

/// The executor's threads: one for long plans, and one for what runs beside them. They end when
/// this is dropped, after the plans they are at.
pub(super) struct Executing {
    lane: Arc<Lane>,
    inbox: Arc<Inbox>,
    threads: Vec<JoinHandle<()>>,
}

impl Executing {
    /// Starts the threads; the outcomes of their plans come to the inbox.
    pub(super) fn start(executor: Executor, inbox: Arc<Inbox>) -> Result<Executing> {
        let names = match executor.shared_threads() {
            Some(_) => &["gt-executor", "gt-executor-2"][..],
            None => &["gt-executor"][..],
        };
        let lane = Arc::new(Lane::new(executor, SMALL_NS));
        let mut executing = Executing { lane, inbox, threads: Vec::new() };
        for name in names {
            let (lane, inbox) = (executing.lane.clone(), executing.inbox.clone());
            let serve = move || lane.serve(|outcome| inbox.bring(News::Finished(outcome)));
            let thread = thread::Builder::new().name(name.to_string()).spawn(serve);
            let failed = |error| Error::Lost(format!("cannot start a thread: {error}"));
            executing.threads.push(thread.map_err(failed)?);
        }
        Ok(executing)
    }

    /// What has the values.
    pub(super) fn executor(&self) -> &Executor {
        self.lane.executor()
    }

    /// What a session holds, and how much of the memory is in use.
    pub(super) fn memory_usage(&self, session: SessionId, pool: &Pool) -> MemoryUsage {
        MemoryUsage {
            used_bytes: pool.used_bytes() as u64,
            cached_bytes: pool.cached_bytes() as u64,
            peak_bytes: pool.peak_bytes() as u64,
            limit_bytes: pool.limit_bytes() as u64,
            stored: self.executor().stored(session),
            holdings: self.executor().memory_usage(session),
        }
    }

    /// Gives the executor something to do.
    pub(super) fn leave(&self, work: Work) {
        self.lane.leave(work);
    }

    /// Runs small plans here and now; others go to the threads. All outcomes come to the inbox,
    /// those of a session in the order of its plans. Says whether anything ran here.
    pub(super) fn run_small(&self) -> bool {
        self.lane.run_small(|outcome| self.inbox.leave(News::Finished(outcome)))
    }
}

impl Drop for Executing {
    fn drop(&mut self) {
        self.lane.stop();
        for thread in self.threads.drain(..) {
            // A panic of the thread is reported by the panic itself.
            let _ = thread.join();
        }
    }
}
