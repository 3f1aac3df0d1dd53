//! A value that goes from one placement to another, as one worker sees it: the parts it gives, and
//! the value that it puts together from its own part and those it gets.

use gt_core::instruction::Move;
use gt_core::placement::{Assembly, Placement, Span, assembly, pieces};
use gt_core::{Error, Meta, Result, Slot, WorkerId};
use smallvec::SmallVec;

use super::Task;
use crate::names::Names;
use crate::plan::ValueId;

/// What a part is of the whole value, axis by axis.
pub type Part = SmallVec<[Span; 4]>;

/// The part of a value that a worker has.
#[derive(Debug)]
pub struct Own {
    /// The value.
    pub value: ValueId,
    /// What it is of the whole.
    pub part: Part,
}

/// Parts for other workers.
#[derive(Debug)]
pub struct Give {
    /// The value.
    pub value: ValueId,
    /// What this worker has of it.
    pub own: Part,
    /// Who gets what, and what both sides call it.
    pub parts: Vec<(WorkerId, u64, Part)>,
}

/// A value that is put together.
#[derive(Debug)]
pub struct Get {
    /// The value.
    pub out: ValueId,
    /// Its name.
    pub slot: Slot,
    /// The dtype and shape of the whole.
    pub whole: Meta,
    /// The same of what is put together here.
    pub meta: Meta,
    /// What this worker had of it before.
    pub own: Option<Own>,
    /// The parts, in the order of the workers that give them; this one has those without a tag.
    pub parts: Vec<(Option<u64>, Part)>,
    /// How they are put together.
    pub assembly: Assembly,
    /// Whether it fails if it is not finite and its parts are.
    pub checked: bool,
}

/// What a worker gives and gets.
pub(super) fn bind_move(
    moved: &Move,
    worker: WorkerId,
    names: &mut Names,
) -> Result<(Task, Option<Task>)> {
    let Move { out, slot, meta, from, to, tag } = moved;
    from.check(&meta.shape)?;
    to.check(&meta.shape)?;
    let no_way = || Error::bug(format!("{slot} cannot go from {from} to {to}"));
    let pieces = pieces(from, to, &meta.shape).ok_or_else(no_way)?;
    let part_of = |placement: &Placement| {
        let index = placement.mesh().index(worker);
        index.map(|index| placement.part(&meta.shape, index))
    };
    let own = part_of(from).map(|part| Ok::<_, Error>(Own { value: names.find(*slot)?, part }));
    let own = own.transpose()?;
    let (mut given, mut gotten, mut next) = (Vec::new(), Vec::new(), *tag);
    for piece in pieces {
        let is_local = piece.from == piece.to;
        let tag = (!is_local).then_some(next);
        next += u64::from(!is_local);
        if piece.to == worker {
            gotten.push((tag, piece.part));
        } else if let (true, Some(tag)) = (piece.from == worker, tag) {
            given.push((piece.to, tag, piece.part));
        }
    }
    let give = match &own {
        Some(Own { value, part }) if !given.is_empty() => {
            Task::Give(Box::new(Give { value: *value, own: part.clone(), parts: given }))
        }
        _ => Task::Nothing,
    };
    let Some(part) = part_of(to) else { return Ok((give, None)) };
    let shape = part.iter().map(Span::size).collect();
    let get = Get {
        out: names.name(*out)?,
        slot: *out,
        whole: meta.clone(),
        meta: Meta { dtype: to.part_dtype(meta.dtype), shape },
        own,
        parts: gotten,
        assembly: assembly(from, to),
        checked: false,
    };
    Ok((give, Some(Task::Get(Box::new(get)))))
}
