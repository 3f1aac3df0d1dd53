//! A courier: the side that connects. Clients have one, and so have workers that hand something to
//! another worker.

mod hear;
mod lane;
mod loan;

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use gt_core::Error;

use self::lane::{Errand, Lane};
use super::address::Address;
use super::buffer_source::BufferSource;
use super::counters::{Counters, Meter};
use super::limits::Limits;
use super::thread_group::ThreadGroup;
use super::ticket::{Key, Way};
use crate::lock::Mutex;

/// How a delivery or a fetch ended. Each ends in exactly one event, unless the courier is closed.
#[derive(Clone, Debug)]
pub enum Event {
    /// The depot has the whole parcel.
    Delivered {
        /// The parcel's tag.
        tag: u64,
    },
    /// The whole parcel is here.
    Fetched {
        /// The parcel's tag.
        tag: u64,
        /// Its bytes; they may lie in memory that is lent, and given back when they are dropped.
        data: Bytes,
    },
    /// The depot has withdrawn the ticket, or the parcel was cancelled here.
    Withdrawn {
        /// The parcel's tag.
        tag: u64,
    },
    /// The depot could not be reached in time; a relay may carry the parcel.
    Unreachable {
        /// The parcel's tag.
        tag: u64,
        /// What was to be delivered.
        data: Option<Bytes>,
        /// Why it cannot be reached.
        error: Error,
    },
    /// The transfer was refused or broke off, and its ticket is void.
    Failed {
        /// The parcel's tag.
        tag: u64,
        /// What happened.
        error: Error,
    },
}

/// Brings parcels to depots and fetches them, each on a lane of its own per depot.
pub struct Courier {
    office: Arc<Office>,
}

/// What all lanes of a courier share.
struct Office {
    lanes: Mutex<Lanes>,
    buffer_source: Arc<dyn BufferSource>,
    event: Box<dyn Fn(Event) + Send + Sync>,
    meter: Meter,
    limits: Limits,
    thread_group: Arc<ThreadGroup>,
}

#[derive(Default)]
struct Lanes {
    by_address: HashMap<(Way, Address), Arc<Lane>>,
    closed: bool,
}

impl Courier {
    /// A courier without connections. What is fetched is put into memory of `buffer_source`, unless
    /// it can be looked at where the depot put it. `event` runs on threads of the courier, or on
    /// the thread that calls it, and must not wait.
    pub fn new(
        buffer_source: Arc<dyn BufferSource>,
        event: impl Fn(Event) + Send + Sync + 'static,
    ) -> Arc<Courier> {
        Courier::with_limits(buffer_source, event, Limits::default())
    }

    /// A courier with other limits than the usual ones.
    pub fn with_limits(
        buffer_source: Arc<dyn BufferSource>,
        event: impl Fn(Event) + Send + Sync + 'static,
        limits: Limits,
    ) -> Arc<Courier> {
        let office = Office {
            lanes: Mutex::default(),
            buffer_source,
            event: Box::new(event),
            meter: Meter::default(),
            limits,
            thread_group: Arc::default(),
        };
        Arc::new(Courier { office: Arc::new(office) })
    }

    /// Brings a parcel to a depot. Never waits.
    pub fn deliver(&self, to: &Address, tag: u64, key: Key, data: Bytes) {
        let bytes = data.len();
        self.run(Way::Deliver, to, Errand::begin(tag, key, bytes, Some(data)));
    }

    /// Fetches a parcel of so many bytes from a depot. Never waits.
    pub fn fetch(&self, from: &Address, tag: u64, key: Key, bytes: usize) {
        self.run(Way::Fetch, from, Errand::begin(tag, key, bytes, None));
    }

    /// Gives up what is under way under this tag; it ends in [`Event::Withdrawn`].
    pub fn cancel(&self, tag: u64) {
        let lanes: Vec<_> = self.office.lanes.lock().by_address.values().cloned().collect();
        lanes.iter().for_each(|lane| lane.cancel(tag));
    }

    /// Hangs up and waits for all threads; the caller must hold nothing that `event` waits for.
    /// What is under way ends without an event.
    pub fn close(&self) {
        let lanes = {
            let mut lanes = self.office.lanes.lock();
            lanes.closed = true;
            std::mem::take(&mut lanes.by_address)
        };
        lanes.values().for_each(|lane| lane.close());
        self.office.thread_group.wait();
    }

    /// What it has carried.
    pub fn counters(&self) -> Counters {
        self.office.meter.read()
    }

    fn run(&self, way: Way, address: &Address, errand: Errand) {
        let mut lanes = self.office.lanes.lock();
        if lanes.closed {
            return;
        }
        let lane = lanes
            .by_address
            .entry((way, address.clone()))
            .or_insert_with(|| Arc::new(Lane::open(way, address.clone(), self.office.clone())));
        // Under the lock, so that a lane that has just ended is not removed with an errand on it.
        let events = lane.add(errand);
        drop(lanes);
        self.office.tell(events);
    }
}

impl Drop for Courier {
    fn drop(&mut self) {
        self.close();
    }
}

impl Office {
    fn tell(&self, events: Vec<Event>) {
        events.into_iter().for_each(|event| (self.event)(event));
    }

    /// A lane had nothing to do and no connection; it stays if it was given an errand since.
    fn remove(&self, lane: &Arc<Lane>) {
        let mut lanes = self.lanes.lock();
        lanes.by_address.retain(|_, other| !Arc::ptr_eq(other, lane) || other.is_running());
    }
}
