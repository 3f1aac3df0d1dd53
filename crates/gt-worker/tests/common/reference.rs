//! Kernels written to be read: one element at a time, in double precision, by definition.

use gt_core::expr::Term;
use gt_core::kernel::{BinaryFn, Distribution, Kernel, Random, ReduceFn, UnaryFn, WindowSpec};
use gt_core::philox::{fill_normal_f32, fill_normal_f64, fill_uniform_f32, fill_uniform_f64};
use gt_core::{DType, Error, Meta, Result, Shape};

use super::Kernels;
use super::array::{Array, positions};

/// The kernels by definition.
pub struct Reference;

impl Kernels for Reference {
    fn run(&self, kernel: &Kernel, inputs: &[Term<Array>], outputs: &[Meta]) -> Result<Vec<Array>> {
        let dtype = inputs.iter().find_map(|input| match input {
            Term::Value(value) if value.meta.dtype != DType::Bool => Some(value.meta.dtype),
            _ => None,
        });
        let inputs: Vec<Array> = inputs.iter().map(|input| array(input, dtype)).collect();
        let out = outputs[0].clone();
        let result = match kernel {
            Kernel::TopK { k, axis, largest } => return Ok(topk(&inputs[0], *k, *axis, *largest)),
            Kernel::NonZero => nonzero(&inputs[0]),
            Kernel::Random(random) => numbers(random, out),
            Kernel::Fill(value) => Array::full(out, value.as_f64()),
            Kernel::Iota { start, step } => {
                let (start, step) = (start.as_f64(), step.as_f64());
                Array::from_fn(out, |at| start + step * at[0] as f64)
            }
            Kernel::Map(function) => Array::from_fn(out, |at| map(*function, inputs[0].at(at))),
            Kernel::Zip(function) => {
                Array::from_fn(out, |at| zip(*function, inputs[0].at(at), inputs[1].at(at)))
            }
            Kernel::Where => Array::from_fn(out, |at| {
                if inputs[0].at(at) != 0.0 { inputs[1].at(at) } else { inputs[2].at(at) }
            }),
            Kernel::Cast | Kernel::Expand => Array::from_fn(out, |at| inputs[0].at(at)),
            Kernel::Reshape => Array { meta: out, data: inputs[0].data.clone() },
            Kernel::Reduce { with, axes } => reduce(&inputs[0], *with, axes, out),
            Kernel::Matmul => matmul(&inputs[0], &inputs[1], out),
            Kernel::Permute(axes) => Array::from_fn(out, |at| {
                let mut from = at.to_vec();
                axes.iter().zip(at).for_each(|(&axis, &at)| from[axis] = at);
                inputs[0].at(&from)
            }),
            Kernel::Slice(ranges) => Array::from_fn(out, |at| {
                let from = ranges.iter().zip(at).map(|(range, &at)| stepped(range, at));
                inputs[0].at(&from.collect::<Vec<_>>())
            }),
            Kernel::SliceWrite(ranges) => {
                let mut written = inputs[0].clone();
                for at in positions(&inputs[1].meta.shape) {
                    let to = ranges.iter().zip(&at).map(|(range, &at)| stepped(range, at));
                    *element(&mut written, &to.collect::<Vec<_>>()) = inputs[1].at(&at);
                }
                written
            }
            Kernel::Concat(axis) => Array::concat(&inputs.iter().collect::<Vec<_>>(), *axis),
            Kernel::Gather(axis) => Array::from_fn(out, |at| {
                let mut from = at.to_vec();
                from[*axis] = inputs[1].at(at) as usize;
                inputs[0].at(&from)
            }),
            Kernel::ScatterAdd(axis) => {
                let mut sum = inputs[0].clone();
                for mut at in positions(&inputs[1].meta.shape) {
                    let added = inputs[2].at(&at);
                    at[*axis] = inputs[1].at(&at) as usize;
                    *element(&mut sum, &at) += added;
                }
                rounded(sum)
            }
            Kernel::Window(spec) => window(&inputs[0], spec, out),
            Kernel::Fold(spec) => fold(&inputs[0], spec, out),
            Kernel::Expansion => return Err(Error::bug("an expansion is not a kernel")),
        };
        Ok(vec![result])
    }
}

