//! The crates that the workspace depends on, as `cargo metadata` lists them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// What is built and checked: the platform that releases are made for.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// What users run: the extension of Python and the commands.
const PRODUCTS: &[&str] = &["gt-py", "gt-cli"];

/// One crate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    pub name: String,
    pub version: String,
    /// An SPDX expression; empty if it has none.
    pub license: String,
    pub repository: String,
    /// Where it comes from; empty for crates of the workspace.
    pub source: String,
    /// Dependencies outside of the workspace that any version satisfies.
    pub wildcards: Vec<String>,
}

/// All crates, and those that are linked into what users run.
pub struct Packages {
    all: BTreeMap<String, Package>,
    linked: BTreeSet<String>,
}

impl Packages {
    /// Asks cargo, which takes `Cargo.lock` as it is.
    pub fn read(root: &Path) -> Result<Self, String> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["metadata", "--format-version", "1", "--locked"]);
        cargo.args(["--filter-platform", PLATFORM]).current_dir(root);
        let done = cargo.output().map_err(|error| format!("cannot run cargo: {error}"))?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).into_owned());
        }
        let metadata = serde_json::from_slice(&done.stdout);
        Ok(Packages::of(&metadata.map_err(|error| format!("cargo metadata: {error}"))?))
    }

    fn of(metadata: &Value) -> Self {
        let packages = list(&metadata["packages"]);
        let all = packages.iter().map(|it| (text(&it["id"]), package(it))).collect();
        let is_macro = |it: &&Value| {
            let kinds = list(&it["targets"]).iter().flat_map(|target| list(&target["kind"]));
            kinds.into_iter().any(|kind| kind == "proc-macro")
        };
        let macros = packages.iter().filter(is_macro).map(|it| text(&it["id"])).collect();
        let mut packages = Packages { all, linked: BTreeSet::new() };
        packages.link(list(&metadata["resolve"]["nodes"]), &macros);
        packages
    }

    /// Follows what crates need when they run. Macros and build scripts only run while they are
    /// compiled.
    fn link(&mut self, nodes: &[Value], macros: &BTreeSet<String>) {
        let needs: BTreeMap<String, Vec<String>> =
            nodes.iter().map(|node| (text(&node["id"]), needed(node))).collect();
        let is_product = |package: &Package| PRODUCTS.contains(&package.name.as_str());
        let products = self.all.iter().filter(|(_, package)| is_product(package));
        let mut waiting: Vec<String> = products.map(|(id, _)| id.clone()).collect();
        while let Some(id) = waiting.pop() {
            if !macros.contains(&id) && self.linked.insert(id.clone()) {
                waiting.extend(needs.get(&id).into_iter().flatten().cloned());
            }
        }
    }

    /// Every crate of the workspace and of its dependencies, by name.
    pub fn all(&self) -> Vec<&Package> {
        let mut all: Vec<&Package> = self.all.values().collect();
        all.sort();
        all
    }

    /// The crates of others that are linked into what users run, by name.
    pub fn linked(&self) -> Vec<&Package> {
        let mut linked: Vec<&Package> =
            self.linked.iter().map(|id| &self.all[id]).filter(|it| !it.source.is_empty()).collect();
        linked.sort();
        linked
    }

    /// The version of a crate.
    pub fn version(&self, name: &str) -> &str {
        let found = self.all.values().find(|package| package.name == name);
        found.map_or("", |package| &package.version)
    }
}

fn package(json: &Value) -> Package {
    let is_wildcard = |it: &&Value| it["req"] == "*" && it["path"].is_null();
    Package {
        name: text(&json["name"]),
        version: text(&json["version"]),
        license: text(&json["license"]),
        repository: text(&json["repository"]),
        source: text(&json["source"]),
        wildcards: match json["source"].is_null() {
            true => {
                let wild = list(&json["dependencies"]).iter().filter(is_wildcard);
                wild.map(|it| text(&it["name"])).collect()
            }
            // What others depend on is settled by `Cargo.lock`.
            false => Vec::new(),
        },
    }
}

/// What a node needs when it runs.
fn needed(node: &Value) -> Vec<String> {
    let is_normal = |it: &&Value| list(&it["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
    list(&node["deps"]).iter().filter(is_normal).map(|it| text(&it["pkg"])).collect()
}

fn text(json: &Value) -> String {
    json.as_str().unwrap_or_default().to_string()
}

fn list(json: &Value) -> &[Value] {
    json.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_only_runs_while_others_are_compiled_is_not_linked() {
        let package = |name: &str, kind: &str, source: Value| {
            json!({
                "id": name, "name": name, "version": "1.0.0", "license": "MIT",
                "repository": null, "source": source, "dependencies": [],
                "targets": [{"kind": [kind]}],
            })
        };
        let dep = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [
                package("gt-cli", "lib", Value::Null),
                package("linked", "lib", json!("registry")),
                package("derive", "proc-macro", json!("registry")),
                package("compiler", "lib", json!("registry")),
                package("parser", "lib", json!("registry")),
            ],
            "resolve": {"nodes": [
                {"id": "gt-cli", "deps": [
                    dep("linked", Value::Null), dep("derive", Value::Null),
                    dep("compiler", json!("build")),
                ]},
                {"id": "derive", "deps": [dep("parser", Value::Null)]},
            ]},
        });
        let packages = Packages::of(&metadata);
        let names = |packages: Vec<&Package>| -> Vec<String> {
            packages.into_iter().map(|package| package.name.clone()).collect()
        };
        assert_eq!(names(packages.linked()), ["linked"]);
        assert_eq!(names(packages.all()).len(), 5);
    }
}
