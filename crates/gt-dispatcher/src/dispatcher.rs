//! The dispatcher as a machine: one message goes in, messages come out.

use std::collections::HashMap;

use gt_core::event::{Event, Ring, Station};
use gt_core::instruction::Command;
use gt_core::{Error, Result, SessionId, WorkerId};
use gt_transport::{Batch, Message, Peer};

use crate::context::{Context, Witness};
use crate::load::Load;
use crate::outbox::Outbox;
use crate::session::Session;

/// All sessions and all workers, as the dispatcher knows them.
#[derive(Debug)]
pub struct Dispatcher {
    sessions: HashMap<SessionId, Session>,
    load: Load,
    next_tag: u64,
    /// What happened, for whoever is interested.
    pub events: Ring,
}

impl Dispatcher {
    /// A dispatcher without sessions and workers, which records up to `events` events.
    pub fn new(events: usize) -> Self {
        let (sessions, load) = (HashMap::new(), Load::default());
        Dispatcher { sessions, load, next_tag: 0, events: Ring::new(events) }
    }

    /// Takes one message. A session that breaks the rules is ended; nobody else notices.
    pub fn step(&mut self, now_ns: u64, from: Peer, message: Message, out: &mut Outbox) {
        match from {
            Peer::Client(session) => {
                if let Err(error) = self.step_client(now_ns, session, message, out) {
                    self.end(now_ns, session, out);
                    out.send(from, Message::Ended { session, error });
                }
            }
            Peer::Worker(worker) => self.step_worker(now_ns, worker, message, out),
        }
    }

    /// The session, while it is open.
    pub fn session(&self, id: SessionId) -> Option<&Session> {
        self.sessions.get(&id)
    }

    fn step_client(
        &mut self,
        now_ns: u64,
        id: SessionId,
        message: Message,
        out: &mut Outbox,
    ) -> Result<()> {
        match message {
            Message::Hello { .. } if self.sessions.contains_key(&id) => {
                Err(Error::bug("a session was opened twice"))
            }
            Message::Hello { .. } => {
                self.sessions.insert(id, Session::new(id));
                self.note(now_ns, Station::Connected, id, None, None, None);
                Ok(())
            }
            Message::Commands { batch, .. } => self.rewrite(now_ns, id, &batch, out),
            Message::Bye => {
                self.end(now_ns, id, out);
                Ok(())
            }
            _ => Err(Error::bug("a client sent what only others send")),
        }
    }

    fn rewrite(
        &mut self,
        now_ns: u64,
        id: SessionId,
        batch: &Batch,
        out: &mut Outbox,
    ) -> Result<()> {
        let Some(session) = self.sessions.get_mut(&id) else {
            return Err(Error::bug("commands came before the session was opened"));
        };
        let (load, next_tag) = (&mut self.load, &mut self.next_tag);
        let mut context = Context { now_ns, load, next_tag };
        let events = &mut self.events;
        for index in 0..batch.len() {
            if !events.is_on() && session.rewrite_quickly(batch, index, &mut context)? {
                continue;
            }
            let command = batch.client_command(index)?;
            events.record(|| event(now_ns, Station::Received, id, None, Some(&command), None));
            let mut note = |worker, command: &Command| {
                let (station, worker) = (Station::Sent, Some(worker));
                events.record(|| event(now_ns, station, id, worker, Some(command), None));
            };
            session.rewrite(command, &mut context, &mut Witness(Some(&mut note)))?;
        }
        if let Some((commands, bytes)) =
            session.flush(batch.len() as u64, batch.bytes() as u64, out)
        {
            let done = Message::Done { session: id, commands, bytes, busy_ns: 0 };
            out.send(Peer::Client(id), done);
        }
        Ok(())
    }

    fn step_worker(&mut self, now_ns: u64, worker: WorkerId, message: Message, out: &mut Outbox) {
        match message {
            Message::Ready => {
                self.load.join(worker);
                let nobody = SessionId(0);
                self.note(now_ns, Station::Connected, nobody, Some(worker), None, None);
            }
            Message::Answer { session, request, result } => {
                let Some(open) = self.sessions.get_mut(&session) else { return };
                open.describe(request, result.as_ref().ok().map(|value| &value.meta));
                self.events.record(|| Event {
                    bytes: result.as_ref().map_or(0, |value| value.data.len() as u64),
                    error: result.as_ref().err().map(|failure| failure.error.to_string().into()),
                    ..event(now_ns, Station::Answered, session, Some(worker), None, None)
                });
                out.send(Peer::Client(session), Message::Answer { session, request, result });
            }
            Message::Failed { session, failure } => {
                let error = Some(failure.error.to_string().into());
                self.note(now_ns, Station::Ended, session, Some(worker), None, error);
            }
            Message::Done { session, commands, busy_ns, .. } => {
                self.note(now_ns, Station::Ended, session, Some(worker), None, None);
                let Some(open) = self.sessions.get_mut(&session) else { return };
                if let Some((commands, bytes)) = open.finish(worker, commands) {
                    let done = Message::Done { session, commands, bytes, busy_ns };
                    out.send(Peer::Client(session), done);
                }
            }
            Message::Ended { session, error } if self.sessions.contains_key(&session) => {
                self.end(now_ns, session, out);
                out.send(Peer::Client(session), Message::Ended { session, error });
            }
            // A worker that says anything else is out of order; ignoring it harms no session.
            _ => {}
        }
    }

    /// Forgets a session everywhere.
    fn end(&mut self, now_ns: u64, session: SessionId, out: &mut Outbox) {
        if self.sessions.remove(&session).is_none() {
            return;
        }
        self.note(now_ns, Station::Disconnected, session, None, None, None);
        for worker in self.load.workers() {
            out.send(Peer::Worker(worker), Message::Forget { session });
        }
    }

    fn note(
        &mut self,
        now_ns: u64,
        station: Station,
        session: SessionId,
        worker: Option<WorkerId>,
        command: Option<&Command>,
        error: Option<Box<str>>,
    ) {
        self.events.record(|| event(now_ns, station, session, worker, command, error));
    }
}

fn event(
    time_ns: u64,
    station: Station,
    session: SessionId,
    worker: Option<WorkerId>,
    command: Option<&Command>,
    error: Option<Box<str>>,
) -> Event {
    let bytes = match command {
        Some(Command::Upload { data, .. }) => data.len() as u64,
        Some(_) => size_of::<gt_core::record::Record>() as u64,
        None => 0,
    };
    Event { time_ns, number: 0, station, session, worker, bytes, command: command.cloned(), error }
}
