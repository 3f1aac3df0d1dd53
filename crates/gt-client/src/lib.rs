//! Turns eager tensor calls into a stream of instructions. Only reading a value waits.

pub mod autocast;
pub mod display;
mod element;
pub mod embedded;
mod explain;
pub mod fork;
mod generator;
pub mod grad;
pub mod host;
mod identity;
pub mod index;
mod inner;
mod input;
mod link;
mod local_cluster;
mod mailbox;
mod parts;
pub mod provenance;
pub mod remote;
pub mod session;
mod shared;
mod status;
pub mod stream;
pub mod tensor;
mod view;

pub use element::{Element, Nested};
pub use embedded::Options;
pub use generator::{Generator, RandomState};
pub use input::Input;
pub use parts::{broadcast_shapes, broadcast_tensors};
pub use session::{Session, WeakSession};
pub use status::{Line, Memory, Status};
pub use tensor::Tensor;
