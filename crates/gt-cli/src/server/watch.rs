//! Notices changes of the list of keys while a server runs: once a second, and before a key that is
//! not in the list is refused.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use gt::keys::{Allowed, Expiry, KeyRing};
use gt_core::Result;
use gt_transport::lock::Mutex;
use gt_zmq::{AllowList, LabelledKeys};

use crate::say::complain;

const PERIOD: Duration = Duration::from_secs(1);

/// Keeps a list up to date until it is dropped.
pub struct Watch {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Looks at the ring once a second and brings what it finds into the list.
    pub fn start(list: AllowList) -> Watch {
        let (end, ended) = mpsc::channel();
        let look = move || {
            while ended.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
                list.refresh();
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

/// The list of a ring, which reads the ring again when that has changed.
pub fn list_of(ring: KeyRing) -> Result<AllowList> {
    let version = Version::of(&ring);
    let allowed = ring.allowed()?;
    let (keys, next_expiry) = valid_keys(&allowed, Expiry::now());
    let list = AllowList::new(keys);
    let seen = Mutex::new(Seen { version, next_expiry });
    list.read_again_from(move || seen.lock().read_again(&ring, Expiry::now()));
    Ok(list)
}

/// What changes with the file of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version(Option<(u64, u64, i64, i64)>);

impl Version {
    fn of(ring: &KeyRing) -> Version {
        let found = fs::metadata(ring.allowed_list()).ok();
        let parts =
            |found: fs::Metadata| (found.ino(), found.size(), found.mtime(), found.mtime_nsec());
        Version(found.map(parts))
    }
}

/// What was read last.
struct Seen {
    version: Version,
    /// When the next key of it expires.
    next_expiry: Option<Expiry>,
}

impl Seen {
    /// The keys that may connect, if they may be others than before.
    fn read_again(&mut self, ring: &KeyRing, now: Expiry) -> Option<LabelledKeys> {
        let version = Version::of(ring);
        let has_expired = self.next_expiry.is_some_and(|expiry| expiry <= now);
        if version == self.version && !has_expired {
            return None;
        }
        self.version = version;
        match ring.allowed() {
            Ok(allowed) => {
                let (keys, next_expiry) = valid_keys(&allowed, now);
                self.next_expiry = next_expiry;
                Some(keys)
            }
            // A list that cannot be read does not mean that no key may connect.
            Err(error) => {
                self.next_expiry = None;
                complain(format_args!("gt server: the list of keys stays as it was: {error}"));
                None
            }
        }
    }
}

/// The keys that have not expired, and when the next one does.
fn valid_keys(allowed: &[Allowed], now: Expiry) -> (LabelledKeys, Option<Expiry>) {
    let is_valid = |one: &&Allowed| one.expiry.is_none_or(|expiry| expiry > now);
    let valid: Vec<&Allowed> = allowed.iter().filter(is_valid).collect();
    let next = valid.iter().filter_map(|one| one.expiry).min();
    (valid.iter().map(|one| (one.key, one.role.into())).collect(), next)
}

#[cfg(test)]
mod tests {
    use gt_dispatcher::role::Role;
    use gt_zmq::PublicKey;

    use super::*;

    #[test]
    fn a_key_is_valid_until_it_expires() {
        let allowed =
            [(1, None), (2, Some(Expiry(50))), (3, Some(Expiry(70)))].map(|(number, expiry)| {
                let (key, name) = (PublicKey([number; 32]), String::new());
                Allowed { key, role: Role::Client, expiry, name }
            });
        for (now, count, next) in
            [(49, 3, Some(Expiry(50))), (50, 2, Some(Expiry(70))), (70, 1, None)]
        {
            let (keys, next_expiry) = valid_keys(&allowed, Expiry(now));
            assert_eq!((keys.len(), next_expiry), (count, next), "at {now}");
        }
    }
}
