//! Standardisation along axes, which group and batch normalisation use; layer and RMS
//! normalisation.

use crate::attrs::{Attr, AttrSpec};
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output as Out};
use crate::op::{
    Autocast, Call, Input as In, Linear, Op, Output, OutputType, Python, Role, Sample, ints,
};
use crate::ops::elementwise::unary::RSQRT;
use crate::ops::family::{COMPOSITE, operand, result};
use crate::ops::reduce::sum::sum;
use crate::ops::shape::axes::reshape;
use crate::ops::{codes, keys};
use crate::placement::Combine;
use crate::rules::shard::{self, Factors, Letters, numbered};
use crate::shape::Shape;
use crate::whole::{Groups, Rows, Whole};

static STANDARDIZE_ATTRS: [AttrSpec; 2] = [keys::AXES.required(), keys::EPS.or(1e-5)];
static STANDARDIZE_RESULTS: [Output; 3] = [
    Output { name: "result", dtype: OutputType::Common },
    Output { name: "mean", dtype: OutputType::Common },
    Output { name: "rstd", dtype: OutputType::Common },
];

pub static STANDARDIZE: Op = Op {
    name: "standardize",
    code: codes::STANDARDIZE,
    doc: "The elements with mean zero and variance one along axes, their mean, and the reciprocal \
          of their standard deviation.",
    attrs: &STANDARDIZE_ATTRS,
    outputs: &STANDARDIZE_RESULTS,
    shape: |call| {
        let axes = call.axes(keys::AXES, 0)?;
        let kept = call.shape(0).reduced(&axes, true);
        Ok([call.shape(0).clone(), kept.clone(), kept].into_iter().collect())
    },
    grad: Some(|call| {
        let inputs = [Grad(0), Grad(1), Grad(2), Out(0), Out(2)];
        vec![Expr::apply(&STANDARDIZE_GRAD, inputs, [call.attr(keys::AXES).clone()])]
    }),
    shard: |call| {
        let Ok(axes) = call.axes(keys::AXES, 0) else { return shard::gather_first(call) };
        let rank = call.shape(0).rank();
        let free = |axis: usize| (!axes.contains(&axis)).then_some(axis as u8);
        let letters: smallvec::SmallVec<_> = (0..rank).map(free).collect();
        let kept = letters.clone();
        Factors::of(call, vec![letters.clone()], vec![letters, kept.clone(), kept])
    },
    expansion: Some(|call| {
        let (axes, count) = (call.ints(keys::AXES), count(call));
        let eps = call.float(keys::EPS);
        let mean = sum(Input(0), axes, true) / count;
        let centred = Input(0) - mean.clone();
        let variance = sum(centred.clone() * centred.clone(), axes, true) / count;
        let rstd = Expr::apply(&RSQRT, [variance + eps], []);
        vec![centred * rstd.clone(), mean, rstd]
    }),
    whole: Some(|call| {
        let groups = groups(call, 0)?;
        Ok(Whole::Standardize { groups, eps: call.float(keys::EPS) })
    }),
    autocast: Autocast::Full,
    python: Python::FUNCTION,
    samples: || {
        let of = |shape: &[usize], axes: &[i64]| {
            Sample::of(&[shape]).attrs([ints(axes.iter().copied()), Attr::Float(1e-5)])
        };
        vec![of(&[3, 4], &[-1]), of(&[2, 3, 4], &[0, 2]), of(&[4], &[0])]
    },
    ..COMPOSITE
};

static GRAD_ATTRS: [AttrSpec; 1] = [keys::AXES.required()];
static STANDARDIZE_GRAD_INPUTS: [In; 5] = [
    In { name: "grad", role: Role::Operand },
    In { name: "mean_grad", role: Role::Operand },
    In { name: "rstd_grad", role: Role::Operand },
    In { name: "result", role: Role::Operand },
    In { name: "rstd", role: Role::Operand },
];

