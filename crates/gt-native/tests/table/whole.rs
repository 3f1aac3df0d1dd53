//! Composites that an engine computes in one piece, against their expansions: the same numbers up
//! to rounding, and the same bits for any number of threads.

use gt_core::attrs::{Attr, Attrs};
use gt_core::expr::Term;
use gt_core::op::{Arg, Call, Op};
use gt_core::{DType, Meta, Shape, ops};

use crate::common::array::{Array, Dice};
use crate::common::native::NativeKernels;
use crate::common::{Kernels, Machine, args};

const CASES: u64 = 300;

/// Computes a call in one piece with one and with three threads, and by its expansion. Says whether
/// it is taken whole.
fn compare(name: &str, inputs: &[Array], attrs: &Attrs, what: &str) -> bool {
    let op: &'static Op = ops::by_name(name).expect("a row");
    let terms: Vec<Term<Array>> = inputs.iter().cloned().map(Term::Value).collect();
    let args: Vec<Arg> = args(&terms);
    let call = Call::checked(op, &args, attrs).expect("a call");
    let outputs = call.infer().unwrap_or_else(|error| panic!("{what}: {error}")).outputs;
    let [alone, team] = [1, 3].map(NativeKernels::new);
    let Some(found) = alone.run_whole(&call, &terms, &outputs) else { return false };
    let found = found.unwrap_or_else(|error| panic!("{what}: {error}"));
    let shared = team.run_whole(&call, &terms, &outputs).expect("it is taken").expect("it runs");
    let expanded = Machine { kernels: &alone }.expand(&call, &terms).expect("it expands");
    for (index, found) in found.iter().enumerate() {
        assert_eq!(found.meta, outputs[index], "{what}");
        let bits = |array: &Array| array.data.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(found), bits(&shared[index]), "{what}: threads change bits");
        // Sums are taken in another order, so that what is left of a sum may be as far off as the
        // largest of them.
        let largest = expanded[index].data.iter().filter(|x| x.is_finite()).map(|x| x.abs());
        let largest = largest.fold(1.0, f64::max);
        let tolerance = if found.meta.dtype == DType::F64 { 1e-13 } else { 5e-6 };
        let pairs = found.data.iter().zip(&expanded[index].data);
        for (at, (&found, &expected)) in pairs.enumerate() {
            let same = found == expected || (found.is_nan() && expected.is_nan());
            let near = (found - expected).abs() <= tolerance * largest;
            assert!(same || near, "{what}, result {index} at {at}: {found}, not {expected}");
        }
    }
    true
}

fn both(values: [usize; 2]) -> Attr {
    Attr::from(values.as_slice())
}

#[test]
fn convolutions_and_their_gradients_agree_with_their_windows() {
    let mut dice = Dice(15);
    let mut taken = 0;
    for case in 0..CASES {
        let mut two = |low: usize, many: usize| [0, 1].map(|_| low + dice.below(many));
        let (size, stride, dilation) = (two(1, 4), two(1, 3), two(1, 2));
        let padding = two(0, 3);
        let room = two(0, if case % 10 == 0 { 90 } else { 12 });
        let reach = [0, 1].map(|axis| dilation[axis] * (size[axis] - 1) + 1);
        let [height, width] =
            [0, 1].map(|axis| (reach[axis] + room[axis]).saturating_sub(2 * padding[axis]).max(1));
        let grid = [height, width];
        let results = [0, 1].map(|axis| {
            let padded = grid[axis] + 2 * padding[axis];
            (padded >= reach[axis]).then(|| (padded - reach[axis]) / stride[axis] + 1)
        });
        let [Some(rows), Some(columns)] = results else { continue };
        let groups = [1, 1, 2, 3][dice.below(4)];
        let (images, part, made) = (1 + dice.below(5), 1 + dice.below(9), 1 + dice.below(19));
        let dtype = [DType::F32, DType::F64][dice.below(2)];
        let mut array = |sizes: [usize; 4]| dice.array(Meta::new(dtype, sizes));
        let x = array([images, groups * part, height, width]);
        let w = array([groups * made, part, size[0], size[1]]);
        let g = array([images, groups * made, rows, columns]);
        let groups = Attr::Int(groups as i64);
        let left = [0, 1].map(|axis| {
            let results = [rows, columns][axis];
            grid[axis] + 2 * padding[axis] - (results - 1) * stride[axis] - reach[axis]
        });
        let [stride, padding, dilation, size] = [stride, padding, dilation, size].map(both);
        let what = format!("case {case}: {} {} {stride:?} {padding:?}", x.meta, w.meta);
        let attrs = Attrs::of([stride.clone(), padding.clone(), dilation.clone(), groups.clone()]);
        taken += usize::from(compare("conv2d", &[x.clone(), w.clone()], &attrs, &what));
        let attrs =
            Attrs::of([size, stride.clone(), padding.clone(), dilation.clone(), groups.clone()]);
        taken += usize::from(compare("conv2d_weight", &[x, g.clone()], &attrs, &what));
        let attrs = Attrs::of([stride, padding, both(left), groups, dilation]);
        taken += usize::from(compare("conv_transpose2d", &[g, w], &attrs, &what));
    }
    assert!(taken > 500, "only {taken} were computed in one piece");
}

