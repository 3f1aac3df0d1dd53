//! What a session's signals, modules and parameters should be like: read from YAML or said by the
//! program. The client looks names up here; a dispatcher knows only the wishes they stand for.

pub mod costs;
mod grammar;
mod pattern;
mod resolve;
pub mod source;
mod tree;

use std::collections::HashMap;
use std::path::Path;

use gt_core::placement::OnUse;
use gt_core::{Error, Result};

pub use resolve::Resolved;

/// What is configured. Names may be patterns, in which `*` is any text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Signals and modules, in the order in which they were first named.
    pub signals: Vec<(String, SignalConfig)>,
    /// The arrays of workers whose axes `shard` may name; one that is alone has an empty name.
    pub meshes: Vec<(String, MeshConfig)>,
    /// Parameters and buffers, in the same order.
    pub params: Vec<(String, ParamConfig)>,
}

/// What is wanted of a signal or a module. What is absent comes from what is around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignalConfig {
    /// Where its values should be.
    pub shard: Option<ShardConfig>,
    /// The signal that its gradients are computed in.
    pub backward: Option<String>,
    /// Whether workers should compile it.
    pub compile: Option<bool>,
    /// Whether copies that were moved are kept after their use.
    pub keep: Option<bool>,
}

/// Where values should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShardConfig {
    /// One axis cut over workers; over all if none is named.
    Axis {
        /// The axis, from the end if negative.
        axis: i32,
        /// The workers.
        workers: Vec<u32>,
    },
    /// A copy on each worker; on all if none is named.
    Replicated {
        /// The workers.
        workers: Vec<u32>,
    },
    /// Axes of a value cut along axes of a mesh, all of one: `dp`, or `stage.dp` with its name.
    Mesh(Vec<(i32, String)>),
}

/// What is wanted of a parameter or a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamConfig {
    /// Where it should be. Without workers: those of the module that it belongs to.
    pub shard: ShardConfig,
    /// What operations are given of it.
    pub on_use: OnUse,
    /// Whether copies that were moved are kept after their use.
    pub keep: Option<bool>,
}

/// An array of workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshConfig {
    /// Name and size of each axis.
    pub axes: Vec<(String, u32)>,
    /// Its workers, the last axis running fastest; the first ones of the session if absent.
    pub workers: Option<Vec<u32>>,
}

impl MeshConfig {
    /// The numbers of its workers.
    pub fn workers(&self) -> Vec<u32> {
        let count = self.axes.iter().map(|&(_, size)| size).product();
        self.workers.clone().unwrap_or_else(|| (0..count).collect())
    }
}

/// One axis of one of several meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshAxis {
    /// Which mesh it is.
    pub mesh: usize,
    /// Which of its axes.
    pub axis: usize,
}

impl MeshAxis {
    /// The axis of this name, with or without that of its mesh in front.
    pub fn find(
        meshes: &[(String, MeshConfig)],
        wanted: &str,
    ) -> std::result::Result<Self, String> {
        let mut found = Vec::new();
        for (mesh, (name, config)) in meshes.iter().enumerate() {
            for (axis, (short, _)) in config.axes.iter().enumerate() {
                let full = axis_name(name, short);
                if full == wanted {
                    return Ok(MeshAxis { mesh, axis });
                }
                found.extend((**short == *wanted).then_some((MeshAxis { mesh, axis }, full)));
            }
        }
        match &found[..] {
            [(one, _)] => Ok(*one),
            [] => Err(unknown_axis(meshes, wanted)),
            several => {
                let names: Vec<&str> = several.iter().map(|(_, full)| &**full).collect();
                Err(format!("'{wanted}' is an axis of several meshes: say {}", names.join(" or ")))
            }
        }
    }
}

/// What an axis is called wherever there may be several meshes.
pub fn axis_name(mesh: &str, axis: &str) -> String {
    if mesh.is_empty() { axis.to_string() } else { format!("{mesh}.{axis}") }
}

fn unknown_axis(meshes: &[(String, MeshConfig)], wanted: &str) -> String {
    let axes = |(mesh, config): &(String, MeshConfig)| {
        let names = config.axes.iter().map(|(axis, _)| axis_name(mesh, axis));
        names.collect::<Vec<String>>()
    };
    let names: Vec<String> = meshes.iter().flat_map(axes).collect();
    if names.is_empty() {
        return format!("'{wanted}' is no axis: the config has no mesh");
    }
    let near = pattern::did_you_mean(wanted, names.iter().map(|name| &**name));
    format!("'{wanted}' is no axis of the mesh, which has {}{near}", names.join(", "))
}

