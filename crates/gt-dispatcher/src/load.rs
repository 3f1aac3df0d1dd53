//! How busy the workers are estimated to be, and where the next piece of work would end soonest.

use gt_core::WorkerId;

use crate::worker_map::WorkerMap;

/// What handing a value over costs besides its bytes.
const HANDOVER_NS: u64 = 20_000;

/// How many bytes are handed over in a nanosecond.
const BYTES_PER_NS: u64 = 4;

/// The workers, and when each will be free.
#[derive(Debug, Default)]
pub struct Load {
    workers: WorkerMap<Lane>,
}

#[derive(Debug)]
struct Lane {
    free_ns: u64,
    health: Health,
}

/// Whether work may go to a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Health {
    /// It was heard of lately.
    Well,
    /// It is silent: nothing new goes there as long as there is somebody else.
    Suspect,
}

/// An input of a piece of work: when it is there, and what handing it over would cost.
#[derive(Clone, Copy, Debug)]
pub struct Needed {
    /// When it will have been computed.
    pub ready_ns: u64,
    /// How large it is.
    pub bytes: usize,
}

impl Load {
    /// A worker is there.
    pub fn join(&mut self, worker: WorkerId) {
        self.workers.insert(worker, Lane { free_ns: 0, health: Health::Well });
    }

    /// A worker is gone.
    pub fn leave(&mut self, worker: WorkerId) {
        self.workers.remove(worker);
    }

    /// The workers that are there.
    pub fn workers(&self) -> impl Iterator<Item = WorkerId> {
        self.workers.iter().map(|(worker, _)| worker)
    }

    /// A worker fell silent, or was heard again.
    pub fn set_health(&mut self, worker: WorkerId, health: Health) {
        if let Some(lane) = self.workers.get_mut(worker) {
            lane.health = health;
        }
    }

    /// Whether work may go to a worker.
    pub fn health(&self, worker: WorkerId) -> Health {
        self.workers.get(worker).map_or(Health::Suspect, |lane| lane.health)
    }

    /// The one of `workers` that is free soonest.
    pub fn least_busy(
        &self,
        now_ns: u64,
        workers: impl Iterator<Item = WorkerId>,
    ) -> Option<WorkerId> {
        workers
            .min_by_key(|&worker| (self.health(worker), self.free_ns(worker).max(now_ns), worker))
    }

    /// When work of `cost_ns` would end on a worker; `inputs` says when those that are there will
    /// be computed, and what it lacks.
    pub fn end_ns(
        &self,
        worker: WorkerId,
        now_ns: u64,
        cost_ns: u64,
        inputs: (u64, Option<Needed>),
    ) -> u64 {
        let (present_ns, absent) = inputs;
        let transfer_ns = |needed: Needed| HANDOVER_NS + needed.bytes as u64 / BYTES_PER_NS;
        let arrives =
            absent.map_or(0, |needed| needed.ready_ns.saturating_add(transfer_ns(needed)));
        let start = self.free_ns(worker).max(now_ns).max(present_ns).max(arrives);
        start.saturating_add(cost_ns)
    }

    fn free_ns(&self, worker: WorkerId) -> u64 {
        self.workers.get(worker).map_or(0, |lane| lane.free_ns)
    }

    /// Gives work to a worker; says when it will be done.
    pub fn assign(&mut self, worker: WorkerId, now_ns: u64, cost_ns: u64) -> u64 {
        let end = self.free_ns(worker).max(now_ns).saturating_add(cost_ns);
        if let Some(lane) = self.workers.get_mut(worker) {
            lane.free_ns = end;
        }
        end
    }
}