#[test]
fn an_infinity_reaches_the_filters_that_see_it() {
    let meta = |sizes: [usize; 4]| Meta::new(DType::F32, sizes);
    let mut x = Array::full(meta([2, 1, 6, 7]), 0.5);
    // The first element of an image lies under the first element of a filter only.
    x.data[0] = f64::INFINITY;
    let g = Array::full(meta([2, 3, 4, 5]), 0.25);
    let attrs = [both([3, 3]), both([1, 1]), both([0, 0]), both([1, 1]), Attr::Int(1)];
    assert!(compare("conv2d_weight", &[x, g], &Attrs::of(attrs), "an infinity"));
}

#[test]
fn standardising_and_softmax_agree_with_their_parts() {
    let mut dice = Dice(16);
    let mut taken = 0;
    for case in 0..CASES {
        let dtype = [DType::F32, DType::F64][dice.below(2)];
        let sizes = [1 + dice.below(5), 1 + dice.below(6), 1 + dice.below(99)];
        let axes: &[i64] = [&[-1i64][..], &[0, 2], &[1, 2], &[0, 1], &[0, 1, 2]][dice.below(5)];
        let what = format!("case {case}: {sizes:?} along {axes:?}");
        let mut kept = sizes;
        axes.iter().for_each(|axis| kept[axis.rem_euclid(3) as usize] = 1);
        let mut array = |sizes: [usize; 3]| dice.array(Meta::new(dtype, sizes));
        let (x, grad) = (array(sizes), array(sizes));
        let [mean_grad, rstd_grad, rstd] = [array(kept), array(kept), array(kept)];
        let along = Attr::Ints(axes.iter().copied().collect());
        let attrs = Attrs::of([along.clone(), Attr::Float(1e-5)]);
        taken += usize::from(compare("standardize", std::slice::from_ref(&x), &attrs, &what));
        taken += usize::from(compare("rms_standardize", std::slice::from_ref(&x), &attrs, &what));
        let along = Attrs::of([along]);
        let inputs = [grad.clone(), rstd_grad.clone(), x.clone(), rstd.clone()];
        taken += usize::from(compare("rms_standardize_grad", &inputs, &along, &what));
        let inputs = [grad.clone(), mean_grad, rstd_grad, x.clone(), rstd];
        taken += usize::from(compare("standardize_grad", &inputs, &along, &what));
        let last = Attrs::of([Attr::Int(-1)]);
        for name in ["softmax", "log_softmax"] {
            taken += usize::from(compare(name, std::slice::from_ref(&x), &last, &what));
            let inputs = [grad.clone(), x.clone()];
            taken += usize::from(compare(&format!("{name}_grad"), &inputs, &last, &what));
        }
    }
    assert!(taken > 1200, "only {taken} were computed in one piece");
}

#[test]
fn layer_normalisation_agrees_with_its_parts() {
    let mut dice = Dice(17);
    for case in 0..CASES {
        let dtype = [DType::F32, DType::F64][dice.below(2)];
        // Many rows are added up in several blocks, and many columns in several tasks.
        let many = [1, if case % 10 == 0 { 60 } else { 1 }][dice.below(2)];
        let rows = [1 + dice.below(5), 1 + dice.below(6) * many];
        let row = [1 + dice.below(3), 1 + dice.below(if many > 1 { 300 } else { 99 })];
        let lead = dice.below(3);
        let shape = [rows[0], rows[1], row[0], row[1]];
        let (shape, weight) = (&shape[2 - lead..], &row);
        let kept: Vec<usize> = shape[..lead].iter().copied().chain([1, 1]).collect();
        let what = format!("case {case}: {shape:?}");
        let mut array = |sizes: &[usize]| dice.array(Meta::new(dtype, Shape::from(sizes)));
        let (x, grad) = (array(shape), array(shape));
        let (weight, bias) = (array(weight), array(weight));
        let moments = [array(&kept), array(&kept), array(&kept), array(&kept)];
        let attrs = Attrs::of([Attr::Float(1e-5)]);
        let inputs = [x.clone(), weight.clone(), bias];
        assert!(compare("layer_norm_affine", &inputs, &attrs, &what), "{what}");
        let [mean_grad, rstd_grad, mean, rstd] = moments;
        let inputs = [grad, mean_grad, rstd_grad, x, weight, mean, rstd];
        assert!(compare("layer_norm_affine_backward", &inputs, &Attrs::none(), &what), "{what}");
    }
}

