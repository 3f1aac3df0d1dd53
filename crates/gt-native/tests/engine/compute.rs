//! Reductions and matrix products.

use gt_core::dtype::DType;
use gt_core::kernel::{Axes, Kernel, ReduceFn};
use gt_core::shape::{Meta, Shape};
use gt_native::Native;
use gt_worker::value::Value;
use proptest::prelude::*;

use crate::reference::*;

fn combine(with: ReduceFn, dtype: DType, cells: &[Cell]) -> Cell {
    let floats = cells.iter().map(|cell| cell.float());
    let any_nan = floats.clone().any(f64::is_nan);
    match with {
        ReduceFn::Sum if dtype == DType::Bool => {
            cells.iter().fold(Cell::Int(0), |a, b| Cell::Int(a.int() | b.int()))
        }
        ReduceFn::Sum if dtype.is_int() => {
            Cell::Int(cells.iter().fold(0, |sum, cell| sum.wrapping_add(cell.int())))
        }
        ReduceFn::Sum => Cell::Float(exact_sum(floats)),
        ReduceFn::Mean => Cell::Float(exact_sum(floats) / cells.len() as f64),
        ReduceFn::Prod if !dtype.is_float() => {
            let product = cells.iter().fold(1i64, |sum, cell| sum.wrapping_mul(cell.int()));
            Cell::Int(product)
        }
        ReduceFn::Prod => Cell::Float(floats.product()),
        ReduceFn::Any => Cell::Int(i64::from(cells.iter().any(|cell| cell.int() != 0))),
        ReduceFn::All => Cell::Int(i64::from(cells.iter().all(|cell| cell.int() != 0))),
        _ if any_nan => Cell::Float(f64::NAN),
        ReduceFn::Max if dtype.is_float() => Cell::Float(floats.fold(f64::NEG_INFINITY, f64::max)),
        ReduceFn::Min if dtype.is_float() => Cell::Float(floats.fold(f64::INFINITY, f64::min)),
        ReduceFn::Max => Cell::Int(cells.iter().map(|cell| cell.int()).max().unwrap()),
        ReduceFn::Min => Cell::Int(cells.iter().map(|cell| cell.int()).min().unwrap()),
    }
}

/// A sum that also adds up what its roundings lost.
fn exact_sum(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, lost) = numbers.fold((0.0f64, 0.0), |(sum, lost), x| {
        let next = sum + x;
        let error = if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
        (next, lost + error)
    });
    sum + lost
}

fn reduced(with: ReduceFn, x: &Plain, axes: &[usize], keep: bool) -> Plain {
    let dtype = x.meta.dtype;
    let kept = x.meta.shape.reduced(axes, true);
    let mut groups: Vec<Vec<Cell>> = vec![Vec::new(); kept.count()];
    for (index, &cell) in indices(&x.meta.shape).iter().zip(&x.cells) {
        let position = index
            .iter()
            .zip(kept.iter())
            .fold(0, |at, (&index, &size)| at * size + if size == 1 { 0 } else { index });
        groups[position].push(cell);
    }
    let shape = x.meta.shape.reduced(axes, keep);
    Plain::new(dtype, &shape, |at| combine(with, dtype, &groups[at]))
}

