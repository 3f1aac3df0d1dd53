//! The one event stream. Every view of a running system, from the text log to `top`, reads it.

use crate::instruction::Command;
use crate::slot::{SessionId, WorkerId};

/// Something that happened to a command, or to a peer.
#[derive(Clone, Debug)]
pub struct Event {
    /// Nanoseconds since the start.
    pub time_ns: u64,
    /// How many events came before this one.
    pub number: u64,
    /// What happened.
    pub station: Station,
    /// Whose command it is.
    pub session: SessionId,
    /// Which worker it concerns.
    pub worker: Option<WorkerId>,
    /// How many bytes were moved or computed.
    pub bytes: u64,
    /// The command; absent where an event is about a peer.
    pub command: Option<Command>,
    /// What went wrong, if something did.
    pub error: Option<Box<str>>,
}

/// The stations on a command's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Station {
    /// A client or a worker is there.
    Connected,
    /// A client or a worker is gone.
    Disconnected,
    /// The dispatcher got it from a client.
    Received,
    /// The dispatcher sent it to a worker.
    Sent,
    /// A worker is done with it.
    Ended,
    /// The dispatcher answered the client.
    Answered,
}

/// The newest events, as many as fit. Switched off, it costs one comparison.
#[derive(Debug)]
pub struct Ring {
    events: Vec<Event>,
    capacity: usize,
    recorded: u64,
}

impl Ring {
    /// A ring for this many events; zero switches it off.
    pub fn new(capacity: usize) -> Self {
        Ring { events: Vec::with_capacity(capacity.min(1 << 16)), capacity, recorded: 0 }
    }

    /// Whether anybody is interested.
    pub fn is_on(&self) -> bool {
        self.capacity > 0
    }

    /// Records what `event` gives, which is not called if there is no observer. Its number is
    /// filled in here.
    pub fn record(&mut self, event: impl FnOnce() -> Event) {
        if !self.is_on() {
            return;
        }
        let event = Event { number: self.recorded, ..event() };
        if self.events.len() < self.capacity {
            self.events.push(event);
        } else {
            let oldest = (self.recorded % self.capacity as u64) as usize;
            self.events[oldest] = event;
        }
        self.recorded += 1;
    }

    /// The events from number `from` on, as far as they are still there, and the number to ask
    /// for next.
    pub fn since(&self, from: u64) -> (impl Iterator<Item = &Event>, u64) {
        let first = self.recorded.saturating_sub(self.events.len() as u64).max(from);
        let capacity = self.capacity.max(1) as u64;
        let events = (first..self.recorded).map(move |n| &self.events[(n % capacity) as usize]);
        (events, self.recorded)
    }
}

/// An observer of events.
pub trait EventSink: Send {
    /// Takes in one event.
    fn take(&mut self, event: &Event);
    /// There is time to write things out.
    fn flush(&mut self);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(bytes: u64) -> Event {
        Event {
            time_ns: 0,
            number: 0,
            station: Station::Received,
            session: SessionId(1),
            worker: None,
            bytes,
            command: None,
            error: None,
        }
    }

    #[test]
    fn the_newest_events_are_kept_in_order() {
        let mut ring = Ring::new(3);
        (0..5).for_each(|bytes| ring.record(|| event(bytes)));
        let (events, next) = ring.since(0);
        assert_eq!(
            events.map(|event| (event.number, event.bytes)).collect::<Vec<_>>(),
            [(2, 2), (3, 3), (4, 4)]
        );
        ring.record(|| event(5));
        assert_eq!(ring.since(next).0.map(|event| event.number).collect::<Vec<_>>(), [5]);
    }

    #[test]
    fn switched_off_nothing_is_made() {
        let mut ring = Ring::new(0);
        ring.record(|| unreachable!("nobody is interested"));
        assert_eq!(ring.since(0).0.count(), 0);
    }
}
