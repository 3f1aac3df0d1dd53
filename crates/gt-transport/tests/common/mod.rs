//! Random messages, made of what the rows of the op table try.

use std::sync::Arc;

use bytes::Bytes;
use gt_core::instruction::{Command, Instruction, Operand};
use gt_core::op::SampleInput;
use gt_core::{
    DType, Error, Meta, Provenance, RequestId, Scalar, SessionId, Shape, Slot, WorkerId, ops,
};
use gt_transport::{Batch, Failure, Message, Value};
use proptest::prelude::*;
use proptest::sample::Index;

/// A message of any kind.
pub fn message() -> impl Strategy<Value = Message> {
    prop_oneof![
        ".*".prop_map(|name| Message::Hello { name }),
        Just(Message::Bye),
        Just(Message::Ready),
        commands(),
        (session(), any::<u32>(), result()).prop_map(|(session, request, result)| {
            Message::Answer { session, request: RequestId(request), result }
        }),
        (session(), failure()).prop_map(|(session, failure)| Message::Failed { session, failure }),
        (session(), any::<[u64; 3]>()).prop_map(|(session, [commands, bytes, busy_ns])| {
            Message::Done { session, commands, bytes, busy_ns }
        }),
        (session(), any::<u32>(), any::<u64>(), value(), failure(), any::<bool>()).prop_map(
            |(session, to, tag, Value { meta, data }, failure, arrived)| {
                let result = if arrived { Ok(data) } else { Err(failure) };
                Message::Handover { session, to: WorkerId(to), tag, meta, result }
            }
        ),
        session().prop_map(|session| Message::Forget { session }),
        (session(), error()).prop_map(|(session, error)| Message::Ended { session, error }),
    ]
}

/// A batch of any commands.
pub fn commands() -> impl Strategy<Value = Message> {
    (session(), prop::collection::vec(command(), 0..20))
        .prop_map(|(session, commands)| Message::Commands { session, batch: batch(&commands) })
}

/// These commands in a batch.
pub fn batch(commands: &[Command]) -> Batch {
    let mut batch = Batch::default();
    commands.iter().for_each(|command| batch.push(command));
    batch
}

/// A command of any kind. Frees are short; longer ones become several records.
pub fn command() -> impl Strategy<Value = Command> {
    let request = || (slot(), any::<u32>().prop_map(RequestId));
    prop_oneof![
        8 => instruction().prop_map(Command::Apply),
        1 => prop::collection::vec(slot(), 1..=4).prop_map(|slots| Command::Free(slots.into())),
        1 => (slot(), value(), any::<u32>()).prop_map(|(out, Value { meta, data }, place)| {
            Command::Upload { out, meta, data, provenance: Provenance(place) }
        }),
        1 => request().prop_map(|(slot, request)| Command::Read { slot, request }),
        1 => request().prop_map(|(slot, request)| Command::Describe { slot, request }),
        1 => ".*".prop_map(|name| Command::Enter(name.into())),
        1 => Just(Command::Exit),
        1 => (slot(), any::<u32>(), any::<u64>())
            .prop_map(|(slot, to, tag)| Command::Send { slot, to: WorkerId(to), tag }),
        1 => (slot(), any::<u64>()).prop_map(|(out, tag)| Command::Receive { out, tag }),
        1 => any::<u32>().prop_map(|request| Command::Sync { request: RequestId(request) }),
        1 => (any::<u32>(), any::<u64>())
            .prop_map(|(to, tag)| Command::Vouch { to: WorkerId(to), tag }),
        1 => (any::<u32>(), any::<u64>())
            .prop_map(|(to, tag)| Command::Settle { to: WorkerId(to), tag }),
        1 => any::<u64>().prop_map(|tag| Command::Heed { tag }),
    ]
}

/// Any row with one of its samples, on any slots.
pub fn instruction() -> impl Strategy<Value = Instruction> {
    let parts = (any::<[Index; 2]>(), any::<[u32; 16]>(), scalar(), any::<Option<u32>>());
    parts.prop_map(|([row, sample], numbers, number, replaces)| {
        let op = *row.get(ops::ALL);
        let samples = (op.samples)();
        let sample = sample.get(&samples);
        let operand = |(input, &slot): (&SampleInput, &u32)| match input {
            SampleInput::Scalar(_) => Operand::Scalar(number),
            _ => Operand::Slot(Slot(slot)),
        };
        Instruction {
            op,
            outputs: (0..op.outputs.len()).map(|n| Slot(numbers[8 + n])).collect(),
            inputs: sample.inputs.iter().zip(&numbers).map(operand).collect(),
            attrs: sample.attrs.clone(),
            replaces: replaces.map(Slot),
            provenance: Provenance(numbers[15]),
        }
    })
}

fn scalar() -> impl Strategy<Value = Scalar> {
    // A number that is not one equals nothing, not even itself after a journey.
    let float = prop::num::f64::ANY.prop_filter("equals itself", |value| !value.is_nan());
    prop_oneof![
        any::<bool>().prop_map(Scalar::Bool),
        any::<i64>().prop_map(Scalar::Int),
        float.prop_map(Scalar::Float)
    ]
}

fn slot() -> impl Strategy<Value = Slot> {
    any::<u32>().prop_map(Slot)
}

fn session() -> impl Strategy<Value = SessionId> {
    any::<u64>().prop_map(SessionId)
}

fn value() -> impl Strategy<Value = Value> {
    let shape = prop_oneof![
        9 => prop::collection::vec(0usize..5, 0..5),
        1 => prop::collection::vec(10usize..20, 3),
    ];
    (prop::sample::select(DType::ALL), shape, any::<u8>()).prop_map(|(dtype, sizes, first)| {
        let meta = Meta::new(dtype, Shape::from(sizes.as_slice()));
        let data: Bytes = (0..meta.bytes()).map(|n| first.wrapping_add(n as u8)).collect();
        Value { meta, data }
    })
}

fn result() -> impl Strategy<Value = Result<Value, Arc<Failure>>> {
    prop_oneof![value().prop_map(Ok), failure().prop_map(Err)]
}

fn failure() -> impl Strategy<Value = Arc<Failure>> {
    (error(), ".*", slot(), any::<u32>()).prop_map(|(error, instruction, slot, place)| {
        Arc::new(Failure {
            error,
            instruction,
            slot,
            provenance: Provenance(place),
            holders: Default::default(),
        })
    })
}

fn error() -> impl Strategy<Value = Error> {
    (any::<Index>(), ".*").prop_map(|(kind, text)| {
        let make = *kind.get(&[
            Error::runtime as fn(String) -> Error,
            Error::value,
            Error::type_,
            Error::index,
            Error::OutOfMemory,
            Error::Lost,
            Error::Bug,
            |_| Error::Interrupted,
        ]);
        make(text)
    })
}
