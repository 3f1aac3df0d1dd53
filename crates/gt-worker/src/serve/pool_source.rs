//! Values that arrive are put straight into the worker's own memory.

use std::sync::Arc;

use bytes::Bytes;
use gt_core::Result;
use gt_transport::bulk;

use crate::buffer::{Buffer, Pool};

/// The worker's memory, as a place where parcels land.
pub(super) struct PoolSource(pub(super) Arc<Pool>);

impl bulk::BufferSource for PoolSource {
    fn take(&self, bytes: usize) -> Result<Box<dyn bulk::Buffer>> {
        Ok(Box::new(Landed(self.0.take(bytes)?)))
    }
}

struct Landed(Buffer);

impl bulk::Buffer for Landed {
    fn bytes_mut(&mut self) -> &mut [u8] {
        self.0.bytes_mut().expect("a pooled buffer is writable")
    }

    fn freeze(self: Box<Self>) -> Bytes {
        Bytes::from_owner(self.0)
    }
}
