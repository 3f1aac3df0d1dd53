//! Limits on types: a type with many fields or methods is several types, however many files it is
//! spread over. Counted are methods of all `impl` blocks and free functions that change the type.
//! The code is formatted by rustfmt, so what a line begins with tells what it is.

use std::collections::BTreeMap;

use super::{Finding, Source};

const MOST_FIELDS: usize = 15;
const MOST_METHODS: usize = 60;

/// Types above the limits: crate, name, fields, methods. An entry is lowered when its type shrinks
/// and goes when the type meets the limits; none is added or raised.
const LARGER: &[(&str, &str, usize, usize)] = &[
    ("gt", "Settings", 19, 10),
    ("gt-client", "Inner", 26, 16),
    ("gt-client", "Session", 0, 67),
    ("gt-client", "Tensor", 0, 91),
    // Rows of a table and of a log have as many fields as there is to know.
    ("gt-core", "Event", 17, 10),
    ("gt-core", "Op", 27, 10),
    ("gt-dispatcher", "Gateway", 20, 60),
    ("gt-dispatcher", "Server", 17, 19),
    ("gt-dispatcher", "Session", 28, 171),
    ("gt-py", "Tensor", 0, 102),
    ("gt-sim", "Cluster", 16, 16),
    ("gt-transport", "Link", 34, 11),
    ("gt-worker", "Backlog", 18, 27),
    ("gt-worker", "WorkerLoop", 19, 14),
];

/// The fields and methods of a type.
#[derive(Debug, Default)]
struct Size {
    path: String,
    line: usize,
    fields: usize,
    methods: usize,
}

/// The types that are too large, and entries of [`LARGER`] that could be lower.
pub(super) fn limits(sources: &[Source]) -> Vec<Finding> {
    let sizes = sizes(sources);
    let mut findings = Vec::new();
    for ((of, name), size) in &sizes {
        let known = LARGER.iter().find(|(krate, known, ..)| of == krate && name == known);
        let (fields, methods) = known.map_or((MOST_FIELDS, MOST_METHODS), |it| (it.2, it.3));
        let message = if size.fields > fields || size.methods > methods {
            let Size { fields: found, methods: found_methods, .. } = size;
            format!(
                "{name} has {found} fields and {found_methods} methods; a type may have {fields} \
                 and {methods}"
            )
        } else if known.is_some() && (size.fields, size.methods) != (fields, methods) {
            format!("{name} has shrunk to {} fields, {} methods", size.fields, size.methods)
        } else {
            continue;
        };
        findings.push(Finding { path: size.path.clone(), line: size.line, message });
    }
    findings
}

/// All types by crate and name. Types of one name in several files of a crate are several types.
fn sizes(sources: &[Source]) -> BTreeMap<(String, String), Size> {
    let counted = |source: &&Source| {
        source.is_rust() && source.path.contains("/src/") && !source.is_generated()
    };
    let sources: Vec<&Source> = sources.iter().filter(counted).collect();
    let mut defined: BTreeMap<(String, String), Vec<Size>> = BTreeMap::new();
    for source in &sources {
        for (name, size) in definitions(source) {
            defined.entry((krate(source), name)).or_default().push(size);
        }
    }
    for source in &sources {
        for (name, methods) in methods(source) {
            let Some(types) = defined.get_mut(&(krate(source), name)) else { continue };
            let is_only = types.len() == 1;
            let of_file = types.iter_mut().find(|size| is_only || size.path == source.path);
            if let Some(size) = of_file {
                size.methods += methods;
            }
        }
    }
    let largest = |types: Vec<Size>| types.into_iter().max_by_key(|it| (it.methods, it.fields));
    defined.into_iter().filter_map(|(key, types)| Some((key, largest(types)?))).collect()
}

fn krate(source: &Source) -> String {
    source.path.split('/').nth(1).unwrap_or_default().to_string()
}

