//! Reading and writing where an index says.

use gt_core::dtype::{DType, Scalar};
use gt_core::error::Error;
use gt_core::kernel::{Distribution, Kernel, Random};
use gt_core::shape::{Meta, Shape};
use gt_native::Native;
use gt_worker::engine::{Engine, Operand};
use proptest::prelude::*;
use smallvec::smallvec;

use crate::reference::*;

fn write(dtype: DType, add: bool, old: Cell, new: Cell) -> Cell {
    let sum = match dtype {
        _ if !add => new,
        DType::Bool => Cell::Int(old.int() | new.int()),
        _ if dtype.is_int() => Cell::Int(old.int().wrapping_add(new.int())),
        _ => Cell::Float(old.float() + new.float()),
    };
    store(dtype, sum)
}

fn position(index: &[usize], shape: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |at, (&index, &size)| at * size + index)
}

fn check_scatter(dice: &mut Dice, native: &Native, shape: &[usize], chosen: &[usize], axis: usize) {
    for dtype in DType::SUPPORTED {
        let size = shape.get(axis).copied().unwrap_or(1);
        let index = Plain::new(DType::I64, chosen, |_| Cell::Int(dice.below(size) as i64));
        let base = Plain::new(dtype, shape, |_| dice.tame(dtype));
        let source = Plain::new(dtype, chosen, |_| dice.tame(dtype));
        let number = Scalar::Int(dice.below(2) as i64);
        for add in [true, false] {
            for fixed in [true, false] {
                let mut expected = base.clone();
                for (at, index_at) in indices(chosen).iter().enumerate() {
                    let mut place = index_at.clone();
                    let named = index.cells[at].int() as usize;
                    place.iter_mut().skip(axis).take(1).for_each(|at| *at = named);
                    let new = if fixed { scalar_cell(number) } else { source.cells[at] };
                    let cell = &mut expected.cells[position(&place, shape)];
                    *cell = write(dtype, add, *cell, new);
                }
                let value = dice.view(native, &base);
                let kept = (dice.below(2) == 0).then(|| value.clone());
                let source = match fixed {
                    true => Operand::Scalar(number),
                    false => Operand::Tensor(dice.view(native, &source)),
                };
                let index = Operand::Tensor(dice.view(native, &index));
                let inputs = smallvec![Operand::Tensor(value), index, source];
                let kernel = Kernel::Scatter { axis, add };
                let found = run(native, &kernel, inputs, base.meta.clone());
                assert_same(&found, &expected);
                if let Some(kept) = kept {
                    assert_same(&kept, &base);
                }
            }
        }
    }
}

/// Where an element of what is taken comes from.
fn taken(index: &Plain, size: usize, axis: usize, at: &[usize]) -> Vec<usize> {
    let rank = index.meta.shape.rank();
    let number = index.at(&at[axis..axis + rank]).int();
    let number = if number < 0 { number + size as i64 } else { number } as usize;
    [&at[..axis], &[number], &at[axis + rank..]].concat()
}

fn check_take(dice: &mut Dice, native: &Native, shape: &[usize], chosen: &[usize], axis: usize) {
    for dtype in DType::SUPPORTED {
        let size = shape[axis];
        let index = Plain::new(DType::I64, chosen, |_| {
            Cell::Int(dice.below(2 * size) as i64 - size as i64)
        });
        let x = Plain::new(dtype, shape, |_| dice.tame(dtype));
        let out = [&shape[..axis], chosen, &shape[axis + 1..]].concat();
        let all = indices(&out);
        let expected = Plain::new(dtype, &out, |at| x.at(&taken(&index, size, axis, &all[at])));
        let inputs = tensors([dice.view(native, &x), dice.view(native, &index)]);
        let found = run(native, &Kernel::Take(axis), inputs, expected.meta.clone());
        assert_same(&found, &expected);

        for add in [true, false] {
            let narrow = if dice.below(2) == 0 { out.clone() } else { dice.narrower(&out) };
            let values = Plain::new(dtype, &narrow, |_| dice.tame(dtype));
            let mut expected = x.clone();
            for at in &all {
                let place = position(&taken(&index, size, axis, at), shape);
                expected.cells[place] = write(dtype, add, expected.cells[place], values.at(at));
            }
            let base = dice.view(native, &x);
            let kept = (dice.below(2) == 0).then(|| base.clone());
            let inputs = tensors([base, dice.view(native, &index), dice.view(native, &values)]);
            let found = run(native, &Kernel::Put { axis, add }, inputs, x.meta.clone());
            assert_same(&found, &expected);
            if let Some(kept) = kept {
                assert_same(&kept, &x);
            }
        }
    }
}

