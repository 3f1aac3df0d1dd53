//! Optimiser steps and the scaled sums they use. One instruction updates everything that changes
//! together. Weights are inputs and not attributes, so that a new learning rate leaves the
//! instruction unchanged.

use super::codes;
use super::elementwise::binary::{ADD, MAXIMUM, SUB};
use super::elementwise::ternary::LERP;
use super::elementwise::unary::SQRT;
use super::family::{BINARY, operand, result};
use crate::attrs::Attrs;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Number};
use crate::kernel::Kernel;
use crate::op::{Arg, Call, Domain, Input as In, Linear, Op, Output, Python, Sample, Shapes};
use crate::rules::promote::{self, Promotion};
use crate::rules::shape;

static SCALED: [In; 3] = [operand("input"), operand("other"), operand("alpha")];

pub static ADD_SCALED: Op = Op {
    name: "add_scaled",
    code: codes::ADD_SCALED,
    doc: "input + alpha other, element by element.",
    inputs: &SCALED,
    shape: fitting_alpha,
    // The weight takes no part in promotion.
    promotion: Promotion::By(common_of_two),
    grad: Some(|_| vec![Grad(0), Grad(0) * Input(2), Grad(0) * Input(1)]),
    linear: Linear::Together(&[0, 1]),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| vec![Input(0) + weighted(call, 1, 2)]),
    python: Python::HIDDEN,
    samples: || {
        vec![
            Sample::of(&[&[2, 3], &[3]]).scalar(0.5),
            Sample::of(&[&[2, 3], &[2, 1], &[]]),
            Sample::of(&[&[3], &[2, 3]]).scalar(1.0),
        ]
    },
    ..BINARY
};

pub static SUB_SCALED: Op = Op {
    name: "sub_scaled",
    code: codes::SUB_SCALED,
    doc: "input - alpha other, element by element.",
    shape: |call| {
        (SUB.shape)(&Call { inputs: &call.inputs[..2], ..*call })?;
        fitting_alpha(call)
    },
    grad: Some(|_| vec![Grad(0), -(Grad(0) * Input(2)), -(Grad(0) * Input(1))]),
    expansion: Some(|call| vec![Input(0) - weighted(call, 1, 2)]),
    ..ADD_SCALED
};

/// Rows that only optimisers call, in place.
const STEP: Op = Op {
    promotion: Promotion::Common,
    shape: of_floats,
    kernel: |_| Ok(Kernel::Expansion),
    python: Python { in_place: true, ..Python::HIDDEN },
    ..BINARY
};

static DECAYED: [In; 4] = [operand("input"), operand("other"), operand("decay"), operand("weight")];

pub static DECAY_ADD: Op = Op {
    name: "decay_add",
    code: codes::DECAY_ADD,
    doc: "decay input + weight other, element by element.",
    inputs: &DECAYED,
    grad: Some(|_| {
        vec![Grad(0) * Input(2), Grad(0) * Input(3), Grad(0) * Input(0), Grad(0) * Input(1)]
    }),
    linear: Linear::Together(&[0, 1]),
    expansion: Some(|call| vec![weighted(call, 0, 2) + weighted(call, 1, 3)]),
    samples: || {
        vec![
            Sample::of(&[&[2, 3], &[2, 3]]).scalar(0.9).scalar(1.0),
            Sample::of(&[&[2, 3], &[3], &[], &[]]),
        ]
    },
    ..STEP
};

pub static DECAY_ADD_SQUARE: Op = Op {
    name: "decay_add_square",
    code: codes::DECAY_ADD_SQUARE,
    doc: "decay input + (1 - decay) other², element by element.",
    inputs: &[operand("input"), operand("other"), operand("decay")],
    grad: Some(|call| {
        let double = Input(1) + Input(1);
        let square = Input(1) * Input(1);
        vec![Grad(0) * Input(2), Grad(0) * rest(call) * double, Grad(0) * (Input(0) - square)]
    }),
    expansion: Some(|call| vec![Input(0) * Input(2) + Input(1) * Input(1) * rest(call)]),
    samples: || {
        vec![Sample::of(&[&[2, 3], &[2, 3]]).scalar(0.9), Sample::of(&[&[2, 3], &[3], &[]])]
    },
    ..STEP
};

static STEPPED: [In; 6] = [
    operand("input"),
    operand("direction"),
    operand("square"),
    operand("size"),
    operand("scale"),
    operand("eps"),
];

