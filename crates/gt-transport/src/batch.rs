//! A batch of commands: 32 bytes each, and beside them what does not fit into 32 bytes.

use bytes::Bytes;
use gt_core::instruction::{After, Command, Instruction, Question};
use gt_core::record::{Parts, Record, code};
use gt_core::{Error, Meta, Provenance, RequestId, Result, ScopeId, SignatureId, Slot, ops};
use serde::Serialize;
use smallvec::SmallVec;

pub use self::logged::logged;
use self::rest::{Bare, RestOfInstruction, RestOfUpload, RestOfVote};
use self::rest::{checked, ended, join_scalars, read, read_attrs, split_scalars};

mod check;
mod logged;
pub(crate) mod rest;

/// Uploads up to this many bytes travel inside the batch; larger ones beside it, by reference
/// within a process.
pub const INLINE_BYTES: usize = 4096;

/// The arity of an upload whose elements travel beside the batch.
const BESIDE: u8 = 1;

/// Commands in the order of their stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// One record for each command.
    pub records: Vec<Record>,
    /// What did not fit into the records.
    pub extra: Vec<u8>,
    /// The elements of larger uploads.
    pub payloads: Vec<Bytes>,
}

impl Batch {
    /// Whether the client waits for what comes of it: a read makes it send what it has.
    pub fn ends_in_read(&self) -> bool {
        self.records.last().is_some_and(|record| record.op == code::READ)
    }

    /// How many commands it holds.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// How many bytes it takes.
    pub fn bytes(&self) -> usize {
        let payloads: usize = self.payloads.iter().map(Bytes::len).sum();
        size_of_val(self.records.as_slice()) + self.extra.len() + payloads
    }

    /// Appends a command.
    pub fn push(&mut self, command: &Command) {
        match command {
            Command::Apply(instruction) => self.push_instruction(instruction),
            Command::Free(slots) => slots.chunks(4).for_each(|slots| self.push_free(slots)),
            Command::Upload { out, meta, data, provenance } => {
                let mut record = bare(code::UPLOAD, out.0);
                record.provenance = provenance.0;
                let mut rest = RestOfUpload { meta: meta.clone(), data };
                if data.len() > INLINE_BYTES {
                    record.arity = BESIDE;
                    record.inputs[0] = self.payloads.len() as u32;
                    self.payloads.push(data.clone());
                    rest.data = &[];
                }
                self.push_extended(record, &rest);
            }
            Command::Announce { out, meta, number, provenance } => {
                let mut record = bare(code::ANNOUNCE, out.0);
                record.provenance = provenance.0;
                record.inputs[0] = *number;
                self.push_extended(record, &RestOfUpload { meta: meta.clone(), data: &[] });
            }
            Command::Read { slot, request } => self.push_request(code::READ, *slot, *request),
            Command::Describe { slot, request } => {
                self.push_request(code::DESCRIBE, *slot, *request);
            }
            Command::Ask { question, request } => self.push_question(*question, *request),
            Command::DefineScope { scope, parent, name, wish } => {
                let mut record = bare(code::DEFINE_SCOPE, scope.0);
                record.inputs[0] = parent.0;
                self.push_extended(record, &(name, wish));
            }
            Command::Scope(scope) => self.records.push(bare(code::SCOPE, scope.0)),
            Command::Receive { out, tag, provenance } => {
                let mut record = bare(code::RECEIVE, out.0);
                record.provenance = provenance.0;
                record.payload = tag.to_le_bytes();
                self.records.push(record);
            }
            Command::DefineSignature { number, signature } => {
                self.push_extended(bare(code::DEFINE_SIGNATURE, number.0), signature);
            }
            Command::Signature(number) => self.records.push(bare(code::SIGNATURE, number.0)),
            Command::Move(moved) => self.push_extended(bare(code::MOVE, moved.out.0), moved),
            Command::Sync { request } => self.push_request(code::SYNC, Slot(0), *request),
            Command::Report { barrier } => self.push_word(code::REPORT, *barrier),
            Command::Vote { barrier, slots, compare } => {
                let (barrier, compare) = (*barrier, *compare);
                let rest = RestOfVote { barrier, slots: slots.clone(), compare };
                self.push_extended(bare(code::VOTE, 0), &rest);
            }
            Command::Settle { barrier, after: After::Risks } => {
                self.push_word(code::SETTLE, *barrier);
            }
            Command::Settle { barrier, after: _ } => self.push_word(code::SETTLE_ALL, *barrier),
            Command::Wait { barrier } => self.push_word(code::WAIT, *barrier),
        }
    }

    /// Appends an instruction.
    pub fn push_instruction(&mut self, instruction: &Instruction) {
        if let Some(record) = Record::compact(instruction) {
            self.records.push(record);
            return;
        }
        let Instruction { op, outputs, inputs, attrs, replaces, provenance } = instruction;
        let record = Record::apply(op, outputs[0], *provenance);
        let (slots, scalars) = split_scalars(inputs);
        let rest = RestOfInstruction {
            outputs: outputs.clone(),
            inputs: &slots,
            scalars,
            replaces: replaces.clone(),
        };
        self.push_extended(record, &(rest, Bare(attrs)));
    }

