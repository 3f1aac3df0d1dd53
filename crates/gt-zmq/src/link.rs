//! One connection from the side that makes it: how it begins and how it ends.

use bytes::Bytes;

use crate::context::Context;
use crate::endpoint::{ipc_address, resolve, tcp_address};
use crate::socket::Socket;
use crate::{ClientSecurity, DealerEvent, Endpoint, Result, ffi, keys};

const EVENTS: u16 = ffi::ZMQ_EVENT_CONNECT_RETRIED
    | ffi::ZMQ_EVENT_DISCONNECTED
    | ffi::ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
    | ffi::ZMQ_EVENT_HANDSHAKE_SUCCEEDED
    | ffi::ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
    | ffi::ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

/// A socket with one connection.
pub struct Link {
    state: State,
    /// What libzmq puts after the last message, if the kind of socket can do that.
    farewell: Option<[u8; 32]>,
    place: String,
}

enum State {
    /// The peer has not introduced itself yet.
    Connecting(Sockets),
    Connected(Sockets),
    Over,
}

struct Sockets {
    socket: Socket,
    /// What tells of the connection, for as long as that is needed.
    monitor: Option<Socket>,
}

impl Sockets {
    /// The socket, of which nothing more is told. libzmq tells events from the thread that serves
    /// all connections, and would wait there for ever for a monitor that has been closed before.
    fn unwatched(self) -> Socket {
        if self.monitor.is_some() {
            self.socket.end_monitor();
        }
        self.socket
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        drop(self.end());
    }
}

impl Link {
    /// Begins to connect a socket.
    pub fn open(context: &Context, socket: Socket, endpoint: &Endpoint) -> Result<Link> {
        // libzmq would connect again and lose what was on its way without a word. Its value for
        // "never" ends the socket's queue too, with messages that have arrived; so it waits for 24
        // days.
        socket.set_int(ffi::ZMQ_RECONNECT_IVL, i32::MAX)?;
        let address = match endpoint {
            Endpoint::Ipc(path) => ipc_address(path)?,
            Endpoint::Tcp { address, security } => {
                let found = resolve(address)?;
                socket.set_int(ffi::ZMQ_IPV6, i32::from(found.is_ipv6()))?;
                secure(&socket, security)?;
                tcp_address(found)
            }
        };
        let monitor = socket.monitor(context, EVENTS)?;
        let state = State::Connecting(Sockets { socket, monitor: Some(monitor) });
        let link = Link { state, farewell: None, place: endpoint.to_string() };
        link.socket().expect("it has just been put there").connect(&address)?;
        Ok(link)
    }

    /// The same for a kind of socket that can be told of the end in the order of its messages.
    pub fn with_farewell(context: &Context, socket: Socket, endpoint: &Endpoint) -> Result<Link> {
        let farewell = keys::random();
        socket.set(ffi::ZMQ_HICCUP_MSG, &farewell)?;
        let mut link = Link::open(context, socket, endpoint)?;
        link.farewell = Some(farewell);
        Ok(link)
    }

    /// The socket, until the connection is over.
    pub fn socket(&self) -> Option<&Socket> {
        match &self.state {
            State::Connecting(sockets) | State::Connected(sockets) => Some(&sockets.socket),
            State::Over => None,
        }
    }

    /// Everything that may have news.
    pub fn sockets(&self) -> impl Iterator<Item = &Socket> {
        let sockets = match &self.state {
            State::Connecting(sockets) | State::Connected(sockets) => Some(sockets),
            State::Over => None,
        };
        sockets.into_iter().flat_map(|all| std::iter::once(&all.socket).chain(&all.monitor))
    }

    /// Gives the socket away.
    pub fn into_socket(mut self) -> Option<Socket> {
        self.end()
    }

    /// Nothing more is heard; the socket, if it was still open.
    fn end(&mut self) -> Option<Socket> {
        match std::mem::replace(&mut self.state, State::Over) {
            State::Connecting(sockets) | State::Connected(sockets) => Some(sockets.unwatched()),
            State::Over => None,
        }
    }

