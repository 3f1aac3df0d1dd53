//! Which tensors are the same, and which have elements in common.

use std::sync::Arc;

use crate::tensor::{Place, Tensor};

impl Tensor {
    /// Which of a program's tensors it is; clones have the same.
    pub fn address(&self) -> usize {
        match &self.0 {
            Place::Whole(cell) => Arc::as_ptr(cell).addr(),
            Place::Part(view) => Arc::as_ptr(view).addr(),
        }
    }

    /// How many writes its elements have seen.
    pub(crate) fn version(&self) -> u64 {
        match &self.0 {
            Place::Whole(cell) => cell.version(),
            Place::Part(view) => view.base().version(),
        }
    }

    /// What its elements are: those of a cell, seen along a path. Tensors with the same description
    /// see each other's writes in the same places.
    pub fn elements(&self) -> (usize, String) {
        match &self.0 {
            Place::Whole(cell) => (Arc::as_ptr(cell).addr(), String::new()),
            Place::Part(view) => (std::ptr::from_ref(view.base()).addr(), view.path_text()),
        }
    }
}
