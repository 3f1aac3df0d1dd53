//! Those who observe: what they see, what they miss, and what it costs when nobody does.

mod harness;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use gt_core::event::{Detail, Event, Events, Outcome, Span, Spans, Station};
use gt_core::instruction::Command;
use gt_core::record::code;
use gt_core::text::parse_instruction;
use gt_core::{RequestId, SessionId, Slot, WorkerId};
use gt_dispatcher::gateway::Delivery;
use gt_dispatcher::role::{Credentials, Identity, Role};
use gt_transport::reliable::{ReliableChannel, unsequenced};
use gt_transport::report::{Report, ValuesReport};
use gt_transport::{Batch, Message};
use harness::{Harness, OWN, SECOND, refusal, words};

const WORKER: u64 = 1;
const CLIENT: u64 = 2;
const WATCHER: u64 = 9;

/// A harness with a worker and a client, and the client's side of its channel.
fn open() -> (Harness, ReliableChannel) {
    let mut harness = Harness::open();
    harness.add_worker(WORKER);
    harness.add_client(CLIENT);
    (harness, ReliableChannel::default())
}

/// The client makes a value, and reads it.
fn work(harness: &mut Harness, client: &mut ReliableChannel) -> Vec<Delivery> {
    static REQUESTS: AtomicU32 = AtomicU32::new(1);
    let request = RequestId(REQUESTS.fetch_add(1, Ordering::Relaxed));
    let mut batch = Batch::default();
    let ones = parse_instruction("t0 := ones shape=[2] dtype=float32").expect("an instruction");
    batch.push(&Command::Apply(ones));
    batch.push(&Command::Read { slot: Slot(0), request });
    batch.push(&Command::Free([Slot(0)].as_slice().into()));
    let message = Message::Commands { session: SessionId(1), batch: Arc::new(batch) };
    harness.hear(CLIENT, client.say(&message).expect("it fits"))
}

/// The worker says that it is done with so many commands.
fn finish(harness: &mut Harness, worker: &mut ReliableChannel, spans: Spans, commands: u64) {
    let (session, spans) = (SessionId(1), Box::new(spans));
    let done = Message::Done { session, commands, bytes: 0, busy_ns: 0 };
    for message in [Message::Spans { session, spans }, done] {
        harness.hear(WORKER, worker.say(&message).expect("it fits"));
    }
}

fn publish(harness: &mut Harness) -> Vec<Delivery> {
    let mut out = Vec::new();
    harness.gateway.publish_events(harness.now_ns, &mut out);
    out
}

/// The events that somebody is sent.
fn seen(out: &[Delivery], by: u64) -> Vec<Arc<Events>> {
    let events = |(connection, message)| match message {
        Message::Events(events) if connection == by => Some(events),
        _ => None,
    };
    words(out).into_iter().filter_map(events).collect()
}

fn stations(events: &Events) -> Vec<Station> {
    events.list.iter().filter_map(Event::station).collect()
}

/// Whether the worker is told to measure, or to do so no longer.
fn told_to_record(out: &[Delivery]) -> Vec<bool> {
    let record = |(connection, message)| match message {
        Message::Record { on } if connection == WORKER => Some(on),
        _ => None,
    };
    words(out).into_iter().filter_map(record).collect()
}

#[test]
fn whoever_watches_sees_who_is_there_and_then_what_happens() {
    let (mut harness, mut client) = open();
    work(&mut harness, &mut client);
    assert!(publish(&mut harness).is_empty(), "nobody watches, and nothing is recorded");
    let out = harness.say(WATCHER, &Message::observe(5));
    assert_eq!(told_to_record(&out), [true]);
    assert_eq!(stations(&seen(&out, WATCHER)[0]), [Station::Connected, Station::Connected]);
    harness.now_ns = 5_000;
    work(&mut harness, &mut client);
    let out = publish(&mut harness);
    let events = &seen(&out, WATCHER)[0];
    let received = [Station::Received; 3];
    assert_eq!(stations(events)[..3], received);
    assert!(stations(events)[3..].iter().all(|station| *station == Station::Sent));
    let numbers: Vec<u64> = events.list[..3].iter().map(|event| event.instruction).collect();
    assert_eq!(numbers, [4, 5, 6], "the client's commands are counted from its first");
    assert!(events.list.iter().all(|event| event.session == 1 && event.time_ns == 5_000));
    let sent: Vec<u64> = events.list[3..].iter().map(|event| event.instruction).collect();
    assert!(sent.windows(2).all(|pair| pair[0] <= pair[1]) && sent[0] >= 4, "{sent:?}");
}

