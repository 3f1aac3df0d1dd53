//! A dispatcher and its workers inside the client's process. The messages are those of a cluster;
//! only the wire is missing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard, OnceLock, Weak};
use std::thread;
use std::time::{Duration, Instant};

use gt_core::event::{Detail, EventSink};
use gt_core::{Error, Result, SessionId, WorkerId};
use gt_dispatcher::{Dispatcher, Outbox};
use gt_transport::channel::Channel;
use gt_transport::hello::{Hello, WorkerInfo};
use gt_transport::lock::Mutex;
use gt_transport::{Message, Peer};
use gt_worker::buffer::Pool;
use gt_worker::engine::registry::Backend;
use gt_worker::lane::Lane;
use gt_worker::{Executor, Outcome, Window, Worker, panic_hook};
use tracing::{debug, info};

use self::in_process::InProcess;
use self::monitor::Monitor;
use crate::inner::Inner;
use crate::local_cluster::{LocalCluster, Parcel, Works, let_go};
use crate::{fork, host, shared};

mod in_process;
mod monitor;
mod report;

/// A batch that does not fill up is sent after this time …
const TICK: Duration = Duration::from_micros(100);
/// … and after up to this time if those before it were sent by whoever waited for them.
const LONGEST_TICK: Duration = Duration::from_micros(1600);
/// After so many ticks without a new command, the pump sleeps until it is woken.
const TICKS_BEFORE_SLEEP: u32 = 8;
/// A plan that takes longer is left to the executor's own thread …
const SMALL_NS: u64 = 200_000;
/// … unless it is the one that a thread waits for; but the user may want to interrupt that thread.
const LARGE_NS: u64 = 40_000_000;

/// How an embedded system is set up.
pub struct Options {
    /// How many workers.
    pub workers: usize,
    /// How many threads they share for large kernels.
    pub threads: usize,
    /// How many bytes the workers may use together.
    pub memory: usize,
    /// What computes.
    pub backend: Backend,
    /// How much of a queue goes into one plan.
    pub window: Window,
    /// Whether every operation waits for its result, so that errors are raised at their lines.
    pub sync: bool,
    /// Whether copies of what a session reads and replaces are compared.
    pub compare_copies: bool,
    /// Whether results that are not finite fail, if their inputs are.
    pub check_nan: bool,
    /// The observer of events.
    pub sink: Option<Box<dyn EventSink>>,
    /// Where other processes of the user can watch.
    pub monitor: Option<PathBuf>,
}

/// A dispatcher, workers, and the threads that drive them.
pub struct Embedded {
    machines: Mutex<LocalCluster>,
    inbox: Channel<Parcel>,
    /// The executor of each worker, and the plans that wait for it.
    lanes: Vec<Lane>,
    pool: Arc<Pool>,
    /// How many threads the workers share.
    threads: usize,
    sleeping: AtomicBool,
    stopped: AtomicBool,
    start: Instant,
    monitor: OnceLock<Monitor>,
}

/// Starts a dispatcher and its workers in this process, and opens a session there.
pub(crate) fn open(options: Options) -> Result<(Arc<Inner>, Arc<Embedded>)> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let session = SessionId(NEXT.fetch_add(1, Ordering::Relaxed));
    let (sync, compare_copies, check_nan) =
        (options.sync, options.compare_copies, options.check_nan);
    let embedded = Embedded::start(options)?;
    let in_process = InProcess { session, embedded: embedded.clone() };
    let inner = Arc::new(Inner::new(session, Arc::new(in_process), sync));
    let name = format!("process {}", std::process::id());
    let hello = Hello { compare_copies, check_nan, ..Hello::named(name) };
    embedded.open(session, Arc::downgrade(&inner), hello);
    Ok((inner, embedded))
}

