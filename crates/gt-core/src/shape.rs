//! Sizes of tensors, and what can be said about them without data.

use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::wire::few;

/// The most axes a tensor may have.
pub const MAX_RANK: usize = 32;

/// The most bytes a tensor may have: more is a mistake, and less keeps arithmetic on sizes exact.
pub const MAX_BYTES: usize = 1 << 46;

/// The size along each axis. Reads like a slice of sizes.
#[derive(PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Shape(#[serde(deserialize_with = "few")] SmallVec<[usize; 4]>);

impl Clone for Shape {
    // Written out, because cloning a SmallVec goes element by element, and shapes are cloned for
    // every instruction.
    #[inline]
    fn clone(&self) -> Self {
        Shape(SmallVec::from_slice(&self.0))
    }
}

impl Shape {
    /// A shape without axes: one element.
    pub const fn scalar() -> Self {
        Shape(SmallVec::new_const())
    }

    /// How many elements a tensor of this shape has.
    #[inline]
    pub fn count(&self) -> usize {
        self.0.iter().product()
    }

    /// How many axes it has.
    #[inline]
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// Refuses shapes that no machine could hold, or whose sizes would overflow.
    pub fn checked(self, dtype: DType) -> Result<Self> {
        if self.rank() > MAX_RANK {
            let rank = self.rank();
            return Err(Error::runtime(format!("{rank} axes are more than {MAX_RANK}")));
        }
        // A size of zero must not hide an overflow in the others: strides are made of them.
        let bytes = self.0.iter().try_fold(dtype.size(), |bytes, &size| {
            bytes.checked_mul(size.max(1)).filter(|&bytes| bytes <= MAX_BYTES)
        });
        match bytes {
            Some(_) => Ok(self),
            None => Err(Error::runtime(format!("a {dtype} tensor of shape {self} is too large"))),
        }
    }

    /// The axis a possibly negative number names.
    pub fn axis(&self, axis: i64) -> Result<usize> {
        wrap_axis(axis, self.rank())
    }

    /// The axes named by possibly negative numbers, each at most once; none named means all.
    pub fn axes(&self, axes: &[i64]) -> Result<SmallVec<[usize; 4]>> {
        if axes.is_empty() {
            return Ok((0..self.rank()).collect());
        }
        let mut found = SmallVec::new();
        for &axis in axes {
            let axis = self.axis(axis)?;
            if found.contains(&axis) {
                return Err(Error::runtime(format!("axis {axis} appears twice")));
            }
            found.push(axis);
        }
        Ok(found)
    }

    /// This shape with another size at `axis`.
    pub fn with(&self, axis: usize, size: usize) -> Self {
        let mut sizes = self.0.clone();
        sizes[axis] = size;
        Shape(sizes)
    }

    /// This shape without the sizes at `axes`, or with ones there.
    pub fn reduced(&self, axes: &[usize], keep: bool) -> Self {
        let sizes = self.0.iter().enumerate();
        sizes
            .filter_map(|(axis, &size)| match (axes.contains(&axis), keep) {
                (false, _) => Some(size),
                (true, true) => Some(1),
                (true, false) => None,
            })
            .collect()
    }

    /// The sizes in the order that `axes` gives.
    pub fn permuted(&self, axes: &[usize]) -> Self {
        axes.iter().map(|&axis| self.0[axis]).collect()
    }

    /// The distance in elements between neighbours along each axis, rows stored one after another.
    pub fn strides(&self) -> SmallVec<[isize; 4]> {
        let mut strides: SmallVec<[isize; 4]> = SmallVec::from_elem(0, self.rank());
        let mut step = 1;
        for axis in (0..self.rank()).rev() {
            strides[axis] = step;
            step *= self.0[axis].max(1) as isize;
        }
        strides
    }

    /// The shape both broadcast to, if they agree.
    #[inline]
    pub fn broadcast(&self, other: &Shape) -> Option<Shape> {
        if self == other {
            return Some(self.clone());
        }
        self.broadcast_sizes(other)
    }

    fn broadcast_sizes(&self, other: &Shape) -> Option<Shape> {
        let rank = self.rank().max(other.rank());
        let mut sizes = SmallVec::from_elem(1, rank);
        for (from_end, size) in sizes.iter_mut().rev().enumerate() {
            *size = match (self.size_from_end(from_end), other.size_from_end(from_end)) {
                (a, b) if a == b => a,
                (1, b) => b,
                (a, 1) => a,
                _ => return None,
            };
        }
        Some(Shape(sizes))
    }

    /// Whether this shape broadcasts to `target` without `target` changing.
    pub fn expands_to(&self, target: &Shape) -> bool {
        self.broadcast(target).as_ref() == Some(target)
    }

    fn size_from_end(&self, index: usize) -> usize {
        if index < self.rank() { self.0[self.rank() - 1 - index] } else { 1 }
    }