#[test]
fn whoever_wants_sums_is_told_how_much_there_was() {
    const OTHER: u64 = 8;
    let (mut harness, mut client) = open();
    let mut worker = ReliableChannel::without_replay();
    let sums = |messages| Message::Observe { messages, detail: Detail::Sums };
    assert_eq!(told_to_record(&harness.say(WATCHER, &sums(9))), [true]);
    (0..3).for_each(|_| drop(work(&mut harness, &mut client)));
    finish(&mut harness, &mut worker, Spans::default(), 6);
    let out = publish(&mut harness);
    let told = seen(&out, WATCHER)[0].clone();
    let count = |station| {
        let of = told.list.iter().filter(|event| event.station() == Some(station));
        of.map(Event::commands).sum::<u64>()
    };
    assert_eq!([Station::Received, Station::Sent, Station::Ended].map(count), [9, 0, 6]);
    let reads = told.list.iter().filter(|event| event.record.op == code::READ);
    let asked = reads.filter(|event| event.station() == Some(Station::Received));
    assert_eq!(asked.map(|event| event.instruction).collect::<Vec<_>>(), [2, 5, 8]);
    assert!(told.list.len() < 9 + 6, "{told:?}");

    // Whoever wants every event gets every one from there on, and what was under way is missed.
    harness.say(OTHER, &Message::observe(9));
    work(&mut harness, &mut client);
    let out = publish(&mut harness);
    let (each, told) = (seen(&out, OTHER)[0].clone(), seen(&out, WATCHER)[0].clone());
    assert_eq!(stations(&each)[..3], [Station::Received; 3]);
    assert!(stations(&each)[3..].iter().all(|station| *station == Station::Sent));
    assert_eq!((each.list[0].instruction, each.lost > 0), (10, true));
    assert_eq!(told.lost, each.lost);
}

#[test]
fn a_worker_s_times_are_those_of_the_dispatcher() {
    let (mut harness, mut client) = open();
    let mut worker = ReliableChannel::without_replay();
    harness.say(WATCHER, &Message::observe(5));
    work(&mut harness, &mut client);
    publish(&mut harness);
    // The worker's clock is ahead by a second, and its message takes 300 ns.
    harness.now_ns = 10_300;
    let ahead = 1_000_000_000;
    let span = Span {
        position: 0,
        start_ns: ahead + 4_000,
        duration_ns: 5_000,
        bytes: 8,
        fused: 0,
        failed: 0,
    };
    let spans = Spans { clock_ns: ahead + 10_000, list: vec![span], lost: 0 };
    finish(&mut harness, &mut worker, spans, 1);
    let out = publish(&mut harness);
    let ended = seen(&out, WATCHER)[0].list[0];
    assert_eq!((ended.station(), ended.outcome()), (Some(Station::Ended), Outcome::Success));
    assert_eq!((ended.start_ns, ended.duration_ns, ended.bytes), (4_300, 5_000, 8));
    assert_eq!(ended.instruction, 1);
}

#[test]
fn times_that_make_no_sense_harm_nobody() {
    let (mut harness, mut client) = open();
    let mut worker = ReliableChannel::without_replay();
    harness.say(WATCHER, &Message::observe(5));
    work(&mut harness, &mut client);
    let wild = |position, start_ns| Span {
        position,
        start_ns,
        duration_ns: u64::MAX,
        bytes: u64::MAX,
        fused: u32::MAX,
        failed: 7,
    };
    let list = vec![wild(0, u64::MAX), wild(0, 0), wild(u64::MAX, 1)];
    finish(&mut harness, &mut worker, Spans { clock_ns: u64::MAX, list, lost: 3 }, 1);
    assert_eq!(harness.sessions(), 1);
    assert!(!seen(&publish(&mut harness), WATCHER).is_empty());
}

