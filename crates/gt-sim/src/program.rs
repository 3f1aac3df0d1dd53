//! Random programs that keep the rules: any row of the op table, views, writes in place, frees,
//! reads, failing lookups. Their right answers are known from a plain interpreter.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;
use gt_core::attrs::Attrs;
use gt_core::instruction::{Command, Operand, Replaces};
use gt_core::op::{Arg, Call, Op, Sample, SampleInput};
use gt_core::placement::{OnUse, Wish};
use gt_core::rules::risk::{Risk, row_risk};
use gt_core::{DType, Meta, RequestId, ScopeId, Shape, Slot, ops};
use gt_transport::Failure;

use crate::dice::Dice;
use crate::interpreter::{Expected, Interpreter};
use crate::script::{Saying, Script};

/// Larger results are left to other tests.
const LARGEST_BYTES: usize = 32 << 10;

/// How often a row is tried with other values before another step is taken.
const ATTEMPTS: usize = 8;

/// A program and what must come of it.
#[derive(Clone, Debug)]
pub struct Program {
    /// What the client says.
    pub sayings: Vec<Saying>,
    /// The answer to each of its requests.
    pub answers: BTreeMap<RequestId, Expected>,
    /// What fails, in the order of the program.
    pub failures: Vec<Arc<Failure>>,
}

impl Program {
    /// A program of `length` steps. Programs of one `structure` take the same steps as long as
    /// nothing depends on values, and so give their values the same names.
    pub fn random(structure: u64, values: u64, length: usize) -> Program {
        Program::with_wishes(structure, values, length, &COPIES)
    }

    /// The same where signals cut values. Sums are added up in another order then.
    pub fn random_cut(structure: u64, values: u64, length: usize) -> Program {
        Program::with_wishes(structure, values, length, &CUTS)
    }

    /// The same where signals cut values over meshes of several axes, among others.
    pub fn random_on_meshes(structure: u64, values: u64, length: usize) -> Program {
        Program::with_wishes(structure, values, length, &MESHES)
    }

    fn with_wishes(structure: u64, values: u64, length: usize, wishes: &'static Wishes) -> Program {
        let mut writer = Writer {
            wishes,
            structure: Dice::new(structure),
            values: Dice::new(values),
            script: Script::default(),
            said: 0,
            known: Interpreter::default(),
            live: Vec::new(),
            shapeless: BTreeSet::new(),
            scopes: 0,
        };
        for _ in 0..length {
            writer.step();
        }
        writer.end();
        let (answers, failures) =
            (writer.known.answers().clone(), writer.known.failures().to_vec());
        Program { sayings: writer.script.take(), answers, failures }
    }
}

struct Writer {
    /// Decides what is done.
    structure: Dice,
    /// Decides the elements of what is uploaded.
    values: Dice,
    script: Script,
    /// How much of the script the interpreter knows.
    said: usize,
    known: Interpreter,
    live: Vec<Slot>,
    /// Values whose shape nobody will ever learn, because they failed.
    shapeless: BTreeSet<Slot>,
    scopes: u32,
    /// What signals may want.
    wishes: &'static Wishes,
}

/// Wishes to choose from.
type Wishes = [Wanted];

/// For each axis of a mesh its size and the axis of a value that is cut, if one is, and the
/// workers. A group has one axis whose size does not matter.
type Wanted = (&'static [(u32, Option<i32>)], &'static [u32]);

static COPIES: [Wanted; 3] = [(&[(0, None)], &[]), (&[(0, None)], &[0, 1]), (&[(0, None)], &[1])];

static CUTS: [Wanted; 8] = [
    (&[(0, Some(0))], &[]),
    (&[(0, Some(0))], &[]),
    (&[(0, Some(0))], &[0, 1]),
    (&[(0, Some(0))], &[1, 2]),
    (&[(0, Some(1))], &[]),
    (&[(0, Some(-1))], &[0, 1]),
    (&[(0, None)], &[]),
    (&[(0, None)], &[1]),
];

static MESHES: [Wanted; 12] = [
    (&[(2, Some(0)), (2, Some(1))], &[0, 1, 2, 3]),
    (&[(2, Some(0)), (2, None)], &[0, 1, 2, 3]),
    (&[(2, None), (2, Some(0))], &[0, 1, 2, 3]),
    (&[(2, Some(1)), (2, Some(0))], &[3, 1, 2, 0]),
    (&[(2, Some(0)), (3, Some(-1))], &[0, 1, 2, 3, 4, 5]),
    (&[(3, Some(0)), (2, Some(1))], &[1, 2, 3, 4, 5, 0]),
    (&[(2, Some(0)), (1, Some(1))], &[0, 1]),
    (&[(2, Some(0)), (2, Some(1)), (2, Some(2))], &[0, 1, 2, 3, 4, 5, 6, 7]),
    (&[(2, None), (2, Some(0)), (2, Some(-1))], &[7, 6, 5, 4, 3, 2, 1, 0]),
    (&[(0, Some(0))], &[0, 1, 2, 3]),
    (&[(0, Some(1))], &[2, 3]),
    (&[(0, None)], &[]),
];

