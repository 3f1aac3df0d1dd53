//! Kernels written to be read: one element at a time, in double precision, by definition.

use std::cmp::Ordering;

use gt_core::expr::Term;
use gt_core::kernel::{
    BinaryFn, Diagonal, Distribution, Kernel, Random, ReduceFn, ScanFn, UnaryFn, WindowSpec,
};
use gt_core::philox::{
    fill_integers, fill_normal_f32, fill_normal_f64, fill_uniform_f32, fill_uniform_f64,
};
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
            Kernel::NonZero => nonzero(&inputs[0]),
            Kernel::Require(message) if inputs[1].data.contains(&0.0) => {
                return Err(Error::runtime(&**message));
            }
            Kernel::Require(_) => inputs[0].clone(),
            Kernel::Random(random) => numbers(random, out),
            Kernel::Fill(value) => Array::full(out, value.as_f64()),
            Kernel::Iota { start, step } => {
                let (start, step) = (start.as_f64(), step.as_f64());
                Array::from_fn(out, |at| start + step * at[0] as f64)
            }
            Kernel::Map(function) => {
                let dtype = inputs[0].meta.dtype;
                Array::from_fn(out, |at| map(*function, dtype, inputs[0].at(at)))
            }
            Kernel::Zip(function) => {
                let dtype = inputs[0].meta.dtype;
                if divides_by_zero(*function, &inputs[1], &out) {
                    return Err(Error::runtime("integer division by zero"));
                }
                Array::from_fn(out, |at| zip(*function, dtype, inputs[0].at(at), inputs[1].at(at)))
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
            Kernel::Diagonal(place) => diagonal(&inputs[0], place, out),
            Kernel::SliceWrite(ranges) => {
                let mut written = inputs[0].clone();
                for at in positions(&inputs[1].meta.shape) {
                    let to = ranges.iter().zip(&at).map(|(range, &at)| stepped(range, at));
                    *element(&mut written, &to.collect::<Vec<_>>()) = inputs[1].at(&at);
                }
                written
            }
            Kernel::Concat(axis) => Array::concat(&inputs.iter().collect::<Vec<_>>(), *axis),
            Kernel::Gather(_)
            | Kernel::Scatter { .. }
            | Kernel::Take(_)
            | Kernel::Put { .. }
            | Kernel::Ravel(_) => placed(kernel, &inputs, out)?,
            Kernel::TopK { .. }
            | Kernel::Sort { .. }
            | Kernel::Extreme { .. }
            | Kernel::ArgExtreme { .. } => return Ok(ordered(kernel, &inputs[0], outputs)),
            Kernel::Scan { with, axis } => scan(&inputs[0], *with, *axis, out),
            Kernel::Window(spec) => window(&inputs[0], spec, out),
            Kernel::Fold(spec) => fold(&inputs[0], spec, out),
            Kernel::Expansion => return Err(Error::bug("an expansion is not a kernel")),
        };
        Ok(vec![result])
    }
}

fn diagonal(input: &Array, place: &Diagonal, out: Meta) -> Array {
    Array::from_fn(out, |at| {
        let (along, others) = at.split_last().expect("a diagonal has an axis");
        let mut others = others.iter();
        let from = (0..input.meta.shape.rank()).map(|axis| {
            match place.axes.iter().position(|&own| own == axis) {
                Some(which) => place.start[which] + along,
                None => *others.next().expect("an axis that stays"),
            }
        });
        input.at(&from.collect::<Vec<_>>())
    })
}

