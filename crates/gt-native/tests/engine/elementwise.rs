//! Functions of each element.

use gt_core::dtype::{DType, Scalar};
use gt_core::error::Error;
use gt_core::kernel::{BinaryFn, Kernel, UnaryFn};
use gt_core::shape::Meta;
use gt_worker::engine::{Engine, Operand};
use proptest::prelude::*;
use smallvec::smallvec;

use crate::reference::*;

unsafe extern "C" {
    fn erf(x: f64) -> f64;
}

fn unary(function: UnaryFn, dtype: DType, x: Cell) -> Cell {
    use UnaryFn::*;
    let truth = |x: bool| Cell::Int(i64::from(x));
    if function.is_predicate() {
        let x = x.float();
        return truth(match function {
            IsNan => x.is_nan(),
            IsInf => x.is_infinite(),
            _ => x.is_finite(),
        });
    }
    match x {
        Cell::Int(x) => Cell::Int(match function {
            Neg => x.wrapping_neg(),
            Abs => x.wrapping_abs(),
            Relu => x.max(0),
            Sign => x.signum(),
            Square => x.wrapping_mul(x),
            Not if dtype == DType::Bool => 1 - x,
            Not => !x,
            Floor | Ceil | Round | Trunc => x,
            other => unreachable!("{other:?}"),
        }),
        Cell::Float(x) => Cell::Float(match function {
            Neg => -x,
            Abs => x.abs(),
            Relu => {
                if x < 0.0 {
                    0.0
                } else {
                    x
                }
            }
            Exp => x.exp(),
            Log => x.ln(),
            Sqrt => x.sqrt(),
            Tanh => x.tanh(),
            Sigmoid => 1.0 / (1.0 + (-x).exp()),
            Sign if x > 0.0 => 1.0,
            Sign => {
                if x < 0.0 {
                    -1.0
                } else {
                    0.0
                }
            }
            Floor => x.floor(),
            Ceil => x.ceil(),
            Round => x.round_ties_even(),
            Trunc => x.trunc(),
            Reciprocal => 1.0 / x,
            Rsqrt => 1.0 / x.sqrt(),
            Square => x * x,
            Expm1 => x.exp_m1(),
            Log1p => x.ln_1p(),
            Log2 => x.log2(),
            Sin => x.sin(),
            Cos => x.cos(),
            Tan => x.tan(),
            Atan => x.atan(),
            // SAFETY: it is a function of the C library that Rust's own links.
            Erf => unsafe { erf(x) },
            // SAFETY: as above.
            Gelu => x * 0.5 * (1.0 + unsafe { erf(x * std::f64::consts::FRAC_1_SQRT_2) }),
            other => unreachable!("{other:?}"),
        }),
    }
}

fn integer_power(dtype: DType, base: i64, exponent: i64) -> i64 {
    let store = |x: i64| store(dtype, Cell::Int(x)).int();
    (0..exponent).fold(1, |product, _| store(product.wrapping_mul(base)))
}

