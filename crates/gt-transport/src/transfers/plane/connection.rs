//! One connection of the data plane: a handshake, then frames, or bytes that are passed on.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use bytes::Bytes;

use crate::Peer;
use crate::report::Road;
use crate::transfers::frame::Frame;
use crate::transfers::handshake::{Established, Handshake};
use crate::transfers::listener::Source;
use crate::transfers::machine::{ConnectionId, Outbound, Transfers, Violation};
use crate::transfers::ring::{Drainer, Filler};
use crate::transfers::socket::Socket;
use crate::transfers::stream::{Protection, Reader, Writer};

/// Frames that are read from one connection before others have their turn.
const READS: usize = 64;
/// Small frames are joined up to this many bytes before they are written.
const JOINED_BYTES: usize = 16 << 10;

/// A connection, and what it is for at the moment.
pub(super) struct Connection {
    pub id: ConnectionId,
    pub socket: Socket,
    /// Where it comes from, if this side was connected to.
    pub source: Option<Source>,
    pub opened: u64,
    pub phase: Phase,
    /// What this side wants of a connection that it has asked for.
    pub asked: Option<Asked>,
    /// Bytes of handshakes and of others that are to be sent.
    pub raw: Vec<u8>,
}

/// A connection that the machine wants.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub peer: Peer,
    pub attempt: u64,
    pub by_relay: bool,
}

pub(super) enum Phase {
    /// The two ends find out who they are.
    Handshake(Box<Handshake>),
    /// This side is at the relay and waits for the other one.
    AtRelay,
    /// It carries a channel.
    Open(Box<Open>),
    /// It is somebody who waits at this relay.
    Waiting { from: Peer, mate: Peer },
    /// What comes is passed on to another connection.
    Spliced(ConnectionId),
}

/// A connection that carries a channel.
pub(super) struct Open {
    pub peer: Peer,
    pub road: Road,
    pub reader: Reader,
    writer: Writer,
    filler: Option<Filler>,
    drainer: Option<Drainer>,
    /// A descriptor that came or goes with the next bytes.
    arrived: Option<OwnedFd>,
    leaving: Option<OwnedFd>,
    /// A chunk that waits for an empty slot.
    stalled: Option<Outbound>,
    pub bytes_out: u64,
    pub speed: Speed,
}

/// How quickly values come, measured over chunks that follow one another.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Speed {
    /// When the last chunk was seen, and how many bytes of chunks had come by then.
    last: Option<(u64, u64)>,
    pub timed_bytes: u64,
    pub timed_ns: u64,
}

impl Speed {
    /// So many bytes of chunks have come by now.
    fn note(&mut self, now: u64, chunk_bytes: u64) {
        let (at, before) = self.last.unwrap_or((0, 0));
        if chunk_bytes == before {
            return;
        }
        let took_ns = now.saturating_sub(at);
        if self.last.is_some() && took_ns < PAUSE_NS {
            self.timed_bytes += chunk_bytes - before;
            self.timed_ns += took_ns;
        }
        self.last = Some((now, chunk_bytes));
    }
}

/// After a longer time without a chunk the sender had nothing to send.
const PAUSE_NS: u64 = 5_000_000;

/// A connection cannot go on.
pub(super) struct Broken(pub String);

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Broken(error.to_string())
    }
}

impl From<Violation> for Broken {
    fn from(violation: Violation) -> Self {
        Broken(violation.0.to_string())
    }
}

impl Open {
    pub fn new(peer: Peer, road: Road, keys: Established) -> Open {
        let (writer, reader) = match road {
            Road::Memory => (Writer::new(Protection::Ring), Reader::new(Protection::Ring)),
            Road::Tcp | Road::Relay => (
                Writer::new(Protection::Sealed(keys.sending)),
                Reader::new(Protection::Sealed(keys.receiving)),
            ),
        };
        let (filler, drainer, arrived, leaving, stalled) = Default::default();
        Open {
            peer,
            road,
            reader,
            writer,
            filler,
            drainer,
            arrived,
            leaving,
            stalled,
            bytes_out: 0,
            speed: Speed::default(),
        }
    }

