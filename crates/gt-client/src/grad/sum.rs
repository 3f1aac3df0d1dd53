//! The gradient of one result while it is being summed. What comes from slices is kept as parts
//! until all of them are there: they are written once, and not added to zeros one by one.

use std::sync::Arc;

use gt_core::attrs::{Attr, Attrs, Range};
use gt_core::expr::{Applied, Expr};
use gt_core::ops::builtin::{ADD, CAT, SLICE, SLICE_WRITE, ZEROS};
use gt_core::{Meta, Result, Scalar};

use super::pull::filled;
use crate::tensor::Tensor;

/// So many parts that do not lie along one axis are compared with each other.
const MOST_PAIRED: usize = 64;

/// What a node gives to the gradient of one of its inputs.
pub(super) enum Term {
    /// A gradient of all elements.
    Whole(Tensor),
    /// The gradient of some elements; that of all others is zero.
    Part(Part),
}

impl Term {
    /// The elements that are known.
    pub fn tensor(&self) -> &Tensor {
        match self {
            Term::Whole(gradient) | Term::Part(Part { gradient, .. }) => gradient,
        }
    }
}

/// The gradient of a part of each axis.
pub(super) struct Part {
    pub ranges: Vec<Range>,
    pub gradient: Tensor,
}

/// A formula that writes a value into zeros of the shape and dtype of the input: what is written,
/// and where.
pub(super) fn written<'a>(formula: &'a Expr, input: &Meta) -> Option<(&'a Expr, &'a [Range])> {
    let applied = |expr: &'a Expr| match expr {
        Expr::Apply(applied, 0) => Some(Arc::as_ref(applied)),
        _ => None,
    };
    let Applied { op, inputs, attrs } = applied(formula)?;
    let ([base, value], [Attr::Ranges(ranges)]) = (&inputs[..], &attrs.0[..]) else { return None };
    let base = applied(base)?;
    let zeros = [Attr::Ints(input.shape.to_ints()), input.dtype.into()];
    let is_written = **op == SLICE_WRITE && *base.op == ZEROS && base.attrs.0[..] == zeros;
    is_written.then_some((value, ranges))
}

/// The gradient of one result, as far as it has arrived.
#[derive(Default)]
pub(super) struct Sum {
    whole: Option<Tensor>,
    parts: Vec<Part>,
}

impl Sum {
    /// Adds a term.
    pub fn add(&mut self, term: Term) -> Result<()> {
        match term {
            Term::Part(part) => self.parts.push(part),
            Term::Whole(gradient) => {
                self.whole = Some(match self.whole.take() {
                    Some(sum) => added(&sum, &gradient)?,
                    None => gradient,
                });
            }
        }
        Ok(())
    }

    /// Whether a term would be more than kept: whether it is added to another.
    pub fn computes(&self, term: &Term) -> bool {
        self.whole.is_some() && matches!(term, Term::Whole(_))
    }

    /// A tensor that has arrived, if it has to be put together with others.
    pub fn waiting(&self) -> Option<&Tensor> {
        self.parts.first().map(|part| &part.gradient)
    }

    /// The gradient of all elements; `None` if nothing has arrived.
    pub fn finish(self, meta: &Meta) -> Result<Option<Tensor>> {
        let Sum { whole, mut parts } = self;
        if parts.is_empty() {
            return Ok(whole);
        }
        let along = single_axis(&parts, meta);
        if let Some(axis) = along {
            parts.sort_by_key(|part| (part.ranges[axis].start, part.ranges[axis].len));
            parts = merged(parts)?;
            if let Some(joined) = joined(&parts, axis, meta)? {
                return Ok(Some(match whole {
                    Some(whole) => added(&whole, &joined)?,
                    None => joined,
                }));
            }
        }
        let there = match whole.is_none() && are_apart(&parts, along) {
            true => There::Zeros,
            false => There::Terms,
        };
        let sum = match whole {
            Some(whole) => whole,
            None => filled(parts[0].gradient.session(), meta, Scalar::Int(0))?,
        };
        parts.into_iter().try_fold(sum, |sum, part| write(&sum, part, there)).map(Some)
    }
}

