//! A conversation that can outlive its connection. Messages are numbered; what the other side has
//! not confirmed is kept, so that it can be said again over the next connection.

use std::collections::VecDeque;

use bytes::Bytes;
use gt_core::{Error, Result};

use crate::Message;
use crate::codec::{self, Frames, Limits};

/// Bytes of messages that may wait for their confirmation.
const MAX_UNCONFIRMED_BYTES: usize = 256 << 20;

/// One side of a conversation.
#[derive(Debug, Default)]
pub struct Conversation {
    /// The number of the first message that is kept.
    first: u64,
    kept: VecDeque<Vec<Bytes>>,
    kept_bytes: usize,
    received: u64,
    /// Whether what was said is forgotten at once.
    forgetful: bool,
}

/// What to do with a message that came.
#[derive(Debug, PartialEq)]
pub enum Heard {
    /// It is the next one.
    New(Message),
    /// It was there already, and was said again.
    Known,
}

impl Conversation {
    /// A conversation that ends with its connection, so that nothing is kept.
    pub fn forgetful() -> Self {
        Conversation { forgetful: true, ..Conversation::default() }
    }

    /// How many messages of the other side have arrived.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// The parts in which a message travels. It is kept until it is confirmed.
    pub fn say(&mut self, message: &Message) -> Result<Vec<Bytes>> {
        let parts = parts_of(self.first + self.kept.len() as u64, message);
        if self.forgetful {
            self.first += 1;
            return Ok(parts);
        }
        self.kept_bytes += parts.iter().map(Bytes::len).sum::<usize>();
        if self.kept_bytes > MAX_UNCONFIRMED_BYTES {
            return Err(Error::Lost("the other side has confirmed nothing for too long".into()));
        }
        self.kept.push_back(parts.clone());
        Ok(parts)
    }

    /// The other side has this many messages.
    pub fn confirm(&mut self, received: u64) -> Result<()> {
        if self.forgetful {
            return Ok(());
        }
        if received > self.first + self.kept.len() as u64 {
            return Err(Error::bug(format!("{received} messages arrived of fewer")));
        }
        while self.first < received {
            let parts = self.kept.pop_front().expect("it is not confirmed twice");
            self.kept_bytes -= parts.iter().map(Bytes::len).sum::<usize>();
            self.first += 1;
        }
        Ok(())
    }

    /// What the other side does not have, if it has `received` messages.
    pub fn repeat(&mut self, received: u64) -> Result<impl Iterator<Item = Vec<Bytes>>> {
        if received < self.first {
            return Err(Error::Lost("messages are missing that nobody has any more".into()));
        }
        self.confirm(received)?;
        Ok(self.kept.iter().cloned())
    }

    /// Takes in the parts of a message.
    pub fn hear(&mut self, parts: Vec<Bytes>, limits: &Limits) -> Result<Heard> {
        let (number, message) = open(parts, limits)?;
        if number < self.received {
            return Ok(Heard::Known);
        }
        if number > self.received {
            let missing = number - self.received;
            return Err(Error::Lost(format!("{missing} messages were lost on the way")));
        }
        self.received += 1;
        Ok(Heard::New(message))
    }
}

/// A message outside of any conversation: a first word, or a beat.
pub fn aside(message: &Message) -> Vec<Bytes> {
    parts_of(ASIDE, message)
}

/// The number of messages that are not counted.
const ASIDE: u64 = u64::MAX;

/// The message, if it is outside of any conversation.
pub fn open_aside(parts: &[Bytes], limits: &Limits) -> Result<Option<Message>> {
    if parts.first().map(|first| &first[..]) != Some(&ASIDE.to_le_bytes()) {
        return Ok(None);
    }
    open(parts.to_vec(), limits).map(|(_, message)| Some(message))
}

fn parts_of(number: u64, message: &Message) -> Vec<Bytes> {
    let Frames { head, payloads } = codec::encode(message);
    let number = Bytes::copy_from_slice(&number.to_le_bytes());
    [number, head].into_iter().chain(payloads).collect()
}

fn open(mut parts: Vec<Bytes>, limits: &Limits) -> Result<(u64, Message)> {
    if parts.len() < 2 {
        return Err(Error::bug(format!("a message of {} parts", parts.len())));
    }
    let payloads = parts.split_off(2);
    let head = parts.pop().unwrap_or_default();
    let number = parts.pop().unwrap_or_default();
    let number =
        <[u8; 8]>::try_from(&number[..]).map_err(|_| Error::bug("a message without a number"))?;
    let message = codec::decode(Frames { head, payloads }, limits)?;
    Ok((u64::from_le_bytes(number), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(side: &mut Conversation, parts: Vec<Bytes>) -> Result<Heard> {
        side.hear(parts, &Limits::default())
    }

    #[test]
    fn what_was_lost_is_said_again_and_nothing_is_heard_twice() {
        let (mut here, mut there) = (Conversation::default(), Conversation::default());
        let session = |n| Message::Forget { session: gt_core::SessionId(n) };
        let said: Vec<_> = (0..5).map(|n| here.say(&session(n)).unwrap()).collect();
        assert_eq!(heard(&mut there, said[0].clone()), Ok(Heard::New(session(0))));
        assert!(matches!(heard(&mut there, said[2].clone()), Err(Error::Lost(_))));
        here.confirm(1).unwrap();
        let again: Vec<_> = here.repeat(there.received()).unwrap().collect();
        assert_eq!(again, said[1..]);
        for (n, parts) in again.into_iter().enumerate() {
            assert_eq!(heard(&mut there, parts), Ok(Heard::New(session(n as u64 + 1))));
        }
        assert_eq!(heard(&mut there, said[3].clone()), Ok(Heard::Known));
        here.confirm(5).unwrap();
        assert!(here.kept.is_empty() && here.kept_bytes == 0);
        assert!(here.confirm(6).is_err());
        assert!(here.repeat(4).is_err());
    }

    #[test]
    fn broken_parts_are_refused() {
        let mut side = Conversation::default();
        for parts in [vec![], vec![Bytes::new()], vec![Bytes::new(); 2], vec![Bytes::new(); 9]] {
            assert!(heard(&mut side, parts).is_err());
        }
    }

    #[test]
    fn asides_are_not_counted() {
        let parts = aside(&Message::Inquire);
        assert_eq!(open_aside(&parts, &Limits::default()), Ok(Some(Message::Inquire)));
        let counted = Conversation::default().say(&Message::Inquire).unwrap();
        assert_eq!(open_aside(&counted, &Limits::default()), Ok(None));
    }
}
