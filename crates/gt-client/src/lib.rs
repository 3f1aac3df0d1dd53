//! Turns eager tensor calls into a stream of instructions. Only reading a value waits.

pub mod display;
mod element;
pub mod embedded;
pub mod grad;
pub mod host;
pub mod index;
mod inner;
mod mailbox;
mod parts;
pub mod provenance;
pub mod session;
pub mod stream;
pub mod tensor;
mod view;

pub use element::{Element, Nested};
pub use embedded::{EventSink, Options};
pub use session::{Input, Session};
pub use tensor::Tensor;
