//! One side tells, many listen: what a slow listener misses is lost, and the teller never waits.

use std::path::Path;

use bytes::Bytes;

use crate::context::Context;
use crate::link::Link;
use crate::listen::{self, Listening};
use crate::socket::{More, Socket};
use crate::{DealerEvent, Endpoint, Error, IpcAccess, Options, Result, TcpSecurity, ffi};

/// A socket that tells everybody who listens.
pub struct Publisher {
    socket: Socket,
    context: Context,
    listening: Vec<Listening>,
}

impl Publisher {
    /// A publisher that nobody can reach yet.
    pub fn new(context: &Context, options: &Options) -> Result<Publisher> {
        let socket = Socket::open(context, ffi::ZMQ_PUB, options)?;
        Ok(Publisher { socket, context: context.clone(), listening: Vec::new() })
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

    /// Sends a message to those who listen to a beginning of `topic`, which is its first frame.
    pub fn publish(&mut self, topic: &[u8], frames: &[Bytes]) -> Result<()> {
        self.socket.home().check()?;
        let more = if frames.is_empty() { More::Last } else { More::Follow };
        let outcome = self.socket.send(&Bytes::copy_from_slice(topic), more, None);
        let outcome = match frames {
            [] => outcome,
            _ => outcome.and_then(|()| self.socket.send_all(frames, None)),
        };
        // Such a socket drops what does not fit, so that only a lack of memory is left.
        outcome.map_err(|_| Error::last("publish"))
    }

    pub(crate) fn socket(&self) -> &Socket {
        &self.socket
    }
}

/// One connection to a publisher. It is not made again when it ends.
pub struct Subscriber {
    link: Link,
}

impl Subscriber {
    /// Begins to connect; hears messages whose topic begins with `topic`.
    pub fn connect(
        context: &Context,
        endpoint: &Endpoint,
        topic: &[u8],
        options: &Options,
    ) -> Result<Subscriber> {
        let socket = Socket::open(context, ffi::ZMQ_SUB, options)?;
        socket.set(ffi::ZMQ_SUBSCRIBE, topic)?;
        Ok(Subscriber { link: Link::open(context, socket, endpoint)? })
    }

    /// What has happened, if anything; the first frame of a message is its topic.
    pub fn receive(&mut self) -> Result<Option<DealerEvent>> {
        self.link.receive()
    }

    pub(crate) fn link(&self) -> &Link {
        &self.link
    }
}
