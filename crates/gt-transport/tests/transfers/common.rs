//! A worker and a client that write down what they are told, and values to carry.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gt_core::{DType, Meta, SessionId, Shape, WorkerId};
use gt_transport::Peer;
use gt_transport::ticket::{Access, Address, Key, Role, Route, Ticket, TransferKind};
use gt_transport::transfers::{DataPlane, Event, Limits, PlaneOptions};

/// Which road a test takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Unix,
    Tcp,
}

pub const WAYS: [Way; 2] = [Way::Unix, Way::Tcp];
pub const SESSION: SessionId = SessionId(1);
pub const CLIENT: Peer = Peer::Client(SESSION);
pub const WORKER: Peer = Peer::Worker(WorkerId(1));

/// Numbers that a seed decides (splitmix64).
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.roll() % limit
    }

    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// A value of any bytes.
    pub fn value(&mut self, bytes: usize) -> Bytes {
        let words = std::iter::repeat_with(|| self.roll().to_le_bytes());
        words.flatten().take(bytes).collect::<Vec<u8>>().into()
    }
}

/// A list that other threads append to, and tests wait for.
#[derive(Debug)]
pub struct Journal<T>(Arc<Mutex<Vec<T>>>);

impl<T> Clone for Journal<T> {
    fn clone(&self) -> Self {
        Journal(self.0.clone())
    }
}

impl<T> Default for Journal<T> {
    fn default() -> Self {
        Journal(Arc::default())
    }
}

impl<T> Journal<T> {
    pub fn write(&self, entry: T) {
        self.0.lock().expect("no test panics here").push(entry);
    }

    /// Takes all entries, as soon as there are so many.
    pub fn take(&self, count: usize) -> Vec<T> {
        until(&format!("{count} entries"), || self.len() >= count);
        std::mem::take(&mut *self.0.lock().expect("no test panics here"))
    }

    /// Takes the only entry.
    pub fn one(&self) -> T {
        let mut entries = self.take(1);
        assert_eq!(entries.len(), 1);
        entries.pop().expect("just counted")
    }

    pub fn len(&self) -> usize {
        self.0.lock().expect("no test panics here").len()
    }
}

/// Looks again and again until something holds; a minute is for ever.
pub fn until(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(60), "waited in vain for {what}");
        // Whatever it waits for may need this core.
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

/// A private folder that goes away with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn make() -> Folder {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("gt-data-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).expect("a folder of its own");
        Folder(path)
    }

    pub fn socket(&self) -> PathBuf {
        self.0.join("data")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).expect("the folder is still there");
    }
}

/// A process, and what it was told.
pub struct Side {
    pub plane: Arc<DataPlane>,
    pub events: Journal<Event>,
    pub key: Key,
    pub own: Peer,
}

impl Side {
    pub fn open(own: Peer, options: PlaneOptions) -> Side {
        let events = Journal::default();
        let journal = events.clone();
        let plane = DataPlane::open(options, move |event| journal.write(event));
        let (plane, key) = (plane.expect("a free port"), Key::random());
        plane.identify(own, Some(key.clone()));
        Side { plane, events, key, own }
    }

    /// What somebody needs to reach this side.
    pub fn access(&self, from: Peer, address: Address) -> Access {
        Access { address, key: self.key.for_peer(from) }
    }

    pub fn arrived(&self, tag: u64, data: &Bytes) {
        match self.events.one() {
            Event::Arrived { tag: found, data: value } => {
                assert!(found == tag && value == *data, "{tag}");
            }
            other => panic!("{tag}: {other:?}"),
        }
    }

    pub fn confirmed(&self, tag: u64) {
        let event = self.events.one();
        assert!(
            matches!(event, Event::Confirmed { tag: found } if found == tag),
            "{tag}: {event:?}"
        );
    }

    pub fn failed(&self, tag: u64, why: &str) {
        let event = self.events.one();
        let Event::Failed { tag: found, error } = event else { panic!("{tag}: {event:?}") };
        assert!(found == tag && error.to_string().contains(why), "{tag}: {error}");
    }
}

pub fn ticket(
    session: SessionId,
    tag: u64,
    bytes: usize,
    role: Role,
    peer: Peer,
    route: Route,
) -> Ticket {
    let meta = Meta::new(DType::U8, Shape::from_iter([bytes]));
    let (region, kind) = (None, TransferKind::Handover);
    Ticket { session, tag, meta, region, role, kind, peer, route }
}

/// A worker that listens and a client that connects.
pub struct Pair {
    pub worker: Side,
    pub client: Side,
    pub to: Address,
    pub relay: Option<Side>,
    _folders: Vec<Folder>,
}

impl Pair {
    pub fn open(way: Way) -> Pair {
        Pair::with_limits(way, Limits::default())
    }

    pub fn with_limits(way: Way, limits: Limits) -> Pair {
        let folder = Folder::make();
        let options = PlaneOptions {
            unix: Some(folder.socket()),
            tcp: Some("127.0.0.1:0".into()),
            limits: limits.clone(),
            ..PlaneOptions::default()
        };
        let worker = Side::open(WORKER, options);
        let client = Side::open(CLIENT, PlaneOptions { limits, ..PlaneOptions::default() });
        let to = worker.plane.address().clone().seen_from(way == Way::Unix);
        Pair { worker, client, to, relay: None, _folders: vec![folder] }
    }

    /// With a relay in a process of its own.
    pub fn with_relay(self) -> Pair {
        let folder = Folder::make();
        let options = PlaneOptions {
            unix: Some(folder.socket()),
            tcp: Some("127.0.0.1:0".into()),
            ..PlaneOptions::default()
        };
        let relay = Some(Side::open(Peer::Relay, options));
        let folders = self._folders.into_iter().chain([folder]).collect();
        Pair { relay, _folders: folders, ..self }
    }

    fn route(&self, own: &Side) -> Route {
        let direct = (own.own == CLIENT).then(|| self.worker.access(CLIENT, self.to.clone()));
        let relay = self.relay.as_ref();
        // One of the two is on the relay's host.
        let address = |relay: &Side| relay.plane.address().clone().seen_from(own.own == WORKER);
        let relay = relay.map(|relay| relay.access(own.own, address(relay)));
        Route { direct, relay }
    }

    pub fn permit(&self, session: SessionId, from: &Side, to: &Side, tag: u64, bytes: usize) {
        let route = self.route(from);
        from.plane.take_ticket(ticket(session, tag, bytes, Role::Send, to.own, route));
    }

    pub fn expect(&self, session: SessionId, from: &Side, to: &Side, tag: u64, bytes: usize) {
        let route = self.route(to);
        to.plane.take_ticket(ticket(session, tag, bytes, Role::Receive, from.own, route));
    }

    /// Tells both sides of a transfer, and gives the value.
    pub fn carry(&self, from: &Side, to: &Side, tag: u64, data: &Bytes) {
        self.expect(SESSION, from, to, tag, data.len());
        self.permit(SESSION, from, to, tag, data.len());
        from.plane.send(tag, data.clone());
    }
}