impl Writer {
    fn step(&mut self) {
        match self.structure.below(16) {
            _ if self.live.len() < 2 => self.upload_any(),
            0 => self.upload_any(),
            1 | 2 => self.free(),
            3 => self.read(),
            4 if self.structure.once_in(if self.cuts() { 2 } else { 4 }) => self.signal(),
            4 if self.structure.once_in(3) => self.synchronize(),
            _ => self.apply(),
        }
    }

    fn cuts(&self) -> bool {
        self.wishes.iter().any(|(axes, _)| axes.iter().any(|(_, cut)| cut.is_some()))
    }

    /// Reads all that is left, and then frees some of it.
    fn end(&mut self) {
        for slot in self.live.clone() {
            self.script.read(slot);
        }
        while self.live.len() > 3 {
            self.free();
        }
        self.learn();
    }

    /// Lets the interpreter execute what was said last.
    fn learn(&mut self) {
        let sayings = self.script.sayings();
        for saying in &sayings[self.said..] {
            if let Saying::Command(command) = saying {
                self.known.step(command);
            }
        }
        self.said = sayings.len();
    }

    /// Moves to some scope, which may be one that is defined for it.
    fn signal(&mut self) {
        if self.structure.once_in(2) {
            let parent = ScopeId(self.structure.below(self.scopes as usize + 1) as u32);
            self.scopes += 1;
            // A program means the same with any wish.
            let choice = self.structure.below(self.wishes.len() + 1);
            let wish = self.wishes.get(choice).map(|&(axes, workers)| {
                let cut = axes.iter().any(|(_, cut)| cut.is_some());
                let keep = !cut || self.structure.once_in(2);
                let replicate = cut && self.structure.once_in(2);
                let on_use = if replicate { OnUse::Replicate } else { OnUse::AsPlaced };
                let names = ["data", "model", "depth"];
                let mesh = axes.iter().zip(names).filter(|((size, _), _)| *size > 0);
                Wish {
                    mesh: mesh.map(|(&(size, _), name)| (name.into(), size)).collect(),
                    cuts: axes.iter().map(|&(_, cut)| cut).filter(|_| cut).collect(),
                    keep,
                    on_use,
                    ..Wish::replicated(workers.iter().copied())
                }
            });
            let (scope, name) = (ScopeId(self.scopes), "layer".into());
            self.script.command(Command::DefineScope { scope, parent, name, wish });
        }
        let scope = ScopeId(self.structure.below(self.scopes as usize + 1) as u32);
        self.script.command(Command::Scope(scope));
    }

    fn free(&mut self) {
        let index = self.structure.below(self.live.len());
        let slot = self.live.swap_remove(index);
        self.shapeless.remove(&slot);
        self.script.free(slot);
        self.learn();
    }

    fn read(&mut self) {
        let slot = *self.structure.choose(&self.live);
        let request = self.script.read(slot);
        if self.structure.once_in(2) {
            self.script.push(Saying::Await(request));
        }
        self.learn();
    }

    fn synchronize(&mut self) {
        let request = self.script.synchronize();
        self.script.push(Saying::Await(request));
        self.learn();
    }

    fn upload_any(&mut self) {
        let shapes: [&[usize]; 8] =
            [&[], &[3], &[4, 3], &[2, 3], &[3, 4], &[2, 3, 4], &[0, 3], &[40, 40]];
        let dtypes = [DType::F32, DType::F32, DType::F32, DType::F64, DType::I64, DType::Bool];
        let shape: Shape = (*self.structure.choose(&shapes)).into();
        let dtype = *self.structure.choose(&dtypes);
        self.upload(Meta::new(dtype, shape), 4);
    }

    /// A value with whole numbers below `below`, and fractions where the dtype has them.
    fn upload(&mut self, meta: Meta, below: usize) -> Slot {
        let data: Vec<u8> = (0..meta.shape.count())
            .flat_map(|_| {
                let whole = self.values.below(below.max(1)) as i64;
                let number = whole as f64 + self.values.below(256) as f64 / 256.0 - 1.0;
                element(meta.dtype, whole, number)
            })
            .collect();
        let slot = self.script.upload(meta, Bytes::from(data));
        self.live.push(slot);
        self.learn();
        slot
    }

    fn apply(&mut self) {
        for _ in 0..ATTEMPTS {
            let op = *self.structure.choose(ops::ALL);
            let samples = (op.samples)();
            let sample = self.structure.choose(&samples).clone();
            let inputs = self.inputs(&sample);
            if self.fits(op, &inputs, &sample.attrs) {
                return self.emit(op, inputs, sample.attrs);
            }
        }
    }

    fn inputs(&mut self, sample: &Sample) -> Vec<Operand> {
        // Some rows are for whole numbers only, some for truths.
        let dtypes = [DType::F32, DType::F32, DType::F32, DType::I64, DType::Bool];
        let dtype = *self.structure.choose(&dtypes);
        sample.inputs.iter().map(|input| self.input(input, dtype)).collect()
    }