impl Embedded {
    /// Starts a dispatcher and its workers.
    pub fn start(options: Options) -> Result<Arc<Self>> {
        let Options { workers, threads, memory, backend, window, sink, monitor, .. } = options;
        fork::watch();
        panic_hook::kernel_panics();
        let threads = threads.max(1);
        let (pool, device) = shared::resources(memory, backend, threads)?;
        let engine = device.clone().engine(pool.clone())?;
        let executor = || Executor::new(engine.clone());
        let lanes = (0..workers).map(|_| Lane::new(executor(), SMALL_NS)).collect();
        let (mut dispatcher, mut outbox) = (Dispatcher::new(), Outbox::default());
        dispatcher.observe(sink.as_ref().map(|_| Detail::Each), &mut outbox);
        let ids = || (0..workers as u32).map(WorkerId);
        for id in ids() {
            // The workers of a process share its threads and memory.
            let count = threads as u32;
            let info = WorkerInfo {
                engine: engine.name().to_string(),
                device: device.name().to_string(),
                threads: count,
                cores: count,
                ..WorkerInfo::default()
            };
            let register = Message::Register(Box::new(info));
            dispatcher.step(0, Peer::Worker(id), register, &mut outbox);
        }
        let machines = ids().map(|id| Worker::new(id, window, engine.clone())).collect();
        let mut machines = LocalCluster::new(dispatcher, machines, sink);
        machines.route(&mut outbox, 0, &mut Works::new());
        let embedded = Arc::new(Embedded {
            machines: Mutex::new(machines),
            inbox: Channel::default(),
            lanes,
            pool,
            threads,
            sleeping: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            start: Instant::now(),
            monitor: OnceLock::new(),
        });
        // Without all of its threads it is of no use, and those there are would wait for ever.
        embedded.spawn_all().inspect_err(|_| embedded.stop())?;
        embedded.open_monitor(monitor.as_deref());
        info!(target: "gt", workers, threads, memory, "embedded system");
        Ok(embedded)
    }

    fn spawn_all(self: &Arc<Self>) -> Result<()> {
        self.spawn("gt-pump".to_string(), Embedded::pump)?;
        (0..self.lanes.len() as u32).map(WorkerId).try_for_each(|id| {
            self.spawn(format!("gt-worker-{}", id.0), move |embedded| embedded.execute(id))
        })
    }

    fn spawn(
        self: &Arc<Self>,
        name: String,
        run: impl FnOnce(&Embedded) + Send + 'static,
    ) -> Result<()> {
        let embedded = self.clone();
        let thread = thread::Builder::new().name(name).spawn(move || run(&embedded));
        let _ = thread.map_err(|error| Error::Lost(format!("cannot start a thread: {error}")))?;
        Ok(())
    }

    /// Opens a session.
    pub(crate) fn open(&self, id: SessionId, session: Weak<Inner>, hello: Hello) {
        self.inbox.send(Parcel::Open(id, session));
        self.inbox.send(Parcel::FromClient(id, Message::Hello(hello)));
    }

    /// Delivers what waits and runs plans, or wakes the pump if another thread does. Plans run
    /// without the lock, so that others can deliver meanwhile.
    fn help(&self) {
        let start = Instant::now();
        loop {
            let Some(mut machines) = self.machines.try_lock() else {
                return self.leave_to_others();
            };
            self.turn(&mut machines);
            self.show_events(&mut machines);
            let_go(machines);
            if !self.run_some() {
                return;
            }
            if start.elapsed() > host::PATIENCE {
                return self.leave_to_others();
            }
        }
    }

    /// Leaves what waits to the pump and to the executors' own threads.
    fn leave_to_others(&self) {
        self.lanes.iter().filter(|lane| lane.has_work()).for_each(Lane::wake);
        self.inbox.wake();
    }

    /// Runs what waits for one executor in this thread, and what is small for the others; a thread
    /// that only waits is as good as theirs, and awake. Says whether anything ran.
    fn run_some(&self) -> bool {
        let pass_on = |outcome| self.inbox.leave(Parcel::Finished(outcome));
        let own = self.lanes.iter().position(Lane::has_work);
        let mut ran = false;
        for (index, lane) in self.lanes.iter().enumerate() {
            if Some(index) != own {
                ran |= lane.run_small(pass_on);
            }
        }
        own.is_some_and(|own| self.lanes[own].run_up_to(LARGE_NS, pass_on)) || ran
    }

    /// A command was appended to an empty batch: a thread must be awake to send it in time.
    fn stay_awake(&self) {
        if self.sleeping.load(Ordering::Relaxed) {
            self.inbox.wake();
        }
    }

