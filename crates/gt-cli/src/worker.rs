//! `gt worker`: a worker in a process of its own.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs, UdpSocket};
use std::path::PathBuf;
use std::thread::available_parallelism;
use std::time::Duration;

use gt::address::{Address, Trust, host_name};
use gt::folder::Folder;
use gt::keys::KeyFile;
use gt::settings::{Settings, parse_bytes};
use gt_core::{Error, Result};
use gt_native::cpu::Cpu;
use gt_transport::hello::WorkerInfo;
use gt_transport::stop::Stop;
use gt_worker::buffer::Pool;
use gt_worker::engine::HostEngine;
use gt_worker::engine::registry::{Backend, Device};
use gt_worker::panic_hook;
use gt_worker::serve::{self, DataPlace, Notice, Options};
use gt_worker::spill::Spill;
use gt_zmq::Endpoint;

use crate::place::Place;
use crate::say::{complain, raise_descriptor_limit, say};
use crate::signals::Attention;

/// On disk are so many times as many bytes as in memory, if nobody says how many.
const SPILLED: usize = 4;

/// How often a server is looked for that is not there yet.
const PERIOD: Duration = Duration::from_millis(200);

/// What `gt worker` is told.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    place: Place,
    /// How many threads large kernels use; GT_THREADS, or all cores.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    threads: Option<u32>,
    /// How much memory values may take, such as 512M or 2GiB; GT_MEMORY, or 80 % of what there is.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<usize>,
    /// A folder where values that are not in use go when memory is short, those first that were
    /// used longest ago. Without it whoever needs more than there is fails.
    #[arg(long, value_name = "DIR")]
    spill: Option<PathBuf>,
    /// How much of the disk they may take; four times the memory if absent.
    #[arg(long, value_name = "SIZE", value_parser = size, requires = "spill")]
    spill_limit: Option<usize>,
    /// What people call it.
    #[arg(long, value_name = "NAME")]
    id: Option<String>,
    /// What computes: native, or reference (numpy), which is slow and plain; GT_BACKEND, or native.
    #[arg(long, value_name = "NAME")]
    backend: Option<Backend>,
    /// The address of this host at which tensor data arrives from other hosts.
    #[arg(long, value_name = "HOST")]
    bind: Option<String>,
    /// The port at which it arrives; a free one if absent.
    #[arg(long, value_name = "PORT")]
    data_port: Option<u16>,
    /// What other hosts connect to instead, if it is behind something.
    #[arg(long, value_name = "HOST[:PORT]")]
    advertise: Option<String>,
}

fn size(text: &str) -> std::result::Result<usize, String> {
    parse_bytes(text)
        .ok_or_else(|| "a size is a number with a unit, as in 512M or 2GiB".to_string())
}

/// Works until a signal comes.
pub fn run(args: Args) -> Result<()> {
    let stop = Stop::new()?;
    let _attention = Attention::pay(&stop)?;
    let settings = Settings::from_environment()?;
    settings.voices.listen();
    settings.select_cpu()?;
    panic_hook::kernel_panics();
    raise_descriptor_limit();
    let address = args.place.address()?;
    let Some(way) = way_to(&address, &args.place.trust()?, &stop)? else { return Ok(()) };
    let threads = args.threads.map_or(settings.thread_count(), |count| count as usize);
    let memory = args.memory.unwrap_or_else(|| settings.memory_bytes());
    let pool = Pool::new(memory);
    let spilled = args.spill_limit.unwrap_or(memory.saturating_mul(SPILLED)) as u64;
    let report = |error: &Error| {
        complain(format_args!(
            "gt worker: values stay in memory, because they cannot be written to --spill: {error}"
        ));
    };
    let spill = args.spill.as_deref().map(|folder| Spill::open(folder, spilled, report));
    let spill = spill.transpose()?;
    let device = args.backend.unwrap_or(settings.backend()).open(threads)?;
    let engine = device.clone().engine(pool.clone())?;
    let options = Options {
        info: WorkerInfo {
            threads: u32::try_from(threads).unwrap_or(u32::MAX),
            memory_bytes: memory as u64,
            ..info(args.id.as_deref(), &*device, &*engine)
        },
        data: data_place(&args, &address, &way)?,
        endpoint: way.endpoint,
        window: settings.window(),
        engine,
        pool,
        spill,
    };
    let mut last = None;
    let mut tell = |notice: Notice| {
        if last.as_ref() != Some(&notice) {
            say(words(&notice, &address));
            last = Some(notice);
        }
    };
    serve::run(options, &mut tell, &stop)
}

/// The way to a server.
struct Way {
    endpoint: Endpoint,
    /// Where the server's socket is, if it is on this host.
    folder: Option<Folder>,
}

