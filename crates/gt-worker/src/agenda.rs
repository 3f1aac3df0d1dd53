//! The queue of an executor. Work of one session runs in order, one plan at a time; among sessions
//! the one with the least device time is next.
//!
//! A kernel cannot be preempted, so a session that wakes while a long one runs would wait for its
//! end. A plan that is much shorter, and due before that, runs concurrently in another thread if
//! the engine supports it: the threads that share kernels make room for it.

use std::collections::VecDeque;
use std::num::NonZeroU64;

use gt_core::SessionId;
use smallvec::SmallVec;

use crate::plan::Work;
use crate::shares::Turn;

/// A plan runs beside another one if it is shorter by this factor.
const SHORTER: u64 = 8;
/// A plan that runs beside another one has one thread and costs the other one more than that:
/// caches and wake-ups. With a charge of half as much again, eight clients whose products differ a
/// hundredfold get equal parts of what each gets alone (`benchmarks/neighbours.py`: Jain index
/// 0.990; with the whole time 0.97, with the thread alone 0.95).
const BESIDE: (u64, u64) = (3, 2);
/// Limit on plans that run at the same time.
const MOST_AT_ONCE: usize = 2;

impl Work {
    /// The session it belongs to.
    pub fn session(&self) -> SessionId {
        match self {
            Work::Run(plan) => plan.session,
            Work::Forget(session) => *session,
        }
    }
}

/// Work that waits for an executor, and what runs.
#[derive(Debug, Default)]
pub struct Agenda {
    /// See [`Engine::shared_threads`](crate::engine::Engine::shared_threads).
    shared_threads: Option<NonZeroU64>,
    waiting: VecDeque<Work>,
    running: SmallVec<[Running; MOST_AT_ONCE]>,
}

/// Something that runs.
#[derive(Debug)]
struct Running {
    session: SessionId,
    cost_ns: u64,
    turn: Turn,
    /// Whether it began while another one ran.
    is_beside: bool,
    /// Device time of plans that began after it.
    lent_ns: u64,
}

impl Running {
    /// Whether other work may begin before this plan ends.
    fn bears(&self, work: &Work) -> bool {
        if self.session == work.session() {
            return false;
        }
        match work {
            Work::Run(plan) => {
                plan.cost_ns.saturating_mul(SHORTER) <= self.cost_ns
                    && plan.turn.is_due_beside(&self.turn)
            }
            Work::Forget(_) => true,
        }
    }
}

impl Agenda {
    /// An agenda for an engine that has so many threads for two plans, or that runs one at a time.
    pub fn new(shared_threads: Option<NonZeroU64>) -> Self {
        Agenda { shared_threads, ..Agenda::default() }
    }

    /// Appends work.
    pub fn push(&mut self, work: Work) {
        self.waiting.push_back(work);
    }

    /// Number of items that wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether something runs.
    pub fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    /// The index of the work that is due first among what may begin now.
    pub fn next(&self) -> Option<usize> {
        let most = if self.shared_threads.is_some() { MOST_AT_ONCE } else { 1 };
        if self.running.len() >= most {
            return None;
        }
        let may_begin = |work: &Work| self.running.iter().all(|running| running.bears(work));
        let waiting = self.waiting.iter().filter(|work| may_begin(work));
        let due = waiting.reduce(|due, work| if is_before(work, due) { work } else { due })?;
        // Earlier work of the same session comes first.
        let mut waiting = self.waiting.iter();
        let first = waiting.position(|work| work.session() == due.session())?;
        may_begin(&self.waiting[first]).then_some(first)
    }

    /// The estimated time of work that waits.
    pub fn cost_ns(&self, place: usize) -> u64 {
        self.waiting.get(place).map_or(0, cost_ns)
    }

    /// Takes work to run it. [`Agenda::finish`] has to follow.
    pub fn take(&mut self, place: usize) -> Option<Work> {
        let work = self.waiting.remove(place)?;
        let session = work.session();
        let turn = match &work {
            Work::Run(plan) => plan.turn,
            Work::Forget(_) => Turn::alone(session),
        };
        let (cost_ns, is_beside) = (cost_ns(&work), self.is_running());
        self.running.push(Running { session, cost_ns, turn, is_beside, lent_ns: 0 });
        Some(work)
    }

    /// Returns the device time of a plan that ran for `took_ns`. A plan that began while another
    /// one ran had one thread of the device and the other plan had the rest, so each is charged for
    /// its part of that time. On a single thread they count as two.
    pub fn settle_time(&mut self, session: SessionId, took_ns: u64) -> u64 {
        let Some(place) = self.running.iter().position(|running| running.session == session) else {
            return took_ns;
        };
        let Running { lent_ns, is_beside, .. } = self.running[place];
        let own_ns = took_ns.saturating_sub(lent_ns);
        if !is_beside {
            return own_ns;
        }
        let threads = self.shared_threads.map_or(2, |threads| threads.get().max(2));
        let own_ns = own_ns.saturating_mul(BESIDE.0) / (BESIDE.1 * threads);
        self.running[..place].iter_mut().for_each(|before| before.lent_ns += own_ns);
        own_ns
    }

    /// The work that was taken of a session is done.
    pub fn finish(&mut self, session: SessionId) {
        self.running.retain(|running| running.session != session);
        // A plan that outlives the other one has the whole device from here on. Of its time only
        // the sum is known, so it is charged in full.
        if let [left] = self.running.as_mut_slice() {
            left.is_beside = false;
        }
    }

    /// Removes the plans that wait, and nothing else.
    pub fn drop_plans(&mut self) -> VecDeque<Work> {
        let is_plan = |work: &Work| matches!(work, Work::Run(_));
        let (plans, others) = std::mem::take(&mut self.waiting).into_iter().partition(is_plan);
        self.waiting = others;
        plans
    }
}

fn is_before(work: &Work, other: &Work) -> bool {
    match (work, other) {
        (Work::Run(plan), Work::Run(other)) => plan.turn.is_before(&other.turn),
        (Work::Forget(_), Work::Run(_)) => true,
        (_, Work::Forget(_)) => false,
    }
}

fn cost_ns(work: &Work) -> u64 {
    match work {
        Work::Run(plan) => plan.cost_ns,
        Work::Forget(_) => 0,
    }
}
