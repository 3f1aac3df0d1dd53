//! What a fork leaves: a child has the memory of libzmq but none of its threads, and a lock may be
//! held there for ever. So what was made before a fork is left alone after it.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::{Error, Result};

/// How many forks lie between this process and the one that loaded the crate.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// The process in which something was made.
#[derive(Debug, Clone, Copy)]
pub struct Home(u32);

impl Home {
    /// This process.
    pub fn here() -> Home {
        static WATCH: Once = Once::new();
        // SAFETY: the function is there for as long as the process, and only counts.
        WATCH.call_once(|| unsafe {
            libc::pthread_atfork(None, None, Some(count));
        });
        Home(GENERATION.load(Ordering::Relaxed))
    }

    /// Whether this is still that process.
    pub fn is_here(self) -> bool {
        self.0 == GENERATION.load(Ordering::Relaxed)
    }

    /// An error in a forked child.
    pub fn check(self) -> Result<()> {
        if self.is_here() { Ok(()) } else { Err(Error::Forked) }
    }
}

extern "C" fn count() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
}
