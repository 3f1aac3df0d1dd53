//! The text form `t2 := add t0 t1`, used in logs, traces, golden tests and docs. It parses back.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use smallvec::SmallVec;

use crate::attrs::{Attr, AttrKind, AttrSpec, Attrs, Range};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::instruction::{After, Command, Instruction, Move, Operand, Question, Replaces};
use crate::ops;
use crate::shape::Listed;
use crate::slot::{Provenance, Slot};

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, output) in self.outputs.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{output}")?;
        }
        write!(f, " := {}", self.op.name)?;
        for input in &self.inputs {
            match input {
                Operand::Slot(slot) => write!(f, " {slot}")?,
                Operand::Scalar(scalar) => write!(f, " {scalar}")?,
            }
        }
        for (spec, value) in self.op.attrs.iter().zip(&self.attrs.0) {
            if spec.default.as_ref() != Some(value) {
                write!(f, " {}={value}", spec.name)?;
            }
        }
        if self.replaces.is_empty() {
            return Ok(());
        }
        f.write_str(" replaces")?;
        self.replaces.0.iter().try_for_each(|old| match old {
            Some(slot) => write!(f, " {slot}"),
            None => f.write_str(" _"),
        })
    }
}

impl fmt::Display for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attr::None => f.write_str("none"),
            Attr::Bool(value) => write!(f, "{value}"),
            Attr::Int(value) => write!(f, "{value}"),
            Attr::Float(value) => write!(f, "{value:?}"),
            Attr::Ints(values) => write!(f, "{}", Listed(values)),
            Attr::DType(dtype) => write!(f, "{dtype}"),
            Attr::Ranges(ranges) => write!(f, "{}", Listed(ranges)),
            Attr::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// `start:len:step`
impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.start, self.len, self.step)
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Apply(instruction) => write!(f, "{instruction}"),
            Command::Free(slots) => {
                f.write_str("free")?;
                slots.iter().try_for_each(|slot| write!(f, " {slot}"))
            }
            Command::Upload { out, meta, data, .. } => {
                write!(f, "{out} := upload {meta} ({} bytes)", data.len())
            }
            Command::Announce { out, meta, number, .. } => {
                write!(f, "{out} := announce {meta} as u{number}")
            }
            Command::Read { slot, request } => write!(f, "read {slot} as {request}"),
            Command::Describe { slot, request } => write!(f, "describe {slot} as {request}"),
            Command::Ask { question: Question::Placement(slot), request } => {
                write!(f, "locate {slot} as {request}")
            }
            Command::Ask { question: Question::Moved, request } => write!(f, "moved as {request}"),
            Command::Ask { question: Question::Stats, request } => write!(f, "stats as {request}"),
            Command::Ask { question: Question::Lost, request } => write!(f, "lost as {request}"),
            Command::DefineScope { scope, parent, name, wish } => {
                write!(f, "{scope} := {name:?} in {parent}")?;
                wish.iter().try_for_each(|wish| write!(f, " {wish}"))
            }
            Command::Scope(scope) => write!(f, "in {scope}"),
            Command::Receive { out, tag, .. } => write!(f, "{out} := receive #{tag}"),
            Command::DefineSignature { number, signature } => {
                write!(f, "{number} := {signature}")
            }
            Command::Signature(number) => write!(f, "by {number}"),
            Command::Move(moved) => {
                let Move { out, slot, from, to, tag, .. } = &**moved;
                write!(f, "{out} := move {slot} from {from} to {to} as #{tag}")
            }
            Command::Sync { request } => write!(f, "sync as {request}"),
            Command::Report { barrier } => write!(f, "report #{barrier}"),
            Command::Vote { barrier, slots, compare } => {
                write!(f, "{} #{barrier}", if *compare { "compare" } else { "vote" })?;
                slots.iter().try_for_each(|slot| write!(f, " {slot}"))
            }
            Command::Settle { barrier, after: After::Risks } => write!(f, "settle #{barrier}"),
            Command::Settle { barrier, after: After::Everything } => {
                write!(f, "settle #{barrier} after everything")
            }
            Command::Wait { barrier } => write!(f, "wait #{barrier}"),
        }
    }
}

