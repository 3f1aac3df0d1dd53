//! Parcels arrive as they were sent, whatever comes first.

use gt_transport::bulk::{Event, Key};

use crate::common::{CHUNK, Dice, Pair, ROADS};

#[test]
fn a_parcel_is_delivered_and_another_fetched() {
    for road in ROADS {
        let pair = Pair::open(road);
        let sizes = [0, 1, 4096, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 9_000_001];
        for (tag, bytes) in sizes.into_iter().enumerate() {
            let (tag, key) = (tag as u64, Key::random());
            let data = Dice(tag).parcel(bytes);
            pair.depot.expect(1, tag, key.clone(), bytes);
            pair.deliver(tag, &key, &data);
            let (arrived, parcel) = pair.arrived.one();
            assert_eq!((arrived, parcel.expect("a whole parcel")), (tag, data.clone()), "{road:?}");
            assert!(matches!(pair.events.one(), Event::Delivered { tag: t } if t == tag));

            pair.depot.offer(1, tag, key.clone());
            pair.fetch(tag, &key, bytes);
            pair.depot.put(tag, data.clone());
            let Event::Fetched { tag: fetched, data: parcel } = pair.events.one() else {
                panic!("not fetched");
            };
            assert_eq!((fetched, parcel), (tag, data), "{road:?}");
        }
    }
}
