//! First words: a client that opens a session or comes back, a worker that joins.

use bytes::Bytes;
use gt_core::{Error, Result, SessionId, WorkerId};
use gt_transport::codec::Limits;
use gt_transport::hello::{Hello, Resume, Token, Welcome, WorkerInfo};
use gt_transport::reliable::{ReliableChannel, open_unsequenced, unsequenced};
use gt_transport::{Message, Peer};

use super::peer_state::PeerState;
use super::{ConnectionId, Delivery, Gateway};
use crate::role::{Credentials, Identity, Role};
use crate::session::Reach;

impl Gateway {
    /// Somebody speaks for the first time.
    pub(super) fn admit(
        &mut self,
        now_ns: u64,
        connection: ConnectionId,
        credentials: Credentials,
        parts: &[Bytes],
        out: &mut Vec<Delivery>,
    ) {
        let admitted = match open_unsequenced(parts, &Limits::CONTROL) {
            Ok(Some(Message::Hello(hello))) => {
                self.welcome(now_ns, connection, credentials, &hello, out)
            }
            Ok(Some(Message::Register(info))) => {
                self.register(now_ns, connection, credentials, *info, out)
            }
            Ok(Some(Message::StatusRequest)) if credentials.role.is_some() => {
                self.send_status(now_ns, connection, credentials, out);
                Ok(())
            }
            Ok(Some(Message::Observe { messages, detail })) if credentials.role.is_some() => {
                self.watch(now_ns, (connection, credentials), (messages, detail), out);
                Ok(())
            }
            Ok(Some(Message::ValuesRequest)) if credentials.role.is_some() => {
                self.send_values(now_ns, connection, credentials, out);
                Ok(())
            }
            Ok(Some(Message::Order(order))) => {
                self.obey(now_ns, connection, credentials, order, out)
            }
            // The last words of somebody who was given up.
            Ok(Some(Message::Heartbeat { .. })) => Err(Error::Lost(
                "the dispatcher has given this connection up; connect again".to_string(),
            )),
            Ok(Some(Message::StatusRequest | Message::ValuesRequest | Message::Observe { .. })) => {
                let holder = self.holder(credentials.identity);
                Err(Error::value(format!("{holder} may not see what the server does")))
            }
            Ok(_) => Err(Error::bug("somebody spoke before saying who it is")),
            Err(error) => Err(error),
        };
        if let Err(error) = admitted {
            self.turn_away(connection, error, out);
        }
    }

    /// Whether a worker speaks over a connection.
    pub fn is_worker(&self, connection: ConnectionId) -> bool {
        matches!(self.connections.get(&connection), Some(Peer::Worker(_)))
    }

    /// Tells somebody who is nobody yet why they cannot stay.
    pub fn turn_away(&mut self, connection: ConnectionId, error: Error, out: &mut Vec<Delivery>) {
        self.traffic.refused += 1;
        let ended = Message::Ended { session: SessionId(0), error };
        out.push(Delivery::Send(connection, unsequenced(&ended)));
        out.push(Delivery::Forget(connection));
    }

    fn welcome(
        &mut self,
        now_ns: u64,
        connection: ConnectionId,
        credentials: Credentials,
        hello: &Hello,
        out: &mut Vec<Delivery>,
    ) -> Result<()> {
        let Credentials { identity, role, .. } = credentials;
        if !role.is_some_and(Role::is_client) {
            return Err(Error::value(format!(
                "{} may not open sessions; {}",
                self.holder(identity),
                advice(identity, Role::Client)
            )));
        }
        let session = match &hello.resume {
            Some(Resume { session, token, .. }) if self.token(*session, identity) == *token => {
                self.reconnect(now_ns, (connection, credentials), *session)?;
                *session
            }
            Some(Resume { token, .. }) => return Err(self.unknown_session(token)),
            None => self.open(now_ns, connection, credentials, hello)?,
        };
        self.tell_share(now_ns, session, out);
        self.connections.insert(connection, Peer::Client(session));
        let welcome = self.welcome_message(session, identity);
        out.push(Delivery::Send(connection, unsequenced(&Message::Welcome(welcome))));
        if let (Some(resume), Some(state)) = (&hello.resume, self.clients.get_mut(&session)) {
            let again = state.channel.repeat(resume.received)?;
            out.extend(again.map(|parts| Delivery::Send(connection, parts)));
        }
        Ok(())
    }

