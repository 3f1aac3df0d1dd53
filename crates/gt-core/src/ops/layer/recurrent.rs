//! Sizes and shapes that recurrent layers share.

use crate::attrs::{Attr, Range};
use crate::error::{Error, Result};
use crate::expr::Expr;
use crate::op::{Call, Op, Shapes};
use crate::ops::shape::axes::reshape;
use crate::ops::shape::join::CAT;
use crate::ops::shape::slice::slice;
use crate::rules::shard::{Factors, Letters};
use crate::shape::Shape;
use crate::whole::Steps;

/// The largest number of steps in one instruction: an expansion is as deep as it has steps.
const MOST_STEPS: usize = 64;

/// The number of matrices kept of each step for its gradient.
pub const KEPT: usize = 4;

/// The sizes of a piece of a sequence, for a layer with this number of gates.
#[derive(Clone, Copy)]
pub struct Sizes<const GATES: usize> {
    pub steps: usize,
    pub batch: usize,
    pub hidden: usize,
    /// Whether it is a single step, without a sequence axis.
    is_single: bool,
}

impl<const GATES: usize> Sizes<GATES> {
    /// The sizes of a call whose input `index` has the products for all gates of each step.
    pub fn of(call: &Call, index: usize) -> Result<Self> {
        let mut sizes = Self::of_states(call, index)?;
        let products = sizes.hidden;
        if products % GATES != 0 {
            return Err(Error::runtime(format!(
                "{products} products are not those of {GATES} gates"
            )));
        }
        sizes.hidden = products / GATES;
        Ok(sizes)
    }

    /// The sizes of a call whose input `index` has the state after each step.
    pub fn of_states(call: &Call, index: usize) -> Result<Self> {
        let shape = call.shape(index);
        let is_single = shape.rank() == 2;
        match **shape {
            [batch, hidden] => Sizes { steps: 1, batch, hidden, is_single },
            [steps, batch, hidden] => Sizes { steps, batch, hidden, is_single },
            _ => {
                return Err(Error::runtime(format!(
                    "expected a batch, or steps of one, not shape {shape}"
                )));
            }
        }
        .checked()
    }

    pub fn checked(self) -> Result<Self> {
        let steps = self.steps;
        if !(1..=MOST_STEPS).contains(&steps) {
            return Err(Error::runtime(format!(
                "{steps} steps, where one to {MOST_STEPS} are possible; give longer sequences in \
                 parts"
            )));
        }
        Ok(self)
    }

    /// The sizes as the native engine takes them, which computes all steps in one piece.
    pub fn in_one_piece(self) -> Result<Steps> {
        let Sizes { steps, batch, hidden, .. } = self;
        if batch * hidden == 0 {
            return Err(Error::runtime("there is nothing to compute"));
        }
        Ok(Steps { steps, batch, hidden })
    }

    pub fn expect(self, call: &Call, index: usize, expected: &[usize]) -> Result<()> {
        let (found, expected) = (call.shape(index), Shape::from(expected));
        if *found == expected {
            return Ok(());
        }
        let name = call.op.input(index).name;
        Err(Error::runtime(format!("{name} has shape {found}, expected {expected}")))
    }

    pub fn states(self) -> Shape {
        self.of_width(self.hidden)
    }

    pub fn products(self) -> Shape {
        self.of_width(GATES * self.hidden)
    }

    fn of_width(self, width: usize) -> Shape {
        match self.is_single {
            true => [self.batch, width].into(),
            false => [self.steps, self.batch, width].into(),
        }
    }

    /// The batch axis of states and products.
    pub fn batch_axis(self) -> usize {
        usize::from(!self.is_single)
    }

    /// The shape of the gates that are kept of all steps.
    pub fn gates(self) -> Shape {
        [self.steps, KEPT, self.batch, self.hidden].into()
    }

    /// The ranges of `len` steps from `start`.
    pub fn ranges(self, start: usize, len: usize) -> Vec<Range> {
        let all = [self.batch, self.hidden].map(Range::all);
        [Range { start, len, step: 1 }].into_iter().chain(all).collect()
    }

    /// The state of one step.
    pub fn state(self, states: Expr, step: usize) -> Expr {
        if self.is_single {
            return states;
        }
        reshape(slice(states, self.ranges(step, 1)), &[self.batch, self.hidden].into())
    }

    /// The products of one step.
    pub fn product(self, products: Expr, step: usize) -> Expr {
        if self.is_single {
            return products;
        }
        let width = GATES * self.hidden;
        let step = Range { start: step, len: 1, step: 1 };
        let one = slice(products, vec![step, Range::all(self.batch), Range::all(width)]);
        reshape(one, &[self.batch, width].into())
    }

    /// One gate of a step whose gates are side by side on the last axis.
    pub fn beside(self, products: Expr, gate: usize) -> Expr {
        let columns = Range { start: gate * self.hidden, len: self.hidden, step: 1 };
        slice(products, vec![Range::all(self.batch), columns])
    }

    /// One gate of a step, out of the gates of all steps.
    pub fn gate(self, gates: Expr, step: usize, gate: usize) -> Expr {
        let [step, gate] = [step, gate].map(|start| Range { start, len: 1, step: 1 });
        let ranges = vec![step, gate, Range::all(self.batch), Range::all(self.hidden)];
        reshape(slice(gates, ranges), &[self.batch, self.hidden].into())
    }

    /// Matrices of one shape, stacked.
    pub fn stacked(self, matrices: Vec<Expr>, shape: &Shape) -> Expr {
        let alone = |matrix: Expr| reshape(matrix, &[1, self.batch, self.hidden].into());
        reshape(cat(matrices.into_iter().map(alone), 0), shape)
    }
}

pub fn cat(inputs: impl IntoIterator<Item = Expr>, axis: usize) -> Expr {
    Expr::apply(&CAT, inputs, [Attr::from(axis)])
}

pub fn apply(op: &'static Op, input: Expr) -> Expr {
    Expr::apply(op, [input], [])
}

/// Only the batch may be cut: steps are sequential, and each needs the whole hidden state.
pub fn by_batch(call: &Call, inputs: &[&[usize]], outputs: &[&[usize]]) -> Factors {
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
