//! The limits of the style that neither rustfmt, clippy nor ruff can see.

mod layers;
mod names;
mod text;
mod types;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

/// All that may lie at the root; a name is added here together with its reason to be there.
const KNOWN_AT_ROOT: &[&str] = &[
    ".cargo",
    ".ci",
    ".editorconfig",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "Makefile",
    "README.md",
    // Where GitHub and others look for whom to tell of a vulnerability.
    "SECURITY.md",
    // Goes with every copy of what is built.
    "THIRD-PARTY.md",
    "benchmarks",
    "clippy.toml",
    "crates",
    "deny.toml",
    "docs",
    "examples",
    // Where cargo-fuzz looks; outside of the workspace, because it needs a nightly Rust.
    "fuzz",
    "pyproject.toml",
    "python",
    "rustfmt.toml",
    "tests",
    "xtask",
];

/// What is asked of each file on its own.
const CHECKS: &[fn(&Source) -> Vec<Finding>] = &[
    text::long_lines,
    text::long_file,
    text::opening,
    text::unfinished,
    names::forbidden,
    layers::dependencies,
    layers::core_is_pure,
];

/// One text file of the checkout.
struct Source {
    /// Relative to the root, with `/` between folders.
    path: String,
    text: String,
}

impl Source {
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    fn is_python(&self) -> bool {
        self.path.ends_with(".py")
    }

    /// The name of the file without folders and ending.
    fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.split('.').next().unwrap_or(name)
    }

    /// Whether a chore wrote it: then its form is the chore's business.
    fn is_generated(&self) -> bool {
        self.stem().starts_with("generated")
    }

    /// Whether it only holds tests or benchmarks.
    fn is_test(&self) -> bool {
        self.path.split('/').any(|folder| folder == "tests" || folder == "benches")
    }

    /// Lines with their numbers from 1.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// The lines before the test module that closes a Rust file; all lines of other files.
    fn lines_without_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines: Vec<&str> = self.text.lines().collect();
        let opens_tests = |pair: &[&str]| {
            pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
        };
        let end = lines.windows(2).position(opens_tests).unwrap_or(lines.len());
        self.lines().take(end)
    }

    fn finding(&self, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, message: message.into() }
    }
}

/// One broken rule, and where.
#[derive(Debug, PartialEq)]
struct Finding {
    path: String,
    line: usize,
    message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// Checks the whole checkout, ignored files apart.
pub fn tidy(root: &Path) -> Result<String, String> {
    let paths = paths(root)?;
    let mut findings = strangers(&paths);
    // What is not text has no lines to check.
    let read = |path: &String| {
        let text = fs::read_to_string(root.join(path)).ok()?;
        Some(Source { path: path.clone(), text })
    };
    let sources: Vec<Source> = paths.iter().filter_map(read).collect();
    for source in &sources {
        findings.extend(CHECKS.iter().flat_map(|check| check(source)));
    }
    findings.extend(types::limits(&sources));
    if findings.is_empty() {
        return Ok(format!("tidy: {} files are in order", paths.len()));
    }
    let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
    Err(format!("{}\ntidy: {} findings", lines.join("\n"), lines.len()))
}

/// The files git knows or would add, so that what is built or ignored does not count.
fn paths(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("tidy: cannot run git: {error}"))?;
    if !output.status.success() {
        return Err(format!("tidy: git: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let list = String::from_utf8_lossy(&output.stdout);
    let present = list.split('\0').filter(|path| !path.is_empty() && root.join(path).exists());
    Ok(present.map(str::to_string).collect())
}

/// Files and folders at the root that are not on the list.
fn strangers(paths: &[String]) -> Vec<Finding> {
    let tops: BTreeSet<&str> = paths.iter().filter_map(|path| path.split('/').next()).collect();
    tops.into_iter()
        .filter(|top| !KNOWN_AT_ROOT.contains(top))
        .map(|top| Finding {
            path: top.to_string(),
            line: 1,
            message: "not a known name at the root (KNOWN_AT_ROOT in xtask/src/tidy.rs)"
                .to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What all checks together say about one file.
    pub fn messages(path: &str, text: &str) -> Vec<String> {
        let source = Source { path: path.to_string(), text: text.to_string() };
        CHECKS.iter().flat_map(|check| check(&source)).map(|finding| finding.message).collect()
    }

    #[test]
    fn a_file_in_order_has_no_findings() {
        let text = "//! Shapes.\n\n/// Sizes of the axes.\npub struct Shape;\n";
        assert_eq!(messages("crates/gt-core/src/shape.rs", text), [""; 0]);
    }

    #[test]
    fn a_stranger_at_the_root_is_named_once() {
        let paths = ["Cargo.toml", "notes/a.md", "notes/b.md"].map(str::to_string);
        let found: Vec<String> = strangers(&paths).into_iter().map(|found| found.path).collect();
        assert_eq!(found, ["notes"]);
    }

    #[test]
    fn a_finding_reads_as_a_place_an_editor_can_open() {
        let source = Source { path: "a/b.rs".to_string(), text: String::new() };
        assert_eq!(source.finding(3, "too long").to_string(), "a/b.rs:3: too long");
    }
}
