//! Records: an instruction in 32 bytes. What does not fit is in another part of the batch.

use smallvec::SmallVec;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::attrs::Attrs;
use crate::dtype::Scalar;
use crate::error::{Error, Result};
use crate::instruction::{Instruction, Operand, Replaces};
use crate::op::Op;
use crate::ops;
use crate::slot::{Provenance, Slot};

/// The codes of commands that are not operations. Stable on the wire, never reused.
pub mod code {
    /// [`crate::instruction::Command::Free`]
    pub const FREE: u16 = 0xff00;
    /// [`crate::instruction::Command::Upload`]
    pub const UPLOAD: u16 = 0xff01;
    /// [`crate::instruction::Command::Read`]
    pub const READ: u16 = 0xff02;
    /// [`crate::instruction::Command::Describe`]
    pub const DESCRIBE: u16 = 0xff03;
    /// [`crate::instruction::Command::Receive`]
    pub const RECEIVE: u16 = 0xff07;
    /// [`crate::instruction::Command::Sync`]
    pub const SYNC: u16 = 0xff08;
    /// [`crate::instruction::Command::Report`]
    pub const REPORT: u16 = 0xff09;
    /// [`crate::instruction::Command::Settle`]
    pub const SETTLE: u16 = 0xff0a;
    /// [`crate::instruction::Command::Wait`]
    pub const WAIT: u16 = 0xff0b;
    /// [`crate::instruction::Command::Announce`]
    pub const ANNOUNCE: u16 = 0xff0c;
    /// [`crate::instruction::Command::DefineScope`]
    pub const DEFINE_SCOPE: u16 = 0xff0d;
    /// [`crate::instruction::Command::Scope`]
    pub const SCOPE: u16 = 0xff0e;
    /// [`crate::instruction::Command::Vote`]
    pub const VOTE: u16 = 0xff0f;
    /// [`crate::instruction::Command::DefineSignature`]
    pub const DEFINE_SIGNATURE: u16 = 0xff10;
    /// [`crate::instruction::Command::Signature`]
    pub const SIGNATURE: u16 = 0xff11;
    /// [`crate::instruction::Command::Move`]
    pub const MOVE: u16 = 0xff12;
    /// [`crate::instruction::Command::Ask`]
    pub const ASK: u16 = 0xff13;
    /// [`crate::instruction::Command::Settle`] after everything.
    pub const SETTLE_ALL: u16 = 0xff14;
    /// Whether a command has this code. 0xff04 and 0xff05 had a meaning once.
    pub const fn is_known(code: u16) -> bool {
        matches!(code, FREE..=DESCRIBE | RECEIVE..=SETTLE_ALL)
    }
}

/// How many inputs fit into a record.
pub const INLINE_INPUTS: usize = 3;

/// An instruction in 32 bytes, or the first 32 bytes of a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Record {
    /// The operation's code, or one of [`code`].
    pub op: u16,
    /// See [`Flags`].
    pub flags: u8,
    /// How many inputs there are, scalars included.
    pub arity: u8,
    /// The first result.
    pub out: u32,
    /// The inputs; at the place of a scalar stands zero.
    pub inputs: [u32; INLINE_INPUTS],
    /// Where in the user's program it came from.
    pub provenance: u32,
    /// The scalar; if the record is extended, where its other part begins and how long it is.
    pub payload: [u8; 8],
}

/// What stands in a record that is not extended.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    /// The operation.
    pub op: &'static Op,
    /// The inputs.
    pub operands: SmallVec<[Operand; 3]>,
    /// The value whose place the result takes.
    pub replaces: Option<Slot>,
}

/// The flags of a record: bits 0 and 1 the kind of scalar, bits 2 and 3 its place among the
/// inputs, then [`Flags::REPLACES`] and [`Flags::EXTENDED`].
pub struct Flags;

impl Flags {
    /// The first result takes the place of the first input.
    pub const REPLACES: u8 = 1 << 4;
    /// The rest of the instruction stands in the batch's other part.
    pub const EXTENDED: u8 = 1 << 5;
    const ALL: u8 = 0x3f;
}

impl Record {
    /// Whether it is a request: its client waits for an answer.
    pub fn is_request(&self) -> bool {
        matches!(self.op, code::READ | code::DESCRIBE | code::SYNC | code::ASK)
    }

    /// An instruction with one result, at most three inputs and at most one scalar, if it has
    /// nothing that needs more room.
    pub fn compact(instruction: &Instruction) -> Option<Record> {
        let Instruction { op, outputs, inputs, attrs, replaces, provenance } = instruction;
        let first = inputs.first().copied();
        let old = replaces.get(0);
        let replaces_first = old.is_some_and(|slot| first == Some(Operand::Slot(slot)));
        let plain = !op.variadic
            && outputs.len() == 1
            && inputs.len() <= INLINE_INPUTS
            && attrs.0.is_empty()
            && (old.is_none() || replaces_first);
        if !plain {
            return None;
        }
        let mut record = Record::apply(op, outputs[0], *provenance);
        for input in inputs {
            match *input {
                Operand::Slot(slot) => record.push_slot(slot),
                Operand::Scalar(_) if record.flags & 3 != 0 => return None,
                Operand::Scalar(scalar) => record.push_scalar(scalar),
            }
        }
        if replaces_first {
            record.flags |= Flags::REPLACES;
        }
        Some(record)
    }

