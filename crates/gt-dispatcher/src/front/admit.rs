//! First words: a client that opens a session or comes back, a worker that joins.

use bytes::Bytes;
use gt_core::{Error, Result, SessionId, WorkerId};
use gt_transport::codec::Limits;
use gt_transport::conversation::{Conversation, aside, open_aside};
use gt_transport::hello::{Card, Hello, Resume, Token, Welcome};
use gt_transport::{Message, Peer};

use super::seat::Seat;
use super::{Delivery, Front, Line};
use crate::role::{Credentials, Identity, Role};
use crate::session::Reach;

impl Front {
    /// Somebody speaks for the first time.
    pub(super) fn admit(
        &mut self,
        now_ns: u64,
        line: Line,
        credentials: Credentials,
        parts: &[Bytes],
        out: &mut Vec<Delivery>,
    ) {
        let admitted = match open_aside(parts, &Limits::CONTROL) {
            Ok(Some(Message::Hello(hello))) => self.welcome(now_ns, line, credentials, &hello, out),
            Ok(Some(Message::Ready(card))) => self.enlist(now_ns, line, credentials, *card, out),
            Ok(Some(Message::Inquire)) => {
                self.answer_inquiry(now_ns, line, out);
                Ok(())
            }
            // The last words of somebody who was given up.
            Ok(Some(Message::Beat { .. })) => Err(Error::Lost(
                "the dispatcher has given this connection up; connect again".to_string(),
            )),
            Ok(_) => Err(Error::bug("somebody spoke before saying who it is")),
            Err(error) => Err(error),
        };
        if let Err(error) = admitted {
            self.turn_away(line, error, out);
        }
    }

    /// Tells somebody who is nobody yet why they cannot stay.
    pub fn turn_away(&mut self, line: Line, error: Error, out: &mut Vec<Delivery>) {
        self.traffic.refused += 1;
        let ended = Message::Ended { session: SessionId(0), error };
        out.push(Delivery::Send(line, aside(&ended)));
        out.push(Delivery::Forget(line));
    }

    fn welcome(
        &mut self,
        now_ns: u64,
        line: Line,
        credentials: Credentials,
        hello: &Hello,
        out: &mut Vec<Delivery>,
    ) -> Result<()> {
        let Credentials { reach, identity, role } = credentials;
        if !role.is_some_and(Role::is_client) {
            return Err(Error::value(format!(
                "{} may not open sessions; {}",
                holder(identity),
                advice(identity, Role::Client)
            )));
        }
        let session = match &hello.resume {
            Some(Resume { session, token, .. }) if self.token(*session, identity) == *token => {
                self.take_seat_again(now_ns, line, *session)?;
                *session
            }
            Some(_) => return Err(Error::Lost("the session is not this client's".to_string())),
            None => self.open(now_ns, line, reach, hello)?,
        };
        self.guests.insert(line, Peer::Client(session));
        let welcome = self.words_of_welcome(session, identity);
        out.push(Delivery::Send(line, aside(&Message::Welcome(welcome))));
        if let (Some(resume), Some(seat)) = (&hello.resume, self.clients.get_mut(&session)) {
            let again = seat.conversation.repeat(resume.received)?;
            out.extend(again.map(|parts| Delivery::Send(line, parts)));
        }
        Ok(())
    }

    fn open(&mut self, now_ns: u64, line: Line, reach: Reach, hello: &Hello) -> Result<SessionId> {
        if self.clients.len() >= self.most_sessions {
            let most = self.most_sessions;
            return Err(Error::Lost(format!("the server has {most} sessions and takes no more")));
        }
        self.sessions_opened += 1;
        let session = SessionId(self.sessions_opened);
        let (name, resume) = (label(&hello.name), None);
        let hello = Hello { name, workers: hello.workers, resume };
        self.dispatcher.open(now_ns, session, &hello, reach)?;
        self.clients.insert(session, Seat::new(Conversation::with_one_of_many(), line, now_ns));
        Ok(session)
    }

    fn take_seat_again(&mut self, now_ns: u64, line: Line, session: SessionId) -> Result<()> {
        let seat = self.clients.get_mut(&session);
        let seat = seat.ok_or_else(|| Error::Lost("the session is over".to_string()))?;
        if let Some(before) = seat.line.replace(line) {
            self.guests.remove(&before);
        }
        seat.heard_ns = now_ns;
        Ok(())
    }

    fn words_of_welcome(&mut self, session: SessionId, identity: Identity) -> Welcome {
        let received = self.clients.get(&session).map_or(0, |seat| seat.conversation.received());
        let token = self.token(session, identity);
        // What workers say of themselves may be anything.
        let (mut workers, mut threads, mut memory_bytes) = (0, 0u32, 0u64);
        let engaged: Vec<WorkerId> =
            self.dispatcher.session(session).map_or(Vec::new(), |open| open.workers().collect());
        for worker in engaged {
            if let Some(member) = self.dispatcher.roster().get(worker) {
                workers += 1;
                threads = threads.saturating_add(member.card.threads);
                memory_bytes = memory_bytes.saturating_add(member.card.memory_bytes);
            }
        }
        Welcome { session, token, received, workers, threads, memory_bytes }
    }

    /// What only the client of a session knows, good for nobody but who it is now.
    fn token(&self, session: SessionId, identity: Identity) -> Token {
        self.secret.token(session.0, &identity.bytes())
    }

    fn enlist(
        &mut self,
        now_ns: u64,
        line: Line,
        credentials: Credentials,
        card: Card,
        out: &mut Vec<Delivery>,
    ) -> Result<()> {
        let Credentials { reach, identity, role } = credentials;
        if !role.is_some_and(Role::is_worker) {
            return Err(Error::value(format!(
                "{} may not be a worker; {}",
                holder(identity),
                advice(identity, Role::Worker)
            )));
        }
        if self.workers.len() >= self.most_workers {
            let most = self.most_workers;
            return Err(Error::Lost(format!("the server has {most} workers and takes no more")));
        }
        let worker = WorkerId(self.workers_enlisted);
        let next = self.workers_enlisted.checked_add(1);
        self.workers_enlisted =
            next.ok_or_else(|| Error::Lost("the server has run out of numbers".to_string()))?;
        let name = label(&card.name);
        let card = Card {
            name: if name.is_empty() { worker.to_string() } else { name },
            host: label(&card.host),
            engine: label(&card.engine),
            device: label(&card.device),
            data: card.data.seen_from(reach == Reach::Local),
            ..card
        };
        self.guests.insert(line, Peer::Worker(worker));
        self.workers.insert(worker, Seat::new(Conversation::forgetful(), line, now_ns));
        out.push(Delivery::Send(line, aside(&Message::Enlisted { worker })));
        self.step(now_ns, Peer::Worker(worker), Message::Ready(Box::new(card)), out);
        Ok(())
    }
}

/// A name for people, of a length that does not matter.
fn label(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
}

fn holder(identity: Identity) -> String {
    match identity {
        Identity::Key(_) => "this key".to_string(),
        Identity::User(user) => format!("user {user}"),
        Identity::Anonymous => "this connection".to_string(),
    }
}

/// How somebody gets a role.
fn advice(identity: Identity, role: Role) -> &'static str {
    match (identity, role) {
        (Identity::User(_), Role::Client) => "start the server with --allow-group",
        (Identity::User(_), _) => "start the server with --worker-group",
        (_, Role::Client) => "`gt keys new NAME` makes a key that may",
        _ => "`gt keys new --worker NAME` makes a key that may",
    }
}
