//! Files that are read and files that are refused.

use super::*;

/// The file at the end of the design: every word of the grammar.
const ALL: &str = r#"
forward_pass:
  shard: {axis: 0, workers: [0, 1, 2, 3]}      # workers left out: all of the session
  backward: backward_pass
  compile: true
backward_pass:
  shard: {axis: 0, workers: [0, 1, 2, 3]}
shared:
  shard: {replicated: true, workers: [0, 1]}
"h.*.mlp":                                      # a module's qualified name
  shard: {1: tp}                                # tensor axis: axis of the mesh
  keep: false                                   # moved copies are dropped after use
mesh: {dp: 2, tp: 2}
params:                                         # patterns over names of parameters and buffers
  "*.qkv.weight": {axis: 0, workers: [0, 1]}
  "*.out.weight": {1: tp}
  "*": {axis: 0, use: replicate, keep: false}
0: {}
later:
"#;

fn read(text: &str) -> Result<Config> {
    Config::default().read(text, "signals.yaml")
}

#[test]
fn every_word_of_the_grammar_is_read() {
    let config = read(ALL).unwrap();
    let names: Vec<_> = config.signals.iter().map(|(name, _)| &**name).collect();
    let expected = ["forward_pass", "backward_pass", "shared", "h.*.mlp", "0", "later"];
    assert_eq!(names, expected);
    let forward = config.signal(&["forward_pass"]).unwrap();
    assert_eq!(forward.backward.as_deref(), Some("backward_pass"));
    assert_eq!((forward.compile, forward.keep), (Some(true), None));
    let shard = ShardConfig::Axis { axis: 0, workers: vec![0, 1, 2, 3] };
    assert_eq!(forward.shard, Some(shard));
    let module = config.signal(&["h.0.mlp", "GPT.h.0.mlp"]).unwrap();
    assert_eq!(module.shard, Some(ShardConfig::Mesh(vec![(1, "tp".into())])));
    assert_eq!(module.keep, Some(false));
    assert_eq!(config.signal(&["later"]), Some(SignalConfig::default()));
    assert_eq!(config.signal(&["other"]), None);
    let resolved = Resolved { config, workers: 4, ..Resolved::default() };
    assert_eq!(resolved.complaint(&resolved.config), None);
    let wish = resolved.wish(module.shard.as_ref().unwrap()).unwrap();
    assert_eq!(wish.cuts.as_slice(), [None, Some(1)]);
    assert_eq!(wish.workers.as_slice(), [0, 1, 2, 3]);
    let (pattern, param) = resolved.config.param(&["h.0.attn.qkv.weight"]).unwrap();
    assert_eq!((pattern, param.on_use), ("*.qkv.weight", OnUse::AsPlaced));
    let (pattern, param) = resolved.config.param(&["wte.weight"]).unwrap();
    assert_eq!((pattern, param.on_use, param.keep), ("*", OnUse::Replicate, Some(false)));
    let wish = resolved.param_wish(param, &[1, 2]).unwrap();
    assert_eq!(wish.to_string(), "shard(0) 1 2 whole while used dropped after use");
}

#[test]
fn fewest_wildcards_decide_then_the_longest_and_then_the_last() {
    let text = "a.*: {keep: true}\n'*.b': {keep: false, compile: true}\n\
                a.b: {compile: false}\n'*': {backward: c}";
    let found = read(text).unwrap().signal(&["a.b"]).unwrap();
    assert_eq!((found.keep, found.compile), (Some(false), Some(false)));
    assert_eq!(found.backward.as_deref(), Some("c"));
}

#[test]
fn mistakes_are_shown_where_they_are() {
    for (text, expected) in [
        (
            "a:\n  shard:\n    axis: 0\n    worker: [0, 1]\n",
            "signals.yaml:4:5: shard has no 'worker'; allowed are axis, workers and replicated \
             (did you mean 'workers'?)\n  4 |     worker: [0, 1]\n    |     ^^^^^^",
        ),
        (
            "a:\n  backwards: b\n",
            "signals.yaml:2:3: 'a' has no 'backwards'; allowed are shard, backward, compile and \
             keep (did you mean 'backward'?)\n  2 |   backwards: b\n    |   ^^^^^^^^^",
        ),
        (
            "a: {shard: {axis: first}}",
            "signals.yaml:1:19: axis is a whole number, not 'first'\n  \
             1 | a: {shard: {axis: first}}\n    |                   ^^^^^",
        ),
    ] {
        assert_eq!(read(text).unwrap_err().to_string(), expected);
    }
}

