//! Where values are, in a form that can be drawn: for each worker of a mesh the part that it has.

use gt_core::Shape;
use gt_core::placement::{Layout, Placement};
use gt_transport::report::{ValueReport, ValuesReport};
use serde_json::{Value, json};

/// So many workers of a mesh are drawn.
const MOST_PARTS: usize = 72;

/// The values, the largest first.
pub(super) fn json(values: &ValuesReport) -> Value {
    json!({
        "list": values.list.iter().map(value).collect::<Vec<_>>(),
        "left_out": values.left_out,
    })
}

fn value(one: &ValueReport) -> Value {
    let shape = &one.meta.shape;
    json!({
        "session": one.session.0,
        "name": one.slot.to_string(),
        "dtype": one.meta.dtype.to_string(),
        "shape": shape.to_vec(),
        "bytes": one.meta.bytes(),
        "whole": one.whole.iter().map(|worker| worker.0).collect::<Vec<_>>(),
        "meshes": one.meshes.iter().map(|place| mesh(place, shape)).collect::<Vec<_>>(),
    })
}

fn mesh(placement: &Placement, shape: &Shape) -> Value {
    let layouts: Vec<String> = placement.layouts().iter().map(Layout::to_string).collect();
    let is_partial = placement.layouts().iter().any(|one| matches!(one, Layout::Partial(_)));
    let workers = placement.mesh().workers().iter().enumerate().take(MOST_PARTS);
    let parts = workers.map(|(index, worker)| {
        let spans = placement.part(shape, index);
        let cut = spans
            .iter()
            .zip(shape.iter())
            .enumerate()
            .filter(|(_, (span, size))| span.size() != **size);
        // Of each block of the axis, where the part begins and ends.
        let cuts = cut.map(|(axis, (span, _))| {
            json!([axis, span.blocks, span.inner, span.start, span.start + span.len])
        });
        json!({ "worker": worker.0, "cuts": cuts.collect::<Vec<_>>() })
    });
    json!({
        "layout": layouts.join(" "),
        "partial": is_partial,
        "workers": placement.mesh().workers().len(),
        "parts": parts.collect::<Vec<_>>(),
    })
}
