//! A picture of a pipeline in simulated time: `cargo run --release --example pipeline > out.svg`.

#![expect(clippy::print_stdout, reason = "a program that prints what it draws")]

use gt_sim::pipeline::{Busy, Course, Training};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 80.0;
const ROW: f64 = 26.0;

fn main() {
    let (mut out, mut top) = (String::new(), 10.0);
    for (stages, micro_batches) in [(2, 8), (4, 16)] {
        let layers = vec![4; stages];
        let training = Training { layers, workers: 1, micro_batches, rows: 256, width: 256 };
        let course = training.run();
        out += &draw(&course, (stages, micro_batches), top);
        top += 40.0 + ROW * stages as f64;
    }
    let width = LEFT + WIDTH + 80.0;
    println!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {top}\" width=\"{width}\" \
         height=\"{top}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{top}\" fill=\"white\"/>\n{out}</svg>"
    );
}

/// A row for each worker; a box for each plan, longer ones with a backward pass in another colour.
fn draw(course: &Course, (stages, micro_batches): (usize, usize), top: f64) -> String {
    let scale = WIDTH / course.end_ns as f64;
    let length = |busy: &Busy| busy.end_ns - busy.begin_ns;
    let forward_ns = course.busy.iter().map(length).filter(|ns| *ns > 100_000).min().unwrap_or(0);
    let end_ms = course.end_ns as f64 / 1e6;
    let mut out = format!(
        "<text x=\"{LEFT}\" y=\"{}\">{stages} stages, {micro_batches} micro-batches, {end_ms:.0} \
         ms</text>\n",
        top + 12.0
    );
    for (worker, part) in course.utilisation().into_iter().enumerate() {
        let y = top + 34.0 + ROW * worker as f64;
        let (right, percent) = (LEFT + WIDTH + 8.0, 100.0 * part);
        out += &format!("<text x=\"10\" y=\"{y}\">worker {worker}</text>\n");
        out += &format!("<text x=\"{right}\" y=\"{y}\">{percent:.0} %</text>\n");
    }
    for busy in &course.busy {
        let is_forward = length(busy) < 3 * forward_ns / 2;
        let colour = if is_forward { "#4c78a8" } else { "#f58518" };
        let (x, wide) = (LEFT + scale * busy.begin_ns as f64, scale * length(busy) as f64);
        let (y, high) = (top + 20.0 + ROW * busy.worker as f64, ROW - 6.0);
        out += &format!(
            "<rect x=\"{x:.1}\" y=\"{y}\" width=\"{wide:.1}\" height=\"{high}\" fill=\"{colour}\" \
             stroke=\"white\" stroke-width=\"0.5\"/>\n"
        );
    }
    out
}
