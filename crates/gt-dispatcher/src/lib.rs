//! Rewrites the clients' streams for the workers. Everything here is decided by `step`, which does
//! no IO: messages go in, messages come out. `serve` has the sockets and the clock.

mod context;
pub mod dispatcher;
mod duties;
mod flights;
pub mod front;
pub mod load;
pub mod outbox;
pub mod registry;
pub mod role;
pub mod roster;
pub mod serve;
pub mod session;
pub mod tickets;
mod trust;
mod worker_map;

pub use dispatcher::Dispatcher;
pub use outbox::Outbox;
