//! Kernels that move elements, find positions, or make tensors.

use gt_core::attrs::Range;
use gt_core::dtype::{DType, Scalar};
use gt_core::error::{Error, Fault};
use gt_core::kernel::{Axes, Distribution, Kernel, Random, WindowSpec};
use gt_core::shape::{Meta, Shape};
use gt_worker::engine::Engine;
use proptest::prelude::*;

use crate::reference::*;

fn ranges(dice: &mut Dice, shape: &[usize]) -> Vec<Range> {
    let range = |&size: &usize| {
        let step = dice.pick(&[1, 1, 2, 3, -1, -2]);
        if size == 0 || dice.below(8) == 0 {
            return Range { start: dice.below(size + 1), len: 0, step };
        }
        let start = dice.below(size);
        let room = if step > 0 { size - 1 - start } else { start };
        let len = 1 + dice.below(room / step.unsigned_abs() as usize + 1);
        Range { start, len, step }
    };
    shape.iter().map(range).collect()
}

fn source(ranges: &[Range], index: &[usize]) -> Vec<usize> {
    let place = |(range, &index): (&Range, &usize)| {
        (range.start as i64 + index as i64 * range.step) as usize
    };
    ranges.iter().zip(index).map(place).collect()
}

fn check_views(seed: u64) {
    let (dice, native) = (&mut Dice(seed), native(1));
    for dtype in DType::SUPPORTED {
        let shape = dice.shape(4, 6);
        let x = dice.plain(dtype, &shape);
        let ranges = ranges(dice, &shape);
        let part: Vec<usize> = ranges.iter().map(|range| range.len).collect();
        let all = indices(&part);
        let expected = Plain::new(dtype, &part, |index| x.at(&source(&ranges, &all[index])));
        let kernel = Kernel::Slice(ranges.clone());
        let value = dice.view(&native, &x);
        assert_same(&run(&native, &kernel, tensors([value]), expected.meta.clone()), &expected);

        let mut axes: Axes = (0..shape.len()).collect();
        for axis in (1..axes.len()).rev() {
            axes.swap(axis, dice.below(axis + 1));
        }
        let turned: Vec<usize> = axes.iter().map(|&axis| shape[axis]).collect();
        let all = indices(&turned);
        let expected = Plain::new(dtype, &turned, |index| {
            let mut own = vec![0; shape.len()];
            axes.iter().zip(&all[index]).for_each(|(&axis, &at)| own[axis] = at);
            x.at(&own)
        });
        let value = dice.view(&native, &x);
        let kernel = Kernel::Permute(axes);
        assert_same(&run(&native, &kernel, tensors([value]), expected.meta.clone()), &expected);

        let wide = [&[dice.below(4)], &shape[..]].concat();
        let narrow = dice.narrower(&wide);
        let narrow = dice.plain(dtype, &narrow);
        let all = indices(&wide);
        let expected = Plain::new(dtype, &wide, |index| narrow.at(&all[index]));
        let value = dice.view(&native, &narrow);
        let found = run(&native, &Kernel::Expand, tensors([value]), expected.meta.clone());
        assert_same(&found, &expected);
    }
}

/// Another shape with the same number of elements: factors moved, split and merged.
fn other_shape(dice: &mut Dice, shape: &[usize]) -> Vec<usize> {
    let mut factors: Vec<usize> = Vec::new();
    for &size in shape {
        let divisors: Vec<usize> = (1..=size).filter(|divisor| size % divisor == 0).collect();
        let first = if size == 0 { 1 } else { dice.pick(&divisors) };
        factors.extend([first, size / first]);
    }
    let mut result: Vec<usize> = Vec::new();
    for factor in factors {
        match result.last_mut() {
            Some(last) if dice.below(2) == 0 => *last *= factor,
            _ => result.push(factor),
        }
    }
    result
}

fn check_reshape(seed: u64) {
    let (dice, native) = (&mut Dice(seed), native(1));
    for dtype in [DType::U8, DType::I16, DType::F32, DType::I64] {
        let shape = dice.shape(4, 6);
        let x = dice.plain(dtype, &shape);
        let target = other_shape(dice, &shape);
        let expected = Plain::new(dtype, &target, |index| x.cells[index]);
        let value = dice.view(&native, &x);
        let found = run(&native, &Kernel::Reshape, tensors([value]), expected.meta.clone());
        assert_same(&found, &expected);
    }
}

