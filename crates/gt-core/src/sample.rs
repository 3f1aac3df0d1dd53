//! What tests try for each row: inputs and attributes, and from where numbers are taken.

use crate::attrs::{Attr, Attrs, Ints};
use crate::dtype::{DType, Scalar};
use crate::expr::Term;
use crate::op::{Op, Role};
use crate::shape::{Meta, Shape};

/// From where tests take the numbers they try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Anywhere around zero.
    Real,
    /// Above zero.
    Positive,
    /// Away from zero, but for some that are exactly zero.
    WithZeros,
    /// Away from zero, where the operation or its gradient jumps.
    NonZero,
    /// Between zero and one.
    Chance,
    /// Between minus one and one.
    Unit,
    /// Above one.
    AboveOne,
    /// All different from each other, so that orders are certain.
    Distinct,
}

/// One thing tests try.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The inputs.
    pub inputs: Vec<SampleInput>,
    /// The attributes.
    pub attrs: Attrs,
}

/// One input that tests try.
#[derive(Clone, Debug)]
pub enum SampleInput {
    /// Numbers from the row's domain.
    Numbers(Shape),
    /// Whole numbers from zero up to `below`.
    Index {
        /// The shape of the tensor.
        shape: Shape,
        /// One more than the largest.
        below: usize,
    },
    /// A number written in the program.
    Scalar(Scalar),
}

impl Sample {
    /// Tensors of these shapes, with numbers from the row's domain.
    pub fn of(shapes: &[&[usize]]) -> Self {
        let numbers = |&shape: &&[usize]| SampleInput::Numbers(shape.into());
        Sample { inputs: shapes.iter().map(numbers).collect(), attrs: Attrs::none() }
    }

    /// The dtypes and shapes of the inputs, where those that are computed with have `dtype`.
    pub fn terms(&self, op: &Op, dtype: DType) -> Vec<Term<Meta>> {
        let term = |(index, input): (usize, &SampleInput)| {
            let (dtype, shape) = match input {
                SampleInput::Scalar(scalar) => return Term::Scalar(*scalar),
                SampleInput::Index { shape, .. } => (DType::I64, shape),
                SampleInput::Numbers(shape) => (dtype, shape),
            };
            let is_mask = op.input(index).role == Role::Mask;
            Term::Value(Meta::new(if is_mask { DType::Bool } else { dtype }, shape.clone()))
        };
        self.inputs.iter().enumerate().map(term).collect()
    }

    /// The same with an index tensor as the next input.
    pub fn index(mut self, shape: &[usize], below: usize) -> Self {
        self.inputs.push(SampleInput::Index { shape: shape.into(), below });
        self
    }

    /// The same with another tensor as the next input.
    pub fn tensor(mut self, shape: &[usize]) -> Self {
        self.inputs.push(SampleInput::Numbers(shape.into()));
        self
    }

    /// The same with a number as the next input.
    pub fn scalar(mut self, scalar: impl Into<Scalar>) -> Self {
        self.inputs.push(SampleInput::Scalar(scalar.into()));
        self
    }

    /// The same with these attributes.
    pub fn attrs(mut self, values: impl IntoIterator<Item = Attr>) -> Self {
        self.attrs = Attrs::of(values);
        self
    }
}

/// Integers as an attribute.
pub(crate) fn ints(values: impl IntoIterator<Item = i64>) -> Attr {
    Attr::Ints(values.into_iter().collect::<Ints>())
}
