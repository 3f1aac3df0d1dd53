//! How long it takes until everybody is done: a clock for each worker. Work moves the clocks of
//! those that do it, and a value moves that of its receiver behind that of its sender. A worker
//! does one thing at a time: it does not compute while it sends.

use gt_core::WorkerId;
use smallvec::SmallVec;

use crate::costs::Costs;

/// The clocks of workers.
#[derive(Debug)]
pub(crate) struct Timeline {
    pub(crate) costs: Costs,
    clocks: Vec<u64>,
    /// What everybody has computed together.
    computed_ns: u64,
    /// What travels at once: from whom, to whom, bytes.
    under_way: SmallVec<[(WorkerId, WorkerId, u64); 8]>,
}

impl Timeline {
    pub(crate) fn new(costs: Costs) -> Self {
        Timeline { costs, clocks: Vec::new(), computed_ns: 0, under_way: SmallVec::new() }
    }

    /// Workers compute side by side, each for so long.
    pub(crate) fn compute(&mut self, workers: &[WorkerId], each_ns: u64) {
        self.arrive();
        for &worker in workers {
            *self.clock(worker) += each_ns;
        }
        // Those that share their cores were slowed down already.
        let share = (workers.len() as f64 / self.costs.workers_at_once).max(1.0);
        self.computed_ns += (each_ns as f64 * workers.len() as f64 / share) as u64;
    }

    /// Bytes leave together with those before them.
    pub(crate) fn send(&mut self, from: WorkerId, to: WorkerId, bytes: u64) {
        self.under_way.push((from, to, bytes));
    }

    /// What is under way arrives: who sends is at it for as long as its bytes take, and who
    /// receives goes on when the last of those it hears of has sent.
    pub(crate) fn arrive(&mut self) {
        let moves = std::mem::take(&mut self.under_way);
        for &(from, _, bytes) in &moves {
            *self.clock(from) += self.costs.transfer_ns(bytes, 1);
        }
        let sent: SmallVec<[(WorkerId, u64); 8]> =
            moves.iter().map(|&(from, to, _)| (to, *self.clock(from))).collect();
        for (to, then) in sent {
            let clock = self.clock(to);
            *clock = (*clock).max(then);
        }
    }

    /// How long all of it took since this was last asked.
    pub(crate) fn take_ns(&mut self) -> u64 {
        self.arrive();
        let last = self.clocks.drain(..).max().unwrap_or(0);
        let all = std::mem::take(&mut self.computed_ns) as f64 / self.costs.workers_at_once;
        last.max(all as u64)
    }

    fn clock(&mut self, worker: WorkerId) -> &mut u64 {
        let index = worker.0 as usize;
        if index >= self.clocks.len() {
            self.clocks.resize(index + 1, 0);
        }
        &mut self.clocks[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const W: [WorkerId; 3] = [WorkerId(0), WorkerId(1), WorkerId(2)];

    #[test]
    fn workers_are_at_it_side_by_side_and_wait_for_what_they_are_sent() {
        let mut timeline = Timeline::new(Costs::apart(3, 1));
        timeline.compute(&W[..1], 100_000);
        timeline.compute(&W[1..], 30_000);
        timeline.send(W[0], W[1], 400_000);
        timeline.compute(&W[1..2], 5);
        // 20 µs for the message and 100 for the bytes; the third worker waits for nobody.
        timeline.compute(&W[2..], 1);
        assert_eq!(timeline.take_ns(), 220_005);
        assert_eq!(timeline.take_ns(), 0);
    }

    #[test]
    fn an_exchange_takes_as_long_as_one_direction_of_it() {
        let mut timeline = Timeline::new(Costs::apart(2, 1));
        timeline.send(W[0], W[1], 4000);
        timeline.send(W[1], W[0], 4000);
        assert_eq!(timeline.take_ns(), 21_000);
    }

    #[test]
    fn cores_that_are_shared_do_no_more_than_they_can() {
        let mut timeline = Timeline::new(Costs::together(1));
        // Different work, so that nobody knows of the other.
        timeline.compute(&W[..1], 100);
        timeline.compute(&W[1..2], 100);
        assert_eq!(timeline.take_ns(), 200);
        // The same for both at once: each was slowed down by the other.
        timeline.compute(&W[..2], 100);
        assert_eq!(timeline.take_ns(), 100);
    }
}
