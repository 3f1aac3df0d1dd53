//! Rewrites the clients' streams for the workers. Everything here is decided by `step`, which does
//! no IO: messages go in, messages come out. `serve` has the sockets and the clock.

// The order of messages must not depend on the seed of a hash map.
#![warn(clippy::iter_over_hash_type)]

mod arrivals;
mod context;
pub mod costs;
mod decide;
pub mod dispatcher;
mod expected;
pub mod explanation;
mod failure_barrier;
pub mod gateway;
mod in_flight;
mod inference;
pub mod load;
pub mod outbox;
mod pick;
pub mod placements;
pub mod policy;
pub mod recipe;
pub mod recording;
pub mod registry;
pub mod rehearsal;
pub mod role;
mod scopes;
pub mod serve;
pub mod session;
pub mod tickets;
mod timeline;
mod worker_map;
pub mod worker_table;

pub use dispatcher::Dispatcher;
pub use outbox::Outbox;
