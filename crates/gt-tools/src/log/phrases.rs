//! What commands are in words. Programs repeat themselves, and words take longer to find than to
//! copy, so those of the last commands are kept.

use std::io::Write as _;

use gt_core::event::{Event, Outcome};
use gt_core::instruction::Command;
use gt_core::record::{Record, code};
use gt_core::{Provenance, ops};
use gt_transport::batch::logged;
use rustc_hash::FxHashMap;
use zerocopy::IntoBytes;

use super::Places;
use super::digits::push_pair;
use super::names::{Details, command_name, op_name, record_name};

/// So many commands are remembered; a step of training has a few hundred.
const MOST_KEPT: usize = 1 << 14;

/// A command in words.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// What people search for.
    pub(super) name: &'static str,
    /// What it is made of, with a space in front of each part.
    pub(super) details: Vec<u8>,
    /// The line of the user's program, with a space in front.
    pub(super) place: Vec<u8>,
    /// Its text form, with a space in front.
    pub(super) text: Vec<u8>,
}

/// The words of the last commands.
#[derive(Default)]
pub(super) struct Phrases {
    places: Option<Places>,
    /// The places of words, by what they are of.
    kept: FxHashMap<Box<[u8]>, usize>,
    words: Vec<Words>,
    /// The record and what stands beside it, as it is looked for.
    key: Vec<u8>,
    /// The words of a command that is not kept: one that failed, whose reason stands in the place
    /// of what would be beside it, or frees, which are quickly said and seldom repeated.
    other: Words,
}

impl Phrases {
    /// Words with the lines of the user's program.
    pub(super) fn with_places(places: Places) -> Self {
        Phrases { places: Some(places), ..Phrases::default() }
    }

    /// The words of an event's command.
    pub(super) fn of(&mut self, event: &Event, beside: &[u8]) -> &Words {
        if !event.has_command() || event.outcome() == Outcome::Failure {
            self.other = match event.has_command() {
                true => Words::find(&event.record, &[], self.places),
                false => Words::default(),
            };
            return &self.other;
        }
        if event.record.op == code::FREE {
            self.other.free(&event.record, beside);
            return &self.other;
        }
        let mut record = event.record;
        if record.is_extended() {
            // Where the other part stood in its batch makes no difference.
            record.set_extent(0, beside.len() as u32);
        }
        self.key.clear();
        self.key.extend_from_slice(record.as_bytes());
        self.key.extend_from_slice(beside);
        let place = match self.kept.get(self.key.as_slice()) {
            Some(&place) => place,
            None => self.keep(Words::find(&record, beside, self.places)),
        };
        &self.words[place]
    }
}

impl Phrases {
    /// Keeps the words of what is looked for, and gives their place.
    fn keep(&mut self, words: Words) -> usize {
        if self.words.len() >= MOST_KEPT {
            self.kept.clear();
            self.words.clear();
        }
        self.words.push(words);
        let place = self.words.len() - 1;
        self.kept.insert(self.key.as_slice().into(), place);
        place
    }
}

impl Words {
    /// The words for frees, those that were joined to the first beside it.
    fn free(&mut self, record: &Record, beside: &[u8]) {
        let Words { name, details, place, text } = self;
        *name = record_name(record.op);
        details.clear();
        place.clear();
        text.clear();
        details.extend_from_slice(b" tensor_id=");
        text.extend_from_slice(b" free");
        let first = [record.out].into_iter().chain(record.inputs).take(usize::from(record.arity));
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes);
        for (index, slot) in first.chain(beside.chunks_exact(4).map(word)).enumerate() {
            push_pair(details, if index == 0 { "" } else { "," }, u64::from(slot));
            push_pair(text, " t", u64::from(slot));
        }
    }

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
