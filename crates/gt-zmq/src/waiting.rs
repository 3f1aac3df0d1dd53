//! How many bytes wait to leave for a peer. libzmq counts messages and tells nobody; but it lets go
//! of what it was lent, in the order in which it was sent, so that a mark now and then tells how
//! far it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

/// A message behind so many bytes has a mark.
const MARK_BYTES: u64 = 64 << 10;
/// What libzmq needs for a frame besides its bytes.
const FRAME_BYTES: u64 = 64;

/// What was sent to a peer, and how much of it has left.
#[derive(Debug, Default)]
pub struct Waiting {
    sent: u64,
    marked: u64,
    left: Arc<AtomicU64>,
}

/// Goes with a frame; when it is dropped, everything before it has left.
#[derive(Debug)]
pub struct Mark {
    at: u64,
    left: Arc<AtomicU64>,
}

impl Drop for Mark {
    fn drop(&mut self) {
        self.left.fetch_max(self.at, Ordering::Relaxed);
    }
}

impl Waiting {
    /// Counts a message; gives what is to go with its last frame, if something is.
    pub fn add(&mut self, frames: &[Bytes]) -> Option<Mark> {
        self.sent += frames.iter().map(|frame| frame.len() as u64 + FRAME_BYTES).sum::<u64>();
        if self.sent - self.marked < MARK_BYTES {
            return None;
        }
        self.marked = self.sent;
        Some(Mark { at: self.sent, left: self.left.clone() })
    }

    /// Bytes that may wait, up to what lies between two marks too many.
    pub fn bytes(&self) -> u64 {
        self.sent - self.left.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_let_go_does_not_wait() {
        let mut waiting = Waiting::default();
        let frames = [Bytes::from_static(&[0; 8]), Bytes::from_static(&[0; 4096])];
        let mut marks: Vec<Mark> = (0..64).filter_map(|_| waiting.add(&frames)).collect();
        assert_eq!((marks.len(), waiting.bytes()), (4, 64 * (4104 + 2 * FRAME_BYTES)));
        drop(marks.remove(0));
        assert_eq!(waiting.bytes(), 48 * (4104 + 2 * FRAME_BYTES));
        drop(marks);
        assert!(waiting.bytes() < MARK_BYTES);
    }
}
