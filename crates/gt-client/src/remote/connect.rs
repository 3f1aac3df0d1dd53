//! Connecting to a dispatcher: the first time, and again after a connection broke. Each way to fail
//! has an error message of its own.

use std::io::ErrorKind;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use bytes::Bytes;
use gt_core::{Error, Result};
use gt_transport::Message;
use gt_transport::codec::Limits;
use gt_transport::hello::{Hello, Resume, Welcome};
use gt_transport::reliable::{open_unsequenced, unsequenced};
use gt_zmq::{Context, Dealer, DealerEvent, Endpoint};
use tracing::info;

use super::RemoteOptions;
use crate::host;

/// How long a server may take to answer, all attempts together.
const PATIENCE: Duration = Duration::from_millis(2500);
/// How long to wait before trying again.
const PAUSE: Duration = Duration::from_millis(100);

/// For a little longer than this the dispatcher keeps a session whose connection was closed.
const GRACE: Duration = Duration::from_millis(3500);
/// For so long it keeps one of which it hears nothing, unless it was told otherwise.
const CUT: Duration = Duration::from_secs(600);
/// How long one attempt to go on with a session may take: a host that comes back answers the next.
const ATTEMPT: Duration = Duration::from_secs(2);
/// How long a host may take to say that nobody listens.
const PROBE: Duration = Duration::from_millis(500);

/// How to connect: the address of the server, and the first message.
pub(super) struct Door {
    options: RemoteOptions,
    context: Context,
}

/// Why a server was not reached.
enum Trouble {
    /// Trying again does not help.
    Final(Error),
    /// It may be there in a moment.
    Passing(Error),
    /// The deadline came before an answer, which says less than any answer before it.
    Silent(Error),
}

impl Door {
    /// Connects to a server that has workers.
    pub(super) fn open(options: RemoteOptions) -> Result<(Door, Dealer, Welcome)> {
        let context = Context::new().map_err(|error| Error::runtime(error.to_string()))?;
        let door = Door { options, context };
        let deadline = Instant::now() + PATIENCE;
        let mut found: Option<Result<(Dealer, Welcome)>> = None;
        let mut heard: Option<Error> = None;
        host::wait(|patience| {
            found = door.attempt(deadline, patience, &mut heard);
            found.is_some()
        })?;
        let (dealer, welcome) = found.unwrap_or_else(|| Err(door.unreachable("no answer")))?;
        Ok((door, dealer, welcome))
    }

    /// What people call the server.
    pub(super) fn address(&self) -> &str {
        &self.options.address
    }

