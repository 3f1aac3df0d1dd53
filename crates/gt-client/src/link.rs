//! What joins a session to its dispatcher: memory within one process, or sockets.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gt_core::Result;
use gt_core::event::EventSink;
use gt_transport::Message;
use gt_transport::event_queue::EventQueue;
use gt_transport::report::MemoryUsage;

/// The way from a session to its dispatcher. What comes back is brought to the session's mailbox.
pub(crate) trait Link: Send + Sync {
    /// Sends a message that another thread delivers.
    fn send(&self, message: Message);

    /// Sends a message that the sender will [`Link::help`] to deliver.
    fn leave(&self, message: Message);

    /// Does a share of the work while the caller waits for an answer, for a while at most. The
    /// answer may not be there when it returns.
    fn help(&self, is_answered: &dyn Fn() -> bool, patience: Duration);

    /// A command was appended to an empty batch: a thread must be awake to send it in time.
    fn stay_awake(&self);

    /// The session is over, after what was sent before.
    fn stop(&self);

    /// From now on the events of the session go there. Within a process they do from its start.
    fn observe(&self, _sink: Box<dyn EventSink>) {}

    /// The socket at which its dispatcher can be watched, if that is in this process.
    fn monitor(&self) -> Option<PathBuf> {
        None
    }

    /// From now on the events of the session are offered to whoever watches.
    fn watch(&self, watcher: &Arc<EventQueue>);

    /// They watch no more, and have been offered everything that happened before. Waits for that.
    fn look_away(&self, watcher: &Arc<EventQueue>) -> Result<()>;

    /// Who works for the session.
    fn summary(&self) -> ClusterSummary;

    /// What the session holds on its workers. Waits for their answers.
    fn memory_usage(&self) -> Result<Vec<MemoryUsage>>;
}

/// Who works for a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClusterSummary {
    /// Where they are, if not in this process.
    pub(crate) address: Option<String>,
    /// How many workers there are.
    pub(crate) workers: usize,
    /// How many threads they have together for large kernels.
    pub(crate) threads: usize,
    /// Bytes in values, as far as it is known without asking.
    pub(crate) used_bytes: usize,
    /// The most bytes that values may take.
    pub(crate) limit_bytes: usize,
}
