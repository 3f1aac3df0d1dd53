//! What clients and workers tell of themselves when they arrive.

use std::fmt;

use gt_core::SessionId;
use serde::{Deserialize, Serialize};

use crate::ticket::Address;
use crate::transfers::seal;

/// A client's first words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// Who it is, for people.
    pub name: String,
    /// How many workers it wants; all there are if absent.
    pub workers: Option<u32>,
    /// How many bytes it may hold on each worker at most, if it wants no more.
    pub memory_bytes: Option<u64>,
    /// Whether copies of what it reads and replaces are compared.
    pub compare_copies: bool,
    /// Whether results that are not finite fail, if their inputs are.
    pub check_nan: bool,
    /// The session it had before its connection broke.
    pub resume: Option<Resume>,
}

impl Hello {
    /// The first words of a client that wants every worker.
    pub fn named(name: impl Into<String>) -> Self {
        Hello { name: name.into(), ..Hello::default() }
    }
}

/// A session that goes on over another connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// The session.
    pub session: SessionId,
    /// What only its client knows.
    pub token: Token,
    /// How many messages of the dispatcher had arrived.
    pub received: u64,
}

/// What a client shows to go on with its session.
#[derive(Clone, Eq, Serialize, Deserialize)]
pub struct Token(pub [u8; 16]);

impl PartialEq for Token {
    fn eq(&self, other: &Token) -> bool {
        seal::equal(&self.0, &other.0)
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        seal::wipe(&mut self.0);
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The dispatcher's first words to a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The client's session.
    pub session: SessionId,
    /// What to show to go on with it after a broken connection.
    pub token: Token,
    /// How many messages of the client have arrived.
    pub received: u64,
    /// How many workers it has.
    pub workers: u32,
    /// How many threads they have together.
    pub threads: u32,
    /// How many bytes they may use together.
    pub memory_bytes: u64,
}

/// What a worker tells of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerInfo {
    /// What people call it.
    pub name: String,
    /// The host it runs on.
    pub host: String,
    /// Its process there.
    pub pid: u32,
    /// What computes: `native`, `torch`, …
    pub engine: String,
    /// On what: `cpu`, `cuda:0`, …
    pub device: String,
    /// How many threads it has.
    pub threads: u32,
    /// How many cores of its host its threads may run on, which other workers there share; zero if
    /// its cores are its own.
    pub cores: u32,
    /// Its numerics class: engine and kernel instructions. Workers of one class compute the same
    /// bits.
    pub numerics: String,
    /// How many bytes it may use; zero if that is not known.
    pub memory_bytes: u64,
    /// Where tensor data reaches it, if it listens.
    pub data: Address,
}
