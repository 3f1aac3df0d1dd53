//! Where events come from: a server, or a session inside a program. Both are found by themselves.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use gt::address::{Address, Trust};
use gt::folder::{Folder, Running};
use gt_core::event::{Detail, Events};
use gt_core::{Error, Result};
use gt_transport::codec::Limits;
use gt_transport::priority::give_way;
use gt_transport::reliable::{open_unsequenced, unsequenced};
use gt_transport::report::{Report, ValuesReport};
use gt_transport::{Message, framed};
use gt_zmq::{Context, Dealer, DealerEvent, Options};

use self::window::{AHEAD, Window};
use crate::status::{closed, nobody, rejected};

mod window;

/// Messages of a program that wait to be looked at; it leaves events out while more would.
const READ_AHEAD: usize = 64;
/// How long a dispatcher may take to say anything.
const PATIENCE: Duration = Duration::from_millis(2_500);

/// Which dispatcher to watch.
#[derive(clap::Args, Clone, Debug)]
pub struct Which {
    /// The host of a server; this one if absent.
    #[arg(long)]
    host: Option<String>,
    /// The port of a server; found by itself if absent.
    #[arg(short, long)]
    port: Option<u16>,
    /// The process of a program that has its session in itself; found by itself if absent.
    #[arg(long, conflicts_with_all = ["host", "port"])]
    pid: Option<u32>,
    /// The key file to show to a server on another host.
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    key: Option<PathBuf>,
    /// Connect to a server that asks for no keys.
    #[arg(long)]
    insecure: bool,
}

/// Something that a dispatcher says.
pub enum Seen {
    /// How things are.
    Report(Box<Report>),
    /// What has happened.
    Events(Arc<Events>),
    /// Where values are.
    Values(Box<ValuesReport>),
}

/// A dispatcher that is watched.
pub struct Source {
    /// What people call it.
    pub name: String,
    road: Road,
    /// Where values are, if that was asked and told.
    values: Option<Box<ValuesReport>>,
    /// Whether it has said anything.
    was_heard: bool,
    began: Instant,
}

enum Road {
    Server { dealer: Box<Dealer>, address: Address, window: Window, _context: Context },
    Process { messages: Receiver<Result<Message>>, socket: PathBuf },
}

impl Which {
    /// Begins to watch the dispatcher that is meant, if there is no doubt which one that is.
    pub fn open(&self, detail: Detail) -> Result<Source> {
        // Whoever watches must not be what is seen.
        give_way();
        if self.host.is_some() || self.port.is_some() {
            let host = self.host.as_deref().unwrap_or("localhost");
            let port = self.port.unwrap_or(gt::address::DEFAULT_PORT);
            return self.open_server(format!("{host}:{port}").parse()?, detail);
        }
        let mut running = Folder::running()?;
        if let Some(wanted) = self.pid {
            running.retain(|one| matches!(one, Running::Process { pid, .. } if *pid == wanted));
        }
        match running.as_slice() {
            [Running::Server { port, .. }] => {
                self.open_server(format!("localhost:{port}").parse()?, detail)
            }
            [Running::Process { pid, socket }] => Source::of_process(*pid, socket, detail),
            [] => Err(Error::Lost(match self.pid {
                Some(pid) => format!("process {pid} has no session of GT in itself"),
                None => "no dispatcher of this user runs on this host; start a program or \
                         `gt server`, or name a server with --host and --port"
                    .to_string(),
            })),
            several => Err(doubt(several)),
        }
    }

    fn open_server(&self, address: Address, detail: Detail) -> Result<Source> {
        Source::of_server(address, &Trust::asked(self.key.clone(), self.insecure)?, detail)
    }
}

impl Source {
    /// Begins to watch a server.
    pub fn of_server(address: Address, trust: &Trust, detail: Detail) -> Result<Source> {
        let endpoint = address.endpoint(trust)?;
        let options = Options { connect_timeout: PATIENCE, ..Options::default() };
        let context = Context::new().map_err(Error::runtime)?;
        let mut dealer = Dealer::connect(&context, &endpoint, &options).map_err(Error::runtime)?;
        let observe = Message::Observe { messages: AHEAD, detail };
        dealer.send(&unsequenced(&observe)).map_err(Error::runtime)?;
        let (name, now) = (address.to_string(), Instant::now());
        let dealer = Box::new(dealer);
        let window = Window::open(now, detail);
        let road = Road::Server { dealer, address, window, _context: context };
        Ok(Source { name, road, values: None, was_heard: false, began: now })
    }

    /// Begins to watch a session inside a program.
    pub fn of_process(pid: u32, socket: &Path, detail: Detail) -> Result<Source> {
        let gone = |error: std::io::Error| {
            Error::Lost(format!("process {pid} cannot be watched at {}: {error}", socket.display()))
        };
        let mut stream = UnixStream::connect(socket).map_err(gone)?;
        framed::write(&mut stream, &Message::Observe { messages: 0, detail }).map_err(gone)?;
        let (sender, messages) = sync_channel(READ_AHEAD);
        // A read that is given up in the middle of a message could not go on; so a thread reads.
        let read = move || {
            loop {
                let message = framed::read(&mut stream);
                let is_over = message.is_err();
                if sender.send(message).is_err() || is_over {
                    return;
                }
            }
        };
        thread::Builder::new().name("gt-source".to_string()).spawn(read).map_err(gone)?;
        let road = Road::Process { messages, socket: socket.to_path_buf() };
        let name = format!("process {pid}");
        Ok(Source { name, road, values: None, was_heard: false, began: Instant::now() })
    }