    /// Ends the threads, after what they are at. What was sent before is delivered, so that it is
    /// in the log and values are given up; what waits to be computed is not.
    fn stop(&self) {
        if self.is_stopped() {
            return;
        }
        let mut machines = self.machines.lock();
        self.turn(&mut machines);
        machines.flush_sink();
        let_go(machines);
        self.stopped.store(true, Ordering::SeqCst);
        self.inbox.wake();
        self.lanes.iter().for_each(Lane::stop);
        self.monitor.get().into_iter().for_each(Monitor::close);
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    fn now_ns(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    /// Delivers what waits, and leaves plans to the executors' threads.
    fn deliver(&self) {
        self.deliver_with(self.machines.lock());
    }

    fn deliver_with(&self, mut machines: MutexGuard<'_, LocalCluster>) {
        let planned = self.turn(&mut machines);
        self.show_events(&mut machines);
        let_go(machines);
        if planned {
            self.lanes.iter().for_each(Lane::wake);
        }
    }

    /// Shows events when it is time. The pump shows the rest before it sleeps; while it does,
    /// nobody else would.
    fn show_events(&self, machines: &mut LocalCluster) {
        if !machines.has_events() {
            return;
        }
        match self.sleeping.load(Ordering::SeqCst) {
            true => machines.show_events(),
            false => machines.show_events_in_time(self.now_ns()),
        }
    }

    /// Delivers until nothing waits. Says whether there are plans to run.
    fn turn(&self, machines: &mut LocalCluster) -> bool {
        let mut planned = false;
        loop {
            self.inbox.drain(&mut machines.mail);
            let Some(parcel) = machines.mail.pop_front() else { return planned };
            let now_ns = self.now_ns();
            debug!(target: "gt::dispatcher", "{parcel}");
            let session = parcel.session();
            let deliver = AssertUnwindSafe(|| machines.deliver(parcel, now_ns));
            let works = catch_unwind(deliver).unwrap_or_else(|_| machines.end(session, now_ns));
            machines.show_many_events();
            for (worker, work) in works {
                planned = true;
                self.lanes[worker.0 as usize].leave(work);
            }
        }
    }

    /// The thread of an executor.
    fn execute(&self, worker: WorkerId) {
        let lane = &self.lanes[worker.0 as usize];
        lane.serve(|outcome| self.finish(outcome));
        // The program may still hold a tensor of the session, and this with it.
        self.deliver();
    }

    /// Delivers what came of a plan. If nothing else waits, that takes less than waking the pump.
    fn finish(&self, outcome: Outcome) {
        let is_alone = self.inbox.is_empty();
        self.inbox.leave(Parcel::Finished(outcome));
        match self.machines.try_lock().filter(|_| is_alone) {
            Some(machines) => self.deliver_with(machines),
            None => self.inbox.wake(),
        }
    }

    /// The thread that delivers messages, and sends batches that do not fill up.
    fn pump(&self) {
        let (mut appended, mut quiet, mut tick) = (0, 0, TICK);
        while !self.is_stopped() {
            // Whoever has the machines delivers; only what came too late for them is waited for.
            let machines = self.machines.try_lock();
            let machines =
                machines.or_else(|| (!self.inbox.is_empty()).then(|| self.machines.lock()));
            let is_free = machines.is_some();
            machines.into_iter().for_each(|machines| self.deliver_with(machines));
            if is_free {
                let (total, is_behind) = self.flush_stale(appended);
                quiet = if total == appended { quiet + 1 } else { 0 };
                appended = total;
                // A program that waits for each of its results sends them itself, and a tick only
                // takes the processor from its kernels.
                tick = if is_behind { TICK } else { (tick * 2).min(LONGEST_TICK) };
            }
            if quiet < TICKS_BEFORE_SLEEP {
                self.inbox.wait(tick);
                continue;
            }
            self.sleeping.store(true, Ordering::SeqCst);
            // A command appended before this line is seen here; one appended after it wakes us.
            if self.flush_stale(appended).0 == appended {
                self.machines.lock().show_events();
                self.inbox.wait(self.rest(shared::now()));
            }
            self.sleeping.store(false, Ordering::SeqCst);
            quiet = 0;
        }
        self.machines.lock().flush_sink();
    }

    /// Frees pooled memory that was idle for a while; gives how long to sleep.
    fn rest(&self, now: Duration) -> Duration {
        self.pool.tick(now);
        let nothing_left = self.pool.cached_bytes() == 0;
        Duration::from_secs(if nothing_left { 3600 } else { 1 })
    }

    /// Sends the batches of sessions that appended nothing since the total was `before`; gives the
    /// total, and whether something was not sent by whoever appended it.
    fn flush_stale(&self, before: u64) -> (u64, bool) {
        let sessions: Vec<Arc<Inner>> = {
            let mut machines = self.machines.lock();
            machines.clients.retain(|_, session| session.strong_count() > 0);
            machines.clients.values().filter_map(Weak::upgrade).collect()
        };
        let (mut total, mut is_behind) = (0, false);
        for session in &sessions {
            let (appended, left) = session.progress();
            total += appended;
            is_behind |= left;
        }
        if total == before {
            sessions.iter().for_each(|session| session.flush());
        }
        (total, is_behind)
    }
}

#[cfg(test)]
mod tests {
    use gt_core::attrs::Attrs;
    use gt_core::ops::builtin::ADD;
    use gt_core::{DType, Meta};

    use gt_transport::report::WorkerReport;

    use super::monitor::Monitored;
    use super::*;
    use crate::Session;

    fn session() -> (Session, Arc<Embedded>) {
        session_with(1 << 24)
    }

    fn session_with(memory: usize) -> (Session, Arc<Embedded>) {
        session_on(gt_native::BACKEND, memory)
    }

    fn session_on(backend: Backend, memory: usize) -> (Session, Arc<Embedded>) {
        let options = Options {
            workers: 2,
            threads: 1,
            memory,
            backend,
            window: Window::default(),
            sync: false,
            compare_copies: false,
            check_nan: false,
            sink: None,
            monitor: None,
        };
        let (inner, embedded) = open(options).expect("threads can be started");
        (Session(inner), embedded)
    }

    /// Waits until only the caller holds it: its threads have ended, and with them the
    /// memory, which only they would give back.
    fn ends(embedded: &Arc<Embedded>) -> bool {
        let start = Instant::now();
        while Arc::strong_count(embedded) > 1 && start.elapsed() < Duration::from_secs(20) {
            thread::yield_now();
        }
        Arc::strong_count(embedded) == 1
    }

    #[test]
    fn a_session_that_is_dropped_ends_its_threads() {
        let (session, embedded) = session();
        drop(session);
        assert!(ends(&embedded));
    }

    #[test]
    fn a_session_that_ended_by_an_error_ends_its_threads_when_it_is_dropped() {
        let (session, embedded) = session();
        let (id, error) = (session.0.id, Error::bug("for this test"));
        session.0.deliver(Message::Ended { session: id, error });
        drop(session);
        assert!(ends(&embedded));
    }

    #[test]
    fn a_session_may_be_dropped_while_something_is_delivered_to_it() {
        let (session, embedded) = session();
        let mut machines = embedded.machines.lock();
        // The dispatcher knows the session once its first message is delivered.
        embedded.turn(&mut machines);
        let id = session.0.id;
        machines.reach(id, Message::Done { session: id, commands: 0, bytes: 0, busy_ns: 0 });
        // Otherwise the next line would be the end of it, which takes the lock.
        assert!(Arc::strong_count(&session.0) > 1);
        drop(session);
        let_go(machines);
        assert!(ends(&embedded));
    }

    fn upload(session: &Session) -> crate::Tensor {
        let (meta, data) = (Meta::new(DType::F32, [1 << 10]), vec![0; 4 << 10]);
        session.upload(meta, data.into()).expect("there is room")
    }

    #[test]
    fn a_report_names_the_engine_that_computes() {
        let null: Backend = "null".parse().expect("every worker has it");
        for backend in [gt_native::BACKEND, null] {
            let (session, embedded) = session_on(backend, 1 << 24);
            let workers = Monitored::report(&*embedded).workers;
            let computes = |worker: &WorkerReport| worker.info.engine == backend.name();
            assert!(workers.len() == 2 && workers.iter().all(computes), "{workers:?}");
            assert!(workers.iter().all(|worker| worker.info.device == "cpu"), "{workers:?}");
            drop(session);
            assert!(ends(&embedded));
        }
    }

    #[test]
    fn sessions_share_threads_where_they_want_the_same() {
        let device =
            |backend, threads| shared::resources(1 << 24, backend, threads).expect("one").1;
        let (two, three) = (device(gt_native::BACKEND, 2), device(gt_native::BACKEND, 3));
        assert!(Arc::ptr_eq(&two, &device(gt_native::BACKEND, 2)) && !Arc::ptr_eq(&two, &three));
        let null: Backend = "null".parse().expect("every worker has it");
        assert!(!Arc::ptr_eq(&two, &device(null, 2)));
    }

    #[test]
    fn memory_that_nobody_uses_is_given_back() {
        // A limit of its own is a pool of its own.
        let (session, embedded) = session_with(1 << 23);
        let x = upload(&session);
        let doubled = x.apply_one(&ADD, &[(&x).into()], Attrs::none()).expect("it can be added");
        doubled.read().expect("it has a value");
        drop(doubled);
        session.synchronize().expect("nothing failed");
        let hours = |hours: u64| Duration::from_secs(3600 * hours);
        embedded.rest(hours(1));
        assert_eq!(embedded.rest(hours(2)), hours(1), "nothing is left to look after");
        assert_eq!(embedded.pool.cached_bytes(), 0);
        drop((x, session));
        assert!(ends(&embedded));
    }

    #[test]
    fn a_panic_of_a_machine_ends_the_session_in_words() {
        panic_hook::kernel_panics();
        let (session, embedded) = session();
        let x = upload(&session);
        x.read().expect("it has a value");
        embedded.machines.lock().is_broken = true;
        let error = session.synchronize().expect_err("the session is over");
        assert!(error.to_string().contains("panicked"), "{error}");
        embedded.machines.lock().is_broken = false;
        assert!(x.read().is_err());
        drop((x, session));
        assert!(ends(&embedded));
    }
}
