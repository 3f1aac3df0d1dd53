//! Programs whose values travel apart from messages, on a wire where everything breaks: no value is
//! wrong or another session's, every read is answered, and nothing is kept.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{for_each_seed, message};
use gt_core::{RequestId, Slot};
use gt_sim::cluster::{Cluster, Faults};
use gt_sim::data_network::Ways;
use gt_sim::script::Saying;
use gt_sim::{Dice, Script};
use gt_transport::Message;
use gt_transport::transfers::Held;

/// More than a message may carry.
const LENGTH: usize = 1500;

struct Program {
    script: Script,
    reads: Vec<(RequestId, Vec<f32>)>,
}

/// Uploads, sums and reads of one client, whose numbers are like nobody else's.
fn program(dice: &mut Dice, client: usize) -> Program {
    let mut script = Script::default();
    let (mut values, mut reads): (Vec<(Slot, Vec<f32>)>, Vec<_>) = Default::default();
    for step in 0..4 + dice.below(14) {
        match dice.below(4) {
            1 if values.len() > 1 => {
                let (a, b) = (dice.below(values.len()), dice.below(values.len()));
                let out = script.say(&format!("add {} {}", values[a].0, values[b].0));
                let sum = values[a].1.iter().zip(&values[b].1).map(|(a, b)| a + b).collect();
                values.push((out, sum));
            }
            2 if !values.is_empty() => {
                let (slot, numbers) = dice.choose(&values).clone();
                let request = script.read(slot);
                reads.push((request, numbers));
                if dice.once_in(2) {
                    script.push(Saying::Await(request));
                }
            }
            3 if values.len() > 3 => {
                let (slot, _) = values.swap_remove(dice.below(values.len()));
                script.free(slot);
            }
            _ => {
                let first = (client * 1000 + step * 10) as f32;
                let numbers: Vec<f32> = (0..LENGTH).map(|at| first + (at % 7) as f32).collect();
                values.push((script.numbers([LENGTH], &numbers), numbers));
            }
        }
    }
    for (slot, numbers) in values {
        let request = script.read(slot);
        script.push(Saying::Await(request));
        reads.push((request, numbers));
        script.free(slot);
    }
    Program { script, reads }
}

fn live(cluster: &mut Cluster, programs: &mut [Program], may_lose: bool) {
    for (client, program) in programs.iter_mut().enumerate() {
        cluster.say(client, program.script.take());
    }
    let is_over = |cluster: &Cluster, programs: &[Program]| {
        programs.iter().enumerate().all(|(index, program)| {
            let client = cluster.client(index);
            let is_answered =
                |(request, _): &(RequestId, _)| client.answers().contains_key(request);
            client.ended().is_some() || program.reads.iter().all(is_answered)
        })
    };
    for step in 0..400_000 {
        if step == 20_000 {
            cluster.calm();
        }
        if is_over(cluster, programs) {
            break;
        }
        cluster.step();
    }
    assert!(is_over(cluster, programs), "a read is not answered");
    for (index, program) in programs.iter().enumerate() {
        let client = cluster.client(index);
        assert!(client.ended().is_none() || may_lose, "{:?}", client.ended());
        for (request, numbers) in &program.reads {
            match client.answers().get(request) {
                Some(Ok(value)) => {
                    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
                    assert!(value.data == bytes, "client {index}, {request}: other numbers");
                }
                Some(Err(failure)) => assert!(may_lose, "client {index}: {}", failure.error),
                None => assert!(may_lose, "client {index}: no answer to {request}"),
            }
        }
    }
    cluster.calm();
    for client in 0..programs.len() {
        cluster.say(client, [Saying::Message(Message::Bye)]);
    }
    for _ in 0..3000 {
        cluster.step();
    }
    cluster.end_clients();
    for _ in 0..400_000 {
        let held = cluster.data.held();
        if cluster.used_bytes() == 0 && held.iter().all(|(_, held)| *held == Held::default()) {
            return;
        }
        cluster.step();
    }
    panic!("kept: {} bytes, {:?}", cluster.used_bytes(), cluster.data.held());
}

fn run(seed: u64, faults: Faults) {
    let mut dice = Dice::new(seed ^ 0x3172);
    let (workers, clients) = (1 + dice.below(4), 1 + dice.below(3));
    let mut programs: Vec<Program> = (0..clients).map(|index| program(&mut dice, index)).collect();
    let mut cluster = Cluster::new(seed, workers, clients, faults);
    let may_lose = faults.crashes > 0;
    let lived = catch_unwind(AssertUnwindSafe(|| live(&mut cluster, &mut programs, may_lose)));
    if let Err(panic) = lived {
        let (tape, why) = (cluster.data.tape.join("\n"), message(&*panic));
        panic!("{tape}\nseed {seed}, {faults:?}: {why}");
    }
}

const NONE: Faults = Faults { cuts: 0, breaks: 0, crashes: 0, ways: Ways::Direct };

#[test]
fn values_that_travel_apart_are_those_of_the_program() {
    for_each_seed(60, |seed| run(seed, NONE));
}

#[test]
fn nothing_is_lost_when_connections_break() {
    for_each_seed(150, |seed| run(seed, Faults { cuts: 5, breaks: 3, ..NONE }));
}

#[test]
fn nothing_is_lost_where_there_is_no_direct_way() {
    for_each_seed(60, |seed| {
        run(seed, Faults { cuts: 2, breaks: 1, ways: Ways::Walls, ..NONE });
    });
}

#[test]
fn what_a_worker_takes_with_it_is_told_and_nothing_else_is_lost() {
    for_each_seed(100, |seed| {
        run(seed, Faults { cuts: 2, breaks: 1, crashes: 1, ways: Ways::Walls });
    });
}
