//! An engine that computes nothing: every result is zero. It shows what everything around an engine
//! costs.

use std::sync::Arc;

use bytes::Bytes;
use gt_core::error::Result;
use gt_core::kernel::Kernel;
use gt_core::op::Call;
use gt_core::shape::Meta;

use super::registry::{Device, EngineFactory};
use super::{Engine, HostEngine, Operands, Results, Takes};
use crate::buffer::Pool;
use crate::value::Value;

/// Makes engines that compute nothing. Users have no use for them.
pub(super) struct NullFactory;

impl EngineFactory for NullFactory {
    fn names(&self) -> &'static [&'static str] {
        &["null"]
    }

    fn is_listed(&self) -> bool {
        false
    }

    fn open(&self, _threads: usize) -> Result<Arc<dyn Device>> {
        Ok(Arc::new(NullDevice))
    }
}

/// Nothing is computed on it.
pub(super) struct NullDevice;

impl Device for NullDevice {
    fn engine(self: Arc<Self>, pool: Arc<Pool>) -> Result<Arc<HostEngine>> {
        Ok(Arc::new(Null(pool)))
    }
}

/// Computes nothing.
pub struct Null(pub Arc<Pool>);

impl Takes for Null {
    fn takes(&self, _: &Call) -> bool {
        false
    }
}

impl Engine for Null {
    type Value = Value;

    fn name(&self) -> &'static str {
        "null"
    }

    fn pool(&self) -> &Arc<Pool> {
        &self.0
    }

    fn upload(&self, meta: Meta, data: Bytes) -> Result<Value> {
        Value::from_bytes(meta, data, &self.0)
    }

    fn run(&self, _: &Kernel, _: Operands, outputs: &[Meta]) -> Result<Results> {
        let zero = |meta: &Meta| Ok(Value::new(meta.clone(), self.0.zeroed(meta.bytes())?));
        outputs.iter().map(zero).collect()
    }
}
