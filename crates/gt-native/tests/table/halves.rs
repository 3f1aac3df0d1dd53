//! Halves: a row computes with them in float32 and rounds once, also where it is a formula, and the
//! same holds for its gradients. So no result is infinite or NaN that a half could have.

use std::cell::Cell;

use gt_core::attrs::Attrs;
use gt_core::expr::{Evaluator, Subject, Term};
use gt_core::kernel::Kernel;
use gt_core::op::{Call, Op};
use gt_core::{DType, Meta, Result};
use half::{bf16, f16};

use super::{Case, Findings, cases};
use crate::common::array::{Array, Dice, round};
use crate::common::native::NativeKernels;
use crate::common::{Kernels, Machine, args};

const HALVES: [DType; 2] = [DType::F16, DType::BF16];

/// The native engine without composites in one piece, whose sums have another order. It notes what
/// takes and gives halves as they are stored: products, sums at positions, and random numbers; and
/// running sums, which in float32 have a total in float64.
struct Expanding {
    engine: NativeKernels,
    is_stored: Cell<bool>,
}

impl Kernels for Expanding {
    fn run(&self, kernel: &Kernel, inputs: &[Term<Array>], outputs: &[Meta]) -> Result<Vec<Array>> {
        let is_stored = match kernel {
            Kernel::Matmul | Kernel::Random(_) | Kernel::Scan { .. } => true,
            Kernel::Scatter { add, .. } | Kernel::Put { add, .. } => *add,
            _ => false,
        };
        self.is_stored.set(self.is_stored.get() | is_stored);
        self.engine.run(kernel, inputs, outputs)
    }
}

#[test]
fn halves_are_computed_in_float32_and_rounded_once() {
    let kernels = Expanding { engine: NativeKernels::new(1), is_stored: Cell::new(false) };
    let mut findings = Findings::default();
    let mut compared = 0;
    for dtype in HALVES {
        let rounds = |case: Case| (0..8).map(move |round| over_the_range(&case, dtype, round));
        let cases = cases(&[dtype]).into_iter().flat_map(rounds).chain(sweeps(dtype));
        for case in cases.filter(|case| computes_in(case, dtype)) {
            compared += usize::from(compare(&mut findings, &kernels, &case, dtype));
        }
    }
    assert!(compared > 1000, "{compared} calls were compared");
    findings.report();
}

/// Every number of a dtype as the only input of every row that takes it.
fn sweeps(dtype: DType) -> impl Iterator<Item = Case> {
    let all = |bits: u16| match dtype {
        DType::F16 => f16::from_bits(bits).to_f64(),
        _ => bf16::from_bits(bits).to_f64(),
    };
    let numbers: Vec<f64> = (0..=u16::MAX).map(all).filter(|number| number.is_finite()).collect();
    cases(&[dtype]).into_iter().filter_map(move |case| {
        let [Term::Value(first)] = &case.inputs[..] else { return None };
        let meta = Meta::new(dtype, [numbers.len()]);
        let input = Array { meta: meta.clone(), data: numbers.clone() };
        let swept = Case { inputs: vec![Term::Value(input)], ..case.clone() };
        let is_elementwise = first.meta.dtype == dtype && infers(&swept, &[meta]);
        is_elementwise.then_some(swept)
    })
}

/// Whether a call gives tensors with these metas.
fn infers(case: &Case, metas: &[Meta]) -> bool {
    let args = args(&case.inputs);
    let call = Call::checked(case.op, &args, &case.attrs);
    call.and_then(|call| call.infer()).is_ok_and(|inferred| inferred.outputs[..] == *metas)
}

/// Whether a call computes in this dtype.
fn computes_in(case: &Case, dtype: DType) -> bool {
    let args = args(&case.inputs);
    let call = Call { op: case.op, inputs: &args, attrs: &case.attrs };
    let is_half = call.infer().is_ok_and(|inferred| inferred.compute == dtype);
    is_half && case.float_inputs().count() > 0
}

/// The case with numbers of any size.
fn over_the_range(case: &Case, dtype: DType, round: u64) -> Case {
    let mut dice = Dice(case.op.code as u64 * 100 + round);
    let mut case = case.clone();
    for input in &mut case.inputs {
        if let Term::Value(array) = input
            && array.meta.dtype == dtype
        {
            array.data.fill_with(|| any_of(dtype, &mut dice, round));
        }
    }
    case
}

/// A finite number; those of the first rounds have few digits, so that some of them are equal.
fn any_of(dtype: DType, dice: &mut Dice, round_number: u64) -> f64 {
    let (lowest, highest) = if dtype == DType::F16 { (-24, 16) } else { (-130, 128) };
    let power = lowest + dice.below((highest - lowest) as usize) as i32;
    let digits = if round_number < 2 { 1.0 } else { 1.0 + dice.roll() };
    let sign = if dice.below(2) == 0 { 1.0 } else { -1.0 };
    let found = round(sign * digits * 2f64.powi(power), dtype);
    if found.is_finite() { found } else { sign }
}

