//! What commands are in words. Programs repeat themselves, and words take longer to find than to
//! copy, so those of the last commands are kept.

use std::fmt::Write as _;

use gt_core::event::{Event, Outcome};
use gt_core::instruction::Command;
use gt_core::record::{Record, code};
use gt_core::{Provenance, ops};
use gt_transport::batch::logged;
use rustc_hash::FxHashMap;
use zerocopy::IntoBytes;

use super::Places;
use super::names::{Details, command_name, op_name, record_name};

/// So many commands are remembered; a step of training has a few hundred.
const MOST_KEPT: usize = 1 << 14;

/// A command in words.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// What people search for.
    pub(super) name: &'static str,
    /// What it is made of, with a space in front of each part.
    pub(super) details: String,
    /// The line of the user's program, with a space in front.
    pub(super) place: String,
    /// Its text form, with a space in front.
    pub(super) text: String,
}

/// The words of the last commands.
#[derive(Default)]
pub(super) struct Phrases {
    places: Option<Places>,
    kept: FxHashMap<Box<[u8]>, Words>,
    /// The record and what stands beside it, as it is looked for.
    key: Vec<u8>,
    /// The words of the last command that failed: its reason stands in the place of what would
    /// be beside it.
    failed: Words,
}

impl Phrases {
    /// Words with the lines of the user's program.
    pub(super) fn with_places(places: Places) -> Self {
        Phrases { places: Some(places), ..Phrases::default() }
    }

    /// The words of an event's command.
    pub(super) fn of(&mut self, event: &Event, beside: &[u8]) -> &Words {
        if !event.has_command() || event.outcome() == Outcome::Failure {
            self.failed = match event.has_command() {
                true => Words::find(&event.record, &[], self.places),
                false => Words::default(),
            };
            return &self.failed;
        }
        let mut record = event.record;
        if record.is_extended() {
            // Where the other part stood in its batch makes no difference.
            record.set_extent(0, beside.len() as u32);
        }
        self.key.clear();
        self.key.extend_from_slice(record.as_bytes());
        self.key.extend_from_slice(beside);
        if !self.kept.contains_key(self.key.as_slice()) {
            if self.kept.len() >= MOST_KEPT {
                self.kept.clear();
            }
            let words = Words::find(&record, beside, self.places);
            self.kept.insert(self.key.as_slice().into(), words);
        }
        &self.kept[self.key.as_slice()]
    }
}

impl Words {
    fn find(record: &Record, beside: &[u8], places: Option<Places>) -> Words {
        let command = logged(record, beside).ok();
        let command = command.as_ref();
        let mut words = Words { name: name(record, command), ..Words::default() };
        // Writing to memory does not fail.
        let _ = match (command, ops::by_code(record.op)) {
            (Some(command), _) => write!(words.details, "{}", Details(command)),
            (None, Some(op)) => {
                write!(words.details, " op={} result={}", op.name, record.out)
            }
            (None, None) => Ok(()),
        };
        let _ = match command {
            Some(Command::Announce { out, meta, .. }) if record.op == code::UPLOAD => {
                write!(words.text, " {out} := upload {meta} ({} bytes)", meta.bytes())
            }
            Some(command) => write!(words.text, " {command}"),
            None => Ok(()),
        };
        let has_place = matches!(
            command,
            Some(Command::Apply(_) | Command::Upload { .. } | Command::Announce { .. })
        );
        let place =
            places.filter(|_| has_place).and_then(|find| find(Provenance(record.provenance)));
        if let Some(place) = place {
            let _ = write!(words.place, " at={place:?}");
        }
        words
    }
}

fn name(record: &Record, command: Option<&Command>) -> &'static str {
    match command {
        _ if record.op == code::UPLOAD => "CreateTensor",
        Some(command) => command_name(command),
        None => ops::by_code(record.op).map_or_else(|| record_name(record.op), op_name),
    }
}
