//! Messages over a stream of bytes, such as a Unix socket: how many parts, how long each is, and
//! then the parts.

use std::io::{self, Read, Write};

use bytes::Bytes;
use gt_core::{Error, Result};

use crate::Message;
use crate::codec::Limits;
use crate::reliable::{open_unsequenced, unsequenced};

/// Writes a message.
pub fn write(stream: &mut impl Write, message: &Message) -> io::Result<()> {
    let parts = unsequenced(message);
    let mut head = Vec::with_capacity(4 * parts.len() + 4);
    head.extend_from_slice(&(parts.len() as u32).to_le_bytes());
    for part in &parts {
        let len = u32::try_from(part.len()).map_err(io::Error::other)?;
        head.extend_from_slice(&len.to_le_bytes());
    }
    stream.write_all(&head)?;
    parts.iter().try_for_each(|part| stream.write_all(part))?;
    stream.flush()
}

/// Reads a message; an error if the stream ends, or what comes is none.
pub fn read(stream: &mut impl Read) -> Result<Message> {
    let limits = Limits::CONTROL;
    let count = length(stream)?;
    if count > limits.payloads + 2 {
        return Err(Error::bug(format!("a message of {count} parts")));
    }
    let lengths = (0..count).map(|_| length(stream)).collect::<Result<Vec<_>>>()?;
    if lengths.iter().sum::<usize>() > limits.message_bytes {
        return Err(Error::bug("a message is larger than any should be"));
    }
    let mut parts = Vec::with_capacity(count);
    for len in lengths {
        let mut part = vec![0; len];
        stream.read_exact(&mut part).map_err(over)?;
        parts.push(Bytes::from(part));
    }
    open_unsequenced(&parts, &limits)?.ok_or_else(|| Error::bug("a message with a number"))
}

fn length(stream: &mut impl Read) -> Result<usize> {
    let mut bytes = [0; 4];
    stream.read_exact(&mut bytes).map_err(over)?;
    Ok(u32::from_le_bytes(bytes) as usize)
}

fn over(error: io::Error) -> Error {
    Error::Lost(format!("the other process says no more: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut stream = Vec::new();
        let messages = [Message::StatusRequest, Message::observe(7), Message::Bye];
        messages.iter().for_each(|message| write(&mut stream, message).unwrap());
        let mut rest = stream.as_slice();
        for message in messages {
            assert_eq!(read(&mut rest), Ok(message));
        }
        assert!(matches!(read(&mut rest), Err(Error::Lost(_))));
    }

    #[test]
    fn no_length_is_believed() {
        let mut claims = 2_u32.to_le_bytes().to_vec();
        claims.extend([u32::MAX.to_le_bytes(), u32::MAX.to_le_bytes()].concat());
        assert!(matches!(read(&mut claims.as_slice()), Err(Error::Bug(_))));
        assert!(read(&mut u32::MAX.to_le_bytes().as_slice()).is_err());
    }
}
