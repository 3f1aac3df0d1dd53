//! Clients that always have something to do, on workers of which some are slower than others, in
//! simulated time.

use gt_core::instruction::Command;
use gt_core::text::parse_instruction;
use gt_core::{RequestId, SessionId, Slot, WorkerId};
use gt_transport::{Batch, Message};

use crate::timed::Cluster;

/// Commands of a client that are under way, milliseconds of work for each worker.
const AHEAD: u64 = 4096;
/// Commands of a product: its operand, itself, and that they are needed no more.
const COMMANDS: u64 = 3;
/// Products that are said together.
const TOGETHER: u64 = 16;

/// What became of a client.
#[derive(Clone, Debug)]
pub struct Served {
    /// Its workers.
    pub workers: Vec<WorkerId>,
    /// Products that were done for it.
    pub products: u64,
}

/// Products of operands of their own, so that each may be done by any worker.
fn products() -> Batch {
    let mut batch = Batch::default();
    for _ in 0..TOGETHER {
        for text in ["t0 := full shape=[128, 128] fill_value=1.0", "t1 := matmul t0 t0"] {
            batch.push(&Command::Apply(parse_instruction(text).expect("an instruction")));
        }
        batch.push(&Command::Free([Slot(0), Slot(1)].into_iter().collect()));
    }
    batch
}

/// Lets clients compute for a while, and then for so long again, which counts. For each worker
/// there is how many times slower it is, and for each client how many workers it has.
pub fn serve(slowness: &[u64], clients: &[Option<u32>], within_ns: u64) -> Vec<Served> {
    let mut cluster = Cluster::new(slowness);
    let session = |client: usize| SessionId(client as u64 + 1);
    let mut served = Vec::new();
    for (client, workers) in clients.iter().enumerate() {
        served.push(Served { workers: cluster.open(session(client), *workers), products: 0 });
        for _ in 0..AHEAD / (COMMANDS * TOGETHER) {
            cluster.say(session(client), products());
        }
    }
    let mut done = vec![0; clients.len()];
    let mut before = done.clone();
    while let Some(heard) = cluster.step() {
        if cluster.now_ns > 2 * within_ns {
            break;
        }
        if cluster.now_ns < within_ns {
            before.clone_from(&done);
        }
        let Some((session, Message::Done { commands, .. })) = heard else { continue };
        let client = session.0 as usize - 1;
        let said = done[client] / (COMMANDS * TOGETHER);
        done[client] += commands;
        for _ in said..done[client] / (COMMANDS * TOGETHER) {
            cluster.say(session, products());
        }
    }
    for (client, served) in served.iter_mut().enumerate() {
        served.products = (done[client] - before[client]) / COMMANDS;
    }
    served
}

/// How long it takes until so many independent chains of products are done, each of which goes on
/// with its own result.
pub fn chains_ns(workers: usize, chains: u32, products: usize) -> u64 {
    let mut cluster = Cluster::new(&vec![1; workers]);
    let session = SessionId(1);
    cluster.open(session, None);
    let mut batch = Batch::default();
    let apply = |text: String| Command::Apply(parse_instruction(&text).expect("an instruction"));
    for chain in 0..chains {
        batch.push(&apply(format!("t{chain} := full shape=[512, 512] fill_value=1.0")));
    }
    for product in 0..products {
        for chain in 0..chains {
            // The names of a chain take turns.
            let [old, new] = [product, product + 1].map(|turn| chain + chains * (turn as u32 % 2));
            batch.push(&apply(format!("t{new} := matmul t{old} t{old}")));
            batch.push(&Command::Free([Slot(old)].into_iter().collect()));
        }
    }
    batch.push(&Command::Sync { request: RequestId(1) });
    cluster.say(session, batch);
    while let Some(heard) = cluster.step() {
        if matches!(heard, Some((_, Message::Answer { .. }))) {
            return cluster.now_ns;
        }
    }
    panic!("the chains do not end");
}