fn check_writes(seed: u64) {
    let (dice, native) = (&mut Dice(seed), native(1));
    for dtype in DType::SUPPORTED {
        let shape = dice.shape(3, 6);
        let x = dice.plain(dtype, &shape);
        let ranges = ranges(dice, &shape);
        let part: Vec<usize> = ranges.iter().map(|range| range.len).collect();
        let update = dice.plain(dtype, &part);
        let mut expected = x.clone();
        for (index, &cell) in indices(&part).iter().zip(&update.cells) {
            let place = source(&ranges, index);
            let position = place.iter().zip(&shape).fold(0, |at, (&i, &size)| at * size + i);
            expected.cells[position] = cell;
        }
        let value = dice.view(&native, &x);
        let kept = (dice.below(2) == 0).then(|| value.clone());
        let place = (value.is_contiguous() && kept.is_none()).then(|| value.as_ptr());
        let inputs = tensors([value, dice.view(&native, &update)]);
        let kernel = Kernel::SliceWrite(ranges);
        let found = run(&native, &kernel, inputs, expected.meta.clone());
        assert_same(&found, &expected);
        assert!(place.is_none_or(|place| place == found.as_ptr()));
        kept.iter().for_each(|kept| assert_same(kept, &x));

        let axis = dice.below(shape.len().max(1));
        if shape.is_empty() {
            continue;
        }
        let parts: Vec<Plain> = (0..1 + dice.below(3))
            .map(|_| {
                let mut own = shape.clone();
                own[axis] = dice.below(4);
                dice.plain(dtype, &own)
            })
            .collect();
        let mut whole = shape.clone();
        whole[axis] = parts.iter().map(|part| part.meta.shape[axis]).sum();
        let all = indices(&whole);
        let expected = Plain::new(dtype, &whole, |index| {
            let mut index = all[index].clone();
            let mut parts = parts.iter();
            loop {
                let part = parts.next().unwrap();
                if index[axis] < part.meta.shape[axis] {
                    return part.at(&index);
                }
                index[axis] -= part.meta.shape[axis];
            }
        });
        let inputs = tensors(parts.iter().map(|part| dice.view(&native, part)));
        let found = run(&native, &Kernel::Concat(axis), inputs, expected.meta.clone());
        assert_same(&found, &expected);
    }
}

fn check_positions(seed: u64) {
    let (dice, native) = (&mut Dice(seed), native(1));
    for dtype in DType::SUPPORTED {
        let shape: Vec<usize> = (0..1 + dice.below(3)).map(|_| 1 + dice.below(5)).collect();
        let axis = dice.below(shape.len());
        let mut chosen: Vec<usize> = shape.iter().map(|&size| dice.below(size + 1)).collect();
        chosen[axis] = dice.below(7);
        let index = Plain::new(DType::I64, &chosen, |_| Cell::Int(dice.below(shape[axis]) as i64));
        let x = Plain::new(dtype, &shape, |_| dice.tame(dtype));
        let all = indices(&chosen);
        let place = |at: usize| {
            let mut place = all[at].clone();
            place[axis] = index.cells[at].int() as usize;
            place
        };
        let expected = Plain::new(dtype, &chosen, |at| x.at(&place(at)));
        let inputs = tensors([dice.view(&native, &x), dice.view(&native, &index)]);
        let found = run(&native, &Kernel::Gather(axis), inputs, expected.meta.clone());
        assert_same(&found, &expected);

        let added = Plain::new(dtype, &chosen, |_| dice.tame(dtype));
        let mut expected = x.clone();
        for at in 0..all.len() {
            let position = place(at).iter().zip(&shape).fold(0, |at, (&i, &size)| at * size + i);
            let (old, new) = (expected.cells[position], added.cells[at]);
            let sum = match dtype {
                DType::Bool => Cell::Int(old.int() | new.int()),
                _ if dtype.is_int() => Cell::Int(old.int() + new.int()),
                _ => Cell::Float(old.float() + new.float()),
            };
            expected.cells[position] = store(dtype, sum);
        }
        let base = dice.view(&native, &x);
        let kept = base.clone();
        let inputs = tensors([base, dice.view(&native, &index), dice.view(&native, &added)]);
        let found =
            run(&native, &Kernel::Scatter { axis, add: true }, inputs, expected.meta.clone());
        assert_same(&found, &expected);
        assert_same(&kept, &x);
    }
}

