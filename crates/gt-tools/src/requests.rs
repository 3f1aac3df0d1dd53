//! What clients wait for: commands that came and are not answered.

use std::collections::BTreeMap;

use gt_core::SessionId;
use gt_core::event::{Event, Station};
use gt_core::record::Record;

/// So many are remembered.
const MOST: usize = 1 << 14;

/// Requests under way, by session and the number of the command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests(BTreeMap<(SessionId, u64), Request>);

/// A request under way.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// When it came.
    pub(crate) since_ns: u64,
    /// What it is.
    pub(crate) record: Record,
}

impl Requests {
    /// Takes in an event; gives how long a client waited, if that ends with it.
    pub(crate) fn take(&mut self, event: &Event) -> Option<u64> {
        let session = SessionId(event.session);
        let station = event.station()?;
        if station == Station::Disconnected && event.worker().is_none() {
            self.0.retain(|(asking, _), _| *asking != session);
        }
        // Of sessions that one may not see, only sums are told.
        if !event.record.is_request() || event.session == 0 {
            return None;
        }
        let key = (session, event.instruction);
        match station {
            Station::Received if self.0.len() < MOST => {
                let request = Request { since_ns: event.time_ns, record: event.record };
                self.0.insert(key, request);
                return None;
            }
            Station::Answered => {}
            Station::Received
            | Station::Sent
            | Station::Ended
            | Station::Connected
            | Station::Disconnected => return None,
        }
        let request = self.0.remove(&key)?;
        Some(event.time_ns.saturating_sub(request.since_ns))
    }

    /// Events were missed, and with them perhaps answers.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// All of them, session by session.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SessionId, &Request)> {
        self.0.iter().map(|((session, _), request)| (*session, request))
    }

    /// Whether the client of a session waits.
    pub(crate) fn has(&self, session: SessionId) -> bool {
        self.0.range((session, 0)..=(session, u64::MAX)).next().is_some()
    }
}
