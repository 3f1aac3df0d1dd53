//! Every index of every row is cut, and the parts that workers compute are compared with the whole.

use gt_core::attrs::{Attr, Range};
use gt_core::expr::Term;
use gt_core::op::{Call, Sample};
use gt_core::placement::{At, Combine, Cut, Layout, Mesh, Placement, Span};
use gt_core::rules::shard::factors::{Axis, Reading};
use gt_core::rules::shard::{Factors, Part};
use gt_core::slot::WorkerId;
use gt_core::{DType, Meta, Shape, ops};

use super::common::array::{Array, Dice, positions};
use super::common::{Machine, args};
use super::{Case, Findings, cases, on_native};

#[test]
fn parts_make_up_the_whole_whatever_index_is_cut() {
    check_all(cases(&[DType::F64, DType::I32, DType::Bool]));
}

/// Shapes that no sample has: sizes with and without common divisors, parts at any place.
#[test]
fn parts_of_views_make_up_the_whole_for_many_shapes() {
    let mut dice = Dice(14);
    let random = (0..600).map(|number| {
        let (name, sample) = match number % 6 {
            0 => ("reshape", reshaped(&mut dice)),
            1 => ("slice", sliced_sample(&mut dice)),
            2 => ("slice_write", written_sample(&mut dice)),
            3 => ("cat", joined(&mut dice)),
            4 => ("pad", padded(&mut dice)),
            _ => ("repeat", repeated(&mut dice)),
        };
        let op = ops::by_name(name).unwrap();
        let inputs = Dice(number).inputs(op, &sample, DType::F64);
        let name = format!("{} {:?} {:?}", op.name, sample.inputs, sample.attrs);
        Case { op, attrs: sample.attrs, inputs, name }
    });
    check_all(random.collect());
}

/// Cuts every index of each call, alone and with others.
fn check_all(cases: Vec<Case>) {
    on_native(|machine| {
        let mut findings = Findings::default();
        for case in cases {
            let args = args(&case.inputs);
            let call = Call::checked(case.op, &args, &case.attrs).expect("a sample is a call");
            if call.infer().is_err() {
                continue;
            }
            let factors = (case.op.shard)(&call);
            let whole = case.results(machine);
            if let Some(what) = misfit(&case, &factors, &whole) {
                findings.add(&case, what);
                continue;
            }
            let checked = Checked { machine, case: &case, call, factors: &factors, whole: &whole };
            for plan in plans(&factors, whole.len()) {
                if let Err(what) = checked.check(&plan) {
                    findings.add(&case, format!("{plan:?}: {what}"));
                }
            }
        }
        findings.report();
    });
}

fn sizes(dice: &mut Dice, rank: usize) -> Vec<usize> {
    (0..rank).map(|_| 1 + dice.below(6)).collect()
}

/// The same small factors, grouped to axes in two ways.
fn reshaped(dice: &mut Dice) -> Sample {
    let factors: Vec<usize> = (0..4).map(|_| [1, 2, 2, 3][dice.below(4)]).collect();
    let mut grouped = |mut factors: Vec<usize>| {
        let mut sizes = vec![factors.remove(0)];
        for factor in factors {
            match dice.below(2) {
                0 => sizes.push(factor),
                _ => *sizes.last_mut().expect("there is one") *= factor,
            }
        }
        sizes
    };
    let (from, to) = (grouped(factors.clone()), grouped(factors.iter().rev().copied().collect()));
    Sample::of(&[&from]).attrs([ints(to)])
}

fn ints(values: impl IntoIterator<Item = usize>) -> Attr {
    Attr::Ints(values.into_iter().map(|value| value as i64).collect())
}

fn ranges(dice: &mut Dice, shape: &[usize]) -> Vec<Range> {
    let range = |&size: &usize| {
        let start = dice.below(size);
        let step = 1 + dice.below(2);
        let len = dice.below((size - start).div_ceil(step) + 1);
        Range { start, len, step: step as i64 }
    };
    shape.iter().map(range).collect()
}

