//! Layers on workers one after another, in simulated time: the dispatcher and the workers as they
//! are, devices that take as long as plans are estimated to, and values that take their time to
//! arrive. The client trains with several micro-batches to a step, forward and backward by turns.

use gt_core::instruction::Command;
use gt_core::placement::Wish;
use gt_core::text::parse_instruction;
use gt_core::{RequestId, ScopeId, SessionId, Slot};
use gt_transport::Batch;
use gt_worker::executor::entries::ENTRY_BYTES;

pub use crate::timed::Busy;
use crate::timed::Cluster;

const SESSION: SessionId = SessionId(1);
const BATCH: usize = 256;

/// What is trained.
#[derive(Clone, Debug)]
pub struct Training {
    /// For each stage how many layers it has.
    pub layers: Vec<usize>,
    /// How many workers each stage has. Several share the rows of a micro-batch, and each has all
    /// parameters of its stage.
    pub workers: usize,
    /// The micro-batches of a step.
    pub micro_batches: usize,
    /// How many rows a micro-batch has, and how wide layers are.
    pub rows: usize,
    /// See there.
    pub width: usize,
}

/// How a step went.
#[derive(Debug)]
pub struct Course {
    /// When it was over.
    pub end_ns: u64,
    /// What workers were at, in the order of their beginnings.
    pub busy: Vec<Busy>,
    /// The most bytes that each worker had in values besides its parameters and their gradients.
    pub activation_bytes: Vec<usize>,
}

impl Course {
    /// How much of the time each worker was at work.
    pub fn utilisation(&self) -> Vec<f64> {
        let mut busy_ns = vec![0; self.activation_bytes.len()];
        self.busy.iter().for_each(|busy| busy_ns[busy.worker] += busy.end_ns - busy.begin_ns);
        busy_ns.into_iter().map(|busy| busy as f64 / self.end_ns as f64).collect()
    }
}

impl Training {
    /// The bytes that a worker has of a micro-batch between two layers, with their table entry.
    pub fn activation_bytes(&self) -> usize {
        4 * self.rows * self.width / self.workers + ENTRY_BYTES
    }

    /// The bytes of a layer.
    fn layer_bytes(&self) -> usize {
        4 * self.width * self.width
    }

    /// What is wanted of a stage, and of its parameters.
    fn wishes(&self, stage: usize) -> (Wish, Wish) {
        let on = (stage * self.workers) as u32..((stage + 1) * self.workers) as u32;
        let copies = Wish::replicated(on.clone());
        let rows = if self.workers == 1 { copies.clone() } else { Wish::sharded(0, on) };
        (rows, copies)
    }

    /// What the client says: parameters, then a step.
    fn commands(&self) -> Vec<Command> {
        let mut said = Said::default();
        let stages = self.layers.len();
        for stage in 0..stages {
            said.define(stage, format!("stage{stage}"), self.wishes(stage).0);
        }
        for stage in 0..stages {
            said.define(stages + stage, format!("layers{stage}"), self.wishes(stage).1);
        }
        let Training { rows, width, .. } = self;
        let mut weights = Vec::new();
        let mut layers = Vec::new();
        for (stage, &count) in self.layers.iter().enumerate() {
            said.enter(stages + stage);
            for _ in 0..count {
                layers.push(stage);
                weights.push(said.make(&format!("full shape=[{width}, {width}] fill_value=1.0")));
            }
        }
        let mut gradients: Vec<Option<u32>> = vec![None; weights.len()];
        for _ in 0..self.micro_batches {
            said.enter(0);
            let mut values =
                vec![said.make(&format!("full shape=[{rows}, {width}] fill_value=1.0"))];
            for (layer, weight) in weights.iter().enumerate() {
                said.enter(layers[layer]);
                let input = values[layer];
                values.push(said.make(&format!("matmul t{input} t{weight}")));
            }
            let mut back = said.make(&format!("exp t{}", values[weights.len()]));
            for (layer, weight) in weights.iter().enumerate().rev() {
                said.enter(layers[layer]);
                let across = said.make(&format!("transpose t{} dim0=0 dim1=1", values[layer]));
                let own = said.make(&format!("matmul t{across} t{back}"));
                let input = said.make(&format!("matmul t{back} t{weight}"));
                said.free(&[across, back, values[layer + 1]]);
                back = input;
                let placed = said.make(&format!("place_like t{own} t{weight}"));
                said.free(&[own]);
                gradients[layer] = Some(match gradients[layer] {
                    None => placed,
                    Some(sum) => {
                        let next = said.replace(&format!("add t{sum} t{placed}"), sum);
                        said.free(&[placed]);
                        next
                    }
                });
            }
            said.free(&[back, values[0]]);
        }
        said.0.push(Command::Sync { request: RequestId(1) });
        said.0
    }

    /// Runs it.
    pub fn run(&self) -> Course {
        let mut cluster = Cluster::new(&vec![1; self.layers.len() * self.workers]);
        cluster.open(SESSION, None);
        let mut batch = Batch::default();
        for command in self.commands() {
            batch.push(&command);
            if batch.len() >= BATCH {
                cluster.say(SESSION, std::mem::take(&mut batch));
            }
        }
        cluster.say(SESSION, batch);
        while cluster.step().is_some() {}
        let kept = |worker: usize| {
            self.layers[worker / self.workers] * 2 * (self.layer_bytes() + ENTRY_BYTES)
        };
        let most = cluster.pools.iter().map(|pool| pool.peak_bytes()).enumerate();
        let activation_bytes = most.map(|(worker, most)| most.saturating_sub(kept(worker)));
        let activation_bytes = activation_bytes.collect();
        Course { end_ns: cluster.now_ns, busy: cluster.busy, activation_bytes }
    }
}

/// What a client says, with names for its values.
#[derive(Default)]
struct Said(Vec<Command>, Names);

#[derive(Default)]
struct Names {
    used: u32,
    free: Vec<u32>,
    scope: u32,
}

impl Said {
    fn define(&mut self, number: usize, name: String, wish: Wish) {
        let (scope, parent, name) = (ScopeId(number as u32 + 1), ScopeId::ROOT, name.into());
        self.0.push(Command::DefineScope { scope, parent, name, wish: Some(wish) });
    }

    fn enter(&mut self, stage: usize) {
        let scope = stage as u32 + 1;
        if std::mem::replace(&mut self.1.scope, scope) != scope {
            self.0.push(Command::Scope(ScopeId(scope)));
        }
    }

    fn make(&mut self, text: &str) -> u32 {
        let name = self.1.free.pop().unwrap_or_else(|| {
            self.1.used += 1;
            self.1.used - 1
        });
        let instruction = parse_instruction(&format!("t{name} := {text}"));
        self.0.push(Command::Apply(instruction.expect("an instruction")));
        name
    }

    fn replace(&mut self, text: &str, old: u32) -> u32 {
        let name = self.make(&format!("{text} replaces t{old}"));
        self.1.free.push(old);
        name
    }

    fn free(&mut self, names: &[u32]) {
        self.0.push(Command::Free(names.iter().map(|&name| Slot(name)).collect()));
        self.1.free.extend(names);
    }
}