    /// Appends that up to four values are needed no more.
    pub fn push_free(&mut self, slots: &[Slot]) {
        let mut record = bare(code::FREE, slots[0].0);
        record.arity = slots.len() as u8;
        for (input, slot) in record.inputs.iter_mut().zip(&slots[1..]) {
            *input = slot.0;
        }
        self.records.push(record);
    }

    /// Which question it is stands in the place of the number of inputs.
    fn push_question(&mut self, question: Question, request: RequestId) {
        let (slot, arity) = match question {
            Question::Moved => (Slot(0), 0),
            Question::Placement(slot) => (slot, 1),
            Question::Stats => (Slot(0), 2),
            Question::Lost => (Slot(0), 3),
        };
        self.push_request(code::ASK, slot, request);
        self.records.last_mut().expect("it was just pushed").arity = arity;
    }

    fn push_request(&mut self, code: u16, slot: Slot, request: RequestId) {
        let mut record = bare(code, slot.0);
        record.provenance = request.0;
        self.records.push(record);
    }

    fn push_word(&mut self, code: u16, barrier: u64) {
        let mut record = bare(code, 0);
        record.payload = barrier.to_le_bytes();
        self.records.push(record);
    }

    fn push_extended<T: Serialize + ?Sized>(&mut self, mut record: Record, rest: &T) {
        let start = self.extra.len();
        let extra = std::mem::take(&mut self.extra);
        self.extra = postcard::to_extend(rest, extra).expect("memory takes all of it");
        record.set_extent(start as u32, (self.extra.len() - start) as u32);
        self.records.push(record);
    }

    /// The `index`-th command, checked: nothing in a batch from elsewhere is believed.
    pub fn command(&self, index: usize) -> Result<Command> {
        let record = self.records.get(index).ok_or_else(|| Error::bug("a batch ended early"))?;
        let slot = Slot(record.out);
        let tag = u64::from_le_bytes(record.payload);
        Ok(match record.op {
            code if code < ops::CODE_LIMIT => Command::Apply(self.instruction(record)?),
            code::FREE => Command::Free(freed(record)?),
            code::UPLOAD => self.upload(record)?,
            code::READ => Command::Read { slot, request: RequestId(record.provenance) },
            code::DESCRIBE => Command::Describe { slot, request: RequestId(record.provenance) },
            code::ASK => {
                let question = match record.arity {
                    0 => Question::Moved,
                    1 => Question::Placement(slot),
                    2 => Question::Stats,
                    3 => Question::Lost,
                    other => return Err(Error::bug(format!("no question has the arity {other}"))),
                };
                Command::Ask { question, request: RequestId(record.provenance) }
            }
            code::DEFINE_SCOPE => {
                let ((name, wish), rest) = read(self.rest(record)?)?;
                ended(rest)?;
                let (scope, parent) = (ScopeId(record.out), ScopeId(record.inputs[0]));
                Command::DefineScope { scope, parent, name, wish }
            }
            code::SCOPE => Command::Scope(ScopeId(record.out)),
            code::RECEIVE => {
                let provenance = Provenance(record.provenance);
                Command::Receive { out: slot, tag, provenance }
            }
            code::DEFINE_SIGNATURE => {
                let (signature, rest) = read(self.rest(record)?)?;
                ended(rest)?;
                Command::DefineSignature { number: SignatureId(record.out), signature }
            }
            code::SIGNATURE => Command::Signature(SignatureId(record.out)),
            code::MOVE => {
                let (moved, rest) = read(self.rest(record)?)?;
                ended(rest)?;
                Command::Move(Box::new(moved))
            }
            code::SYNC => Command::Sync { request: RequestId(record.provenance) },
            code::REPORT => Command::Report { barrier: tag },
            code::VOTE => {
                let (RestOfVote { barrier, slots, compare }, rest) = read(self.rest(record)?)?;
                ended(rest)?;
                Command::Vote { barrier, slots, compare }
            }
            code::SETTLE => Command::Settle { barrier: tag, after: After::Risks },
            code::SETTLE_ALL => Command::Settle { barrier: tag, after: After::Everything },
            code::WAIT => Command::Wait { barrier: tag },
            code::ANNOUNCE => self.announced(record)?,
            other => return Err(Error::bug(format!("no command has the code {other}"))),
        })
    }

    /// All commands in order, each checked.
    pub fn commands(&self) -> impl Iterator<Item = Result<Command>> {
        (0..self.len()).map(|index| self.command(index))
    }

