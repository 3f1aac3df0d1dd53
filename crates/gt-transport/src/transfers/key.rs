//! The secrets of the data plane: what two processes prove to each other before anything travels.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::seal;

/// A secret that travels over the control plane only. It is wiped when it is dropped.
#[derive(Clone, Eq, Serialize, Deserialize)]
pub struct Key(pub [u8; 32]);

impl Key {
    /// A key that nobody can guess.
    pub fn random() -> Key {
        Key(seal::random())
    }

    /// What `from` shows to whoever listens with this key.
    pub fn for_peer(&self, from: crate::Peer) -> Key {
        Key(seal::hash(&self.0, &[b"gt data channel ", &from.to_bytes()]))
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

#[cfg(test)]
mod tests {
    use gt_core::{SessionId, WorkerId};

    use super::*;
    use crate::Peer;

    #[test]
    fn a_key_is_not_printed() {
        assert_eq!(format!("{:?}", Key([77; 32])), "Key(…)");
    }

    #[test]
    fn every_peer_has_a_key_of_its_own() {
        let listener = Key([1; 32]);
        let peers = [Peer::Client(SessionId(1)), Peer::Worker(WorkerId(1)), Peer::Relay];
        for (at, one) in peers.iter().enumerate() {
            assert!(listener.for_peer(*one) != listener);
            assert!(listener.for_peer(*one) != Key([2; 32]).for_peer(*one));
            for other in &peers[at + 1..] {
                assert!(listener.for_peer(*one) != listener.for_peer(*other));
            }
        }
    }

    #[test]
    fn a_key_is_wiped_when_it_is_dropped() {
        let mut key = std::mem::ManuallyDrop::new(Key([7; 32]));
        // SAFETY: dropped once; the array that is looked at afterwards needs no drop.
        unsafe { std::ptr::drop_in_place(&raw mut *key) };
        assert_eq!(key.0, [0; 32]);
    }
}
