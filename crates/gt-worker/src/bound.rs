//! Commands whose names have become values. A command that waits keeps its values, whatever becomes
//! of their names meanwhile.

use gt_core::attrs::Attrs;
use gt_core::expr::Term;
use gt_core::instruction::{Command, Instruction, Operand, Replaces};
use gt_core::op::Op;
use gt_core::rules::risk::{Risk, row_risk};
use gt_core::{Provenance, RequestId, Result, Slot, WorkerId};
use gt_transport::Batch;
use smallvec::{SmallVec, smallvec};

use crate::names::Names;
use crate::plan::{Position, Then, ValueId, Wanted};

/// A command, and its place among those of its session on this worker.
#[derive(Debug)]
pub struct Bound {
    /// Its place.
    pub position: Position,
    /// What it does.
    pub task: Task,
}

/// What a command does.
#[derive(Debug)]
pub enum Task {
    /// Compute something.
    Apply(Apply),
    /// Take in a value from the client.
    Upload {
        /// The value.
        out: ValueId,
        /// Its name.
        slot: Slot,
        /// Its elements.
        value: gt_transport::Value,
        /// Where the user asked for it.
        provenance: Provenance,
    },
    /// Take in what another worker hands over.
    Receive {
        /// The value.
        out: ValueId,
        /// Its name.
        slot: Slot,
        /// What both sides call it.
        tag: u64,
        /// Where the user asked for it.
        provenance: Provenance,
    },
    /// Hand a value to another worker.
    Send {
        /// The value.
        value: ValueId,
        /// Who gets it.
        to: WorkerId,
        /// What both sides call it.
        tag: u64,
    },
    /// Tell the client of a value.
    Answer {
        /// The value.
        value: ValueId,
        /// Which request this answers.
        request: RequestId,
        /// What is wanted.
        wanted: Wanted,
    },
    /// Tell the client that everything before this is done.
    Sync(RequestId),
    /// Report what has failed before this.
    Report(u64, Then),
    /// Wait for the verdict of a failure barrier.
    Wait(u64),
    /// Nothing is left to do.
    Nothing,
}

/// `t2 := add t0 t1` with values in the place of names.
#[derive(Debug)]
pub struct Apply {
    /// The operation.
    pub op: &'static Op,
    /// The results.
    pub outputs: SmallVec<[ValueId; 1]>,
    /// The name of the first result.
    pub slot: Slot,
    /// The inputs.
    pub inputs: SmallVec<[Term<ValueId>; 3]>,
    /// The attributes.
    pub attrs: Attrs,
    /// For each result the value whose place it takes; empty if nothing is replaced.
    pub replaces: SmallVec<[Option<ValueId>; 1]>,
    /// Where in the user's program it came from.
    pub provenance: Provenance,
}

impl Bound {
    /// Gives the names in a batch's `index`-th command their meaning.
    pub fn new(
        batch: &Batch,
        index: usize,
        position: Position,
        names: &mut Names,
    ) -> Result<Bound> {
        let task = match batch.compact(index) {
            Some(compact) => {
                let (record, parts) = compact?;
                let instruction = Instruction {
                    op: parts.op,
                    outputs: smallvec![Slot(record.out)],
                    inputs: parts.operands,
                    attrs: Attrs::none(),
                    replaces: Replaces::first(parts.replaces),
                    provenance: Provenance(record.provenance),
                };
                Task::Apply(Apply::new(instruction, names)?)
            }
            None => match batch.freed(index) {
                Some(slots) => {
                    slots?.iter().for_each(|&slot| names.end(slot));
                    Task::Nothing
                }
                None => Task::new(batch.command(index)?, names)?,
            },
        };
        Ok(Bound { position, task })
    }

