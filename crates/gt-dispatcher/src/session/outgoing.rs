//! Commands on their way to one worker, in messages that no worker refuses for their size. What
//! nobody waits for is joined, for a while or as long as the worker is busy, so that many small
//! messages become one: what wakes a process costs more than a hundred instructions. What a worker
//! has to do of a session takes a bounded time, whatever the commands are; the rest waits here.

use std::collections::VecDeque;
use std::sync::Arc;

use gt_core::Slot;
use gt_core::instruction::Command;
use gt_core::record::Record;
use gt_transport::Batch;
use gt_transport::codec::Limits;
use smallvec::SmallVec;

use super::trail::{Mark, Progress};

/// A message is complete when it has so many commands …
const FULL_RECORDS: usize = Limits::CONTROL.records / 4;
/// … or so many bytes beside them. What one command takes fits into the rest.
const FULL_BYTES: usize = 1 << 20;
/// It is also complete when what is in it takes so long …
const FULL_NS: u64 = 10_000_000;
/// … and a worker that has so much to do, in more than one message, gets no more. Estimates may be
/// several times too large, and it takes about a millisecond until the next message is there.
const MOST_IN_FLIGHT_NS: u64 = 40_000_000;
/// How long a worker takes for a command beside what is computed.
const COMMAND_NS: u64 = 1_000;
/// A worker that is at one message and has another one waiting needs no third.
const ENOUGH_MESSAGES: usize = 2;
/// A message costs everybody who touches it about as long as this much work.
pub(super) const WORTH_A_MESSAGE_NS: u64 = 200_000;

/// Commands for a worker.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    /// Commands that were given to the worker before those of the last batch.
    before: u64,
    /// Messages that are complete, and how many of them somebody waits for.
    full: VecDeque<Parcel>,
    due: usize,
    batch: Batch,
    /// About how long the commands of the last batch take.
    batch_ns: u64,
    /// Whether somebody waits for one of those that are not sent.
    urgent: bool,
    /// About how long those take that are not sent.
    cost_ns: u64,
    /// How many commands of each message that was sent are not done, and how long it takes.
    sent: VecDeque<(u64, u64)>,
    /// How long all of these take.
    in_flight_ns: u64,
    /// Since when some are held back.
    held_since: Option<u64>,
    /// How many commands were not counted by [`Outgoing::added`].
    uncounted: u64,
    /// How many commands were sent.
    departed: u64,
    /// Which commands of the client they come from, while somebody observes.
    marks: VecDeque<Mark>,
}

/// A message, and about how long it takes.
#[derive(Debug)]
struct Parcel {
    batch: Arc<Batch>,
    cost_ns: u64,
}

impl Outgoing {
    pub(super) fn push(&mut self, command: &Command) {
        self.urgent |= is_waited_for(command);
        let before = self.batch.len();
        self.batch.push(command);
        self.uncounted += (self.batch.len() - before) as u64;
        self.cut();
    }

    pub(super) fn push_record(&mut self, record: Record) {
        self.batch.records.push(record);
        self.uncounted += 1;
        self.cut();
    }

    pub(super) fn push_free(&mut self, slots: &[Slot]) {
        self.batch.push_free(slots);
        self.uncounted += 1;
        self.cut();
    }

    /// The same; what is pushed next comes from this command of the client.
    pub(super) fn marked(&mut self, instruction: u64) -> &mut Self {
        if instruction != 0 && self.marks.back().is_none_or(|last| !last.is_alone(instruction)) {
            let position = self.position();
            self.marks.push_back(Mark { position, instruction, share: 0, shares: 0 });
        }
        self
    }

    /// What is shared next comes from these commands of the client.
    pub(super) fn mark_shared(&mut self, marks: &[(u64, u64)], index: usize, shares: usize) {
        let (first, shares) = (self.position(), u16::try_from(shares).unwrap_or(u16::MAX));
        let share = u16::try_from(index + 1).unwrap_or(u16::MAX);
        let shared = |&(position, instruction): &(u64, u64)| Mark {
            position: first + position,
            instruction,
            share,
            shares,
        };
        self.marks.extend(marks.iter().map(shared));
    }

