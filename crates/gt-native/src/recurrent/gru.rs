//! Steps of a GRU in one piece, and their gradients.

use gt_core::error::Result;
use gt_core::shape::Meta;
use gt_core::whole::Steps;
use gt_worker::engine::Results;
use gt_worker::value::Value;
use smallvec::smallvec;

use super::{for_rows, numbers, part, products, results, turned, whole};
use crate::Native;
use crate::lanes::Vectors;
use crate::matmul::block::{self, Matrix};
use crate::number::Float;
use crate::simd::vectorized;
use crate::tile::Shared;

/// How many gates a step has: what is reset, what is kept, what is new.
const GATES: usize = 3;
/// What is kept of a step: its gates, and the product that is reset.
const KEPT: usize = 4;

/// Hidden states and gates of all steps; see [`gt_core::whole::Whole::GruSteps`].
pub fn gru<T: Vectors>(
    native: &Native,
    sizes: Steps,
    [given, weight, bias, hidden]: [&Value; 4],
    outputs: [&Meta; 2],
) -> Result<Results> {
    let Steps { steps, batch, hidden: size } = sizes;
    let (weight, is_turned) = turned(native, sizes, weight)?;
    let [given, bias, hidden] = whole(native, [given, bias, hidden])?;
    let ([hiddens, gates], [to_hidden, to_gates]) = results::<T, 2>(native, outputs)?;
    let [given, weight, bias, hidden] = [&given, &weight, &bias, &hidden].map(numbers::<T>);
    for_rows(native, batch, |first, rows| {
        for step in 0..steps {
            let state = |row: usize| (step * batch + row) * size;
            let kept = |number: usize, row: usize| ((step * KEPT + number) * batch + row) * size;
            let before = match step {
                0 => hidden[first * size..].as_ptr(),
                // SAFETY: the step before has written them, in this task.
                _ => unsafe { to_hidden.get().add(state(first) - batch * size) }.cast_const(),
            };
            // The products for the new state go to where they are kept, the others to their gates.
            for (number, place) in [(0, 0), (1, 1), (2, 3)] {
                let to = Shared(to_gates.get().wrapping_add(kept(place, first)));
                // SAFETY: the states before have these rows, and nobody else has these gates.
                unsafe { products(before, (weight, number, is_turned), to, [rows, size]) };
            }
            for row in first..first + rows {
                // SAFETY: the results have these places, and nobody else has them.
                unsafe {
                    let before = match step {
                        0 => &hidden[row * size..][..size],
                        _ => part(to_hidden, state(row) - batch * size, size),
                    };
                    let given = &given[(step * batch + row) * GATES * size..][..GATES * size];
                    let gates = [0, 1, 2, 3].map(|number| part(to_gates, kept(number, row), size));
                    forward([given, bias, before], gates, part(to_hidden, state(row), size));
                }
            }
        }
    });
    Ok(smallvec![hiddens, gates])
}

/// The gradients by both kinds of products and by the first state; see
/// [`gt_core::whole::Whole::GruStepsGrad`].
pub fn gru_grad<T: Vectors>(
    native: &Native,
    sizes: Steps,
    inputs: [&Value; 6],
    outputs: [&Meta; 3],
) -> Result<Results> {
    let Steps { steps, batch, hidden: size } = sizes;
    let inputs = whole(native, inputs)?;
    let (values, [to_inputs, to_products, to_hidden]) = results::<T, 3>(native, outputs)?;
    let [by_hidden, by_gates, weight, gates, states, first_state] =
        inputs.each_ref().map(numbers::<T>);
    for_rows(native, batch, |first, rows| {
        // What a step leaves of the gradient by its state, beside what goes through the products.
        let mut left = vec![T::ZERO; rows * size];
        // SAFETY: the results have these rows, and nobody else has them, here and below.
        unsafe { part(to_hidden, first * size, rows * size).fill(T::ZERO) };
        for step in (0..steps).rev() {
            for row in first..first + rows {
                let state = (step * batch + row) * size;
                let kept = |number: usize| ((step * KEPT + number) * batch + row) * size;
                let before = match step {
                    0 => &first_state[row * size..][..size],
                    _ => &states[state - batch * size..][..size],
                };
                let given = Given {
                    state: &by_hidden[state..][..size],
                    arrived: [0, 1, 2, 3].map(|number| &by_gates[kept(number)..][..size]),
                    gates: [0, 1, 2, 3].map(|number| &gates[kept(number)..][..size]),
                    before,
                };
                let left = &mut left[(row - first) * size..][..size];
                // SAFETY: as above.
                unsafe {
                    let later = part(to_hidden, row * size, size);
                    let out =
                        [to_inputs, to_products].map(|to| part(to, state * GATES, GATES * size));
                    backward(given, later, left, out);
                }
            }
            let from = (step * batch + first) * GATES * size;
            // SAFETY: the products of these rows are written, and the gradients by the states after
            // this step were read.
            unsafe {
                let start = to_products.get().add(from).cast_const();
                let factors = [
                    Matrix { start, steps: [(GATES * size) as isize, 1] },
                    Matrix { start: weight.as_ptr(), steps: [size as isize, 1] },
                ];
                let out = to_hidden.get().add(first * size);
                block::product([rows, GATES * size, size], factors, out, size);
                add(part(to_hidden, first * size, rows * size), &left);
            }
        }
    });
    Ok(values.into_iter().collect())
}

