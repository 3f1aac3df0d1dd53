//! A region of a value: what one worker has of it, and where that lies among the bytes of the
//! whole.

use bytes::Bytes;
use gt_core::placement::Span;
use gt_core::wire::few;
use gt_core::{Error, Meta, Result, Shape};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// A part of a value, as a span of each axis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// The shape of the whole value.
    pub whole: Shape,
    /// What the part has of each axis.
    #[serde(deserialize_with = "few")]
    pub part: SmallVec<[Span; 4]>,
}

impl Region {
    /// All of a value.
    pub fn all(whole: &Shape) -> Region {
        let part = whole.iter().map(|&size| Span::whole(size)).collect();
        Region { whole: whole.clone(), part }
    }

    /// The same region, if it lies within its value and has the shape that is said of it.
    pub(crate) fn checked(mut self, meta: &Meta) -> Result<Region> {
        self.whole = self.whole.checked(meta.dtype)?;
        let fits = |(span, &size): (&Span, &usize)| {
            let end = span.start.checked_add(span.len);
            span.blocks.checked_mul(span.inner) == Some(size)
                && end.is_some_and(|end| end <= span.inner)
        };
        let is_within = self.part.len() == self.whole.len()
            && self.part.iter().zip(self.whole.iter()).all(fits);
        if is_within && self.part.iter().map(Span::size).eq(meta.shape.iter().copied()) {
            return Ok(self);
        }
        Err(Error::bug("a region does not lie within its value"))
    }

    /// How many elements it has.
    pub fn elements(&self) -> usize {
        self.part.iter().map(Span::size).product()
    }

    /// Whether two regions of one value have nothing in common, as far as their spans tell.
    pub fn is_apart_from(&self, other: &Region) -> bool {
        let is_empty = self.elements() == 0 || other.elements() == 0;
        is_empty
            || self.part.iter().zip(&other.part).any(|(one, other)| {
                let is_apart =
                    one.start + one.len <= other.start || other.start + other.len <= one.start;
                one.blocks == other.blocks && is_apart
            })
    }

    /// Where it lies among the bytes of the whole value.
    pub fn runs(&self, element_bytes: usize) -> Runs {
        let mut stride = element_bytes;
        let (mut start, mut run) = (0, element_bytes);
        let mut outer: SmallVec<[(usize, usize); 4]> = SmallVec::new();
        let mut add = |count: usize, step: usize| match count {
            1 => {}
            // What follows without a gap makes the run longer.
            _ if outer.is_empty() && step == run => run *= count,
            _ => outer.push((count, step)),
        };
        for (span, &size) in self.part.iter().zip(self.whole.iter()).rev() {
            start += span.start * stride;
            add(span.len, stride);
            add(span.blocks, span.inner * stride);
            stride *= size;
        }
        Runs { start, run, outer, bytes: self.elements() * element_bytes }
    }

    /// Its bytes of a whole value. They are copied only if they do not lie in one piece.
    pub fn cut_from(&self, whole: &Bytes, element_bytes: usize) -> Bytes {
        let runs = self.runs(element_bytes);
        if let Some(start) = runs.single() {
            return whole.slice(start..start + runs.bytes);
        }
        let mut part = Vec::with_capacity(runs.bytes);
        while part.len() < runs.bytes {
            let (start, count) = runs.locate(part.len());
            part.extend_from_slice(&whole[start..start + count]);
        }
        part.into()
    }
}

/// A region as pieces of memory of one length.
#[derive(Clone, Debug)]
pub struct Runs {
    start: usize,
    run: usize,
    /// How often and how far apart, from the innermost to the outermost.
    outer: SmallVec<[(usize, usize); 4]>,
    bytes: usize,
}

impl Runs {
    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where it begins, if it lies in one piece.
    pub fn single(&self) -> Option<usize> {
        (self.outer.is_empty() || self.bytes == 0).then_some(self.start)
    }

