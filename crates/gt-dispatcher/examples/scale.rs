//! What a training step costs the dispatcher by the number of workers, without sockets: the layers
//! of a transformer under data × tensor × pipeline parallelism, for workers that are done with
//! everything at once. `cargo run --release --example scale`.

#![expect(clippy::print_stdout, reason = "a program that prints what it measures")]

use std::time::{Duration, Instant};

use gt_core::instruction::Command;
use gt_core::placement::Wish;
use gt_core::text::parse_instruction;
use gt_core::{ScopeId, SessionId, Slot, WorkerId};
use gt_dispatcher::{Dispatcher, Outbox};
use gt_transport::hello::Hello;
use gt_transport::{Batch, Message, Peer};
use smallvec::SmallVec;

const SESSION: SessionId = SessionId(1);
const BATCH: usize = 256;
const LAYERS: usize = 10;
const MICRO_BATCHES: usize = 4;
const STEPS: usize = 4;
/// Batch, length, heads and width of a head.
const SIZES: [usize; 4] = [200, 64, 8, 64];

fn main() {
    println!(
        "{:>8} {:>10} {:>9} {:>9} {:>10} {:>12} {:>7}",
        "workers", "dp×tp×pp", "ms/step", "messages", "transfers", "ns/transfer", "MiB"
    );
    for (dp, tp, pp) in [(1, 1, 1), (2, 2, 2), (8, 2, 2), (9, 4, 2), (16, 4, 4), (25, 8, 5)] {
        let mut cluster = Cluster::new((dp * tp * pp) as u32);
        let mut said = Said::default();
        let mut model = Model::new(&mut said, (dp, tp, pp));
        cluster.say(said.take());
        model.step(&mut said);
        cluster.say(said.take());
        let before = (cluster.messages, cluster.transfers());
        cluster.spent = Duration::ZERO;
        for _ in 0..STEPS {
            model.step(&mut said);
            cluster.say(said.take());
        }
        let transfers = (cluster.transfers() - before.1) / STEPS as u64;
        let step = cluster.spent / STEPS as u32;
        println!(
            "{:>8} {:>10} {:>9.2} {:>9} {:>10} {:>12.0} {:>7.1}",
            dp * tp * pp,
            format!("{dp}×{tp}×{pp}"),
            step.as_secs_f64() * 1e3,
            (cluster.messages - before.0) / STEPS,
            transfers,
            step.as_nanos() as f64 / transfers.max(1) as f64,
            resident_bytes() as f64 / f64::from(1 << 20)
        );
    }
}

/// What the process has in memory.
fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}

/// The parameters of each layer: the weights of queries, keys, values, of what attention gives, and
/// of the two products after it.
struct Model(Vec<(usize, [u32; 6])>);

/// Along which axis each of them is cut, and its shape in widths.
const WEIGHTS: [(i32, [usize; 2]); 6] =
    [(1, [1, 1]), (1, [1, 1]), (1, [1, 1]), (0, [1, 1]), (1, [1, 4]), (0, [4, 1])];

impl Model {
    fn new(said: &mut Said, (dp, tp, pp): (usize, usize, usize)) -> Self {
        let width = SIZES[2] * SIZES[3];
        let each = (dp * tp) as u32;
        for stage in 0..pp as u32 {
            let mesh = |cuts: [Option<i32>; 2]| Wish {
                mesh: [("dp".into(), dp as u32), ("tp".into(), tp as u32)].into_iter().collect(),
                cuts: cuts.into_iter().collect(),
                ..Wish::replicated(stage * each..(stage + 1) * each)
            };
            said.define(3 * stage + 1, mesh([Some(0), None]));
            said.define(3 * stage + 2, mesh([None, Some(0)]));
            said.define(3 * stage + 3, mesh([None, Some(1)]));
        }
        let mut layers = Vec::new();
        for layer in 0..LAYERS {
            let stage = layer * pp / LAYERS;
            let weights = WEIGHTS.map(|(axis, [rows, columns])| {
                said.enter(0);
                let (rows, columns) = (rows * width, columns * width);
                let whole = said.make(&format!("full shape=[{rows}, {columns}] fill_value=0.5"));
                said.enter(3 * stage as u32 + 2 + axis as u32);
                let placed = said.make(&format!("place t{whole}"));
                said.free(&[whole]);
                placed
            });
            layers.push((stage, weights));
        }
        Model(layers)
    }

