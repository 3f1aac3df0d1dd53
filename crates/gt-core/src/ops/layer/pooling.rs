//! Pooling: the maximum or the mean of each window.

use super::convolution::both;
use super::window::{fold, window};
use crate::attrs::{Attr, AttrSpec, Range};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::Expr::{self, Grad, Input, Output as Out, Zero};
use crate::kernel::WindowSpec;
use crate::op::{
    Call, Domain, Input as In, Linear, Op, Output, OutputType, Python, Role, Sample, ints,
};
use crate::ops::create::{FULL, zeros};
use crate::ops::family::COMPOSITE;
use crate::ops::index::gather::gather;
use crate::ops::index::scatter::scatter_add;
use crate::ops::reduce::extreme::MAX_ALONG;
use crate::ops::reduce::sum::sum;
use crate::ops::shape::axes::reshape;
use crate::ops::shape::repeat::expand;
use crate::ops::shape::slice::{slice, slice_write};
use crate::ops::{codes, keys};
use crate::rules::promote::Promotion;
use crate::rules::shard;
use crate::shape::Shape;
use crate::whole::Whole;

static MAX_ATTRS: [AttrSpec; 4] = [
    keys::KERNEL_SIZE.required(),
    keys::STRIDE.required(),
    keys::PADDING.or(0),
    keys::DILATION.or(1),
];
static FOUND: [Output; 2] = [
    Output { name: "values", dtype: OutputType::Common },
    Output { name: "places", dtype: OutputType::Is(DType::I64) },
];

pub static MAX_POOL2D: Op = Op {
    name: "max_pool2d_with_places",
    code: codes::MAX_POOL2D,
    doc: "The largest element under each position of a window, and its place in the window.",
    attrs: &MAX_ATTRS,
    outputs: &FOUND,
    promotion: Promotion::Common,
    shape: |call| {
        let pool = Pool::of(call)?;
        Ok([pool.result.clone(), pool.result].into_iter().collect())
    },
    shard: |call| shard::leading(call, 2),
    grad: Some(|call| match Pool::of(call) {
        Ok(pool) => {
            let size = Attr::from(&pool.images[2..]);
            let window = [keys::KERNEL_SIZE, keys::STRIDE, keys::PADDING, keys::DILATION];
            let attrs = [size].into_iter().chain(window.map(|key| call.attr(key).clone()));
            vec![Expr::apply(&MAX_POOL2D_GRAD, [Grad(0), Out(1)], attrs)]
        }
        Err(_) => Vec::new(),
    }),
    expansion: Some(|call| match Pool::of(call) {
        Ok(pool) => {
            let windows = pool.windows(Input(0), call.inputs[0].dtype());
            let found = Expr::apply(&MAX_ALONG, [windows], [Attr::Int(2), false.into()]);
            vec![found.clone(), found.result(1)]
        }
        Err(_) => Vec::new(),
    }),
    whole: Some(|call| Ok(Whole::MaxPool(Pool::of(call)?.small()?))),
    domain: Domain::Distinct,
    python: Python::FUNCTION,
    samples: || {
        let of =
            |shape: &[usize], attrs: [[i64; 2]; 4]| Sample::of(&[shape]).attrs(attrs.map(ints));
        vec![
            of(&[1, 1, 2, 6], [[2, 3], [2, 3], [0, 0], [1, 1]]),
            of(&[2, 2, 4, 6], [[2, 3], [2, 3], [0, 0], [1, 1]]),
            of(&[1, 2, 5, 5], [[3, 3], [2, 1], [1, 1], [1, 1]]),
            of(&[1, 1, 6, 5], [[2, 2], [1, 2], [1, 0], [2, 1]]),
        ]
    },
    ..COMPOSITE
};

static MAX_GRAD_INPUTS: [In; 2] =
    [In { name: "grad", role: Role::Operand }, In { name: "places", role: Role::Index }];
static MAX_GRAD_ATTRS: [AttrSpec; 5] = [
    keys::OUTPUT_SIZE.required(),
    keys::KERNEL_SIZE.required(),
    keys::STRIDE.required(),
    keys::PADDING.or(0),
    keys::DILATION.or(1),
];

