//! A gateway without sockets, and what tests say to it.
#![allow(dead_code, reason = "each test takes what it needs")]

use bytes::Bytes;
use gt_core::{Error, SessionId};
use gt_dispatcher::Dispatcher;
use gt_dispatcher::gateway::{ConnectionId, Delivery, Gateway, Timeouts};
use gt_dispatcher::role::{Credentials, Identity, Role};
use gt_dispatcher::session::Reach;
use gt_dispatcher::tickets::Tickets;
use gt_transport::Message;
use gt_transport::codec::Limits;
use gt_transport::hello::{Hello, Resume, Token, Welcome};
use gt_transport::reliable::{Heard, ReliableChannel, open_unsequenced, unsequenced};
use gt_transport::ticket::Secret;

pub const SECOND: u64 = 1_000_000_000;

/// A process of the server's own user.
pub const OWN: Credentials = Credentials {
    reach: Reach::Local,
    address: None,
    identity: Identity::User(1000),
    role: Some(Role::Both),
};

/// Somebody who has shown a key.
pub fn with_key(byte: u8, role: Role) -> Credentials {
    let identity = Identity::Key([byte; 32]);
    Credentials { reach: Reach::Remote, address: None, identity, role: Some(role) }
}

/// A harness, and what it wants sent.
pub struct Harness {
    pub gateway: Gateway,
    pub now_ns: u64,
}

impl Harness {
    pub fn open() -> Harness {
        Harness::open_with(Secret::known(7))
    }

    pub fn open_with(secret: Secret) -> Harness {
        let dispatcher = Dispatcher::new().between_processes(Tickets::new(secret.clone(), None));
        Harness { gateway: Gateway::new(dispatcher, secret, Timeouts::default()), now_ns: 0 }
    }

    pub fn hear(&mut self, connection: u64, parts: Vec<Bytes>) -> Vec<Delivery> {
        self.hear_from(OWN, connection, parts)
    }

    /// What somebody says who has proven something.
    pub fn hear_from(
        &mut self,
        credentials: Credentials,
        connection: u64,
        parts: Vec<Bytes>,
    ) -> Vec<Delivery> {
        let mut out = Vec::new();
        self.gateway.hear(self.now_ns, ConnectionId(connection), credentials, parts, &mut out);
        out
    }

    pub fn say(&mut self, connection: u64, message: &Message) -> Vec<Delivery> {
        self.hear(connection, unsequenced(message))
    }

    pub fn gone(&mut self, connection: u64) -> Vec<Delivery> {
        let mut out = Vec::new();
        self.gateway.gone(self.now_ns, ConnectionId(connection), &mut out);
        out
    }

    /// Lets time pass, a second at a time, while `awake` heartbeat.
    pub fn pass(&mut self, seconds: u64, awake: &[u64]) -> Vec<Delivery> {
        let mut out = Vec::new();
        for _ in 0..seconds {
            self.now_ns += SECOND;
            for &connection in awake {
                self.say(connection, &Message::Heartbeat { received: 0, used_bytes: 0 });
            }
            self.gateway.tick(self.now_ns, &mut out);
        }
        out
    }

    pub fn add_worker(&mut self, connection: u64) {
        let out = self.say(connection, &Message::Register(Box::default()));
        assert!(matches!(words(&out)[..], [(_, Message::Registered { .. })]), "{out:?}");
    }

    pub fn add_client(&mut self, connection: u64) -> Welcome {
        let out = self.say(connection, &Message::Hello(Hello::named("somebody")));
        welcome(&out).expect("a welcome")
    }

    pub fn sessions(&self) -> usize {
        self.gateway.report(self.now_ns).sessions.len()
    }
}

/// The messages that are to be sent, with their connections.
pub fn words(out: &[Delivery]) -> Vec<(u64, Message)> {
    let open = |parts: &[Bytes]| match open_unsequenced(parts, &Limits::CONTROL).expect("a message")
    {
        Some(message) => message,
        // A number that is not the next one would be an error, so each is heard as the first.
        None => {
            let mut parts = parts.to_vec();
            parts[0] = Bytes::from_static(&[0; 8]);
            match ReliableChannel::default().hear(parts, &Limits::CONTROL).expect("a message") {
                Heard::New(message) => message,
                Heard::Known => unreachable!("nothing was heard before"),
            }
        }
    };
    out.iter()
        .filter_map(|delivery| match delivery {
            Delivery::Send(connection, parts) => Some((connection.0, open(parts))),
            Delivery::Forget(_) => None,
        })
        .collect()
}

pub fn welcome(out: &[Delivery]) -> Option<Welcome> {
    words(out).into_iter().find_map(|(_, message)| match message {
        Message::Welcome(welcome) => Some(welcome),
        _ => None,
    })
}

pub fn refusal(out: &[Delivery]) -> Option<Error> {
    words(out).into_iter().find_map(|(_, message)| match message {
        Message::Ended { error, .. } => Some(error),
        _ => None,
    })
}

pub fn resuming(session: SessionId, token: Token, received: u64) -> Message {
    let resume = Some(Resume { session, token, received });
    Message::Hello(Hello { resume, ..Hello::named("somebody") })
}
