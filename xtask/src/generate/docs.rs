//! The reference of all operations.

use std::fmt::Write;

use gt_core::call::{Arg, Call};
use gt_core::op::{Linear, Op, View};
use gt_core::rules::promote::Promotion;
use gt_core::sample::SampleInput;
use gt_core::{DType, Meta, ops};

use super::python::text_signature;

/// `docs/reference/ops.md`
pub fn reference() -> String {
    let mut text = String::from(
        "# Operations\n\nMade from the op table by `cargo xtask generate`. Gradients are formulas \
         over the inputs (`in0`), the results (`out0`) and the gradients of the results (`grad0`), \
         shown for the first sample of each row.\n",
    );
    for op in ops::ALL.iter().copied() {
        entry(&mut text, op);
    }
    text
}

fn entry(text: &mut String, op: &'static Op) {
    let _ = writeln!(text, "\n## {}\n\n{}\n", op.name, op.doc);
    let python = op.python;
    if python.method || python.function {
        let _ = writeln!(text, "- call: `{}{}`", op.name, text_signature(op, false));
    } else {
        let _ = writeln!(text, "- call: by other operations only");
    }
    let mut also = Vec::new();
    also.extend(python.operator.map(|word| format!("`__{word}__`")));
    for name in op.names() {
        also.extend((name != op.name).then(|| format!("`{name}`")));
        also.extend(python.in_place.then(|| format!("`{name}_`")));
    }
    if !also.is_empty() {
        let _ = writeln!(text, "- also as: {}", also.join(", "));
    }
    if !op.torch.is_empty() {
        let _ = writeln!(text, "- PyTorch: `{}`", op.torch);
    }
    if let Some(name) = op.numpy {
        let _ = writeln!(text, "- NumPy: `{name}`");
    }
    let _ = match op.promotion {
        // A function has an address, which says nothing.
        Promotion::By(_) => writeln!(text, "- computes in: what its own rule says"),
        promotion => writeln!(text, "- computes in: {promotion:?}"),
    };
    if op.data_dependent {
        let _ = writeln!(text, "- the shape depends on data: the call waits");
    }
    if !matches!(op.view, View::No) {
        let how = match op.view {
            View::Writable(_) => "writes go through",
            View::IfContiguous(_) => {
                "writes go through; a copy if the elements do not lie in a row"
            }
            View::IfPossible(_) => "writes go through; a copy if the elements have to move",
            _ => "read only",
        };
        let _ = writeln!(text, "- a view of its input; {how}");
    }
    let (gradients, cuts) = rules(op);
    let _ = writeln!(text, "- gradient: {gradients}\n- may be cut along: {cuts}");
    match op.linear {
        Linear::No => {}
        Linear::Each(inputs) => {
            let _ = writeln!(text, "- linear in each of the inputs {inputs:?}");
        }
        Linear::Together(inputs) => {
            let _ = writeln!(text, "- linear in the inputs {inputs:?} together");
        }
    }
    let _ = writeln!(text, "- wire code: {}", op.code);
}

/// The gradient and the cuts of the row's first sample.
fn rules(op: &'static Op) -> (String, String) {
    let sample = (op.samples)().remove(0);
    let metas: Vec<Meta> = sample
        .inputs
        .iter()
        .map(|input| match input {
            SampleInput::Numbers(shape) => Meta::new(DType::F32, shape.clone()),
            SampleInput::Index { shape, .. } => Meta::new(DType::I64, shape.clone()),
            SampleInput::Scalar(scalar) => Meta::new(scalar.dtype(), []),
        })
        .collect();
    let args: Vec<Arg> = metas.iter().map(Arg::Tensor).collect();
    let call = Call { op, inputs: &args, attrs: &sample.attrs };
    let gradients: Vec<String> =
        op.gradients(&call).iter().map(|formula| format!("`{formula}`")).collect();
    let gradients = if gradients.is_empty() { "none".to_string() } else { gradients.join(", ") };
    let factors = (op.shard)(&call);
    let cuts = factors.letters().into_iter().map(|letter| {
        let axes = |lists: &[smallvec::SmallVec<[Option<u8>; 4]>]| {
            let axis = |list: &smallvec::SmallVec<[Option<u8>; 4]>| {
                let position = list.iter().position(|&axis| axis == Some(letter));
                position.map_or("–".to_string(), |axis| axis.to_string())
            };
            lists.iter().map(axis).collect::<Vec<_>>().join(", ")
        };
        let result = match factors.combine(letter) {
            Some(how) => format!("partial {how:?}").to_lowercase(),
            None => axes(&factors.outputs),
        };
        format!("({}) → {result}", axes(&factors.inputs))
    });
    let cuts: Vec<String> = cuts.collect();
    let cuts =
        if cuts.is_empty() { "nothing; gathered first".to_string() } else { cuts.join("; ") };
    (gradients, cuts)
}
