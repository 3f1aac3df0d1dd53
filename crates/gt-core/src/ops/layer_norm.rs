//! Layer normalisation with its weight and bias as one instruction, and its gradients as another.

use super::codes;
use super::family::COMPOSITE;
use super::keys;
use super::movement::reshape;
use super::normalize::{STANDARDIZE, STANDARDIZE_GRAD};
use super::reduce::sum;
use crate::attrs::{Attr, AttrSpec};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output as Out};
use crate::op::{
    Autocast, Call, Input as In, Linear, Op, Output, OutputType, Python, Role, Sample, ints,
};
use crate::placement::Combine;
use crate::rules::shard::{self, Factors, Letters, numbered};
use crate::shape::Shape;
use crate::whole::{Rows, Whole};

const fn operand(name: &'static str) -> In {
    In { name, role: Role::Operand }
}

const fn common(name: &'static str) -> Output {
    Output { name, dtype: OutputType::Common }
}

static ATTRS: [AttrSpec; 1] = [keys::EPS.or(1e-5)];

pub static LAYER_NORM_AFFINE: Op = Op {
    name: "layer_norm_affine",
    code: codes::LAYER_NORM_AFFINE,
    doc: "The elements with mean zero and variance one along the axes of the weight, times the \
          weight and plus the bias; their mean, and the reciprocal of their standard deviation.",
    inputs: &[operand("input"), operand("weight"), operand("bias")],
    attrs: &ATTRS,
    outputs: &[common("result"), common("mean"), common("rstd")],
    shape: |call| {
        let axes = Axes::of(call, 0, 1)?;
        axes.expect(call, 2, call.shape(1))?;
        Ok([axes.shape.clone(), axes.kept(), axes.kept()].into_iter().collect())
    },
    grad: Some(|_| {
        let inputs = [Grad(0), Grad(1), Grad(2), Input(0), Input(1), Out(1), Out(2)];
        let back = Expr::apply(&LAYER_NORM_AFFINE_BACKWARD, inputs, []);
        vec![back.clone(), back.clone().result(1), back.result(2)]
    }),
    shard: |call| {
        let Ok(axes) = Axes::of(call, 0, 1) else { return shard::gather_first(call) };
        let (row, weight) = (axes.letters(), axes.none());
        Factors::of(
            call,
            vec![row.clone(), weight.clone(), weight],
            vec![row.clone(), row.clone(), row],
        )
    },
    expansion: Some(|call| {
        let Ok(axes) = Axes::of(call, 0, 1) else { return Vec::new() };
        let attrs = [axes.normalised(), call.attr(keys::EPS).clone()];
        let standard = Expr::apply(&STANDARDIZE, [Input(0)], attrs);
        let result = standard.clone() * Input(1) + Input(2);
        vec![result, standard.clone().result(1), standard.result(2)]
    }),
    whole: Some(|call| {
        let (rows, eps) = (Axes::of(call, 0, 1)?.in_one_piece()?, call.float(keys::EPS));
        Ok(Whole::LayerNorm { rows, eps })
    }),
    autocast: Autocast::Full,
    python: Python::FUNCTION,
    samples: || {
        let of = |shape: &[usize], lead: usize| {
            Sample::of(&[shape, &shape[lead..], &shape[lead..]]).attrs([Attr::Float(1e-5)])
        };
        vec![of(&[3, 4], 1), of(&[2, 3, 4], 1), of(&[2, 3, 9], 2), of(&[4], 0)]
    },
    ..COMPOSITE
};

