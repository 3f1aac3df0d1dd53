//! Programs whose values travel apart from messages, on a wire where everything breaks: no value is
//! wrong or another session's, every read is answered, and nothing is kept.

#[path = "../common/mod.rs"]
mod common;
mod program;

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::{for_each_seed, message};
use gt_core::{Error, RequestId};
use gt_sim::cluster::{Cluster, Faults};
use gt_sim::data_network::{Troubles, Ways};
use gt_sim::script::Saying;
use gt_sim::{Dice, Script};
use gt_transport::Message;
use gt_transport::transfers::Held;

use program::{Program, SHAPE};

fn live(cluster: &mut Cluster, programs: &mut [Program], may_lose: bool) {
    for (client, program) in programs.iter_mut().enumerate() {
        cluster.say(client, program.script.take());
    }
    let is_over = |cluster: &Cluster, programs: &[Program]| {
        programs.iter().enumerate().all(|(index, program)| {
            let client = cluster.client(index);
            let is_answered = |request: RequestId| client.answers().contains_key(&request);
            cluster.is_dead(index)
                || client.ended().is_some()
                || program.requests().all(is_answered)
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
    let there = |(index, _): &(usize, _)| !cluster.is_dead(*index);
    for (index, program) in programs.iter().enumerate().filter(there) {
        let client = cluster.client(index);
        let ended = client.ended();
        assert!(ended.is_none() || may_lose, "{ended:?}");
        assert!(!matches!(ended, Some(Error::Bug(_))), "{ended:?}");
        for request in program.requests() {
            match client.answers().get(&request) {
                Some(Ok(_)) => {}
                Some(answer) if program.is_given_up(request, answer) => {}
                Some(Err(failure)) => assert!(may_lose, "client {index}: {}", failure.error),
                None => assert!(may_lose, "client {index}: no answer to {request}"),
            }
        }
        program.check(client.answers());
    }
    cluster.calm();
    // Programs have freed what they had. Nothing of it is kept for sessions that go on.
    let is_there = |cluster: &Cluster, client: usize| {
        !cluster.is_dead(client) && cluster.client(client).ended().is_none()
    };
    let is_freed = step_until(cluster, |cluster| {
        let mut there = (0..programs.len()).filter(|client| is_there(cluster, *client));
        cluster.worker_bytes() == 0 && there.all(|client| cluster.waiting_uploads(client) == 0)
    });
    assert!(is_freed, "{} bytes are kept that nobody can name", cluster.worker_bytes());
    for client in 0..programs.len() {
        cluster.say(client, [Saying::Message(Message::Bye)]);
    }
    for _ in 0..3000 {
        cluster.step();
    }
    cluster.end_clients();
    let is_empty = step_until(cluster, |cluster| {
        let held = cluster.data.held();
        cluster.used_bytes() == 0 && held.iter().all(|(_, held)| *held == Held::default())
    });
    assert!(is_empty, "kept: {} bytes, {:?}", cluster.used_bytes(), cluster.data.held());
}

/// Lets things happen until something holds; says whether it did.
fn step_until(cluster: &mut Cluster, holds: impl Fn(&Cluster) -> bool) -> bool {
    for step in 0..400_000 {
        // Looked at now and then, because that takes longer than a step.
        if step % 16 == 0 && holds(cluster) {
            return true;
        }
        cluster.step();
    }
    holds(cluster)
}

fn run(seed: u64, faults: Faults) {
    let may_lose = faults.may_lose();
    let begin = || {
        let mut dice = Dice::new(seed ^ 0x3172);
        let (workers, clients) = (1 + dice.below(4), 1 + dice.below(3));
        let programs = (0..clients).map(|index| Program::random(&mut dice, index));
        let programs: Vec<Program> = programs.collect();
        (Cluster::new(seed, workers, clients, faults), programs)
    };
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

/// Connections for data are cut so many times.
fn cuts(cuts: usize) -> Troubles {
    Troubles { cuts, ..Troubles::NONE }
}

#[test]
fn values_that_travel_apart_are_those_of_the_program() {
    for_each_seed(1000, |seed| run(seed, Faults::NONE));
}

#[test]
fn nothing_is_lost_when_connections_break() {
    let faults = Faults { data: cuts(5), breaks: 3, delays: 3, ..Faults::NONE };
    for_each_seed(2500, |seed| run(seed, faults));
}

#[test]
fn nothing_is_lost_where_there_is_no_direct_way() {
    let faults = Faults { data: cuts(2), breaks: 1, ways: Ways::Walls, ..Faults::NONE };
    for_each_seed(1000, |seed| run(seed, faults));
}

#[test]
fn nothing_is_lost_over_connections_that_lead_nowhere_or_are_slow() {
    let data = Troubles { cuts: 1, half_open: 2, slow: 2, delays: 3, unanswered: 1 };
    for_each_seed(500, |seed| run(seed, Faults { data, delays: 2, ..Faults::NONE }));
}

#[test]
fn a_client_that_is_stopped_for_long_loses_nothing() {
    let faults = Faults { data: cuts(1), client_stops: 2, ways: Ways::Walls, ..Faults::NONE };
    for_each_seed(500, |seed| run(seed, faults));
}

#[test]
fn nothing_is_left_of_a_client_that_is_gone() {
    let data = Troubles { half_open: 1, ..cuts(1) };
    let faults = Faults { data, breaks: 1, delays: 1, client_crashes: 2, ..Faults::NONE };
    for_each_seed(1000, |seed| run(seed, faults));
}

#[test]
fn what_a_worker_takes_with_it_is_told_and_nothing_else_is_lost() {
    let data = Troubles { delays: 1, ..cuts(2) };
    let faults = Faults { data, breaks: 1, delays: 1, crashes: 1, ..Faults::NONE };
    for_each_seed(1500, |seed| run(seed, Faults { ways: Ways::Walls, ..faults }));
}

#[test]
fn nothing_is_lost_or_kept_when_workers_are_drained() {
    let faults = Faults { data: cuts(2), delays: 1, drains: 4, ..Faults::NONE };
    for_each_seed(1000, |seed| run(seed, faults));
}

#[test]
fn a_worker_that_ends_while_its_values_move_away_is_as_any_other() {
    let data = Troubles { delays: 1, ..cuts(1) };
    let faults = Faults { data, delays: 1, drains: 4, crashes: 2, stops: 1, ..Faults::NONE };
    for_each_seed(1000, |seed| run(seed, faults));
}

#[test]
fn an_upload_that_nobody_takes_in_does_not_stay_with_its_client() {
    let mut cluster = Cluster::new(1, 0, 1, Faults::NONE);
    let (mut script, numbers) = (Script::default(), vec![1.0; SHAPE.iter().product()]);
    let slots = [(); 20].map(|()| script.numbers(SHAPE, &numbers));
    let request = script.read(slots[0]);
    cluster.say(0, script.take());
    let is_over = step_until(&mut cluster, |cluster| {
        cluster.client(0).answers().contains_key(&request) && cluster.waiting_uploads(0) == 0
    });
    assert!(is_over, "{} uploads wait", cluster.waiting_uploads(0));
    let answer = &cluster.client(0).answers()[&request];
    assert!(matches!(answer, Err(failure) if failure.error.to_string().contains("no worker")));
}

#[test]
fn a_worker_that_was_stopped_for_too_long_begins_anew() {
    let faults = Faults { data: cuts(1), breaks: 1, stops: 2, ..Faults::NONE };
    for_each_seed(500, |seed| run(seed, faults));
}

#[test]
fn everybody_learns_of_the_end_of_the_dispatcher_and_nothing_is_kept() {
    let faults = Faults { data: cuts(1), breaks: 1, dispatcher_crashes: 1, ..Faults::NONE };
    for_each_seed(1000, |seed| run(seed, faults));
}

#[test]
fn whoever_ends_or_is_stopped_at_any_step_nothing_is_wrong_or_kept() {
    let data = Troubles { cuts: 1, half_open: 1, slow: 1, delays: 1, unanswered: 1 };
    let (breaks, delays, crashes, stops) = (1, 1, 1, 1);
    let (client_crashes, client_stops, dispatcher_crashes) = (1, 1, 1);
    let faults = Faults { data, breaks, delays, crashes, stops, ..Faults::NONE };
    let faults = Faults { client_crashes, client_stops, dispatcher_crashes, ..faults };
    for_each_seed(500, |seed| run(seed, Faults { ways: Ways::Walls, ..faults }));
}
