//! The scopes of one session. Each wish that its config has for the names around a command gets a
//! number, and the stream says which number the next commands belong to when that changes.

use std::collections::HashMap;
use std::sync::Arc;

use gt_core::ScopeId;
use gt_core::instruction::Command;
use gt_core::placement::Wish;

use super::{ADDRESS, Current, Kind, Scope, address, current, signal};
use crate::config::Resolved;

/// What is wanted of so many names is remembered at a time: programs may make names without end.
const MOST_KNOWN: usize = 4096;

/// The scopes that a session has numbered, and the one its stream is in.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    config: Arc<Resolved>,
    /// What the config wants of signals, and of modules by their full names.
    signals: HashMap<Box<str>, Wanted>,
    modules: HashMap<Box<str>, Wanted>,
    /// The number of a wish, under the name of the entry that has it. There are no more of them
    /// than a config has entries, however many names the program makes.
    numbers: HashMap<(Box<str>, Option<Wish>), ScopeId>,
    /// Whether a wish was said, so that values may be on meshes.
    has_wished: bool,
    /// Whether modules that are called by themselves have numbers although nothing is wanted of
    /// them: automatic sharding has to know what is computed in them.
    names_roots: bool,
    /// What the stream is in; kept, so that its address means no other.
    last: Current,
    last_number: ScopeId,
    /// Whether the dispatcher does not know yet that something is wanted.
    unannounced: bool,
}

/// What a config wants of one name.
#[derive(Clone, Debug, Default)]
struct Wanted {
    /// Where its values should be, and the entry that says so.
    shard: Option<(Box<str>, Wish)>,
    keep: Option<bool>,
    backward: Option<Box<str>>,
}

impl Scopes {
    /// What is configured.
    pub(crate) fn config(&self) -> &Arc<Resolved> {
        &self.config
    }

    /// From here on names mean what another config says.
    pub(crate) fn configure(&mut self, config: Arc<Resolved>) {
        self.config = config;
        self.signals.clear();
        self.modules.clear();
        self.unannounced = !self.has_wished;
        // No thread is in this one, so that the next command looks again.
        self.last = signal(None, "", None);
    }

    /// Whether modules that are called by themselves have numbers from here on.
    pub(crate) fn name_roots(&mut self, names_roots: bool) {
        self.names_roots = names_roots;
    }

    /// Whether values may be on meshes, or will be if what is recorded is done again.
    pub(crate) fn may_have_meshes(&self) -> bool {
        self.has_wished || self.names_roots
    }

    /// Whether the stream is in this thread's scope.
    pub(crate) fn is_current(&self) -> bool {
        ADDRESS.get() == address(&self.last)
    }

    /// Moves to this thread's scope; `say` appends the commands for that.
    pub(crate) fn follow(&mut self, say: impl FnMut(&Command)) {
        self.move_to(current(), say);
    }

    /// Moves out of all scopes.
    pub(crate) fn leave(&mut self, say: impl FnMut(&Command)) {
        if self.last.is_some() {
            self.move_to(None, say);
        }
    }

    fn move_to(&mut self, scope: Current, mut say: impl FnMut(&Command)) {
        self.announce(&mut say);
        let number = self.number(&scope, &mut say);
        self.last = scope;
        if number != std::mem::replace(&mut self.last_number, number) {
            say(&Command::Scope(number));
        }
    }

    /// The number of a scope. One that wants nothing has none.
    fn number(&mut self, scope: &Current, say: &mut impl FnMut(&Command)) -> ScopeId {
        match self.wish(scope) {
            Some((entry, wish)) => self.define((entry, Some(wish)), say),
            None => match self.root(scope) {
                Some(name) => self.define((name, None), say),
                None => ScopeId::ROOT,
            },
        }
    }

    /// The module at the root of what is called, if somebody wants to know.
    fn root(&self, scope: &Current) -> Option<Box<str>> {
        let mut level = scope.as_deref().filter(|_| self.names_roots);
        while let Some(scope) = level {
            if let Kind::Module { path, full } = &scope.kind
                && path.is_empty()
            {
                return Some(full.clone());
            }
            level = scope.parent.as_deref();
        }
        None
    }

    /// Says one wish before anything is made, so that what needs no data is not made before its
    /// first use says where.
    fn announce(&mut self, say: &mut impl FnMut(&Command)) {
        if std::mem::take(&mut self.unannounced)
            && let Some((entry, wish)) = self.config.any_wish()
        {
            self.define((entry.into(), Some(wish)), say);
        }
    }

