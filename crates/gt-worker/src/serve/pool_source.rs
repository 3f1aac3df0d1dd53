//! Values that arrive are put straight into the worker's own memory.

use std::sync::Arc;

use bytes::Bytes;
use gt_core::Result;
use gt_transport::transfers;

use crate::buffer::{Buffer, Pool};

/// The worker's memory, as a place where values arrive.
pub(super) struct PoolSource(pub(super) Arc<Pool>);

impl transfers::BufferSource for PoolSource {
    fn take(&self, bytes: usize) -> Result<Box<dyn transfers::Buffer>> {
        Ok(Box::new(PoolBuffer(self.0.take(bytes)?)))
    }
}

struct PoolBuffer(Buffer);

impl transfers::Buffer for PoolBuffer {
    fn bytes_mut(&mut self) -> &mut [u8] {
        self.0.bytes_mut().expect("a pooled buffer is writable")
    }

    fn freeze(self: Box<Self>) -> Bytes {
        Bytes::from_owner(self.0)
    }
}
