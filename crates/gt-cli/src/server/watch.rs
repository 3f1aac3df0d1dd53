//! Notices changes of the list of keys while a server runs.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use gt::keys::KeyRing;
use gt_zmq::AllowList;

use crate::say::complain;

const PERIOD: Duration = Duration::from_secs(1);

/// Keeps a list up to date until it is dropped.
pub struct Watch {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Looks at the ring once a second and brings what it finds into the list.
    pub fn start(ring: KeyRing, list: AllowList) -> Watch {
        let (end, ended) = mpsc::channel();
        let mut seen = state(&ring);
        let look = move || {
            while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                let found = state(&ring);
                if found != seen {
                    seen = found;
                    refresh(&ring, &list);
                }
            }
        };
        let thread = thread::Builder::new().name("gt-keys".to_string()).spawn(look);
        let warn =
            |error| complain(format_args!("gt server: changes of keys go unnoticed: {error}"));
        Watch { end: Some(end), thread: thread.map_err(warn).ok() }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What changes with the list.
fn state(ring: &KeyRing) -> Option<(u64, u64, i64, i64)> {
    let found = fs::metadata(ring.allowed_list()).ok()?;
    Some((found.ino(), found.size(), found.mtime(), found.mtime_nsec()))
}

fn refresh(ring: &KeyRing, list: &AllowList) {
    match ring.allowed() {
        Ok(allowed) => list.replace(allowed.into_iter().map(|one| (one.key, one.role.into()))),
        // Whoever may enter goes on to; a list that cannot be read is no wish to admit nobody.
        Err(error) => {
            complain(format_args!("gt server: the list of keys stays as it was: {error}"))
        }
    }
}
