//! The one event stream. Every view of a running system, from the text log to `top`, reads it.
//!
//! An event is a record of fixed size: whoever records one copies the 32 bytes of a command, and
//! beside them what did not fit into these. Views take the command apart when they need it.

use std::sync::Arc;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::record::Record;
use crate::slot::{SessionId, WorkerId};

pub use self::sums::{Detail, Sums};

mod sums;

/// The bytes beside a record that an event keeps; those of a longer command are left out.
pub const MOST_EXTRA: usize = 4096;

/// How many events one message has …
const MOST_IN_MESSAGE: usize = 1 << 14;
/// … and how many bytes beside them.
const MOST_BYTES_IN_MESSAGE: usize = 1 << 22;

/// How many events wait to be taken at most.
const MOST_WAITING: usize = 1 << 21;

/// The worker of an event that is about none.
const NO_WORKER: u32 = u32::MAX;

/// Something that happened to a command, or to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Event {
    /// When, in nanoseconds of the dispatcher's clock.
    pub time_ns: u64,
    /// How many events came before this one.
    pub number: u64,
    /// Whose command it is; zero if nobody's.
    pub session: u64,
    /// The number of the client's command in its stream, from one; zero if it is about none.
    pub instruction: u64,
    /// How many bytes were sent or made.
    pub bytes: u64,
    /// When a worker began with it, in nanoseconds of the dispatcher's clock …
    pub start_ns: u64,
    /// … and how long it took, by the worker's own clock.
    pub duration_ns: u64,
    /// A number for [`Event::worker`].
    pub worker: u32,
    /// The signal that it belongs to.
    pub scope: u32,
    /// How many bytes beside the events belong to it.
    pub extra: u32,
    /// Which share of a command it is, from one …
    pub share: u16,
    /// … of how many; zero if it is not shared.
    pub shares: u16,
    /// How many commands were computed together and end with this one.
    pub fused: u32,
    /// A number for [`Event::station`].
    pub station: u8,
    /// A number for [`Event::outcome`].
    pub outcome: u8,
    /// How many more commands it stands for; see [`Event::commands`].
    pub joined: u16,
    /// The command in 32 bytes; all zero if it is about a peer.
    pub record: Record,
}

const _: () = assert!(size_of::<Event>() == 112, "views, wires and traces know this size");

/// The stations on a command's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Station {
    /// A client or a worker is there; its name is beside the event.
    Connected,
    /// A client or a worker is gone.
    Disconnected,
    /// The dispatcher got it from a client.
    Received,
    /// The dispatcher sent it to a worker.
    Sent,
    /// A worker is done with it; if it failed, the reason is beside the event.
    Ended,
    /// The dispatcher answered the client; if with a failure, that is beside the event.
    Answered,
}

/// What came of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It is under way.
    Open,
    /// It is done.
    Success,
    /// It went wrong.
    Failure,
}

/// In the order of their numbers.
const STATIONS: [Station; 6] = [
    Station::Connected,
    Station::Disconnected,
    Station::Received,
    Station::Sent,
    Station::Ended,
    Station::Answered,
];

impl Event {
    /// An event that says nothing else yet.
    #[inline]
    pub fn new(time_ns: u64, station: Station, session: SessionId) -> Event {
        let nothing = [0_u8; size_of::<Record>()];
        Event {
            time_ns,
            number: 0,
            session: session.0,
            instruction: 0,
            bytes: 0,
            start_ns: 0,
            duration_ns: 0,
            worker: NO_WORKER,
            scope: 0,
            extra: 0,
            share: 0,
            shares: 0,
            fused: 0,
            station: station as u8,
            outcome: 0,
            joined: 0,
            record: zerocopy::transmute!(nothing),
        }
    }

    /// The same about a worker.
    #[inline]
    pub fn at(self, worker: WorkerId) -> Event {
        Event { worker: worker.0, ..self }
    }

    /// The same about a command.
    #[inline]
    pub fn about(self, instruction: u64, record: Record) -> Event {
        Event { instruction, record, ..self }
    }

    /// The same with what came of it.
    #[inline]
    pub fn with(self, outcome: Outcome) -> Event {
        let outcome = match outcome {
            Outcome::Open => 0,
            Outcome::Success => 1,
            Outcome::Failure => 2,
        };
        Event { outcome, ..self }
    }

    /// Where it happened; none if it came from somebody who knows other stations.
    pub fn station(&self) -> Option<Station> {
        STATIONS.get(self.station as usize).copied()
    }