fn check_reduce(dice: &mut Dice, native: &Native, shape: &[usize]) {
    use ReduceFn::*;
    for with in [Sum, Mean, Max, Min, Prod, Any, All] {
        for dtype in DType::SUPPORTED {
            let logical = matches!(with, Any | All);
            if (with == Mean && !dtype.is_float()) || (logical && dtype != DType::Bool) {
                continue;
            }
            let axes: Axes = (0..shape.len()).filter(|_| dice.below(2) == 0).collect();
            let empty = axes.iter().any(|&axis| shape[axis] == 0);
            if empty && matches!(with, Max | Min) {
                continue;
            }
            let extremes = matches!(with, Max | Min);
            let x = Plain::new(dtype, shape, |_| {
                match with {
                    _ if extremes => dice.cell(dtype),
                    // Close to one, or a long product is zero.
                    Prod if dtype.is_float() => Cell::Float(dice.pick(&[0.5, 1.0, 1.0, 2.0, -1.0])),
                    // Mostly true, so that not everything is true of some and nothing of all.
                    All => Cell::Int(i64::from(dice.below(20) > 0)),
                    _ => dice.tame(dtype),
                }
            });
            let expected = reduced(with, &x, &axes, dice.below(2) == 0);
            let kernel = Kernel::Reduce { with, axes };
            let view = dice.view(native, &x);
            let found = run(native, &kernel, tensors([view]), expected.meta.clone());
            if extremes || !dtype.is_float() {
                assert_same(&found, &expected);
                continue;
            }
            let found_plain = Plain::of_value(&found);
            let count = x.cells.len() as f64 / expected.cells.len().max(1) as f64;
            if with == Prod {
                // Powers of two are exact, unless partial products leave the range.
                let sane = |cell: &Cell| (1e-3..1e3).contains(&cell.float().abs());
                for (found, expected) in found_plain.cells.iter().zip(&expected.cells) {
                    assert!(count > 20.0 || !sane(expected) || found.same(*expected));
                }
                continue;
            }
            let scale = if with == Sum { count.sqrt().max(1.0) * 4.0 } else { 4.0 };
            for (found, expected) in found_plain.cells.iter().zip(&expected.cells) {
                let error = (found.float() - expected.float()).abs();
                let fine = error <= scale * epsilon(dtype) || found.same(*expected);
                assert!(fine, "{with:?} of {}: {found:?}, not {expected:?}", x.meta);
            }
            // The bits do not depend on the strides.
            let other = run(native, &kernel, tensors([x.value(native)]), expected.meta.clone());
            assert_eq!(found.to_bytes(), other.to_bytes());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn reductions_along_any_axes(seed: u64) {
        let (dice, native) = (&mut Dice(seed), native(1));
        let shape = dice.shape(5, 5);
        check_reduce(dice, &native, &shape);
    }

    #[test]
    fn products_of_batches(seed: u64) {
        check_matmul(seed);
    }
}

#[test]
fn long_reductions_along_any_axes() {
    let (dice, native) = (&mut Dice(5), native(2));
    for shape in [&[5000][..], &[3, 2100], &[2100, 3], &[2, 1500, 2], &[40, 3, 50], &[70, 300]] {
        for _ in 0..3 {
            check_reduce(dice, &native, shape);
        }
    }
}

#[test]
fn sums_have_the_same_bits_for_any_number_of_threads() {
    let (dice, one, two) = (&mut Dice(6), native(1), native(2));
    let shapes = [&[1_300_000][..], &[1200, 1100], &[70_000, 3], &[3, 70_000], &[50, 30, 400]];
    for shape in shapes {
        for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
            let x = Plain::new(dtype, shape, |_| dice.tame(dtype));
            for bits in 0..1usize << shape.len() {
                let axes: Axes = (0..shape.len()).filter(|axis| bits >> axis & 1 == 1).collect();
                let out = Meta::new(dtype, x.meta.shape.reduced(&axes, false));
                let kernel = Kernel::Reduce { with: ReduceFn::Sum, axes };
                let of = |native: &Native| {
                    run(native, &kernel, tensors([x.value(native)]), out.clone()).to_bytes()
                };
                assert_eq!(of(&one), of(&two));
            }
        }
    }
}

fn check_matmul(seed: u64) {
    let (dice, native) = (&mut Dice(seed), native(1));
    for dtype in DType::SUPPORTED.into_iter().filter(|&dtype| dtype != DType::Bool) {
        let lead = dice.shape(2, 3);
        let [m, k, n] = [dice.below(9), dice.below(9), dice.below(9)];
        let left = [&dice.narrower(&lead)[..], &[m, k]].concat();
        let right = [&lead[..], &[k, n]].concat();
        let (left, right) = match dice.below(2) {
            0 => (left, right),
            _ => ([&lead[..], &[m, k]].concat(), [&dice.narrower(&lead)[..], &[k, n]].concat()),
        };
        let a = Plain::new(dtype, &left, |_| dice.tame(dtype));
        let b = Plain::new(dtype, &right, |_| dice.tame(dtype));
        let shape = [&lead[..], &[m, n]].concat();
        let all = indices(&shape);
        let expected = Plain::new(dtype, &shape, |at| {
            let (lead, place) = all[at].split_at(all[at].len() - 2);
            let term = |inner: usize| {
                let left = [lead, &[place[0], inner]].concat();
                let right = [lead, &[inner, place[1]]].concat();
                // Sizes of one in the matrices do not broadcast, but index zero is all they have.
                (a.at(&left), b.at(&right))
            };
            let terms = (0..k).map(term);
            if dtype.is_int() {
                return Cell::Int(terms.map(|(a, b)| a.int() * b.int()).sum());
            }
            Cell::Float(terms.map(|(a, b)| a.float() * b.float()).sum())
        });
        let inputs = tensors([dice.view(&native, &a), dice.view(&native, &b)]);
        let found = run(&native, &Kernel::Matmul, inputs, expected.meta.clone());
        let found = Plain::of_value(&found);
        for (found, expected) in found.cells.iter().zip(&expected.cells) {
            let error = (found.float() - expected.float()).abs();
            let limit = 10.0 * epsilon(dtype);
            assert!(error <= limit, "{} @ {}: {found:?} {expected:?}", a.meta, b.meta);
        }
    }
}

#[test]
fn matrix_products_have_the_same_bits_for_any_number_of_threads_and_layout() {
    let (dice, one, two, many) = (&mut Dice(7), native(1), native(2), native(5));
    let cases = [
        ([7, 200], [200, 300]),
        ([128, 128], [128, 128]),
        ([300, 513], [513, 129]),
        ([700, 1030], [1030, 40]),
        ([33, 600], [600, 777]),
    ];
    for (left, right) in cases {
        for dtype in [DType::F32, DType::F64, DType::BF16, DType::I32] {
            let a = Plain::new(dtype, &left, |_| dice.tame(dtype));
            let b = Plain::new(dtype, &right, |_| dice.tame(dtype));
            let out = Meta::new(dtype, [left[0], right[1]]);
            let turned = |plain: &Plain, native: &Native| -> Value {
                let [rows, columns] = [plain.meta.shape[0], plain.meta.shape[1]];
                let cells = Plain::new(dtype, &[columns, rows], |at| {
                    plain.cells[at % rows * columns + at / rows]
                });
                let strides = [1, rows as isize].into_iter().collect();
                cells.value(native).view(Shape::from([rows, columns]), strides, 0)
            };
            let of = |native: &Native, inputs| {
                run(native, &Kernel::Matmul, tensors(inputs), out.clone()).to_bytes()
            };
            let expected = of(&one, [a.value(&one), b.value(&one)]);
            assert_eq!(expected, of(&two, [a.value(&two), b.value(&two)]));
            assert_eq!(expected, of(&many, [a.value(&many), b.value(&many)]), "{dtype} {left:?}");
            assert_eq!(expected, of(&two, [turned(&a, &two), b.value(&two)]), "{dtype} {left:?}");
            assert_eq!(expected, of(&one, [a.value(&one), turned(&b, &one)]), "{dtype} {left:?}");
        }
    }
}

const FLOATS: [DType; 3] = [DType::F32, DType::F64, DType::BF16];

/// Sizes around those of tiles, panels and parts of the inner axis.
#[test]
fn rows_of_a_product_are_right_and_the_same_whatever_is_computed_with_them() {
    let (dice, one) = (&mut Dice(9), native(1));
    let cases = [(9, 257, 97), (27, 256, 48), (2, 511, 17), (193, 40, 1537), (25, 513, 130)];
    for ((rows, inner, columns), dtype) in
        cases.into_iter().flat_map(|case| FLOATS.map(|dtype| (case, dtype)))
    {
        let a = Plain::new(dtype, &[rows, inner], |_| dice.tame(dtype));
        let b = Plain::new(dtype, &[inner, columns], |_| dice.tame(dtype));
        let of = |first: usize, count: usize| {
            let strides = [inner as isize, 1].into_iter().collect();
            let some = a.value(&one).view(Shape::from([count, inner]), strides, first * inner);
            let inputs = tensors([some, b.value(&one)]);
            run(&one, &Kernel::Matmul, inputs, Meta::new(dtype, [count, columns]))
        };
        let whole = of(0, rows);
        let (bytes, row) = (whole.to_bytes(), columns * dtype.size());
        for first in 0..rows - 1 {
            assert_eq!(bytes[first * row..][..2 * row], of(first, 2).to_bytes()[..]);
            if inner * columns <= 1 << 16 {
                assert_eq!(bytes[first * row..][..row], of(first, 1).to_bytes()[..]);
            }
        }
        for (at, found) in Plain::of_value(&whole).cells.iter().enumerate() {
            let (row, column) = (at / columns, at % columns);
            let term = |index: usize| {
                a.cells[row * inner + index].float() * b.cells[index * columns + column].float()
            };
            let size: f64 = (0..inner).map(|index| term(index).abs()).sum();
            let error = (found.float() - exact_sum((0..inner).map(term))).abs();
            assert!(error <= 8.0 * epsilon(dtype) * size, "{dtype} {row} {column}: {error}");
        }
    }
}

/// Instructions for pairs of bfloat16 take what is below the normal numbers for zero.
#[test]
fn numbers_of_bfloat16_below_the_normal_ones_count() {
    let (dice, one) = (&mut Dice(10), native(1));
    let (rows, inner, columns) = (11, 37, 53);
    // Tiny numbers on the left or right meet large ones, or make tiny products.
    for (left, right) in [(1e-39, 1e20), (1e20, 1e-39), (1e-20, 1e-19), (3e-17, 1e-22)] {
        let mut some = |shape: &[usize], scale: f64, every: usize| {
            Plain::new(DType::BF16, shape, |at| {
                let tame = dice.tame(DType::BF16).float();
                store(DType::BF16, Cell::Float(if at % every == 0 { tame * scale } else { 0.0 }))
            })
        };
        let a = some(&[rows, inner], left, 3);
        let b = some(&[inner, columns], right, 2);
        let of = |first: usize, count: usize| {
            let strides = [inner as isize, 1].into_iter().collect();
            let some = a.value(&one).view(Shape::from([count, inner]), strides, first * inner);
            let inputs = tensors([some, b.value(&one)]);
            run(&one, &Kernel::Matmul, inputs, Meta::new(DType::BF16, [count, columns]))
        };
        let whole = of(0, rows);
        for row in 0..rows {
            let alone = of(row, 1).to_bytes();
            assert_eq!(whole.to_bytes()[row * 2 * columns..][..2 * columns], alone[..]);
        }
        let cells = Plain::of_value(&whole).cells;
        assert!(cells.iter().any(|cell| cell.float() != 0.0));
        for (at, found) in cells.iter().enumerate() {
            let term = |index: usize| {
                let b = b.cells[index * columns + at % columns].float();
                a.cells[at / columns * inner + index].float() * b
            };
            let size: f64 = (0..inner).map(|index| term(index).abs()).sum();
            let error = (found.float() - exact_sum((0..inner).map(term))).abs();
            // Half a unit of the smallest numbers that there are.
            let unit = 2f64.powi(-134);
            assert!(error <= 0.01 * size + unit, "{left} {right}: {found:?}, off by {error}");
        }
    }
}

/// One number that is tiny changes how its row is computed, and no other.
#[test]
fn a_tiny_number_of_bfloat16_changes_no_bit_of_other_rows() {
    let (dice, one, two) = (&mut Dice(11), native(1), native(2));
    let [rows, inner, columns] = [120, 200, 130];
    let a = Plain::new(DType::BF16, &[3, rows, inner], |_| dice.tame(DType::BF16));
    let b = Plain::new(DType::BF16, &[3, inner, columns], |_| dice.tame(DType::BF16));
    let mut odd = Plain::new(DType::BF16, &[3, rows, inner], |at| a.cells[at]);
    odd.cells[(rows + 7) * inner + 5] = store(DType::BF16, Cell::Float(1e-38));
    let of = |native: &Native, a: &Plain| {
        let inputs = tensors([a.value(native), b.value(native)]);
        let out = Meta::new(DType::BF16, [3, rows, columns]);
        Plain::of_value(&run(native, &Kernel::Matmul, inputs, out)).cells
    };
    let (plain, changed, shared) = (of(&one, &a), of(&one, &odd), of(&two, &odd));
    for at in (0..plain.len()).filter(|at| at / columns != rows + 7) {
        assert!(plain[at].same(changed[at]), "at {at}");
    }
    assert!(changed.iter().zip(&shared).all(|(one, two)| one.same(*two)));
}

#[test]
fn batches_of_products_are_shared_by_threads() {
    let (dice, one, two) = (&mut Dice(8), native(1), native(2));
    let a = Plain::new(DType::F32, &[40, 64, 64], |_| dice.tame(DType::F32));
    let b = Plain::new(DType::F32, &[64, 64], |_| dice.tame(DType::F32));
    let of = |native: &Native| {
        let inputs = tensors([a.value(native), b.value(native)]);
        run(native, &Kernel::Matmul, inputs, a.meta.clone()).to_bytes()
    };
    assert_eq!(of(&one), of(&two));
}
