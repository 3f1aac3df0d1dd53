//! Whether the crates of others are those that `deny.toml` allows: their names, their licences and
//! where they come from. `cargo deny check bans licenses sources` reads the same file; this needs
//! nothing that is not there, and takes a second.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::packages::{Package, Packages};

/// Where crates may come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// What `deny.toml` says.
#[derive(Debug, Default)]
struct Rules {
    licenses: BTreeSet<String>,
    banned: BTreeSet<String>,
}

/// Checks every crate of the lock file.
pub fn deny(root: &Path) -> Result<String, String> {
    let rules = fs::read_to_string(root.join("deny.toml"));
    let rules = Rules::parse(&rules.map_err(|error| format!("deny.toml: {error}"))?)?;
    let lock = fs::read_to_string(root.join("Cargo.lock"));
    let lock = lock.map_err(|error| format!("Cargo.lock: {error}"))?;
    let packages = Packages::read(root)?;
    let mut findings = rules.locked(&lock);
    findings.extend(packages.all().into_iter().flat_map(|package| rules.findings(package)));
    match findings.as_slice() {
        [] => Ok(format!("deny: {} crates are allowed", packages.all().len())),
        _ => Err(format!("{}\ndeny: {} findings", findings.join("\n"), findings.len())),
    }
}

impl Rules {
    /// Reads the lists of allowed licences and of banned crates.
    fn parse(text: &str) -> Result<Self, String> {
        let (mut rules, mut section, mut list) = (Rules::default(), "", "");
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                section = name;
            } else if let Some((name, _)) = line.split_once(" = [") {
                list = name;
            }
            let mut quoted = line.split('"').skip(1).step_by(2);
            match (section, list) {
                ("licenses", "allow") => rules.licenses.extend(quoted.map(str::to_string)),
                ("bans", "deny") if line.starts_with("{ crate") => {
                    rules.banned.extend(quoted.next().map(str::to_string));
                }
                _ => {}
            }
            if line.ends_with(']') {
                list = "";
            }
        }
        match rules.licenses.is_empty() || rules.banned.is_empty() {
            true => Err("deny.toml: it has no `allow` of licences or no `deny` of crates".into()),
            false => Ok(rules),
        }
    }

    /// What is wrong with the names and sources of the lock file, which has the crates of every
    /// platform.
    fn locked(&self, lock: &str) -> Vec<String> {
        let value = |line: &str, key: &str| {
            let rest = line.strip_prefix(key)?.strip_prefix(" = \"")?;
            rest.strip_suffix('"').map(str::to_string)
        };
        let mut name = String::new();
        let mut findings = Vec::new();
        for line in lock.lines() {
            if let Some(found) = value(line, "name") {
                if self.banned.contains(&found) {
                    findings.push(format!("{found}: deny.toml bans it"));
                }
                name = found;
            }
            if let Some(source) = value(line, "source").filter(|source| source != REGISTRY) {
                findings.push(format!("{name}: comes from {source}, which is not the registry"));
            }
        }
        findings
    }

    fn findings(&self, package: &Package) -> Vec<String> {
        let Package { name, license, source, wildcards, .. } = package;
        let wild = wildcards.iter();
        let wild = wild.map(|other| format!("{name}: any version of {other} would do for it"));
        let mut findings: Vec<String> = wild.collect();
        if !source.is_empty() && !self.allows(license) {
            findings.push(format!("{name}: deny.toml does not allow its licence, '{license}'"));
        }
        findings
    }

    /// Whether an SPDX expression can be met by licences that are allowed.
    fn allows(&self, expression: &str) -> bool {
        let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut rest = words.as_slice();
        let allowed = self.any(&mut rest);
        allowed && rest.is_empty()
    }

    fn any(&self, rest: &mut &[&str]) -> bool {
        let mut allowed = self.every(rest);
        while let ["OR", others @ ..] = *rest {
            *rest = others;
            allowed |= self.every(rest);
        }
        allowed
    }

    fn every(&self, rest: &mut &[&str]) -> bool {
        let mut allowed = self.one(rest);
        while let ["AND", others @ ..] = *rest {
            *rest = others;
            allowed &= self.one(rest);
        }
        allowed
    }

    fn one(&self, rest: &mut &[&str]) -> bool {
        match *rest {
            ["(", others @ ..] => {
                *rest = others;
                let allowed = self.any(rest);
                let [")", others @ ..] = *rest else { return false };
                *rest = others;
                allowed
            }
            [license, "WITH", exception, others @ ..] => {
                *rest = others;
                self.licenses.contains(&format!("{license} WITH {exception}"))
            }
            [license, others @ ..] => {
                *rest = others;
                self.licenses.contains(*license)
            }
            [] => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOML: &str = "
[bans]
wildcards = \"deny\"
deny = [
    { crate = \"openssl-sys\", reason = \"no system library\" },
]
[licenses]
# A comment with \"GPL-3.0\".
allow = [
    \"MIT\",
    \"Apache-2.0 WITH LLVM-exception\",
]
";

    #[test]
    fn licences_are_met_as_their_expressions_say() {
        let rules = Rules::parse(TOML).unwrap();
        for (expression, allowed) in [
            ("MIT", true),
            ("GPL-3.0", false),
            ("", false),
            ("GPL-3.0 OR MIT", true),
            ("Unlicense/MIT", true),
            ("MIT AND GPL-3.0", false),
            ("(MIT OR GPL-3.0) AND Apache-2.0 WITH LLVM-exception", true),
            ("(MIT OR GPL-3.0) AND Apache-2.0", false),
            ("(MIT", false),
            ("MIT MIT", false),
        ] {
            assert_eq!(rules.allows(expression), allowed, "{expression}");
        }
    }

    #[test]
    fn banned_crates_and_foreign_sources_are_found() {
        let rules = Rules::parse(TOML).unwrap();
        let lock = format!(
            "name = \"good\"\nsource = \"{REGISTRY}\"\nname = \"openssl-sys\"\n\
             name = \"fork\"\nsource = \"git+https://example.org/fork\"\n"
        );
        let findings = rules.locked(&lock);
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings[0].starts_with("openssl-sys: ") && findings[1].starts_with("fork: "));
        let package = Package {
            name: "ours".into(),
            version: String::new(),
            license: String::new(),
            repository: String::new(),
            source: String::new(),
            wildcards: vec!["any".into()],
        };
        assert_eq!(rules.findings(&package).len(), 1);
        let copyleft = Package { source: REGISTRY.into(), license: "GPL-3.0".into(), ..package };
        assert_eq!(rules.findings(&copyleft).len(), 2);
    }

    #[test]
    fn rules_that_cannot_be_read_are_an_error() {
        Rules::parse("[licenses]\nallow = []\n").unwrap_err();
    }
}
