//! The host: the language runtime that calls the client. It decides how a wait is carried out:
//! Python releases its global lock and checks for Ctrl-C.

use std::sync::OnceLock;
use std::time::Duration;

use gt_core::Result;

/// How long a wait may last before the host is asked.
pub const PATIENCE: Duration = Duration::from_millis(50);

/// What waits on behalf of a program.
pub trait Host: Send + Sync {
    /// Calls `poll` until it returns true. Each call may take as long as the time it is given.
    fn wait(&self, poll: &mut (dyn FnMut(Duration) -> bool + Send)) -> Result<()>;

    /// Tells the user of something that may be a mistake; an error if the user asked for errors.
    fn warn(&self, text: &str) -> Result<()>;

    /// A session has a config: from here on names of modules may have a meaning.
    fn configured(&self) {}
}

struct Plain;

impl Host for Plain {
    fn wait(&self, poll: &mut (dyn FnMut(Duration) -> bool + Send)) -> Result<()> {
        while !poll(PATIENCE) {}
        Ok(())
    }

    fn warn(&self, text: &str) -> Result<()> {
        tracing::warn!(target: "gt", "{text}");
        Ok(())
    }
}

static HOST: OnceLock<Box<dyn Host>> = OnceLock::new();

/// Sets the host of this process; the first one stays.
pub fn set(host: impl Host + 'static) {
    let _ = HOST.set(Box::new(host));
}

/// Tells the user of something that may be a mistake. Called where no lock is held.
pub fn warn(text: &str) -> Result<()> {
    HOST.get_or_init(|| Box::new(Plain)).warn(text)
}

/// Tells the host that a session has a config. Called where no lock is held.
pub fn configured() {
    HOST.get_or_init(|| Box::new(Plain)).configured();
}

/// Calls `poll` until it returns true, or the host has a reason to stop.
pub fn wait(mut poll: impl FnMut(Duration) -> bool + Send) -> Result<()> {
    HOST.get_or_init(|| Box::new(Plain)).wait(&mut poll)
}

/// Room for so many bytes of a snapshot. Fresh memory costs more than the copy unless it comes in
/// large pages.
pub fn room(bytes: usize) -> Vec<u8> {
    let room = Vec::<u8>::with_capacity(bytes);
    #[cfg(target_os = "linux")]
    if bytes >= LARGE_PAGE {
        let start = room.as_ptr().addr().next_multiple_of(SMALL_PAGE);
        let end = (room.as_ptr().addr() + bytes) & !(SMALL_PAGE - 1);
        // SAFETY: the pages lie within memory of ours. Advice changes nothing but the speed, so
        // that it may be refused.
        unsafe { libc::madvise(start as *mut _, end - start, libc::MADV_HUGEPAGE) };
    }
    room
}

const SMALL_PAGE: usize = 4 << 10;
const LARGE_PAGE: usize = 2 << 20;
