//! Views of the event stream: the instruction log, the timeline that is drawn from it, top,
//! metrics, and the board that the web page shows.

pub mod board;
pub mod kind;
pub mod log;
pub mod metrics;
mod requests;
pub mod timeline;
pub mod top;

pub use log::InstructionLog;
