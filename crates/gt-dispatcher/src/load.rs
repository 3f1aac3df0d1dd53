//! How busy the workers are estimated to be, and how long values take from one to another.

use std::collections::BTreeMap;

use gt_core::WorkerId;
use gt_transport::Peer;
use gt_transport::hello::WorkerInfo;
use gt_transport::report::Channels;

use self::pace::Pace;
use crate::pick::{Candidate, Speeds};

mod pace;

/// What handing a value over costs besides its bytes.
const HANDOVER_NS: u64 = 20_000;

/// How often it is looked how quick workers are.
const COMPARED_NS: u64 = 20_000_000;

/// How many bytes are handed over in a nanosecond on one host, before that was measured.
const LOCAL_BYTES_PER_NS: u64 = 4;

/// The same between hosts.
const REMOTE_BYTES_PER_NS: u64 = 1;

/// What a link has carried has to be so much before its speed counts as known.
const LEAST_TIMED_BYTES: u64 = 4 << 20;

/// About how long a worker takes to hand over so many bytes in so many messages.
pub(crate) fn handover_ns(bytes: u64, messages: u64) -> u64 {
    messages * HANDOVER_NS + bytes / LOCAL_BYTES_PER_NS
}

/// The workers, and when each will be free.
#[derive(Debug, Default)]
pub struct Load {
    /// The workers, in the order of their numbers.
    lanes: Vec<Lane>,
    /// Bytes in a microsecond from one worker to another, where that was measured.
    links: BTreeMap<(WorkerId, WorkerId), u64>,
    /// When it is next looked how quick they are.
    compare_at_ns: u64,
}

#[derive(Debug)]
struct Lane {
    worker: WorkerId,
    free_ns: u64,
    health: Health,
    /// Whether nothing new is to go there, as the operator wants it.
    is_drained: bool,
    pace: Pace,
    host: Numbered,
    class: Numbered,
    /// How many workers like it the cores of its host serve at once.
    at_once: u32,
    memory_bytes: u64,
    /// Bytes that its values take, as it reported last.
    used_bytes: u64,
    /// How many sessions have their home there.
    homes: u32,
}

/// A name that several workers may have, and the number that those are compared by.
#[derive(Clone, Debug)]
struct Numbered {
    name: String,
    number: u32,
}

impl Lane {
    fn health(&self) -> Health {
        if self.is_drained { Health::Suspect } else { self.health }
    }
}

/// Whether work may go to a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// It was heard of lately.
    Well,
    /// It is silent, or drained: nothing new goes there as long as there is somebody else.
    Suspect,
}

impl Load {
    /// A worker is there.
    pub fn join(&mut self, worker: WorkerId, info: &WorkerInfo) {
        let at_once = match (info.cores, info.threads.max(1)) {
            (0, _) => u32::MAX,
            (cores, threads) => (cores / threads).max(1),
        };
        let lane = Lane {
            worker,
            free_ns: 0,
            health: Health::Well,
            is_drained: false,
            pace: Pace::default(),
            host: self.numbered(&info.host, |lane| &lane.host),
            class: self.numbered(&info.numerics, |lane| &lane.class),
            at_once,
            memory_bytes: info.memory_bytes,
            used_bytes: 0,
            homes: 0,
        };
        match self.find(worker) {
            Ok(index) => self.lanes[index] = lane,
            Err(index) => self.lanes.insert(index, lane),
        }
    }

    /// The name of a worker that joins, with the number of those that have the same.
    fn numbered(&self, name: &str, of: impl Fn(&Lane) -> &Numbered) -> Numbered {
        let known = self.lanes.iter().map(&of).find(|known| known.name == name);
        let unused = || self.lanes.iter().map(|lane| of(lane).number + 1).max().unwrap_or(0);
        Numbered { name: name.to_string(), number: known.map_or_else(unused, |same| same.number) }
    }

    /// A worker is gone.
    pub fn leave(&mut self, worker: WorkerId) {
        if let Ok(index) = self.find(worker) {
            self.lanes.remove(index);
        }
        self.links.retain(|(from, to), _| *from != worker && *to != worker);
    }

    /// A worker reports how many bytes its values take.
    pub fn note_memory(&mut self, worker: WorkerId, used_bytes: u64) {
        if let Ok(index) = self.find(worker) {
            self.lanes[index].used_bytes = used_bytes;
        }
    }

    /// A worker reports what came from other workers, and how long that took.
    pub fn note_channels(&mut self, to: WorkerId, channels: &Channels) {
        for channel in &channels.list {
            if let Peer::Worker(from) = channel.peer
                && channel.timed_bytes >= LEAST_TIMED_BYTES
                && self.find(from).is_ok()
            {
                let speed = channel.timed_bytes.saturating_mul(1000) / channel.timed_ns.max(1);
                self.links.insert((from, to), speed.max(1));
            }
        }
    }