#[test]
fn whoever_is_slow_misses_events_and_is_told_how_many() {
    let (mut harness, mut client) = open();
    harness.say(WATCHER, &Message::observe(1));
    work(&mut harness, &mut client);
    let first = seen(&publish(&mut harness), WATCHER)[0].list.len() as u64;
    work(&mut harness, &mut client);
    let second = publish(&mut harness);
    assert!(seen(&second, WATCHER).is_empty(), "it did not ask for more");
    harness.say(WATCHER, &Message::observe(1));
    work(&mut harness, &mut client);
    let third = &seen(&publish(&mut harness), WATCHER)[0];
    assert!(third.lost > 0);
    assert_eq!(third.list[0].number, first + third.lost, "numbers tell the same");
}

#[test]
fn whoever_says_nothing_watches_no_more() {
    let (mut harness, _) = open();
    harness.say(WATCHER, &Message::observe(1));
    let out = harness.pass(4, &[WORKER, CLIENT]);
    assert_eq!(told_to_record(&out), [] as [bool; 0]);
    let out = harness.pass(2, &[WORKER, CLIENT]);
    assert_eq!(told_to_record(&out), [false]);
    // And so does whoever hangs up.
    harness.say(WATCHER, &Message::observe(1));
    harness.gone(WATCHER);
    let out = harness.pass(1, &[WORKER, CLIENT]);
    assert_eq!(told_to_record(&out), [false]);
}

#[test]
fn a_dispatcher_that_was_stopped_goes_on_with_whoever_watches() {
    let (mut harness, mut client) = open();
    harness.say(WATCHER, &Message::observe(50));
    harness.pass(1, &[WORKER, CLIENT]);
    // What the watcher says meanwhile waits to be heard.
    harness.now_ns += 20 * SECOND;
    harness.gateway.tick(harness.now_ns, &mut Vec::new());
    harness.say(WATCHER, &Message::observe(0));
    for _ in 0..10 {
        work(&mut harness, &mut client);
        assert_eq!(seen(&publish(&mut harness), WATCHER).len(), 1);
    }
}

#[test]
fn nobody_watches_who_may_do_nothing_else() {
    let (mut harness, _) = open();
    let nobody = Credentials { role: None, ..OWN };
    let observe = unsequenced(&Message::observe(1));
    let out = harness.hear_from(nobody, WATCHER, observe);
    assert!(refusal(&out).is_some() && seen(&out, WATCHER).is_empty(), "{out:?}");
}

#[test]
fn a_client_sees_its_own_session_to_the_end() {
    let (mut harness, mut client) = open();
    harness.add_client(3);
    let out = harness.hear(CLIENT, client.say(&Message::observe(1)).unwrap());
    assert_eq!(told_to_record(&out), [true]);
    let there = seen(&out, CLIENT);
    assert!(there[0].list.iter().all(|event| [0, 1].contains(&event.session)));
    work(&mut harness, &mut client);
    let goodbye = client.say(&Message::Bye).unwrap();
    harness.hear(CLIENT, goodbye);
    let out = publish(&mut harness);
    let events = &seen(&out, CLIENT)[0];
    assert_eq!(stations(events).last(), Some(&Station::Disconnected));
    assert_eq!(stations(events)[..3], [Station::Received; 3]);
    let last = words(&out).into_iter().filter(|(connection, _)| *connection == CLIENT).last();
    assert!(matches!(last, Some((_, Message::Ended { .. }))), "it hears that this is all");
    assert_eq!(harness.sessions(), 1);
    assert_eq!(told_to_record(&out), [false], "nobody else observes");
}

/// The client makes values, each one element larger than the one before.
fn make(harness: &mut Harness, client: &mut ReliableChannel, slots: Range<u32>) {
    let mut batch = Batch::default();
    for slot in slots {
        let line = format!("t{slot} := ones shape=[{}] dtype=float32", slot + 1);
        batch.push(&Command::Apply(parse_instruction(&line).expect("an instruction")));
    }
    let message = Message::Commands { session: SessionId(1), batch: Arc::new(batch) };
    harness.hear(CLIENT, client.say(&message).expect("it fits"));
}

/// Where values are, as somebody is told.
fn told_values(out: &[Delivery]) -> Option<Box<ValuesReport>> {
    let values = |(connection, message)| match message {
        Message::Values(values) if connection == WATCHER => Some(values),
        _ => None,
    };
    words(out).into_iter().find_map(values)
}