/// No gradient flows through it: where one is wanted, the expansion is recorded instead.
pub static LAYER_NORM_AFFINE_BACKWARD: Op = Op {
    name: "layer_norm_affine_backward",
    code: codes::LAYER_NORM_AFFINE_BACKWARD,
    doc: "The gradients of `layer_norm_affine` by its inputs, from those of its results, its input \
          and weight, and its second and third result.",
    inputs: &[
        operand("grad"),
        operand("mean_grad"),
        operand("rstd_grad"),
        operand("input"),
        operand("weight"),
        operand("mean"),
        operand("rstd"),
    ],
    outputs: &[common("grad_input"), common("grad_weight"), common("grad_bias")],
    shape: |call| {
        let axes = Axes::of(call, 3, 4)?;
        let (whole, kept) = (axes.shape.clone(), axes.kept());
        for (index, shape) in [(0, &whole), (1, &kept), (2, &kept), (5, &kept), (6, &kept)] {
            axes.expect(call, index, shape)?;
        }
        let weight = call.shape(4).clone();
        Ok([whole, weight.clone(), weight].into_iter().collect())
    },
    linear: Linear::Together(&[0, 1, 2]),
    shard: |call| {
        let Ok(axes) = Axes::of(call, 3, 4) else { return shard::gather_first(call) };
        let (row, weight) = (axes.letters(), axes.none());
        let mut inputs = vec![row.clone(); 7];
        inputs[4] = weight.clone();
        let summed = row.iter().flatten().map(|&letter| (letter, Combine::Sum));
        let summed: Vec<_> = summed.collect();
        Factors::of(call, inputs, vec![row, weight.clone(), weight]).combining(summed)
    },
    expansion: Some(|call| {
        let Ok(axes) = Axes::of(call, 3, 4) else { return Vec::new() };
        let [grad, mean_grad, rstd_grad, rstd] = [Input(0), Input(1), Input(2), Input(6)];
        let standard = (Input(3) - Input(5)) * rstd.clone();
        let seen = [grad.clone() * Input(4), mean_grad, rstd_grad, standard.clone(), rstd];
        let for_input = Expr::apply(&STANDARDIZE_GRAD, seen, [axes.normalised()]);
        vec![for_input, axes.over_rows(grad.clone() * standard), axes.over_rows(grad)]
    }),
    whole: Some(|call| Ok(Whole::LayerNormGrad(Axes::of(call, 3, 4)?.in_one_piece()?))),
    autocast: Autocast::Keep,
    python: Python::HIDDEN,
    samples: || {
        let of = |shape: &[usize], kept: &[usize], lead: usize| {
            Sample::of(&[shape, kept, kept, shape, &shape[lead..], kept, kept])
        };
        vec![of(&[3, 4], &[3, 1], 1), of(&[2, 3, 9], &[2, 3, 1], 2), of(&[2, 3, 4], &[2, 1, 1], 1)]
    },
    ..COMPOSITE
};

/// The axes of an input: those that share a mean are the last ones, which a weight has too.
struct Axes<'a> {
    shape: &'a Shape,
    /// How many come before them.
    lead: usize,
}

impl<'a> Axes<'a> {
    fn of(call: &Call<'a>, input: usize, weight: usize) -> Result<Self> {
        let (shape, weight) = (call.shape(input), call.shape(weight));
        if weight.rank() == 0 || !shape.ends_with(weight) {
            let message = format!("a weight of {weight} does not fit an input of {shape}");
            return Err(Error::runtime(message));
        }
        Ok(Axes { shape, lead: shape.rank() - weight.rank() })
    }

    fn expect(&self, call: &Call, index: usize, expected: &Shape) -> Result<()> {
        let (name, found) = (call.op.inputs[index].name, call.shape(index));
        match found == expected {
            true => Ok(()),
            false => Err(Error::runtime(format!("'{name}' is {found}, not {expected}"))),
        }
    }

    /// A number for each row.
    fn kept(&self) -> Shape {
        let ones = self.shape[self.lead..].iter().map(|_| 1);
        self.shape[..self.lead].iter().copied().chain(ones).collect()
    }

    /// The axes that share a mean, as an attribute.
    fn normalised(&self) -> Attr {
        ints(-((self.shape.rank() - self.lead) as i64)..0)
    }

    /// The sum of all rows.
    fn over_rows(&self, expr: Expr) -> Expr {
        let axes: Vec<i64> = (0..self.lead as i64).collect();
        if axes.is_empty() { reshape(expr, self.shape) } else { sum(expr, &axes, false) }
    }

    /// Rows may be cut, and what shares a mean may not.
    fn letters(&self) -> Letters {
        numbered(self.lead).into_iter().chain(self.none()).collect()
    }

    fn none(&self) -> Letters {
        self.shape[self.lead..].iter().map(|_| None).collect()
    }

    /// The same for an engine that computes all of it at once.
    fn in_one_piece(&self) -> Result<Rows> {
        let (lead, row) = self.shape.split_at(self.lead);
        let (count, size) = (lead.iter().product(), row.iter().product());
        if count == 0 || size == 0 {
            return Err(Error::runtime("there is nothing to compute"));
        }
        Ok(Rows { count, size })
    }
}
