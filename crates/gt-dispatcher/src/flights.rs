//! Which of a client's batches are still under way.

use std::collections::VecDeque;

use gt_core::WorkerId;

use crate::worker_map::WorkerMap;

/// The client's batches that workers have not finished, so that the client knows how far ahead of
/// the workers it is.
#[derive(Debug, Default)]
pub struct Flights {
    /// The oldest flight's number.
    first: u64,
    flights: VecDeque<Flight>,
    /// The client's commands in all flights, and the bytes that they take while they wait.
    commands: u64,
    held_bytes: u64,
    workers: WorkerMap<Legs>,
}

/// What a worker has not finished.
#[derive(Debug, Default)]
struct Legs {
    /// In order: a flight's number, and how many commands are left of it.
    legs: VecDeque<(u64, u64)>,
    left: u64,
}

/// One batch of the client.
#[derive(Debug)]
pub struct Flight {
    /// The client's commands in it.
    pub commands: u64,
    /// The bytes that the client is told of when they are done.
    pub bytes: u64,
    /// The bytes that they take while they wait.
    pub held_bytes: u64,
    /// How many messages to workers are not done.
    pub waiting: usize,
}

impl Flights {
    /// Part of the next flight leaves for a worker.
    pub fn depart(&mut self, worker: WorkerId, commands: u64) {
        let number = self.first + self.flights.len() as u64;
        let legs = self.workers.of(worker);
        legs.legs.push_back((number, commands));
        legs.left += commands;
    }

    /// The next flight is complete.
    pub fn begin(&mut self, flight: Flight) {
        self.commands += flight.commands;
        self.held_bytes += flight.held_bytes;
        self.flights.push_back(flight);
    }

    /// Whether a worker has not finished its part of some flight.
    pub fn has(&self, worker: WorkerId) -> bool {
        self.left(worker) > 0
    }

    /// How many commands a worker has not finished.
    pub fn left(&self, worker: WorkerId) -> u64 {
        self.workers.get(worker).map_or(0, |legs| legs.left)
    }

    /// The client's commands in all flights.
    pub fn commands(&self) -> u64 {
        self.commands
    }

    /// The bytes that all flights take while they wait.
    pub fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    /// A worker that has nothing to finish is gone.
    pub fn forget(&mut self, worker: WorkerId) {
        self.workers.remove(worker);
    }

    /// A worker finished commands, no more than it has; gives the commands and bytes of all
    /// flights that are over.
    pub fn arrive(&mut self, worker: WorkerId, mut commands: u64) -> Option<(u64, u64)> {
        let Legs { legs, left } = self.workers.get_mut(worker)?;
        while commands > 0 {
            let (number, rest) = legs.front_mut()?;
            let finished = commands.min(*rest);
            commands -= finished;
            *rest -= finished;
            *left -= finished;
            if *rest == 0 {
                let index = (*number - self.first) as usize;
                self.flights[index].waiting -= 1;
                legs.pop_front();
            }
        }
        self.land()
    }

    /// The commands and bytes of the flights that are over, as long as none before them is not.
    pub fn land(&mut self) -> Option<(u64, u64)> {
        let mut done = (0, 0);
        while self.flights.front().is_some_and(|flight| flight.waiting == 0) {
            let flight = self.flights.pop_front()?;
            self.first += 1;
            self.commands -= flight.commands;
            self.held_bytes -= flight.held_bytes;
            done = (done.0 + flight.commands, done.1 + flight.bytes);
        }
        (done.0 > 0).then_some(done)
    }
}
