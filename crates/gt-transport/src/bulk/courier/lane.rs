//! One way to one depot: what waits to be said, and the thread that says it.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use bytes::Bytes;
use gt_core::Error;

use super::{Event, Office};
use crate::bulk::address::Address;
use crate::bulk::frame::{Frame, Kind};
use crate::bulk::link::{Link, Side};
use crate::bulk::parcel::Packer;
use crate::bulk::socket::Socket;
use crate::bulk::ticket::{Key, Transfer, Way};
use crate::lock::{Condvar, Mutex};

/// How often a request is sent that another parcel's failure took along.
const MOST_TRIES: usize = 3;

/// A parcel that the courier was asked to carry.
pub(super) struct Errand {
    pub tag: u64,
    pub key: Key,
    pub bytes: usize,
    pub data: Option<Bytes>,
    /// Set when the sending thread should stop in the middle.
    pub stop: Arc<AtomicBool>,
    pub stage: Stage,
    tries: usize,
}

/// How far an errand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing of the parcel itself has moved.
    Asked,
    /// The ticket is used up: the parcel is on its way.
    Moving,
    /// Its event was given; the depot has yet to notice.
    Over,
}

impl Errand {
    pub fn begin(tag: u64, key: Key, bytes: usize, data: Option<Bytes>) -> Errand {
        let stop = Arc::default();
        Errand { tag, key, bytes, data, stop, stage: Stage::Asked, tries: 0 }
    }

    /// The length that a frame about it proves: a depot learns that of a fetch only with the value.
    pub fn proven_bytes(&self) -> usize {
        self.data.as_ref().map_or(0, Bytes::len)
    }
}

/// A request that was sent on the present connection.
pub(super) struct Asked {
    pub errand: Errand,
    pub transfer: Transfer,
}

#[derive(Default)]
pub(super) struct Desk {
    waiting: VecDeque<Errand>,
    pub asked: BTreeMap<u64, Asked>,
    /// Deliveries that the depot waits for.
    pub ready: VecDeque<u64>,
    pub sayings: VecDeque<Frame>,
    pub link: Option<Arc<Link>>,
    /// Counts over all connections: an answer that is still heard on a lost one means nobody.
    last_request: u64,
    running: bool,
    closed: bool,
}

/// Deliveries to a depot, or fetches from it.
pub(super) struct Lane {
    pub way: Way,
    pub address: Address,
    pub office: Arc<Office>,
    pub desk: Mutex<Desk>,
    pub changed: Condvar,
}

enum Task {
    Connect,
    Say(Arc<Link>, Frame),
    Send(Arc<Link>, u64),
    End,
}

impl Lane {
    pub fn open(way: Way, address: Address, office: Arc<Office>) -> Lane {
        let (desk, changed) = (Mutex::default(), Condvar::default());
        Lane { way, address, office, desk, changed }
    }

    /// Takes on an errand, and starts the thread that runs it if there is none. Gives what is to
    /// be told if no thread can be started.
    #[must_use]
    pub fn add(self: &Arc<Self>, errand: Errand) -> Vec<Event> {
        let mut desk = self.desk.lock();
        if desk.closed {
            return Vec::new();
        }
        desk.waiting.push_back(errand);
        self.changed.notify_all();
        if desk.running {
            return Vec::new();
        }
        let lane = self.clone();
        let started = self.office.thread_group.spawn("gt-bulk-speak", move || lane.run());
        desk.running = started.is_ok();
        started.err().map_or_else(Vec::new, |error| unreachable(&mut desk.waiting, &error))
    }

    /// Whether a thread runs its errands.
    pub fn is_running(&self) -> bool {
        self.desk.lock().running
    }

    /// Gives up all errands of a tag.
    pub fn cancel(&self, tag: u64) {
        let mut guard = self.desk.lock();
        let desk = &mut *guard;
        let before = desk.waiting.len();
        desk.waiting.retain(|errand| errand.tag != tag);
        let mut cancelled = before - desk.waiting.len();
        let is_it =
            |asked: &&mut Asked| asked.errand.tag == tag && asked.errand.stage != Stage::Over;
        for Asked { errand, transfer } in desk.asked.values_mut().filter(is_it) {
            cancelled += 1;
            errand.stop.store(true, Relaxed);
            // Of a parcel on its way, the sender says it after its last chunk.
            if errand.stage == Stage::Asked {
                desk.sayings.push_back(transfer.frame(Kind::Cancel, tag, errand.proven_bytes()));
            }
            errand.stage = Stage::Over;
        }
        self.changed.notify_all();
        drop(guard);
        self.office.tell((0..cancelled).map(|_| Event::Withdrawn { tag }).collect());
    }

    pub fn close(&self) {
        let mut desk = self.desk.lock();
        desk.closed = true;
        if let Some(link) = desk.link.take() {
            link.end();
        }
        desk.waiting.clear();
        desk.asked.clear();
        self.changed.notify_all();
    }

