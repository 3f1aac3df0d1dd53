//! A tensor on this worker: a strided view of a buffer that several values may share.

pub mod strided;

use std::sync::Arc;

use bytes::Bytes;
use gt_core::dtype::DType;
use gt_core::error::{Error, Result};
use gt_core::shape::{Meta, Shape};
use gt_transport::batch::INLINE_BYTES;
use half::{bf16, f16};
use smallvec::SmallVec;

use crate::account::Account;
use crate::buffer::{Buffer, Pool};
use strided::Walk;

/// The distance in elements between neighbours along each axis.
pub type Strides = SmallVec<[isize; 4]>;

/// A Rust type that elements can be read as.
pub trait Element: Copy + Send + Sync + Default + 'static {
    /// Whether elements of this dtype have this type.
    fn fits(dtype: DType) -> bool;
}

macro_rules! elements {
    ($($type:ty: $($dtype:ident)|+;)*) => {
        $(impl Element for $type {
            #[inline]
            fn fits(dtype: DType) -> bool {
                matches!(dtype, $(DType::$dtype)|+)
            }
        })*
    };
}

elements! {
    // A boolean is a byte that is zero or one.
    u8: Bool | U8;
    i8: I8;
    i16: I16;
    i32: I32;
    i64: I64;
    f16: F16;
    bf16: BF16;
    f32: F32;
    f64: F64;
}

/// A strided view of a shared buffer. Every element it names lies within the buffer.
#[derive(Debug)]
pub struct Value {
    meta: Meta,
    strides: Strides,
    /// The position of the first element in the buffer, in elements.
    offset: usize,
    buffer: Arc<Buffer>,
}

impl Clone for Value {
    #[inline]
    fn clone(&self) -> Self {
        // A short list is copied as a whole; its own `clone` goes element by element.
        let strides = Strides::from_slice(&self.strides);
        let (meta, buffer) = (self.meta.clone(), Arc::clone(&self.buffer));
        Value { meta, strides, offset: self.offset, buffer }
    }
}

/// The strides of rows stored one after another.
#[inline]
fn row_major(shape: &Shape) -> Strides {
    let mut few = [0; 4];
    if shape.rank() > few.len() {
        return shape.strides();
    }
    let mut step = 1;
    for (axis, &size) in shape.iter().enumerate().rev() {
        few[axis] = step;
        step *= size.max(1) as isize;
    }
    Strides::from_buf_and_len(few, shape.rank())
}

impl Value {
    /// A value that fills a buffer, row by row.
    ///
    /// # Panics
    /// If the buffer has too few bytes, or is not aligned for the dtype.
    #[inline]
    pub fn new(meta: Meta, buffer: Buffer) -> Self {
        assert!(buffer.len() >= meta.bytes(), "{meta} in {} bytes", buffer.len());
        assert!(is_aligned(&buffer, meta.dtype), "{meta} is not aligned");
        let strides = row_major(&meta.shape);
        Value { meta, strides, offset: 0, buffer: Arc::new(buffer) }
    }

    /// A value whose elements came in a message. They are copied only if they are not aligned, or
    /// hold booleans that are neither zero nor one, or if whoever has them pays for memory: what is
    /// small lies in a larger message, which would stay with it.
    pub fn from_bytes(meta: Meta, bytes: Bytes, pool: &Arc<Pool>) -> Result<Self> {
        if bytes.len() != meta.bytes() {
            let (expected, found) = (meta.bytes(), bytes.len());
            return Err(Error::value(format!("{meta} needs {expected} bytes, not {found}")));
        }
        let strange = meta.dtype == DType::Bool && bytes.iter().any(|&byte| byte > 1);
        let buffer = Buffer::shared(bytes);
        let is_charged = buffer.len() <= INLINE_BYTES && Account::current().is_some();
        if is_aligned(&buffer, meta.dtype) && !strange && !is_charged {
            return Ok(Value::new(meta, buffer));
        }
        let mut copy = pool.take(meta.bytes())?;
        let target = copy.bytes_mut().expect("a pooled buffer is writable");
        target.copy_from_slice(buffer.bytes());
        if strange {
            target.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        Ok(Value::new(meta, copy))
    }

    /// Another view of the same buffer.
    ///
    /// # Panics
    /// If an element of the view would lie outside of the buffer.
    #[inline]
    pub fn view(&self, shape: Shape, strides: Strides, offset: usize) -> Self {
        self.clone().into_view(shape, strides, offset)
    }

    /// As [`Value::view`], but a buffer that was not shared stays so.
    #[inline]
    pub fn into_view(self, shape: Shape, strides: Strides, offset: usize) -> Self {
        assert_eq!(shape.rank(), strides.len());
        let (mut lowest, mut highest) = (offset as isize, offset as isize);
        for (&size, &stride) in shape.iter().zip(&strides) {
            let reach = stride * size.saturating_sub(1) as isize;
            lowest += reach.min(0);
            highest += reach.max(0);
        }
        let count = (self.buffer.len() / self.meta.dtype.size()) as isize;
        let within = lowest >= 0 && highest < count;
        assert!(within || shape.count() == 0, "a view of {shape} leaves its buffer");
        let meta = Meta { dtype: self.meta.dtype, shape };
        Value { meta, strides, offset, buffer: self.buffer }
    }

    /// Its dtype and shape.
    #[inline]
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The type of its elements.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.meta.dtype
    }