pub static STEP_ALONG: Op = Op {
    name: "step_along",
    code: codes::STEP_ALONG,
    doc: "input - size direction / (√square / scale + eps), element by element.",
    inputs: &STEPPED,
    grad: Some(|call| {
        let (root, length) = (root(), length(call));
        let pulled = Grad(0) * Input(1) / length.clone();
        let sunk = pulled.clone() * Input(3) / length.clone();
        vec![
            Grad(0),
            -(Grad(0) * Input(3) / length),
            sunk.clone() / (root.clone() * Input(4) * 2.0),
            -pulled,
            -(sunk.clone() * root / Input(4) / Input(4)),
            sunk,
        ]
    }),
    expansion: Some(|call| {
        let moved = Input(1) / length(call);
        vec![Input(0) - if is_one(call, 3) { moved } else { moved * Input(3) }]
    }),
    domain: Domain::Positive,
    samples: || {
        vec![
            Sample::of(&[&[2, 3], &[2, 3], &[2, 3]]).scalar(0.5).scalar(1.0).scalar(0.25),
            Sample::of(&[&[2, 3], &[2, 3], &[2, 3], &[], &[]]).scalar(0.25),
        ]
    },
    ..STEP
};

static ADAPTED: [Output; 4] = [result("input"), result("mean"), result("square"), result("peak")];

static ADAPTING: [In; 11] = [
    operand("input"),
    operand("mean"),
    operand("square"),
    operand("peak"),
    operand("grad"),
    operand("size"),
    operand("scale"),
    operand("kept"),
    operand("weight"),
    operand("decay"),
    operand("eps"),
];

pub static AMSGRAD: Op = Op {
    name: "amsgrad",
    code: codes::AMSGRAD,
    doc: "As adam, along the largest squares so far.",
    inputs: &ADAPTING,
    outputs: &ADAPTED,
    shape: of_one_shape,
    expansion: Some(|call| {
        let (mean, square) = averages(4);
        let peak = Expr::apply(&MAXIMUM, [Input(3), square.clone()], []);
        vec![adapted(call, 4, &mean, &peak), mean, square, peak]
    }),
    domain: Domain::Positive,
    samples: || adapting(4),
    ..STEP
};

static ADAPTING_WITHOUT_PEAK: [In; 10] = [
    operand("input"),
    operand("mean"),
    operand("square"),
    operand("grad"),
    operand("size"),
    operand("scale"),
    operand("kept"),
    operand("weight"),
    operand("decay"),
    operand("eps"),
];

static ADAPTED_WITHOUT_PEAK: [Output; 3] = [result("input"), result("mean"), result("square")];

pub static ADAM: Op = Op {
    name: "adam",
    code: codes::ADAM,
    doc: "kept input - size mean / (√square / scale + eps), where mean and square, the averages of \
          grad and grad², have moved on by weight and by 1 - decay.",
    inputs: &ADAPTING_WITHOUT_PEAK,
    outputs: &ADAPTED_WITHOUT_PEAK,
    expansion: Some(|call| {
        let (mean, square) = averages(3);
        vec![adapted(call, 3, &mean, &square), mean, square]
    }),
    samples: || adapting(3),
    ..AMSGRAD
};

static MOVING: [In; 6] = [
    operand("input"),
    operand("buffer"),
    operand("grad"),
    operand("size"),
    operand("decay"),
    operand("weight"),
];

static MOVED: [Output; 2] = [result("input"), result("buffer")];

pub static MOMENTUM: Op = Op {
    name: "momentum",
    code: codes::MOMENTUM,
    doc: "input - size buffer, where buffer has become decay buffer + weight grad.",
    inputs: &MOVING,
    outputs: &MOVED,
    expansion: Some(|_| {
        let buffer = moved();
        vec![Expr::apply(&SUB_SCALED, [Input(0), buffer.clone(), Input(3)], []), buffer]
    }),
    domain: Domain::Real,
    samples: || {
        let numbers = |sample: Sample| sample.scalar(0.9).scalar(0.5);
        vec![
            numbers(Sample::of(&[&[2, 3], &[2, 3], &[2, 3]]).scalar(0.25)),
            numbers(Sample::of(&[&[2, 3], &[2, 3], &[2, 3], &[]])),
        ]
    },
    ..AMSGRAD
};

pub static NESTEROV: Op = Op {
    name: "nesterov",
    code: codes::NESTEROV,
    doc: "input - size (grad + decay buffer), where buffer has become decay buffer + weight grad.",
    expansion: Some(|_| {
        let buffer = moved();
        let ahead = Expr::apply(&ADD_SCALED, [Input(2), buffer.clone(), Input(4)], []);
        vec![Expr::apply(&SUB_SCALED, [Input(0), ahead, Input(3)], []), buffer]
    }),
    ..MOMENTUM
};

/// The momentum buffer after the step.
fn moved() -> Expr {
    Expr::apply(&DECAY_ADD, [Input(1), Input(2), Input(4), Input(5)], [])
}

