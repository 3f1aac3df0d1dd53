//! Commands for one worker that are not sent yet, in messages that no worker refuses for their
//! size. Commands without a waiting client or worker are joined, for a while or as long as the
//! worker is busy, so that many small messages become one: waking a process costs more than a
//! hundred instructions. A worker has a bounded time of work in flight; the rest waits here.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::context::Pace;
use gt_core::Slot;
use gt_core::instruction::{Command, Instruction};
use gt_core::record::Record;
use gt_transport::Batch;
use gt_transport::codec::Limits;

/// A message is complete when it has so many commands …
pub(super) const FULL_RECORDS: usize = Limits::CONTROL.records / 4;
/// … or so many bytes beside them. What one command takes fits into the rest.
const FULL_BYTES: usize = 1 << 20;
/// It is also complete when what is in it takes so long …
pub(super) const FULL_NS: u64 = 10_000_000;
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
    /// Since when some are held back.
    held_since: Option<u64>,
}

/// A message, and about how long it takes.
#[derive(Debug)]
pub(super) struct Parcel {
    pub(super) batch: Arc<Batch>,
    pub(super) cost_ns: u64,
}

impl Outgoing {
    pub(super) fn push(&mut self, command: &Command) {
        self.urgent |= command.is_awaited();
        self.batch.push(command);
        self.cut();
    }

    pub(super) fn push_instruction(&mut self, instruction: &Instruction) {
        self.batch.push_instruction(instruction);
        self.cut();
    }

    #[inline]
    pub(super) fn push_record(&mut self, record: Record) {
        self.batch.records.push(record);
        self.cut();
    }

    #[inline]
    pub(super) fn push_free(&mut self, slots: &[Slot]) {
        self.batch.push_free(slots);
        self.cut();
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
    #[inline]
    pub(super) fn add_cost(&mut self, cost_ns: u64) {
        self.cost_ns = self.cost_ns.saturating_add(cost_ns);
        self.batch_ns = self.batch_ns.saturating_add(cost_ns);
    }

    /// How many commands the worker was given, with those that are not sent yet.
    pub(super) fn position(&self) -> u64 {
        self.before + self.batch.len() as u64
    }

    /// Since when some are held back.
    pub(super) fn held_since(&self) -> Option<u64> {
        self.held_since
    }

    /// Completes the last message if it is worth one, was held back for long enough or is waited
    /// for.
    pub(super) fn complete_if_due(&mut self, is_busy: bool, pace: Pace) {
        let held_ns = self.held_since.map_or(0, |since| pace.now_ns.saturating_sub(since));
        let is_little = self.cost_ns < WORTH_A_MESSAGE_NS && held_ns < pace.hold_ns;
        let waits = !self.urgent && (is_little || is_busy);
        if !waits && !self.batch.is_empty() {
            self.complete();
        }
    }

    /// The next message that is to be sent now, to a worker that may have all it can take.
    pub(super) fn next(&mut self, is_laden: bool) -> Option<Parcel> {
        if !self.urgent && self.due == 0 && is_laden {
            return None;
        }
        let parcel = self.full.pop_front()?;
        self.due = self.due.saturating_sub(1);
        Some(parcel)
    }

    /// What is left is held back.
    pub(super) fn note_held(&mut self, now_ns: u64) {
        if self.batch.is_empty() && self.full.is_empty() {
            (self.urgent, self.cost_ns, self.held_since) = (false, 0, None);
        } else {
            self.held_since.get_or_insert(now_ns);
        }
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
