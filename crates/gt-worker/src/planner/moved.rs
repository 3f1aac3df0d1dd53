//! Values that go from one placement to another: parts are sliced off for others, and put together
//! from what others gave.

use gt_core::attrs::{Attr, Attrs, Range};
use gt_core::expr::{Emit, Term};
use gt_core::op::Op;
use gt_core::ops::builtin::{ADD, CAT, MAXIMUM, MINIMUM, MUL, PLACE, RESHAPE, SLICE, ZEROS};
use gt_core::placement::{Assembly, Combine, Span};
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
            let value = Use::of(self.slice_part(own, &give.own, part)?);
            let position = self.origin.position;
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
        self.names.describe_whole(get.out, &get.whole);
        Ok(())
    }

    fn assemble(&mut self, get: &Get, parts: &[Register]) -> Result<Register> {
        match (parts, get.assembly) {
            ([], _) => {
                let attrs = [get.meta.shape[..].into(), get.meta.dtype.into()];
                self.emit_one(&ZEROS, &[], Attrs::of(attrs))
            }
            _ if get.meta.bytes() == 0 => self.nothing(get, parts),
            ([one], _) => self.emit_one(&PLACE, &[*one], Attrs::none()),
            (_, Assembly::Join { axis, blocks }) => self.join(parts, axis, blocks),
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

    /// A value without elements, which has failed if one of its parts has.
    fn nothing(&mut self, get: &Get, parts: &[Register]) -> Result<Register> {
        let mut flat: SmallVec<[Register; 4]> = SmallVec::new();
        for part in parts {
            flat.push(self.emit_one(
                &RESHAPE,
                &[*part],
                Attrs::of([[0_usize].as_slice().into()]),
            )?);
        }
        let joined = self.emit_one(&CAT, &flat, Attrs::of([0_usize.into()]))?;
        self.emit_one(&RESHAPE, &[joined], Attrs::of([get.meta.shape[..].into()]))
    }

    /// Puts parts side by side along an axis, in each of its blocks.
    fn join(&mut self, parts: &[Register], axis: usize, blocks: usize) -> Result<Register> {
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
        let in_blocks = (0..part.len()).find(|&axis| part[axis].blocks > 1);
        let mut ranges: Vec<Range> = Vec::with_capacity(part.len() + 1);
        for (axis, (has, part)) in has.iter().zip(part).enumerate() {
            if in_blocks == Some(axis) {
                ranges.push(Range::all(part.blocks));
            }
            ranges.push(Range { start: part.offset_in(*has), len: part.len, step: 1 });
        }
        let Some(axis) = in_blocks else {
            return self.emit_one(&SLICE, &[own], Attrs::of([Attr::Ranges(ranges)]));
        };
        let split = self.split_blocks(own, axis, part[axis].blocks)?;
        let sliced = self.emit_one(&SLICE, &[split], Attrs::of([Attr::Ranges(ranges)]))?;
        self.merge_blocks(sliced, axis)
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
