//! A relay: a depot in the server's process for those who cannot reach each other. What arrives
//! under a ticket is offered under the same ticket.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gt_core::{Error, Result};

use super::address::Address;
use super::buffer_source::{Buffer, BufferSource, Plain};
use super::counters::Counters;
use super::depot::{Depot, DepotOptions};
use super::limits::Limits;
use super::ticket::Key;
use crate::lock::{Condvar, Mutex};

/// How a relay is opened.
pub struct RelayOptions {
    /// Where the Unix socket is made.
    pub unix: Option<PathBuf>,
    /// A group whose members may connect to the Unix socket.
    pub allowed_group: Option<u32>,
    /// The host and port to listen on.
    pub tcp: Option<String>,
    /// What others should connect to instead.
    pub advertise: Option<String>,
    /// How much strangers may cost.
    pub limits: Limits,
    /// The most it holds at once.
    pub bytes: usize,
}

/// Carries parcels between couriers.
pub struct Relay {
    depot: Arc<Depot>,
    room: Arc<Room>,
}

impl Relay {
    /// Starts to listen.
    pub fn open(options: RelayOptions) -> Result<Relay> {
        let RelayOptions { unix, allowed_group, tcp, advertise, limits, bytes } = options;
        let used = Mutex::new(Used { bytes: 0, closed: false });
        let room = Arc::new(Room { used, freed: Condvar::default(), limit: bytes });
        let buffer_source = Arc::new(Store { room: room.clone(), patience: limits.ticket_wait });
        let own: Arc<OnceLock<Weak<Depot>>> = Arc::default();
        let known = own.clone();
        let options = DepotOptions { unix, allowed_group, tcp, advertise, buffer_source, limits };
        let depot = Depot::open(options, move |tag, parcel| {
            let Some(depot) = known.get().and_then(Weak::upgrade) else { return };
            match parcel {
                Ok(data) => depot.put(tag, data),
                // Whoever waits at the other side learns that nothing comes.
                Err(_) => drop(depot.withdraw(tag)),
            }
        })?;
        own.set(Arc::downgrade(&depot)).expect("set once, before any ticket is known");
        Ok(Relay { depot, room })
    }

    /// Somebody with this key may deliver so many bytes under this tag, and somebody else with the
    /// same key may fetch them.
    pub fn carry(&self, owner: u64, tag: u64, key: Key, bytes: usize) {
        self.depot.offer(owner, tag, key.clone());
        self.depot.expect(owner, tag, key, bytes);
    }

    /// Every ticket of an owner is void; whoever waits for one is told.
    pub fn withdraw_all(&self, owner: u64) {
        self.depot.withdraw_all(owner);
    }

    /// Where it can be reached.
    pub fn address(&self) -> &Address {
        self.depot.address()
    }

    /// What it has carried.
    pub fn counters(&self) -> Counters {
        self.depot.counters()
    }

    /// Hangs up and waits for all threads.
    pub fn close(&self) {
        self.room.close();
        self.depot.close();
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.close();
    }
}

/// Plain memory with a limit. A parcel that finds no room waits a while for others to be fetched.
struct Store {
    room: Arc<Room>,
    patience: Duration,
}

struct Room {
    used: Mutex<Used>,
    freed: Condvar,
    limit: usize,
}

struct Used {
    bytes: usize,
    /// Nobody waits for room any more.
    closed: bool,
}

impl Room {
    fn close(&self) {
        self.used.lock().closed = true;
        self.freed.notify_all();
    }
}

impl BufferSource for Store {
    fn take(&self, bytes: usize) -> Result<Box<dyn Buffer>> {
        let deadline = Instant::now() + self.patience;
        let room = &self.room;
        let mut used = room.used.lock();
        while bytes > room.limit - used.bytes {
            let left = deadline.saturating_duration_since(Instant::now());
            if bytes > room.limit || used.closed || left.is_zero() {
                let limit = room.limit;
                return Err(Error::OutOfMemory(format!(
                    "the relay has no room for a parcel of {bytes} bytes; it holds at most {limit}"
                )));
            }
            used = room.freed.wait_for(used, left);
        }
        used.bytes += bytes;
        drop(used);
        let share = Share { room: room.clone(), bytes };
        Ok(Box::new(Stored { memory: Plain.take(bytes)?, share }))
    }
}

/// A part of the room, until it is dropped.
struct Share {
    room: Arc<Room>,
    bytes: usize,
}

impl Drop for Share {
    fn drop(&mut self) {
        self.room.used.lock().bytes -= self.bytes;
        self.room.freed.notify_all();
    }
}

struct Stored {
    memory: Box<dyn Buffer>,
    share: Share,
}

impl Buffer for Stored {
    fn bytes_mut(&mut self) -> &mut [u8] {
        self.memory.bytes_mut()
    }

    fn freeze(self: Box<Self>) -> Bytes {
        struct Held {
            data: Bytes,
            _share: Share,
        }
        impl AsRef<[u8]> for Held {
            fn as_ref(&self) -> &[u8] {
                &self.data
            }
        }
        Bytes::from_owner(Held { data: self.memory.freeze(), _share: self.share })
    }
}
