//! Attention without the matrix of weights in memory, and its gradient.

use crate::attrs::{Attr, AttrSpec};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output as Out};
use crate::op::{Autocast, Call, Linear, Op, Python, Sample, ints};
use crate::ops::create::arange;
use crate::ops::elementwise::compare::{GE, eq};
use crate::ops::elementwise::ternary::where_;
use crate::ops::elementwise::unary::EXP;
use crate::ops::family::{COMPOSITE, operand, result};
use crate::ops::product::matmul::matmul;
use crate::ops::reduce::statistics::LOGSUMEXP;
use crate::ops::reduce::sum::sum;
use crate::ops::shape::axes::{reshape, transpose};
use crate::ops::{codes, keys};
use crate::rules::shard::{self, Factors, Letters};
use crate::shape::Shape;
use crate::whole::{Attention, Whole};

static ATTRS: [AttrSpec; 2] = [keys::SCALE.required(), keys::IS_CAUSAL.or(false)];

pub static ATTEND: Op = Op {
    name: "attend",
    code: codes::ATTEND,
    doc: "Values weighted by the softmax of the products of queries and keys, times a scale, and \
          the logarithm of what the weights were divided by. If it is causal, a query sees no key \
          after its own place. The weights are zero if all products are minus infinity.",
    inputs: &[operand("query"), operand("key"), operand("value")],
    attrs: &ATTRS,
    outputs: &[result("result"), result("logsumexp")],
    shape: |call| {
        let sizes = Sizes::of(call, 0)?;
        Ok([sizes.shape([sizes.queries, sizes.width]), sizes.shape([sizes.queries, 1])]
            .into_iter()
            .collect())
    },
    grad: Some(|call| {
        let inputs = [Grad(0), Grad(1), Input(0), Input(1), Input(2), Out(0), Out(1)];
        let attrs = [call.attr(keys::SCALE).clone(), call.attr(keys::IS_CAUSAL).clone()];
        let back = Expr::apply(&ATTEND_BACKWARD, inputs, attrs);
        vec![back.clone(), back.clone().result(1), back.result(2)]
    }),
    shard: |call| by_stack(call, 2),
    expansion: Some(|call| {
        let Ok(sizes) = Sizes::of(call, 0) else { return Vec::new() };
        let scores = sizes.scores([Input(0), Input(1)]);
        let attrs = [ints([-1]), Attr::from(true)];
        let total = Expr::apply(&LOGSUMEXP, [scores.clone()], attrs);
        vec![matmul(weights(scores, total.clone()), Input(2)), total]
    }),
    whole: Some(|call| Ok(Whole::Attend(Sizes::of(call, 0)?.in_one_piece()?))),
    autocast: Autocast::Lower,
    python: Python::FUNCTION,
    samples: || {
        let of = |lead: &[usize], [queries, keys, depth, width]: [usize; 4], causal: bool| {
            let shape = |last: [usize; 2]| [lead, &last].concat();
            let shapes = [shape([queries, depth]), shape([keys, depth]), shape([keys, width])];
            Sample::of(&shapes.each_ref().map(Vec::as_slice))
                .attrs([Attr::Float(0.5), causal.into()])
        };
        vec![
            of(&[2], [3, 5, 4, 2], false),
            of(&[3, 2], [4, 4, 2, 3], true),
            of(&[], [2, 3, 1, 2], true),
        ]
    },
    ..COMPOSITE
};

