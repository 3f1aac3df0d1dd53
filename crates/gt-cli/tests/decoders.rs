//! What others have written never ends a process, however it is broken: each decoder of `fuzz/` is
//! run with its corpus and with mutations of it. The work for an input is bounded by its size.

#[path = "../../../fuzz/decoders.rs"]
mod decoders;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use decoders::{ALL, Decoder, joined};
use gt_core::event::{Event, Events, Span, Spans, Station};
use gt_core::instruction::Command;
use gt_core::text::parse_instruction;
use gt_core::{DType, Meta, Provenance, RequestId, ScopeId, SessionId, Slot};
use gt_transport::codec::{Frames, encode};
use gt_transport::hello::{Hello, Resume, Token};
use gt_transport::order::Order;
use gt_transport::reliable::{ReliableChannel, unsequenced};
use gt_transport::transfers::{Frame, Reason};
use gt_transport::{Batch, Message, framed};

/// Inputs that are made for each decoder, unless `GT_MUTATIONS` says how many.
const MUTATIONS: u32 = 5_000;
/// No input of a few kilobytes takes so long, on whatever machine this is.
const PATIENCE: Duration = Duration::from_secs(5);

fn corpus_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

/// The files of a decoder's corpus, in the order of their names.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(corpus_folder().join(name)).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a file of the corpus")).collect()
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Numbers and words that decoders look for.
const TOKENS: &[&[u8]] = &[
    &[0xff; 8],
    &[0x80; 5],
    &[0; 16],
    &[0xff, 0xff, 0xff, 0x7f],
    b"18446744073709551615",
    b" | ",
    b"\n",
    b"&a [*a, *a]",
    b"[[[[[[[[[[[[[[[[",
    b"\xf0\x9f\x98\x80",
];

/// An input that is broken in a few places, sometimes with a piece of another.
fn broken(dice: &mut Dice, inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = inputs[dice.below(inputs.len())].clone();
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len() + 1);
        let to = (at + dice.below(24)).min(bytes.len());
        match dice.below(8) {
            0..=2 => bytes.get_mut(at).map_or((), |byte| *byte ^= 1 << dice.below(8)),
            3 => bytes.truncate(at),
            4 => drop(bytes.splice(at..to, TOKENS[dice.below(TOKENS.len())].iter().copied())),
            5 => bytes[at..to].iter_mut().for_each(|byte| *byte = dice.next() as u8),
            6 => {
                let piece = bytes[at..to].to_vec();
                for _ in 0..dice.below(20) {
                    bytes.splice(at..at, piece.iter().copied());
                }
            }
            _ => {
                let other = &inputs[dice.below(inputs.len())];
                let from = dice.below(other.len());
                let end = from + dice.below(other.len() - from);
                bytes.splice(at..to, other[from..end].iter().copied());
            }
        }
    }
    bytes
}

