//! What is encoded is decoded again; what is broken is refused and never ends the process.

mod common;

use bytes::Bytes;
use gt_core::instruction::Command;
use gt_core::record::Record;
use gt_core::text::parse_instruction;
use gt_core::{DType, Meta, Provenance, ScopeId, SessionId, Slot};
use gt_transport::codec::{Frames, Limits, MAJOR, MINOR, decode, encode};
use gt_transport::{Batch, Message, Value};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const HEADER: usize = 16;

proptest! {
    #![proptest_config(Config::with_cases(2000))]

    #[test]
    fn every_message_survives_the_journey(message in common::message()) {
        prop_assert_eq!(decode(encode(&message), &Limits::default()), Ok(message));
    }

    #[test]
    fn every_command_survives_the_journey(
        commands in prop::collection::vec(common::command(), 0..30),
    ) {
        let batch = common::batch(&commands).into();
        let message = Message::Commands { session: SessionId(1), batch };
        let decoded = decode(encode(&message), &Limits::default());
        let Ok(Message::Commands { batch, .. }) = decoded else { panic!("{decoded:?}") };
        prop_assert_eq!(batch.commands().collect::<Result<Vec<_>, _>>(), Ok(commands));
    }

    #[test]
    fn a_client_may_name_only_its_own_slots(command in common::command()) {
        let batch = common::batch(std::slice::from_ref(&command));
        let mut text = command.to_string();
        if let Command::DefineScope { .. } = command {
            text.clear();
        }
        let copy = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter_map(|word| word.strip_prefix('t')?.parse().ok())
            .any(|number| Slot(number).is_copy());
        let forbidden = copy || matches!(
            command,
            Command::Receive { .. }
                | Command::Vote { .. }
                | Command::Report { .. }
                | Command::Settle { .. }
                | Command::DefineSignature { .. }
                | Command::Signature(_)
                | Command::Move(_)
                | Command::Wait { .. }
        );
        prop_assert_eq!(batch.client_command(0).is_err(), forbidden, "{}", text);
    }
}

#[test]
fn a_long_free_becomes_several() {
    let slots: Vec<Slot> = (0..9).map(Slot).collect();
    let batch = common::batch(&[Command::Free(slots.clone().into())]);
    let freed = batch.commands().map(|command| match command {
        Ok(Command::Free(slots)) => slots,
        other => panic!("{other:?}"),
    });
    assert_eq!(freed.flatten().collect::<Vec<_>>(), slots);
}

#[test]
fn thousands_of_inputs_fit_into_one_instruction() {
    let inputs: String = (0..10_000).map(|n| format!(" t{n}")).collect();
    let command = Command::Apply(parse_instruction(&format!("t9 := cat{inputs}")).unwrap());
    assert_eq!(common::batch(std::slice::from_ref(&command)).command(0), Ok(command));
}

#[test]
fn payloads_are_not_copied() {
    let data = Bytes::from(vec![7; 1 << 20]);
    let meta = Meta::new(DType::U8, [1 << 20]);
    let upload = Command::Upload {
        out: Slot(1),
        meta: meta.clone(),
        data: data.clone(),
        provenance: Provenance::UNKNOWN,
    };
    let message =
        Message::Commands { session: SessionId(1), batch: common::batch(&[upload]).into() };
    let decoded = decode(encode(&message), &Limits::default());
    let Ok(Message::Commands { batch, .. }) = decoded else { panic!("{decoded:?}") };
    let Ok(Command::Upload { data: arrived, .. }) = batch.command(0) else { panic!("{batch:?}") };
    assert_eq!(arrived.as_ptr(), data.as_ptr());

    let answer = Message::Handover {
        session: SessionId(1),
        to: gt_core::WorkerId(2),
        tag: 3,
        meta,
        result: Ok(data.clone()),
    };
    let decoded = decode(encode(&answer), &Limits::default());
    let Ok(Message::Handover { result: Ok(arrived), .. }) = decoded else { panic!("{decoded:?}") };
    assert_eq!(arrived.as_ptr(), data.as_ptr());
}

/// The error for the frames of `message` after `change`.
fn error(message: &Message, change: impl FnOnce(&mut Vec<u8>, &mut Vec<Bytes>)) -> String {
    let Frames { head, mut payloads } = encode(message);
    let mut head = head.to_vec();
    change(&mut head, &mut payloads);
    let decoded = decode(Frames { head: head.into(), payloads }, &Limits::default());
    decoded.expect_err("it is broken").to_string()
}

