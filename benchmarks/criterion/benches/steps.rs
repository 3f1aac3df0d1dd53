//! What the dispatcher's and the worker's step take for a batch of tiny instructions, without
//! sockets and without computing.

use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use gt_core::instruction::Command;
use gt_core::text::parse_instruction;
use gt_core::{SessionId, Slot, WorkerId};
use gt_dispatcher::{Dispatcher, Outbox};
use gt_transport::hello::Hello;
use gt_transport::{Batch, Message, Peer};
use gt_worker::buffer::Pool;
use gt_worker::engine::null::Null;
use gt_worker::{Told, Window, Worker};

const SESSION: SessionId = SessionId(1);
/// Additions in a batch, each with the free of its input.
const ADDITIONS: u32 = 512;

fn commands(batch: Batch) -> Message {
    Message::Commands { session: SESSION, batch: batch.into() }
}

/// The value that the additions begin with.
fn first() -> Message {
    let mut batch = Batch::default();
    let ones = parse_instruction("t0 := full shape=[4] fill_value=1.0").expect("an instruction");
    batch.push(&Command::Apply(ones));
    commands(batch)
}

fn additions() -> Message {
    let mut batch = Batch::default();
    for index in 0..ADDITIONS {
        let (old, result) = (index % 2, (index + 1) % 2);
        let add = format!("t{result} := add t{old} 1.0");
        batch.push(&Command::Apply(parse_instruction(&add).expect("an instruction")));
        batch.push(&Command::Free([Slot(old)].into_iter().collect()));
    }
    commands(batch)
}

fn dispatcher() -> Dispatcher {
    let (mut dispatcher, mut out) = (Dispatcher::new(), Outbox::default());
    let register = Message::Register(Box::default());
    dispatcher.step(0, Peer::Worker(WorkerId(0)), register, &mut out);
    let client = Peer::Client(SESSION);
    dispatcher.step(0, client, Message::Hello(Hello::named("bench")), &mut out);
    dispatcher.step(0, client, first(), &mut out);
    dispatcher
}

fn worker() -> Worker {
    let engine = Arc::new(Null(Pool::new(0)));
    let mut worker = Worker::new(WorkerId(0), Window::default(), engine);
    worker.step(Told::Message(first()), &mut Vec::new());
    worker
}

fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("steps");
    group.throughput(Throughput::Elements(u64::from(ADDITIONS)));
    let message = additions();
    group.bench_function("dispatcher", |bencher| {
        let step = |mut dispatcher: Dispatcher| {
            let mut out = Outbox::default();
            dispatcher.step(0, Peer::Client(SESSION), message.clone(), &mut out);
            (dispatcher, out)
        };
        bencher.iter_batched(dispatcher, step, BatchSize::SmallInput);
    });
    group.bench_function("worker", |bencher| {
        let step = |mut worker: Worker| {
            let mut actions = Vec::new();
            worker.step(Told::Message(message.clone()), &mut actions);
            (worker, actions)
        };
        bencher.iter_batched(worker, step, BatchSize::SmallInput);
    });
}

criterion_group!(benches, steps);
criterion_main!(benches);
