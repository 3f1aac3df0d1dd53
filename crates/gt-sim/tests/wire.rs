//! Programs whose values travel apart from messages, on a wire where everything breaks: no value is
//! wrong or another session's, every read is answered, and nothing is kept.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{for_each_seed, message};
use gt_core::instruction::Command;
use gt_core::placement::Wish;
use gt_core::{RequestId, ScopeId, Slot};
use gt_sim::cluster::{Cluster, Faults};
use gt_sim::data_network::Ways;
use gt_sim::script::Saying;
use gt_sim::{Dice, Script};
use gt_transport::Message;
use gt_transport::transfers::Held;

/// More than a message may carry.
const SHAPE: [usize; 2] = [50, 30];
/// Wishes to choose from: the axis that is cut, if one is, and the workers.
const WISHES: [(Option<i32>, &[u32]); 4] =
    [(Some(0), &[0, 1]), (Some(1), &[0, 1, 2]), (Some(0), &[1, 3]), (None, &[0, 1])];

struct Program {
    script: Script,
    reads: Vec<(RequestId, Vec<f32>)>,
}

/// Uploads, sums and reads of one client, whose numbers are like nobody else's.
fn program(dice: &mut Dice, client: usize) -> Program {
    let mut script = Script::default();
    let (mut values, mut reads): (Vec<(Slot, Vec<f32>)>, Vec<_>) = Default::default();
    for (index, (cut, workers)) in WISHES.into_iter().enumerate() {
        let wish = cut.map_or_else(
            || Wish::replicated(workers.iter().copied()),
            |axis| Wish::sharded(axis, workers.iter().copied()),
        );
        let (scope, name) = (ScopeId(index as u32 + 1), "layer".into());
        let (parent, wish) = (ScopeId(0), Some(wish));
        script.command(Command::DefineScope { scope, parent, name, wish });
    }
    for step in 0..4 + dice.below(14) {
        if dice.once_in(2) {
            let scope = ScopeId(dice.below(WISHES.len() + 1) as u32);
            script.command(Command::Scope(scope));
        }
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
                let count = SHAPE.iter().product();
                let numbers: Vec<f32> = (0..count).map(|at| first + (at % 7) as f32).collect();
                values.push((script.numbers(SHAPE, &numbers), numbers));
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
        // Looked at now and then, because that takes longer than a step.
        if step % 16 == 0 && is_over(cluster, programs) {
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
    for step in 0..400_000 {
        let is_empty = |cluster: &Cluster| {
            let held = cluster.data.held();
            cluster.used_bytes() == 0 && held.iter().all(|(_, held)| *held == Held::default())
        };
        if step % 16 == 0 && is_empty(cluster) {
            return;
        }
        cluster.step();
    }
    panic!("kept: {} bytes, {:?}", cluster.used_bytes(), cluster.data.held());
}

fn run(seed: u64, faults: Faults) {
    let begin = || {
        let mut dice = Dice::new(seed ^ 0x3172);
        let (workers, clients) = (1 + dice.below(4), 1 + dice.below(3));
        let programs: Vec<Program> = (0..clients).map(|index| program(&mut dice, index)).collect();
        (Cluster::new(seed, workers, clients, faults), programs)
    };
    let may_lose = faults.crashes + faults.dispatcher_crashes > 0;
    let first = catch_unwind(|| {
        let (mut cluster, mut programs) = begin();
        live(&mut cluster, &mut programs, may_lose);
    });
    if first.is_ok() {
        return;
    }
    // Once more, with a tape.
    let (mut cluster, mut programs) = begin();
    cluster.data.record();
    let lived = catch_unwind(AssertUnwindSafe(|| live(&mut cluster, &mut programs, may_lose)));
    let panic = lived.expect_err("a seed repeats itself");
    panic!("{}\nseed {seed}, {faults:?}: {}", cluster.data.tape(), message(&*panic));
}

#[test]
fn values_that_travel_apart_are_those_of_the_program() {
    for_each_seed(1500, |seed| run(seed, Faults::NONE));
}

#[test]
fn nothing_is_lost_when_connections_break() {
    for_each_seed(3000, |seed| run(seed, Faults { cuts: 5, breaks: 3, ..Faults::NONE }));
}

#[test]
fn nothing_is_lost_where_there_is_no_direct_way() {
    for_each_seed(1500, |seed| {
        run(seed, Faults { cuts: 2, breaks: 1, ways: Ways::Walls, ..Faults::NONE });
    });
}

#[test]
fn what_a_worker_takes_with_it_is_told_and_nothing_else_is_lost() {
    for_each_seed(2000, |seed| {
        run(seed, Faults { cuts: 2, breaks: 1, crashes: 1, ways: Ways::Walls, ..Faults::NONE });
    });
}

#[test]
fn everybody_learns_of_the_end_of_the_dispatcher_and_nothing_is_kept() {
    for_each_seed(2000, |seed| {
        run(seed, Faults { cuts: 1, breaks: 1, dispatcher_crashes: 1, ..Faults::NONE });
    });
}
