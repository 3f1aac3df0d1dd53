//! Parts of axes: what is sliced, written into, padded or joined along an axis that is cut.
//!
//! An axis can be read in two ways. If all of it is one index, a part of the axis has some of its
//! positions. If the axis and the part are made of blocks of one size, the index runs within the
//! blocks, and each worker has some of every block.

use super::factors::{Axis, Factor, Factors, Indices, Part, alone};
use super::signatures::gather_first;
use super::views::common_divisor;
use crate::attrs::{Attr, Attrs, Range};
use crate::op::Call;
use crate::ops::keys;

/// The letters of the two readings of an axis.
fn readings(axis: usize) -> [u8; 2] {
    [2 * axis as u8, 2 * axis as u8 + 1]
}

/// The size of the blocks of which an axis and a part of it are made; `None` if they are not.
fn block(size: usize, range: Range) -> Option<usize> {
    let block = common_divisor(common_divisor(size, range.start), range.len);
    (range.step == 1 && range.len > 0 && block > 1 && block < size).then_some(block)
}

/// An axis of which there is a part elsewhere.
fn whole(axis: usize, size: usize, block: Option<usize>) -> Axis {
    let [letter, inner] = readings(axis);
    in_blocks(Factor::of(Some(letter), size), inner, block)
}

/// A part of that axis.
fn part(axis: usize, range: Range, block: Option<usize>) -> Axis {
    let [letter, inner] = readings(axis);
    in_blocks(Factor::some(letter, range), inner, block)
}

fn in_blocks(factor: Factor, inner: u8, block: Option<usize>) -> Axis {
    let mut axis = alone(None, 0);
    axis[0] = [factor].into_iter().collect();
    if let Some(block) = block {
        let blocks = Factor::of(None, factor.size / block);
        axis.push([blocks, Factor::of(Some(inner), block)].into_iter().collect());
    }
    axis
}

/// The axes of a tensor and those of a part of it.
fn sliced(call: &Call, ranges: &[Range]) -> (Indices, Indices) {
    let sizes = call.shape(0).iter().zip(ranges).enumerate();
    let pair = |(axis, (&size, &range)): (usize, (&usize, &Range))| match range.step > 0 {
        _ if range == Range::all(size) => (whole(axis, size, None), whole(axis, size, None)),
        true => {
            let block = block(size, range);
            (whole(axis, size, block), part(axis, range, block))
        }
        // The first worker would have the last elements.
        false => (alone(None, size), alone(None, range.len)),
    };
    sizes.map(pair).unzip()
}

/// The result is a part of each axis of the input.
pub fn slice(call: &Call, ranges: &[Range]) -> Factors {
    let (input, output) = sliced(call, ranges);
    Factors { inputs: vec![input], outputs: vec![output], ..Factors::default() }
}

/// The second input is written over a part of each axis of the first.
pub fn slice_write(call: &Call, ranges: &[Range]) -> Factors {
    let (base, value) = sliced(call, ranges);
    Factors { inputs: vec![base.clone(), value], outputs: vec![base], ..Factors::default() }
}

/// The ranges of a worker's part of a call that takes `ranges` of its first input.
pub fn local(call: &Call, ranges: &[Range], parts: &[Part]) -> Vec<Range> {
    let sizes = call.shape(0).iter().zip(ranges).enumerate();
    let local = |(axis, (&size, &range)): (usize, (&usize, &Range))| {
        let [letter, inner] = readings(axis);
        let Some(own) = parts.iter().find(|part| [letter, inner].contains(&part.letter)) else {
            return range;
        };
        if own.letter == letter {
            return within(range, own);
        }
        let block = block(size, range).unwrap_or(1);
        Range { start: range.start / block * own.len, len: range.len / block * own.len, step: 1 }
    };
    sizes.map(local).collect()
}

/// What a part of an axis has of a range.
fn within(range: Range, own: &Part) -> Range {
    let step = range.step as usize;
    let before = |at: usize| at.saturating_sub(range.start).div_ceil(step).min(range.len);
    let (first, last) = (before(own.start), before(own.start + own.len));
    if first == last {
        return Range { start: 0, len: 0, step: range.step };
    }
    Range { start: range.start + first * step - own.start, len: last - first, step: range.step }
}

