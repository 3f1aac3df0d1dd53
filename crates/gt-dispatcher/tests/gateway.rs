//! The gateway without sockets: who comes, who goes, who comes back, and who breaks the rules.

mod harness;

use std::collections::BTreeSet;

use bytes::Bytes;
use gt_core::instruction::Command;
use gt_core::{DType, Meta, Provenance, RequestId, SessionId, Shape, Slot};
use gt_dispatcher::gateway::Delivery;
use gt_transport::hello::Token;
use gt_transport::reliable::{ReliableChannel, unsequenced};
use gt_transport::{Batch, Message};
use harness::{Harness, SECOND, refusal, resuming, welcome, words};

#[test]
fn a_client_that_comes_back_in_time_goes_on() {
    let mut harness = Harness::open();
    harness.add_worker(1);
    let first = harness.add_client(2);
    assert_eq!(first.workers, 1);
    harness.gone(2);
    harness.pass(3, &[1]);
    let out = harness.say(3, &resuming(first.session, first.token.clone(), 0));
    assert_eq!(welcome(&out).expect("it goes on").session, first.session);
    harness.pass(60, &[1, 3]);
    assert_eq!(harness.sessions(), 1);
}

#[test]
fn a_client_that_does_not_come_back_is_given_up() {
    let mut harness = Harness::open();
    harness.add_worker(1);
    let first = harness.add_client(2);
    harness.gone(2);
    let out = harness.pass(5, &[1]);
    let forgets = |(connection, message): &(u64, Message)| {
        *connection == 1
            && matches!(message, Message::Forget { session } if *session == first.session)
    };
    assert!(words(&out).iter().any(forgets), "the worker keeps its values");
    assert_eq!(harness.sessions(), 0);
    let out = harness.say(3, &resuming(first.session, first.token.clone(), 0));
    assert!(refusal(&out).expect("too late").to_string().contains("is over"));
}

#[test]
fn a_silent_client_is_kept_for_long_and_not_for_ever() {
    let mut harness = Harness::open();
    harness.add_worker(1);
    harness.add_client(2);
    harness.pass(599, &[1]);
    assert_eq!(harness.sessions(), 1);
    harness.pass(2, &[1]);
    assert_eq!(harness.sessions(), 0);
}

#[test]
fn workers_are_told_of_a_client_of_whom_nothing_is_heard() {
    let mut harness = Harness::open();
    harness.add_worker(1);
    let session = harness.add_client(2).session;
    let absences = |out: &[Delivery]| -> Vec<(u64, bool)> {
        let words = words(out).into_iter();
        let told = words.filter_map(|(connection, message)| match message {
            Message::Away { session: of, is_away } if of == session => Some((connection, is_away)),
            _ => None,
        });
        told.collect()
    };
    assert_eq!(absences(&harness.pass(4, &[1])), []);
    assert_eq!(absences(&harness.pass(60, &[1])), [(1, true)]);
    assert_eq!(absences(&harness.pass(2, &[1, 2])), [(1, false)]);
}

#[test]
fn nobody_takes_the_session_of_somebody_else() {
    let mut harness = Harness::open();
    let (mine, other) = (harness.add_client(1), harness.add_client(2));
    for token in [other.token.clone(), Token([0; 16])] {
        let out = harness.say(3, &resuming(mine.session, token, 0));
        assert!(refusal(&out).is_some() && welcome(&out).is_none(), "{out:?}");
    }
    let out = harness.say(4, &resuming(SessionId(99), mine.token.clone(), 0));
    assert!(refusal(&out).is_some() && welcome(&out).is_none(), "{out:?}");
    assert_eq!(harness.sessions(), 2);
}

#[test]
fn what_a_client_missed_is_said_again() {
    let mut harness = Harness::open();
    harness.add_worker(1);
    let first = harness.add_client(2);
    let (session, request) = (first.session, RequestId(5));
    let mut client = ReliableChannel::default();
    let asks = Message::MemoryQuery { session, request, parts: 0 };
    harness.hear(2, client.say(&asks).expect("a message"));
    harness.gone(2);
    // An answer of the worker for somebody who is away.
    let mut worker = ReliableChannel::default();
    let done = Message::MemoryReply { session, request, parts: 1, usage: Box::default() };
    let out = harness.hear(1, worker.say(&done).expect("a message"));
    assert!(words(&out).is_empty(), "nobody is there to hear it: {out:?}");
    let out = harness.say(3, &resuming(first.session, first.token.clone(), 0));
    assert!(words(&out).contains(&(3, done.clone())), "{out:?}");
    // It is confirmed, and not said a third time.
    harness.say(3, &Message::Heartbeat { received: 1, used_bytes: 0 });
    harness.gone(3);
    let out = harness.say(4, &resuming(first.session, first.token.clone(), 1));
    assert!(welcome(&out).is_some() && !words(&out).contains(&(4, done)), "{out:?}");
}

