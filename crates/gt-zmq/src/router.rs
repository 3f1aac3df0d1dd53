//! The side that many connect to: it knows each peer and answers to whom it wants.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use bytes::Bytes;

use crate::context::Context;
use crate::listen::{self, Listening};
use crate::message::Message;
use crate::socket::{More, Socket};
use crate::waiting::Waiting;
use crate::{IpcAccess, Options, PublicKey, Result, SendError, TcpSecurity, ffi, keys};

/// One connection to a router. A peer that connects again is another one.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PeerId {
    /// A peer may choose the name by which libzmq routes, and come again with it.
    routing: Bytes,
    incarnation: u64,
}

impl fmt::Debug for PeerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PeerId({})", self.incarnation)
    }
}

/// What a router hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrival {
    /// A message.
    Message {
        /// Who has sent it.
        from: PeerId,
        /// Its frames, at least one.
        frames: Vec<Bytes>,
    },
    /// The connection of a peer that has sent something has ended; nothing comes after it.
    Gone {
        /// Whose connection.
        from: PeerId,
    },
}

/// Where a peer connects from, as far as it cannot lie about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Whether it came through a Unix socket.
    pub local: bool,
    /// Its IP address, or `uid:gid:pid` of a local process.
    pub address: String,
    /// The user and the group of a local process.
    pub user: Option<(u32, u32)>,
    /// Its key, if it came through a port with CURVE.
    pub key: Option<PublicKey>,
}

/// A socket that many dealers connect to.
pub struct Router {
    socket: Socket,
    context: Context,
    listening: Vec<Listening>,
    peers: HashMap<Bytes, Peer>,
    arrivals: u64,
    /// What libzmq puts after the last message of a peer. It is never sent, so nobody can fake it.
    farewell: [u8; 32],
}

struct Peer {
    id: PeerId,
    origin: Origin,
    waiting: Waiting,
}

impl Router {
    /// A router that listens nowhere yet.
    pub fn new(context: &Context, options: &Options) -> Result<Router> {
        let socket = Socket::open(context, ffi::ZMQ_ROUTER, options)?;
        // Without it, a message to a peer that is gone or slow would vanish.
        socket.set_int(ffi::ZMQ_ROUTER_MANDATORY, 1)?;
        let farewell = keys::random();
        socket.set(ffi::ZMQ_DISCONNECT_MSG, &farewell)?;
        Ok(Router {
            socket,
            context: context.clone(),
            listening: Vec::new(),
            peers: HashMap::new(),
            arrivals: 0,
            farewell,
        })
    }

    /// Listens at a Unix socket. A file left there by a process that has ended is replaced.
    pub fn bind_ipc(&mut self, path: &Path, access: IpcAccess) -> Result<()> {
        self.listening.push(listen::ipc(&self.socket, path, access)?);
        Ok(())
    }

    /// Listens at `"host:port"` and gives the same with the real port, which may be asked for as 0.
    pub fn bind_tcp(&mut self, address: &str, security: TcpSecurity) -> Result<String> {
        let (real, listening) = listen::tcp(&self.context, &self.socket, address, &security)?;
        self.listening.extend(listening);
        Ok(real)
    }

    /// What has arrived, if anything; never waits.
    pub fn receive(&mut self) -> Result<Option<Arrival>> {
        // While messages wait, libzmq looks only every hundred frames whether somebody else has
        // spoken. Then it takes one message of each in turn.
        self.socket.is_readable()?;
        loop {
            let mut origin = None;
            let (peers, context) = (&self.peers, &self.context);
            let mut routing = Bytes::new();
            let arrived = self.socket.receive(|number, frame| match number {
                0 => routing = Bytes::copy_from_slice(frame.as_ref()),
                1 if !peers.contains_key(&routing) => origin = Some(origin_of(context, frame)),
                _ => {}
            })?;
            let Some(mut frames) = arrived else { return Ok(None) };
            frames.remove(0);
            if frames.len() == 1 && frames[0] == self.farewell[..] {
                // One that has never said a word is not missed.
                let Some(peer) = self.peers.remove(&routing) else { continue };
                return Ok(Some(Arrival::Gone { from: peer.id }));
            }
            let from = match origin {
                Some(origin) => self.introduce(routing, origin),
                None => self.peers[&routing].id.clone(),
            };
            return Ok(Some(Arrival::Message { from, frames }));
        }
    }

    fn introduce(&mut self, routing: Bytes, origin: Origin) -> PeerId {
        self.arrivals += 1;
        let id = PeerId { routing: routing.clone(), incarnation: self.arrivals };
        let waiting = Waiting::default();
        self.peers.insert(routing, Peer { id: id.clone(), origin, waiting });
        id
    }

    /// Sends a message of at least one frame to a peer, whole or not at all; never waits.
    pub fn send(&mut self, to: &PeerId, frames: &[Bytes]) -> std::result::Result<(), SendError> {
        assert!(!frames.is_empty(), "a message has at least one frame");
        self.known(to).ok_or(SendError::Gone)?;
        self.socket.send(&to.routing, More::Follow, None)?;
        let waiting = self.peers.get_mut(&to.routing).map(|peer| &mut peer.waiting);
        let mark = waiting.and_then(|waiting| waiting.add(frames));
        self.socket.send_all(frames, mark)
    }

    /// Bytes that were sent to a peer and have not left for it; none once it is gone.
    pub fn waiting_bytes(&self, peer: &PeerId) -> u64 {
        self.known(peer).map_or(0, |peer| peer.waiting.bytes())
    }

    /// Where a peer connects from; none once it is gone.
    pub fn origin(&self, peer: &PeerId) -> Option<Origin> {
        self.known(peer).map(|peer| peer.origin.clone())
    }

    fn known(&self, id: &PeerId) -> Option<&Peer> {
        self.peers.get(&id.routing).filter(|peer| peer.id.incarnation == id.incarnation)
    }

    pub(crate) fn socket(&self) -> &Socket {
        &self.socket
    }
}

/// What libzmq knows of the connection by which a frame has come.
fn origin_of(context: &Context, frame: &Message) -> Origin {
    let address = frame.property(c"Peer-Address").unwrap_or_default();
    // libzmq writes `:uid:gid:pid` for a Unix socket.
    // What stands before the process is a name of this host, or nothing, as the C library likes.
    let process = address.strip_prefix("localhost").unwrap_or(address).strip_prefix(':');
    let user = process.and_then(user_of);
    let process = process.filter(|_| user.is_some());
    let key = frame.property(c"User-Id").and_then(|user| context.key_of(user));
    Origin { local: user.is_some(), address: process.unwrap_or(address).to_string(), user, key }
}

/// User and group, if this is `uid:gid:pid` and not the rest of an IP address.
fn user_of(text: &str) -> Option<(u32, u32)> {
    let numbers: Option<Vec<u32>> = text.split(':').map(|part| part.parse().ok()).collect();
    match numbers?.as_slice() {
        &[user, group, _] => Some((user, group)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ip_address_is_no_process() {
        assert_eq!(user_of("5:7:1234"), Some((5, 7)));
        // What is left of ::ffff:10.0.0.1, ::1:2, ::1 and nothing.
        for address in [":ffff:10.0.0.1", ":1:2", ":1", "", "1:2", "1:2:3:4"] {
            assert_eq!(user_of(address), None, "{address}");
        }
    }
}
