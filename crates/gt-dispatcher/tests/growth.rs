//! Programs without end: what is known of them stays bounded.

mod tape;

use std::fmt::Write as _;

use gt_core::instruction::Command;
use gt_core::{DType, Error, Meta, Provenance, SessionId, Slot, WorkerId};
use gt_dispatcher::{Dispatcher, Outbox};
use gt_transport::hello::{Hello, WorkerInfo};
use gt_transport::{Batch, Message, Peer};
use tape::told_after;

/// More than a session may have placements, and more than it may have signatures.
const LENGTHS: usize = 9000;

/// A program that slices ever more of a cut value, as a cache of keys and values grows, and ends
/// with what is given.
fn growing(end: &str) -> Vec<String> {
    let mut said = format!(
        "workers 2
        scope1 := \"data\" in scope0 shard(0) 0 1
        in scope1
        t0 := zeros shape=[{LENGTHS}, 4]
        in scope0
        t1 := slice t0 ranges=[0:17:1, 0:4:1]
        "
    );
    for length in 1..LENGTHS {
        write!(said, "t2 := slice t0 ranges=[0:{length}:1, 0:4:1]\nt3 := exp t2\nfree t2 t3\n")
            .expect("memory takes all of it");
        if length % 1000 == 0 {
            said += "send\n";
        }
    }
    told_after(&(said + end))
}

#[test]
fn tables_stay_bounded_while_lengths_grow() {
    let told = growing("t2 := exp t1\nread t2 as r1");
    assert!(!told.iter().any(|line| line.contains("ended")), "{:?}", told.last());
    // What was cut before the tables were cleared up still lies where it lay.
    let moved = told.iter().find(|line| line.contains("to whole on w0 as")).expect("a move");
    assert!(moved.contains("move t2 from shard(0 at 0 17 17) on w0 w1"), "{moved}");
    let number = |line: &String| line.split_once(" := cut")?.0.split_once('d')?.1.parse().ok();
    let most: usize = told.iter().filter_map(number).max().expect("there are signatures");
    assert!(most <= 1 << 12, "{most} signatures");
}

#[test]
fn every_instruction_is_shared_by_the_last_signature_of_its_number() {
    // Of each worker, what `by` names at each instruction is what the instruction needs.
    let told = growing("");
    let mut defined = std::collections::HashMap::new();
    let (mut current, mut length) = (String::new(), 0usize);
    for line in told.iter().filter_map(|line| line.strip_prefix("w0 ")) {
        if let Some((number, cut)) = line.split_once(" := cut ") {
            defined.insert(number.to_string(), cut.to_string());
        } else if let Some(number) = line.strip_prefix("by ") {
            current = number.to_string();
        } else if let Some((_, ranges)) = line.split_once("t2 := slice t0 ranges=[0:") {
            length = ranges.split(':').next().and_then(|text| text.parse().ok()).expect("a length");
            assert_eq!(defined[&current], "0 on w0 w1", "{line}");
        } else if line.starts_with("t3 := exp t2") {
            let half = length.min(LENGTHS / 2);
            let expected = format!("0 at 0 {half} {length} on w0 w1");
            let even = half == length.div_ceil(2);
            let expected = if even { "0 on w0 w1".to_string() } else { expected };
            assert_eq!(defined[&current], expected, "{line} of {length}");
        }
    }
}

/// Why a session ends that names more and more values, on workers that have so many bytes of
/// memory each; `None` if it goes on.
fn naming_many_values(memories: &[u64]) -> Option<Error> {
    let mut dispatcher = Dispatcher::new();
    let mut step = |from: Peer, message: Message| {
        let mut out = Outbox::default();
        dispatcher.step(0, from, message, &mut out);
        out.drain().find_map(|(_, message)| match message {
            Message::Ended { error, .. } => Some(error),
            _ => None,
        })
    };
    for (number, &memory_bytes) in memories.iter().enumerate() {
        let info = WorkerInfo { memory_bytes, ..WorkerInfo::default() };
        step(Peer::Worker(WorkerId(number as u32)), Message::Register(Box::new(info)));
    }
    let session = SessionId(1);
    step(Peer::Client(session), Message::Hello(Hello::named("many")));
    // The entries of more than 262,144 values count as memory.
    (0..300).find_map(|first: u32| {
        let mut batch = Batch::default();
        for number in 0..1024 {
            let (out, meta) = (Slot(first * 1024 + number), Meta::new(DType::F32, [0]));
            let (data, provenance) = (Default::default(), Provenance::UNKNOWN);
            batch.push(&Command::Upload { out, meta, data, provenance });
        }
        let batch = batch.into();
        step(Peer::Client(session), Message::Commands { session, batch })
    })
}

#[test]
fn names_of_values_count_only_where_the_memory_of_workers_is_known() {
    let ended = naming_many_values(&[1 << 20, 1 << 20]);
    assert!(matches!(ended, Some(Error::OutOfMemory(_))), "{ended:?}");
    assert_eq!(naming_many_values(&[1 << 30]), None, "there is room for all of them");
    assert_eq!(naming_many_values(&[]), None, "the session waits for workers");
    // Zero bytes means that the memory is not known.
    assert_eq!(naming_many_values(&[0]), None);
    assert_eq!(naming_many_values(&[1 << 20, 0]), None);
}
