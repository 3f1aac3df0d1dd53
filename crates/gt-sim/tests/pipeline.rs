//! Layers on workers one after another: how much of the time they are at work, and how many
//! micro-batches they keep. Forward and backward of a micro-batch follow each other in the stream,
//! as an ordinary loop says them.

use gt_sim::pipeline::{Course, Training};

/// Stages of four layers each.
fn training(stages: usize, micro_batches: usize) -> Training {
    Training { layers: vec![4; stages], workers: 1, micro_batches, rows: 256, width: 256 }
}

fn least(course: &Course) -> f64 {
    course.utilisation().into_iter().fold(1.0, f64::min)
}

/// The most micro-batches of which a worker had the activations of all its layers.
fn micro_batches_held(training: &Training, course: &Course) -> f64 {
    let held = |(worker, bytes): (usize, &usize)| {
        let layers = training.layers[worker / training.workers];
        *bytes as f64 / (training.activation_bytes() * layers) as f64
    };
    course.activation_bytes.iter().enumerate().map(held).fold(0.0, f64::max)
}

#[test]
fn equal_stages_are_busy() {
    // The best there is: 8 of 9 parts of the time for two stages, 16 of 19 for four.
    for (stages, micro_batches, wanted) in [(2, 8, 0.80), (4, 16, 0.75)] {
        // Products from 50 µs to 3 ms.
        for width in [128, 256, 512] {
            let course = Training { rows: width, width, ..training(stages, micro_batches) }.run();
            let found = least(&course);
            assert!(found >= wanted, "{stages} stages of {width}: {:?}", course.utilisation());
        }
    }
}

#[test]
fn however_many_micro_batches_there_are_few_are_under_way() {
    for layers in [vec![4; 2], vec![4; 4], vec![1, 8], vec![1, 1, 8, 1]] {
        let mut most = Vec::new();
        for micro_batches in [16, 64] {
            let training = Training { layers: layers.clone(), ..training(2, micro_batches) };
            let course = training.run();
            let held = &course.activation_bytes;
            most.push(held.iter().max().copied());
            // A stage of one layer has what it was given and what it gives beside that.
            let few = micro_batches_held(&training, &course) <= 6.0 * 3.0;
            let equal = layers.iter().all(|&count| count == 4);
            let found = micro_batches_held(&training, &course);
            assert!(few && (!equal || found <= 6.0), "{layers:?}: {found} micro-batches, {held:?}");
        }
        assert_eq!(most[0], most[1], "{layers:?} needs more for more micro-batches");
    }
}

#[test]
fn stages_of_several_workers_are_as_busy() {
    for (stages, micro_batches, wanted) in [(2, 8, 0.80), (4, 16, 0.75)] {
        for width in [128, 256, 512] {
            let pairs = Training { workers: 2, ..training(stages, micro_batches) };
            let pairs = Training { rows: 2 * width, width, ..pairs };
            let course = pairs.run();
            let (found, held) = (least(&course), micro_batches_held(&pairs, &course));
            assert!(found >= wanted, "{stages} pairs of {width}: {:?}", course.utilisation());
            // Beside those of a worker alone there is what waits to be agreed on.
            assert!(held <= 7.0, "{stages} pairs of {width} hold {held} micro-batches");
        }
    }
}
