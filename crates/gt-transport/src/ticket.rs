//! Tickets: the dispatcher's word that a value may travel straight from one process to another.

use std::ffi::CStr;

use gt_core::{Meta, RequestId, Result, SessionId};
use serde::{Deserialize, Serialize};

use crate::bulk::seal;
use crate::hello::Token;

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

/// What a dispatcher makes keys of. It is wiped when it is dropped.
#[derive(Clone, Debug)]
pub struct Secret(Key);

/// What a key is made for. Each has a context of its own, so that no key serves two purposes.
#[derive(Clone, Copy)]
enum Purpose {
    Ticket,
    Token,
}

impl Purpose {
    fn context(self) -> &'static CStr {
        match self {
            Purpose::Ticket => c"gtticket",
            Purpose::Token => c"gt-token",
        }
    }
}

impl Secret {
    /// A secret that nobody else has.
    pub fn random() -> Self {
        Secret(Key::random())
    }

    /// A secret that everybody knows, for tests.
    pub fn known(byte: u8) -> Self {
        Secret(Key([byte; 32]))
    }

    /// The key of one transfer. Nobody without the secret can tell it, even from all others.
    pub fn key(&self, tag: u64) -> Key {
        self.derive(Purpose::Ticket, tag)
    }

    /// What a client shows to go on with its session, and is of use to nobody but itself.
    pub fn token(&self, session: u64, identity: &[u8; 33]) -> Token {
        let key = self.derive(Purpose::Token, session);
        let mut word = seal::hash(&key.0, &[identity]);
        let (token, _) = word.split_first_chunk().expect("a hash is longer than a token");
        let token = Token(*token);
        seal::wipe(&mut word);
        token
    }

    fn derive(&self, purpose: Purpose, number: u64) -> Key {
        let mut key = Key([0; 32]);
        let context = purpose.context();
        assert_eq!(context.count_bytes(), 8, "the library reads eight bytes");
        // SAFETY: the lengths are those of the arrays; the context has eight bytes.
        let status = unsafe {
            libsodium_sys::crypto_kdf_derive_from_key(
                key.0.as_mut_ptr(),
                key.0.len(),
                number,
                context.as_ptr(),
                self.0.0.as_ptr(),
            )
        };
        assert_eq!(status, 0, "the lengths are those that the library asks for");
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_token_is_part_of_a_ticket_or_of_another_token() {
        let secret = Secret::known(7);
        let token = secret.token(5, &[1; 33]);
        assert!(token == secret.token(5, &[1; 33]));
        assert!(token != secret.token(5, &[2; 33]) && token != secret.token(6, &[1; 33]));
        assert!(token != Secret::known(8).token(5, &[1; 33]));
        for tag in [5, 5 | 1 << 63] {
            assert!(secret.key(tag).0[..16] != token.0);
            assert_ne!(secret.key(tag), secret.derive(Purpose::Token, tag));
        }
    }
}
