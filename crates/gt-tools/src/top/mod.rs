//! `gt top`: who works on what at the moment, from the event stream.

mod json;
pub mod state;
mod view;

pub use json::json;
pub use state::{Sort, State};
pub use view::draw;
