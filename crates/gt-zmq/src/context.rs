//! The threads of libzmq, shared by all sockets of a process.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use crate::fork::Home;
use crate::zap::{self, Guard};
use crate::{AllowList, Error, Result, error, ffi};

/// How many sockets a context may hold; a dealer takes three.
const MAX_SOCKETS: i32 = 16_384;

/// libzmq's threads and what they share. Clones are the same context. It ends with the last clone
/// and the last socket; that may wait for what a [`crate::Dealer::close_after`] still has to send.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    raw: Raw,
    home: Home,
    /// Who decides about keys, once a port with CURVE is open.
    guard: Mutex<Option<Guard>>,
}

struct Raw(*mut c_void);

// SAFETY: libzmq's contexts may be used by all threads at once.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

impl Context {
    /// Starts libzmq's threads with the first socket.
    pub fn new() -> Result<Context> {
        let home = Home::here();
        // SAFETY: has no conditions.
        let raw = unsafe { ffi::zmq_ctx_new() };
        if raw.is_null() {
            return Err(Error::last("start ZeroMQ"));
        }
        let inner = Inner { raw: Raw(raw), home, guard: Mutex::new(None) };
        // SAFETY: the context is alive.
        if unsafe { ffi::zmq_ctx_set(raw, ffi::ZMQ_MAX_SOCKETS, MAX_SOCKETS) } != 0 {
            return Err(Error::last("start ZeroMQ"));
        }
        Ok(Context(Arc::new(inner)))
    }

    pub(crate) fn raw(&self) -> *mut c_void {
        self.0.raw.0
    }

    pub(crate) fn home(&self) -> Home {
        self.0.home
    }

    /// From now on the list decides about connections of the domain that is returned.
    pub(crate) fn protect(&self, allowed: AllowList) -> Result<zap::Domain> {
        self.0.home.check()?;
        let mut guard = self.0.guard.lock().unwrap_or_else(PoisonError::into_inner);
        if guard.is_none() {
            *guard = Some(Guard::start(self)?);
        }
        let guard = guard.as_ref().expect("it has just been started");
        Ok(guard.protect(allowed, self.0.home))
    }

    /// The key in a `User-Id`, if the guard of this context has written it.
    pub(crate) fn key_of(&self, user: &str) -> Option<crate::PublicKey> {
        let guard = self.0.guard.lock().unwrap_or_else(PoisonError::into_inner);
        guard.as_ref()?.key_of(user)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if !self.home.is_here() {
            // The threads are the parent's, and so are the locks they may hold.
            return;
        }
        // The guard's thread notices the end of the context and closes its socket; this waits.
        loop {
            // SAFETY: every socket holds the context, so all but the guard's are closed.
            let outcome = unsafe { ffi::zmq_ctx_term(self.raw.0) };
            if outcome == 0 || error::code() != libc::EINTR {
                return;
            }
        }
    }
}