fn check_ravel(dice: &mut Dice, native: &Native, shape: &[usize]) {
    let sizes: Vec<usize> = (0..1 + dice.below(4)).map(|_| 1 + dice.below(9)).collect();
    let indices_of: Vec<Plain> = sizes
        .iter()
        .map(|&size| {
            let narrow = dice.narrower(shape);
            Plain::new(DType::I64, &narrow, |_| {
                Cell::Int(dice.below(2 * size) as i64 - size as i64)
            })
        })
        .collect();
    let all = indices(shape);
    let expected = Plain::new(DType::I64, shape, |at| {
        let axes = indices_of.iter().zip(&sizes);
        Cell::Int(axes.fold(0, |place, (index, &size)| {
            let (number, size) = (index.at(&all[at]).int(), size as i64);
            place * size + if number < 0 { number + size } else { number }
        }))
    });
    let inputs = tensors(indices_of.iter().map(|index| dice.view(native, index)));
    let found = run(native, &Kernel::Ravel(sizes), inputs, expected.meta.clone());
    assert_same(&found, &expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn elements_are_scattered(seed: u64) {
        let (dice, native) = (&mut Dice(seed), native(1));
        let shape: Vec<usize> = (0..dice.below(4)).map(|_| 1 + dice.below(5)).collect();
        let axis = dice.below(shape.len().max(1));
        let mut chosen: Vec<usize> = shape.iter().map(|&size| dice.below(size + 1)).collect();
        chosen.iter_mut().skip(axis).take(1).for_each(|size| *size = dice.below(7));
        check_scatter(dice, &native, &shape, &chosen, axis);
    }

    #[test]
    fn parts_are_taken_and_put(seed: u64) {
        let (dice, native) = (&mut Dice(seed), native(1));
        let mut shape: Vec<usize> = (0..1 + dice.below(3)).map(|_| dice.below(5)).collect();
        let axis = dice.below(shape.len());
        shape[axis] = 1 + dice.below(5);
        let chosen = dice.shape(3, 4);
        check_take(dice, &native, &shape, &chosen, axis);
    }

    #[test]
    fn indices_become_numbers_of_elements(seed: u64) {
        let (dice, native) = (&mut Dice(seed), native(2));
        let shape = dice.shape(4, 6);
        check_ravel(dice, &native, &shape);
    }

    #[test]
    fn a_shard_of_random_whole_numbers_is_part_of_the_whole(seed: u64) {
        let (dice, native) = (&mut Dice(seed), native(2));
        for dtype in [DType::U8, DType::I8, DType::I16, DType::I32, DType::I64] {
            let high = if dice.below(2) == 0 { 100 } else { i64::MAX >> (64 - 8 * dtype.size()) };
            let low = if dtype == DType::U8 { 3 } else { -dice.pick(&[0, 3, high]) };
            let shape = [1 + dice.below(5), 1 + dice.below(2000)];
            let random = Random {
                distribution: Distribution::Integers { low, high },
                seed,
                rng_index: dice.next(),
                whole: Shape::from(shape),
                start: [0, 0].into_iter().collect(),
            };
            let of = |random: Random, out: Meta| {
                run(&native, &Kernel::Random(random.into()), tensors([]), out)
            };
            let whole = of(random.clone(), Meta::new(dtype, shape));
            let whole = Plain::of_value(&whole);
            prop_assert!(whole.cells.iter().all(|x| (low..high).contains(&x.int())));
            let start = shape.map(|size| dice.below(size));
            let rest = [shape[0] - start[0], shape[1] - start[1]];
            let all = indices(&rest);
            let expected = Plain::new(dtype, &rest, |at| {
                whole.at(&[all[at][0] + start[0], all[at][1] + start[1]])
            });
            let start = start.into_iter().collect();
            let found = of(Random { start, ..random }, expected.meta.clone());
            assert_same(&found, &expected);
        }
    }
}

#[test]
fn large_tensors_are_read_and_written_by_all_threads() {
    let (dice, native) = (&mut Dice(19), native(2));
    check_take(dice, &native, &[50, 700], &[90], 0);
    check_take(dice, &native, &[20, 9, 300], &[3, 5], 1);
    check_take(dice, &native, &[300, 200], &[250], 1);
    check_take(dice, &native, &[30_000], &[70_000], 0);
    check_scatter(dice, &native, &[40, 600], &[90, 600], 0);
    check_scatter(dice, &native, &[40, 600], &[40, 900], 1);
    check_scatter(dice, &native, &[20, 10, 300], &[20, 8, 290], 1);
    check_ravel(dice, &native, &[300, 400]);
}

#[test]
fn wrong_positions_are_named_and_nothing_is_written() {
    let native = native(1);
    let x = Plain::new(DType::F32, &[2, 3], |at| Cell::Int(at as i64));
    for wrong in [3, -4, i64::MAX, i64::MIN] {
        let index = Plain::new(DType::I64, &[2], |at| Cell::Int([-3, wrong][at]));
        let error = |axis: usize| {
            let facts = format!("is out of bounds for dimension {axis} with size 3");
            Error::index(format!("index {wrong} {facts}"))
        };
        let out = [Meta::new(DType::F32, [2, 2])];
        let inputs = tensors([x.value(&native), index.value(&native)]);
        assert_eq!(native.run(&Kernel::Take(1), inputs, &out).unwrap_err(), error(1));
        let base = x.value(&native);
        let values = Operand::Scalar(Scalar::Float(7.0));
        let inputs =
            smallvec![Operand::Tensor(base.clone()), Operand::Tensor(index.value(&native)), values];
        let kernel = Kernel::Put { axis: 1, add: false };
        let metas = std::slice::from_ref(&x.meta);
        assert_eq!(native.run(&kernel, inputs, metas).unwrap_err(), error(1));
        assert_same(&base, &x);
        let fine = Plain::new(DType::I64, &[], |_| Cell::Int(0));
        let inputs = tensors([fine.value(&native), index.value(&native)]);
        let out = [Meta::new(DType::I64, [2])];
        assert_eq!(native.run(&Kernel::Ravel(vec![5, 3]), inputs, &out).unwrap_err(), error(1));
    }
}

#[test]
fn a_base_that_nobody_else_holds_is_written_in_place() {
    let native = native(1);
    let x = Plain::new(DType::F32, &[4, 5], |at| Cell::Int(at as i64));
    let index = Plain::new(DType::I64, &[2], |at| Cell::Int(at as i64));
    let base = x.value(&native);
    let place = base.as_ptr();
    let one = || Operand::Scalar(Scalar::Int(1));
    let inputs = smallvec![Operand::Tensor(base), Operand::Tensor(index.value(&native)), one()];
    let kernel = Kernel::Put { axis: 0, add: true };
    let found = run(&native, &kernel, inputs, x.meta.clone());
    assert_eq!(found.as_ptr(), place);
    let index = Plain::new(DType::I64, &[2, 2], |at| Cell::Int(at as i64));
    let inputs = smallvec![Operand::Tensor(found), Operand::Tensor(index.value(&native)), one()];
    let kernel = Kernel::Scatter { axis: 0, add: false };
    assert_eq!(run(&native, &kernel, inputs, x.meta.clone()).as_ptr(), place);
}