    /// The connection is lost: what had begun has failed, the rest is asked for again.
    pub fn lose(&self, link: &Arc<Link>, error: &io::Error) {
        link.end();
        let mut guard = self.desk.lock();
        let desk = &mut *guard;
        if desk.closed || desk.link.take_if(|own| Arc::ptr_eq(own, link)).is_none() {
            return;
        }
        desk.ready.clear();
        desk.sayings.clear();
        let mut events = Vec::new();
        for (_, Asked { mut errand, .. }) in std::mem::take(&mut desk.asked).into_iter().rev() {
            errand.tries += 1;
            match errand.stage {
                Stage::Over => {}
                Stage::Asked if errand.tries < MOST_TRIES => desk.waiting.push_front(errand),
                _ => {
                    let why = format!("parcel {} broke off: {error}", errand.tag);
                    events.push(Event::Failed { tag: errand.tag, error: Error::Lost(why) });
                }
            }
        }
        self.changed.notify_all();
        drop(guard);
        self.office.tell(events);
    }

    /// Whether a lane's depot owes it something.
    pub fn is_due(&self) -> bool {
        let desk = self.desk.lock();
        let mut asked = desk.asked.values().map(|asked| asked.errand.stage);
        match self.way {
            Way::Deliver => asked.next().is_some(),
            // A fetch waits for as long as its value is computed.
            Way::Fetch => asked.any(|stage| stage == Stage::Moving),
        }
    }

    fn run(self: &Arc<Self>) {
        let mut packer = Packer::default();
        loop {
            match self.next() {
                Task::End => break,
                Task::Connect => {
                    packer = Packer::default();
                    self.connect();
                }
                Task::Say(link, frame) => {
                    if let Err(error) = link.say(&frame) {
                        self.lose(&link, &error);
                    }
                }
                Task::Send(link, request) => {
                    if let Err(error) = self.send(&link, &mut packer, request) {
                        self.lose(&link, &error);
                    }
                }
            }
        }
        self.office.remove(self);
    }

    fn next(&self) -> Task {
        let mut guard = self.desk.lock();
        loop {
            let desk = &mut *guard;
            if desk.closed {
                return Task::End;
            }
            let Some(link) = desk.link.clone() else {
                if desk.waiting.is_empty() {
                    desk.running = false;
                    return Task::End;
                }
                return Task::Connect;
            };
            if let Some(frame) = desk.sayings.pop_front() {
                return Task::Say(link, frame);
            }
            if let Some(errand) = desk.waiting.pop_front() {
                let frame = self.ask(desk, &link, errand);
                return Task::Say(link, frame);
            }
            if let Some(request) = desk.ready.pop_front() {
                return Task::Send(link, request);
            }
            guard = self.changed.wait_for(guard, Duration::from_secs(60));
        }
    }

    /// Notes a request, and the frame that makes it.
    fn ask(&self, desk: &mut Desk, link: &Link, errand: Errand) -> Frame {
        desk.last_request += 1;
        let request = desk.last_request;
        let transfer = Transfer::begin(&errand.key, self.way, errand.tag, link.greeting(), request);
        let kind = match self.way {
            Way::Deliver => Kind::Deliver,
            Way::Fetch => Kind::Fetch,
        };
        let frame = transfer.frame(kind, errand.tag, errand.proven_bytes());
        desk.asked.insert(request, Asked { errand, transfer });
        frame
    }

    fn connect(self: &Arc<Self>) {
        let within = self.office.limits.connect;
        // The system may take its time, and whoever closes the courier should not wait for it.
        self.office.thread_group.excuse();
        let connected = Socket::connect(&self.address, within).and_then(|socket| {
            let link = Link::over(socket, self.office.limits.stall);
            link.greet(Side::Courier, within)?;
            Ok(Arc::new(link))
        });
        self.office.thread_group.resume();
        let connected = connected.and_then(|link| {
            self.adopt(&link);
            let lane = self.clone();
            let hearing = link.clone();
            let started =
                self.office.thread_group.spawn("gt-bulk-hear", move || lane.hear_all(&hearing));
            started.inspect_err(|error| self.lose(&link, error))
        });
        if let Err(error) = connected {
            let mut desk = self.desk.lock();
            let events =
                if desk.closed { Vec::new() } else { unreachable(&mut desk.waiting, &error) };
            drop(desk);
            self.office.tell(events);
        }
    }

    /// Makes a connection the lane's own, unless the lane was closed meanwhile.
    fn adopt(&self, link: &Arc<Link>) {
        let mut desk = self.desk.lock();
        if desk.closed {
            return link.end();
        }
        desk.link = Some(link.clone());
    }

    /// Sends a delivery that the depot waits for.
    fn send(&self, link: &Arc<Link>, packer: &mut Packer, request: u64) -> io::Result<()> {
        let (transfer, data, stop, tag) = {
            let mut desk = self.desk.lock();
            let Some(Asked { errand, transfer }) = desk.asked.get_mut(&request) else {
                return Ok(());
            };
            if errand.stage != Stage::Asked {
                return Ok(());
            }
            // From here on a cancel only sets the flag, and the frame is said below.
            errand.stage = Stage::Moving;
            let data = errand.data.clone().expect("a delivery has data");
            (transfer.clone(), data, errand.stop.clone(), errand.tag)
        };
        if packer.send(link, &transfer, &data, &stop)? {
            self.office.meter.sent(link.road(), data.len());
        } else {
            link.say(&transfer.frame(Kind::Cancel, tag, data.len()))?;
        }
        Ok(())
    }
}

fn unreachable(waiting: &mut VecDeque<Errand>, error: &io::Error) -> Vec<Event> {
    let lost = |errand: Errand| Event::Unreachable {
        tag: errand.tag,
        data: errand.data,
        error: Error::Lost(format!("no way to the receiver of parcel {}: {error}", errand.tag)),
    };
    waiting.drain(..).map(lost).collect()
}
