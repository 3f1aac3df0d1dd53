//! Who may do what: roles, tokens, what workers report, and how much anybody may ask for.

mod harness;

use std::sync::Arc;

use bytes::Bytes;
use gt_core::instruction::Command;
use gt_core::{
    DType, Error, Meta, Provenance, RequestId, ScopeId, SessionId, Shape, Slot, WorkerId,
};
use gt_dispatcher::gateway::Delivery;
use gt_dispatcher::role::{Credentials, Identity, Role};
use gt_transport::hello::{Hello, Welcome};
use gt_transport::reliable::{ReliableChannel, unsequenced};
use gt_transport::ticket::Secret;
use gt_transport::{Batch, Failure, Message, Value};
use harness::{Harness, OWN, refusal, resuming, welcome, with_key, words};

/// A client with a stream of its own.
struct Client {
    connection: u64,
    session: SessionId,
    channel: ReliableChannel,
}

impl Client {
    fn join(harness: &mut Harness, connection: u64) -> Client {
        let Welcome { session, .. } = harness.add_client(connection);
        Client { connection, session, channel: ReliableChannel::default() }
    }

    fn say(&mut self, harness: &mut Harness, message: &Message) -> Vec<Delivery> {
        harness.hear(self.connection, self.channel.say(message).expect("a message"))
    }

    fn send(&mut self, harness: &mut Harness, commands: &[Command]) -> Vec<Delivery> {
        let mut batch = Batch::default();
        commands.iter().for_each(|command| batch.push(command));
        self.say(harness, &Message::Commands { session: self.session, batch: batch.into() })
    }
}

/// A worker that says what it wants.
struct Rogue {
    connection: u64,
    channel: ReliableChannel,
}

impl Rogue {
    fn join(harness: &mut Harness, connection: u64) -> Rogue {
        harness.add_worker(connection);
        Rogue { connection, channel: ReliableChannel::without_replay() }
    }

    fn say(&mut self, harness: &mut Harness, message: &Message) -> Vec<Delivery> {
        harness.hear(self.connection, self.channel.say(message).expect("a message"))
    }
}

fn upload(slot: u32) -> Command {
    let (out, meta) = (Slot(slot), Meta::new(DType::F32, Shape::from_iter([2])));
    let (data, provenance) = (Bytes::from_static(&[0; 8]), Provenance::UNKNOWN);
    Command::Upload { out, meta, data, provenance }
}

fn read(slot: u32, request: u32) -> Command {
    Command::Read { slot: Slot(slot), request: RequestId(request) }
}

fn value() -> Value {
    let meta = Meta::new(DType::F32, Shape::from_iter([2]));
    Value { meta, data: Bytes::from_static(&[1; 8]) }
}

fn failure() -> Arc<Failure> {
    Arc::new(Failure {
        id: gt_transport::FailureId::NONE,
        error: Error::value("made up"),
        instruction: String::new(),
        slot: Slot(0),
        provenance: Provenance::UNKNOWN,
        holders: Default::default(),
    })
}

fn workers(harness: &Harness) -> usize {
    harness.gateway.report(harness.now_ns).workers.len()
}

/// What was said to one connection.
fn told(out: &[Delivery], connection: u64) -> Vec<Message> {
    let all = words(out).into_iter();
    all.filter(|(to, _)| *to == connection).map(|(_, message)| message).collect()
}

#[test]
fn a_key_for_clients_is_no_worker_and_a_key_for_workers_no_client() {
    let hello = || unsequenced(&Message::Hello(Hello::named("somebody")));
    let ready = || unsequenced(&Message::Register(Box::default()));
    let nobody = Credentials { role: None, ..OWN };
    let local = |role| Credentials { role: Some(role), identity: Identity::User(7), ..OWN };
    for (credentials, is_client, is_worker) in [
        (with_key(1, Role::Client), true, false),
        (with_key(1, Role::Worker), false, true),
        (with_key(1, Role::Both), true, true),
        (local(Role::Client), true, false),
        (local(Role::Worker), false, true),
        (nobody, false, false),
    ] {
        let mut harness = Harness::open();
        let out = harness.hear_from(credentials, 1, ready());
        assert_eq!((refusal(&out).is_none(), workers(&harness)), (is_worker, is_worker as usize));
        let error = refusal(&out).map_or(String::new(), |error| error.to_string());
        assert!(is_worker || error.contains("may not be a worker"), "{error}");
        let out = harness.hear_from(credentials, 2, hello());
        assert_eq!((welcome(&out).is_some(), harness.sessions()), (is_client, is_client as usize));
        let error = refusal(&out).map_or(String::new(), |error| error.to_string());
        assert!(is_client || error.contains("may not open sessions"), "{error}");
    }
}

