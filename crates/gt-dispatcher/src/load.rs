//! How busy the workers are estimated to be, and where the next piece of work would end soonest.

use gt_core::WorkerId;

/// What handing a value over costs besides its bytes.
const HANDOVER_NS: u64 = 20_000;

/// How many bytes are handed over in a nanosecond.
const BYTES_PER_NS: u64 = 4;

/// The workers, and when each will be free.
#[derive(Debug, Default)]
pub struct Load {
    free_ns: Vec<Option<u64>>,
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
        let index = worker.0 as usize;
        if self.free_ns.len() <= index {
            self.free_ns.resize(index + 1, None);
        }
        self.free_ns[index] = Some(0);
    }

    /// A worker is gone.
    pub fn leave(&mut self, worker: WorkerId) {
        if let Some(free) = self.free_ns.get_mut(worker.0 as usize) {
            *free = None;
        }
    }

    /// The workers that are there.
    pub fn workers(&self) -> impl Iterator<Item = WorkerId> {
        let there = self.free_ns.iter().enumerate().filter(|(_, free)| free.is_some());
        there.map(|(index, _)| WorkerId(index as u32))
    }

    /// The one of `workers` that is free soonest.
    pub fn least_busy(
        &self,
        now_ns: u64,
        workers: impl Iterator<Item = WorkerId>,
    ) -> Option<WorkerId> {
        workers.min_by_key(|&worker| (self.free_ns(worker).max(now_ns), worker))
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
        let arrives = absent
            .map_or(0, |needed| needed.ready_ns + HANDOVER_NS + needed.bytes as u64 / BYTES_PER_NS);
        self.free_ns(worker).max(now_ns).max(present_ns).max(arrives) + cost_ns
    }

    fn free_ns(&self, worker: WorkerId) -> u64 {
        self.free_ns.get(worker.0 as usize).copied().flatten().unwrap_or(0)
    }

    /// Gives work to a worker; says when it will be done.
    pub fn assign(&mut self, worker: WorkerId, now_ns: u64, cost_ns: u64) -> u64 {
        let end = self.free_ns(worker).max(now_ns) + cost_ns;
        if let Some(free) = self.free_ns.get_mut(worker.0 as usize) {
            *free = Some(end);
        }
        end
    }
}
