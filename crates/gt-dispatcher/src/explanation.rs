//! What was decided of a stream and what it costs, while somebody wants to know.

use std::collections::HashMap;

use gt_core::{Provenance, WorkerId};
use smallvec::SmallVec;

use crate::costs::Costs;
use crate::timeline::Timeline;

/// So many different decisions are told apart; what is decided of others is only counted.
const MOST_ROWS: usize = 1 << 13;

/// What was decided of instructions of one line that are alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decided {
    /// The operation.
    pub op: &'static str,
    /// The line.
    pub provenance: Provenance,
    /// The entry of the config that it was in.
    pub scope: Option<Box<str>>,
    /// Its results, and where they are.
    pub results: String,
    /// How its inputs and results lie while it runs, if workers share it.
    pub way: Option<String>,
    /// The next best way.
    pub runner_up: Option<RunnerUp>,
}

/// The way that came second. Costs are bytes that travel, with those that travel in the time of a
/// message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RunnerUp {
    /// How inputs and results would lie.
    pub way: String,
    /// What it would cost.
    pub cost: u64,
    /// What the chosen one costs.
    pub chosen_cost: u64,
}

/// What moved for an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The value, and from where to where.
    pub what: String,
    /// How many bytes went from worker to worker.
    pub bytes: u64,
    /// In how many messages.
    pub messages: u64,
}

/// Decisions that are alike, and what they cost together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What was decided.
    pub decided: Decided,
    /// How often.
    pub count: u64,
    /// About how long one worker computes for all of them.
    pub compute_ns: u64,
    /// About how long the worker that sends most is at it.
    pub transfer_ns: u64,
    /// What moved.
    pub moves: Vec<Moved>,
}

/// What was decided since somebody wants to know.
#[derive(Debug)]
pub struct Explanation {
    rows: Vec<Row>,
    numbers: HashMap<Decided, usize>,
    /// The decision under way, and how long one worker computes for it.
    current: Option<(Decided, u64)>,
    moves: Vec<Moved>,
    /// What each worker sends for it: bytes and messages.
    sent: SmallVec<[(WorkerId, u64, u64); 8]>,
    left_out: u64,
    timeline: Timeline,
    /// How long each worker computes that does what was decided and not told yet: what an
    /// instruction needs may be made between.
    due_ns: SmallVec<[u64; 4]>,
}

impl Explanation {
    /// Nothing yet; what follows costs so much.
    pub(crate) fn new(costs: Costs) -> Self {
        Explanation {
            rows: Vec::new(),
            numbers: HashMap::new(),
            current: None,
            moves: Vec::new(),
            sent: SmallVec::new(),
            left_out: 0,
            timeline: Timeline::new(costs),
            due_ns: SmallVec::new(),
        }
    }

    /// What everything costs.
    pub(crate) fn costs(&self) -> &Costs {
        &self.timeline.costs
    }

    /// Whoever is told next computes for so long.
    pub(crate) fn expect(&mut self, due_ns: u64) {
        if due_ns > 0 {
            self.due_ns.push(due_ns);
        }
    }

    /// These workers do what was expected.
    pub(crate) fn run(&mut self, workers: &[WorkerId]) {
        if let Some(due_ns) = self.due_ns.pop() {
            self.timeline.compute(workers, due_ns);
        }
    }

    /// About how long everybody was at it since this was last asked.
    pub(crate) fn take_ns(&mut self) -> u64 {
        self.timeline.take_ns()
    }

    /// What follows belongs to this decision.
    pub(crate) fn begin(&mut self, decided: Decided, compute_ns: u64) {
        self.close();
        self.expect(compute_ns);
        self.current = Some((decided, compute_ns));
    }

    /// What is sent next is sent for this.
    pub(crate) fn begin_move(&mut self, what: String) {
        self.timeline.arrive();
        if self.moves.last().is_none_or(|last| last.what != what) {
            self.moves.push(Moved { what, bytes: 0, messages: 0 });
        }
    }

