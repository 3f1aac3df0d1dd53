//! Names that programs have for their tensors, and what is said of those that are lost.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Weak};

use gt_core::instruction::{Command, Question};
use gt_core::{Error, Provenance, Result, Slot};
use gt_transport::Failure;

use crate::explain::explain;
use crate::provenance;
use crate::session::Session;
use crate::tensor::{Cell, Tensor};

/// An error names no more tensors than this.
const MOST_NAMED: usize = 8;

/// The tensors of a session that have a name, by the addresses of their cells.
#[derive(Default)]
pub(crate) struct Named {
    cells: HashMap<usize, (Weak<Cell>, Box<str>)>,
    /// How many there are before those that are gone are forgotten.
    room: usize,
}

impl Named {
    /// Names a cell. Of several names the longest counts: it is the one within the outermost
    /// module.
    fn give(&mut self, cell: &Arc<Cell>, name: &str) {
        if self.cells.len() >= self.room {
            self.cells.retain(|_, (cell, _)| cell.strong_count() > 0);
            self.room = (2 * self.cells.len()).max(64);
        }
        let place = self.cells.entry(Arc::as_ptr(cell) as usize);
        let (known, longest) = place.or_insert_with(|| (Weak::new(), Box::default()));
        if known.strong_count() == 0 || longest.len() < name.len() {
            (*known, *longest) = (Arc::downgrade(cell), name.into());
        }
    }

    /// The names of the values that cells have at the moment.
    fn slots(&self) -> HashMap<Slot, Box<str>> {
        let alive = self.cells.values().filter_map(|(cell, name)| Some((cell.upgrade()?, name)));
        alive.map(|(cell, name)| (cell.current().0.slot(), name.clone())).collect()
    }
}

impl Tensor {
    /// Gives the tensor a name by which errors call it. What is a part of another tensor has none.
    pub fn set_name(&self, name: &str) {
        let session = self.session();
        if let (Some(cell), true) = (self.whole_cell(), session.is_open()) {
            session.0.named.lock().give(cell, name);
        }
    }

    /// Whether its session is over, and its elements are gone.
    pub fn is_over(&self) -> bool {
        !self.session().is_open()
    }
}

impl Session {
    /// A failure as the user's error. Whoever has lost a worker is told which tensors were there.
    pub(crate) fn explain(&self, failure: &Failure) -> Error {
        match explain(failure) {
            Error::WorkerLost(message) => match self.list_lost() {
                Ok(list) => Error::WorkerLost(message + &list),
                Err(Error::Interrupted) => Error::Interrupted,
                Err(_) => Error::WorkerLost(message),
            },
            error => error,
        }
    }

    /// The tensors that are lost, those with names first.
    fn list_lost(&self) -> Result<String> {
        let names = self.0.named.lock().slots();
        let question = Question::Lost;
        let Ok((_, text)) = self.request(|request| Command::Ask { question, request })? else {
            return Ok(String::new());
        };
        let text = String::from_utf8_lossy(&text.into_bytes()).into_owned();
        let mut lines = text.lines();
        let count: usize = lines.next().and_then(|count| count.parse().ok()).unwrap_or(0);
        let mut lost: Vec<Lost> = lines.filter_map(|line| Lost::read(line, &names)).collect();
        lost.sort_by_key(|lost| lost.name.is_none());
        lost.truncate(MOST_NAMED);
        let rest = count.saturating_sub(lost.len());
        let mut said = String::new();
        for (index, lost) in lost.iter().enumerate() {
            let before = if index == 0 { "; lost are" } else { "," };
            write!(said, "{before} {}", lost.describe()).expect("memory takes all of it");
        }
        if rest > 0 && !said.is_empty() {
            write!(said, ", and {rest} more").expect("memory takes all of it");
        }
        Ok(said)
    }
}

/// A value that is lost.
struct Lost {
    name: Option<Box<str>>,
    meta: String,
    provenance: Provenance,
}

impl Lost {
    fn read(line: &str, names: &HashMap<Slot, Box<str>>) -> Option<Lost> {
        let mut words = line.splitn(3, ' ');
        let slot = Slot(words.next()?.parse().ok()?);
        let provenance = Provenance(words.next()?.parse().ok()?);
        Some(Lost { name: names.get(&slot).cloned(), meta: words.next()?.into(), provenance })
    }

    fn describe(&self) -> String {
        match (&self.name, provenance::place(self.provenance)) {
            (Some(name), _) => format!("{name} ({})", self.meta),
            (None, Some(place)) => format!("{} of {place}", self.meta),
            (None, None) => self.meta.clone(),
        }
    }
}