    /// What came of the command.
    pub fn outcome(&self) -> Outcome {
        match self.outcome {
            1 => Outcome::Success,
            2 => Outcome::Failure,
            _ => Outcome::Open,
        }
    }

    /// Which worker it concerns.
    pub fn worker(&self) -> Option<WorkerId> {
        (self.worker != NO_WORKER).then_some(WorkerId(self.worker))
    }

    /// How many commands it stands for. The frees that a worker is sent together are one event, and
    /// what others do is told in sums.
    pub fn commands(&self) -> u64 {
        1 + u64::from(self.joined)
    }

    /// Whether it is about a command, and not about a peer.
    pub fn has_command(&self) -> bool {
        matches!(
            self.station(),
            Some(Station::Received | Station::Sent | Station::Ended | Station::Answered)
        )
    }
}

/// Events in order, and beside them what did not fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// How many came before these and after those that were given last, and are lost.
    pub lost: u64,
    /// The events.
    pub list: Vec<Event>,
    /// What belongs to them, in the same order.
    pub extra: Vec<u8>,
}

impl Events {
    /// Appends an event, and what belongs to it as far as it is kept.
    #[inline]
    pub fn push(&mut self, event: Event, extra: &[u8]) {
        let extra = &extra[..extra.len().min(MOST_EXTRA)];
        self.list.push(Event { extra: extra.len() as u32, ..event });
        self.extra.extend_from_slice(extra);
    }

    /// The events with what belongs to each. Lengths from elsewhere are not believed.
    pub fn iter(&self) -> impl Iterator<Item = (&Event, &[u8])> {
        let mut rest = self.extra.as_slice();
        self.list.iter().map(move |event| {
            let (own, later) = rest.split_at(rest.len().min(event.extra as usize));
            rest = later;
            (event, own)
        })
    }

    fn fit_into_message(&self) -> bool {
        self.list.len() <= MOST_IN_MESSAGE && self.extra.len() <= MOST_BYTES_IN_MESSAGE
    }

    /// Events that others have too, in pieces that fit into messages; nearly always there is one.
    pub fn pieces(events: &Arc<Events>) -> Vec<Arc<Events>> {
        if events.fit_into_message() {
            return vec![events.clone()];
        }
        (**events).clone().split().into_iter().map(Arc::new).collect()
    }

    /// The same in pieces that fit into messages.
    pub fn split(self) -> Vec<Events> {
        if self.fit_into_message() {
            return vec![self];
        }
        let mut pieces = vec![Events { lost: self.lost, ..Events::default() }];
        for (event, extra) in self.iter() {
            let last = pieces.last_mut().expect("there is one");
            let is_full = last.list.len() >= MOST_IN_MESSAGE
                || last.extra.len() + extra.len() > MOST_BYTES_IN_MESSAGE;
            if is_full {
                pieces.push(Events::default());
            }
            pieces.last_mut().expect("there is one").push(*event, extra);
        }
        pieces
    }

    /// Those that an observer of one session wants.
    pub fn of(&self, session: SessionId) -> Events {
        let mut own = Events { lost: self.lost, ..Events::default() };
        for (event, extra) in self.iter() {
            // Who the workers are concerns everybody.
            if event.session == session.0 || event.session == 0 {
                own.push(*event, extra);
            }
        }
        own
    }
}

/// Records events while somebody observes. Switched off, it costs one comparison.
#[derive(Debug, Default)]
pub struct Recorder {
    is_on: bool,
    recorded: u64,
    waiting: Events,
}

impl Recorder {
    /// Whether anybody is interested.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Begins or ends to record.
    pub fn switch(&mut self, is_on: bool) {
        self.is_on = is_on;
    }

    /// Records an event, if anybody is interested. Its number is filled in here.
    #[inline]
    pub fn record(&mut self, event: Event, extra: &[u8]) {
        if !self.is_on {
            return;
        }
        let number = self.recorded;
        self.recorded += 1;
        if self.waiting.list.len() < MOST_WAITING {
            self.waiting.push(Event { number, ..event }, extra);
        } else {
            self.waiting.lost += 1;
        }
    }

    /// So many events are not recorded that somebody may wait for.
    pub fn lose(&mut self, events: u64) {
        self.waiting.lost += events;
    }

    /// How many events wait to be taken.
    pub fn waiting(&self) -> usize {
        self.waiting.list.len()
    }

