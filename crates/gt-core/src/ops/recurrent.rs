//! Layers that read sequences step by step: some steps as one instruction, with their gradient as
//! another.

use super::codes;
use super::elementwise::{SIGMOID, TANH};
use super::family::COMPOSITE;
use super::matmul::matmul;
use super::movement::{CAT, reshape, slice, transpose};
use crate::attrs::{Attr, Range};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output as Out};
use crate::op::{
    Autocast, Call, Input as In, Op, Output, OutputType, Python, Role, Sample, Shapes,
};
use crate::rules::shard::{Factors, Letters};
use crate::shape::Shape;
use crate::whole::{Steps, Whole};

/// So many steps are one instruction at most: an expansion is as deep as there are steps.
pub const MOST_STEPS: usize = 64;

/// How many gates a step of an LSTM has: what enters, what is kept, what is new, what leaves.
const GATES: usize = 4;

const fn operand(name: &'static str) -> In {
    In { name, role: Role::Operand }
}

const fn common(name: &'static str) -> Output {
    Output { name, dtype: OutputType::Common }
}

pub static LSTM_STEPS: Op = Op {
    name: "lstm_steps",
    code: codes::LSTM_STEPS,
    doc: "Up to 64 steps of an LSTM, from the products of their inputs with the input weights: \
          the hidden states, the cell states, and the four gates of each step.",
    inputs: &[operand("input"), operand("weight"), operand("hidden"), operand("cell")],
    outputs: &[common("hidden"), common("cell"), common("gates")],
    shape: |call| {
        let sizes = Sizes::of(call, 0)?;
        sizes.expect(call, 1, &[GATES * sizes.hidden, sizes.hidden])?;
        sizes.expect(call, 2, &[sizes.batch, sizes.hidden])?;
        sizes.expect(call, 3, &[sizes.batch, sizes.hidden])?;
        Ok([sizes.states(), sizes.states(), sizes.gates()].into_iter().collect())
    },
    grad: Some(|call| {
        let Ok(sizes) = Sizes::of(call, 0) else { return Vec::new() };
        let inputs = [Grad(0), Grad(1), Grad(2), Input(1), Out(2), Out(1), Input(3)];
        let back = Expr::apply(&LSTM_STEPS_BACKWARD, inputs, []);
        // All steps at once: the products of the gates' gradients with the states before them.
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
        let letters = [&[1][..], &[], &[0], &[0]];
        by_batch(call, &letters, &[&[1], &[1], &[2]])
    },
    expansion: Some(lstm_steps),
    whole: Some(|call| Ok(Whole::LstmSteps(Sizes::of(call, 0)?.in_one_piece()?))),
    autocast: Autocast::Lower,
    python: Python::FUNCTION,
    samples: || {
        let of = |steps: usize, batch: usize, hidden: usize| {
            let state: &[usize] = &[batch, hidden];
            let products: &[usize] = &[steps, batch, GATES * hidden];
            Sample::of(&[products, &[GATES * hidden, hidden], state, state])
        };
        vec![of(3, 4, 2), of(1, 3, 1), of(2, 1, 3)]
    },
    ..COMPOSITE
};

/// No gradient flows through it: where one is wanted, the expansion is recorded instead.
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
    outputs: &[common("grad_input"), common("grad_hidden"), common("grad_cell")],
    shape: |call| {
        let sizes = Sizes::of_states(call, 0)?;
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
        let letters = [&[1][..], &[1], &[2], &[], &[2], &[1], &[0]];
        by_batch(call, &letters, &[&[1], &[0], &[0]])
    },
    expansion: Some(lstm_steps_backward),
    whole: Some(|call| Ok(Whole::LstmStepsGrad(Sizes::of_states(call, 0)?.in_one_piece()?))),
    autocast: Autocast::Keep,
    python: Python::HIDDEN,
    samples: || {
        let of = |steps: usize, batch: usize, hidden: usize| {
            let (states, gates) = ([steps, batch, hidden], [steps, GATES, batch, hidden]);
            let weight = [GATES * hidden, hidden];
            Sample::of(&[&states, &states, &gates, &weight, &gates, &states, &[batch, hidden]])
        };
        vec![of(3, 4, 2), of(1, 3, 1)]
    },
    ..COMPOSITE
};

/// How long, wide and deep a piece of a sequence is.
#[derive(Clone, Copy)]
struct Sizes {
    steps: usize,
    batch: usize,
    hidden: usize,
}

impl Sizes {
    /// Those of a call whose input `index` has the products for all gates of each step.
    fn of(call: &Call, index: usize) -> Result<Self> {
        let shape = call.shape(index);
        let &[steps, batch, products] = &**shape else {
            return Err(Error::runtime(format!("expected steps, batch and products, not {shape}")));
        };
        if products % GATES != 0 {
            return Err(Error::runtime(format!("{products} products are not those of four gates")));
        }
        Sizes { steps, batch, hidden: products / GATES }.checked()
    }