    /// A value like the one a sample asks for, or at times any other.
    fn input(&mut self, wanted: &SampleInput, dtype: DType) -> Operand {
        let (meta, below) = match wanted {
            SampleInput::Scalar(scalar) => return Operand::Scalar(*scalar),
            SampleInput::Numbers(shape) => (Meta::new(dtype, shape.clone()), 4),
            SampleInput::Index { shape, below } => {
                // Once in a while an index that does not exist.
                let beyond = usize::from(self.structure.once_in(4));
                (Meta::new(DType::I64, shape.clone()), below + beyond)
            }
        };
        let like = |slot: &&Slot| match wanted {
            SampleInput::Index { .. } => *self.known.meta(**slot) == meta,
            _ => self.known.meta(**slot).shape == meta.shape,
        };
        let usable = self.live.iter().filter(|slot| !self.shapeless.contains(slot));
        let usable: Vec<Slot> = usable.copied().collect();
        let alike: Vec<Slot> = usable.iter().filter(like).copied().collect();
        Operand::Slot(match self.structure.below(8) {
            0 | 1 if !usable.is_empty() => *self.structure.choose(&usable),
            2..=6 if !alike.is_empty() => *self.structure.choose(&alike),
            _ => self.upload(meta, below),
        })
    }

    fn fits(&self, op: &'static Op, inputs: &[Operand], attrs: &Attrs) -> bool {
        let args = self.args(inputs);
        let call = Call::checked(op, &args, attrs);
        let outputs = call.and_then(|call| {
            (op.kernel)(&call)?;
            Ok(call.infer()?.outputs)
        });
        let is_small = |meta: &Meta| meta.bytes() <= LARGEST_BYTES;
        outputs.is_ok_and(|outputs| outputs.iter().all(is_small)) && !self.may_fail_anew(op, inputs)
    }

    /// Whether something beside a failed input can go wrong: a part of a composite that does not
    /// depend on it may fail on its own, and nobody says which failure is told.
    fn may_fail_anew(&self, op: &'static Op, inputs: &[Operand]) -> bool {
        let has_failed = |input: &Operand| match input {
            Operand::Scalar(_) => false,
            Operand::Slot(slot) => self.known.has_failed(*slot),
        };
        op.expansion.is_some() && row_risk(op) == Risk::Data && inputs.iter().any(has_failed)
    }

    fn args(&self, inputs: &[Operand]) -> Vec<Arg<'_>> {
        let arg = |input: &Operand| match input {
            Operand::Scalar(scalar) => Arg::Scalar(*scalar),
            Operand::Slot(slot) => Arg::Tensor(self.known.meta(*slot)),
        };
        inputs.iter().map(arg).collect()
    }

    fn emit(&mut self, op: &'static Op, inputs: Vec<Operand>, attrs: Attrs) {
        let replaces = self.replaced(op, &inputs, &attrs);
        self.live.retain(|slot| Some(*slot) != replaces);
        let outputs = self.script.apply(op, inputs, attrs, Replaces::first(replaces));
        self.learn();
        self.live.extend_from_slice(&outputs);
        if op.data_dependent {
            let request = self.script.describe(outputs[0]);
            self.learn();
            if !self.known.answers()[&request].is_good() {
                self.shapeless.extend(outputs);
            }
        }
    }

    /// At times a value that the first result can take the place of, rather an input than another.
    fn replaced(&mut self, op: &'static Op, inputs: &[Operand], attrs: &Attrs) -> Option<Slot> {
        // One result is enough to take the place of a value.
        let many = op.outputs.len() > 1;
        if op.data_dependent || many || !self.structure.once_in(3) {
            return None;
        }
        let args = self.args(inputs);
        let call = Call { op, inputs: &args, attrs };
        let result = call.infer().ok()?.outputs.into_iter().next()?;
        let fits =
            |slot: &Slot| *self.known.meta(*slot) == result && !self.shapeless.contains(slot);
        let slots = inputs.iter().filter_map(|input| match input {
            Operand::Slot(slot) => Some(*slot),
            Operand::Scalar(_) => None,
        });
        let read: Vec<Slot> = slots.filter(fits).collect();
        let others: Vec<Slot> = self.live.iter().copied().filter(fits).collect();
        let among = if read.is_empty() || self.structure.once_in(4) { others } else { read };
        (!among.is_empty()).then(|| *self.structure.choose(&among))
    }
}

fn element(dtype: DType, whole: i64, number: f64) -> Vec<u8> {
    match dtype {
        DType::F32 => (number as f32).to_le_bytes().to_vec(),
        DType::F64 => number.to_le_bytes().to_vec(),
        DType::I64 => whole.to_le_bytes().to_vec(),
        DType::Bool => vec![(whole % 2) as u8],
        other => unreachable!("no program uploads {other}"),
    }
}
