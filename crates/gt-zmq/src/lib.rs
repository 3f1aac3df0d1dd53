//! ZeroMQ with CURVE behind a thin safe interface that knows nothing of its users.
//!
//! A [`Router`] serves many [`Dealer`]s, a [`Publisher`] many [`Subscriber`]s. Nothing here blocks
//! but [`wait`]: a send that finds no room and a receive that finds no message say so. Messages are
//! plain ZeroMQ messages of one or more frames, so that any other implementation can take part.
//!
//! A connection is made once. If it ends, the dealer hears of it after the last message that
//! arrived and is of no more use; a second dealer to the same place is another peer to the router.
//!
//! In a forked child everything that the parent made is out of use: calls fail, dropping does
//! nothing.

mod allow;
mod context;
mod dealer;
mod endpoint;
mod error;
mod ffi;
mod fork;
mod keys;
mod link;
mod listen;
mod message;
mod options;
mod publish;
mod router;
mod socket;
mod system;
mod wait;
mod waiting;
mod zap;

pub use allow::{AllowList, Label, LabelledKeys};
pub use context::Context;
pub use dealer::{Dealer, DealerEvent};
pub use endpoint::{ClientSecurity, Endpoint, IpcAccess, TcpSecurity, resolve};
pub use error::{Error, Result, SendError};
pub use keys::{KeyPair, PublicKey, SecretKey, SecretText};
pub use options::Options;
pub use publish::{Publisher, Subscriber};
pub use router::{Arrival, Origin, PeerId, Router};
pub use system::{
    descriptor_count, descriptor_limit, is_member, raise_descriptor_limit, user_name,
};
pub use wait::{Pollable, Sleep, Waker, wait};