fn sliced_sample(dice: &mut Dice) -> Sample {
    let shape = sizes(dice, 2);
    let ranges = ranges(dice, &shape);
    Sample::of(&[&shape]).attrs([Attr::Ranges(ranges)])
}

fn written_sample(dice: &mut Dice) -> Sample {
    let shape = sizes(dice, 2);
    let ranges = ranges(dice, &shape);
    let part: Vec<usize> = ranges.iter().map(|range| range.len).collect();
    Sample::of(&[&shape, &part]).attrs([Attr::Ranges(ranges)])
}

fn joined(dice: &mut Dice) -> Sample {
    let (shape, axis) = (sizes(dice, 2), dice.below(2));
    let count = 1 + dice.below(3);
    let part = |_| {
        let mut shape = shape.clone();
        shape[axis] = 2 * dice.below(3) + dice.below(2);
        shape
    };
    let parts: Vec<Vec<usize>> = (0..count).map(part).collect();
    let parts: Vec<&[usize]> = parts.iter().map(Vec::as_slice).collect();
    Sample::of(&parts).attrs([axis.into()])
}

fn padded(dice: &mut Dice) -> Sample {
    let shape = sizes(dice, 2);
    let mut pad = Vec::new();
    for &size in shape.iter().rev() {
        let taken = -(dice.below(size) as i64);
        pad.push(if dice.below(2) == 0 { taken } else { dice.below(4) as i64 });
        pad.push(if dice.below(3) == 0 && pad.last() == Some(&0) { taken } else { 1 });
    }
    let pad = Attr::Ints(pad.into_iter().collect());
    Sample::of(&[&shape]).attrs([pad, Attr::None, Attr::Float(1.5)])
}

fn repeated(dice: &mut Dice) -> Sample {
    let shape = sizes(dice, 2);
    let times: Vec<usize> = (0..3).map(|_| dice.below(4)).collect();
    Sample::of(&[&shape]).attrs([ints(times)])
}

/// What is wrong with a signature before anything is cut.
fn misfit(case: &Case, factors: &Factors, whole: &[Array]) -> Option<String> {
    if letters(factors).is_empty() {
        return None;
    }
    let shapes = args(&case.inputs).iter().map(|input| input.shape().clone()).collect::<Vec<_>>();
    let results = whole.iter().map(|output| output.meta.shape.clone()).collect::<Vec<_>>();
    for (tensors, shapes) in [(&factors.inputs, shapes), (&factors.outputs, results)] {
        let size = |reading: &Reading| reading.iter().map(|factor| factor.size).product::<usize>();
        let alike = |axis: &Axis| axis.iter().all(|reading| size(reading) == size(&axis[0]));
        let found: Vec<Shape> =
            tensors.iter().map(|axes| axes.iter().map(|axis| size(&axis[0])).collect()).collect();
        if found != shapes || !tensors.iter().flatten().all(alike) {
            return Some(format!("a signature of other shapes, {found:?}: {factors:?}"));
        }
    }
    let all = || factors.inputs.iter().chain(&factors.outputs).flatten().flatten().flatten();
    let uneven = all().find(|factor| {
        let size = factor.letter.map(|letter| factors.size(letter));
        factor.range.is_none() && size.is_some_and(|size| size != factor.size)
    });
    uneven.map(|factor| format!("{factor:?} has another size elsewhere: {factors:?}"))
}

/// Every index that may be cut, whatever inputs must be then.
fn letters(factors: &Factors) -> Vec<u8> {
    factors.letters().into_iter().chain(factors.adding_letters()).collect()
}

/// An index and where it is cut.
#[derive(Clone, Debug)]
struct Sliced {
    letter: u8,
    at: Vec<usize>,
}

impl Sliced {
    fn parts(&self) -> usize {
        self.at.len() - 1
    }
}

