//! SIGINT and SIGTERM: the first asks whoever serves to end, the second does not wait for that.

use std::thread::{self, JoinHandle};

use gt_core::{Error, Result};
use gt_transport::stop::Stop;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level::emulate_default_handler;

/// Listens to signals until it is dropped.
pub struct Attention {
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

impl Attention {
    /// From now on signals turn the switch.
    pub fn pay(stop: &Stop) -> Result<Attention> {
        let wrong = |error| Error::runtime(format!("cannot listen to signals: {error}"));
        let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(wrong)?;
        let handle = signals.handle();
        let stop = stop.clone();
        let hear = move || {
            for signal in signals.forever() {
                if stop.is_stopped() {
                    let _ = emulate_default_handler(signal);
                }
                stop.stop();
            }
        };
        let thread = thread::Builder::new().name("gt-signals".to_string()).spawn(hear);
        Ok(Attention { handle, thread: Some(thread.map_err(wrong)?) })
    }
}

impl Drop for Attention {
    fn drop(&mut self) {
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
