//! A depot and a courier that write down what they are told, and parcels to carry.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gt_core::Result;
use gt_transport::bulk::{
    Address, BufferSource, Courier, Depot, DepotOptions, Event, Key, Limits, Plain,
};

/// The most that one chunk has.
pub const CHUNK: usize = 1 << 20;
/// How long a frame is, and the first bytes on a connection.
pub const FRAME: usize = 56;
pub const HELLO: usize = 40;

/// A frame without a proof, as a stranger would make it.
pub fn frame(kind: u8, request: u64, value: u64) -> [u8; FRAME] {
    let mut frame = [0; FRAME];
    frame[..6].copy_from_slice(&[b'G', b'T', b'b', b'k', 1, kind]);
    frame[8..16].copy_from_slice(&request.to_le_bytes());
    frame[16..24].copy_from_slice(&value.to_le_bytes());
    frame
}

/// Which road a test takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Road {
    Unix,
    Tcp,
}

pub const ROADS: [Road; 2] = [Road::Unix, Road::Tcp];

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
        let what = format!("{count} entries, there are {}", self.len());
        until(&what, || self.len() >= count);
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
        std::thread::yield_now();
    }
}

/// A private folder that goes away with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn make() -> Folder {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("gt-bulk-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).expect("a folder of its own");
        Folder(path)
    }

    pub fn socket(&self) -> PathBuf {
        self.0.join("bulk")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).expect("the folder is still there");
    }
}

/// A depot and a courier, and what they said.
pub struct Pair {
    pub depot: Arc<Depot>,
    pub courier: Arc<Courier>,
    pub arrived: Journal<(u64, Result<Bytes>)>,
    pub events: Journal<Event>,
    pub to: Address,
    _folder: Folder,
}

impl Pair {
    pub fn open(road: Road) -> Pair {
        Pair::with(road, Limits::default(), Arc::new(Plain), Arc::new(Plain))
    }

    pub fn with_limits(road: Road, limits: Limits) -> Pair {
        Pair::with(road, limits, Arc::new(Plain), Arc::new(Plain))
    }

    pub fn with(
        road: Road,
        limits: Limits,
        depot: Arc<dyn BufferSource>,
        courier: Arc<dyn BufferSource>,
    ) -> Pair {
        let folder = Folder::make();
        let (arrived, events) = (Journal::default(), Journal::default());
        let depot = open_depot(&folder, limits.clone(), depot, arrived.clone());
        let journal = events.clone();
        let courier = Courier::with_limits(courier, move |event| journal.write(event), limits);
        let to = match road {
            Road::Unix => depot.address().clone(),
            Road::Tcp => depot.address().clone().seen_from(false),
        };
        Pair { depot, courier, arrived, events, to, _folder: folder }
    }

    pub fn deliver(&self, tag: u64, key: &Key, data: &Bytes) {
        self.courier.deliver(&self.to, tag, key.clone(), data.clone());
    }

    pub fn fetch(&self, tag: u64, key: &Key, bytes: usize) {
        self.courier.fetch(&self.to, tag, key.clone(), bytes);
    }
}

pub fn open_depot(
    folder: &Folder,
    limits: Limits,
    buffer_source: Arc<dyn BufferSource>,
    arrived: Journal<(u64, Result<Bytes>)>,
) -> Arc<Depot> {
    let options = DepotOptions {
        unix: Some(folder.socket()),
        allowed_group: None,
        tcp: Some("127.0.0.1:0".into()),
        advertise: None,
        buffer_source,
        limits,
    };
    Depot::open(options, move |tag, data| arrived.write((tag, data))).expect("a free port")
}

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

    /// A parcel of any bytes.
    pub fn parcel(&mut self, bytes: usize) -> Bytes {
        let words = std::iter::repeat_with(|| self.roll().to_le_bytes());
        words.flatten().take(bytes).collect::<Vec<u8>>().into()
    }
}
