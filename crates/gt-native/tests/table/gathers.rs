//! The rows of which nothing can be cut, each with the reason. Their inputs are gathered first.

use std::collections::BTreeSet;

use gt_core::kernel::Kernel;
use gt_core::op::Call;
use gt_core::rules::risk::{Risk, row_risk};
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

/// Each row that has kernels and of which an axis cannot be cut, and why. If an input is cut there,
/// it is gathered first.
const AXES: &[(&str, &str)] = &[
    ("cumprod", "an element depends on all before it along the axis"),
    ("cumsum", "an element depends on all before it along the axis"),
    ("diagonal", "its elements lie across both axes"),
    ("flatten", "sizes without a common divisor have no index in common"),
    ("flip", "the last part comes first"),
    ("fliplr", "the last part comes first"),
    ("flipud", "the last part comes first"),
    ("gather", "a tensor without axes has none to cut, and an index has its one position"),
    ("index_add", "the places that a list names may be anywhere"),
    ("index_copy", "the places that a list names may be anywhere"),
    ("index_fill", "the places that a list names may be anywhere"),
    ("index_select", "a list without axes names one part, which is anywhere"),
    ("index_write", "the last of several values for a place counts"),
    ("max_pool2d_grad", "windows lie across a cut of the image"),
    ("new_full", "only the dtype of the input counts"),
    ("new_ones", "only the dtype of the input counts"),
    ("new_zeros", "only the dtype of the input counts"),
    ("pad", "an axis that grows at one end and shrinks at the other"),
    ("ravel", "sizes without a common divisor have no index in common"),
    ("reshape", "sizes without a common divisor have no index in common"),
    ("running_max", "an element depends on all before it along the axis"),
    ("running_min", "an element depends on all before it along the axis"),
    ("scatter", "the last of several values for a place counts"),
    ("scatter_add", "a source that is larger than its index lies otherwise"),
    ("slice", "a range that runs backwards"),
    ("slice_write", "a range that runs backwards"),
    // Where there is another axis to cut, each element moves to that cut once. With one axis only,
    // gathering moves `4 (n - 1)` bytes for each float32 and n workers. What is sorted in parts has
    // a position of 8 bytes beside it: a network of blocks moves 12 bytes in each of its rounds (1,
    // 3 and 6 of them for 2, 4 and 8 workers), and parts that are gathered and sorted again move
    // three times as much as the elements. On two workers 4 million elements took 335 ms gathered,
    // 525 ms by the network and 637 ms in two stages, all of them with one thread on busy cores.
    ("sort", "every element may go anywhere along the axis"),
    ("take", "elements are counted row by row, across all axes"),
    ("take_along_dim", "the index is broadcast first"),
];

#[test]
fn axes_that_cannot_be_cut_are_known() {
    let mut found = BTreeSet::new();
    for case in cases(&[DType::F64]) {
        let args = args(&case.inputs);
        let call = Call::checked(case.op, &args, &case.attrs).unwrap();
        let Ok(kernel) = call.infer().and_then(|_| (case.op.kernel)(&call)) else { continue };
        // What a composite is made of is placed by itself.
        let expands = kernel == Kernel::Expansion && row_risk(case.op) != Risk::Data;
        if expands || case.op.expands_when_cut {
            continue;
        }
        let factors = (case.op.shard)(&call);
        let free = [factors.letters(), factors.adding_letters()].concat();
        let is_fixed = |(axis, size): (&gt_core::rules::shard::factors::Axis, &usize)| {
            let mut letters = axis.iter().flatten().filter_map(|factor| factor.letter);
            *size > 1 && !letters.any(|letter| free.contains(&letter))
        };
        let shapes = (0..args.len()).map(|input| call.shape(input));
        let mut inputs = factors.inputs.iter().zip(shapes);
        if inputs.any(|(axes, shape)| axes.iter().zip(shape.iter()).any(is_fixed)) {
            found.insert(case.op.name);
        }
    }
    let listed = AXES.iter().chain(GATHERS).map(|&(name, _)| name).collect::<BTreeSet<_>>();
    let unlisted: Vec<_> = found.difference(&listed).collect();
    let known = AXES.iter().map(|&(name, _)| name).collect::<BTreeSet<_>>();
    let outdated: Vec<_> = known.difference(&found).collect();
    assert!(unlisted.is_empty(), "an axis gathers, and not in the list: {unlisted:?}");
    assert!(outdated.is_empty(), "in the list, and every axis may be cut: {outdated:?}");
}
