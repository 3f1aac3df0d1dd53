//! Steps of an LSTM or a GRU in one piece. Rows of a batch do not know of each other, so that each
//! thread takes some of them through all steps, and no bit depends on who computes with whom.

mod gru;

use gt_core::error::Result;
use gt_core::shape::Meta;
use gt_core::whole::Steps;
use gt_worker::engine::Results;
use gt_worker::value::Value;
use smallvec::smallvec;

use super::lanes::Vectors;
use super::matmul::block::{self, Matrix};
use super::number::Float;
use super::simd::vectorized;
use super::tile::Shared;
use super::{Native, matvec, movement};

pub(super) use gru::{gru, gru_grad};

/// How many gates a step of an LSTM has: what enters, what is kept, what is new, what leaves.
const GATES: usize = 4;
/// At most so many rows of a batch go through the steps together: the weights are read once for
/// all of them at each step.
const ROWS: usize = 24;
/// At least so many, unless there are fewer: a tile of a product.
const LEAST_ROWS: usize = 8;

/// Hidden states, cell states and gates of all steps; see [`gt_core::whole::Whole::LstmSteps`].
pub(super) fn lstm<T: Vectors>(
    native: &Native,
    sizes: Steps,
    [given, weight, hidden, cell]: [&Value; 4],
    outputs: [&Meta; 3],
) -> Result<Results> {
    let Steps { steps, batch, hidden: size } = sizes;
    let (weight, is_turned) = turned(native, sizes, weight)?;
    let [given, hidden, cell] = whole(native, [given, hidden, cell])?;
    let ([hiddens, cells, gates], [to_hidden, to_cell, to_gates]) =
        results::<T, 3>(native, outputs)?;
    let [given, weight, hidden, cell] = [&given, &weight, &hidden, &cell].map(numbers::<T>);
    for_rows(native, batch, |first, rows| {
        for step in 0..steps {
            let state = |row: usize| (step * batch + row) * size;
            let gate = |gate: usize, row: usize| ((step * GATES + gate) * batch + row) * size;
            let before = match step {
                0 => hidden[first * size..].as_ptr(),
                // SAFETY: the step before has written them, in this task.
                _ => unsafe { to_hidden.get().add(state(first) - batch * size) }.cast_const(),
            };
            for number in 0..GATES {
                let to = to_gates.get().wrapping_add(gate(number, first));
                let to = Shared(to);
                // SAFETY: the states before have these rows, and nobody else has these gates.
                unsafe { products(before, (weight, number, is_turned), to, [rows, size]) };
            }
            for row in first..first + rows {
                // SAFETY: the results have these places, and nobody else has them.
                unsafe {
                    let before = match step {
                        0 => &cell[row * size..][..size],
                        _ => part(to_cell, state(row) - batch * size, size),
                    };
                    let given = &given[(step * batch + row) * GATES * size..][..GATES * size];
                    let gates = [0, 1, 2, 3].map(|number| part(to_gates, gate(number, row), size));
                    let states = [to_hidden, to_cell].map(|to| part(to, state(row), size));
                    forward(given, before, gates, states);
                }
            }
        }
    });
    Ok(smallvec![hiddens, cells, gates])
}

