//! The reference of all operations.

use std::fmt::Write;

use gt_core::call::{Arg, Call};
use gt_core::op::{Linear, Op, View};
use gt_core::placement::{At, Cut};
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
    let mut rows = ops::ALL.to_vec();
    rows.sort_unstable_by_key(|op| op.name);
    rows.into_iter().for_each(|op| entry(&mut text, op));
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
        Linear::ByNumbers(input) => {
            let _ = writeln!(text, "- linear in the input {input} if the others are numbers");
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
    let letters = factors.letters().into_iter().chain(factors.adding_letters());
    let cuts = letters.map(|letter| {
        let at = |cut: Option<Cut>| match cut {
            Some(Cut { axis, blocks: 1, .. }) => axis.to_string(),
            Some(Cut { axis, blocks, .. }) => format!("{axis} in {blocks} blocks"),
            None => "–".to_string(),
        };
        let input = |input: usize| match factors.is_added(input, letter) {
            true => "partial sum".to_string(),
            false => at(factors.input_cut(input, letter, &At::Even, 1)),
        };
        let output = |output: usize| match factors.combine(output, letter) {
            Some(how) => format!("partial {how:?}").to_lowercase(),
            None => at(factors.output_cut(output, letter, &At::Even, 1)),
        };
        let inputs: Vec<String> = (0..factors.inputs.len()).map(input).collect();
        let outputs: Vec<String> = (0..factors.outputs.len()).map(output).collect();
        format!("({}) → {}", inputs.join(", "), outputs.join(", "))
    });
    let cuts: Vec<String> = cuts.collect();
    let cuts =
        if cuts.is_empty() { "nothing; gathered first".to_string() } else { cuts.join("; ") };
    (gradients, cuts)
}
