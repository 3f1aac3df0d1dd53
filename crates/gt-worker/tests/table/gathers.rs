//! The rows of which nothing can be cut, each with the reason. Their inputs are gathered first.

use std::collections::BTreeSet;

use gt_core::op::Call;
use gt_core::{DType, ops};

use super::cases;
use super::common::args;

/// Each row that gathers, and why.
const GATHERS: &[(&str, &str)] = &[
    ("diag", "its elements lie across both axes"),
    ("masked_scatter", "where an element comes from depends on the whole mask before it"),
    ("median", "the middle of all elements; the parts of it say nothing"),
    ("multinomial", "random, and computed by each worker in full"),
    ("nonzero", "the shape depends on data"),
    ("randperm", "random, and computed by each worker in full"),
    ("trace", "its elements lie across both axes"),
];

#[test]
fn rows_without_a_signature_are_known() {
    let mut cut = BTreeSet::new();
    for case in cases(&[DType::F64]) {
        let args = args(&case.inputs);
        let call = Call::checked(case.op, &args, &case.attrs).unwrap();
        let factors = (case.op.shard)(&call);
        if !factors.letters().is_empty() || !factors.adding_letters().is_empty() {
            cut.insert(case.op.name);
        }
    }
    let rows: BTreeSet<&str> = ops::ALL.iter().map(|op| op.name).collect();
    let gathers: BTreeSet<&str> = rows.difference(&cut).copied().collect();
    let listed: BTreeSet<&str> = GATHERS.iter().map(|&(name, _)| name).collect();
    let unlisted: Vec<_> = gathers.difference(&listed).collect();
    let outdated: Vec<_> = listed.difference(&gathers).collect();
    assert!(unlisted.is_empty(), "no signature, and not in the list: {unlisted:?}");
    assert!(outdated.is_empty(), "in the list, with a signature or no row: {outdated:?}");
}
