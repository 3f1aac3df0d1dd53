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

    /// The workers that are there.
    pub fn workers(&self) -> impl Iterator<Item = WorkerId> {
        let there = self.free_ns.iter().enumerate().filter(|(_, free)| free.is_some());
        there.map(|(index, _)| WorkerId(index as u32))
    }

    /// Whether there are at least two, so that there is a choice.
    pub fn has_choice(&self) -> bool {
        self.workers().nth(1).is_some()
    }

    /// Where work of `cost_ns` would end soonest; `missing` gives the inputs a worker lacks.
    pub fn soonest(
        &self,
        now_ns: u64,
        cost_ns: u64,
        missing: impl Fn(WorkerId) -> (u64, Option<Needed>),
    ) -> Option<WorkerId> {
        let end = |worker: WorkerId| {
            let (present_ns, absent) = missing(worker);
            let arrives = absent.map_or(0, |needed| {
                needed.ready_ns + HANDOVER_NS + needed.bytes as u64 / BYTES_PER_NS
            });
            let free = self.free_ns[worker.0 as usize].unwrap_or(0);
            free.max(now_ns).max(present_ns).max(arrives) + cost_ns
        };
        self.workers().min_by_key(|&worker| end(worker))
    }

    /// Gives work to a worker; says when it will be done.
    pub fn assign(&mut self, worker: WorkerId, now_ns: u64, cost_ns: u64) -> u64 {
        let free = &mut self.free_ns[worker.0 as usize];
        let end = free.unwrap_or(0).max(now_ns) + cost_ns;
        *free = Some(end);
        end
    }
}
