//! Runs plans, and has the values of sessions between them. What a value is made of is known to the
//! engine alone.
//!
//! Of each session one plan runs at a time, in the order in which they were made, by whichever
//! thread has the turn. The table of values is locked when a plan begins and when it ends, so that
//! others can ask what a session holds meanwhile.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};

use gt_core::event::Spans;
use gt_core::{DType, Error, Meta, Provenance, SessionId, WorkerId};
use gt_transport::Message;
use gt_transport::lock::Mutex;

use self::disk::Disk;
use self::run::Run;
use self::store::{Store, Tick};
use self::timing::Timing;
use crate::account::{self, Account, Accounts};
use crate::buffer::Pool;
use crate::engine::Engine;
use crate::memory::{self, Holding};
use crate::plan::{Plan, ValueId, Work};
use crate::spill::Spill;

mod check;
mod disk;
pub mod entries;
mod fail;
mod run;
mod store;
mod timing;

/// What runs plans, whatever its engine keeps tensors in.
pub struct Executor(Arc<dyn Runs>);

/// What an executor does with its engine.
trait Runs: Send + Sync {
    fn run_steps(&self, plan: &mut Plan) -> Ran;
    fn shared_threads(&self) -> Option<NonZeroU64>;
    fn is_pressed(&self) -> bool;
    fn forget(&self, session: SessionId);
    fn stored(&self, session: SessionId) -> u64;
    fn holdings(&self, session: SessionId) -> Vec<Holding>;
}

/// What came of the steps of a plan.
#[derive(Default)]
struct Ran {
    messages: Vec<Message>,
    metas: Vec<(ValueId, Meta)>,
    spans: Option<Box<Spans>>,
}

/// An engine, and the values of sessions.
struct Runner<E: Engine + ?Sized> {
    sessions: Mutex<BTreeMap<SessionId, Store<E::Value>>>,
    engine: Arc<E>,
    /// Who may hold how much.
    accounts: Arc<Accounts>,
    /// Where values go when memory is short.
    disk: Option<Disk>,
    /// How many plans began or ended.
    plans: AtomicU64,
}

/// What came of a plan.
#[derive(Debug)]
pub struct Outcome {
    /// Whose plan it was.
    pub session: SessionId,
    /// The worker that planned it.
    pub worker: WorkerId,
    /// Its number.
    pub number: u64,
    /// What the values are whose shapes depend on data.
    pub metas: Vec<(ValueId, Meta)>,
    /// Answers, handovers and failures, in the order they happened.
    pub messages: Vec<Message>,
    /// How many commands it covered.
    pub commands: u64,
    /// How long it took; whoever has a clock fills it in.
    pub busy_ns: u64,
    /// How long each command took, if somebody wants to know.
    pub spans: Option<Box<Spans>>,
}

impl Executor {
    /// An executor for plans of a worker.
    pub fn new<E: Engine + ?Sized + 'static>(engine: Arc<E>) -> Self {
        Executor::charging(engine, Arc::default())
    }

    /// The same, where sessions have accounts of the memory they hold.
    pub fn charging<E>(engine: Arc<E>, accounts: Arc<Accounts>) -> Self
    where
        E: Engine + ?Sized + 'static,
    {
        Executor(Arc::new(Runner::new(engine, accounts, None)))
    }

    /// The same, where values that are not in use are put on disk when memory is short.
    pub fn spilling<E>(
        engine: Arc<E>,
        accounts: Arc<Accounts>,
        pool: &Arc<Pool>,
        disk: Arc<Spill>,
    ) -> Self
    where
        E: Engine + ?Sized + 'static,
    {
        let pooled = Disk { pool: pool.clone(), file: disk, turn: Mutex::default() };
        let runner = Arc::new(Runner::new(engine, accounts, Some(pooled)));
        let reclaims: Weak<Runner<E>> = Arc::downgrade(&runner);
        pool.reclaim_from(reclaims);
        Executor(runner)
    }

    /// Does what is to be done; gives what came of a plan.
    pub fn work(&self, work: Work) -> Option<Outcome> {
        match work {
            Work::Run(mut plan) => Some(self.run(&mut plan)),
            Work::Forget(session) => {
                self.0.forget(session);
                None
            }
        }
    }

    /// Runs a plan to its end. Whatever fails becomes a failed value; a panic outside of a kernel
    /// ends the session, whose values it may have taken with it.
    pub fn run(&self, plan: &mut Plan) -> Outcome {
        let Plan { session, worker, number, commands, .. } = *plan;
        let run = AssertUnwindSafe(|| self.0.run_steps(plan));
        let Ran { messages, metas, spans } = catch_unwind(run).unwrap_or_else(|panic| {
            let messages = vec![Message::Ended { session, error: panicked(&*panic) }];
            Ran { messages, ..Ran::default() }
        });
        Outcome { session, worker, number, metas, messages, commands, busy_ns: 0, spans }
    }

    /// Whether plans of two sessions may run at the same time.
    pub fn shared_threads(&self) -> Option<NonZeroU64> {
        self.0.shared_threads()
    }

    /// Whether memory is short, so that plans had better use little at once.
    pub fn is_pressed(&self) -> bool {
        self.0.is_pressed()
    }

    /// How many values of a session were ever kept; what lives only inside a plan is not.
    pub fn stored(&self, session: SessionId) -> u64 {
        self.0.stored(session)
    }

    /// What the values of a session hold here, apart from those that a plan alone has.
    pub fn holdings(&self, session: SessionId) -> Vec<Holding> {
        self.0.holdings(session)
    }

    /// The bytes of a session's values by dtype and line, those that hold the most first.
    pub fn memory_usage(&self, session: SessionId) -> Vec<(DType, Provenance, u64)> {
        memory::usage_by_line(&self.holdings(session))
    }
}

