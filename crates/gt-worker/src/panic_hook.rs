//! A panic inside a kernel becomes an error of the program; it is not also printed.

use std::cell::Cell;
use std::panic::{set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static IN_KERNEL: Cell<bool> = const { Cell::new(false) };
}

/// Calls a kernel, whose panic somebody catches.
pub(crate) fn in_kernel<T>(run: impl FnOnce() -> T) -> T {
    struct Leave(bool);
    impl Drop for Leave {
        fn drop(&mut self) {
            IN_KERNEL.set(self.0);
        }
    }
    let _leave = Leave(IN_KERNEL.replace(true));
    run()
}

/// Whether a panic of this thread is one of a kernel.
fn is_kernel() -> bool {
    let named = |name: &str| name.starts_with("gt-kernel-");
    IN_KERNEL.get() || std::thread::current().name().is_some_and(named)
}

/// Lets panics of kernels be silent; all others are reported as before.
pub fn kernel_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let report = take_hook();
        set_hook(Box::new(move |panic| {
            if !is_kernel() {
                report(panic);
            }
        }));
    });
}
