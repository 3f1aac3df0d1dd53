//! The pair behind convolution and pooling: every position of a sliding window laid out, and its
//! adjoint, which adds up what overlaps.

use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::kernel::WindowSpec;
use gt_core::shape::{Meta, Shape};
use gt_worker::value::Value;
use gt_worker::value::strided::by_size;
use half::{bf16, f16};

use super::halves::Half;
use super::number::Number;
use super::tile::Shared;
use super::{Native, movement};

/// Sizes of the axes that the window slides over.
struct Geometry<'a> {
    spec: &'a WindowSpec,
    /// Sizes of the plane.
    plane: &'a [usize],
    /// Positions of the window along each axis.
    positions: &'a [usize],
    /// How many planes there are.
    planes: usize,
}

impl<'a> Geometry<'a> {
    fn new(spec: &'a WindowSpec, plane: &'a Shape, windows: &'a Shape) -> Result<Self> {
        let axes = spec.size.len();
        let wrong = || Error::bug(format!("a window of {spec:?} from {plane} to {windows}"));
        let lead = plane.rank().checked_sub(axes).ok_or_else(wrong)?;
        if windows.rank() != lead + 2 * axes || windows[..lead] != plane[..lead] {
            return Err(wrong());
        }
        let matches = |axis: usize| {
            windows[lead + axis] == spec.size[axis]
                && windows[lead + axes + axis] == spec.positions(axis, plane[lead + axis])
        };
        if !(0..axes).all(matches) {
            return Err(wrong());
        }
        Ok(Geometry {
            spec,
            plane: &plane[lead..],
            positions: &windows[lead + axes..],
            planes: plane[..lead].iter().product(),
        })
    }

    fn plane_len(&self) -> usize {
        self.plane.iter().product()
    }

    fn position_len(&self) -> usize {
        self.positions.iter().product()
    }

    fn window_len(&self) -> usize {
        self.spec.size.iter().product()
    }

    /// For one element of the window, calls `each` for every row of positions: where the row
    /// begins among the positions, which of its columns meet the plane, and where the first of
    /// these is in the plane. `None` if the whole row lies in the padding.
    fn for_rows(&self, element: usize, mut each: impl FnMut(usize, Option<(usize, usize, usize)>)) {
        let Some(last) = self.plane.len().checked_sub(1) else {
            return each(0, Some((0, 1, 0)));
        };
        let offsets = unravel(element, &self.spec.size);
        let columns = self.positions[last];
        let rows: usize = self.positions[..last].iter().product();
        let (left, right) = self.span(last, offsets[last]);
        for row in 0..rows {
            let index = unravel(row, &self.positions[..last]);
            let mut at = Some(0);
            for axis in 0..last {
                let place = self.place(axis, index[axis], offsets[axis]);
                at = at.zip(place).map(|(at, place)| at * self.plane[axis] + place);
            }
            let first = self.place(last, left, offsets[last]).filter(|_| left < right);
            let run = at.zip(first).map(|(at, first)| (left, right, at * self.plane[last] + first));
            each(row * columns, run);
        }
    }

    /// Where an element of the window at a position lies along an axis of the plane.
    fn place(&self, axis: usize, position: usize, offset: usize) -> Option<usize> {
        let at = position * self.spec.stride[axis] + offset * self.spec.dilation[axis];
        at.checked_sub(self.spec.padding[axis]).filter(|&at| at < self.plane[axis])
    }

    /// The positions at which an element of the window lies within the plane.
    fn span(&self, axis: usize, offset: usize) -> (usize, usize) {
        let stride = self.spec.stride[axis];
        let shift = offset * self.spec.dilation[axis];
        let padding = self.spec.padding[axis];
        let left = padding.saturating_sub(shift).div_ceil(stride);
        let right = (self.plane[axis] + padding).saturating_sub(shift).div_ceil(stride);
        (left.min(self.positions[axis]), right.min(self.positions[axis]))
    }
}

fn unravel(index: usize, sizes: &[usize]) -> smallvec::SmallVec<[usize; 4]> {
    let mut rest = index;
    let mut result = smallvec::SmallVec::from_elem(0, sizes.len());
    for (axis, &size) in sizes.iter().enumerate().rev() {
        result[axis] = rest % size;
        rest /= size;
    }
    result
}

