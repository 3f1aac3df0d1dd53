//! Moves of several sessions between the same workers, one after another and in any order: none
//! waits without end, whatever the sizes and however short memory is. Mistakes that would make them
//! wait are made on purpose, and found.

mod common;

use std::cell::Cell;

use common::for_each_seed;
use gt_core::instruction::Command;
use gt_core::placement::Wish;
use gt_core::{Error, RequestId, ScopeId};
use gt_sim::cluster::{Cluster, Defect, Faults};
use gt_sim::data_network::Troubles;
use gt_sim::script::Saying;
use gt_sim::{Dice, Script};
use gt_transport::Message;
use gt_transport::transfers::Held;

/// Some pieces of a move travel inside messages, and some apart from them.
const SHAPES: [[usize; 2]; 3] = [[20, 12], [96, 72], [130, 100]];

struct Program {
    script: Script,
    reads: Vec<(RequestId, f32)>,
    /// How often all of a value travels.
    rounds: usize,
}

/// A value that is cut along one axis and then along the other, again and again, so that all of it
/// travels each time. Its elements are all the same number, like nobody else's.
fn program(dice: &mut Dice, client: usize, workers: usize) -> Program {
    let mut script = Script::default();
    let count = 2 + dice.below(workers - 1) as u32;
    for axis in 0..2 {
        let (scope, parent) = (ScopeId(axis + 1), ScopeId(0));
        let (name, wish) = ("layer".into(), Some(Wish::sharded(axis as i32, 0..count)));
        script.command(Command::DefineScope { scope, parent, name, wish });
    }
    let (shape, first) = (*dice.choose(&SHAPES), (client + 1) as f32);
    let numbers = vec![first; shape.iter().product()];
    let bases = [1, 2].map(|scope| {
        script.command(Command::Scope(ScopeId(scope)));
        script.numbers(shape, &numbers)
    });
    let (mut value, mut number, mut reads) = (bases[0], first, Vec::new());
    let rounds = 3 + dice.below(10);
    for step in 1..=rounds {
        script.command(Command::Scope(ScopeId(step as u32 % 2 + 1)));
        let sum = script.say(&format!("add {value} {}", bases[step % 2]));
        if value != bases[0] {
            script.free(value);
        }
        (value, number) = (sum, number + first);
        if dice.once_in(4) {
            reads.push((script.read(value), number));
        }
    }
    reads.push((script.read(value), number));
    for slot in [value, bases[0], bases[1]] {
        script.free(slot);
    }
    Program { script, reads, rounds }
}

/// The programs of a seed, and how many workers they are for.
fn programs(seed: u64, clients: Option<usize>) -> (Vec<Program>, usize) {
    let mut dice = Dice::new(seed ^ 0xdead);
    let workers = 2 + dice.below(3);
    let clients = clients.unwrap_or(2 + dice.below(2));
    ((0..clients).map(|client| program(&mut dice, client, workers)).collect(), workers)
}

/// Runs the programs of a seed: how many reads had no memory, or what is wrong.
fn run(seed: u64, clients: Option<usize>, faults: Faults) -> Result<usize, String> {
    let (mut programs, workers) = programs(seed, clients);
    let mut cluster = Cluster::new(seed, workers, programs.len(), faults);
    for (client, program) in programs.iter_mut().enumerate() {
        cluster.say(client, program.script.take());
    }
    let is_over = |cluster: &Cluster| {
        programs.iter().enumerate().all(|(client, program)| {
            let answers = cluster.client(client).answers();
            program.reads.iter().all(|(request, _)| answers.contains_key(request))
        })
    };
    steps(&mut cluster, is_over).ok_or("a read is not answered")?;
    let mut failed = 0;
    for (client, program) in programs.iter().enumerate() {
        let answers = cluster.client(client).answers();
        for (request, number) in &program.reads {
            check(&answers[request], *number, faults)
                .map_err(|why| format!("client {client}, {request}: {why}"))?;
            failed += usize::from(answers[request].is_err());
        }
        cluster.say(client, [Saying::Message(Message::Bye)]);
    }
    (0..3000).for_each(|_| cluster.step());
    cluster.end_clients();
    let is_empty = |cluster: &Cluster| {
        let held = cluster.data.held();
        cluster.used_bytes() == 0 && held.iter().all(|(_, held)| *held == Held::default())
    };
    steps(&mut cluster, is_empty).ok_or("something is kept")?;
    Ok(failed)
}

