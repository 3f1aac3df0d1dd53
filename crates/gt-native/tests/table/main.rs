//! Every row of the op table keeps its promises: shapes and dtypes, values, gradients of first and
//! second order, sharding signatures, linearity, expansions. A new row is tested by being there.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/cpu.rs"]
mod cpu;
mod cuts;
mod gathers;
mod halves;
mod whole;

use std::fmt::Display;

use common::array::{Array, Dice};
use common::native::NativeKernels;
use common::reference::Reference;
use common::tape::{Place, Tape};
use common::{Machine, args};
use gt_core::attrs::{Attr, AttrKind, Attrs};
use gt_core::expr::{Emit, Evaluator, Expr, Subject, Term};
use gt_core::kernel::Kernel;
use gt_core::op::{Call, Linear, Op, Sample, View};
use gt_core::placement::Combine;
use gt_core::{DType, Error, Meta, Result, ops};

/// One use of a row.
#[derive(Clone)]
struct Case {
    op: &'static Op,
    attrs: Attrs,
    inputs: Vec<Term<Array>>,
    name: String,
}

impl Case {
    fn run(&self, machine: Machine, inputs: &[Term<Array>], attrs: &Attrs) -> Vec<Array> {
        let results = machine.run(self.op, inputs, attrs);
        results.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    fn results(&self, machine: Machine) -> Vec<Array> {
        self.run(machine, &self.inputs, &self.attrs)
    }

    /// The tensors among the inputs whose numbers can be changed a little.
    fn float_inputs(&self) -> impl Iterator<Item = (usize, &Array)> {
        self.inputs.iter().enumerate().filter_map(|(index, input)| match input {
            Term::Value(value) if value.meta.dtype.is_float() => Some((index, value)),
            _ => None,
        })
    }

    fn with(&self, index: usize, value: Array) -> Vec<Term<Array>> {
        let mut inputs = self.inputs.clone();
        inputs[index] = Term::Value(value);
        inputs
    }
}

/// Every sample of every row, with numbers of these dtypes. Optional dtypes are also given.
fn cases(dtypes: &[DType]) -> Vec<Case> {
    let mut cases = Vec::new();
    for &op in ops::ALL {
        for (number, sample) in (op.samples)().into_iter().flat_map(|s| variants(op, s)).enumerate()
        {
            for &dtype in dtypes {
                let seed = op.code as u64 * 1000 + number as u64;
                let inputs = Dice(seed).inputs(op, &sample, dtype);
                let shapes: Vec<String> = inputs.iter().map(described).collect();
                let (row, shapes) = (op.name, shapes.join(" "));
                let name =
                    format!("{row} {shapes} {:?} (sample {number}, seed {seed})", sample.attrs.0);
                cases.push(Case { op, attrs: sample.attrs.clone(), inputs, name });
            }
        }
    }
    cases
}

fn variants(op: &Op, sample: Sample) -> Vec<Sample> {
    let mut variants = vec![sample.clone()];
    for (index, spec) in op.attrs.iter().enumerate() {
        if spec.kind == AttrKind::DType && sample.attrs.0[index] == Attr::None {
            let mut variant = sample.clone();
            variant.attrs.0[index] = DType::F64.into();
            variants.push(variant);
        }
    }
    variants
}

fn described(input: &Term<Array>) -> String {
    match input {
        Term::Value(value) => value.meta.to_string(),
        Term::Scalar(scalar) => scalar.to_string(),
        Term::Zero => "0".to_string(),
    }
}

/// What a loop found wrong; it fails when the loop is over, so that all of it is seen.
#[derive(Default)]
struct Findings(Vec<String>);

impl Findings {
    fn add(&mut self, case: &Case, what: impl Display) {
        self.0.push(format!("{}: {what}", case.name));
    }

    fn compare(&mut self, case: &Case, what: impl Display, pair: (&Array, &Array), tolerance: f64) {
        let (found, expected) = pair;
        let distance = found.distance(expected);
        if distance > tolerance || distance.is_nan() {
            let (a, b) = (format!("{found:?}"), format!("{expected:?}"));
            let (a, b) = (short(&a), short(&b));
            self.add(
                case,
                format!("{what}: {distance:.1e} apart\n    found    {a}\n    expected {b}"),
            );
        }
    }