#[test]
fn a_token_is_good_for_whoever_got_it_and_nobody_else() {
    let user = |number| Credentials { identity: Identity::User(number), ..OWN };
    for (owner, thieves) in [
        (with_key(1, Role::Client), [with_key(2, Role::Both), user(1000)]),
        (user(1000), [user(1001), with_key(1, Role::Both)]),
    ] {
        let mut harness = Harness::open();
        harness.add_worker(1);
        let out = harness.hear_from(owner, 2, unsequenced(&Message::Hello(Hello::named("owner"))));
        let first = welcome(&out).expect("a session");
        harness.gone(2);
        let resume = || unsequenced(&resuming(first.session, first.token.clone(), 0));
        for (connection, thief) in thieves.into_iter().enumerate() {
            let out = harness.hear_from(thief, 10 + connection as u64, resume());
            let error = refusal(&out).expect("a stolen token").to_string();
            assert!(error.contains("not this client's") && welcome(&out).is_none(), "{error}");
        }
        let out = harness.hear_from(owner, 3, resume());
        assert_eq!(welcome(&out).expect("it goes on").session, first.session);
    }
}

#[test]
fn a_client_of_the_server_before_is_told_of_the_restart() {
    let mut before = Harness::open_with(Secret::known(8));
    before.add_worker(1);
    let old = before.add_client(2);
    let mut harness = Harness::open();
    harness.add_worker(1);
    // The number of its session is that of another client by now.
    assert_eq!(harness.add_client(2).session, old.session);
    let out = harness.say(3, &resuming(old.session, old.token, 0));
    let error = refusal(&out).expect("its session is over").to_string();
    assert!(error.contains("the server was restarted"), "{error}");
}

#[test]
fn a_key_that_is_removed_or_has_another_role_ends_what_it_may_no_longer_be() {
    const KEYS: [u8; 4] = [1, 2, 3, 4];
    let credentials = |key| with_key(key, Role::Both);
    let mut harness = Harness::open();
    for key in KEYS {
        let connection = 10 * u64::from(key);
        let ready = unsequenced(&Message::Register(Box::default()));
        assert!(refusal(&harness.hear_from(credentials(key), connection, ready)).is_none());
        let hello = unsequenced(&Message::Hello(Hello::named("somebody")));
        harness.hear_from(credentials(key), connection + 1, hello);
        harness.hear_from(credentials(key), connection + 2, unsequenced(&Message::observe(9)));
    }
    harness.add_client(5);
    harness.gone(11);
    assert_eq!((workers(&harness), harness.sessions()), (4, 5));
    let mut out = Vec::new();
    let role = |key: [u8; 32]| match key[0] {
        2 => Some(Role::Client),
        3 => Some(Role::Worker),
        4 => Some(Role::Operator),
        _ => None,
    };
    harness.gateway.revoke(harness.now_ns, role, &mut out);
    assert_eq!((workers(&harness), harness.sessions()), (2, 3));
    for (connection, is_over) in [
        (10, true),
        (12, true),
        (20, true),
        (21, false),
        (22, false),
        (30, false),
        (31, true),
        (32, false),
        (40, false),
        (41, false),
        (42, false),
        (5, false),
    ] {
        let ended = told(&out, connection).into_iter().find_map(|message| match message {
            Message::Ended { error, .. } => Some(error.to_string()),
            _ => None,
        });
        let is_reason = |error: String| error.contains("the key of this connection was removed");
        assert_eq!(ended.is_some_and(is_reason), is_over, "connection {connection}");
    }
    // It was away, and cannot come back.
    let back = unsequenced(&Message::StatusRequest);
    let nobody = Credentials { role: None, ..credentials(1) };
    let refused = refusal(&harness.hear_from(nobody, 13, back)).expect("its key is gone");
    assert!(refused.to_string().contains("this key may not see"), "{refused}");
}