    /// Sizes given by a user, where a single −1 stands for what is left of `count` elements.
    pub fn resolve(sizes: &[i64], count: usize) -> Result<Self> {
        let wrong = || {
            let asked = Listed(sizes);
            Error::runtime(format!("shape {asked} is invalid for input of size {count}"))
        };
        let known = sizes.iter().filter(|&&size| size != -1);
        let known = known.map(|&size| usize::try_from(size).map_err(|_| wrong()));
        let product = known
            .clone()
            .try_fold(1usize, |product, size| product.checked_mul(size?).ok_or_else(wrong))?;
        let unknown = sizes.len() - known.count();
        if unknown > 1 {
            return Err(Error::runtime("only one size can be inferred from the others"));
        }
        if unknown == 1 && product == 0 {
            let asked = Listed(sizes);
            return Err(Error::runtime(format!(
                "cannot reshape a tensor of {count} elements into shape {asked}: the size at -1 \
                 could be anything"
            )));
        }
        let shape: Shape = sizes
            .iter()
            .map(|&size| if size == -1 { count / product } else { size as usize })
            .collect();
        if product * if unknown == 1 { count / product } else { 1 } != count {
            return Err(wrong());
        }
        Ok(shape)
    }

    /// Sizes given by a user, none of them negative.
    pub fn given(sizes: &[i64]) -> Result<Self> {
        sizes
            .iter()
            .map(|&size| {
                usize::try_from(size)
                    .map_err(|_| Error::runtime(format!("a size cannot be negative: {size}")))
            })
            .collect()
    }

    /// The sizes as the integers that attributes hold.
    pub fn to_ints(&self) -> SmallVec<[i64; 4]> {
        self.0.iter().map(|&size| size as i64).collect()
    }
}

/// The axis among `rank` that a possibly negative number names.
pub fn wrap_axis(axis: i64, rank: usize) -> Result<usize> {
    // A tensor without axes still answers to 0 and -1, as in PyTorch.
    let limit = rank.max(1) as i64;
    if !(-limit..limit).contains(&axis) {
        return Err(Error::index(format!(
            "Dimension out of range (expected to be in range of [{}, {}], but got {axis})",
            -limit,
            limit - 1
        )));
    }
    Ok(if axis < 0 { axis + limit } else { axis } as usize)
}

impl Deref for Shape {
    type Target = [usize];

    #[inline]
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(sizes: I) -> Self {
        Shape(sizes.into_iter().collect())
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(sizes: [usize; N]) -> Self {
        sizes.into_iter().collect()
    }
}

impl From<&[usize]> for Shape {
    fn from(sizes: &[usize]) -> Self {
        Shape(sizes.into())
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Listed(&self.0))
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Listed(&self.0))
    }
}

/// Prints a list as `[1, 2]`.
pub(crate) struct Listed<'a, T>(pub &'a [T]);

impl<T: fmt::Display> fmt::Display for Listed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (index, item) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{item}")?;
        }
        f.write_str("]")
    }
}

/// What is known of a tensor without its data.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Meta {
    /// The type of its elements.
    pub dtype: DType,
    /// The size along each axis.
    pub shape: Shape,
}

impl Meta {
    /// A tensor of this dtype and shape.
    pub fn new(dtype: DType, shape: impl Into<Shape>) -> Self {
        Meta { dtype, shape: shape.into() }
    }

    /// How many bytes its elements take.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.shape.count() * self.dtype.size()
    }
}

impl fmt::Display for Meta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, self.shape)
    }
}

impl fmt::Debug for Meta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasting_aligns_the_last_axes() {
        let a = Shape::from([4, 1, 3]);
        assert_eq!(a.broadcast(&[2, 1].into()), Some([4, 2, 3].into()));
        assert_eq!(a.broadcast(&[2].into()), None);
        assert_eq!(Shape::from([0]).broadcast(&[1].into()), Some([0].into()));
        assert!(Shape::scalar().expands_to(&a));
        assert!(!a.expands_to(&[4, 1, 1].into()));
    }

    #[test]
    fn one_size_is_inferred_and_wrong_ones_are_refused() {
        assert_eq!(Shape::resolve(&[2, -1], 6).unwrap(), [2, 3].into());
        assert_eq!(Shape::resolve(&[0, 3], 0).unwrap(), [0, 3].into());
        for (sizes, count) in [(&[4, -1][..], 6), (&[-1, -1], 6), (&[7], 6), (&[-2, 3], 6)] {
            Shape::resolve(sizes, count).unwrap_err();
        }
        Shape::resolve(&[0, -1], 0).unwrap_err();
        Shape::resolve(&[i64::MAX, i64::MAX], 6).unwrap_err();
    }

    #[test]
    fn sizes_that_overflow_are_refused_even_beside_a_zero() {
        let huge = Shape::from([0, usize::MAX, usize::MAX]);
        huge.checked(DType::F32).unwrap_err();
        Shape::from([1 << 20, 1 << 20]).checked(DType::F64).unwrap();
    }
}