/// Every position of the window: `[…, H, W]` to `[…, kH, kW, outH, outW]`.
pub fn window(native: &Native, spec: &WindowSpec, x: Value, out: &Meta) -> Result<Value> {
    let geometry = Geometry::new(spec, x.shape(), &out.shape)?;
    let x = movement::contiguous(native, &x)?;
    let (result, writer) = native.output(out)?;
    if out.shape.count() == 0 {
        return Ok(result);
    }
    let (elements, len) = (geometry.window_len(), geometry.position_len());
    by_size!(out.dtype.size(), T => {
        let source = Shared(x.as_ptr().cast_mut().cast::<T>());
        let target = Shared(writer.start.get().cast::<T>());
        native.split(geometry.planes * elements, len, |task| {
            let (plane, element) = (task / elements, task % elements);
            // SAFETY: a task reads one plane and writes one element of the window at every
            // position, which no other task does.
            let (from, to) = unsafe {
                let from = source.get().add(plane * geometry.plane_len());
                (
                    std::slice::from_raw_parts(from, geometry.plane_len()),
                    std::slice::from_raw_parts_mut(target.get().add(task * len), len),
                )
            };
            unfold(&geometry, element, from, to);
        });
    });
    Ok(result)
}

fn unfold<T: Copy + Default>(geometry: &Geometry, element: usize, from: &[T], to: &mut [T]) {
    let columns = geometry.positions.last().copied().unwrap_or(1);
    let stride = geometry.spec.stride.last().copied().unwrap_or(1);
    geometry.for_rows(element, |start, run| {
        let row = &mut to[start..start + columns];
        let Some((left, right, at)) = run else { return row.fill(T::default()) };
        row[..left].fill(T::default());
        row[right..].fill(T::default());
        if stride == 1 {
            return row[left..right].copy_from_slice(&from[at..at + right - left]);
        }
        for (column, to) in row[left..right].iter_mut().enumerate() {
            *to = from[at + column * stride];
        }
    });
}

/// The adjoint of [`window`]: `[…, kH, kW, outH, outW]` to `[…, H, W]`, adding what overlaps.
pub fn fold(native: &Native, spec: &WindowSpec, x: Value, out: &Meta) -> Result<Value> {
    let geometry = Geometry::new(spec, &out.shape, x.shape())?;
    let x = movement::contiguous(native, &x)?;
    let (result, writer) = native.output(out)?;
    macro_rules! add {
        ($type:ty, $wide:ty, $to_wide:expr, $from_wide:expr) => {
            add_up::<$type, $wide>(
                native,
                &geometry,
                x.slice().expect("it is contiguous and has this dtype"),
                writer.start.get().cast(),
                Types { wide: $to_wide, narrow: $from_wide },
            )
        };
    }
    match out.dtype {
        DType::U8 => add!(u8, u8, |x| x, |x| x),
        DType::I8 => add!(i8, i8, |x| x, |x| x),
        DType::I16 => add!(i16, i16, |x| x, |x| x),
        DType::I32 => add!(i32, i32, |x| x, |x| x),
        DType::I64 => add!(i64, i64, |x| x, |x| x),
        DType::F16 => add!(f16, f32, Half::widened, Half::rounded),
        DType::BF16 => add!(bf16, f32, Half::widened, Half::rounded),
        DType::F32 => add!(f32, f32, |x| x, |x| x),
        DType::F64 => add!(f64, f64, |x| x, |x| x),
        dtype => return Err(Error::bug(format!("there is no sum of windows for {dtype}"))),
    }
    Ok(result)
}

/// From the dtype to the one that is computed in, and back.
struct Types<T, W> {
    wide: fn(T) -> W,
    narrow: fn(W) -> T,
}

fn add_up<T: Copy + Sync, W: Number>(
    native: &Native,
    geometry: &Geometry,
    x: &[T],
    out: *mut T,
    Types { wide, narrow }: Types<T, W>,
) {
    let (elements, len) = (geometry.window_len(), geometry.position_len());
    let (size, target) = (geometry.plane_len(), Shared(out));
    let stride = geometry.spec.stride.last().copied().unwrap_or(1);
    native.split(geometry.planes, elements * len + size, |plane| {
        let mut sums = vec![W::ZERO; size];
        for element in 0..elements {
            let start = (plane * elements + element) * len;
            let from = &x[start..start + len];
            geometry.for_rows(element, |start, run| {
                let Some((left, right, at)) = run else { return };
                for (column, &x) in from[start + left..start + right].iter().enumerate() {
                    let sum = &mut sums[at + column * stride];
                    *sum = sum.plus(wide(x));
                }
            });
        }
        for (index, &sum) in sums.iter().enumerate() {
            // SAFETY: each plane of the output is written by one task.
            unsafe { target.get().add(plane * size + index).write(narrow(sum)) };
        }
    });
}
