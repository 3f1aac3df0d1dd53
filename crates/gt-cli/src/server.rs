//! `gt server`: the dispatcher in a process of its own.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use gt::address::{Address, DEFAULT_PORT, Trust, host_name};
use gt::folder::{Claim, Folder, Record, Sockets, group_number};
use gt::keys::{KeyRing, Origin};
use gt::settings::Settings;
use gt_core::{Error, Result};
use gt_dispatcher::gateway::Timeouts;
use gt_dispatcher::role::Groups;
use gt_dispatcher::serve::{Local, Options, Server};
use gt_transport::stop::Stop;
use gt_zmq::{AllowList, TcpSecurity};

use self::policy::PolicyFile;
use self::watch::Watch;
use crate::say::{raise_descriptor_limit, say};
use crate::signals::Attention;
use crate::web::{self, Web};

mod policy;
mod watch;

/// How often a free port is looked for before it is given up.
const TRIES: usize = 20;

/// What `gt server` is told.
#[derive(clap::Args)]
pub struct Args {
    /// The port to listen at; 0 is a free one.
    #[arg(short, long, default_value_t = DEFAULT_PORT)]
    port: u16,
    /// Listen for other hosts too, at this address of this host; 0.0.0.0 is all of them.
    #[arg(long, value_name = "HOST")]
    bind: Option<String>,
    /// Admit users of this host who belong to a group, as clients.
    #[arg(long, value_name = "NAME")]
    allow_group: Option<String>,
    /// Admit users of this host who belong to a group, with workers; with --allow-group, those who
    /// belong to both.
    #[arg(long, value_name = "NAME")]
    worker_group: Option<String>,
    /// Admit everybody who reaches the port from another host, and encrypt nothing.
    #[arg(long, requires = "bind")]
    insecure: bool,
    /// The port of the relay, for tensor data that finds no other way; a free one if absent.
    #[arg(long, value_name = "PORT", requires = "bind")]
    data_port: Option<u16>,
    /// What other hosts call this one, if it is not the address it listens at.
    #[arg(long, value_name = "HOST", requires = "bind")]
    advertise: Option<String>,
    /// How long the session of a silent client is kept.
    #[arg(long, value_name = "SECONDS")]
    session_grace: Option<u32>,
    /// Write a line for each event to this file; GT_INSTRUCTION_LOG does the same.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Serve a web page and metrics for Prometheus at this port; 0 is a free one. Only this host
    /// can reach it, unless a host is named: HOST:PORT.
    #[arg(long, value_name = "[HOST:]PORT")]
    metrics_port: Option<web::Place>,
    /// What users and keys may have at most, in YAML; SIGHUP reads it again.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

/// Serves until a signal comes.
pub fn run(args: Args) -> Result<()> {
    let stop = Stop::new()?;
    let _attention = Attention::pay(&stop)?;
    let mut settings = Settings::from_environment()?;
    settings.voices.listen();
    settings.instruction_log = args.log.clone().or(settings.instruction_log);
    raise_descriptor_limit();
    let policy = PolicyFile::open(args.policy.clone())?;
    let folder = match args.allow_group.as_ref().or(args.worker_group.as_ref()) {
        Some(group) => Folder::for_group(group)?,
        None => Folder::own()?,
    };
    let mut claim = claim(&folder, args.port)?;
    let sockets = folder.sockets(claim.port())?;
    let door = Door::new(&args, claim.port())?;
    let server = Server::open(Options {
        local: Some(local(&args, &folder, &sockets)?),
        tcp: door.as_ref().map(|door| (door.listen.to_string(), door.security.clone())),
        relay: args.bind.as_ref().map(|host| relay_place(host, args.data_port)),
        advertise: door.as_ref().map(|door| door.seen.clone()),
        timeouts: args.timeouts(),
        sink: settings.server_sink()?,
        policy: policy.update(),
    })?;
    let address = door.as_ref().map(|door| door.address.to_string());
    claim.publish(&record(address))?;
    let web = args.metrics_port.as_ref().map(|place| show(place, claim.port())).transpose()?;
    announce(&claim, &sockets, door.as_ref(), web.as_ref());
    let _watch = door.and_then(|door| door.ring).map(|(_, list, _)| Watch::start(list));
    let outcome = server.run(&stop);
    web.into_iter().for_each(Web::close);
    say("the server has ended");
    outcome
}

impl Args {
    fn timeouts(&self) -> Timeouts {
        let usual = Timeouts::default();
        let grace = self.session_grace.map(|seconds| u64::from(seconds) * 1_000_000_000);
        Timeouts { silent_ns: grace.unwrap_or(usual.silent_ns), ..usual }
    }
}

/// Keys that decide who may enter, and where they come from.
type Keys = (KeyRing, AllowList, Origin);

/// What other hosts find.
struct Door {
    listen: Address,
    /// What others call the host.
    seen: String,
    /// What others connect to.
    address: Address,
    security: TcpSecurity,
    /// The keys that decide who may enter, and where they come from.
    ring: Option<Keys>,
}

impl Door {
    fn new(args: &Args, port: u16) -> Result<Option<Door>> {
        let Some(host) = args.bind.as_deref() else { return Ok(None) };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        // Nobody can connect to an address that means all of them.
        let everywhere = ["0.0.0.0", "::"].contains(&host);
        let own = || if everywhere { host_name() } else { host.to_string() };
        let seen = args.advertise.clone().unwrap_or_else(own);
        let (security, ring) = if args.insecure { (TcpSecurity::Insecure, None) } else { guard()? };
        let (listen, address) = (Address::new(host, port), Address::new(seen.clone(), port));
        Ok(Some(Door { listen, seen, address, security, ring }))
    }
}

/// Only those enter whose keys are in the ring.
fn guard() -> Result<(TcpSecurity, Option<Keys>)> {
    let ring = KeyRing::of_user()?;
    let keys = ring.server()?;
    let allowed = watch::list_of(ring.clone())?;
    let (secret, public) = (keys.pair.secret, keys.pair.public);
    let security = TcpSecurity::Curve { secret, public, allowed: allowed.clone() };
    Ok((security, Some((ring, allowed, keys.origin))))
}

fn local(args: &Args, folder: &Folder, sockets: &Sockets) -> Result<Local> {
    let Sockets { control, monitor, relay } = sockets.clone();
    let number = |name: &Option<String>| name.as_deref().map(group_number).transpose();
    let groups =
        Groups { clients: number(&args.allow_group)?, workers: number(&args.worker_group)? };
    Ok(Local { control, monitor, relay, access: folder.access(), groups })
}

/// Where the relay listens: at a port that was asked for, or a free one.
fn relay_place(host: &str, port: Option<u16>) -> String {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Address::new(host, port.unwrap_or(0)).to_string()
}

/// Takes a port.
fn claim(folder: &Folder, port: u16) -> Result<Claim> {
    if port != 0 {
        return folder.claim(port);
    }
    let wrong = |error| Error::runtime(format!("no free port can be found: {error}"));
    for _ in 1..TRIES {
        // The system knows which ports are free; it gives another one each time.
        let probe = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(wrong)?;
        let port = probe.local_addr().map_err(wrong)?.port();
        if let Ok(claim) = folder.claim(port) {
            return Ok(claim);
        }
    }
    Err(Error::runtime("no free port can be found; choose one with -p"))
}

fn record(address: Option<String>) -> Record {
    let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let version = env!("CARGO_PKG_VERSION").to_string();
    Record { pid: std::process::id(), address, version, started }
}

/// Shows the server as it would be shown from another process of the user.
fn show(place: &web::Place, port: u16) -> Result<Web> {
    let own = web::Target::Server(Address::new("localhost", port), Trust::Usual);
    Web::open(place, own)
}

/// Says where it listens, in lines that can be copied.
fn announce(claim: &Claim, sockets: &Sockets, door: Option<&Door>, web: Option<&Web>) {
    let (port, version, socket) =
        (claim.port(), env!("CARGO_PKG_VERSION"), sockets.control.display());
    let mut lines = vec![
        format!("GT {version} listens at port {port} of this host ({socket}):"),
        format!("  gt worker -p {port}"),
        format!("  gt.connect('localhost:{port}')"),
    ];
    lines.extend(door.into_iter().flat_map(Door::words));
    lines.extend(web.map(Web::words));
    say(lines.join("\n"));
}

impl Door {
    fn words(&self) -> Vec<String> {
        let Door { seen, address, ring, .. } = self;
        let port = address.port();
        let Some((ring, _, origin)) = ring else {
            return vec![
                format!("and at {address} for everybody, without keys:"),
                format!("  gt worker --host {seen} -p {port} --insecure"),
                format!("  gt.connect('{address}', insecure=True)"),
            ];
        };
        let made = match origin {
            Origin::Made => ", which have just been made",
            Origin::Found => "",
        };
        let folder = ring.allowed_list();
        let folder = folder.parent().unwrap_or(&folder).display();
        let mut lines =
            vec![format!("and at {address} for other hosts with a key of {folder}{made}:")];
        // A program is given no key that could also register a worker.
        let (cluster, client) = (ring.cluster_key(), ring.client_key());
        if cluster.exists() {
            lines.push(format!("  gt worker --host {seen} -p {port} --key {}", cluster.display()));
        }
        if let Some(key) = [client, cluster].into_iter().find(|key| key.exists()) {
            lines.push(format!("  gt.connect('{address}', key='{}')", key.display()));
        } else {
            lines.push("  (there is none; `gt keys new NAME` makes one)".to_string());
        }
        lines
    }
}