    /// Reads what has come, a while at a time.
    pub fn read(
        &mut self,
        now: u64,
        id: ConnectionId,
        socket: &Socket,
        machine: &mut Transfers,
    ) -> Result<(), Broken> {
        let read = self.read_some(now, id, socket, machine);
        self.speed.note(now, self.reader.chunk_bytes);
        read
    }

    fn read_some(
        &mut self,
        now: u64,
        id: ConnectionId,
        socket: &Socket,
        machine: &mut Transfers,
    ) -> Result<(), Broken> {
        for _ in 0..READS {
            let space = self.reader.space(machine, id);
            let Some((count, descriptor)) = socket.read(space)? else { return Ok(()) };
            self.arrived = descriptor.or(self.arrived.take());
            match self.reader.advance(now, machine, id, count)? {
                None => {}
                Some(Frame::Ring) => {
                    let fd = self.arrived.take().ok_or(Violation("a ring of nothing"))?;
                    if self.drainer.is_some() {
                        return Err(Violation("a second ring").into());
                    }
                    self.drainer = Some(Drainer::open(fd)?);
                }
                Some(Frame::Free { slot }) => {
                    let freed = self.filler.as_mut().is_some_and(|filler| filler.free(slot));
                    if !freed {
                        return Err(Violation("a slot that was not full").into());
                    }
                }
                Some(Frame::Chunk { seq, offset, bytes, slot }) => {
                    let bytes = bytes as usize;
                    let ring = self.drainer.as_ref().ok_or(Violation("a chunk without a ring"))?;
                    if let Some(place) = machine.memory(id, seq, offset, bytes) {
                        ring.drain(slot, place)?;
                        machine.chunk_done(now, id, seq, bytes);
                    }
                    self.writer.push(&Frame::Free { slot }, &Bytes::new());
                }
                Some(_) => return Err(Violation("a frame of another layer").into()),
            }
        }
        Ok(())
    }

    /// Writes what there is to say, as much as the connection takes.
    pub fn write(
        &mut self,
        now: u64,
        id: ConnectionId,
        socket: &Socket,
        machine: &mut Transfers,
    ) -> Result<(), Broken> {
        loop {
            while self.writer.rest().len() < JOINED_BYTES {
                let next = self.stalled.take().or_else(|| machine.next_frame(now, id));
                let Some((frame, data)) = next else { break };
                self.bytes_out += data.len() as u64;
                if let (Road::Memory, Frame::Chunk { seq, offset, bytes, .. }) = (self.road, frame)
                {
                    let Some(slot) = self.share(&data)? else {
                        self.bytes_out -= data.len() as u64;
                        self.stalled = Some((frame, data));
                        break;
                    };
                    self.writer.push(&Frame::Chunk { seq, offset, bytes, slot }, &data);
                } else {
                    self.writer.push(&frame, &data);
                }
            }
            if self.writer.rest().is_empty() {
                return Ok(());
            }
            let descriptor = self.leaving.as_ref().map(AsFd::as_fd);
            let count = socket.write(self.writer.rest(), descriptor)?;
            if count == 0 {
                return Ok(());
            }
            self.leaving = None;
            self.writer.sent(count);
        }
    }

    /// Copies a chunk into shared memory, if there is an empty slot.
    fn share(&mut self, data: &[u8]) -> Result<Option<u8>, Broken> {
        if self.filler.is_none() {
            let (filler, fd) = Filler::make()?;
            self.filler = Some(filler);
            self.leaving = Some(fd);
            self.writer.push(&Frame::Ring, &Bytes::new());
        }
        Ok(self.filler.as_mut().and_then(|filler| filler.fill(data)))
    }

    /// Whether it waits to be written to.
    pub fn has_output(&self, id: ConnectionId, machine: &Transfers) -> bool {
        !self.writer.rest().is_empty() || (self.stalled.is_none() && machine.has_output(id))
    }
}
