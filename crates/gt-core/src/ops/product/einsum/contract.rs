//! Pairwise contraction of tensors with labelled axes, and diagonals.

use smallvec::SmallVec;

use super::{Label, Labels};
use crate::attrs::Range;
use crate::dtype::DType;
use crate::expr::Expr;
use crate::op::ints;
use crate::ops::create::zeros;
use crate::ops::product::matmul::matmul;
use crate::ops::reduce::sum::SUM;
use crate::ops::shape::axes::{permute, reshape};
use crate::ops::shape::slice::{slice, slice_write};
use crate::shape::Shape;

/// A tensor with a label for each axis.
pub struct Operand {
    /// The tensor.
    pub expr: Expr,
    /// Its shape.
    pub shape: Shape,
    /// The label of each axis.
    pub labels: Labels,
    /// The dtype to sum in.
    pub dtype: DType,
}

impl Operand {
    /// Replaces two axes with the same label by their diagonal.
    pub fn take_diagonals(&mut self) {
        while let Some((first, second)) = repeated(&self.labels) {
            let others = (0..self.labels.len()).filter(|&axis| axis != first && axis != second);
            let order: SmallVec<[usize; 4]> = others.chain([first, second]).collect();
            self.arrange(&order);
            let size = self.shape[order.len() - 1];
            let lead = &self.shape[..order.len() - 2];
            let flat: Shape = lead.iter().copied().chain([size * size]).collect();
            let mut ranges: Vec<Range> = flat.iter().map(|&size| Range::all(size)).collect();
            ranges[order.len() - 2] = Range { start: 0, len: size, step: size as i64 + 1 };
            self.expr = slice(reshape(self.expr.clone(), &flat), ranges);
            self.shape = flat.with(order.len() - 2, size);
            self.labels.pop();
        }
    }

    fn arrange(&mut self, order: &[usize]) {
        if order.iter().copied().eq(0..order.len()) {
            return;
        }
        self.expr = permute(self.expr.clone(), order);
        self.shape = self.shape.permuted(order);
        self.labels = order.iter().map(|&axis| self.labels[axis]).collect();
    }

    /// Permutes the axes into the order of these labels.
    fn ordered(&mut self, labels: &[Label]) {
        let place = |label: &Label| self.labels.iter().position(|own| own == label);
        let order: SmallVec<[usize; 4]> = labels.iter().filter_map(place).collect();
        self.arrange(&order);
    }

    /// Sums over the labels that neither another operand nor the result needs.
    fn sum_out(&mut self, needed: impl Fn(Label) -> bool) {
        let axes: Vec<usize> =
            (0..self.labels.len()).filter(|&axis| !needed(self.labels[axis])).collect();
        if axes.is_empty() {
            return;
        }
        let named: Vec<i64> = axes.iter().map(|&axis| axis as i64).collect();
        // Integers stay in the dtype of the product.
        let attrs = [ints(named), false.into(), self.dtype.into()];
        self.expr = Expr::apply(&SUM, [self.expr.clone()], attrs);
        self.shape = self.shape.reduced(&axes, false);
        self.labels.retain(|label| needed(*label));
    }

    /// The sizes of the axes with these labels.
    fn sizes<'a>(&'a self, labels: &'a [Label]) -> impl Iterator<Item = usize> + 'a {
        labels.iter().filter_map(|label| {
            let axis = self.labels.iter().position(|own| own == label)?;
            Some(self.shape[axis])
        })
    }
}