    /// Asks where values are; [`Source::next`] gives the answer.
    pub fn ask_values(&mut self) {
        match &mut self.road {
            // What cannot be asked is asked at the next turn.
            Road::Server { dealer, .. } => {
                let _ = dealer.send(&unsequenced(&Message::ValuesRequest));
            }
            Road::Process { socket, .. } => self.values = values_of(socket).ok(),
        }
    }
}

/// Asks a program over a connection of its own, because the other one only brings events.
fn values_of(socket: &Path) -> Result<Box<ValuesReport>> {
    let mut stream = UnixStream::connect(socket).map_err(Error::runtime)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(Error::runtime)?;
    framed::write(&mut stream, &Message::ValuesRequest).map_err(Error::runtime)?;
    match framed::read(&mut stream)? {
        Message::Values(values) => Ok(values),
        _ => Err(Error::bug("something else than values was told")),
    }
}

/// Several dispatchers run, and none was chosen.
fn doubt(several: &[Running]) -> Error {
    let line = |one: &Running| match one {
        Running::Server { port, record } => {
            let pid = record.as_ref().map_or(String::new(), |one| format!(", process {}", one.pid));
            format!("  --port {port}   a server{pid}")
        }
        Running::Process { pid, .. } => format!("  --pid {pid}   {}", command_of(*pid)),
    };
    let lines: Vec<String> = several.iter().map(line).collect();
    Error::value(format!("several dispatchers run here; choose one:\n{}", lines.join("\n")))
}

/// What a process was started as.
fn command_of(pid: u32) -> String {
    let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = String::from_utf8_lossy(&command).replace('\0', " ");
    words.trim().chars().filter(|c| !c.is_control()).take(60).collect()
}

impl Source {
    /// What it says next, if it says something before the deadline; an error when it has ended.
    pub fn next(&mut self, deadline: Instant) -> Result<Option<Seen>> {
        if let Some(values) = self.values.take() {
            return Ok(Some(Seen::Values(values)));
        }
        loop {
            let message = match &mut self.road {
                Road::Server { dealer, address, window, .. } => {
                    hear(dealer, address, window, deadline)?
                }
                Road::Process { messages, .. } => listen(messages, &self.name, deadline)?,
            };
            self.was_heard |= message.is_some();
            match message {
                Some(Message::Report(report)) => return Ok(Some(Seen::Report(report))),
                Some(Message::Events(events)) => return Ok(Some(Seen::Events(events))),
                Some(Message::Values(values)) => return Ok(Some(Seen::Values(values))),
                Some(Message::Ended { error, .. }) => return Err(error.within(&self.name)),
                Some(_) => {}
                None if !self.was_heard && self.began.elapsed() > PATIENCE => {
                    return Err(Error::Lost(format!("{} does not answer", self.name)));
                }
                None => return Ok(None),
            }
        }
    }
}

fn listen(
    messages: &Receiver<Result<Message>>,
    name: &str,
    deadline: Instant,
) -> Result<Option<Message>> {
    match messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(Ok(message)) => Ok(Some(message)),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
            Err(Error::Lost(format!("{name} has ended")))
        }
    }
}

fn hear(
    dealer: &mut Dealer,
    address: &Address,
    window: &mut Window,
    deadline: Instant,
) -> Result<Option<Message>> {
    loop {
        let now = Instant::now();
        if let Some(messages) = window.due(now) {
            // What cannot be sent is sent at the next turn; until then nothing is lost by it.
            let _ = dealer.send(&unsequenced(&Message::StatusRequest));
            let _ = dealer.send(&unsequenced(&window.observe(messages)));
        }
        match dealer.receive().map_err(Error::runtime)? {
            Some(DealerEvent::Message(parts)) => {
                let message = open_unsequenced(&parts, &Limits::CONTROL);
                let message = message.map_err(|error| error.within(address))?;
                if matches!(message, Some(Message::Events(_))) {
                    let _ = dealer.send(&unsequenced(&window.observe(1)));
                }
                return Ok(message);
            }
            Some(DealerEvent::Connected) => {}
            Some(DealerEvent::Refused(reason)) => return Err(nobody(address, &reason)),
            Some(DealerEvent::Rejected(reason)) => return Err(rejected(address, &reason)),
            Some(DealerEvent::Gone) => return Err(closed(address)),
            None if now >= deadline => return Ok(None),
            None => {
                let wake = deadline.min(window.next_ask());
                let left = wake.saturating_duration_since(now);
                gt_zmq::wait(&[&*dealer], &[], left).map_err(Error::runtime)?;
            }
        }
    }
}