pub static STANDARDIZE_GRAD: Op = Op {
    name: "standardize_grad",
    code: codes::STANDARDIZE_GRAD,
    doc: "The gradient of `standardize`, from those of its results, and its first and third one.",
    inputs: &STANDARDIZE_GRAD_INPUTS,
    attrs: &GRAD_ATTRS,
    shape: |call| {
        let axes = call.axes(keys::AXES, 0)?;
        let kept = call.shape(0).reduced(&axes, true);
        let expected = [call.shape(0), &kept, &kept, call.shape(0), &kept];
        match (0..5).find(|&index| call.shape(index) != expected[index]) {
            None => Ok([call.shape(0).clone()].into()),
            Some(index) => {
                let (name, found) = (call.op.inputs[index].name, call.shape(index));
                Err(Error::runtime(format!("'{name}' is {found}, not {}", expected[index])))
            }
        }
    },
    linear: Linear::Together(&[0, 1, 2]),
    grad: Some(|call| {
        let (axes, count) = (call.ints(keys::AXES), count(call));
        let mean = |expr: Expr| sum(expr, axes, true) / count;
        let [grad, rstd_grad, result, rstd] = [Input(0), Input(2), Input(3), Input(4)];
        let both = mean(grad.clone() * result.clone());
        let seen = mean(Grad(0) * result.clone());
        let along =
            |expr: Expr, seen: &Expr| expr.clone() - mean(expr) - result.clone() * seen.clone();
        let spread = rstd_grad.clone() * rstd.clone();
        let mixed = Grad(0) * both.clone() + grad.clone() * seen.clone();
        let for_result = -rstd.clone() * (mixed + spread.clone() * Grad(0) / count);
        let for_rstd = sum(Grad(0) * along(grad, &both), axes, true) - spread * seen.clone() * 2.0;
        vec![
            rstd.clone() * along(Grad(0), &seen),
            mean(Grad(0)),
            -rstd.clone() * rstd * seen,
            for_result,
            for_rstd,
        ]
    }),
    shard: |call| {
        let Ok(axes) = call.axes(keys::AXES, 0) else { return shard::gather_first(call) };
        let rank = call.shape(0).rank();
        let free = |axis: usize| (!axes.contains(&axis)).then_some(axis as u8);
        let letters: smallvec::SmallVec<_> = (0..rank).map(free).collect();
        Factors::of(call, vec![letters.clone(); 5], vec![letters])
    },
    expansion: Some(|call| {
        let (axes, count) = (call.ints(keys::AXES), count(call));
        let mean = |expr: Expr| sum(expr, axes, true) / count;
        let [grad, mean_grad, rstd_grad] = [Input(0), Input(1), Input(2)];
        let [result, rstd] = [Input(3), Input(4)];
        let along =
            grad.clone() - mean(grad.clone()) - result.clone() * mean(grad * result.clone());
        let shifted = mean_grad / count - rstd_grad * rstd.clone() * rstd.clone() * result / count;
        vec![rstd * along + shifted]
    }),
    whole: Some(|call| Ok(Whole::StandardizeGrad(groups(call, 0)?))),
    autocast: Autocast::Full,
    python: Python::HIDDEN,
    samples: || {
        let of = |shape: &[usize], kept: &[usize], axes: &[i64]| {
            Sample::of(&[shape, kept, kept, shape, kept]).attrs([ints(axes.iter().copied())])
        };
        vec![
            of(&[3, 4], &[3, 1], &[-1]),
            of(&[2, 3, 9], &[1, 3, 1], &[0, 2]),
            of(&[2, 3, 4], &[1, 3, 1], &[0, 2]),
        ]
    },
    ..COMPOSITE
};

static RMS_RESULTS: [Output; 2] = [
    Output { name: "result", dtype: OutputType::Common },
    Output { name: "rstd", dtype: OutputType::Common },
];

