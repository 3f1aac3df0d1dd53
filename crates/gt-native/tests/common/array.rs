//! A tensor whose elements are all double precision numbers, whatever dtype they stand for.

use gt_core::expr::Term;
use gt_core::op::{Domain, Op, Role, Sample, SampleInput};
use gt_core::placement::Combine;
use gt_core::{DType, Meta, Shape};
use half::{bf16, f16};

/// Elements row by row, each exactly representable in the dtype.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its dtype and shape.
    pub meta: Meta,
    /// Its elements.
    pub data: Vec<f64>,
}

impl Array {
    /// Elements given by their position, rounded to the dtype.
    pub fn from_fn(meta: Meta, mut element: impl FnMut(&[usize]) -> f64) -> Array {
        let data = positions(&meta.shape).map(|at| round(element(&at), meta.dtype)).collect();
        Array { meta, data }
    }

    /// The same number everywhere.
    pub fn full(meta: Meta, value: f64) -> Array {
        Array::from_fn(meta, |_| value)
    }

    /// The element at a position; a position beyond an axis of size one means its only element,
    /// and axes that are not there are skipped.
    pub fn at(&self, position: &[usize]) -> f64 {
        let shape = &self.meta.shape;
        let skipped = position.len() - shape.rank();
        let axes = position[skipped..].iter().zip(shape.iter());
        let place =
            axes.fold(0, |place, (&at, &size)| place * size + if size == 1 { 0 } else { at });
        self.data[place]
    }

    fn exactly(&self, position: &[usize]) -> f64 {
        assert!(position.iter().zip(self.meta.shape.iter()).all(|(at, size)| at < size));
        self.at(position)
    }

    /// Parts one after another along `axis`.
    pub fn concat(parts: &[&Array], axis: usize) -> Array {
        let total = parts.iter().map(|part| part.meta.shape[axis]).sum();
        let meta = Meta::new(parts[0].meta.dtype, parts[0].meta.shape.with(axis, total));
        Array::from_fn(meta, |at| {
            let mut at = at.to_vec();
            let mut parts = parts.iter();
            let mut part = parts.next().expect("there is a first part");
            while at[axis] >= part.meta.shape[axis] {
                at[axis] -= part.meta.shape[axis];
                part = parts.next().expect("the position is within the whole");
            }
            part.exactly(&at)
        })
    }

    /// Two parts of every element as one.
    pub fn combine(&self, other: &Array, how: Combine) -> Array {
        assert_eq!(self.meta, other.meta, "parts of one value");
        Array::from_fn(self.meta.clone(), |at| match how {
            Combine::Sum => self.at(at) + other.at(at),
            Combine::Max => self.at(at).max(other.at(at)),
            Combine::Min => self.at(at).min(other.at(at)),
            Combine::Prod => self.at(at) * other.at(at),
        })
    }

    /// The largest difference to another, relative to the larger numbers among them; infinite if
    /// they are not even of the same kind.
    pub fn distance(&self, other: &Array) -> f64 {
        if self.meta != other.meta {
            return f64::INFINITY;
        }
        let pairs = self.data.iter().zip(&other.data);
        pairs.fold(0.0, |worst, (&a, &b)| {
            let equal = a == b || (a.is_nan() && b.is_nan());
            let apart = if equal { 0.0 } else { (a - b).abs() / a.abs().max(b.abs()).max(1.0) };
            if apart.is_nan() { f64::INFINITY } else { worst.max(apart) }
        })
    }
}

/// Every position within a shape, the last axis running fastest.
pub fn positions(shape: &Shape) -> impl Iterator<Item = Vec<usize>> {
    let sizes = shape.to_vec();
    (0..shape.count()).map(move |mut place| {
        let mut position = vec![0; sizes.len()];
        for axis in (0..sizes.len()).rev() {
            position[axis] = place % sizes[axis];
            place /= sizes[axis];
        }
        position
    })
}