fn added(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    a.session().apply_one(&ADD, &[a.into(), b.into()], Attrs::none())
}

/// The only axis of which the parts have less than all, and have it in a row; the first one if
/// they have everything.
fn single_axis(parts: &[Part], meta: &Meta) -> Option<usize> {
    let mut cut = None;
    for part in parts {
        for (axis, (&range, &size)) in part.ranges.iter().zip(meta.shape.iter()).enumerate() {
            if range == Range::all(size) {
                continue;
            }
            if range.step != 1 || range.len == 0 || *cut.get_or_insert(axis) != axis {
                return None;
            }
        }
    }
    cut.or((meta.shape.rank() > 0).then_some(0))
}

/// Parts in order, each once: those of the same elements are added to each other.
fn merged(parts: Vec<Part>) -> Result<Vec<Part>> {
    let mut merged: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        match merged.last_mut() {
            Some(last) if last.ranges == part.ranges => {
                last.gradient = added(&last.gradient, &part.gradient)?;
            }
            _ => merged.push(part),
        }
    }
    Ok(merged)
}

/// Parts in order that make up all of an axis, one after another; `None` if they do not.
fn joined(parts: &[Part], axis: usize, meta: &Meta) -> Result<Option<Tensor>> {
    let mut end = 0;
    for part in parts {
        if part.ranges[axis].start != end {
            return Ok(None);
        }
        end += part.ranges[axis].len;
    }
    if end != meta.shape[axis] {
        return Ok(None);
    }
    if let [part] = parts {
        return Ok(Some(part.gradient.clone()));
    }
    let inputs: Vec<_> = parts.iter().map(|part| (&part.gradient).into()).collect();
    let session = parts[0].gradient.session();
    session.apply_one(&CAT, &inputs, Attrs::of([axis.into()])).map(Some)
}

/// What is known of the elements that a part is written over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum There {
    Zeros,
    Terms,
}

/// A part added to what is there, or only written where that is zero. A worker writes in place if
/// nobody else has the sum.
fn write(sum: &Tensor, part: Part, there: There) -> Result<Tensor> {
    let Part { ranges, mut gradient } = part;
    let (session, attrs) = (sum.session(), Attrs::of([Attr::Ranges(ranges)]));
    if there == There::Terms {
        let before = session.apply_one(&SLICE, &[sum.into()], attrs.clone())?;
        gradient = added(&before, &gradient)?;
    }
    session.apply_one(&SLICE_WRITE, &[sum.into(), (&gradient).into()], attrs)
}

/// Whether no two parts have an element in common, as far as that is looked at. Parts along one
/// axis are in order.
fn are_apart(parts: &[Part], along: Option<usize>) -> bool {
    if let Some(axis) = along {
        let end = |part: &Part| part.ranges[axis].start + part.ranges[axis].len;
        return parts.windows(2).all(|pair| end(&pair[0]) <= pair[1].ranges[axis].start);
    }
    let span = |range: &Range| {
        let walked = (range.len.max(1) - 1) * range.step.unsigned_abs() as usize;
        let first = if range.step < 0 { range.start - walked } else { range.start };
        (first, first + walked)
    };
    let apart = |a: &Part, b: &Part| {
        a.ranges.iter().zip(&b.ranges).any(|(a, b)| {
            let ((a_first, a_last), (b_first, b_last)) = (span(a), span(b));
            a.len == 0 || b.len == 0 || a_last < b_first || b_last < a_first
        })
    };
    parts.len() <= MOST_PAIRED
        && parts.iter().enumerate().all(|(index, a)| parts[..index].iter().all(|b| apart(a, b)))
}
