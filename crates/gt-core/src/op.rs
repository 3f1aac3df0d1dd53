//! The row: everything there is to know about an operation, as data.

use smallvec::SmallVec;

use crate::attrs::{AttrSpec, Attrs};
pub use crate::call::{Arg, Call, Inferred};
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::Expr;
use crate::kernel::Kernel;
use crate::rules::precision;
use crate::rules::promote::Promotion;
use crate::rules::shard::{Factors, Part, localise};
pub(crate) use crate::sample::ints;
pub use crate::sample::{Domain, Sample, SampleInput};
use crate::shape::Shape;
use crate::whole::Whole;

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
    /// Whether numbers may stand in the place of tensors.
    pub accepts_scalars: bool,
    /// The dtype it computes in.
    pub promotion: Promotion,
    /// The gradient of each input as a formula; `None` if no gradient flows through. An input that
    /// has none (such as an index) is given [`Expr::Zero`].
    pub grad: Option<fn(&Call) -> Vec<Expr>>,
    /// Whether its result is a view of its first input.
    pub view: View,
    /// Which axes may be cut, and what becomes of the result.
    pub shard: fn(&Call) -> Factors,
    /// The attributes with which a worker computes its part of the call, from those of the whole
    /// call and what of each cut index the worker has.
    pub localise: fn(&Call, &[Part]) -> Attrs,
    /// In which inputs it is linear: only there a partial sum may pass.
    pub linear: Linear,
    /// Whether it reads only the shape of its first input, beside which its results are put.
    pub reads_shape_only: bool,
    /// What an engine does for it.
    pub kernel: fn(&Call) -> Result<Kernel>,
    /// The same in other operations, one formula for each result. It is read through
    /// [`Op::expansions`], which gives halves their casts.
    pub expansion: Option<fn(&Call) -> Vec<Expr>>,
    /// What its expansion comes to in one piece, for engines that take it so.
    pub whole: Option<fn(&Call) -> Result<Whole>>,
    /// Whether it is computed by its expansion where its own signatures would have cut inputs
    /// moved, even if it has a kernel.
    pub expands_when_cut: bool,
    /// What `autocast` does with its inputs.
    pub autocast: Autocast,
    /// The name PyTorch gives it, as the tests look it up: `torch.exp`, `Tensor.relu`.
    pub torch: &'static str,
    /// The name of NumPy's function that does the same, where NumPy calls it neither by the name of
    /// the row nor by one of PyTorch's others.
    pub numpy: Option<&'static str>,
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
    /// int64, or int32 if the attribute `out_int32` says so.
    Position,
    /// Bool, but uint8 for uint8: PyTorch's truths were bytes once, and these still are.
    Truth,
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
    /// In this one if the others are numbers: parts divided by a zero in a tensor are infinities of
    /// either sign, which have no sum.
    ByNumbers(usize),
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

/// Whether a result is a view of the first input: whether a write to one is seen in the other.
#[derive(Clone, Copy, Debug)]
pub enum View {
    /// A value of its own.
    No,
    /// A view that cannot be written through.
    ReadOnly,
    /// The base after `Grad(0)` was written through the view of `Input(0)`.
    Writable(fn(&Call) -> Expr),
    /// The same if the elements can stay where they are; otherwise a value of its own.
    IfPossible(fn(&Call) -> Expr),
    /// The same only if the elements of the input lie in a row.
    IfContiguous(fn(&Call) -> Expr),
}

/// How Python programs call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Python {
    /// As `tensor.name(…)`.
    pub method: bool,
    /// As `gt.name(…)`.
    pub function: bool,
    /// As `tensor.name_(…)`, which writes the result into the tensor, or each of several into the
    /// input at its place. If the result is a view, the tensor is that view from there on.
    pub in_place: bool,
    /// As an operator: the word between the underscores of `__add__`.
    pub operator: Option<&'static str>,
    /// The order of inputs and attributes in a call; empty if the inputs come first.
    pub order: &'static [&'static str],
    /// PyTorch's other names for it, with which it has the same forms.
    pub also: &'static [&'static str],
    /// The operation that the same word means when more is given.
    pub variant: Option<Variant>,
}

/// What a word means with one more parameter: `add` with `alpha`, `median` with `dim`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The parameter. It is given by its name, or as the first beyond those of the plain operation.
    pub parameter: &'static str,
    /// The operation.
    pub op: &'static Op,
}

impl Python {
    /// Method and function.
    pub const BOTH: Python = Python {
        method: true,
        function: true,
        in_place: false,
        operator: None,
        order: &[],
        also: &[],
        variant: None,
    };
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

    /// The same, where a parameter makes it another operation.
    pub const fn with(self, parameter: &'static str, op: &'static Op) -> Python {
        Python { variant: Some(Variant { parameter, op }), ..self }
    }

    /// The same with other names.
    pub const fn also(self, also: &'static [&'static str]) -> Python {
        Python { also, ..self }
    }
}

impl Op {
    /// What is known of input `index`.
    pub fn input(&self, index: usize) -> &'static Input {
        &self.inputs[if self.variadic { 0 } else { index }]
    }

    /// Whether a part is computed as the whole is, wherever it is in the whole.
    pub fn is_alike_everywhere(&self) -> bool {
        let unchanged: fn(&Call, &[Part]) -> Attrs = localise::unchanged;
        std::ptr::fn_addr_eq(self.localise, unchanged)
    }

    /// Whether a gradient can flow through it.
    pub fn is_differentiable(&self) -> bool {
        self.grad.is_some()
    }

    /// Whether its expansion is recorded in its place where a gradient is wanted: it computes
    /// floats, and has no formulas of its own for their gradients.
    pub fn records_expansion(&self) -> bool {
        let is_float = |output: &Output| output.dtype == OutputType::Common;
        self.grad.is_none() && self.expansion.is_some() && self.outputs.iter().all(is_float)
    }

    /// The results of a call in other operations; empty if it has no expansion.
    pub fn expansions(&self, call: &Call) -> Vec<Expr> {
        self.expansion.map_or_else(Vec::new, |write| precision::expansion(call, write(call)))
    }

    /// The gradient of each input of a call as a formula; empty if no gradient flows through.
    pub fn gradients(&self, call: &Call) -> Vec<Expr> {
        self.grad.map_or_else(Vec::new, |write| precision::gradients(call, write(call)))
    }

    /// What Python programs call it: its name, and PyTorch's other ones.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.python.also.iter().copied())
    }

    /// The defaults of all attributes; `None` if one must be given.
    pub fn default_attrs(&self) -> Option<Attrs> {
        self.attrs.iter().map(|spec| spec.default.clone()).collect::<Option<_>>().map(Attrs)
    }
}

impl PartialEq for Op {
    fn eq(&self, other: &Op) -> bool {
        self.code == other.code
    }
}

impl Eq for Op {}

impl std::fmt::Debug for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
