//! How busy the workers are estimated to be, and where the next piece of work would end soonest.

use gt_core::WorkerId;

use self::pace::Pace;

mod pace;

/// What handing a value over costs besides its bytes.
const HANDOVER_NS: u64 = 20_000;

/// How often it is looked how quick workers are.
const COMPARED_NS: u64 = 20_000_000;

/// How many bytes are handed over in a nanosecond.
const BYTES_PER_NS: u64 = 4;

/// About how long a worker takes to hand over so many bytes in so many messages.
pub(crate) fn handover_ns(bytes: u64, messages: u64) -> u64 {
    messages * HANDOVER_NS + bytes / BYTES_PER_NS
}

/// The workers, and when each will be free.
#[derive(Debug, Default)]
pub struct Load {
    /// The workers, in the order of their numbers.
    lanes: Vec<Lane>,
    /// A tree of minima over the lanes: node `n` has the children `2n` and `2n + 1`, and the lanes
    /// are its last half. So who is free soonest is found in as many steps as there are levels.
    soonest: Vec<u64>,
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
}

impl Lane {
    /// When it is free for something new, as far as the tree is concerned.
    fn key(&self) -> u64 {
        match self.health() {
            Health::Well => self.free_ns,
            Health::Suspect => u64::MAX,
        }
    }

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
        let (health, pace) = (Health::Well, Pace::default());
        let lane = Lane { worker, free_ns: 0, health, is_drained: false, pace };
        match self.find(worker) {
            Ok(index) => self.lanes[index] = lane,
            Err(index) => self.lanes.insert(index, lane),
        }
        self.rebuild();
    }

    /// A worker is gone.
    pub fn leave(&mut self, worker: WorkerId) {
        if let Ok(index) = self.find(worker) {
            self.lanes.remove(index);
            self.rebuild();
        }
    }

    /// The workers that are there.
    pub fn workers(&self) -> impl Iterator<Item = WorkerId> {
        self.lanes.iter().map(|lane| lane.worker)
    }

    /// A worker fell silent, or was heard again.
    pub fn set_health(&mut self, worker: WorkerId, health: Health) {
        if let Ok(index) = self.find(worker) {
            self.lanes[index].health = health;
            self.update(index);
        }
    }

    /// Nothing new goes to a worker, or something does again.
    pub fn set_drained(&mut self, worker: WorkerId, is_drained: bool) {
        if let Ok(index) = self.find(worker) {
            self.lanes[index].is_drained = is_drained;
            self.update(index);
        }
    }

    /// Whether work may go to a worker.
    pub fn health(&self, worker: WorkerId) -> Health {
        self.lane(worker).map_or(Health::Suspect, Lane::health)
    }

    /// The first of all workers that is free soonest.
    pub fn least_busy(&self, now_ns: u64) -> Option<WorkerId> {
        let least = self.soonest.get(1).copied().filter(|least| *least < u64::MAX)?.max(now_ns);
        let (mut node, leaves) = (1, self.soonest.len() / 2);
        while node < leaves {
            let left = 2 * node;
            node = if self.soonest[left] <= least { left } else { left + 1 };
        }
        Some(self.lanes[node - leaves].worker)
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
        let transfer_ns = |needed: Needed| handover_ns(needed.bytes as u64, 1);
        let arrives =
            absent.map_or(0, |needed| needed.ready_ns.saturating_add(transfer_ns(needed)));
        let start = self.free_ns(worker).max(now_ns).max(present_ns).max(arrives);
        let lane = self.lane(worker);
        start.saturating_add(lane.map_or(cost_ns, |lane| lane.pace.taken_ns(cost_ns)))
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
        let end_ns = lane.free_ns;
        self.update(index);
        end_ns
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

    fn rebuild(&mut self) {
        let leaves = self.lanes.len().next_power_of_two();
        self.soonest = vec![u64::MAX; 2 * leaves];
        (0..self.lanes.len()).for_each(|index| self.update(index));
    }

    /// Brings a lane's way to the root up to date, as far as it changes.
    fn update(&mut self, index: usize) {
        let mut node = self.soonest.len() / 2 + index;
        self.soonest[node] = self.lanes[index].key();
        while node > 1 {
            node /= 2;
            let least = self.soonest[2 * node].min(self.soonest[2 * node + 1]);
            if std::mem::replace(&mut self.soonest[node], least) == least {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree finds what a look at every worker finds.
    #[test]
    fn whoever_is_free_soonest_is_found() {
        let mut load = Load::default();
        let mut state = 1u64;
        let mut dice = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for _ in 0..20_000 {
            let worker = WorkerId(dice(40) as u32);
            match dice(20) {
                0 => load.join(worker),
                1 => load.leave(worker),
                2 => load.set_health(worker, Health::Suspect),
                3 => load.set_health(worker, Health::Well),
                4 => load.set_drained(worker, dice(2) == 0),
                _ => drop(load.assign(worker, dice(500), dice(100))),
            }
            let now_ns = dice(2000);
            let all: Vec<WorkerId> = load.workers().collect();
            let well = all.iter().copied().filter(|worker| load.health(*worker) == Health::Well);
            assert_eq!(load.least_busy(now_ns), load.least_busy_of(now_ns, well));
        }
    }
}