/// A number of the program takes the dtype of the tensors beside it.
fn array(input: &Term<Array>, dtype: Option<DType>) -> Array {
    match input {
        Term::Value(value) => value.clone(),
        Term::Scalar(scalar) => {
            let meta = Meta::new(dtype.unwrap_or(scalar.dtype()), []);
            Array::full(meta, scalar.as_f64())
        }
        Term::Zero => Array::full(Meta::new(dtype.unwrap_or(DType::F64), []), 0.0),
    }
}

fn element<'a>(array: &'a mut Array, at: &[usize]) -> &'a mut f64 {
    let sizes = array.meta.shape.iter().zip(at);
    let place = sizes.fold(0, |place, (&size, &at)| place * size + at);
    &mut array.data[place]
}

fn stepped(range: &gt_core::attrs::Range, at: usize) -> usize {
    (range.start as i64 + range.step * at as i64) as usize
}

fn map(function: UnaryFn, x: f64) -> f64 {
    match function {
        UnaryFn::Neg => -x,
        UnaryFn::Abs => x.abs(),
        UnaryFn::Exp => x.exp(),
        UnaryFn::Log => x.ln(),
        UnaryFn::Sqrt => x.sqrt(),
        UnaryFn::Tanh => x.tanh(),
        UnaryFn::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        UnaryFn::Relu => x.max(0.0),
    }
}

fn zip(function: BinaryFn, x: f64, y: f64) -> f64 {
    match function {
        BinaryFn::Add => x + y,
        BinaryFn::Sub => x - y,
        BinaryFn::Mul => x * y,
        BinaryFn::Div => x / y,
        BinaryFn::Pow => x.powf(y),
        BinaryFn::Max => x.max(y),
        BinaryFn::Min => x.min(y),
        BinaryFn::Eq => (x == y) as u8 as f64,
        BinaryFn::Ne => (x != y) as u8 as f64,
        BinaryFn::Lt => (x < y) as u8 as f64,
        BinaryFn::Le => (x <= y) as u8 as f64,
        BinaryFn::Gt => (x > y) as u8 as f64,
        BinaryFn::Ge => (x >= y) as u8 as f64,
    }
}

fn reduce(input: &Array, with: ReduceFn, axes: &[usize], out: Meta) -> Array {
    let shape = &input.meta.shape;
    let kept = shape.reduced(axes, true);
    let mut groups = vec![Vec::new(); kept.count()];
    for (at, &value) in positions(shape).zip(&input.data) {
        let place = at.iter().zip(kept.iter());
        let place = place.fold(0, |n, (&at, &size)| n * size + if size == 1 { 0 } else { at });
        groups[place].push(value);
    }
    let combine = |group: &Vec<f64>| match with {
        ReduceFn::Sum => group.iter().sum(),
        ReduceFn::Mean => group.iter().sum::<f64>() / group.len() as f64,
        ReduceFn::Max => group.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ReduceFn::Min => group.iter().copied().fold(f64::INFINITY, f64::min),
    };
    let mut results = groups.iter().map(combine);
    Array::from_fn(out, |_| results.next().expect("one for each group"))
}

fn matmul(left: &Array, right: &Array, out: Meta) -> Array {
    let inner = *left.meta.shape.last().expect("a matrix");
    let rank = out.shape.rank();
    Array::from_fn(out, |at| {
        let term = |k: usize| {
            let (mut row, mut column) = (at.to_vec(), at.to_vec());
            row[rank - 1] = k;
            column[rank - 2] = k;
            left.at(&row) * right.at(&column)
        };
        (0..inner).map(term).sum()
    })
}

