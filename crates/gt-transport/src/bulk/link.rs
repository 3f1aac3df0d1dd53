//! A connection on which both sides have greeted each other, and the frames that go over it.

use std::io::{self, ErrorKind};
use std::net::Shutdown;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::counters::Road;
use super::frame::{self, FRAME_BYTES, Frame, HELLO_BYTES};
use super::ring::Slots;
use super::seal;
use super::socket::{Socket, timed_out};
use super::ticket::Greeting;
use crate::lock::Mutex;

/// Which end of a connection this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Courier,
    Depot,
}

/// One thread hears and one speaks; each may end the connection for both.
#[derive(Debug)]
pub(super) struct Link {
    pub socket: Socket,
    /// The slots of the ring that this side fills.
    pub slots: Slots,
    pub stall: Duration,
    greeting: OnceLock<Greeting>,
    speaking: Mutex<()>,
    made: Instant,
    /// When a byte last moved, in milliseconds after the connection was made.
    moved_ms: AtomicU64,
}

impl Link {
    /// A connection on which nothing was said yet.
    pub fn over(socket: Socket, stall: Duration) -> Link {
        Link {
            socket,
            slots: Slots::default(),
            stall,
            greeting: OnceLock::new(),
            speaking: Mutex::new(()),
            made: Instant::now(),
            moved_ms: AtomicU64::new(0),
        }
    }

    /// Says hello and hears the peer's.
    pub fn greet(&self, side: Side, within: Duration) -> io::Result<()> {
        let deadline = Instant::now() + within;
        let own = seal::random();
        self.socket.set_patience(within, within)?;
        self.socket.write(&frame::hello(&own))?;
        let mut bytes = [0; HELLO_BYTES];
        self.socket.read_until(&mut bytes, deadline)?;
        let other = frame::heard(&bytes)
            .ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "the peer speaks otherwise"))?;
        let greeting = match side {
            Side::Courier => Greeting { courier: own, depot: other },
            Side::Depot => Greeting { courier: other, depot: own },
        };
        self.greeting.set(greeting).expect("a connection is greeted once");
        self.moved();
        // Half the time that a transfer may stall, so that a stall is noticed soon after.
        self.socket.set_patience(self.stall / 2, self.stall)
    }

    /// What both sides said first.
    pub fn greeting(&self) -> &Greeting {
        self.greeting.get().expect("requests follow the greeting")
    }

    pub fn road(&self) -> Road {
        self.socket.road()
    }

    /// Sends a frame.
    pub fn say(&self, frame: &Frame) -> io::Result<()> {
        self.say_bytes(&frame.encode())
    }

    /// Sends a frame that is already encoded, and what follows it.
    pub fn say_bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let _speaking = self.speaking.lock();
        self.moved();
        self.socket.write(bytes)?;
        self.moved();
        Ok(())
    }

    /// Sends a frame with a descriptor.
    pub fn say_with(&self, frame: &Frame, fd: BorrowedFd<'_>) -> io::Result<()> {
        let _speaking = self.speaking.lock();
        self.moved();
        self.socket.write_with(&frame.encode(), fd)
    }

    /// The next frame. Waits as long as nothing is due; of a peer that owes something, a byte is
    /// expected in time.
    pub fn hear(&self, is_due: impl Fn() -> bool) -> io::Result<(Frame, Option<OwnedFd>)> {
        let mut bytes = [0; FRAME_BYTES];
        let (mut heard, mut descriptor, mut begun) = (0, None, None);
        while heard < FRAME_BYTES {
            match self.socket.read(&mut bytes[heard..])? {
                Some((count, fd)) => {
                    heard += count;
                    descriptor = fd.or(descriptor);
                    begun.get_or_insert_with(Instant::now);
                    self.moved();
                    if heard == FRAME_BYTES {
                        break;
                    }
                }
                None if heard == 0 && !is_due() => self.moved(),
                None => {}
            }
            // A frame is short: one that trickles in is not waited for, whatever still moves.
            let stalled = begun.map_or_else(|| self.is_stalled(), |at| at.elapsed() >= self.stall);
            if stalled {
                return Err(timed_out());
            }
        }
        let frame = Frame::decode(&bytes)
            .ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "the peer sent no frame"))?;
        Ok((frame, descriptor))
    }

    /// Fills memory with bytes that follow a frame.
    pub fn hear_bytes(&self, mut into: &mut [u8]) -> io::Result<()> {
        while !into.is_empty() {
            match self.socket.read(into)? {
                Some((count, _)) => {
                    into = &mut into[count..];
                    self.moved();
                }
                None if self.is_stalled() => return Err(timed_out()),
                None => {}
            }
        }
        Ok(())
    }

    /// Ends the connection; both threads notice.
    pub fn end(&self) {
        self.slots.end();
        self.socket.shutdown(Shutdown::Both);
    }

    fn moved(&self) {
        self.moved_ms.store(self.made.elapsed().as_millis() as u64, Relaxed);
    }

    fn is_stalled(&self) -> bool {
        let moved = Duration::from_millis(self.moved_ms.load(Relaxed));
        self.made.elapsed().saturating_sub(moved) >= self.stall
    }
}