    /// Forward and backward for each micro-batch, and then an update of every parameter.
    fn step(&mut self, said: &mut Said) {
        let [batch, length, heads, each] = SIZES;
        let (width, rows) = (heads * each, batch / MICRO_BATCHES);
        let mut gradients: Vec<Option<u32>> = vec![None; 6 * self.0.len()];
        for _ in 0..MICRO_BATCHES {
            said.enter(1);
            let mut x =
                said.make(&format!("full shape=[{rows}, {length}, {width}] fill_value=1.0"));
            let mut kept = Vec::new();
            for (stage, weights) in &self.0 {
                said.enter(3 * *stage as u32 + 1);
                let (next, inputs) = layer(said, x, weights);
                kept.push((x, inputs));
                x = next;
            }
            for (number, (stage, weights)) in self.0.iter().enumerate().rev() {
                said.enter(3 * *stage as u32 + 1);
                let (before, inputs) = kept.pop().expect("one for each layer");
                let own = &mut gradients[6 * number..6 * number + 6];
                x = backward(said, x, (before, &inputs), weights, own);
            }
            said.free(&[x]);
        }
        said.enter(0);
        for (number, (_, weights)) in self.0.iter_mut().enumerate() {
            for (index, weight) in weights.iter_mut().enumerate() {
                let gradient = gradients[6 * number + index].take().expect("every one has its own");
                said.update(&format!("sub t{weight} t{gradient}"), *weight);
                *weight = said.last();
                said.free(&[gradient]);
            }
        }
    }
}

/// One layer: what it gives, and what its backward pass needs, the input of each weight.
fn layer(said: &mut Said, x: u32, weights: &[u32; 6]) -> (u32, [u32; 6]) {
    let [_, length, heads, each] = SIZES;
    let split = format!("shape=[-1, {length}, {heads}, {each}]");
    let [q, k, v] = [0, 1, 2].map(|index: usize| {
        let flat = said.make(&format!("matmul t{x} t{}", weights[index]));
        let apart = said.make(&format!("reshape t{flat} {split}"));
        let turned = said.make(&format!("permute t{apart} dims=[0, 2, 1, 3]"));
        said.free(&[flat, apart]);
        turned
    });
    let across = said.make(&format!("permute t{k} dims=[0, 1, 3, 2]"));
    let scores = said.make(&format!("matmul t{q} t{across}"));
    let shares = said.make(&format!("softmax t{scores} dim=-1"));
    let found = said.make(&format!("matmul t{shares} t{v}"));
    let turned = said.make(&format!("permute t{found} dims=[0, 2, 1, 3]"));
    let joined = said.make(&format!("reshape t{turned} shape=[-1, {length}, {}]", heads * each));
    let mixed = said.make(&format!("matmul t{joined} t{}", weights[3]));
    let middle = said.make(&format!("add t{x} t{mixed}"));
    let wide = said.make(&format!("matmul t{middle} t{}", weights[4]));
    let bent = said.make(&format!("gelu t{wide}"));
    let narrow = said.make(&format!("matmul t{bent} t{}", weights[5]));
    let next = said.make(&format!("add t{middle} t{narrow}"));
    said.free(&[q, k, v, across, scores, shares, found, turned, mixed, wide, narrow]);
    (next, [x, x, x, joined, middle, bent])
}

/// The gradients of a layer's weights are added to what there is of them; gives that of its input.
fn backward(
    said: &mut Said,
    mut back: u32,
    (before, inputs): (u32, &[u32; 6]),
    weights: &[u32; 6],
    gradients: &mut [Option<u32>],
) -> u32 {
    for index in (0..6).rev() {
        let (input, weight) = (inputs[index], weights[index]);
        let across = said.make(&format!("permute t{weight} dims=[1, 0]"));
        let mut passed = said.make(&format!("matmul t{back} t{across}"));
        let turned = said.make(&format!("permute t{input} dims=[0, 2, 1]"));
        let each = said.make(&format!("matmul t{turned} t{back}"));
        let own = said.make(&format!("sum t{each} dim=[0]"));
        let placed = said.make(&format!("place_like t{own} t{weight}"));
        said.free(&[across, turned, each, own]);
        gradients[index] = Some(match gradients[index] {
            None => placed,
            Some(sum) => {
                said.update(&format!("add t{sum} t{placed}"), sum);
                said.free(&[placed]);
                said.last()
            }
        });
        if index == 5 {
            let bent = said.make(&format!("mul t{passed} t{input}"));
            said.free(&[passed]);
            passed = bent;
        }
        said.free(&[back]);
        back = passed;
    }
    said.free(&[before, inputs[3], inputs[4], inputs[5]]);
    back
}