fn binary(function: BinaryFn, dtype: DType, a: Cell, b: Cell) -> Cell {
    use BinaryFn::*;
    let truth = |x: bool| Cell::Int(i64::from(x));
    let bits = 8 * dtype.size() as i64;
    if dtype == DType::Bool && matches!(function, Add | Mul) {
        let (a, b) = (a.int() != 0, b.int() != 0);
        return truth(if function == Add { a || b } else { a && b });
    }
    match (a, b) {
        (Cell::Int(a), Cell::Int(b)) => match function {
            Add => Cell::Int(a.wrapping_add(b)),
            Sub => Cell::Int(a.wrapping_sub(b)),
            Mul => Cell::Int(a.wrapping_mul(b)),
            Pow => Cell::Int(integer_power(dtype, a, b)),
            Max => Cell::Int(a.max(b)),
            Min => Cell::Int(a.min(b)),
            Eq => truth(a == b),
            Ne => truth(a != b),
            Lt => truth(a < b),
            Le => truth(a <= b),
            Gt => truth(a > b),
            Ge => truth(a >= b),
            FloorDiv if a % b != 0 && (a < 0) != (b < 0) => Cell::Int(a.wrapping_div(b) - 1),
            FloorDiv | TruncDiv => Cell::Int(a.wrapping_div(b)),
            Remainder if a % b != 0 && (a < 0) != (b < 0) => Cell::Int(a % b + b),
            Remainder | Fmod => Cell::Int(a.wrapping_rem(b)),
            And => Cell::Int(a & b),
            Or => Cell::Int(a | b),
            Xor => Cell::Int(a ^ b),
            Shl if !(0..bits).contains(&b) => Cell::Int(0),
            Shl => Cell::Int(a << b),
            Shr if !(0..bits).contains(&b) => Cell::Int(a >> 63),
            Shr => Cell::Int(a >> b),
            Div => unreachable!(),
        },
        _ => {
            let (a, b) = (a.float(), b.float());
            let nan = a.is_nan() || b.is_nan();
            match function {
                Add => Cell::Float(a + b),
                Sub => Cell::Float(a - b),
                Mul => Cell::Float(a * b),
                Div => Cell::Float(a / b),
                Pow => Cell::Float(a.powf(b)),
                Max => Cell::Float(if nan { f64::NAN } else { a.max(b) }),
                Min => Cell::Float(if nan { f64::NAN } else { a.min(b) }),
                Eq => truth(a == b),
                Ne => truth(a != b),
                Lt => truth(a < b),
                Le => truth(a <= b),
                Gt => truth(a > b),
                Ge => truth(a >= b),
                // The operands are exact in f64, and so is the rest.
                FloorDiv if b == 0.0 => Cell::Float(a / b),
                FloorDiv => Cell::Float(floor_quotient(dtype, a, b)),
                TruncDiv if dtype == DType::F64 => Cell::Float((a / b).trunc()),
                TruncDiv => Cell::Float(f64::from((a / b) as f32).trunc()),
                Remainder if a % b != 0.0 && (a % b < 0.0) != (b < 0.0) => Cell::Float(a % b + b),
                Remainder | Fmod => Cell::Float(a % b),
                And | Or | Xor | Shl | Shr => unreachable!(),
            }
        }
    }
}

/// The quotient rounded down, from what the division leaves.
fn floor_quotient(dtype: DType, a: f64, b: f64) -> f64 {
    let rest = a % b;
    let whole = ((a - rest) / b).round();
    let whole = if rest != 0.0 && (rest < 0.0) != (b < 0.0) { whole - 1.0 } else { whole };
    let zero = 0f64.copysign(a / b);
    store(dtype, Cell::Float(if whole == 0.0 { zero } else { whole })).float()
}

/// Whether a dtype has a function, and how exact the result is.
fn unary_tolerance(function: UnaryFn, dtype: DType) -> Option<f64> {
    use UnaryFn::*;
    let exact = matches!(function, Neg | Abs | Relu | Sign | Floor | Ceil | Round | Trunc | Square);
    match dtype {
        _ if function.is_predicate() => Some(0.0),
        DType::Bool => matches!(function, Abs | Relu | Sign | Not).then_some(0.0),
        _ if dtype.is_int() => (exact || function == Not).then_some(0.0),
        _ if exact || matches!(function, Sqrt | Reciprocal) => Some(0.0),
        _ => (function != Not).then_some(4.0 * epsilon(dtype)),
    }
}

fn has_binary(function: BinaryFn, dtype: DType) -> bool {
    use BinaryFn::*;
    let divides = matches!(function, FloorDiv | TruncDiv | Remainder | Fmod);
    match dtype {
        DType::Bool => !matches!(function, Sub | Div | Pow | Shl | Shr) && !divides,
        _ if dtype.is_float() => !matches!(function, And | Or | Xor | Shl | Shr),
        _ => function != Div,
    }
}

fn check_map(seed: u64, threads: usize) {
    let (dice, native) = (&mut Dice(seed), native(threads));
    for &function in UnaryFn::ALL {
        for dtype in DType::SUPPORTED {
            let Some(tolerance) = unary_tolerance(function, dtype) else { continue };
            let shape = dice.shape(4, 7);
            let x = dice.plain(dtype, &shape);
            let out = if function.is_predicate() { DType::Bool } else { dtype };
            let expected = Plain::new(out, &shape, |index| unary(function, dtype, x.cells[index]));
            let value = dice.view(&native, &x);
            let kept = (dice.below(2) == 0).then(|| value.clone());
            let found =
                run(&native, &Kernel::Map(function), tensors([value]), expected.meta.clone());
            // What lies in the tail of the normal distribution is right to a share of one.
            match (function, dtype) {
                (UnaryFn::Gelu, _) => assert_near(&found, &expected, tolerance),
                _ => assert_close(&found, &expected, tolerance),
            }
            if let Some(kept) = kept {
                assert_same(&kept, &x);
            }
        }
    }
}