#[test]
fn whoever_asks_is_told_where_the_largest_values_are() {
    let (mut harness, mut client) = open();
    make(&mut harness, &mut client, 0..100);
    let told = told_values(&harness.say(WATCHER, &Message::ValuesRequest)).expect("an answer");
    assert_eq!((told.list.len(), told.left_out), (64, 36));
    let slots: Vec<u32> = told.list.iter().map(|one| one.slot.0).collect();
    assert_eq!(slots, (36..100).rev().collect::<Vec<_>>());
    let largest = &told.list[0];
    assert_eq!((largest.session, largest.meta.bytes()), (SessionId(1), 400));
    assert_eq!(largest.whole, [WorkerId(0)]);
    // What is looked at is bounded, too; the rest is only counted.
    make(&mut harness, &mut client, 100..20_000);
    let told = told_values(&harness.say(WATCHER, &Message::ValuesRequest)).expect("an answer");
    assert_eq!((told.list[0].slot, told.left_out), (Slot((1 << 14) - 1), 20_000 - 64));
}

#[test]
fn whoever_may_not_connect_is_not_told_where_values_are() {
    let mut harness = Harness::open();
    let nobody = Credentials { role: None, ..OWN };
    let parts = unsequenced(&Message::ValuesRequest);
    let out = harness.hear_from(nobody, WATCHER, parts);
    assert!(refusal(&out).is_some() && told_values(&out).is_none());
}

#[test]
fn a_client_that_has_seen_enough_is_told_when_it_has_all() {
    let (mut harness, mut client) = open();
    harness.hear(CLIENT, client.say(&Message::observe(1)).unwrap());
    work(&mut harness, &mut client);
    let marks = |out: &[Delivery]| -> Vec<usize> {
        seen(out, CLIENT).iter().map(|events| events.list.len().min(1)).collect()
    };
    // Somebody else in its process goes on.
    harness.hear(CLIENT, client.say(&Message::observe(1)).unwrap());
    assert_eq!(marks(&publish(&mut harness)), [1, 0], "all so far, and then none");
    assert!(publish(&mut harness).is_empty());
    work(&mut harness, &mut client);
    harness.hear(CLIENT, client.say(&Message::observe(0)).unwrap());
    let out = publish(&mut harness);
    assert_eq!((marks(&out), told_to_record(&out)), (vec![1, 0], vec![false]));
    work(&mut harness, &mut client);
    assert!(publish(&mut harness).is_empty());
    // Whoever did not observe has everything at once.
    harness.hear(CLIENT, client.say(&Message::observe(0)).unwrap());
    assert_eq!(marks(&publish(&mut harness)), [0]);
    assert_eq!(harness.sessions(), 1);
}

#[test]
fn frees_of_one_message_are_one_event() {
    let (mut harness, mut client) = open();
    let mut worker = ReliableChannel::without_replay();
    make(&mut harness, &mut client, 0..2000);
    harness.say(WATCHER, &Message::observe(50));
    let mut batch = Batch::default();
    (0..2000).for_each(|slot| batch.push_free(&[Slot(slot)]));
    let message = Message::Commands { session: SessionId(1), batch: Arc::new(batch) };
    harness.hear(CLIENT, client.say(&message).expect("it fits"));
    harness.now_ns += SECOND;
    let mut out = Vec::new();
    harness.gateway.flush(harness.now_ns, &mut out);
    finish(&mut harness, &mut worker, Spans::default(), 4000);
    let events = seen(&publish(&mut harness), WATCHER);
    for station in [Station::Sent, Station::Ended] {
        let mut freed = Vec::new();
        let mut count = 0;
        for (event, beside) in events.iter().flat_map(|some| some.iter()) {
            if event.station() == Some(station) && event.record.op == code::FREE {
                let Ok(Command::Free(slots)) = gt_transport::batch::logged(&event.record, beside)
                else {
                    panic!("a free is a free");
                };
                assert_eq!(slots.len() as u64, event.commands());
                freed.extend(slots);
                count += 1;
            }
        }
        assert_eq!(freed, (0..2000).map(Slot).collect::<Vec<_>>(), "{station:?}");
        assert!(count <= 4, "{count} events");
    }
}

