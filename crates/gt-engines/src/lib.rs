//! Engines that compute in Python. They stand above `gt-worker`, which knows nothing of Python;
//! whoever has an interpreter registers them.

mod params;
mod reference;

use std::sync::Arc;

use gt_worker::engine::backend;

use crate::reference::Reference;

/// Makes the engines of this crate available under their names.
pub fn register() {
    backend::provide_reference(|pool| Arc::new(Reference::new(pool)));
}
