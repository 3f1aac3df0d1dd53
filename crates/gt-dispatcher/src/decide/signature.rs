//! The cheapest legal way to share an instruction among the workers of a mesh. What cannot be
//! proved by the row's factors is gathered first.

use gt_core::op::{Call, Linear};
use gt_core::placement::{At, Combine, Cut, Layout};
use gt_core::rules::shard::Factors;
use gt_core::{Meta, WorkerId};
use smallvec::{SmallVec, smallvec};

use crate::placements::{PlacementId, Placements};
use crate::registry::Entry;

/// What a message costs besides its bytes, in bytes that travel in the same time.
const MESSAGE_BYTES: u64 = 1 << 10;

/// How the workers of a mesh share an instruction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chosen {
    /// Copies on the mesh, which stand for it.
    pub(crate) mesh: PlacementId,
    /// The index that is cut, and where; `None` if every worker does the same.
    pub(crate) cut: Option<(u8, At)>,
    /// How each input has to lie; that of a number does not matter.
    pub(crate) inputs: SmallVec<[Layout; 3]>,
    /// How each result will lie.
    pub(crate) outputs: SmallVec<[Layout; 1]>,
}

/// What is asked of a choice.
pub(crate) struct Asked<'a> {
    /// The operation, with the shapes of whole values.
    pub(crate) call: &'a Call<'a>,
    /// What its results are.
    pub(crate) results: &'a [Meta],
    /// For each input where it is; `None` for numbers.
    pub(crate) entries: &'a [Option<&'a Entry>],
    /// The mesh.
    pub(crate) mesh: PlacementId,
    /// How the first result should lie if nothing else decides.
    pub(crate) wish: Layout,
    /// How results have to lie that replace values.
    pub(crate) fixed: &'a [Option<Layout>],
    /// Whether copies of inputs that are moved for it are kept.
    pub(crate) keep: bool,
    /// Whether it is in a signal, where everybody is to have a share.
    pub(crate) in_signal: bool,
}