/// Which of the events that somebody saw are answers, and of how many bytes.
fn answers(events: &[Arc<Events>]) -> Vec<(u64, u64)> {
    let all = events.iter().flat_map(|some| &some.list);
    let answers = all.filter(|event| event.station() == Some(Station::Answered));
    answers.map(|event| (event.instruction, event.bytes)).collect()
}

#[test]
fn a_large_value_that_goes_straight_to_the_client_is_an_answer_too() {
    let (mut harness, mut client) = open();
    let mut worker = ReliableChannel::without_replay();
    harness.say(WATCHER, &Message::observe(50));
    let mut batch = Batch::default();
    let ones = parse_instruction("t0 := ones shape=[4096] dtype=float32").expect("an instruction");
    batch.push(&Command::Apply(ones));
    batch.push(&Command::Read { slot: Slot(0), request: RequestId(1) });
    let message = Message::Commands { session: SessionId(1), batch: Arc::new(batch) };
    harness.hear(CLIENT, client.say(&message).expect("it fits"));
    let sent = seen(&publish(&mut harness), WATCHER);
    let is_sent = |event: &&Event| event.station() == Some(Station::Sent);
    let sent = sent.iter().flat_map(|some| &some.list).filter(is_sent).count() as u64;
    assert!(sent >= 2);
    finish(&mut harness, &mut worker, Spans::default(), sent - 1);
    assert_eq!(answers(&seen(&publish(&mut harness), WATCHER)), []);
    harness.now_ns = 10_000;
    let bytes = 4 * 4096;
    let span = Span { position: sent - 1, start_ns: 1, duration_ns: 2, bytes, fused: 0, failed: 0 };
    finish(&mut harness, &mut worker, Spans { clock_ns: 5, list: vec![span], lost: 0 }, 1);
    assert_eq!(answers(&seen(&publish(&mut harness), WATCHER)), [(2, bytes)]);
}

/// Somebody begins to watch.
fn watch_as(harness: &mut Harness, who: Credentials, connection: u64) -> Vec<Delivery> {
    harness.hear_from(who, connection, unsequenced(&Message::observe(50)))
}

fn user(number: u32, role: Role) -> Credentials {
    Credentials { identity: Identity::User(number), role: Some(role), ..OWN }
}

#[test]
fn nobody_can_take_the_places_of_all_other_watchers_or_of_the_operator() {
    let (mut harness, _) = open();
    let mut connection = 100;
    let mut watchers_of = |harness: &mut Harness, who: Credentials, asked: usize| {
        let admitted = (0..asked).filter(|_| {
            connection += 1;
            refusal(&watch_as(harness, who, connection)).is_none()
        });
        admitted.count()
    };
    assert_eq!(watchers_of(&mut harness, user(1, Role::Client), 64), 16);
    for number in 2..6 {
        let admitted = watchers_of(&mut harness, user(number, Role::Client), 64);
        assert_eq!(admitted, if number < 4 { 16 } else { 0 }, "user {number}");
    }
    assert_eq!(watchers_of(&mut harness, user(0, Role::Operator), 64), 16);
    harness.gone(101);
    assert_eq!(watchers_of(&mut harness, user(9, Role::Client), 2), 1);
}