    /// What has happened, if anything; never waits.
    pub fn receive(&mut self) -> Result<Option<DealerEvent>> {
        let event = match &self.state {
            State::Over => None,
            // Nothing arrives before the peer has introduced itself.
            State::Connecting(sockets) => self.beginning(sockets)?,
            State::Connected(sockets) => self.news(sockets)?,
        };
        match &event {
            None | Some(DealerEvent::Message(_)) => {}
            Some(DealerEvent::Connected) => self.become_connected(),
            Some(_) => drop(self.end()),
        }
        Ok(event)
    }

    fn become_connected(&mut self) {
        if let State::Connecting(sockets) = std::mem::replace(&mut self.state, State::Over) {
            // A farewell tells the end in its place among the messages; nothing else is of
            // interest.
            let sockets = match self.farewell {
                Some(_) => Sockets { socket: sockets.unwatched(), monitor: None },
                None => sockets,
            };
            self.state = State::Connected(sockets);
        }
    }

    fn beginning(&self, sockets: &Sockets) -> Result<Option<DealerEvent>> {
        while let Some((event, value)) = next_event(sockets)? {
            if let Some(event) = self.outcome(event, value) {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// What an event means while the peer has not introduced itself.
    fn outcome(&self, event: u16, value: u32) -> Option<DealerEvent> {
        let place = &self.place;
        Some(match event {
            ffi::ZMQ_EVENT_HANDSHAKE_SUCCEEDED => DealerEvent::Connected,
            ffi::ZMQ_EVENT_CONNECT_RETRIED => {
                DealerEvent::Refused(format!("{place}: nobody listens there"))
            }
            ffi::ZMQ_EVENT_HANDSHAKE_FAILED_AUTH => DealerEvent::Rejected(format!(
                "{place}: the server does not admit this key (status {value})"
            )),
            ffi::ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
                if value == ffi::ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH =>
            {
                DealerEvent::Rejected(format!(
                    "{place}: one side asks for CURVE keys and the other has none"
                ))
            }
            ffi::ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL => DealerEvent::Rejected(format!(
                "{place}: what listens there does not speak ZeroMQ as expected (code {value:#x})"
            )),
            ffi::ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ffi::ZMQ_EVENT_DISCONNECTED => {
                DealerEvent::Rejected(format!(
                    "{place}: the server hung up during the greeting; it has another key than \
                     expected, does not admit this user, or is no ZeroMQ server"
                ))
            }
            _ => return None,
        })
    }

    fn news(&self, sockets: &Sockets) -> Result<Option<DealerEvent>> {
        if let Some(frames) = sockets.socket.receive(|_, _| {})? {
            return Ok(Some(self.message(frames)));
        }
        while let Some((event, _)) = next_event(sockets)? {
            if event == ffi::ZMQ_EVENT_DISCONNECTED {
                return Ok(Some(DealerEvent::Gone));
            }
        }
        Ok(None)
    }

    fn message(&self, frames: Vec<Bytes>) -> DealerEvent {
        match &self.farewell {
            Some(farewell) if frames.len() == 1 && frames[0] == farewell[..] => DealerEvent::Gone,
            _ => DealerEvent::Message(frames),
        }
    }
}

fn secure(socket: &Socket, security: &ClientSecurity) -> Result<()> {
    match security {
        ClientSecurity::Insecure => Ok(()),
        ClientSecurity::Curve { server, public, secret } => {
            socket.set(ffi::ZMQ_CURVE_PUBLICKEY, &public.0)?;
            socket.set(ffi::ZMQ_CURVE_SECRETKEY, &secret.0)?;
            socket.set(ffi::ZMQ_CURVE_SERVERKEY, &server.0)
        }
    }
}

/// The next event of a monitor and its value: a frame of 2 and 4 bytes, and one with an address.
fn next_event(sockets: &Sockets) -> Result<Option<(u16, u32)>> {
    let Some(monitor) = &sockets.monitor else { return Ok(None) };
    let Some(frames) = monitor.receive(|_, _| {})? else { return Ok(None) };
    let fields = frames.first().and_then(|frame| frame.split_first_chunk::<2>());
    let fields = fields.and_then(|(event, value)| Some((*event, *value.first_chunk::<4>()?)));
    let (event, value) = fields.expect("libzmq keeps to the form of its events");
    Ok(Some((u16::from_ne_bytes(event), u32::from_ne_bytes(value))))
}
