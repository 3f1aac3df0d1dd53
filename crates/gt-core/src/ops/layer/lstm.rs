//! LSTM steps as one instruction, and their gradient as another.

use super::recurrent::{KEPT, Sizes, apply, by_batch, cat};
use crate::expr::Expr::{self, Grad, Input, Output as Out};
use crate::op::{Autocast, Call, Op, Python, Sample};
use crate::ops::codes;
use crate::ops::elementwise::activation::SIGMOID;
use crate::ops::elementwise::trigonometry::TANH;
use crate::ops::family::{COMPOSITE, operand, result};
use crate::ops::product::matmul::matmul;
use crate::ops::shape::axes::{reshape, transpose};
use crate::ops::shape::slice::slice;
use crate::shape::Shape;
use crate::whole::Whole;

/// The number of gates: input, forget, cell, output.
const GATES: usize = 4;

pub static LSTM_STEPS: Op = Op {
    name: "lstm_steps",
    code: codes::LSTM_STEPS,
    doc: "Up to 64 steps of an LSTM, or a single one, from the products of their inputs with the \
          input weights: the hidden states, the cell states, and the four gates of each step.",
    inputs: &[operand("input"), operand("weight"), operand("hidden"), operand("cell")],
    outputs: &[result("hidden"), result("cell"), result("gates")],
    shape: |call| {
        let sizes = Lstm::of(call, 0)?;
        sizes.expect(call, 1, &[GATES * sizes.hidden, sizes.hidden])?;
        sizes.expect(call, 2, &[sizes.batch, sizes.hidden])?;
        sizes.expect(call, 3, &[sizes.batch, sizes.hidden])?;
        Ok([sizes.states(), sizes.states(), sizes.gates()].into_iter().collect())
    },
    grad: Some(|call| {
        let Ok(sizes) = Lstm::of(call, 0) else { return Vec::new() };
        let inputs = [Grad(0), Grad(1), Grad(2), Input(1), Out(2), Out(1), Input(3)];
        let back = Expr::apply(&LSTM_STEPS_BACKWARD, inputs, []);
        // One product for all steps: the gradients of the gates with the preceding states.
        let first = reshape(Input(2), &[1, sizes.batch, sizes.hidden].into());
        let before = match sizes.steps {
            1 => first,
            steps => cat([first, slice(Out(0), sizes.ranges(0, steps - 1))], 0),
        };
        let rows = sizes.steps * sizes.batch;
        let before = reshape(before, &[rows, sizes.hidden].into());
        let products = reshape(back.clone(), &[rows, GATES * sizes.hidden].into());
        let weight = matmul(transpose(products, 2), before);
        vec![back.clone(), weight, back.clone().result(1), back.result(2)]
    }),
    shard: |call| {
        let batch = [Lstm::of(call, 0).map_or(1, Lstm::batch_axis)];
        by_batch(call, &[&batch, &[], &[0], &[0]], &[&batch, &batch, &[2]])
    },
    expansion: Some(lstm_steps),
    whole: Some(|call| Ok(Whole::LstmSteps(Lstm::of(call, 0)?.in_one_piece()?))),
    autocast: Autocast::Lower,
    python: Python::FUNCTION,
    samples: || {
        let of = |steps: usize, batch: usize, hidden: usize| {
            let state: &[usize] = &[batch, hidden];
            let products: &[usize] = &[steps, batch, GATES * hidden];
            Sample::of(&[products, &[GATES * hidden, hidden], state, state])
        };
        let single = Sample::of(&[&[3, GATES * 2], &[GATES * 2, 2], &[3, 2], &[3, 2]]);
        vec![of(3, 4, 2), of(1, 3, 1), of(2, 1, 3), single]
    },
    ..COMPOSITE
};

