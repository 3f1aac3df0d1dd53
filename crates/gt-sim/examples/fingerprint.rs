//! Prints what the dispatcher does with random programs, a line for each seed: a number that
//! depends on every byte it sends, one that depends on every bit its clients are answered, and how
//! many bytes workers hand over. A change that is to leave one of these alone is compared with the
//! commit before: `cargo run --release -p gt-sim --example fingerprint -- 10000 > before`. With
//! `calm` no worker is drained meanwhile, so that answers and bytes do not depend on the order of
//! messages.

#![expect(clippy::print_stdout, reason = "it prints its results")]

use std::hash::{DefaultHasher, Hash, Hasher};

use gt_sim::{Dice, Program, Settings, Simulation};
use gt_worker::Window;

const CLIENTS: usize = 2;
const STEPS: usize = 24;

fn main() {
    let seeds = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1000);
    let drains = std::env::args().nth(2).is_none_or(|word| word != "calm");
    for seed in 0..seeds {
        println!("{seed} {}", fingerprint(seed, drains));
    }
}

fn fingerprint(seed: u64, drains: bool) -> String {
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
        if drains && dice.once_in(100) {
            match drained.take() {
                Some(worker) => simulation.undrain(worker),
                None => drained = Some(dice.below(workers)).filter(|it| simulation.drain(*it)),
            }
        }
    }
    let mut answers = DefaultHasher::new();
    for (request, answer) in (0..CLIENTS).flat_map(|client| simulation.client(client).answers()) {
        request.hash(&mut answers);
        match answer {
            Ok(value) => value.data.hash(&mut answers),
            Err(failure) => failure.error.to_string().hash(&mut answers),
        }
    }
    let sessions = simulation.dispatcher().sessions();
    let moved: u64 = sessions.map(|(_, session)| session.modifiers().reshard_bytes).sum();
    format!("{:016x} {:016x} {moved}", simulation.fingerprint(), answers.finish())
}
