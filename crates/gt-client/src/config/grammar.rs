//! The grammar of the file: which words may stand where, and what they mean.

use std::collections::HashSet;

use gt_core::placement::OnUse;

use super::pattern::did_you_mean;
use super::tree::{Key, Node, Problem, Value};
use super::{Config, MeshAxis, MeshConfig, ParamConfig, ShardConfig, SignalConfig, put_all};

const SIGNAL_WORDS: &[&str] = &["shard", "backward", "compile", "keep"];
const SHARD_WORDS: &[&str] = &["axis", "workers", "replicated"];
const PARAM_WORDS: &[&str] = &["axis", "workers", "replicated", "use", "keep"];
const MESH_WORDS: &[&str] = &["axes", "workers"];
/// No session has as many workers as this.
const MOST_WORKERS: i64 = 1 << 16;

type Read<T> = Result<T, Problem>;

/// What a file says. The axes of a mesh may be those of one that is configured already.
pub(super) fn read(root: &Node, meshes: &[(String, MeshConfig)]) -> Read<Config> {
    let mut config = Config::default();
    for (key, node) in map(root, "a config", "names of signals and modules, mesh, params")? {
        match &*key.text {
            "mesh" => config.meshes = read_meshes(node)?,
            "params" => {
                for (key, node) in map(node, "params", "patterns for names of parameters")? {
                    config.params.push((name_of(key)?, read_param(node)?));
                }
            }
            _ => config.signals.push((name_of(key)?, read_signal(key, node)?)),
        }
    }
    let mut known = meshes.to_vec();
    put_all(&mut known, config.meshes.clone());
    for (_, node) in map(root, "a config", "")? {
        check_axes(node, &known)?;
    }
    Ok(config)
}

fn read_signal(key: &Key, node: &Node) -> Read<SignalConfig> {
    let mut signal = SignalConfig::default();
    let what = format!("'{}'", key.text);
    for (key, node) in map(node, &what, &list(SIGNAL_WORDS))? {
        match &*key.text {
            "shard" => {
                signal.shard = Some(read_shard(node, Shard::of(node, "shard", SHARD_WORDS)?)?);
            }
            "backward" => signal.backward = Some(text(node, "backward", "the name of a signal")?),
            "compile" => signal.compile = Some(boolean(node, "compile")?),
            "keep" => signal.keep = Some(boolean(node, "keep")?),
            _ => return Err(unknown(key, &what, SIGNAL_WORDS)),
        }
    }
    Ok(signal)
}

fn read_param(node: &Node) -> Read<ParamConfig> {
    let words = Shard::of(node, "params", PARAM_WORDS)?;
    let on_use = match words.on_use.map(|node| (node, &node.value)) {
        None => OnUse::AsPlaced,
        Some((_, Value::Text(text))) if text == "replicate" => OnUse::Replicate,
        Some((node, value)) => {
            let text = format!("use is replicate, not {}", value.kind());
            return Err(Problem::new(node.at, text));
        }
    };
    let keep = words.keep.map(|node| boolean(node, "keep")).transpose()?;
    Ok(ParamConfig { shard: read_shard(node, words)?, on_use, keep })
}

/// The words that stand under `shard`, or for a parameter.
#[derive(Default)]
struct Shard<'a> {
    axis: Option<&'a Node>,
    workers: Option<&'a Node>,
    replicated: Option<&'a Node>,
    mesh: Vec<(i32, &'a Node)>,
    on_use: Option<&'a Node>,
    keep: Option<&'a Node>,
}

impl<'a> Shard<'a> {
    fn of(node: &'a Node, what: &str, allowed: &[&str]) -> Read<Self> {
        let mut words = Shard::default();
        let expected = format!("{}, or axes of a tensor with axes of the mesh", list(allowed));
        for (key, node) in map(node, what, &expected)? {
            match &*key.text {
                "axis" => words.axis = Some(node),
                "workers" => words.workers = Some(node),
                "replicated" => words.replicated = Some(node),
                "use" if allowed.contains(&"use") => words.on_use = Some(node),
                "keep" if allowed.contains(&"keep") => words.keep = Some(node),
                number => match number.parse() {
                    Ok(axis) => words.mesh.push((axis, node)),
                    Err(_) => return Err(unknown(key, what, allowed)),
                },
            }
        }
        Ok(words)
    }
}