/// It has no gradient formula: where a second derivative is needed, the expansion is recorded.
pub static LSTM_STEPS_BACKWARD: Op = Op {
    name: "lstm_steps_backward",
    code: codes::LSTM_STEPS_BACKWARD,
    doc: "The gradients of steps of an LSTM: by the products of the inputs, and by the states \
          before the first step.",
    inputs: &[
        operand("grad_hidden"),
        operand("grad_cell"),
        operand("grad_gates"),
        operand("weight"),
        operand("gates"),
        operand("cell"),
        operand("first_cell"),
    ],
    outputs: &[result("grad_input"), result("grad_hidden"), result("grad_cell")],
    shape: |call| {
        let sizes = Lstm::of_states(call, 0)?;
        let states = sizes.states();
        for (index, shape) in [(1, &states), (2, &sizes.gates()), (4, &sizes.gates()), (5, &states)]
        {
            sizes.expect(call, index, shape)?;
        }
        sizes.expect(call, 3, &[GATES * sizes.hidden, sizes.hidden])?;
        sizes.expect(call, 6, &[sizes.batch, sizes.hidden])?;
        let state = Shape::from([sizes.batch, sizes.hidden]);
        Ok([sizes.products(), state.clone(), state].into_iter().collect())
    },
    shard: |call| {
        let batch = [Lstm::of_states(call, 0).map_or(1, Lstm::batch_axis)];
        let letters = [&batch[..], &batch, &[2], &[], &[2], &batch, &[0]];
        by_batch(call, &letters, &[&batch, &[0], &[0]])
    },
    expansion: Some(lstm_steps_backward),
    whole: Some(|call| Ok(Whole::LstmStepsGrad(Lstm::of_states(call, 0)?.in_one_piece()?))),
    autocast: Autocast::Keep,
    python: Python::HIDDEN,
    samples: || {
        let of = |steps: usize, batch: usize, hidden: usize| {
            let (states, gates) = ([steps, batch, hidden], [steps, GATES, batch, hidden]);
            let weight = [GATES * hidden, hidden];
            Sample::of(&[&states, &states, &gates, &weight, &gates, &states, &[batch, hidden]])
        };
        let (state, gates): (&[usize], &[usize]) = (&[3, 2], &[1, KEPT, 3, 2]);
        let single = Sample::of(&[state, state, gates, &[GATES * 2, 2], gates, state, state]);
        vec![of(3, 4, 2), of(1, 3, 1), single]
    },
    ..COMPOSITE
};

/// The sizes of an LSTM.
type Lstm = Sizes<GATES>;

fn lstm_steps(call: &Call) -> Vec<Expr> {
    let Ok(sizes) = Lstm::of(call, 0) else { return Vec::new() };
    let weight = transpose(Input(1), 2);
    let (mut hidden, mut cell) = (Input(2), Input(3));
    let (mut hiddens, mut cells, mut gates) = (Vec::new(), Vec::new(), Vec::new());
    for step in 0..sizes.steps {
        let products = sizes.product(Input(0), step) + matmul(hidden, weight.clone());
        let [enter, keep, new, leave] = [(0, &SIGMOID), (1, &SIGMOID), (2, &TANH), (3, &SIGMOID)]
            .map(|(gate, op)| apply(op, sizes.beside(products.clone(), gate)));
        cell = keep.clone() * cell + enter.clone() * new.clone();
        hidden = leave.clone() * apply(&TANH, cell.clone());
        hiddens.push(hidden.clone());
        cells.push(cell.clone());
        gates.extend([enter, keep, new, leave]);
    }
    let states = sizes.states();
    vec![
        sizes.stacked(hiddens, &states),
        sizes.stacked(cells, &states),
        sizes.stacked(gates, &sizes.gates()),
    ]
}

fn lstm_steps_backward(call: &Call) -> Vec<Expr> {
    let Ok(sizes) = Lstm::of_states(call, 0) else { return Vec::new() };
    let [weight, gates, cells] = [Input(3), Input(4), Input(5)];
    // The derivative of a sigmoid, and of a hyperbolic tangent, from its value.
    let bent = |gate: Expr| gate.clone() * (Expr::from(1.0) - gate);
    let turned = |gate: Expr| Expr::from(1.0) - gate.clone() * gate;
    let mut products = Vec::new();
    // The gradients by the states after the current step, from the later steps.
    let mut after: Option<(Expr, Expr)> = None;
    for step in (0..sizes.steps).rev() {
        let [enter, keep, new, leave] =
            [0, 1, 2, 3].map(|gate| sizes.gate(gates.clone(), step, gate));
        let arrived = |gate: usize| sizes.gate(Input(2), step, gate);
        let before = match step {
            0 => Input(6),
            _ => sizes.state(cells.clone(), step - 1),
        };
        let (mut hidden, mut cell) = (sizes.state(Input(0), step), sizes.state(Input(1), step));
        if let Some((later_hidden, later_cell)) = after {
            (hidden, cell) = (hidden + later_hidden, cell + later_cell);
        }
        let seen = apply(&TANH, sizes.state(cells.clone(), step));
        cell = cell + hidden.clone() * leave.clone() * turned(seen.clone());
        let slopes = [
            (cell.clone() * new.clone() + arrived(0)) * bent(enter.clone()),
            (cell.clone() * before + arrived(1)) * bent(keep.clone()),
            (cell.clone() * enter + arrived(2)) * turned(new),
            (hidden * seen + arrived(3)) * bent(leave),
        ];
        let product = cat(slopes, 1);
        after = Some((matmul(product.clone(), weight.clone()), cell * keep));
        products.push(reshape(product, &[1, sizes.batch, GATES * sizes.hidden].into()));
    }
    products.reverse();
    let Some((hidden, cell)) = after else { return Vec::new() };
    vec![reshape(cat(products, 0), &sizes.products()), hidden, cell]
}