    /// Goes on with a session over another connection. A server that is not there any more is given
    /// up soon. One of which nothing is heard may be behind a network that is cut, and keeps the
    /// session for as long as this tries.
    pub(super) fn open_again(
        &self,
        resume: &Resume,
        stopped: impl Fn() -> bool,
    ) -> Result<(Dealer, Welcome)> {
        let begin = Instant::now();
        let mut gone_since: Option<Instant> = None;
        loop {
            let error = match self.greet(Some(resume.clone()), Instant::now() + ATTEMPT) {
                Ok(found) => return Ok(found),
                Err(Trouble::Final(error)) => return Err(error),
                Err(Trouble::Passing(error)) if self.answers_without_server() => {
                    gone_since.get_or_insert_with(Instant::now);
                    error
                }
                Err(Trouble::Passing(error) | Trouble::Silent(error)) => {
                    if gone_since.take().is_some() || begin.elapsed() < ATTEMPT + PAUSE {
                        let address = self.address();
                        info!(target: "gt", address, "nothing is heard of the server; waiting");
                    }
                    error
                }
            };
            let is_gone = gone_since.is_some_and(|since| since.elapsed() + PAUSE > GRACE);
            if is_gone || begin.elapsed() > CUT || stopped() {
                return Err(error);
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Whether the host of the server answers for it, so that it is not the network that is cut.
    fn answers_without_server(&self) -> bool {
        let Endpoint::Tcp { address, .. } = &self.options.endpoint else { return true };
        let Ok(mut places) = address.to_socket_addrs() else { return false };
        places.any(|place| match TcpStream::connect_timeout(&place, PROBE) {
            Ok(_) => true,
            Err(error) => error.kind() == ErrorKind::ConnectionRefused,
        })
    }

    /// One attempt, of which the program need not wait for the end; `None` to try again. `heard` is
    /// why the attempts before it came to nothing.
    fn attempt(
        &self,
        deadline: Instant,
        patience: Duration,
        heard: &mut Option<Error>,
    ) -> Option<Result<(Dealer, Welcome)>> {
        let found = match self.greet(None, deadline) {
            Ok((dealer, welcome)) if welcome.workers == 0 => {
                farewell(dealer);
                let workers = format!("start one with `gt worker {}`", self.arguments());
                let address = self.address();
                Err(Trouble::Passing(Error::Lost(format!(
                    "the server at {address} has no workers; {workers}"
                ))))
            }
            found => found,
        };
        match found {
            Ok(found) => Some(Ok(found)),
            Err(Trouble::Final(error)) => Some(Err(error)),
            Err(Trouble::Silent(error)) => Some(Err(heard.take().unwrap_or(error))),
            Err(Trouble::Passing(error)) if Instant::now() + PAUSE > deadline => Some(Err(error)),
            Err(Trouble::Passing(error)) => {
                *heard = Some(error);
                std::thread::sleep(PAUSE.min(patience));
                None
            }
        }
    }

    /// Connects and sends `Hello`.
    fn greet(
        &self,
        resume: Option<Resume>,
        deadline: Instant,
    ) -> std::result::Result<(Dealer, Welcome), Trouble> {
        let RemoteOptions { endpoint, name, workers, .. } = &self.options;
        let bad = |error: gt_zmq::Error| Trouble::Final(Error::value(error.to_string()));
        // A program may be stopped for a while; how long that is borne is the server's decision.
        let patient = gt_zmq::Options { borne_silence: Duration::MAX, ..Default::default() };
        let connected = Dealer::connect(&self.context, endpoint, &patient);
        let mut dealer = connected.map_err(bad)?;
        let is_resumed = resume.is_some();
        let RemoteOptions { memory_bytes, compare_copies, check_nan, .. } = self.options;
        let (name, workers) = (name.clone(), *workers);
        let hello = Hello { name, workers, memory_bytes, compare_copies, check_nan, resume };
        // If it cannot be sent, the wait for the answer below fails.
        let _ = dealer.send(&unsequenced(&Message::Hello(hello)));
        let mut was_connected = false;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Trouble::Silent(self.silent(was_connected)));
            }
            gt_zmq::wait(&[&dealer], &[], left).map_err(bad)?;
            while let Some(event) = dealer.receive().map_err(bad)? {
                match event {
                    DealerEvent::Connected => was_connected = true,
                    DealerEvent::Message(parts) => {
                        let welcome = self.hear(&parts).map_err(Trouble::Final)?;
                        return Ok((dealer, welcome));
                    }
                    DealerEvent::Refused(why) => {
                        return Err(Trouble::Passing(self.unreachable(&why)));
                    }
                    // A server that ends may hang up during the greeting; its keys were right
                    // before.
                    DealerEvent::Rejected(why) if is_resumed => {
                        return Err(Trouble::Passing(self.unreachable(&why)));
                    }
                    DealerEvent::Rejected(why) => return Err(Trouble::Final(self.rejected(&why))),
                    DealerEvent::Gone => {
                        return Err(Trouble::Passing(self.unreachable("it hung up")));
                    }
                }
            }
        }
    }

    /// The first message of the server.
    fn hear(&self, parts: &[Bytes]) -> Result<Welcome> {
        let address = self.address();
        match open_unsequenced(parts, &Limits::CONTROL).map_err(|error| error.within(address))? {
            Some(Message::Welcome(welcome)) => Ok(welcome),
            Some(Message::Ended { error, .. }) => Err(error.within(address)),
            _ => Err(Error::Lost(format!("what answers at {address} is not a server of GT"))),
        }
    }

    fn unreachable(&self, why: &str) -> Error {
        let (address, start) = (self.address(), self.start_command());
        Error::Lost(format!("no server answers at {address} ({why}); start one with `{start}`"))
    }

    fn silent(&self, was_connected: bool) -> Error {
        let address = self.address();
        if was_connected {
            return Error::Lost(format!(
                "something listens at {address} but does not answer as a server of GT does; is \
                 the address right?"
            ));
        }
        self.unreachable("nothing was heard in time")
    }

    fn rejected(&self, why: &str) -> Error {
        let address = self.address();
        Error::value(format!(
            "the server at {address} refuses the key ({why}); copy the key file that the server \
             names when it starts, and give it with key= or GT_KEY"
        ))
    }

    /// How a server would be started where this one was looked for.
    fn start_command(&self) -> String {
        match &self.options.endpoint {
            Endpoint::Ipc(_) => format!("gt server -p {}", self.port()),
            Endpoint::Tcp { address, .. } => {
                let host = address.rsplit_once(':').map_or(address.as_str(), |(host, _)| host);
                format!("gt server --bind {host} -p {}", self.port())
            }
        }
    }

    /// The address that a worker uses to connect to this server.
    fn arguments(&self) -> String {
        let address = self.address();
        let host = address.rsplit_once(':').map_or("localhost", |(host, _)| host);
        format!("--host {host} -p {}", self.port())
    }

    fn port(&self) -> &str {
        let address = self.address();
        address.rsplit_once(':').map_or(address, |(_, port)| port)
    }
}

/// Leaves a session that is of no use.
fn farewell(mut dealer: Dealer) {
    let mut channel = gt_transport::reliable::ReliableChannel::without_replay();
    if let Ok(parts) = channel.say(&Message::Bye) {
        let _ = dealer.send(&parts);
    }
    dealer.close_after(PAUSE);
}
