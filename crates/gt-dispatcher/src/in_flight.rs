//! Which of a client's batches are still under way.

use std::collections::VecDeque;

/// The client's batches that workers have not finished, so that the client knows how far ahead of
/// the workers it is. Each worker's part of them is in its lane.
#[derive(Debug, Default)]
pub struct InFlight {
    /// The oldest batch's number.
    first: u64,
    batches: VecDeque<BatchInFlight>,
    /// The client's commands in all of them, and the bytes that they take while they wait.
    commands: u64,
    held_bytes: u64,
    /// Bytes of uploads that the next batch announced; they count as part of it.
    announced: u64,
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
    /// The number of the next batch.
    pub fn next(&self) -> u64 {
        self.first + self.batches.len() as u64
    }

    /// The next batch has announced an upload of so many bytes.
    pub fn announce(&mut self, bytes: u64) {
        self.announced = self.announced.saturating_add(bytes);
    }

    /// The next batch is complete.
    pub fn begin(&mut self, mut batch: BatchInFlight) {
        batch.bytes = batch.bytes.saturating_add(std::mem::take(&mut self.announced));
        self.commands += batch.commands;
        self.held_bytes += batch.held_bytes;
        self.batches.push_back(batch);
    }

    /// The client's commands in all batches.
    pub fn commands(&self) -> u64 {
        self.commands
    }

    /// The bytes that all batches take while they wait.
    pub fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    /// A worker has finished its part of these batches; gives the commands and bytes of all batches
    /// that are over.
    pub fn finish_parts(&mut self, batches: impl IntoIterator<Item = u64>) -> Option<(u64, u64)> {
        for batch in batches {
            self.batches[(batch - self.first) as usize].waiting -= 1;
        }
        self.land()
    }

    /// The commands and bytes of the batches that are over, as long as none before them is not.
    pub fn land(&mut self) -> Option<(u64, u64)> {
        let mut done = (0, 0);
        while self.batches.front().is_some_and(|batch| batch.waiting == 0) {
            let batch = self.batches.pop_front()?;
            self.first += 1;
            self.commands -= batch.commands;
            self.held_bytes -= batch.held_bytes;
            done = (done.0 + batch.commands, done.1 + batch.bytes);
        }
        (done.0 > 0).then_some(done)
    }
}