vectorized! {
    /// One row of a step. The first two gates and the last hold products of the state before; the
    /// last is that for the new state.
    fn forward<T: Float>(given: [&[T]; 3], gates: [&mut [T]; 4], state: &mut [T]) {
        let [given, bias, before] = given;
        let size = before.len();
        let [reset, keep, new, again] = gates.map(|gate| &mut gate[..size]);
        let state = &mut state[..size];
        let [given, bias] = [given, bias].map(|products| {
            let (resetting, rest) = products.split_at(size);
            let (keeping, coming) = rest.split_at(size);
            [resetting, keeping, &coming[..size]]
        });
        for (number, gate) in [&mut *reset, &mut *keep].into_iter().enumerate() {
            for (at, gate) in gate.iter_mut().enumerate() {
                *gate = given[number][at].plus(gate.plus(bias[number][at])).sigmoid();
            }
        }
        for at in 0..size {
            again[at] = again[at].plus(bias[2][at]);
            new[at] = given[2][at].plus(reset[at].times(again[at])).tanh();
        }
        for at in 0..size {
            state[at] = new[at].plus(keep[at].times(before[at].minus(new[at])));
        }
    }
}

/// What the gradient of one row of a step is made of.
#[derive(Clone, Copy)]
struct Given<'a, T> {
    /// The gradients that arrive at the state, and at each of what is kept.
    state: &'a [T],
    arrived: [&'a [T]; 4],
    gates: [&'a [T]; 4],
    /// The state before the step.
    before: &'a [T],
}

vectorized! {
    /// One row of a step: `later` has the gradient by the state after it, `left` gets what goes
    /// straight to the state before it, and `out` those by both kinds of products.
    fn backward<T: Float>(given: Given<'_, T>, later: &[T], left: &mut [T], out: [&mut [T]; 2]) {
        let Given { state, arrived, gates, before } = given;
        let size = before.len();
        let (arrived, [reset, keep, new, again]) =
            (arrived.map(|by| &by[..size]), gates.map(|gate| &gate[..size]));
        let (state, later, left) = (&state[..size], &later[..size], &mut left[..size]);
        let [[to_reset, to_keep, to_new], [again_reset, again_keep, to_again]] = out.map(|out| {
            let (reset, rest) = out[..GATES * size].split_at_mut(size);
            let (keep, new) = rest.split_at_mut(size);
            [reset, keep, &mut new[..size]]
        });
        let bent = |gate: T| gate.times(T::ONE.minus(gate));
        for at in 0..size {
            let hidden = state[at].plus(later[at]);
            let slope = T::ONE.minus(new[at].times(new[at]));
            let by_new = hidden.times(T::ONE.minus(keep[at])).plus(arrived[2][at]).times(slope);
            let by_keep = hidden.times(before[at].minus(new[at])).plus(arrived[1][at]);
            let by_reset = by_new.times(again[at]).plus(arrived[0][at]);
            to_new[at] = by_new;
            to_keep[at] = by_keep.times(bent(keep[at]));
            to_reset[at] = by_reset.times(bent(reset[at]));
            to_again[at] = by_new.times(reset[at]).plus(arrived[3][at]);
            left[at] = hidden.times(keep[at]);
        }
        again_reset.copy_from_slice(to_reset);
        again_keep.copy_from_slice(to_keep);
    }
}

vectorized! {
    fn add<T: Float>(to: &mut [T], other: &[T]) {
        for (to, &other) in to.iter_mut().zip(other) {
            *to = other.plus(*to);
        }
    }
}