#[test]
fn what_is_wrong_with_a_message_is_named() {
    let bye = Message::Bye;
    assert!(error(&bye, |head, _| head[0] = b'H').contains("[48, 54, 6d, 78]"));
    assert!(error(&bye, |head, _| head[4] += 1).contains(&format!("version {}.", MAJOR + 1)));
    assert!(
        error(&bye, |head, _| head[6] += 1).contains(&format!("version {MAJOR}.{}", MINOR + 1))
    );
    assert!(error(&bye, |head, _| head[8] = 200).contains("kind 200"));
    assert!(error(&bye, |head, _| head[10] = 1).contains("0x0001 reserved"));
    assert!(error(&bye, |head, _| head.push(0)).contains("1 bytes follow"));
    assert!(error(&bye, |head, _| head.truncate(9)).contains("9 bytes has no header"));
    assert!(error(&bye, |_, payloads| payloads.push(Bytes::new())).contains("1 payloads, not 0"));
    let beside = |head: &mut Vec<u8>, payloads: &mut Vec<Bytes>| {
        head[12] = 1;
        payloads.push(Bytes::new());
    };
    assert!(error(&bye, beside).contains("1 payloads beside"));
}

#[test]
fn what_is_wrong_with_a_batch_is_named() {
    let upload = |bytes: usize| Command::Upload {
        out: Slot(1),
        meta: Meta::new(DType::U8, [bytes]),
        data: vec![0; bytes].into(),
        provenance: Provenance::UNKNOWN,
    };
    let commands = [upload(10), upload(5000), upload(6000), Command::Scope(ScopeId::ROOT)];
    let error = |change: fn(&mut Batch)| {
        let mut batch = common::batch(&commands);
        change(&mut batch);
        let message = Message::Commands { session: SessionId(1), batch: batch.into() };
        match decode(encode(&message), &Limits::default()) {
            Ok(Message::Commands { batch, .. }) => {
                batch.commands().find_map(Result::err).expect("an error").to_string()
            }
            Ok(other) => panic!("{other:?}"),
            Err(error) => error.to_string(),
        }
    };
    assert!(error(|batch| batch.extra.push(0)).contains("24 of 25 bytes"));
    assert!(error(|batch| batch.records[1] = batch.records[0]).contains("at 0, not"));
    assert!(error(|batch| batch.records[2].inputs[0] = 0).contains("payload 0 used, not 1"));
    assert!(error(|batch| batch.payloads.push(Bytes::new())).contains("2 of 3 payloads"));
    assert!(error(|batch| batch.payloads.swap(0, 1)).contains("uint8[5000] came with 6000 bytes"));
    assert!(error(|batch| batch.records[3].op = 0xff40).contains("code 65344"));
    assert!(error(|batch| batch.records[3].op = 900).contains("code 900"));
    assert!(error(|batch| batch.records[3].flags = 1).contains("flags"));
    assert!(error(|batch| batch.extra[0] = 200).contains("broken"));
}

#[test]
fn an_answer_has_all_elements_or_none() {
    let answer = |len: usize| Message::Answer {
        session: SessionId(1),
        request: gt_core::RequestId(2),
        result: Ok(Value { meta: Meta::new(DType::U8, [90]), data: vec![0; len].into() }),
    };
    for len in [0, 90] {
        assert_eq!(decode(encode(&answer(len)), &Limits::default()), Ok(answer(len)));
    }
    assert!(error(&answer(89), |_, _| ()).contains("uint8[90] came with 89 bytes"));
}

#[test]
fn bytes_after_the_end_of_an_instruction_are_refused() {
    let sum = parse_instruction("t2 := sum t0 dim=[1]").unwrap();
    let (scope, parent, name) = (ScopeId(1), ScopeId::ROOT, "a".into());
    for command in [Command::Apply(sum), Command::DefineScope { scope, parent, name, wish: None }] {
        let mut batch = common::batch(std::slice::from_ref(&command));
        batch.extra.push(0);
        batch.records[0].set_extent(0, batch.extra.len() as u32);
        assert!(batch.command(0).unwrap_err().to_string().contains("1 bytes follow"));
    }
}

#[test]
fn a_message_beyond_a_limit_is_refused() {
    let read = |n| Command::Read { slot: Slot(n), request: gt_core::RequestId(n) };
    let batch = common::batch(&[read(1), read(2)]);
    let answer = Message::Answer {
        session: SessionId(1),
        request: gt_core::RequestId(1),
        result: Ok(Value { meta: Meta::new(DType::U8, [90]), data: vec![0; 90].into() }),
    };
    let refused = |message: &Message, limits: Limits| {
        decode(encode(message), &limits).unwrap_err().to_string()
    };
    let commands = Message::Commands { session: SessionId(1), batch: batch.into() };
    let few = Limits { records: 1, ..Limits::default() };
    assert!(refused(&commands, few).contains("2 commands in a batch are more than the limit of 1"));
    let small = Limits { message_bytes: 100, ..Limits::default() };
    assert!(refused(&answer, small).contains("bytes in a message"));
    let none = Limits { payloads: 0, ..Limits::default() };
    assert!(refused(&answer, none).contains("payloads in a message"));
}