    /// The parts of the `index`-th command, if it is an instruction that fits into its record:
    /// what most of a stream is made of.
    pub fn compact(&self, index: usize) -> Option<Result<(Record, Parts)>> {
        let record = self.records.get(index)?;
        if record.op >= ops::CODE_LIMIT || record.is_extended() {
            return None;
        }
        Some(record.parts().and_then(|parts| {
            let op = parts.op;
            let fits = parts.operands.len() == op.inputs.len()
                && !op.variadic
                && op.attrs.is_empty()
                && op.outputs.len() == 1;
            match fits {
                true => Ok((*record, parts)),
                false => Err(Error::bug(format!("a {} that does not fit a record", op.name))),
            }
        }))
    }

    /// The values that the `index`-th command frees, if it does nothing else.
    pub fn freed(&self, index: usize) -> Option<Result<SmallVec<[Slot; 4]>>> {
        let record = self.records.get(index).filter(|record| record.op == code::FREE)?;
        Some(freed(record))
    }

    fn instruction(&self, record: &Record) -> Result<Instruction> {
        let instruction =
            if record.is_extended() { self.extended(record)? } else { record.instruction()? };
        let Instruction { op, outputs, inputs, attrs, .. } = &instruction;
        let arity_fits =
            if op.variadic { !inputs.is_empty() } else { inputs.len() == op.inputs.len() };
        if !arity_fits || outputs.len() != op.outputs.len() || attrs.0.len() != op.attrs.len() {
            let name = op.name;
            return Err(Error::bug(format!("a {name} with too few or too many parts")));
        }
        Ok(instruction)
    }

    fn extended(&self, record: &Record) -> Result<Instruction> {
        let op = ops::by_code(record.op)
            .ok_or_else(|| Error::bug(format!("no operation has the code {}", record.op)))?;
        let (rest, attrs) = read::<RestOfInstruction>(self.rest(record)?)?;
        let RestOfInstruction { outputs, inputs, scalars, replaces } = rest;
        if outputs.first() != Some(&Slot(record.out)) {
            return Err(Error::bug(format!("a {} with two first results", op.name)));
        }
        if replaces.0.len() > outputs.len() {
            return Err(Error::bug(format!("a {} replaces more than it makes", op.name)));
        }
        let inputs = join_scalars(inputs, &scalars)?;
        let provenance = Provenance(record.provenance);
        Ok(Instruction { op, outputs, inputs, attrs: read_attrs(op, attrs)?, replaces, provenance })
    }

    fn upload(&self, record: &Record) -> Result<Command> {
        let (RestOfUpload { meta, data }, rest) = read(self.rest(record)?)?;
        ended(rest)?;
        let data = match record.arity {
            0 => Bytes::copy_from_slice(data),
            _ => self
                .payloads
                .get(record.inputs[0] as usize)
                .cloned()
                .filter(|_| data.is_empty())
                .ok_or_else(|| Error::bug("an upload's elements are missing"))?,
        };
        let meta = checked(meta, data.len())?;
        let provenance = Provenance(record.provenance);
        Ok(Command::Upload { out: Slot(record.out), meta, data, provenance })
    }

    fn announced(&self, record: &Record) -> Result<Command> {
        let (RestOfUpload { meta, data }, rest) = read(self.rest(record)?)?;
        ended(rest)?;
        if !data.is_empty() {
            return Err(Error::bug("elements that are announced and yet there"));
        }
        let Meta { dtype, shape } = meta;
        let meta = Meta { dtype, shape: shape.checked(dtype)? };
        let (out, number) = (Slot(record.out), record.inputs[0]);
        let provenance = Provenance(record.provenance);
        Ok(Command::Announce { out, meta, number, provenance })
    }

    /// Takes away what travels beside the batch: those uploads become announcements with the
    /// numbers that `name` gives, and their elements are returned.
    pub fn detach(&mut self, mut name: impl FnMut() -> u32) -> Vec<(u32, Bytes)> {
        let mut detached = Vec::with_capacity(self.payloads.len());
        let mut payloads = std::mem::take(&mut self.payloads).into_iter();
        let beside = |record: &&mut Record| record.op == code::UPLOAD && record.arity == BESIDE;
        for record in self.records.iter_mut().filter(beside) {
            let Some(payload) = payloads.next() else { break };
            let number = name();
            (record.op, record.arity, record.inputs[0]) = (code::ANNOUNCE, 0, number);
            detached.push((number, payload));
        }
        detached
    }

    fn rest(&self, record: &Record) -> Result<&[u8]> {
        let (start, len) = record.extent();
        let end = (start as usize).checked_add(len as usize).filter(|_| record.is_extended());
        let bytes = end.and_then(|end| self.extra.get(start as usize..end));
        bytes.ok_or_else(|| Error::bug("a record points outside of its batch"))
    }
}

fn bare(op: u16, out: u32) -> Record {
    Record { op, flags: 0, arity: 0, out, inputs: [0; 3], provenance: 0, payload: [0; 8] }
}

fn freed(record: &Record) -> Result<SmallVec<[Slot; 4]>> {
    let [a, b, c] = record.inputs;
    let all = [record.out, a, b, c].map(Slot);
    match record.arity {
        1..=4 => Ok(all[..record.arity as usize].into()),
        other => Err(Error::bug(format!("a record that frees {other} values"))),
    }
}
