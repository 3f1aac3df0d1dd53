//! Ten thousand values at once between eight processes, each of which has one thread for all of
//! them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use bytes::Bytes;
use gt_core::WorkerId;
use gt_transport::Peer;
use gt_transport::ticket::{Access, Address, Role, Route, Secret};
use gt_transport::transfers::{Event, PlaneOptions};

use crate::common::{Folder, SESSION, Side, WAYS, Way, ticket, until};
use crate::crowd::threads;

const PROCESSES: u32 = 8;
const VALUES: u64 = 10_000;
const BYTES: usize = 64 << 10;
const TEST: &str = "mesh::alone_one_of_eight_processes";

#[test]
fn ten_thousand_values_between_eight_processes_need_no_thread_for_each_pair() {
    for way in WAYS {
        let (folder, began) = (Folder::make(), Instant::now());
        let start = |number: u32| {
            let own = std::env::current_exe().expect("this test runs");
            let child = Command::new(own)
                .args(["--exact", TEST, "--ignored", "--nocapture"])
                .env("GT_MESH_FOLDER", folder.socket().parent().expect("a file is in a folder"))
                .env("GT_MESH_NUMBER", number.to_string())
                .env("GT_MESH_WAY", format!("{way:?}"))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn();
            child.expect("it can be started again")
        };
        let children: Vec<Child> = (0..PROCESSES).map(start).collect();
        for child in children {
            let output = child.wait_with_output().expect("it was started");
            let text = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && text.contains("1 passed"), "{text}{errors}");
        }
        let (took, bytes) = (began.elapsed().as_secs_f64(), VALUES as f64 * BYTES as f64);
        println!("{way:?}: {VALUES} values in {took:.2} s, {:.2} GB/s", bytes / took / 1e9);
    }
}

/// From whom to whom a value goes.
fn ends(tag: u64) -> (u32, u32) {
    let (from, distance) = (tag as u32 % PROCESSES, tag as u32 / PROCESSES % (PROCESSES - 1));
    (from, (from + 1 + distance) % PROCESSES)
}

fn content(tag: u64) -> Bytes {
    (0..BYTES).map(|at| (tag as usize * 31 + at * 7) as u8).collect::<Vec<u8>>().into()
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is set by the test that starts this one"))
}

/// Tells the others something, and waits until they have told the same.
fn meet(folder: &Path, number: u32, what: &str, text: &str) -> Vec<String> {
    let place = |number| folder.join(format!("{what}-{number}"));
    let draft = folder.join(format!("draft-{number}"));
    fs::write(&draft, text).expect("the folder is there");
    fs::rename(&draft, place(number)).expect("the folder is there");
    until("all others", || (0..PROCESSES).all(|other| place(other).exists()));
    (0..PROCESSES).map(|other| fs::read_to_string(place(other)).expect("it is there")).collect()
}

#[test]
#[ignore = "one of eight processes that are started by the test above"]
fn alone_one_of_eight_processes() {
    let Some(folder) = std::env::var_os("GT_MESH_FOLDER") else {
        return println!("not started by the test that has the other seven");
    };
    let folder = PathBuf::from(folder);
    let number: u32 = variable("GT_MESH_NUMBER").parse().expect("a number");
    let is_local = variable("GT_MESH_WAY") == format!("{:?}", Way::Unix);
    let (worker, secret) = (|number| Peer::Worker(WorkerId(number)), Secret::known(5));
    let unix = Some(folder.join(format!("data-{number}")));
    let tcp = Some("127.0.0.1:0".to_string());
    let side = Side::open(worker(number), PlaneOptions { unix, tcp, ..PlaneOptions::default() });
    side.plane.identify(worker(number), Some(secret.listener(worker(number))));
    let port = side.plane.address().tcp.clone().expect("it listens");
    let ports = meet(&folder, number, "port", &port);
    let route = |other: u32| {
        let unix = is_local.then(|| folder.join(format!("data-{other}")));
        let address = Address { unix, tcp: Some(ports[other as usize].clone()) };
        let key = secret.listener(worker(other)).for_peer(worker(number));
        let direct = (number < other).then_some(Access { address, key });
        Route { direct, relay: None }
    };
    let mut expected = 0;
    for tag in 0..VALUES {
        let (from, to) = ends(tag);
        let told = |role, other| ticket(SESSION, tag, BYTES, role, worker(other), route(other));
        if from == number {
            side.plane.take_ticket(told(Role::Send, to));
            side.plane.send(tag, content(tag));
        } else if to == number {
            side.plane.take_ticket(told(Role::Receive, from));
        }
        expected += u64::from(from == number) + u64::from(to == number);
    }
    for event in side.events.take(expected as usize) {
        match event {
            Event::Arrived { tag, data } => assert!(data == content(tag), "{tag}"),
            Event::Confirmed { .. } => {}
            Event::Failed { error, .. } => panic!("{error}"),
        }
    }
    // A thread that connected may need a moment to be gone.
    until("one thread for all peers", || threads() == 1);
    meet(&folder, number, "done", "");
}