    /// What was recorded since this was last asked.
    pub fn take(&mut self) -> Option<Events> {
        if self.waiting.list.is_empty() {
            return None;
        }
        // About as many follow, and room for them costs more to grow than to have.
        let room = self.waiting.list.len().min(MOST_IN_MESSAGE);
        let beside = self.waiting.extra.len().min(MOST_BYTES_IN_MESSAGE);
        let (list, extra) = (Vec::with_capacity(room), Vec::with_capacity(beside));
        Some(std::mem::replace(&mut self.waiting, Events { lost: 0, list, extra }))
    }
}

/// What a worker did for one command, by its own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Span {
    /// Which command, among those of its session on this worker.
    pub position: u64,
    /// When it began.
    pub start_ns: u64,
    /// How long it took.
    pub duration_ns: u64,
    /// How many bytes it made or gave away.
    pub bytes: u64,
    /// How many commands were computed together and end with this one.
    pub fused: u32,
    /// One if it failed.
    pub failed: u32,
}

/// What a worker did for the commands of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// The worker's clock when the plan was done.
    pub clock_ns: u64,
    /// Commands, in the order in which they were begun.
    pub list: Vec<Span>,
    /// How many more there were.
    pub lost: u64,
}

/// An observer of events.
pub trait EventSink: Send {
    /// Takes in events. One that is complete may make whoever brings them wait.
    fn take(&mut self, events: &Arc<Events>);
    /// Waits until everything is where it belongs, but not for ever.
    fn flush(&mut self);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(bytes: u64) -> Event {
        Event { bytes, ..Event::new(0, Station::Received, SessionId(1)) }
    }

    #[test]
    fn events_are_numbered_and_taken_once() {
        let mut recorder = Recorder::default();
        recorder.record(event(7), b"nobody is interested");
        assert_eq!(recorder.take(), None);
        recorder.switch(true);
        recorder.record(event(1), b"one");
        recorder.record(event(2), b"");
        recorder.record(event(3), b"three");
        let taken = recorder.take().unwrap();
        let seen: Vec<_> = taken.iter().map(|(event, own)| (event.number, own)).collect();
        assert_eq!(seen, [(0, &b"one"[..]), (1, b""), (2, b"three")]);
        assert_eq!((taken.lost, recorder.take()), (0, None));
        recorder.record(event(4), b"");
        assert_eq!(recorder.take().unwrap().list[0].number, 3);
    }

    #[test]
    fn an_event_says_what_it_was_told() {
        for station in STATIONS {
            for outcome in [Outcome::Open, Outcome::Success, Outcome::Failure] {
                let event = Event::new(5, station, SessionId(1)).with(outcome);
                assert_eq!((event.station(), event.outcome()), (Some(station), outcome));
                assert_eq!(event.worker(), None);
                assert_eq!(event.at(WorkerId(3)).worker(), Some(WorkerId(3)));
            }
        }
        assert_eq!(Event { station: 99, ..event(0) }.station(), None);
    }

    #[test]
    fn lengths_from_elsewhere_are_not_believed() {
        let mut events = Events::default();
        events.push(event(1), b"abc");
        events.push(event(2), b"de");
        events.list[0].extra = 1000;
        let seen: Vec<_> = events.iter().map(|(_, own)| own).collect();
        assert_eq!(seen, [&b"abcde"[..], b""]);
    }

    #[test]
    fn what_is_too_much_for_a_message_becomes_several() {
        let mut events = Events { lost: 9, ..Events::default() };
        let count = 2 * MOST_IN_MESSAGE as u64 + 1;
        (0..count).for_each(|n| events.push(event(n), &n.to_le_bytes()));
        let pieces = events.split();
        assert_eq!(pieces.iter().map(|piece| piece.lost).collect::<Vec<_>>(), [9, 0, 0]);
        let all = pieces.iter().flat_map(Events::iter);
        assert!(all.enumerate().all(|(n, (event, own))| {
            (event.bytes, own) == (n as u64, &(n as u64).to_le_bytes()[..])
        }));
    }

    #[test]
    fn an_observer_of_a_session_sees_its_events_and_workers() {
        let mut events = Events { lost: 2, ..Events::default() };
        for session in [1, 2, 0, 1] {
            events.push(Event::new(0, Station::Received, SessionId(session)), &[session as u8]);
        }
        let own = events.of(SessionId(1));
        let seen: Vec<_> = own.iter().map(|(event, extra)| (event.session, extra)).collect();
        assert_eq!(seen, [(1, &[1][..]), (0, &[0]), (1, &[1])]);
        assert_eq!(own.lost, 2);
    }
}
