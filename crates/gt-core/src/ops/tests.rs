//! Invariants of every row.

use super::*;
use crate::attrs::Attrs;
use crate::dtype::DType;
use crate::expr::{Expr, Term};
use crate::op::{Arg, Call, Output, Sample, View};
use crate::rules::shard::Part;
use crate::shape::Meta;

#[test]
fn codes_and_names_are_used_once() {
    for &op in ALL {
        assert!(by_code(op.code).is_some_and(|found| std::ptr::eq(found, op)), "{}", op.name);
        assert!(by_name(op.name).is_some_and(|found| std::ptr::eq(found, op)), "{}", op.name);
    }
}

#[test]
fn other_names_are_used_once() {
    let mut seen = std::collections::HashSet::new();
    let names = ALL.iter().flat_map(|op| op.names());
    names.for_each(|name| assert!(seen.insert(name), "{name} is the name of two rows"));
}

#[test]
fn names_of_numpy_are_used_once() {
    // A row based on another one inherits its NumPy name unless it gives its own.
    let mut seen: std::collections::HashSet<_> = ALL.iter().flat_map(|op| op.names()).collect();
    let names = ALL.iter().filter_map(|op| op.numpy);
    names.for_each(|name| assert!(seen.insert(name), "{name} is the name of two rows"));
}

#[test]
fn every_row_is_complete() {
    for op in ALL {
        let outputs: &[Output] = op.outputs;
        assert!(!op.doc.is_empty() && op.doc.ends_with('.'), "{}: doc", op.name);
        assert!((1..=4).contains(&outputs.len()), "{}: outputs", op.name);
        assert!(!(op.samples)().is_empty(), "{}: samples", op.name);
    }
}

#[test]
fn rules_read_what_their_row_declares() {
    for &op in ALL {
        let samples = (op.samples)();
        let tried = samples.iter().flat_map(|sample| {
            [DType::F32, DType::I64, DType::Bool].map(|dtype| run_rules(op, sample, dtype))
        });
        assert!(tried.filter(|&taken| taken).count() > 0, "{}: no sample is taken", op.name);
    }
}

/// Evaluates all rules of a row, which panic if they read an attribute that the row does not have.
/// Returns whether the row takes the sample in this dtype.
fn run_rules(op: &'static Op, sample: &Sample, dtype: DType) -> bool {
    let terms: Vec<Term<Meta>> = sample.terms(op, dtype);
    let arg = |term| match term {
        &Term::Scalar(scalar) => Arg::Scalar(scalar),
        Term::Value(meta) => Arg::Tensor(meta),
        Term::Zero => unreachable!("samples are tensors and numbers"),
    };
    let args: Vec<Arg> = terms.iter().map(arg).collect();
    let call = Call::checked(op, &args, &sample.attrs).expect("samples have the row's attributes");
    if call.infer().is_err() {
        return false;
    }
    let factors = (op.shard)(&call);
    for letter in factors.letters() {
        let part = Part { letter, start: 0, len: factors.size(letter) };
        let whole = (op.localise)(&call, &[part]);
        Call::checked(op, &args, &whole).expect("the whole is a part of itself");
    }
    (op.kernel)(&call).expect("what was inferred has a kernel");
    let mut formulas = op.gradients(&call);
    formulas.extend(op.expansion.iter().flat_map(|expansion| expansion(&call)));
    if let View::Writable(write) | View::IfPossible(write) | View::IfContiguous(write) = op.view {
        formulas.push(write(&call));
    }
    formulas.iter().for_each(|formula| check_formula(op, formula));
    true
}

/// Every operation in a formula has attributes of the kinds that its row declares.
fn check_formula(op: &Op, formula: &Expr) {
    formula.visit(&mut |part| {
        let Expr::Apply(applied, _) = part else { return };
        let Attrs(values) = &applied.attrs;
        let (name, specs) = (applied.op.name, applied.op.attrs);
        assert_eq!(values.len(), specs.len(), "{}: attributes of {name}", op.name);
        for (spec, value) in specs.iter().zip(values) {
            let checked = spec.check(value);
            assert!(checked.is_ok(), "{}: {name} in its formulas: {checked:?}", op.name);
        }
    });
}
