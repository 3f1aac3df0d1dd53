//! Who goes first when there are more threads than cores.

/// How long a thread that others wait for wants to run at a time. It is the least that Linux takes.
#[cfg(target_os = "linux")]
const SHORT_TURN_NS: u64 = 100_000;

/// Has this thread, and those it starts, get the processor in short turns, soon after they want it:
/// they do a little for many others who wait. It is no larger part of the processor, and a system
/// that does not know of it (Linux before 6.12) does what it does otherwise.
pub fn take_short_turns() {
    #[cfg(target_os = "linux")]
    {
        // Version 0 of what `sched_getattr` and `sched_setattr` take.
        #[repr(C)]
        #[derive(Default)]
        struct Attributes {
            size: u32,
            policy: u32,
            flags: u64,
            nice: i32,
            priority: u32,
            runtime_ns: u64,
            deadline_ns: u64,
            period_ns: u64,
        }
        let size = size_of::<Attributes>();
        let mut attributes = Attributes::default();
        // SAFETY: the first call writes no more than `size` bytes, the second reads them. They
        // change how this thread is scheduled and nothing else; if that is refused, it runs as
        // others do.
        unsafe {
            let known = libc::syscall(libc::SYS_sched_getattr, 0, &mut attributes, size, 0);
            if known == 0 && attributes.policy == libc::SCHED_OTHER as u32 {
                attributes.runtime_ns = SHORT_TURN_NS;
                libc::syscall(libc::SYS_sched_setattr, 0, &attributes, 0);
            }
        }
    }
}

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
