//! The events of a session elsewhere, for the log of its program.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use gt_core::event::{EventSink, Events};
use gt_transport::lock::Mutex;

/// How long the last events of a session may take to come.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How often somebody looks for them.
const LOOK: Duration = Duration::from_millis(1);

/// Who is interested in the events of the session, if somebody is.
#[derive(Default)]
pub(super) struct Log {
    sink: Mutex<Option<Box<dyn EventSink>>>,
    stopped: OnceLock<Instant>,
}

impl Log {
    /// From now on events go there.
    pub(super) fn open(&self, sink: Box<dyn EventSink>) {
        *self.sink.lock() = Some(sink);
    }

    /// Passes events on.
    pub(super) fn take(&self, events: &Arc<Events>) {
        if let Some(sink) = &mut *self.sink.lock() {
            sink.take(events);
        }
    }

    /// The session was closed: how long to wait for its last events, if they are still to come.
    pub(super) fn linger(&self) -> Option<Duration> {
        self.sink.lock().as_ref()?;
        let stopped = self.stopped.get_or_init(Instant::now);
        (stopped.elapsed() < LAST_WORDS).then_some(LOOK)
    }

    /// Waits until all of them are where they belong.
    pub(super) fn flush(&self) {
        if let Some(mut sink) = self.sink.lock().take() {
            sink.flush();
        }
    }
}