fn operand(
    dice: &mut Dice,
    function: BinaryFn,
    dtype: DType,
    shape: &[usize],
    second: bool,
) -> Plain {
    use BinaryFn::*;
    Plain::new(dtype, shape, |_| match function {
        // Exponents of integers are small and not negative.
        Pow if second && dtype.is_int() => Cell::Int(dice.below(6) as i64),
        Shl | Shr if second => Cell::Int(dice.below(80) as i64 - 8),
        FloorDiv | TruncDiv | Remainder | Fmod if second && dtype.is_int() => {
            Cell::Int(dice.pick(&[-100, -7, -1, 1, 2, 3, 10, 127]))
        }
        _ => dice.cell(dtype),
    })
}

fn check_zip(seed: u64) {
    let (dice, native) = (&mut Dice(seed), native(1));
    for &function in BinaryFn::ALL {
        for dtype in DType::SUPPORTED.into_iter().filter(|&dtype| has_binary(function, dtype)) {
            let shape = dice.shape(4, 6);
            let (mut left, mut right) = (shape.clone(), shape.clone());
            match dice.below(3) {
                0 => left = dice.narrower(&shape),
                1 => right = dice.narrower(&shape),
                _ => {}
            }
            let a = operand(dice, function, dtype, &left, false);
            let b = operand(dice, function, dtype, &right, true);
            let out = if function.is_comparison() { DType::Bool } else { dtype };
            let indices = indices(&shape);
            let expected = Plain::new(out, &shape, |index| {
                let index = &indices[index];
                binary(function, dtype, a.at(index), b.at(index))
            });
            let inputs = tensors([dice.view(&native, &a), dice.view(&native, &b)]);
            let kept = (dice.below(2) == 0).then(|| inputs.clone());
            let found = run(&native, &Kernel::Zip(function), inputs, expected.meta.clone());
            let power = function == BinaryFn::Pow;
            assert_close(&found, &expected, if power { 8.0 * epsilon(dtype) } else { 0.0 });
            if let Some([Operand::Tensor(first), Operand::Tensor(second)]) = kept.as_deref() {
                assert_same(first, &a);
                assert_same(second, &b);
            }
        }
    }
}

fn check_scalar(seed: u64) {
    let (dice, native) = (&mut Dice(seed), native(1));
    for &function in BinaryFn::ALL {
        for dtype in DType::SUPPORTED.into_iter().filter(|&dtype| has_binary(function, dtype)) {
            let shape = dice.shape(3, 6);
            let right = dice.below(2) == 0;
            let scalar = match dtype {
                DType::Bool => Scalar::Bool(dice.below(2) == 0),
                _ if dtype.is_int() => Scalar::Int(1 + dice.below(5) as i64),
                // Exact in every dtype, so that it does not matter when it is rounded.
                _ => Scalar::Float(dice.pick(&[0.5, 2.0, 3.0, -1.0, 1.5, 0.0, -0.25])),
            };
            let x = operand(dice, function, dtype, &shape, !right);
            let out = if function.is_comparison() { DType::Bool } else { dtype };
            let number = scalar_cell(scalar);
            let expected = Plain::new(out, &shape, |index| match right {
                true => binary(function, dtype, x.cells[index], number),
                false => binary(function, dtype, number, x.cells[index]),
            });
            let value = Operand::Tensor(dice.view(&native, &x));
            let inputs = match right {
                true => smallvec![value, Operand::Scalar(scalar)],
                false => smallvec![Operand::Scalar(scalar), value],
            };
            let found = run(&native, &Kernel::Zip(function), inputs, expected.meta.clone());
            // The square root of minus infinity is no number, but its power of a half is infinite.
            let odd = function == BinaryFn::Pow && scalar == Scalar::Float(0.5);
            let tolerance = if function == BinaryFn::Pow { 8.0 * epsilon(dtype) } else { 0.0 };
            if !odd {
                assert_close(&found, &expected, tolerance);
            }
        }
    }
}

