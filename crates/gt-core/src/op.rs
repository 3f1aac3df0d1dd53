//! The row: everything there is to know about an operation, as data.

use smallvec::{SmallVec, smallvec};

use crate::attrs::{Attr, AttrSpec, Attrs, Ints};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::expr::Expr;
use crate::kernel::Kernel;
use crate::rules::promote::{Promotion, promote};
use crate::rules::shard::Factors;
use crate::shape::{Meta, Shape};

/// The shapes of an operation's results.
pub type Shapes = SmallVec<[Shape; 1]>;

/// An operation. Rows are written in [`crate::ops`] and compared by their code.
pub struct Op {
    /// What users and logs call it.
    pub name: &'static str,
    /// Its number on the wire; stable, and never used for another operation.
    pub code: u16,
    /// One sentence for the documentation.
    pub doc: &'static str,
    /// Its inputs. If it is variadic, the only one stands for any number.
    pub inputs: &'static [Input],
    /// Whether it takes any number of inputs.
    pub variadic: bool,
    /// Its attributes.
    pub attrs: &'static [AttrSpec],
    /// Its results, one to four.
    pub outputs: &'static [Output],
    /// The shapes of its results. If they depend on data, the largest they can be.
    pub shape: fn(&Call) -> Result<Shapes>,
    /// Whether the shapes of its results are known only after it ran.
    pub data_dependent: bool,
    /// The dtype it computes in.
    pub promotion: Promotion,
    /// The gradient of each input as a formula; empty if there is none. An input that has none
    /// (such as an index) is given [`Expr::Zero`].
    pub grad: fn(&Call) -> Vec<Expr>,
    /// For views: the base after `Grad(0)` was written through the view of `Input(0)`.
    pub write: Option<fn(&Call) -> Expr>,
    /// Which axes may be cut, and what becomes of the result.
    pub shard: fn(&Call) -> Factors,
    /// In which inputs it is linear: only there a partial sum may pass.
    pub linear: Linear,
    /// What an engine does for it.
    pub kernel: fn(&Call) -> Result<Kernel>,
    /// The same in other operations, one formula for each result.
    pub expansion: Option<fn(&Call) -> Vec<Expr>>,
    /// What `autocast` does with its inputs.
    pub autocast: Autocast,
    /// The name PyTorch gives it, as the tests look it up: `torch.exp`, `Tensor.relu`.
    pub torch: &'static str,
    /// How Python programs call it.
    pub python: Python,
    /// From where tests take the numbers they try.
    pub domain: Domain,
    /// What tests try.
    pub samples: fn() -> Vec<Sample>,
}

/// One input of an operation.
#[derive(Debug)]
pub struct Input {
    /// The keyword a user may write.
    pub name: &'static str,
    /// What it is used for, which decides its dtype.
    pub role: Role,
}

/// What an input is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A number to compute with: takes part in promotion.
    Operand,
    /// Positions along an axis: any integer dtype, used as int64.
    Index,
    /// True or false.
    Mask,
    /// Whatever it is, it stays so.
    Any,
}

/// One result of an operation.
#[derive(Debug)]
pub struct Output {
    /// Its name, where there are several.
    pub name: &'static str,
    /// Where its dtype comes from.
    pub dtype: OutputType,
}

/// Where the dtype of a result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputType {
    /// The dtype the operation computes in.
    Common,
    /// Always this one.
    Is(DType),
    /// The attribute `dtype`.
    Attr,
}

/// In which inputs an operation is linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linear {
    /// In none.
    No,
    /// In these taken together: if one is a partial sum, all must be.
    Together(&'static [usize]),
    /// In each of these alone: one may be a partial sum, the others must be whole.
    Each(&'static [usize]),
}

/// What `autocast` does with the inputs of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autocast {
    /// Leaves them.
    Keep,
    /// Casts them to the lower precision.
    Lower,
    /// Casts them to float32.
    Full,
    /// Casts them to the widest among them.
    Widest,
}

