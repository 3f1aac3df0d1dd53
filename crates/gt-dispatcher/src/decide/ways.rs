//! The ways in which the workers along one axis of a mesh may share an instruction.

use gt_core::Meta;
use gt_core::op::Linear;
use gt_core::placement::{At, Combine, Cut, Layout};
use gt_core::rules::shard::Factors;
use smallvec::SmallVec;

use super::signature::Asked;
use crate::placements::Placements;
use crate::registry::Entry;

/// How the workers along one axis of a mesh share an instruction.
pub(super) struct Way {
    /// The index that is cut, and where.
    pub(super) cut: Option<(u8, At)>,
    /// How each input has to lie along it.
    pub(super) inputs: SmallVec<[Layout; 3]>,
    /// How each result will lie along it.
    pub(super) outputs: SmallVec<[Layout; 1]>,
}

/// One axis of the mesh, along which an instruction is shared.
pub(super) struct Along<'a> {
    pub(super) asked: &'a Asked<'a>,
    pub(super) factors: &'a Factors,
    pub(super) axis: usize,
    pub(super) placements: &'a Placements,
}

impl Along<'_> {
    /// How a value lies already along the axis.
    fn available<'a>(&'a self, entry: &'a Entry) -> impl Iterator<Item = &'a Layout> {
        self.asked.available(entry, self.placements).map(|layouts| &layouts[self.axis])
    }

    fn parts(&self) -> usize {
        self.placements.get(self.asked.mesh).mesh().size(self.axis)
    }

    /// Where an index may be cut: evenly, or where one of the values is cut already.
    pub(super) fn points(&self, letter: u8) -> Vec<At> {
        let (factors, parts) = (self.factors, self.parts());
        let mut points = vec![At::Even];
        let mut add = |found: Option<(u8, At)>| {
            // In blocks a worker has positions from all over an index.
            let is_alike = self.asked.call.op.is_alike_everywhere();
            let allowed = |at: &At| !matches!(at, At::InBlocks(..)) || is_alike;
            if let Some((found, at)) = found
                && found == letter
                && allowed(&at)
                && !points.contains(&at)
            {
                points.push(at);
            }
        };
        for (input, entry) in self.asked.entries.iter().enumerate() {
            for layout in entry.iter().flat_map(|entry| self.available(entry)) {
                if let Layout::Shard(cut) = layout {
                    add(factors.letter_of(input, cut, parts));
                }
            }
        }
        for (output, layouts) in self.asked.fixed.iter().enumerate() {
            if let Some(Layout::Shard(cut)) = layouts.as_ref().map(|layouts| &layouts[self.axis]) {
                add(factors.letter_of_output(output, cut, parts));
            }
        }
        points
    }

    /// The work cut along one index.
    pub(super) fn cut(&self, letter: u8, at: At) -> Option<Way> {
        let (asked, factors, parts) = (self.asked, self.factors, self.parts());
        let layout = |cut: Option<Cut>| cut.map_or(Layout::Replicate, Layout::Shard);
        let inputs = (0..asked.entries.len()).map(|input| match factors.is_added(input, letter) {
            true => Layout::Partial(Combine::Sum),
            false => layout(factors.input_cut(input, letter, &at, parts)),
        });
        let inputs: SmallVec<[Layout; 3]> = inputs.collect();
        let mut outputs: SmallVec<[Layout; 1]> = SmallVec::new();
        for output in 0..asked.results.len() {
            outputs.push(match factors.combine(output, letter) {
                Some(how) => Layout::Partial(how),
                None => Layout::Shard(factors.output_cut(output, letter, &at, parts)?),
            });
        }
        // The largest of no elements is nothing.
        let extreme =
            |layout: &Layout| matches!(layout, Layout::Partial(Combine::Max | Combine::Min));
        let points = at.resolve(factors.size(letter), parts);
        let has_empty = points.windows(2).any(|pair| pair[0] == pair[1]);
        if has_empty && outputs.iter().any(extreme) {
            return None;
        }
        Some(Way { cut: Some((letter, at)), inputs, outputs })
    }

    /// Partial sums pass through inputs in which the operation is linear, if the results are no
    /// larger.
    pub(super) fn partial(&self) -> Option<Way> {
        let asked = self.asked;
        let sum = Layout::Partial(Combine::Sum);
        let is_sum = |input: usize| {
            let entry = asked.entries.get(input).copied().flatten();
            entry.is_some_and(|entry| self.available(entry).any(|at| *at == sum))
        };
        let summed: SmallVec<[usize; 4]> = match asked.call.op.linear {
            Linear::No => return None,
            Linear::Together(inputs) => {
                let any = inputs.iter().any(|&input| is_sum(input));
                // A number cannot be given to one worker only.
                let all = inputs.iter().all(|&input| asked.entries[input].is_some());
                if any && all { inputs.iter().copied().collect() } else { return None }
            }
            Linear::Each(inputs) => {
                inputs.iter().copied().find(|&i| is_sum(i)).into_iter().collect()
            }
            Linear::ByNumbers(input) => {
                let alone = asked.entries.iter().flatten().count() == 1;
                Some(input).filter(|&input| alone && is_sum(input)).into_iter().collect()
            }
        };
        if summed.is_empty() || !self.may_stay_sums(&summed) {
            return None;
        }
        let copied = |count: usize| std::iter::repeat_n(Layout::Replicate, count);
        let mut inputs: SmallVec<[Layout; 3]> = copied(asked.entries.len()).collect();
        summed.iter().for_each(|&input| inputs[input] = sum.clone());
        let outputs = SmallVec::from_elem(sum, asked.results.len());
        Some(Way { cut: None, inputs, outputs })
    }

    /// Whether these inputs may be sums, and so the results.
    fn may_stay_sums(&self, summed: &[usize]) -> bool {
        let Asked { entries, results, .. } = self.asked;
        let larger = |input: &usize| {
            let bytes: usize = results.iter().map(Meta::bytes).sum();
            entries[*input].is_some_and(|entry| bytes > entry.meta.bytes())
        };
        // In another dtype parts are rounded, or do not wrap around as their sum does.
        let converted = |input: &usize| {
            let dtype = entries[*input].map(|entry| entry.meta.dtype);
            results.iter().any(|result| Some(result.dtype) != dtype)
        };
        // A value that is needed as a sum and whole at once is put together for both.
        let needed_whole = |input: &usize| {
            let address = |entry: Option<&Entry>| entry.map(std::ptr::from_ref);
            let is_same = |other: &Option<&Entry>| {
                other.is_some() && address(*other) == address(entries[*input])
            };
            let others = entries.iter().enumerate();
            let mut others = others.filter(|(other, _)| !summed.contains(other));
            others.any(|(_, other)| is_same(other))
        };
        !summed.iter().any(|input| larger(input) || converted(input) || needed_whole(input))
    }
}
