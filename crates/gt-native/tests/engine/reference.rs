//! What the tests compare with: tensors as lists of numbers, and random tensors with odd strides.

use gt_core::dtype::{DType, Scalar};
use gt_core::kernel::Kernel;
use gt_core::shape::Meta;
use gt_native::Native;
use gt_worker::buffer::Pool;
use gt_worker::engine::{Engine, Operand, Operands};
use gt_worker::value::{Strides, Value};
use half::{bf16, f16};

/// One element: exact for every dtype.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    Int(i64),
    Float(f64),
}

impl Cell {
    pub fn float(self) -> f64 {
        match self {
            Cell::Int(x) => x as f64,
            Cell::Float(x) => x,
        }
    }

    pub fn int(self) -> i64 {
        match self {
            Cell::Int(x) => x,
            Cell::Float(x) => x as i64,
        }
    }

    /// Equal, or both NaN.
    pub fn same(self, other: Cell) -> bool {
        match (self, other) {
            (Cell::Float(a), Cell::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
            (a, b) => a == b,
        }
    }

    pub fn close(self, other: Cell, tolerance: f64) -> bool {
        let (a, b) = (self.float(), other.float());
        self.same(other) || (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1e-30)
    }
}

/// A number as an element of a dtype, rounded or wrapped as it must be.
pub fn store(dtype: DType, cell: Cell) -> Cell {
    match dtype {
        DType::Bool => Cell::Int(i64::from(cell.float() != 0.0)),
        DType::U8 => Cell::Int(i64::from(cell.int() as u8)),
        DType::I8 => Cell::Int(i64::from(cell.int() as i8)),
        DType::I16 => Cell::Int(i64::from(cell.int() as i16)),
        DType::I32 => Cell::Int(i64::from(cell.int() as i32)),
        DType::I64 => Cell::Int(cell.int()),
        DType::F16 => Cell::Float(f16::from_f32(single(cell)).to_f64()),
        DType::BF16 => Cell::Float(bf16::from_f32(single(cell)).to_f64()),
        DType::F32 => Cell::Float(f64::from(single(cell))),
        DType::F64 => Cell::Float(cell.float()),
        other => panic!("{other}"),
    }
}

fn single(cell: Cell) -> f32 {
    match cell {
        Cell::Int(x) => x as f32,
        Cell::Float(x) => x as f32,
    }
}

pub fn encode(dtype: DType, cell: Cell) -> Vec<u8> {
    match dtype {
        DType::Bool | DType::U8 => vec![cell.int() as u8],
        DType::I8 => vec![cell.int() as u8],
        DType::I16 => (cell.int() as i16).to_ne_bytes().to_vec(),
        DType::I32 => (cell.int() as i32).to_ne_bytes().to_vec(),
        DType::I64 => cell.int().to_ne_bytes().to_vec(),
        DType::F16 => f16::from_f64(cell.float()).to_ne_bytes().to_vec(),
        DType::BF16 => bf16::from_f64(cell.float()).to_ne_bytes().to_vec(),
        DType::F32 => (cell.float() as f32).to_ne_bytes().to_vec(),
        DType::F64 => cell.float().to_ne_bytes().to_vec(),
        other => panic!("{other}"),
    }
}

pub fn decode(dtype: DType, bytes: &[u8]) -> Cell {
    macro_rules! read {
        ($type:ty) => {
            <$type>::from_ne_bytes(bytes.try_into().unwrap())
        };
    }
    match dtype {
        DType::Bool | DType::U8 => Cell::Int(read!(u8).into()),
        DType::I8 => Cell::Int(read!(i8).into()),
        DType::I16 => Cell::Int(read!(i16).into()),
        DType::I32 => Cell::Int(read!(i32).into()),
        DType::I64 => Cell::Int(read!(i64)),
        DType::F16 => Cell::Float(read!(f16).to_f64()),
        DType::BF16 => Cell::Float(read!(bf16).to_f64()),
        DType::F32 => Cell::Float(read!(f32).into()),
        DType::F64 => Cell::Float(read!(f64)),
        other => panic!("{other}"),
    }
}

/// A tensor as a list of numbers, row by row.
#[derive(Clone, Debug)]
pub struct Plain {
    pub meta: Meta,
    pub cells: Vec<Cell>,
}

impl Plain {
    pub fn new(dtype: DType, shape: &[usize], of: impl FnMut(usize) -> Cell) -> Plain {
        let meta = Meta::new(dtype, shape);
        let cells = (0..meta.shape.count()).map(of).map(|cell| store(dtype, cell)).collect();
        Plain { meta, cells }
    }

    pub fn of_value(value: &Value) -> Plain {
        let size = value.dtype().size();
        let bytes = value.to_bytes();
        let cells = bytes.chunks(size).map(|bytes| decode(value.dtype(), bytes)).collect();
        Plain { meta: value.meta().clone(), cells }
    }

    pub fn value(&self, native: &Native) -> Value {
        let bytes: Vec<u8> =
            self.cells.iter().flat_map(|&cell| encode(self.meta.dtype, cell)).collect();
        let mut target = native.pool().take(bytes.len()).unwrap();
        target.bytes_mut().unwrap().copy_from_slice(&bytes);
        Value::new(self.meta.clone(), target)
    }

    /// The element at an index that broadcasts to this shape.
    pub fn at(&self, index: &[usize]) -> Cell {
        let missing = index.len() - self.meta.shape.rank();
        let mut position = 0;
        for (axis, &size) in self.meta.shape.iter().enumerate() {
            let index = if size == 1 { 0 } else { index[axis + missing] };
            position = position * size + index;
        }
        self.cells[position]
    }
}

/// All indices of a shape, row by row.
pub fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for &size in shape {
        all = all
            .into_iter()
            .flat_map(|index: Vec<usize>| (0..size).map(move |last| [&index[..], &[last]].concat()))
            .collect();
    }
    all
}

