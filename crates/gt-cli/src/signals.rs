//! SIGINT and SIGTERM: the first asks the command to end in order, a later one ends the process at
//! once.

use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gt_core::{Error, Result};
use gt_transport::stop::Stop;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level::emulate_default_handler;

/// Signals within this time are one request to end: `timeout`, shells and service managers signal
/// the process and then its group.
const SAME_REQUEST: Duration = Duration::from_secs(1);

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
        let mut requests = Requests::default();
        let hear = move || {
            for signal in signals.forever() {
                match requests.add(Instant::now()) {
                    Request::First => stop.stop(),
                    Request::Repeated => {}
                    Request::Impatient => drop(emulate_default_handler(signal)),
                }
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

/// The signals so far.
#[derive(Default)]
struct Requests {
    first: Option<Instant>,
}

/// What a signal asks for.
#[derive(Debug, PartialEq, Eq)]
enum Request {
    /// To end in order.
    First,
    /// The same again.
    Repeated,
    /// Not to wait for that any longer.
    Impatient,
}

impl Requests {
    fn add(&mut self, now: Instant) -> Request {
        match self.first {
            None => {
                self.first = Some(now);
                Request::First
            }
            Some(first) if now.duration_since(first) < SAME_REQUEST => Request::Repeated,
            Some(_) => Request::Impatient,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_within_a_second_are_one_request() {
        let (mut requests, start) = (Requests::default(), Instant::now());
        let mut after = |ms| requests.add(start + Duration::from_millis(ms));
        let asked = [0, 0, 1, 999, 1000, 1001].map(&mut after);
        let [repeated, impatient] = [|| Request::Repeated, || Request::Impatient];
        let same = [repeated(), repeated(), repeated()];
        assert_eq!(asked[0], Request::First);
        assert_eq!(asked[1..4], same);
        assert_eq!(asked[4..], [impatient(), impatient()]);
    }
}