    fn report(self) {
        assert!(self.0.is_empty(), "{} findings:\n{}", self.0.len(), self.0.join("\n"));
    }
}

fn short(text: &str) -> &str {
    &text[..text.len().min(300)]
}

/// The rows' loops run on the native engine.
fn on_native(check: impl FnOnce(Machine)) {
    let kernels = NativeKernels::new(1);
    check(Machine { kernels: &kernels });
}

#[test]
fn results_have_the_inferred_shapes_and_dtypes() {
    on_native(|machine| {
        let mut findings = Findings::default();
        for case in cases(&DType::SUPPORTED) {
            let args = args(&case.inputs);
            let call = Call::checked(case.op, &args, &case.attrs).unwrap();
            let Ok(inferred) = call.infer() else {
                let floats = case.float_inputs().count() > 0;
                if floats || case.inputs.is_empty() {
                    findings.add(&case, "is refused");
                }
                continue;
            };
            let results = match machine.run(case.op, &case.inputs, &case.attrs) {
                Ok(results) => results,
                Err(error) => {
                    findings.add(&case, error);
                    continue;
                }
            };
            let found: Vec<&Meta> = results.iter().map(|result| &result.meta).collect();
            let expected: Vec<&Meta> = inferred.outputs.iter().collect();
            if case.op.data_dependent {
                let fits = found.iter().zip(&expected).all(|(found, most)| {
                    let sizes = found.shape.iter().zip(most.shape.iter());
                    found.dtype == most.dtype && sizes.into_iter().all(|(size, most)| size <= most)
                });
                if !fits {
                    findings.add(&case, format!("{found:?}, at most {expected:?}"));
                }
            } else if found != expected {
                findings.add(&case, format!("{found:?}, inferred {expected:?}"));
            }
        }
        findings.report();
    });
}

#[test]
fn the_native_engine_agrees_with_the_reference() {
    let reference = Machine { kernels: &Reference };
    for threads in [1, 2] {
        let kernels = NativeKernels::new(threads);
        let machine = Machine { kernels: &kernels };
        let mut findings = Findings::default();
        for case in cases(&DType::SUPPORTED) {
            let args = args(&case.inputs);
            if Call::checked(case.op, &args, &case.attrs).unwrap().infer().is_err() {
                continue;
            }
            // What fails is found where shapes and dtypes are compared.
            let Ok(found) = machine.run(case.op, &case.inputs, &case.attrs) else { continue };
            let pairs = found.into_iter().zip(case.results(reference));
            for (output, (found, expected)) in pairs.enumerate() {
                let inputs = case.float_inputs().map(|(_, input)| tolerance(input.meta.dtype));
                let tolerance = inputs.fold(tolerance(found.meta.dtype), f64::max);
                findings.compare(&case, format!("output {output}"), (&found, &expected), tolerance);
            }
        }
        findings.report();
    }
}

fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e-12,
        DType::F32 => 2e-6,
        DType::F16 => 5e-3,
        DType::BF16 => 4e-2,
        _ => 0.0,
    }
}

/// A row's results as a function of its float inputs, on a tape.
struct Traced<'a> {
    tape: Tape<'a>,
    inputs: Vec<Place>,
    outputs: Vec<(Place, Place)>,
}

impl<'a> Traced<'a> {
    /// Every float result gets weights, the same in each run.
    fn new(machine: Machine<'a>, case: &Case, inputs: &[Term<Array>]) -> Result<Self> {
        let mut tape = Tape::new(machine);
        let place = |input: &Term<Array>| match input {
            Term::Value(value) => Term::Value(tape.push(value.clone())),
            Term::Scalar(scalar) => Term::Scalar(*scalar),
            Term::Zero => Term::Zero,
        };
        let terms: Vec<Term<Place>> = inputs.iter().map(place).collect();
        let results = tape.emit(case.op, &terms, &case.attrs)?;
        let mut dice = Dice(7);
        let mut outputs = Vec::new();
        for place in results {
            let meta = tape.value(place).meta.clone();
            if meta.dtype.is_float() {
                outputs.push((place, tape.push(dice.array(meta))));
            }
        }
        let inputs = case.float_inputs().filter_map(|(index, _)| match terms[index] {
            Term::Value(place) => Some(place),
            _ => None,
        });
        Ok(Traced { tape, inputs: inputs.collect(), outputs })
    }

    /// The weighted sum of the results.
    fn loss(mut self) -> Result<f64> {
        let mut total = 0.0;
        for (place, weights) in self.outputs {
            let loss = self.tape.weighted(place, weights)?;
            total += self.tape.value(loss).data[0];
        }
        Ok(total)
    }

    fn gradients(&mut self) -> Result<Vec<Option<Place>>> {
        self.tape.gradients(&self.outputs, &self.inputs)
    }