#[test]
fn a_report_names_the_user_the_host_and_the_age_of_a_session() {
    let mut harness = Harness::open();
    harness.add_worker(1);
    harness.add_client(2);
    harness.now_ns = 7 * harness::SECOND;
    let address = Some(std::net::Ipv4Addr::new(10, 0, 0, 7).into());
    let remote = Credentials { address, ..with_key(1, Role::Client) };
    harness.hear_from(remote, 3, unsequenced(&Message::Hello(Hello::named("somebody"))));
    harness.gateway.set_name(OWN.identity, "ada".to_string());
    let report = harness.gateway.report(9 * harness::SECOND);
    let shown = report.sessions.iter().map(|session| {
        (session.user.as_str(), session.host.as_str(), session.age_ns / harness::SECOND)
    });
    let expected = [("ada", "localhost", 9), ("key 01010101…", "10.0.0.7", 2)];
    assert_eq!(shown.collect::<Vec<_>>(), expected);
}

#[test]
fn what_a_worker_was_not_asked_for_ends_its_registration_and_harms_nobody() {
    let (session, request, to, tag) = (SessionId(1), RequestId(5), WorkerId(0), 0);
    let (meta, result) = (value().meta, Ok(value().data));
    let lies = [
        Message::Answer { session, request, result: Ok(value()) },
        Message::Answer { session, request, result: Err(failure()) },
        Message::Answer { session, request: RequestId(99), result: Ok(value()) },
        Message::Answer { session: SessionId(77), request, result: Ok(value()) },
        Message::Failed { session, failure: failure() },
        Message::Done { session, commands: 1, bytes: 0, busy_ns: 0 },
        Message::Done { session: SessionId(77), commands: 1, bytes: 0, busy_ns: 0 },
        Message::Handover { session, to, tag, meta, result },
        Message::MemoryReply { session, request, parts: 1, usage: Box::default() },
        Message::Ended { session, error: Error::value("made up") },
        Message::Ended { session: SessionId(77), error: Error::value("made up") },
        Message::Forget { session },
        Message::Commands { session, batch: Batch::default().into() },
        Message::Register(Box::default()),
        Message::Hello(Hello::named("a client now")),
    ];
    for lie in lies {
        let mut harness = Harness::open();
        let mut honest = Rogue::join(&mut harness, 1);
        let mut client = Client::join(&mut harness, 2);
        client.send(&mut harness, &[upload(0), read(0, 5)]);
        let mut rogue = Rogue::join(&mut harness, 3);
        let out = rogue.say(&mut harness, &lie);
        assert!(told(&out, 2).is_empty(), "the client hears of {lie:?}");
        assert!(refusal(&out).is_some(), "{lie:?}");
        assert_eq!((workers(&harness), harness.sessions()), (1, 1), "{lie:?}");
        let answer = Message::Answer { session, request, result: Ok(value()) };
        let out = honest.say(&mut harness, &answer);
        assert_eq!(told(&out, 2), [answer], "after {lie:?}");
        // It may come again, as somebody else.
        harness.add_worker(4);
    }
}

#[test]
fn a_worker_answers_what_it_was_asked_once() {
    let mut harness = Harness::open();
    let mut worker = Rogue::join(&mut harness, 1);
    let mut client = Client::join(&mut harness, 2);
    let session = client.session;
    client.send(&mut harness, &[upload(0), read(0, 5)]);
    let answer = Message::Answer { session, request: RequestId(5), result: Ok(value()) };
    assert_eq!(told(&worker.say(&mut harness, &answer), 2), std::slice::from_ref(&answer));
    let done = |commands| Message::Done { session, commands, bytes: 0, busy_ns: 0 };
    worker.say(&mut harness, &done(2));
    assert_eq!(workers(&harness), 1);
    let out = worker.say(&mut harness, &answer);
    assert!(refusal(&out).is_some());
    assert_eq!(workers(&harness), 0);
    let out = client.send(&mut harness, &[read(0, 6)]);
    let error = told(&out, 2).into_iter().find_map(|message| match message {
        Message::Answer { result: Err(failure), .. } => Some(failure.error.to_string()),
        _ => None,
    });
    assert!(error.expect("its value was there").contains("broke the rules"));
}

#[test]
fn a_worker_of_a_session_answers_for_no_other() {
    let mut harness = Harness::open();
    let mut workers = [Rogue::join(&mut harness, 1), Rogue::join(&mut harness, 2)];
    let mut client = Client::join(&mut harness, 3);
    let session = client.session;
    let out = client.send(&mut harness, &[upload(0), upload(1), read(0, 5)]);
    let is_read = |message: &Message| match message {
        Message::Commands { batch, .. } => {
            batch.commands().any(|command| matches!(command, Ok(Command::Read { .. })))
        }
        _ => false,
    };
    let asked = told(&out, 1).iter().any(is_read);
    assert!(asked, "the home of the session");
    let rogue = &mut workers[1];
    let forged = Message::Answer { session, request: RequestId(5), result: Ok(value()) };
    let out = rogue.say(&mut harness, &forged);
    assert!(!told(&out, 3).contains(&forged), "{out:?}");
    assert!(refusal(&out).is_some());
    assert_eq!(harness.gateway.report(harness.now_ns).workers.len(), 1);
}