/// One index cut in several ways, and two indices at once.
fn plans(factors: &Factors, outputs: usize) -> Vec<Vec<Sliced>> {
    let letters = letters(factors);
    let mut plans = Vec::new();
    for &letter in &letters {
        for at in points(factors.size(letter)) {
            plans.push(vec![Sliced { letter, at }]);
        }
    }
    let combine = |letter| (0..outputs).map(move |output| factors.combine(output, letter));
    for (index, &first) in letters.iter().enumerate() {
        for &second in &letters[index + 1..] {
            let alike = combine(first)
                .zip(combine(second))
                .all(|(a, b)| a.is_none() || b.is_none() || a == b);
            if alike {
                let halves = |letter: u8| {
                    let size = factors.size(letter);
                    Sliced { letter, at: vec![0, size.div_ceil(3), size] }
                };
                plans.push(vec![halves(first), halves(second)]);
            }
        }
    }
    plans
}

/// Where to cut an index: evenly, unevenly, and so that parts are empty.
fn points(size: usize) -> Vec<Vec<usize>> {
    let mut points = vec![
        vec![0, size.div_ceil(2), size],
        vec![0, size / 2, size / 2, size],
        vec![0, 0, size.min(1), size.min(2), size],
    ];
    if size >= 2 {
        points.push(vec![0, size.div_ceil(3), size]);
    }
    if size >= 3 {
        points.push(vec![0, 1, size - 1, size]);
        points.push(vec![0, size - 2, size - 1, size]);
    }
    points
}

/// What is checked: a call and its results.
struct Checked<'a> {
    machine: Machine<'a>,
    case: &'a Case,
    call: Call<'a>,
    factors: &'a Factors,
    whole: &'a [Array],
}

/// What a worker has of each index that is cut.
type Parts = Vec<Part>;

