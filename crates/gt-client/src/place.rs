//! Values that a config places by name: those given to `signal.tensor`, parameters and buffers. And
//! the config itself, as a session has it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gt_core::Result;
use gt_core::attrs::Attrs;
use gt_core::instruction::Replaces;
use gt_core::ops::builtin::{CAST, PLACE, PLACE_LIKE};
use gt_core::placement::Wish;
use smallvec::SmallVec;

use crate::config::Resolved;
use crate::input::{Held, Input};
use crate::scope::{self, Current};
use crate::session::Session;
use crate::tensor::{Cell, Tensor};

impl Session {
    /// What is configured.
    pub fn config(&self) -> Arc<Resolved> {
        self.0.stream.lock().scopes().config().clone()
    }

    /// From here on names mean what another config says. Values stay where they are.
    pub fn configure(&self, config: Arc<Resolved>) {
        self.0.stream.lock().scopes().configure(config);
    }

    /// The signal that the gradients of another one are computed in, if the config says so.
    pub fn backward_of(&self, name: &str) -> Option<Box<str>> {
        self.0.stream.lock().scopes().configured_backward(name)
    }

    /// The scope of the gradients of what was computed in a scope.
    pub(crate) fn backward_scope(&self, scope: &Current) -> Current {
        match scope {
            Some(_) => self.0.stream.lock().scopes().backward(scope),
            None => None,
        }
    }

    /// Gives parameters a home that are first used in a signal: all of them on each of its workers,
    /// so that what is computed is cut and they are not.
    pub(crate) fn house_parameters(&self, inputs: &[Input]) -> Result<()> {
        if scope::is_outside() {
            return Ok(());
        }
        for input in inputs {
            let Input::Tensor(tensor) = input else { continue };
            let cell = tensor.base();
            let is_known = !tensor.is_tracked() || cell.placed.load(Ordering::Relaxed);
            if is_known || !tensor.edge()?.is_some_and(|edge| edge.node.is_of_leaf()) {
                continue;
            }
            let Some((entry, wish)) = self.wish(&scope::current()) else { return Ok(()) };
            let copies = Wish { cuts: SmallVec::new(), ..wish };
            self.place_cell(cell, &entry, copies)?;
        }
        Ok(())
    }

    /// Moves the value of a cell to where a wish wants it.
    fn place_cell(&self, cell: &Cell, entry: &str, wish: Wish) -> Result<()> {
        self.keep_pace()?;
        scope::within(&scope::placing(entry, wish), || {
            cell.move_value(|value| {
                let (inputs, replaces) = ([Held::Value(value)], Replaces::default());
                self.append_instruction(&PLACE, &inputs, Attrs::none(), replaces)
            })
        })?;
        cell.placed.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn wish(&self, scope: &Current) -> Option<(Box<str>, Wish)> {
        self.0.stream.lock().scopes().wish(scope)
    }

    /// The same without what automatic sharding wants.
    pub(crate) fn configured_wish(&self, scope: &Current) -> Option<(Box<str>, Wish)> {
        self.0.stream.lock().scopes().configured_wish(scope)
    }
}

impl Tensor {
    /// A tensor of its own with the same elements, where a wish wants them. The entry of the
    /// config that has the wish is named in logs.
    pub fn place_in(&self, entry: &str, wish: Wish) -> Result<Tensor> {
        let scope = scope::placing(entry, wish);
        let placed =
            scope::within(&scope, || self.session().trace(&PLACE, &[self.into()], Attrs::none()));
        Ok(placed?.swap_remove(0))
    }

    /// A tensor of its own with the same elements, where a cell is. Outside of all meshes that is
    /// anywhere.
    pub(crate) fn place_like(&self, cell: &Cell) -> Result<Tensor> {
        let session = self.session();
        if !session.0.stream.lock().scopes().may_have_meshes() {
            return self.snapshot();
        }
        let inputs = [Held::Value(self.value()?), Held::Value(cell.current().0)];
        let placed =
            session.append_instruction(&PLACE_LIKE, &inputs, Attrs::none(), Replaces::default())?;
        let placed = placed.into_iter().next().expect("there is one result");
        Ok(Tensor::new(self.meta().clone(), placed))
    }

    /// The same where a signal wants it, or where it is if the signal wants nothing.
    pub fn place_in_signal(&self, name: &str) -> Result<Tensor> {
        match self.session().wish(&scope::signal(scope::current(), name, None)) {
            Some((entry, wish)) => self.place_in(&entry, wish),
            None => self.apply_one(&CAST, &[], Attrs::of([self.dtype().into()])),
        }
    }

    /// Moves the parameter or buffer `name` of the module at `path` to where the config wants it;
    /// false if it wants nothing. `root` is what the module at the root is called.
    pub fn place_as_parameter(&self, root: &str, path: &str, name: &str) -> Result<bool> {
        let session = self.session();
        let resolved = session.config();
        if resolved.config.params.is_empty() && resolved.auto.is_none() {
            return Ok(false);
        }
        let short = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        let full = format!("{root}.{short}");
        let around = scope::module_scope(root, path);
        let wish = match resolved.config.param(&[&short, &full]) {
            Some((entry, param)) => {
                let around = session.wish(&around).map(|(_, wish)| wish.workers);
                let wish = resolved.param_wish(param, &around.unwrap_or_default());
                wish.map(|wish| (entry.to_string(), wish))
            }
            // Where the config wants something of the module, its parameters follow that.
            None if session.configured_wish(&around).is_some() => None,
            None => resolved.auto.as_ref().and_then(|auto| {
                let (entry, param) = auto.config.param(&[&short, &full])?;
                Some((entry.to_string(), auto.param_wish(param, &[])?))
            }),
        };
        let (Some((entry, wish)), Some(cell)) = (wish, self.cell()) else { return Ok(false) };
        session.place_cell(cell, &entry, wish)?;
        Ok(true)
    }

    /// Moves it to where another tensor is, as an optimiser's state follows its parameter.
    pub fn move_beside(&self, other: &Tensor) -> Result<()> {
        let (session, other) = (self.session(), other.value()?);
        let Some(cell) = self.cell() else { return Ok(()) };
        session.keep_pace()?;
        cell.move_value(|value| {
            let (inputs, replaces) =
                ([Held::Value(value), Held::Value(other)], Replaces::default());
            session.append_instruction(&PLACE_LIKE, &inputs, Attrs::none(), replaces)
        })
    }
}