    /// The weighted sum of the gradients, on the tape.
    fn slope(&mut self) -> Result<Option<Place>> {
        let mut dice = Dice(8);
        let mut total: Option<Place> = None;
        for gradient in self.gradients()?.into_iter().flatten() {
            let weights = dice.array(self.tape.value(gradient).meta.clone());
            let weights = self.tape.push(weights);
            let part = self.tape.weighted(gradient, weights)?;
            total = Some(match total {
                Some(total) => {
                    let both = [Term::Value(total), Term::Value(part)];
                    self.tape.emit(&ops::builtin::ADD, &both, &Attrs::none())?[0]
                }
                None => part,
            });
        }
        Ok(total)
    }
}

/// The gradient of `function` by one input, from differences.
fn quotients(
    case: &Case,
    index: usize,
    input: &Array,
    step: f64,
    function: impl Fn(&[Term<Array>]) -> Result<f64>,
) -> Result<Array> {
    let mut gradient = input.clone();
    for element in 0..input.data.len() {
        let moved = |by: f64| {
            let mut moved = input.clone();
            moved.data[element] += by;
            function(&case.with(index, moved))
        };
        gradient.data[element] = (moved(step)? - moved(-step)?) / (2.0 * step);
    }
    Ok(gradient)
}

/// Gradients can be compared with differences only if the results are fine enough.
fn step_and_tolerance(case: &Case, machine: Machine) -> (f64, f64) {
    let coarse = case.results(machine).iter().any(|result| result.meta.dtype == DType::F32);
    if coarse { (0.125, 1e-4) } else { (1e-5, 1e-6) }
}

fn differentiable() -> impl Iterator<Item = Case> {
    cases(&[DType::F64]).into_iter().filter(|case| case.op.is_differentiable())
}

#[test]
fn gradients_are_the_limits_of_differences() {
    on_native(|machine| {
        let mut findings = Findings::default();
        for case in differentiable() {
            if let Err(error) = compare_gradients(&mut findings, machine, &case) {
                findings.add(&case, error);
            }
        }
        findings.report();
    });
}

fn compare_gradients(findings: &mut Findings, machine: Machine, case: &Case) -> Result<()> {
    let mut traced = Traced::new(machine, case, &case.inputs)?;
    let gradients = traced.gradients()?;
    let (step, tolerance) = step_and_tolerance(case, machine);
    for ((index, input), gradient) in case.float_inputs().zip(gradients) {
        let expected = quotients(case, index, input, step, |inputs| {
            Traced::new(machine, case, inputs)?.loss()
        })?;
        let zeros = Array::full(input.meta.clone(), 0.0);
        let found = gradient.map_or(&zeros, |place| traced.tape.value(place));
        findings.compare(case, format!("input {index}"), (found, &expected), tolerance);
    }
    Ok(())
}

#[test]
fn second_gradients_are_the_limits_of_differences_of_first_ones() {
    on_native(|machine| {
        let mut findings = Findings::default();
        for case in differentiable() {
            if let Err(error) = compare_second_gradients(&mut findings, machine, &case) {
                findings.add(&case, error);
            }
        }
        findings.report();
    });
}

fn compare_second_gradients(findings: &mut Findings, machine: Machine, case: &Case) -> Result<()> {
    let mut traced = Traced::new(machine, case, &case.inputs)?;
    let Some(slope) = traced.slope()? else { return Ok(()) };
    let one = Array::full(traced.tape.value(slope).meta.clone(), 1.0);
    let one = traced.tape.push(one);
    let gradients = traced.tape.gradients(&[(slope, one)], &traced.inputs)?;
    let (step, tolerance) = step_and_tolerance(case, machine);
    for ((index, input), gradient) in case.float_inputs().zip(gradients) {
        let expected = quotients(case, index, input, step, |inputs| {
            let mut traced = Traced::new(machine, case, inputs)?;
            let slope = traced.slope()?;
            Ok(slope.map_or(0.0, |slope| traced.tape.value(slope).data[0]))
        })?;
        let zeros = Array::full(input.meta.clone(), 0.0);
        let found = gradient.map_or(&zeros, |place| traced.tape.value(place));
        findings.compare(case, format!("input {index}"), (found, &expected), tolerance);
    }
    Ok(())
}

