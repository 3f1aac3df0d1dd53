//! Which indices run along which axes, and what a cut of an index does to each tensor.

use smallvec::SmallVec;

use super::signatures::gather_first;
use crate::attrs::Range;
use crate::op::Call;
use crate::placement::{At, Combine, Cut, Points};
use crate::shape::Shape;

/// The name of an index of an operation. `None` stands where nothing can be cut.
pub type Letter = Option<u8>;

/// One letter for each axis of a tensor.
pub type Letters = SmallVec<[Letter; 4]>;

/// One of the indices that run along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    /// The index.
    pub letter: Letter,
    /// How many of its positions the axis has.
    pub size: usize,
    /// Which positions these are, if not all: a slice has some of its input's.
    pub range: Option<Range>,
}

/// The indices that run along one axis, outermost first. Their sizes multiply to the axis's size.
pub type Reading = SmallVec<[Factor; 1]>;

/// The ways to read an axis, each with indices of its own: what is sliced from an axis can follow a
/// cut of the whole axis, or a cut of each of its blocks.
pub type Axis = SmallVec<[Reading; 1]>;

/// The indices along each axis of a tensor.
pub type Indices = SmallVec<[Axis; 4]>;

/// What becomes of a result when an index is cut that it does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combined {
    /// The result.
    pub output: usize,
    /// The index.
    pub letter: u8,
    /// How the workers' results are combined into the whole one.
    pub how: Combine,
}

/// The indices of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Factors {
    /// Those of each input.
    pub inputs: Vec<Indices>,
    /// Those of each result.
    pub outputs: Vec<Indices>,
    /// Results that are combined.
    pub combined: SmallVec<[Combined; 1]>,
    /// Inputs that every worker adds to its result when an index is cut: what is written to, or
    /// added to a product.
    pub added: SmallVec<[Added; 1]>,
}

/// An input that every worker adds to its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Added {
    /// The input.
    pub input: usize,
    /// The index that is cut.
    pub letter: u8,
}

/// The part of an index that one worker computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The index.
    pub letter: u8,
    /// The first of its positions.
    pub start: usize,
    /// How many of them.
    pub len: usize,
}

impl Factor {
    /// All positions of an index.
    pub fn of(letter: Letter, size: usize) -> Self {
        Factor { letter, size, range: None }
    }

    /// How many of the factor's positions lie before a position of the index.
    fn before(&self, position: usize) -> usize {
        let Some(Range { start, len, step }) = self.range else { return position };
        position.saturating_sub(start).div_ceil(step as usize).min(len)
    }

    /// A position of the index that has so many of the factor's positions before it.
    fn position(&self, count: usize, extent: usize) -> usize {
        match self.range {
            None => count,
            Some(_) if count == 0 => 0,
            Some(range) if count == range.len => extent,
            Some(Range { start, step, .. }) => start + count * step as usize,
        }
    }

    /// These positions of an index, the first ones first.
    pub fn some(letter: u8, range: Range) -> Self {
        assert!(range.step > 0, "parts of an index keep its order");
        Factor { letter: Some(letter), size: range.len, range: Some(range) }
    }

    /// What a worker has of the factor: the first position and how many.
    fn part(&self, part: &Part) -> (usize, usize) {
        let start = self.before(part.start);
        (start, self.before(part.start + part.len) - start)
    }
}

impl Factors {
    /// One index along each axis, of which the letters are given.
    pub fn of(call: &Call, inputs: Vec<Letters>, outputs: Vec<Letters>) -> Self {
        let Ok(shapes) = (call.op.shape)(call) else { return gather_first(call) };
        let inputs = inputs.iter().enumerate().map(|(index, own)| axes(own, call.shape(index)));
        let outputs = outputs.iter().zip(&shapes).map(|(own, shape)| axes(own, shape));
        let (inputs, outputs) = (inputs.collect(), outputs.collect());
        Factors { inputs, outputs, ..Factors::default() }
    }

    /// The same, where the results without these indices are combined if one of them is cut.
    pub fn combining(mut self, letters: impl IntoIterator<Item = (u8, Combine)>) -> Self {
        for (letter, how) in letters {
            for output in 0..self.outputs.len() {
                if find(&self.outputs[output], letter).is_none() {
                    self.combined.push(Combined { output, letter, how });
                }
            }
        }
        self
    }

    /// The same, where each worker adds an input to its result if one of these indices is cut.
    pub fn adding(mut self, input: usize, letters: impl IntoIterator<Item = u8>) -> Self {
        self.added.extend(letters.into_iter().map(|letter| Added { input, letter }));
        self
    }