    /// Those of a call whose input `index` has the state after each step.
    fn of_states(call: &Call, index: usize) -> Result<Self> {
        let shape = call.shape(index);
        let &[steps, batch, hidden] = &**shape else {
            return Err(Error::runtime(format!("expected steps, batch and states, not {shape}")));
        };
        Sizes { steps, batch, hidden }.checked()
    }

    fn checked(self) -> Result<Self> {
        let steps = self.steps;
        if !(1..=MOST_STEPS).contains(&steps) {
            return Err(Error::runtime(format!(
                "{steps} steps, where one to {MOST_STEPS} are possible; give longer sequences in \
                 parts"
            )));
        }
        Ok(self)
    }

    /// The same for an engine that computes all of them at once.
    fn in_one_piece(self) -> Result<Steps> {
        let Sizes { steps, batch, hidden } = self;
        if batch * hidden == 0 {
            return Err(Error::runtime("there is nothing to compute"));
        }
        Ok(Steps { steps, batch, hidden })
    }

    fn expect(self, call: &Call, index: usize, expected: &[usize]) -> Result<()> {
        let (found, expected) = (call.shape(index), Shape::from(expected));
        if *found == expected {
            return Ok(());
        }
        let name = call.op.input(index).name;
        Err(Error::runtime(format!("{name} has shape {found}, expected {expected}")))
    }

    fn states(self) -> Shape {
        [self.steps, self.batch, self.hidden].into()
    }

    fn products(self) -> Shape {
        [self.steps, self.batch, GATES * self.hidden].into()
    }

    fn gates(self) -> Shape {
        [self.steps, GATES, self.batch, self.hidden].into()
    }

    /// Some steps of states.
    fn ranges(self, start: usize, len: usize) -> Vec<Range> {
        let all = [self.batch, self.hidden].map(Range::all);
        [Range { start, len, step: 1 }].into_iter().chain(all).collect()
    }

    /// The state of one step.
    fn state(self, states: Expr, step: usize) -> Expr {
        reshape(slice(states, self.ranges(step, 1)), &[self.batch, self.hidden].into())
    }

    /// The products of one step.
    fn product(self, products: Expr, step: usize) -> Expr {
        let width = GATES * self.hidden;
        let step = Range { start: step, len: 1, step: 1 };
        let one = slice(products, vec![step, Range::all(self.batch), Range::all(width)]);
        reshape(one, &[self.batch, width].into())
    }

    /// One gate of a step, of gates that stand side by side.
    fn beside(self, products: Expr, gate: usize) -> Expr {
        let columns = Range { start: gate * self.hidden, len: self.hidden, step: 1 };
        slice(products, vec![Range::all(self.batch), columns])
    }

    /// One gate of a step, of the gates of all steps.
    fn gate(self, gates: Expr, step: usize, gate: usize) -> Expr {
        let [step, gate] = [step, gate].map(|start| Range { start, len: 1, step: 1 });
        let ranges = vec![step, gate, Range::all(self.batch), Range::all(self.hidden)];
        reshape(slice(gates, ranges), &[self.batch, self.hidden].into())
    }

    /// Matrices of one shape, one after another.
    fn stacked(self, matrices: Vec<Expr>, shape: &Shape) -> Expr {
        let alone = |matrix: Expr| reshape(matrix, &[1, self.batch, self.hidden].into());
        reshape(cat(matrices.into_iter().map(alone), 0), shape)
    }
}

fn cat(inputs: impl IntoIterator<Item = Expr>, axis: usize) -> Expr {
    Expr::apply(&CAT, inputs, [Attr::from(axis)])
}

fn apply(op: &'static Op, input: Expr) -> Expr {
    Expr::apply(op, [input], [])
}

fn lstm_steps(call: &Call) -> Vec<Expr> {
    let Ok(sizes) = Sizes::of(call, 0) else { return Vec::new() };
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
    let Ok(sizes) = Sizes::of_states(call, 0) else { return Vec::new() };
    let [weight, gates, cells] = [Input(3), Input(4), Input(5)];
    // The slope of a sigmoid, and of a hyperbolic tangent, where it has this value.
    let bent = |gate: Expr| gate.clone() * (Expr::from(1.0) - gate);
    let turned = |gate: Expr| Expr::from(1.0) - gate.clone() * gate;
    let mut products = Vec::new();
    // The gradients by the states after the step at hand, from the steps after it.
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

/// Only the batch may be cut: steps follow one another, and each needs all of the hidden state.
fn by_batch(call: &Call, inputs: &[&[usize]], outputs: &[&[usize]]) -> Factors {
    let Ok(shapes): Result<Shapes> = (call.op.shape)(call) else {
        return crate::rules::shard::gather_first(call);
    };
    let letters = |rank: usize, batch: &[usize]| -> Letters {
        (0..rank).map(|axis| batch.contains(&axis).then_some(0)).collect()
    };
    let own = inputs.iter().enumerate().map(|(at, batch)| letters(call.shape(at).rank(), batch));
    let made = outputs.iter().zip(&shapes).map(|(batch, shape)| letters(shape.rank(), batch));
    Factors::of(call, own.collect(), made.collect())
}