fn check_top_k(seed: u64) {
    let (dice, native) = (&mut Dice(seed), native(1));
    for dtype in DType::SUPPORTED {
        let shape: Vec<usize> = (0..1 + dice.below(3)).map(|_| 1 + dice.below(5)).collect();
        let (axis, largest) = (dice.below(shape.len()), dice.below(2) == 0);
        let k = dice.below(shape[axis] + 1);
        let x = Plain::new(dtype, &shape, |_| match dice.below(4) {
            0 => Cell::Float(f64::NAN),
            _ => Cell::Int(dice.below(3) as i64),
        });
        let mut out = shape.clone();
        out[axis] = k;
        let all = indices(&out);
        let ranked = |index: &[usize]| {
            let mut places: Vec<usize> = (0..shape[axis]).collect();
            let key = |place: usize| {
                let mut index = index.to_vec();
                index[axis] = place;
                let x = x.at(&index).float();
                if x.is_nan() { f64::INFINITY } else { x }
            };
            places.sort_by(|&a, &b| {
                let order = key(a).total_cmp(&key(b));
                if largest { order.reverse() } else { order }
            });
            places[index[axis]]
        };
        let places = Plain::new(DType::I64, &out, |at| Cell::Int(ranked(&all[at]) as i64));
        let values = Plain::new(dtype, &out, |at| {
            let mut index = all[at].clone();
            index[axis] = ranked(&all[at]);
            x.at(&index)
        });
        let kernel = Kernel::TopK { k, axis, largest };
        let metas = [values.meta.clone(), places.meta.clone()];
        let found = native.run(&kernel, tensors([dice.view(&native, &x)]), &metas).unwrap();
        assert_same(&found[0], &values);
        assert_same(&found[1], &places);
    }
}

fn check_non_zero(seed: u64) {
    let (dice, native) = (&mut Dice(seed), native(1));
    for dtype in DType::SUPPORTED {
        let shape = dice.shape(3, 5);
        let x = Plain::new(dtype, &shape, |_| Cell::Int(dice.below(2) as i64));
        let all = indices(&shape);
        let rows: Vec<&Vec<usize>> =
            all.iter().zip(&x.cells).filter(|(_, x)| x.float() != 0.0).map(|(i, _)| i).collect();
        let flat: Vec<usize> = rows.iter().copied().flatten().copied().collect();
        let expected =
            Plain::new(DType::I64, &[rows.len(), shape.len()], |at| Cell::Int(flat[at] as i64));
        let bound = [Meta::new(DType::I64, [all.len(), shape.len()])];
        let found = native.run(&Kernel::NonZero, tensors([dice.view(&native, &x)]), &bound);
        assert_same(&found.unwrap()[0], &expected);
    }
}

