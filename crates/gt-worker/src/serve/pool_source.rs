//! Values that arrive are put straight into the worker's own memory.

use std::sync::Arc;

use bytes::Bytes;
use gt_core::{Result, SessionId};
use gt_transport::transfers::{self, DataPlane, PlaneOptions};

use super::DataPlace;
use super::inbox::{Inbox, News};
use crate::account::{self, Accounts};
use crate::buffer::{Buffer, Pool};

/// The worker's memory, as a place where values of sessions arrive.
pub(super) struct PoolSource {
    pub(super) pool: Arc<Pool>,
    pub(super) accounts: Arc<Accounts>,
}

impl transfers::BufferSource for PoolSource {
    fn take(&self, session: SessionId, bytes: usize) -> Result<Box<dyn transfers::Buffer>> {
        let buffer = account::within(self.accounts.of(session), || self.pool.take(bytes));
        Ok(Box::new(PoolBuffer(buffer?)))
    }
}

struct PoolBuffer(Buffer);

impl transfers::Buffer for PoolBuffer {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn space(&mut self, offset: usize, bytes: usize) -> Option<&mut [u8]> {
        let memory = self.0.bytes_mut().expect("a pooled buffer is writable");
        memory.get_mut(offset..offset.checked_add(bytes)?)
    }

    fn advance(&mut self, _bytes: usize) {}

    fn freeze(self: Box<Self>) -> Bytes {
        Bytes::from_owner(self.0)
    }
}

/// Opens the place where values arrive; how transfers end comes to the inbox.
pub(super) fn open_plane(
    place: &DataPlace,
    source: PoolSource,
    inbox: &Arc<Inbox>,
) -> Result<Arc<DataPlane>> {
    let DataPlace { unix, allowed_group, tcp, advertise } = place.clone();
    let buffer_source = Arc::new(source);
    let listens = PlaneOptions { unix, allowed_group, tcp, advertise, ..PlaneOptions::default() };
    let options = PlaneOptions { buffer_source, ..listens };
    let inbox = inbox.clone();
    DataPlane::open(options, move |event| inbox.bring(News::Transfer(event)))
}
