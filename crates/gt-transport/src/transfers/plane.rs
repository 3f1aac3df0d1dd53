//! The sockets of the data plane: one thread of a process carries all its channels. What it decides
//! about transfers is decided by the machine ([`Transfers`]).

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use gt_core::{Error, Result, SessionId};

use self::carrier::Carrier;
use super::address::Address;
use super::buffer_source::{Buffer, BufferSource, Plain};
use super::key::Key;
use super::limits::Limits;
use super::listener::Listener;
use super::machine::{Event, Transfers};
use super::socket::Socket;
use crate::Peer;
use crate::lock::Mutex;
use crate::report::ChannelTraffic;
use crate::ticket::Ticket;
use crate::transfers::machine::Via;

mod carrier;
mod connection;
mod greeting;
mod relay;

/// How the data plane of a process is opened.
pub struct PlaneOptions {
    /// Where the Unix socket is made, in a folder that only friends can enter.
    pub unix: Option<PathBuf>,
    /// A group whose members may connect to the Unix socket besides our own user.
    pub allowed_group: Option<u32>,
    /// The host and port to listen on; port 0 chooses a free one.
    pub tcp: Option<String>,
    /// What others should connect to instead: a host, or a host and a port.
    pub advertise: Option<String>,
    /// Where arriving values are put.
    pub buffer_source: Arc<dyn BufferSource>,
    /// How much others may cost.
    pub limits: Limits,
}

impl Default for PlaneOptions {
    fn default() -> Self {
        let (unix, allowed_group, tcp, advertise) = Default::default();
        let (buffer_source, limits) = (Arc::new(Plain), Limits::default());
        PlaneOptions { unix, allowed_group, tcp, advertise, buffer_source, limits }
    }
}

/// What the thread is told.
enum Command {
    Identify(Peer, Option<Key>),
    Ticket(Box<Ticket>, Option<Box<dyn Buffer>>),
    Send(u64, Bytes),
    Cancel(u64),
    Forget(SessionId),
    Away(Peer, bool),
    CutOff(bool),
    Connected { peer: Peer, via: Via, attempt: u64, socket: std::io::Result<Socket> },
    Close,
}

/// What the thread and everybody else share.
struct Shared {
    commands: Mutex<Vec<Command>>,
    waker: UnixStream,
    traffic: Mutex<Vec<ChannelTraffic>>,
    relayed_bytes: AtomicU64,
}

impl Shared {
    fn tell(&self, command: Command) {
        self.commands.lock().push(command);
        // A waker that is full has woken already.
        let _ = (&self.waker).write(&[1]);
    }
}

/// The data plane of one process: a client, a worker or the relay.
pub struct DataPlane {
    shared: Arc<Shared>,
    address: Address,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl DataPlane {
    /// Starts to listen, if it is told where. `told` hears how each transfer ended; it runs on the
    /// thread of the data plane and must not wait.
    pub fn open(
        options: PlaneOptions,
        told: impl Fn(Event) + Send + 'static,
    ) -> Result<Arc<DataPlane>> {
        let PlaneOptions { unix, allowed_group, tcp, advertise, buffer_source, limits } = options;
        let cannot = |what: &str, error: std::io::Error| {
            Error::runtime(format!("cannot listen for tensor data on {what}: {error}"))
        };
        let (mut listeners, mut address) = (Vec::new(), Address::default());
        if let Some(host) = tcp {
            let (listener, reachable) =
                Listener::tcp(&host, advertise.as_deref()).map_err(|error| cannot(&host, error))?;
            listeners.push(listener);
            address.tcp = Some(reachable);
        }
        if let Some(path) = unix {
            let listener = Listener::unix(&path, allowed_group)
                .map_err(|error| cannot(&path.display().to_string(), error))?;
            listeners.push(listener);
            address.unix = Some(path);
        }
        let thread = |error: std::io::Error| cannot("a thread of its own", error);
        let (waker, woken) = UnixStream::pair().map_err(thread)?;
        waker.set_nonblocking(true).and_then(|()| woken.set_nonblocking(true)).map_err(thread)?;
        let (commands, traffic, relayed_bytes) = Default::default();
        let shared = Arc::new(Shared { commands, waker, traffic, relayed_bytes });
        // Later than that of any process that had the same place before.
        let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let machine = Transfers::new(limits.clone(), buffer_source, began.as_micros() as u64);
        let carrier =
            Carrier::new(machine, limits, listeners, woken, shared.clone(), Box::new(told));
        let builder = std::thread::Builder::new().name("gt-data".into()).stack_size(1 << 20);
        let handle = builder.spawn(move || carrier.run()).map_err(thread)?;
        Ok(Arc::new(DataPlane { shared, address, thread: Mutex::new(Some(handle)) }))
    }

    /// Where it can be reached.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Who this process is, and what others prove to it. Before that nobody can connect.
    pub fn identify(&self, own: Peer, key: Option<Key>) {
        self.shared.tell(Command::Identify(own, key));
    }

    /// A value may travel.
    pub fn take_ticket(&self, ticket: Ticket) {
        self.shared.tell(Command::Ticket(Box::new(ticket), None));
    }

    /// A value may come here, into memory of exactly its length.
    pub fn take_ticket_into(&self, ticket: Ticket, buffer: Box<dyn Buffer>) {
        self.shared.tell(Command::Ticket(Box::new(ticket), Some(buffer)));
    }

    /// Here is a value that a ticket allows to send.
    pub fn send(&self, tag: u64, data: Bytes) {
        self.shared.tell(Command::Send(tag, data));
    }

    /// Gives a transfer up; nobody is told here.
    pub fn cancel(&self, tag: u64) {
        self.shared.tell(Command::Cancel(tag));
    }

    /// A session is over, and with it its transfers.
    pub fn forget(&self, session: SessionId) {
        self.shared.tell(Command::Forget(session));
    }

    /// A peer is away and may come back, or has come back. What is to travel there waits.
    pub fn set_away(&self, peer: Peer, is_away: bool) {
        self.shared.tell(Command::Away(peer, is_away));
    }

    /// This process reaches nobody, or does so again. What is to travel waits.
    pub fn set_cut_off(&self, is_cut_off: bool) {
        self.shared.tell(Command::CutOff(is_cut_off));
    }

    /// What travelled between this process and others.
    pub fn traffic(&self) -> Vec<ChannelTraffic> {
        self.shared.traffic.lock().clone()
    }

    /// Bytes that were carried between others.
    pub fn relayed_bytes(&self) -> u64 {
        self.shared.relayed_bytes.load(Relaxed)
    }

    /// Hangs up and waits for the thread; the caller must hold nothing that `told` waits for.
    pub fn close(&self) {
        self.shared.tell(Command::Close);
        let Some(thread) = self.thread.lock().take() else { return };
        if thread.thread().id() != std::thread::current().id() {
            // A panic of the thread is reported by the panic itself.
            let _ = thread.join();
        }
    }
}

impl Drop for DataPlane {
    fn drop(&mut self) {
        self.close();
    }
}

/// Reads what woke the thread.
fn drain(mut woken: &UnixStream) {
    let mut bytes = [0; 256];
    while let Ok(256) = woken.read(&mut bytes) {}
}