/// Reads the text form of an instruction.
pub fn parse_instruction(line: &str) -> Result<Instruction> {
    let wrong = |why: String| Error::value(format!("'{line}': {why}"));
    let (results, rest) =
        line.split_once(":=").ok_or_else(|| wrong("there is no ':='".to_string()))?;
    let outputs: SmallVec<[Slot; 1]> =
        results.split(',').map(|name| parse_slot(name.trim())).collect::<Result<_>>()?;
    let mut words = Words(rest.trim());
    let name = words.next().unwrap_or_default();
    let op = ops::by_name(name).ok_or_else(|| wrong(format!("no operation is called '{name}'")))?;
    let mut inputs = SmallVec::new();
    let mut given: Vec<(&str, &str)> = Vec::new();
    let mut replaces = Replaces::default();
    while let Some(word) = words.next() {
        if word == "replaces" {
            let old = words.by_ref().map(|word| match word {
                "_" => Ok(None),
                slot => parse_slot(slot).map(Some),
            });
            replaces = Replaces(old.collect::<Result<_>>()?);
        } else if let Some((name, value)) = word.split_once('=') {
            given.push((name, value));
        } else if let Ok(slot) = parse_slot(word) {
            inputs.push(Operand::Slot(slot));
        } else {
            inputs.push(Operand::Scalar(word.parse()?));
        }
    }
    let unknown = given.iter().find(|(name, _)| !op.attrs.iter().any(|spec| spec.name == *name));
    if let Some((name, _)) = unknown {
        return Err(wrong(format!("{} has no attribute '{name}'", op.name)));
    }
    let attr = |spec: &AttrSpec| match given.iter().find(|(name, _)| *name == spec.name) {
        Some((_, value)) => parse_attr(spec.kind, value),
        None => spec
            .default
            .clone()
            .ok_or_else(|| wrong(format!("{} needs the attribute '{}'", op.name, spec.name))),
    };
    let attrs = Attrs(op.attrs.iter().map(attr).collect::<Result<_>>()?);
    Ok(Instruction { op, outputs, inputs, attrs, replaces, provenance: Provenance::UNKNOWN })
}

/// Words between spaces; brackets and quotes hold a word together.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start();
        let (mut depth, mut quoted, mut escaped) = (0, false, false);
        let end = text.find(|letter: char| {
            match letter {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                '[' if !quoted => depth += 1,
                ']' if !quoted => depth -= 1,
                _ => {}
            }
            letter == ' ' && depth == 0 && !quoted
        });
        let (word, rest) = text.split_at(end.unwrap_or(text.len()));
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

fn parse_slot(text: &str) -> Result<Slot> {
    let number = text.strip_prefix('t').and_then(|number| number.parse().ok());
    number.map(Slot).ok_or_else(|| Error::value(format!("'{text}' is not a slot such as t3")))
}

fn parse_attr(kind: AttrKind, text: &str) -> Result<Attr> {
    if text == "none" {
        return Ok(Attr::None);
    }
    Ok(match kind {
        AttrKind::DType => Attr::DType(text.parse::<DType>()?),
        AttrKind::Ranges => Attr::Ranges(items(text)?.map(parse_range).collect::<Result<_>>()?),
        AttrKind::Text => Attr::Text(unquoted(text)?.into()),
        _ if text.starts_with('[') => {
            Attr::Ints(items(text)?.map(parse_number).collect::<Result<_>>()?)
        }
        _ => Scalar::from_str(text)?.into(),
    })
}

fn items(text: &str) -> Result<impl Iterator<Item = &str>> {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let inner = inner.ok_or_else(|| Error::value(format!("'{text}' is not a list")))?;
    Ok(inner.split(',').map(str::trim).filter(|item| !item.is_empty()))
}

fn parse_number<T: FromStr>(text: &str) -> Result<T> {
    text.parse().map_err(|_| Error::value(format!("'{text}' is not a whole number")))
}

fn parse_range(text: &str) -> Result<Range> {
    let mut parts = text.splitn(3, ':');
    let mut part = || parts.next().unwrap_or_default();
    let (start, len) = (parse_number(part())?, parse_number(part())?);
    Ok(Range { start, len, step: parse_number(part())? })
}

/// The inverse of Rust's escaped form of a string.
fn unquoted(text: &str) -> Result<String> {
    let wrong = || Error::value(format!("{text} is not a quoted text"));
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).ok_or_else(wrong)?;
    let mut plain = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        let letter = match letter {
            '\\' => match letters.next().ok_or_else(wrong)? {
                'n' => '\n',
                't' => '\t',
                other @ ('"' | '\\' | '\'') => other,
                _ => return Err(wrong()),
            },
            other => other,
        };
        plain.write_char(letter).map_err(|_| wrong())?;
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::SampleInput;

    #[test]
    fn every_row_reads_back_as_it_was_written() {
        for op in ops::ALL {
            for sample in (op.samples)() {
                let operand = |(index, input): (usize, &SampleInput)| match input {
                    SampleInput::Scalar(scalar) => Operand::Scalar(*scalar),
                    _ => Operand::Slot(Slot(index as u32)),
                };
                let written = Instruction {
                    op,
                    outputs: (0..op.outputs.len()).map(|n| Slot(10 + n as u32)).collect(),
                    inputs: sample.inputs.iter().enumerate().map(operand).collect(),
                    attrs: sample.attrs,
                    replaces: Replaces::first(Some(Slot(0))),
                    provenance: Provenance::UNKNOWN,
                };
                assert_eq!(parse_instruction(&written.to_string()), Ok(written));
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        let error = |line| parse_instruction(line).unwrap_err().to_string();
        assert!(error("t1 = add t0 t0").contains("':='"));
        assert!(error("t1 := ad t0 t0").contains("no operation is called 'ad'"));
        assert!(error("t1 := topk t0").contains("needs the attribute 'k'"));
        assert!(error("t1 := exp t0 dim=3").contains("no attribute 'dim'"));
    }
}