    /// How far the worker is.
    pub(super) fn progress(&mut self) -> Progress<'_> {
        let (sent, done) = (self.departed, self.departed - self.unfinished());
        Progress { sent, done, marks: &mut self.marks }
    }

    /// Commands that the worker shares with others are under way; they count here too.
    pub(super) fn count_shared(&mut self, commands: u64) {
        self.uncounted += commands;
    }

    /// Commands that the worker shares with others, after those of its own. They take about so
    /// long.
    pub(super) fn push_shared(&mut self, batch: Arc<Batch>, cost_ns: u64) {
        if !self.batch.is_empty() {
            self.complete();
        }
        self.before += batch.len() as u64;
        self.full.push_back(Parcel { batch, cost_ns });
    }

    /// Somebody waits for the last message that is complete.
    pub(super) fn hurry(&mut self) {
        self.due = self.full.len();
    }

    /// Nothing is held back any longer.
    pub(super) fn release(&mut self) {
        self.urgent = true;
    }

    /// What is pushed next takes about so long.
    pub(super) fn add_cost(&mut self, cost_ns: u64) {
        self.cost_ns = self.cost_ns.saturating_add(cost_ns);
        self.batch_ns = self.batch_ns.saturating_add(cost_ns);
    }

    /// How many commands the worker was given, with those that are not sent yet.
    pub(super) fn position(&self) -> u64 {
        self.before + self.batch.len() as u64
    }

    /// How many commands were given to the worker since this was last asked.
    pub(super) fn added(&mut self) -> u64 {
        std::mem::take(&mut self.uncounted)
    }

    /// How many commands were sent and are not done.
    pub(super) fn unfinished(&self) -> u64 {
        self.sent.iter().map(|(commands, _)| commands).sum()
    }

    /// The worker is done with commands, no more than are unfinished.
    pub(super) fn finish(&mut self, mut commands: u64) {
        while let Some((first, cost_ns)) = self.sent.front_mut().filter(|_| commands > 0) {
            let finished = commands.min(*first);
            commands -= finished;
            *first -= finished;
            if *first == 0 {
                self.in_flight_ns = self.in_flight_ns.saturating_sub(*cost_ns);
                self.sent.pop_front();
            }
        }
    }

    /// Whether the worker has enough to do for now.
    pub(super) fn is_busy(&self) -> bool {
        self.sent.len() >= ENOUGH_MESSAGES
    }

    /// Whether it has so much to do that complete messages wait too.
    fn is_laden(&self) -> bool {
        self.is_busy() && self.in_flight_ns >= MOST_IN_FLIGHT_NS
    }

    /// Since when some are held back for a time. What waits for a busy worker goes when that has
    /// finished something, and no time passes for it.
    pub(super) fn held_since(&self) -> Option<u64> {
        self.held_since.filter(|_| !self.is_busy())
    }

    /// The messages that are to be sent now. What is too little to be worth one is held back for
    /// `hold_ns` at most.
    pub(super) fn take(
        &mut self,
        now_ns: u64,
        hold_ns: u64,
    ) -> impl Iterator<Item = Arc<Batch>> + use<> {
        let held_ns = self.held_since.map_or(0, |since| now_ns.saturating_sub(since));
        let is_little = self.cost_ns < WORTH_A_MESSAGE_NS && held_ns < hold_ns;
        let waits = !self.urgent && (is_little || self.is_busy());
        if !waits && !self.batch.is_empty() {
            self.complete();
        }
        let mut due: SmallVec<[Arc<Batch>; 2]> = SmallVec::new();
        while self.urgent || self.due > 0 || !self.is_laden() {
            let Some(Parcel { batch, cost_ns }) = self.full.pop_front() else { break };
            self.due = self.due.saturating_sub(1);
            let commands = batch.len() as u64;
            let cost_ns = cost_ns.saturating_add(commands * COMMAND_NS);
            self.sent.push_back((commands, cost_ns));
            self.in_flight_ns = self.in_flight_ns.saturating_add(cost_ns);
            self.departed += commands;
            due.push(batch);
        }
        if self.batch.is_empty() && self.full.is_empty() {
            (self.urgent, self.cost_ns, self.held_since) = (false, 0, None);
        } else {
            self.held_since.get_or_insert(now_ns);
        }
        due.into_iter()
    }

    fn cut(&mut self) {
        if is_full(&self.batch, self.batch_ns) {
            self.complete();
        }
    }

    fn complete(&mut self) {
        self.before += self.batch.len() as u64;
        let (batch, cost_ns) =
            (Arc::new(std::mem::take(&mut self.batch)), std::mem::take(&mut self.batch_ns));
        self.full.push_back(Parcel { batch, cost_ns });
    }
}

/// Whether commands that take so long are enough for a message.
pub(super) fn is_full(batch: &Batch, cost_ns: u64) -> bool {
    batch.len() >= FULL_RECORDS || batch.extra.len() >= FULL_BYTES || cost_ns >= FULL_NS
}

