//! The frames of a channel. Each has a head of one length; only a chunk has bytes behind it.

/// How long the head of every frame is.
pub const HEAD_BYTES: usize = 32;

/// Why a value does not travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    /// One of the two sides gave it up.
    Withdrawn = 1,
    /// The two sides could not reach each other for too long.
    Unreachable = 2,
    /// The receiver has no memory for it.
    NoMemory = 3,
    /// The receiver was never told of it.
    NobodyWaits = 4,
    /// The two sides were told different lengths.
    WrongLength = 5,
}

const REASONS: [Reason; 5] = [
    Reason::Withdrawn,
    Reason::Unreachable,
    Reason::NoMemory,
    Reason::NobodyWaits,
    Reason::WrongLength,
];

/// What one end of a channel tells the other. `seq` counts the values that a side has offered; it
/// stays the same when a value is offered again on another connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The first frame of a connection. `epoch` tells one life of a channel's end from the next.
    Hello {
        /// When this end began to count.
        epoch: u64,
        /// See [`Frame::Release`].
        oldest: u64,
    },
    /// A value is ready to leave.
    Offer {
        /// Its number.
        seq: u64,
        /// What both sides call the transfer.
        tag: u64,
        /// How long it is.
        bytes: u64,
        /// Its only chunk follows without a grant.
        eager: bool,
    },
    /// A value that was to come does not.
    Fail {
        /// Its number.
        seq: u64,
        /// What both sides call the transfer.
        tag: u64,
        /// Why.
        reason: Reason,
    },
    /// Memory is waiting for a value; its bytes may come from this offset on.
    Grant {
        /// Its number.
        seq: u64,
        /// How much of it has arrived.
        offset: u64,
    },
    /// Bytes of a value, which follow.
    Chunk {
        /// Its number.
        seq: u64,
        /// Where they belong.
        offset: u64,
        /// How many follow.
        bytes: u32,
        /// Where they are in the ring of shared memory, if they travel there.
        slot: u8,
    },
    /// A value has arrived whole, or the failure in its place was heard.
    Done {
        /// Its number.
        seq: u64,
    },
    /// The receiver does not take a value.
    Refuse {
        /// Its number.
        seq: u64,
        /// Why.
        reason: Reason,
    },
    /// Every value before this number is settled, and nothing need be remembered of it.
    Release {
        /// The first number that is not settled.
        oldest: u64,
    },
    /// Is somebody there?
    Ping,
    /// Yes.
    Pong,
    /// The ring of shared memory that the sender fills comes with this frame.
    Ring,
    /// A slot of the ring is empty again.
    Free {
        /// Which.
        slot: u8,
    },
}

impl Frame {
    /// The frame as bytes.
    pub fn encode(&self) -> [u8; HEAD_BYTES] {
        let (kind, code, length, words) = match *self {
            Frame::Hello { epoch, oldest } => (1, 0, 0, [epoch, oldest, 0]),
            Frame::Offer { seq, tag, bytes, eager } => (2, u8::from(eager), 0, [seq, tag, bytes]),
            Frame::Fail { seq, tag, reason } => (3, reason as u8, 0, [seq, tag, 0]),
            Frame::Grant { seq, offset } => (4, 0, 0, [seq, offset, 0]),
            Frame::Chunk { seq, offset, bytes, slot } => (5, slot, bytes, [seq, offset, 0]),
            Frame::Done { seq } => (6, 0, 0, [seq, 0, 0]),
            Frame::Refuse { seq, reason } => (7, reason as u8, 0, [seq, 0, 0]),
            Frame::Release { oldest } => (8, 0, 0, [oldest, 0, 0]),
            Frame::Ping => (9, 0, 0, [0; 3]),
            Frame::Pong => (10, 0, 0, [0; 3]),
            Frame::Ring => (11, 0, 0, [0; 3]),
            Frame::Free { slot } => (12, slot, 0, [0; 3]),
        };
        let mut head = [0; HEAD_BYTES];
        (head[0], head[1]) = (kind, code);
        head[4..8].copy_from_slice(&length.to_le_bytes());
        for (at, word) in words.iter().enumerate() {
            head[8 + 8 * at..16 + 8 * at].copy_from_slice(&word.to_le_bytes());
        }
        head
    }

    /// The frame, or `None` if this is not one.
    pub fn decode(head: &[u8; HEAD_BYTES]) -> Option<Frame> {
        let word = |at: usize| {
            let at = 8 + 8 * at;
            u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes"))
        };
        let length = u32::from_le_bytes(head[4..8].try_into().expect("four bytes"));
        let reason = || REASONS.iter().copied().find(|reason| *reason as u8 == head[1]);
        let frame = match head[0] {
            1 => Frame::Hello { epoch: word(0), oldest: word(1) },
            2 => Frame::Offer { seq: word(0), tag: word(1), bytes: word(2), eager: head[1] == 1 },
            3 => Frame::Fail { seq: word(0), tag: word(1), reason: reason()? },
            4 => Frame::Grant { seq: word(0), offset: word(1) },
            5 => Frame::Chunk { seq: word(0), offset: word(1), bytes: length, slot: head[1] },
            6 => Frame::Done { seq: word(0) },
            7 => Frame::Refuse { seq: word(0), reason: reason()? },
            8 => Frame::Release { oldest: word(0) },
            9 => Frame::Ping,
            10 => Frame::Pong,
            11 => Frame::Ring,
            12 => Frame::Free { slot: head[1] },
            _ => return None,
        };
        // Whatever a frame does not use is zero, so that each frame has one form.
        (frame.encode() == *head).then_some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_frame_survives_the_wire_and_has_one_form() {
        for frame in [
            Frame::Hello { epoch: 1, oldest: u64::MAX },
            Frame::Offer { seq: 1, tag: 2, bytes: 3, eager: true },
            Frame::Fail { seq: 1, tag: 2, reason: Reason::WrongLength },
            Frame::Grant { seq: 1, offset: 2 },
            Frame::Chunk { seq: 1, offset: 2, bytes: u32::MAX, slot: 3 },
            Frame::Done { seq: 1 },
            Frame::Refuse { seq: 1, reason: Reason::NoMemory },
            Frame::Release { oldest: 1 },
            Frame::Ping,
            Frame::Pong,
            Frame::Ring,
            Frame::Free { slot: 3 },
        ] {
            let head = frame.encode();
            assert_eq!(Frame::decode(&head), Some(frame));
            let mut padded = head;
            padded[2] = 1;
            assert_eq!(Frame::decode(&padded), None);
        }
        assert_eq!(Frame::decode(&[0; HEAD_BYTES]), None);
        assert_eq!(Frame::decode(&[255; HEAD_BYTES]), None);
    }
}
