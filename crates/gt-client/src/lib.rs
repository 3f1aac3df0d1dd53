//! Turns eager tensor calls into a stream of instructions. Only reading a value waits.

pub mod display;
mod element;
pub mod embedded;
mod explain;
pub mod fork;
pub mod grad;
pub mod host;
pub mod index;
mod inner;
mod machines;
mod mailbox;
mod parts;
pub mod provenance;
pub mod session;
mod shared;
mod status;
pub mod stream;
pub mod tensor;
mod view;

pub use element::{Element, Nested};
pub use embedded::{EventSink, Options};
pub use session::{Input, Session, WeakSession};
pub use status::{Line, Memory, Status};
pub use tensor::Tensor;
