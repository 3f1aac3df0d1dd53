//! The strategies that automatic sharding compares, as configs for the modules and parameters of a
//! program.

use gt_core::Meta;
use gt_core::placement::OnUse;

use crate::config::{Config, MeshConfig, ParamConfig, ShardConfig, SignalConfig};

/// A strategy under its name.
pub(crate) type Candidate = (&'static str, Config);

/// A parameter or a buffer: its name with that of its root in front, its dtype and shape.
pub(crate) type Param = (String, Meta);

/// Nothing is cut, and load picks the worker of each value.
pub(crate) const WHOLE: &str = "whole";
/// Nothing is cut, and everything is on one worker.
pub(crate) const ALONE: &str = "one worker";

/// All strategies for so many workers, the plainest first.
pub(crate) fn candidates(roots: &[String], params: &[Param], workers: u32) -> Vec<Candidate> {
    let mut all = vec![(WHOLE, Config::default()), (ALONE, alone(roots)), ("data", data(roots))];
    let pairs = pairs(params);
    if !pairs.is_empty() {
        all.push(("tensor", tensor(roots, params, &pairs)));
    }
    let is_square = |side: &u32| workers.is_multiple_of(*side) && workers / side > 1;
    if let Some(side) = [2].into_iter().find(is_square).filter(|_| !pairs.is_empty()) {
        let config = data_tensor(roots, params, &pairs, (workers / side, side));
        all.push(("data × tensor", config));
    }
    all.push(("fully sharded, copies kept", fully_sharded(roots, Some(true))));
    all.push(("fully sharded", fully_sharded(roots, Some(false))));
    all
}

/// What needs the least memory, for parameters that are too large to try anything else.
pub(crate) fn smallest(roots: &[String]) -> Candidate {
    ("fully sharded", fully_sharded(roots, Some(false)))
}

/// The first worker has everything.
fn alone(roots: &[String]) -> Config {
    let first = ShardConfig::Replicated { workers: vec![0] };
    config(roots, &first, [("*".into(), placed(first.clone()))])
}

/// Each worker has a part of the batch and all parameters.
fn data(roots: &[String]) -> Config {
    let batch = ShardConfig::Axis { axis: 0, workers: vec![] };
    config(roots, &batch, [("*".into(), placed(copies()))])
}

/// The same with parameters that are whole only while they are used.
fn fully_sharded(roots: &[String], keep: Option<bool>) -> Config {
    let batch = ShardConfig::Axis { axis: 0, workers: vec![] };
    let shard = batch.clone();
    let param = ParamConfig { shard, on_use: OnUse::Replicate, keep };
    config(roots, &batch, [("*".into(), param)])
}

/// Pairs of layers are cut along what is between them.
fn tensor(roots: &[String], params: &[Param], pairs: &[(usize, usize)]) -> Config {
    let axis = |axis: i32| ShardConfig::Axis { axis, workers: vec![] };
    let rest = ("*".into(), placed(copies()));
    let cut = cut_pairs(params, pairs, axis);
    config(roots, &copies(), cut.into_iter().chain([rest]))
}

/// Both: rows of workers have a part of the batch each, and share layers within.
fn data_tensor(
    roots: &[String],
    params: &[Param],
    pairs: &[(usize, usize)],
    (rows, columns): (u32, u32),
) -> Config {
    let along = |axis: i32, name: &str| ShardConfig::Mesh(vec![(axis, name.into())]);
    let rest = ("*".into(), placed(ShardConfig::Mesh(vec![])));
    let cut = cut_pairs(params, pairs, |axis| along(axis, "tp"));
    let axes = vec![("dp".into(), rows), ("tp".into(), columns)];
    let meshes = vec![(String::new(), MeshConfig { axes, workers: None })];
    Config { meshes, ..config(roots, &along(0, "dp"), cut.into_iter().chain([rest])) }
}

/// The first weight of a pair is cut along its outputs, as its bias is; the second along its
/// inputs.
fn cut_pairs(
    params: &[Param],
    pairs: &[(usize, usize)],
    axis: impl Fn(i32) -> ShardConfig,
) -> Vec<(String, ParamConfig)> {
    let mut cut = Vec::new();
    for &(first, second) in pairs {
        let (name, meta) = &params[first];
        let bias = beside(params, name).filter(|(_, bias)| *bias.shape == meta.shape[..1]);
        cut.push((name.clone(), placed(axis(0))));
        cut.extend(bias.map(|(name, _)| (name.clone(), placed(axis(0)))));
        cut.push((params[second].0.clone(), placed(axis(1))));
    }
    cut
}

/// Weights of which each takes in what the one before it gives out, and nothing wider is around
/// them: a hidden layer is the widest place.
fn pairs(params: &[Param]) -> Vec<(usize, usize)> {
    let weights: Vec<usize> =
        (0..params.len()).filter(|&index| params[index].1.shape.rank() == 2).collect();
    let mut pairs = Vec::new();
    let mut next = 0;
    while let Some(&[first, second]) = weights.get(next..next + 2) {
        let (wide, narrow) = (&params[first].1.shape, &params[second].1.shape);
        let fits = wide[0] == narrow[1] && wide[0] >= wide[1] && wide[0] >= narrow[0];
        next += if fits { 2 } else { 1 };
        pairs.extend(fits.then_some((first, second)));
    }
    pairs
}

/// The bias of the layer that a weight belongs to.
fn beside<'a>(params: &'a [Param], weight: &str) -> Option<&'a Param> {
    let bias = format!("{}.bias", weight.strip_suffix(".weight")?);
    params.iter().find(|(name, _)| *name == bias)
}