/// Whether the client or another worker waits for what comes of a command.
pub(super) fn is_waited_for(command: &Command) -> bool {
    match command {
        Command::Read { .. }
        | Command::Describe { .. }
        | Command::Sync { .. }
        | Command::Send { .. }
        | Command::Move(_)
        | Command::Report { .. }
        | Command::Vote { .. }
        | Command::Settle { .. } => true,
        Command::Apply(_)
        | Command::Free(_)
        | Command::Upload { .. }
        | Command::Announce { .. }
        | Command::Receive { .. }
        | Command::Wait { .. }
        | Command::Ask { .. }
        | Command::DefineScope { .. }
        | Command::DefineSignature { .. }
        | Command::Signature(_)
        | Command::Scope(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(outgoing: &mut Outgoing) -> Vec<usize> {
        outgoing.take(0, 0).map(|batch| batch.len()).collect()
    }

    #[test]
    fn what_is_little_is_held_back_for_a_while() {
        let mut outgoing = Outgoing::default();
        let mut sent_at = |now_ns: u64, cost_ns: u64| {
            outgoing.push_free(&[Slot(0)]);
            outgoing.add_cost(cost_ns);
            outgoing.take(now_ns, 1000).map(|batch| batch.len()).sum::<usize>()
        };
        assert_eq!([0, 10, 999].map(|now_ns| sent_at(now_ns, 10)), [0; 3]);
        assert_eq!(sent_at(1000, 10), 4, "it is time");
        assert_eq!(sent_at(1001, 10), 0);
        assert_eq!(sent_at(1002, WORTH_A_MESSAGE_NS), 2, "it is worth a message");
    }

    #[test]
    fn what_nobody_waits_for_is_joined_while_the_worker_is_busy() {
        let mut outgoing = Outgoing::default();
        for _ in 0..ENOUGH_MESSAGES {
            outgoing.push_free(&[Slot(0)]);
            outgoing.add_cost(WORTH_A_MESSAGE_NS);
            assert_eq!(messages(&mut outgoing), [1]);
        }
        for _ in 0..3 {
            outgoing.push_free(&[Slot(0)]);
            outgoing.add_cost(WORTH_A_MESSAGE_NS);
            assert!(messages(&mut outgoing).is_empty());
        }
        assert_eq!((outgoing.added(), outgoing.unfinished()), (5, 2));
        outgoing.finish(1);
        assert_eq!(messages(&mut outgoing), [3]);
        outgoing.push_free(&[Slot(0)]);
        assert!(messages(&mut outgoing).is_empty());
        outgoing.push(&Command::Settle { barrier: 0, after: gt_core::instruction::After::Risks });
        assert_eq!(messages(&mut outgoing), [2]);
        assert_eq!((outgoing.added(), outgoing.unfinished()), (2, 6));
    }

    /// So many commands of a cost, as messages.
    fn messages_of(outgoing: &mut Outgoing, commands: u64, cost_ns: u64) -> usize {
        for _ in 0..commands {
            outgoing.add_cost(cost_ns);
            outgoing.push_free(&[Slot(0)]);
        }
        messages(outgoing).len()
    }

    #[test]
    fn a_worker_has_work_for_a_bounded_time_and_gets_more_when_it_is_done() {
        for cost_ns in [0, 1_000, 100_000, FULL_NS, 3 * MOST_IN_FLIGHT_NS] {
            let mut outgoing = Outgoing::default();
            let each_ns = cost_ns + COMMAND_NS;
            let commands = 10 + 4 * MOST_IN_FLIGHT_NS / each_ns;
            messages_of(&mut outgoing, commands, cost_ns);
            let first = outgoing.unfinished();
            let bound_ns = MOST_IN_FLIGHT_NS + (FULL_RECORDS as u64 * COMMAND_NS).max(FULL_NS);
            let most = (bound_ns / each_ns).max(ENOUGH_MESSAGES as u64);
            assert!((2..=most + 1).contains(&first), "{first} of {each_ns} ns are sent");
            // What is finished makes room, and in the end everything was sent.
            while outgoing.departed < commands {
                let (departed, left) = (outgoing.departed, outgoing.unfinished());
                outgoing.finish(left);
                messages(&mut outgoing);
                assert!(outgoing.departed > departed, "{departed} of {commands} are sent");
            }
            assert_eq!((outgoing.position(), outgoing.departed), (commands, commands));
        }
    }

    #[test]
    fn what_somebody_waits_for_takes_everything_before_it_along() {
        let mut outgoing = Outgoing::default();
        messages_of(&mut outgoing, 100, MOST_IN_FLIGHT_NS);
        assert_eq!(outgoing.unfinished(), 2);
        outgoing.hurry();
        assert_eq!(messages(&mut outgoing).len(), 98);
        assert!(outgoing.held_since().is_none());
    }
}