/// Kernels that read or write where an index says.
fn placed(kernel: &Kernel, inputs: &[Array], out: Meta) -> Result<Array> {
    Ok(match kernel {
        Kernel::Gather(axis) => Array::from_fn(out, |at| {
            let mut from = at.to_vec();
            from[*axis] = inputs[1].at(at) as usize;
            inputs[0].at(&from)
        }),
        Kernel::Scatter { axis, add } => {
            let mut written = inputs[0].clone();
            for mut at in positions(&inputs[1].meta.shape) {
                let new = inputs[2].at(&at);
                at[*axis] = inputs[1].at(&at) as usize;
                write(&mut written, &at, new, *add);
            }
            rounded(written)
        }
        Kernel::Take(axis) => {
            let (x, index) = (&inputs[0], &inputs[1]);
            check(index, *axis, x.meta.shape[*axis], usize::MAX)?;
            Array::from_fn(out, |at| x.at(&taken(x, index, *axis, at)))
        }
        Kernel::Put { axis, add } => {
            let (base, index) = (&inputs[0], &inputs[1]);
            check(index, *axis, base.meta.shape[*axis], usize::MAX)?;
            let shape = [&base.meta.shape[..*axis], index.meta.shape.as_ref()].concat();
            let shape = [&shape[..], &base.meta.shape[axis + 1..]].concat();
            let mut written = base.clone();
            for at in positions(&Shape::from(&shape[..])) {
                let place = taken(base, index, *axis, &at);
                write(&mut written, &place, inputs[2].at(&at), *add);
            }
            rounded(written)
        }
        Kernel::Ravel(sizes) => {
            for (axis, (index, &size)) in inputs.iter().zip(sizes).enumerate() {
                check(index, axis, size, out.shape.count())?;
            }
            Array::from_fn(out, |at| {
                let axes = inputs.iter().zip(sizes);
                axes.fold(0.0, |place, (index, &size)| {
                    place * size as f64 + wrapped(index.at(at), size) as f64
                })
            })
        }
        other => return Err(Error::bug(format!("{other:?} has no index"))),
    })
}

