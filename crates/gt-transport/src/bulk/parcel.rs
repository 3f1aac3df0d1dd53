//! A parcel on its way: cut into chunks at one end, put together at the other.

use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::buffer_source::Buffer;
use super::counters::Road;
use super::frame::{FRAME_BYTES, Frame, Kind};
use super::link::Link;
use super::ring::{CHUNK_BYTES, Drainer, Filler};
use super::ticket::Transfer;

/// Sends the parcels of one connection.
#[derive(Debug, Default)]
pub(super) struct Packer {
    ring: Option<Filler>,
    /// A frame and the sealed chunk behind it, so that they leave in one write.
    sealed: Vec<u8>,
}

impl Packer {
    /// Sends all chunks; false if somebody stopped it on the way.
    pub fn send(
        &mut self,
        link: &Link,
        transfer: &Transfer,
        data: &[u8],
        stop: &AtomicBool,
    ) -> io::Result<bool> {
        for index in 0..chunk_count(data.len()) {
            if stop.load(Relaxed) {
                return Ok(false);
            }
            let start = index * CHUNK_BYTES;
            let chunk = &data[start..data.len().min(start + CHUNK_BYTES)];
            match link.road() {
                Road::Unix => self.share(link, transfer, chunk)?,
                Road::Tcp => self.seal(link, transfer, index as u64, data.len(), chunk)?,
            }
        }
        Ok(true)
    }

    fn share(&mut self, link: &Link, transfer: &Transfer, chunk: &[u8]) -> io::Result<()> {
        if self.ring.is_none() {
            let (ring, fd) = Filler::make()?;
            link.say_with(&Frame::plain(Kind::Ring, 0, 0), fd.as_fd())?;
            self.ring = Some(ring);
        }
        let ring = self.ring.as_mut().expect("made above");
        let slot = ring.fill(&link.slots, chunk, link.stall)?;
        link.say(&Frame::plain(Kind::Chunk, transfer.request, slot))
    }

    fn seal(
        &mut self,
        link: &Link,
        transfer: &Transfer,
        index: u64,
        bytes: usize,
        chunk: &[u8],
    ) -> io::Result<()> {
        self.sealed.resize(FRAME_BYTES + CHUNK_BYTES, 0);
        let (head, body) = self.sealed.split_at_mut(FRAME_BYTES);
        let frame = transfer.seal(index, bytes, chunk, &mut body[..chunk.len()]);
        head.copy_from_slice(&frame.encode());
        link.say_bytes(&self.sealed[..FRAME_BYTES + chunk.len()])
    }
}

/// Receives the parcels of one connection.
#[derive(Debug, Default)]
pub(super) struct Unpacker {
    ring: Option<Drainer>,
    /// Where chunks go that nobody wants any more.
    scrap: Vec<u8>,
}

impl Unpacker {
    /// The peer hands over its ring.
    pub fn open(&mut self, fd: Option<OwnedFd>) -> io::Result<()> {
        if self.ring.is_some() {
            return Err(io::Error::new(ErrorKind::InvalidData, "a second ring"));
        }
        let fd = fd.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "a ring of nothing"))?;
        self.ring = Some(Drainer::open(fd)?);
        Ok(())
    }

    /// Adds the chunk that a frame announces.
    pub fn receive(&mut self, link: &Link, frame: &Frame, parcel: &mut Incoming) -> io::Result<()> {
        let range = parcel.filled..parcel.bytes.min(parcel.filled + CHUNK_BYTES);
        let length = range.len();
        let chunk = match &mut parcel.buffer {
            Some(buffer) => &mut buffer.bytes_mut()[range],
            None => {
                self.scrap.resize(CHUNK_BYTES, 0);
                &mut self.scrap[..length]
            }
        };
        match (link.road(), &self.ring) {
            (Road::Unix, Some(ring)) => {
                ring.drain(frame.value, chunk)?;
                link.say(&Frame::plain(Kind::Free, 0, frame.value))?;
            }
            (Road::Unix, None) => return Err(io::Error::other("a chunk without a ring")),
            (Road::Tcp, _) => {
                link.hear_bytes(chunk)?;
                let in_order = frame.value == parcel.chunks;
                if !in_order || !parcel.transfer.open(frame, parcel.bytes, chunk) {
                    return Err(io::Error::other("a chunk was changed on its way"));
                }
            }
        }
        parcel.filled += length;
        parcel.chunks += 1;
        Ok(())
    }
}

/// A parcel that is being put together.
pub(super) struct Incoming {
    pub tag: u64,
    pub transfer: Transfer,
    pub bytes: usize,
    /// `None` if nobody wants it any more; its chunks are read away.
    pub buffer: Option<Box<dyn Buffer>>,
    filled: usize,
    chunks: u64,
}

impl Incoming {
    pub fn begin(
        tag: u64,
        transfer: Transfer,
        bytes: usize,
        buffer: Option<Box<dyn Buffer>>,
    ) -> Incoming {
        Incoming { tag, transfer, bytes, buffer, filled: 0, chunks: 0 }
    }

    /// Whether all chunks are there.
    pub fn is_whole(&self) -> bool {
        self.chunks == chunk_count(self.bytes) as u64
    }
}

/// Even an empty parcel has a chunk, which says that it is there.
fn chunk_count(bytes: usize) -> usize {
    bytes.div_ceil(CHUNK_BYTES).max(1)
}
