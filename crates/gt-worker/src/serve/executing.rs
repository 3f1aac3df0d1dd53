//! The thread that runs plans, so that the worker_loop can answer meanwhile.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gt_core::{Error, Result};
use gt_transport::channel::Channel;

use super::inbox::{Inbox, News};
use crate::executor::{Executor, Outcome};
use crate::plan::Plan;

/// The executor's thread. It ends when this is dropped, after the plan it is at.
pub(super) struct Executing {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    executor: Executor,
    plans: Channel<Plan>,
    stopped: AtomicBool,
    inbox: Arc<Inbox>,
}

impl Executing {
    pub(super) fn start(executor: Executor, inbox: Arc<Inbox>) -> Result<Executing> {
        let (plans, stopped) = (Channel::default(), AtomicBool::new(false));
        let shared = Arc::new(Shared { executor, plans, stopped, inbox });
        let own = shared.clone();
        let thread = thread::Builder::new().name("gt-executor".to_string());
        let thread = thread.spawn(move || own.execute());
        let thread = thread.map_err(|error| Error::Lost(format!("cannot start a thread: {error}")));
        Ok(Executing { shared, thread: Some(thread?) })
    }

    /// Runs a plan on the thread; its outcome comes to the inbox.
    pub(super) fn send(&self, plan: Plan) {
        self.shared.plans.send(plan);
    }

    /// Runs a plan here and now.
    pub(super) fn run(&self, plan: Plan) -> Outcome {
        self.shared.run(plan)
    }
}

impl Shared {
    fn execute(&self) {
        while !self.stopped.load(Ordering::SeqCst) {
            match self.plans.take() {
                Some(plan) => self.inbox.bring(News::Finished(self.run(plan))),
                None => self.plans.wait(Duration::from_secs(3600)),
            }
        }
    }

    fn run(&self, plan: Plan) -> Outcome {
        let start = Instant::now();
        let (session, commands, cost_ns) = (plan.session, plan.commands, plan.cost_ns);
        let outcome = self.executor.run(plan);
        let took_us = start.elapsed().as_micros();
        tracing::debug!(target: "gt::worker", %session, commands, cost_ns, took_us, "plan");
        Outcome { busy_ns: start.elapsed().as_nanos() as u64, ..outcome }
    }
}

impl Drop for Executing {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        self.shared.plans.wake();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread is reported by the panic itself.
            let _ = thread.join();
        }
    }
}
