//! Events of one sort as one event, for those who want to know how much there is of each, such as
//! `top`, and for those who may not see more.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{Event, Events, Station};

/// How much somebody who observes wants to be told; the less comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Detail {
    /// How many commands a session has sent, and one event for all that a worker has done of one
    /// operation. Peers, requests and answers are told one by one: they say who is there and waits.
    Sums,
    /// Every event.
    #[default]
    Each,
}

/// Sums of events, one for each sort.
#[derive(Debug, Default)]
pub struct Sums {
    places: HashMap<Sort, usize>,
    list: Vec<Event>,
}

/// What events that become one have in common.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Sort {
    session: u64,
    worker: u32,
    op: u16,
    station: u8,
    outcome: u8,
}

impl Sums {
    /// Adds an event about a command.
    pub fn add(&mut self, event: &Event) {
        let Event { session, worker, station, outcome, .. } = *event;
        let sort = Sort { session, worker, op: event.record.op, station, outcome };
        let place = *self.places.entry(sort).or_insert(self.list.len());
        match self.list.get_mut(place) {
            Some(sum) if joined(sum, event).is_some() => join(sum, event),
            Some(full) => {
                // What was counted so far leaves its place to the next.
                let full = std::mem::replace(full, kept(event));
                self.list.push(full);
            }
            None => self.list.push(kept(event)),
        }
    }

    /// Appends the sums to events. They have the number and time of the last of all events, so that
    /// these stay in order.
    pub fn append_to(self, events: &mut Events, (number, time_ns): (u64, u64)) {
        for sum in self.list {
            events.push(Event { number, time_ns, ..sum }, &[]);
        }
    }
}

/// What a sum keeps of its first event: nothing that the others do not have in common with it.
fn kept(event: &Event) -> Event {
    let mut record = Event::new(0, Station::Received, crate::SessionId(0)).record;
    record.op = event.record.op;
    Event { instruction: 0, scope: 0, share: 0, shares: 0, record, ..*event }
}

/// How many more commands the sum of both stands for, if that can be said.
fn joined(sum: &Event, event: &Event) -> Option<u16> {
    sum.joined.checked_add(event.joined)?.checked_add(1)
}

fn join(sum: &mut Event, event: &Event) {
    sum.joined = joined(sum, event).unwrap_or(u16::MAX);
    sum.bytes = sum.bytes.saturating_add(event.bytes);
    sum.start_ns = sum.start_ns.min(event.start_ns);
    sum.duration_ns = sum.duration_ns.saturating_add(event.duration_ns);
    sum.fused = sum.fused.saturating_add(event.fused);
}

impl Events {
    /// The same in the detail that somebody wants.
    pub fn summed<'a>(lists: impl IntoIterator<Item = &'a Events>) -> Events {
        let (mut sums, mut told, mut last) = (Sums::default(), Events::default(), (0, 0));
        for events in lists {
            told.lost += events.lost;
            for (event, beside) in events.iter() {
                match event.has_command() && !is_request(event) {
                    true => sums.add(event),
                    false => told.push(*event, beside),
                }
                last = (event.number, event.time_ns);
            }
        }
        sums.append_to(&mut told, last);
        told
    }
}

/// Whether a client begins or ends to wait with it.
fn is_request(event: &Event) -> bool {
    event.record.is_request()
        && matches!(event.station(), Some(Station::Received | Station::Answered))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::code;
    use crate::{SessionId, WorkerId};

    fn ended(op: u16, duration_ns: u64) -> Event {
        let mut event = Event::new(7, Station::Ended, SessionId(1)).at(WorkerId(0));
        (event.record.op, event.duration_ns, event.bytes) = (op, duration_ns, 10);
        event
    }

    #[test]
    fn commands_of_one_sort_become_one_event_and_requests_stay() {
        let mut events = Events { lost: 3, ..Events::default() };
        events.push(Event::new(1, Station::Connected, SessionId(1)), b"ada");
        let mut read = Event::new(2, Station::Received, SessionId(1));
        read.record.op = code::READ;
        events.push(read, &[]);
        for number in 0..5 {
            events.push(Event { number, joined: 2, ..ended(1, 100) }, b"beside");
            events.push(Event { number, ..ended(2, 1) }, &[]);
        }
        let told = Events::summed([&events, &events]);
        assert_eq!(told.lost, 6);
        let counts: Vec<_> = told
            .iter()
            .map(|(event, beside)| (event.station(), event.commands(), event.duration_ns, beside))
            .collect();
        let peer = (Some(Station::Connected), 1, 0, &b"ada"[..]);
        let request = (Some(Station::Received), 1, 0, &b""[..]);
        let [often, once] = [(30, 1000), (10, 10)]
            .map(|(count, took)| (Some(Station::Ended), count, took, &b""[..]));
        assert_eq!(counts, [peer, request, peer, request, often, once]);
        assert_eq!(told.list[4].bytes, 100);
    }

    #[test]
    fn more_than_can_be_counted_are_several_sums() {
        let mut events = Events::default();
        let count = 3 * u64::from(u16::MAX) + 5;
        (0..count).for_each(|_| events.push(ended(1, 1), &[]));
        let told = Events::summed([&events]);
        assert!(told.list.len() == 3 || told.list.len() == 4);
        assert_eq!(told.list.iter().map(Event::commands).sum::<u64>(), count);
        assert_eq!(told.list.iter().map(|event| event.duration_ns).sum::<u64>(), count);
    }
}
