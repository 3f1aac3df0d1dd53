//! GRU steps as one instruction, and their gradient as another.

use super::recurrent::{KEPT, Sizes, apply, by_batch, cat};
use crate::expr::Expr::{self, Grad, Input, Output as Out};
use crate::op::{Autocast, Call, Op, Python, Sample};
use crate::ops::codes;
use crate::ops::elementwise::activation::SIGMOID;
use crate::ops::elementwise::trigonometry::TANH;
use crate::ops::family::{COMPOSITE, operand, result};
use crate::ops::product::matmul::matmul;
use crate::ops::reduce::sum::sum;
use crate::ops::shape::axes::{reshape, transpose};
use crate::ops::shape::slice::slice;
use crate::shape::Shape;
use crate::whole::Whole;

/// The number of gates: reset, update, new.
const GATES: usize = 3;

/// The sizes of a GRU.
type Gru = Sizes<GATES>;

pub static GRU_STEPS: Op = Op {
    name: "gru_steps",
    code: codes::GRU_STEPS,
    doc: "Up to 64 steps of a GRU, or a single one, from the products of their inputs with the \
          input weights: the hidden states, and of each step its three gates and the product that \
          is reset.",
    inputs: &[operand("input"), operand("weight"), operand("bias"), operand("hidden")],
    outputs: &[result("hidden"), result("gates")],
    shape: |call| {
        let sizes = Gru::of(call, 0)?;
        sizes.expect(call, 1, &[GATES * sizes.hidden, sizes.hidden])?;
        sizes.expect(call, 2, &[GATES * sizes.hidden])?;
        sizes.expect(call, 3, &[sizes.batch, sizes.hidden])?;
        Ok([sizes.states(), sizes.gates()].into_iter().collect())
    },
    grad: Some(|call| {
        let Ok(sizes) = Gru::of(call, 0) else { return Vec::new() };
        let inputs = [Grad(0), Grad(1), Input(1), Out(1), Out(0), Input(3)];
        let back = Expr::apply(&GRU_STEPS_BACKWARD, inputs, []);
        // One product for all steps: the gradients of the gates with the preceding states.
        let first = reshape(Input(3), &[1, sizes.batch, sizes.hidden].into());
        let before = match sizes.steps {
            1 => first,
            steps => cat([first, slice(Out(0), sizes.ranges(0, steps - 1))], 0),
        };
        let rows = sizes.steps * sizes.batch;
        let before = reshape(before, &[rows, sizes.hidden].into());
        let products = reshape(back.clone().result(1), &[rows, GATES * sizes.hidden].into());
        let bias = sum(products.clone(), &[0], false);
        let weight = matmul(transpose(products, 2), before);
        vec![back.clone(), weight, bias, back.result(2)]
    }),
    shard: |call| {
        let batch = [Gru::of(call, 0).map_or(1, Gru::batch_axis)];
        by_batch(call, &[&batch, &[], &[], &[0]], &[&batch, &[2]])
    },
    expansion: Some(gru_steps),
    whole: Some(|call| Ok(Whole::GruSteps(Gru::of(call, 0)?.in_one_piece()?))),
    autocast: Autocast::Lower,
    python: Python::FUNCTION,
    samples: || {
        let of = |steps: usize, batch: usize, hidden: usize| {
            let products: &[usize] = &[steps, batch, GATES * hidden];
            let (weight, bias) = ([GATES * hidden, hidden], [GATES * hidden]);
            Sample::of(&[products, &weight, &bias, &[batch, hidden]])
        };
        let single = Sample::of(&[&[3, GATES * 2], &[GATES * 2, 2], &[GATES * 2], &[3, 2]]);
        vec![of(3, 4, 2), of(1, 3, 1), of(2, 1, 3), single]
    },
    ..COMPOSITE
};

