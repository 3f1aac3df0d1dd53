//! A batch of a client as bytes, and back.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gt_core::SessionId;
use gt_core::instruction::Command;
use gt_core::text::parse_instruction;
use gt_transport::codec::{Limits, decode, encode};
use gt_transport::{Batch, Message};

/// As many records as a client sends at a time.
const RECORDS: usize = 1024;

fn message(instruction: &str) -> Message {
    let mut batch = Batch::default();
    for _ in 0..RECORDS {
        batch.push(&Command::Apply(parse_instruction(instruction).expect("an instruction")));
    }
    Message::Commands { session: SessionId(1), batch: batch.into() }
}

fn codec(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("codec");
    group.throughput(Throughput::Elements(RECORDS as u64));
    let long = "t3 := permute t0 dims=[2, 0, 1]";
    for (name, instruction) in [("32 bytes", "t2 := add t0 t1"), ("with attributes", long)] {
        let message = message(instruction);
        let frames = encode(&message);
        group.bench_function(format!("encode, {name}"), |bencher| {
            bencher.iter(|| encode(black_box(&message)));
        });
        group.bench_function(format!("decode, {name}"), |bencher| {
            bencher.iter(|| decode(black_box(frames.clone()), &Limits::CONTROL).expect("its own"));
        });
    }
}

criterion_group!(benches, codec);
criterion_main!(benches);
