//! Decoding takes no more memory than a small multiple of what arrived, whatever it claims.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bytes::Bytes;
use gt_core::SessionId;
use gt_core::text::parse_instruction;
use gt_transport::codec::{Frames, Limits, decode, encode};
use gt_transport::{Batch, Message};
use proptest::prelude::*;
use proptest::test_runner::Config;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// Counts what the current thread holds.
struct Counting;

fn grow(bytes: usize) {
    LIVE.set(LIVE.get() + bytes as isize);
    PEAK.set(PEAK.get().max(LIVE.get()));
}

// SAFETY: everything is left to the system's allocator; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - layout.size() as isize);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The most memory that `work` held at a time, beyond what there was before.
fn peak_of<T>(work: impl FnOnce() -> T) -> usize {
    LIVE.set(0);
    PEAK.set(0);
    let result = work();
    let peak = PEAK.get();
    drop(result);
    peak as usize
}

/// Decodes, and keeps every command that can be read.
fn decode_all(frames: Frames) -> usize {
    peak_of(|| match decode(frames, &Limits::default()) {
        Ok(Message::Commands { batch, .. }) => {
            let commands: Vec<_> = batch.commands().collect();
            Some((batch, commands))
        }
        _ => None,
    })
}

/// A message of this kind with this body.
fn with_body(kind: u8, body: &[u8]) -> Frames {
    let mut head = encode(&Message::Bye).head.to_vec();
    head[8] = kind;
    head.extend_from_slice(body);
    Frames { head: head.into(), payloads: Vec::new() }
}

fn check(frames: Frames, what: &str) {
    let bytes = frames.head.len() + frames.payloads.iter().map(Bytes::len).sum::<usize>();
    let peak = peak_of(|| decode(frames.clone(), &Limits::default()));
    assert!(peak <= 4 * bytes + (64 << 10), "{what}: {peak} bytes to decode {bytes}");
    // A command in memory is some 200 bytes for a record of 32, and each may take a few lists.
    let peak = decode_all(frames);
    assert!(peak <= 16 * bytes + (64 << 10), "{what}: {peak} bytes to read {bytes}");
}

proptest! {
    #![proptest_config(Config::with_cases(1000))]

    #[test]
    fn messages_take_a_small_multiple_of_their_size(message in common::message()) {
        check(encode(&message), "a good message");
    }

    #[test]
    fn broken_messages_take_no_more(
        message in common::message(),
        at in any::<prop::sample::Index>(),
        claim in any::<[u8; 4]>(),
    ) {
        let Frames { head, payloads } = encode(&message);
        let mut head = head.to_vec();
        let at = at.index(head.len());
        head.splice(at..at, claim.map(|byte| byte | 0x80)).for_each(drop);
        check(Frames { head: head.into(), payloads }, "a broken message");
    }
}

#[test]
fn claimed_lengths_cost_nothing() {
    let huge = [0xff, 0xff, 0xff, 0xff, 0x0f];
    for kind in 0..20 {
        check(with_body(kind, &huge), "a text");
        check(with_body(kind, &[[1; 4].as_slice(), &huge].concat()), "after four numbers");
        check(with_body(kind, &[0xff; 16]), "a batch");
        for zeros in [1, 100, 100_000] {
            let body = [[0; 3].as_slice(), &huge, &vec![0; zeros]].concat();
            check(with_body(kind, &body), "a shape");
        }
    }
}

#[test]
fn lists_in_instructions_cost_nothing_they_did_not_send() {
    let lines = ["t2 := sum t0 dim=[1]", "t2, t3 := topk t0 k=2", "t2 := conv2d t0 t1"];
    for line in lines {
        let good = parse_instruction(line).unwrap();
        let mut batch = Batch::default();
        batch.push_instruction(&good);
        let good = batch.extra.clone();
        for at in 0..good.len() {
            for filler in [0, 1, 4, 6] {
                // A list that claims everything that follows, and there is a lot.
                let mut extra = good[..at].to_vec();
                extra.extend([0xa0, 0x8d, 0x06]);
                extra.resize(100_000, filler);
                let mut batch = batch.clone();
                batch.records[0].set_extent(0, extra.len() as u32);
                batch.extra = extra;
                let message = Message::Commands { session: SessionId(1), batch: batch.into() };
                check(encode(&message), line);
            }
        }
    }
}
