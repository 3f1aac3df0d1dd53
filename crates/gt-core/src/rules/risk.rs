//! Whether the elements of its inputs can make an operation fail. Of a composite this is read from
//! its expansion.

use std::sync::atomic::{AtomicU8, Ordering};

use super::abstract_eval::abstract_eval;
use crate::dtype::DType;
use crate::kernel::Kernel;
use crate::op::{Op, Sample};
use crate::ops;

/// What can make an operation fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// Only want of memory.
    Memory,
    /// The elements of its inputs too.
    Data,
}

/// What can make a call fail that is computed by `kernel` in `compute`.
pub fn risk(op: &'static Op, kernel: &Kernel, compute: DType) -> Risk {
    match kernel {
        Kernel::Expansion => row_risk(op),
        kernel if kernel.depends_on_data(compute) => Risk::Data,
        _ => Risk::Memory,
    }
}

/// What can make some call of a row fail: what can make the kernels fail that its samples come to.
/// It is found once for each row. Nothing is locked meanwhile, because a process may fork there.
pub fn row_risk(op: &'static Op) -> Risk {
    static KNOWN: [AtomicU8; ops::CODE_LIMIT as usize] =
        [const { AtomicU8::new(UNKNOWN) }; ops::CODE_LIMIT as usize];
    let known = &KNOWN[op.code as usize];
    match known.load(Ordering::Relaxed) {
        MEMORY => Risk::Memory,
        DATA => Risk::Data,
        _ => {
            let risk = samples_risk(op);
            known.store(if risk == Risk::Data { DATA } else { MEMORY }, Ordering::Relaxed);
            risk
        }
    }
}

const UNKNOWN: u8 = 0;
const MEMORY: u8 = 1;
const DATA: u8 = 2;

fn samples_risk(op: &'static Op) -> Risk {
    let samples = (op.samples)();
    let tried = samples.iter().flat_map(|sample| {
        [DType::F32, DType::I64].into_iter().filter_map(|dtype| sample_risk(op, sample, dtype))
    });
    tried.max().unwrap_or(Risk::Data)
}

/// What can make one sample of a row fail; `None` if the row does not take the dtype.
fn sample_risk(op: &'static Op, sample: &Sample, dtype: DType) -> Option<Risk> {
    let mut risk = Risk::Memory;
    let note = |kernel: &Kernel, compute: DType, _: &[()]| {
        if kernel.depends_on_data(compute) {
            risk = Risk::Data;
        }
    };
    let notes = abstract_eval(op, &sample.terms(op, dtype), &sample.attrs, |_| (), note);
    notes.ok().map(|_| risk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_risk_of_a_composite_is_that_of_its_parts() {
        let composite = |name: &str| {
            let op = ops::by_name(name).expect(name);
            assert!(op.expansion.is_some(), "{name}");
            row_risk(op)
        };
        for name in ["softmax", "gelu", "addmm", "celu"] {
            assert_eq!(composite(name), Risk::Memory, "{name}");
        }
        assert_eq!(composite("multinomial"), Risk::Data);
    }
}
