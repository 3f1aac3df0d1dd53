//! The cheapest legal way to share an instruction among the workers of a mesh. What cannot be
//! proved by the row's factors is gathered first. Along each axis of the mesh there are a few ways;
//! they are joined to those for the whole mesh.

use gt_core::Meta;
use gt_core::op::Call;
use gt_core::placement::{At, Combine, Cuts, Layout, Layouts};
use gt_core::rules::shard::Factors;
use smallvec::SmallVec;

use super::cost::{change, reduction, travel};
use super::ways::{Along, Way};
use crate::placements::{PlacementId, Placements};
use crate::registry::Entry;

/// So many ways are compared at a time. Of more, those that are best along the first axes of the
/// mesh are gone on with.
const MOST_WAYS: usize = 512;

/// How many are gone on with.
const FEW_WAYS: usize = 16;

/// How the workers of a mesh share an instruction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chosen {
    /// Copies on the mesh, which stand for it.
    pub(crate) mesh: PlacementId,
    /// For each axis of the mesh the index that is cut, and where; `None` if every worker along it
    /// does the same.
    pub(crate) cuts: Cuts,
    /// How each input has to lie; that of a number does not matter.
    pub(crate) inputs: SmallVec<[Layouts; 3]>,
    /// How each result will lie.
    pub(crate) outputs: SmallVec<[Layouts; 1]>,
}

impl Chosen {
    /// Every worker of a mesh, which copies on it stand for, does all of it.
    pub(crate) fn whole(
        mesh: PlacementId,
        copies: &[Layout],
        (inputs, outputs): (usize, usize),
    ) -> Self {
        let copies = || copies.iter().cloned().collect::<Layouts>();
        Chosen {
            mesh,
            cuts: copies().iter().map(|_| None).collect(),
            inputs: (0..inputs).map(|_| copies()).collect(),
            outputs: (0..outputs).map(|_| copies()).collect(),
        }
    }

    /// Whether the workers share the work.
    pub(crate) fn is_cut(&self) -> bool {
        self.cuts.iter().any(Option::is_some)
    }

    /// The same with another way along one axis of the mesh; `None` if that cannot be.
    fn with(&self, axis: usize, way: &Way) -> Option<Chosen> {
        let is_same = |cut: &Option<(u8, At)>| match (cut, &way.cut) {
            (Some((known, _)), Some((letter, _))) => known == letter,
            _ => false,
        };
        let tensors = self.inputs.iter().chain(&self.outputs);
        let mut layouts = tensors.zip(way.inputs.iter().chain(&way.outputs));
        if self.cuts.iter().any(is_same) || !layouts.all(|(known, layout)| goes_with(known, layout))
        {
            return None;
        }
        let mut chosen = self.clone();
        chosen.cuts[axis] = way.cut.clone();
        for (known, layout) in chosen.inputs.iter_mut().zip(&way.inputs) {
            known[axis] = layout.clone();
        }
        for (known, layout) in chosen.outputs.iter_mut().zip(&way.outputs) {
            known[axis] = layout.clone();
        }
        Some(chosen)
    }
}

/// Whether a value can lie so along one axis of a mesh and so along others: an axis of a value is
/// cut once, and parts are combined in one way.
fn goes_with(others: &[Layout], layout: &Layout) -> bool {
    others.iter().all(|other| match (other, layout) {
        (Layout::Shard(one), Layout::Shard(other)) => one.axis != other.axis,
        (Layout::Partial(one), Layout::Partial(other)) => one == other,
        _ => true,
    })
}

/// A choice, beside the next best one.
#[derive(Debug)]
pub(crate) struct Compared {
    /// What the cheapest way costs.
    pub(crate) cost: u64,
    /// The next best one, and what it costs.
    pub(crate) second: Option<(u64, Chosen)>,
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
    pub(crate) wish: Layouts,
    /// How results have to lie that replace values.
    pub(crate) fixed: &'a [Option<Layouts>],
    /// Whether copies of inputs that are moved for it are kept.
    pub(crate) keep: bool,
    /// Whether it is in a signal, where everybody is to have a share.
    pub(crate) in_signal: bool,
}