impl<E: Engine + ?Sized> Runner<E> {
    fn new(engine: Arc<E>, accounts: Arc<Accounts>, disk: Option<Disk>) -> Self {
        let (sessions, plans) = (Mutex::default(), AtomicU64::new(0));
        Runner { sessions, engine, accounts, disk, plans }
    }

    /// Does something with the values of a session.
    fn within<T>(&self, session: SessionId, act: impl FnOnce(&mut Store<E::Value>) -> T) -> T {
        act(self.sessions.lock().entry(session).or_default())
    }

    /// A plan begins or ends.
    fn tick(&self) -> Tick {
        self.plans.fetch_add(1, Relaxed)
    }

    /// Runs a plan, whose memory is charged to its session.
    fn run_charged(&self, plan: &mut Plan) -> Ran {
        let mut run = Run::new(self, plan);
        let (payer, dropped) = self.within(plan.session, |store| {
            store.advance(self.tick());
            run.load(store, &plan.loads);
            let payer = store.entries.begin(self.engine.pool(), Account::current());
            (payer, store.take(&plan.drops))
        });
        let dropped_count = dropped.len();
        // Those that the plan uses are in its registers.
        drop(dropped);
        let (granted, refused) = run.charge_entries(plan, &payer, dropped_count);
        let spans = match plan.timed {
            true => Some(Timing::of(plan.steps.iter_mut(), |step| run.timed_step(step))),
            false => {
                plan.steps.iter_mut().for_each(|step| run.step(step));
                None
            }
        };
        refused.iter().for_each(|refused| run.drop_refused(refused));
        let metas = self.within(plan.session, |store| {
            store.advance(self.tick());
            run.keep(store, &plan.keeps);
            store.entries.add(granted, plan.keeps.len());
            let meta = |&id: &ValueId| Some((id, store.meta(id)?.clone()));
            plan.described.iter().filter_map(meta).collect()
        });
        Ran { messages: std::mem::take(&mut run.messages), metas, spans }
    }
}

impl<E: Engine + ?Sized> Runs for Runner<E> {
    fn run_steps(&self, plan: &mut Plan) -> Ran {
        account::within(self.accounts.of(plan.session), || self.run_charged(plan))
    }

    fn shared_threads(&self) -> Option<NonZeroU64> {
        self.engine.shared_threads()
    }

    fn is_pressed(&self) -> bool {
        self.disk.as_ref().is_some_and(Disk::is_pressed)
    }

    fn forget(&self, session: SessionId) {
        // The values are dropped without the lock.
        let store = self.sessions.lock().remove(&session);
        drop(store);
    }

    fn stored(&self, session: SessionId) -> u64 {
        self.sessions.lock().get(&session).map_or(0, Store::stored)
    }

    fn holdings(&self, session: SessionId) -> Vec<Holding> {
        let sessions = self.sessions.lock();
        sessions.get(&session).map_or(Vec::new(), |store| memory::held(store.values()))
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Error::bug(format!("a kernel panicked: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Pool;
    use crate::engine::null::Null;
    use crate::panic_hook::in_kernel;
    use crate::plan::{Position, Register, Step, Use};

    #[test]
    fn a_panic_ends_the_session_of_its_plan() {
        crate::panic_hook::kernel_panics();
        let executor = Executor::new(Arc::new(Null(Pool::new(1 << 20))));
        let worker = WorkerId(0);
        let mut plan = Plan { commands: 3, ..Plan::new(worker, SessionId(7)) };
        // A register that no plan has.
        let value = Use { register: Register(99), last: true };
        let position = Position::default();
        plan.steps.push(Step::Handover { position, to: worker, tag: 0, value });
        let outcome = in_kernel(|| executor.run(&mut plan));
        assert_eq!((outcome.session, outcome.commands), (SessionId(7), 3));
        let ended = |message: &Message| matches!(message, Message::Ended { .. });
        assert!(outcome.messages.iter().all(ended) && outcome.messages.len() == 1);
    }
}
