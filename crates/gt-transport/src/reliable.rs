//! A channel that can outlive its connection. Messages are numbered; what the other side has
//! not confirmed is kept, so that it can be said again over the next connection.

use std::collections::VecDeque;

use bytes::Bytes;
use gt_core::{Error, Result};

use crate::Message;
use crate::codec::{self, Frames, Limits};

/// Bytes of messages that may wait for their confirmation.
const MAX_UNCONFIRMED_BYTES: usize = 256 << 20;
/// The same where many others are on the other side, and what is said is small.
const MAX_UNCONFIRMED_BYTES_OF_MANY: usize = 32 << 20;

/// What a message that is kept takes besides its bytes.
const KEPT_BYTES: usize = 256;

/// One side of a channel.
#[derive(Debug)]
pub struct ReliableChannel {
    /// The number of the first message that is kept.
    first: u64,
    kept: VecDeque<Vec<Bytes>>,
    kept_bytes: usize,
    max_kept_bytes: usize,
    received: u64,
    /// Whether what was said is forgotten at once.
    without_replay: bool,
}

impl Default for ReliableChannel {
    fn default() -> Self {
        ReliableChannel {
            first: 0,
            kept: VecDeque::new(),
            kept_bytes: 0,
            max_kept_bytes: MAX_UNCONFIRMED_BYTES,
            received: 0,
            without_replay: false,
        }
    }
}

/// What to do with a message that came.
#[derive(Debug, PartialEq)]
pub enum Heard {
    /// It is the next one.
    New(Message),
    /// It was there already, and was said again.
    Known,
}

impl ReliableChannel {
    /// A channel that ends with its connection, so that nothing is kept.
    pub fn without_replay() -> Self {
        ReliableChannel { without_replay: true, ..ReliableChannel::default() }
    }

    /// A channel with one of many, who may not confirm anything.
    pub fn with_small_buffer() -> Self {
        let max_kept_bytes = MAX_UNCONFIRMED_BYTES_OF_MANY;
        ReliableChannel { max_kept_bytes, ..ReliableChannel::default() }
    }

    /// How many messages of the other side have arrived.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// The parts in which a message travels. It is kept until it is confirmed. An error if no other
    /// side would take it; then nothing was said.
    pub fn say(&mut self, message: &Message) -> Result<Vec<Bytes>> {
        self.say_encoded(codec::encode(message))
    }

    /// The same for a message that is encoded already, because others get it too.
    pub fn say_encoded(&mut self, message: Frames) -> Result<Vec<Bytes>> {
        let parts = parts_of(self.first + self.kept.len() as u64, message);
        let bytes = check_size(&parts, &Limits::CONTROL)? + KEPT_BYTES;
        if self.without_replay {
            self.first += 1;
            return Ok(parts);
        }
        if self.kept_bytes + bytes > self.max_kept_bytes {
            return Err(Error::Lost("the other side has confirmed nothing for too long".into()));
        }
        self.kept_bytes += bytes;
        self.kept.push_back(parts.clone());
        Ok(parts)
    }

    /// The other side has this many messages.
    pub fn confirm(&mut self, received: u64) -> Result<()> {
        if self.without_replay {
            return Ok(());
        }
        if received > self.first + self.kept.len() as u64 {
            return Err(Error::bug(format!("{received} messages arrived of fewer")));
        }
        while self.first < received {
            let parts = self.kept.pop_front().expect("it is not confirmed twice");
            self.kept_bytes -= parts.iter().map(Bytes::len).sum::<usize>() + KEPT_BYTES;
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

/// A message outside of any channel: a first word, or a heartbeat.
pub fn unsequenced(message: &Message) -> Vec<Bytes> {
    parts_of(UNSEQUENCED, codec::encode(message))
}

/// The number of messages that are not counted.
const UNSEQUENCED: u64 = u64::MAX;

/// The message, if it is outside of any channel.
pub fn open_unsequenced(parts: &[Bytes], limits: &Limits) -> Result<Option<Message>> {
    if parts.first().map(|first| &first[..]) != Some(&UNSEQUENCED.to_le_bytes()) {
        return Ok(None);
    }
    open(parts.to_vec(), limits).map(|(_, message)| Some(message))
}

/// The bytes of a message that is about to be sent; an error if the other side would refuse it.
fn check_size(parts: &[Bytes], limits: &Limits) -> Result<usize> {
    let bytes = parts.iter().map(Bytes::len).sum();
    let fits = bytes <= limits.message_bytes
        && parts.len() <= limits.payloads + 2
        && parts.iter().skip(2).all(|payload| payload.len() <= limits.payload_bytes);
    if fits {
        return Ok(bytes);
    }
    Err(Error::value(format!(
        "a message of {bytes} bytes cannot be sent, the limit is {}; lists and texts inside an \
         operation have to be smaller, tensors may have any size",
        limits.message_bytes
    )))
}

fn parts_of(number: u64, message: Frames) -> Vec<Bytes> {
    let Frames { head, payloads } = message;
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

    fn heard(side: &mut ReliableChannel, parts: Vec<Bytes>) -> Result<Heard> {
        side.hear(parts, &Limits::default())
    }

    #[test]
    fn what_was_lost_is_said_again_and_nothing_is_heard_twice() {
        let (mut here, mut there) = (ReliableChannel::default(), ReliableChannel::default());
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
        let mut side = ReliableChannel::default();
        for parts in [vec![], vec![Bytes::new()], vec![Bytes::new(); 2], vec![Bytes::new(); 9]] {
            assert!(heard(&mut side, parts).is_err());
        }
    }

    #[test]
    fn what_nobody_would_take_is_not_said_and_leaves_no_gap() {
        let (mut here, mut there) = (ReliableChannel::default(), ReliableChannel::default());
        let session = gt_core::SessionId(1);
        let error = Error::value("x".repeat(Limits::CONTROL.message_bytes));
        let refused = here.say(&Message::Ended { session, error }).unwrap_err().to_string();
        assert!(refused.contains("cannot be sent"), "{refused}");
        assert_eq!(here.kept_bytes, 0);
        let said = here.say(&Message::Bye).unwrap();
        assert_eq!(heard(&mut there, said), Ok(Heard::New(Message::Bye)));
    }

    #[test]
    fn what_one_of_many_does_not_confirm_is_kept_up_to_a_bound() {
        let mut side = ReliableChannel::with_small_buffer();
        let session = gt_core::SessionId(1);
        let error = Error::value("x".repeat(Limits::CONTROL.message_bytes / 2));
        let message = Message::Ended { session, error };
        let said = (0..100).take_while(|_| side.say(&message).is_ok()).count();
        assert!(said < 5 && side.kept_bytes <= MAX_UNCONFIRMED_BYTES_OF_MANY, "{said}");
    }

    #[test]
    fn asides_are_not_counted() {
        let parts = unsequenced(&Message::StatusRequest);
        assert_eq!(open_unsequenced(&parts, &Limits::default()), Ok(Some(Message::StatusRequest)));
        let counted = ReliableChannel::default().say(&Message::StatusRequest).unwrap();
        assert_eq!(open_unsequenced(&counted, &Limits::default()), Ok(None));
    }
}