fn steps(cluster: &mut Cluster, is_over: impl Fn(&Cluster) -> bool) -> Option<()> {
    (0..200_000).find(|step| {
        // Looked at now and then, because that takes longer than a step.
        let over = step % 16 == 0 && is_over(cluster);
        cluster.step();
        over
    })?;
    Some(())
}

/// A value is right, or there was no memory for it.
fn check(answer: &gt_sim::client::Answer, number: f32, faults: Faults) -> Result<(), String> {
    match answer {
        Ok(value) => {
            let (numbers, rest) = value.data.as_chunks::<4>();
            let is_right = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes) == number;
            let right = rest.is_empty() && numbers.iter().all(is_right);
            right.then_some(()).ok_or_else(|| "other numbers".to_string())
        }
        Err(failure) => {
            let is_short = faults.memory_bytes < Faults::NONE.memory_bytes;
            let expected = is_short && matches!(failure.error, Error::OutOfMemory(_));
            expected.then_some(()).ok_or_else(|| failure.error.to_string())
        }
    }
}

#[test]
fn moves_of_several_sessions_end() {
    for_each_seed(600, |seed| assert_eq!(run(seed, None, Faults::NONE), Ok(0)));
}

#[test]
fn moves_end_where_connections_are_cut() {
    let data = Troubles { cuts: 5, ..Troubles::NONE };
    let faults = Faults { data, breaks: 2, ..Faults::NONE };
    for_each_seed(600, |seed| assert_eq!(run(seed, None, faults), Ok(0)));
}

#[test]
fn moves_end_where_memory_is_short() {
    let short = Cell::new(0);
    for_each_seed(600, |seed| {
        let memory_bytes = 50_000 + 5_000 * (seed as usize % 80);
        let failed = run(seed, None, Faults { memory_bytes, ..Faults::NONE }).unwrap();
        short.set(short.get() + usize::from(failed > 0));
    });
    println!("memory was short for {} seeds", short.get());
    assert!(short.get() > 0 || std::env::var_os("GT_SIM_SEED").is_some());
}

/// The seeds of so many for which a mistake is found.
fn caught(seeds: u64, clients: Option<usize>, defect: Defect) -> Vec<u64> {
    let faults = Faults { defect: Some(defect), ..Faults::NONE };
    (0..seeds).filter(|&seed| run(seed, clients, faults).is_err()).collect()
}

#[test]
fn a_credit_that_sessions_share_is_found() {
    // A session alone has the credit to itself, and its oldest value can always come.
    assert_eq!(caught(40, Some(1), Defect::SharedCredit), []);
    let caught = caught(120, None, Defect::SharedCredit);
    println!("found with the seeds {caught:?}");
    assert!(!caught.is_empty());
}

#[test]
fn a_move_that_holds_the_executor_is_found() {
    let caught = caught(40, None, Defect::HeldExecutor);
    println!("found with the seeds {caught:?}");
    assert!(!caught.is_empty());
}

/// Runs programs of four clients at a time, until all of their values have travelled so often.
fn rounds_of_four_clients_end(wanted: usize) {
    let (mut rounds, mut seed) = (0, 1 << 32);
    while rounds < wanted {
        assert_eq!(run(seed, Some(4), Faults::NONE), Ok(0), "seed {seed}");
        rounds += programs(seed, Some(4)).0.iter().map(|program| program.rounds).sum::<usize>();
        seed += 1;
    }
}

#[test]
fn moves_of_four_clients_end_for_thousands_of_rounds() {
    rounds_of_four_clients_end(3_000);
}

#[test]
#[ignore = "takes minutes; `make soak` runs it"]
fn moves_of_four_clients_end_for_a_hundred_thousand_rounds() {
    rounds_of_four_clients_end(100_000);
}
