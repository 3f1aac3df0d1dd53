//! Commands on their way to one worker, in messages that no worker refuses for their size.

use gt_core::Slot;
use gt_core::instruction::Command;
use gt_core::record::Record;
use gt_transport::Batch;
use gt_transport::codec::Limits;

/// A message is complete when it has so many commands …
const FULL_RECORDS: usize = Limits::CONTROL.records / 4;
/// … or so many bytes beside them. What one command takes fits into the rest.
const FULL_BYTES: usize = 1 << 20;

/// Commands for a worker that are not sent yet.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    /// Commands that were given to the worker before those of the last batch.
    before: u64,
    full: Vec<Batch>,
    batch: Batch,
}

impl Outgoing {
    pub(super) fn push(&mut self, command: &Command) {
        self.batch.push(command);
        self.cut();
    }

    pub(super) fn push_record(&mut self, record: Record) {
        self.batch.records.push(record);
        self.cut();
    }

    pub(super) fn push_free(&mut self, slots: &[Slot]) {
        self.batch.push_free(slots);
        self.cut();
    }

    /// How many commands the worker was given, with those that are not sent yet.
    pub(super) fn position(&self) -> u64 {
        self.before + self.batch.len() as u64
    }

    /// All messages that are not sent yet.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Batch> + use<> {
        if !self.batch.is_empty() {
            self.complete();
        }
        std::mem::take(&mut self.full).into_iter()
    }

    fn cut(&mut self) {
        if self.batch.len() >= FULL_RECORDS || self.batch.extra.len() >= FULL_BYTES {
            self.complete();
        }
    }

    fn complete(&mut self) {
        self.before += self.batch.len() as u64;
        self.full.push(std::mem::take(&mut self.batch));
    }
}
