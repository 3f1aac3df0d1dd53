//! Values that go from one placement to another: parts are sliced off for others, and put together
//! from what others gave.

use gt_core::attrs::{Attr, Attrs, Range};
use gt_core::expr::{Emit, Term};
use gt_core::op::Op;
use gt_core::ops::builtin::{ADD, CAT, MAXIMUM, MINIMUM, MUL, PLACE, RESHAPE, SLICE, ZEROS};
use gt_core::placement::{Assembly, Combine, Joined, Span};
use gt_core::{Error, Provenance, Result};
use smallvec::SmallVec;

use super::Planner;
use crate::bound::{Get, Give, Own};
use crate::plan::{Origin, Register, Step, Use};
use crate::queue::{Arrival, Arrived};

impl Planner<'_> {
    /// Plans to give parts of a value to other workers.
    pub(super) fn give(&mut self, give: &Give) -> Result<()> {
        let own = self.load(give.value)?;
        for (to, tag, part) in &give.parts {
            let given = self.slice_part(own, &give.own, part)?;
            self.bytes += self.metas[given.0 as usize].bytes() as u64;
            let (position, value) = (self.origin.position, Use::of(given));
            self.plan.steps.push(Step::Handover { position, to: *to, tag: *tag, value });
        }
        Ok(())
    }

    /// Plans to put a value together from parts, all of which have arrived.
    pub(super) fn get(&mut self, get: &Get, arrived: &mut Arrived) -> Result<()> {
        let provenance = Provenance::UNKNOWN;
        self.origin = Origin { op: None, slot: get.slot, provenance, ..self.origin };
        let mut parts: SmallVec<[Register; 4]> = SmallVec::new();
        let mut failure = None;
        for (tag, part) in &get.parts {
            let Some(tag) = tag else {
                let Own { value, part: own } = get.own.as_ref().ok_or_else(|| missing(get))?;
                let register = self.load(*value)?;
                parts.push(self.slice_part(register, own, part)?);
                continue;
            };
            let Arrival { meta, result } =
                arrived.values.remove(tag).ok_or_else(|| missing(get))?;
            match result {
                Ok(data) => parts.push(self.take_in(gt_transport::Value { meta, data })),
                Err(cause) => failure = failure.or(Some(cause)),
            }
        }
        let register = match failure {
            Some(failure) => self.bear(get.meta.clone(), failure),
            None => {
                let register = self.assemble(get, &parts)?;
                let register = self.cast(register, get.meta.dtype);
                if get.checked && matches!(get.assembly, Assembly::Combine(_)) {
                    self.check_values(&parts, &[register]);
                }
                register
            }
        };
        self.make(get.out, register);
        // The shape of a copy may depend on data, and not be that of the move.
        if get.meta != get.whole {
            self.names.describe_whole(get.out, &get.whole);
        }
        Ok(())
    }

    fn assemble(&mut self, get: &Get, parts: &[Register]) -> Result<Register> {
        match (parts, &get.assembly) {
            ([], _) => {
                let attrs = [get.meta.shape[..].into(), get.meta.dtype.into()];
                self.emit_one(&ZEROS, &[], Attrs::of(attrs))
            }
            ([one], Assembly::One) => self.emit_one(&PLACE, &[*one], Attrs::none()),
            _ if get.meta.bytes() == 0 => self.join_flat(parts, get),
            ([one], _) => self.emit_one(&PLACE, &[*one], Attrs::none()),
            (_, Assembly::Join(joined)) => match joined.as_slice() {
                [along] => self.join(parts, *along),
                _ => self.join_all(get, parts, joined),
            },
            (_, Assembly::Combine(how)) => {
                let op = match how {
                    Combine::Sum => &ADD,
                    Combine::Max => &MAXIMUM,
                    Combine::Min => &MINIMUM,
                    Combine::Prod => &MUL,
                };
                let (first, others) = (parts[0], &parts[1..]);
                others
                    .iter()
                    .try_fold(first, |sum, part| self.emit_one(op, &[sum, *part], Attrs::none()))
            }
            (_, Assembly::One) => Err(missing(get)),
        }
    }

    /// The elements of parts one after another in the shape of the value. Those without elements
    /// only tell whether they have failed.
    fn join_flat(&mut self, parts: &[Register], get: &Get) -> Result<Register> {
        let mut flat: SmallVec<[Register; 4]> = SmallVec::new();
        for part in parts {
            let count = self.metas[part.0 as usize].shape.count();
            let attrs = Attrs::of([[count].as_slice().into()]);
            flat.push(self.emit_one(&RESHAPE, &[*part], attrs)?);
        }
        let joined = self.emit_one(&CAT, &flat, Attrs::of([0_usize.into()]))?;
        self.emit_one(&RESHAPE, &[joined], Attrs::of([get.meta.shape[..].into()]))
    }

    /// Puts parts side by side along several axes. One without elements only tells whether it has
    /// failed.
    fn join_all(&mut self, get: &Get, parts: &[Register], joined: &[Joined]) -> Result<Register> {
        let parts = parts.iter().copied().zip(get.parts.iter().map(|(_, part)| &part[..]));
        let is_full = |part: &[Span]| part.iter().all(|span| span.size() > 0);
        let (full, empty): (Vec<_>, Vec<_>) = parts.partition(|(_, part)| is_full(part));
        let whole = self.join_grid(&full, joined)?;
        if empty.is_empty() {
            return Ok(whole);
        }
        let flat: Vec<Register> =
            [whole].into_iter().chain(empty.into_iter().map(|(part, _)| part)).collect();
        self.join_flat(&flat, get)
    }

    /// Puts parts in a grid side by side, those that are alike along the first axis first.
    fn join_grid(&mut self, parts: &[(Register, &[Span])], joined: &[Joined]) -> Result<Register> {
        let Some((along, inner)) = joined.split_first() else { return Ok(parts[0].0) };
        let is_beside = |one: &(Register, &[Span]), other: &(Register, &[Span])| {
            one.1[along.axis] == other.1[along.axis]
        };
        let mut rows: SmallVec<[Register; 4]> = SmallVec::new();
        for row in parts.chunk_by(is_beside) {
            rows.push(self.join_grid(row, inner)?);
        }
        match rows.as_slice() {
            [one] => Ok(*one),
            rows => self.join(rows, *along),
        }
    }

    /// Puts parts side by side along an axis, in each of its blocks.
    fn join(&mut self, parts: &[Register], along: Joined) -> Result<Register> {
        let Joined { axis, blocks } = along;
        if blocks == 1 {
            return self.emit_one(&CAT, parts, Attrs::of([axis.into()]));
        }
        let mut split: SmallVec<[Register; 4]> = SmallVec::new();
        for part in parts {
            split.push(self.split_blocks(*part, axis, blocks)?);
        }
        let joined = self.emit_one(&CAT, &split, Attrs::of([(axis + 1).into()]))?;
        self.merge_blocks(joined, axis)
    }

    /// A part of what this worker has.
    fn slice_part(&mut self, own: Register, has: &[Span], part: &[Span]) -> Result<Register> {
        if has == part {
            return Ok(own);
        }
        // From the last on, so that those before keep their numbers.
        let in_blocks = (0..part.len()).filter(|&axis| part[axis].blocks > 1);
        let in_blocks: SmallVec<[usize; 2]> = in_blocks.collect();
        let mut value = own;
        for &axis in in_blocks.iter().rev() {
            value = self.split_blocks(value, axis, part[axis].blocks)?;
        }
        let mut ranges: Vec<Range> = Vec::with_capacity(part.len() + in_blocks.len());
        for (axis, (has, part)) in has.iter().zip(part).enumerate() {
            if in_blocks.contains(&axis) {
                ranges.push(Range::all(part.blocks));
            }
            ranges.push(Range { start: part.offset_in(*has), len: part.len, step: 1 });
        }
        value = self.emit_one(&SLICE, &[value], Attrs::of([Attr::Ranges(ranges)]))?;
        for &axis in &in_blocks {
            value = self.merge_blocks(value, axis)?;
        }
        Ok(value)
    }

    /// An axis becomes two: its blocks, and what each of them has.
    fn split_blocks(&mut self, value: Register, axis: usize, blocks: usize) -> Result<Register> {
        let mut sizes: Vec<usize> = self.metas[value.0 as usize].shape.to_vec();
        sizes[axis] /= blocks;
        sizes.insert(axis, blocks);
        self.emit_one(&RESHAPE, &[value], Attrs::of([sizes.as_slice().into()]))
    }

    fn merge_blocks(&mut self, value: Register, axis: usize) -> Result<Register> {
        let mut sizes: Vec<usize> = self.metas[value.0 as usize].shape.to_vec();
        let blocks = sizes.remove(axis);
        sizes[axis] *= blocks;
        self.emit_one(&RESHAPE, &[value], Attrs::of([sizes.as_slice().into()]))
    }

    fn emit_one(&mut self, op: &'static Op, inputs: &[Register], attrs: Attrs) -> Result<Register> {
        let terms: SmallVec<[Term<Register>; 4]> =
            inputs.iter().map(|input| Term::Value(*input)).collect();
        Ok(self.emit(op, &terms, &attrs)?[0])
    }

    /// A register with elements that came from elsewhere.
    fn take_in(&mut self, value: gt_transport::Value) -> Register {
        let out = self.register(value.meta.clone());
        self.plan.cost_ns += value.data.len() as u64 / 8;
        self.plan.steps.push(Step::Upload { out, value, origin: self.origin });
        out
    }
}

fn missing(get: &Get) -> Error {
    Error::bug(format!("a part of {} has not arrived", get.slot))
}