    /// So many bytes go from one worker to another.
    pub(crate) fn send(&mut self, from: WorkerId, to: WorkerId, bytes: u64) {
        self.timeline.send(from, to, bytes);
        if let Some(last) = self.moves.last_mut() {
            (last.bytes, last.messages) = (last.bytes + bytes, last.messages + 1);
        }
        match self.sent.iter_mut().find(|(worker, ..)| *worker == from) {
            Some((_, all, messages)) => (*all, *messages) = (*all + bytes, *messages + 1),
            None => self.sent.push((from, bytes, 1)),
        }
    }

    /// The rows so far, in the order in which they were first decided, and how many decisions there
    /// was no room for.
    pub(crate) fn take(&mut self) -> (Vec<Row>, u64) {
        self.close();
        self.numbers.clear();
        (std::mem::take(&mut self.rows), std::mem::take(&mut self.left_out))
    }

    /// Adds the decision under way to those that are like it.
    fn close(&mut self) {
        let (moves, sent) = (std::mem::take(&mut self.moves), std::mem::take(&mut self.sent));
        let Some((decided, compute_ns)) = self.current.take() else { return };
        let number = match self.numbers.get(&decided) {
            Some(&number) => number,
            None if self.rows.len() == MOST_ROWS => {
                self.left_out += 1;
                return;
            }
            None => {
                let (count, moves) = (0, Vec::new());
                let row = Row { decided, count, compute_ns: 0, transfer_ns: 0, moves };
                self.numbers.insert(row.decided.clone(), self.rows.len());
                self.rows.push(row);
                self.rows.len() - 1
            }
        };
        let row = &mut self.rows[number];
        row.count += 1;
        row.compute_ns += compute_ns;
        let costs = self.timeline.costs;
        let each = sent.iter().map(|&(_, bytes, messages)| costs.transfer_ns(bytes, messages));
        row.transfer_ns += each.max().unwrap_or(0);
        for moved in moves {
            match row.moves.iter_mut().find(|known| known.what == moved.what) {
                Some(known) => {
                    known.bytes += moved.bytes;
                    known.messages += moved.messages;
                }
                None => row.moves.push(moved),
            }
        }
    }
}

impl Row {
    /// How many bytes went from worker to worker.
    pub fn bytes(&self) -> u64 {
        self.moves.iter().map(|moved| moved.bytes).sum()
    }

    /// In how many messages.
    pub fn messages(&self) -> u64 {
        self.moves.iter().map(|moved| moved.messages).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(op: &'static str, line: u32) -> Decided {
        let (provenance, results) = (Provenance(line), String::new());
        Decided { op, provenance, scope: None, results, way: None, runner_up: None }
    }

    #[test]
    fn decisions_that_are_alike_are_one_row_and_the_busiest_sender_counts() {
        let mut explanation = Explanation::new(Costs::apart(2, 1));
        for _ in 0..3 {
            explanation.begin(decided("add", 1), 10);
            explanation.begin_move("x".into());
            explanation.send(WorkerId(0), WorkerId(1), 4000);
            explanation.send(WorkerId(1), WorkerId(0), 8000);
        }
        explanation.begin(decided("add", 2), 10);
        let (rows, left_out) = explanation.take();
        assert_eq!((rows.len(), left_out), (2, 0));
        assert_eq!((rows[0].count, rows[0].compute_ns), (3, 30));
        assert_eq!((rows[0].bytes(), rows[0].messages()), (36_000, 6));
        assert_eq!(rows[0].transfer_ns, 3 * 22_000);
        assert_eq!((rows[1].bytes(), rows[1].transfer_ns), (0, 0));
        assert_eq!(explanation.take(), (Vec::new(), 0));
    }

    #[test]
    fn rows_have_an_end() {
        let mut explanation = Explanation::new(Costs::apart(2, 1));
        for line in 0..MOST_ROWS as u32 + 5 {
            explanation.begin(decided("add", line), 1);
        }
        let (rows, left_out) = explanation.take();
        assert_eq!((rows.len(), left_out), (MOST_ROWS, 5));
    }
}
