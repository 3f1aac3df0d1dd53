//! Executes instructions. `Worker::step` decides, does no IO and has no values; `Executor::run` has
//! the values, computes, and decides nothing.

// The order of messages must not depend on the seed of a hash map.
#![warn(clippy::iter_over_hash_type)]

pub mod account;
pub mod agenda;
pub mod backlog;
pub mod bound;
pub mod buffer;
pub mod check;
pub mod engine;
pub mod executor;
pub mod lane;
pub mod memory;
pub mod names;
pub mod panic_hook;
pub mod plan;
pub mod planner;
pub mod queue;
pub mod serve;
pub mod shares;
pub mod spill;
pub mod transfers;
pub mod value;
pub mod worker;

pub use executor::{Executor, Outcome};
pub use queue::Window;
pub use worker::{Action, Progress, Told, Worker};