/// The gradients by the products and by the first states; see
/// [`gt_core::whole::Whole::LstmStepsGrad`].
pub(super) fn lstm_grad<T: Vectors>(
    native: &Native,
    sizes: Steps,
    inputs: [&Value; 7],
    outputs: [&Meta; 3],
) -> Result<Results> {
    let Steps { steps, batch, hidden: size } = sizes;
    let inputs = whole(native, inputs)?;
    let ([products, hidden, cell], [to_products, to_hidden, to_cell]) =
        results::<T, 3>(native, outputs)?;
    let [by_hidden, by_cell, by_gates, weight, gates, cells, first_cell] =
        inputs.each_ref().map(numbers::<T>);
    for_rows(native, batch, |first, rows| {
        for to in [to_hidden, to_cell] {
            // SAFETY: the results have these rows, and nobody else has them, here and below.
            unsafe { part(to, first * size, rows * size).fill(T::ZERO) };
        }
        for step in (0..steps).rev() {
            for row in first..first + rows {
                let state = (step * batch + row) * size;
                let gate = |gate: usize| ((step * GATES + gate) * batch + row) * size;
                let before = match step {
                    0 => &first_cell[row * size..][..size],
                    _ => &cells[state - batch * size..][..size],
                };
                let given = Given {
                    states: [&by_hidden[state..][..size], &by_cell[state..][..size]],
                    arrived: [0, 1, 2, 3].map(|number| &by_gates[gate(number)..][..size]),
                    gates: [0, 1, 2, 3].map(|number| &gates[gate(number)..][..size]),
                    cells: [before, &cells[state..][..size]],
                };
                // SAFETY: as above.
                unsafe {
                    let later = [to_hidden, to_cell].map(|to| part(to, row * size, size));
                    let out = part(to_products, state * GATES, GATES * size);
                    backward(given, later, out);
                }
            }
            let from = (step * batch + first) * GATES * size;
            // SAFETY: the products of these rows are written, and the states after this step were
            // read.
            unsafe {
                let start = to_products.get().add(from).cast_const();
                let left = Matrix { start, steps: [(GATES * size) as isize, 1] };
                let right = Matrix { start: weight.as_ptr(), steps: [size as isize, 1] };
                let out = to_hidden.get().add(first * size);
                block::product([rows, GATES * size, size], [left, right], out, size);
            }
        }
    });
    Ok(smallvec![products, hidden, cell])
}

/// Products of rows of states with the weights of gate `number`. These lie as they were given, or
/// turned around, so that a product of many rows reads them in order.
///
/// # Safety
/// The states and the result have so many rows of so many numbers, and nobody else has the result.
unsafe fn products<T: Vectors>(
    states: *const T,
    (weight, number, is_turned): (&[T], usize, bool),
    to: Shared<T>,
    [rows, size]: [usize; 2],
) {
    if is_turned {
        let start = weight[number * size..].as_ptr();
        let left = Matrix { start: states, steps: [size as isize, 1] };
        let right = Matrix { start, steps: [(weight.len() / size) as isize, 1] };
        // SAFETY: as promised by the caller, here and below.
        return unsafe { block::product([rows, size, size], [left, right], to.get(), size) };
    }
    let start = weight[number * size * size..].as_ptr();
    let matrix = matvec::Matrix { start, inner: size, steps: [size as isize, 1] };
    for row in 0..rows {
        // SAFETY: as above.
        unsafe {
            let state = std::slice::from_raw_parts(states.add(row * size), size);
            matrix.times(state, 0, part(to, row * size, size));
        }
    }
}

/// The weights as [`products`] reads them, and whether they are turned around: that is worth a copy
/// for many rows.
fn turned(native: &Native, sizes: Steps, weight: &Value) -> Result<(Value, bool)> {
    let is_turned = sizes.steps * sizes.batch >= LEAST_ROWS;
    let order: &[usize] = if is_turned { &[1, 0] } else { &[0, 1] };
    let weight = movement::permute(order, weight.clone());
    Ok((movement::contiguous(native, &weight)?, is_turned))
}

/// Calls `each` for some rows at a time: which is the first, and how many.
fn for_rows(native: &Native, batch: usize, each: impl Fn(usize, usize) + Sync) {
    let together = batch.div_ceil(native.threads.count()).clamp(LEAST_ROWS, ROWS);
    native.threads.share(batch.div_ceil(together), |task| {
        let first = task * together;
        each(first, together.min(batch - first));
    });
}

/// Values whose elements lie one after another.
fn whole<const N: usize>(native: &Native, values: [&Value; N]) -> Result<[Value; N]> {
    let mut made = values.map(Value::clone);
    for value in &mut made {
        *value = movement::contiguous(native, value)?;
    }
    Ok(made)
}

/// Memory for results, and where each begins.
pub(super) fn results<T, const N: usize>(
    native: &Native,
    metas: [&Meta; N],
) -> Result<([Value; N], [Shared<T>; N])> {
    let mut made: Vec<(Value, Shared<T>)> = Vec::with_capacity(N);
    for meta in metas {
        let (value, writer) = native.output(meta)?;
        made.push((value, Shared(writer.start.get().cast())));
    }
    let starts = std::array::from_fn(|index| made[index].1);
    let mut values = made.into_iter().map(|(value, _)| value);
    Ok((std::array::from_fn(|_| values.next().expect("one for each")), starts))
}

