//! Messages between a router and its dealers: who hears what, in which order, and how much may
//! wait.

mod common;

use common::{Folder, dealer, event, frames, ipc, message, router};
use gt_zmq::{Context, DealerEvent, Options};

#[test]
fn a_dealer_asks_and_the_router_answers() {
    let (context, folder) = (Context::new().unwrap(), Folder::new());
    let mut router = router(&context, &folder, &Options::default());
    let mut dealer = dealer(&context, &ipc(&folder));
    dealer.send(&frames(&["question", "", "42"])).unwrap();
    let (from, question) = message(&mut router);
    assert_eq!(question, frames(&["question", "", "42"]));
    router.send(&from, &frames(&["answer"])).unwrap();
    assert_eq!(event(&mut dealer), DealerEvent::Connected);
    assert_eq!(event(&mut dealer), DealerEvent::Message(frames(&["answer"])));
}
