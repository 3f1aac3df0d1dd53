//! A session whose dispatcher and workers are other processes. One thread has the connection; it
//! sends what the program leaves, and brings what comes to the session's mailbox.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::{self, ThreadId};
use std::time::Duration;

use gt_core::event::EventSink;
use gt_core::{Error, Result};
use gt_transport::Message;
use gt_transport::event_queue::EventQueue;
use gt_transport::hello::Welcome;
use gt_transport::lock::{Condvar, Mutex};
use gt_transport::report::MemoryUsage;
use gt_transport::transfers::Event;
use gt_zmq::{Endpoint, Waker};

use self::connect::Door;
use self::driver::Driver;
use self::log::Log;
use self::wire::Wire;
use crate::inner::Inner;
use crate::link::{ClusterSummary, Link};
use crate::mailbox::Elements;
use crate::transfers::Answered;
use crate::{fork, host};

mod connect;
mod driver;
mod log;
mod wire;

/// How long the end of a session waits for its last messages to leave.
const FAREWELL: Duration = Duration::from_millis(500);

/// How a session elsewhere is reached.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// Where the dispatcher listens.
    pub endpoint: Endpoint,
    /// What people call it in messages: `node7:12345`.
    pub address: String,
    /// Who the client is, for people.
    pub name: String,
    /// How many workers it wants; all there are if absent.
    pub workers: Option<u32>,
    /// How many bytes it may hold on each worker at most; what the server allows if absent.
    pub memory_bytes: Option<u64>,
    /// Whether every operation waits for its result.
    pub sync: bool,
    /// Whether copies of what it reads and replaces are compared.
    pub compare_copies: bool,
    /// Whether results that are not finite fail, if their inputs are.
    pub check_nan: bool,
}

/// Connects, and opens a session.
pub(crate) fn open(options: RemoteOptions) -> Result<Arc<Inner>> {
    fork::watch();
    let sync = options.sync;
    let (door, dealer, welcome) = Door::open(options)?;
    tracing::info!(target: "gt", session = %welcome.session, address = door.address(), "connected");
    let shared = Arc::new(Shared::new(door.address().to_string(), &welcome)?);
    let remote = Arc::new(Remote(shared.clone()));
    let inner = Arc::new(Inner::new(welcome.session, remote, sync));
    let _ = shared.session.set(Arc::downgrade(&inner));
    *shared.wire.lock() = Some(Wire::new(shared.clone(), door, dealer, &welcome)?);
    let own = shared.clone();
    let thread = thread::Builder::new().name("gt-link".to_string());
    thread.spawn(move || wire::run(&own)).map_err(|error| {
        drop(shared.wire.lock().take());
        Error::Lost(format!("cannot start a thread: {error}"))
    })?;
    Ok(inner)
}

/// A session's way to a dispatcher elsewhere.
struct Remote(Arc<Shared>);

/// What the program and the thread with the connection share.
struct Shared {
    session: OnceLock<Weak<Inner>>,
    /// The connection, until it is over. Whoever has the lock uses it, for a moment.
    wire: Mutex<Option<Wire>>,
    /// A thread of the program that waits for an answer, if it hears for itself.
    driver: Driver,
    outbox: Mutex<VecDeque<Message>>,
    transfers: Mutex<VecDeque<Event>>,
    waker: Waker,
    sleeping: AtomicBool,
    stopped: AtomicBool,
    summary: ClusterSummary,
    /// Bytes in values on the workers, from the last report of the dispatcher.
    used_bytes: AtomicU64,
    thread: OnceLock<ThreadId>,
    ended: Mutex<bool>,
    end: Condvar,
    log: Log,
}

impl Shared {
    fn new(address: String, welcome: &Welcome) -> Result<Shared> {
        let waker = Waker::new().map_err(|error| Error::runtime(error.to_string()))?;
        let summary = ClusterSummary {
            address: Some(address),
            workers: welcome.workers as usize,
            threads: welcome.threads as usize,
            used_bytes: 0,
            limit_bytes: welcome.memory_bytes as usize,
        };
        Ok(Shared {
            session: OnceLock::new(),
            wire: Mutex::new(None),
            driver: Driver::new()?,
            outbox: Mutex::default(),
            transfers: Mutex::default(),
            waker,
            sleeping: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            summary,
            used_bytes: AtomicU64::new(0),
            thread: OnceLock::new(),
            ended: Mutex::new(false),
            end: Condvar::default(),
            log: Log::default(),
        })
    }

    fn session(&self) -> Option<Arc<Inner>> {
        self.session.get()?.upgrade()
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Brings a message to the session, if it is still there.
    fn deliver(&self, message: Message) {
        if let Some(session) = self.session() {
            session.deliver(message);
        }
    }
}

impl Shared {
    /// Brings the answer to a read, whose value travelled apart.
    fn deliver_read(&self, answered: Answered) {
        let Some(session) = self.session() else { return };
        let (request, answer) = match answered {
            Answered::Read { request, meta, memory } => {
                (request, Ok((meta, Elements::Own(memory))))
            }
            Answered::Failed { request, failure } => (request, Err(failure)),
        };
        session.mailbox.take_answer(request, answer);
    }
}

impl Link for Remote {
    fn send(&self, message: Message) {
        self.0.outbox.lock().push_back(message);
        self.0.waker.wake();
    }

    fn leave(&self, message: Message) {
        self.0.outbox.lock().push_back(message);
    }

    fn help(&self, is_answered: &dyn Fn() -> bool, patience: Duration) {
        if !self.0.drive(is_answered, patience) {
            self.0.waker.wake();
        }
    }

    fn stay_awake(&self) {
        if self.0.sleeping.load(Ordering::Relaxed) {
            self.0.waker.wake();
        }
    }

    fn stop(&self) {
        self.0.stopped.store(true, Ordering::SeqCst);
        self.0.waker.wake();
        // The last reference to a session may be dropped by the thread that would be waited for.
        if self.0.thread.get() == Some(&thread::current().id()) {
            return;
        }
        let ended = self.0.ended.lock();
        if !*ended {
            drop(self.0.end.wait_for(ended, FAREWELL));
        }
    }

    fn observe(&self, sink: Box<dyn EventSink>) {
        if self.0.log.open(sink) {
            self.send(Message::observe(1));
        }
    }

    fn watch(&self, watcher: &Arc<EventQueue>) {
        if self.0.log.watch(watcher) {
            self.send(Message::observe(1));
        }
    }

    fn look_away(&self, watcher: &Arc<EventQueue>) -> Result<()> {
        let (others, before) = self.0.log.others(watcher);
        self.send(Message::observe(u32::from(others)));
        let is_over = || self.0.session().is_none_or(|session| session.check_open().is_err());
        let waited = host::wait(|patience| self.0.log.wait_for_mark(before, patience) || is_over());
        self.0.log.look_away(watcher);
        waited
    }

    fn summary(&self) -> ClusterSummary {
        let used_bytes = self.0.used_bytes.load(Ordering::Relaxed) as usize;
        ClusterSummary { used_bytes, ..self.0.summary.clone() }
    }

    fn memory_usage(&self) -> Result<Vec<MemoryUsage>> {
        let gone = || Error::Lost("the session is closed".to_string());
        let session = self.0.session().ok_or_else(gone)?;
        session.check_open()?;
        let request = session.stream.lock().request();
        self.send(Message::MemoryQuery { session: session.id, request, parts: 0 });
        let mut usages = None;
        host::wait(|patience| {
            usages = session.mailbox.wait(patience, |state| state.usages(request));
            usages.is_some()
        })?;
        usages.unwrap_or_else(|| Err(gone()))
    }
}