/// Kernels that look for elements by their order.
fn ordered(kernel: &Kernel, input: &Array, outputs: &[Meta]) -> Vec<Array> {
    match kernel {
        Kernel::TopK { k, axis, largest } => topk(input, *k, *axis, *largest),
        Kernel::Sort { axis, descending } => {
            let size = input.meta.shape.get(*axis).copied().unwrap_or(1);
            topk(input, size, *axis, *descending)
        }
        Kernel::Extreme { axis, largest } => extreme(input, *axis, *largest, outputs),
        Kernel::ArgExtreme { axis: Some(axis), largest } => {
            extreme(input, *axis, *largest, outputs)
        }
        Kernel::ArgExtreme { axis: None, largest } => {
            let meta = Meta::new(input.meta.dtype, [input.data.len()]);
            let flat = Array { meta, data: input.data.clone() };
            extreme(&flat, 0, *largest, outputs)
        }
        other => panic!("{other:?} has no order"),
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

/// An index that may count from the end.
fn wrapped(index: f64, size: usize) -> usize {
    (if index < 0.0 { index + size as f64 } else { index }) as usize
}

/// Fails if an index names what is not there, unless nothing is asked for.
fn check(index: &Array, axis: usize, size: usize, asked: usize) -> Result<()> {
    let outside = |index: &&f64| **index < -(size as f64) || **index >= size as f64;
    match index.data.iter().find(outside) {
        Some(wrong) if asked > 0 => Err(Error::index(format!(
            "index {wrong} is out of bounds for dimension {axis} with size {size}"
        ))),
        _ => Ok(()),
    }
}

/// Where the element at a position of `Take`'s result comes from.
fn taken(x: &Array, index: &Array, axis: usize, at: &[usize]) -> Vec<usize> {
    let rank = index.meta.shape.rank();
    let place = wrapped(index.at(&at[axis..axis + rank]), x.meta.shape[axis]);
    [&at[..axis], &[place], &at[axis + rank..]].concat()
}

fn write(array: &mut Array, at: &[usize], new: f64, add: bool) {
    let old = element(array, at);
    *old = if add { *old + new } else { new };
}

fn map(function: UnaryFn, dtype: DType, x: f64) -> f64 {
    match function {
        UnaryFn::Neg => -x,
        UnaryFn::Abs => x.abs(),
        UnaryFn::Exp => x.exp(),
        UnaryFn::Log => x.ln(),
        UnaryFn::Sqrt => x.sqrt(),
        UnaryFn::Tanh => x.tanh(),
        UnaryFn::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        UnaryFn::Relu => x.max(0.0),
        UnaryFn::Sign => (x > 0.0) as u8 as f64 - (x < 0.0) as u8 as f64,
        UnaryFn::Floor => x.floor(),
        UnaryFn::Ceil => x.ceil(),
        UnaryFn::Round => x.round_ties_even(),
        UnaryFn::Trunc => x.trunc(),
        UnaryFn::Reciprocal => 1.0 / x,
        UnaryFn::Rsqrt => 1.0 / x.sqrt(),
        UnaryFn::Square => x * x,
        UnaryFn::Expm1 => x.exp_m1(),
        UnaryFn::Log1p => x.ln_1p(),
        UnaryFn::Log2 => x.log2(),
        UnaryFn::Sin => x.sin(),
        UnaryFn::Cos => x.cos(),
        UnaryFn::Tan => x.tan(),
        UnaryFn::Atan => x.atan(),
        UnaryFn::Erf => erf(x),
        UnaryFn::Gelu => x * ((erf(x * std::f64::consts::FRAC_1_SQRT_2) + 1.0) * 0.5),
        UnaryFn::Not if dtype == DType::Bool => 1.0 - x,
        UnaryFn::Not => !(x as i64) as f64,
        UnaryFn::IsNan => x.is_nan() as u8 as f64,
        UnaryFn::IsInf => x.is_infinite() as u8 as f64,
        UnaryFn::IsFinite => x.is_finite() as u8 as f64,
    }
}

/// The error function by its series, whose terms have one sign.
fn erf(x: f64) -> f64 {
    if x.abs() > 6.0 || x.is_nan() {
        return if x.is_nan() { x } else { 1f64.copysign(x) };
    }
    let (mut term, mut sum, mut k) = (x, x, 0.0);
    while term.abs() > 1e-20 {
        k += 1.0;
        term *= 2.0 * x * x / (2.0 * k + 1.0);
        sum += term;
    }
    std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

fn divides_by_zero(function: BinaryFn, divisor: &Array, out: &Meta) -> bool {
    use BinaryFn::*;
    let divides = matches!(function, FloorDiv | TruncDiv | Remainder | Fmod);
    let whole = divisor.meta.dtype.is_int() && out.shape.count() > 0;
    divides && whole && divisor.data.contains(&0.0)
}

fn zip(function: BinaryFn, dtype: DType, x: f64, y: f64) -> f64 {
    let bits = 8 * dtype.size() as i64;
    let (a, b) = (x as i64, y as i64);
    let within = (0..bits).contains(&b);
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
        BinaryFn::FloorDiv => (x / y).floor(),
        BinaryFn::TruncDiv => (x / y).trunc(),
        BinaryFn::Remainder if x % y != 0.0 && (x < 0.0) != (y < 0.0) => x % y + y,
        BinaryFn::Remainder | BinaryFn::Fmod => x % y,
        BinaryFn::And => (a & b) as f64,
        BinaryFn::Or => (a | b) as f64,
        BinaryFn::Xor => (a ^ b) as f64,
        BinaryFn::Shl if within => (a << b) as f64,
        BinaryFn::Shl => 0.0,
        BinaryFn::Shr => (a >> if within { b } else { 63 }) as f64,
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
        ReduceFn::Prod => group.iter().product(),
        ReduceFn::Any => group.iter().any(|x| *x != 0.0) as u8 as f64,
        ReduceFn::All => group.iter().all(|x| *x != 0.0) as u8 as f64,
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

/// NaN is the largest of all, and the zeros are equal.
fn compare(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
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
            true => compare(along(b), along(a)),
            false => compare(along(a), along(b)),
        });
        let place = order[at.get(axis).copied().unwrap_or(0)];
        (along(place), place as f64)
    };
    let values = Array::from_fn(Meta::new(input.meta.dtype, shape.clone()), |at| ranked(at).0);
    vec![values, Array::from_fn(Meta::new(DType::I64, shape), |at| ranked(at).1)]
}

/// The extreme elements, if `outputs` has a place for them, and where they are.
fn extreme(input: &Array, axis: usize, largest: bool, outputs: &[Meta]) -> Vec<Array> {
    let size = input.meta.shape.get(axis).copied().unwrap_or(1);
    let kept = match input.meta.shape.rank() {
        0 => input.meta.shape.clone(),
        _ => input.meta.shape.with(axis, 1),
    };
    let found: Vec<(f64, usize)> = positions(&kept)
        .map(|at| {
            let along = |n: usize| {
                let mut from = at.clone();
                from.iter_mut().skip(axis).take(1).for_each(|at| *at = n);
                input.at(&from)
            };
            (1..size).fold((along(0), 0), |(best, place), n| {
                let x = along(n);
                let wins = if largest { x > best } else { x < best };
                let wins = wins || (x.is_nan() && !best.is_nan());
                if wins { (x, n) } else { (best, place) }
            })
        })
        .collect();
    let [values, places] = [
        found.iter().map(|found| found.0).collect::<Vec<_>>(),
        found.iter().map(|found| found.1 as f64).collect(),
    ];
    match outputs {
        [first, second] => vec![
            Array { meta: first.clone(), data: values },
            Array { meta: second.clone(), data: places },
        ],
        _ => vec![Array { meta: outputs[0].clone(), data: places }],
    }
}

fn scan(input: &Array, with: ScanFn, axis: usize, out: Meta) -> Array {
    Array::from_fn(out, |at| {
        let mut from = at.to_vec();
        let last = at.get(axis).copied().unwrap_or(0);
        let numbers = (0..=last).map(|n| {
            from.iter_mut().skip(axis).take(1).for_each(|at| *at = n);
            input.at(&from)
        });
        let pick = |a: f64, b: f64, wins: bool| if a.is_nan() || wins { a } else { b };
        numbers
            .reduce(|a, b| match with {
                ScanFn::Sum => a + b,
                ScanFn::Prod => a * b,
                ScanFn::Max => pick(a, b, a > b),
                ScanFn::Min => pick(a, b, a < b),
            })
            .expect("there is a first element")
    })
}

fn nonzero(input: &Array) -> Array {
    let found = positions(&input.meta.shape).zip(&input.data).filter(|(_, value)| **value != 0.0);
    let found: Vec<Vec<usize>> = found.map(|(at, _)| at).collect();
    let meta = Meta::new(DType::I64, [found.len(), input.meta.shape.rank()]);
    Array::from_fn(meta, |at| found[at[0]][at[1]] as f64)
}

fn numbers(random: &Random, out: Meta) -> Array {
    let Random { distribution, seed, rng_index, whole, start } = random;
    let count = whole.count();
    let double = out.dtype == DType::F64;
    let (mut wide, mut narrow) = (vec![0.0; count], vec![0.0f32; count]);
    match distribution {
        Distribution::Uniform if double => fill_uniform_f64(*seed, *rng_index, 0, &mut wide),
        Distribution::Normal if double => fill_normal_f64(*seed, *rng_index, 0, &mut wide),
        Distribution::Uniform => fill_uniform_f32(*seed, *rng_index, 0, &mut narrow),
        Distribution::Normal => fill_normal_f32(*seed, *rng_index, 0, &mut narrow),
        Distribution::Integers { low, high } => {
            let mut whole = vec![0; count];
            fill_integers(*seed, *rng_index, 0, *low..*high, &mut whole);
            wide = whole.into_iter().map(|number| number as f64).collect();
        }
    }
    if !double && out.dtype.is_float() {
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
