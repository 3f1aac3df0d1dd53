//! What is checked of a batch that came from elsewhere, before its commands are followed.

use gt_core::instruction::{Command, Instruction, Operand, Question};
use gt_core::record::code;
use gt_core::{Error, Result, Slot, ops};

use super::{BESIDE, Batch};

/// The commands that do not fit into their records.
const EXTENDED: [u16; 6] = [
    code::UPLOAD,
    code::ANNOUNCE,
    code::DEFINE_SCOPE,
    code::DEFINE_SIGNATURE,
    code::MOVE,
    code::VOTE,
];

impl Batch {
    /// The `index`-th command of a client, checked further: it names no slot that only the
    /// dispatcher may name, and says nothing that only the dispatcher may say.
    pub fn client_command(&self, index: usize) -> Result<Command> {
        let command = self.command(index)?;
        let is_copy = |slot: &Slot| slot.is_copy();
        let copy = match &command {
            Command::Apply(Instruction { outputs, inputs, replaces, .. }) => {
                let slots = inputs.iter().filter_map(|input| match input {
                    Operand::Slot(slot) => Some(*slot),
                    Operand::Scalar(_) => None,
                });
                let slots = slots.chain(outputs.iter().copied()).chain(replaces.slots());
                slots.into_iter().find(is_copy)
            }
            Command::Free(slots) => slots.iter().find(|slot| slot.is_copy()).copied(),
            Command::Upload { out: slot, .. }
            | Command::Announce { out: slot, .. }
            | Command::Read { slot, .. }
            | Command::Describe { slot, .. } => Some(*slot).filter(is_copy),
            Command::Ask { question: Question::Placement(slot), .. } => Some(*slot).filter(is_copy),
            Command::Ask { .. }
            | Command::DefineScope { .. }
            | Command::Scope(_)
            | Command::Sync { .. } => None,
            Command::Receive { .. }
            | Command::Report { .. }
            | Command::Vote { .. }
            | Command::Settle { .. }
            | Command::DefineSignature { .. }
            | Command::Signature(_)
            | Command::Move(_)
            | Command::Wait { .. } => {
                return Err(Error::bug(format!("a client may not say '{command}'")));
            }
        };
        match copy {
            Some(slot) => Err(Error::bug(format!("a client may not name {slot}: '{command}'"))),
            None => Ok(command),
        }
    }

    /// Refuses a batch from elsewhere whose records do not use each of its other parts once, in
    /// order: a part that many records share would cost more memory than it took on the wire.
    pub(crate) fn check_parts(&self) -> Result<()> {
        let (mut extra, mut payloads) = (0, 0);
        for record in &self.records {
            let may_extend = EXTENDED.contains(&record.op) || ops::by_code(record.op).is_some();
            if !may_extend && !code::is_known(record.op) {
                return Err(Error::bug(format!("no command has the code {}", record.op)));
            }
            if !may_extend && record.flags != 0 {
                return Err(Error::bug(format!("flags on a command with the code {}", record.op)));
            }
            if record.is_extended() {
                let (start, len) = record.extent();
                if start as usize != extra {
                    return Err(Error::bug(format!("a part of a batch at {start}, not {extra}")));
                }
                extra += len as usize;
            }
            if record.op == code::UPLOAD && record.arity == BESIDE {
                let found = record.inputs[0];
                if found as usize != payloads {
                    return Err(Error::bug(format!("payload {found} used, not {payloads}")));
                }
                payloads += 1;
            }
        }
        let (extra_found, payloads_found) = (self.extra.len(), self.payloads.len());
        if extra != extra_found || payloads != payloads_found {
            return Err(Error::bug(format!(
                "a batch uses {extra} of {extra_found} bytes, {payloads} of {payloads_found} \
                 payloads"
            )));
        }
        Ok(())
    }
}
