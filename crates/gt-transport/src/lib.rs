//! How GT's messages look on a wire, and the channels that carry them.

pub mod batch;
pub mod channel;
pub mod codec;
pub mod event_queue;
pub mod framed;
pub mod heap;
pub mod hello;
pub mod lock;
pub mod message;
pub mod order;
pub mod priority;
pub mod region;
pub mod reliable;
pub mod report;
pub mod share;
pub mod stop;
pub mod sync;
pub mod ticket;
pub mod transfers;

pub use batch::Batch;
pub use message::{Checksum, Failure, FailureId, Holder, Message, Peer, Value};
