//! Prints what the dispatcher sends for random programs, as a number for each seed. A change of its
//! structure that is to change nothing else is compared with the commit before:
//! `cargo run --release -p gt-sim --example fingerprint -- 10000 > before`.

#![expect(clippy::print_stdout, reason = "it prints its results")]

use gt_sim::{Dice, Program, Settings, Simulation};
use gt_worker::Window;

const CLIENTS: usize = 2;
const STEPS: usize = 24;

fn main() {
    let seeds = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1000);
    for seed in 0..seeds {
        println!("{seed} {:016x}", fingerprint(seed));
    }
}

fn fingerprint(seed: u64) -> u64 {
    let mut dice = Dice::new(seed);
    let random = [Program::random, Program::random_cut, Program::random_on_meshes];
    let random = *dice.choose(&random);
    let workers = *dice.choose(&[1, 2, 3, 4, 6]);
    let settings =
        Settings { seed, clients: CLIENTS, workers, window: Window::default(), busy_ns: 0 };
    let mut simulation = Simulation::new(settings);
    for client in 0..CLIENTS {
        simulation.say(client, random(seed, seed + client as u64, STEPS).sayings);
    }
    let mut drained = None;
    while simulation.step() {
        // One worker in a while is drained, and used again.
        if dice.once_in(100) {
            match drained.take() {
                Some(worker) => simulation.undrain(worker),
                None => drained = Some(dice.below(workers)).filter(|it| simulation.drain(*it)),
            }
        }
    }
    simulation.fingerprint()
}