/// How Python programs call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Python {
    /// As `tensor.name(…)`.
    pub method: bool,
    /// As `gt.name(…)`.
    pub function: bool,
    /// As `tensor.name_(…)`, which writes the result into the tensor.
    pub in_place: bool,
    /// As an operator: the word between the underscores of `__add__`.
    pub operator: Option<&'static str>,
    /// The order of inputs and attributes in a call; empty if the inputs come first.
    pub order: &'static [&'static str],
}

impl Python {
    /// Method and function.
    pub const BOTH: Python =
        Python { method: true, function: true, in_place: false, operator: None, order: &[] };
    /// Only by other operations.
    pub const HIDDEN: Python = Python { method: false, function: false, ..Python::BOTH };
    /// Only as a function, such as what creates a tensor.
    pub const FUNCTION: Python = Python { method: false, ..Python::BOTH };
    /// Method, function and in-place method.
    pub const IN_PLACE: Python = Python { in_place: true, ..Python::BOTH };

    /// All of these and an operator.
    pub const fn operator(word: &'static str) -> Python {
        Python { operator: Some(word), ..Python::IN_PLACE }
    }
}

/// From where tests take the numbers they try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Anywhere around zero.
    Real,
    /// Above zero.
    Positive,
    /// Away from zero, where the operation or its gradient jumps.
    NonZero,
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

/// One use of an operation, as its rules see it.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The row.
    pub op: &'static Op,
    /// What is known of the inputs.
    pub inputs: &'a [Arg<'a>],
    /// The attributes, one for each of the row's.
    pub attrs: &'a Attrs,
}

/// What the rules know of an input.
#[derive(Clone, Copy, Debug)]
pub enum Arg<'a> {
    /// A tensor's dtype and shape.
    Tensor(&'a Meta),
    /// A number written in the program.
    Scalar(Scalar),
}

static SCALAR_SHAPE: Shape = Shape::scalar();

impl<'a> Arg<'a> {
    /// The size along each axis; a scalar has none.
    pub fn shape(&self) -> &'a Shape {
        match self {
            Arg::Tensor(meta) => &meta.shape,
            Arg::Scalar(_) => &SCALAR_SHAPE,
        }
    }

    /// The dtype; a scalar's is the one it has on its own.
    pub fn dtype(&self) -> DType {
        match self {
            Arg::Tensor(meta) => meta.dtype,
            Arg::Scalar(scalar) => scalar.dtype(),
        }
    }
}

/// What the rules say of one use of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Inferred {
    /// The dtype its operands are cast to.
    pub compute: DType,
    /// Its results.
    pub outputs: SmallVec<[Meta; 1]>,
}

impl<'a> Call<'a> {
    /// A call, after checking what came from a user or off a wire.
    pub fn checked(op: &'static Op, inputs: &'a [Arg<'a>], attrs: &'a Attrs) -> Result<Self> {
        if op.variadic && inputs.is_empty() {
            return Err(Error::runtime("expected a non-empty list of tensors").within(op.name));
        }
        if !op.variadic && inputs.len() != op.inputs.len() {
            let (expected, found) = (op.inputs.len(), inputs.len());
            return Err(Error::type_(format!("{}: {expected} inputs, not {found}", op.name)));
        }
        if attrs.0.len() != op.attrs.len() {
            let (expected, found) = (op.attrs.len(), attrs.0.len());
            return Err(Error::type_(format!("{}: {expected} attributes, not {found}", op.name)));
        }
        for (spec, value) in op.attrs.iter().zip(&attrs.0) {
            spec.check(value).map_err(|error| error.within(op.name))?;
        }
        Ok(Call { op, inputs, attrs })
    }

    /// Dtypes and shapes of the results, or what is wrong with the call.
    pub fn infer(&self) -> Result<Inferred> {
        self.infer_bare().map_err(|error| error.within(self.op.name))
    }

    fn infer_bare(&self) -> Result<Inferred> {
        let compute = promote(self)?;
        let shapes = (self.op.shape)(self)?;
        debug_assert_eq!(shapes.len(), self.op.outputs.len());
        let mut outputs = smallvec![];
        for (output, shape) in self.op.outputs.iter().zip(shapes) {
            let dtype = match output.dtype {
                OutputType::Common => compute,
                OutputType::Is(dtype) => dtype,
                OutputType::Attr => self.dtype("dtype").unwrap_or(compute),
            };
            outputs.push(Meta { dtype, shape: shape.checked(dtype)? });
        }
        Ok(Inferred { compute, outputs })
    }

    /// The role of input `index`.
    pub fn role(&self, index: usize) -> Role {
        self.op.inputs[if self.op.variadic { 0 } else { index }].role
    }

    /// The shape of input `index`.
    pub fn shape(&self, index: usize) -> &'a Shape {
        self.inputs[index].shape()
    }