pub static RMS_STANDARDIZE: Op = Op {
    name: "rms_standardize",
    code: codes::RMS_STANDARDIZE,
    doc: "The elements divided by the root of their mean square along axes, and the reciprocal of \
          that root.",
    outputs: &RMS_RESULTS,
    shape: |call| {
        let axes = call.axes(keys::AXES, 0)?;
        Ok([call.shape(0).clone(), call.shape(0).reduced(&axes, true)].into_iter().collect())
    },
    grad: Some(|call| {
        let inputs = [Grad(0), Grad(1), Out(0), Out(1)];
        vec![Expr::apply(&RMS_STANDARDIZE_GRAD, inputs, [call.attr(keys::AXES).clone()])]
    }),
    shard: |call| {
        let Ok(axes) = call.axes(keys::AXES, 0) else { return shard::gather_first(call) };
        let free = |axis: usize| (!axes.contains(&axis)).then_some(axis as u8);
        let letters: smallvec::SmallVec<_> = (0..call.shape(0).rank()).map(free).collect();
        Factors::of(call, vec![letters.clone()], vec![letters.clone(), letters])
    },
    expansion: Some(|call| {
        let square = sum(Input(0) * Input(0), call.ints(keys::AXES), true) / count(call);
        let rstd = Expr::apply(&RSQRT, [square + call.float(keys::EPS)], []);
        vec![Input(0) * rstd.clone(), rstd]
    }),
    whole: Some(|call| {
        let groups = groups(call, 0)?;
        Ok(Whole::RmsStandardize { groups, eps: call.float(keys::EPS) })
    }),
    autocast: Autocast::Keep,
    ..STANDARDIZE
};

static RMS_GRAD_INPUTS: [In; 4] = [
    In { name: "grad", role: Role::Operand },
    In { name: "rstd_grad", role: Role::Operand },
    In { name: "result", role: Role::Operand },
    In { name: "rstd", role: Role::Operand },
];

pub static RMS_STANDARDIZE_GRAD: Op = Op {
    name: "rms_standardize_grad",
    code: codes::RMS_STANDARDIZE_GRAD,
    doc: "The gradient of `rms_standardize`, from those of its results, and the results.",
    inputs: &RMS_GRAD_INPUTS,
    attrs: &GRAD_ATTRS,
    shape: |call| {
        let axes = call.axes(keys::AXES, 0)?;
        let kept = call.shape(0).reduced(&axes, true);
        let expected = [call.shape(0), &kept, call.shape(0), &kept];
        match (0..4).find(|&index| call.shape(index) != expected[index]) {
            None => Ok([call.shape(0).clone()].into()),
            Some(index) => {
                let (name, found) = (call.op.inputs[index].name, call.shape(index));
                Err(Error::runtime(format!("'{name}' is {found}, not {}", expected[index])))
            }
        }
    },
    linear: Linear::Together(&[0, 1]),
    grad: Some(|call| {
        let (axes, count) = (call.ints(keys::AXES), count(call));
        let mean = |expr: Expr| sum(expr, axes, true) / count;
        let [grad, rstd_grad, result, rstd] = [Input(0), Input(1), Input(2), Input(3)];
        let both = mean(grad.clone() * result.clone());
        let seen = mean(Grad(0) * result.clone());
        let along = |expr: Expr, seen: &Expr| expr - result.clone() * seen.clone();
        let spread = rstd_grad * rstd.clone();
        let mixed = Grad(0) * both.clone() + grad.clone() * seen.clone();
        let for_result = -rstd.clone() * (mixed + spread.clone() * Grad(0) / count);
        let for_rstd = sum(Grad(0) * along(grad, &both), axes, true) - spread * seen.clone() * 2.0;
        let for_grad = rstd.clone() * along(Grad(0), &seen);
        vec![for_grad, -rstd.clone() * rstd * seen, for_result, for_rstd]
    }),
    shard: |call| {
        let Ok(axes) = call.axes(keys::AXES, 0) else { return shard::gather_first(call) };
        let free = |axis: usize| (!axes.contains(&axis)).then_some(axis as u8);
        let letters: smallvec::SmallVec<_> = (0..call.shape(0).rank()).map(free).collect();
        Factors::of(call, vec![letters.clone(); 4], vec![letters])
    },
    expansion: Some(|call| {
        let (axes, count) = (call.ints(keys::AXES), count(call));
        let [grad, rstd_grad, result, rstd] = [Input(0), Input(1), Input(2), Input(3)];
        let both = sum(grad.clone() * result.clone(), axes, true) / count;
        let shifted = rstd_grad * rstd.clone() * rstd.clone() * result.clone() / count;
        vec![rstd * (grad - result * both) - shifted]
    }),
    whole: Some(|call| Ok(Whole::RmsStandardizeGrad(groups(call, 0)?))),
    autocast: Autocast::Full,
    python: Python::HIDDEN,
    samples: || {
        let of = |shape: &[usize], kept: &[usize], axes: &[i64]| {
            Sample::of(&[shape, kept, shape, kept]).attrs([ints(axes.iter().copied())])
        };
        vec![of(&[3, 4], &[3, 1], &[-1]), of(&[2, 3, 9], &[1, 3, 1], &[0, 2])]
    },
    ..COMPOSITE
};

