//! How two processes prove to each other who they are before anything travels: the Noise protocol
//! with a key that both were given, and fresh keys for each direction of the connection.
//!
//! ```text
//! connects  Hello, e            in the clear: who connects to whom; the start of the key exchange
//! listens   e, ee, its key      encrypted, and proves that it knows the key of the pair
//! connects  its key             encrypted, and proves the same
//! ```
//!
//! The Hello is part of what is authenticated, so that the keys are bound to the two processes.
//! What each side encrypts afterwards is sealed with a key that it has sent here, which nobody
//! learns who gets to know the key of the pair later.

use snow::{Builder, HandshakeState, TransportState};

use super::key::Key;
use super::machine::Violation;
use super::seal;
use crate::Peer;

const PATTERN: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2b";
const MAGIC: [u8; 5] = *b"GTdp\x02";
/// How long the first bytes are, in the clear.
pub const HELLO_BYTES: usize = 32;
const FIRST_BYTES: usize = HELLO_BYTES + 48;
const SECOND_BYTES: usize = 80;
const THIRD_BYTES: usize = 48;

/// Who connects to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Who connects.
    pub from: Peer,
    /// Who listens.
    pub to: Peer,
    /// Whom it wants to meet there, if it is a relay.
    pub mate: Option<Peer>,
}

impl Hello {
    fn encode(&self) -> [u8; HELLO_BYTES] {
        let mut bytes = [0; HELLO_BYTES];
        bytes[..5].copy_from_slice(&MAGIC);
        bytes[5..14].copy_from_slice(&self.from.to_bytes());
        bytes[14..23].copy_from_slice(&self.to.to_bytes());
        if let Some(mate) = self.mate {
            bytes[23..].copy_from_slice(&mate.to_bytes());
        }
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Hello> {
        let peer = |at: usize| Peer::from_bytes(bytes.get(at..at + 9)?.try_into().ok()?);
        let hello = Hello { from: peer(5)?, to: peer(14)?, mate: peer(23) };
        (hello.encode() == *bytes).then_some(hello)
    }
}

/// What the two sides have agreed on.
#[derive(Debug)]
pub struct Established {
    /// Who connected to whom.
    pub hello: Hello,
    /// What this side seals with.
    pub sending: Key,
    /// What the other side seals with.
    pub receiving: Key,
}

/// One side of a handshake that has begun.
pub struct Handshake {
    stage: Stage,
    own: Key,
    input: Vec<u8>,
    need: usize,
    output: Vec<u8>,
}

enum Stage {
    /// Listens, and has heard nothing.
    Fresh,
    /// Connects, and has said its first words.
    Asked(Hello, Box<HandshakeState>),
    /// Listens, and has answered.
    Answered {
        hello: Hello,
        state: Box<TransportState>,
    },
    Over,
}

impl Handshake {
    /// The side that connects.
    pub fn connect(hello: Hello, key: &Key) -> Handshake {
        let prologue = hello.encode();
        let mut state = builder(&prologue, key, |builder| builder.build_initiator());
        let mut output = vec![0; FIRST_BYTES];
        output[..HELLO_BYTES].copy_from_slice(&prologue);
        let wrote = state.write_message(&[], &mut output[HELLO_BYTES..]);
        assert_eq!(wrote.ok(), Some(FIRST_BYTES - HELLO_BYTES), "lengths follow from the pattern");
        let stage = Stage::Asked(hello, Box::new(state));
        Handshake { stage, own: Key::random(), input: Vec::new(), need: SECOND_BYTES, output }
    }

    /// The side that listens.
    pub fn listen() -> Handshake {
        let (input, output) = (Vec::new(), Vec::new());
        Handshake { stage: Stage::Fresh, own: Key::random(), input, need: FIRST_BYTES, output }
    }

