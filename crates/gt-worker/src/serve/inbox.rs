//! Events from other threads of the process for the worker loop, and the waker that ends its wait.

use std::collections::VecDeque;

use gt_core::{Error, Result};
use gt_transport::channel::Channel;
use gt_transport::transfers::Event;
use gt_zmq::Waker;

use crate::executor::Outcome;

/// Something that happened in another thread.
pub(super) enum News {
    /// A plan ran.
    Finished(Outcome),
    /// A transfer has ended.
    Transfer(Event),
}

/// Events of other threads, and what wakes the worker loop for them.
pub(super) struct Inbox {
    news: Channel<News>,
    waker: Waker,
}

impl Inbox {
    pub(super) fn new() -> Result<Inbox> {
        Ok(Inbox { news: Channel::default(), waker: Waker::new().map_err(cannot_wait)? })
    }

    /// Leaves an event and wakes the worker loop; from any thread.
    pub(super) fn bring(&self, news: News) {
        self.news.leave(news);
        self.waker.wake();
    }

    /// Leaves an event for the worker loop without waking it.
    pub(super) fn leave(&self, news: News) {
        self.news.leave(news);
    }

    /// Takes all events.
    pub(super) fn drain(&self, into: &mut VecDeque<News>) {
        self.news.drain(into);
    }

    /// Ends a wait when there is an event.
    pub(super) fn waker(&self) -> &Waker {
        &self.waker
    }
}

pub(super) fn cannot_wait(error: gt_zmq::Error) -> Error {
    Error::runtime(format!("the worker cannot wait for messages: {error}"))
}
