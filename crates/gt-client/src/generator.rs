//! Random numbers: a key and a count of what was drawn with it. A session has its own; a program
//! may have more, each for the calls it is given to.

use std::cell::RefCell;
use std::sync::Arc;

use gt_transport::lock::Mutex;

/// Where random numbers are: the next operation that draws some uses this key and this count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RandomState {
    /// The key.
    pub seed: u64,
    /// How many operations have drawn numbers with it.
    pub count: u64,
}

impl RandomState {
    /// The state for one operation; the next gets another.
    pub fn advance(&mut self) -> RandomState {
        let now = *self;
        self.count += 1;
        now
    }
}

/// Random numbers apart from those of the session. Clones are the same generator.
#[derive(Clone, Debug, Default)]
pub struct Generator(Arc<Mutex<RandomState>>);

thread_local! {
    static CURRENT: RefCell<Option<Generator>> = const { RefCell::new(None) };
}

impl Generator {
    /// Where its numbers are.
    pub fn state(&self) -> RandomState {
        *self.0.lock()
    }

    /// Goes on from another state.
    pub fn set_state(&self, state: RandomState) {
        *self.0.lock() = state;
    }

    /// Runs `body` with this thread's random numbers drawn from here.
    pub fn with<T>(&self, body: impl FnOnce() -> T) -> T {
        struct Restore(Option<Generator>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.replace(self.0.take());
            }
        }
        let _restore = Restore(CURRENT.replace(Some(self.clone())));
        body()
    }

    /// What the thread's own generator has for one operation, if it has one.
    pub(crate) fn advance_current() -> Option<RandomState> {
        CURRENT.with_borrow(|current| current.as_ref().map(|own| own.0.lock().advance()))
    }
}
