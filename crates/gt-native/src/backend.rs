//! How this engine is found by its name, and what the engines of a process share: their threads.

use std::sync::Arc;

use gt_core::error::Result;
use gt_worker::buffer::Pool;
use gt_worker::engine::HostEngine;
use gt_worker::engine::registry::{Backend, Device, EngineFactory};

use super::Native;
use super::threads::Threads;

/// The engine for CPUs, by the name that users give it.
pub const BACKEND: Backend = Backend::of(&NativeFactory);

struct NativeFactory;

impl EngineFactory for NativeFactory {
    fn names(&self) -> &'static [&'static str] {
        &["native"]
    }

    fn open(&self, threads: usize) -> Result<Arc<dyn Device>> {
        Ok(Threads::new(threads)?)
    }
}

impl Device for Threads {
    fn engine(self: Arc<Self>, pool: Arc<Pool>) -> Result<Arc<HostEngine>> {
        Ok(Arc::new(Native::sharing(pool, self)))
    }
}
