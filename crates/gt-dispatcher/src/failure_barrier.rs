//! What the workers of a session know of each other's failures. Until the client is told of a
//! failure, nothing is replaced anywhere; so a worker must have heard of it before it replaces
//! anything.

use gt_core::WorkerId;
use smallvec::SmallVec;

use crate::worker_map::WorkerMap;

/// What happened on each worker since the client last heard from it.
#[derive(Debug, Default)]
pub struct FailureBarrier {
    workers: WorkerMap<Standing>,
}

#[derive(Debug, Default)]
struct Standing {
    /// It was given something that may fail for want of memory.
    busy: bool,
    /// It was given something that may fail because of the data.
    risky: bool,
    /// Who has its word since then.
    told: SmallVec<[WorkerId; 4]>,
}

impl FailureBarrier {
    /// A worker is given something to do.
    pub fn busy(&mut self, worker: WorkerId) {
        self.workers.of(worker).busy = true;
    }

    /// A worker is given something that may fail because of the data.
    pub fn risk(&mut self, worker: WorkerId) {
        let standing = self.workers.of(worker);
        standing.busy = true;
        standing.risky = true;
        standing.told.clear();
    }

    /// The workers that `worker` must hear from before it replaces a value. Who was asked once is
    /// not asked again before it has taken another risk.
    pub fn ask(&mut self, worker: WorkerId) -> SmallVec<[WorkerId; 4]> {
        let mut unheard = SmallVec::new();
        for (other, standing) in self.workers.iter_mut() {
            if other != worker && standing.risky && !standing.told.contains(&worker) {
                standing.told.push(worker);
                unheard.push(other);
            }
        }
        unheard
    }

    /// The client hears through `worker`: gives the others that must tell it what they know.
    pub fn settle(&mut self, worker: WorkerId) -> SmallVec<[WorkerId; 4]> {
        let mut busy = SmallVec::new();
        for (other, standing) in self.workers.iter_mut() {
            if std::mem::take(standing).busy && other != worker {
                busy.push(other);
            }
        }
        busy
    }

    /// A worker is gone.
    pub fn forget(&mut self, worker: WorkerId) {
        self.workers.remove(worker);
        for (_, standing) in self.workers.iter_mut() {
            standing.told.retain(|told| *told != worker);
        }
    }
}
