//! Values that lie in a segment of a depot. They are looked at in place, and the segment is given
//! back when nobody looks any more.

use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering::AcqRel, Ordering::Release};
use std::sync::{Arc, Weak};

use bytes::Bytes;

use super::lane::Lane;
use crate::bulk::depot::lender::MOST_SEGMENTS;
use crate::bulk::frame::{Frame, Kind};
use crate::bulk::link::Link;
use crate::bulk::system::{self, Map};

/// The segments that a depot has shown on one connection.
#[derive(Default)]
pub(super) struct Loans(HashMap<u64, Arc<Segment>>);

struct Segment {
    map: Map,
    /// Somebody looks at a value in it.
    lent: AtomicBool,
}

impl Loans {
    /// The value of so many bytes in a segment, which comes with the loan if it is the first.
    pub fn borrow(
        &mut self,
        lane: &Arc<Lane>,
        link: &Arc<Link>,
        id: u64,
        fd: Option<OwnedFd>,
        bytes: usize,
    ) -> io::Result<Bytes> {
        let wrong = |what| io::Error::new(ErrorKind::InvalidData, what);
        if let Some(fd) = fd {
            if self.0.len() >= MOST_SEGMENTS || self.0.contains_key(&id) {
                return Err(wrong("a segment that was not agreed on"));
            }
            let segment = Segment { map: system::attach(fd)?, lent: AtomicBool::new(false) };
            self.0.insert(id, Arc::new(segment));
        }
        let segment = self.0.get(&id).ok_or_else(|| wrong("a segment that was never shown"))?;
        if segment.map.len() < bytes || segment.lent.swap(true, AcqRel) {
            return Err(wrong("a segment that cannot hold the value"));
        }
        let (segment, lane, link) = (segment.clone(), Arc::downgrade(lane), Arc::downgrade(link));
        Ok(Bytes::from_owner(Borrowed { segment, bytes, id, lane, link }))
    }

    /// The depot will not lend a segment again.
    pub fn forget(&mut self, id: u64) {
        self.0.remove(&id);
    }
}

struct Borrowed {
    segment: Arc<Segment>,
    bytes: usize,
    id: u64,
    lane: Weak<Lane>,
    link: Weak<Link>,
}

impl AsRef<[u8]> for Borrowed {
    fn as_ref(&self) -> &[u8] {
        self.segment.map.first(self.bytes)
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        self.segment.lent.store(false, Release);
        let (Some(lane), Some(link)) = (self.lane.upgrade(), self.link.upgrade()) else { return };
        lane.say(&link, Frame::plain(Kind::Return, 0, self.id));
    }
}
