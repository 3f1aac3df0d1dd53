//! The engines that there are, by the names that users give them.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use gt_core::error::{Error, Result};

use super::HostEngine;
use super::native::Native;
use super::native::threads::Threads;
use super::null::Null;
use crate::buffer::Pool;

/// An engine that a worker can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// GT's own kernels, on the CPU.
    #[default]
    Native,
    /// NumPy, in the plainest form: what the others are compared with.
    Reference,
    /// Nothing: every result is zero. For measuring everything else.
    Null,
}

/// Makes the reference engine; it needs an interpreter, which not every process has.
static REFERENCE: OnceLock<fn(Arc<Pool>) -> Arc<HostEngine>> = OnceLock::new();

/// Says how the reference engine is made.
pub fn provide_reference(make: fn(Arc<Pool>) -> Arc<HostEngine>) {
    // Whoever provides it again provides the same.
    let _ = REFERENCE.set(make);
}

impl Backend {
    /// Makes the engine.
    pub fn engine(self, pool: &Arc<Pool>, threads: &Arc<Threads>) -> Result<Arc<HostEngine>> {
        Ok(match self {
            Backend::Native => Arc::new(Native::sharing(pool.clone(), threads.clone())),
            Backend::Null => Arc::new(Null(pool.clone())),
            Backend::Reference => {
                let make = REFERENCE.get().ok_or_else(|| {
                    Error::value(
                        "the reference engine needs Python: start the worker with `python -m gt \
                         worker --backend reference`",
                    )
                })?;
                make(pool.clone())
            }
        })
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Backend::Native => "native",
            Backend::Reference => "reference",
            Backend::Null => "null",
        })
    }
}

impl FromStr for Backend {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "native" => Ok(Backend::Native),
            "reference" | "numpy" => Ok(Backend::Reference),
            "null" => Ok(Backend::Null),
            _ => Err(Error::value(format!(
                "there is no engine '{name}'; it is native or reference (numpy)"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_are_printed() {
        for backend in [Backend::Native, Backend::Reference, Backend::Null] {
            assert_eq!(backend.to_string().parse(), Ok(backend));
        }
        assert_eq!("numpy".parse(), Ok(Backend::Reference));
        assert!("tpu".parse::<Backend>().is_err());
    }
}
