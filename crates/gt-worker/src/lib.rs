//! Executes instructions: queue, plan, store, engines.

pub mod buffer;
pub mod engine;
pub mod value;