pub static MAX_POOL2D_GRAD: Op = Op {
    name: "max_pool2d_grad",
    code: codes::MAX_POOL2D_GRAD,
    doc: "The gradient of the images of `max_pool2d_with_places`, which goes to those places.",
    inputs: &MAX_GRAD_INPUTS,
    attrs: &MAX_GRAD_ATTRS,
    promotion: Promotion::Common,
    shape: |call| Ok([Pool::of_gradient(call)?.images].into()),
    shard: |call| shard::leading(call, 2),
    linear: Linear::Each(&[0]),
    grad: Some(|call| match Pool::of_gradient(call) {
        Ok(pool) => {
            let windows = pool.windows(Grad(0), call.inputs[0].dtype());
            let found = gather(windows, reshape(Input(1), &pool.one()), 2);
            vec![reshape(found, &pool.result), Zero]
        }
        Err(_) => Vec::new(),
    }),
    expansion: Some(|call| match Pool::of_gradient(call) {
        Ok(pool) => vec![pool.gradient(call.inputs[0].dtype(), Input(0), Input(1))],
        Err(_) => Vec::new(),
    }),
    whole: Some(|call| Ok(Whole::MaxPoolGrad(Pool::of_gradient(call)?.small()?))),
    python: Python::HIDDEN,
    samples: || {
        let of = |shape: &[usize], attrs: [[i64; 2]; 5]| {
            let below = attrs[1][0] * attrs[1][1];
            Sample::of(&[shape]).index(shape, below as usize).attrs(attrs.map(ints))
        };
        vec![
            of(&[1, 1, 1, 2], [[2, 6], [2, 3], [2, 3], [0, 0], [1, 1]]),
            of(&[2, 2, 2, 2], [[4, 6], [2, 3], [2, 3], [0, 0], [1, 1]]),
        ]
    },
    ..COMPOSITE
};

static AVG_ATTRS: [AttrSpec; 4] = [
    keys::KERNEL_SIZE.required(),
    keys::STRIDE.required(),
    keys::PADDING.or(0),
    keys::COUNT_INCLUDE_PAD.or(true),
];

pub static AVG_POOL2D: Op = Op {
    name: "avg_pool2d_of_windows",
    code: codes::AVG_POOL2D,
    doc: "The mean of the elements under each position of a window.",
    attrs: &AVG_ATTRS,
    shape: |call| Ok([Pool::of(call)?.result].into()),
    shard: |call| shard::leading(call, 2),
    linear: Linear::Each(&[0]),
    grad: Some(|call| match Pool::of(call) {
        Ok(pool) => vec![pool.spread(call)],
        Err(_) => Vec::new(),
    }),
    expansion: Some(|call| match Pool::of(call) {
        Ok(pool) => vec![pool.mean(call, Input(0))],
        Err(_) => Vec::new(),
    }),
    python: Python::FUNCTION,
    samples: || {
        let of = |shape: &[usize], attrs: [[i64; 2]; 3], whole: bool| {
            let [size, stride, padding] = attrs.map(ints);
            Sample::of(&[shape]).attrs([size, stride, padding, whole.into()])
        };
        vec![
            of(&[2, 2, 4, 6], [[2, 3], [2, 3], [0, 0]], true),
            of(&[1, 2, 5, 5], [[3, 3], [2, 1], [1, 1]], true),
            of(&[1, 2, 5, 5], [[3, 3], [2, 1], [1, 1]], false),
        ]
    },
    ..COMPOSITE
};

/// A window over images (N, C, H, W).
struct Pool {
    spec: WindowSpec,
    images: Shape,
    result: Shape,
}

impl Pool {
    fn of(call: &Call) -> Result<Self> {
        Pool::over(call, call.shape(0))
    }

    /// The window over images of the size given, whose result has the shape of the gradient.
    fn of_gradient(call: &Call) -> Result<Self> {
        let (grad, places) = (call.shape(0), call.shape(1));
        if !call.inputs[0].dtype().is_float() {
            return Err(Error::runtime("only floats have gradients"));
        }
        let size = Shape::given(call.ints(keys::OUTPUT_SIZE))?.checked(call.inputs[0].dtype())?;
        let images: Shape = grad.iter().take(2).chain(size.iter()).copied().collect();
        let pool = Pool::over(call, &images)?;
        if pool.result != *grad || grad != places {
            return Err(Error::runtime(format!(
                "images {images} have no gradients {grad} with places {places}"
            )));
        }
        Ok(pool)
    }

    fn over(call: &Call, images: &Shape) -> Result<Self> {
        let &[count, channels, height, width] = &**images else {
            return Err(Error::runtime(format!("expected images (N, C, H, W), not {images}")));
        };
        let dilated = call.has(keys::DILATION);
        let spec = WindowSpec {
            size: both(call.ints(keys::KERNEL_SIZE), 1)?,
            stride: both(call.ints(keys::STRIDE), 1)?,
            padding: both(call.ints(keys::PADDING), 0)?,
            dilation: both(if dilated { call.ints(keys::DILATION) } else { &[1] }, 1)?,
        };
        let spec = spec.checked()?;
        let wide = |axis: usize| 2 * spec.padding[axis] > spec.size[axis];
        if wide(0) || wide(1) {
            return Err(Error::runtime("the padding is more than half of the window"));
        }
        let (rows, columns) = (spec.positions(0, height), spec.positions(1, width));
        if rows == 0 || columns == 0 {
            return Err(Error::runtime(format!("a window of {:?} leaves {images}", spec.size)));
        }
        let result = [count, channels, rows, columns].into();
        Ok(Pool { spec, images: images.clone(), result })
    }

