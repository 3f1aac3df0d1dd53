//! Where values are, for whoever asks. Looking costs the same however many there are.

use gt_core::{SessionId, Slot};
use gt_transport::report::{ValueReport, ValuesReport};

use super::Dispatcher;
use crate::session::Session;

/// So many values are listed.
const LISTED: usize = 64;
/// So many are looked at, all sessions together.
const LOOKED_AT: usize = 1 << 14;
/// So many workers and meshes are named for each.
const PLACES: usize = 64;

impl Dispatcher {
    /// Where the largest values are, of the sessions that somebody sees. Each of them has its share
    /// of what is looked at, so that one with many values hides nobody's.
    pub fn values(&self, is_seen: impl Fn(SessionId) -> bool) -> ValuesReport {
        let each = LOOKED_AT / self.sessions.len().max(1);
        let mut found: Vec<(usize, SessionId, Slot)> = Vec::new();
        for (&id, session) in self.sessions.iter().filter(|(id, _)| is_seen(**id)) {
            let looked_at = session.registry.values_of_first(each);
            let somewhere = looked_at.filter(|(_, entry)| !entry.at.is_empty());
            found.extend(somewhere.map(|(slot, entry)| (entry.meta.bytes(), id, slot)));
        }
        let all: usize = self.sessions.values().map(|session| session.registry.len()).sum();
        found.sort_unstable_by_key(|&(bytes, session, slot)| (usize::MAX - bytes, session, slot));
        found.truncate(LISTED);
        let value = |(_, id, slot)| report(id, self.sessions.get(&id)?, slot);
        let list: Vec<ValueReport> = found.into_iter().filter_map(value).collect();
        let left_out = (all - list.len()) as u64;
        ValuesReport { list, left_out }
    }
}

fn report(id: SessionId, session: &Session, slot: Slot) -> Option<ValueReport> {
    let entry = session.registry.get(slot).ok()?;
    let placements = &session.registry.placements;
    let alone = |place| placements.alone(place);
    let meshes = entry.at.iter().filter(|(place, _)| alone(*place).is_none()).take(PLACES);
    Some(ValueReport {
        session: id,
        slot,
        meta: entry.meta.clone(),
        whole: entry.at.iter().filter_map(|(place, _)| alone(*place)).take(PLACES).collect(),
        meshes: meshes.map(|&(place, _)| placements.get(place).clone()).collect(),
    })
}
