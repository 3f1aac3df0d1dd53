//! The way of plans to an executor: what is due next, as the agenda says, runs in a thread of the
//! executor, or in one that would only wait for it: a small plan takes less time than waking a
//! thread.

use std::time::{Duration, Instant};

use gt_transport::lock::{Condvar, Mutex};
use tracing::debug;

use crate::agenda::Agenda;
use crate::executor::{Executor, Outcome};
use crate::plan::{Plan, Work};

/// Somebody who waits for something runs so many plans at most before they look for it.
const MOST_IN_A_ROW: usize = 4;

/// An executor and what waits for it.
pub struct Lane {
    executor: Executor,
    /// A plan that takes longer is left to the executor's own thread.
    small_ns: u64,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    agenda: Agenda,
    stopped: bool,
}

impl Lane {
    /// Plans that take no longer than `small_ns` may run in any thread.
    pub fn new(executor: Executor, small_ns: u64) -> Self {
        let state = State { agenda: Agenda::new(executor.shared_threads()), stopped: false };
        Lane { executor, small_ns, state: Mutex::new(state), changed: Condvar::default() }
    }

    /// What runs the plans.
    pub fn executor(&self) -> &Executor {
        &self.executor
    }

    /// Appends something for somebody who will look without being woken. Once it is stopped, values
    /// are still dropped, but no plan is run.
    pub fn leave(&self, work: Work) {
        let mut state = self.state.lock();
        let is_idle = !state.agenda.is_running();
        if state.stopped && (is_idle || matches!(work, Work::Run(_))) {
            drop(state);
            return self.drop_values(work);
        }
        state.agenda.push(work);
    }

    /// Wakes a thread of the executor.
    pub fn wake(&self) {
        self.changed.notify_one();
    }

    /// Runs a few small plans here and now, unless somebody else is at it. The rest is left to the
    /// executor's thread. Says whether anything ran. Each outcome is passed on before the next plan
    /// begins.
    pub fn run_small(&self, mut pass_on: impl FnMut(Outcome)) -> bool {
        for round in 0..MOST_IN_A_ROW {
            if !self.run_up_to(self.small_ns, &mut pass_on) {
                return round > 0;
            }
        }
        self.wake();
        true
    }

    /// Runs the next plan here and now, unless it takes longer or somebody else is at one. Says
    /// whether it ran.
    pub fn run_up_to(&self, limit_ns: u64, mut pass_on: impl FnMut(Outcome)) -> bool {
        let mut state = self.state.lock();
        if state.stopped {
            return false;
        }
        // Whoever has taken something goes on with what is left, if it cannot run beside that.
        let Some(next) = state.agenda.next() else { return false };
        if state.agenda.cost_ns(next) > limit_ns {
            drop(state);
            self.wake();
            return false;
        }
        let work = self.take(&mut state, next);
        drop(state);
        work.into_iter().for_each(|work| self.run(work, &mut pass_on));
        true
    }

    /// Whether something waits that nobody is at.
    pub fn has_work(&self) -> bool {
        let state = self.state.lock();
        !state.agenda.is_running() && state.agenda.next().is_some()
    }

    /// The life of a thread of the executor, until [`Lane::stop`].
    pub fn serve(&self, mut pass_on: impl FnMut(Outcome)) {
        while let Some(work) = self.wait() {
            self.run(work, &mut pass_on);
        }
    }

    /// Lets the executor's thread end after what it is at. The plans that wait are dropped.
    pub fn stop(&self) {
        let mut state = self.state.lock();
        state.stopped = true;
        let plans = state.agenda.drop_plans();
        drop(state);
        drop(plans);
        self.changed.notify_all();
    }

    fn drop_values(&self, work: Work) {
        if let Work::Forget(_) = work {
            self.executor.work(work);
        }
    }

    fn wait(&self) -> Option<Work> {
        let mut state = self.state.lock();
        loop {
            if let Some(next) = state.agenda.next() {
                return self.take(&mut state, next);
            }
            if state.stopped && state.agenda.is_empty() {
                return None;
            }
            state = self.changed.wait_for(state, Duration::from_secs(3600));
        }
    }

    /// Takes something that waits; what may run beside it needs another thread.
    fn take(&self, state: &mut State, index: usize) -> Option<Work> {
        let work = state.agenda.take(index);
        if !state.agenda.is_empty() && state.agenda.next().is_some() {
            self.wake();
        }
        work
    }

    /// Runs what was taken, and lets others take the next.
    fn run(&self, work: Work, pass_on: &mut impl FnMut(Outcome)) {
        let session = work.session();
        let outcome = match work {
            Work::Run(mut plan) => Some(self.measure(&mut plan)),
            forget => self.executor.work(forget),
        };
        if let Some(mut outcome) = outcome {
            outcome.busy_ns = self.state.lock().agenda.settle_time(session, outcome.busy_ns);
            pass_on(outcome);
        }
        let mut state = self.state.lock();
        state.agenda.finish(session);
        if state.stopped {
            drop(state);
            self.changed.notify_all();
        }
    }

    fn measure(&self, plan: &mut Plan) -> Outcome {
        let start = Instant::now();
        let mut outcome = self.executor.run(plan);
        let took = start.elapsed();
        let Plan { worker, session, commands, cost_ns, .. } = plan;
        let took_us = took.as_micros();
        debug!(target: "gt::worker", %worker, %session, commands, cost_ns, took_us, "plan");
        outcome.busy_ns = took.as_nanos() as u64;
        outcome
    }
}
