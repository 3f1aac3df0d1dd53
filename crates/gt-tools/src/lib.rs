//! Views of the event stream: the instruction log, the timeline that is drawn from it, what held
//! sessions up, profiles, top, metrics, and the board that the web page shows.

pub mod board;
pub mod kind;
pub mod log;
pub mod metrics;
mod names;
pub mod profile;
mod requests;
pub mod timeline;
pub mod top;
pub mod why;

pub use log::InstructionLog;