    /// Every index that may be cut: each result has it or is combined, and inputs are parts or
    /// whole.
    pub fn letters(&self) -> SmallVec<[u8; 8]> {
        let mut letters = self.all_letters();
        letters.retain(|letter| !self.added.iter().any(|added| added.letter == *letter));
        letters
    }

    /// Every index that may be cut if inputs are partial sums: those that [`Factors::is_added`]
    /// names.
    pub fn adding_letters(&self) -> SmallVec<[u8; 8]> {
        let mut letters = self.all_letters();
        letters.retain(|letter| self.added.iter().any(|added| added.letter == *letter));
        letters
    }

    /// Whether an input must be a partial sum when `letter` is cut: each worker adds what it has of
    /// it to its result. A whole value is such a sum if one worker has it and the others zeros.
    pub fn is_added(&self, input: usize, letter: u8) -> bool {
        self.added.contains(&Added { input, letter })
    }

    fn all_letters(&self) -> SmallVec<[u8; 8]> {
        let mut letters: SmallVec<[u8; 8]> =
            self.factors().filter_map(|factor| factor.letter).collect();
        letters.sort_unstable();
        letters.dedup();
        letters.retain(|letter| {
            (0..self.outputs.len()).all(|output| {
                let has = find(&self.outputs[output], *letter).is_some();
                has || self.combine(output, *letter).is_some()
            })
        });
        letters
    }

    fn factors(&self) -> impl Iterator<Item = &Factor> {
        self.inputs.iter().chain(&self.outputs).flatten().flatten().flatten()
    }

    /// How many positions an index has.
    pub fn size(&self, letter: u8) -> usize {
        let mut whole = self.factors().filter(|factor| factor.range.is_none());
        whole.find(|factor| factor.letter == Some(letter)).map_or(0, |factor| factor.size)
    }

    /// How a result is combined when `letter` is cut; `None` if it is cut itself.
    pub fn combine(&self, output: usize, letter: u8) -> Option<Combine> {
        let mut combined = self.combined.iter();
        combined.find(|c| c.output == output && c.letter == letter).map(|c| c.how)
    }

    /// How an input is cut when an index is; `None` if it does not have it and all of the input is
    /// needed.
    pub fn input_cut(&self, input: usize, letter: u8, at: &At, parts: usize) -> Option<Cut> {
        self.cut(&self.inputs[input], letter, at, parts)
    }

    /// How a result is cut when an index is; `None` if it does not have it.
    pub fn output_cut(&self, output: usize, letter: u8, at: &At, parts: usize) -> Option<Cut> {
        self.cut(&self.outputs[output], letter, at, parts)
    }

    /// The index that is cut, and where, if an input is cut so; `None` if no cut of one index does
    /// that.
    pub fn letter_of(&self, input: usize, cut: &Cut, parts: usize) -> Option<(u8, At)> {
        self.letter_in(&self.inputs[input], cut, parts)
    }

    /// The same for a result.
    pub fn letter_of_output(&self, output: usize, cut: &Cut, parts: usize) -> Option<(u8, At)> {
        self.letter_in(&self.outputs[output], cut, parts)
    }

    /// The shape of a worker's part of a result.
    pub fn output_part(&self, output: usize, parts: &[Part]) -> Shape {
        let size = |axis: &Axis| {
            read(axis, parts).iter().map(|factor| own(factor, parts).1).product::<usize>()
        };
        self.outputs[output].iter().map(size).collect()
    }

    /// Where a worker's part of a result begins along each axis. An axis must not be in blocks.
    pub fn output_start(&self, output: usize, parts: &[Part]) -> SmallVec<[usize; 4]> {
        let start = |axis: &Axis| {
            let place = |place: usize, factor: &Factor| place * factor.size + own(factor, parts).0;
            read(axis, parts).iter().fold(0, place)
        };
        self.outputs[output].iter().map(start).collect()
    }

    fn cut(&self, axes: &Indices, letter: u8, at: &At, parts: usize) -> Option<Cut> {
        let (axis, reading, place) = find(axes, letter)?;
        if let At::InBlocks(blocks, points) = at {
            return Some(Cut { axis, blocks: *blocks, at: At::points(points.clone()) });
        }
        let (factor, blocks, inner) = surrounded(reading, place);
        let points = at.resolve(self.size(letter), parts);
        let points: Points = points.iter().map(|&point| factor.before(point) * inner).collect();
        Some(Cut { axis, blocks, at: At::points(points) })
    }

    fn letter_in(&self, axes: &Indices, cut: &Cut, parts: usize) -> Option<(u8, At)> {
        axes.get(cut.axis)?.iter().find_map(|reading| self.letter_on(reading, cut, parts))
    }

