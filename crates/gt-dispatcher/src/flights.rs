//! Which of a client's batches are still under way.

use std::collections::VecDeque;

/// The client's batches that workers have not finished, so that the client knows how far ahead of
/// the workers it is.
#[derive(Debug, Default)]
pub struct Flights {
    /// The oldest flight's number.
    first: u64,
    flights: VecDeque<Flight>,
    /// For each worker, in order: a flight's number, and how many commands are left of it there.
    legs: Vec<VecDeque<(u64, u64)>>,
}

/// One batch of the client.
#[derive(Debug)]
pub struct Flight {
    /// The client's commands in it.
    pub commands: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How many workers are not done with their part.
    pub waiting: usize,
}

impl Flights {
    /// Part of the next flight leaves for a worker.
    pub fn depart(&mut self, worker: usize, commands: u64) {
        if self.legs.len() <= worker {
            self.legs.resize_with(worker + 1, VecDeque::new);
        }
        let number = self.first + self.flights.len() as u64;
        self.legs[worker].push_back((number, commands));
    }

    /// The next flight is complete.
    pub fn begin(&mut self, flight: Flight) {
        self.flights.push_back(flight);
    }

    /// Whether a worker has not finished its part of some flight.
    pub fn has(&self, worker: usize) -> bool {
        self.legs.get(worker).is_some_and(|legs| !legs.is_empty())
    }

    /// How many commands a worker has not finished.
    pub fn left(&self, worker: usize) -> u64 {
        self.legs.get(worker).map_or(0, |legs| legs.iter().map(|(_, left)| left).sum())
    }

    /// The client's commands in all flights.
    pub fn commands(&self) -> u64 {
        self.flights.iter().map(|flight| flight.commands).sum()
    }

    /// A worker finished commands; gives the commands and bytes of all flights that are over.
    pub fn arrive(&mut self, worker: usize, mut commands: u64) -> Option<(u64, u64)> {
        let legs = self.legs.get_mut(worker)?;
        while commands > 0 {
            let (number, left) = legs.front_mut()?;
            let finished = commands.min(*left);
            commands -= finished;
            *left -= finished;
            if *left == 0 {
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
            done = (done.0 + flight.commands, done.1 + flight.bytes);
        }
        (done.0 > 0).then_some(done)
    }
}
