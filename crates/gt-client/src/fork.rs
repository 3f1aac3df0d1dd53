//! What a fork leaves of a process: the child has its memory and one of its threads. Everything
//! that needs the others, or a lock they may hold, is forgotten there.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use gt_core::{Error, Result};
use gt_transport::lock::Mutex;

/// How many forks lie between this process and the one that loaded GT.
static GENERATION: AtomicU32 = AtomicU32::new(0);

type Take = Box<dyn Fn() -> Box<dyn Any> + Send>;

/// How to take each lock that a child needs; see [`protect`].
static PROTECTED: Mutex<Vec<Take>> = Mutex::new(Vec::new());

thread_local! {
    /// The locks that the forking thread holds, so that no other thread does.
    static HELD: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// A number that is another one in a forked child.
pub fn generation() -> u32 {
    GENERATION.load(Ordering::Relaxed)
}

/// An error if what was made in `made` belongs to the parent of this process.
pub fn check(made: u32) -> Result<()> {
    if made == generation() {
        return Ok(());
    }
    Err(Error::Lost(
        "this tensor belongs to the process that was forked, and its workers are there; make \
         tensors in the child, pass `.numpy()` arrays to it, or start it with 'spawn'"
            .to_string(),
    ))
}

/// Makes sure that a lock is free in a child: a fork waits until it is, and takes it for its own
/// duration. Only for locks that are held shortly.
pub fn protect<T: Send>(lock: &'static Mutex<T>) {
    watch();
    PROTECTED.lock().push(Box::new(move || Box::new(lock.lock())));
}

/// From now on forks are noticed.
pub fn watch() {
    static WATCH: Once = Once::new();
    // SAFETY: the functions are there for as long as the process; each is safe at its time.
    #[cfg(unix)]
    WATCH.call_once(|| unsafe {
        libc::pthread_atfork(Some(before), Some(after), Some(after_in_child));
    });
}

extern "C" fn before() {
    let protected = PROTECTED.lock();
    let mut held: Vec<Box<dyn Any>> = protected.iter().map(|take| take()).collect();
    held.push(Box::new(protected));
    HELD.with_borrow_mut(|all| all.append(&mut held));
}

extern "C" fn after() {
    drop(HELD.take());
}

extern "C" fn after_in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    after();
}
