//! Elements in order, extremes, and sums of all elements before.

use gt_core::dtype::DType;
use gt_core::kernel::{Kernel, ScanFn};
use gt_core::shape::{Meta, Shape};
use gt_native::Native;
use gt_worker::engine::Engine;
use proptest::prelude::*;

use crate::reference::*;

/// Few different numbers, so that there are equal ones, with zeros of both signs and NaN.
fn plain(dice: &mut Dice, dtype: DType, shape: &[usize]) -> Plain {
    let floats = [0.0, -0.0, 1.0, -1.0, 2.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    Plain::new(dtype, shape, |_| match dtype.is_float() {
        true if dice.below(2) == 0 => Cell::Float(dice.pick(&floats)),
        false if dice.below(2) == 0 => Cell::Int(dice.pick(&[0, 1, -1, 100, -128])),
        _ => dice.cell(dtype),
    })
}

/// The elements of the line along `axis` that an index lies on.
fn line(x: &Plain, axis: usize, index: &[usize]) -> Vec<Cell> {
    let size = x.meta.shape.get(axis).copied().unwrap_or(1);
    let at = |place: usize| {
        let mut index = index.to_vec();
        index.iter_mut().skip(axis).take(1).for_each(|index| *index = place);
        x.at(&index)
    };
    (0..size).map(at).collect()
}

fn less(a: Cell, b: Cell) -> bool {
    match (a, b) {
        (Cell::Int(a), Cell::Int(b)) => a < b,
        (a, b) => a.float() < b.float() || (b.float().is_nan() && !a.float().is_nan()),
    }
}

/// The places of a line in order, found one after another.
fn sorted(line: &[Cell], descending: bool) -> Vec<usize> {
    let mut places: Vec<usize> = Vec::new();
    for place in 0..line.len() {
        let comes_before = |&other: &usize| match descending {
            true => !less(line[other], line[place]),
            false => !less(line[place], line[other]),
        };
        let at = places.iter().take_while(|other| comes_before(other)).count();
        places.insert(at, place);
    }
    places
}

fn check_sort(dice: &mut Dice, native: &Native, shape: &[usize]) {
    for dtype in DType::SUPPORTED {
        let (axis, descending) = (dice.below(shape.len().max(1)), dice.below(2) == 0);
        let x = plain(dice, dtype, shape);
        let all = indices(shape);
        let place = |at: usize| {
            let places = sorted(&line(&x, axis, &all[at]), descending);
            places[all[at].get(axis).copied().unwrap_or(0)]
        };
        let places = Plain::new(DType::I64, shape, |at| Cell::Int(place(at) as i64));
        let values = Plain::new(dtype, shape, |at| line(&x, axis, &all[at])[place(at)]);
        let metas = [values.meta.clone(), places.meta.clone()];
        let kernel = Kernel::Sort { axis, descending };
        let found = native.run(&kernel, tensors([dice.view(native, &x)]), &metas).unwrap();
        assert_same(&found[0], &values);
        assert_same(&found[1], &places);
        // The zeros keep their signs.
        let signs = |plain: &Plain| -> Vec<bool> {
            plain.cells.iter().map(|cell| cell.float().is_sign_negative()).collect()
        };
        if dtype.is_float() && !x.cells.iter().any(|cell| cell.float().is_nan()) {
            assert_eq!(signs(&Plain::of_value(&found[0])), signs(&values));
        }
    }
}

/// The place of the first best element: NaN before all others.
fn best(line: &[Cell], largest: bool) -> usize {
    let wins = |a: Cell, b: Cell| {
        let nan = (a.float().is_nan(), b.float().is_nan());
        match nan {
            (true, other) => !other,
            (_, true) => false,
            _ => {
                if largest {
                    less(b, a)
                } else {
                    less(a, b)
                }
            }
        }
    };
    (1..line.len()).fold(0, |best, at| if wins(line[at], line[best]) { at } else { best })
}

fn check_extreme(dice: &mut Dice, native: &Native, shape: &[usize]) {
    for dtype in DType::SUPPORTED {
        let (axis, largest) = (dice.below(shape.len().max(1)), dice.below(2) == 0);
        if shape.get(axis) == Some(&0) {
            continue;
        }
        let x = plain(dice, dtype, shape);
        let axes: Vec<usize> = (0..shape.len()).filter(|&other| other == axis).collect();
        let (kept, out) =
            (x.meta.shape.reduced(&axes, true), x.meta.shape.reduced(&axes, dice.below(2) == 0));
        let lines: Vec<Vec<Cell>> = indices(&kept).iter().map(|at| line(&x, axis, at)).collect();
        let places = Plain::new(DType::I64, &out, |at| Cell::Int(best(&lines[at], largest) as i64));
        let values = Plain::new(dtype, &out, |at| lines[at][best(&lines[at], largest)]);
        let metas = [values.meta.clone(), places.meta.clone()];
        let kernel = Kernel::Extreme { axis, largest };
        let found = native.run(&kernel, tensors([dice.view(native, &x)]), &metas).unwrap();
        assert_same(&found[0], &values);
        assert_same(&found[1], &places);
        let kernel = Kernel::ArgExtreme { axis: Some(axis), largest };
        let found = run(native, &kernel, tensors([dice.view(native, &x)]), metas[1].clone());
        assert_same(&found, &places);
        if x.cells.is_empty() {
            continue;
        }
        let kernel = Kernel::ArgExtreme { axis: None, largest };
        let ones = vec![1; if dice.below(2) == 0 { 0 } else { shape.len() }];
        let place = Plain::new(DType::I64, &ones, |_| Cell::Int(best(&x.cells, largest) as i64));
        let found = run(native, &kernel, tensors([dice.view(native, &x)]), place.meta.clone());
        assert_same(&found, &place);
    }
}

fn scanned(with: ScanFn, dtype: DType, cells: &[Cell]) -> Cell {
    let whole = |of: fn(i64, i64) -> i64| {
        let numbers = cells.iter().map(|cell| cell.int());
        Cell::Int(numbers.reduce(of).unwrap())
    };
    let float = |of: fn(f64, f64) -> f64| {
        let numbers = cells.iter().map(|cell| cell.float());
        Cell::Float(numbers.reduce(of).unwrap())
    };
    let larger = |a: f64, b: f64| if a.is_nan() || a > b { a } else { b };
    let smaller = |a: f64, b: f64| if a.is_nan() || a < b { a } else { b };
    match with {
        ScanFn::Sum if dtype == DType::Bool => whole(|a, b| a | b),
        ScanFn::Sum if dtype.is_int() => whole(i64::wrapping_add),
        ScanFn::Prod if !dtype.is_float() => whole(i64::wrapping_mul),
        ScanFn::Max if !dtype.is_float() => whole(i64::max),
        ScanFn::Min if !dtype.is_float() => whole(i64::min),
        ScanFn::Sum => float(|a, b| a + b),
        ScanFn::Prod => float(|a, b| a * b),
        ScanFn::Max => float(larger),
        ScanFn::Min => float(smaller),
    }
}

fn check_scan(dice: &mut Dice, native: &Native, shape: &[usize]) {
    for with in [ScanFn::Sum, ScanFn::Prod, ScanFn::Max, ScanFn::Min] {
        for dtype in DType::SUPPORTED {
            let axis = dice.below(shape.len().max(1));
            let x = plain(dice, dtype, shape);
            let all = indices(shape);
            let expected = Plain::new(dtype, shape, |at| {
                let last = all[at].get(axis).copied().unwrap_or(0);
                scanned(with, dtype, &line(&x, axis, &all[at])[..=last])
            });
            let kernel = Kernel::Scan { with, axis };
            let found = run(native, &kernel, tensors([dice.view(native, &x)]), x.meta.clone());
            // 16-bit floats are added up in f32, which rounds differently than f64.
            let exact = !matches!(dtype, DType::F16 | DType::BF16)
                || matches!(with, ScanFn::Max | ScanFn::Min);
            if exact {
                assert_same(&found, &expected);
            } else {
                let found = Plain::of_value(&found);
                for (found, expected) in found.cells.iter().zip(&expected.cells) {
                    let close = (found.float() - expected.float()).abs() < 0.02;
                    assert!(close || found.close(*expected, 2.0 * epsilon(dtype)));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn elements_in_order(seed: u64) {
        let (dice, native) = (&mut Dice(seed), native(1));
        let shape = dice.shape(4, 6);
        check_sort(dice, &native, &shape);
    }

    #[test]
    fn extremes_along_an_axis_or_of_all(seed: u64) {
        let (dice, native) = (&mut Dice(seed), native(1));
        let shape = dice.shape(4, 6);
        check_extreme(dice, &native, &shape);
    }

    #[test]
    fn sums_of_all_before(seed: u64) {
        let (dice, native) = (&mut Dice(seed), native(1));
        let shape = dice.shape(4, 6);
        check_scan(dice, &native, &shape);
    }
}

#[test]
fn long_and_wide_tensors() {
    let (dice, native) = (&mut Dice(17), native(2));
    for shape in [&[700][..], &[3, 260], &[260, 3], &[9, 300], &[2, 5, 270]] {
        check_sort(dice, &native, shape);
        check_extreme(dice, &native, shape);
        check_scan(dice, &native, shape);
    }
    for shape in [&[70_001][..], &[3, 40_000], &[40_000, 3]] {
        check_extreme(dice, &native, shape);
    }
}

#[test]
fn an_extreme_is_found_wherever_it_is() {
    let native = native(2);
    for (place, largest) in [0, 1, 1023, 1024, 32_768, 65_535, 99_999].map(|at| (at, at % 2 == 0)) {
        let peak = if largest { 5.0 } else { -5.0 };
        for peak in [peak, f64::NAN] {
            let x = Plain::new(DType::F32, &[100_000], |at| {
                Cell::Float(if at == place || at == 99_999 { peak } else { (at % 3) as f64 })
            });
            let kernel = Kernel::ArgExtreme { axis: None, largest };
            let out = Meta::new(DType::I64, Shape::scalar());
            let found = run(&native, &kernel, tensors([x.value(&native)]), out);
            assert_eq!(Plain::of_value(&found).cells, [Cell::Int(place as i64)]);
        }
    }
}

#[test]
fn large_sorts_and_scans_have_the_same_bits_for_any_number_of_threads() {
    let (dice, one, two) = (&mut Dice(18), native(1), native(2));
    for shape in [&[200_000][..], &[500, 400], &[30, 5000, 2]] {
        for dtype in [DType::F32, DType::F64, DType::F16, DType::I32] {
            let x = dice.plain(dtype, shape);
            for axis in 0..shape.len() {
                let all = |native: &Native| {
                    let scan = Kernel::Scan { with: ScanFn::Sum, axis };
                    let sums = run(native, &scan, tensors([x.value(native)]), x.meta.clone());
                    let metas = [x.meta.clone(), Meta::new(DType::I64, shape)];
                    let sort = Kernel::Sort { axis, descending: axis == 0 };
                    let found = native.run(&sort, tensors([x.value(native)]), &metas).unwrap();
                    [sums.to_bytes(), found[0].to_bytes(), found[1].to_bytes()]
                };
                assert_eq!(all(&one), all(&two));
            }
        }
    }
}
