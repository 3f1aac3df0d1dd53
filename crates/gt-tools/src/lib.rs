//! Views of the event stream: the instruction log, the timeline that is drawn from it, what held
//! sessions up, and top.

pub mod kind;
pub mod log;
pub mod profile;
pub mod timeline;
pub mod top;
pub mod why;

pub use log::InstructionLog;