impl Way {
    fn here(folder: Folder, port: u16) -> Result<Way> {
        let endpoint = Endpoint::Ipc(folder.sockets(port)?.control);
        Ok(Way { endpoint, folder: Some(folder) })
    }

    fn by_tcp(address: &Address, trust: &Trust) -> Result<Way> {
        Ok(Way { endpoint: address.tcp_endpoint(trust)?, folder: None })
    }
}

/// The way to a server. If it should be on this host and is not there yet, it may turn out to
/// listen at a Unix socket or at a port, so this waits for it; nothing if the end was asked for
/// meanwhile.
fn way_to(address: &Address, trust: &Trust, stop: &Stop) -> Result<Option<Way>> {
    if !address.is_local() {
        return Way::by_tcp(address, trust).map(Some);
    }
    let key = match trust {
        Trust::Insecure => true,
        Trust::Key(path) => KeyFile::find(Some(path))?.is_some(),
        Trust::Usual => KeyFile::find(None)?.is_some(),
    };
    let mut told = false;
    while !stop.is_stopped() {
        if let Some(folder) = Folder::with_server(address.port())? {
            return Way::here(folder, address.port()).map(Some);
        }
        if key && answers(address) {
            return Way::by_tcp(address, trust).map(Some);
        }
        if !told {
            say(words(&Notice::Waiting("no server listens there yet".to_string()), address));
            told = true;
        }
        gt_zmq::wait(&[], &[stop.waker()], PERIOD).map_err(Error::runtime)?;
    }
    Ok(None)
}

/// Whether somebody listens at a port of this host.
fn answers(address: &Address) -> bool {
    let places = address.to_string().to_socket_addrs();
    places.is_ok_and(|mut places| {
        places.any(|place| TcpStream::connect_timeout(&place, PERIOD).is_ok())
    })
}

/// Where tensor data arrives: at a Unix socket, and at a TCP port if there are other hosts.
fn data_place(args: &Args, address: &Address, way: &Way) -> Result<DataPlace> {
    let folder = match &way.folder {
        Some(folder) => folder.for_workers()?,
        None => Folder::own()?,
    };
    let (port, pid) = (address.port(), std::process::id());
    let host = match (&args.bind, &way.endpoint) {
        (Some(host), _) => Some(host.trim_start_matches('[').trim_end_matches(']').to_string()),
        (None, Endpoint::Tcp { address, .. }) => Some(own_host(address)?),
        (None, Endpoint::Ipc(_)) => None,
    };
    Ok(DataPlace {
        unix: Some(folder.socket(&format!("{port}.{pid}.data"))?),
        allowed_group: folder.group(),
        tcp: host.map(|host| Address::new(host, args.data_port.unwrap_or(0)).to_string()),
        advertise: args.advertise.clone(),
    })
}

/// The address of this host from which a server is reached, so that the server's other guests can
/// reach it as well.
fn own_host(server: &str) -> Result<String> {
    let wrong = |error: std::io::Error| {
        Error::runtime(format!("{server} cannot be reached ({error}); is the host's name right?"))
    };
    let all: Vec<SocketAddr> = server.to_socket_addrs().map_err(wrong)?.collect();
    let fourth = all.iter().find(|place| place.is_ipv4());
    let unknown = || Error::runtime(format!("{server} cannot be reached: it has no address"));
    let place = fourth.or(all.first()).ok_or_else(unknown)?;
    let any: SocketAddr = match place {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    // Nothing is sent: the system only chooses the address from which it would be.
    let probe = UdpSocket::bind(any).and_then(|socket| {
        socket.connect(place)?;
        socket.local_addr()
    });
    Ok(probe.map_err(wrong)?.ip().to_string())
}

/// What a worker tells of itself.
fn info(id: Option<&str>, device: &dyn Device, engine: &HostEngine) -> WorkerInfo {
    let (host, pid) = (host_name(), std::process::id());
    WorkerInfo {
        name: id.map_or_else(|| format!("{host}:{pid}"), str::to_string),
        host,
        pid,
        engine: engine.name().to_string(),
        device: device.name().to_string(),
        cores: available_parallelism().map_or(0, |cores| cores.get() as u32),
        numerics: numerics(engine.name()),
        ..WorkerInfo::default()
    }
}

/// The numerics class of an engine on this machine.
fn numerics(engine: &str) -> String {
    format!("{engine} {}", Cpu::used())
}

fn words(notice: &Notice, address: &Address) -> String {
    match notice {
        Notice::Registered(worker) => format!("worker {worker} works for {address}"),
        Notice::Waiting(reason) => format!("waiting for a server at {address}: {reason}"),
    }
}
