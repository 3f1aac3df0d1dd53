//! Gradients: each result that needs one has a node of the gradient graph. Nothing is computed
//! here; backward appends more instructions.

mod backward;
mod checkpoint;
mod mode;
mod node;
mod pull;
mod record;
mod replace;
mod sum;
mod tape;
mod tensor;

pub use backward::{Request, run};
pub use checkpoint::{Forward, checkpoint};
pub use mode::{Grad, detects_anomalies, is_enabled, set_detect_anomalies, with};
pub(crate) use node::History;
pub use node::{AfterHook, Backward, Edge, Gradient, HeldByHook, Hook, HookId, Node, mark};
pub(crate) use pull::Emitter;
pub use record::custom;
pub(crate) use record::{add_node, copied, edges, through};
pub use tape::{Entry, tape};
pub(crate) use tensor::Origin;
