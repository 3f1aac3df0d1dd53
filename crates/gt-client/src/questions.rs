//! What a program asks the dispatcher about its session.

use gt_core::instruction::{Command, Question};
use gt_core::{Error, Result, Slot};

use crate::session::Session;

impl Session {
    /// Where a value is, in words.
    pub(crate) fn locate(&self, slot: Slot) -> Result<String> {
        self.ask_text(Question::Placement(slot))
    }

    /// How many bytes went from which worker to which in this session.
    pub fn moved_bytes(&self) -> Result<Vec<(u32, u32, u64)>> {
        let text = self.ask_text(Question::Moved)?;
        let line = |line: &str| {
            let mut numbers = line.split(' ').map(|number| number.parse::<u64>().ok());
            let mut next = || numbers.next().flatten();
            Some((next()? as u32, next()? as u32, next()?))
        };
        let wrong = || Error::bug("what moved is not told in numbers");
        text.lines().map(|text| line(text).ok_or_else(wrong)).collect()
    }

    /// How many commands each worker was given, and what modifiers of the stream have done: a
    /// line each, with a name and numbers.
    pub fn stats(&self) -> Result<String> {
        self.ask_text(Question::Stats)
    }

    fn ask_text(&self, question: Question) -> Result<String> {
        let (_, text) = self.ask(|request| Command::Ask { question, request })?;
        Ok(String::from_utf8_lossy(&text.into_bytes()).into_owned())
    }
}
