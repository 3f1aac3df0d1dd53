//! The front desk without sockets: who comes, who goes, who comes back, and who breaks the rules.

mod desk;

use std::collections::BTreeSet;

use bytes::Bytes;
use desk::{Desk, SECOND, refusal, resuming, welcome, words};
use gt_core::instruction::Command;
use gt_core::{DType, Meta, Provenance, SessionId, Shape, Slot};
use gt_transport::conversation::{Conversation, aside};
use gt_transport::hello::Token;
use gt_transport::{Batch, Message};

#[test]
fn a_client_that_comes_back_in_time_goes_on() {
    let mut desk = Desk::open();
    desk.add_worker(1);
    let first = desk.add_client(2);
    assert_eq!(first.workers, 1);
    desk.gone(2);
    desk.pass(3, &[1]);
    let out = desk.say(3, &resuming(first.session, first.token.clone(), 0));
    assert_eq!(welcome(&out).expect("it goes on").session, first.session);
    desk.pass(60, &[1, 3]);
    assert_eq!(desk.sessions(), 1);
}

#[test]
fn a_client_that_does_not_come_back_is_given_up() {
    let mut desk = Desk::open();
    desk.add_worker(1);
    let first = desk.add_client(2);
    desk.gone(2);
    let out = desk.pass(5, &[1]);
    let forgets = |(line, message): &(u64, Message)| {
        *line == 1 && matches!(message, Message::Forget { session } if *session == first.session)
    };
    assert!(words(&out).iter().any(forgets), "the worker keeps its values");
    assert_eq!(desk.sessions(), 0);
    let out = desk.say(3, &resuming(first.session, first.token.clone(), 0));
    assert!(refusal(&out).expect("too late").to_string().contains("is over"));
}

#[test]
fn a_silent_client_is_kept_for_long_and_not_for_ever() {
    let mut desk = Desk::open();
    desk.add_worker(1);
    desk.add_client(2);
    desk.pass(599, &[1]);
    assert_eq!(desk.sessions(), 1);
    desk.pass(2, &[1]);
    assert_eq!(desk.sessions(), 0);
}

#[test]
fn nobody_takes_the_session_of_somebody_else() {
    let mut desk = Desk::open();
    let (mine, other) = (desk.add_client(1), desk.add_client(2));
    for token in [other.token.clone(), Token([0; 16])] {
        let out = desk.say(3, &resuming(mine.session, token, 0));
        assert!(refusal(&out).is_some() && welcome(&out).is_none(), "{out:?}");
    }
    let out = desk.say(4, &resuming(SessionId(99), mine.token.clone(), 0));
    assert!(refusal(&out).is_some() && welcome(&out).is_none(), "{out:?}");
    assert_eq!(desk.sessions(), 2);
}

#[test]
fn what_a_client_missed_is_said_again() {
    let mut desk = Desk::open();
    desk.add_worker(1);
    let first = desk.add_client(2);
    let (session, request) = (first.session, gt_core::RequestId(5));
    let mut client = Conversation::default();
    let asks = Message::Weigh { session, request, parts: 0 };
    desk.hear(2, client.say(&asks).expect("a message"));
    desk.gone(2);
    // An answer of the worker for somebody who is away.
    let mut worker = Conversation::default();
    let done = Message::Weighed { session, request, parts: 1, weight: Box::default() };
    let out = desk.hear(1, worker.say(&done).expect("a message"));
    assert!(words(&out).is_empty(), "nobody is there to hear it: {out:?}");
    let out = desk.say(3, &resuming(first.session, first.token.clone(), 0));
    assert!(words(&out).contains(&(3, done.clone())), "{out:?}");
    // It is confirmed, and not said a third time.
    desk.say(3, &Message::Beat { received: 1, used_bytes: 0 });
    desk.gone(3);
    let out = desk.say(4, &resuming(first.session, first.token.clone(), 1));
    assert!(welcome(&out).is_some() && !words(&out).contains(&(4, done)), "{out:?}");
}

#[test]
fn a_gap_ends_a_session() {
    let mut desk = Desk::open();
    let first = desk.add_client(1);
    let mut client = Conversation::default();
    let batch = || Message::Commands { session: first.session, batch: Batch::default() };
    client.say(&batch()).expect("the first is lost");
    let out = desk.hear(1, client.say(&batch()).expect("a message"));
    assert!(refusal(&out).expect("an end").to_string().contains("lost on the way"));
    assert_eq!(desk.sessions(), 0);
}

