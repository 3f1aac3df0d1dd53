//! GT for Rust programs: the same tensors, sessions and workers as in Python.
//!
//! ```
//! use gt::Ops;
//!
//! let a = gt::tensor(&[[1.0f32, 2.0], [3.0, 4.0]])?;
//! let b = a.matmul(&a)?.relu()?;
//! assert_eq!(b.to_vec::<f32>()?, [7.0, 10.0, 15.0, 22.0]);
//! # Ok::<(), gt::Error>(())
//! ```

pub mod address;
mod create;
mod default;
pub mod engines;
pub mod folder;
#[rustfmt::skip]
mod generated;
pub mod keys;
mod limits;
mod log_file;
pub mod profile;
pub mod settings;
pub mod signals;
pub mod verbose;

pub use create::{apply, apply_all, tensor};
pub use default::{
    ConnectOptions, close, close_all, connect, enter, leave, open_session, server_of, session,
    workers,
};
pub use generated::*;
pub use gt_client::{
    Element, Elements, Generator, HostMemory, Input, Nested, RandomState, Session, Tensor,
    autocast, broadcast_shapes, broadcast_tensors, display, grad, host, index, provenance,
};
pub use gt_client::{Explanation, Line, Memory, Status, Trial, Verdict};
pub use gt_client::{config, scope};
pub use gt_core::placement;
/// What was decided of a stream, and where values are then.
pub mod rehearsal {
    pub use gt_dispatcher::explanation::{Decided, Moved, Row, RunnerUp};
    pub use gt_dispatcher::rehearsal::Held;
}
pub use gt_core::shape::MAX_RANK;
pub use gt_core::{
    DType, Error, Fault, Meta, Provenance, Result, Scalar, Shape, attrs, op, ops, rules,
};
