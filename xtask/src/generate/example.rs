//! An example for each row, made from its samples and computed by an embedded session: what
//! docstrings show is what programs get.

use gt::attrs::{Attr, Attrs};
use gt::op::{Domain, Op, Role, Sample, SampleInput};
use gt::{DType, Input, Meta, Scalar, Shape, Tensor, display};

use super::signature::{Parameter, parameters};

/// More elements than this say nothing to a reader; then the shape is shown.
const FEW: usize = 12;

const NUMBERS: [f64; FEW] = [1.5, -0.5, 2.0, 0.0, -1.0, 3.0, 0.5, -2.0, 2.5, 1.0, -1.5, 4.0];
const SIGNED: [f64; FEW] = [1.5, -0.5, 2.0, 4.0, -1.0, 3.0, 0.25, -2.5, 3.5, 0.75, -5.0, 6.0];
const POSITIVE: [f64; FEW] = [1.5, 0.5, 2.0, 4.0, 1.0, 3.0, 0.25, 2.5, 3.5, 0.75, 5.0, 6.0];
const UNIT: [f64; FEW] = [0.5, 0.25, 0.75, 0.125, 0.875, 0.625, 0.375, 0.0, 0.9, 0.1, 1.0, 0.7];
const ABOVE_ONE: [f64; FEW] = [1.5, 2.0, 3.0, 1.25, 4.0, 2.5, 1.75, 5.0, 6.0, 1.5, 2.25, 3.5];

/// How a row is called in an example.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `gt.name(x)`
    Function,
    /// `x.name()`
    Method,
    /// `x.name_()`
    InPlace,
}

/// The lines of an example, as Python's prompt shows them; none if the row cannot be called so.
pub fn example(op: &'static Op, form: Form) -> Option<String> {
    let samples = (op.samples)();
    let small = samples.iter().find(|sample| sample.inputs.iter().all(|input| count(input) <= FEW));
    let sample = small.or(samples.first())?;
    let is_random = op.attrs.iter().any(|spec| spec.name == "seed");
    let dtypes = [DType::F32, DType::I64, DType::Bool];
    dtypes.into_iter().find_map(|dtype| {
        let inputs = inputs(op, sample, dtype)?;
        let results = run(op, &inputs, &sample.attrs)?;
        let kept = matches!((inputs.first(), &results[..]),
            (Some((_, Given::Tensor(input))), [result]) if input.meta() == result.meta());
        if form == Form::InPlace && !kept {
            return None;
        }
        let call = call(op, &inputs, &sample.attrs, form);
        let large = results.iter().any(|result| result.shape().count() > FEW);
        if is_random || large {
            let shape = tuple(results[0].shape());
            return (results.len() == 1)
                .then(|| format!(">>> import gt\n>>> {call}.shape\n{shape}"));
        }
        // An empty line would end what a doctest expects.
        let shown = shown(op, &results)?.replace("\n\n", "\n<BLANKLINE>\n");
        Some(format!(">>> import gt\n>>> {call}\n{shown}"))
    })
}

fn count(input: &SampleInput) -> usize {
    match input {
        SampleInput::Numbers(shape) | SampleInput::Index { shape, .. } => shape.count(),
        SampleInput::Scalar(_) => 0,
    }
}

/// An input of an example.
enum Given {
    Tensor(Tensor),
    Number(Scalar),
}

/// Each input as Python writes it, and what it is.
type Written = Vec<(String, Given)>;

fn inputs(op: &Op, sample: &Sample, dtype: DType) -> Option<Written> {
    let numbers = match op.domain {
        Domain::Positive => POSITIVE,
        Domain::NonZero | Domain::WithZeros => SIGNED,
        Domain::Unit | Domain::Chance => UNIT,
        Domain::AboveOne => ABOVE_ONE,
        Domain::Real | Domain::Distinct => NUMBERS,
    };
    let mut next = 0;
    let mut written = Vec::new();
    for (index, input) in sample.inputs.iter().enumerate() {
        let (meta, elements): (Meta, Vec<f64>) = match input {
            SampleInput::Scalar(scalar) => {
                written.push((attr(&Attr::from(*scalar)), Given::Number(*scalar)));
                continue;
            }
            SampleInput::Numbers(shape) => {
                let taken = (next..next + shape.count()).map(|at| numbers[at % FEW]);
                next += shape.count();
                (Meta::new(dtype, shape.clone()), taken.collect())
            }
            SampleInput::Index { shape, below } => {
                let role = op.inputs[if op.variadic { 0 } else { index }].role;
                let dtype = if role == Role::Mask { DType::Bool } else { DType::I64 };
                let step = if *below > 2 { 2 } else { 1 };
                let places = (0..shape.count()).map(|at| ((step * at + 1) % below.max(&1)) as f64);
                (Meta::new(dtype, shape.clone()), places.collect())
            }
        };
        written.push(tensor(meta, &elements)?);
    }
    Some(written)
}