    /// Where its byte at a position lies, and how many follow without a gap.
    pub fn locate(&self, position: usize) -> (usize, usize) {
        let (mut number, within) = (position / self.run, position % self.run);
        let mut start = self.start + within;
        for &(count, step) in &self.outer {
            start += number % count * step;
            number /= count;
        }
        (start, self.run - within)
    }
}

#[cfg(test)]
mod tests {
    use gt_core::DType;

    use super::*;

    fn region(whole: &[usize], part: &[(usize, usize, usize)]) -> Region {
        let spans = part.iter().zip(whole).map(|(&(blocks, start, len), size)| Span {
            blocks,
            inner: size / blocks,
            start,
            len,
        });
        Region { whole: Shape::from(whole), part: spans.collect() }
    }

    /// The elements that a region has of a value whose elements are their own numbers.
    fn expected(region: &Region) -> Vec<u8> {
        let mut found = Vec::new();
        let count: usize = region.whole.iter().product();
        'elements: for element in 0..count {
            let mut rest = element;
            for (span, &size) in region.part.iter().zip(region.whole.iter()).rev() {
                let within = rest % size % span.inner;
                if within < span.start || within >= span.start + span.len {
                    continue 'elements;
                }
                rest /= size;
            }
            found.extend_from_slice(&(element as u32).to_le_bytes());
        }
        found
    }

    #[test]
    fn a_region_has_its_elements_and_no_others() {
        for (region, pieces) in [
            (region(&[6, 4], &[(1, 2, 3), (1, 0, 4)]), 1),
            (region(&[6, 4], &[(1, 0, 6), (1, 1, 2)]), 6),
            (region(&[6, 4], &[(1, 1, 2), (1, 1, 2)]), 2),
            (region(&[2, 6, 3], &[(1, 0, 2), (2, 1, 2), (1, 0, 3)]), 4),
            (region(&[2, 6, 3], &[(1, 0, 2), (1, 0, 6), (1, 0, 3)]), 1),
            (region(&[4, 3], &[(2, 0, 1), (1, 2, 1)]), 2),
            (region(&[5], &[(1, 0, 0)]), 1),
            (region(&[], &[]), 1),
        ] {
            let count: usize = region.whole.iter().product();
            let whole: Vec<u8> = (0..count as u32).flat_map(u32::to_le_bytes).collect();
            let expected = expected(&region);
            assert_eq!(region.cut_from(&Bytes::from(whole), 4), expected, "{region:?}");
            let runs = region.runs(4);
            assert_eq!(runs.bytes(), expected.len());
            assert_eq!(runs.single().is_some(), pieces == 1, "{region:?}");
        }
    }

    #[test]
    fn regions_that_share_an_element_are_not_apart() {
        let rows = |start, len| region(&[6, 4], &[(1, start, len), (1, 0, 4)]);
        assert!(rows(0, 3).is_apart_from(&rows(3, 3)) && rows(3, 3).is_apart_from(&rows(0, 3)));
        assert!(!rows(0, 4).is_apart_from(&rows(3, 3)));
        assert!(rows(0, 0).is_apart_from(&rows(0, 6)));
        let blocks = region(&[6, 4], &[(2, 0, 1), (1, 0, 4)]);
        assert!(!blocks.is_apart_from(&rows(3, 3)), "what cannot be told is not believed");
    }

    #[test]
    fn a_region_outside_of_its_value_is_refused() {
        let meta = |shape: &[usize]| Meta::new(DType::F32, shape);
        assert!(region(&[6, 4], &[(1, 2, 3), (1, 0, 4)]).checked(&meta(&[3, 4])).is_ok());
        assert!(region(&[6, 4], &[(1, 2, 3), (1, 0, 4)]).checked(&meta(&[2, 4])).is_err());
        assert!(region(&[6, 4], &[(1, 4, 3), (1, 0, 4)]).checked(&meta(&[3, 4])).is_err());
        assert!(region(&[6, 4], &[(1, usize::MAX, 3), (1, 0, 4)]).checked(&meta(&[3, 4])).is_err());
        assert!(region(&[6, 4], &[(1, 2, 3)]).checked(&meta(&[3])).is_err());
    }
}
