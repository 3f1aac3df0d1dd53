//! Commands as the event stream keeps them: the record, and the bytes beside it.

use gt_core::instruction::Command;
use gt_core::record::{Record, code};
use gt_core::{Meta, Provenance, Result, Slot};

use super::rest::read;
use super::{BESIDE, Batch, freed};

impl Batch {
    /// What stands beside the `index`-th record, without the elements of tensors, and how many
    /// bytes the command takes with all of it.
    pub fn beside(&self, index: usize) -> (&[u8], u64) {
        let Some(record) = self.records.get(index) else { return (&[], 0) };
        let rest = self.rest(record).unwrap_or_default();
        let mut bytes = (size_of::<Record>() + rest.len()) as u64;
        if record.op != code::UPLOAD {
            return (rest, bytes);
        }
        if record.arity == BESIDE {
            let payload = self.payloads.get(record.inputs[0] as usize);
            bytes += payload.map_or(0, |payload| payload.len() as u64);
        }
        // Small ones have their elements behind dtype and shape, and whoever watches a server may
        // not see those of others.
        let elements = read::<Meta>(rest).map_or(rest.len(), |(_, elements)| elements.len());
        (&rest[..rest.len() - elements], bytes)
    }
}

/// The command that a record and the bytes beside it stand for. The elements of an upload are not
/// there, so that it reads as an announcement.
pub fn logged(record: &Record, beside: &[u8]) -> Result<Command> {
    if record.op == code::UPLOAD {
        let (meta, _) = read::<Meta>(beside)?;
        let (out, provenance) = (Slot(record.out), Provenance(record.provenance));
        return Ok(Command::Announce { out, meta, number: 0, provenance });
    }
    if record.op == code::FREE {
        // Frees that were joined: the values of all but the first stand beside it.
        let mut slots = freed(record)?;
        let more = beside
            .chunks_exact(4)
            .map(|bytes| Slot(u32::from_le_bytes(bytes.try_into().expect("four bytes"))));
        slots.extend(more);
        return Ok(Command::Free(slots));
    }
    let mut record = *record;
    if record.is_extended() {
        record.set_extent(0, beside.len() as u32);
    }
    let batch = Batch { records: vec![record], extra: beside.to_vec(), payloads: Vec::new() };
    batch.command(0)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use gt_core::DType;
    use gt_core::text::parse_instruction;

    use super::*;

    #[test]
    fn what_was_kept_of_a_command_reads_as_the_command() {
        let mut batch = Batch::default();
        let lines = ["t2 := add t0 t1", "t3 := sum t2 dim=[1]", "t4 := mul t3 2.5"];
        for line in lines {
            batch.push(&Command::Apply(parse_instruction(line).unwrap()));
        }
        for (index, line) in lines.into_iter().enumerate() {
            let (beside, bytes) = batch.beside(index);
            let command = logged(&batch.records[index], beside).unwrap();
            assert_eq!((command.to_string(), bytes), (line.to_string(), 32 + beside.len() as u64));
        }
        assert!(logged(&batch.records[1], b"").is_err(), "its attributes are missing");
    }

    #[test]
    fn the_elements_of_an_upload_are_left_out_and_counted() {
        for len in [1, 16, 200, 4000, 40_000] {
            let [(first, bytes), (second, _)] = [1, 2].map(|element| {
                let upload = Command::Upload {
                    out: Slot(7),
                    meta: Meta::new(DType::U8, [len]),
                    data: Bytes::from(vec![element; len]),
                    provenance: Provenance::UNKNOWN,
                };
                let mut batch = Batch::default();
                batch.push(&upload);
                let (beside, bytes) = batch.beside(0);
                ((batch.records[0], beside.to_vec()), bytes)
            });
            let (record, beside) = &first;
            assert_eq!(*beside, second.1, "an element is among them");
            assert!(bytes > len as u64, "{bytes}");
            let command = logged(record, beside).unwrap();
            assert_eq!(command.to_string(), format!("t7 := announce uint8[{len}] as u0"));
        }
    }
}