    /// The size along each axis.
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.meta.shape
    }

    /// How many elements it has.
    #[inline]
    pub fn count(&self) -> usize {
        self.meta.shape.count()
    }

    /// The distance in elements between neighbours along each axis.
    #[inline]
    pub fn strides(&self) -> &Strides {
        &self.strides
    }

    /// The position of the first element in the buffer, in elements.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The buffer it is a view of.
    #[inline]
    pub fn buffer(&self) -> &Arc<Buffer> {
        &self.buffer
    }

    /// Whether its elements lie one after another, row by row.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        for (&size, &stride) in self.meta.shape.iter().zip(&self.strides).rev() {
            if size != 1 && stride != expected {
                return self.count() == 0;
            }
            expected *= size as isize;
        }
        true
    }

    /// Whether nobody else holds its buffer, so that it may be written.
    #[inline]
    pub fn is_unique(&mut self) -> bool {
        self.as_mut_ptr().is_some()
    }

    /// Where its first element is.
    #[inline]
    pub fn as_ptr(&self) -> *const u8 {
        // An empty view may begin anywhere, also outside of the buffer.
        self.buffer.as_ptr().wrapping_add(self.offset * self.meta.dtype.size())
    }

    /// Where its first element is, to be written; `None` if others hold the buffer.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> Option<*mut u8> {
        // A plain look first: asking for the buffer itself locks it for a moment.
        if Arc::strong_count(&self.buffer) != 1 {
            return None;
        }
        let start = self.offset * self.meta.dtype.size();
        Some(Arc::get_mut(&mut self.buffer)?.as_mut_ptr()?.wrapping_add(start))
    }

    /// Its elements, if they lie one after another and have this type.
    pub fn slice<T: Element>(&self) -> Option<&[T]> {
        if !T::fits(self.meta.dtype) || !self.is_contiguous() {
            return None;
        }
        if self.count() == 0 {
            return Some(&[]);
        }
        // SAFETY: the elements lie within the buffer (checked at construction) and are aligned.
        Some(unsafe { std::slice::from_raw_parts(self.as_ptr().cast(), self.count()) })
    }

    /// Its elements to be written, if they lie one after another and nobody else holds them.
    pub fn slice_mut<T: Element>(&mut self) -> Option<&mut [T]> {
        if !T::fits(self.meta.dtype) || !self.is_contiguous() {
            return None;
        }
        let count = self.count();
        let start = self.as_mut_ptr()?;
        if count == 0 {
            return Some(&mut []);
        }
        // SAFETY: as for `slice`, and nobody else holds the buffer.
        Some(unsafe { std::slice::from_raw_parts_mut(start.cast(), count) })
    }

    /// Its elements as bytes, row by row. They are copied only if they do not lie so already.
    pub fn to_bytes(&self) -> Bytes {
        let bytes = self.meta.bytes();
        if bytes == 0 {
            return Bytes::new();
        }
        if self.is_contiguous() {
            let start = self.offset * self.meta.dtype.size();
            return Bytes::from_owner(Held { buffer: Arc::clone(&self.buffer), start, bytes });
        }
        let mut copy = Copied { words: vec![0; bytes.div_ceil(8)], bytes };
        let walk = Walk::new(self.shape(), [&self.shape().strides(), &self.strides]);
        // SAFETY: the copy has room for every element, and the view lies within its buffer.
        unsafe {
            let target = copy.words.as_mut_ptr().cast();
            strided::copy(self.dtype().size(), &walk, target, self.as_ptr());
        }
        Bytes::from_owner(copy)
    }
}