#[test]
fn partial_sums_pass_through_linear_inputs() {
    on_native(|machine| {
        let mut findings = Findings::default();
        for case in cases(&[DType::F64]) {
            let groups: Vec<Vec<usize>> = match case.op.linear {
                Linear::No => continue,
                Linear::Each(inputs) => inputs.iter().map(|&input| vec![input]).collect(),
                Linear::ByNumbers(input) => vec![vec![input]],
                Linear::Together(&[]) => vec![(0..case.inputs.len()).collect()],
                Linear::Together(inputs) => vec![inputs.to_vec()],
            };
            for group in groups {
                // A number of the program is never a partial sum, so nothing may pass beside it.
                let all = group.iter().all(|&index| matches!(case.inputs[index], Term::Value(_)));
                if all {
                    pass(&mut findings, machine, &case, &group);
                }
            }
        }
        findings.report();
    });
}

/// Three parts of either sign and of different sizes, of which the last makes up the sum.
fn pass(findings: &mut Findings, machine: Machine, case: &Case, group: &[usize]) {
    let mut dice = Dice(9);
    let mut parts = [0, 1, 2].map(|_| case.inputs.clone());
    for &index in group {
        let Term::Value(value) = &case.inputs[index] else { continue };
        let [small, large] = [0.5, 4.0].map(|scale| {
            let part = dice.array(value.meta.clone());
            Array::from_fn(value.meta.clone(), |at| part.at(at) * scale)
        });
        let rest =
            Array::from_fn(value.meta.clone(), |at| value.at(at) - small.at(at) - large.at(at));
        for (part, share) in parts.iter_mut().zip([small, large, rest]) {
            part[index] = Term::Value(share);
        }
    }
    let parts = parts.map(|inputs| case.run(machine, &inputs, &case.attrs));
    for (output, expected) in case.results(machine).iter().enumerate() {
        let found = parts[0][output].combine(&parts[1][output], Combine::Sum);
        let found = found.combine(&parts[2][output], Combine::Sum);
        let tolerance = 4.0 * tolerance(expected.meta.dtype);
        findings.compare(case, format!("inputs {group:?}"), (&found, expected), tolerance);
    }
}

#[test]
fn expansions_agree_with_their_kernels() {
    on_native(|machine| {
        let mut findings = Findings::default();
        for case in cases(&[DType::F64, DType::F32, DType::I32]) {
            let args = args(&case.inputs);
            let call = Call::checked(case.op, &args, &case.attrs).unwrap();
            let Ok(kernel) = call.infer().and_then(|_| (case.op.kernel)(&call)) else { continue };
            if case.op.expansion.is_none() || kernel == Kernel::Expansion {
                continue;
            }
            let expanded = machine.expand(&call, &case.inputs);
            let expanded = expanded.unwrap_or_else(|error| panic!("{}: {error}", case.name));
            for (output, (found, expected)) in
                expanded.iter().zip(&case.results(machine)).enumerate()
            {
                let tolerance = tolerance(expected.meta.dtype);
                findings.compare(&case, format!("output {output}"), (found, expected), tolerance);
            }
        }
        findings.report();
    });
}

#[test]
fn what_is_written_through_a_view_is_read_through_it() {
    on_native(|machine| {
        let mut findings = Findings::default();
        for case in cases(&[DType::F64]) {
            if let View::Writable(write) = case.op.view {
                let args = args(&case.inputs);
                let formula = write(&Call::checked(case.op, &args, &case.attrs).unwrap());
                if let Err(error) = write_through(&mut findings, machine, &case, &formula) {
                    findings.add(&case, error);
                }
            }
        }
        findings.report();
    });
}

fn write_through(
    findings: &mut Findings,
    mut machine: Machine,
    case: &Case,
    formula: &Expr,
) -> Result<()> {
    let [Term::Value(base)] = case.inputs.as_slice() else { panic!("{}", case.name) };
    let view = case.results(machine).remove(0);
    let mut written = |value: &Array| {
        let grads = [Term::Value(value.clone())];
        let subject = Subject { grads: &grads, inputs: &case.inputs, outputs: &[] };
        match Evaluator::new(&mut machine, subject).evaluate(formula)? {
            Term::Value(base) => Ok(base),
            other => Err(Error::bug(format!("{formula} is {other:?}"))),
        }
    };
    findings.compare(case, "the same is written", (&written(&view)?, base), 0.0);
    let other = Dice(10).array(view.meta);
    let changed = written(&other)?;
    let read = case.run(machine, &[Term::Value(changed.clone())], &case.attrs);
    findings.compare(case, "what was written", (&read[0], &other), 0.0);
    let count = |a: &Array, b: &Array| a.data.iter().zip(&b.data).filter(|(a, b)| a != b).count();
    let (touched, most) = (count(&changed, base), other.data.len());
    if changed.meta != base.meta || touched > most {
        findings.add(case, format!("{touched} elements changed, {most} were written"));
    }
    Ok(())
}
