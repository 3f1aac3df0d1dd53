//! A server that many come to, at once and one after another, and somebody who never listens: all
//! are served, and descriptors and memory of the server are back where they were.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gt_client::remote::RemoteOptions;
use gt_client::{Input, Session, Tensor};
use gt_core::instruction::Command as Said;
use gt_core::{DType, Meta, Provenance, RequestId, Scalar, SessionId, Slot, ops};
use gt_transport::codec::Limits;
use gt_transport::hello::Hello;
use gt_transport::reliable::{ReliableChannel, open_unsequenced, unsequenced};
use gt_transport::{Batch, Message};
use gt_zmq::{Context, Dealer, DealerEvent, Endpoint};

/// Longer than anything takes here.
const PATIENCE: Duration = Duration::from_secs(120);
const MIB: u64 = 1 << 20;
/// What a server may keep of a crowd: its threads have used more of their stacks, and tables have
/// room.
const KEPT: u64 = 16 * MIB;
/// Says to a process that it is to open so many sessions, and where.
const MEMBER: &str = "GT_CROWD_MEMBER";

fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = ask() {
            return found;
        }
        assert!(Instant::now() < end, "waited too long for {what}");
        std::thread::yield_now();
    }
}

/// A server and a worker in processes of their own, which end with it.
struct Cluster {
    folder: PathBuf,
    processes: Vec<Child>,
}