    /// The values it needs.
    pub fn needs(&self) -> SmallVec<[ValueId; 4]> {
        match &self.task {
            Task::Apply(apply) => {
                let inputs = apply.inputs.iter().filter_map(|input| match input {
                    Term::Value(id) => Some(*id),
                    _ => None,
                });
                inputs.chain(apply.replaces.iter().flatten().copied()).collect()
            }
            Task::Send { value, .. } | Task::Answer { value, .. } => {
                SmallVec::from_slice(&[*value])
            }
            _ => SmallVec::new(),
        }
    }

    /// Whether something holds for one of the values it needs.
    pub fn needs_any(&self, mut holds: impl FnMut(ValueId) -> bool) -> bool {
        match &self.task {
            Task::Apply(apply) => {
                let mut inputs = apply.inputs.iter();
                inputs.any(|input| matches!(input, Term::Value(id) if holds(*id)))
                    || apply.replaces.iter().flatten().any(|id| holds(*id))
            }
            Task::Send { value, .. } | Task::Answer { value, .. } => holds(*value),
            _ => false,
        }
    }

    /// The values it makes.
    pub fn makes(&self) -> &[ValueId] {
        match &self.task {
            Task::Apply(apply) => &apply.outputs,
            Task::Upload { out, .. } | Task::Receive { out, .. } => std::slice::from_ref(out),
            _ => &[],
        }
    }

    /// Whether the elements of its inputs can make it fail.
    pub fn is_risky(&self) -> bool {
        matches!(&self.task, Task::Apply(apply) if row_risk(apply.op) == Risk::Data)
    }

    /// Whether it replaces a value.
    pub fn replaces(&self) -> bool {
        matches!(&self.task, Task::Apply(apply) if apply.replaces.iter().any(Option::is_some))
    }
}

impl Task {
    fn new(command: Command, names: &mut Names) -> Result<Task> {
        Ok(match command {
            Command::Apply(instruction) => Task::Apply(Apply::new(instruction, names)?),
            Command::Free(slots) => {
                slots.iter().for_each(|&slot| names.end(slot));
                Task::Nothing
            }
            Command::Upload { out: slot, meta, data, provenance } => {
                let value = gt_transport::Value { meta, data };
                Task::Upload { out: names.name(slot)?, slot, value, provenance }
            }
            Command::Receive { out: slot, tag, provenance } => {
                Task::Receive { out: names.name(slot)?, slot, tag, provenance }
            }
            Command::Read { slot, request } => {
                Task::Answer { value: names.find(slot)?, request, wanted: Wanted::Elements }
            }
            Command::Describe { slot, request } => {
                Task::Answer { value: names.find(slot)?, request, wanted: Wanted::Meta }
            }
            Command::Send { slot, to, tag } => Task::Send { value: names.find(slot)?, to, tag },
            Command::Sync { request } => Task::Sync(request),
            Command::Report { barrier } => Task::Report(barrier, Then::Stay),
            Command::Settle { barrier } => Task::Report(barrier, Then::Settle),
            Command::Wait { barrier } => Task::Wait(barrier),
            // These mean something to the dispatcher only.
            Command::Enter(_) | Command::Exit | Command::Announce { .. } => Task::Nothing,
        })
    }
}

impl Apply {
    fn new(instruction: Instruction, names: &mut Names) -> Result<Apply> {
        let Instruction { op, outputs, inputs, attrs, replaces, provenance } = instruction;
        let mut terms = SmallVec::new();
        for input in inputs {
            terms.push(match input {
                Operand::Slot(slot) => Term::Value(names.find(slot)?),
                Operand::Scalar(scalar) => Term::Scalar(scalar),
            });
        }
        let mut replaced = SmallVec::new();
        for slot in replaces.0 {
            replaced.push(slot.map(|slot| names.find(slot)).transpose()?);
            slot.into_iter().for_each(|slot| names.end(slot));
        }
        let named: Result<_> = outputs.iter().map(|&slot| names.name(slot)).collect();
        let (outputs, slot) = (named?, outputs[0]);
        Ok(Apply { op, outputs, slot, inputs: terms, attrs, replaces: replaced, provenance })
    }
}