    /// The index that runs along an axis alone, of which each of the cut's blocks is cut. All axes
    /// that have it must have it alone.
    fn letter_in_blocks(&self, reading: &Reading, cut: &Cut, parts: usize) -> Option<(u8, At)> {
        let letter =
            reading.first()?.letter.filter(|letter| self.all_letters().contains(letter))?;
        let size = self.size(letter);
        let has = |reading: &Reading| reading.iter().any(|factor| factor.letter == Some(letter));
        let tensors = self.inputs.iter().chain(&self.outputs);
        let mut readings = tensors.flatten().flatten().filter(|reading| has(reading));
        let is_alone = readings
            .all(|reading| reading.len() == 1 && reading[0] == Factor::of(Some(letter), size));
        let fits = cut.blocks > 1 && size.is_multiple_of(cut.blocks);
        let points = cut.at.resolve(size / cut.blocks.max(1), parts);
        (is_alone && fits).then_some((letter, At::InBlocks(cut.blocks, points)))
    }

    fn letter_on(&self, reading: &Reading, cut: &Cut, parts: usize) -> Option<(u8, At)> {
        if reading.len() == 1 && cut.blocks > 1 {
            return self.letter_in_blocks(reading, cut, parts);
        }
        // Of factors with as many blocks outside, all but the last have a single position.
        let mut places = (0..reading.len()).rev();
        let place = places.find(|&place| surrounded(reading, place).1 == cut.blocks)?;
        let (factor, _, inner) = surrounded(reading, place);
        let letter = factor.letter.filter(|letter| self.all_letters().contains(letter))?;
        let points = cut.at.resolve(factor.size * inner, parts);
        if inner == 0 || points.iter().any(|point| point % inner != 0) {
            return None;
        }
        let extent = self.size(letter);
        let position = |point: &usize| factor.position(point / inner, extent);
        Some((letter, At::points(points.iter().map(position).collect())))
    }
}

/// The axes of a tensor of this shape with one index each.
pub fn axes(letters: &Letters, shape: &Shape) -> Indices {
    letters.iter().zip(shape.iter()).map(|(&letter, &size)| alone(letter, size)).collect()
}

/// An axis with one index.
pub fn alone(letter: Letter, size: usize) -> Axis {
    axis([Factor::of(letter, size)])
}

/// An axis that can be read in one way.
pub fn axis(factors: impl IntoIterator<Item = Factor>) -> Axis {
    Axis::from_iter([factors.into_iter().collect()])
}

/// The axis that carries an index, and the place of the index on it.
fn find(axes: &Indices, letter: u8) -> Option<(usize, &Reading, usize)> {
    let place = |reading: &Reading| reading.iter().position(|f| f.letter == Some(letter));
    axes.iter().enumerate().find_map(|(axis, readings)| {
        readings.iter().find_map(|reading| Some((axis, reading, place(reading)?)))
    })
}

/// A factor, how many blocks those outside of it make, and how many elements those inside.
fn surrounded(reading: &Reading, place: usize) -> (Factor, usize, usize) {
    let count = |factors: &[Factor]| factors.iter().map(|factor| factor.size).product();
    (reading[place], count(&reading[..place]), count(&reading[place + 1..]))
}

/// The reading of an axis that has the index which is cut.
fn read<'a>(axis: &'a Axis, parts: &[Part]) -> &'a [Factor] {
    let is_cut = |factor: &Factor| parts.iter().any(|part| factor.letter == Some(part.letter));
    let cut = axis.iter().find(|reading| reading.iter().any(is_cut));
    cut.or(axis.first()).map_or(&[], |reading| reading)
}

