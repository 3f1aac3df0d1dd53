//! A rehearsal of a client's stream: the session decides as it does for a client, and its workers
//! do not exist. So a program can ask what was decided, and what would be on other workers.

use bytes::Bytes;
use gt_core::instruction::Command;
use gt_core::placement::{Layout, Span, Wish};
use gt_core::{Meta, Provenance, Result, SessionId, Slot, WorkerId};
use gt_transport::Batch;
use gt_transport::hello::Hello;

use crate::context::Context;
use crate::explanation::{Decided, Row};
use crate::load::Load;
use crate::registry::Copies;
use crate::session::{Reach, Session};

/// What values take is looked at after so many commands, and more seldom where that takes long.
const COMMANDS_BETWEEN_LOOKS: usize = 32;
/// So many parts of values are looked at for each command.
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
    pub fn new(workers: usize) -> Self {
        let hello = Hello::named("rehearsal");
        let mut session = Session::new(SessionId(0), &hello, Reach::Local);
        let mut load = Load::default();
        for worker in (0..workers as u32).map(WorkerId) {
            load.join(worker);
            session.engage(worker);
        }
        session.begin_explaining();
        let (held, peak) = (vec![0; workers], vec![0; workers]);
        let (next_tag, commands_to_look, wishes) = (0, COMMANDS_BETWEEN_LOOKS, Vec::new());
        Rehearsal { session, load, next_tag, held, peak, commands_to_look, wishes }
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
            command => command,
        };
        match &command {
            Command::DefineScope { scope, name, wish, .. } => {
                self.session.trail.names.insert(*scope, name.clone());
                self.wishes.extend(wish.iter().map(|wish| (name.clone(), wish.clone())));
            }
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
        if let Ok(entry) = self.session.registry.get_mut(slot) {
            (entry.meta, entry.described) = (meta.clone(), true);
        }
    }

    /// What was decided since this was last asked, and how many decisions there was no room for.
    pub fn take_rows(&mut self) -> (Vec<Row>, u64) {
        self.session.take_explanation()
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
        if let Some(&(worker, _)) = entry.holders.first() {
            held.place = format!("whole on {}", worker.0);
            let all = held.meta.shape.iter().map(|&size| Span::whole(size)).collect();
            held.parts.push((worker.0, all));
        } else if let Some(&(place, _)) = entry.spreads.first() {
            let placement = self.session.registry.placements.get(place);
            let mesh = placement.mesh();
            let numbers: Vec<String> = mesh.workers().iter().map(|it| it.0.to_string()).collect();
            held.place = format!("{} on {}", placement.describe(), numbers.join(" "));
            let layouts = placement.layouts().iter().enumerate();
            held.layouts =
                layouts.map(|(axis, it)| (mesh.name(axis).to_string(), it.clone())).collect();
            let parts = mesh.workers().iter().enumerate();
            let part = |index: usize| placement.part(&held.meta.shape, index).to_vec();
            held.parts = parts.map(|(index, worker)| (worker.0, part(index))).collect();
        }
        Ok(held)
    }

    /// Adds up what values take on each worker.
    fn look(&mut self) {
        self.held.fill(0);
        let parts = self.session.add_held(&mut self.held);
        self.commands_to_look = COMMANDS_BETWEEN_LOOKS.max(parts / PARTS_PER_COMMAND);
        for (peak, held) in self.peak.iter_mut().zip(&self.held) {
            *peak = held.max(peak).to_owned();
        }
    }
}

/// A row for what is no instruction.
fn plain(op: &'static str, provenance: Provenance, results: String) -> Decided {
    Decided { op, provenance, scope: None, results, way: None, runner_up: None }
}
