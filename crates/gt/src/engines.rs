//! The engines that every process of GT knows by their names.

use std::sync::Arc;

use gt_core::{Error, Result};
use gt_worker::engine::registry::{Backend, Device, EngineFactory};

/// Makes them available under their names. What is registered already stays.
pub fn register() {
    gt_native::BACKEND.register();
    Backend::of(&WithoutPython).register();
}

/// The reference engine in a process without an interpreter. Where there is one, the extension has
/// registered the engine itself before.
struct WithoutPython;

impl EngineFactory for WithoutPython {
    fn names(&self) -> &'static [&'static str] {
        &["reference", "numpy"]
    }

    fn open(&self, _threads: usize) -> Result<Arc<dyn Device>> {
        Err(Error::value(
            "the reference engine needs Python: start the worker with `python -m gt worker \
             --backend reference`",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_users_keep() {
        register();
        for (name, engine) in
            [("native", "native"), ("reference", "reference"), ("numpy", "reference")]
        {
            assert_eq!(name.parse::<Backend>().map(Backend::name), Ok(engine));
        }
        let error = "tpu".parse::<Backend>().expect_err("there is none");
        let words = "there is no engine 'tpu'; it is native or reference (numpy)";
        assert!(error.to_string().contains(words), "{error}");
    }

    #[test]
    fn without_an_interpreter_the_reference_says_what_it_needs() {
        register();
        let reference: Backend = "numpy".parse().expect("its name is known");
        let error = reference.open(1).err().expect("there is no interpreter");
        assert!(error.to_string().contains("python -m gt worker"), "{error}");
    }
}