fn repeated(labels: &[Label]) -> Option<(usize, usize)> {
    let pairs = (0..labels.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
    pairs.into_iter().find(|&(first, second)| labels[first] == labels[second])
}

/// The product of all operands, summed over every label that is not in `output`, two at a time.
pub fn contract(operands: Vec<Operand>, output: &[Label]) -> Expr {
    let mut rest = operands.into_iter().collect::<std::collections::VecDeque<_>>();
    let Some(mut result) = rest.pop_front() else { return Expr::Zero };
    loop {
        let later = |label: Label| rest.iter().any(|operand| operand.labels.contains(&label));
        result.sum_out(|label| output.contains(&label) || later(label));
        let Some(mut next) = rest.pop_front() else { break };
        let later = |label: Label| {
            output.contains(&label) || rest.iter().any(|operand| operand.labels.contains(&label))
        };
        let own = result.labels.clone();
        next.sum_out(|label| own.contains(&label) || later(label));
        result = product(result, next, later);
    }
    result.ordered(output);
    match result.expr {
        Expr::Apply(..) => result.expr,
        // An expansion must be an operation, not the input itself.
        input => reshape(input, &result.shape),
    }
}

/// The product of two operands, summed over their common labels that are not needed later.
fn product(mut left: Operand, mut right: Operand, later: impl Fn(Label) -> bool) -> Operand {
    let both = |label: &Label| left.labels.contains(label) && right.labels.contains(label);
    let batch: Labels = left.labels.iter().copied().filter(|l| both(l) && later(*l)).collect();
    let inner: Labels = left.labels.iter().copied().filter(|l| both(l) && !later(*l)).collect();
    let rows: Labels = left.labels.iter().copied().filter(|l| !both(l)).collect();
    let columns: Labels = right.labels.iter().copied().filter(|l| !both(l)).collect();
    let labels: Labels = [&batch[..], &rows[..], &columns[..]].concat().into();
    left.ordered(&[&batch[..], &rows[..], &inner[..]].concat());
    right.ordered(&[&batch[..], &inner[..], &columns[..]].concat());
    let (outer, tall) = (left.sizes(&batch).collect::<Vec<_>>(), left.sizes(&rows).collect());
    let (tall, wide): (Vec<usize>, Vec<usize>) = (tall, right.sizes(&columns).collect());
    let shape: Shape = outer.iter().chain(&tall).chain(&wide).copied().collect();
    if inner.is_empty() {
        // Without a sum this is an elementwise product that broadcasts.
        let ones = |count: usize| std::iter::repeat_n(1, count);
        let spread: Shape = left.shape.iter().copied().chain(ones(wide.len())).collect();
        let between = outer.iter().copied().chain(ones(tall.len())).chain(wide.iter().copied());
        let expr = reshape(left.expr, &spread) * reshape(right.expr, &between.collect());
        return Operand { expr, shape, labels, dtype: left.dtype };
    }
    let summed: usize = left.sizes(&inner).product();
    let matrix = |rows: usize, columns: usize| -> Shape {
        outer.iter().copied().chain([rows, columns]).collect()
    };
    let (height, width) = (tall.iter().product(), wide.iter().product());
    let expr = matmul(
        reshape(left.expr, &matrix(height, summed)),
        reshape(right.expr, &matrix(summed, width)),
    );
    Operand { expr: reshape(expr, &shape), shape, labels, dtype: left.dtype }
}

/// A tensor with axes `own`, rearranged to the axes of `target`. A label that repeats in `target`
/// puts the elements on a diagonal, with zeros elsewhere.
pub fn put_on_diagonals(
    expr: Expr,
    own: Labels,
    target: &[Label],
    shape: Shape,
    dtype: DType,
) -> Expr {
    let mut operand = Operand { expr, shape, labels: own, dtype };
    let mut missing: Vec<Label> = target.to_vec();
    for label in &operand.labels {
        let at = missing.iter().position(|other| other == label);
        missing.remove(at.expect("each index of the operand is among the axes"));
    }
    // The place in `target` of each axis.
    let first = |label: &Label| target.iter().position(|other| other == label);
    let mut places: Vec<usize> = operand.labels.iter().filter_map(first).collect();
    for label in missing {
        let axis = operand.labels.iter().position(|other| *other == label);
        let axis = axis.expect("a repeated index was there before");
        let rank = operand.labels.len();
        let order: SmallVec<[usize; 4]> =
            (0..rank).filter(|&other| other != axis).chain([axis]).collect();
        operand.arrange(&order);
        places = order.iter().map(|&axis| places[axis]).collect();
        let size = operand.shape[rank - 1];
        let flat = operand.shape.with(rank - 1, size * size);
        let mut ranges: Vec<Range> = flat.iter().map(|&size| Range::all(size)).collect();
        ranges[rank - 1] = Range { start: 0, len: size, step: size as i64 + 1 };
        let written = slice_write(zeros(&flat, dtype), operand.expr.clone(), ranges);
        operand.shape = operand.shape.iter().copied().chain([size]).collect();
        operand.expr = reshape(written, &operand.shape);
        operand.labels.push(label);
        let next = (0..target.len()).find(|at| target[*at] == label && !places.contains(at));
        places.push(next.expect("as many axes as indices"));
    }
    let mut order: SmallVec<[usize; 4]> = SmallVec::from_elem(0, places.len());
    places.iter().enumerate().for_each(|(axis, &place)| order[place] = axis);
    operand.arrange(&order);
    operand.expr
}
