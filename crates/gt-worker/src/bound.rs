//! Commands whose names have become values. A command that waits keeps its values, whatever becomes
//! of their names meanwhile.

use std::sync::Arc;

use gt_core::attrs::Attrs;
use gt_core::expr::Term;
use gt_core::instruction::{Command, Instruction, Operand};
use gt_core::op::Op;
use gt_core::ops::builtin::CAST;
use gt_core::placement::Signature;
use gt_core::record::{Parts, Record};
use gt_core::rules::risk::{Risk, row_risk};
use gt_core::{Error, Provenance, RequestId, Result, Slot, WorkerId};
use gt_transport::Batch;
use smallvec::{SmallVec, smallvec};

use self::moved::bind_move;
pub use self::moved::{Get, Give, Own, Part};
use crate::names::Names;
use crate::plan::{Position, Then, ValueId, Wanted};

mod moved;

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
    Apply(Box<Apply>),
    /// Take in a value from the client.
    Upload {
        /// The value.
        out: ValueId,
        /// Its name.
        slot: Slot,
        /// Its elements.
        value: Box<gt_transport::Value>,
        /// Where the user asked for it.
        provenance: Provenance,
    },
    /// Take in what the client hands over.
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
    /// Give parts of a value to other workers.
    Give(Box<Give>),
    /// Put a value together from parts.
    Get(Box<Get>),
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
    /// Answer a read that the client has given up, without its value.
    GiveUp(RequestId),
    /// Report what has failed before this.
    Report(u64, Then),
    /// The same, for whatever reason, and also if one of these values has failed.
    Vote {
        /// The barrier.
        barrier: u64,
        /// The values.
        values: Results,
        /// Whether to report what they are.
        compare: bool,
    },
    /// Wait for the verdict of a failure barrier about values, which are named anew.
    Agree {
        /// The barrier.
        barrier: u64,
        /// The values.
        values: Results,
        /// What they are after it.
        outputs: Results,
    },
    /// Wait for the verdict of a failure barrier.
    Wait(u64),
    /// Nothing is left to do.
    Nothing,
}

/// The results of an instruction.
type Results = SmallVec<[ValueId; 3]>;

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
    /// How the workers share it; each does all of it if there is none.
    pub signature: Option<Arc<Signature>>,
    /// Whether it fails if its results are not finite and its inputs are.
    pub checked: bool,
}

impl Bound {
    /// Gives the names in a batch's `index`-th command their meaning. A move is two tasks: what
    /// this worker gives goes out whatever becomes of what it gets. So is a vote: its report goes
    /// out before the verdict is known.
    pub fn new(
        batch: &Batch,
        index: usize,
        position: Position,
        names: &mut Names,
        worker: WorkerId,
    ) -> Result<(Bound, Option<Bound>)> {
        let task = match batch.compact(index) {
            Some(compact) => {
                let (record, parts) = compact?;
                Task::Apply(Box::new(Apply::compact(&record, &parts, names)?))
            }
            None => match batch.command(index)? {
                Command::Move(moved) => {
                    let (give, get) = bind_move(&moved, worker, names)?;
                    let get = get.map(|task| Bound { position, task });
                    return Ok((Bound { position, task: give }, get));
                }
                Command::Vote { barrier, slots, compare } => {
                    let values = slots.iter().map(|&slot| names.find(slot));
                    let values = values.collect::<Result<Results>>()?;
                    let vote = Task::Vote { barrier, values: values.clone(), compare };
                    let outputs = slots.iter().map(|&slot| names.name(slot));
                    let outputs = outputs.collect::<Result<_>>()?;
                    let agree = Task::Agree { barrier, values, outputs };
                    let agree = Bound { position, task: agree };
                    return Ok((Bound { position, task: vote }, Some(agree)));
                }
                command => Task::new(command, names)?,
            },
        };
        Ok((Bound { position, task }, None))
    }

    /// Its results fail if they are not finite and its inputs are.
    pub fn check_nan(&mut self) {
        match &mut self.task {
            Task::Apply(apply) => apply.checked = true,
            Task::Get(get) => get.checked = true,
            _ => {}
        }
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
            Task::Answer { value, .. } => SmallVec::from_slice(&[*value]),
            Task::Give(give) => SmallVec::from_slice(&[give.value]),
            Task::Get(get) => get.own.iter().map(|own| own.value).collect(),
            Task::Vote { values, .. } | Task::Agree { values, .. } => {
                values.iter().copied().collect()
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
            Task::Answer { value, .. } => holds(*value),
            Task::Give(give) => holds(give.value),
            Task::Get(get) => get.own.as_ref().is_some_and(|own| holds(own.value)),
            Task::Vote { values, .. } | Task::Agree { values, .. } => {
                values.iter().any(|id| holds(*id))
            }
            _ => false,
        }
    }

