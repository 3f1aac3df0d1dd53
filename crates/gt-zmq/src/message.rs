//! One frame of a message, in libzmq's memory or in ours, without copying large ones.

use std::ffi::{CStr, c_void};

use bytes::Bytes;

use crate::Error;
use crate::ffi::{self, RawMessage};
use crate::waiting::Mark;

/// Frames up to this size are copied: that costs less than sharing them.
pub const COPIED_BYTES: usize = 4096;

/// What libzmq is lent: bytes, and perhaps a mark.
type Owner = (Bytes, Option<Mark>);

/// A frame that belongs to libzmq. It has a place of its own, because it may not be moved.
pub struct Message(Box<RawMessage>);

// SAFETY: a message may go to another thread; libzmq counts what it shares atomically.
unsafe impl Send for Message {}
// SAFETY: what takes `&self` only reads.
unsafe impl Sync for Message {}

impl Message {
    /// A frame without bytes.
    pub fn empty() -> Message {
        let mut raw = Box::new(RawMessage::zeroed());
        // SAFETY: the place is writable and holds no message yet; this cannot fail.
        unsafe { ffi::zmq_msg_init(&raw mut *raw) };
        Message(raw)
    }

    /// A frame that keeps `data` for as long as libzmq needs it, and a mark with it.
    pub fn sharing(data: &Bytes, mark: Option<Mark>) -> Result<Message, Error> {
        let mut raw = Box::new(RawMessage::zeroed());
        let start = data.as_ptr().cast_mut().cast::<c_void>();
        let owner: *mut Owner = Box::into_raw(Box::new((data.clone(), mark)));
        // SAFETY: the bytes stay where they are until `release` drops the owner, and libzmq does
        // not write to the data of a message that it sends.
        let outcome = unsafe {
            ffi::zmq_msg_init_data(&raw mut *raw, start, data.len(), release, owner.cast())
        };
        if outcome == 0 {
            return Ok(Message(raw));
        }
        // SAFETY: libzmq has not taken the owner, so it is ours again.
        drop(unsafe { Box::from_raw(owner) });
        Err(Error::last("make a message"))
    }

    /// For calls of libzmq that fill or empty the frame.
    pub fn raw(&mut self) -> *mut RawMessage {
        &raw mut *self.0
    }

    /// Whether more frames of the same message follow.
    pub fn has_more(&self) -> bool {
        // SAFETY: the message is initialised.
        unsafe { ffi::zmq_msg_more(&raw const *self.0) != 0 }
    }

    /// What is known of the connection the frame came from.
    pub fn property(&self, name: &CStr) -> Option<&str> {
        // SAFETY: message and name are valid; the text lives as long as the message.
        let text = unsafe { ffi::zmq_msg_gets(&raw const *self.0, name.as_ptr()) };
        if text.is_null() {
            return None;
        }
        // SAFETY: not null, hence a text that ends with a zero.
        unsafe { CStr::from_ptr(text) }.to_str().ok()
    }

    /// The bytes of the frame; an empty frame stays in its place.
    pub fn take(&mut self) -> Bytes {
        if self.as_ref().len() <= COPIED_BYTES {
            return Bytes::copy_from_slice(self.as_ref());
        }
        Bytes::from_owner(std::mem::replace(self, Message::empty()))
    }
}

impl AsRef<[u8]> for Message {
    fn as_ref(&self) -> &[u8] {
        let raw = &raw const *self.0;
        // SAFETY: the message is initialised, and its data lives and stays as long as it does.
        unsafe {
            let size = ffi::zmq_msg_size(raw);
            if size == 0 {
                return &[];
            }
            std::slice::from_raw_parts(ffi::zmq_msg_data(raw).cast(), size)
        }
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        // SAFETY: the message is initialised and not used again.
        unsafe { ffi::zmq_msg_close(&raw mut *self.0) };
    }
}

/// Drops the owner of data that libzmq has sent.
unsafe extern "C" fn release(_data: *mut c_void, owner: *mut c_void) {
    // SAFETY: `owner` is the box that `Message::sharing` has given away, and comes back once.
    drop(unsafe { Box::from_raw(owner.cast::<Owner>()) });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    struct Counted(Vec<u8>, Arc<AtomicUsize>);

    impl AsRef<[u8]> for Counted {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    impl Drop for Counted {
        fn drop(&mut self) {
            self.1.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_shared_frame_is_the_same_memory_and_lets_go_of_it_once() {
        let drops = Arc::new(AtomicUsize::new(0));
        let data = Bytes::from_owner(Counted(vec![7; 10_000], drops.clone()));
        let mut message = Message::sharing(&data, None).unwrap();
        assert_eq!(message.as_ref().as_ptr(), data.as_ptr());
        let taken = message.take();
        assert_eq!(taken.as_ptr(), data.as_ptr());
        drop((data, message));
        assert_eq!(drops.load(Ordering::SeqCst), 0);
        drop(taken);
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_small_frame_is_copied() {
        let data = Bytes::from(vec![7; COPIED_BYTES]);
        let mut message = Message::sharing(&data, None).unwrap();
        let taken = message.take();
        assert_eq!(taken, data);
        assert_ne!(taken.as_ptr(), data.as_ptr());
    }
}