#[test]
fn every_decoder_survives_its_corpus_and_mutations_of_it() {
    let asked = std::env::var("GT_MUTATIONS").ok().and_then(|count| count.parse().ok());
    let mutations = asked.unwrap_or(MUTATIONS);
    for Decoder { name, run } in ALL {
        let inputs = corpus(name);
        assert!(!inputs.is_empty(), "fuzz/corpus/{name} is empty; see fuzz/README.md");
        inputs.iter().for_each(|input| run(input));
        let seed = name.bytes().fold(0x9e37_79b9_7f4a_7c15, |seed: u64, byte| {
            (seed ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        println!("{name}: seed {seed}");
        let mut dice = Dice(seed);
        for number in 0..mutations {
            let input = broken(&mut dice, &inputs);
            let start = Instant::now();
            run(&input);
            let took = start.elapsed();
            assert!(took < PATIENCE, "{name} {number}: {took:?} for {} bytes", input.len());
        }
    }
}

/// The binary part of the corpus, as this version of the wire has it.
fn samples() -> BTreeMap<(&'static str, String), Vec<u8>> {
    let mut samples = BTreeMap::new();
    for (number, message) in messages().iter().enumerate() {
        let Frames { head, payloads } = encode(message);
        let name = format!("{number:02}");
        let parts: Vec<Bytes> = [head.clone()].into_iter().chain(payloads).collect();
        samples.insert(("message", name.clone()), joined(&parts));
        let mut stream = Vec::new();
        framed::write(&mut stream, message).expect("memory is written");
        samples.insert(("stream", name.clone()), stream);
        let counted = ReliableChannel::default().say(message).expect("it fits");
        let both = [joined(&counted), joined(&unsequenced(message))].concat();
        samples.insert(("channel", name.clone()), both);
        // As a worker, a client and somebody new say it, in order and outside of any channel.
        let said = [1, 2, 4, 0x81, 0x82, 0x84];
        let said = said.map(|who: u8| Bytes::from([&[who], &head[..]].concat()));
        samples.insert(("gateway", name), joined(&said));
    }
    samples.insert(("data_plane", "00".to_string()), frames());
    samples
}

fn messages() -> Vec<Message> {
    let session = SessionId(1);
    let mut events = Events::default();
    events.push(Event::new(5, Station::Received, session), &[]);
    let span = Span { position: 0, start_ns: 1, duration_ns: 2, bytes: 3, fused: 0, failed: 0 };
    let spans = Box::new(Spans { clock_ns: 9, list: vec![span], lost: 1 });
    let token = Token([7; 16]);
    let resume = Some(Resume { session: SessionId(2), token, received: 0 });
    vec![
        Message::Commands { session, batch: Arc::new(batch()) },
        Message::Hello(Hello::named("somebody")),
        Message::Hello(Hello { resume, ..Hello::named("somebody else") }),
        Message::Register(Box::default()),
        Message::Heartbeat { received: 1, used_bytes: 2 },
        Message::Done { session, commands: 4, bytes: 5, busy_ns: 6 },
        Message::Spans { session, spans },
        Message::Events(Arc::new(events)),
        Message::observe(9),
        Message::StatusRequest,
        Message::ValuesRequest,
        Message::Order(Order::Kill(SessionId(2))),
        Message::Forget { session },
        Message::Bye,
    ]
}

/// Commands of most kinds that a client has.
fn batch() -> Batch {
    let mut batch = Batch::default();
    for line in [
        "t0 := ones shape=[4, 4] dtype=float32",
        "t1 := matmul t0 t0",
        "t2 := sum t1 dim=[1]",
        "t3 := mul t2 2.5 replaces t2",
    ] {
        batch.push(&Command::Apply(parse_instruction(line).expect("an instruction")));
    }
    let (meta, provenance) = (Meta::new(DType::F32, [3]), Provenance::UNKNOWN);
    batch.push(&Command::Upload { out: Slot(4), meta, data: vec![0; 12].into(), provenance });
    let (scope, parent, name) = (ScopeId(1), ScopeId::ROOT, "forward".into());
    batch.push(&Command::DefineScope { scope, parent, name, wish: None });
    batch.push(&Command::Read { slot: Slot(3), request: RequestId(1) });
    batch.push(&Command::Free([Slot(0), Slot(1)].as_slice().into()));
    batch
}

/// A conversation on a channel of the data plane.
fn frames() -> Vec<u8> {
    let frames = [
        Frame::Hello { epoch: 5, oldest: 0 },
        Frame::Offer { seq: 0, tag: 7, bytes: 32, eager: false },
        Frame::Chunk { seq: 0, offset: 0, bytes: 32, slot: 0 },
        Frame::Ping,
        Frame::Offer { seq: 1, tag: 8, bytes: 16, eager: true },
        Frame::Fail { seq: 2, tag: 9, reason: Reason::Withdrawn },
        Frame::Grant { seq: 0, offset: 0 },
        Frame::Done { seq: 0 },
        Frame::Refuse { seq: 0, reason: Reason::NoMemory },
        Frame::Release { oldest: 1 },
        Frame::Pong,
    ];
    let bytes = |frame: &Frame| {
        let behind = if matches!(frame, Frame::Chunk { .. }) { 32 } else { 0 };
        [frame.encode().to_vec(), vec![1; behind]].concat()
    };
    frames.iter().flat_map(bytes).collect()
}

#[test]
fn the_corpus_is_that_of_this_version_of_the_wire() {
    let write = std::env::var_os("GT_WRITE_CORPUS").is_some();
    for ((decoder, name), sample) in samples() {
        let path = corpus_folder().join(decoder).join(format!("{name}.bin"));
        if write {
            fs::create_dir_all(path.parent().expect("it has a folder")).expect("a folder");
            fs::write(&path, &sample).expect("a file");
        }
        let kept = fs::read(&path).unwrap_or_default();
        assert_eq!(kept, sample, "{decoder}/{name}.bin; GT_WRITE_CORPUS=1 writes it");
    }
}
