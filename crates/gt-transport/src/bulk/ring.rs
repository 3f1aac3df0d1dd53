//! A ring of slots in shared memory: one side fills a slot, the other empties it and says so. Both
//! copy at the same time, and the same few slots stay in the processor's cache.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use super::socket::timed_out;
use super::system::{self, Map};
use crate::lock::{Condvar, Mutex};

/// The bytes of a slot, and the most that one chunk has.
pub(super) const CHUNK_BYTES: usize = 1 << 20;
const SLOTS: usize = 4;

/// Which slots are empty. The thread that fills waits here for the thread that hears.
#[derive(Debug)]
pub(super) struct Slots {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    empty: [bool; SLOTS],
    ended: bool,
}

impl Default for Slots {
    fn default() -> Self {
        let state = State { empty: [true; SLOTS], ended: false };
        Slots { state: Mutex::new(state), changed: Condvar::default() }
    }
}

impl Slots {
    /// Takes an empty slot, and waits for one if need be.
    fn take(&self, patience: Duration) -> io::Result<usize> {
        let deadline = Instant::now() + patience;
        let mut state = self.state.lock();
        loop {
            if state.ended {
                return Err(io::Error::other("the connection has ended"));
            }
            if let Some(slot) = state.empty.iter().position(|empty| *empty) {
                state.empty[slot] = false;
                return Ok(slot);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(timed_out());
            }
            state = self.changed.wait_for(state, left);
        }
    }

    /// The peer has emptied a slot; false if it was not full.
    #[must_use]
    pub fn free(&self, slot: u64) -> bool {
        let mut state = self.state.lock();
        let Some(empty) = usize::try_from(slot).ok().and_then(|slot| state.empty.get_mut(slot))
        else {
            return false;
        };
        let was_full = !std::mem::replace(empty, true);
        self.changed.notify_one();
        was_full
    }

    /// Nobody will empty a slot any more.
    pub fn end(&self) {
        self.state.lock().ended = true;
        self.changed.notify_all();
    }
}

/// The side that fills.
#[derive(Debug)]
pub(super) struct Filler(Map);

impl Filler {
    /// Makes a ring, and the descriptor that the peer is given.
    pub fn make() -> io::Result<(Filler, OwnedFd)> {
        let (fd, map) = system::share(SLOTS * CHUNK_BYTES)?;
        Ok((Filler(map), fd))
    }

    /// Copies a chunk into a slot.
    pub fn fill(&mut self, slots: &Slots, chunk: &[u8], patience: Duration) -> io::Result<u64> {
        assert!(chunk.len() <= CHUNK_BYTES, "a chunk fits a slot");
        let slot = slots.take(patience)?;
        self.0.write(slot * CHUNK_BYTES, chunk);
        Ok(slot as u64)
    }
}

/// The side that empties.
#[derive(Debug)]
pub(super) struct Drainer(Map);

impl Drainer {
    /// Opens the ring of a peer.
    pub fn open(fd: OwnedFd) -> io::Result<Drainer> {
        let map = system::attach(fd)?;
        if map.len() != SLOTS * CHUNK_BYTES {
            return Err(io::Error::other("a ring of another size"));
        }
        Ok(Drainer(map))
    }

    /// Copies a chunk out of a slot.
    pub fn drain(&self, slot: u64, into: &mut [u8]) -> io::Result<()> {
        if slot >= SLOTS as u64 || into.len() > CHUNK_BYTES {
            return Err(io::Error::other("the ring has no such slot"));
        }
        self.0.read(slot as usize * CHUNK_BYTES, into);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn chunks_go_through_a_ring() {
        let (mut filler, fd) = Filler::make().expect("shared memory");
        let (drainer, slots) = (Drainer::open(fd).expect("a sealed ring"), Slots::default());
        for round in 0..3 * SLOTS as u8 {
            let slot = filler.fill(&slots, &[round; 100], Duration::ZERO).expect("an empty slot");
            let mut chunk = [0; 100];
            drainer.drain(slot, &mut chunk).expect("a slot of the ring");
            assert_eq!(chunk, [round; 100]);
            assert!(slots.free(slot));
        }
        assert!(!slots.free(0), "a slot is freed once");
        assert!(!slots.free(SLOTS as u64));
    }

    #[test]
    fn a_full_ring_waits_no_longer_than_it_may() {
        let (mut filler, _) = Filler::make().expect("shared memory");
        let slots = Slots::default();
        for _ in 0..SLOTS {
            filler.fill(&slots, &[1], Duration::ZERO).expect("an empty slot");
        }
        let error = filler.fill(&slots, &[1], Duration::ZERO).expect_err("all slots are full");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn memory_that_may_shrink_is_refused() {
        let file = File::open("/dev/zero").expect("every system has it");
        assert!(Drainer::open(file.into()).is_err());
        let (fd, _map) = system::share(CHUNK_BYTES).expect("shared memory");
        assert!(Drainer::open(fd).is_err(), "a ring that is too small");
    }

    #[test]
    fn shared_memory_keeps_its_size_and_takes_no_other_writer() {
        let (fd, _map) = system::share(CHUNK_BYTES).expect("shared memory");
        let file = File::from(fd);
        assert!(file.set_len(1).is_err());
        assert!(file.set_len(2 * CHUNK_BYTES as u64).is_err());
        assert!(io::Write::write(&mut &file, &[1]).is_err());
    }
}
