//! What a client will say, with names given as a real client's stream gives them.

use bytes::Bytes;
use gt_client::stream::Stream;
use gt_core::attrs::Attrs;
use gt_core::instruction::{Command, Instruction, Operand, Replaces};
use gt_core::op::Op;
use gt_core::text::parse_instruction;
use gt_core::{DType, Meta, Provenance, RequestId, Shape, Slot};
use gt_transport::Message;
use smallvec::SmallVec;

/// One thing a client does.
#[derive(Clone, Debug)]
pub enum Saying {
    /// Appends a command to its stream.
    Command(Command),
    /// Sends its batch, and goes on only after this was answered.
    Await(RequestId),
    /// Sends its batch, and then a message of its own making.
    Message(Message),
}

/// What a client will say, as it is being written.
#[derive(Debug, Default)]
pub struct Script {
    names: Stream,
    sayings: Vec<Saying>,
}

impl Script {
    /// What was written since the last time.
    pub fn take(&mut self) -> Vec<Saying> {
        // Only its names are of interest here; the simulated client makes batches of its own.
        drop(self.names.take());
        std::mem::take(&mut self.sayings)
    }

    /// What was written since the last time, to look at.
    pub fn sayings(&self) -> &[Saying] {
        &self.sayings
    }

    /// Appends anything, right or wrong; names are the writer's business.
    pub fn push(&mut self, saying: Saying) {
        self.sayings.push(saying);
    }

    /// A value from the client.
    pub fn upload(&mut self, meta: Meta, data: Bytes) -> Slot {
        let out = self.names.name();
        self.command(Command::Upload { out, meta, data, provenance: Provenance::UNKNOWN });
        out
    }

    /// Single precision numbers.
    pub fn numbers(&mut self, shape: impl Into<Shape>, numbers: &[f32]) -> Slot {
        let data: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.upload(Meta::new(DType::F32, shape), data.into())
    }

    /// Whole numbers.
    pub fn integers(&mut self, shape: impl Into<Shape>, numbers: &[i64]) -> Slot {
        let data: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.upload(Meta::new(DType::I64, shape), data.into())
    }

    /// An operation; gives the names of its results.
    pub fn apply(
        &mut self,
        op: &'static Op,
        inputs: impl IntoIterator<Item = Operand>,
        attrs: Attrs,
        replaces: Replaces,
    ) -> SmallVec<[Slot; 1]> {
        let attrs = self.names.fill(op, attrs);
        let outputs = self.names.names(op.outputs.len());
        let inputs = inputs.into_iter().collect();
        let provenance = Provenance::UNKNOWN;
        let instruction =
            Instruction { op, outputs: outputs.clone(), inputs, attrs, replaces, provenance };
        self.names.push_instruction(&instruction);
        self.command(Command::Apply(instruction));
        outputs
    }

    /// An operation in the text form without its results: `add t0 t1 replaces t0`.
    ///
    /// # Panics
    /// If it is no operation.
    pub fn say(&mut self, text: &str) -> Slot {
        let instruction = parse_instruction(&format!("t0 := {text}"))
            .or_else(|_| parse_instruction(&format!("t0, t1 := {text}")))
            .unwrap_or_else(|error| panic!("{error}"));
        let Instruction { op, inputs, attrs, replaces, .. } = instruction;
        self.apply(op, inputs, attrs, replaces)[0]
    }

    /// The value is needed no more.
    pub fn free(&mut self, slot: Slot) {
        self.names.free(&[slot]);
        self.command(Command::Free(SmallVec::from_iter([slot])));
    }

    /// Asks for a value.
    pub fn read(&mut self, slot: Slot) -> RequestId {
        let request = self.names.request();
        self.command(Command::Read { slot, request });
        request
    }

    /// Asks for dtype and shape of a value, and waits for them as a client does.
    pub fn describe(&mut self, slot: Slot) -> RequestId {
        let request = self.names.request();
        self.command(Command::Describe { slot, request });
        self.sayings.push(Saying::Await(request));
        request
    }

    /// Asks whether everything so far is done and good.
    pub fn synchronize(&mut self) -> RequestId {
        let request = self.names.request();
        self.command(Command::Sync { request });
        request
    }

    /// Appends a command as it is.
    pub fn command(&mut self, command: Command) {
        self.sayings.push(Saying::Command(command));
    }
}