#[test]
fn a_gap_ends_a_session() {
    let mut harness = Harness::open();
    let first = harness.add_client(1);
    let mut client = ReliableChannel::default();
    let batch = || Message::Commands { session: first.session, batch: Batch::default().into() };
    client.say(&batch()).expect("the first is lost");
    let out = harness.hear(1, client.say(&batch()).expect("a message"));
    assert!(refusal(&out).expect("an end").to_string().contains("lost on the way"));
    assert_eq!(harness.sessions(), 0);
}

#[test]
fn garbage_is_refused_and_harms_nobody() {
    let mut harness = Harness::open();
    harness.add_worker(1);
    harness.add_client(2);
    let garbage: [Vec<Bytes>; 5] = [
        vec![],
        vec![Bytes::from_static(b"hello")],
        vec![Bytes::from_static(&[255; 8]), Bytes::from_static(b"nothing that GT says")],
        vec![Bytes::from_static(&[0; 8]), Bytes::new()],
        unsequenced(&Message::Bye),
    ];
    for (number, parts) in garbage.into_iter().enumerate() {
        let out = harness.hear(100 + number as u64, parts);
        assert!(refusal(&out).is_some(), "{out:?}");
    }
    assert_eq!(harness.sessions(), 1);
    let report = harness.gateway.report(harness.now_ns);
    assert_eq!((report.workers.len(), report.traffic.refused), (1, 5));
}

#[test]
fn a_lost_worker_ends_those_who_had_something_there_and_nobody_else() {
    let mut harness = Harness::open();
    harness.add_worker(1);
    let idle = harness.add_client(2);
    let out = harness.gone(1);
    assert!(refusal(&out).is_none(), "it had nothing there: {out:?}");
    assert_eq!(harness.gateway.report(0).workers.len(), 0);
    harness.add_worker(3);
    let report = harness.gateway.report(harness.now_ns);
    let session = report.sessions.iter().find(|session| session.id == idle.session);
    assert_eq!(session.expect("it goes on").workers.iter().flatten().count(), 1);
}

#[test]
fn a_silent_worker_is_given_up() {
    let mut harness = Harness::open();
    harness.add_worker(1);
    harness.pass(5, &[]);
    assert_eq!(harness.gateway.report(0).workers.len(), 1);
    harness.pass(1, &[]);
    assert_eq!(harness.gateway.report(0).workers.len(), 0);
    let out = harness.say(1, &Message::Heartbeat { received: 0, used_bytes: 0 });
    assert!(refusal(&out).expect("it must join anew").to_string().contains("given"), "{out:?}");
}

#[test]
fn nothing_new_goes_to_a_worker_that_is_silent() {
    let mut harness = Harness::open();
    (1..=2).for_each(|connection| harness.add_worker(connection));
    let first = harness.add_client(3);
    let mut client = ReliableChannel::default();
    let mut slot = 0;
    // The worker that gets the next value.
    let mut chosen = |harness: &mut Harness| {
        let mut batch = Batch::default();
        let (out, meta) = (Slot(slot), Meta::new(DType::F32, Shape::from_iter([2])));
        let (data, provenance) = (Bytes::from_static(&[0; 8]), Provenance::UNKNOWN);
        batch.push(&Command::Upload { out, meta, data, provenance });
        // Somebody waits for it, so that it is not joined with what follows.
        batch.push(&Command::Read { slot: out, request: RequestId(slot) });
        slot += 1;
        let commands = Message::Commands { session: first.session, batch: batch.into() };
        let out = harness.hear(3, client.say(&commands).expect("a message"));
        let is_commands = |(connection, message): &(u64, Message)| {
            matches!(message, Message::Commands { .. }).then_some(*connection)
        };
        words(&out).iter().find_map(is_commands).expect("somebody gets it")
    };
    let before: BTreeSet<u64> = (0..10).map(|_| chosen(&mut harness)).collect();
    assert_eq!(before, BTreeSet::from([1]), "the session has its home there");
    harness.pass(5, &[2, 3]);
    assert!((0..10).all(|_| chosen(&mut harness) == 2), "the first is suspect");
    harness.say(1, &Message::Heartbeat { received: 0, used_bytes: 0 });
    harness.pass(3, &[1, 2, 3]);
    let after: BTreeSet<u64> = (0..10).map(|_| chosen(&mut harness)).collect();
    assert_eq!(after, BTreeSet::from([1]), "it was heard again");
    // If all are suspect, there is nobody better.
    harness.pass(5, &[3]);
    chosen(&mut harness);
}

#[test]
fn a_dispatcher_that_was_stopped_blames_nobody() {
    let mut harness = Harness::open();
    harness.add_worker(1);
    harness.add_client(2);
    harness.pass(3, &[1, 2]);
    // Nothing happens for an hour, in which what others say waits in sockets.
    harness.now_ns += 3600 * SECOND;
    let mut out = Vec::new();
    harness.gateway.check_silence(harness.now_ns, &mut out);
    assert_eq!((harness.gateway.report(0).workers.len(), harness.sessions()), (1, 1));
    harness.pass(4, &[]);
    assert_eq!(harness.gateway.report(0).workers.len(), 1);
    harness.pass(3, &[]);
    assert_eq!(harness.gateway.report(0).workers.len(), 0, "but silence counts from there on");
}
