//! What commands are called in the log, and what they are made of.

use std::fmt::{self, Display};

use gt_core::attrs::AttrKind;
use gt_core::instruction::{Command, Instruction, Operand};
use gt_core::op::{Op, Role};
use gt_core::record::code;
use gt_core::slot::Slot;

/// The word by which people search the log for commands of one sort.
pub(super) fn command_name(command: &Command) -> &'static str {
    match command {
        Command::Apply(instruction) => op_name(instruction.op),
        Command::Free(_) => "FreeTensor",
        Command::Upload { .. } | Command::Announce { .. } => "CreateTensor",
        Command::Read { .. } => "GetData",
        Command::Describe { .. } => "GetShape",
        Command::Ask { .. } => "Ask",
        Command::DefineScope { .. } => "DefineSignal",
        Command::Scope(_) => "EnterSignal",
        Command::Receive { .. } => "ReceiveTensor",
        Command::DefineSignature { .. } => "DefineSignature",
        Command::Signature(_) => "Signature",
        Command::Move(_) => "MoveTensor",
        Command::Sync { .. } => "Synchronize",
        Command::Report { .. } => "Report",
        Command::Vote { .. } => "Vote",
        Command::Settle { .. } => "Settle",
        Command::Wait { .. } => "Wait",
    }
}

/// Shapes are not known here, so a row cannot be asked for its kernel; what it takes says as much.
pub(super) fn op_name(op: &Op) -> &'static str {
    let takes = |kind: AttrKind| op.attrs.iter().any(|spec| spec.kind == kind);
    let moves = op.inputs.len() == 1 && op.inputs[0].role == Role::Any;
    match op.inputs.len() {
        _ if op.variadic => "ConcatOp",
        0 => "CreateTensor",
        _ if takes(AttrKind::Ranges) => "SliceOp",
        1 if moves && (takes(AttrKind::Sizes) || takes(AttrKind::Axes)) => "ReshapeOp",
        1 => "UnaryOp",
        2 => "BinaryOp",
        _ => "TernaryOp",
    }
}

/// The parts of a command as `key=value`, each with a space in front.
pub(super) struct Details<'a>(pub(super) &'a Command);

impl Display for Details<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Command::Apply(instruction) => instruction_details(f, instruction),
            Command::Free(slots) => write!(f, " tensor_id={}", Ids(slots)),
            Command::Upload { out, .. }
            | Command::Announce { out, .. }
            | Command::Receive { out, .. } => write!(f, " result={}", out.0),
            Command::Read { slot, .. } | Command::Describe { slot, .. } => {
                write!(f, " tensor_id={}", slot.0)
            }
            Command::Move(moved) => {
                write!(f, " result={} tensor_id={}", moved.out.0, moved.slot.0)
            }
            Command::Ask { .. }
            | Command::DefineScope { .. }
            | Command::Scope(_)
            | Command::DefineSignature { .. }
            | Command::Signature(_)
            | Command::Sync { .. }
            | Command::Report { .. }
            | Command::Vote { .. }
            | Command::Settle { .. }
            | Command::Wait { .. } => Ok(()),
        }
    }
}

fn instruction_details(f: &mut fmt::Formatter<'_>, instruction: &Instruction) -> fmt::Result {
    write!(f, " op={} result={}", instruction.op.name, Ids(&instruction.outputs))?;
    match instruction.inputs.as_slice() {
        [input] => write!(f, " tensor_id={}", Id(input)),
        [left, right] => write!(f, " left={} right={}", Id(left), Id(right)),
        _ => Ok(()),
    }
}

/// The number of a value, or the number itself.
struct Id<'a>(&'a Operand);

impl Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Operand::Slot(slot) => write!(f, "{}", slot.0),
            Operand::Scalar(scalar) => write!(f, "{scalar}"),
        }
    }
}

/// The numbers of values: `1,2`.
struct Ids<'a>(&'a [Slot]);

impl Display for Ids<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, slot) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            write!(f, "{separator}{}", slot.0)?;
        }
        Ok(())
    }
}

/// The same for a command of which only the code is known.
pub fn record_name(op: u16) -> &'static str {
    match op {
        code::FREE => "FreeTensor",
        code::UPLOAD | code::ANNOUNCE => "CreateTensor",
        code::READ => "GetData",
        code::DESCRIBE => "GetShape",
        code::RECEIVE => "ReceiveTensor",
        code::MOVE => "MoveTensor",
        code::SYNC => "Synchronize",
        code::ASK => "Ask",
        code::DEFINE_SCOPE => "DefineSignal",
        code::SCOPE => "EnterSignal",
        code::DEFINE_SIGNATURE => "DefineSignature",
        code::SIGNATURE => "Signature",
        code::REPORT => "Report",
        code::VOTE => "Vote",
        code::SETTLE | code::SETTLE_ALL => "Settle",
        code::WAIT => "Wait",
        _ => "Command",
    }
}
