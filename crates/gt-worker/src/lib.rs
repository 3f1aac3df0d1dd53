//! Executes instructions: queue, plan, store, engines. `Worker::step` decides and does no IO;
//! `Executor::run` computes and decides nothing.

pub mod buffer;
pub mod engine;
pub mod executor;
pub mod memory;
pub mod panic_hook;
pub mod plan;
pub mod planner;
pub mod queue;
mod read_bypass;
pub mod serve;
pub mod store;
pub mod value;
pub mod worker;

pub use executor::{Executor, Outcome};
pub use queue::Window;
pub use worker::{Action, Told, Worker};
