//! Choices that were made before. Programs repeat themselves, and finding the cheapest signature
//! costs more than everything else that is done for an instruction.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use gt_core::attrs::{Attr, AttrKind, AttrSpec};
use gt_core::op::{Arg, Op};
use gt_core::placement::Layouts;
use gt_core::{Meta, Result, Scalar};
use smallvec::SmallVec;

use super::signature::{Asked, Compared};
use super::{Place, Shared};
use crate::placements::{PlacementId, Placements};
use crate::registry::{Copies, Entry};

/// So many are remembered; each displaces another. A model of many layers has a few hundred.
const REMEMBERED: usize = 1024;

/// The choices of a session.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    known: Vec<Option<Box<Known>>>,
    /// Whether somebody wants to know what else could have been chosen.
    pub(crate) compares: bool,
    /// What could be chosen for the last instruction, if somebody wants to know.
    pub(crate) compared: Option<Compared>,
}

#[derive(Debug)]
struct Known {
    op: &'static Op,
    attrs: SmallVec<[Attr; 2]>,
    inputs: SmallVec<[Input; 3]>,
    mesh: PlacementId,
    wish: Layouts,
    fixed: SmallVec<[Option<Layouts>; 1]>,
    keep: bool,
    in_signal: bool,
    shared: Arc<Shared>,
}

#[derive(Debug)]
enum Input {
    Scalar(Scalar),
    Tensor { meta: Meta, copies: Copies, comes_as_asked: bool, places: SmallVec<[PlacementId; 1]> },
}

impl Memo {
    /// Forgets everything: numbers of placements stand for others from here on.
    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }

    /// Looks at what else could be chosen, if somebody wants to know.
    pub(super) fn compare(&mut self, asked: &Asked, placements: &Placements) {
        if self.compares {
            self.compared = Some(asked.compare(placements));
        }
    }

    /// What was chosen when the same was asked, or what is chosen now.
    pub(super) fn remember(
        &mut self,
        asked: &Asked,
        choose: impl FnOnce() -> Result<Place>,
    ) -> Result<Place> {
        if self.known.is_empty() {
            self.known.resize_with(REMEMBERED, || None);
        }
        let place = &mut self.known[hash(asked) as usize % REMEMBERED];
        if let Some(known) = place.as_ref().filter(|known| known.is(asked)) {
            return Ok(Place::Shared(known.shared.clone()));
        }
        let chosen = choose()?;
        // What an instruction is made of may have random numbers in it.
        if let Place::Shared(shared) = &chosen {
            *place = Some(Box::new(Known::new(asked, shared.clone())));
        }
        Ok(chosen)
    }
}

/// The attributes that have a say in where something runs: which random numbers come does not.
fn deciding<'a>(asked: &'a Asked) -> impl Iterator<Item = &'a Attr> {
    let decides = |spec: &AttrSpec| !matches!(spec.kind, AttrKind::Seed | AttrKind::RngIndex);
    let specs = asked.call.op.attrs.iter().zip(&asked.call.attrs.0);
    specs.filter(move |(spec, _)| decides(spec)).map(|(_, attr)| attr)
}

fn hash(asked: &Asked) -> u64 {
    let mut hasher = DefaultHasher::new();
    (asked.call.op.code, asked.mesh, &asked.wish).hash(&mut hasher);
    for (arg, entry) in asked.call.inputs.iter().zip(asked.entries) {
        arg.shape().hash(&mut hasher);
        entry.iter().flat_map(|entry| &entry.at).for_each(|(place, _)| place.hash(&mut hasher));
    }
    hasher.finish()
}

impl Known {
    fn new(asked: &Asked, shared: Arc<Shared>) -> Self {
        let input = |(arg, entry): (&Arg, &Option<&Entry>)| match *arg {
            Arg::Scalar(scalar) => Input::Scalar(scalar),
            Arg::Tensor(meta) => {
                let at = entry.iter().flat_map(|entry| &entry.at);
                Input::Tensor {
                    meta: meta.clone(),
                    copies: entry.map(|entry| entry.copies).unwrap_or_default(),
                    comes_as_asked: entry.is_some_and(Entry::comes_as_asked),
                    places: at.map(|(place, _)| *place).collect(),
                }
            }
        };
        Known {
            op: asked.call.op,
            attrs: deciding(asked).cloned().collect(),
            inputs: asked.call.inputs.iter().zip(asked.entries).map(input).collect(),
            mesh: asked.mesh,
            wish: asked.wish.clone(),
            fixed: asked.fixed.iter().cloned().collect(),
            keep: asked.keep,
            in_signal: asked.in_signal,
            shared,
        }
    }

    fn is(&self, asked: &Asked) -> bool {
        let same_input = |index: usize| match (&self.inputs[index], asked.call.inputs[index]) {
            (Input::Scalar(known), Arg::Scalar(scalar)) => *known == scalar,
            (Input::Tensor { meta: known, copies, comes_as_asked, places }, Arg::Tensor(meta)) => {
                let entry = asked.entries[index];
                let at = entry.iter().flat_map(|entry| &entry.at);
                known == meta
                    && entry.is_some_and(|entry| {
                        entry.copies == *copies && entry.comes_as_asked() == *comes_as_asked
                    })
                    && at.map(|(place, _)| place).eq(places)
            }
            _ => false,
        };
        self.op == asked.call.op
            && self.mesh == asked.mesh
            && self.wish == asked.wish
            && self.keep == asked.keep
            && self.in_signal == asked.in_signal
            && self.fixed.as_slice() == asked.fixed
            && self.inputs.len() == asked.call.inputs.len()
            && (0..self.inputs.len()).all(same_input)
            && deciding(asked).eq(&self.attrs)
    }
}