/// The attribute `ranges` of a part.
pub fn localised(call: &Call, parts: &[Part]) -> Attrs {
    let ranges = local(call, call.ranges(keys::RANGES), parts);
    super::localise::with(call, keys::RANGES, Attr::Ranges(ranges))
}

/// The inputs stand one after another along an axis of the result.
pub fn joined(call: &Call, along: usize) -> Factors {
    let Ok(shapes) = (call.op.shape)(call) else { return gather_first(call) };
    let output = &shapes[0];
    let sizes = (0..call.inputs.len()).map(|index| call.shape(index)[along]);
    let block = sizes.clone().fold(0, common_divisor);
    let block = Some(block).filter(|&block| block > 1 && block < output[along]);
    let axes = |joined: Axis| -> Indices {
        let axis = |(axis, &size): (usize, &usize)| match axis == along {
            true => joined.clone(),
            false => whole(axis, size, None),
        };
        output.iter().enumerate().map(axis).collect()
    };
    let mut start = 0;
    let inputs = sizes.map(|len| {
        let range = Range { start, len, step: 1 };
        start += len;
        axes(if call.inputs.len() == 1 {
            whole(along, len, None)
        } else {
            // An empty input has no blocks, and all of it is nothing.
            part(along, range, block.filter(|_| len > 0))
        })
    });
    let inputs = inputs.collect();
    let outputs = vec![axes(whole(along, output[along], block))];
    Factors { inputs, outputs, ..Factors::default() }
}

/// Positions before and after an axis, both added or both taken away.
#[derive(Clone, Copy)]
pub struct Border {
    /// How many before it.
    pub before: i64,
    /// How many after it.
    pub after: i64,
}

impl Border {
    /// The axis of the input and that of the result; `None` if it grows at one end and shrinks at
    /// the other.
    fn axes(self, axis: usize, size: usize) -> Option<(Axis, Axis)> {
        let total = usize::try_from(size as i64 + self.before + self.after).ok()?;
        if self.before == 0 && self.after == 0 {
            return Some((whole(axis, size, None), whole(axis, size, None)));
        }
        if self.before >= 0 && self.after >= 0 {
            let range = Range { start: self.before as usize, len: size, step: 1 };
            return Some((part(axis, range, None), whole(axis, total, None)));
        }
        let range = Range { start: -self.before as usize, len: total, step: 1 };
        let shrinks = self.before <= 0 && self.after <= 0;
        shrinks.then(|| (whole(axis, size, None), part(axis, range, None)))
    }

    /// The border of a worker's part.
    fn local(self, size: usize, own: &Part) -> Border {
        let range =
            |start: i64, len: i64| Range { start: start as usize, len: len as usize, step: 1 };
        if self.before >= 0 && self.after >= 0 {
            let inside = within(range(self.before, size as i64), own);
            let before = match inside.len {
                0 => own.len,
                _ => inside.start,
            };
            let after = own.len - before - inside.len;
            return Border { before: before as i64, after: after as i64 };
        }
        let inside = within(range(-self.before, size as i64 + self.before + self.after), own);
        let before = if inside.len == 0 { own.len } else { inside.start };
        Border { before: -(before as i64), after: (before + inside.len) as i64 - own.len as i64 }
    }
}

/// The input with a border around each axis. Indices that `is_fixed` names stay whole.
pub fn bordered(call: &Call, borders: &[Border], is_fixed: impl Fn(usize) -> bool) -> Factors {
    let sizes = call.shape(0).iter().zip(borders).enumerate();
    let pair = |(axis, (&size, &border)): (usize, (&usize, &Border))| {
        let free = if is_fixed(axis) { None } else { border.axes(axis, size) };
        free.unwrap_or_else(|| {
            let total = (size as i64 + border.before + border.after).max(0) as usize;
            (alone(None, size), alone(None, total))
        })
    };
    let (input, output) = sizes.map(pair).unzip();
    Factors { inputs: vec![input], outputs: vec![output], ..Factors::default() }
}

/// The borders of a worker's part.
pub fn local_borders(call: &Call, borders: &[Border], parts: &[Part]) -> Vec<Border> {
    let sizes = call.shape(0).iter().zip(borders).enumerate();
    let local = |(axis, (&size, &border)): (usize, (&usize, &Border))| {
        let own = parts.iter().find(|part| part.letter == readings(axis)[0]);
        own.map_or(border, |own| border.local(size, own))
    };
    sizes.map(local).collect()
}