#[test]
fn nobody_sends_commands_for_the_session_of_somebody_else() {
    let mut harness = Harness::open();
    Rogue::join(&mut harness, 1);
    let (mut ann, mut eve) = (Client::join(&mut harness, 2), Client::join(&mut harness, 3));
    ann.send(&mut harness, &[upload(0)]);
    let own = std::mem::replace(&mut eve.session, ann.session);
    assert_ne!(own, ann.session);
    let out = eve.send(&mut harness, &[Command::Free([Slot(0)].as_slice().into()), read(0, 5)]);
    assert!(refusal(&out).is_some_and(|error| error.to_string().contains("somebody else")));
    assert!(told(&out, 2).is_empty(), "nobody tells her");
    assert_eq!(harness.sessions(), 1);
    let out = ann.send(&mut harness, &[read(0, 6)]);
    assert!(refusal(&out).is_none() && !told(&out, 1).is_empty(), "her value is there");
}

#[test]
fn what_comes_twice_is_heard_once() {
    let mut harness = Harness::open();
    Rogue::join(&mut harness, 1);
    let mut client = Client::join(&mut harness, 2);
    client.send(&mut harness, &[upload(0)]);
    let mut batch = Batch::default();
    batch.push(&read(0, 5));
    let message = Message::Commands { session: client.session, batch: batch.into() };
    let parts = client.channel.say(&message).expect("it fits");
    let reads = |out: &[Delivery]| told(out, 1).len();
    assert_eq!(reads(&harness.hear(2, parts.clone())), 1);
    for _ in 0..3 {
        assert_eq!(reads(&harness.hear(2, parts.clone())), 0);
    }
    // Nor does it help to say it over another connection.
    let out = harness.hear(7, parts);
    assert!(reads(&out) == 0 && told(&out, 2).is_empty());
    assert_eq!(harness.sessions(), 1);
}

#[test]
fn what_a_worker_says_of_a_session_that_is_over_is_ignored() {
    let mut harness = Harness::open();
    let mut worker = Rogue::join(&mut harness, 1);
    let mut client = Client::join(&mut harness, 2);
    let session = client.session;
    client.send(&mut harness, &[upload(0), read(0, 5)]);
    client.say(&mut harness, &Message::Bye);
    for late in [
        Message::Answer { session, request: RequestId(5), result: Ok(value()) },
        Message::Done { session, commands: 2, bytes: 0, busy_ns: 0 },
        Message::Ended { session, error: Error::value("late") },
        Message::MemoryReply { session, request: RequestId(5), parts: 1, usage: Box::default() },
    ] {
        assert!(words(&worker.say(&mut harness, &late)).is_empty(), "{late:?}");
    }
    assert_eq!(workers(&harness), 1);
}

#[test]
fn a_request_for_memory_is_answered_also_if_a_worker_leaves() {
    let mut harness = Harness::open();
    let mut worker = Rogue::join(&mut harness, 1);
    harness.add_worker(3);
    let mut client = Client::join(&mut harness, 2);
    let (session, request) = (client.session, RequestId(7));
    client.say(&mut harness, &Message::MemoryQuery { session, request, parts: 0 });
    let is_answer = |message: &Message| match message {
        Message::MemoryReply { parts, request: answered, .. } => {
            (*parts, *answered) == (2, request)
        }
        _ => false,
    };
    let out = harness.gone(3);
    assert!(told(&out, 2).iter().any(is_answer), "{out:?}");
    let memory_reply = Message::MemoryReply { session, request, parts: 9, usage: Box::default() };
    let out = worker.say(&mut harness, &memory_reply);
    assert!(told(&out, 2).iter().any(is_answer), "{out:?}");
}

/// What a client tries, and what it is told.
type Attack = Box<dyn Fn(&mut Client, &mut Harness) -> Vec<Delivery>>;

