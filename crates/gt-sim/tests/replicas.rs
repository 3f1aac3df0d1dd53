//! Copies whose bits differ are found, if a session wants them compared.

use std::collections::VecDeque;
use std::sync::Arc;

use gt_core::instruction::Command;
use gt_core::placement::Wish;
use gt_core::text::parse_instruction;
use gt_core::{DType, Meta, Provenance, RequestId, ScopeId, SessionId, Slot, WorkerId};
use gt_dispatcher::{Dispatcher, Outbox};
use gt_native::Native;
use gt_transport::hello::Hello;
use gt_transport::{Batch, Failure, Message, Peer, Value};
use gt_worker::buffer::Pool;
use gt_worker::{Action, Executor, Told, Window, Worker};

const SESSION: SessionId = SessionId(1);
const WORKERS: u32 = 3;

/// A worker that takes in other bits than the client sent.
const FAULTY: WorkerId = WorkerId(2);

/// What a client hears that uploads copies, updates them if it is `in_place`, and reads them.
fn answer(compare_copies: bool, faulty: bool, in_place: bool) -> Result<Value, Arc<Failure>> {
    let engine = Arc::new(Native::new(Pool::new(1 << 20), 1).expect("it needs no threads"));
    let mut dispatcher = Dispatcher::new();
    let ids = || (0..WORKERS).map(WorkerId);
    let mut workers: Vec<Worker> =
        ids().map(|id| Worker::new(id, Window::default(), engine.clone())).collect();
    let executors: Vec<Executor> = ids().map(|_| Executor::new(engine.clone())).collect();
    let mut waiting: VecDeque<(Peer, Option<Peer>, Message)> = VecDeque::new();
    for id in ids() {
        waiting.push_back((Peer::Worker(id), None, Message::Register(Box::default())));
    }
    let hello = Hello { compare_copies, ..Hello::named("a client") };
    waiting.push_back((Peer::Client(SESSION), None, Message::Hello(hello)));
    let commands = Message::Commands { session: SESSION, batch: program(in_place).into() };
    waiting.push_back((Peer::Client(SESSION), None, commands));
    while let Some((from, to, message)) = waiting.pop_front() {
        match (to, message) {
            (None, message) => {
                let mut out = Outbox::default();
                dispatcher.step(0, from, message, &mut out);
                let sent = out.drain().map(|(to, message)| (from, Some(to), message));
                waiting.extend(sent.collect::<Vec<_>>());
            }
            (Some(Peer::Client(_)), Message::Answer { result, .. }) => return result,
            (Some(Peer::Worker(id)), message) => {
                let message = if faulty && id == FAULTY { flipped(message) } else { message };
                let index = id.0 as usize;
                let mut told = VecDeque::from([Told::Message(message)]);
                while let Some(next) = told.pop_front() {
                    let mut actions = Vec::new();
                    workers[index].step(next, &mut actions);
                    for action in actions {
                        match action {
                            Action::Execute(work) => {
                                told.extend(executors[index].work(work).map(Told::Finished));
                            }
                            Action::Send(to, message) => {
                                waiting.push_back((Peer::Worker(id), to, message));
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }
    panic!("nobody has answered");
}

fn program(in_place: bool) -> Batch {
    let mut batch = Batch::default();
    let (scope, parent, name) = (ScopeId(1), ScopeId::ROOT, "copies".into());
    let wish = Some(Wish::replicated([]));
    batch.push(&Command::DefineScope { scope, parent, name, wish });
    batch.push(&Command::Scope(scope));
    let meta = Meta::new(DType::F32, [4]);
    let data = vec![0; meta.bytes()].into();
    batch.push(&Command::Upload { out: Slot(0), meta, data, provenance: Provenance(7) });
    let update = "t1 := add t0 1 replaces t0";
    if in_place {
        batch.push(&Command::Apply(parse_instruction(update).expect("it is right")));
    }
    let slot = Slot(u32::from(in_place));
    batch.push(&Command::Read { slot, request: RequestId(1) });
    batch
}

/// The same commands, with one bit of what is uploaded changed.
fn flipped(message: Message) -> Message {
    let Message::Commands { session, batch } = message else { return message };
    let mut other = Batch::default();
    for command in batch.commands() {
        other.push(&match command.expect("it is right") {
            Command::Upload { out, meta, data, provenance } => {
                let mut data = data.to_vec();
                data[7] ^= 1 << 6;
                Command::Upload { out, meta, data: data.into(), provenance }
            }
            command => command,
        });
    }
    Message::Commands { session, batch: other.into() }
}

#[test]
fn copies_that_differ_are_told_when_one_is_read_or_replaced() {
    for in_place in [false, true] {
        let failure = answer(true, true, in_place).expect_err("the copies differ");
        let text = failure.error.to_string();
        assert!(text.contains(&format!("t{}, float32[4], differ", u32::from(in_place))), "{text}");
        assert!(text.contains(" on 0 1") && text.contains(" on 2"), "{text}");
        // The line of the upload, or that of the update, which has none here.
        let line = if in_place { Provenance::UNKNOWN } else { Provenance(7) };
        assert_eq!(failure.provenance, line);
    }
}

#[test]
fn copies_that_are_equal_are_read_and_replaced() {
    for (compare, faulty) in [(true, false), (false, false), (false, true)] {
        for in_place in [false, true] {
            let value = answer(compare, faulty, in_place).expect("nobody looks or nothing differs");
            let expected = if in_place { 1_f32 } else { 0_f32 };
            assert_eq!(value.data[..4], expected.to_le_bytes());
        }
    }
}