/// It has no gradient formula: where a second derivative is needed, the expansion is recorded.
pub static GRU_STEPS_BACKWARD: Op = Op {
    name: "gru_steps_backward",
    code: codes::GRU_STEPS_BACKWARD,
    doc: "The gradients of steps of a GRU: by the products of the inputs, by those of the states, \
          and by the state before the first step.",
    inputs: &[
        operand("grad_hidden"),
        operand("grad_gates"),
        operand("weight"),
        operand("gates"),
        operand("hidden"),
        operand("first_hidden"),
    ],
    outputs: &[result("grad_input"), result("grad_products"), result("grad_hidden")],
    shape: |call| {
        let sizes = Gru::of_states(call, 0)?;
        let (states, gates) = (sizes.states(), sizes.gates());
        for (index, shape) in [(1, &gates), (3, &gates), (4, &states)] {
            sizes.expect(call, index, shape)?;
        }
        sizes.expect(call, 2, &[GATES * sizes.hidden, sizes.hidden])?;
        sizes.expect(call, 5, &[sizes.batch, sizes.hidden])?;
        let state = Shape::from([sizes.batch, sizes.hidden]);
        Ok([sizes.products(), sizes.products(), state].into_iter().collect())
    },
    shard: |call| {
        let batch = [Gru::of_states(call, 0).map_or(1, Gru::batch_axis)];
        let letters = [&batch[..], &[2], &[], &[2], &batch, &[0]];
        by_batch(call, &letters, &[&batch, &batch, &[0]])
    },
    expansion: Some(gru_steps_backward),
    whole: Some(|call| Ok(Whole::GruStepsGrad(Gru::of_states(call, 0)?.in_one_piece()?))),
    autocast: Autocast::Keep,
    python: Python::HIDDEN,
    samples: || {
        let of = |steps: usize, batch: usize, hidden: usize| {
            let (states, gates) = ([steps, batch, hidden], [steps, KEPT, batch, hidden]);
            let weight = [GATES * hidden, hidden];
            Sample::of(&[&states, &gates, &weight, &gates, &states, &[batch, hidden]])
        };
        let (state, gates): (&[usize], &[usize]) = (&[3, 2], &[1, KEPT, 3, 2]);
        let single = Sample::of(&[state, gates, &[GATES * 2, 2], gates, state, state]);
        // The gates of a sample are arbitrary numbers, whose effect grows from step to step.
        vec![of(2, 4, 2), of(1, 3, 1), single]
    },
    ..COMPOSITE
};

fn gru_steps(call: &Call) -> Vec<Expr> {
    let Ok(sizes) = Gru::of(call, 0) else { return Vec::new() };
    let weight = transpose(Input(1), 2);
    let mut hidden = Input(3);
    let (mut hiddens, mut gates) = (Vec::new(), Vec::new());
    for step in 0..sizes.steps {
        let given = sizes.product(Input(0), step);
        let products = matmul(hidden.clone(), weight.clone()) + Input(2);
        let both =
            |gate: usize| sizes.beside(given.clone(), gate) + sizes.beside(products.clone(), gate);
        let [reset, keep] = [0, 1].map(|gate| apply(&SIGMOID, both(gate)));
        let again = sizes.beside(products.clone(), 2);
        let new = apply(&TANH, sizes.beside(given.clone(), 2) + reset.clone() * again.clone());
        hidden = new.clone() + keep.clone() * (hidden - new.clone());
        hiddens.push(hidden.clone());
        gates.extend([reset, keep, new, again]);
    }
    vec![sizes.stacked(hiddens, &sizes.states()), sizes.stacked(gates, &sizes.gates())]
}

fn gru_steps_backward(call: &Call) -> Vec<Expr> {
    let Ok(sizes) = Gru::of_states(call, 0) else { return Vec::new() };
    let [weight, gates, states] = [Input(2), Input(3), Input(4)];
    // The derivative of a sigmoid, and of a hyperbolic tangent, from its value.
    let bent = |gate: Expr| gate.clone() * (Expr::from(1.0) - gate);
    let turned = |gate: Expr| Expr::from(1.0) - gate.clone() * gate;
    let (mut inputs, mut products) = (Vec::new(), Vec::new());
    // The gradient by the state after the current step, from the later steps.
    let mut after: Option<Expr> = None;
    for step in (0..sizes.steps).rev() {
        let [reset, keep, new, again] =
            [0, 1, 2, 3].map(|gate| sizes.gate(gates.clone(), step, gate));
        let arrived = |gate: usize| sizes.gate(Input(1), step, gate);
        let before = match step {
            0 => Input(5),
            _ => sizes.state(states.clone(), step - 1),
        };
        let mut hidden = sizes.state(Input(0), step);
        if let Some(later) = after {
            hidden = hidden + later;
        }
        let to_new =
            (hidden.clone() * (Expr::from(1.0) - keep.clone()) + arrived(2)) * turned(new.clone());
        let to_keep = (hidden.clone() * (before - new) + arrived(1)) * bent(keep.clone());
        let to_reset = (to_new.clone() * again + arrived(0)) * bent(reset.clone());
        let to_again = to_new.clone() * reset + arrived(3);
        let product = cat([to_reset.clone(), to_keep.clone(), to_again], 1);
        after = Some(hidden * keep + matmul(product.clone(), weight.clone()));
        let alone =
            |products: Expr| reshape(products, &[1, sizes.batch, GATES * sizes.hidden].into());
        inputs.push(alone(cat([to_reset, to_keep, to_new], 1)));
        products.push(alone(product));
    }
    let Some(hidden) = after else { return Vec::new() };
    let [inputs, products] = [inputs, products].map(|mut steps| {
        steps.reverse();
        reshape(cat(steps, 0), &sizes.products())
    });
    vec![inputs, products, hidden]
}