#[test]
fn a_client_names_its_values_densely_and_asks_for_a_bounded_amount() {
    let query_memory = |request| Message::MemoryQuery { session: SessionId(1), request, parts: 0 };
    let define = |scope: u32| Command::DefineScope {
        scope: ScopeId(scope),
        parent: ScopeId(scope - 1),
        name: "signal".into(),
        wish: None,
    };
    let attacks: Vec<(&str, Attack)> = vec![
        ("a gap", Box::new(|client, harness| client.send(harness, &[upload(0), upload(2)]))),
        (
            "far ahead",
            Box::new(|client, harness| client.send(harness, &[upload(0), upload(65_536)])),
        ),
        ("twice", Box::new(|client, harness| client.send(harness, &[upload(0), upload(0)]))),
        (
            "the same request",
            Box::new(|client, harness| client.send(harness, &[upload(0), read(0, 1), read(0, 1)])),
        ),
        (
            "scopes",
            Box::new(move |client, harness| {
                let all: Vec<Command> = (1..70_000).map(define).collect();
                client.send(harness, &all)
            }),
        ),
        (
            "commands without end",
            Box::new(|client, harness| {
                client.send(harness, &[upload(0)]);
                let mut number = 0;
                let mut out = Vec::new();
                while refusal(&out).is_none() && number < 3_000_000 {
                    let batch: Vec<Command> =
                        (0..30_000).map(|next| read(0, number + next)).collect();
                    number += 30_000;
                    out = client.send(harness, &batch);
                }
                out
            }),
        ),
        (
            "questions without end",
            Box::new(move |client, harness| {
                let ask = |number| client.say(harness, &query_memory(RequestId(number)));
                (0..5000).map(ask).find(|out| refusal(out).is_some()).unwrap_or_default()
            }),
        ),
    ];
    for (name, attack) in attacks {
        let mut harness = Harness::open();
        harness.add_worker(1);
        let mut client = Client::join(&mut harness, 2);
        let mut other = Client::join(&mut harness, 3);
        let out = attack(&mut client, &mut harness);
        assert!(refusal(&out).is_some(), "{name}");
        assert_eq!((harness.sessions(), workers(&harness)), (1, 1), "{name}");
        let out = other.send(&mut harness, &[upload(0), read(0, 1)]);
        assert!(told(&out, 1).iter().any(|m| matches!(m, Message::Commands { .. })), "{name}");
    }
}

#[test]
fn what_a_worker_gets_is_no_larger_than_it_takes() {
    let mut harness = Harness::open();
    harness.add_worker(1);
    let mut client = Client::join(&mut harness, 2);
    // What is read at the end takes everything before it along.
    let commands: Vec<Command> = (0..60_000).map(upload).chain([read(0, 1)]).collect();
    let out = client.send(&mut harness, &commands);
    let sizes = told(&out, 1).into_iter().filter_map(|message| match message {
        Message::Commands { batch, .. } => Some(batch.len()),
        _ => None,
    });
    let sizes: Vec<usize> = sizes.collect();
    assert_eq!(sizes.iter().sum::<usize>(), 60_001);
    assert!(sizes.iter().all(|size| *size <= 20_000), "{sizes:?}");
}

#[test]
fn workers_that_came_and_went_leave_nothing_behind() {
    let mut harness = Harness::open();
    harness.add_worker(1);
    let mut client = Client::join(&mut harness, 2);
    client.send(&mut harness, &[upload(0)]);
    for connection in 10..2000 {
        harness.add_worker(connection);
        harness.gone(connection);
    }
    let report = harness.gateway.report(harness.now_ns);
    assert_eq!((report.workers.len(), report.sessions.len()), (1, 1));
    assert!(report.sessions[0].workers.len() <= 2, "{:?}", report.sessions[0].workers);
    let out = client.send(&mut harness, &[upload(1)]);
    assert!(told(&out, 1).iter().any(|message| matches!(message, Message::Commands { .. })));
}

#[test]
fn memory_is_told_before_the_answer_that_somebody_waits_for() {
    let mut harness = Harness::open();
    let mut worker = Rogue::join(&mut harness, 1);
    let mut client = Client::join(&mut harness, 2);
    client.send(&mut harness, &[upload(0), Command::Sync { request: RequestId(5) }]);
    harness.say(1, &Message::Heartbeat { received: 0, used_bytes: 4096 });
    let answer =
        Message::Answer { session: client.session, request: RequestId(5), result: Ok(value()) };
    let out = worker.say(&mut harness, &answer);
    let told = told(&out, 2);
    assert!(matches!(
        told[..],
        [Message::Heartbeat { used_bytes: 4096, .. }, Message::Answer { .. }]
    ));
}
