//! Why a program waits: the time of each session in a trace, by what stood in its way.

mod facts;
mod sweep;
mod words;

pub use facts::Facts;
pub use sweep::{Cause, Explanation, explain, explain_session};
pub use words::{json, sentence, text};