static AFFINE_ATTRS: [AttrSpec; 1] = [keys::EPS.or(1e-5)];

pub static LAYER_NORM_AFFINE: Op = Op {
    name: "layer_norm_affine",
    code: codes::LAYER_NORM_AFFINE,
    doc: "The elements with mean zero and variance one along the axes of the weight, times the \
          weight and plus the bias; their mean, and the reciprocal of their standard deviation.",
    inputs: &[operand("input"), operand("weight"), operand("bias")],
    attrs: &AFFINE_ATTRS,
    outputs: &[result("result"), result("mean"), result("rstd")],
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

/// It has no gradient formula: where a second derivative is needed, the expansion is recorded.
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
    outputs: &[result("grad_input"), result("grad_weight"), result("grad_bias")],
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

/// The groups of elements that share a mean, for an engine that computes the row in one piece.
fn groups(call: &Call, index: usize) -> Result<Groups> {
    let groups = Groups::along(call.shape(index), &call.axes(keys::AXES, index)?);
    groups.ok_or_else(|| Error::bug("these axes are not computed in one piece"))
}

/// The number of elements that share a mean.
fn count(call: &Call) -> f64 {
    let axes = call.axes(keys::AXES, 0).unwrap_or_default();
    axes.iter().filter_map(|&axis| call.shape(0).get(axis)).product::<usize>() as f64
}

/// The axes of an input, of which the last ones, those of the weight, are normalised over.
struct Axes<'a> {
    shape: &'a Shape,
    /// The number of axes before those.
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

    /// The shape of a statistic: one number for each row.
    fn kept(&self) -> Shape {
        let ones = self.shape[self.lead..].iter().map(|_| 1);
        self.shape[..self.lead].iter().copied().chain(ones).collect()
    }

    /// The normalised axes, as an attribute.
    fn normalised(&self) -> Attr {
        ints(-((self.shape.rank() - self.lead) as i64)..0)
    }

    /// The sum of all rows.
    fn over_rows(&self, expr: Expr) -> Expr {
        let axes: Vec<i64> = (0..self.lead as i64).collect();
        if axes.is_empty() { reshape(expr, self.shape) } else { sum(expr, &axes, false) }
    }

    /// Rows may be cut, and the normalised axes may not.
    fn letters(&self) -> Letters {
        numbered(self.lead).into_iter().chain(self.none()).collect()
    }

    fn none(&self) -> Letters {
        self.shape[self.lead..].iter().map(|_| None).collect()
    }

    /// The rows as the native engine takes them, which computes the row in one piece.
    fn in_one_piece(&self) -> Result<Rows> {
        let (lead, row) = self.shape.split_at(self.lead);
        let (count, size) = (lead.iter().product(), row.iter().product());
        if count == 0 || size == 0 {
            return Err(Error::runtime("there is nothing to compute"));
        }
        Ok(Rows { count, size })
    }
}
