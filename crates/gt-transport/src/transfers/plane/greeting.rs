//! How connections begin: one is asked for, both ends find out who they are, and it carries a
//! channel.

use super::Command;
use super::carrier::Carrier;
use super::connection::{Asked, Broken, Connection, Open, Phase};
use crate::Peer;
use crate::report::Road;
use crate::ticket::Access;
use crate::transfers::handshake::{Established, Handshake, Hello};
use crate::transfers::listener::Source;
use crate::transfers::machine::{ConnectionId, Via};
use crate::transfers::socket::Socket;

impl Carrier {
    fn access(&self, peer: Peer, via: Via) -> Option<Access> {
        let route = self.routes.get(&peer)?;
        match via {
            Via::Direct => route.direct.clone(),
            Via::Relay => route.relay.clone(),
        }
    }

    /// Connects in a thread, because names and hosts may take their time.
    pub fn connect(&mut self, peer: Peer, via: Via, attempt: u64) {
        let now = self.now();
        let Some(access) = self.access(peer, via) else {
            return self.machine.unreachable(now, peer, attempt, "no address is known");
        };
        let (shared, within) = (self.shared.clone(), self.limits.connect);
        let builder = std::thread::Builder::new().name("gt-data-connect".into());
        let started = builder.stack_size(256 << 10).spawn(move || {
            let socket = Socket::connect(&access.address, within);
            shared.tell(Command::Connected { peer, via, attempt, socket });
        });
        if let Err(error) = started {
            self.machine.unreachable(now, peer, attempt, &error.to_string());
        }
    }

    /// A socket that was asked for is there; both ends find out who they are.
    pub fn begin(&mut self, peer: Peer, via: Via, attempt: u64, socket: Socket) {
        let (Some(own), Some(access)) = (self.own, self.access(peer, via)) else { return };
        let hello = match via {
            Via::Direct => Hello { from: own, to: peer, mate: None },
            Via::Relay => Hello { from: own, to: Peer::Relay, mate: Some(peer) },
        };
        let handshake = Handshake::connect(hello, &access.key);
        let asked = Asked { peer, attempt, by_relay: via == Via::Relay };
        self.add(socket, None, Some(asked), handshake);
    }

    pub fn add(
        &mut self,
        socket: Socket,
        source: Option<Source>,
        asked: Option<Asked>,
        mut handshake: Handshake,
    ) {
        let (id, opened) = (ConnectionId(self.next_connection), self.now());
        self.next_connection += 1;
        let raw = handshake.output();
        let phase = Phase::Handshake(Box::new(handshake));
        self.connections.insert(id, Connection { id, socket, source, opened, phase, asked, raw });
    }

    /// Takes in the bytes of a handshake.
    pub fn greet(&mut self, id: ConnectionId) -> Result<(), Broken> {
        loop {
            let Some(connection) = self.connections.get_mut(&id) else { return Ok(()) };
            let mut bytes = [0; 128];
            let need = match &connection.phase {
                Phase::Handshake(handshake) => handshake.missing(),
                Phase::AtRelay => 1,
                // Somebody who waits has nothing to say.
                Phase::Waiting { .. } => 1,
                Phase::Open(_) | Phase::Spliced(_) => return Ok(()),
            };
            let Some((count, _)) = connection.socket.read(&mut bytes[..need])? else {
                return Ok(());
            };
            let (own, key) = (self.own, self.key.clone());
            let mate = connection.asked.filter(|asked| asked.by_relay).map(|asked| asked.peer);
            match &mut connection.phase {
                Phase::Handshake(handshake) => {
                    let key_of = |hello: &Hello| {
                        let is_for_us =
                            Some(hello.to) == own && mate.is_none_or(|m| m == hello.from);
                        key.filter(|_| is_for_us).map(|key| key.for_peer(hello.from))
                    };
                    let established = handshake.hear(&bytes[..count], key_of)?;
                    connection.raw.extend(handshake.output());
                    if let Some(established) = established {
                        self.open(id, established);
                    }
                }
                Phase::AtRelay => self.meet_mate(id)?,
                _ => return Err(Broken("it speaks while it waits".to_string())),
            }
        }
    }

    /// Both ends know who they are.
    fn open(&mut self, id: ConnectionId, established: Established) {
        let now = self.now();
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let Hello { from, to, mate } = established.hello;
        let is_unix = connection.socket.is_unix();
        let by_relay = connection.asked.is_some_and(|asked| asked.by_relay);
        match (connection.asked, mate) {
            // This side has reached the relay.
            (Some(_), Some(_)) => connection.phase = Phase::AtRelay,
            // This side is the relay.
            (None, Some(mate)) => {
                connection.phase = Phase::Waiting { from, mate };
                self.join(id, from, mate);
            }
            (asked, None) => {
                let peer = if Some(from) == self.own { to } else { from };
                let road = match (by_relay, is_unix) {
                    (true, _) => Road::Relay,
                    (false, true) => Road::Memory,
                    (false, false) => Road::Tcp,
                };
                connection.phase = Phase::Open(Box::new(Open::new(peer, road, established)));
                match asked {
                    Some(asked) => self.machine.connected(now, peer, asked.attempt, id),
                    None => self.machine.accepted(now, peer, id),
                }
            }
        }
    }

    /// The other side has come to the relay as well: the two find out who they are.
    fn meet_mate(&mut self, id: ConnectionId) -> Result<(), Broken> {
        let own = self.own.ok_or_else(|| Broken("nobody".to_string()))?;
        let Some(connection) = self.connections.get_mut(&id) else { return Ok(()) };
        let Some(Asked { peer, .. }) = connection.asked else { return Ok(()) };
        let direct = self.routes.get(&peer).and_then(|route| route.direct.as_ref());
        let mut handshake = match direct {
            Some(access) => {
                Handshake::connect(Hello { from: own, to: peer, mate: None }, &access.key)
            }
            None => Handshake::listen(),
        };
        connection.raw.extend(handshake.output());
        connection.phase = Phase::Handshake(Box::new(handshake));
        connection.opened = self.start.elapsed().as_millis() as u64;
        Ok(())
    }
}