impl Cluster {
    fn start(name: &str) -> Cluster {
        let folder = std::env::temp_dir().join(format!("gt-crowd-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for the sockets");
        let mut cluster = Cluster { folder, processes: Vec::new() };
        cluster.run(&["server", "-p", "0"]);
        let socket = until("the server", || cluster.find_socket());
        let port = socket.file_stem().expect("a port").to_string_lossy().into_owned();
        cluster.run(&["worker", "-p", &port, "--threads", "1", "--memory", "1GiB"]);
        until("a worker", || Session::remote(options(&socket)).ok());
        cluster
    }

    fn run(&mut self, words: &[&str]) {
        let child = Command::new(env!("CARGO_BIN_EXE_gt"))
            .args(words)
            .env("GT_RUNTIME_DIR", self.folder.join("run"))
            .env("GT_KEYS", self.folder.join("keys"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn();
        self.processes.push(child.expect("the binary is built"));
    }

    fn find_socket(&self) -> Option<PathBuf> {
        let files = fs::read_dir(self.folder.join("run/gt")).ok()?.flatten();
        let is_port = |path: &PathBuf| {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            path.extension().is_some_and(|end| end == "ipc")
                && stem.is_some_and(|stem| stem.bytes().all(|byte| byte.is_ascii_digit()))
        };
        files.map(|file| file.path()).find(is_port)
    }

    fn socket(&self) -> PathBuf {
        self.find_socket().expect("the server is there")
    }

    fn descriptors(&self) -> usize {
        let folder = format!("/proc/{}/fd", self.processes[0].id());
        fs::read_dir(folder).expect("the server is there").count()
    }

    fn resident_bytes(&self) -> u64 {
        let path = format!("/proc/{}/statm", self.processes[0].id());
        let text = fs::read_to_string(path).expect("the server is there");
        let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
        pages.expect("a number of pages") * 4096
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.kill();
            let _ = process.wait();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn options(socket: &Path) -> RemoteOptions {
    RemoteOptions {
        memory_bytes: None,
        endpoint: Endpoint::Ipc(socket.to_path_buf()),
        address: "localhost:1".into(),
        name: "one of many".into(),
        workers: None,
        sync: false,
        compare_copies: false,
        check_nan: false,
    }
}

/// Opens a session and a value in it.
fn open(socket: &Path, number: f32) -> (Session, Tensor) {
    let session = Session::remote(options(socket)).expect("a session");
    let meta = Meta::new(DType::F32, [3]);
    let data: Vec<u8> = [number; 3].iter().flat_map(|number| number.to_le_bytes()).collect();
    let value = session.upload(meta, data.into()).expect("an upload");
    (session, value)
}

/// Computes with the value of a session, and looks at the result.
fn serve(session: &Session, value: &Tensor, number: f32) {
    let inputs = [Input::Tensor(value), Input::Scalar(Scalar::Float(1.0))];
    let sum = session.apply(&ops::builtin::ADD, &inputs, Default::default()).expect("a sum");
    assert_eq!(sum[0].to_vec::<f32>().expect("a read"), [number + 1.0; 3]);
}

/// Opens many sessions, says so, and uses all of them once more when it is told to go on. It is a
/// process of its own, started by the tests below.
#[test]
fn member() {
    let Ok(words) = std::env::var(MEMBER) else { return };
    let (count, socket) = words.split_once(' ').expect("a number and a path");
    let count: usize = count.parse().expect("a number");
    let sessions: Vec<_> = (0..count).map(|at| open(Path::new(socket), at as f32)).collect();
    println!("\nopen");
    std::io::stdin().lines().next();
    for (at, (session, value)) in sessions.iter().enumerate() {
        serve(session, value, at as f32);
    }
    println!("\nserved");
}

fn start_member(cluster: &Cluster, count: usize) -> Child {
    let member = std::env::current_exe().expect("this test");
    let member = Command::new(member)
        .args(["--exact", "member", "--nocapture"])
        .env(MEMBER, format!("{count} {}", cluster.socket().display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    member.expect("this test runs")
}

fn expect(lines: &mut impl Iterator<Item = std::io::Result<String>>, word: &str) {
    let found = lines.map_while(Result::ok).any(|line| line.ends_with(word));
    assert!(found, "a member ends without '{word}'");
}

/// Sessions of several processes at the same time; gives how many descriptors that took.
fn come_together(cluster: &Cluster, members: usize, sessions: usize) -> usize {
    let started = (0..members).map(|_| start_member(cluster, sessions));
    let mut members: Vec<_> = started
        .map(|mut member| {
            let lines = BufReader::new(member.stdout.take().expect("a pipe")).lines();
            (member, lines)
        })
        .collect();
    members.iter_mut().for_each(|(_, lines)| expect(lines, "open"));
    let descriptors = cluster.descriptors();
    for (member, _) in &mut members {
        let pipe = member.stdin.as_mut().expect("a pipe");
        pipe.write_all(b"\n").expect("the member listens");
    }
    for (mut member, mut lines) in members {
        expect(&mut lines, "served");
        assert!(member.wait().expect("it ends").success());
    }
    descriptors
}

fn crowd(name: &str, members: usize, sessions: usize) {
    let cluster = Cluster::start(name);
    let (begin, begin_bytes) = (cluster.descriptors(), cluster.resident_bytes());
    // A little that each crowd leaves would exceed the bound after several.
    for _ in 0..4 {
        let most = come_together(&cluster, members, sessions);
        assert!(most >= begin + members * sessions, "{most} descriptors for all of them");
        until("the descriptors", || (cluster.descriptors() <= begin).then_some(()));
        until("the memory", || (cluster.resident_bytes() < begin_bytes + KEPT).then_some(()));
    }
}

fn one_after_another(name: &str, count: usize) {
    let cluster = Cluster::start(name);
    let socket = cluster.socket();
    let begin = cluster.descriptors();
    let mut early = 0;
    for at in 0..count {
        let (session, value) = open(&socket, at as f32);
        serve(&session, &value, at as f32);
        if at == count / 4 {
            early = cluster.resident_bytes();
        }
    }
    until("the descriptors", || (cluster.descriptors() <= begin).then_some(()));
    let late = cluster.resident_bytes();
    assert!(late < early + early / 5 + 4 * MIB, "{early} bytes became {late}");
}

#[test]
fn many_sessions_at_once_are_served_and_leave_nothing() {
    crowd("few", 2, 20);
}

#[test]
#[ignore = "takes a minute"]
fn a_thousand_sessions_at_once_are_served_and_leave_nothing() {
    crowd("thousand", 4, 250);
}

#[test]
fn connections_one_after_another_leave_nothing() {
    one_after_another("sequence", 200);
}

#[test]
#[ignore = "takes minutes"]
fn ten_thousand_connections_one_after_another_leave_nothing() {
    one_after_another("long-sequence", 10_000);
}

/// A client that asks for much and never listens. It need not listen to know what its next session
/// is called.
#[test]
fn a_client_that_never_listens_does_not_grow_the_server() {
    const ROUNDS: u64 = 10;
    const READS: u32 = 12_000;
    let cluster = Cluster::start("silent");
    let context = Context::new().expect("libzmq");
    let narrow = gt_zmq::Options { receive_high_water: 1, ..Default::default() };
    let endpoint = Endpoint::Ipc(cluster.socket());
    let mut dealer = Dealer::connect(&context, &endpoint, &narrow).expect("it begins to connect");
    let mut say = |parts: Vec<Bytes>| {
        until("the server to take it", || dealer.send(&parts).ok());
    };
    let mut first = unopened(&cluster);
    let (begin, mut most) = (cluster.resident_bytes(), 0);
    for _ in 0..ROUNDS {
        say(unsequenced(&Message::Hello(Hello::named("silent"))));
        let session = SessionId(first);
        let mut channel = ReliableChannel::default();
        let meta = Meta::new(DType::F32, [1000]);
        let (out, data, provenance) = (Slot(0), vec![0; 4000].into(), Provenance::UNKNOWN);
        let mut batch = Batch::default();
        batch.push(&Said::Upload { out, meta, data, provenance });
        for request in (1..=READS).map(RequestId) {
            batch.push(&Said::Read { slot: Slot(0), request });
            if request.0.is_multiple_of(1000) {
                let batch = std::mem::take(&mut batch).into();
                let parts = channel.say(&Message::Commands { session, batch });
                say(parts.expect("it fits"));
            }
        }
        // Others are served meanwhile, and see what it costs.
        first = unopened(&cluster);
        most = most.max(cluster.resident_bytes());
    }
    let asked = ROUNDS * u64::from(READS) * 4000;
    println!("{} MiB were asked for, {} MiB more are kept", asked / MIB, (most - begin) / MIB);
    assert!(asked > 400 * MIB);
    assert!(most - begin < 160 * MIB, "{} MiB", (most - begin) / MIB);
}

/// The number of the next session; somebody comes and goes to find it out.
fn unopened(cluster: &Cluster) -> u64 {
    let (session, value) = open(&cluster.socket(), 1.0);
    serve(&session, &value, 1.0);
    let context = Context::new().expect("libzmq");
    let endpoint = Endpoint::Ipc(cluster.socket());
    let mut dealer = Dealer::connect(&context, &endpoint, &Default::default()).expect("it begins");
    let hello = unsequenced(&Message::Hello(Hello::named("somebody")));
    until("the server to take it", || dealer.send(&hello).ok());
    let welcome = until("a welcome", || match dealer.receive().expect("a connection")? {
        DealerEvent::Message(parts) => open_unsequenced(&parts, &Limits::CONTROL).expect("a word"),
        _ => None,
    });
    let Message::Welcome(welcome) = welcome else { panic!("no welcome: {welcome:?}") };
    welcome.session.0 + 1
}
