//! Identifiers of values, workers, sessions and requests.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! name {
    ($(#[$doc:meta])* $type:ident($inner:ty), $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $type(pub $inner);

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

name! {
    /// The number of a value within its session. It is used again after it was freed; the order
    /// of the stream makes that safe.
    Slot(u32), "t"
}

name! {
    /// A worker, as the dispatcher counts them.
    WorkerId(u32), "w"
}

name! {
    /// A client's session at a dispatcher. Slots mean nothing without it.
    SessionId(u64), "s"
}

name! {
    /// A place in the user's program, as the client numbers them. Zero is "unknown".
    Provenance(u32), "p"
}

name! {
    /// The signals around an instruction, innermost last, as the client numbers them.
    ScopeId(u32), "scope"
}

name! {
    /// How workers share instructions, as the dispatcher numbers it for a session. With number zero
    /// each does all of what it is given.
    SignatureId(u32), "d"
}

name! {
    /// A read that waits for its answer, as the client numbers them.
    RequestId(u32), "r"
}

impl Slot {
    /// Clients name their values below this number; the dispatcher names its copies from here on.
    pub const FIRST_COPY: u32 = 1 << 31;

    /// A session has at most so many values at once, and as many copies.
    pub const MOST_VALUES: u32 = 1 << 24;

    /// Whether the dispatcher made this name, for a value that no client knows.
    pub const fn is_copy(self) -> bool {
        self.0 >= Self::FIRST_COPY
    }
}

impl Default for ScopeId {
    fn default() -> Self {
        ScopeId::ROOT
    }
}

impl ScopeId {
    /// No signal.
    pub const ROOT: ScopeId = ScopeId(0);
}

impl Default for SignatureId {
    fn default() -> Self {
        SignatureId::NONE
    }
}

impl SignatureId {
    /// Nothing is shared.
    pub const NONE: SignatureId = SignatureId(0);
}

impl Provenance {
    /// An unknown place.
    pub const UNKNOWN: Provenance = Provenance(0);
}