/// Part of a buffer, as bytes of a message.
struct Held {
    buffer: Arc<Buffer>,
    start: usize,
    bytes: usize,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.buffer.bytes()[self.start..self.start + self.bytes]
    }
}

/// A copy made of words, so that it is aligned for every dtype.
struct Copied {
    words: Vec<u64>,
    bytes: usize,
}

impl AsRef<[u8]> for Copied {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the words have at least this many bytes, and live as long as `self`.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.bytes) }
    }
}

#[inline]
fn is_aligned(buffer: &Buffer, dtype: DType) -> bool {
    (buffer.as_ptr() as usize).is_multiple_of(dtype.size().min(8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(shape: &[usize]) -> Value {
        let meta = Meta::new(DType::I32, shape);
        let bytes: Vec<u8> = (0..meta.shape.count() as i32).flat_map(i32::to_ne_bytes).collect();
        Value::from_bytes(meta, bytes.into(), &Pool::new(1 << 20)).unwrap()
    }

    #[test]
    fn a_message_is_copied_only_if_it_must_be() {
        let pool = Pool::new(1 << 20);
        let words = Bytes::from_owner(Copied { words: vec![0x0101; 4], bytes: 32 });
        let meta = Meta::new(DType::F32, [7]);
        let value = Value::from_bytes(meta.clone(), words.slice(4..), &pool).unwrap();
        assert_eq!(value.as_ptr(), words[4..].as_ptr());
        let value = Value::from_bytes(meta.clone(), words.slice(1..29), &pool).unwrap();
        assert_ne!(value.as_ptr(), words[1..].as_ptr());
        assert_eq!(value.to_bytes(), words.slice(1..29));
        Value::from_bytes(meta, words, &pool).unwrap_err();
    }

    #[test]
    fn booleans_are_zero_or_one() {
        let bytes = Bytes::from_static(&[0, 1, 2, 255]);
        let meta = Meta::new(DType::Bool, [4]);
        let value = Value::from_bytes(meta, bytes, &Pool::new(1 << 20)).unwrap();
        assert_eq!(value.slice::<u8>(), Some(&[0, 1, 1, 1][..]));
    }

    #[test]
    fn views_share_the_buffer_and_copy_out_in_their_own_order() {
        let value = numbers(&[2, 3]);
        assert_eq!(value.to_bytes().as_ptr(), value.as_ptr());
        let turned = value.view([3, 2].into(), [1, 3].into_iter().collect(), 0);
        assert!(!turned.is_contiguous() && turned.slice::<i32>().is_none());
        assert!(value.slice::<f32>().is_none());
        let words: Vec<u8> = [0i32, 3, 1, 4, 2, 5].into_iter().flat_map(i32::to_ne_bytes).collect();
        assert_eq!(turned.to_bytes(), words);
        let row = value.view([3].into(), [1].into_iter().collect(), 3);
        assert_eq!(row.slice::<i32>(), Some(&[3, 4, 5][..]));
        assert_eq!(row.to_bytes().as_ptr(), row.as_ptr());
    }

    #[test]
    #[should_panic(expected = "leaves its buffer")]
    fn views_cannot_leave_the_buffer() {
        let _ = numbers(&[2, 3]).view([3].into(), [2].into_iter().collect(), 2);
    }

    #[test]
    fn only_a_value_held_alone_is_written() {
        let pool = Pool::new(1 << 20);
        let mut value = Value::new(Meta::new(DType::I64, [3]), pool.zeroed(24).unwrap());
        value.slice_mut::<i64>().unwrap()[1] = 5;
        let mut other = value.clone();
        assert!(other.slice_mut::<i64>().is_none() && !value.is_unique());
        drop(other);
        assert!(value.is_unique());
        assert_eq!(value.slice::<i64>(), Some(&[0, 5, 0][..]));
    }
}
