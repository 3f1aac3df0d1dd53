//! The engines of this process, by the names that users give them. A crate that has an engine
//! registers it; this one has only [`null`](super::null).

use std::fmt;
use std::iter::successors;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use gt_core::error::{Error, Result};

use super::HostEngine;
use super::null::NullFactory;
use crate::buffer::Pool;

/// Makes engines of one kind.
pub trait EngineFactory: Sync {
    /// What users call it: its own name, then synonyms.
    fn names(&self) -> &'static [&'static str];

    /// Whether an error about an unknown name lists it.
    fn is_listed(&self) -> bool {
        true
    }

    /// Opens what its engines compute on, with this many threads for large kernels.
    fn open(&self, threads: usize) -> Result<Arc<dyn Device>>;
}

/// What the engines of a process share: a group of threads, or a GPU. Each engine keeps its device
/// open.
pub trait Device: Send + Sync {
    /// What it is called in reports: `cpu`, `cuda:0`, …
    fn name(&self) -> &str {
        "cpu"
    }

    /// Makes an engine that takes memory for its values from a pool.
    fn engine(self: Arc<Self>, pool: Arc<Pool>) -> Result<Arc<HostEngine>>;
}

/// A kind of engine that a worker can be started with.
#[derive(Clone, Copy)]
pub struct Backend(&'static dyn EngineFactory);

impl Backend {
    /// The kind of engine that a factory makes, whether it is registered or not.
    pub const fn of(factory: &'static dyn EngineFactory) -> Self {
        Backend(factory)
    }

    /// Makes it available under its names, for as long as the process lives. The first to have a
    /// name keeps it.
    pub fn register(self) {
        let mut entry = Box::new(Entry { backend: self, next: OnceLock::new() });
        let names = self.0.names();
        loop {
            // Looked up first: an engine that is registered after the names were compared makes
            // `set` fail.
            let last = entries().last().unwrap_or(&FIRST);
            if registered().any(|known| names.iter().any(|name| known.is_called(name))) {
                return;
            }
            match last.next.set(entry) {
                Ok(()) => return,
                // Another thread was faster.
                Err(refused) => entry = refused,
            }
        }
    }

    /// What users call it.
    pub fn name(self) -> &'static str {
        self.0.names()[0]
    }

    /// Opens what its engines compute on, with this many threads for large kernels.
    pub fn open(self, threads: usize) -> Result<Arc<dyn Device>> {
        self.0.open(threads)
    }

    fn is_called(self, name: &str) -> bool {
        self.0.names().contains(&name)
    }

    /// Its name, with its synonyms.
    fn title(self) -> String {
        match self.0.names() {
            [name, synonyms @ ..] if !synonyms.is_empty() => {
                format!("{name} ({})", synonyms.join(", "))
            }
            _ => self.name().to_string(),
        }
    }
}

impl PartialEq for Backend {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Backend {}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Backend({})", self.name())
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = registered().find(|backend| backend.is_called(name));
        found.ok_or_else(|| {
            let known = listed(registered());
            Error::value(format!("there is no engine '{name}'; it is {known}"))
        })
    }
}

/// The backends that users are told of, in an order that does not depend on who came first.
fn listed(backends: impl Iterator<Item = Backend>) -> String {
    let listed = backends.filter(|backend| backend.0.is_listed());
    let mut titles: Vec<String> = listed.map(Backend::title).collect();
    titles.sort();
    match titles.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => titles.concat(),
    }
}

/// A registered backend. The list only grows, so that reading it takes no lock: a forked child
/// could find one held for ever.
struct Entry {
    backend: Backend,
    next: OnceLock<Box<Entry>>,
}

static FIRST: Entry = Entry { backend: Backend::of(&NullFactory), next: OnceLock::new() };

fn entries() -> impl Iterator<Item = &'static Entry> {
    successors(Some(&FIRST), |entry| entry.next.get().map(Box::as_ref))
}

fn registered() -> impl Iterator<Item = Backend> {
    entries().map(|entry| entry.backend)
}

#[cfg(test)]
mod tests {
    use super::super::null::NullDevice;
    use super::*;

    /// A kind of engine of which only the names matter.
    struct Named(&'static [&'static str]);

    impl EngineFactory for Named {
        fn names(&self) -> &'static [&'static str] {
            self.0
        }

        fn open(&self, _: usize) -> Result<Arc<dyn Device>> {
            Ok(Arc::new(NullDevice))
        }
    }

    #[test]
    fn an_engine_has_the_names_that_it_was_registered_under() {
        const ABACUS: Backend = Backend::of(&Named(&["abacus", "beads"]));
        const OTHER: Backend = Backend::of(&Named(&["counter", "beads"]));
        assert_eq!("null".parse(), Ok(Backend::of(&NullFactory)));
        "abacus".parse::<Backend>().expect_err("it is not registered");
        ABACUS.register();
        ABACUS.register();
        OTHER.register();
        assert_eq!(["abacus", "beads"].map(str::parse), [Ok(ABACUS), Ok(ABACUS)]);
        assert_eq!(registered().filter(|backend| *backend == ABACUS).count(), 1);
        let error = "counter".parse::<Backend>().expect_err("one of its names was taken");
        assert!(error.to_string().contains("it is abacus (beads)"), "{error}");
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_that_there_are() {
        let all = [Named(&["slide rule", "rule"]), Named(&["abacus"]), Named(&["hand"])];
        let all: Vec<&'static Named> =
            all.into_iter().map(|one| &*Box::leak(Box::new(one))).collect();
        let of = |count: usize| {
            let some = all[..count].iter().map(|&one| Backend::of(one));
            listed(some.chain([Backend::of(&NullFactory)]))
        };
        assert_eq!(of(1), "slide rule (rule)");
        assert_eq!(of(2), "abacus or slide rule (rule)");
        assert_eq!(of(3), "abacus, hand or slide rule (rule)");
    }
}