fn topk(input: &Array, k: usize, axis: usize, largest: bool) -> Vec<Array> {
    let shape = if input.meta.shape.rank() == 0 {
        input.meta.shape.clone()
    } else {
        input.meta.shape.with(axis, k)
    };
    let size = input.meta.shape.get(axis).copied().unwrap_or(1);
    let ranked = |at: &[usize]| {
        let along = |n: usize| {
            let mut from = at.to_vec();
            from.iter_mut().skip(axis).take(1).for_each(|at| *at = n);
            input.at(&from)
        };
        let mut order: Vec<usize> = (0..size).collect();
        // Stable, so that of equals the first is found first.
        order.sort_by(|&a, &b| match largest {
            true => along(b).total_cmp(&along(a)),
            false => along(a).total_cmp(&along(b)),
        });
        let place = order[at.get(axis).copied().unwrap_or(0)];
        (along(place), place as f64)
    };
    let values = Array::from_fn(Meta::new(input.meta.dtype, shape.clone()), |at| ranked(at).0);
    vec![values, Array::from_fn(Meta::new(DType::I64, shape), |at| ranked(at).1)]
}

fn nonzero(input: &Array) -> Array {
    let found = positions(&input.meta.shape).zip(&input.data).filter(|(_, value)| **value != 0.0);
    let found: Vec<Vec<usize>> = found.map(|(at, _)| at).collect();
    let meta = Meta::new(DType::I64, [found.len(), input.meta.shape.rank()]);
    Array::from_fn(meta, |at| found[at[0]][at[1]] as f64)
}

fn numbers(random: &Random, out: Meta) -> Array {
    let Random { distribution, seed, stream, whole, start } = random;
    let count = whole.count();
    let double = out.dtype == DType::F64;
    let (mut wide, mut narrow) = (vec![0.0; count], vec![0.0f32; count]);
    match distribution {
        Distribution::Uniform if double => fill_uniform_f64(*seed, *stream, 0, &mut wide),
        Distribution::Normal if double => fill_normal_f64(*seed, *stream, 0, &mut wide),
        Distribution::Uniform => fill_uniform_f32(*seed, *stream, 0, &mut narrow),
        Distribution::Normal => fill_normal_f32(*seed, *stream, 0, &mut narrow),
    }
    if !double {
        wide = narrow.into_iter().map(f64::from).collect();
    }
    let all = Array { meta: Meta::new(DType::F64, whole.clone()), data: wide };
    Array::from_fn(out, |at| {
        all.at(&at.iter().zip(start).map(|(at, start)| at + start).collect::<Vec<_>>())
    })
}

/// Where the elements of a window come from, for a position `[…, in window, of window]`.
fn source(spec: &WindowSpec, at: &[usize], shape: &Shape) -> Option<Vec<usize>> {
    let axes = spec.size.len();
    let lead = at.len() - 2 * axes;
    let mut from = at[..lead].to_vec();
    for axis in 0..axes {
        let (inside, of) = (at[lead + axis], at[lead + axes + axis]);
        let place = of * spec.stride[axis] + inside * spec.dilation[axis];
        from.push(place.checked_sub(spec.padding[axis])?);
    }
    from.iter().zip(shape.iter()).all(|(at, size)| at < size).then_some(from)
}

fn window(input: &Array, spec: &WindowSpec, out: Meta) -> Array {
    let shape = &input.meta.shape;
    Array::from_fn(out, |at| source(spec, at, shape).map_or(0.0, |from| input.at(&from)))
}

fn fold(input: &Array, spec: &WindowSpec, out: Meta) -> Array {
    let mut sum = Array::full(out, 0.0);
    for at in positions(&input.meta.shape) {
        if let Some(to) = source(spec, &at, &sum.meta.shape.clone()) {
            *element(&mut sum, &to) += input.at(&at);
        }
    }
    rounded(sum)
}

/// Sums as the dtype has them: whole numbers wrap around.
fn rounded(sum: Array) -> Array {
    let mut elements = sum.data.iter();
    Array::from_fn(sum.meta.clone(), |_| *elements.next().expect("one for each position"))
}
