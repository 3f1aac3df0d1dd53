//! What other threads of the process bring to the worker_loop.

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

/// News, and what wakes the worker_loop for them.
pub(super) struct Inbox {
    news: Channel<News>,
    waker: Waker,
}

impl Inbox {
    pub(super) fn new() -> Result<Inbox> {
        Ok(Inbox { news: Channel::default(), waker: Waker::new().map_err(cannot_wait)? })
    }

    /// Brings news, from any thread.
    pub(super) fn bring(&self, news: News) {
        self.news.leave(news);
        self.waker.wake();
    }

    /// Brings news that the worker_loop will look for without being woken.
    pub(super) fn leave(&self, news: News) {
        self.news.leave(news);
    }

    /// Takes all news.
    pub(super) fn drain(&self, into: &mut VecDeque<News>) {
        self.news.drain(into);
    }

    /// What ends a wait when there are news.
    pub(super) fn waker(&self) -> &Waker {
        &self.waker
    }
}

pub(super) fn cannot_wait(error: gt_zmq::Error) -> Error {
    Error::runtime(format!("the worker cannot wait for messages: {error}"))
}
