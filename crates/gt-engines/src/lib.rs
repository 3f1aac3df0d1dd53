//! Engines that compute in Python. They stand above `gt-worker`, which knows nothing of Python;
//! whoever has an interpreter registers them.

mod params;
mod reference;

/// Makes the engines of this crate available under their names.
pub fn register() {
    reference::BACKEND.register();
}