/// It has no gradient formula: where a second derivative is needed, the expansion is recorded.
pub static ATTEND_BACKWARD: Op = Op {
    name: "attend_backward",
    code: codes::ATTEND_BACKWARD,
    doc: "The gradients of `attend` by queries, keys and values, from those of its results, its \
          inputs, and its results.",
    inputs: &[
        operand("grad"),
        operand("logsumexp_grad"),
        operand("query"),
        operand("key"),
        operand("value"),
        operand("result"),
        operand("logsumexp"),
    ],
    attrs: &ATTRS,
    outputs: &[result("grad_query"), result("grad_key"), result("grad_value")],
    shape: |call| {
        let sizes = Sizes::of(call, 2)?;
        let [result, total] =
            [[sizes.queries, sizes.width], [sizes.queries, 1]].map(|last| sizes.shape(last));
        for (index, expected) in [(0, &result), (1, &total), (5, &result), (6, &total)] {
            let (name, found) = (call.op.inputs[index].name, call.shape(index));
            if found != expected {
                return Err(Error::runtime(format!("'{name}' is {found}, not {expected}")));
            }
        }
        Ok([2, 3, 4].map(|index| call.shape(index).clone()).into_iter().collect())
    },
    linear: Linear::Together(&[0, 1]),
    shard: |call| by_stack(call, 3),
    expansion: Some(|call| {
        let Ok(sizes) = Sizes::of(call, 2) else { return Vec::new() };
        let rank = call.shape(2).rank();
        let [grad, total_grad, query, key, value] = [0, 1, 2, 3, 4].map(Input);
        let scores = sizes.scores([query.clone(), key.clone()]);
        let weights = weights(scores, Input(6));
        let seen = sum(grad.clone() * Input(5), &[-1], true) - total_grad;
        let by_weights = matmul(grad.clone(), transpose(value, rank));
        let by_scores = weights.clone() * (by_weights - seen) * sizes.scale;
        vec![
            matmul(by_scores.clone(), key),
            matmul(transpose(by_scores, rank), query),
            matmul(transpose(weights, rank), grad),
        ]
    }),
    whole: Some(|call| Ok(Whole::AttendGrad(Sizes::of(call, 2)?.in_one_piece()?))),
    autocast: Autocast::Keep,
    python: Python::HIDDEN,
    samples: || {
        let of = |lead: &[usize], [queries, keys, depth, width]: [usize; 4], causal: bool| {
            let shape = |last: [usize; 2]| [lead, &last].concat();
            let (result, total) = (shape([queries, width]), shape([queries, 1]));
            let inputs = [shape([queries, depth]), shape([keys, depth]), shape([keys, width])];
            let [query, key, value] = inputs.each_ref().map(Vec::as_slice);
            Sample::of(&[&result, &total, query, key, value, &result, &total])
                .attrs([Attr::Float(0.5), causal.into()])
        };
        vec![of(&[2], [3, 5, 4, 2], false), of(&[2, 1], [3, 3, 2, 3], true)]
    },
    ..COMPOSITE
};

/// The sizes of a call.
struct Sizes {
    /// The axes before the last two.
    lead: Shape,
    queries: usize,
    keys: usize,
    depth: usize,
    width: usize,
    scale: f64,
    is_causal: bool,
}

impl Sizes {
    /// The sizes of a call whose inputs from `first` on are queries, keys and values.
    fn of(call: &Call, first: usize) -> Result<Self> {
        let [query, key, value] = [0, 1, 2].map(|index| call.shape(first + index));
        let wrong =
            || Error::runtime(format!("queries {query}, keys {key} and values {value} do not fit"));
        let ([lead @ .., queries, depth], [key_lead @ .., keys, key_depth]) = (&**query, &**key)
        else {
            return Err(wrong());
        };
        let [value_lead @ .., values, width] = &**value else { return Err(wrong()) };
        let fits = (lead, depth, keys) == (key_lead, key_depth, values) && lead == value_lead;
        if !fits {
            return Err(wrong());
        }
        let (scale, is_causal) = (call.float(keys::SCALE), call.flag(keys::IS_CAUSAL));
        let [queries, keys, depth, width] = [queries, keys, depth, width].map(|size| *size);
        Ok(Sizes { lead: Shape::from(lead), queries, keys, depth, width, scale, is_causal })
    }

    /// The leading axes of the inputs, followed by these two.
    fn shape(&self, last: [usize; 2]) -> Shape {
        self.lead.iter().copied().chain(last).collect()
    }

    /// The scaled products of queries and keys; masked ones are minus infinity.
    fn scores(&self, [query, key]: [Expr; 2]) -> Expr {
        let scores = matmul(query * self.scale, transpose(key, self.lead.rank() + 2));
        if !self.is_causal {
            return scores;
        }
        let places = reshape(arange(0, self.queries), &[self.queries, 1].into());
        let is_seen = Expr::apply(&GE, [places, arange(0, self.keys)], []);
        where_(is_seen, scores, f64::NEG_INFINITY)
    }

    /// The sizes as the native engine takes them, which computes the row in one piece.
    fn in_one_piece(self) -> Result<Attention> {
        let Sizes { lead, queries, keys, depth, width, scale, is_causal } = self;
        let stacks = lead.iter().product();
        if [stacks, queries, keys, depth, width].contains(&0) {
            return Err(Error::runtime("there is nothing to compute"));
        }
        Ok(Attention { stacks, queries, keys, depth, width, scale, is_causal })
    }
}

/// The weights of scores, given the `logsumexp` of each row. A query that sees no key has weights
/// of zero.
fn weights(scores: Expr, total: Expr) -> Expr {
    // Minus infinity minus minus infinity would be NaN.
    let is_blind = eq(total.clone(), f64::NEG_INFINITY);
    Expr::apply(&EXP, [scores - where_(is_blind, 0.0, total)], [])
}

/// All axes but the last two may be cut.
fn by_stack(call: &Call, outputs: usize) -> Factors {
    if (call.op.shape)(call).is_err() {
        return shard::gather_first(call);
    }
    let rank = call.shape(0).rank();
    let letters: Letters = (0..rank).map(|axis| (axis + 2 < rank).then_some(axis as u8)).collect();
    Factors::of(call, vec![letters.clone(); call.inputs.len()], vec![letters; outputs])
}