/// The number as this dtype has it.
pub fn round(value: f64, dtype: DType) -> f64 {
    match dtype {
        DType::Bool => (value != 0.0) as u8 as f64,
        DType::U8 => value as i64 as u8 as f64,
        DType::I8 => value as i64 as i8 as f64,
        DType::I16 => value as i64 as i16 as f64,
        DType::I32 => value as i64 as i32 as f64,
        DType::I64 => value as i64 as f64,
        DType::F16 => f16::from_f64(value).to_f64(),
        DType::BF16 => bf16::from_f64(value).to_f64(),
        DType::F32 => value as f32 as f64,
        DType::F64 => value,
        other => panic!("{other} is not supported yet"),
    }
}

/// Numbers that look random and are the same in every run.
pub struct Dice(pub u64);

impl Dice {
    /// Evenly from zero up to one.
    pub fn roll(&mut self) -> f64 {
        // Weyl's sequence with a finaliser (SplitMix).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.roll() * limit as f64) as usize
    }

    /// A tensor of numbers around zero.
    pub fn array(&mut self, meta: Meta) -> Array {
        Array::from_fn(meta, |_| self.roll() * 2.0 - 1.0)
    }

    /// The inputs that a row's sample asks for, with numbers of this dtype.
    pub fn inputs(&mut self, op: &Op, sample: &Sample, dtype: DType) -> Vec<Term<Array>> {
        let count: usize = sample.inputs.iter().map(size).sum();
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, self.below(last + 1));
        }
        let mut orders = order.into_iter();
        let inputs = sample.inputs.iter().enumerate();
        let input = |(index, input): (usize, &SampleInput)| match input {
            SampleInput::Scalar(scalar) => Term::Scalar(*scalar),
            SampleInput::Index { shape, below } => {
                let role = op.inputs[if op.variadic { 0 } else { index }].role;
                let dtype = if role == Role::Mask { DType::Bool } else { DType::I64 };
                let meta = Meta::new(dtype, shape.clone());
                Term::Value(Array::from_fn(meta, |_| self.below(*below) as f64))
            }
            SampleInput::Numbers(shape) => {
                let meta = Meta::new(dtype, shape.clone());
                Term::Value(Array::from_fn(meta, |_| {
                    let order = orders.next().expect("one for each element");
                    self.number(op.domain, dtype, order as f64 - count as f64 / 2.0)
                }))
            }
        };
        inputs.map(input).collect()
    }

    fn number(&mut self, domain: Domain, dtype: DType, order: f64) -> f64 {
        let sign = if self.roll() < 0.5 { -1.0 } else { 1.0 };
        let number = match domain {
            Domain::Real => self.roll() * 4.0 - 2.0,
            Domain::Positive => 0.5 + self.roll() * 1.5,
            Domain::Unit => self.roll() * 1.8 - 0.9,
            Domain::Chance => self.roll() * 0.8 + 0.1,
            Domain::AboveOne => 1.25 + self.roll() * 2.0,
            Domain::NonZero => sign * (0.5 + self.roll() * 1.5),
            Domain::WithZeros if self.roll() < 0.3 => 0.0,
            Domain::WithZeros => sign * (0.5 + self.roll() * 1.5),
            // Far enough apart for a difference quotient to stay on one side.
            Domain::Distinct => order * 0.0625 + self.roll() * 0.015625,
        };
        match (dtype.is_float(), domain) {
            (true, _) => number,
            (false, Domain::Distinct) => order,
            (false, Domain::WithZeros) => number.round(),
            (false, Domain::Unit | Domain::AboveOne | Domain::Chance) => number.round(),
            (false, Domain::Real) => (number * 3.0).round(),
            (false, Domain::Positive) => (number * 3.0).ceil(),
            (false, Domain::NonZero) => (number.abs() * 3.0).ceil() * number.signum(),
        }
    }
}

fn size(input: &SampleInput) -> usize {
    match input {
        SampleInput::Numbers(shape) | SampleInput::Index { shape, .. } => shape.count(),
        SampleInput::Scalar(_) => 0,
    }
}
