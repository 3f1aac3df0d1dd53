//! First words: a client that opens a session or comes back, a worker that joins.

use bytes::Bytes;
use gt_core::{Error, Result, SessionId, WorkerId};
use gt_transport::codec::Limits;
use gt_transport::conversation::{Conversation, aside, open_aside};
use gt_transport::hello::{Card, Hello, Token, Welcome};
use gt_transport::{Message, Peer};

use super::seat::Seat;
use super::{Delivery, Front, Line};
use crate::session::Reach;

impl Front {
    /// Somebody speaks for the first time.
    pub(super) fn admit(
        &mut self,
        now_ns: u64,
        line: Line,
        reach: Reach,
        parts: &[Bytes],
        out: &mut Vec<Delivery>,
    ) {
        let admitted = match open_aside(parts, &Limits::CONTROL) {
            Ok(Some(Message::Hello(hello))) => self.welcome(now_ns, line, reach, &hello, out),
            Ok(Some(Message::Ready(card))) => {
                self.enlist(now_ns, line, reach, *card, out);
                Ok(())
            }
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
            self.traffic.refused += 1;
            let ended = Message::Ended { session: SessionId(0), error };
            out.push(Delivery::Send(line, aside(&ended)));
            out.push(Delivery::Forget(line));
        }
    }

    fn welcome(
        &mut self,
        now_ns: u64,
        line: Line,
        reach: Reach,
        hello: &Hello,
        out: &mut Vec<Delivery>,
    ) -> Result<()> {
        let session = match hello.resume {
            Some(resume) if self.token(resume.session) == resume.token => {
                self.take_seat_again(now_ns, line, resume.session)?;
                resume.session
            }
            Some(_) => return Err(Error::Lost("the session is not this client's".to_string())),
            None => self.open(now_ns, line, reach, hello)?,
        };
        self.guests.insert(line, Peer::Client(session));
        let welcome = self.words_of_welcome(session);
        out.push(Delivery::Send(line, aside(&Message::Welcome(welcome))));
        if let (Some(resume), Some(seat)) = (hello.resume, self.clients.get_mut(&session)) {
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
        let name = hello.name.chars().filter(|c| !c.is_control()).take(100).collect();
        let hello = Hello { name, ..hello.clone() };
        self.dispatcher.open(now_ns, session, &hello, reach)?;
        self.clients.insert(session, Seat::new(Conversation::default(), line, now_ns));
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

    fn words_of_welcome(&mut self, session: SessionId) -> Welcome {
        let received = self.clients.get(&session).map_or(0, |seat| seat.conversation.received());
        let token = self.token(session);
        let (mut workers, mut threads, mut memory_bytes) = (0, 0, 0);
        let engaged: Vec<WorkerId> =
            self.dispatcher.session(session).map_or(Vec::new(), |open| open.workers().collect());
        for worker in engaged {
            if let Some(member) = self.dispatcher.roster().get(worker) {
                workers += 1;
                threads += member.card.threads;
                memory_bytes += member.card.memory_bytes;
            }
        }
        Welcome { session, token, received, workers, threads, memory_bytes }
    }

    fn token(&self, session: SessionId) -> Token {
        // Tags of transfers have the highest bit clear, so no key of theirs is a token.
        let key = self.secret.key(session.0 | 1 << 63);
        let (token, _) = key.0.split_first_chunk().expect("a key is longer than a token");
        Token(*token)
    }

    fn enlist(
        &mut self,
        now_ns: u64,
        line: Line,
        reach: Reach,
        mut card: Card,
        out: &mut Vec<Delivery>,
    ) {
        card.data = card.data.seen_from(reach == Reach::Local);
        let worker = WorkerId(self.workers_enlisted);
        self.workers_enlisted += 1;
        if card.name.is_empty() {
            card.name = worker.to_string();
        }
        self.guests.insert(line, Peer::Worker(worker));
        self.workers.insert(worker, Seat::new(Conversation::forgetful(), line, now_ns));
        out.push(Delivery::Send(line, aside(&Message::Enlisted { worker })));
        self.step(now_ns, Peer::Worker(worker), Message::Ready(Box::new(card)), out);
    }
}
