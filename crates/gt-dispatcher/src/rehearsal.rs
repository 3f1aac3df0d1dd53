//! A rehearsal of a client's stream: the session decides as it does for a client, and its workers
//! do not exist. So a program can ask what was decided, and what would be on other workers.

use std::collections::HashMap;

use bytes::Bytes;
use gt_core::instruction::Command;
use gt_core::placement::{Layout, Span, Wish};
use gt_core::{Error, Meta, Provenance, Result, ScopeId, SessionId, Slot, WorkerId};
use gt_transport::Batch;
use gt_transport::hello::{Hello, WorkerInfo};

use crate::context::Context;
use crate::costs::Costs;
use crate::explanation::{Decided, Row};
use crate::load::Load;
use crate::registry::Copies;
use crate::session::{Reach, Session};

/// What values take is looked at after each command, and more seldom where that takes long: so many
/// parts of values are looked at for each command.
const PARTS_PER_COMMAND: usize = 16;

/// A session whose workers do not exist.
#[derive(Debug)]
pub struct Rehearsal {
    session: Session,
    load: Load,
    next_tag: u64,
    /// Bytes that values take on each worker, and the most that were seen.
    held: Vec<u64>,
    peak: Vec<u64>,
    commands_to_look: usize,
    /// What entries of the config want.
    wishes: Vec<(Box<str>, Wish)>,
    /// The number that the session has for each scope of the stream, from the first on.
    scopes: Vec<ScopeId>,
    /// The scopes of the session that were defined.
    defined: u32,
    /// What is wanted of names of which the stream itself wants nothing.
    assumed: Vec<(Box<str>, ScopeId)>,
    /// The scopes of values that were settled.
    settled: HashMap<Wish, ScopeId>,
}

/// Where a value is.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// Its dtype and shape.
    pub meta: Meta,
    /// In words; empty if it is made at its first use.
    pub place: String,
    /// For each axis of its mesh the name and what it does to the value.
    pub layouts: Vec<(String, Layout)>,
    /// The workers, and for each axis of the value what they have of it.
    pub parts: Vec<(u32, Vec<Span>)>,
    /// How copies of it are used.
    pub copies: Copies,
}

impl Rehearsal {
    /// A session with so many workers, which keeps account of what it decides.
    pub fn new(workers: usize, costs: Costs) -> Self {
        let hello = Hello::named("rehearsal");
        let mut session = Session::new(SessionId(0), &hello, Reach::Local);
        let mut load = Load::default();
        for worker in (0..workers as u32).map(WorkerId) {
            load.join(worker, &WorkerInfo::default());
            session.engage(worker);
        }
        session.begin_explaining(costs);
        let (held, peak) = (vec![0; workers], vec![0; workers]);
        let (next_tag, commands_to_look, wishes) = (0, 1, Vec::new());
        let (scopes, defined, assumed, settled) = (Vec::new(), 0, Vec::new(), HashMap::new());
        Rehearsal {
            session,
            load,
            next_tag,
            held,
            peak,
            commands_to_look,
            wishes,
            scopes,
            defined,
            assumed,
            settled,
        }
    }

    /// From its beginning on something is wanted of a name of which the stream wants nothing.
    pub fn assume(&mut self, name: &str, wish: &Wish) -> Result<()> {
        let scope = self.define(name, Some(wish.clone()))?;
        self.assumed.push((name.into(), scope));
        Ok(())
    }

    /// A value is from here on where a wish wants it, as if it had been placed by a config.
    pub fn settle(&mut self, slot: Slot, wish: &Wish) -> Result<()> {
        let scope = match self.settled.get(wish) {
            Some(&scope) => scope,
            None => self.define("settled", Some(wish.clone()))?,
        };
        self.settled.insert(wish.clone(), scope);
        let around = self.session.scopes.current();
        let (load, next_tag) = (&mut self.load, &mut self.next_tag);
        let mut context = Context { now_ns: 0, load, next_tag, tickets: None };
        self.session.rewrite(Command::Scope(scope), &mut context)?;
        self.session.settle_value(slot, &mut context)?;
        self.session.rewrite(Command::Scope(around), &mut context)
    }

    /// Defines the next scope of the session.
    fn define(&mut self, name: &str, wish: Option<Wish>) -> Result<ScopeId> {
        self.defined += 1;
        let scope = ScopeId(self.defined);
        let (load, next_tag) = (&mut self.load, &mut self.next_tag);
        let mut context = Context { now_ns: 0, load, next_tag, tickets: None };
        let (parent, name) = (ScopeId::ROOT, name.into());
        self.session.rewrite(Command::DefineScope { scope, parent, name, wish }, &mut context)?;
        Ok(scope)
    }

    /// The session's own number of a scope of the stream.
    fn own_scope(&self, scope: ScopeId) -> Result<ScopeId> {
        let Some(index) = scope.0.checked_sub(1) else { return Ok(ScopeId::ROOT) };
        let known = self.scopes.get(index as usize).copied();
        known.ok_or_else(|| Error::bug(format!("{scope} is not defined")))
    }

