//! Commands as the event stream keeps them: the record, and the bytes beside it.

use gt_core::instruction::Command;
use gt_core::record::{Record, code};
use gt_core::{Meta, Provenance, Result, Slot};

use super::rest::read;
use super::{BESIDE, Batch};

/// Of an upload only dtype and shape are kept, which fit into so many bytes.
const MOST_OF_UPLOAD: usize = 256;

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
        (&rest[..rest.len().min(MOST_OF_UPLOAD)], bytes)
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
        for len in [16, 4000, 40_000] {
            let upload = Command::Upload {
                out: Slot(7),
                meta: Meta::new(DType::U8, [len]),
                data: Bytes::from(vec![1; len]),
                provenance: Provenance::UNKNOWN,
            };
            let mut batch = Batch::default();
            batch.push(&upload);
            let (beside, bytes) = batch.beside(0);
            assert!(beside.len() <= MOST_OF_UPLOAD && bytes > len as u64, "{bytes}");
            let command = logged(&batch.records[0], beside).unwrap();
            assert_eq!(command.to_string(), format!("t7 := announce uint8[{len}] as u0"));
        }
    }
}
