//! Functions of single precision over the whole range: how near they are to what double precision
//! gives, and that every set of instructions gives the same bits.

use std::process::Command;

use gt_core::dtype::DType;
use gt_core::kernel::{BinaryFn, Kernel, UnaryFn};
use gt_core::shape::Meta;
use gt_native::cpu::Cpu;
use gt_worker::value::Value;

use crate::reference::*;

unsafe extern "C" {
    fn erf(x: f64) -> f64;
    fn erfc(x: f64) -> f64;
}

/// Has a process print its bits instead of comparing those of others.
const PRINTS: &str = "GT_TEST_PRINTS_BITS";

/// A function in double precision.
type Exact = fn(f64) -> f64;

/// The functions, and what they are in double precision.
const FUNCTIONS: [(UnaryFn, Exact); 8] = [
    (UnaryFn::Exp, f64::exp),
    (UnaryFn::Log, f64::ln),
    (UnaryFn::Tanh, f64::tanh),
    // An exponential that overflows leaves the right zero.
    (UnaryFn::Sigmoid, |x| 1.0 / (1.0 + (-x).exp())),
    // SAFETY: these are functions of the C library that Rust's own links.
    (UnaryFn::Erf, |x| unsafe { erf(x) }),
    // SAFETY: as above.
    (UnaryFn::Gelu, |x| x * (0.5 * unsafe { erfc(-x * std::f64::consts::FRAC_1_SQRT_2) })),
    (UnaryFn::Sin, f64::sin),
    (UnaryFn::Cos, f64::cos),
];

/// Numbers of every size and sign, what is infinite or none, and many close to zero.
fn numbers() -> Vec<f32> {
    let all = (0..=u32::MAX).step_by(8191).map(f32::from_bits);
    let near = (-100_000..100_000).map(|step| step as f32 * 3e-4);
    let special = [0.0, f32::MIN_POSITIVE, 1e-40, f32::MAX, f32::INFINITY, f32::NAN];
    all.chain(near).chain(special.into_iter().flat_map(|x| [x, -x])).collect()
}

/// The numbers as they are, and in an order in which most meet another size.
fn pairs() -> [Vec<f32>; 2] {
    let bases = numbers();
    let exponents = (0..bases.len()).map(|at| match at % 3 {
        0 => bases[at * 7919 % bases.len()],
        1 => (at % 4001) as f32 * 0.01 - 20.0,
        _ => (at % 33) as f32 - 16.0,
    });
    let exponents = exponents.collect();
    [bases, exponents]
}

fn results(kernel: &Kernel, operands: &[&[f32]]) -> Vec<f32> {
    let native = native(2);
    let value = |numbers: &&[f32]| -> Value {
        let cells = numbers.iter().map(|&x| Cell::Float(f64::from(x))).collect();
        Plain { meta: Meta::new(DType::F32, [numbers.len()]), cells }.value(&native)
    };
    let out = Meta::new(DType::F32, [operands[0].len()]);
    let made = run(&native, kernel, tensors(operands.iter().map(value)), out);
    made.slice::<f32>().unwrap().to_vec()
}

/// Whether a result is within two units in the last place, or a millionth, of the exact one.
fn is_near(found: f32, exact: f64) -> bool {
    let rounded = exact as f32;
    if found.is_nan() || rounded.is_nan() {
        return found.is_nan() && rounded.is_nan();
    }
    if found == rounded {
        return found != 0.0
            || exact != 0.0
            || found.is_sign_negative() == exact.is_sign_negative();
    }
    let unit = f64::from(f32::from_bits(rounded.abs().max(f32::MIN_POSITIVE).to_bits() + 1))
        - f64::from(rounded.abs().max(f32::MIN_POSITIVE));
    let error = (f64::from(found) - exact).abs();
    error <= 2.0 * unit || error <= 1e-6 * exact.abs()
}

#[test]
fn functions_are_right_over_the_whole_range() {
    let numbers = numbers();
    for (function, exact) in FUNCTIONS {
        let found = results(&Kernel::Map(function), &[&numbers]);
        for (&x, found) in numbers.iter().zip(found) {
            let exact = exact(f64::from(x));
            assert!(is_near(found, exact), "{function:?} of {x:e}: {found:e}, not {exact:e}");
        }
    }
}

#[test]
fn powers_are_right_over_the_whole_range() {
    let [bases, exponents] = pairs();
    let found = results(&Kernel::Zip(BinaryFn::Pow), &[&bases, &exponents]);
    for ((&x, &y), found) in bases.iter().zip(&exponents).zip(found) {
        let exact = f64::from(x).powf(f64::from(y));
        assert!(is_near(found, exact), "{x:e} to the power of {y:e}: {found:e}, not {exact:e}");
    }
}

/// A number for the bits of each function's results.
fn prints() -> String {
    let (numbers, [bases, exponents]) = (numbers(), pairs());
    let print = |results: Vec<f32>| {
        results.into_iter().fold(0xcbf2_9ce4_8422_2325u64, |print, x| {
            // Which of all NaN a result is means nothing.
            let bits = if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
            (print ^ u64::from(bits)).wrapping_mul(0x100_0000_01b3)
        })
    };
    let of = |(function, _): (UnaryFn, _)| {
        format!("{function:?} {:x}", print(results(&Kernel::Map(function), &[&numbers])))
    };
    let pow = print(results(&Kernel::Zip(BinaryFn::Pow), &[&bases, &exponents]));
    format!("bits: {}, Pow {pow:x}", FUNCTIONS.map(of).join(", "))
}

/// Instructions are chosen for a whole process, so that each set of them has one of its own.
#[test]
fn functions_have_the_same_bits_with_every_set_of_instructions() {
    if std::env::var_os(PRINTS).is_some() {
        return println!("{}", prints());
    }
    if std::env::var_os("GT_CPU").is_some() {
        return;
    }
    let own = std::env::current_exe().expect("this process runs a file");
    let name = "accuracy::functions_have_the_same_bits_with_every_set_of_instructions";
    let expected = prints();
    for cpu in Cpu::ALL.into_iter().filter(|cpu| *cpu < Cpu::best()) {
        let mut child = Command::new(&own);
        child.env("GT_CPU", cpu.to_string()).env(PRINTS, "1");
        let done = child.args(["--exact", name, "--nocapture"]).output();
        let said =
            String::from_utf8_lossy(&done.expect("the file can be run again").stdout).into_owned();
        let found = said.lines().find_map(|line| line.find("bits: ").map(|at| &line[at..]));
        assert_eq!(found, Some(&*expected), "with {cpu}: {said}");
    }
}