/// Compares results and gradients with those in float32. Says whether results were.
fn compare(findings: &mut Findings, kernels: &Expanding, case: &Case, dtype: DType) -> bool {
    let machine = Machine { kernels };
    kernels.is_stored.set(false);
    // What data makes fail is compared elsewhere.
    let Ok(found) = machine.run(case.op, &case.inputs, &case.attrs) else { return false };
    let wide_inputs: Vec<Term<Array>> = case.inputs.iter().map(|x| in_dtype(x, WIDE)).collect();
    let Ok(wide) = machine.run(case.op, &wide_inputs, &case.attrs) else { return false };
    let is_compared = !kernels.is_stored.replace(false);
    let results = found.iter().zip(&wide).enumerate().filter(|_| is_compared);
    for (index, (found, wide)) in results {
        same(findings, case, format!("result {index}"), found, wide);
    }
    if is_compared && dtype == DType::F16 && case.inputs.len() == 1 {
        let exact: Vec<Term<Array>> = case.inputs.iter().map(|x| in_dtype(x, DType::F64)).collect();
        let exact = machine.run(case.op, &exact, &case.attrs).expect("it runs in float32");
        for (found, exact) in found.iter().zip(&exact) {
            near(findings, case, found, exact);
        }
    }
    let mut dice = Dice(case.op.code as u64);
    let mut grad = |result: &Array| match result.meta.dtype.is_float() {
        true => {
            let mut grad = result.clone();
            grad.data.fill_with(|| round(dice.roll() * 4.0 - 2.0, dtype));
            Term::Value(grad)
        }
        false => Term::Zero,
    };
    let grads: Vec<Term<Array>> = found.iter().map(&mut grad).collect();
    let outputs: Vec<Term<Array>> = found.into_iter().map(Term::Value).collect();
    let terms = [&grads, &case.inputs, &outputs].map(|terms| terms.to_vec());
    let wide = terms
        .each_ref()
        .map(|terms| terms.iter().map(|term| in_dtype(term, WIDE)).collect::<Vec<_>>());
    let [found, wide] = [terms, wide].map(|terms| gradients(machine, case.op, &case.attrs, terms));
    let gradients = found.iter().zip(&wide).enumerate().filter(|_| !kernels.is_stored.get());
    for (index, (found, wide)) in gradients {
        if let (Term::Value(found), Term::Value(wide)) = (found, wide) {
            same(findings, case, format!("gradient {index}"), found, wide);
        }
    }
    is_compared
}

const WIDE: DType = DType::F32;

/// A term whose halves are numbers of a wider dtype.
fn in_dtype(term: &Term<Array>, dtype: DType) -> Term<Array> {
    match term {
        Term::Value(array) if HALVES.contains(&array.meta.dtype) => {
            let meta = Meta { dtype, ..array.meta.clone() };
            Term::Value(Array { meta, data: array.data.clone() })
        }
        other => other.clone(),
    }
}

/// What the formulas of a row's gradients come to.
fn gradients(
    machine: Machine,
    op: &'static Op,
    attrs: &Attrs,
    [grads, inputs, outputs]: [Vec<Term<Array>>; 3],
) -> Vec<Term<Array>> {
    let args = args(&inputs);
    let formulas = op.gradients(&Call { op, inputs: &args, attrs });
    let mut machine = machine;
    let subject = Subject { grads: &grads, inputs: &inputs, outputs: &outputs };
    let mut evaluator = Evaluator::new(&mut machine, subject);
    let evaluate = |formula| evaluator.evaluate(formula).unwrap_or(Term::Zero);
    formulas.iter().map(evaluate).collect()
}

/// Finds what is not the number in float32, rounded once.
fn same(findings: &mut Findings, case: &Case, what: String, found: &Array, wide: &Array) {
    let dtype = found.meta.dtype;
    for (at, (&found, &wide)) in found.data.iter().zip(&wide.data).enumerate() {
        let rounded = nearest(wide, dtype);
        if found != rounded && !(found.is_nan() && rounded.is_nan()) {
            let of = described_at(case, at);
            findings.add(case, format!("{dtype} {what} at {at} is {found}, not {rounded}{of}"));
            return;
        }
    }
}

/// A number in float32 as this dtype has it. The conversion from float64 looks at too few digits to
/// see a tie.
fn nearest(wide: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F16 => f16::from_f32(wide as f32).to_f64(),
        DType::BF16 => bf16::from_f32(wide as f32).to_f64(),
        _ => wide,
    }
}

/// Finds what is further from the number in float64 than a last bit.
fn near(findings: &mut Findings, case: &Case, found: &Array, exact: &Array) {
    let found_dtype = found.meta.dtype;
    if found_dtype != DType::F16 || found.meta.shape.count() < 1 << 14 {
        return;
    }
    for (at, (&found, &exact)) in found.data.iter().zip(&exact.data).enumerate() {
        let exact = round(exact, found_dtype);
        // Differences of numbers near one have the digits of float32.
        let is_close = (found - exact).abs() <= exact.abs() * 0.001 + 5e-7;
        if found != exact && !is_close && !(found.is_nan() && exact.is_nan()) {
            let of = described_at(case, at);
            findings.add(case, format!("result at {at} is {found}, not {exact}{of}"));
            return;
        }
    }
}

fn described_at(case: &Case, at: usize) -> String {
    match &case.inputs[0] {
        Term::Value(array) if at < array.data.len() => format!(" (of {})", array.data[at]),
        _ => String::new(),
    }
}