#[test]
fn garbage_is_refused_and_harms_nobody() {
    let mut desk = Desk::open();
    desk.add_worker(1);
    desk.add_client(2);
    let garbage: [Vec<Bytes>; 5] = [
        vec![],
        vec![Bytes::from_static(b"hello")],
        vec![Bytes::from_static(&[255; 8]), Bytes::from_static(b"nothing that GT says")],
        vec![Bytes::from_static(&[0; 8]), Bytes::new()],
        aside(&Message::Bye),
    ];
    for (number, parts) in garbage.into_iter().enumerate() {
        let out = desk.hear(100 + number as u64, parts);
        assert!(refusal(&out).is_some(), "{out:?}");
    }
    assert_eq!(desk.sessions(), 1);
    let report = desk.front.report(desk.now_ns);
    assert_eq!((report.workers.len(), report.traffic.refused), (1, 5));
}

#[test]
fn a_lost_worker_ends_those_who_had_something_there_and_nobody_else() {
    let mut desk = Desk::open();
    desk.add_worker(1);
    let idle = desk.add_client(2);
    let out = desk.gone(1);
    assert!(refusal(&out).is_none(), "it had nothing there: {out:?}");
    assert_eq!(desk.front.report(0).workers.len(), 0);
    desk.add_worker(3);
    let report = desk.front.report(desk.now_ns);
    let session = report.sessions.iter().find(|session| session.id == idle.session);
    assert_eq!(session.expect("it goes on").workers.iter().flatten().count(), 1);
}

#[test]
fn a_silent_worker_is_given_up() {
    let mut desk = Desk::open();
    desk.add_worker(1);
    desk.pass(5, &[]);
    assert_eq!(desk.front.report(0).workers.len(), 1);
    desk.pass(1, &[]);
    assert_eq!(desk.front.report(0).workers.len(), 0);
    let out = desk.say(1, &Message::Beat { received: 0, used_bytes: 0 });
    assert!(refusal(&out).expect("it must join anew").to_string().contains("given"), "{out:?}");
}

#[test]
fn nothing_new_goes_to_a_worker_that_is_silent() {
    let mut desk = Desk::open();
    (1..=2).for_each(|line| desk.add_worker(line));
    let first = desk.add_client(3);
    let mut client = Conversation::default();
    let mut slot = 0;
    // The worker that gets the next value.
    let mut chosen = |desk: &mut Desk| {
        let mut batch = Batch::default();
        let (out, meta) = (Slot(slot), Meta::new(DType::F32, Shape::from_iter([2])));
        let (data, provenance) = (Bytes::from_static(&[0; 8]), Provenance::UNKNOWN);
        batch.push(&Command::Upload { out, meta, data, provenance });
        slot += 1;
        let commands = Message::Commands { session: first.session, batch };
        let out = desk.hear(3, client.say(&commands).expect("a message"));
        let is_commands = |(line, message): &(u64, Message)| {
            matches!(message, Message::Commands { .. }).then_some(*line)
        };
        words(&out).iter().find_map(is_commands).expect("somebody gets it")
    };
    let before: BTreeSet<u64> = (0..10).map(|_| chosen(&mut desk)).collect();
    assert_eq!(before, BTreeSet::from([1, 2]), "both work");
    desk.pass(5, &[2, 3]);
    assert!((0..10).all(|_| chosen(&mut desk) == 2), "the first is suspect");
    desk.say(1, &Message::Beat { received: 0, used_bytes: 0 });
    desk.pass(3, &[1, 2, 3]);
    let after: BTreeSet<u64> = (0..10).map(|_| chosen(&mut desk)).collect();
    assert_eq!(after, BTreeSet::from([1, 2]), "it was heard again");
    // If all are suspect, there is nobody better.
    desk.pass(5, &[3]);
    chosen(&mut desk);
}

#[test]
fn a_dispatcher_that_was_stopped_blames_nobody() {
    let mut desk = Desk::open();
    desk.add_worker(1);
    desk.add_client(2);
    desk.pass(3, &[1, 2]);
    // Nothing happens for an hour, in which what others say waits in sockets.
    desk.now_ns += 3600 * SECOND;
    let mut out = Vec::new();
    desk.front.check_silence(desk.now_ns, &mut out);
    assert_eq!((desk.front.report(0).workers.len(), desk.sessions()), (1, 1));
    desk.pass(4, &[]);
    assert_eq!(desk.front.report(0).workers.len(), 1);
    desk.pass(3, &[]);
    assert_eq!(desk.front.report(0).workers.len(), 0, "but silence counts from there on");
}
