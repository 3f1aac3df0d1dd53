//! A server, workers and clients joined by real sockets. They are threads here, so that this runs
//! under a debugger; the Python tests start real processes.

use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use gt_client::remote::RemoteOptions;
use gt_client::{Input, Session, Tensor};
use gt_core::{DType, Meta, Scalar, ops};
use gt_dispatcher::gateway::Timeouts;
use gt_dispatcher::role::Groups;
use gt_dispatcher::serve::{Local, Options, Server};
use gt_native::Native;
use gt_native::threads::Threads;
use gt_transport::hello::WorkerInfo;
use gt_transport::lock::Mutex;
use gt_transport::stop::Stop;
use gt_worker::Window;
use gt_worker::buffer::Pool;
use gt_worker::serve::{self, DataPlace, Notice};
use gt_zmq::{Endpoint, IpcAccess};

/// A server and what belongs to it, in a folder of its own.
struct Cluster {
    folder: PathBuf,
    stop: Stop,
    worker_stop: Stop,
    /// The server's first.
    threads: Vec<JoinHandle<()>>,
}

fn switch() -> Stop {
    Stop::new().expect("a switch")
}

impl Cluster {
    fn start(name: &str, workers: usize) -> Cluster {
        let folder = std::env::temp_dir().join(format!("gt-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the sockets");
        let mut cluster =
            Cluster { folder, stop: switch(), worker_stop: switch(), threads: Vec::new() };
        let local = Local {
            control: cluster.control(),
            monitor: cluster.folder.join("watch"),
            relay: cluster.folder.join("relay"),
            access: IpcAccess::SameUser,
            groups: Groups::default(),
        };
        let timeouts = Timeouts::default();
        let options = Options {
            local: Some(local),
            tcp: None,
            relay: None,
            advertise: None,
            timeouts,
            sink: None,
            policy: Default::default(),
        };
        let server = Server::open(options).expect("a server");
        let stop = cluster.stop.clone();
        cluster.threads.push(thread::spawn(move || server.run(&stop).expect("a clean end")));
        (0..workers).for_each(|number| cluster.add_worker(number));
        cluster
    }

    fn control(&self) -> PathBuf {
        self.folder.join("control")
    }

    /// Starts a worker, and waits until it is taken on.
    fn add_worker(&mut self, number: usize) {
        let pool = Pool::patterned(1 << 30, 0xFF);
        let threads = Threads::new(1).expect("threads");
        let options = serve::Options {
            endpoint: Endpoint::Ipc(self.control()),
            info: WorkerInfo { threads: 1, memory_bytes: 1 << 30, ..WorkerInfo::default() },
            data: DataPlace {
                unix: Some(self.folder.join(format!("{number}.data"))),
                ..DataPlace::default()
            },
            window: Window::default(),
            engine: Arc::new(Native::sharing(pool.clone(), threads)),
            pool,
            spill: None,
        };
        let stop = self.worker_stop.clone();
        let (enlisted, is_enlisted) = std::sync::mpsc::channel();
        self.threads.push(thread::spawn(move || {
            let mut notice = |notice| {
                if let Notice::Registered(_) = notice {
                    let _ = enlisted.send(());
                }
            };
            serve::run(options, &mut notice, &stop).expect("a clean end");
        }));
        is_enlisted.recv().expect("the worker is taken on");
    }

    fn client(&self) -> Session {
        connect(&self.control())
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.stop.stop();
        for thread in self.threads.drain(..) {
            let ended = thread.join();
            // Workers go after the server, so that clients hear of its end and not of theirs.
            self.worker_stop.stop();
            if !thread::panicking() {
                ended.expect("no thread panics");
            }
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Stands between a client and the server, and can cut their connections.
struct Proxy {
    path: PathBuf,
    live: Arc<Mutex<Vec<UnixStream>>>,
}

impl Proxy {
    fn start(cluster: &Cluster) -> Proxy {
        let (path, behind) = (cluster.folder.join("proxy"), cluster.control());
        let listener = UnixListener::bind(&path).expect("a socket");
        let live = Arc::<Mutex<Vec<UnixStream>>>::default();
        let held = live.clone();
        // It ends with the process; nobody connects once the test is over.
        thread::spawn(move || {
            for in_process in listener.incoming() {
                let in_process = in_process.expect("a connection");
                let far = UnixStream::connect(&behind).expect("a connection");
                let again = |stream: &UnixStream| stream.try_clone().expect("another handle");
                for (mut from, mut to) in
                    [(again(&in_process), again(&far)), (again(&far), again(&in_process))]
                {
                    thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
                held.lock().extend([in_process, far]);
            }
        });
        Proxy { path, live }
    }

    /// Cuts all connections, wherever they are in what they say.
    fn cut(&self) {
        for stream in self.live.lock().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn connect(path: &Path) -> Session {
    Session::remote(options(path)).expect("a session")
}

fn options(path: &Path) -> RemoteOptions {
    RemoteOptions {
        endpoint: Endpoint::Ipc(path.to_path_buf()),
        address: "localhost:1".into(),
        name: "test".into(),
        workers: None,
        memory_bytes: None,
        sync: false,
        compare_copies: false,
        check_nan: false,
    }
}

fn upload(session: &Session, values: &[f32]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let meta = Meta::new(DType::F32, [values.len()]);
    session.upload(meta, bytes.into()).expect("an upload")
}

fn add(session: &Session, a: &Tensor, b: f64) -> Tensor {
    let inputs = [Input::Tensor(a), Input::Scalar(Scalar::Float(b))];
    session.apply(&ops::builtin::ADD, &inputs, Default::default()).expect("a sum").remove(0)
}

#[test]
fn small_and_large_values_go_there_and_back() {
    let cluster = Cluster::start("values", 1);
    let session = cluster.client();
    for count in [3, 1000, 1024, 1025, 5_000_000] {
        let values: Vec<f32> = (0..count).map(|n| n as f32).collect();
        let sum = add(&session, &upload(&session, &values), 1.0);
        let expected: Vec<f32> = values.iter().map(|value| value + 1.0).collect();
        assert!(sum.to_vec::<f32>().expect("a read") == expected, "{count} elements");
    }
    session.close();
}

#[test]
fn values_move_between_workers() {
    let cluster = Cluster::start("moves", 3);
    let session = cluster.client();
    assert_eq!(session.status().workers, 3);
    let values: Vec<f32> = (0..300_000).map(|n| n as f32).collect();
    let uploads: Vec<Tensor> = (0..6).map(|_| upload(&session, &values)).collect();
    let mut total = uploads[0].clone();
    for other in &uploads[1..] {
        let inputs = [Input::Tensor(&total), Input::Tensor(other)];
        total = session
            .apply(&ops::builtin::ADD, &inputs, Default::default())
            .expect("a sum")
            .remove(0);
    }
    let expected: Vec<f32> = values.iter().map(|value| value * 6.0).collect();
    assert!(total.to_vec::<f32>().expect("a read") == expected);
    let memory = session.memory().expect("an answer");
    assert!(memory.used_bytes >= 6 * 1_200_000, "{memory:?}");
}

#[test]
fn many_sessions_do_not_meet() {
    let cluster = Cluster::start("sessions", 2);
    thread::scope(|scope| {
        for client in 0..8 {
            let cluster = &cluster;
            scope.spawn(move || {
                let session = cluster.client();
                let mut x = upload(&session, &[client as f32; 2000]);
                for _ in 0..50 {
                    x = add(&session, &x, 1.0);
                }
                assert_eq!(x.to_vec::<f32>().expect("a read"), [client as f32 + 50.0; 2000]);
            });
        }
    });
}

#[test]
fn a_session_goes_on_after_its_connection_was_cut() {
    let cluster = Cluster::start("cut", 2);
    let proxy = Proxy::start(&cluster);
    let session = connect(&proxy.path);
    let mut x = upload(&session, &[0.0; 3000]);
    for round in 1..=10 {
        for _ in 0..100 {
            x = add(&session, &x, 1.0);
        }
        let y = upload(&session, &[round as f32; 2000]);
        proxy.cut();
        assert_eq!(x.to_vec::<f32>().expect("a read"), [round as f32 * 100.0; 3000]);
        assert_eq!(y.to_vec::<f32>().expect("a read"), [round as f32; 2000]);
    }
}

#[test]
fn a_stopped_server_ends_its_sessions() {
    let cluster = Cluster::start("stopped", 1);
    let session = cluster.client();
    let x = upload(&session, &[1.0; 10]);
    drop(cluster);
    let error = add_and_read(&session, &x).expect_err("the server is gone");
    assert!(error.to_string().contains("the server was stopped"), "{error}");
}

fn add_and_read(session: &Session, x: &Tensor) -> gt_core::Result<Vec<f32>> {
    let inputs = [Input::Tensor(x), Input::Scalar(Scalar::Float(1.0))];
    session.apply(&ops::builtin::ADD, &inputs, Default::default())?.remove(0).to_vec()
}

#[test]
fn what_cannot_be_reached_is_told_apart() {
    let mut cluster = Cluster::start("empty", 0);
    let remote = |path: PathBuf| {
        Session::remote(options(&path)).map(|_| ()).expect_err("nobody works there").to_string()
    };
    let error = remote(cluster.folder.join("nowhere"));
    assert!(error.contains("no server answers at localhost:1"), "{error}");
    assert!(error.contains("gt server -p 1"), "{error}");
    let error = remote(cluster.control());
    assert!(error.contains("has no workers; start one with `gt worker"), "{error}");
    cluster.add_worker(0);
    assert_eq!(cluster.client().status().workers, 1);
}