    fn open(
        &mut self,
        now_ns: u64,
        connection: ConnectionId,
        credentials: Credentials,
        hello: &Hello,
    ) -> Result<SessionId> {
        let Credentials { identity, reach, .. } = credentials;
        self.check_room(identity)?;
        if self.clients.len() >= self.most_sessions {
            let most = self.most_sessions;
            return Err(Error::Lost(format!("the server has {most} sessions and takes no more")));
        }
        self.sessions_opened += 1;
        let session = SessionId(self.sessions_opened);
        let (name, resume) = (label(&hello.name), None);
        let workers = self.allowed_workers(identity, hello.workers);
        let hello = Hello { name, resume, workers, ..hello.clone() };
        self.dispatcher.open(now_ns, session, &hello, reach)?;
        self.owners.insert(session, identity);
        self.clients.insert(
            session,
            PeerState::new(ReliableChannel::with_small_buffer(), (connection, credentials), now_ns),
        );
        Ok(session)
    }

    fn reconnect(
        &mut self,
        now_ns: u64,
        (connection, credentials): (ConnectionId, Credentials),
        session: SessionId,
    ) -> Result<()> {
        let state = self.clients.get_mut(&session);
        let state = state.ok_or_else(|| Error::Lost("the session is over".to_string()))?;
        if let Some(before) = state.connection.replace(connection) {
            self.connections.remove(&before);
        }
        (state.heard_ns, state.address) = (now_ns, credentials.address);
        Ok(())
    }

    /// Why a client cannot go on with a session: its token is that of another server, or of
    /// another client.
    fn unknown_session(&self, token: &Token) -> Error {
        Error::Lost(match self.secret.has_made(token) {
            true => "the session is not this client's".to_string(),
            false => "the server was restarted, and its sessions ended with it; connect again, \
                      and load the last checkpoint"
                .to_string(),
        })
    }

    fn welcome_message(&mut self, session: SessionId, identity: Identity) -> Welcome {
        let received = self.clients.get(&session).map_or(0, |state| state.channel.received());
        let token = self.token(session, identity);
        // What workers say of themselves may be anything.
        let (mut workers, mut threads, mut memory_bytes) = (0, 0u32, 0u64);
        let engaged: Vec<WorkerId> =
            self.dispatcher.session(session).map_or(Vec::new(), |open| open.workers().collect());
        for worker in engaged {
            if let Some(member) = self.dispatcher.worker_table().get(worker) {
                workers += 1;
                threads = threads.saturating_add(member.info.threads);
                memory_bytes = memory_bytes.saturating_add(member.info.memory_bytes);
            }
        }
        Welcome { session, token, received, workers, threads, memory_bytes }
    }

    /// What only the client of a session knows, good for nobody but who it is now.
    fn token(&self, session: SessionId, identity: Identity) -> Token {
        self.secret.token(session.0, &identity.bytes())
    }

    fn register(
        &mut self,
        now_ns: u64,
        connection: ConnectionId,
        credentials: Credentials,
        info: WorkerInfo,
        out: &mut Vec<Delivery>,
    ) -> Result<()> {
        let Credentials { reach, identity, role, .. } = credentials;
        if !role.is_some_and(Role::is_worker) {
            return Err(Error::value(format!(
                "{} may not be a worker; {}",
                self.holder(identity),
                advice(identity, Role::Worker)
            )));
        }
        if self.workers.len() >= self.most_workers {
            let most = self.most_workers;
            return Err(Error::Lost(format!("the server has {most} workers and takes no more")));
        }
        let worker = WorkerId(self.workers_registered);
        let next = self.workers_registered.checked_add(1);
        self.workers_registered =
            next.ok_or_else(|| Error::Lost("the server has run out of numbers".to_string()))?;
        let name = label(&info.name);
        let info = WorkerInfo {
            name: if name.is_empty() { worker.to_string() } else { name },
            host: label(&info.host),
            engine: label(&info.engine),
            device: label(&info.device),
            data: info.data.seen_from(reach == Reach::Local),
            ..info
        };
        self.connections.insert(connection, Peer::Worker(worker));
        let channel = ReliableChannel::without_replay();
        self.workers.insert(worker, PeerState::new(channel, (connection, credentials), now_ns));
        let key = self.secret.listener(Peer::Worker(worker));
        let registered = unsequenced(&Message::Registered { worker, key });
        out.push(Delivery::Send(connection, registered));
        self.step(now_ns, Peer::Worker(worker), Message::Register(Box::new(info)), out);
        Ok(())
    }
}

/// A name for people, of a length that does not matter.
fn label(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
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
