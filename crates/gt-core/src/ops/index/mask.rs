//! Masks as positions: `nonzero`, `masked_scatter`. `masked_fill` is in `elementwise/ternary.rs`.

use super::advanced::{index, index_write};
use crate::attrs::Attr;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Zero};
use crate::kernel::Kernel;
use crate::op::{Call, Input as In, Linear, Op, Output as Out, OutputType, Python, Role, Sample};
use crate::ops::codes;
use crate::ops::create::zeros;
use crate::ops::elementwise::ternary::where_;
use crate::ops::elementwise::unary::cast;
use crate::ops::family::MOVE;
use crate::ops::scan::CUMSUM;
use crate::ops::shape::axes::reshape;
use crate::ops::shape::repeat::expand;
use crate::shape::Shape;

static POSITIONS: [Out; 1] = [Out { name: "result", dtype: OutputType::Is(DType::I64) }];

pub static NONZERO: Op = Op {
    name: "nonzero",
    code: codes::NONZERO,
    doc: "The positions of the elements that are not zero, a row each.",
    outputs: &POSITIONS,
    shape: |call| Ok([[call.shape(0).count(), call.shape(0).rank()].into()].into()),
    data_dependent: true,
    linear: Linear::No,
    kernel: |_| Ok(Kernel::NonZero),
    python: Python::HIDDEN,
    samples: || vec![Sample::of(&[&[3, 4]]), Sample::of(&[&[]]), Sample::of(&[&[0, 2]])],
    ..MOVE
};

static MASKED: [In; 3] = [
    In { name: "input", role: Role::Operand },
    In { name: "mask", role: Role::Mask },
    In { name: "source", role: Role::Operand },
];

pub static MASKED_SCATTER: Op = Op {
    name: "masked_scatter",
    code: codes::MASKED_SCATTER,
    doc: "The tensor with the elements of another, one after another, where the mask holds.",
    inputs: &MASKED,
    shape: |call| {
        let [own, other] = [call.inputs[0].dtype(), call.inputs[2].dtype()];
        if own != other {
            return Err(Error::runtime(format!("the tensor is {own} and the source is {other}")));
        }
        Ok([masked(call)?].into())
    },
    grad: Some(|call| {
        let Ok(shape) = masked(call) else { return Vec::new() };
        let source = call.shape(2);
        let flat = zeros(&[source.count()].into(), call.inputs[2].dtype());
        let used = where_(Input(1), Grad(0), 0.0);
        let summed = index_write(flat, counted(&shape), used, 0, true);
        vec![where_(Input(1), 0.0, Grad(0)), Zero, reshape(summed, source)]
    }),
    linear: Linear::Together(&[0, 2]),
    kernel: |_| Ok(Kernel::Expansion),
    expansion: Some(|call| {
        let Ok(shape) = masked(call) else { return Vec::new() };
        let flat = reshape(Input(2), &[call.shape(2).count()].into());
        vec![where_(Input(1), index(flat, counted(&shape), 0), Input(0))]
    }),
    torch: "torch.masked_scatter",
    python: Python::IN_PLACE,
    samples: || {
        vec![
            Sample::of(&[&[2, 3]]).index(&[2, 3], 2).tensor(&[7]),
            Sample::of(&[&[2, 3]]).index(&[3], 2).tensor(&[3, 2]),
        ]
    },
    ..MOVE
};

fn masked(call: &Call) -> Result<Shape> {
    let (shape, mask) = (call.shape(0), call.shape(1));
    let both = shape.broadcast(mask);
    both.ok_or_else(|| Error::runtime(format!("cannot broadcast {shape} with {mask}")))
}

/// For each true element of the mask the number of true elements before it; zero elsewhere.
fn counted(shape: &Shape) -> Expr {
    let mask = expand(Input(1), shape);
    let flat = reshape(cast(mask.clone(), DType::I64), &[shape.count()].into());
    let total = Expr::apply(&CUMSUM, [flat], [Attr::Int(0), Attr::None]);
    let one = Expr::Number(1i64.into());
    where_(mask, reshape(total - one, shape), Expr::Number(0i64.into()))
}
