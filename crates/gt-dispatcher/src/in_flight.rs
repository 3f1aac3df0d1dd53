//! Which of a client's batches are still under way.

use std::collections::VecDeque;

use gt_core::WorkerId;

use crate::worker_map::WorkerMap;

/// The client's batches that workers have not finished, so that the client knows how far ahead of
/// the workers it is.
#[derive(Debug, Default)]
pub struct InFlight {
    /// The oldest batch's number.
    first: u64,
    in_flight: VecDeque<BatchInFlight>,
    /// The client's commands in all in_flight, and the bytes that they take while they wait.
    commands: u64,
    held_bytes: u64,
    workers: WorkerMap<Credits>,
}

/// What a worker has not finished.
#[derive(Debug, Default)]
struct Credits {
    /// In order: a batch's number, and how many commands are left of it.
    credits: VecDeque<(u64, u64)>,
    left: u64,
}

/// One batch of the client.
#[derive(Debug)]
pub struct BatchInFlight {
    /// The client's commands in it.
    pub commands: u64,
    /// The bytes that the client is told of when they are done.
    pub bytes: u64,
    /// The bytes that they take while they wait.
    pub held_bytes: u64,
    /// How many workers are not done with their parts.
    pub waiting: usize,
}

impl InFlight {
    /// Part of the next batch leaves for a worker.
    pub fn depart(&mut self, worker: WorkerId, commands: u64) {
        let number = self.first + self.in_flight.len() as u64;
        let credits = self.workers.of(worker);
        credits.credits.push_back((number, commands));
        credits.left += commands;
    }

    /// The next batch is complete.
    pub fn begin(&mut self, batch: BatchInFlight) {
        self.commands += batch.commands;
        self.held_bytes += batch.held_bytes;
        self.in_flight.push_back(batch);
    }

    /// How many commands a worker has not finished.
    pub fn left(&self, worker: WorkerId) -> u64 {
        self.workers.get(worker).map_or(0, |credits| credits.left)
    }

    /// The client's commands in all in_flight.
    pub fn commands(&self) -> u64 {
        self.commands
    }

    /// The bytes that all in_flight take while they wait.
    pub fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    /// A worker that has nothing to finish is gone.
    pub fn forget(&mut self, worker: WorkerId) {
        self.workers.remove(worker);
    }

    /// A worker finished commands, no more than it has; gives the commands and bytes of all
    /// in_flight that are over.
    pub fn arrive(&mut self, worker: WorkerId, mut commands: u64) -> Option<(u64, u64)> {
        let Credits { credits, left } = self.workers.get_mut(worker)?;
        while commands > 0 {
            let (number, rest) = credits.front_mut()?;
            let finished = commands.min(*rest);
            commands -= finished;
            *rest -= finished;
            *left -= finished;
            if *rest == 0 {
                let index = (*number - self.first) as usize;
                self.in_flight[index].waiting -= 1;
                credits.pop_front();
            }
        }
        self.land()
    }

    /// The commands and bytes of the in_flight that are over, as long as none before them is not.
    pub fn land(&mut self) -> Option<(u64, u64)> {
        let mut done = (0, 0);
        while self.in_flight.front().is_some_and(|batch| batch.waiting == 0) {
            let batch = self.in_flight.pop_front()?;
            self.first += 1;
            self.commands -= batch.commands;
            self.held_bytes -= batch.held_bytes;
            done = (done.0 + batch.commands, done.1 + batch.bytes);
        }
        (done.0 > 0).then_some(done)
    }
}
