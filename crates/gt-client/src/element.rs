//! Rust numbers as the elements of tensors.

use gt_core::{DType, Error, Result};

use crate::tensor::Tensor;

/// A Rust type that is the element of a tensor.
pub trait Element: Copy + 'static {
    /// Its dtype.
    const DTYPE: DType;
    /// Appends its bytes.
    fn write(self, bytes: &mut Vec<u8>);
    /// Reads one from exactly its bytes.
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($type:ty => $dtype:ident)*) => {
        $(impl Element for $type {
            const DTYPE: DType = DType::$dtype;

            fn write(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }

            fn read(bytes: &[u8]) -> Self {
                let mut exact = [0; size_of::<$type>()];
                exact.copy_from_slice(bytes);
                <$type>::from_le_bytes(exact)
            }
        })*
    };
}

elements! { u8 => U8 i8 => I8 i16 => I16 i32 => I32 i64 => I64 f32 => F32 f64 => F64 }

/// Numbers, arrays of numbers, arrays of arrays …
pub trait Nested {
    /// What it is made of.
    type Element: Element;
    /// Appends the sizes along its axes.
    fn shape(&self, sizes: &mut Vec<usize>);
    /// Appends its elements.
    fn write(&self, bytes: &mut Vec<u8>);
}

impl<T: Element> Nested for T {
    type Element = T;

    fn shape(&self, _: &mut Vec<usize>) {}

    fn write(&self, bytes: &mut Vec<u8>) {
        Element::write(*self, bytes);
    }
}

impl<T: Nested, const N: usize> Nested for [T; N] {
    type Element = T::Element;

    fn shape(&self, sizes: &mut Vec<usize>) {
        sizes.push(N);
        if let Some(first) = self.first() {
            first.shape(sizes);
        }
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|item| item.write(bytes));
    }
}

impl Tensor {
    /// Waits for the elements, row by row.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        if self.dtype() != T::DTYPE {
            let (found, asked) = (self.dtype(), T::DTYPE);
            return Err(Error::type_(format!("the elements are {found}, not {asked}")));
        }
        Ok(self.read()?.chunks_exact(size_of::<T>()).map(T::read).collect())
    }

    /// Waits for the only element.
    pub fn item<T: Element>(&self) -> Result<T> {
        match self.to_vec()?[..] {
            [item] => Ok(item),
            ref items => {
                let count = items.len();
                Err(Error::runtime(format!("a tensor with {count} elements is not a number")))
            }
        }
    }
}
