//! One use of an operation, as the rules of its row see it.

use smallvec::SmallVec;

use crate::attrs::{Attr, Attrs, Key, Range};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::op::{Op, OutputType, Role};
use crate::ops::keys;
use crate::rules::promote::promote;
use crate::shape::{Meta, Shape};

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
            return Err(Error::value("expected a non-empty list of tensors").within(op.name));
        }
        if !op.variadic && inputs.len() != op.inputs.len() {
            let (expected, found) = (op.inputs.len(), inputs.len());
            return Err(Error::type_(format!("{}: {expected} inputs, not {found}", op.name)));
        }
        let number = inputs.iter().position(|input| matches!(input, Arg::Scalar(_)));
        if let Some(index) = number.filter(|_| !op.accepts_scalars) {
            let name = op.input(index).name;
            return Err(Error::type_(format!("{}: '{name}' must be a tensor", op.name)));
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
        let mut outputs = SmallVec::new();
        for (output, shape) in self.op.outputs.iter().zip(shapes) {
            let dtype = match output.dtype {
                OutputType::Common => compute,
                OutputType::Is(dtype) => dtype,
                OutputType::Position if self.flag(keys::OUT_INT32) => DType::I32,
                OutputType::Position => DType::I64,
                OutputType::Truth if compute == DType::U8 => DType::U8,
                OutputType::Truth => DType::Bool,
                OutputType::Attr => self.dtype(keys::DTYPE).unwrap_or(compute),
            };
            outputs.push(Meta { dtype, shape: shape.checked(dtype)? });
        }
        Ok(Inferred { compute, outputs })
    }

    /// The role of input `index`.
    pub fn role(&self, index: usize) -> Role {
        self.op.input(index).role
    }

    /// The shape of input `index`.
    pub fn shape(&self, index: usize) -> &'a Shape {
        self.inputs[index].shape()
    }

    /// Whether the row has this attribute.
    pub fn has<T: ?Sized>(&self, key: Key<T>) -> bool {
        self.op.attrs.iter().any(|spec| key.is_of(spec))
    }

    /// An attribute.
    ///
    /// # Panics
    /// If the row did not declare it.
    pub fn attr<T: ?Sized>(&self, key: Key<T>) -> &'a Attr {
        let index = self.op.attrs.iter().position(|spec| key.is_of(spec));
        let index =
            index.unwrap_or_else(|| panic!("{} did not declare '{}'", self.op.name, key.name()));
        &self.attrs.0[index]
    }

    /// A whole number; zero if it was not given.
    pub fn int(&self, key: Key<i64>) -> i64 {
        match self.attr(key) {
            Attr::Int(value) => *value,
            _ => 0,
        }
    }

    /// A floating point number; zero if it was not given.
    pub fn float(&self, key: Key<f64>) -> f64 {
        match self.attr(key) {
            Attr::Float(value) => *value,
            _ => 0.0,
        }
    }

    /// A yes-or-no.
    pub fn flag(&self, key: Key<bool>) -> bool {
        matches!(self.attr(key), Attr::Bool(true))
    }

    /// A list; empty if it was not given.
    pub fn ints(&self, key: Key<[i64]>) -> &'a [i64] {
        match self.attr(key) {
            Attr::Ints(values) => values,
            Attr::Int(value) => std::slice::from_ref(value),
            _ => &[],
        }
    }

    /// A number; zero if it was not given.
    pub fn number(&self, key: Key<Scalar>) -> Scalar {
        match *self.attr(key) {
            Attr::Bool(value) => Scalar::Bool(value),
            Attr::Int(value) => Scalar::Int(value),
            Attr::Float(value) => Scalar::Float(value),
            _ => Scalar::Int(0),
        }
    }

    /// A dtype, if it was given.
    pub fn dtype(&self, key: Key<DType>) -> Option<DType> {
        match self.attr(key) {
            Attr::DType(dtype) => Some(*dtype),
            _ => None,
        }
    }

    /// A word, if it was given.
    pub fn text(&self, key: Key<str>) -> Option<&'a str> {
        match self.attr(key) {
            Attr::Text(word) => Some(word),
            _ => None,
        }
    }

    /// A part of each axis.
    pub fn ranges(&self, key: Key<[Range]>) -> &'a [Range] {
        match self.attr(key) {
            Attr::Ranges(ranges) => ranges,
            _ => &[],
        }
    }

    /// The axis of input `index` that an attribute names.
    pub fn axis(&self, key: Key<i64>, index: usize) -> Result<usize> {
        self.shape(index).axis(self.int(key))
    }

    /// The axes of input `index` that an attribute names; all if it names none.
    pub fn axes(&self, key: Key<[i64]>, index: usize) -> Result<SmallVec<[usize; 4]>> {
        self.shape(index).axes(self.ints(key))
    }
}
