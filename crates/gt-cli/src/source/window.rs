//! How many messages a server may send to somebody who watches, and when it is asked for more.

use std::time::{Duration, Instant};

use gt_core::event::Detail;
use gt_transport::Message;

/// Messages that a server may send before it hears that some have arrived.
pub(super) const AHEAD: u32 = 256;
/// How often a server is asked how things are, which also says that somebody watches.
const ASK: Duration = Duration::from_millis(500);
/// Whoever was stopped for so long may have been forgotten.
const PAUSE: Duration = Duration::from_secs(2);

/// When a server is asked next.
#[derive(Debug)]
pub(super) struct Window {
    next_ask: Instant,
    detail: Detail,
}

impl Window {
    /// A server that has just been asked for [`AHEAD`] messages, and not how things are.
    pub(super) fn open(now: Instant, detail: Detail) -> Window {
        Window { next_ask: now, detail }
    }

    /// Asks for so many more messages, in words that a server understands which has forgotten this.
    pub(super) fn observe(&self, messages: u32) -> Message {
        Message::Observe { messages, detail: self.detail }
    }

    /// How many more messages to ask for, if it is time to say that somebody watches.
    pub(super) fn due(&mut self, now: Instant) -> Option<u32> {
        if now < self.next_ask {
            return None;
        }
        let was_stopped = now > self.next_ask + PAUSE;
        self.next_ask = now + ASK;
        // A server forgets whoever has said nothing for seconds, and how many messages they may be
        // sent: it would go on with one at a time.
        Some(if was_stopped { AHEAD } else { 0 })
    }

    /// Until when nothing has to be asked.
    pub(super) fn next_ask(&self) -> Instant {
        self.next_ask
    }
}

#[cfg(test)]
mod tests {
    use gt_dispatcher::Dispatcher;
    use gt_dispatcher::gateway::{ConnectionId, Delivery, Gateway, Timeouts};
    use gt_dispatcher::role::{Credentials, Identity, Role};
    use gt_dispatcher::session::Reach;
    use gt_transport::Message;
    use gt_transport::hello::Hello;
    use gt_transport::reliable::unsequenced;
    use gt_transport::ticket::Secret;

    use super::*;

    const WATCHER: ConnectionId = ConnectionId(1);

    /// A server, and the time there.
    struct Server(Gateway, u64);

    impl Server {
        fn hear(&mut self, connection: ConnectionId, message: &Message) {
            let (role, identity) = (Some(Role::Both), Identity::User(1));
            let credentials = Credentials { reach: Reach::Local, address: None, identity, role };
            let parts = unsequenced(message);
            self.0.hear(self.1, connection, credentials, parts, &mut Vec::new());
        }

        /// How many of so many messages with events reach whoever watches, before it says a word.
        fn shown(&mut self, messages: u64) -> usize {
            let mut out = Vec::new();
            for number in 0..messages {
                // A client that comes is an event.
                let client = ConnectionId(self.1 + number + 2);
                self.hear(client, &Message::Hello(Hello::named("somebody")));
                self.0.publish_events(self.1, &mut out);
            }
            let is_shown = |one: &&Delivery| matches!(one, Delivery::Send(to, _) if *to == WATCHER);
            out.iter().filter(is_shown).count()
        }
    }

    #[test]
    fn whoever_was_stopped_is_sent_as_much_at_once_as_before() {
        let secret = Secret::known(7);
        let mut server = Server(Gateway::new(Dispatcher::new(), secret, Timeouts::default()), 0);
        let start = Instant::now();
        let mut window = Window::open(start, Detail::Each);
        server.hear(WATCHER, &Message::observe(AHEAD));
        assert_eq!((window.due(start), window.due(start)), (Some(0), None));
        assert_eq!(server.shown(100), 100);
        // The server hears nothing for ten seconds, second by second, and forgets it.
        for second in 1..=10 {
            server.1 = second * 1_000_000_000;
            server.0.tick(server.1, &mut Vec::new());
        }
        let messages = window.due(start + Duration::from_secs(10)).expect("it is time to ask");
        server.hear(WATCHER, &Message::observe(messages));
        assert_eq!(server.shown(100), 100);
        assert_eq!(window.due(window.next_ask()), Some(0), "it was not stopped again");
    }
}
