//! What a step of the dispatcher costs per instruction, without sockets: chains of additions, one
//! for each worker, whose old values are freed; then the same on a mesh of all workers, with copies
//! and with parts; and with parts of ever other shapes, for which nothing is remembered.
//! `cargo run --release --example cost`.

#![expect(clippy::print_stdout, reason = "a program that prints what it measures")]

use std::time::Instant;

use gt_core::attrs::Attrs;
use gt_core::instruction::{Command, Instruction, Operand, Replaces};
use gt_core::placement::Wish;
use gt_core::{DType, Meta, Provenance, Scalar, ScopeId, SessionId, Slot, WorkerId, ops};
use gt_dispatcher::{Dispatcher, Outbox};
use gt_transport::hello::Hello;
use gt_transport::{Batch, Message, Peer};

const SESSION: SessionId = SessionId(1);
const INSTRUCTIONS: usize = 1_000_000;
const BATCH: usize = 1024;

fn main() {
    let named = std::env::args().skip(1).map(|text| text.parse().expect("a number of workers"));
    let named: Vec<u32> = named.collect();
    for &workers in if named.is_empty() { &[1, 8, 72] } else { &named[..] } {
        let ways = [
            (None, "one worker each"),
            (Some(Wish::replicated([])), "all of them"),
            (Some(Wish::sharded(0, [])), "a part each"),
        ];
        for (wish, what) in ways {
            let mut times: Vec<f64> = (0..5).map(|_| microseconds(workers, wish.clone())).collect();
            times.sort_by(f64::total_cmp);
            let median = times[2];
            println!("{workers:>3} workers, {what}: {median:.3} µs for an instruction and a free");
        }
        let mut times: Vec<f64> = (0..5).map(|_| uncached_microseconds(workers)).collect();
        times.sort_by(f64::total_cmp);
        let median = times[2];
        println!("{workers:>3} workers, shapes seen for the first time: {median:.3} µs");
    }
}

/// Microseconds for an instruction whose shape nobody has seen: a creation or an addition, in a
/// signal that cuts them.
fn uncached_microseconds(workers: u32) -> f64 {
    const SHAPES: usize = 50_000;
    let (mut dispatcher, mut out) = opened(workers, Some(Wish::sharded(0, [])), 0);
    let ones = ops::by_name("ones").expect("a row");
    let add = ops::by_name("add").expect("a row");
    let mut batches = Vec::new();
    let mut batch = Batch::default();
    for shape in 0..SHAPES {
        let (whole, sum) = (Slot(0), Slot(1));
        let sizes: &[usize] = &[shape + 64, 3];
        let instruction = |op, out, inputs: &[Operand], attrs| Instruction {
            op,
            outputs: [out].into_iter().collect(),
            inputs: inputs.iter().copied().collect(),
            attrs,
            replaces: Replaces::default(),
            provenance: Provenance::UNKNOWN,
        };
        let attrs = Attrs::of([sizes.into(), DType::F32.into()]);
        batch.push_instruction(&instruction(ones, whole, &[], attrs));
        let inputs = [Operand::Slot(whole), Operand::Slot(whole)];
        batch.push_instruction(&instruction(add, sum, &inputs, Attrs::none()));
        batch.push_free(&[whole, sum]);
        if batch.len() >= BATCH || shape + 1 == SHAPES {
            batches.push(std::mem::take(&mut batch));
        }
    }
    run(&mut dispatcher, &mut out, batches) / (2 * SHAPES) as f64
}

/// Microseconds for one addition and the free of its input.
fn microseconds(workers: u32, wish: Option<Wish>) -> f64 {
    let (mut dispatcher, mut out) = opened(workers, wish, workers);
    run(&mut dispatcher, &mut out, stream(workers)) / INSTRUCTIONS as f64
}

/// A dispatcher with a session in a signal, which has uploaded so many values.
fn opened(workers: u32, wish: Option<Wish>, uploads: u32) -> (Dispatcher, Outbox) {
    let mut dispatcher = Dispatcher::new();
    let mut out = Outbox::default();
    for worker in 0..workers {
        let register = Message::Register(Box::default());
        dispatcher.step(0, Peer::Worker(WorkerId(worker)), register, &mut out);
    }
    let client = Peer::Client(SESSION);
    dispatcher.step(0, client, Message::Hello(Hello::named("cost")), &mut out);
    let mut batch = Batch::default();
    let (scope, parent, name) = (ScopeId(1), ScopeId::ROOT, "mesh".into());
    batch.push(&Command::DefineScope { scope, parent, name, wish });
    batch.push(&Command::Scope(scope));
    for chain in 0..uploads {
        let meta = Meta::new(DType::F32, [4]);
        let data = vec![0; meta.bytes()].into();
        let (out, provenance) = (Slot(chain), Provenance::UNKNOWN);
        batch.push(&Command::Upload { out, meta, data, provenance });
    }
    let uploads = Message::Commands { session: SESSION, batch: batch.into() };
    dispatcher.step(0, client, uploads, &mut out);
    (dispatcher, out)
}

/// Microseconds for all batches.
fn run(dispatcher: &mut Dispatcher, out: &mut Outbox, batches: Vec<Batch>) -> f64 {
    let start = Instant::now();
    for (number, batch) in batches.into_iter().enumerate() {
        let now_ns = number as u64 * 1_000_000;
        let commands = Message::Commands { session: SESSION, batch: batch.into() };
        dispatcher.step(now_ns, Peer::Client(SESSION), commands, out);
        answer(dispatcher, now_ns, out);
    }
    start.elapsed().as_secs_f64() * 1e6
}

/// Workers are done with everything at once.
fn answer(dispatcher: &mut Dispatcher, now_ns: u64, out: &mut Outbox) {
    for (to, message) in out.drain().collect::<Vec<_>>() {
        if let (Peer::Worker(_), Message::Commands { session, batch }) = (to, message) {
            let commands = batch.len() as u64;
            let done = Message::Done { session, commands, bytes: 0, busy_ns: 0 };
            dispatcher.step(now_ns, to, done, out);
        }
    }
}

/// Rounds of `t' := add t 1` and `free t` for each chain; freed names are used again.
fn stream(workers: u32) -> Vec<Batch> {
    let add = ops::by_name("add").expect("a row");
    let (mut values, mut free): (Vec<u32>, Vec<u32>) = ((0..workers).collect(), vec![workers]);
    let (mut batches, mut batch) = (Vec::new(), Batch::default());
    for index in 0..INSTRUCTIONS {
        let chain = index % workers as usize;
        let (old, name) = (Slot(values[chain]), Slot(free.pop().expect("one is free")));
        batch.push_instruction(&Instruction {
            op: add,
            outputs: [name].into_iter().collect(),
            inputs: [Operand::Slot(old), Operand::Scalar(Scalar::Int(1))].into_iter().collect(),
            attrs: Default::default(),
            replaces: Replaces::default(),
            provenance: Provenance::UNKNOWN,
        });
        batch.push_free(&[old]);
        (values[chain], _) = (name.0, free.push(old.0));
        if batch.len() >= BATCH {
            batches.push(std::mem::take(&mut batch));
        }
    }
    batches.push(batch);
    batches
}
