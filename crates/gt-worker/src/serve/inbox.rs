//! What other threads of the process bring to the worker_loop.

use std::collections::VecDeque;

use bytes::Bytes;
use gt_core::{Error, Result};
use gt_transport::bulk;
use gt_transport::channel::Channel;
use gt_zmq::Waker;

use crate::executor::Outcome;

/// Something that happened in another thread.
pub(super) enum News {
    /// A plan ran.
    Finished(Outcome),
    /// Somebody brought a value, or failed to.
    Arrived(u64, Result<Bytes>),
    /// A delivery or a fetch has ended.
    Errand(bulk::Event),
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
