//! The way of plans to an executor. They run in the order in which they were made, one at a time,
//! by the executor's own thread, or by one that would only wait for it: a small plan takes less
//! time than waking a thread.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use gt_transport::lock::{Condvar, Mutex};
use tracing::debug;

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

#[derive(Default)]
struct State {
    waiting: VecDeque<Work>,
    /// Somebody is at one.
    taken: bool,
    stopped: bool,
}

impl Lane {
    /// Plans that take no longer than `small_ns` may run in any thread.
    pub fn new(executor: Executor, small_ns: u64) -> Self {
        Lane { executor, small_ns, state: Mutex::default(), changed: Condvar::default() }
    }

    /// What runs the plans.
    pub fn executor(&self) -> &Executor {
        &self.executor
    }

    /// Appends something for somebody who will look without being woken. Once it is stopped, values
    /// are still dropped, but no plan is run.
    pub fn leave(&self, work: Work) {
        let mut state = self.state.lock();
        if state.stopped && (!state.taken || matches!(work, Work::Run(_))) {
            drop(state);
            return self.drop_values(work);
        }
        state.waiting.push_back(work);
    }

    /// Wakes the executor's thread.
    pub fn wake(&self) {
        self.changed.notify_all();
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
        // Whoever has taken something goes on with what is left.
        if state.taken || state.stopped {
            return false;
        }
        let Some(work) = state.waiting.front() else { return false };
        if cost_ns(work) > limit_ns {
            drop(state);
            self.wake();
            return false;
        }
        let work = state.waiting.pop_front();
        state.taken = true;
        drop(state);
        work.into_iter().for_each(|work| self.run(work, &mut pass_on));
        true
    }

    /// Whether something waits that nobody is at.
    pub fn has_work(&self) -> bool {
        let state = self.state.lock();
        !state.taken && !state.waiting.is_empty()
    }

    /// The life of the executor's thread, until [`Lane::stop`].
    pub fn serve(&self, mut pass_on: impl FnMut(Outcome)) {
        while let Some(work) = self.wait() {
            self.run(work, &mut pass_on);
        }
    }

    /// Lets the executor's thread end after what it is at. The plans that wait are dropped.
    pub fn stop(&self) {
        let mut state = self.state.lock();
        state.stopped = true;
        let waiting = std::mem::take(&mut state.waiting);
        let is_plan = |work: &Work| matches!(work, Work::Run(_));
        let (plans, others): (VecDeque<_>, _) = waiting.into_iter().partition(is_plan);
        state.waiting = others;
        drop(state);
        drop(plans);
        self.wake();
    }

    fn drop_values(&self, work: Work) {
        if let Work::Forget(_) = work {
            self.executor.work(work);
        }
    }

    fn wait(&self) -> Option<Work> {
        let mut state = self.state.lock();
        loop {
            if !state.taken {
                if let Some(work) = state.waiting.pop_front() {
                    state.taken = true;
                    return Some(work);
                }
                if state.stopped {
                    return None;
                }
            }
            state = self.changed.wait_for(state, Duration::from_secs(3600));
        }
    }

    /// Runs what was taken, and lets others take the next.
    fn run(&self, work: Work, pass_on: &mut impl FnMut(Outcome)) {
        let outcome = match work {
            Work::Run(mut plan) => Some(self.measure(&mut plan)),
            forget => self.executor.work(forget),
        };
        outcome.into_iter().for_each(pass_on);
        let mut state = self.state.lock();
        state.taken = false;
        if state.stopped {
            drop(state);
            self.wake();
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

/// About how long something takes.
fn cost_ns(work: &Work) -> u64 {
    match work {
        Work::Run(plan) => plan.cost_ns,
        Work::Forget(_) => 0,
    }
}