    /// The attribute called `name`.
    ///
    /// # Panics
    /// If the row has no such attribute: rows only ask for their own.
    pub fn attr(&self, name: &str) -> &'a Attr {
        let index = self.op.attrs.iter().position(|spec| spec.name == name);
        let index = index.unwrap_or_else(|| panic!("{} has no attribute {name}", self.op.name));
        &self.attrs.0[index]
    }

    /// The whole number called `name`; zero if it was not given.
    pub fn int(&self, name: &str) -> i64 {
        match self.attr(name) {
            Attr::Int(value) => *value,
            _ => 0,
        }
    }

    /// The yes-or-no called `name`.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.attr(name), Attr::Bool(true))
    }

    /// The list called `name`; empty if it was not given.
    pub fn ints(&self, name: &str) -> &'a [i64] {
        match self.attr(name) {
            Attr::Ints(values) => values,
            Attr::Int(value) => std::slice::from_ref(value),
            _ => &[],
        }
    }

    /// The number called `name`.
    pub fn number(&self, name: &str) -> Scalar {
        match *self.attr(name) {
            Attr::Bool(value) => Scalar::Bool(value),
            Attr::Int(value) => Scalar::Int(value),
            Attr::Float(value) => Scalar::Float(value),
            _ => Scalar::Int(0),
        }
    }

    /// The dtype called `name`, if it was given.
    pub fn dtype(&self, name: &str) -> Option<DType> {
        match self.attr(name) {
            Attr::DType(dtype) => Some(*dtype),
            _ => None,
        }
    }

    /// The axis that attribute `name` gives for input `index`.
    pub fn axis(&self, name: &str, index: usize) -> Result<usize> {
        self.shape(index).axis(self.int(name))
    }

    /// The axes that attribute `name` gives for input `index`; all if it was not given.
    pub fn axes(&self, name: &str, index: usize) -> Result<SmallVec<[usize; 4]>> {
        self.shape(index).axes(self.ints(name))
    }
}

impl Op {
    /// Whether a gradient can flow through it.
    pub fn is_differentiable(&self) -> bool {
        !std::ptr::fn_addr_eq(self.grad, NO_GRADIENT as fn(&Call) -> Vec<Expr>)
    }

    /// The defaults of all attributes; `None` if one must be given.
    pub fn default_attrs(&self) -> Option<Attrs> {
        self.attrs.iter().map(|spec| spec.default.clone()).collect::<Option<_>>().map(Attrs)
    }
}

/// The gradient of an operation that has none.
pub const NO_GRADIENT: fn(&Call) -> Vec<Expr> = no_gradient;

fn no_gradient(_: &Call) -> Vec<Expr> {
    Vec::new()
}

impl PartialEq for Op {
    fn eq(&self, other: &Op) -> bool {
        self.code == other.code
    }
}

impl std::fmt::Debug for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Sample {
    /// Tensors of these shapes, with numbers from the row's domain.
    pub fn of(shapes: &[&[usize]]) -> Self {
        let numbers = |&shape: &&[usize]| SampleInput::Numbers(shape.into());
        Sample { inputs: shapes.iter().map(numbers).collect(), attrs: Attrs::none() }
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
