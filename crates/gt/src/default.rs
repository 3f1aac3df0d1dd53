//! The session that programs use without saying so: the one they connected last, or one that starts
//! with the first operation.

use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};
use std::sync::{MutexGuard, Once};

use gt_client::{Session, WeakSession, fork};
use gt_core::{Error, Result};
use gt_transport::lock::Mutex;

use crate::settings::Settings;

struct Defaults {
    current: Option<Session>,
    /// Every session of this process, in the order they were opened.
    all: Vec<WeakSession>,
    /// How many workers the first operation starts.
    workers: usize,
}

static DEFAULTS: Mutex<Defaults> =
    Mutex::new(Defaults { current: None, all: Vec::new(), workers: 1 });

thread_local! {
    /// The sessions that this thread uses instead, the innermost last.
    static USED: RefCell<Vec<Session>> = const { RefCell::new(Vec::new()) };
}

fn defaults() -> MutexGuard<'static, Defaults> {
    static PROTECT: Once = Once::new();
    PROTECT.call_once(|| fork::protect(&DEFAULTS));
    DEFAULTS.lock()
}

impl Defaults {
    /// The session that is the default, if one is open.
    fn current(&mut self) -> Option<Session> {
        if !self.current.as_ref().is_some_and(Session::is_open) {
            self.current = self.all.iter().rev().find_map(WeakSession::upgrade);
        }
        self.current.clone()
    }

    fn start(&mut self, workers: usize) -> Result<Session> {
        let options = Settings::from_environment()?.embedded(workers)?;
        let session = Session::embedded(options)?;
        // As in PyTorch, numbers differ from run to run until a program chooses its seed.
        session.manual_seed(RandomState::new().hash_one(std::process::id()));
        self.all.retain(|session| session.upgrade().is_some());
        self.all.push(session.downgrade());
        self.current = Some(session.clone());
        Ok(session)
    }
}

/// The session that operations without inputs use; one starts now if there is none.
pub fn session() -> Result<Session> {
    if let Some(used) = USED.with_borrow(|used| used.last().cloned()) {
        return Ok(used);
    }
    let mut defaults = defaults();
    match defaults.current() {
        Some(session) => Ok(session),
        None => {
            let workers = defaults.workers;
            defaults.start(workers)
        }
    }
}

/// The session that operations without inputs use, if there is one.
pub fn open_session() -> Option<Session> {
    USED.with_borrow(|used| used.last().cloned()).or_else(|| defaults().current())
}

/// Opens a session and makes it the default. Without an address it has a dispatcher and `workers`
/// workers of its own in this process, or as many as [`workers`] said.
pub fn connect(address: Option<&str>, workers: Option<usize>) -> Result<Session> {
    if let Some(address) = address {
        return Err(Error::runtime(format!(
            "connect: '{address}' cannot be reached, because this build of GT has no network \
             transport; connect() without an address opens a session in this process"
        )));
    }
    let mut defaults = defaults();
    let workers = workers.unwrap_or(defaults.workers);
    check_workers(workers)?;
    defaults.start(workers)
}

/// Asks for so many workers, before the first operation.
pub fn workers(count: usize) -> Result<()> {
    check_workers(count)?;
    let mut defaults = defaults();
    if let Some(session) = defaults.current()
        && session.status().workers != count
    {
        return Err(Error::runtime("workers: must be called before the first operation"));
    }
    defaults.workers = count;
    Ok(())
}

fn check_workers(count: usize) -> Result<()> {
    if count == 0 {
        return Err(Error::value("workers: at least one is needed"));
    }
    Ok(())
}

/// Makes `session` the one that this thread uses, until [`leave`].
pub fn enter(session: &Session) {
    USED.with_borrow_mut(|used| used.push(session.clone()));
}

/// Ends the innermost [`enter`] of this thread.
pub fn leave() {
    USED.with_borrow_mut(|used| drop(used.pop()));
}

/// Ends the default session, if there is one. The one before it is the default then; without one,
/// the next operation starts another.
pub fn close() {
    let session = {
        let mut defaults = defaults();
        defaults.current();
        defaults.current.take()
    };
    if let Some(session) = session {
        session.close();
    }
}

/// Ends every session of this process.
pub fn close_all() {
    let all = std::mem::take(&mut defaults().all);
    all.iter().filter_map(WeakSession::upgrade).for_each(|session| session.close());
}