/// What makes one choice better than another: the cost, along how many axes of the mesh it does not
/// give what is wished, and along how many it does not share the work.
type Merit = (u64, usize, usize);

impl Asked<'_> {
    /// The cheapest way. Of equal ones that which gives what is wished, then one that shares the
    /// work, then the first.
    pub(crate) fn choose(&self, placements: &Placements) -> Chosen {
        let choices = self.choices(placements).into_iter();
        let best = choices.min_by_key(|choice| self.merit(choice, placements));
        best.unwrap_or_else(|| self.whole(placements))
    }

    /// What the cheapest way costs, and the next best one.
    pub(crate) fn compare(&self, placements: &Placements) -> Compared {
        let mut choices = self.choices(placements);
        choices.sort_by_cached_key(|choice| self.merit(choice, placements));
        let mut ranked = choices.into_iter();
        let cost = ranked.next().map_or(0, |best| self.cost(&best, placements));
        let second = ranked.next().map(|second| (self.cost(&second, placements), second));
        Compared { cost, second }
    }

    /// The ways that there are; of very many the best.
    fn choices(&self, placements: &Placements) -> Vec<Chosen> {
        let mut choices = vec![self.whole(placements)];
        let mut factors = None;
        for axis in 0..choices[0].cuts.len() {
            let ways = self.ways(axis, &mut factors, placements);
            if choices.len() * ways.len() > MOST_WAYS {
                choices.sort_by_cached_key(|choice| self.merit(choice, placements));
                choices.truncate(FEW_WAYS);
            }
            let with_each = |choice: &Chosen| -> Vec<Chosen> {
                let others = ways.iter().filter_map(|way| choice.with(axis, way));
                [choice.clone()].into_iter().chain(others).collect()
            };
            choices = choices.iter().flat_map(with_each).collect();
        }
        choices.retain(|it| self.is_allowed(it));
        choices
    }

    fn merit(&self, choice: &Chosen, placements: &Placements) -> Merit {
        let unwished = choice.outputs.first().map_or(self.wish.len(), |output| {
            output.iter().zip(&self.wish).filter(|(found, wished)| found != wished).count()
        });
        let unshared = choice.cuts.iter().filter(|cut| cut.is_none()).count();
        (self.cost(choice, placements), unwished, unshared)
    }

    /// Whether what the config wants whole while it is used is used here. Updates are no uses, and
    /// what is outside of signals is none of a model.
    fn is_use(&self) -> bool {
        self.in_signal && self.fixed.is_empty()
    }

    /// Whether it uses whole what the config wants whole while it is used: that is prescribed and
    /// not chosen by bytes.
    fn is_allowed(&self, choice: &Chosen) -> bool {
        let is_whole = |(entry, layouts): (&Option<&Entry>, &Layouts)| {
            is_copied(layouts) || entry.is_none_or(|entry| !entry.copies.whole)
        };
        let used_right = !self.is_use() || self.entries.iter().zip(&choice.inputs).all(is_whole);
        used_right && !self.needs_two_sums(choice)
    }

    /// Whether one value would have to be a sum and lie in another way at once. A sum is in one
    /// placement at a time.
    fn needs_two_sums(&self, choice: &Chosen) -> bool {
        if self.wish.len() == 1 {
            return false;
        }
        let is_sum = |layouts: &Layouts| layouts.iter().any(|it| matches!(it, Layout::Partial(_)));
        let address = |entry: &Option<&Entry>| entry.map(std::ptr::from_ref);
        let inputs: SmallVec<[_; 4]> =
            self.entries.iter().map(address).zip(&choice.inputs).collect();
        inputs
            .iter()
            .filter(|(entry, layouts)| entry.is_some() && is_sum(layouts))
            .any(|input| inputs.iter().any(|other| other.0 == input.0 && other.1 != input.1))
    }

    /// Whether a value that is cut or to be summed up on the mesh has to lie in another way.
    pub(crate) fn changes_layouts(&self, chosen: &Chosen, placements: &Placements) -> bool {
        let serves = |there: &[Layout], wanted: &Layouts| {
            let mut axes = there.iter().zip(wanted);
            axes.all(|(at, wanted)| at == wanted || *at == Layout::Replicate)
        };
        self.entries.iter().zip(&chosen.inputs).any(|(entry, wanted)| {
            let Some(entry) = entry else { return false };
            let mut there = self.available(entry, placements).peekable();
            there.peek().is_some() && there.all(|at| !serves(at, wanted))
        })
    }

    /// The ways to share it along an axis of the mesh, besides that all do the same.
    fn ways(
        &self,
        axis: usize,
        factors: &mut Option<Factors>,
        placements: &Placements,
    ) -> Vec<Way> {
        // Copies stay copies: everybody has all that is needed. What is made at its first use is
        // made as the others are, but for data that a signal is to share.
        let is_copied = |entry: &&Entry| {
            self.available(entry, placements).any(|at| at[axis] == Layout::Replicate)
        };
        let is_made = |entry: &&&Entry| entry.recipe().is_none();
        let mut tensors = self.entries.iter().flatten().filter(is_made).peekable();
        let fixed = self.fixed.iter().flatten().any(|layouts| layouts[axis] != Layout::Replicate);
        let shares = self.in_signal && self.entries.iter().flatten().any(|e| e.comes_as_asked());
        if tensors.peek().is_some() && tensors.all(is_copied) && !fixed && !shares {
            return Vec::new();
        }
        let factors = factors.get_or_insert_with(|| (self.call.op.shard)(self.call));
        let along = Along { asked: self, factors, axis, placements };
        let letters = factors.letters().into_iter().chain(factors.adding_letters());
        let mut ways = Vec::new();
        for letter in letters {
            ways.extend(along.points(letter).into_iter().filter_map(|at| along.cut(letter, at)));
        }
        ways.extend(along.partial());
        ways
    }

    /// Every worker does all of it.
    fn whole(&self, placements: &Placements) -> Chosen {
        let counts = (self.entries.len(), self.results.len());
        Chosen::whole(self.mesh, placements.layouts(self.mesh), counts)
    }

    /// The bytes that have to travel for a choice, and what their messages cost.
    fn cost(&self, chosen: &Chosen, placements: &Placements) -> u64 {
        let mut cost = 0;
        for (entry, layouts) in self.entries.iter().zip(&chosen.inputs) {
            if let Some(entry) = entry.filter(|entry| !(self.is_use() && entry.copies.whole)) {
                cost += travel(&entry.meta, &entry.at, (self.mesh, layouts), placements);
            }
        }
        let travels = cost;
        for (output, layouts) in chosen.outputs.iter().enumerate() {
            let fixed = self.fixed.get(output).and_then(Option::as_ref).cloned();
            let wanted = fixed.unwrap_or_else(|| layouts.iter().map(waiting).collect());
            let (target, meta) = (placements.get(self.mesh), &self.results[output]);
            cost += change(meta, layouts, &wanted, target);
            // A sum that inputs have to move for is put together only to be moved again.
            if travels > 0 {
                cost += reduction(meta, &wanted, &chosen.inputs, target);
            }
        }
        cost
    }

    /// How a value is on the mesh already.
    pub(super) fn available<'a>(
        &self,
        entry: &'a Entry,
        placements: &'a Placements,
    ) -> impl Iterator<Item = &'a [Layout]> + use<'a> {
        let mesh = self.mesh;
        let there = entry.at.iter().filter_map(move |&(place, _)| {
            if placements.mesh(place) == mesh {
                return Some(placements.layouts(place));
            }
            placements.covers(place, mesh).then(|| placements.layouts(mesh))
        });
        // What is used whole counts as if it were.
        let is_whole = self.is_use() && entry.copies.whole;
        there.chain(is_whole.then(|| placements.layouts(mesh)))
    }
}

/// How a result lies after it is made: only sums wait to be put together.
pub(super) fn waiting(layout: &Layout) -> Layout {
    match layout {
        Layout::Partial(how) if *how != Combine::Sum => Layout::Replicate,
        layout => layout.clone(),
    }
}

fn is_copied(layouts: &[Layout]) -> bool {
    layouts.iter().all(|layout| *layout == Layout::Replicate)
}
