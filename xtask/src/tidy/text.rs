//! Rules about the text of a file: its width, its length, its first line, its loose ends.

use super::{Finding, Source};

const COLUMNS: usize = 100;
const LINES: usize = 600;

// Put together from halves, so that this file does not find itself.
const UNWRITTEN: &str = concat!("to", "do!");
const LOOSE_ENDS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME")];

/// Lines wider than a reader's window.
pub fn long_lines(source: &Source) -> Vec<Finding> {
    if !(source.is_rust() || source.is_python()) || source.is_generated() {
        return Vec::new();
    }
    let wide = |line: &str| Some(line.chars().count()).filter(|columns| *columns > COLUMNS);
    source
        .lines()
        .filter_map(|(number, line)| Some((number, wide(line)?)))
        .map(|(number, columns)| {
            source.finding(number, format!("{columns} columns; the limit is {COLUMNS}"))
        })
        .collect()
}

/// Files that hold more than one idea, as far as length can tell.
pub fn long_file(source: &Source) -> Vec<Finding> {
    if !(source.is_rust() || source.is_python()) || source.is_generated() || source.is_test() {
        return Vec::new();
    }
    let count = source.lines_without_tests().count();
    if count <= LINES {
        return Vec::new();
    }
    vec![source.finding(LINES + 1, format!("{count} lines without tests; the limit is {LINES}"))]
}

/// Files that do not open with a sentence about what they are.
pub fn opening(source: &Source) -> Vec<Finding> {
    let first = source.lines().find(|(_, line)| !line.starts_with("#!")).map_or("", |line| line.1);
    if source.is_rust() && !first.starts_with("//! ") {
        return vec![source.finding(1, "opens without a `//!` line that says what the file is")];
    }
    let docstring = first.trim_start_matches('r');
    if source.is_python() && (!docstring.starts_with("\"\"\"") || docstring.len() == 3) {
        return vec![source.finding(1, "opens without a docstring that says what the file is")];
    }
    Vec::new()
}

/// Work left undone with no issue that remembers it.
pub fn unfinished(source: &Source) -> Vec<Finding> {
    if !(source.is_rust() || source.is_python()) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (number, line) in source.lines() {
        if source.is_rust() && line.contains(UNWRITTEN) {
            findings.push(source.finding(number, format!("{UNWRITTEN} in committed code")));
        }
        let word = LOOSE_ENDS.iter().find(|word| line.contains(**word));
        if let Some(word) = word.filter(|_| !names_an_issue(line)) {
            findings.push(source.finding(number, format!("{word} without an issue number (#7)")));
        }
    }
    findings
}

fn names_an_issue(line: &str) -> bool {
    line.split('#').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::messages;
    use super::*;

    #[test]
    fn a_line_of_101_columns_is_too_long() {
        let line = |count: usize| format!("//! {}\n", "é".repeat(count - 4));
        assert!(messages("xtask/src/a.rs", &line(100)).is_empty());
        assert_eq!(messages("xtask/src/a.rs", &line(101)), ["101 columns; the limit is 100"]);
    }

    #[test]
    fn tests_do_not_count_towards_the_length_of_a_file() {
        let code = |count: usize| format!("//! A.\n{}", "const A: u8 = 0;\n".repeat(count - 1));
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "    // More.\n".repeat(50));
        assert!(messages("crates/gt/src/a.rs", &(code(600) + &tests)).is_empty());
        assert_eq!(
            messages("crates/gt/src/a.rs", &(code(601) + &tests)),
            ["601 lines without tests; the limit is 600"]
        );
        assert!(messages("crates/gt/tests/a.rs", &code(900)).is_empty());
        assert!(messages("crates/gt/src/generated_ops.rs", &code(900)).is_empty());
    }

    #[test]
    fn a_test_only_import_does_not_end_the_count() {
        let text =
            format!("//! A.\n#[cfg(test)]\nmod tests;\n{}", "const A: u8 = 0;\n".repeat(600));
        assert_eq!(messages("a.rs", &text).len(), 1);
    }

    #[test]
    fn a_file_opens_by_saying_what_it_is() {
        assert_eq!(messages("a.rs", "use std::fmt;\n").len(), 1);
        assert_eq!(messages("a.py", "import gt\n").len(), 1);
        assert_eq!(messages("__init__.py", "").len(), 1);
        assert!(messages("a.py", "#!/usr/bin/env python3\n\"\"\"Draws.\"\"\"\n").is_empty());
    }

    #[test]
    fn a_loose_end_names_its_issue() {
        let comment = |end: &str| format!("//! A.\n// {}{end}\n", LOOSE_ENDS[0]);
        assert_eq!(messages("a.rs", &comment(": faster")).len(), 1);
        assert!(messages("a.rs", &comment("(#12): faster")).is_empty());
        assert_eq!(messages("a.rs", &format!("//! A.\nfn a() {{ {UNWRITTEN}() }}\n")).len(), 1);
    }
}