    /// The values it makes.
    pub fn makes(&self) -> &[ValueId] {
        match &self.task {
            Task::Apply(apply) => &apply.outputs,
            Task::Upload { out, .. } | Task::Receive { out, .. } => std::slice::from_ref(out),
            Task::Get(get) => std::slice::from_ref(&get.out),
            Task::Agree { outputs, .. } => outputs,
            _ => &[],
        }
    }

    /// The failure barrier whose verdict it waits for.
    pub fn awaits(&self) -> Option<u64> {
        match self.task {
            Task::Wait(barrier) | Task::Agree { barrier, .. } => Some(barrier),
            _ => None,
        }
    }

    /// Whether one of these values takes the place of another by it, which cannot fail.
    pub fn renames_one_of(&self, values: &[ValueId]) -> bool {
        let Task::Apply(apply) = &self.task else { return false };
        let is_one =
            |input: &Term<ValueId>| matches!(input, Term::Value(id) if values.contains(id));
        *apply.op == CAST && self.replaces() && apply.inputs.iter().all(is_one)
    }

    /// Whether the elements of its inputs can make it fail.
    pub fn is_risky(&self) -> bool {
        match &self.task {
            Task::Apply(apply) => apply.checked || row_risk(apply.op) == Risk::Data,
            Task::Get(get) => get.checked,
            _ => false,
        }
    }

    /// Whether other workers wait for it.
    pub fn hands_over(&self) -> bool {
        matches!(&self.task, Task::Give(give) if !give.parts.is_empty())
    }

    /// Whether it replaces a value.
    pub fn replaces(&self) -> bool {
        matches!(&self.task, Task::Apply(apply) if apply.replaces.iter().any(Option::is_some))
    }
}

impl Task {
    fn new(command: Command, names: &mut Names) -> Result<Task> {
        Ok(match command {
            Command::Apply(instruction) => Task::Apply(Box::new(Apply::new(instruction, names)?)),
            Command::Free(slots) => {
                slots.iter().for_each(|&slot| names.end(slot));
                Task::Nothing
            }
            Command::Upload { out: slot, meta, data, provenance } => {
                let value = Box::new(gt_transport::Value { meta, data });
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
            Command::Sync { request } => Task::Sync(request),
            Command::Report { barrier } => Task::Report(barrier, Then::Stay),
            Command::Settle { barrier, after } => Task::Report(barrier, Then::Settle(after)),
            Command::Wait { barrier } => Task::Wait(barrier),
            Command::DefineSignature { number, signature } => {
                names.signatures.define(number, signature)?;
                Task::Nothing
            }
            Command::Signature(number) => {
                names.signatures.begin(number)?;
                Task::Nothing
            }
            Command::Move(_) | Command::Vote { .. } => {
                return Err(Error::bug("what is two tasks is bound elsewhere"));
            }
            // These mean something to the dispatcher only.
            Command::Ask { .. }
            | Command::DefineScope { .. }
            | Command::Scope(_)
            | Command::Announce { .. } => Task::Nothing,
        })
    }
}

impl Apply {
    /// An instruction that fits into its record, as most do.
    fn compact(record: &Record, parts: &Parts, names: &mut Names) -> Result<Apply> {
        let (slot, provenance) = (Slot(record.out), Provenance(record.provenance));
        let inputs = bind_inputs(&parts.operands, names)?;
        let mut replaces = SmallVec::new();
        if let Some(old) = parts.replaces {
            replaces.push(Some(names.take(old)?));
        }
        let outputs = smallvec![names.name(slot)?];
        let (attrs, signature) = (Attrs::none(), names.signatures.current());
        let op = parts.op;
        let checked = false;
        Ok(Apply { op, outputs, slot, inputs, attrs, replaces, provenance, signature, checked })
    }

    fn new(instruction: Instruction, names: &mut Names) -> Result<Apply> {
        let Instruction { op, outputs, inputs, attrs, replaces, provenance } = instruction;
        let inputs = bind_inputs(&inputs, names)?;
        let old = replaces.0.iter().map(|slot| slot.map(|slot| names.take(slot)).transpose());
        let replaces = old.collect::<Result<_>>()?;
        let named: Result<_> = outputs.iter().map(|&slot| names.name(slot)).collect();
        let (outputs, slot) = (named?, outputs[0]);
        let signature = names.signatures.current();
        let checked = false;
        Ok(Apply { op, outputs, slot, inputs, attrs, replaces, provenance, signature, checked })
    }
}

fn bind_inputs(inputs: &[Operand], names: &Names) -> Result<SmallVec<[Term<ValueId>; 3]>> {
    let mut terms = SmallVec::with_capacity(inputs.len());
    for input in inputs {
        terms.push(match *input {
            Operand::Slot(slot) => Term::Value(names.find(slot)?),
            Operand::Scalar(scalar) => Term::Scalar(scalar),
        });
    }
    Ok(terms)
}
