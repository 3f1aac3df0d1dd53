//! Tickets, and what both sides of a transfer make of one: a key for this transfer alone.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::frame::{Frame, Kind};
use super::seal::{self, Word};

/// A ticket: whoever has it may make one transfer. It travels over the control plane only.
#[derive(Clone, Eq, Serialize, Deserialize)]
pub struct Key(pub [u8; 32]);

impl Key {
    /// A ticket that nobody can guess.
    pub fn random() -> Key {
        Key(seal::random())
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        seal::equal(&self.0, &other.0)
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        seal::wipe(&mut self.0);
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// The direction of a parcel, as the courier sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Way {
    Deliver,
    Fetch,
}

/// The random bytes that the two ends of a connection gave each other when it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Greeting {
    pub courier: Word,
    pub depot: Word,
}

/// One request on one connection, seen by someone who owns the ticket. Its keys are never used for
/// anything else, because the greeting is fresh and the number of the request counts up.
#[derive(Clone)]
pub(super) struct Transfer {
    /// What frames are authenticated with.
    mac: Key,
    /// What chunks are sealed with.
    cipher: Key,
    pub request: u64,
}

impl Transfer {
    pub fn begin(ticket: &Key, way: Way, tag: u64, greeting: &Greeting, request: u64) -> Transfer {
        let way = [match way {
            Way::Deliver => 1,
            Way::Fetch => 2,
        }];
        let (tag, number) = (tag.to_le_bytes(), request.to_le_bytes());
        let key = |purpose: &[u8; 16]| {
            let parts: [&[u8]; 6] =
                [purpose, &way, &tag, &number, &greeting.courier, &greeting.depot];
            Key(seal::hash(&ticket.0, &parts))
        };
        Transfer { mac: key(b"gt bulk frames  "), cipher: key(b"gt bulk chunks  "), request }
    }

    /// A frame of this transfer that proves the ticket, and that both sides mean so many bytes.
    pub fn frame(&self, kind: Kind, value: u64, bytes: usize) -> Frame {
        let mut frame = Frame { kind, request: self.request, value, proof: [0; 32] };
        frame.proof = self.proof(&frame, bytes);
        frame
    }

    /// Whether a frame was made by [`Transfer::frame`] with the same ticket and length.
    pub fn accepts(&self, frame: &Frame, bytes: usize) -> bool {
        frame.request == self.request && seal::equal(&frame.proof, &self.proof(frame, bytes))
    }

    /// Seals a chunk of a parcel of so many bytes; the proof is in the frame.
    pub fn seal(&self, index: u64, bytes: usize, plain: &[u8], sealed: &mut [u8]) -> Frame {
        let mut frame =
            Frame { kind: Kind::Chunk, request: self.request, value: index, proof: [0; 32] };
        let about = self.about(&frame, bytes);
        frame.proof = seal::seal(&self.cipher.0, &nonce(index), &about, plain, sealed);
        frame
    }

    /// Opens a chunk where it lies.
    #[must_use]
    pub fn open(&self, frame: &Frame, bytes: usize, chunk: &mut [u8]) -> bool {
        let about = self.about(frame, bytes);
        seal::open(&self.cipher.0, &nonce(frame.value), &about, chunk, &frame.proof)
    }

    fn proof(&self, frame: &Frame, bytes: usize) -> Word {
        seal::hash(&self.mac.0, &[&self.about(frame, bytes)])
    }

    /// What is authenticated besides a chunk itself: kind, request, index and whole length. The
    /// tag and the direction are part of the key.
    fn about(&self, frame: &Frame, bytes: usize) -> [u8; 32] {
        let mut about = [0; 32];
        about[..24].copy_from_slice(&frame.head());
        about[24..].copy_from_slice(&(bytes as u64).to_le_bytes());
        about
    }
}

impl fmt::Debug for Transfer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transfer({})", self.request)
    }
}

/// Chunks are counted, so that no two of a transfer share a nonce.
fn nonce(index: u64) -> Word {
    let mut nonce = [0; 32];
    nonce[..8].copy_from_slice(&index.to_le_bytes());
    nonce
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greeting() -> Greeting {
        Greeting { courier: seal::random(), depot: seal::random() }
    }

    #[test]
    fn a_ticket_is_not_printed() {
        assert_eq!(format!("{:?}", Key([77; 32])), "Key(…)");
    }

    #[test]
    fn a_proof_holds_for_its_ticket_way_tag_greeting_request_and_length_alone() {
        let (key, greeting) = (Key::random(), greeting());
        let begin = |key: &Key, way, tag, greeting: &Greeting, request| {
            Transfer::begin(key, way, tag, greeting, request)
        };
        let own = begin(&key, Way::Fetch, 7, &greeting, 1);
        let frame = own.frame(Kind::Ready, 3, 100);
        assert!(own.accepts(&frame, 100));
        assert!(!own.accepts(&frame, 101));
        assert!(!own.accepts(&Frame { value: 4, ..frame }, 100));
        assert!(!own.accepts(&Frame { kind: Kind::Done, ..frame }, 100));
        for other in [
            begin(&Key::random(), Way::Fetch, 7, &greeting, 1),
            begin(&key, Way::Deliver, 7, &greeting, 1),
            begin(&key, Way::Fetch, 8, &greeting, 1),
            begin(&key, Way::Fetch, 7, &self::greeting(), 1),
            begin(&key, Way::Fetch, 7, &greeting, 2),
        ] {
            assert!(!other.accepts(&Frame { request: other.request, ..frame }, 100));
        }
    }

    #[test]
    fn each_use_of_a_ticket_has_a_key_of_its_own() {
        let (ticket, greeting) = (Key([7; 32]), Greeting { courier: [1; 32], depot: [2; 32] });
        let transfer = Transfer::begin(&ticket, Way::Fetch, 7, &greeting, 1);
        assert_ne!(transfer.mac, transfer.cipher);
        assert!(transfer.mac != ticket && transfer.cipher != ticket);
    }

    #[test]
    fn a_ticket_is_wiped_when_it_is_dropped() {
        let mut key = std::mem::ManuallyDrop::new(Key([7; 32]));
        // SAFETY: dropped once; the array that is looked at afterwards needs no drop.
        unsafe { std::ptr::drop_in_place(&raw mut *key) };
        assert_eq!(key.0, [0; 32]);
    }

    #[test]
    fn chunks_cannot_be_exchanged() {
        let own = Transfer::begin(&Key::random(), Way::Deliver, 7, &greeting(), 1);
        let mut sealed = [0; 4];
        let frame = own.seal(5, 100, b"text", &mut sealed);
        assert!(!own.open(&Frame { value: 6, ..frame }, 100, &mut sealed.clone()));
        assert!(!own.open(&frame, 99, &mut sealed.clone()));
        assert!(own.open(&frame, 100, &mut sealed));
        assert_eq!(&sealed, b"text");
    }
}
