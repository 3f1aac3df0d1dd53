//! Why a program waits: the time of each session in a trace, by what stood in its way.

mod facts;
mod sweep;
mod words;

pub use facts::Facts;
pub use sweep::{Cause, Explanation, explain};
pub use words::{json, sentence, text};
