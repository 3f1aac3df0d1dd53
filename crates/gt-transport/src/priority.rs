//! Who goes first when there are more threads than cores.

/// Lets the threads that compute go before this one and those it starts: what is shown or written
/// may be so a moment later.
pub fn give_way() {
    // SAFETY: it changes how this thread is scheduled and nothing else; if that is refused, the
    // thread runs as others do.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::setpriority(libc::PRIO_PROCESS, 0, 10);
    }
}