/// Decodes and looks at everything there is, as a dispatcher would.
fn look(frames: Frames) -> bool {
    let Ok(message) = decode(frames, &Limits::default()) else { return false };
    if let Message::Commands { batch, .. } = &message {
        for index in 0..batch.len() {
            let _ = batch.client_command(index).map(|command| command.to_string());
        }
    }
    decode(encode(&message), &Limits::default()).expect("what was decoded can be sent on");
    true
}

/// One of many ways to break a message.
fn broken(rng: &mut TestRng, corpus: &[Frames]) -> Frames {
    let pick = |rng: &mut TestRng, below: usize| rng.random_range(0..below.max(1));
    let Frames { head, mut payloads } = corpus[pick(rng, corpus.len())].clone();
    let mut head = head.to_vec();
    // Most breaks leave the header alone, or nothing behind it would ever be tried.
    let from = if pick(rng, 8) == 0 { 0 } else { HEADER.min(head.len()) };
    for _ in 0..=pick(rng, 3) {
        let at = from + pick(rng, head.len() - from.min(head.len()));
        match pick(rng, 8) {
            0..=2 => head.get_mut(at).map_or((), |byte| *byte ^= 1 << pick(rng, 8)),
            3 => head.truncate(at),
            4 => head.splice(at.min(head.len())..at.min(head.len()), [0xff; 4]).for_each(drop),
            5 => {
                let other = &corpus[pick(rng, corpus.len())].head;
                let start = pick(rng, other.len());
                let end = start + pick(rng, other.len() - start);
                let to = (at + pick(rng, 40)).min(head.len());
                head.splice(at.min(to)..to, other[start..end].iter().copied()).for_each(drop);
            }
            6 => {
                let to = (at + 1 + pick(rng, 12)).min(head.len());
                head[at.min(to)..to].iter_mut().for_each(|byte| *byte = rng.random());
            }
            _ => {
                payloads.truncate(pick(rng, 2));
                if let Some(count) = head.get_mut(12) {
                    *count = payloads.len() as u8;
                }
            }
        }
    }
    Frames { head: head.into(), payloads }
}

#[test]
fn nothing_that_arrives_ends_the_process() {
    let seed = [42; 32];
    println!("seed {seed:?}");
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let of = |kind: BoxedStrategy<Message>, runner: &mut TestRunner| {
        encode(&kind.new_tree(runner).expect("a message").current())
    };
    let mut corpus: Vec<Frames> = Vec::new();
    for _ in 0..300 {
        corpus.push(of(common::message().boxed(), &mut runner));
        corpus.push(of(common::commands().boxed(), &mut runner));
    }
    let accepted = (0..300_000).filter(|_| look(broken(runner.rng(), &corpus))).count();
    // If nearly all or nearly none pass, the breaks are too weak, or end at the first check.
    assert!((10_000..200_000).contains(&accepted), "{accepted} were accepted");
    for _ in 0..100_000 {
        let len = runner.rng().random_range(0..200);
        let mut head: Vec<u8> = (0..len).map(|_| runner.rng().random()).collect();
        look(Frames { head: head.clone().into(), payloads: Vec::new() });
        if let Some(start) = head.get_mut(..HEADER) {
            start.copy_from_slice(&corpus[len % corpus.len()].head[..HEADER]);
        }
        look(Frames { head: head.into(), payloads: Vec::new() });
    }
}

#[test]
fn records_of_random_bytes_never_end_the_process() {
    let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[43; 32]);
    for _ in 0..300_000 {
        let mut bytes: [u8; 32] = rng.random();
        // Codes are sparse: half of the records get one that means something.
        let code = [1, 3, 40, 80, 100, 125, 142, 181, 221, 0xff00, 0xff01, 0xff02, 0xff04, 0xff06];
        let code: u16 = code[rng.random_range(0..code.len())];
        if rng.random() {
            bytes[..2].copy_from_slice(&code.to_le_bytes());
            bytes[2] &= 0x3f;
            bytes[3] %= 5;
        }
        let record: Record = zerocopy::transmute!(bytes);
        let batch = Batch { records: vec![record], extra: bytes.into(), payloads: Vec::new() };
        let _ = batch.client_command(0);
    }
}