fn check_window(seed: u64) {
    let (dice, native) = (&mut Dice(seed), native(1));
    for dtype in DType::SUPPORTED.into_iter().filter(|&dtype| dtype != DType::Bool) {
        let axes = dice.below(3);
        let lead: Vec<usize> = (0..dice.below(3)).map(|_| 1 + dice.below(2)).collect();
        let plane: Vec<usize> = (0..axes).map(|_| 1 + dice.below(6)).collect();
        let mut pick = |low: usize, most: usize| -> Axes {
            (0..axes).map(|_| low + dice.below(most)).collect()
        };
        let spec = WindowSpec {
            size: pick(1, 3),
            stride: pick(1, 3),
            padding: pick(0, 3),
            dilation: pick(1, 2),
        };
        let positions: Vec<usize> =
            (0..axes).map(|axis| spec.positions(axis, plane[axis])).collect();
        let shape = [&lead[..], &plane[..]].concat();
        let out = [&lead[..], &spec.size[..], &positions[..]].concat();
        let all = indices(&out);
        // Where an element of the windows comes from, if not from the padding.
        let origin = |index: &[usize]| -> Option<Vec<usize>> {
            let (window, position) = index[lead.len()..].split_at(axes);
            let mut place = index[..lead.len()].to_vec();
            for axis in 0..axes {
                let at = position[axis] * spec.stride[axis] + window[axis] * spec.dilation[axis];
                let at = at.checked_sub(spec.padding[axis])?;
                place.push(at);
                (at < plane[axis]).then_some(())?;
            }
            Some(place)
        };
        let x = Plain::new(dtype, &shape, |_| dice.tame(dtype));
        let expected = Plain::new(dtype, &out, |at| {
            origin(&all[at]).map_or(Cell::Int(0), |place| x.at(&place))
        });
        let inputs = tensors([dice.view(&native, &x)]);
        let found =
            run(&native, &Kernel::Window(spec.clone().into()), inputs, expected.meta.clone());
        assert_same(&found, &expected);

        let parts = Plain::new(dtype, &out, |_| dice.tame(dtype));
        let mut sums = vec![0.0; Shape::from(&shape[..]).count()];
        for (index, &cell) in all.iter().zip(&parts.cells) {
            if let Some(place) = origin(index) {
                sums[place.iter().zip(&shape).fold(0, |at, (&i, &size)| at * size + i)] +=
                    cell.float();
            }
        }
        let whole =
            |sum: f64| if dtype.is_int() { Cell::Int(sum as i64) } else { Cell::Float(sum) };
        let expected = Plain::new(dtype, &shape, |at| whole(sums[at]));
        let inputs = tensors([dice.view(&native, &parts)]);
        let found = run(&native, &Kernel::Fold(spec.clone().into()), inputs, expected.meta.clone());
        let found = Plain::of_value(&found);
        for (found, expected) in found.cells.iter().zip(&expected.cells) {
            let error = (found.float() - expected.float()).abs();
            assert!(error <= 10.0 * epsilon(dtype), "{found:?} {expected:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn slices_permutations_and_broadcasts(seed: u64) {
        check_views(seed);
    }

    #[test]
    fn any_shape_with_as_many_elements(seed: u64) {
        check_reshape(seed);
    }

    #[test]
    fn parts_written_and_put_together(seed: u64) {
        check_writes(seed);
    }

    #[test]
    fn elements_gathered_and_scattered(seed: u64) {
        check_positions(seed);
    }

    #[test]
    fn largest_and_smallest_in_order(seed: u64) {
        check_top_k(seed);
    }

    #[test]
    fn positions_that_are_not_zero(seed: u64) {
        check_non_zero(seed);
    }

    #[test]
    fn windows_and_their_sums(seed: u64) {
        check_window(seed);
    }

    #[test]
    fn a_shard_of_random_numbers_is_part_of_the_whole(seed: u64) {
        let (dice, native) = (&mut Dice(seed), native(2));
        for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
            for distribution in [Distribution::Uniform, Distribution::Normal] {
                let shape: Vec<usize> = (0..dice.below(4)).map(|_| dice.below(9)).collect();
                let random = Random {
                    distribution,
                    seed,
                    rng_index: dice.next(),
                    whole: Shape::from(&shape[..]),
                    start: shape.iter().map(|_| 0).collect(),
                };
                let meta = Meta::new(dtype, &shape[..]);
                let whole = run(&native, &Kernel::Random(random.clone().into()), tensors([]), meta);
                let whole = Plain::of_value(&whole);
                let uniform = distribution == Distribution::Uniform;
                let unit = |x: &Cell| (0.0..1.0).contains(&x.float());
                prop_assert!(!uniform || whole.cells.iter().all(unit));
                let start: Vec<usize> = shape.iter().map(|&size| dice.below(size + 1)).collect();
                let rest = |axis: usize| dice.below(shape[axis] - start[axis] + 1);
                let left: Vec<usize> = (0..shape.len()).map(rest).collect();
                let all = indices(&left);
                let expected = Plain::new(dtype, &left, |at| {
                    let place: Vec<usize> =
                        all[at].iter().zip(&start).map(|(at, start)| at + start).collect();
                    whole.at(&place)
                });
                let kernel = Kernel::Random(Random { start: start.into(), ..random }.into());
                let found = run(&native, &kernel, tensors([]), expected.meta.clone());
                assert_same(&found, &expected);
            }
        }
    }
}

#[test]
fn wrong_positions_are_named_and_change_nothing() {
    let native = native(1);
    let x = Plain::new(DType::F32, &[3, 2], |at| Cell::Int(at as i64));
    for wrong in [3, -1, i64::MIN] {
        let index = Plain::new(DType::I64, &[2, 2], |at| Cell::Int([0, 1, 2, wrong][at]));
        let message = format!("index {wrong} is out of bounds for dimension 0 with size 3");
        let expected = Error::Input { fault: Fault::Index, message };
        let out = [Meta::new(DType::F32, [2, 2])];
        let inputs = tensors([x.value(&native), index.value(&native)]);
        assert_eq!(native.run(&Kernel::Gather(0), inputs, &out).unwrap_err(), expected);
        let base = x.value(&native);
        let source = Plain::new(DType::F32, &[2, 2], |_| Cell::Int(1)).value(&native);
        let inputs = tensors([base.clone(), index.value(&native), source]);
        let out = [Meta::new(DType::F32, [3, 2])];
        assert_eq!(
            native.run(&Kernel::Scatter { axis: 0, add: true }, inputs, &out).unwrap_err(),
            expected
        );
        assert_same(&base, &x);
    }
}

#[test]
fn large_copies_are_shared_by_threads() {
    for threads in [1, 2] {
        let native = native(threads);
        for dtype in [DType::U8, DType::F32, DType::F64] {
            let x = Plain::new(dtype, &[7, 301, 203], |at| Cell::Int((at % 251) as i64));
            let value = x.value(&native);
            let meta = Meta::new(dtype, [7, 203, 301]);
            let axes = [0, 2, 1].into_iter().collect();
            let turned = run(&native, &Kernel::Permute(axes), tensors([value]), meta.clone());
            let flat = Meta::new(dtype, [7 * 203 * 301]);
            let found = run(&native, &Kernel::Reshape, tensors([turned.clone()]), flat);
            let expected = Plain::new(dtype, &[7 * 203 * 301], |at| {
                let (plane, row, column) = (at / 61103, at % 61103 / 301, at % 301);
                x.cells[plane * 61103 + column * 203 + row]
            });
            assert_same(&found, &expected);
            assert_eq!(turned.to_bytes(), found.to_bytes());
        }
    }
}

#[test]
fn constants_and_counts() {
    let native = native(2);
    for dtype in DType::SUPPORTED {
        for shape in [&[][..], &[0, 3], &[2, 3], &[100_001]] {
            let fill = Kernel::Fill(Scalar::Int(1));
            let expected = Plain::new(dtype, shape, |_| Cell::Int(1));
            assert_same(&run(&native, &fill, tensors([]), expected.meta.clone()), &expected);
            let iota = Kernel::Iota { start: Scalar::Int(3), step: Scalar::Int(-2) };
            let expected = Plain::new(dtype, shape, |at| Cell::Int(3 - 2 * at as i64));
            assert_same(&run(&native, &iota, tensors([]), expected.meta.clone()), &expected);
        }
        if dtype.is_float() {
            let iota = Kernel::Iota { start: Scalar::Float(0.5), step: Scalar::Float(0.1) };
            let expected = Plain::new(dtype, &[50], |at| Cell::Float(0.5 + 0.1 * at as f64));
            assert_same(&run(&native, &iota, tensors([]), expected.meta.clone()), &expected);
        }
    }
}

#[test]
fn views_cost_no_memory() {
    let native = native(1);
    let value = Plain::new(DType::F32, &[4, 6], |at| Cell::Int(at as i64)).value(&native);
    let used = native.pool().used_bytes();
    let meta = Meta::new(DType::F32, [6, 4]);
    let axes = [1, 0].into_iter().collect();
    let turned = run(&native, &Kernel::Permute(axes), tensors([value]), meta);
    let meta = Meta::new(DType::F32, [3, 2, 2, 2]);
    let split = run(&native, &Kernel::Reshape, tensors([turned]), meta);
    assert_eq!(
        (native.pool().used_bytes(), split.strides()[..].to_vec()),
        (used, vec![2, 1, 12, 6])
    );
    drop(split);
    assert_eq!(native.pool().used_bytes(), 0);
}
