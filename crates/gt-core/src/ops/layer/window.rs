//! Sliding windows and their adjoint, from which convolution and pooling are made.

use smallvec::SmallVec;

use crate::attrs::{Attr, AttrSpec};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad};
use crate::kernel::{Axes, Kernel, WindowSpec};
use crate::op::{Call, Op, Python, Sample, ints};
use crate::ops::family::MOVE;
use crate::ops::{codes, keys};
use crate::rules::shard;
use crate::shape::{MAX_BYTES, Shape};

mod halo;

static WINDOW_ATTRS: [AttrSpec; 4] = [
    keys::SIZE.required(),
    keys::STRIDE.required(),
    keys::PADDING.required(),
    keys::DILATION.required(),
];

pub static WINDOW: Op = Op {
    name: "window",
    code: codes::WINDOW,
    doc: "Every position of a window that slides over the last axes.",
    attrs: &WINDOW_ATTRS,
    shape: |call| {
        let (spec, shape) = (window_spec(call)?, call.shape(0));
        let lead = spatial_lead(&spec, shape)?;
        let positions = (0..spec.size.len()).map(|axis| spec.positions(axis, shape[lead + axis]));
        let sizes = shape[..lead].iter().copied().chain(spec.size.iter().copied());
        Ok([sizes.chain(positions).collect()].into())
    },
    grad: Some(|call| match window_spec(call) {
        Ok(spec) => {
            let lead = call.shape(0).rank() - spec.size.len();
            vec![fold(Grad(0), &spec, &call.shape(0)[lead..])]
        }
        Err(_) => Vec::new(),
    }),
    shard: |call| {
        let axes = call.ints(keys::SIZE).len();
        shard::leading(call, call.shape(0).rank().saturating_sub(axes))
    },
    kernel: |call| Ok(Kernel::Window(window_spec(call)?.into())),
    expansion: Some(|call| {
        window_spec(call).map_or_else(|_| Vec::new(), |spec| vec![halo::window(call, &spec)])
    }),
    expands_when_cut: true,
    python: Python::HIDDEN,
    samples: || {
        let of =
            |shape: &[usize], attrs: [[i64; 2]; 4]| Sample::of(&[shape]).attrs(attrs.map(ints));
        vec![
            of(&[2, 5, 4], [[3, 2], [1, 1], [0, 0], [1, 1]]),
            of(&[1, 2, 5, 6], [[3, 3], [2, 1], [1, 2], [1, 2]]),
        ]
    },
    ..MOVE
};

static FOLD_ATTRS: [AttrSpec; 5] = [
    keys::OUTPUT_SIZE.required(),
    keys::SIZE.required(),
    keys::STRIDE.required(),
    keys::PADDING.required(),
    keys::DILATION.required(),
];

pub static FOLD: Op = Op {
    name: "fold",
    code: codes::FOLD,
    doc: "The sum of overlapping windows; the adjoint of `window`.",
    attrs: &FOLD_ATTRS,
    shape: |call| {
        let (spec, shape) = (window_spec(call)?, call.shape(0));
        if call.inputs[0].dtype() == DType::Bool {
            return Err(Error::runtime("bool tensors have no sums; cast first"));
        }
        let output = Shape::given(call.ints(keys::OUTPUT_SIZE))?.checked(call.inputs[0].dtype())?;
        let axes = spec.size.len();
        let positions: Axes =
            (0..axes.min(output.rank())).map(|axis| spec.positions(axis, output[axis])).collect();
        let expected = spec.size.iter().chain(&positions);
        let lead = shape.rank().checked_sub(2 * axes).filter(|_| output.rank() == axes);
        match lead {
            Some(lead) if shape[lead..].iter().eq(expected) => {
                Ok([shape[..lead].iter().chain(output.iter()).copied().collect()].into())
            }
            _ => Err(Error::runtime(format!("windows of shape {shape} do not fold to {output}"))),
        }
    },
    grad: Some(|call| match window_spec(call) {
        Ok(spec) => vec![window(Grad(0), &spec)],
        Err(_) => Vec::new(),
    }),
    shard: |call| {
        let axes = call.ints(keys::SIZE).len();
        shard::leading(call, call.shape(0).rank().saturating_sub(2 * axes))
    },
    kernel: |call| Ok(Kernel::Fold(window_spec(call)?.into())),
    expansion: Some(|call| {
        window_spec(call).map_or_else(|_| Vec::new(), |spec| vec![halo::fold(call, &spec)])
    }),
    expands_when_cut: true,
    python: Python::HIDDEN,
    samples: || {
        let of =
            |shape: &[usize], attrs: [[i64; 2]; 5]| Sample::of(&[shape]).attrs(attrs.map(ints));
        vec![of(&[2, 3, 2, 3, 3], [[5, 4], [3, 2], [1, 1], [0, 0], [1, 1]])]
    },
    ..MOVE
};

/// The windows of a tensor.
pub fn window(input: Expr, spec: &WindowSpec) -> Expr {
    Expr::apply(&WINDOW, [input], spec_attrs(spec))
}

/// The sum of overlapping windows, in a tensor whose spatial axes have these sizes.
pub fn fold(input: Expr, spec: &WindowSpec, output_size: &[usize]) -> Expr {
    let attrs = [Attr::from(output_size)].into_iter().chain(spec_attrs(spec));
    Expr::apply(&FOLD, [input], attrs)
}

fn spec_attrs(spec: &WindowSpec) -> [Attr; 4] {
    [&spec.size, &spec.stride, &spec.padding, &spec.dilation].map(|axes| axes.as_slice().into())
}

fn window_spec(call: &Call) -> Result<WindowSpec> {
    let size = positive(call.ints(keys::SIZE), 1)?;
    let spec = WindowSpec {
        stride: positive(call.ints(keys::STRIDE), 1)?,
        padding: positive(call.ints(keys::PADDING), 0)?,
        dilation: positive(call.ints(keys::DILATION), 1)?,
        size,
    };
    spec.checked()
}

impl WindowSpec {
    /// Refuses a window whose attributes are for different numbers of axes.
    pub fn checked(self) -> Result<Self> {
        let axes = self.size.len();
        let alike = [&self.stride, &self.padding, &self.dilation].iter().all(|a| a.len() == axes);
        if alike && axes > 0 {
            return Ok(self);
        }
        Err(Error::runtime("size, stride, padding and dilation need a number for each axis"))
    }
}

/// Integers of at least `least`, small enough that a product of three does not overflow.
pub fn positive(values: &[i64], least: i64) -> Result<Axes> {
    let limit = (MAX_BYTES as f64).cbrt() as i64;
    let check = |&value: &i64| {
        if (least..=limit).contains(&value) {
            return Ok(value as usize);
        }
        Err(Error::runtime(format!("{value} is not between {least} and {limit}")))
    };
    values.iter().map(check).collect::<Result<SmallVec<_>>>()
}

fn spatial_lead(spec: &WindowSpec, shape: &Shape) -> Result<usize> {
    let axes = spec.size.len();
    let lead = shape.rank().checked_sub(axes);
    let fits = |lead: usize| (0..axes).all(|axis| spec.positions(axis, shape[lead + axis]) > 0);
    match lead {
        Some(lead) if fits(lead) => Ok(lead),
        _ => Err(Error::runtime(format!("a window of {:?} does not fit {shape}", spec.size))),
    }
}