#[test]
fn a_softmax_of_what_is_not_finite_is_that_of_its_parts() {
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut x = Array::full(Meta::new(DType::F32, [3, 40]), 0.5);
        x.data[50] = odd;
        x.data[80..].fill(odd);
        for name in ["softmax", "log_softmax"] {
            let attrs = Attrs::of([Attr::Int(-1)]);
            assert!(compare(name, std::slice::from_ref(&x), &attrs, &format!("{name} of {odd}")));
        }
    }
}

#[test]
fn largest_elements_and_their_gradients_agree_with_their_windows() {
    let mut dice = Dice(17);
    let mut taken = 0;
    for case in 0..CASES {
        let mut two = |low: usize, many: usize| [0, 1].map(|_| low + dice.below(many));
        let (size, stride, dilation, grid) = (two(1, 4), two(1, 3), two(1, 2), two(1, 40));
        let padding = two(0, 3);
        let results = [0, 1].map(|axis| {
            let reach = dilation[axis] * (size[axis] - 1) + 1;
            let room = (grid[axis] + 2 * padding[axis]).checked_sub(reach);
            room.filter(|_| 2 * padding[axis] <= size[axis]).map(|room| room / stride[axis] + 1)
        });
        let [Some(rows), Some(columns)] = results else { continue };
        let (images, channels) = (1 + dice.below(3), 1 + dice.below(4));
        let dtype = [DType::F32, DType::F64][dice.below(2)];
        let x = dice.array(Meta::new(dtype, [images, channels, grid[0], grid[1]]));
        let shape = [images, channels, rows, columns];
        let grad = dice.array(Meta::new(dtype, shape));
        let elements = size[0] * size[1];
        let places = Array::from_fn(Meta::new(DType::I64, shape), |_| dice.below(elements) as f64);
        let what = format!("case {case}: {} {size:?} {stride:?} {padding:?}", x.meta);
        let window = [size, stride, padding, dilation].map(both);
        let attrs = Attrs::of(window.clone());
        taken += usize::from(compare("max_pool2d_with_places", &[x], &attrs, &what));
        let attrs = Attrs::of([both(grid)].into_iter().chain(window));
        taken += usize::from(compare("max_pool2d_grad", &[grad, places], &attrs, &what));
    }
    assert!(taken > 100, "only {taken} were computed in one piece");
}

#[test]
fn steps_of_an_lstm_and_their_gradients_agree_with_single_operations() {
    let mut dice = Dice(18);
    let mut taken = 0;
    for case in 0..60 {
        let dtype = [DType::F32, DType::F64][dice.below(2)];
        let (steps, batch, hidden) = (1 + dice.below(6), 1 + dice.below(40), 1 + dice.below(70));
        let what = format!("case {case}: {steps} steps of {batch} x {hidden}");
        let mut array = |sizes: &[usize]| dice.array(Meta::new(dtype, Shape::from(sizes)));
        let (states, gates) = ([steps, batch, hidden], [steps, 4, batch, hidden]);
        let (weight, state) = ([4 * hidden, hidden], [batch, hidden]);
        let given = [steps, batch, 4 * hidden];
        let inputs = [array(&given), array(&weight), array(&state), array(&state)];
        taken += usize::from(compare("lstm_steps", &inputs, &Attrs::of([]), &what));
        let inputs = [&states[..], &states, &gates, &weight, &gates, &states, &state];
        let inputs = inputs.map(array);
        taken += usize::from(compare("lstm_steps_backward", &inputs, &Attrs::of([]), &what));
    }
    assert_eq!(taken, 120, "some were not computed in one piece");
}

#[test]
fn steps_of_a_gru_and_their_gradients_agree_with_single_operations() {
    let mut dice = Dice(23);
    let mut taken = 0;
    for case in 0..60 {
        let dtype = [DType::F32, DType::F64][dice.below(2)];
        let (steps, batch, hidden) = (1 + dice.below(6), 1 + dice.below(40), 1 + dice.below(70));
        let what = format!("case {case}: {steps} steps of {batch} x {hidden}");
        let mut array = |sizes: &[usize]| dice.array(Meta::new(dtype, Shape::from(sizes)));
        let (states, gates) = ([steps, batch, hidden], [steps, 4, batch, hidden]);
        let (weight, state) = ([3 * hidden, hidden], [batch, hidden]);
        let given = [steps, batch, 3 * hidden];
        let inputs = [array(&given), array(&weight), array(&[3 * hidden]), array(&state)];
        taken += usize::from(compare("gru_steps", &inputs, &Attrs::of([]), &what));
        let inputs = [&states[..], &gates, &weight, &gates, &states, &state].map(array);
        taken += usize::from(compare("gru_steps_backward", &inputs, &Attrs::of([]), &what));
    }
    assert_eq!(taken, 120, "some were not computed in one piece");
}