/// The running averages of a gradient and of its square after the step; input `grad` is the
/// gradient.
fn averages(grad: usize) -> (Expr, Expr) {
    let (weight, decay) = (Input(grad + 4), Input(grad + 5));
    let mean = Expr::apply(&LERP, [Input(1), Input(grad), weight], []);
    let square = Expr::apply(&DECAY_ADD_SQUARE, [Input(2), Input(grad), decay], []);
    (mean, square)
}

/// The parameter after the step.
fn adapted(call: &Call, grad: usize, mean: &Expr, square: &Expr) -> Expr {
    let (size, scale, eps) = (Input(grad + 1), Input(grad + 2), Input(grad + 6));
    let kept = weighted(call, 0, grad + 3);
    Expr::apply(&STEP_ALONG, [kept, mean.clone(), square.clone(), size, scale, eps], [])
}

fn adapting(grad: usize) -> Vec<Sample> {
    let tensors: Vec<&[usize]> = vec![&[2, 3]; grad + 1];
    let weights: [&[usize]; 3] = [&[]; 3];
    let with_weights = [&tensors[..], &weights].concat();
    let numbers = |sample: Sample| sample.scalar(0.1).scalar(0.9).scalar(0.25);
    vec![
        numbers(Sample::of(&tensors).scalar(0.5).scalar(1.0).scalar(1.0)),
        numbers(Sample::of(&with_weights)),
    ]
}

fn root() -> Expr {
    Expr::apply(&SQRT, [Input(2)], [])
}

/// The denominator of a step.
fn length(call: &Call) -> Expr {
    let root = if is_one(call, 4) { root() } else { root() / Input(4) };
    root + Input(5)
}

/// An input times its weight, without the product for a weight of one.
fn weighted(call: &Call, input: usize, weight: usize) -> Expr {
    match call.inputs[weight] {
        // A bool counts every nonzero weight as true.
        Arg::Scalar(number) if is_of_truths(call) => {
            Input(input) * Number(Scalar::Bool(number.as_f64() != 0.0))
        }
        Arg::Scalar(number) if number.as_f64() == 1.0 => Input(input),
        _ => Input(input) * Input(weight),
    }
}

fn is_one(call: &Call, input: usize) -> bool {
    matches!(call.inputs[input], Arg::Scalar(number) if number.as_f64() == 1.0)
}

/// One minus the decay.
fn rest(call: &Call) -> Expr {
    match call.inputs[2] {
        Arg::Scalar(decay) => Expr::from(1.0 - decay.as_f64()),
        Arg::Tensor(_) => Expr::from(1.0) - Input(2),
    }
}

/// Whether both summands are bools.
fn is_of_truths(call: &Call) -> bool {
    call.inputs[..2].iter().all(|input| input.dtype() == DType::Bool)
}

/// The common dtype of the summands.
fn common_of_two(call: &Call, common: DType) -> DType {
    let added = Call { op: &ADD, inputs: &call.inputs[..2], attrs: &Attrs::none() };
    promote::promote(&added).unwrap_or(common)
}

fn fitting_alpha(call: &Call) -> Result<Shapes> {
    let kind = call.inputs[..2].iter().map(|input| input.dtype().kind()).max();
    match call.inputs[2] {
        Arg::Scalar(Scalar::Bool(_)) if !is_of_truths(call) => {
            Err(Error::runtime("'alpha' may be a bool only for tensors of bool"))
        }
        Arg::Scalar(Scalar::Float(_)) if kind < Some(crate::dtype::Kind::Float) => {
            Err(Error::runtime("for whole numbers, 'alpha' must not be a floating point number"))
        }
        _ => shape::broadcast(call),
    }
}

/// The results and the gradient must have one shape, to which weights broadcast.
fn of_one_shape(call: &Call) -> Result<Shapes> {
    let (shape, results) = (call.shape(0), call.op.outputs.len());
    for (input, spec) in call.inputs.iter().zip(call.op.inputs).take(results + 1) {
        if input.shape() != shape {
            let (name, found) = (spec.name, input.shape());
            return Err(Error::runtime(format!("'{name}' has the shape {found}, not {shape}")));
        }
    }
    match of_floats(call)?.first() {
        Some(common) if common == shape => {
            Ok(std::iter::repeat_n(shape.clone(), results).collect())
        }
        _ => Err(Error::runtime(format!("a weight does not fit into the shape {shape}"))),
    }
}

fn of_floats(call: &Call) -> Result<Shapes> {
    match call.inputs[0].dtype() {
        dtype if dtype.is_float() => shape::broadcast(call),
        dtype => Err(Error::runtime(format!("not implemented for {dtype}"))),
    }
}