/// What a worker has of a factor: the first position and how many.
fn own(factor: &Factor, parts: &[Part]) -> (usize, usize) {
    let part = parts.iter().find(|part| factor.letter == Some(part.letter));
    part.map_or((0, factor.size), |part| factor.part(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(points: &[usize]) -> At {
        At::points(points.iter().copied().collect())
    }

    /// `(a, b c) -> (a b, c)` for sizes 3, 2 and 4.
    fn merged() -> Factors {
        let [a, b, c] = [(0, 3), (1, 2), (2, 4)].map(|(l, size)| Factor::of(Some(l), size));
        Factors {
            inputs: vec![[axis([a]), axis([b, c])].into_iter().collect()],
            outputs: vec![[axis([a, b]), axis([c])].into_iter().collect()],
            ..Factors::default()
        }
    }

    #[test]
    fn a_cut_of_an_outer_index_is_contiguous_and_of_an_inner_one_in_blocks() {
        let factors = merged();
        let cut = |axis, blocks, points: &[usize]| Some(Cut { axis, blocks, at: at(points) });
        assert_eq!(factors.input_cut(0, 0, &at(&[0, 1, 3]), 2), cut(0, 1, &[0, 1, 3]));
        assert_eq!(factors.output_cut(0, 0, &at(&[0, 1, 3]), 2), cut(0, 1, &[0, 2, 6]));
        assert_eq!(factors.input_cut(0, 1, &At::Even, 2), cut(1, 1, &[0, 4, 8]));
        assert_eq!(factors.output_cut(0, 1, &At::Even, 2), cut(0, 3, &[0, 1, 2]));
        assert_eq!(factors.input_cut(0, 2, &At::Even, 3), cut(1, 2, &[0, 2, 3, 4]));
        assert_eq!(factors.output_cut(0, 2, &At::Even, 3), Some(Cut::even(1)));
        assert_eq!(factors.input_cut(0, 3, &At::Even, 2), None);
    }

    #[test]
    fn a_cut_leads_back_to_the_index_unless_it_goes_through_an_inner_one() {
        let factors = merged();
        let cut = |axis, blocks, points: &[usize]| Cut { axis, blocks, at: at(points) };
        assert_eq!(
            factors.letter_of_output(0, &cut(0, 1, &[0, 2, 6]), 2),
            Some((0, at(&[0, 1, 3])))
        );
        assert_eq!(factors.letter_of_output(0, &cut(0, 1, &[0, 3, 6]), 2), None);
        assert_eq!(factors.letter_of(0, &Cut::even(1), 2), Some((1, At::Even)));
        assert_eq!(factors.letter_of(0, &cut(1, 2, &[0, 1, 4]), 2), Some((2, at(&[0, 1, 4]))));
        assert_eq!(factors.letter_of(0, &cut(1, 4, &[0, 1, 2]), 2), None);
    }

    #[test]
    fn an_index_that_is_alone_on_its_axes_may_be_cut_in_blocks() {
        let axes = |letters: [(u8, usize); 2]| -> Indices {
            letters.map(|(letter, size)| alone(Some(letter), size)).into_iter().collect()
        };
        let turned = Factors {
            inputs: vec![axes([(0, 6), (1, 4)])],
            outputs: vec![axes([(1, 4), (0, 6)])],
            ..Factors::default()
        };
        let cut = |axis, blocks| Cut { axis, blocks, at: At::Even };
        let (letter, points) = turned.letter_of(0, &cut(0, 3), 2).expect("an index");
        assert_eq!(turned.output_cut(0, letter, &points, 2), Some(cut(1, 3)));
        assert_eq!(turned.input_cut(0, letter, &points, 2), Some(cut(0, 3)));
        assert_eq!(turned.letter_of(0, &cut(0, 4), 2), None, "six positions are not four blocks");
        // The first index of `a b` has no blocks of its own there.
        assert_eq!(merged().letter_of(0, &Cut { axis: 0, blocks: 3, at: At::Even }, 2), None);
    }

    #[test]
    fn a_part_of_an_index_is_cut_where_the_whole_is() {
        let range = Range { start: 2, len: 3, step: 2 };
        let factors = Factors {
            inputs: vec![[alone(Some(0), 10)].into_iter().collect()],
            outputs: vec![[axis([Factor::some(0, range)])].into_iter().collect()],
            ..Factors::default()
        };
        let cut = |points: &[usize]| Cut { axis: 0, blocks: 1, at: at(points) };
        assert_eq!(factors.output_cut(0, 0, &at(&[0, 3, 5, 10]), 3), Some(cut(&[0, 1, 2, 3])));
        assert_eq!(factors.output_cut(0, 0, &at(&[0, 2, 10]), 2), Some(cut(&[0, 0, 3])));
        let (letter, points) = factors.letter_of_output(0, &cut(&[0, 1, 3]), 2).expect("an index");
        assert_eq!((letter, points.resolve(10, 2).as_slice()), (0, [0, 4, 10].as_slice()));
        let part = Part { letter: 0, start: 3, len: 4 };
        assert_eq!(factors.output_part(0, &[part]), Shape::from([2]));
        assert_eq!(factors.output_start(0, &[part]).as_slice(), [1]);
    }

    #[test]
    fn an_index_that_an_input_is_added_for_is_apart_from_the_others() {
        let axes = || [alone(Some(0), 3)].into_iter().collect();
        let factors = Factors {
            inputs: vec![Indices::new(), axes()],
            outputs: vec![Indices::new()],
            ..Factors::default()
        };
        let factors = factors.combining([(0, Combine::Sum)]);
        assert_eq!(factors.letters().as_slice(), [0]);
        let factors = factors.adding(0, [0]);
        assert!(factors.letters().is_empty());
        assert_eq!(factors.adding_letters().as_slice(), [0]);
        assert!(factors.is_added(0, 0) && !factors.is_added(1, 0));
    }
}
