//! The threads of a depot or a courier, which all end before its `close` returns.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::Duration;

use crate::lock::{Condvar, Mutex};

/// They copy and wait, and call back; none of that needs the system's usual megabytes.
const STACK_BYTES: usize = 512 << 10;

/// Threads that are waited for together.
#[derive(Debug, Default)]
pub(super) struct ThreadGroup {
    at_work: Mutex<HashSet<ThreadId>>,
    left: Condvar,
}

impl ThreadGroup {
    /// Starts a thread.
    pub fn spawn(
        self: &Arc<Self>,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let member = Member(self.clone());
        // Held until the thread is listed: it must not leave before it has come.
        let mut at_work = self.at_work.lock();
        let builder = thread::Builder::new().name(name.into()).stack_size(STACK_BYTES);
        let handle = builder.spawn(move || {
            let _member = member;
            work();
        });
        // A thread that was not started drops its membership here, which takes the lock.
        let handle = match handle {
            Ok(handle) => handle,
            Err(error) => {
                drop(at_work);
                return Err(error);
            }
        };
        at_work.insert(handle.thread().id());
        Ok(())
    }

    /// Waits until all threads but the calling one have left.
    pub fn wait(&self) {
        let own = thread::current().id();
        let mut at_work = self.at_work.lock();
        while at_work.iter().any(|id| *id != own) {
            at_work = self.left.wait_for(at_work, Duration::from_secs(1));
        }
    }

    /// Lets a thread that may wait long for the system end by itself.
    pub fn excuse(&self) {
        self.leave();
    }

    /// Counts the calling thread among those that are waited for again.
    pub fn resume(&self) {
        self.at_work.lock().insert(thread::current().id());
    }

    fn leave(&self) {
        self.at_work.lock().remove(&thread::current().id());
        self.left.notify_all();
    }
}

struct Member(Arc<ThreadGroup>);

impl Drop for Member {
    fn drop(&mut self) {
        self.0.leave();
    }
}