    /// Bytes to be sent.
    pub fn output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output)
    }

    /// How many bytes of the other side are missing. More than these belong to what follows.
    pub fn missing(&self) -> usize {
        self.need - self.input.len()
    }

    /// Takes in at most as many bytes as are missing. `key_of` gives the key of whoever connects.
    /// When it is over, what is left of [`Handshake::output`] is still to be sent.
    pub fn hear(
        &mut self,
        bytes: &[u8],
        key_of: impl FnOnce(&Hello) -> Option<Key>,
    ) -> Result<Option<Established>, Violation> {
        self.input.extend_from_slice(bytes);
        if self.input.len() < self.need {
            return Ok(None);
        }
        let input = std::mem::take(&mut self.input);
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Fresh => {
                let (head, words) = input.split_at(HELLO_BYTES);
                let hello = Hello::decode(head).ok_or(STRANGE)?;
                let key = key_of(&hello).ok_or(Violation("it is not who it says it is"))?;
                self.answer(hello, &key, head, words)?;
                Ok(None)
            }
            Stage::Asked(hello, mut state) => {
                let mut theirs = Key([0; 32]);
                let read = state.read_message(&input, &mut theirs.0);
                read.map_err(|_| Violation("it does not know the key"))?;
                let mut state = state.into_transport_mode().map_err(|_| STRANGE)?;
                self.output = vec![0; THIRD_BYTES];
                let wrote = state.write_message(&self.own.0, &mut self.output);
                assert_eq!(wrote.ok(), Some(THIRD_BYTES), "lengths follow from the pattern");
                Ok(Some(self.established(hello, theirs)))
            }
            Stage::Answered { hello, mut state } => {
                let mut theirs = Key([0; 32]);
                let read = state.read_message(&input, &mut theirs.0);
                read.map_err(|_| Violation("it does not know the key"))?;
                Ok(Some(self.established(hello, theirs)))
            }
            Stage::Over => Err(STRANGE),
        }
    }

    fn answer(
        &mut self,
        hello: Hello,
        key: &Key,
        head: &[u8],
        words: &[u8],
    ) -> Result<(), Violation> {
        let mut state = builder(head, key, |builder| builder.build_responder());
        let read = state.read_message(words, &mut []);
        read.map_err(|_| Violation("it does not know the key"))?;
        self.output = vec![0; SECOND_BYTES];
        let wrote = state.write_message(&self.own.0, &mut self.output);
        assert_eq!(wrote.ok(), Some(SECOND_BYTES), "lengths follow from the pattern");
        let state = Box::new(state.into_transport_mode().map_err(|_| STRANGE)?);
        self.stage = Stage::Answered { hello, state };
        self.need = THIRD_BYTES;
        Ok(())
    }

    fn established(&self, hello: Hello, receiving: Key) -> Established {
        Established { hello, sending: self.own.clone(), receiving }
    }
}

const STRANGE: Violation = Violation("it does not speak the protocol of the data plane");

fn builder(
    prologue: &[u8],
    key: &Key,
    build: impl FnOnce(Builder<'_>) -> Result<HandshakeState, snow::Error>,
) -> HandshakeState {
    let params = PATTERN.parse().expect("a pattern of the library");
    // The listener's own secret is hashed once more, so that no key serves two purposes.
    let psk = seal::hash(&key.0, &[b"gt data handshake"]);
    let builder = Builder::new(params).prologue(prologue).and_then(|b| b.psk(0, &psk));
    build(builder.expect("each is set once")).expect("the pattern needs nothing else")
}

#[cfg(test)]
mod tests {
    use gt_core::{SessionId, WorkerId};

    use super::*;

    const HELLO: Hello =
        Hello { from: Peer::Client(SessionId(7)), to: Peer::Worker(WorkerId(1)), mate: None };

    /// Lets two sides talk, with what the first says passed through `wire`.
    fn talk(
        own: &Key,
        theirs: &Key,
        wire: impl Fn(usize, &mut Vec<u8>),
    ) -> Result<(Established, Established), Violation> {
        let (mut asks, mut answers) = (Handshake::connect(HELLO, own), Handshake::listen());
        let mut first = asks.output();
        wire(0, &mut first);
        answers.hear(&first, |_| Some(theirs.clone()))?;
        let mut second = answers.output();
        wire(1, &mut second);
        let one = asks.hear(&second, |_| None)?.ok_or(STRANGE)?;
        let mut third = asks.output();
        wire(2, &mut third);
        let other = answers.hear(&third, |_| None)?.ok_or(STRANGE)?;
        Ok((one, other))
    }

    #[test]
    fn both_sides_agree_on_fresh_keys() {
        let key = Key::random();
        let (one, other) = talk(&key, &key, |_, _| {}).expect("they know the same key");
        assert!(one.sending == other.receiving && one.receiving == other.sending);
        assert!(one.sending != one.receiving && other.hello == HELLO);
        let (again, _) = talk(&key, &key, |_, _| {}).expect("they know the same key");
        assert!(again.sending != one.sending && again.receiving != one.receiving);
    }

    #[test]
    fn another_key_or_any_changed_byte_ends_it() {
        let key = Key::random();
        assert!(talk(&key, &Key::random(), |_, _| {}).is_err());
        for (message, bytes) in [FIRST_BYTES, SECOND_BYTES, THIRD_BYTES].into_iter().enumerate() {
            for at in 0..bytes {
                let flip = |number: usize, text: &mut Vec<u8>| {
                    if number == message {
                        text[at] ^= 1;
                    }
                };
                assert!(talk(&key, &key, flip).is_err(), "byte {at} of message {message}");
            }
        }
    }

    #[test]
    fn a_recorded_handshake_is_good_for_nothing() {
        let key = Key::random();
        let mut asks = Handshake::connect(HELLO, &key);
        let first = asks.output();
        let mut answers = Handshake::listen();
        answers.hear(&first, |_| Some(key.clone())).expect("it is right");
        let second = answers.output();
        asks.hear(&second, |_| None).expect("it is right");
        let third = asks.output();
        let mut later = Handshake::listen();
        later.hear(&first, |_| Some(key.clone())).expect("the first words can be repeated");
        later.output();
        assert!(later.hear(&third, |_| None).is_err(), "but not the last");
    }
}