fn read_shard(node: &Node, words: Shard) -> Read<ShardConfig> {
    let Shard { axis, workers, replicated, mesh, .. } = words;
    let replicated = replicated.map(|node| boolean(node, "replicated")).transpose()?;
    if !mesh.is_empty() {
        if axis.is_some() || workers.is_some() || replicated.is_some() {
            let text = "axes of the mesh exclude axis, workers and replicated";
            return Err(Problem::new(node.at, text));
        }
        return read_mesh_axes(&mesh);
    }
    let workers = workers.map_or(Ok(Vec::new()), read_workers)?;
    match (axis, replicated) {
        (Some(axis), Some(true)) => {
            let text = "axis and replicated: true exclude each other";
            Err(Problem::new(axis.at, text))
        }
        (Some(axis), _) => Ok(ShardConfig::Axis { axis: read_axis(axis)?, workers }),
        (None, Some(true)) => Ok(ShardConfig::Replicated { workers }),
        (None, _) => {
            let text = "there must be an axis, replicated: true, or axes of the mesh";
            Err(Problem::new(node.at, text))
        }
    }
}

fn read_axis(node: &Node) -> Read<i32> {
    let wrong = || {
        let text = format!("axis is a whole number, not {}", node.value.kind());
        Problem::new(node.at, text)
    };
    match node.value {
        Value::Int(axis) => i32::try_from(axis).map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}

fn read_mesh_axes(axes: &[(i32, &Node)]) -> Read<ShardConfig> {
    let named = axes.iter().map(|(axis, node)| {
        Ok((*axis, text(node, &format!("axis {axis}"), "the name of an axis of the mesh")?))
    });
    Ok(ShardConfig::Mesh(named.collect::<Read<_>>()?))
}

fn read_workers(node: &Node) -> Read<Vec<u32>> {
    let Value::List(items) = &node.value else {
        let text = format!("workers is a list such as [0, 1], not {}", node.value.kind());
        return Err(Problem::new(node.at, text));
    };
    let (mut workers, mut known) = (Vec::new(), HashSet::new());
    for item in items {
        let Value::Int(number @ 0..MOST_WORKERS) = item.value else {
            let kind = item.value.kind();
            let text = format!("a worker is a number from 0 on, not {kind}");
            return Err(Problem::new(item.at, text));
        };
        if !known.insert(number) {
            return Err(Problem::new(item.at, format!("worker {number} stands here twice")));
        }
        workers.push(number as u32);
    }
    if workers.is_empty() {
        return Err(Problem::new(node.at, "workers is empty; without the word it means all"));
    }
    Ok(workers)
}

/// One mesh, or several by name: `{front: {axes: {dp: 2}, workers: [0, 1]}, back: …}`. One without
/// a name stands beside them under an empty one.
fn read_meshes(node: &Node) -> Read<Vec<(String, MeshConfig)>> {
    let entries = map(node, "mesh", "names of axes with their sizes")?;
    let is_mesh = |(_, node): &(Key, Node)| matches!(node.value, Value::Map(_));
    if is_long(entries) || !entries.iter().any(is_mesh) {
        return Ok(vec![(String::new(), read_mesh(node)?)]);
    }
    let named = entries.iter().map(|(key, node)| match key.text.contains('.') {
        true => Err(Problem::new(key.at, "the name of a mesh has no dot")),
        false => Ok((key.text.clone(), read_mesh(node)?)),
    });
    named.collect()
}

/// Whether the axes of a mesh stand under a word of their own.
fn is_long(entries: &[(Key, Node)]) -> bool {
    entries.iter().any(|(key, node)| key.text == "axes" && matches!(node.value, Value::Map(_)))
}

/// `{dp: 2, tp: 2}`, or the same under `axes` with `workers` beside it.
fn read_mesh(node: &Node) -> Read<MeshConfig> {
    let entries = map(node, "mesh", "names of axes with their sizes")?;
    if !is_long(entries) {
        return Ok(MeshConfig { axes: read_sizes(node)?, workers: None });
    }
    let mut mesh = MeshConfig { axes: Vec::new(), workers: None };
    let mut given = node.at;
    for (key, node) in entries {
        match &*key.text {
            "axes" => mesh.axes = read_sizes(node)?,
            "workers" => {
                given = node.at;
                mesh.workers = Some(read_workers(node)?);
            }
            _ => return Err(unknown(key, "mesh", MESH_WORDS)),
        }
    }
    let places: u64 = mesh.axes.iter().map(|&(_, size)| u64::from(size)).product();
    if let Some(workers) = mesh.workers.as_ref().filter(|found| found.len() as u64 != places) {
        let count = workers.len();
        let text = format!("the mesh has {places} places and {count} workers");
        return Err(Problem::new(given, text));
    }
    Ok(mesh)
}

fn read_sizes(node: &Node) -> Read<Vec<(String, u32)>> {
    let entries = map(node, "mesh", "names of axes with their sizes")?;
    let mut places = 1;
    let mut axes = Vec::new();
    for (key, node) in entries {
        let Value::Int(size @ 1..=MOST_WORKERS) = node.value else {
            let text = format!("the size of '{}' is not {}", key.text, node.value.kind());
            return Err(Problem::new(node.at, format!("{text}, but a number from 1 on")));
        };
        places *= size;
        if places > MOST_WORKERS {
            return Err(Problem::new(node.at, "the mesh has too many places"));
        }
        axes.push((name_of(key)?, size as u32));
    }
    match axes.is_empty() {
        true => Err(Problem::new(node.at, "the mesh has no axis")),
        false => Ok(axes),
    }
}

/// Refuses axes that no mesh has, or that are not of one mesh, wherever they stand below a node.
fn check_axes(node: &Node, meshes: &[(String, MeshConfig)]) -> Read<()> {
    let Value::Map(entries) = &node.value else { return Ok(()) };
    let mut known = Vec::new();
    for (key, node) in entries {
        match (&node.value, key.text.parse::<i32>()) {
            (Value::Text(name), Ok(_)) => {
                check_axis(name, &mut known, meshes).map_err(|text| Problem::new(node.at, text))?;
            }
            _ => check_axes(node, meshes)?,
        }
    }
    Ok(())
}

/// An axis beside those before it.
fn check_axis(
    name: &str,
    known: &mut Vec<MeshAxis>,
    meshes: &[(String, MeshConfig)],
) -> Result<(), String> {
    let found = MeshAxis::find(meshes, name)?;
    if known.contains(&found) {
        return Err(format!("'{name}' cuts another axis already"));
    }
    if known.first().is_some_and(|first| first.mesh != found.mesh) {
        return Err(format!("'{name}' is an axis of another mesh than the one before it"));
    }
    known.push(found);
    Ok(())
}

/// The same checks for what a program says of a signal.
pub(super) fn check(
    name: &str,
    signal: &SignalConfig,
    meshes: &[(String, MeshConfig)],
) -> Result<(), String> {
    if name.is_empty() || name == "mesh" || name == "params" {
        return Err("a signal has a name other than '', 'mesh' and 'params'".into());
    }
    match &signal.shard {
        None => Ok(()),
        Some(ShardConfig::Mesh(axes)) => {
            let mut known = Vec::new();
            axes.iter().try_for_each(|(_, name)| check_axis(name, &mut known, meshes))
        }
        Some(ShardConfig::Axis { workers, .. } | ShardConfig::Replicated { workers }) => {
            let twice = workers.iter().enumerate().find(|(i, w)| workers[..*i].contains(w));
            twice.map_or(Ok(()), |(_, worker)| Err(format!("worker {worker} is given twice")))
        }
    }
}

fn map<'a>(node: &'a Node, what: &str, expected: &str) -> Read<&'a [(Key, Node)]> {
    match &node.value {
        Value::Map(entries) => Ok(entries),
        Value::Nothing => Ok(&[]),
        other => {
            let kind = other.kind();
            let text = format!("{what} is a map, not {kind}; it may have {expected}");
            Err(Problem::new(node.at, text))
        }
    }
}

fn name_of(key: &Key) -> Read<String> {
    match key.text.is_empty() {
        true => Err(Problem::new(key.at, "a name is empty")),
        false => Ok(key.text.clone()),
    }
}

fn text(node: &Node, word: &str, expected: &str) -> Read<String> {
    match &node.value {
        Value::Text(text) if !text.is_empty() => Ok(text.clone()),
        other => {
            let kind = other.kind();
            Err(Problem::new(node.at, format!("{word} is {expected}, not {kind}")))
        }
    }
}

fn boolean(node: &Node, word: &str) -> Read<bool> {
    match node.value {
        Value::Bool(value) => Ok(value),
        _ => {
            let kind = node.value.kind();
            Err(Problem::new(node.at, format!("{word} is true or false, not {kind}")))
        }
    }
}

fn unknown(key: &Key, what: &str, allowed: &[&str]) -> Problem {
    let near = did_you_mean(&key.text, allowed.iter().copied());
    let text = format!("{what} has no '{}'; allowed are {}{near}", key.text, list(allowed));
    Problem::new(key.at, text)
}

fn list(words: &[&str]) -> String {
    let (last, others) = words.split_last().expect("there are words");
    format!("{} and {last}", others.join(", "))
}
