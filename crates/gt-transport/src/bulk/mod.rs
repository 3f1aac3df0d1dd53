//! The data plane: how the bytes of large tensors travel straight between processes.
//!
//! Whoever listens opens a [`Depot`], whoever connects has a [`Courier`]. Each parcel needs a
//! ticket, a [`Key`] that the control plane gives to both sides and that is good for one transfer
//! in one direction. On one host bytes go through shared memory that a Unix socket hands over;
//! between hosts they go over TCP, sealed with the ticket. Nothing here knows what the bytes mean.
//!
//! A conversation on a connection, where `c` is the courier and `d` the depot:
//!
//! ```text
//! both  Hello                   fresh random bytes, so that nothing recorded can be replayed
//! c     Deliver 1 tag=7         proves that it owns the key of 7; no bytes yet
//! d     Ready 1                 proves the same, and that memory is waiting
//! c     Chunk 1 …  Chunk 1 …
//! d     Done 1
//!
//! c     Fetch 2 tag=8           on the other lane; answered when the value is there
//! d     Ready 2, Chunk 2 …      or `Loan 2`: the value lies in a segment of shared memory
//! c     Return                  of the segment, when nobody looks at the value any more
//! ```

mod address;
mod buffer_source;
mod counters;
mod courier;
mod depot;
mod frame;
mod limits;
mod link;
mod parcel;
mod relay;
mod ring;
pub(crate) mod seal;
mod socket;
mod system;
mod thread_group;
mod ticket;

pub use address::Address;
pub use buffer_source::{Buffer, BufferSource, Plain};
pub use counters::{Counters, Traffic};
pub use courier::{Courier, Event};
pub use depot::{Depot, DepotOptions};
pub use limits::Limits;
pub use relay::{Relay, RelayOptions};
pub use ticket::Key;