    /// `out := op` without inputs so far.
    pub fn apply(op: &Op, out: Slot, provenance: Provenance) -> Record {
        let (op, out, provenance) = (op.code, out.0, provenance.0);
        Record { op, flags: 0, arity: 0, out, inputs: [0; 3], provenance, payload: [0; 8] }
    }

    /// Adds an input.
    ///
    /// # Panics
    /// If there are three already.
    pub fn push_slot(&mut self, slot: Slot) {
        self.inputs[self.arity as usize] = slot.0;
        self.arity += 1;
    }

    /// Adds the one scalar a record may have.
    pub fn push_scalar(&mut self, scalar: Scalar) {
        let (kind, bits) = match scalar {
            Scalar::Bool(value) => (1, value as u64),
            Scalar::Int(value) => (2, value as u64),
            Scalar::Float(value) => (3, value.to_bits()),
        };
        self.flags |= kind | self.arity << 2;
        self.payload = bits.to_le_bytes();
        self.arity += 1;
    }

    /// The instruction a record that is not extended stands for.
    pub fn instruction(&self) -> Result<Instruction> {
        let Parts { op, operands: inputs, replaces } = self.parts()?;
        let outputs = SmallVec::from_iter([Slot(self.out)]);
        let provenance = Provenance(self.provenance);
        let (attrs, replaces) = (Attrs::none(), Replaces::first(replaces));
        Ok(Instruction { op, outputs, inputs, attrs, replaces, provenance })
    }

    /// What stands in a record that is not extended, checked.
    pub fn parts(&self) -> Result<Parts> {
        let op = ops::by_code(self.op)
            .ok_or_else(|| Error::bug(format!("no operation has the code {}", self.op)))?;
        if self.arity as usize > INLINE_INPUTS || self.flags & !Flags::ALL != 0 {
            return Err(Error::bug("a record's arity or flags are out of range"));
        }
        let mut operands: SmallVec<[Operand; 3]> = SmallVec::new();
        for position in 0..self.arity as usize {
            operands.push(self.operand(position)?);
        }
        let replaces = match (self.flags & Flags::REPLACES != 0, operands.first()) {
            (false, _) => None,
            (true, Some(&Operand::Slot(slot))) => Some(slot),
            (true, _) => return Err(Error::bug("a record replaces what is not a value")),
        };
        Ok(Parts { op, operands, replaces })
    }

    /// The same with its values under other names.
    pub fn renamed(mut self, operands: &[Operand]) -> Record {
        for (input, operand) in self.inputs.iter_mut().zip(operands) {
            if let Operand::Slot(slot) = operand {
                *input = slot.0;
            }
        }
        self
    }

    fn operand(&self, position: usize) -> Result<Operand> {
        let bits = u64::from_le_bytes(self.payload);
        let scalar = match self.flags & 3 {
            0 => None,
            1 if bits <= 1 => Some(Scalar::Bool(bits == 1)),
            1 => return Err(Error::bug("a record's boolean is neither true nor false")),
            2 => Some(Scalar::Int(bits as i64)),
            _ => Some(Scalar::Float(f64::from_bits(bits))),
        };
        match scalar {
            Some(scalar) if (self.flags >> 2 & 3) as usize == position => {
                Ok(Operand::Scalar(scalar))
            }
            _ => Ok(Operand::Slot(Slot(self.inputs[position]))),
        }
    }

    /// Whether the rest of it stands in the batch's other part.
    pub fn is_extended(&self) -> bool {
        self.flags & Flags::EXTENDED != 0
    }

    /// Where the other part begins and how long it is.
    pub fn extent(&self) -> (u32, u32) {
        let [a, b, c, d, e, f, g, h] = self.payload;
        (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
    }

    /// Marks it as extended by that part.
    pub fn set_extent(&mut self, start: u32, len: u32) {
        self.flags |= Flags::EXTENDED;
        self.payload[..4].copy_from_slice(&start.to_le_bytes());
        self.payload[4..].copy_from_slice(&len.to_le_bytes());
    }
}

const _: () = assert!(size_of::<Record>() == 32);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse_instruction;

    #[test]
    fn small_instructions_survive_the_32_bytes() {
        for line in [
            "t2 := add t0 t1",
            "t2 := sub 1.5 t1",
            "t2 := mul t0 -3",
            "t7 := where t1 t2 0.5",
            "t9 := add t3 t1 replaces t3",
            "t9 := add t3 true replaces t3",
        ] {
            let instruction = parse_instruction(line).unwrap();
            let record = Record::compact(&instruction).expect(line);
            assert_eq!(record.instruction().unwrap().to_string(), line);
        }
    }

    #[test]
    fn larger_ones_ask_for_more_room() {
        for line in ["t2 := sum t0 dim=[1]", "t2, t3 := topk t0 k=2", "t9 := add t1 t2 replaces t3"]
        {
            assert!(Record::compact(&parse_instruction(line).unwrap()).is_none(), "{line}");
        }
    }
}
