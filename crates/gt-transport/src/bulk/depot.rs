//! A depot: the side that listens. Each worker has one, and so has the relay.

mod connection;
mod gone;
mod hear;
mod hub;
pub(super) mod lender;
mod listener;
mod tickets;

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use gt_core::{Error, Result};

use self::hub::Hub;
use self::listener::Listener;
use super::address::Address;
use super::buffer_source::BufferSource;
use super::counters::Counters;
use super::limits::Limits;
use super::ticket::Key;

/// How a depot is opened.
pub struct DepotOptions {
    /// Where the Unix socket is made, in a folder that only friends can enter.
    pub unix: Option<PathBuf>,
    /// A group whose members may connect to the Unix socket besides our own user.
    pub allowed_group: Option<u32>,
    /// The host and port to listen on; port 0 chooses a free one.
    pub tcp: Option<String>,
    /// What others should connect to instead: a host, or a host and a port.
    pub advertise: Option<String>,
    /// Where arriving parcels are put.
    pub buffer_source: Arc<dyn BufferSource>,
    /// How much strangers may cost.
    pub limits: Limits,
}

/// Waits for couriers that bring parcels and fetch them.
pub struct Depot {
    hub: Arc<Hub>,
    address: Address,
}

impl Depot {
    /// Starts to listen. `arrived` is called with each parcel that came under a tag, or with the
    /// reason why it did not come whole; it runs on a thread of the depot and must not wait.
    pub fn open(
        options: DepotOptions,
        arrived: impl Fn(u64, Result<Bytes>) + Send + Sync + 'static,
    ) -> Result<Arc<Depot>> {
        let DepotOptions { unix, allowed_group, tcp, advertise, buffer_source, limits } = options;
        let cannot = |what: &str, error: std::io::Error| {
            Error::runtime(format!("cannot listen for tensor data on {what}: {error}"))
        };
        let mut listeners = Vec::new();
        let mut address = Address::default();
        if let Some(host) = tcp {
            let (listener, reachable) =
                Listener::tcp(&host, advertise.as_deref()).map_err(|error| cannot(&host, error))?;
            listeners.push(listener);
            address.tcp = Some(reachable);
        }
        // Last, because only a depot that is open removes the file again.
        if let Some(path) = unix {
            let listener = Listener::unix(&path, allowed_group)
                .map_err(|error| cannot(&path.display().to_string(), error))?;
            listeners.push(listener);
            address.unix = Some(path);
        }
        let hub = Hub::open(buffer_source, Box::new(arrived), limits);
        let depot = Arc::new(Depot { hub, address });
        for listener in listeners {
            let started = depot.hub.listen(listener);
            started.map_err(|error| cannot("a thread of its own", error))?;
        }
        Ok(depot)
    }

    /// Where it can be reached.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Somebody with this key may deliver exactly so many bytes under this tag, once. Whose ticket
    /// it is matters to [`Depot::withdraw_all`] alone.
    pub fn expect(&self, owner: u64, tag: u64, key: Key, bytes: usize) {
        self.hub.tickets.lock().expect(owner, tag, key, bytes);
    }

    /// Somebody with this key may fetch what [`Depot::put`] brings under this tag, once.
    pub fn offer(&self, owner: u64, tag: u64, key: Key) {
        self.hub.tickets.lock().offer(owner, tag, key);
    }

    /// Here is what was offered under this tag.
    pub fn put(&self, tag: u64, data: Bytes) {
        self.hub.tickets.lock().put(tag, data);
    }

    /// The ticket is void, in both directions; whoever waits for it is told. A parcel that is
    /// already being sent arrives nevertheless. Gives what was put there and nobody has fetched.
    pub fn withdraw(&self, tag: u64) -> Option<Bytes> {
        self.hub.tickets.lock().withdraw(tag)
    }

    /// Every ticket of an owner is void.
    pub fn withdraw_all(&self, owner: u64) {
        self.hub.tickets.lock().withdraw_all(owner);
    }

    /// Hangs up and waits for all threads; the caller must hold nothing that `arrived` waits for.
    pub fn close(&self) {
        self.hub.close();
    }

    /// What it has carried.
    pub fn counters(&self) -> Counters {
        self.hub.meter.read()
    }
}

impl Drop for Depot {
    fn drop(&mut self) {
        self.close();
    }
}

/// Why a depot does not meet a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// No ticket came in time.
    NoTicket = 1,
    /// The ticket was used before.
    Used = 2,
    /// The key, or the length, is not that of the ticket.
    WrongKey = 3,
    /// There is no memory for the parcel.
    NoMemory = 4,
    /// Too many requests wait.
    Full = 5,
}

impl Refusal {
    /// What a courier makes of it.
    pub fn error(code: u64, tag: u64) -> Error {
        let refused = |why| Error::Lost(format!("parcel {tag} was refused: {why}"));
        match code {
            1 => refused("nobody waits for it"),
            2 => refused("its ticket was used before"),
            3 => refused("its key or its length is not that of the ticket"),
            4 => Error::OutOfMemory(format!("parcel {tag} was refused: its receiver has no room")),
            5 => refused("too many others wait"),
            _ => refused("for a reason that this version does not know"),
        }
    }
}
