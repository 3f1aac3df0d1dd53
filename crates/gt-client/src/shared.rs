//! What the embedded systems of a process share: memory, and what their engines compute on.

use std::sync::{Arc, LazyLock, Once, Weak};
use std::time::{Duration, Instant};

use gt_core::Result;
use gt_transport::lock::Mutex;
use gt_worker::buffer::Pool;
use gt_worker::engine::registry::{Backend, Device};

use crate::fork;

/// The time since the first call. All users of a pool read the same clock.
pub fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

struct Shared {
    generation: u32,
    pool: Weak<Pool>,
    devices: Vec<Opened>,
}

/// A device that is open for as long as an engine uses it.
struct Opened {
    backend: Backend,
    threads: usize,
    device: Weak<dyn Device>,
}

static SHARED: Mutex<Shared> =
    Mutex::new(Shared { generation: 0, pool: Weak::new(), devices: Vec::new() });

/// The pool of this process with this limit, and the device on which its engines of this kind
/// compute with this many threads. A session with other numbers than those in use gets a pool and
/// threads of its own.
pub fn resources(
    memory: usize,
    backend: Backend,
    threads: usize,
) -> Result<(Arc<Pool>, Arc<dyn Device>)> {
    static PROTECT: Once = Once::new();
    PROTECT.call_once(|| fork::protect(&SHARED));
    let mut shared = SHARED.lock();
    if shared.generation != fork::generation() {
        // The parent's threads are not here, and its pool may be locked for ever.
        *shared = Shared { generation: fork::generation(), pool: Weak::new(), devices: Vec::new() };
    }
    let pool = shared.pool.upgrade().filter(|pool| pool.limit_bytes() == memory);
    let pool = pool.unwrap_or_else(|| Pool::new(memory));
    shared.devices.retain(|opened| opened.device.strong_count() > 0);
    let mut fitting =
        shared.devices.iter().filter(|known| (known.backend, known.threads) == (backend, threads));
    let device = match fitting.find_map(|known| known.device.upgrade()) {
        Some(device) => device,
        None => {
            let device = backend.open(threads)?;
            shared.devices.push(Opened { backend, threads, device: Arc::downgrade(&device) });
            device
        }
    };
    shared.pool = Arc::downgrade(&pool);
    Ok((pool, device))
}