impl Checked<'_> {
    /// Computes every worker's part and puts them together.
    fn check(&self, plan: &[Sliced]) -> Result<(), String> {
        let inputs = self.cuts(plan, self.call.inputs.len(), |index, sliced, at| {
            self.factors.input_cut(index, sliced.letter, at, sliced.parts())
        });
        let outputs = self.cuts(plan, self.whole.len(), |index, sliced, at| {
            self.factors.output_cut(index, sliced.letter, at, sliced.parts())
        });
        // One axis cannot be cut along two axes of a mesh.
        let (Some(inputs), Some(outputs)) = (inputs, outputs) else { return Ok(()) };
        self.check_cuts(plan, &inputs, &outputs)?;
        let mut gathered: Vec<Gathered> =
            self.whole.iter().map(|whole| Gathered::new(&whole.meta.shape)).collect();
        for coordinate in coordinates(plan) {
            let parts = own_parts(plan, &coordinate);
            if self.is_left_out(&parts) {
                continue;
            }
            let results = self.run(&inputs, &coordinate, plan, &parts)?;
            for (output, result) in results.iter().enumerate() {
                let spans =
                    spans(&self.whole[output].meta.shape, &outputs[output], &coordinate, plan);
                let mut how = plan.iter().map(|s| self.factors.combine(output, s.letter));
                gathered[output].add(result, &spans, how.find_map(|how| how))?;
            }
        }
        self.compare(plan, gathered)
    }

    /// The cut of each of so many tensors along each axis of the mesh; `None` if a tensor cannot be
    /// cut so.
    fn cuts(
        &self,
        plan: &[Sliced],
        count: usize,
        cut: impl Fn(usize, &Sliced, &At) -> Option<Cut>,
    ) -> Option<Vec<Vec<Option<Cut>>>> {
        let tensor = |index: usize| {
            let cuts = plan
                .iter()
                .map(|sliced| cut(index, sliced, &At::points(sliced.at.iter().copied().collect())));
            cuts.collect::<Vec<_>>()
        };
        let all: Vec<Vec<Option<Cut>>> = (0..count).map(tensor).collect();
        let twice = all.iter().any(|cuts| {
            let axes: Vec<usize> = cuts.iter().flatten().map(|cut| cut.axis).collect();
            axes.len() == 2 && axes[0] == axes[1]
        });
        (!twice).then_some(all)
    }

    /// Cuts fit their tensors, and lead back to the index.
    fn check_cuts(
        &self,
        plan: &[Sliced],
        inputs: &[Vec<Option<Cut>>],
        outputs: &[Vec<Option<Cut>>],
    ) -> Result<(), String> {
        let fits = |cut: &Cut, shape: &Shape, parts: usize| {
            let mesh = Mesh::group((0..parts as u32).map(WorkerId));
            let placed = Placement::new(mesh, [Layout::Shard(cut.clone())], shape);
            placed.map(|_| ()).map_err(|error| error.to_string())
        };
        let returns = |cut: &Cut, back: Option<Cut>| match back {
            Some(back) if back == *cut => Ok(()),
            other => Err(format!("{cut:?} comes back as {other:?}")),
        };
        for (index, cuts) in inputs.iter().enumerate() {
            for (cut, sliced) in cuts.iter().zip(plan).filter_map(|(c, s)| Some((c.as_ref()?, s))) {
                let parts = sliced.parts();
                fits(cut, self.call.shape(index), parts)?;
                let found = self.factors.letter_of(index, cut, parts);
                let back = found.and_then(|(l, at)| self.factors.input_cut(index, l, &at, parts));
                returns(cut, back)?;
            }
        }
        for (index, cuts) in outputs.iter().enumerate() {
            for (cut, sliced) in cuts.iter().zip(plan).filter_map(|(c, s)| Some((c.as_ref()?, s))) {
                let parts = sliced.parts();
                fits(cut, &self.whole[index].meta.shape, parts)?;
                let found = self.factors.letter_of_output(index, cut, parts);
                let back = found.and_then(|(l, at)| self.factors.output_cut(index, l, &at, parts));
                returns(cut, back)?;
            }
        }
        Ok(())
    }

    /// The largest of no elements is nothing; whoever cuts leaves workers without a part out.
    fn is_left_out(&self, parts: &Parts) -> bool {
        let chooses = |letter| {
            let mut how = (0..self.whole.len()).map(|output| self.factors.combine(output, letter));
            how.any(|how| matches!(how, Some(Combine::Max | Combine::Min)))
        };
        parts.iter().any(|part| part.len == 0 && chooses(part.letter))
    }

    /// What one worker computes.
    fn run(
        &self,
        cuts: &[Vec<Option<Cut>>],
        coordinate: &[usize],
        plan: &[Sliced],
        parts: &Parts,
    ) -> Result<Vec<Array>, String> {
        let local = |(index, cuts): (usize, &Vec<Option<Cut>>)| match &self.case.inputs[index] {
            Term::Value(value) => {
                let spans = spans(&value.meta.shape, cuts, coordinate, plan);
                Term::Value(sliced(&self.share(value, index, coordinate, plan), &spans))
            }
            other => other.clone(),
        };
        let inputs: Vec<Term<Array>> = cuts.iter().enumerate().map(local).collect();
        let attrs = (self.case.op.localise)(&self.call, parts);
        self.machine.run(self.case.op, &inputs, &attrs).map_err(|error| error.to_string())
    }

    /// What a worker has of an input that must be a partial sum: numbers of either sign, of which
    /// the last worker has what is missing. Other inputs are as they are.
    fn share(&self, value: &Array, input: usize, coordinate: &[usize], plan: &[Sliced]) -> Array {
        let axes = (0..plan.len()).filter(|&at| self.factors.is_added(input, plan[at].letter));
        axes.fold(value.clone(), |value, at| {
            let share = |number: usize| {
                let share =
                    Dice(number as u64 + 1).array(Meta::new(DType::F64, value.meta.shape.clone()));
                Array::from_fn(value.meta.clone(), |at| share.at(at) * 4.0)
            };
            let last = plan[at].parts() - 1;
            if coordinate[at] < last {
                return share(coordinate[at]);
            }
            (0..last).map(share).fold(value.clone(), |rest, share| {
                Array::from_fn(value.meta.clone(), |at| rest.at(at) - share.at(at))
            })
        })
    }

    fn compare(&self, plan: &[Sliced], gathered: Vec<Gathered>) -> Result<(), String> {
        for (output, (found, expected)) in gathered.into_iter().zip(self.whole).enumerate() {
            let found = found.array(expected.meta.dtype).ok_or(format!("{output} has holes"))?;
            let sum = |s: &Sliced| self.factors.combine(output, s.letter) == Some(Combine::Sum);
            // Only a cut sum is added up in another order.
            let tolerance = if plan.iter().any(sum) { 1e-12 } else { 1e-14 };
            let distance = found.distance(expected);
            if distance > tolerance || distance.is_nan() {
                return Err(format!(
                    "output {output} is {distance:.1e} apart\n    found    {:?}\n    expected {:?}",
                    found.data, expected.data
                ));
            }
        }
        Ok(())
    }
}

