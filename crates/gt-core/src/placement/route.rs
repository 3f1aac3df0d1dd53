//! What a value passes on its way from one placement to another. Sums are put together along one
//! axis of the mesh at a time, and large ones part by part.

use super::{Cut, Layout, Layouts, Placement, pieces};
use crate::shape::Meta;

/// A sum of so many bytes is put together in two moves: each worker adds up a part, and gives it to
/// the others.
const LARGE_SUM_BYTES: usize = 4096;

/// How a value lies next, on the mesh where it is, if it does not go to a placement in one move or
/// is better off with two.
pub fn between(from: &Placement, to: &Placement, meta: &Meta) -> Option<Layouts> {
    let route = Route { from, to, meta };
    let goes_there = pieces(from, to, &meta.shape).is_some();
    let summed = (0..from.layouts.len()).find(|&axis| route.is_combined(axis));
    match summed {
        Some(axis) if goes_there => route.large_sum(axis),
        None if goes_there => None,
        Some(axis) => Some(route.combine_next(axis)),
        None => Some(route.gather()),
    }
}

struct Route<'a> {
    from: &'a Placement,
    to: &'a Placement,
    meta: &'a Meta,
}

impl Route<'_> {
    /// How it is to lie along an axis of its mesh in the end; `None` on another mesh.
    fn wanted(&self, axis: usize) -> Option<&Layout> {
        (self.from.mesh == self.to.mesh).then(|| &self.to.layouts[axis])
    }

    fn is_combined(&self, axis: usize) -> bool {
        let is_sum = matches!(self.from.layouts[axis], Layout::Partial(_));
        is_sum && self.wanted(axis) != Some(&self.from.layouts[axis])
    }

    /// A large sum of which everybody is to have all is added up part by part by those along the
    /// axis.
    fn large_sum(&self, axis: usize) -> Option<Layouts> {
        let copies = match self.wanted(axis) {
            Some(wanted) => *wanted == Layout::Replicate,
            None => self.to.layouts.iter().all(|layout| *layout == Layout::Replicate),
        };
        let is_large = self.from.mesh.size(axis) > 2 && self.bytes() >= LARGE_SUM_BYTES;
        if copies && is_large { self.cut_along(axis) } else { None }
    }

    /// One of the sums that are left is put together.
    fn combine_next(&self, first: usize) -> Layouts {
        // What is cut in the end is cut at once, so that less is left to be put together.
        let is_cut = |axis: &usize| {
            let wanted = self.wanted(*axis);
            matches!(wanted, Some(Layout::Shard(cut)) if self.is_free(cut.axis, *axis))
        };
        let mut combined = (0..self.from.layouts.len()).filter(|&axis| self.is_combined(axis));
        if let Some(axis) = combined.find(is_cut) {
            return self.with(axis, self.to.layouts[axis].clone());
        }
        let part_by_part = || self.cut_along(first).filter(|_| self.bytes() >= LARGE_SUM_BYTES);
        part_by_part().unwrap_or_else(|| self.with(first, Layout::Replicate))
    }

    /// What stands in the way is gathered: a cut of other blocks, or one that is to be a sum.
    fn gather(&self) -> Layouts {
        let stands_in_the_way = |axis: usize| {
            let Layout::Shard(own) = &self.from.layouts[axis] else { return false };
            let other = |layout: &Layout| match layout {
                Layout::Shard(cut) => cut.axis == own.axis && cut.blocks != own.blocks,
                _ => false,
            };
            let becomes_sum = match self.wanted(axis) {
                Some(wanted) => matches!(wanted, Layout::Partial(_)),
                None => self.to.is_sum(),
            };
            becomes_sum || self.to.layouts.iter().any(other)
        };
        let layouts = self.from.layouts.iter().enumerate();
        let kept = layouts.map(|(axis, layout)| match stands_in_the_way(axis) {
            true => Layout::Replicate,
            false => layout.clone(),
        });
        let kept: Layouts = kept.collect();
        let all = || self.from.layouts.iter().map(|_| Layout::Replicate).collect();
        if kept == self.from.layouts { all() } else { kept }
    }

    /// The first axis of the value that is long enough, cut along an axis of the mesh.
    fn cut_along(&self, axis: usize) -> Option<Layouts> {
        let parts = self.from.mesh.size(axis);
        let fits = |&at: &usize| self.meta.shape[at] >= parts && self.is_free(at, axis);
        let at = (0..self.meta.shape.rank()).find(fits)?;
        Some(self.with(axis, Layout::Shard(Cut::even(at))))
    }

    /// Whether no other axis of the mesh cuts an axis of the value.
    fn is_free(&self, at: usize, axis: usize) -> bool {
        let others = self.from.layouts.iter().enumerate().filter(|(other, _)| *other != axis);
        let mut cuts = others.map(|(_, layout)| layout);
        !cuts.any(|layout| matches!(layout, Layout::Shard(cut) if cut.axis == at))
    }

    fn with(&self, axis: usize, layout: Layout) -> Layouts {
        let mut layouts = self.from.layouts.clone();
        layouts[axis] = layout;
        layouts
    }

    /// The bytes that a worker has of it.
    fn bytes(&self) -> usize {
        let sizes = self.from.layouts.iter().enumerate().map(|(axis, layout)| match layout {
            Layout::Shard(_) => self.from.mesh.size(axis),
            _ => 1,
        });
        self.meta.bytes() / sizes.product::<usize>()
    }
}