impl Config {
    /// What a file says, which may name axes of the meshes that are configured here.
    pub fn read(&self, text: &str, file: &str) -> Result<Config> {
        source::check_size(text).map_err(|problem| {
            Error::value(format!("cannot read the config '{file}': {problem}"))
        })?;
        let read = tree::parse(text).and_then(|root| grammar::read(&root, &self.meshes));
        read.map_err(|problem| problem.explain(file, text))
    }

    /// The same for the file at a path.
    pub fn read_file(&self, path: &Path) -> Result<Config> {
        let file = path.display().to_string();
        let text = source::read_text(path)
            .map_err(|error| Error::value(format!("cannot read the config '{file}': {error}")))?;
        self.read(&text, &file)
    }

    /// Adds what another config says; where both speak, the other one is right.
    pub fn merge(&mut self, other: Config) {
        put_all(&mut self.signals, other.signals);
        put_all(&mut self.params, other.params);
        put_all(&mut self.meshes, other.meshes);
    }

    /// A config of one signal or module, checked as a file would be.
    pub fn checked(&self, name: &str, signal: SignalConfig) -> Result<Config> {
        grammar::check(name, &signal, &self.meshes).map_err(|problem| {
            Error::value(problem).within(format!("register_config('{name}')"))
        })?;
        Ok(Config { signals: vec![(name.to_string(), signal)], ..Config::default() })
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.signals.is_empty() && self.params.is_empty()
    }

    /// What is wanted of a signal or a module with one of these names; `None` if no entry is
    /// about it. Each key comes from the best entry that has it.
    pub fn signal(&self, names: &[&str]) -> Option<SignalConfig> {
        let mut found: Option<SignalConfig> = None;
        for (_, signal) in best_first(&self.signals, names) {
            let known = found.get_or_insert_default();
            known.shard = known.shard.take().or_else(|| signal.shard.clone());
            known.backward = known.backward.take().or_else(|| signal.backward.clone());
            known.compile = known.compile.or(signal.compile);
            known.keep = known.keep.or(signal.keep);
        }
        found
    }

    /// Where values of a signal or a module with one of these names should be, and the entry that
    /// says so.
    pub fn shard(&self, names: &[&str]) -> Option<(&str, &ShardConfig)> {
        let entries = best_first(&self.signals, names).into_iter();
        entries.filter_map(|(name, signal)| Some((&**name, signal.shard.as_ref()?))).next()
    }

    /// Whether an entry is about one of these names.
    pub fn names(&self, names: &[&str]) -> bool {
        let is_it = |name: &&str, pattern: &str| pattern::matches(pattern, name);
        self.signals.iter().any(|(pattern, _)| names.iter().any(|name| is_it(name, pattern)))
    }

    /// What is wanted of a parameter or a buffer with one of these names, and the pattern that
    /// says it.
    pub fn param(&self, names: &[&str]) -> Option<(&str, &ParamConfig)> {
        best_first(&self.params, names).into_iter().next().map(|(key, param)| (&**key, param))
    }

    /// What to say of a name that no entry is about: what it should be, and what may be meant.
    pub fn unknown(&self, what: &str, name: &str) -> String {
        let names = self.signals.iter().map(|(name, _)| &**name);
        let near = pattern::did_you_mean(name, names);
        format!("the config does not define {what} '{name}'{near}")
    }
}

/// The entries about one of these names, the best first: that with the fewest wildcards, of these
/// the one with the most text beside them, so that `*` is what is left, and of these the last.
fn best_first<'a, T>(entries: &'a [(String, T)], names: &[&str]) -> Vec<&'a (String, T)> {
    let is_it = |entry: &&(String, T)| names.iter().any(|name| pattern::matches(&entry.0, name));
    let mut found: Vec<_> = entries.iter().rev().filter(is_it).collect();
    found.sort_by_key(|(pattern, _)| pattern::generality(pattern));
    found
}

/// Adds entries; one whose name is there already takes the place of that.
fn put_all<T>(entries: &mut Vec<(String, T)>, others: Vec<(String, T)>) {
    let numbered = entries.iter().enumerate();
    let mut places: HashMap<String, usize> =
        numbered.map(|(place, (name, _))| (name.clone(), place)).collect();
    for (name, value) in others {
        match places.get(&name) {
            Some(&place) => entries[place].1 = value,
            None => {
                places.insert(name.clone(), entries.len());
                entries.push((name, value));
            }
        }
    }
}

#[cfg(test)]
mod tests;