/// Every place of the mesh.
fn coordinates(plan: &[Sliced]) -> Vec<Vec<usize>> {
    let shape: Shape = plan.iter().map(Sliced::parts).collect();
    positions(&shape).collect()
}

fn own_parts(plan: &[Sliced], coordinate: &[usize]) -> Parts {
    let part = |(sliced, &at): (&Sliced, &usize)| {
        let (start, end) = (sliced.at[at], sliced.at[at + 1]);
        Part { letter: sliced.letter, start, len: end - start }
    };
    plan.iter().zip(coordinate).map(part).collect()
}

/// What a worker has of each axis of a tensor.
fn spans(shape: &Shape, cuts: &[Option<Cut>], coordinate: &[usize], plan: &[Sliced]) -> Vec<Span> {
    let mut spans: Vec<Span> = shape.iter().map(|&size| Span::whole(size)).collect();
    for ((cut, &at), sliced) in cuts.iter().zip(coordinate).zip(plan) {
        if let Some(cut) = cut {
            spans[cut.axis] = cut.span(shape[cut.axis], at, sliced.parts());
        }
    }
    spans
}

/// Where an element of a part stands in the whole.
fn in_whole(position: &[usize], spans: &[Span]) -> Vec<usize> {
    let place =
        |(&at, span): (&usize, &Span)| at / span.len * span.inner + span.start + at % span.len;
    position.iter().zip(spans).map(place).collect()
}

fn sliced(value: &Array, spans: &[Span]) -> Array {
    let shape: Shape = spans.iter().map(Span::size).collect();
    let meta = Meta::new(value.meta.dtype, shape);
    Array::from_fn(meta, |at| value.at(&in_whole(at, spans)))
}

/// A result while the parts of workers come in.
struct Gathered {
    shape: Shape,
    elements: Vec<Option<f64>>,
}

impl Gathered {
    fn new(shape: &Shape) -> Self {
        Gathered { shape: shape.clone(), elements: vec![None; shape.count()] }
    }

    fn add(&mut self, part: &Array, spans: &[Span], how: Option<Combine>) -> Result<(), String> {
        let expected: Shape = spans.iter().map(Span::size).collect();
        if part.meta.shape != expected {
            return Err(format!("a part of shape {}, not {expected}", part.meta.shape));
        }
        for at in positions(&expected) {
            let whole = in_whole(&at, spans);
            let sizes = whole.iter().zip(self.shape.iter());
            let place = sizes.fold(0, |place, (&at, &size)| place * size + at);
            let own = part.at(&at);
            let element = &mut self.elements[place];
            *element = Some(match (*element, how) {
                (None, _) => own,
                (Some(other), Some(Combine::Sum)) => other + own,
                (Some(other), Some(Combine::Prod)) => other * own,
                (Some(other), Some(Combine::Max)) => other.max(own),
                (Some(other), Some(Combine::Min)) => other.min(own),
                (Some(_), None) => {
                    return Err(format!("two workers have the element at {whole:?}"));
                }
            });
        }
        Ok(())
    }

    fn array(self, dtype: DType) -> Option<Array> {
        let data = self.elements.into_iter().collect::<Option<Vec<f64>>>()?;
        Some(Array { meta: Meta::new(dtype, self.shape), data })
    }
}
