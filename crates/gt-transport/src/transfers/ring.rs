//! A ring of slots in shared memory: one side fills a slot, the other empties it and says so. Both
//! copy at the same time, and the same few slots stay in the processor's cache.

use std::io;
use std::os::fd::OwnedFd;

use super::machine::CHUNK_BYTES;
use super::system::{self, Map};

const SLOTS: usize = 4;

/// The side that fills.
#[derive(Debug)]
pub(super) struct Filler {
    map: Map,
    empty: [bool; SLOTS],
}

impl Filler {
    /// Makes a ring, and the descriptor that the peer is given.
    pub fn make() -> io::Result<(Filler, OwnedFd)> {
        let (fd, map) = system::share(SLOTS * CHUNK_BYTES)?;
        Ok((Filler { map, empty: [true; SLOTS] }, fd))
    }

    /// Copies a chunk into a slot, if one is empty.
    pub fn fill(&mut self, chunk: &[u8]) -> Option<u8> {
        assert!(chunk.len() <= CHUNK_BYTES, "a chunk fits a slot");
        let slot = self.empty.iter().position(|empty| *empty)?;
        self.empty[slot] = false;
        self.map.write(slot * CHUNK_BYTES, chunk);
        Some(slot as u8)
    }

    /// The peer has emptied a slot; false if it was not full.
    #[must_use]
    pub fn free(&mut self, slot: u8) -> bool {
        let empty = self.empty.get_mut(usize::from(slot));
        empty.is_some_and(|empty| !std::mem::replace(empty, true))
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
    pub fn drain(&self, slot: u8, into: &mut [u8]) -> io::Result<()> {
        if usize::from(slot) >= SLOTS || into.len() > CHUNK_BYTES {
            return Err(io::Error::other("the ring has no such slot"));
        }
        self.0.read(usize::from(slot) * CHUNK_BYTES, into);
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
        let drainer = Drainer::open(fd).expect("a sealed ring");
        for round in 0..3 * SLOTS as u8 {
            let slot = filler.fill(&[round; 100]).expect("an empty slot");
            let mut chunk = [0; 100];
            drainer.drain(slot, &mut chunk).expect("a slot of the ring");
            assert_eq!(chunk, [round; 100]);
            assert!(filler.free(slot));
        }
        assert!(!filler.free(0), "a slot is freed once");
        assert!(!filler.free(SLOTS as u8));
        assert!(drainer.drain(SLOTS as u8, &mut []).is_err());
    }

    #[test]
    fn a_full_ring_takes_nothing() {
        let (mut filler, _) = Filler::make().expect("shared memory");
        (0..SLOTS).for_each(|_| assert!(filler.fill(&[1]).is_some()));
        assert_eq!(filler.fill(&[1]), None);
        assert!(filler.free(2));
        assert_eq!(filler.fill(&[1]), Some(2));
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
