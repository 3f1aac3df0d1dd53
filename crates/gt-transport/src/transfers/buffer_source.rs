//! Where arriving bytes are put.

use bytes::Bytes;
use gt_core::{Error, Result, SessionId};

/// Gives memory to arriving parcels: a worker's pool, or plain memory.
pub trait BufferSource: Send + Sync {
    /// Memory for so many bytes of a session, or the reason why there is none.
    fn take(&self, session: SessionId, bytes: usize) -> Result<Box<dyn Buffer>>;
}

/// Memory that a value is written into, from its first byte to its last.
pub trait Buffer: Send {
    /// How many bytes it takes.
    fn size(&self) -> usize;
    /// Where so many bytes from an offset on are put, which lie within one chunk after what is
    /// final; `None` if the buffer is shorter. What is there stays until it is final.
    fn space(&mut self, offset: usize, bytes: usize) -> Option<&mut [u8]>;
    /// So many more bytes are final.
    fn advance(&mut self, bytes: usize);
    /// The value, complete; nothing if whoever gave the buffer has another way to it.
    fn freeze(self: Box<Self>) -> Bytes;
}

/// Memory of exactly so many bytes; a source that gives another length is at fault.
pub(super) fn land(
    source: &dyn BufferSource,
    session: SessionId,
    bytes: usize,
) -> Result<Box<dyn Buffer>> {
    let buffer = source.take(session, bytes)?;
    let given = buffer.size();
    if given != bytes {
        return Err(Error::bug(format!("memory of {given} bytes for a parcel of {bytes}")));
    }
    Ok(buffer)
}

/// Plain memory of the process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl BufferSource for Plain {
    fn take(&self, _: SessionId, bytes: usize) -> Result<Box<dyn Buffer>> {
        let mut memory = Vec::new();
        // A refusal of the system is an answer to this parcel, not the end of the process.
        memory
            .try_reserve_exact(bytes)
            .map_err(|_| Error::OutOfMemory(format!("no memory for a parcel of {bytes} bytes")))?;
        memory.resize(bytes, 0);
        Ok(Box::new(PlainBuffer(memory)))
    }
}

struct PlainBuffer(Vec<u8>);

impl Buffer for PlainBuffer {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn space(&mut self, offset: usize, bytes: usize) -> Option<&mut [u8]> {
        self.0.get_mut(offset..offset.checked_add(bytes)?)
    }

    fn advance(&mut self, _bytes: usize) {}

    fn freeze(self: Box<Self>) -> Bytes {
        Bytes::from(self.0)
    }
}
