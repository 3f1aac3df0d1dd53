//! What the embedded systems of a process have in common: memory, and threads for large kernels.

use std::sync::{Arc, LazyLock, Once, Weak};
use std::time::{Duration, Instant};

use gt_core::Result;
use gt_transport::lock::Mutex;
use gt_worker::buffer::Pool;
use gt_worker::engine::native::threads::Threads;

use crate::fork;

/// The time since the first call. All users of a pool read the same clock.
pub fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

struct Shared {
    generation: u32,
    pool: Weak<Pool>,
    threads: Weak<Threads>,
}

static SHARED: Mutex<Shared> =
    Mutex::new(Shared { generation: 0, pool: Weak::new(), threads: Weak::new() });

/// The pool of this process with this limit, and so many threads. A session with other numbers than
/// those in use gets a pool and threads of its own.
pub fn resources(memory: usize, threads: usize) -> Result<(Arc<Pool>, Arc<Threads>)> {
    static PROTECT: Once = Once::new();
    PROTECT.call_once(|| fork::protect(&SHARED));
    let mut shared = SHARED.lock();
    if shared.generation != fork::generation() {
        // The parent's threads are not here, and its pool may be locked for ever.
        *shared =
            Shared { generation: fork::generation(), pool: Weak::new(), threads: Weak::new() };
    }
    let pool = shared.pool.upgrade().filter(|pool| pool.limit_bytes() == memory);
    let pool = pool.unwrap_or_else(|| Pool::new(memory));
    let known = shared.threads.upgrade().filter(|known| known.count() == threads.max(1));
    let threads = match known {
        Some(known) => known,
        None => Threads::new(threads)?,
    };
    (shared.pool, shared.threads) = (Arc::downgrade(&pool), Arc::downgrade(&threads));
    Ok((pool, threads))
}