/// What a client says, with names for its values.
#[derive(Default)]
struct Said {
    commands: Vec<Command>,
    used: u32,
    free: Vec<u32>,
    scope: u32,
    last: u32,
}

impl Said {
    fn define(&mut self, number: u32, wish: Wish) {
        let (scope, parent) = (ScopeId(number), ScopeId::ROOT);
        let (name, wish) = (format!("scope{number}").into(), Some(wish));
        self.commands.push(Command::DefineScope { scope, parent, name, wish });
    }

    fn enter(&mut self, scope: u32) {
        if std::mem::replace(&mut self.scope, scope) != scope {
            self.commands.push(Command::Scope(ScopeId(scope)));
        }
    }

    fn make(&mut self, text: &str) -> u32 {
        let name = self.free.pop().unwrap_or_else(|| {
            self.used += 1;
            self.used - 1
        });
        let instruction = parse_instruction(&format!("t{name} := {text}"));
        let instruction = instruction.unwrap_or_else(|error| panic!("{text}: {error}"));
        self.commands.push(Command::Apply(instruction));
        name
    }

    /// Replaces a value; [`Said::last`] is the name of the result.
    fn update(&mut self, text: &str, old: u32) {
        self.last = self.make(&format!("{text} replaces t{old}"));
        self.free.push(old);
    }

    fn last(&self) -> u32 {
        self.last
    }

    fn free(&mut self, names: &[u32]) {
        self.commands.push(Command::Free(names.iter().map(|&name| Slot(name)).collect()));
        self.free.extend(names);
    }

    fn take(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.commands)
    }
}

struct Cluster {
    dispatcher: Dispatcher,
    messages: usize,
    /// How long the dispatcher took.
    spent: Duration,
}

impl Cluster {
    fn new(workers: u32) -> Self {
        let (mut dispatcher, mut out) = (Dispatcher::new(), Outbox::default());
        for worker in (0..workers).map(WorkerId) {
            let register = Message::Register(Box::default());
            dispatcher.step(0, Peer::Worker(worker), register, &mut out);
        }
        let hello = Message::Hello(Hello::named("scale"));
        dispatcher.step(0, Peer::Client(SESSION), hello, &mut out);
        Cluster { dispatcher, messages: 0, spent: Duration::ZERO }
    }

    /// How often a worker was to hand something to another one.
    fn transfers(&self) -> u64 {
        self.dispatcher.session(SESSION).map_or(0, |session| session.modifiers().reshard_moves)
    }

    fn say(&mut self, commands: Vec<Command>) {
        for commands in commands.chunks(BATCH) {
            let mut batch = Batch::default();
            commands.iter().for_each(|command| batch.push(command));
            let message = Message::Commands { session: SESSION, batch: batch.into() };
            self.step(Peer::Client(SESSION), message);
        }
    }

    /// Workers are done with everything at once, and nothing fails.
    fn step(&mut self, from: Peer, message: Message) {
        let mut out = Outbox::default();
        let start = Instant::now();
        self.dispatcher.step(0, from, message, &mut out);
        self.spent += start.elapsed();
        for (to, message) in out.drain().collect::<Vec<_>>() {
            self.messages += 1;
            match message {
                Message::Ended { error, .. } => panic!("the session ended: {error}"),
                Message::Commands { session, batch } => {
                    let barriers: Vec<u64> = batch.commands().filter_map(barrier).collect();
                    for barrier in barriers {
                        let (failure, checksums) = (None, SmallVec::new());
                        let report =
                            Message::FailureReport { session, barrier, failure, checksums };
                        self.step(to, report);
                    }
                    let commands = batch.len() as u64;
                    self.step(to, Message::Done { session, commands, bytes: 0, busy_ns: 0 });
                }
                _ => {}
            }
        }
    }
}

/// The barrier that a command reports to.
fn barrier(command: gt_core::Result<Command>) -> Option<u64> {
    match command.expect("what the dispatcher says") {
        Command::Report { barrier }
        | Command::Vote { barrier, .. }
        | Command::Settle { barrier, .. } => Some(barrier),
        _ => None,
    }
}
