//! Programs of elementwise kernels have the bits of these kernels one by one.

use gt_core::dtype::{DType, Scalar};
use gt_core::kernel::{BinaryFn, Kernel, ReduceFn, UnaryFn};
use gt_core::shape::{Meta, Shape};
use gt_native::Native;
use gt_worker::engine::program::{Program, ProgramStep, Reduction, Source};
use gt_worker::engine::{Engine, Operand, Operands, Takes};
use gt_worker::value::Value;
use smallvec::SmallVec;

use crate::reference::*;

const DTYPES: [DType; 6] =
    [DType::F32, DType::F64, DType::BF16, DType::F16, DType::I32, DType::Bool];

/// A random program, and for each input its dtype and shape.
fn program(dice: &mut Dice, native: &Native, shape: &[usize]) -> (Program, Vec<Meta>) {
    let mut inputs: Vec<Meta> = Vec::new();
    let mut steps: Vec<ProgramStep> = Vec::new();
    while steps.len() < 2 + dice.below(7) {
        let operand = dice.pick(&DTYPES);
        let (kernel, operands, result) = match dice.below(6) {
            0 | 1 => {
                let function = dice.pick(UnaryFn::ALL);
                let result = if function.is_predicate() { DType::Bool } else { operand };
                (Kernel::Map(function), vec![operand], result)
            }
            2 => (Kernel::Cast, vec![operand], dice.pick(&DTYPES)),
            3 => (Kernel::Where, vec![DType::Bool, operand, operand], operand),
            _ => {
                let function = dice.pick(BinaryFn::ALL);
                let result = if function.is_comparison() { DType::Bool } else { operand };
                (Kernel::Zip(function), vec![operand; 2], result)
            }
        };
        if !native.fuses(&kernel, operands[0], result) {
            continue;
        }
        let is_where = kernel == Kernel::Where;
        let number = (operands.len() > 1 && dice.below(3) == 0)
            .then(|| if is_where { 1 + dice.below(2) } else { dice.below(2) });
        let mut source = |index: usize, dtype: DType| {
            if number == Some(index) {
                return Source::Scalar(dice.pick(&[Scalar::Int(2), Scalar::Int(1)]));
            }
            let made: Vec<usize> =
                (0..steps.len()).filter(|&step| steps[step].result == dtype).collect();
            if !made.is_empty() && dice.below(4) > 0 {
                return Source::Step(dice.pick(&made));
            }
            // One operand has the shape of the result; the others may be broadcast to it.
            let is_first = index == usize::from(number == Some(0));
            let own = if is_first { shape.to_vec() } else { dice.narrower(shape) };
            inputs.push(Meta::new(dtype, Shape::from(&own[..])));
            Source::Input(inputs.len() - 1)
        };
        let sources: SmallVec<[Source; 3]> =
            operands.iter().enumerate().map(|(index, &dtype)| source(index, dtype)).collect();
        steps.push(ProgramStep { kernel, sources, operand: operands[0], result });
    }
    let last = steps.len() - 1;
    let mut outputs: SmallVec<[usize; 2]> =
        (0..=last).filter(|&step| step == last || dice.below(3) == 0).collect();
    let reduction = reduction(dice, native, shape, &steps);
    if reduction.is_some() {
        // What is combined may be needed for nothing else.
        outputs.retain(|_| dice.below(3) == 0);
        outputs.push(steps.len());
    }
    (Program { shape: Shape::from(shape), steps, reduction, outputs }, inputs)
}

/// A reduction of one of the steps along the last axes, for some programs.
fn reduction(
    dice: &mut Dice,
    native: &Native,
    shape: &[usize],
    steps: &[ProgramStep],
) -> Option<Reduction> {
    let step = dice.below(steps.len());
    let first_axis = dice.below(shape.len());
    let all = [ReduceFn::Sum, ReduceFn::Mean, ReduceFn::Max, ReduceFn::Min, ReduceFn::Prod];
    let (with, dtype) = (dice.pick(&all), steps[step].result);
    let axes: SmallVec<[usize; 4]> = (first_axis..shape.len()).collect();
    let out = Meta { dtype, shape: Shape::from(shape).reduced(&axes, dice.below(2) == 0) };
    let fuses = native.fuses(&Kernel::Reduce { with, axes }, dtype, dtype);
    (fuses && dice.below(2) == 0).then_some(Reduction { with, first_axis, step, out })
}

/// The results of a program, one kernel after another.
fn one_by_one(native: &Native, program: &Program, inputs: &[Value]) -> Vec<Value> {
    let mut made: Vec<Value> = Vec::new();
    for step in &program.steps {
        let operand = |source: &Source| match *source {
            Source::Input(input) => Operand::Tensor(inputs[input].clone()),
            Source::Step(step) => Operand::Tensor(made[step].clone()),
            Source::Scalar(scalar) => Operand::Scalar(scalar),
        };
        let operands: Operands = step.sources.iter().map(operand).collect();
        let out = Meta { dtype: step.result, shape: program.shape.clone() };
        let broadcast = native.run(&step.kernel, operands, std::slice::from_ref(&out)).unwrap();
        made.extend(broadcast);
    }
    if let Some(Reduction { with, first_axis, step, out }) = &program.reduction {
        let axes = (*first_axis..program.shape.rank()).collect();
        let kernel = Kernel::Reduce { with: *with, axes };
        let operands: Operands = [Operand::Tensor(made[*step].clone())].into_iter().collect();
        made.extend(native.run(&kernel, operands, std::slice::from_ref(out)).unwrap());
    }
    program.outputs.iter().map(|&step| made[step].clone()).collect()
}

#[test]
fn programs_have_the_bits_of_their_kernels() {
    let natives = [native(1), native(2)];
    for seed in 0..600 {
        let dice = &mut Dice(seed);
        let native = &natives[dice.below(2)];
        let sizes = [vec![3, 5], vec![70, 33], vec![7], vec![1, 1], vec![2, 3, 40], vec![9, 1030]];
        // Few of them are large enough to be shared by threads.
        let shape = if seed % 50 == 0 { vec![300, 301] } else { sizes[dice.below(6)].clone() };
        let (program, metas) = program(dice, native, &shape);
        let plains: Vec<Plain> =
            metas.iter().map(|meta| dice.plain(meta.dtype, &meta.shape)).collect();
        let shared: Vec<Value> = plains.iter().map(|plain| dice.view(native, plain)).collect();
        let expected: Vec<_> =
            one_by_one(native, &program, &shared).iter().map(Value::to_bytes).collect();
        // Inputs that somebody else holds stay as they are; others may be written over.
        let before: Vec<_> = shared.iter().map(Value::to_bytes).collect();
        let mut held = shared.clone();
        let mut own: Vec<Value> = plains.iter().map(|plain| plain.value(native)).collect();
        for inputs in [&mut held, &mut own] {
            let found = native.run_program(&program, inputs).unwrap();
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.to_bytes(), expected, "seed {seed}: {program:?} of {metas:?}");
            }
        }
        let after: Vec<_> = shared.iter().map(Value::to_bytes).collect();
        assert_eq!(before, after, "seed {seed}: an input was written over");
    }
}
