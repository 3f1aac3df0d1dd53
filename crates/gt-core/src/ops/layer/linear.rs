//! The linear layer as one instruction instead of three. Its gradients are matrix products for any
//! number of input axes, and the weight's gradient has the weight's own element order.

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input};
use crate::op::{Autocast, Call, Input as In, Linear, Op, Python, Role, Sample, Shapes};
use crate::ops::codes;
use crate::ops::family::COMPOSITE;
use crate::ops::product::matmul::{CONTRACTED, matmul, of_one_dtype};
use crate::ops::reduce::sum::sum;
use crate::ops::shape::axes::{reshape, transpose};
use crate::placement::Combine;
use crate::rules::promote::Promotion;
use crate::rules::shard::{Factors, Letters, numbered};
use crate::shape::Shape;

static INPUTS: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "weight", role: Role::Operand },
    In { name: "bias", role: Role::Operand },
];
static WITHOUT_BIAS: [In; 2] =
    [In { name: "input", role: Role::Operand }, In { name: "weight", role: Role::Operand }];

/// The letter of the output features.
const FEATURES: u8 = 101;

pub static LINEAR: Op = Op {
    name: "linear",
    code: codes::LINEAR,
    doc: "input @ weight.T + bias, for a matrix and a vector.",
    inputs: &INPUTS,
    shape: |call| {
        let result = product_shape(call)?;
        let (bias, features) = (call.shape(2), call.shape(1)[0]);
        match **bias == [features] {
            true => Ok(result),
            false => Err(Error::runtime(format!("expected a bias of [{features}], got {bias}"))),
        }
    },
    promotion: Promotion::Common,
    grad: Some(|call| {
        let mut gradients = product_gradients(call);
        gradients.push(sum(rows_of(Grad(0), &result_shape(call)), &[0], false));
        gradients
    }),
    linear: Linear::Together(&[0, 2]),
    shard: |call| {
        let bias: Letters = [Some(FEATURES)].into_iter().collect();
        factors(call, [bias]).adding(2, [CONTRACTED])
    },
    expansion: Some(|call| vec![product(call) + Input(2)]),
    autocast: Autocast::Lower,
    torch: "torch.nn.functional.linear",
    python: Python::FUNCTION,
    samples: || {
        vec![
            Sample::of(&[&[3, 4], &[2, 4], &[2]]),
            Sample::of(&[&[2, 5, 3], &[4, 3], &[4]]),
            Sample::of(&[&[4], &[3, 4], &[3]]),
            Sample::of(&[&[2, 0], &[3, 0], &[3]]),
            Sample::of(&[&[0, 3], &[2, 3], &[2]]),
        ]
    },
    ..COMPOSITE
};

pub static LINEAR_WITHOUT_BIAS: Op = Op {
    name: "linear_without_bias",
    code: codes::LINEAR_WITHOUT_BIAS,
    doc: "input @ weight.T, for a matrix.",
    inputs: &WITHOUT_BIAS,
    shape: product_shape,
    grad: Some(product_gradients),
    linear: Linear::Each(&[0, 1]),
    shard: |call| factors(call, []),
    expansion: Some(|call| vec![product(call)]),
    samples: || {
        vec![
            Sample::of(&[&[3, 4], &[2, 4]]),
            Sample::of(&[&[2, 5, 3], &[4, 3]]),
            Sample::of(&[&[4], &[3, 4]]),
            Sample::of(&[&[2, 0], &[3, 0]]),
        ]
    },
    ..LINEAR
};

fn product_shape(call: &Call) -> Result<Shapes> {
    if call.inputs.iter().all(|input| input.dtype() == DType::Bool) {
        return Err(Error::runtime("bool tensors have no products; cast one of them first"));
    }
    of_one_dtype(call)?;
    let (input, weight) = (call.shape(0), call.shape(1));
    let (Some((&size, lead)), &[features, inner]) = (input.split_last(), &**weight) else {
        return Err(Error::runtime(format!(
            "expected an input with at least one dimension and a weight with two, got {input} and \
             {weight}"
        )));
    };
    if size != inner {
        return Err(Error::runtime(format!(
            "expected {inner} features in the last dimension of the input, got {size} (input \
             {input}, weight {weight})"
        )));
    }
    Ok([lead.iter().copied().chain([features]).collect()].into())
}

fn result_shape(call: &Call) -> Shape {
    product_shape(call).map(|shapes| shapes[0].clone()).unwrap_or_default()
}

/// A tensor as a matrix whose rows are its last axis.
fn rows_of(expr: Expr, shape: &Shape) -> Expr {
    let Some((&size, lead)) = shape.split_last() else { return expr };
    match lead.len() {
        1 => expr,
        _ => reshape(expr, &[lead.iter().product(), size].into()),
    }
}

fn product(call: &Call) -> Expr {
    let product = matmul(rows_of(Input(0), call.shape(0)), transpose(Input(1), 2));
    match call.shape(0).rank() {
        2 => product,
        _ => reshape(product, &result_shape(call)),
    }
}

fn product_gradients(call: &Call) -> Vec<Expr> {
    let grad = rows_of(Grad(0), &result_shape(call));
    let for_input = matmul(grad.clone(), Input(1));
    let for_weight = matmul(transpose(grad, 2), rows_of(Input(0), call.shape(0)));
    let for_input = match call.shape(0).rank() {
        2 => for_input,
        _ => reshape(for_input, call.shape(0)),
    };
    vec![for_input, for_weight]
}

/// `(b k), (j k), (j) -> (b j)`: a cut inner axis gives partial sums, to one of which the bias is
/// added.
fn factors<const N: usize>(call: &Call, added: [Letters; N]) -> Factors {
    let lead = call.shape(0).rank().saturating_sub(1);
    let ending = |letter: u8| numbered(lead).into_iter().chain([Some(letter)]).collect();
    let weight = [Some(FEATURES), Some(CONTRACTED)].into_iter().collect();
    let inputs = [ending(CONTRACTED), weight].into_iter().chain(added).collect();
    Factors::of(call, inputs, vec![ending(FEATURES)]).combining([(CONTRACTED, Combine::Sum)])
}