#[test]
fn of_the_sessions_of_others_only_sums_are_seen() {
    const OWNER: u64 = 11;
    const OPERATOR: u64 = 12;
    const STRANGER: u64 = 13;
    let (mut harness, mut client) = open();
    let mut worker = ReliableChannel::without_replay();
    let stranger = user(1001, Role::Both);
    watch_as(&mut harness, OWN, OWNER);
    watch_as(&mut harness, user(0, Role::Operator), OPERATOR);
    let out = watch_as(&mut harness, stranger, STRANGER);
    assert_eq!(stations(&seen(&out, STRANGER)[0]), [Station::Connected], "who the worker is");
    work(&mut harness, &mut client);
    let spans = (0..3).map(|position| Span {
        position,
        start_ns: 100 + position,
        duration_ns: 5,
        bytes: 8,
        fused: 0,
        failed: 0,
    });
    harness.now_ns = 1_000;
    finish(&mut harness, &mut worker, Spans { clock_ns: 1_000, list: spans.collect(), lost: 0 }, 3);
    let out = publish(&mut harness);
    let [owner, operator, others] = [OWNER, OPERATOR, STRANGER].map(|by| seen(&out, by).remove(0));
    assert_eq!(owner, operator);
    assert!(owner.list.iter().all(|event| event.session == 1 && event.instruction > 0));
    let totals = |events: &Events, station| {
        let of = events.list.iter().filter(|event| event.station() == Some(station));
        of.fold([0; 3], |[commands, bytes, busy], event| {
            [commands + event.commands(), bytes + event.bytes, busy + event.duration_ns]
        })
    };
    for station in [Station::Received, Station::Sent, Station::Ended] {
        assert_eq!(totals(&others, station), totals(&owner, station), "{station:?}");
    }
    assert!(others.extra.is_empty());
    for event in &others.list {
        let Event { session, instruction, scope, record, .. } = *event;
        assert_eq!((session, instruction, scope), (0, 0, 0));
        assert_eq!((record.out, record.inputs, record.payload), (0, [0; 3], [0; 8]));
        assert_eq!(record.provenance, 0);
    }
    // Nor does it hear that the session ends.
    harness.hear(CLIENT, client.say(&Message::Bye).unwrap());
    let out = publish(&mut harness);
    let is_told =
        |by| seen(&out, by).iter().any(|some| some.list.iter().any(|one| one.session == 1));
    assert_eq!([OWNER, OPERATOR, STRANGER].map(is_told), [true, true, false]);
}

#[test]
fn operations_of_others_cannot_be_counted_one_by_one() {
    let (mut harness, mut client) = open();
    watch_as(&mut harness, user(1001, Role::Client), WATCHER);
    make(&mut harness, &mut client, 0..500);
    let events = seen(&publish(&mut harness), WATCHER).remove(0);
    let [received, sent] = [Station::Received, Station::Sent].map(|station| {
        let of = events.list.iter().filter(|event| event.station() == Some(station));
        of.map(Event::commands).collect::<Vec<_>>()
    });
    assert_eq!((received, sent.len() <= 1), (vec![500], true), "one sum for each operation");
}

/// How things are, as somebody is told.
fn told_status(out: &[Delivery]) -> Option<Box<Report>> {
    words(out).into_iter().find_map(|(_, message)| match message {
        Message::Report(report) => Some(report),
        _ => None,
    })
}

#[test]
fn names_and_values_of_others_are_not_told() {
    let (mut harness, mut client) = open();
    make(&mut harness, &mut client, 0..10);
    let ask = |harness: &mut Harness, who, message: &Message| {
        harness.hear_from(who, WATCHER, unsequenced(message))
    };
    let stranger = user(1001, Role::Client);
    let status = |harness: &mut Harness, who| {
        let report = told_status(&ask(harness, who, &Message::StatusRequest)).expect("an answer");
        report.sessions.iter().map(|one| (one.id.0, one.name.clone(), one.values)).collect()
    };
    let own: Vec<(u64, String, u64)> = status(&mut harness, OWN);
    assert_eq!(own, [(1, "somebody".to_string(), 10)]);
    assert_eq!(status(&mut harness, user(0, Role::Operator)), own);
    assert_eq!(status(&mut harness, stranger), [(0, "1 of others".to_string(), 10)]);
    let values = |harness: &mut Harness, who| {
        let told = told_values(&ask(harness, who, &Message::ValuesRequest)).expect("an answer");
        (told.list.len(), told.left_out)
    };
    assert_eq!(values(&mut harness, OWN), (10, 0));
    assert_eq!(values(&mut harness, stranger), (0, 10));
}

#[test]
fn whoever_asks_without_end_is_answered_a_hundred_times_in_a_second() {
    let mut harness = Harness::open();
    let answers = |harness: &mut Harness, message: &Message| {
        (0..300).filter(|_| !harness.say(WATCHER, message).is_empty()).count()
    };
    assert_eq!(answers(&mut harness, &Message::StatusRequest), 100);
    assert_eq!(answers(&mut harness, &Message::ValuesRequest), 0);
    harness.now_ns += SECOND;
    assert_eq!(answers(&mut harness, &Message::ValuesRequest), 100);
}