fn check_where(seed: u64) {
    let (dice, native) = (&mut Dice(seed), native(1));
    for dtype in DType::SUPPORTED {
        let shape = dice.shape(4, 6);
        let shapes: Vec<Vec<usize>> = (0..3).map(|_| dice.narrower(&shape)).collect();
        let whole = dice.below(3);
        let of = |operand: usize| if operand == whole { &shape } else { &shapes[operand] };
        let mask = dice.plain(DType::Bool, of(0));
        let (a, b) = (dice.plain(dtype, of(1)), dice.plain(dtype, of(2)));
        let scalar = dice.pick(&[Scalar::Int(1), Scalar::Bool(false), Scalar::Float(0.5)]);
        let use_scalar = dice.below(2) == 0;
        let indices = indices(&shape);
        let expected = Plain::new(dtype, &shape, |index| {
            let index = &indices[index];
            let other = if use_scalar { scalar_cell(scalar) } else { b.at(index) };
            if mask.at(index).int() != 0 { a.at(index) } else { other }
        });
        let mut inputs = tensors([dice.view(&native, &mask), dice.view(&native, &a)]);
        inputs.push(match use_scalar {
            true => Operand::Scalar(scalar),
            false => Operand::Tensor(dice.view(&native, &b)),
        });
        if use_scalar && whole == 2 {
            continue;
        }
        let found = run(&native, &Kernel::Where, inputs, expected.meta.clone());
        assert_same(&found, &expected);
    }
}

