//! Values arrive as they were sent, whatever comes first.

use gt_transport::report::Road;
use gt_transport::transfers::CHUNK_BYTES;

use crate::common::{Dice, Pair, SESSION, WAYS, Way, until};

#[test]
fn values_travel_both_ways() {
    for way in WAYS {
        let pair = Pair::open(way);
        let chunk = CHUNK_BYTES;
        let sizes = [0, 1, 4096, 65_537, chunk - 1, chunk, chunk + 1, 2 * chunk, 9_000_001];
        for (tag, bytes) in sizes.into_iter().enumerate() {
            let (tag, data) = (2 * tag as u64, Dice(tag as u64).value(bytes));
            pair.carry(&pair.client, &pair.worker, tag, &data);
            pair.worker.arrived(tag, &data);
            pair.client.confirmed(tag);
            pair.carry(&pair.worker, &pair.client, tag + 1, &data);
            pair.client.arrived(tag + 1, &data);
            pair.worker.confirmed(tag + 1);
        }
        let bytes: usize = sizes.iter().sum();
        let road = if way == Way::Unix { Road::Memory } else { Road::Tcp };
        until("the count of what travelled", || {
            let traffic = pair.worker.plane.traffic();
            traffic.iter().any(|t| {
                t.road == road && t.bytes_in == bytes as u64 && t.bytes_out == bytes as u64
            })
        });
    }
}

#[test]
fn a_value_its_leave_and_its_receiver_come_in_any_order() {
    for way in WAYS {
        for bytes in [100, 3_000_000] {
            let pair = Pair::open(way);
            let data = Dice(7).value(bytes);
            let (client, worker) = (&pair.client, &pair.worker);
            pair.permit(SESSION, client, worker, 1, bytes);
            client.plane.send(1, data.clone());
            // When the next has come, the first was offered.
            pair.carry(client, worker, 2, &data);
            worker.arrived(2, &data);
            client.confirmed(2);
            pair.expect(SESSION, client, worker, 1, bytes);
            worker.arrived(1, &data);
            client.confirmed(1);

            pair.expect(SESSION, worker, client, 3, bytes);
            pair.permit(SESSION, worker, client, 3, bytes);
            pair.carry(worker, client, 4, &data);
            client.arrived(4, &data);
            worker.confirmed(4);
            worker.plane.send(3, data.clone());
            client.arrived(3, &data);
            worker.confirmed(3);
        }
    }
}
