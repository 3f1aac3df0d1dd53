//! The dispatcher and the workers of an embedded system, and the delivery of messages between them.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, MutexGuard, Weak};

use gt_core::event::{Detail, EventSink, Events};
use gt_core::{Error, SessionId, WorkerId};
use gt_dispatcher::{Dispatcher, Outbox};
use gt_transport::event_queue::EventQueue;
use gt_transport::{Message, Peer};
use gt_worker::plan::Work;
use gt_worker::{Action, Outcome, Told, Worker};
use smallvec::SmallVec;

use crate::inner::Inner;

/// So many events do not wait to be shown …
const MANY_EVENTS: usize = 1 << 10;
/// … and others wait for so long, because whoever takes them in has to wake up for them.
const SHOW_NS: u64 = 10_000_000;

/// Something to deliver.
pub(crate) enum Parcel {
    Open(SessionId, Weak<Inner>),
    FromClient(SessionId, Message),
    Finished(Outcome),
}

impl Parcel {
    /// The session that it is about.
    pub(crate) fn session(&self) -> SessionId {
        match self {
            Parcel::Open(id, _) | Parcel::FromClient(id, _) => *id,
            Parcel::Finished(outcome) => outcome.session,
        }
    }
}

impl fmt::Display for Parcel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Parcel::Open(id, _) => write!(f, "{id} opens"),
            Parcel::FromClient(id, Message::Commands { batch, .. }) => {
                write!(f, "{id} sends {} commands", batch.len())
            }
            Parcel::FromClient(id, Message::Bye) => write!(f, "{id} says goodbye"),
            Parcel::FromClient(id, _) => write!(f, "{id} says hello"),
            Parcel::Finished(outcome) => {
                write!(f, "{} finishes {} commands", outcome.worker, outcome.commands)
            }
        }
    }
}

/// What executors are to do.
pub(crate) type Works = SmallVec<[(WorkerId, Work); 2]>;

/// Everything that `step`s, under one lock.
pub(crate) struct LocalCluster {
    pub(crate) dispatcher: Dispatcher,
    pub(crate) workers: Vec<Worker>,
    pub(crate) clients: BTreeMap<SessionId, Weak<Inner>>,
    /// The sessions that got a message since the lock was taken. The last to hold a session
    /// stops it, which takes the lock; so they are let go of without it, see [`let_go`].
    reached: Vec<Arc<Inner>>,
    /// What was taken out of the inbox and is not delivered yet.
    pub(crate) mail: VecDeque<Parcel>,
    /// Room for what a worker wants done.
    actions: Vec<Action>,
    pub(crate) sink: Option<Box<dyn EventSink>>,
    /// Those who watch from other processes.
    watchers: Vec<Arc<EventQueue>>,
    /// When events were last shown.
    shown_ns: u64,
    /// Whether delivering to a worker panics.
    #[cfg(test)]
    pub(crate) is_broken: bool,
}

/// Gives the lock back, and then lets go of the sessions that were reached.
pub(crate) fn let_go(mut machines: MutexGuard<'_, LocalCluster>) {
    let reached = std::mem::take(&mut machines.reached);
    drop(machines);
    drop(reached);
}

impl LocalCluster {
    /// LocalCluster without sessions.
    pub(crate) fn new(
        dispatcher: Dispatcher,
        workers: Vec<Worker>,
        sink: Option<Box<dyn EventSink>>,
    ) -> Self {
        let (clients, reached, mail) = (BTreeMap::new(), Vec::new(), VecDeque::new());
        LocalCluster {
            dispatcher,
            workers,
            clients,
            reached,
            mail,
            actions: Vec::new(),
            sink,
            watchers: Vec::new(),
            shown_ns: 0,
            #[cfg(test)]
            is_broken: false,
        }
    }

    /// Delivers one message, and gives what the executors are to do.
    pub(crate) fn deliver(&mut self, parcel: Parcel, now_ns: u64) -> Works {
        let (mut outbox, mut works) = (Outbox::default(), Works::new());
        #[cfg(test)]
        assert!(!self.is_broken, "this test wants a panic");
        match parcel {
            Parcel::Open(id, session) => {
                self.clients.insert(id, session);
            }
            Parcel::FromClient(id, message) => {
                self.dispatcher.step(now_ns, Peer::Client(id), message, &mut outbox);
            }
            Parcel::Finished(outcome) => {
                let id = outcome.worker;
                self.tell(id, Told::Finished(outcome), now_ns, &mut outbox, &mut works);
            }
        }
        self.route(&mut outbox, now_ns, &mut works);
        works
    }