fn copies() -> ShardConfig {
    ShardConfig::Replicated { workers: vec![] }
}

fn placed(shard: ShardConfig) -> ParamConfig {
    ParamConfig { shard, on_use: OnUse::AsPlaced, keep: None }
}

fn config(
    roots: &[String],
    shard: &ShardConfig,
    params: impl IntoIterator<Item = (String, ParamConfig)>,
) -> Config {
    let signal = || SignalConfig { shard: Some(shard.clone()), ..SignalConfig::default() };
    let signals = roots.iter().map(|root| (root.clone(), signal())).collect();
    Config { signals, meshes: vec![], params: params.into_iter().collect() }
}

#[cfg(test)]
mod tests {
    use gt_core::DType;

    use super::*;

    fn params(shapes: &[(&str, &[usize])]) -> Vec<Param> {
        let param = |(name, shape): &(&str, &[usize])| {
            (format!("Net.{name}"), Meta::new(DType::F32, *shape))
        };
        shapes.iter().map(param).collect()
    }

    #[test]
    fn hidden_layers_are_found_by_their_shapes() {
        let found = params(&[
            ("letters.weight", &[24, 32]),
            ("up.weight", &[128, 32]),
            ("up.bias", &[128]),
            ("down.weight", &[32, 128]),
            ("down.bias", &[32]),
            ("out.weight", &[24, 32]),
        ]);
        assert_eq!(pairs(&found), [(1, 3)]);
        let cut = tensor(&["Net".into()], &found, &pairs(&found));
        let names: Vec<&str> = cut.params.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["Net.up.weight", "Net.up.bias", "Net.down.weight", "*"]);
        let axes: Vec<_> = cut.params[..3].iter().map(|(_, param)| param.shard.clone()).collect();
        let axis = |axis| ShardConfig::Axis { axis, workers: vec![] };
        assert_eq!(axes, [axis(0), axis(0), axis(1)]);
    }

    #[test]
    fn there_is_a_mesh_for_four_workers_and_none_for_three() {
        let found = params(&[("a.weight", &[64, 16]), ("b.weight", &[8, 64])]);
        let names = |workers| {
            let all = candidates(&["Net".into()], &found, workers);
            all.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert!(names(4).contains(&"data × tensor"));
        assert!(!names(3).contains(&"data × tensor"));
        assert!(!names(2).contains(&"data × tensor"));
        assert_eq!(names(2)[0], WHOLE);
    }
}