fn check_cast(seed: u64) {
    let (dice, native) = (&mut Dice(seed), native(1));
    for from in DType::SUPPORTED {
        for to in DType::SUPPORTED {
            let shape = dice.shape(3, 7);
            // Numbers that fit no integer have no meaning there.
            let tame = from.is_float() && !to.is_float() && to != DType::Bool;
            let x = Plain::new(from, &shape, |_| match tame {
                true => Cell::Float(dice.below(1000) as f64 / 9.0),
                false => dice.cell(from),
            });
            let expected = Plain::new(to, &shape, |index| x.cells[index]);
            let inputs = tensors([dice.view(&native, &x)]);
            let found = run(&native, &Kernel::Cast, inputs, expected.meta.clone());
            assert_same(&found, &expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn functions_of_one_element(seed: u64) {
        check_map(seed, 1);
    }

    #[test]
    fn functions_of_two_elements_broadcast(seed: u64) {
        check_zip(seed);
    }

    #[test]
    fn functions_of_an_element_and_a_number(seed: u64) {
        check_scalar(seed);
    }

    #[test]
    fn choices_broadcast(seed: u64) {
        check_where(seed);
    }

    #[test]
    fn every_dtype_turns_into_every_other(seed: u64) {
        check_cast(seed);
    }
}

#[test]
fn large_tensors_are_shared_by_threads_with_the_same_bits() {
    let dice = &mut Dice(11);
    let (one, two) = (native(1), native(2));
    let shape = [300, 1031];
    for dtype in [DType::F32, DType::F64, DType::BF16, DType::I32] {
        let (a, b) = (dice.plain(dtype, &shape), dice.plain(dtype, &[1, 1031]));
        let out = Meta::new(dtype, shape);
        let all = |native: &gt_native::Native, turned: bool| {
            let make = |plain: &Plain| plain.value(native);
            let first = if turned {
                let turned = Plain::new(dtype, &[1031, 300], |index| {
                    a.cells[index % 300 * 1031 + index / 300]
                });
                let value = turned.value(native);
                value.view(shape.into(), smallvec![1, 300], 0)
            } else {
                make(&a)
            };
            let sum =
                run(native, &Kernel::Zip(BinaryFn::Add), tensors([first, make(&b)]), out.clone());
            let in_place =
                run(native, &Kernel::Zip(BinaryFn::Mul), tensors([sum, make(&b)]), out.clone());
            run(native, &Kernel::Map(UnaryFn::Relu), tensors([in_place]), out.clone()).to_bytes()
        };
        let expected = all(&one, false);
        assert_eq!(expected, all(&two, false));
        assert_eq!(expected, all(&one, true));
        assert_eq!(expected, all(&two, true));
    }
}

#[test]
fn what_nobody_else_holds_is_overwritten() {
    let native = native(1);
    let meta = Meta::new(DType::F32, [5, 5]);
    let make = || Plain::new(DType::F32, &[5, 5], |index| Cell::Int(index as i64)).value(&native);
    let (a, b) = (make(), make());
    let (place, kept) = (a.as_ptr(), b.clone());
    let sum = run(&native, &Kernel::Zip(BinaryFn::Add), tensors([a, b.clone()]), meta.clone());
    assert_eq!(sum.as_ptr(), place);
    let sum = run(&native, &Kernel::Zip(BinaryFn::Add), tensors([b, kept]), meta);
    assert_ne!(sum.as_ptr(), place);
    assert_eq!(Plain::of_value(&sum).cells[24], Cell::Float(48.0));
}

#[test]
fn numbers_alone_are_computed_too() {
    let native = native(1);
    let two = |a: Scalar, b: Scalar| smallvec![Operand::Scalar(a), Operand::Scalar(b)];
    let out = Meta::new(DType::F32, []);
    let sum = run(&native, &Kernel::Zip(BinaryFn::Add), two(1.into(), 0.5.into()), out);
    assert_eq!(Plain::of_value(&sum).cells, [Cell::Float(1.5)]);
    let out = Meta::new(DType::Bool, []);
    let less = run(&native, &Kernel::Zip(BinaryFn::Lt), two(1.into(), 1.5.into()), out);
    assert_eq!(Plain::of_value(&less).cells, [Cell::Int(1)]);
}

#[test]
fn whole_numbers_are_not_divided_by_zero() {
    let native = native(1);
    let zero = Error::runtime("integer division by zero");
    let divisions = [BinaryFn::FloorDiv, BinaryFn::TruncDiv, BinaryFn::Remainder, BinaryFn::Fmod];
    for dtype in DType::SUPPORTED.into_iter().filter(|dtype| dtype.is_int()) {
        let a = Plain::new(dtype, &[3, 2], |at| Cell::Int(at as i64));
        let b = Plain::new(dtype, &[2], |at| Cell::Int(1 - at as i64));
        for function in divisions {
            let kernel = Kernel::Zip(function);
            let out = [a.meta.clone()];
            let value = a.value(&native);
            let inputs = tensors([value.clone(), b.value(&native)]);
            assert_eq!(native.run(&kernel, inputs, &out).unwrap_err(), zero);
            let inputs = smallvec![Operand::Tensor(value.clone()), Operand::Scalar(0.into())];
            assert_eq!(native.run(&kernel, inputs, &out).unwrap_err(), zero);
            let inputs = smallvec![Operand::Scalar(1.into()), Operand::Tensor(a.value(&native))];
            assert_eq!(native.run(&kernel, inputs, &out).unwrap_err(), zero);
            assert_same(&value, &a);
            // Nothing is divided.
            let empty = Plain::new(dtype, &[0, 2], |_| Cell::Int(0));
            let inputs = tensors([empty.value(&native), b.value(&native)]);
            assert_same(&run(&native, &kernel, inputs, empty.meta.clone()), &empty);
        }
        let lowest = Plain::new(dtype, &[1], |_| Cell::Int(i64::MIN >> (64 - 8 * dtype.size())));
        let inputs =
            smallvec![Operand::Tensor(lowest.value(&native)), Operand::Scalar((-1).into())];
        run(&native, &Kernel::Zip(BinaryFn::FloorDiv), inputs, lowest.meta.clone());
    }
}

#[test]
fn angles_of_any_size_also_in_long_runs() {
    let functions = [UnaryFn::Sin, UnaryFn::Cos, UnaryFn::Tan];
    for (function, dtype) in functions
        .into_iter()
        .flat_map(|f| [DType::F16, DType::BF16, DType::F32, DType::F64].map(|dtype| (f, dtype)))
    {
        let native = native(2);
        let x = Plain::new(dtype, &[100_003], |at| match at % 1000 {
            7 => Cell::Float(at as f64 * 1e7),
            8 => Cell::Float(f64::INFINITY),
            _ => Cell::Float(at as f64 * 0.37 - 2e4),
        });
        let expected = Plain::new(dtype, &[100_003], |at| unary(function, dtype, x.cells[at]));
        let found =
            run(&native, &Kernel::Map(function), tensors([x.value(&native)]), x.meta.clone());
        assert_close(&found, &expected, 4.0 * epsilon(dtype));
    }
}

#[test]
fn predicates_of_a_number_of_the_program() {
    let native = native(1);
    let inputs = smallvec![Operand::Scalar(f64::NAN.into())];
    let out = Meta::new(DType::Bool, []);
    let found = run(&native, &Kernel::Map(UnaryFn::IsNan), inputs, out);
    assert_eq!(Plain::of_value(&found).cells, [Cell::Int(1)]);
}