    /// The number of a wish, which is defined when it is first needed.
    fn define(
        &mut self,
        wish: (Box<str>, Option<Wish>),
        say: &mut impl FnMut(&Command),
    ) -> ScopeId {
        let next = ScopeId(self.numbers.len() as u32 + 1);
        self.has_wished |= wish.1.is_some();
        *self.numbers.entry(wish).or_insert_with_key(|(name, wish)| {
            let (name, wish) = (name.clone(), wish.clone());
            say(&Command::DefineScope { scope: next, parent: ScopeId::ROOT, name, wish });
            next
        })
    }

    /// Where values are wanted that are made in a scope, and the entry that says so: one of the
    /// config, or of automatic sharding where the config says nothing.
    pub(crate) fn wish(&mut self, scope: &Current) -> Option<(Box<str>, Wish)> {
        self.configured_wish(scope).or_else(|| self.auto_wish(scope))
    }

    fn auto_wish(&self, scope: &Current) -> Option<(Box<str>, Wish)> {
        let auto = self.config.auto.as_ref()?;
        let mut level = scope.as_deref();
        while let Some(scope) = level {
            if let Some((entry, shard)) = auto.config.shard(&scope.names()) {
                return auto.wish(shard).map(|wish| (entry.into(), wish));
            }
            level = scope.parent.as_deref();
        }
        None
    }

    /// What the config itself wants: each key comes from the innermost name that has it.
    pub(crate) fn configured_wish(&mut self, scope: &Current) -> Option<(Box<str>, Wish)> {
        let (mut shard, mut keep) = (None, None);
        let mut level = scope.as_deref();
        while let Some(scope) = level {
            if let Kind::Placing { entry, wish } = &scope.kind {
                return Some((entry.clone(), wish.clone()));
            }
            let wanted = self.wanted(scope);
            keep = keep.or(wanted.keep);
            shard = shard.or_else(|| wanted.shard.clone());
            if shard.is_some() && keep.is_some() {
                break;
            }
            level = scope.parent.as_deref();
        }
        shard.map(|(entry, wish)| (entry, Wish { keep: keep.unwrap_or(true), ..wish }))
    }

    /// The scope of the gradients of what was computed in a scope.
    pub(crate) fn backward(&mut self, scope: &Current) -> Current {
        let mut level = scope.as_deref();
        while let Some(around) = level {
            let said = match &around.kind {
                Kind::Signal { backward, .. } => backward.clone(),
                Kind::Module { .. } | Kind::Placing { .. } => None,
            };
            let candidates = [said, self.wanted(around).backward.clone()];
            for name in candidates.into_iter().flatten() {
                let is_in_it = scope.as_ref().is_some_and(|scope| scope.is_signal(&name));
                if is_in_it {
                    return scope.clone();
                }
                if self.config.config.names(&[&*name]) {
                    return signal(scope.clone(), &name, None);
                }
            }
            level = around.parent.as_deref();
        }
        scope.clone()
    }

    /// What a signal's gradients are to be computed in, if the config says so.
    pub(crate) fn configured_backward(&mut self, name: &str) -> Option<Box<str>> {
        let scope = signal(None, name, None).expect("it was just made");
        self.wanted(&scope).backward.clone()
    }

    fn wanted(&mut self, scope: &Scope) -> &Wanted {
        static NOTHING: Wanted = Wanted { shard: None, keep: None, backward: None };
        let (known, key) = match &scope.kind {
            Kind::Signal { name, .. } => (&mut self.signals, name),
            Kind::Module { full, .. } => (&mut self.modules, full),
            Kind::Placing { .. } => return &NOTHING,
        };
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        if !known.contains_key(key) {
            known.insert(key.clone(), look_up(&self.config, scope));
        }
        &known[key]
    }
}

impl Scope {
    fn is_signal(&self, wanted: &str) -> bool {
        matches!(&self.kind, Kind::Signal { name, .. } if **name == *wanted)
    }
}

fn look_up(resolved: &Resolved, scope: &Scope) -> Wanted {
    let names = scope.names();
    let Some(found) = resolved.config.signal(&names) else { return Wanted::default() };
    let shard = resolved
        .config
        .shard(&names)
        .and_then(|(entry, shard)| resolved.wish(shard).map(|wish| (Box::from(entry), wish)));
    let backward = found.backward.map(Box::from);
    Wanted { shard, keep: found.keep, backward }
}

#[cfg(test)]
mod tests;