    /// What is known of a worker. `held_bytes` is what the asking session has there, of which the
    /// worker may not have reported everything.
    pub(crate) fn candidate(&self, worker: WorkerId, held_bytes: u64) -> Option<Candidate> {
        let lane = self.lane(worker)?;
        // A quarter is left to what is computed and sent on the way.
        let most = match lane.memory_bytes {
            0 => u64::MAX,
            bytes => bytes - bytes / 4,
        };
        Some(Candidate {
            worker,
            health: lane.health(),
            free_ns: lane.free_ns,
            slowness: lane.pace.taken_ns(1),
            room_bytes: most.saturating_sub(lane.used_bytes.max(held_bytes)),
            host: lane.host.number,
            at_once: lane.at_once,
            class: lane.class.number,
        })
    }

    /// A session has its home at another worker than before.
    pub(crate) fn move_home(&mut self, from: Option<WorkerId>, to: Option<WorkerId>) {
        if from == to {
            return;
        }
        for (worker, change) in [(from, -1), (to, 1)] {
            if let Some(Ok(index)) = worker.map(|worker| self.find(worker)) {
                let homes = &mut self.lanes[index].homes;
                *homes = homes.saturating_add_signed(change);
            }
        }
    }

    /// How many sessions have their home at a worker.
    pub(crate) fn homes(&self, worker: WorkerId) -> u32 {
        self.lane(worker).map_or(0, |lane| lane.homes)
    }

    /// The workers that are there.
    pub fn workers(&self) -> impl Iterator<Item = WorkerId> {
        self.lanes.iter().map(|lane| lane.worker)
    }

    /// A worker fell silent, or was heard again.
    pub fn set_health(&mut self, worker: WorkerId, health: Health) {
        if let Ok(index) = self.find(worker) {
            self.lanes[index].health = health;
        }
    }

    /// Nothing new goes to a worker, or something does again.
    pub fn set_drained(&mut self, worker: WorkerId, is_drained: bool) {
        if let Ok(index) = self.find(worker) {
            self.lanes[index].is_drained = is_drained;
        }
    }

    /// Whether work may go to a worker.
    pub fn health(&self, worker: WorkerId) -> Health {
        self.lane(worker).map_or(Health::Suspect, Lane::health)
    }

    /// The first of `workers` that is free soonest.
    pub fn least_busy_of(
        &self,
        now_ns: u64,
        workers: impl Iterator<Item = WorkerId>,
    ) -> Option<WorkerId> {
        workers
            .min_by_key(|&worker| (self.health(worker), self.free_ns(worker).max(now_ns), worker))
    }

    /// A worker says how long something took. Now and then all are compared.
    pub fn note_busy(&mut self, now_ns: u64, worker: WorkerId, busy_ns: u64) {
        let Ok(index) = self.find(worker) else { return };
        self.lanes[index].pace.note_busy(busy_ns);
        if now_ns < self.compare_at_ns {
            return;
        }
        self.compare_at_ns = now_ns + COMPARED_NS;
        let quickest = self.lanes.iter().filter_map(|lane| lane.pace.ratio()).min().unwrap_or(1);
        self.lanes.iter_mut().for_each(|lane| lane.pace.compare(quickest));
    }

    /// Gives work to a worker; says when it will be done.
    pub fn assign(&mut self, worker: WorkerId, now_ns: u64, cost_ns: u64) -> u64 {
        let Ok(index) = self.find(worker) else { return now_ns.saturating_add(cost_ns) };
        let lane = &mut self.lanes[index];
        let taken_ns = lane.pace.assign(cost_ns);
        lane.free_ns = lane.free_ns.max(now_ns).saturating_add(taken_ns);
        lane.free_ns
    }

    fn free_ns(&self, worker: WorkerId) -> u64 {
        self.lane(worker).map_or(0, |lane| lane.free_ns)
    }

    fn lane(&self, worker: WorkerId) -> Option<&Lane> {
        self.find(worker).ok().map(|index| &self.lanes[index])
    }

    fn find(&self, worker: WorkerId) -> Result<usize, usize> {
        // Numbers are mostly those of the places, because workers come in their order.
        match self.lanes.get(worker.0 as usize) {
            Some(lane) if lane.worker == worker => Ok(worker.0 as usize),
            _ => self.lanes.binary_search_by_key(&worker, |lane| lane.worker),
        }
    }
}

impl Speeds for Load {
    fn handover_ns(&self, from: WorkerId, to: WorkerId, bytes: u64) -> u64 {
        let host = |worker: WorkerId| self.lane(worker).map(|lane| lane.host.number);
        let travels_ns = match self.links.get(&(from, to)) {
            Some(speed) => bytes.saturating_mul(1000) / speed,
            None if host(from) == host(to) => bytes / LOCAL_BYTES_PER_NS,
            None => bytes / REMOTE_BYTES_PER_NS,
        };
        HANDOVER_NS.saturating_add(travels_ns)
    }
}
