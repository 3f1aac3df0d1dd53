//! The thread that runs plans, so that the worker_loop can answer meanwhile.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use gt_core::{Error, Result};

use super::inbox::{Inbox, News};
use crate::executor::Executor;
use crate::lane::Lane;
use crate::plan::Work;

/// A plan that takes no longer is run at the worker_loop, because waking a thread costs as much.
const SMALL_NS: u64 = 100_000;

/// The executor's thread. It ends when this is dropped, after the plan it is at.
pub(super) struct Executing {
    lane: Arc<Lane>,
    inbox: Arc<Inbox>,
    thread: Option<JoinHandle<()>>,
}

impl Executing {
    /// Starts the thread; the outcomes of its plans come to the inbox.
    pub(super) fn start(executor: Executor, inbox: Arc<Inbox>) -> Result<Executing> {
        let lane = Arc::new(Lane::new(executor, SMALL_NS));
        let (own, brings) = (lane.clone(), inbox.clone());
        let thread = thread::Builder::new().name("gt-executor".to_string());
        let serve = move || own.serve(|outcome| brings.bring(News::Finished(outcome)));
        let thread = thread.spawn(serve);
        let thread = thread.map_err(|error| Error::Lost(format!("cannot start a thread: {error}")));
        Ok(Executing { lane, inbox, thread: Some(thread?) })
    }

    /// What has the values.
    pub(super) fn executor(&self) -> &Executor {
        self.lane.executor()
    }

    /// Gives the executor something to do.
    pub(super) fn leave(&self, work: Work) {
        self.lane.leave(work);
    }

    /// Runs small plans here and now; others go to the thread. All outcomes come to the inbox, in
    /// the order of the plans. Says whether anything ran here.
    pub(super) fn run_small(&self) -> bool {
        self.lane.run_small(|outcome| self.inbox.leave(News::Finished(outcome)))
    }
}

impl Drop for Executing {
    fn drop(&mut self) {
        self.lane.stop();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread is reported by the panic itself.
            let _ = thread.join();
        }
    }
}
