//! One error type for the whole system. The variant says who must act.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// An error. Its variant says who must act.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Error {
    /// The user wrote something that has no meaning; the fault is at their line.
    #[error("{message}")]
    Input {
        /// Which kind of mistake it is; a language front maps it to an exception type.
        fault: Fault,
        /// One sentence that names the operation and the facts.
        message: String,
    },
    /// A worker's memory limit was reached.
    #[error("{0}")]
    OutOfMemory(String),
    /// A value, a worker or a connection is gone; trying again may help.
    #[error("{0}")]
    Lost(String),
    /// A worker is gone, and with it a value; the session goes on.
    #[error("{0}")]
    WorkerLost(String),
    /// The session is over, and with it all of its values.
    #[error("{0}")]
    SessionLost(String),
    /// The user interrupted a wait; the work goes on.
    #[error("interrupted")]
    Interrupted,
    /// GT itself is at fault.
    #[error("{0} (this is a bug in GT; please report it)")]
    Bug(String),
}

/// The kinds of mistakes a user can make, named after the exceptions PyTorch raises for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    /// Shapes or states that do not go together (`RuntimeError`).
    Runtime,
    /// A value outside of what an argument allows (`ValueError`).
    Value,
    /// An argument of a type that cannot be used there (`TypeError`).
    Type,
    /// An axis or an index that does not exist (`IndexError`).
    Index,
}

impl Error {
    /// Shapes or states that do not go together.
    pub fn runtime(message: impl fmt::Display) -> Self {
        Error::Input { fault: Fault::Runtime, message: message.to_string() }
    }

    /// A value outside of what an argument allows.
    pub fn value(message: impl fmt::Display) -> Self {
        Error::Input { fault: Fault::Value, message: message.to_string() }
    }

    /// An argument of a type that cannot be used there.
    pub fn type_(message: impl fmt::Display) -> Self {
        Error::Input { fault: Fault::Type, message: message.to_string() }
    }

    /// An axis or an index that does not exist.
    pub fn index(message: impl fmt::Display) -> Self {
        Error::Input { fault: Fault::Index, message: message.to_string() }
    }

    /// A broken promise of GT's own, found across a border where a panic would hurt others.
    pub fn bug(message: impl fmt::Display) -> Self {
        Error::Bug(message.to_string())
    }

    /// The same error with `context` in front of its message.
    pub fn within(self, context: impl fmt::Display) -> Self {
        match self {
            Error::Input { fault, message } => {
                Error::Input { fault, message: format!("{context}: {message}") }
            }
            Error::OutOfMemory(message) => Error::OutOfMemory(format!("{context}: {message}")),
            Error::Lost(message) => Error::Lost(format!("{context}: {message}")),
            Error::WorkerLost(message) => Error::WorkerLost(format!("{context}: {message}")),
            Error::SessionLost(message) => Error::SessionLost(format!("{context}: {message}")),
            Error::Interrupted => Error::Interrupted,
            Error::Bug(message) => Error::Bug(format!("{context}: {message}")),
        }
    }
}
