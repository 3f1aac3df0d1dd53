//! Names that say nothing: a function that "handles", a module of "utils", a second version.

use super::{Finding, Source};

/// Verbs that hide what a function does when more words follow; alone they may be a trait's word.
const EMPTY_VERBS: &[&str] = &["handle", "process", "do", "new"];
/// Nouns that fit everything, in the singular.
const EMPTY_NOUNS: &[&str] = &["manager", "helper", "util", "misc"];
/// Endings that tell the history of the code.
const HISTORY: &[&str] = &["v2", "old"];
/// PyTorch's own names stay as they are.
const PYTORCH_NAMES: &[&str] = &["new_empty", "new_full", "new_ones", "new_tensor", "new_zeros"];

const RUST_KEYWORDS: &[&str] = &["fn", "struct", "enum", "trait", "mod", "type"];
const PYTHON_KEYWORDS: &[&str] = &["def", "class"];

/// Definitions and files with a name that is not allowed.
pub fn forbidden(source: &Source) -> Vec<Finding> {
    let keywords = match (source.is_rust(), source.is_python()) {
        (true, _) => RUST_KEYWORDS,
        (_, true) => PYTHON_KEYWORDS,
        _ => return Vec::new(),
    };
    let defined =
        source.lines().filter_map(|(number, line)| Some((number, defined(line, keywords)?)));
    std::iter::once((1, source.stem()))
        .chain(defined)
        .filter(|(_, name)| is_forbidden(name))
        .map(|(number, name)| source.finding(number, format!("`{name}` does not say what it does")))
        .collect()
}

/// The name a line defines, if it defines one.
fn defined<'a>(line: &'a str, keywords: &[&str]) -> Option<&'a str> {
    let code = line.trim_start();
    if code.starts_with("//") || code.starts_with('#') {
        return None;
    }
    let mut words = code.split_whitespace().skip_while(|word| {
        // What may stand before a keyword; anything else means that the line is prose or a call.
        word.starts_with("pub") || ["async", "const", "unsafe", "extern", "\"C\""].contains(word)
    });
    words.next().filter(|word| keywords.contains(word))?;
    let name = words.next()?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    Some(&name[..end])
}

fn is_forbidden(name: &str) -> bool {
    // The form of a method that takes every attribute has the same name and one word more.
    if PYTORCH_NAMES.contains(&name.trim_end_matches("_with")) {
        return false;
    }
    let words = words(name);
    let is_snake = !name.contains(char::is_uppercase);
    let empty_verb = is_snake && words.len() > 1 && EMPTY_VERBS.contains(&words[0].as_str());
    let empty_noun = words.iter().any(|word| EMPTY_NOUNS.contains(&word.trim_end_matches('s')));
    let history =
        words.len() > 1 && words.last().is_some_and(|word| HISTORY.contains(&word.as_str()));
    empty_verb || empty_noun || history
}

/// The words of a snake_case or CamelCase name, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            words.push(String::new());
        }
        let word = words.last_mut().expect("there is always a last word");
        word.extend(c.to_lowercase().filter(|c| *c != '_'));
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::super::tests::messages;
    use super::*;

    #[test]
    fn names_that_say_nothing_are_forbidden() {
        for name in [
            "handle_message",
            "_handle_message",
            "process_batch",
            "do_work",
            "new_session",
            "WorkerManager",
            "test_helpers",
            "utils",
            "misc",
            "step_v2",
            "ShapeOld",
        ] {
            assert!(is_forbidden(name), "{name}");
        }
    }

    #[test]
    fn names_that_only_look_alike_are_allowed() {
        for name in [
            "process",
            "new",
            "undo_write",
            "threshold",
            "new_zeros",
            "in_process_worker",
            "Process",
        ] {
            assert!(!is_forbidden(name), "{name}");
        }
    }

    #[test]
    fn definitions_and_files_are_checked_and_calls_are_not() {
        let message = ["`handle_it` does not say what it does"];
        assert_eq!(messages("a.rs", "//! A.\n    pub(crate) async fn handle_it() {}\n"), message);
        assert_eq!(
            messages("a.rs", "//! A.\npub unsafe extern \"C\" fn handle_it() {}\n"),
            message
        );
        assert_eq!(messages("a.py", "\"\"\"A.\"\"\"\ndef handle_it():\n"), message);
        assert_eq!(messages("handle_it.rs", "//! A.\n"), message);
        assert!(messages("a.rs", "//! A.\n// fn handle_it() is elsewhere.\n").is_empty());
        assert!(messages("a.rs", "//! A.\nlet x = handle_it();\n").is_empty());
    }
}