impl Asked<'_> {
    /// The cheapest way. Of equal ones that which gives what is wished, then one that shares the
    /// work, then the first.
    pub(crate) fn choose(&self, placements: &Placements) -> Chosen {
        let mut best: Option<(u64, bool, bool, Chosen)> = None;
        for candidate in self.candidates(placements).into_iter().filter(|it| self.is_allowed(it)) {
            let cost = self.cost(&candidate, placements);
            let unwished = candidate.outputs.first() != Some(&self.wish);
            let unshared = candidate.cut.is_none();
            let key = (cost, unwished, unshared);
            if best
                .as_ref()
                .is_none_or(|&(cost, unwished, unshared, _)| key < (cost, unwished, unshared))
            {
                best = Some((cost, unwished, unshared, candidate));
            }
        }
        best.map_or_else(|| self.whole(), |(.., chosen)| chosen)
    }

    /// Whether it uses whole what the config wants whole while it is used: that is prescribed and
    /// not chosen by bytes. Updates are no uses, and what is outside of signals is none of a model.
    fn is_allowed(&self, candidate: &Chosen) -> bool {
        let is_whole = |(entry, layout): (&Option<&Entry>, &Layout)| {
            *layout == Layout::Replicate || entry.is_none_or(|entry| !entry.copies.whole)
        };
        let is_use = self.in_signal && self.fixed.is_empty();
        !is_use || self.entries.iter().zip(&candidate.inputs).all(is_whole)
    }

    /// Whether a value that is cut or to be summed up on the mesh has to lie in another way.
    pub(crate) fn changes_layouts(&self, chosen: &Chosen, placements: &Placements) -> bool {
        self.entries.iter().zip(&chosen.inputs).any(|(entry, layout)| {
            let Some(entry) = entry else { return false };
            let mut there = self.available(entry, placements).peekable();
            there.peek().is_some() && there.all(|at| at != layout && *at != Layout::Replicate)
        })
    }

    fn candidates(&self, placements: &Placements) -> Vec<Chosen> {
        let mut candidates = vec![self.whole()];
        // Copies stay copies: everybody has all that is needed. What is made at its first use is
        // made as the others are, but for data that a signal is to share.
        let is_copied =
            |entry: &&Entry| self.available(entry, placements).any(|at| *at == Layout::Replicate);
        let is_made = |entry: &&&Entry| entry.recipe.is_none();
        let mut tensors = self.entries.iter().flatten().filter(is_made).peekable();
        let fixed = self.fixed.iter().flatten().any(|layout| *layout != Layout::Replicate);
        let shares = self.in_signal && self.entries.iter().flatten().any(|e| e.comes_as_asked());
        if tensors.peek().is_some() && tensors.all(is_copied) && !fixed && !shares {
            return candidates;
        }
        let factors = (self.call.op.shard)(self.call);
        for letter in factors.letters().into_iter().chain(factors.adding_letters()) {
            for at in self.points(&factors, letter, placements) {
                candidates.extend(self.cut(&factors, letter, at, placements));
            }
        }
        candidates.extend(self.partial(placements));
        candidates
    }

    /// Every worker does all of it.
    fn whole(&self) -> Chosen {
        Chosen {
            mesh: self.mesh,
            cut: None,
            inputs: smallvec![Layout::Replicate; self.entries.len()],
            outputs: smallvec![Layout::Replicate; self.results.len()],
        }
    }

    /// Where an index may be cut: evenly, or where one of the values is cut already.
    fn points(&self, factors: &Factors, letter: u8, placements: &Placements) -> Vec<At> {
        let parts = self.parts(placements);
        let mut points = vec![At::Even];
        let mut add = |found: Option<(u8, At)>| {
            // In blocks a worker has positions from all over an index.
            let allowed =
                |at: &At| !matches!(at, At::InBlocks(..)) || self.call.op.is_alike_everywhere();
            if let Some((found, at)) = found
                && found == letter
                && allowed(&at)
                && !points.contains(&at)
            {
                points.push(at);
            }
        };
        for (input, entry) in self.entries.iter().enumerate() {
            for layout in entry.iter().flat_map(|entry| self.available(entry, placements)) {
                if let Layout::Shard(cut) = layout {
                    add(factors.letter_of(input, cut, parts));
                }
            }
        }
        for (output, layout) in self.fixed.iter().enumerate() {
            if let Some(Layout::Shard(cut)) = layout {
                add(factors.letter_of_output(output, cut, parts));
            }
        }
        points
    }

    /// The work cut along one index.
    fn cut(
        &self,
        factors: &Factors,
        letter: u8,
        at: At,
        placements: &Placements,
    ) -> Option<Chosen> {
        let parts = self.parts(placements);
        let layout = |cut: Option<Cut>| cut.map_or(Layout::Replicate, Layout::Shard);
        let inputs = (0..self.entries.len()).map(|input| match factors.is_added(input, letter) {
            true => Layout::Partial(Combine::Sum),
            false => layout(factors.input_cut(input, letter, &at, parts)),
        });
        let inputs: SmallVec<[Layout; 3]> = inputs.collect();
        let mut outputs: SmallVec<[Layout; 1]> = SmallVec::new();
        for output in 0..self.results.len() {
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
        Some(Chosen { mesh: self.mesh, cut: Some((letter, at)), inputs, outputs })
    }

    /// Partial sums pass through inputs in which the operation is linear, if the results are no
    /// larger.
    fn partial(&self, placements: &Placements) -> Option<Chosen> {
        let sum = Layout::Partial(Combine::Sum);
        let is_sum = |input: usize| {
            let entry = self.entries.get(input).copied().flatten();
            entry.is_some_and(|entry| self.available(entry, placements).any(|at| *at == sum))
        };
        let summed: SmallVec<[usize; 4]> = match self.call.op.linear {
            Linear::No => return None,
            Linear::Together(inputs) => {
                let any = inputs.iter().any(|&input| is_sum(input));
                // A number cannot be given to one worker only.
                let all = inputs.iter().all(|&input| self.entries[input].is_some());
                if any && all { inputs.iter().copied().collect() } else { return None }
            }
            Linear::Each(inputs) => {
                inputs.iter().copied().find(|&i| is_sum(i)).into_iter().collect()
            }
            Linear::ByNumbers(input) => {
                let alone = self.entries.iter().flatten().count() == 1;
                Some(input).filter(|&input| alone && is_sum(input)).into_iter().collect()
            }
        };
        let larger = |input: &usize| {
            let bytes: usize = self.results.iter().map(Meta::bytes).sum();
            self.entries[*input].is_some_and(|entry| bytes > entry.meta.bytes())
        };
        // In another dtype parts are rounded, or do not wrap around as their sum does.
        let converted = |input: &usize| {
            let dtype = self.entries[*input].map(|entry| entry.meta.dtype);
            self.results.iter().any(|result| Some(result.dtype) != dtype)
        };
        // A value that is needed as a sum and whole at once is put together for both.
        let needed_whole = |input: &usize| {
            let address = |entry: Option<&Entry>| entry.map(std::ptr::from_ref);
            let is_same = |other: &Option<&Entry>| {
                other.is_some() && address(*other) == address(self.entries[*input])
            };
            let others = self.entries.iter().enumerate();
            let mut others = others.filter(|(other, _)| !summed.contains(other));
            others.any(|(_, other)| is_same(other))
        };
        if summed.is_empty()
            || summed.iter().any(larger)
            || summed.iter().any(converted)
            || summed.iter().any(needed_whole)
        {
            return None;
        }
        let mut chosen = self.whole();
        summed.iter().for_each(|&input| chosen.inputs[input] = sum.clone());
        chosen.outputs.iter_mut().for_each(|output| *output = sum.clone());
        Some(chosen)
    }

    /// The bytes that have to travel for a choice, and what their messages cost.
    fn cost(&self, chosen: &Chosen, placements: &Placements) -> u64 {
        let mut cost = 0;
        for (entry, layout) in self.entries.iter().zip(&chosen.inputs) {
            if let Some(entry) = entry.filter(|entry| !entry.copies.whole) {
                cost += travel(entry, (self.mesh, layout), placements);
            }
        }
        for (output, layout) in chosen.outputs.iter().enumerate() {
            let fixed = self.fixed.get(output).and_then(Option::as_ref);
            let wanted = match layout {
                // Only sums wait.
                Layout::Partial(how) if *how != Combine::Sum => Some(&Layout::Replicate),
                _ => None,
            };
            if let Some(wanted) = fixed.or(wanted) {
                cost += change(&self.results[output], layout, wanted, self.parts(placements));
            }
        }
        cost
    }

    /// The layouts in which a value is on the mesh already.
    fn available<'a>(
        &self,
        entry: &'a Entry,
        placements: &'a Placements,
    ) -> impl Iterator<Item = &'a Layout> + use<'a> {
        let mesh = self.mesh;
        let there = entry.spreads.iter().filter(move |(place, _)| {
            placements.mesh(*place) == mesh || placements.covers(*place, mesh)
        });
        // What is used whole counts as if it were.
        let whole = entry.copies.whole.then_some(&Layout::Replicate);
        there.map(|(place, _)| placements.layout(*place)).chain(whole)
    }

    fn parts(&self, placements: &Placements) -> usize {
        placements.members(self.mesh).len()
    }
}

