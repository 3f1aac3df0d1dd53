//! The timeline: a log as a picture, a page, or a trace for other viewers.

mod chrome;
mod draw;
pub mod entry;
mod marks;
pub mod model;
mod page;
mod png;
pub mod summary;

pub use chrome::write_chrome;
pub use draw::{duration, many, svg};
pub use model::{Builder, Filter, Model};
pub use page::write_page;
pub use png::png;
