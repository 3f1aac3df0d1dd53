//! YAML as a tree in which everything knows its line and column, and complaints that show them.

use std::fmt;

use gt_core::Error;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};

/// A value, and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub value: Value,
    pub at: At,
}

/// What a file says at one place.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Nothing,
    Bool(bool),
    Int(i64),
    Text(String),
    /// What no key has as its value, such as a number with a fraction.
    Other(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

/// The key of a map, as it is written.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub text: String,
    pub at: At,
}

/// A place in a file; lines and columns begin with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    line: u64,
    column: u64,
    /// How many characters are meant.
    width: usize,
}

impl At {
    fn new(location: &Location, width: usize) -> Self {
        At { line: location.line(), column: location.column(), width }
    }
}

/// A text of more bytes is no name: with aliases, a small file could have it many times.
const MOST_TEXT: usize = 1 << 12;
/// How much of a line is shown.
const MOST_SHOWN: usize = 160;

/// What is wrong at one place of a file.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    at: At,
    text: String,
}

impl Problem {
    pub fn new(at: At, text: impl Into<String>) -> Self {
        Problem { at, text: text.into() }
    }

    /// The error that names the file, the line and the column, and shows the line.
    pub fn explain(&self, file: &str, source: &str) -> Error {
        let Problem { at: At { line, column, width }, text } = self;
        let shown = source.lines().nth((*line as usize).saturating_sub(1)).unwrap_or_default();
        let before = (*column as usize).saturating_sub(1);
        // Of a long line what is around the place.
        let left_out =
            if shown.len() > MOST_SHOWN { before.saturating_sub(MOST_SHOWN / 2) } else { 0 };
        let shown: String = shown.chars().skip(left_out).take(MOST_SHOWN).collect();
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let before = shown.chars().take(before - left_out);
        let indent: String = before.map(|c| if c == '\t' { c } else { ' ' }).collect();
        let room = shown.chars().count().saturating_sub(indent.len()).max(1);
        let mark = "^".repeat((*width).clamp(1, room));
        Error::value(format!(
            "{file}:{line}:{column}: {text}\n  {number} | {shown}\n  {margin} | {indent}{mark}"
        ))
    }
}

/// Reads YAML.
pub(super) fn parse(source: &str) -> Result<Node, Problem> {
    if source.trim().is_empty() {
        return Ok(Node { value: Value::Nothing, at: At { line: 1, column: 1, width: 1 } });
    }
    let options = super::source::options(source);
    serde_saphyr::from_str_with_options(source, options).map_err(|error| {
        let location = error.location().unwrap_or(Location::UNKNOWN);
        let text = error.render_with_formatter(&serde_saphyr::UserMessageFormatter);
        let text: String = first_line(&text).chars().take(MOST_SHOWN).collect();
        Problem::new(At::new(&location, 1), format!("this cannot be read: {text}"))
    })
}

/// A parser's message without the place, which is said anyway.
fn first_line(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
    let end = line.find(" at line ").or_else(|| line.find(", line ")).unwrap_or(line.len());
    line[..end].trim_end_matches(['.', ',', ':'])
}

impl Value {
    /// What it is, in a message.
    pub fn kind(&self) -> String {
        match self {
            Value::Nothing => "nothing".into(),
            Value::Bool(value) => format!("{value}"),
            Value::Int(value) => format!("{value}"),
            Value::Text(text) => format!("'{text}'"),
            Value::Other(text) => text.clone(),
            Value::List(_) => "a list".into(),
            Value::Map(_) => "a map".into(),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned { value, referenced, .. } = Spanned::<Value>::deserialize(deserializer)?;
        let width = match &value {
            Value::Text(text) | Value::Other(text) => text.chars().count(),
            Value::Bool(_) | Value::Int(_) => value.kind().len(),
            Value::Nothing | Value::List(_) | Value::Map(_) => 1,
        };
        Ok(Node { at: At::new(&referenced, width), value })
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned { value, referenced, .. } = Spanned::<String>::deserialize(deserializer)?;
        Ok(Key { at: At::new(&referenced, value.chars().count()), text: value })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or_else(|_| Value::Other(value.to_string()), Value::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Other(value.to_string()))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
        if text.len() > MOST_TEXT {
            return Err(E::custom(format!("a text of {} bytes is no name", text.len())));
        }
        Ok(Value::Text(text.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Value::Map(entries))
    }
}