    /// A scope of the stream is defined: one of its own, or one of which something is assumed.
    fn take_scope(&mut self, scope: ScopeId, name: &str, wish: Option<Wish>) -> Result<()> {
        let assumed = self.assumed.iter().find(|(known, _)| wish.is_none() && **known == *name);
        let own = match assumed {
            Some(&(_, own)) => own,
            None => self.define(name, wish.clone())?,
        };
        if scope.0 as usize != self.scopes.len() + 1 {
            return Err(Error::bug(format!("{scope} is not the next scope")));
        }
        self.scopes.push(own);
        self.session.trail.names.insert(own, name.into());
        self.wishes.extend(wish.map(|wish| (name.into(), wish)));
        Ok(())
    }

    /// How many workers it has.
    pub fn workers(&self) -> usize {
        self.held.len()
    }

    /// Decides over commands of a client. Uploads need no elements.
    pub fn take(&mut self, batch: &Batch) -> Result<()> {
        for index in 0..batch.len() {
            self.take_command(batch, index)?;
            self.commands_to_look -= 1;
            if self.commands_to_look == 0 {
                self.look();
            }
        }
        let (load, next_tag) = (&mut self.load, &mut self.next_tag);
        self.session.charge_load(&mut Context { now_ns: 0, load, next_tag, tickets: None });
        self.session.pretend_done();
        Ok(())
    }

    fn take_command(&mut self, batch: &Batch, index: usize) -> Result<()> {
        let (load, next_tag) = (&mut self.load, &mut self.next_tag);
        let mut context = Context { now_ns: 0, load, next_tag, tickets: None };
        if self.session.rewrite_quickly(batch, index, &mut context)? {
            return Ok(());
        }
        let command = match batch.client_command(index)? {
            Command::Announce { out, meta, provenance, .. } => {
                Command::Upload { out, meta, data: Bytes::new(), provenance }
            }
            Command::DefineScope { scope, name, wish, .. } => {
                return self.take_scope(scope, &name, wish);
            }
            Command::Scope(scope) => Command::Scope(self.own_scope(scope)?),
            command => command,
        };
        let (load, next_tag) = (&mut self.load, &mut self.next_tag);
        let mut context = Context { now_ns: 0, load, next_tag, tickets: None };
        match &command {
            Command::Upload { meta, provenance, .. } => {
                self.session.begin_row(plain("upload", *provenance, meta.to_string()));
            }
            Command::Read { slot, .. } => {
                let entry = self.session.registry.get(*slot)?;
                let text = format!("{} {}", entry.meta, self.session.describe_entry(entry));
                self.session.begin_row(plain("read", Provenance::UNKNOWN, text));
            }
            _ => {}
        }
        self.session.rewrite(command, &mut context)
    }

    /// A worker has told a shape that depends on data.
    pub fn describe(&mut self, slot: Slot, meta: &Meta) {
        // A value that was freed meanwhile needs no shape.
        drop(self.session.registry.describe(slot, meta.clone()));
    }

    /// What was decided since this was last asked, and how many decisions there was no room for.
    pub fn take_rows(&mut self) -> (Vec<Row>, u64) {
        self.session.take_explanation()
    }

    /// About how long everybody was at it since this was last asked.
    pub fn take_ns(&mut self) -> u64 {
        self.session.take_explained_ns()
    }

    /// Bytes that values take on each worker, and the most that were seen.
    pub fn memory(&mut self) -> (&[u64], &[u64]) {
        self.look();
        (&self.held, &self.peak)
    }

    /// The most that values took is counted from here on.
    pub fn forget_peak(&mut self) {
        self.look();
        self.peak.clone_from(&self.held);
    }

    /// What entries of the config want, as far as anything was in them.
    pub fn wishes(&self) -> &[(Box<str>, Wish)] {
        &self.wishes
    }

    /// Where a value is.
    pub fn locate(&self, slot: Slot) -> Result<Held> {
        let entry = self.session.registry.get(slot)?;
        let (meta, copies) = (entry.meta.clone(), entry.copies);
        let mut held = Held { meta, place: String::new(), layouts: vec![], parts: vec![], copies };
        let Some(&(place, _)) = entry.at.first() else { return Ok(held) };
        let placement = self.session.registry.placements.get(place);
        let mesh = placement.mesh();
        let numbers: Vec<String> = mesh.workers().iter().map(|it| it.0.to_string()).collect();
        held.place = format!("{} on {}", placement.describe(), numbers.join(" "));
        let layouts = placement.layouts().iter().enumerate().filter(|_| numbers.len() > 1);
        held.layouts =
            layouts.map(|(axis, it)| (mesh.name(axis).to_string(), it.clone())).collect();
        let parts = mesh.workers().iter().enumerate();
        let part = |index: usize| placement.part(&held.meta.shape, index).to_vec();
        held.parts = parts.map(|(index, worker)| (worker.0, part(index))).collect();
        Ok(held)
    }

    /// Adds up what values take on each worker.
    fn look(&mut self) {
        self.held.fill(0);
        let parts = self.session.add_held(&mut self.held);
        self.commands_to_look = (parts / PARTS_PER_COMMAND).max(1);
        for (peak, held) in self.peak.iter_mut().zip(&self.held) {
            *peak = held.max(peak).to_owned();
        }
    }
}

/// A row for what is no instruction.
fn plain(op: &'static str, provenance: Provenance, results: String) -> Decided {
    Decided { op, provenance, scope: None, results, way: None, runner_up: None }
}
