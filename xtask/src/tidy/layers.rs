//! The crates stand in layers: each knows only those below it, and the lowest knows no machine.

use super::{Finding, Source};

/// A crate may depend on crates of a lower layer and on nothing else of ours.
const LAYERS: &[&[&str]] = &[
    &["gt-core", "gt-zmq"],
    &["gt-transport", "gt-loom"],
    &["gt-dispatcher", "gt-worker"],
    // The client starts a dispatcher and workers inside its own process.
    &["gt-client"],
    // Whoever starts workers has engines; the client is given one.
    &["gt-engines", "gt-native", "gt-tools"],
    &["gt", "gt-sim"],
    &["gt-cli"],
    // The console command of the Python package enters the command line through the extension.
    &["gt-py"],
];

/// Crates whose tests need a real engine, and the one that they use: no code outside of tests does.
const TESTED_WITH: &[(&str, &str)] = &[("gt-worker", "gt-native"), ("gt-client", "gt-native")];

/// What would make gt-core block, print, or depend on the machine it runs on.
const IMPURE_MODULES: &[&str] = &["env", "thread", "time", "net", "fs"];
const IMPURE_MACRO: &str = concat!("print", "ln!");

/// Dependencies between crates that do not point downwards.
pub fn dependencies(source: &Source) -> Vec<Finding> {
    let parts: Vec<&str> = source.path.split('/').collect();
    let ["crates", name, "Cargo.toml"] = parts.as_slice() else { return Vec::new() };
    let Some(own) = layer(name) else {
        return vec![source.finding(1, format!("{name} has no layer in xtask/src/tidy/layers.rs"))];
    };
    let mut in_tests = false;
    source
        .lines()
        .filter_map(|(number, line)| {
            if line.starts_with('[') {
                in_tests = line.starts_with("[dev-dependencies");
            }
            Some((number, dependency(line)?, in_tests))
        })
        .filter(|(_, other, in_tests)| !(*in_tests && TESTED_WITH.contains(&(name, other))))
        .filter(|(_, other, _)| layer(other).is_none_or(|other| other >= own))
        .map(|(number, other, _)| {
            source.finding(number, format!("{name} may not depend on {other}"))
        })
        .collect()
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&name))
}

/// The crate of ours that a line of a manifest asks for: `gt-core.workspace = true`,
/// `gt-core = { … }` or `[dependencies.gt-core]`.
fn dependency(line: &str) -> Option<&str> {
    let line = line.trim();
    let table = line.strip_prefix('[').and_then(|line| line.split_once("dependencies."));
    let key = table.map_or(line, |(_, key)| key);
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let name = &key[..key.find(|c| !is_part(c)).unwrap_or(key.len())];
    Some(name).filter(|name| *name == "gt" || name.starts_with("gt-"))
}

/// Lines of gt-core that read the machine, its clock or its files, or print.
pub fn core_is_pure(source: &Source) -> Vec<Finding> {
    if !source.path.starts_with("crates/gt-core/src/") || !source.is_rust() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let mut in_group = false;
    for (number, line) in source.lines_without_tests() {
        let code = line.split("//").next().unwrap_or(line);
        in_group |= code.contains("std::{");
        let impure = IMPURE_MODULES.iter().find(|name| mentions(code, name, in_group));
        in_group &= !code.contains(';');
        if let Some(name) = impure {
            findings.push(source.finding(number, format!("gt-core may not use std::{name}")));
        }
        if code.contains(IMPURE_MACRO) {
            findings.push(source.finding(number, "gt-core may not print"));
        }
    }
    findings
}

/// Whether code names a module of std, by its path or inside `use std::{…}`.
fn mentions(code: &str, module: &str, in_group: bool) -> bool {
    let mut names = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    if in_group && names.clone().any(|name| name.split("::").next() == Some(module)) {
        return true;
    }
    names.any(|name| {
        let mut parts = name.trim_start_matches("::").split("::");
        parts.next() == Some("std") && parts.next() == Some(module)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::messages;

    fn manifest(name: &str, lines: &str) -> Vec<String> {
        let text = format!("[package]\nname = \"{name}\"\n\n[dependencies]\n{lines}\n");
        messages(&format!("crates/{name}/Cargo.toml"), &text)
    }

    #[test]
    fn a_crate_depends_on_lower_layers_only() {
        assert!(
            manifest("gt-client", "gt-core.workspace = true\ngt-worker.workspace = true")
                .is_empty()
        );
        assert_eq!(
            manifest("gt-core", "gt-transport.workspace = true"),
            ["gt-core may not depend on gt-transport"]
        );
        assert_eq!(
            manifest("gt-worker", "gt-dispatcher = { path = \"../gt-dispatcher\" }"),
            ["gt-worker may not depend on gt-dispatcher"]
        );
        assert_eq!(
            manifest("gt-tools", "[dev-dependencies.gt]\nworkspace = true"),
            ["gt-tools may not depend on gt"]
        );
    }

    #[test]
    fn only_tests_of_worker_and_client_have_the_native_engine() {
        let tests = "[dev-dependencies]\ngt-native.workspace = true";
        for name in ["gt-worker", "gt-client"] {
            assert!(manifest(name, tests).is_empty());
            let refused = [format!("{name} may not depend on gt-native")];
            assert_eq!(manifest(name, "gt-native.workspace = true"), refused);
            let after = format!("{tests}\n[build-dependencies]\ngt-native.workspace = true");
            assert_eq!(manifest(name, &after), refused);
        }
        assert_eq!(manifest("gt-dispatcher", tests), ["gt-dispatcher may not depend on gt-native"]);
    }

    #[test]
    fn a_crate_without_a_layer_is_named() {
        assert_eq!(manifest("gt-misc", ""), ["gt-misc has no layer in xtask/src/tidy/layers.rs"]);
    }

    #[test]
    fn core_may_not_touch_the_machine() {
        let core = |code: &str| messages("crates/gt-core/src/a.rs", &format!("//! A.\n{code}\n"));
        assert_eq!(core("let x = std::env::var(\"A\");"), ["gt-core may not use std::env"]);
        assert_eq!(core("use std::time::Instant;"), ["gt-core may not use std::time"]);
        assert_eq!(core("use std::{fmt, thread};"), ["gt-core may not use std::thread"]);
        assert_eq!(core("use std::{\n    fmt,\n    fs,\n};"), ["gt-core may not use std::fs"]);
        assert_eq!(core(concat!("eprint", "ln!(\"a\");")), ["gt-core may not print"]);
        assert!(core("use std::{fmt, sync::Arc};\nlet time = 1;").is_empty());
        assert!(core("// Not std::fs: no IO here.").is_empty());
        assert!(core("#[cfg(test)]\nmod tests {\n    use std::thread;\n}").is_empty());
    }

    #[test]
    fn other_crates_may() {
        assert!(messages("crates/gt-worker/src/a.rs", "//! A.\nuse std::thread;\n").is_empty());
    }
}