#[test]
fn what_is_not_in_the_grammar_is_refused() {
    for (text, place, expected) in [
        ("- a", "1:1", "a config is a map, not a list"),
        ("a: 3", "1:4", "'a' is a map, not 3"),
        ("a: {shard: [0, 1]}", "1:12", "shard is a map, not a list"),
        ("a: {shard: {workers: [0]}}", "1:12", "there must be an axis, replicated: true"),
        ("a: {shard: {axis: 0.5}}", "1:19", "axis is a whole number, not 0.5"),
        ("a: {shard: {axis: 99999999999}}", "1:19", "axis is a whole number"),
        ("a: {shard: {axis: 0, workers: 2}}", "1:31", "a list such as [0, 1], not 2"),
        ("a: {shard: {axis: 0, workers: []}}", "1:31", "workers is empty"),
        ("a: {shard: {axis: 0, workers: [0, -1]}}", "1:35", "a number from 0 on, not -1"),
        ("a: {shard: {axis: 0, workers: [1, 1]}}", "1:35", "worker 1 stands here twice"),
        ("a: {shard: {axis: 0, replicated: true}}", "1:19", "exclude each other"),
        ("a: {shard: {replicated: maybe}}", "1:25", "replicated is true or false, not 'maybe'"),
        ("a: {shard: {0: dp}}", "1:16", "'dp' is no axis: the config has no mesh"),
        ("a: {shard: {0: dq}}\nmesh: {dp: 2, tp: 2}", "1:16", "which has dp, tp (did you mean"),
        ("a: {shard: {0: dp, 1: dp}}\nmesh: {dp: 2}", "1:23", "'dp' cuts another axis already"),
        (
            "a: {shard: {0: dp, axis: 1}}\nmesh: {dp: 2}",
            "1:12",
            "exclude axis, workers and replicated",
        ),
        ("a: {shard: {axis: 0, use: replicate}}", "1:22", "shard has no 'use'"),
        ("a: {backward: [b]}", "1:15", "backward is the name of a signal, not a list"),
        ("a: {compile: 1}", "1:14", "compile is true or false, not 1"),
        ("a: {keep: 'no'}", "1:11", "keep is true or false, not 'no'"),
        ("a: {}\na: {}", "2:1", "duplicate"),
        ("mesh: {dp: 0}", "1:12", "the size of 'dp' is not 0, but a number from 1 on"),
        ("mesh: {}", "1:7", "the mesh has no axis"),
        ("mesh: {axes: {dp: 2}, workers: [0]}", "1:32", "2 places and 1 workers"),
        ("mesh: {a: {dp: 2}, b: 2}", "1:23", "mesh is a map, not 2"),
        ("mesh: {a.b: {dp: 2}}", "1:8", "the name of a mesh has no dot"),
        (
            "x: {shard: {0: dp}}\nmesh: {a: {dp: 2}, b: {dp: 2}}",
            "1:16",
            "'dp' is an axis of several meshes: say a.dp or b.dp",
        ),
        (
            "x: {shard: {0: a.dp, 1: b.tp}}\nmesh: {a: {dp: 2}, b: {tp: 2}}",
            "1:25",
            "'b.tp' is an axis of another mesh",
        ),
        (
            "x: {shard: {0: dp, 1: a.dp}}\nmesh: {a: {dp: 2}, b: {tp: 2}}",
            "1:23",
            "'a.dp' cuts another axis already",
        ),
        ("x: {shard: {0: c.dp}}\nmesh: {a: {dp: 2}}", "1:16", "which has a.dp (did you mean"),
        ("mesh: {axes: {dp: 2}, worker: [0]}", "1:23", "did you mean 'workers'?"),
        ("params: {w: {axis: 0, use: whole}}", "1:28", "use is replicate, not 'whole'"),
        ("params: {w: {axes: 0}}", "1:14", "did you mean 'axis'?"),
        ("params: [w]", "1:9", "params is a map, not a list"),
        ("a: {shard: {axis: 0}", "", "this cannot be read"),
        ("'': {}", "1:1", "a name is empty"),
    ] {
        let error = read(text).expect_err(text).to_string();
        assert!(error.starts_with(&format!("signals.yaml:{place}")), "{text}: {error}");
        assert!(error.contains(expected), "{text}: {error}");
        assert!(error.lines().count() == 3, "{text}: {error}");
    }
}