    /// A machine broke one of its own promises while it did something for a session, which is over.
    pub(crate) fn end(&mut self, session: SessionId, now_ns: u64) -> Works {
        let (mut outbox, mut works) = (Outbox::default(), Works::new());
        let error = Error::bug("the embedded dispatcher or a worker panicked");
        self.reach(session, Message::Ended { session, error: error.clone() });
        self.dispatcher.close(now_ns, session, error, &mut outbox);
        self.route(&mut outbox, now_ns, &mut works);
        works
    }

    /// Gives a message to a session, if there is one.
    pub(crate) fn reach(&mut self, id: SessionId, message: Message) {
        let Some(session) = self.clients.get(&id).and_then(Weak::upgrade) else { return };
        session.deliver(message);
        if !self.reached.iter().any(|known| Arc::ptr_eq(known, &session)) {
            self.reached.push(session);
        }
    }

    /// Delivers what the dispatcher sends.
    pub(crate) fn route(&mut self, outbox: &mut Outbox, now_ns: u64, works: &mut Works) {
        while !outbox.is_empty() {
            for (to, message) in std::mem::take(outbox).drain() {
                match to {
                    Peer::Client(id) => self.reach(id, message),
                    Peer::Relay => {}
                    Peer::Worker(id) => {
                        self.tell(id, Told::Message(message), now_ns, outbox, works);
                    }
                }
            }
        }
    }

    /// Steps a worker, and delivers what it sends.
    fn tell(
        &mut self,
        id: WorkerId,
        told: Told,
        now_ns: u64,
        outbox: &mut Outbox,
        works: &mut Works,
    ) {
        let mut actions = std::mem::take(&mut self.actions);
        self.workers[id.0 as usize].step(told, &mut actions);
        for action in actions.drain(..) {
            match action {
                Action::Execute(work) => works.push((id, work)),
                Action::Send(None, message) => {
                    self.dispatcher.step(now_ns, Peer::Worker(id), message, outbox);
                }
                Action::Send(Some(to), message) => outbox.send(to, message),
            }
        }
        self.actions = actions;
    }

    /// Whether there are events that nobody was shown.
    pub(crate) fn has_events(&mut self) -> bool {
        self.dispatcher.recording().waiting() > 0
    }

    /// Shows events to whoever observes, if there are so many that they should not wait.
    pub(crate) fn show_many_events(&mut self) {
        if self.dispatcher.recording().waiting() >= MANY_EVENTS {
            self.show_events();
        }
    }

    /// Shows events to whoever observes, if they have waited for long enough.
    pub(crate) fn show_events_in_time(&mut self, now_ns: u64) {
        if now_ns.saturating_sub(self.shown_ns) >= SHOW_NS {
            self.shown_ns = now_ns;
            self.show_events();
        }
    }

    /// Shows events to whoever observes.
    pub(crate) fn show_events(&mut self) {
        let Some(events) = self.dispatcher.recording().take() else { return };
        let events = Arc::new(events);
        if let Some(sink) = &mut self.sink {
            sink.take(&events);
        }
        self.watchers.iter().for_each(|watcher| watcher.offer(&events));
    }

    /// What rewrites the streams.
    pub(crate) fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    /// Somebody watches, or watches no more. Records if anybody does; gives who is there.
    pub(crate) fn watch(
        &mut self,
        watcher: Option<&Arc<EventQueue>>,
        now_ns: u64,
    ) -> (Events, Works) {
        self.show_events();
        self.watchers.retain(|watcher| !watcher.is_closed());
        self.watchers.extend(watcher.cloned());
        let (mut outbox, mut works) = (Outbox::default(), Works::new());
        let logged = self.sink.as_ref().map(|_| Detail::Each);
        let wanted = self.watchers.iter().map(|watcher| watcher.detail()).max();
        self.dispatcher.observe(logged.max(wanted), &mut outbox);
        self.route(&mut outbox, now_ns, &mut works);
        (self.dispatcher.introduction(now_ns), works)
    }

    /// The same, and waits until they are where they belong.
    pub(crate) fn flush_sink(&mut self) {
        self.show_events();
        if let Some(sink) = &mut self.sink {
            sink.flush();
        }
    }
}