#[test]
fn attention_and_its_gradients_agree_with_single_operations() {
    let mut dice = Dice(19);
    let mut taken = 0;
    for case in 0..60 {
        let dtype = [DType::F32, DType::F64][dice.below(2)];
        // Queries are looked at in groups of 64, of which there are up to three.
        let (stacks, queries, keys) = (1 + dice.below(4), 1 + dice.below(150), 1 + dice.below(150));
        let (depth, width, causal) = (1 + dice.below(20), 1 + dice.below(20), dice.below(2) == 0);
        let what = format!("case {case}: {stacks} x {queries} x {keys}, causal {causal}");
        let attrs = Attrs::of([Attr::Float(0.3), causal.into()]);
        let mut array = |sizes: [usize; 2]| {
            dice.array(Meta::new(dtype, Shape::from([stacks, sizes[0], sizes[1]])))
        };
        let inputs = [[queries, depth], [keys, depth], [keys, width]].map(&mut array);
        taken += usize::from(compare("attend", &inputs, &attrs, &what));
        let [result, total] = [[queries, width], [queries, 1]];
        let inputs = [result, total, [queries, depth], [keys, depth], [keys, width], result, total];
        let inputs = inputs.map(array);
        taken += usize::from(compare("attend_backward", &inputs, &attrs, &what));
    }
    assert_eq!(taken, 120, "some were not computed in one piece");
}

#[test]
fn a_query_whose_products_are_minus_infinity_has_no_weights() {
    let mut dice = Dice(20);
    for (case, dtype) in [DType::F32, DType::F64].into_iter().cycle().take(20).enumerate() {
        let vast = if dtype == DType::F32 { 1e30 } else { 1e200 };
        let (queries, keys, depth) = (1 + dice.below(80), 1 + dice.below(80), 1 + dice.below(5));
        let causal = dice.below(2) == 0;
        let what = format!("case {case}: {queries} x {keys}, causal {causal}");
        let attrs = Attrs::of([Attr::Float(0.3), causal.into()]);
        let array = |sizes: [usize; 2]| Array::full(Meta::new(dtype, sizes), 0.0);
        let (mut query, mut key) = (array([queries, depth]), array([keys, depth]));
        query.data[..depth].fill(vast);
        key.data.fill(-vast);
        let value = dice.array(Meta::new(dtype, [keys, 3]));
        let inputs = [query, key, value];
        assert!(compare("attend", &inputs, &attrs, &what), "{what}");
        let terms: Vec<Term<Array>> = inputs.iter().cloned().map(Term::Value).collect();
        let kernels = NativeKernels::new(1);
        let op = ops::by_name("attend").expect("a row");
        let found = Machine { kernels: &kernels }.run(op, &terms, &attrs).expect("it runs");
        let [result, total] = &found[..] else { panic!("two results") };
        assert_eq!(result.data[..3], [0.0; 3], "{what}");
        assert_eq!(total.data[0], f64::NEG_INFINITY, "{what}");
        let grads = [3, 1].map(|width| dice.array(Meta::new(dtype, [queries, width])));
        let inputs = [&grads[..], &inputs, &found].concat();
        assert!(compare("attend_backward", &inputs, &attrs, &what), "{what}");
        let terms: Vec<Term<Array>> = inputs.into_iter().map(Term::Value).collect();
        let op = ops::by_name("attend_backward").expect("a row");
        let slopes = Machine { kernels: &kernels }.run(op, &terms, &attrs).expect("it runs");
        assert_eq!(slopes[0].data[..depth], vec![0.0; depth], "{what}");
        assert!(slopes.iter().flat_map(|slope| &slope.data).all(|x| x.is_finite()), "{what}");
    }
}

#[test]
fn weights_of_a_query_that_sees_no_key_are_zeros() {
    let kernels = NativeKernels::new(1);
    let machine = Machine { kernels: &kernels };
    let op = ops::by_name("safe_softmax").expect("a row");
    for dtype in [DType::F16, DType::F32, DType::F64] {
        let mut scores = Array::full(Meta::new(dtype, [3, 4]), f64::NEG_INFINITY);
        // The first query sees two keys alike, the second none, and the third has no number.
        scores.data[..2].fill(1.0);
        scores.data[8] = f64::NAN;
        let terms = [Term::Value(scores)];
        let attrs = Attrs::of([Attr::Int(-1)]);
        let found = machine.run(op, &terms, &attrs).expect("it runs").remove(0);
        assert_eq!(found.data[..8], [0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "{dtype}");
        assert!(found.data[8..].iter().all(|weight| weight.is_nan()), "{dtype}: {found:?}");
    }
}
