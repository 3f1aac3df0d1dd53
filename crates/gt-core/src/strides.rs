//! How far apart the elements of a view lie in what it is a view of.

use smallvec::SmallVec;

use crate::kernel::{Diagonal, Kernel};
use crate::shape::Shape;

/// The distance in elements between neighbours along each axis.
pub type Strides = SmallVec<[isize; 4]>;

/// The strides after a kernel that only moves elements; `None` if they must move in memory too.
pub fn after(kernel: &Kernel, shape: &Shape, strides: &Strides, result: &Shape) -> Option<Strides> {
    match kernel {
        Kernel::Permute(axes) => Some(axes.iter().map(|&axis| strides[axis]).collect()),
        Kernel::Slice(ranges) => {
            let steps = strides.iter().zip(ranges);
            Some(steps.map(|(stride, range)| stride * range.step as isize).collect())
        }
        Kernel::Diagonal(Diagonal { axes, .. }) => {
            let others = (0..strides.len()).filter(|axis| !axes.contains(axis));
            let step = axes.iter().map(|&axis| strides[axis]).sum();
            Some(others.map(|axis| strides[axis]).chain([step]).collect())
        }
        Kernel::Expand => {
            let added = result.rank() - shape.rank();
            let stride = |axis: usize| match axis.checked_sub(added) {
                Some(axis) if shape[axis] == result[axis + added] => strides[axis],
                _ => 0,
            };
            Some((0..result.rank()).map(stride).collect())
        }
        Kernel::Reshape => reshaped(shape, strides, result),
        _ => None,
    }
}

/// The strides of a view in another shape: each group of axes that becomes another group of the
/// same size must be a single run of even steps.
pub fn reshaped(from: &[usize], strides: &[isize], to: &[usize]) -> Option<Strides> {
    if from.contains(&0) {
        return Some(Shape::from(to).strides());
    }
    let mut result: Strides = Strides::from_elem(0, to.len());
    let own: Vec<(usize, isize)> = from
        .iter()
        .zip(strides)
        .filter(|(size, _)| **size != 1)
        .map(|(&size, &stride)| (size, stride))
        .collect();
    let mut own = own.into_iter().rev().peekable();
    let mut axis = to.len();
    while axis > 0 {
        if to[axis - 1] == 1 {
            axis -= 1;
            continue;
        }
        let (mut have, mut step) = own.next()?;
        loop {
            // The axes of the new shape that lie within what the old one covers by even steps.
            if axis > 0 && to[axis - 1] <= have && have % to[axis - 1] == 0 && have > 1 {
                axis -= 1;
                result[axis] = step;
                have /= to[axis];
                step *= to[axis] as isize;
                continue;
            }
            if have == 1 {
                break;
            }
            let (size, stride) = own.next()?;
            if stride != step * have as isize {
                return None;
            }
            have *= size;
        }
    }
    own.peek().is_none().then_some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_even_steps_can_be_seen_in_another_shape() {
        let strides = |values: &[isize]| Strides::from_slice(values);
        assert_eq!(reshaped(&[2, 3], &[3, 1], &[6]), Some(strides(&[1])));
        assert_eq!(reshaped(&[3, 2], &[1, 3], &[6]), None);
        assert_eq!(reshaped(&[3, 2], &[1, 3], &[3, 1, 2]).map(|found| found[2]), Some(3));
        assert_eq!(reshaped(&[4], &[-2], &[2, 2]), Some(strides(&[-4, -2])));
        assert!(reshaped(&[0, 3], &[3, 1], &[3, 0]).is_some());
    }
}
