//! What can go wrong, by who has to act.

use std::ffi::CStr;

use crate::ffi;

/// The result of everything here but a send.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The caller asked for an address, a path or a key that cannot be had; another one may do.
    #[error("{0}")]
    Input(String),
    /// The system has no more memory, descriptors or sockets, or refuses what it should grant.
    #[error("{operation}: {reason}")]
    System {
        /// What was attempted.
        operation: &'static str,
        /// The reason that the system gives.
        reason: String,
    },
    /// The object belongs to the process that was forked.
    #[error("this connection belongs to the process that was forked; open another one here")]
    Forked,
}

/// Why a message was not sent. It was not sent in part either.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The peer's connection has ended.
    #[error("the peer is gone")]
    Gone,
    /// As many messages as allowed wait to leave; the peer is slow or stuck.
    #[error("the peer does not keep up, and no more messages may wait for it")]
    Full,
}

impl Error {
    /// What libzmq has just reported for `operation`.
    pub(crate) fn last(operation: &'static str) -> Error {
        Error::System { operation, reason: reason(code()) }
    }

    /// What the system has reported for `operation`.
    pub(crate) fn system(operation: &'static str, error: &std::io::Error) -> Error {
        Error::System { operation, reason: error.to_string() }
    }
}

/// The code of the last failure on this thread.
pub(crate) fn code() -> i32 {
    // SAFETY: has no conditions.
    unsafe { ffi::zmq_errno() }
}

/// What a code means, in words.
pub(crate) fn reason(code: i32) -> String {
    // SAFETY: libzmq gives a text for every code, which stays valid until the thread asks again.
    unsafe { CStr::from_ptr(ffi::zmq_strerror(code)) }.to_string_lossy().into_owned()
}
