//! The signals and modules around what a thread does: names, one within the other. What they mean
//! is the config of each session ([`numbers`]).

mod numbers;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use gt_core::placement::Wish;
use gt_core::{Error, Result};
use smallvec::SmallVec;

pub(crate) use numbers::Scopes;

/// A name within what is around it.
#[derive(Debug)]
pub struct Scope {
    parent: Current,
    kind: Kind,
    /// How many names are around it.
    depth: usize,
}

#[derive(Debug)]
enum Kind {
    /// A signal of the program's, and the one that its gradients are computed in, if it says so.
    Signal { name: Box<str>, backward: Option<Box<str>> },
    /// A module by its qualified name, without and with that of its root.
    Module { path: Box<str>, full: Box<str> },
    /// What one value is placed in, and the entry of the config that says so.
    Placing { entry: Box<str>, wish: Wish },
}

/// The innermost name of a thread, if there is one.
pub type Current = Option<Arc<Scope>>;

/// Who asks for a value. A signal's wish is about what the user creates in it, and not about what
/// layers, optimisers and formulas need for themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// The program.
    User,
    /// Something of ours on its behalf.
    Library,
}

thread_local! {
    static CURRENT: RefCell<Current> = const { RefCell::new(None) };
    /// The address of the same, which is quicker to look at.
    static ADDRESS: Cell<usize> = const { Cell::new(0) };
    static MAKER: Cell<Maker> = const { Cell::new(Maker::User) };
}

impl Scope {
    /// The names by which a config may know it.
    fn names(&self) -> SmallVec<[&str; 2]> {
        match &self.kind {
            Kind::Signal { name, .. } => SmallVec::from_iter([&**name]),
            Kind::Module { path, full } if path.is_empty() => SmallVec::from_iter([&**full]),
            Kind::Module { path, full } => SmallVec::from_iter([&**path, &**full]),
            Kind::Placing { .. } => SmallVec::new(),
        }
    }

    /// What it is, in a message.
    fn describe(&self) -> String {
        match &self.kind {
            Kind::Signal { name, .. } => format!("the signal '{name}'"),
            Kind::Module { full, .. } => format!("the module '{full}'"),
            Kind::Placing { entry, .. } => format!("the placing of '{entry}'"),
        }
    }
}

/// What is around the commands of this thread.
pub fn current() -> Current {
    if ADDRESS.get() == 0 { None } else { CURRENT.with_borrow(Clone::clone) }
}

/// Whether the program makes its values in a signal or a module here.
pub(crate) fn is_made_in_signal() -> bool {
    ADDRESS.get() != 0 && MAKER.get() == Maker::User
}

/// Whether this thread is in no signal and no module.
pub(crate) fn is_outside() -> bool {
    ADDRESS.get() == 0
}

/// How many names are around the commands of this thread.
pub fn depth() -> usize {
    depth_of(&current())
}

fn depth_of(scope: &Current) -> usize {
    scope.as_ref().map_or(0, |scope| scope.depth + 1)
}

/// Begins a signal in this thread. Its gradients are computed in `backward`, if that is given.
pub fn enter(name: &str, backward: Option<&str>) {
    set(signal(current(), name, backward));
}

/// Begins a call of a module in this thread. `path` is its name in the module at the root, and
/// `full` has the root's name in front.
pub fn enter_module(path: &str, full: &str) {
    set(module(current(), path, full));
}

/// A signal within a scope.
pub(crate) fn signal(parent: Current, name: &str, backward: Option<&str>) -> Current {
    within_scope(parent, Kind::Signal { name: name.into(), backward: backward.map(Into::into) })
}

/// A module within a scope.
pub(crate) fn module(parent: Current, path: &str, full: &str) -> Current {
    within_scope(parent, Kind::Module { path: path.into(), full: full.into() })
}

/// What is around the operations of the module at `path`, if it is called here.
pub(crate) fn module_scope(root: &str, path: &str) -> Current {
    let mut scope = module(current(), "", root);
    let ends = path.match_indices('.').map(|(end, _)| end).chain([path.len()]);
    for end in ends.filter(|&end| end > 0) {
        scope = module(scope, &path[..end], &format!("{root}.{}", &path[..end]));
    }
    scope
}

/// The scope in which a value is placed as an entry of the config says.
pub(crate) fn placing(entry: &str, wish: Wish) -> Current {
    within_scope(current(), Kind::Placing { entry: entry.into(), wish })
}

fn within_scope(parent: Current, kind: Kind) -> Current {
    let depth = depth_of(&parent);
    Some(Arc::new(Scope { parent, kind, depth }))
}

/// Ends the innermost name of this thread, which must be that signal.
pub fn exit(name: &str) -> Result<()> {
    let wrong = |text: String| Err(Error::runtime(format!("signal.exit('{name}'): {text}")));
    let Some(innermost) = current() else {
        return wrong("no signal is open in this thread".into());
    };
    match &innermost.kind {
        Kind::Signal { name: open, .. } if **open == *name => {
            set(innermost.parent.clone());
            Ok(())
        }
        _ => wrong(format!("{} is open, and must be left first", innermost.describe())),
    }
}

/// Ends names until so many are left, and gives what else is open beside the one that was expected.
pub fn restore(depth: usize) -> Option<String> {
    let mut scope = current();
    let innermost = scope.clone().filter(|scope| scope.depth > depth);
    while let Some(inner) = scope.clone().filter(|scope| scope.depth >= depth) {
        scope.clone_from(&inner.parent);
    }
    set(scope);
    innermost.map(|scope| scope.describe())
}

/// Runs `body` in a scope: a gradient belongs to that of the operation it is the gradient of.
pub(crate) fn within<T>(scope: &Current, body: impl FnOnce() -> T) -> T {
    struct Restore(Current);
    impl Drop for Restore {
        fn drop(&mut self) {
            set(self.0.take());
        }
    }
    if address(scope) == ADDRESS.get() {
        return body();
    }
    let _restore = Restore(current());
    set(scope.clone());
    body()
}

/// Says who asks for what this thread does next.
pub fn set_maker(maker: Maker) {
    MAKER.set(maker);
}

/// Runs `body` on behalf of the program.
pub(crate) fn as_library<T>(body: impl FnOnce() -> T) -> T {
    let before = MAKER.replace(Maker::Library);
    let result = body();
    MAKER.set(before);
    result
}

/// Whether this thread does something on behalf of the program.
pub(crate) fn is_library() -> bool {
    MAKER.get() == Maker::Library
}

fn set(scope: Current) {
    ADDRESS.set(address(&scope));
    CURRENT.replace(scope);
}

fn address(scope: &Current) -> usize {
    scope.as_ref().map_or(0, |scope| Arc::as_ptr(scope).addr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_in_the_order_of_their_beginning() {
        enter("a", None);
        let depth = depth();
        enter("b", None);
        enter_module("h.0", "Net.h.0");
        let wrong = exit("b").unwrap_err().to_string();
        assert!(wrong.contains("the module 'Net.h.0' is open"), "{wrong}");
        assert_eq!(restore(depth + 1), None);
        exit("b").unwrap();
        let wrong = exit("b").unwrap_err().to_string();
        assert!(wrong.contains("the signal 'a' is open"), "{wrong}");
        enter("b", None);
        assert_eq!(restore(0).as_deref(), Some("the signal 'b'"));
        let wrong = exit("a").unwrap_err().to_string();
        assert!(wrong.contains("no signal is open"), "{wrong}");
    }
}