/// The types of a file, with their named fields.
fn definitions(source: &Source) -> Vec<(String, Size)> {
    let mut found: Vec<(String, Size)> = Vec::new();
    let mut is_open = false;
    for (line, text) in source.lines_without_tests() {
        if let Some(name) = after(text, "struct ").or(after(text, "enum ")) {
            let path = source.path.clone();
            found.push((name.to_string(), Size { path, line, ..Size::default() }));
            is_open = after(text, "struct ").is_some() && text.ends_with('{');
        } else if text == "}" {
            is_open = false;
        } else if let Some((_, size)) = found.last_mut().filter(|_| is_open && is_item(text)) {
            size.fields += usize::from(text.contains(": "));
        }
    }
    found
}

/// The types that a file has methods of, and how many.
fn methods(source: &Source) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    let (mut is_open, mut is_signature) = (false, false);
    for (_, text) in source.lines_without_tests() {
        is_signature |= after(text, "fn ").is_some();
        if is_signature {
            // A free function, whose signature may take several lines.
            let changed = text.split("&mut ").skip(1).map(|rest| (word(rest).to_string(), 1));
            found.extend(changed);
            is_signature = !text.ends_with(['{', '}']);
        } else if text.starts_with("impl") {
            let of = text.split(" for ").last().unwrap_or(text);
            let of = of.strip_prefix("impl").map_or(of, after_generics);
            found.push((word(of.trim_start()).to_string(), 0));
            is_open = !text.ends_with("{}");
        } else if text == "}" {
            is_open = false;
        } else if let Some((_, count)) = found.last_mut().filter(|_| is_open && is_item(text)) {
            *count += usize::from(after(text.trim_start(), "fn ").is_some());
        }
    }
    found
}

/// Whether a line is one level deep, and no comment, attribute or continuation.
fn is_item(text: &str) -> bool {
    let inner = text.strip_prefix("    ").unwrap_or_default();
    inner.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The name after a keyword, with what may stand before it.
fn after<'a>(text: &'a str, keyword: &str) -> Option<&'a str> {
    let text = text.strip_prefix("pub").map_or(text, |rest| match rest.split_once(") ") {
        Some((visibility, rest)) if visibility.starts_with('(') => rest,
        _ => rest.trim_start(),
    });
    let text = ["const ", "async ", "unsafe "]
        .iter()
        .fold(text, |text, word| text.strip_prefix(word).unwrap_or(text));
    text.strip_prefix(keyword).map(word)
}

/// What follows the parameters of an `impl`.
fn after_generics(text: &str) -> &str {
    let mut depth = 0;
    let end = text.find(|letter| {
        depth += i32::from(letter == '<') - i32::from(letter == '>');
        depth == 0 && letter == ' '
    });
    &text[end.unwrap_or(0)..]
}

fn word(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_string(), text: text.to_string() }
    }

    #[test]
    fn methods_count_wherever_they_are() {
        let [one, two] = [
            source(
                "crates/a/src/b.rs",
                "pub struct Big<T> {\n    /// What: it is.\n    pub(crate) a: T,\n    b: u8,\n}\n\n\
                 impl<T: Ord> Big<T> {\n    pub const fn a(&self) {\n        let c: u8 = 0;\n\
                 \x20   }\n\n    fn b(\n        &mut self,\n    ) {\n    }\n}\n",
            ),
            source(
                "crates/a/src/b/c.rs",
                "impl<T> fmt::Display for Big<T> {\n    fn fmt(&self) {}\n}\n\n\
                 pub(super) fn change(big: &mut Big<u8>) {}\n",
            ),
        ];
        let sizes = sizes(&[one, two]);
        let size = &sizes[&("a".to_string(), "Big".to_string())];
        assert_eq!((size.fields, size.methods), (2, 4));
    }

    #[test]
    fn a_type_above_the_limits_is_named() {
        let fields: String = (0..=MOST_FIELDS).map(|n| format!("    f{n}: u8,\n")).collect();
        let text = format!("struct Wide {{\n{fields}}}\n");
        let findings = limits(&[source("crates/a/src/b.rs", &text)]);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].message.starts_with("Wide has 16 fields"), "{findings:?}");
    }
}
