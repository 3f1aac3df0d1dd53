//! Tickets: the dispatcher's word that a value may travel straight from one process to another.

use gt_core::{Meta, RequestId, Result, SessionId};
use serde::{Deserialize, Serialize};

pub use crate::bulk::{Address, Key};

/// Leave to move one value once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ticket {
    /// Whose value it is.
    pub session: SessionId,
    /// What both sides call the transfer.
    pub tag: u64,
    /// What both sides show each other.
    pub key: Key,
    /// What to do with it.
    pub errand: Errand,
}

impl Ticket {
    /// The same ticket, if what it speaks of is a tensor that a machine could hold.
    pub(crate) fn checked(mut self: Box<Self>) -> Result<Box<Self>> {
        if let Errand::Expect(meta) | Errand::Fetch(_, meta, _) = &mut self.errand {
            let Meta { dtype, shape } = meta.clone();
            *meta = Meta { dtype, shape: shape.checked(dtype)? };
        }
        Ok(self)
    }
}

/// One side's part in a transfer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Errand {
    /// Somebody will bring a value.
    Expect(Meta),
    /// Bring something to this address.
    Deliver(Goods, Address),
    /// Somebody will fetch the answer to a read.
    Offer(RequestId),
    /// Fetch something from this address.
    Fetch(Wanted, Meta, Address),
}

/// What is to be brought somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Goods {
    /// The elements that a client announced under this number.
    Upload(u32),
    /// What a worker hands over under the ticket's tag.
    Handover,
    /// The answer to a read.
    Answer(RequestId),
}

/// What something that was fetched is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wanted {
    /// The value that the ticket's tag names in the stream.
    Handover,
    /// The answer to a read.
    Answer(RequestId),
}

/// What a dispatcher makes keys of.
#[derive(Clone, Debug)]
pub struct Secret(Key);

impl Secret {
    /// A secret that nobody else has.
    pub fn random() -> Self {
        let mut key = [0; 32];
        // SAFETY: the length is that of the array.
        unsafe {
            libsodium_sys::sodium_init();
            libsodium_sys::randombytes_buf(key.as_mut_ptr().cast(), key.len());
        }
        Secret(Key(key))
    }

    /// A secret that everybody knows, for tests.
    pub fn known(byte: u8) -> Self {
        Secret(Key([byte; 32]))
    }

    /// The key of one transfer. Nobody without the secret can tell it, even from all others.
    pub fn key(&self, tag: u64) -> Key {
        let mut key = [0; 32];
        let purpose = c"gt-ticke";
        // SAFETY: the lengths are those of the arrays; the purpose has eight bytes.
        let status = unsafe {
            libsodium_sys::crypto_kdf_derive_from_key(
                key.as_mut_ptr(),
                key.len(),
                tag,
                purpose.as_ptr(),
                self.0.0.as_ptr(),
            )
        };
        assert_eq!(status, 0, "the lengths are those that the library asks for");
        Key(key)
    }
}