/// What it costs to bring a value to a mesh in a layout.
pub(crate) fn travel(
    entry: &Entry,
    (mesh, layout): (PlacementId, &Layout),
    placements: &Placements,
) -> u64 {
    let (bytes, parts) = (entry.meta.bytes() as u64, placements.members(mesh).len() as u64);
    let on_meshes = entry.spreads.iter().map(|&(place, _)| {
        let here = placements.mesh(place) == mesh || placements.covers(place, mesh);
        let there = placements.layout(place);
        match here {
            true => change(&entry.meta, there, layout, parts as usize),
            false => fetch(bytes, layout, parts, 0),
        }
    });
    let is_member = |worker: WorkerId| u64::from(placements.contains(mesh, worker));
    let on_workers =
        entry.holders.iter().map(|&(worker, _)| fetch(bytes, layout, parts, is_member(worker)));
    on_meshes.chain(on_workers).min().unwrap_or(0)
}

/// What it costs to bring a whole value to the workers of a mesh, of which some have it.
fn fetch(bytes: u64, layout: &Layout, parts: u64, having: u64) -> u64 {
    let lacking = parts - having;
    match layout {
        Layout::Replicate => (bytes + MESSAGE_BYTES) * lacking,
        Layout::Shard(_) => (bytes / parts + MESSAGE_BYTES) * lacking,
        // One of them gets it.
        Layout::Partial(_) => bytes + MESSAGE_BYTES,
    }
}

/// What it costs to change the layout of a value on its mesh.
fn change(meta: &Meta, from: &Layout, to: &Layout, parts: usize) -> u64 {
    let (bytes, members, others) = (meta.bytes() as u64, parts as u64, parts as u64 - 1);
    let (travelling, messages) = match (from, to) {
        (from, to) if from == to => return 0,
        (Layout::Replicate, _) => return 0,
        // By way of copies.
        (from, Layout::Partial(_)) => return change(meta, from, &Layout::Replicate, parts),
        (Layout::Shard(_), Layout::Replicate) => (bytes * others, members * others),
        (Layout::Shard(from), Layout::Shard(to)) => match shifted(meta, from, to, parts) {
            Some(shifted) => shifted,
            None => (bytes * others / members, members * others),
        },
        (Layout::Partial(_), Layout::Replicate) => (2 * bytes * others, 2 * members * others),
        (Layout::Partial(_), Layout::Shard(_)) => (bytes * others, members * others),
    };
    travelling + messages * MESSAGE_BYTES
}

/// The bytes and the messages of an axis that is cut elsewhere; `None` if it is another axis. Most
/// of a part stays where it is if its ends move a little.
fn shifted(meta: &Meta, from: &Cut, to: &Cut, parts: usize) -> Option<(u64, u64)> {
    if (from.axis, from.blocks) != (to.axis, to.blocks) {
        return None;
    }
    let size = *meta.shape.get(from.axis)?;
    let (from, to) = (from.points(size, parts), to.points(size, parts));
    let common = |giver: usize, getter: usize| {
        let end = from[giver + 1].min(to[getter + 1]);
        end.saturating_sub(from[giver].max(to[getter]))
    };
    let all = (0..parts).flat_map(|giver| (0..parts).map(move |getter| (giver, getter)));
    let (mut shifted, mut messages) = (0, 0);
    for (giver, getter) in all.filter(|(giver, getter)| giver != getter) {
        let common = common(giver, getter);
        shifted += common as u64;
        messages += u64::from(common > 0);
    }
    let extent = from.last().copied().filter(|&extent| extent > 0)? as u64;
    Some((meta.bytes() as u64 * shifted / extent, messages))
}
