//! The front desk without sockets: who comes, who goes, who comes back, and who breaks the rules.

use bytes::Bytes;
use gt_core::{Error, SessionId};
use gt_dispatcher::Dispatcher;
use gt_dispatcher::front::{Delivery, Front, Line, Patience};
use gt_dispatcher::session::Reach;
use gt_dispatcher::tickets::Tickets;
use gt_transport::codec::Limits;
use gt_transport::conversation::{Conversation, Heard, aside, open_aside};
use gt_transport::hello::{Hello, Resume, Token, Welcome};
use gt_transport::ticket::Secret;
use gt_transport::{Batch, Message};

const SECOND: u64 = 1_000_000_000;

/// A desk, and what it wants sent.
struct Desk {
    front: Front,
    now_ns: u64,
}

impl Desk {
    fn open() -> Desk {
        let secret = Secret::known(7);
        let dispatcher = Dispatcher::new(0).between_processes(Tickets::new(secret.clone(), None));
        Desk { front: Front::new(dispatcher, secret, Patience::default()), now_ns: 0 }
    }

    fn hear(&mut self, line: u64, parts: Vec<Bytes>) -> Vec<Delivery> {
        let mut out = Vec::new();
        self.front.hear(self.now_ns, Line(line), Reach::Local, parts, &mut out);
        out
    }

    fn say(&mut self, line: u64, message: &Message) -> Vec<Delivery> {
        self.hear(line, aside(message))
    }

    fn gone(&mut self, line: u64) -> Vec<Delivery> {
        let mut out = Vec::new();
        self.front.gone(self.now_ns, Line(line), &mut out);
        out
    }

    /// Lets time pass, a second at a time, while `awake` beat.
    fn pass(&mut self, seconds: u64, awake: &[u64]) -> Vec<Delivery> {
        let mut out = Vec::new();
        for _ in 0..seconds {
            self.now_ns += SECOND;
            for &line in awake {
                self.say(line, &Message::Beat { received: 0, used_bytes: 0 });
            }
            self.front.tick(self.now_ns, &mut out);
        }
        out
    }

    fn add_worker(&mut self, line: u64) {
        let out = self.say(line, &Message::Ready(Box::default()));
        assert!(matches!(words(&out)[..], [(_, Message::Enlisted { .. })]), "{out:?}");
    }

    fn add_client(&mut self, line: u64) -> Welcome {
        let out = self.say(line, &Message::Hello(Hello::named("somebody")));
        welcome(&out).expect("a welcome")
    }

    fn sessions(&self) -> usize {
        self.front.report(self.now_ns).sessions.len()
    }
}

/// The messages that are to be sent, with their lines.
fn words(out: &[Delivery]) -> Vec<(u64, Message)> {
    let open = |parts: &[Bytes]| match open_aside(parts, &Limits::CONTROL).expect("a message") {
        Some(message) => message,
        // A number that is not the next one would be an error, so each is heard as the first.
        None => {
            let mut parts = parts.to_vec();
            parts[0] = Bytes::from_static(&[0; 8]);
            match Conversation::default().hear(parts, &Limits::CONTROL).expect("a message") {
                Heard::New(message) => message,
                Heard::Known => unreachable!("nothing was heard before"),
            }
        }
    };
    out.iter()
        .filter_map(|delivery| match delivery {
            Delivery::Send(line, parts) => Some((line.0, open(parts))),
            Delivery::Relay(_) | Delivery::Forget(_) => None,
        })
        .collect()
}

fn welcome(out: &[Delivery]) -> Option<Welcome> {
    words(out).into_iter().find_map(|(_, message)| match message {
        Message::Welcome(welcome) => Some(welcome),
        _ => None,
    })
}

fn refusal(out: &[Delivery]) -> Option<Error> {
    words(out).into_iter().find_map(|(_, message)| match message {
        Message::Ended { error, .. } => Some(error),
        _ => None,
    })
}

fn resuming(session: SessionId, token: Token, received: u64) -> Message {
    let resume = Some(Resume { session, token, received });
    Message::Hello(Hello { resume, ..Hello::named("somebody") })
}

#[test]
fn a_client_that_comes_back_in_time_goes_on() {
    let mut desk = Desk::open();
    desk.add_worker(1);
    let first = desk.add_client(2);
    assert_eq!(first.workers, 1);
    desk.gone(2);
    desk.pass(3, &[1]);
    let out = desk.say(3, &resuming(first.session, first.token, 0));
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
    let out = desk.say(3, &resuming(first.session, first.token, 0));
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
    for token in [other.token, Token([0; 16])] {
        let out = desk.say(3, &resuming(mine.session, token, 0));
        assert!(refusal(&out).is_some() && welcome(&out).is_none(), "{out:?}");
    }
    let out = desk.say(4, &resuming(SessionId(99), mine.token, 0));
    assert!(refusal(&out).is_some() && welcome(&out).is_none(), "{out:?}");
    assert_eq!(desk.sessions(), 2);
}

#[test]
fn what_a_client_missed_is_said_again() {
    let mut desk = Desk::open();
    desk.add_worker(1);
    let first = desk.add_client(2);
    desk.gone(2);
    // An answer of the worker for somebody who is away.
    let mut worker = Conversation::default();
    let done = Message::Weighed {
        session: first.session,
        request: gt_core::RequestId(5),
        parts: 1,
        weight: Box::default(),
    };
    let out = desk.hear(1, worker.say(&done).expect("a message"));
    assert!(words(&out).is_empty(), "nobody is there to hear it: {out:?}");
    let out = desk.say(3, &resuming(first.session, first.token, 0));
    assert!(words(&out).contains(&(3, done.clone())), "{out:?}");
    // It is confirmed, and not said a third time.
    desk.say(3, &Message::Beat { received: 1, used_bytes: 0 });
    desk.gone(3);
    let out = desk.say(4, &resuming(first.session, first.token, 1));
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
    desk.pass(29, &[]);
    assert_eq!(desk.front.report(0).workers.len(), 1);
    desk.pass(3, &[]);
    assert_eq!(desk.front.report(0).workers.len(), 0);
    let out = desk.say(1, &Message::Beat { received: 0, used_bytes: 0 });
    assert!(refusal(&out).expect("it must join anew").to_string().contains("given"), "{out:?}");
}
