//! Tickets: the dispatcher's word that a value may travel straight from one process to another.

use std::ffi::CStr;

use gt_core::{Meta, RequestId, Result, SessionId};
use serde::{Deserialize, Serialize};

use crate::Peer;
use crate::hello::Token;
use crate::region::Region;
use crate::transfers::seal;

pub use crate::transfers::{Address, Key};

/// Leave to move one value once, as one of the two sides gets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ticket {
    /// Whose value it is.
    pub session: SessionId,
    /// What both sides call the transfer.
    pub tag: u64,
    /// The dtype and shape of what travels.
    pub meta: Meta,
    /// What that is of a value which a client has whole; all of it if absent.
    pub region: Option<Region>,
    /// What the side that gets the ticket does.
    pub role: Role,
    /// What travels.
    pub kind: TransferKind,
    /// Who is at the other side.
    pub peer: Peer,
    /// How that is reached.
    pub route: Route,
}

impl Ticket {
    /// The same ticket, if what it speaks of is a tensor that a machine could hold.
    pub(crate) fn checked(mut self: Box<Self>) -> Result<Box<Self>> {
        let Meta { dtype, shape } = self.meta.clone();
        self.meta = Meta { dtype, shape: shape.checked(dtype)? };
        self.region = self.region.take().map(|region| region.checked(&self.meta)).transpose()?;
        Ok(self)
    }
}

/// One side's part in a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// It has the value.
    Send,
    /// It gets the value.
    Receive,
}

/// What travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TransferKind {
    /// Elements that a client announced.
    Upload {
        /// Under this number.
        number: u32,
        /// Tickets for other regions of them follow.
        more: bool,
    },
    /// A value for another worker.
    Handover,
    /// The answer to a read.
    Answer(RequestId),
}

/// The ways from one process to another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Route {
    /// Where the other one listens, given to the one that connects.
    pub direct: Option<Access>,
    /// Where they meet if there is no direct way.
    pub relay: Option<Access>,
}

/// Somewhere to connect to, and what to show there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// Where.
    pub address: Address,
    /// What proves who connects.
    pub key: Key,
}

/// How many bytes of a token say which dispatcher made it; the other twelve cannot be guessed.
const MARK_BYTES: usize = 4;

/// What a dispatcher makes keys of. It is wiped when it is dropped.
#[derive(Clone, Debug)]
pub struct Secret(Key);

/// What a key is made for. Each has a context of its own, so that no key serves two purposes.
#[derive(Clone, Copy)]
enum Purpose {
    Data,
    Token,
}

impl Purpose {
    fn context(self) -> &'static CStr {
        match self {
            Purpose::Data => c"gt--data",
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

    /// What whoever listens for tensor data knows, and [`Key::for_peer`] is shown to. Nobody
    /// without the secret can tell it from all others.
    pub fn listener(&self, peer: Peer) -> Key {
        self.derive(Purpose::Data, 0).for_peer(peer)
    }

    /// What a client shows to go on with its session, and is of use to nobody but itself. It begins
    /// with bytes that are the same in all tokens of this secret.
    pub fn token(&self, session: u64, identity: &[u8; 33]) -> Token {
        let key = self.derive(Purpose::Token, session);
        let mut word = seal::hash(&key.0, &[identity]);
        let (token, _) = word.split_first_chunk().expect("a hash is longer than a token");
        let mut token = Token(*token);
        token.0[..MARK_BYTES].copy_from_slice(&self.mark());
        seal::wipe(&mut word);
        token
    }

    /// Whether a token is one of this secret, for whichever client. That proves nothing: it tells a
    /// client of this dispatcher from one of the dispatcher before it.
    pub fn has_made(&self, token: &Token) -> bool {
        token.0[..MARK_BYTES] == self.mark()
    }

    /// What tokens of this secret begin with. No session has the number zero.
    fn mark(&self) -> [u8; MARK_BYTES] {
        let key = self.derive(Purpose::Token, 0);
        let (mark, _) = key.0.split_first_chunk().expect("a key is longer than a mark");
        *mark
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
    fn no_token_is_part_of_a_key_or_of_another_token() {
        let secret = Secret::known(7);
        let token = secret.token(5, &[1; 33]);
        assert!(token == secret.token(5, &[1; 33]));
        assert!(token != secret.token(5, &[2; 33]) && token != secret.token(6, &[1; 33]));
        assert!(token != Secret::known(8).token(5, &[1; 33]));
        let listener = secret.listener(Peer::Client(SessionId(5)));
        assert!(listener.0[..16] != token.0);
        assert_ne!(secret.derive(Purpose::Data, 5), secret.derive(Purpose::Token, 5));
        assert_ne!(listener, secret.listener(Peer::Worker(gt_core::WorkerId(5))));
    }
}