    /// The window, if every float dtype can count its positions exactly.
    fn small(self) -> Result<WindowSpec> {
        match self.size() <= 1 << 20 {
            true => Ok(self.spec),
            false => Err(Error::bug("so large a window is not computed in one piece")),
        }
    }

    fn size(&self) -> usize {
        self.spec.size[0] * self.spec.size[1]
    }

    /// (N, C, elements of the window, rows, columns)
    fn flat(&self) -> Shape {
        let [count, channels, rows, columns] = self.result[..] else { unreachable!("four sizes") };
        [count, channels, self.size(), rows, columns].into()
    }

    /// (N, C, kH, kW, rows, columns)
    fn unrolled(&self) -> Shape {
        let [count, channels, rows, columns] = self.result[..] else { unreachable!("four sizes") };
        [count, channels, self.spec.size[0], self.spec.size[1], rows, columns].into()
    }

    /// The shape of the padded images.
    fn padded(&self) -> Shape {
        let grown = |axis: usize| self.images[2 + axis] + 2 * self.spec.padding[axis];
        [self.images[0], self.images[1], grown(0), grown(1)].into()
    }

    fn unpadded(&self) -> WindowSpec {
        WindowSpec { padding: [0, 0].into_iter().collect(), ..self.spec.clone() }
    }

    /// The position of the images within their padding.
    fn inside(&self) -> Vec<Range> {
        let mut ranges: Vec<Range> = self.images.iter().map(|&size| Range::all(size)).collect();
        ranges[2].start = self.spec.padding[0];
        ranges[3].start = self.spec.padding[1];
        ranges
    }

    /// The elements of each window; padding is the smallest value of the dtype.
    fn windows(&self, images: Expr, dtype: DType) -> Expr {
        if self.spec.padding.iter().all(|&padding| padding == 0) {
            return reshape(window(images, &self.spec), &self.flat());
        }
        let least = match dtype.is_float() {
            true => Attr::Float(f64::NEG_INFINITY),
            false if matches!(dtype, DType::Bool | DType::U8) => Attr::Int(0),
            false => Attr::Int(i64::MIN >> (64 - 8 * dtype.size())),
        };
        let sizes = Attr::Ints(self.padded().to_ints());
        let border = Expr::apply(&FULL, [], [sizes, least, dtype.into()]);
        let padded = slice_write(border, images, self.inside());
        reshape(window(padded, &self.unpadded()), &self.flat())
    }

    /// (N, C, 1, rows, columns)
    fn one(&self) -> Shape {
        let [count, channels, rows, columns] = self.result[..] else { unreachable!("four sizes") };
        [count, channels, 1, rows, columns].into()
    }

    /// The gradient by the images, which goes to the largest element of each window.
    fn gradient(&self, dtype: DType, grad: Expr, places: Expr) -> Expr {
        let (zeros, one) = (zeros(&self.flat(), dtype), self.one());
        let spread = scatter_add(zeros, reshape(places, &one), reshape(grad, &one), 2);
        let unrolled = reshape(spread, &self.unrolled());
        let padded = fold(unrolled, &self.unpadded(), &self.padded()[2..]);
        slice(padded, self.inside())
    }

    /// The number of elements of each window.
    fn counts(&self, call: &Call) -> Expr {
        if call.flag(keys::COUNT_INCLUDE_PAD) {
            return (self.size() as f64).into();
        }
        let shape: Shape = [1, 1, self.images[2], self.images[3]].into();
        let dtype = call.inputs[0].dtype();
        let ones = [Attr::Ints(shape.to_ints()), Attr::Int(1), dtype.into()];
        sum(window(Expr::apply(&FULL, [], ones), &self.spec), &[2, 3], false)
    }

    fn mean(&self, call: &Call, images: Expr) -> Expr {
        sum(window(images, &self.spec), &[2, 3], false) / self.counts(call)
    }

    fn spread(&self, call: &Call) -> Expr {
        let [count, channels, rows, columns] = self.result[..] else { unreachable!("four sizes") };
        let each =
            reshape(Grad(0) / self.counts(call), &[count, channels, 1, 1, rows, columns].into());
        let unrolled = expand(each, &self.unrolled());
        fold(unrolled, &self.spec, &self.images[2..])
    }
}
