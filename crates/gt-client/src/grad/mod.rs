//! Gradients: each result that needs one knows the way back to the tensors it was made from. There
//! is no computation here; backward emits more instructions.

mod backward;
mod checkpoint;
mod mode;
mod node;
mod pull;
mod record;
mod replace;
mod tensor;

pub use backward::{Request, run};
pub use checkpoint::{Forward, checkpoint};
pub use mode::{Grad, detects_anomalies, is_enabled, set_detect_anomalies, with};
pub(crate) use node::History;
pub use node::{AfterHook, Backward, Edge, Gradient, HeldByHook, Hook, HookId, Node, mark};
pub(crate) use pull::Emitter;
pub use record::custom;
pub(crate) use record::{copied, edges, through, trace};
pub(crate) use tensor::Origin;