fn tensor(meta: Meta, elements: &[f64]) -> Option<(String, Given)> {
    let large = elements.len() > FEW;
    let one = |&element: &f64| if large { 1.0 } else { element };
    let mut bytes = Vec::new();
    for element in elements.iter().map(one) {
        match meta.dtype {
            DType::F32 => bytes.extend((element as f32).to_le_bytes()),
            DType::I64 => bytes.extend((element as i64).to_le_bytes()),
            _ => bytes.push(u8::from(element != 0.0)),
        }
    }
    let text = if large {
        format!("gt.ones{}", tuple(&meta.shape))
    } else {
        format!("gt.tensor({})", nested(&meta.shape, elements, meta.dtype))
    };
    let text = match meta.shape.count() {
        0 => format!("gt.zeros{}", tuple(&meta.shape)),
        _ => text,
    };
    let tensor = gt::session().ok()?.upload(meta, bytes.into()).ok()?;
    Some((text, Given::Tensor(tensor)))
}

fn nested(shape: &[usize], elements: &[f64], dtype: DType) -> String {
    let Some((&first, rest)) = shape.split_first() else {
        let element = elements[0];
        return match dtype {
            DType::F32 => format!("{element:?}"),
            DType::I64 => (element as i64).to_string(),
            _ => if element != 0.0 { "True" } else { "False" }.to_string(),
        };
    };
    let size = elements.len() / first.max(1);
    let parts = (0..first).map(|at| nested(rest, &elements[at * size..][..size], dtype));
    format!("[{}]", parts.collect::<Vec<_>>().join(", "))
}

fn run(op: &'static Op, inputs: &Written, attrs: &Attrs) -> Option<Vec<Tensor>> {
    let inputs: Vec<Input> = inputs
        .iter()
        .map(|(_, given)| match given {
            Given::Tensor(tensor) => Input::Tensor(tensor),
            Given::Number(number) => Input::Scalar(*number),
        })
        .collect();
    let attrs: Vec<Option<Attr>> = attrs.0.iter().cloned().map(Some).collect();
    gt::apply_all(op, &inputs, &attrs).ok()
}

fn call(op: &'static Op, inputs: &Written, attrs: &Attrs, form: Form) -> String {
    let mut written = inputs.iter().map(|(text, _)| text.clone());
    let receiver = if form == Form::Function { None } else { written.next() };
    let mut arguments: Vec<String> = Vec::new();
    let mut named = false;
    let skipped = usize::from(receiver.is_some());
    let mut seen = 0;
    for parameter in parameters(op) {
        match parameter {
            Parameter::Input(_) if op.variadic => {
                let all: Vec<String> = written.by_ref().collect();
                arguments.push(format!("[{}]", all.join(", ")));
            }
            Parameter::Input(input) => {
                seen += 1;
                if seen <= skipped {
                    continue;
                }
                let text = written.next().unwrap_or_default();
                arguments.push(if named { format!("{}={text}", input.name) } else { text });
            }
            Parameter::Attr(spec) => {
                let at = op.attrs.iter().position(|other| other.name == spec.name);
                let Some(value) = at.and_then(|at| attrs.0.get(at)) else { continue };
                if spec.default.as_ref() == Some(value) {
                    named = true;
                    continue;
                }
                let text = attr(value);
                named |= spec.default.is_some();
                arguments.push(if named { format!("{}={text}", spec.name) } else { text });
            }
        }
    }
    let arguments = arguments.join(", ");
    let suffix = if form == Form::InPlace { "_" } else { "" };
    match receiver {
        Some(receiver) => format!("{receiver}.{}{suffix}({arguments})", op.name),
        None => format!("gt.{}({arguments})", op.name),
    }
}

fn attr(value: &Attr) -> String {
    match value {
        Attr::None => "None".to_string(),
        Attr::Bool(value) => if *value { "True" } else { "False" }.to_string(),
        Attr::DType(dtype) => format!("gt.{dtype}"),
        Attr::Ints(values) => {
            let comma = if values.len() == 1 { "," } else { "" };
            let values: Vec<String> = values.iter().map(i64::to_string).collect();
            format!("({}{comma})", values.join(", "))
        }
        other => other.to_string(),
    }
}

fn tuple(shape: &Shape) -> String {
    attr(&Attr::Ints(shape.to_ints()))
}

fn shown(op: &Op, results: &[Tensor]) -> Option<String> {
    let text = |tensor: &Tensor| {
        let bytes = tensor.read().ok()?;
        Some(display::format(tensor.meta(), &bytes, &display::Options::default(), &[]))
    };
    if let [result] = results {
        return text(result);
    }
    let named = op.outputs.iter().zip(results);
    let named = named.map(|(output, result)| Some(format!("{}={}", output.name, text(result)?)));
    Some(format!("{}({})", op.name, named.collect::<Option<Vec<_>>>()?.join(", ")))
}