/// Random choices from a seed.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    pub fn shape(&mut self, most_axes: usize, most: usize) -> Vec<usize> {
        let rank = self.below(most_axes + 1);
        (0..rank).map(|_| if self.below(12) == 0 { 0 } else { 1 + self.below(most) }).collect()
    }

    /// Small numbers, with a special one now and then.
    pub fn cell(&mut self, dtype: DType) -> Cell {
        let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1.0, -1.0];
        match dtype {
            DType::Bool => Cell::Int(self.below(2) as i64),
            _ if dtype.is_int() => store(dtype, Cell::Int(self.next() as i64)),
            _ if self.below(10) == 0 => Cell::Float(self.pick(&special)),
            _ => store(dtype, Cell::Float(self.below(20_001) as f64 / 1000.0 - 10.0)),
        }
    }

    pub fn tame(&mut self, dtype: DType) -> Cell {
        match dtype {
            DType::Bool => Cell::Int(self.below(2) as i64),
            _ if dtype.is_int() => store(dtype, Cell::Int(self.below(21) as i64 - 10)),
            _ => store(dtype, Cell::Float(self.below(2001) as f64 / 1000.0 - 1.0)),
        }
    }

    /// A tensor with strides of any kind: in another order, backwards, with gaps, or repeated.
    pub fn view(&mut self, native: &Native, plain: &Plain) -> Value {
        if self.below(3) == 0 {
            return plain.value(native);
        }
        let shape = &plain.meta.shape;
        let mut order: Vec<usize> = (0..shape.rank()).collect();
        for axis in (1..order.len()).rev() {
            order.swap(axis, self.below(axis + 1));
        }
        let mut strides: Strides = Strides::from_elem(0, shape.rank());
        let (mut span, mut first) = (1, 0);
        for &axis in &order {
            let step = span * self.pick(&[1, 1, 1, 2, 3]);
            let backwards = self.below(4) == 0;
            let reach = step * shape[axis].saturating_sub(1);
            strides[axis] = if backwards { -(step as isize) } else { step as isize };
            first += if backwards { reach } else { 0 };
            span = (reach + step).max(1);
        }
        let dtype = plain.meta.dtype;
        let mut cells = vec![Cell::Int(1); span];
        for (index, &cell) in indices(shape).iter().zip(&plain.cells) {
            let steps = index.iter().zip(&strides).map(|(&index, &step)| index as isize * step);
            cells[(first as isize + steps.sum::<isize>()) as usize] = cell;
        }
        let whole = Plain { meta: Meta::new(dtype, [span]), cells };
        whole.value(native).into_view(shape.clone(), strides, first)
    }

    pub fn plain(&mut self, dtype: DType, shape: &[usize]) -> Plain {
        Plain::new(dtype, shape, |_| self.cell(dtype))
    }

    /// A shape that broadcasts to `shape`.
    pub fn narrower(&mut self, shape: &[usize]) -> Vec<usize> {
        let skip = self.below(shape.len() + 1) / 2;
        shape[skip..].iter().map(|&size| if self.below(3) == 0 { 1 } else { size }).collect()
    }
}

pub fn native(threads: usize) -> Native {
    crate::cpu::select();
    Native::new(Pool::patterned(4 << 30, 0xFF), threads).unwrap()
}

pub fn tensors(values: impl IntoIterator<Item = Value>) -> Operands {
    values.into_iter().map(Operand::Tensor).collect()
}

pub fn run(native: &Native, kernel: &Kernel, inputs: Operands, out: Meta) -> Value {
    let mut results = native.run(kernel, inputs, std::slice::from_ref(&out)).unwrap();
    let result = results.pop().unwrap();
    assert_eq!(result.meta(), &out);
    result
}

pub fn scalar_cell(scalar: Scalar) -> Cell {
    match scalar {
        Scalar::Float(x) => Cell::Float(x),
        other => Cell::Int(other.as_i64()),
    }
}

pub fn assert_same(found: &Value, expected: &Plain) {
    let found = Plain::of_value(found);
    assert_eq!(found.meta, expected.meta);
    for (index, (a, b)) in found.cells.iter().zip(&expected.cells).enumerate() {
        assert!(a.same(*b), "element {index} of {}: {a:?}, not {b:?}", found.meta);
    }
}

pub fn assert_close(found: &Value, expected: &Plain, tolerance: f64) {
    let found = Plain::of_value(found);
    assert_eq!(found.meta, expected.meta);
    for (index, (a, b)) in found.cells.iter().zip(&expected.cells).enumerate() {
        assert!(a.close(*b, tolerance), "element {index} of {}: {a:?}, not {b:?}", found.meta);
    }
}

/// The same for what is right to a share of one where it is small.
pub fn assert_near(found: &Value, expected: &Plain, tolerance: f64) {
    let found = Plain::of_value(found);
    assert_eq!(found.meta, expected.meta);
    for (index, (a, b)) in found.cells.iter().zip(&expected.cells).enumerate() {
        let near = (a.float() - b.float()).abs() <= tolerance || a.close(*b, tolerance);
        assert!(near, "element {index} of {}: {a:?}, not {b:?}", found.meta);
    }
}

/// The precision of a dtype.
pub fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 1e-3,
        DType::BF16 => 8e-3,
        DType::F32 => 1.2e-7,
        DType::F64 => 2.3e-16,
        _ => 0.0,
    }
}
