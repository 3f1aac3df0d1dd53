//! A client's side of its stream: names for values, the batch under way, random numbers. It does
//! not wait and does not send; its owner does.

use gt_core::attrs::{Attr, AttrKind, Attrs};
use gt_core::instruction::{Command, Instruction};
use gt_core::op::Op;
use gt_core::record::Record;
use gt_core::{RequestId, Slot};
use gt_transport::Batch;
use smallvec::SmallVec;

use crate::generator::{Generator, RandomState};
use crate::scope::Scopes;

/// A batch is sent when it has so many commands …
pub const BATCH_COMMANDS: usize = 1024;
/// … or so many bytes beside their records.
pub const BATCH_BYTES: usize = 32 * 1024;

/// A program learns at the latest after so many more live values that there is no memory for them.
const VALUES_UNCHECKED: u32 = 1 << 16;

/// A batch of no more commands is copied when it is sent.
const FEW_COMMANDS: usize = 128;

/// The stream as it is being written.
#[derive(Debug, Default)]
pub struct Stream {
    batch: Batch,
    payload_bytes: usize,
    /// Names from here on were never used.
    unused: u32,
    /// The program learns whether there is memory for its values when it uses this name.
    checked: u32,
    free: Vec<Slot>,
    requests: u32,
    appended: u64,
    random: RandomState,
    scopes: Scopes,
}

impl Stream {
    /// A name for a value. It is used again only after its own Free was appended, so that the
    /// order of the stream keeps both apart.
    pub fn name(&mut self) -> Slot {
        self.free.pop().unwrap_or_else(|| {
            self.unused += 1;
            Slot(self.unused - 1)
        })
    }

    /// Whether the program holds so many more values than before that it should learn whether there
    /// is memory for them. Says so once.
    pub fn should_check_memory(&mut self) -> bool {
        let is_due = self.unused - self.checked >= VALUES_UNCHECKED;
        if is_due {
            self.checked = self.unused;
        }
        is_due
    }

    /// What is appended next belongs to the scope of this thread.
    pub fn follow_scope(&mut self) {
        if self.scopes.is_current() {
            return;
        }
        let mut scopes = std::mem::take(&mut self.scopes);
        scopes.follow(|command| self.push(command));
        self.scopes = scopes;
    }

    /// What is appended next belongs to no scope.
    pub fn leave_scopes(&mut self) {
        let mut scopes = std::mem::take(&mut self.scopes);
        scopes.leave(|command| self.push(command));
        self.scopes = scopes;
    }

    /// What its scopes mean.
    pub(crate) fn scopes(&mut self) -> &mut Scopes {
        &mut self.scopes
    }

    /// A number for a read.
    pub fn request(&mut self) -> RequestId {
        self.requests = self.requests.wrapping_add(1);
        RequestId(self.requests)
    }

    /// Appends a record that needs nothing beside it.
    pub fn push_record(&mut self, record: Record) {
        self.appended += 1;
        self.batch.records.push(record);
    }

    /// Appends an instruction. A name that it replaces may be used again.
    pub fn push_instruction(&mut self, instruction: &Instruction) {
        self.appended += 1;
        self.batch.push_instruction(instruction);
        self.free.extend(instruction.replaces.slots());
    }

    /// Appends any other command.
    pub fn push(&mut self, command: &Command) {
        self.appended += 1;
        if let Command::Upload { data, .. } = command {
            self.payload_bytes += data.len();
        }
        self.batch.push(command);
    }

    /// Appends that values are needed no more.
    pub fn free(&mut self, slots: &[Slot]) {
        for slots in slots.chunks(4) {
            self.appended += 1;
            self.batch.push_free(slots);
        }
        self.free.extend_from_slice(slots);
    }

    /// Whether the batch should be sent now.
    pub fn is_full(&self) -> bool {
        self.batch.len() >= BATCH_COMMANDS
            || self.batch.extra.len() + self.payload_bytes >= BATCH_BYTES
    }

    /// Whether nothing waits to be sent.
    pub fn is_empty(&self) -> bool {
        self.batch.is_empty()
    }

    /// How many commands were ever appended.
    pub fn appended(&self) -> u64 {
        self.appended
    }

    /// What waits to be sent.
    pub fn take(&mut self) -> Batch {
        self.payload_bytes = 0;
        let mut records = Vec::new();
        if self.batch.len() > FEW_COMMANDS {
            records.reserve_exact(BATCH_COMMANDS);
        } else {
            // Copying a few takes less than room for as many as a batch can have.
            records.extend_from_slice(&self.batch.records);
            std::mem::swap(&mut records, &mut self.batch.records);
            records.clear();
        }
        std::mem::replace(&mut self.batch, Batch { records, ..Batch::default() })
    }

    /// Starts the random numbers anew.
    pub fn manual_seed(&mut self, seed: u64) {
        self.random = RandomState { seed, count: 0 };
    }

    /// Where its random numbers are.
    pub fn random_state(&self) -> RandomState {
        self.random
    }

    /// Goes on with random numbers from another state.
    pub fn set_random_state(&mut self, state: RandomState) {
        self.random = state;
    }

    /// Attributes with what only the session knows: the key and count of random numbers, if the
    /// thread does not draw them from a generator of its own.
    pub fn fill(&mut self, op: &Op, mut attrs: Attrs) -> Attrs {
        if !op.attrs.iter().any(|spec| spec.kind == AttrKind::RngIndex) {
            return attrs;
        }
        let state = Generator::advance_current().unwrap_or_else(|| self.random.advance());
        for (spec, value) in op.attrs.iter().zip(attrs.0.iter_mut()) {
            match spec.kind {
                AttrKind::Seed => *value = Attr::Int(state.seed as i64),
                AttrKind::RngIndex => *value = Attr::Int(state.count as i64),
                _ => {}
            }
        }
        attrs
    }

    /// Names for so many values.
    pub fn names(&mut self, count: usize) -> SmallVec<[Slot; 1]> {
        (0..count).map(|_| self.name()).collect()
    }
}
