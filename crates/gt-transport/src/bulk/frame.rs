//! The frames of the data plane. All have one length, and none has a length in it.

use super::seal::Word;

const MAGIC: [u8; 4] = *b"GTbk";
const VERSION: u8 = 1;

/// How long every frame is.
pub(super) const FRAME_BYTES: usize = 56;
/// How long the first bytes on a connection are.
pub(super) const HELLO_BYTES: usize = 40;

/// What a frame says. Courier and depot each send only their own kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// The courier has a parcel for the tag in `value`.
    Deliver = 1,
    /// The courier wants what is put under the tag in `value`.
    Fetch = 2,
    /// The courier takes a request back, or stops in the middle of a delivery.
    Cancel = 3,
    /// The depot waits for the chunks of a delivery, or begins to send those of a fetch.
    Ready = 4,
    /// A piece of a parcel: `value` is its index over TCP, or its slot in the ring.
    Chunk = 5,
    /// The depot has a delivery, whole.
    Done = 6,
    /// The depot does not want a delivery, or has nothing for a fetch, any more.
    Withdrawn = 7,
    /// The depot does not believe a request or cannot meet it; `value` says why.
    Refused = 8,
    /// Whoever sends parcels hands over its ring of slots.
    Ring = 9,
    /// Whoever receives parcels has emptied the slot in `value`.
    Free = 10,
    /// What was asked for lies in the segment in `value`.
    Loan = 11,
    /// The courier gives the segment in `value` back.
    Return = 12,
    /// The segment in `value` will not be lent again.
    Forget = 13,
}

const KINDS: [Kind; 13] = [
    Kind::Deliver,
    Kind::Fetch,
    Kind::Cancel,
    Kind::Ready,
    Kind::Chunk,
    Kind::Done,
    Kind::Withdrawn,
    Kind::Refused,
    Kind::Ring,
    Kind::Free,
    Kind::Loan,
    Kind::Return,
    Kind::Forget,
];

/// One message of the data plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub kind: Kind,
    /// Counts the requests of a connection; every answer names its own.
    pub request: u64,
    pub value: u64,
    /// Made with the ticket where a frame needs it, else zero.
    pub proof: Word,
}

impl Frame {
    /// A frame that needs no proof.
    pub fn plain(kind: Kind, request: u64, value: u64) -> Frame {
        Frame { kind, request, value, proof: [0; 32] }
    }

    /// All but the proof.
    pub fn head(&self) -> [u8; 24] {
        let mut head = [0; 24];
        head[..4].copy_from_slice(&MAGIC);
        head[4] = VERSION;
        head[5] = self.kind as u8;
        head[8..16].copy_from_slice(&self.request.to_le_bytes());
        head[16..].copy_from_slice(&self.value.to_le_bytes());
        head
    }

    pub fn encode(&self) -> [u8; FRAME_BYTES] {
        let mut bytes = [0; FRAME_BYTES];
        bytes[..24].copy_from_slice(&self.head());
        bytes[24..].copy_from_slice(&self.proof);
        bytes
    }

    /// The frame, or `None` if this is not one.
    pub fn decode(bytes: &[u8; FRAME_BYTES]) -> Option<Frame> {
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"));
        let frame = Frame {
            kind: *KINDS.iter().find(|kind| **kind as u8 == bytes[5])?,
            request: number(8),
            value: number(16),
            proof: bytes[24..].try_into().expect("thirty-two"),
        };
        (frame.head() == bytes[..24]).then_some(frame)
    }
}

/// The first bytes on a connection: who speaks, and a fresh random word.
pub(super) fn hello(word: &Word) -> [u8; HELLO_BYTES] {
    let mut bytes = [0; HELLO_BYTES];
    bytes[..4].copy_from_slice(&MAGIC);
    bytes[4] = VERSION;
    bytes[8..].copy_from_slice(word);
    bytes
}

/// The random word of a hello, or `None` if this is not one.
pub(super) fn heard(bytes: &[u8; HELLO_BYTES]) -> Option<Word> {
    let word = bytes[8..].try_into().expect("thirty-two");
    (hello(&word) == *bytes).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_survives_the_wire() {
        for kind in KINDS {
            let frame = Frame { kind, request: 3, value: u64::MAX - 1, proof: [9; 32] };
            assert_eq!(Frame::decode(&frame.encode()), Some(frame));
        }
    }

    #[test]
    fn a_changed_head_is_no_frame() {
        let bytes = Frame::plain(Kind::Done, 1, 2).encode();
        for at in [0, 1, 2, 3, 4, 5, 6, 7] {
            let mut changed = bytes;
            changed[at] ^= 0x80;
            assert_eq!(Frame::decode(&changed), None, "byte {at}");
        }
    }

    #[test]
    fn a_hello_is_heard() {
        assert_eq!(heard(&hello(&[5; 32])), Some([5; 32]));
        assert_eq!(heard(&[0; HELLO_BYTES]), None);
    }
}
