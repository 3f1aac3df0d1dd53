//! Where arriving bytes are put.

use bytes::Bytes;
use gt_core::{Error, Result};

/// Gives memory to arriving parcels: a worker's pool, or plain memory.
pub trait BufferSource: Send + Sync {
    /// Memory for so many bytes, or the reason why there is none.
    fn take(&self, bytes: usize) -> Result<Box<dyn Buffer>>;
}

/// Memory that a parcel is written into, piece by piece.
pub trait Buffer: Send {
    /// All of it, exactly as long as was asked for.
    fn bytes_mut(&mut self) -> &mut [u8];
    /// The parcel, complete.
    fn freeze(self: Box<Self>) -> Bytes;
}

/// Memory of exactly so many bytes; a buffer_source that gives another length is at fault.
pub(super) fn land(buffer_source: &dyn BufferSource, bytes: usize) -> Result<Box<dyn Buffer>> {
    let mut buffer = buffer_source.take(bytes)?;
    let given = buffer.bytes_mut().len();
    if given != bytes {
        return Err(Error::bug(format!("memory of {given} bytes for a parcel of {bytes}")));
    }
    Ok(buffer)
}

/// Plain memory of the process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl BufferSource for Plain {
    fn take(&self, bytes: usize) -> Result<Box<dyn Buffer>> {
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
    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }

    fn freeze(self: Box<Self>) -> Bytes {
        Bytes::from(self.0)
    }
}
