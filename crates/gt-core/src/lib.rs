//! The vocabulary of GT: what shapes, dtypes, operations, instructions and placements are. Nothing
//! here blocks, prints, or reads the environment or the clock.

pub mod attrs;
pub mod call;
pub mod dtype;
pub mod error;
pub mod event;
pub mod expr;
pub mod instruction;
pub mod kernel;
pub mod op;
#[allow(missing_docs, reason = "a row's documentation is one of its columns")]
pub mod ops;
pub mod philox;
pub mod placement;
pub mod record;
pub mod rules;
pub mod sample;
pub mod shape;
pub mod slot;
pub mod strides;
pub mod text;
pub mod whole;
pub mod wire;

pub use dtype::{DType, Scalar};
pub use error::{Error, Fault, Result};
pub use shape::{Meta, Shape};
pub use slot::{Provenance, RequestId, ScopeId, SessionId, SignatureId, Slot, WorkerId};
