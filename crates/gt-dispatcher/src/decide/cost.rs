//! What it costs to bring values to where they are needed: the bytes that travel, and a constant
//! for each message.

use gt_core::placement::{Cut, Layout, Layouts, Placement};
use gt_core::{Meta, Shape, Slot};

use crate::placements::{PlacementId, Placements};

/// What a message costs besides its bytes, in bytes that travel in the same time.
const MESSAGE_BYTES: u64 = 1 << 10;

/// What it costs to bring a value from one of these placements to a mesh, to lie there so.
pub(crate) fn travel(
    meta: &Meta,
    at: &[(PlacementId, Slot)],
    (mesh, layouts): (PlacementId, &[Layout]),
    placements: &Placements,
) -> u64 {
    let bytes = meta.bytes() as u64;
    let target = placements.get(mesh);
    let costs = at.iter().map(|&(place, _)| {
        if placements.mesh(place) == mesh {
            return change(meta, placements.layouts(place), layouts, target);
        }
        if placements.covers(place, mesh) {
            return change(meta, target.layouts(), layouts, target);
        }
        let is_member = |worker| placements.contains(mesh, worker);
        let having = placements.alone(place).is_some_and(is_member);
        fetch(bytes, layouts, target, u64::from(having))
    });
    costs.min().unwrap_or(0)
}

/// What it costs to get a value from elsewhere, if so many workers of the mesh have it.
fn fetch(bytes: u64, layouts: &[Layout], target: &Placement, having: u64) -> u64 {
    let (mut each, mut getting, mut having) = (bytes, 1, having);
    for (axis, layout) in layouts.iter().enumerate() {
        let size = target.mesh().size(axis) as u64;
        match layout {
            Layout::Replicate => getting *= size,
            Layout::Shard(_) => (getting, each) = (getting * size, each / size),
            // One of them gets it.
            Layout::Partial(_) => having = 0,
        }
    }
    (each + MESSAGE_BYTES) * (getting - having)
}

/// What it costs to change how a value lies on a mesh, axis by axis: first what makes it smaller,
/// then what puts it together.
pub(super) fn change(meta: &Meta, from: &[Layout], to: &[Layout], target: &Placement) -> u64 {
    let mesh = target.mesh();
    let mut now: Vec<&Layout> = from.iter().collect();
    let mut axes: Vec<usize> = (0..now.len()).filter(|&axis| from[axis] != to[axis]).collect();
    axes.sort_by_key(|&axis| order(&from[axis], &to[axis]));
    let mut cost = 0;
    for axis in axes {
        let (mut bytes, mut rows) = (meta.bytes() as u64, 1);
        for (other, layout) in now.iter().enumerate().filter(|(other, _)| *other != axis) {
            let size = mesh.size(other) as u64;
            rows *= size;
            bytes /= if matches!(layout, Layout::Shard(_)) { size } else { 1 };
        }
        let row = Row { bytes, shape: &meta.shape, parts: mesh.size(axis) };
        cost += rows * row.change(&from[axis], &to[axis]);
        now[axis] = &to[axis];
    }
    cost
}

/// What a sum that an instruction leaves to be put together costs later: at least a reduce-scatter.
/// Along an axis where an input is such a sum already, the instruction that made that was charged.
pub(super) fn reduction(
    meta: &Meta,
    output: &[Layout],
    inputs: &[Layouts],
    target: &Placement,
) -> u64 {
    let is_new = |axis: usize| {
        let is_sum = |layouts: &Layouts| matches!(layouts.get(axis), Some(Layout::Partial(_)));
        matches!(output[axis], Layout::Partial(_)) && !inputs.iter().any(is_sum)
    };
    let scattered = |(axis, layout): (usize, &Layout)| match is_new(axis) {
        true => Layout::Shard(Cut::even(0)),
        false => layout.clone(),
    };
    let scattered: Layouts = output.iter().enumerate().map(scattered).collect();
    change(meta, output, &scattered, target)
}

/// Which of several changes comes first.
fn order(from: &Layout, to: &Layout) -> u8 {
    match (from, to) {
        (Layout::Replicate, _) => 0,
        (Layout::Partial(_), Layout::Shard(_)) => 1,
        (Layout::Shard(_), Layout::Shard(_)) => 2,
        (Layout::Partial(_), _) => 3,
        (Layout::Shard(_), _) => 4,
    }
}

/// What the workers along one axis of a mesh have together.
struct Row<'a> {
    bytes: u64,
    shape: &'a Shape,
    parts: usize,
}

impl Row<'_> {
    fn change(&self, from: &Layout, to: &Layout) -> u64 {
        let (bytes, members, others) = (self.bytes, self.parts as u64, self.parts as u64 - 1);
        let (travelling, messages) = match (from, to) {
            (from, to) if from == to => return 0,
            (Layout::Replicate, _) => return 0,
            // By way of copies.
            (from, Layout::Partial(_)) => return self.change(from, &Layout::Replicate),
            (Layout::Shard(_), Layout::Replicate) => (bytes * others, members * others),
            (Layout::Shard(from), Layout::Shard(to)) => match self.shifted(from, to) {
                Some(shifted) => shifted,
                None => (bytes * others / members, members * others),
            },
            (Layout::Partial(_), Layout::Replicate) => (2 * bytes * others, 2 * members * others),
            (Layout::Partial(_), Layout::Shard(_)) => (bytes * others, members * others),
        };
        travelling + messages * MESSAGE_BYTES
    }

    /// The bytes and the messages of an axis that is cut elsewhere; `None` if it is another axis.
    /// Most of a part stays where it is if its ends move a little.
    fn shifted(&self, from: &Cut, to: &Cut) -> Option<(u64, u64)> {
        if (from.axis, from.blocks) != (to.axis, to.blocks) {
            return None;
        }
        let (size, parts) = (*self.shape.get(from.axis)?, self.parts);
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
        Some((self.bytes * shifted / extent, messages))
    }
}
