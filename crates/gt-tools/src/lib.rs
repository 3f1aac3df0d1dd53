//! Views of the event stream: the instruction log.

pub mod log;

pub use log::InstructionLog;