/// The elements of a value that lie one after another.
pub(super) fn numbers<T>(value: &Value) -> &[T] {
    // SAFETY: the caller has values of this dtype, one element after another.
    unsafe { std::slice::from_raw_parts(value.as_ptr().cast(), value.count()) }
}

/// A part of a result.
///
/// # Safety
/// The result has so many numbers there, and nobody else has them.
pub(super) unsafe fn part<'a, T>(of: Shared<T>, at: usize, len: usize) -> &'a mut [T] {
    // SAFETY: as promised by the caller.
    unsafe { std::slice::from_raw_parts_mut(of.get().add(at), len) }
}

vectorized! {
    /// One row of a step: gates, which hold the products of the state before, and states.
    fn forward<T: Float>(given: &[T], before: &[T], gates: [&mut [T]; 4], states: [&mut [T]; 2]) {
        let size = before.len();
        let [enter, keep, new, leave] = gates.map(|gate| &mut gate[..size]);
        let [hidden, cell] = states.map(|state| &mut state[..size]);
        let (entering, rest) = given.split_at(size);
        let (keeping, rest) = rest.split_at(size);
        let (coming, leaving) = rest.split_at(size);
        bend(entering, enter, T::sigmoid);
        bend(keeping, keep, T::sigmoid);
        bend(coming, new, T::tanh);
        bend(leaving, leave, T::sigmoid);
        for (at, &before) in before.iter().enumerate() {
            cell[at] = keep[at].times(before).plus(enter[at].times(new[at]));
        }
        for (at, &cell) in cell.iter().enumerate() {
            hidden[at] = leave[at].times(cell.tanh());
        }
    }
}

/// A function of the sums of what is given and what is there.
#[inline(always)]
fn bend<T: Float>(given: &[T], gate: &mut [T], function: impl Fn(T) -> T) {
    for (gate, &given) in gate.iter_mut().zip(given) {
        *gate = function(given.plus(*gate));
    }
}

/// What the gradient of one row of a step is made of.
#[derive(Clone, Copy)]
struct Given<'a, T> {
    /// The gradients that arrive at the hidden and at the cell state, and at each gate.
    states: [&'a [T]; 2],
    arrived: [&'a [T]; 4],
    gates: [&'a [T]; 4],
    /// The cell state before the step and after it.
    cells: [&'a [T]; 2],
}

vectorized! {
    /// One row of a step: `later` has the gradients by the states after it and gets that by the
    /// cell state before it; `out` gets those by the products.
    fn backward<T: Float>(given: Given<'_, T>, later: [&mut [T]; 2], out: &mut [T]) {
        let Given { states: [by_hidden, by_cell], arrived, gates, cells: [before, after] } = given;
        let ([enter, keep, new, leave], [later_hidden, later_cell]) = (gates, later);
        let size = before.len();
        let (arrived, [enter, keep, new, leave]) =
            (arrived.map(|by| &by[..size]), [enter, keep, new, leave].map(|gate| &gate[..size]));
        let [by_hidden, by_cell, after] = [by_hidden, by_cell, after].map(|state| &state[..size]);
        let [later_hidden, later_cell] =
            [later_hidden, later_cell].map(|later| &mut later[..size]);
        let (to_enter, rest) = out[..GATES * size].split_at_mut(size);
        let (to_keep, rest) = rest.split_at_mut(size);
        let (to_new, to_leave) = rest.split_at_mut(size);
        let to_leave = &mut to_leave[..size];
        let bent = |gate: T| gate.times(T::ONE.minus(gate));
        let turned = |gate: T| T::ONE.minus(gate.times(gate));
        for at in 0..size {
            let hidden = by_hidden[at].plus(later_hidden[at]);
            let seen = after[at].tanh();
            let through = hidden.times(leave[at]).times(turned(seen));
            let cell = by_cell[at].plus(later_cell[at]).plus(through);
            to_enter[at] = cell.times(new[at]).plus(arrived[0][at]).times(bent(enter[at]));
            to_keep[at] = cell.times(before[at]).plus(arrived[1][at]).times(bent(keep[at]));
            to_new[at] = cell.times(enter[at]).plus(arrived[2][at]).times(turned(new[at]));
            to_leave[at] = hidden.times(seen).plus(arrived[3][at]).times(bent(leave[at]));
            later_cell[at] = cell.times(keep[at]);
        }
    }
}