#[test]
fn a_file_that_is_not_there_is_an_error() {
    let error = Config::default().read_file(Path::new("no/such.yaml")).unwrap_err().to_string();
    assert!(error.starts_with("cannot read the config 'no/such.yaml'"), "{error}");
}

#[test]
fn what_does_not_fit_the_workers_is_left_out() {
    let config = read(ALL).unwrap();
    let resolved = Resolved { config, workers: 2, ..Resolved::default() };
    let complaint = resolved.complaint(&resolved.config).unwrap();
    assert!(complaint.contains("has 2 workers, numbered from 0"), "{complaint}");
    assert!(complaint.contains("2, 3 of 'forward_pass', 'backward_pass'"), "{complaint}");
    assert!(complaint.contains("the mesh {dp: 2, tp: 2} needs worker 3"), "{complaint}");
    let wish =
        |workers: &[u32]| resolved.wish(&ShardConfig::Axis { axis: 0, workers: workers.to_vec() });
    assert_eq!(wish(&[0, 1, 2, 3]).unwrap().workers.as_slice(), [0, 1]);
    assert_eq!(wish(&[2, 3]), None);
    assert!(wish(&[]).unwrap().workers.is_empty());
    assert_eq!(resolved.wish(&ShardConfig::Mesh(vec![(0, "tp".into())])), None);
}

#[test]
fn what_a_program_says_joins_what_a_file_says() {
    let mut config = read("a: {compile: true}\nb: {keep: false}\nmesh: {dp: 2}").unwrap();
    let shard = Some(ShardConfig::Mesh(vec![(0, "dp".into())]));
    let signal = SignalConfig { shard, ..SignalConfig::default() };
    config.merge(config.checked("b", signal.clone()).unwrap());
    assert_eq!(config.signal(&["b"]), Some(signal));
    let more = config.read("c: {shard: {1: dp}}\na: {}", "more.yaml").unwrap();
    config.merge(more);
    assert_eq!(config.signal(&["a"]), Some(SignalConfig::default()));
    assert_eq!(config.signals.len(), 3);
    assert_eq!(config.meshes.len(), 1);
    let shard = Some(ShardConfig::Mesh(vec![(0, "tp".into())]));
    let error = config.checked("d", SignalConfig { shard, ..SignalConfig::default() });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("'tp' is no axis of the mesh, which has dp"), "{error}");
    config.checked("params", SignalConfig::default()).unwrap_err();
}

#[test]
fn meshes_with_names_lie_side_by_side() {
    let text = "mesh: {a: {axes: {dp: 2, tp: 2}, workers: [4, 5, 6, 7]}, b: {dp: 2}}\n\
                x: {shard: {1: tp, 0: a.dp}}\ny: {shard: {0: b.dp}}";
    let config = read(text).unwrap();
    let resolved = Resolved { config, workers: 8, ..Resolved::default() };
    let wish = |name: &str| resolved.wish(resolved.config.shard(&[name]).unwrap().1).unwrap();
    let x = wish("x");
    assert_eq!(x.workers.as_slice(), [4, 5, 6, 7]);
    assert_eq!(x.mesh.as_slice(), [("a.dp".into(), 2), ("a.tp".into(), 2)]);
    assert_eq!(x.cuts.as_slice(), [Some(0), Some(1)]);
    let y = wish("y");
    assert_eq!((y.workers.as_slice(), y.cuts.as_slice()), (&[0, 1][..], &[Some(0)][..]));
    let few = Resolved { config: resolved.config.clone(), workers: 4, ..Resolved::default() };
    let complaint = few.complaint(&few.config).unwrap();
    assert!(complaint.contains("the mesh {a.dp: 2, a.tp: 2} needs worker 7"), "{complaint}");
}

#[test]
fn a_mesh_without_a_name_stands_beside_others() {
    let text = "mesh: {\"\": {axes: {dp: 2}, workers: [2, 3]}, b: {dp: 2}}\n\
                x: {shard: {0: dp}}\ny: {shard: {0: b.dp}}";
    let resolved = Resolved { config: read(text).unwrap(), workers: 4, ..Resolved::default() };
    let wish = |name: &str| resolved.wish(resolved.config.shard(&[name]).unwrap().1).unwrap();
    assert_eq!(wish("x").workers.as_slice(), [2, 3]);
    assert_eq!(wish("x").mesh.as_slice(), [("dp".into(), 2)]);
    assert_eq!(wish("y").mesh.as_slice(), [("b.dp".into(), 2)]);
    read("mesh: {a: {\"\": 2}}").unwrap_err();
}
