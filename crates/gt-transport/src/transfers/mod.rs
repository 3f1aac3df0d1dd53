//! The data plane: how the bytes of large tensors travel straight between processes.
//!
//! Two processes that exchange values have one channel, which is opened when the first ticket for
//! it comes. [`Transfers`] is its protocol, a machine without IO that is the same for clients and
//! workers; [`DataPlane`] is the thread with the sockets around it. On one host chunks go through
//! shared memory that a Unix socket hands over; between hosts they are sealed. Where there is no
//! direct way, both sides meet at a relay, which passes on what it cannot read.
//!
//! A conversation on a channel, where `s` has a value and `r` gets it:
//!
//! ```text
//! both  Hello epoch=5 oldest=0     which life of a channel this is, and what is settled
//! s     Offer 0 tag=7 3 MiB        the value is there; `r` has heard of the tag by its ticket
//! r     Grant 0 offset=0           memory is waiting
//! s     Chunk 0 offset=0 …         in turns with the chunks of other values
//!       (the connection is cut, and made again)
//! both  Hello epoch=5 oldest=0
//! s     Offer 0 tag=7 3 MiB        once more, because it was not confirmed
//! r     Grant 0 offset=2 MiB       the rest
//! s     Chunk 0 offset=2 MiB
//! r     Done 0                     `s` may drop the value
//! s     Release oldest=1           `r` may forget that it came
//! ```
//!
//! Small values leave without a grant, within a bound. Either side may say instead that a value
//! does not come (`Fail`) or is not taken (`Refuse`), and both are said again until they are
//! settled.

mod address;
mod buffer_source;
mod carry;
mod frame;
mod handshake;
mod key;
mod limits;
mod listener;
mod machine;
mod plane;
mod ring;
pub(crate) mod seal;
mod socket;
mod stream;
mod system;

pub use address::Address;
pub use buffer_source::{Buffer, BufferSource, Plain};
pub use carry::Carry;
pub use frame::{Frame, HEAD_BYTES, Reason};
pub use key::Key;
pub use limits::Limits;
pub use machine::{
    Action, CHUNK_BYTES, ConnectionId, Event, Held, Order, Outbound, Reach, Transfers, Via,
    Violation,
};
pub use plane::{DataPlane, PlaneOptions};
pub use stream::{Protection, Reader, Writer};
