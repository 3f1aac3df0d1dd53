//! A man in the middle: carries TCP connections to a data plane, writes down what goes by, and
//! spoils the first of them as it is told.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gt_transport::transfers::Address;

use crate::common::until;

/// A trickle is so many bytes …
const TRICKLE_BYTES: usize = 16;
/// … and a pause.
const PAUSE: Duration = Duration::from_millis(20);

/// Where bytes go: up to the one that listens, or down to the one that connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Up,
    Down,
}

/// What happens to the first connection, at a byte of one of its directions.
#[derive(Clone, Debug)]
pub enum Fault {
    None,
    Flip(Way, usize),
    Cut(Way, usize),
    /// Nothing more goes that way, until the proxy is told to cut.
    Hold(Way, usize),
    /// From there on a few bytes at a time go that way.
    Trickle(Way, usize),
    /// The proxy answers in the one that listens's place, and hangs up.
    Answer(usize, Vec<u8>),
}

#[derive(Default)]
struct Shared {
    /// What each connection carried up and down, as it came in.
    seen: Mutex<Vec<[Vec<u8>; 2]>>,
    open: Mutex<Vec<TcpStream>>,
    cut: AtomicBool,
    held: AtomicBool,
    closed: AtomicBool,
    pumps: AtomicUsize,
}

pub struct Proxy {
    shared: Arc<Shared>,
    port: u16,
}

impl Proxy {
    pub fn open(to: &Address, fault: Fault) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("just bound").port();
        let shared: Arc<Shared> = Arc::default();
        let (own, to) = (shared.clone(), to.tcp.clone().expect("a data plane with a port"));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                if own.closed.load(SeqCst) {
                    return;
                }
                own.serve(client.expect("a client"), &to, &fault);
            }
        });
        Proxy { shared, port }
    }

    pub fn address(&self) -> Address {
        Address { unix: None, tcp: Some(format!("127.0.0.1:{}", self.port)) }
    }

    /// What a connection carried.
    pub fn seen(&self, connection: usize, way: Way) -> Vec<u8> {
        self.shared.seen.lock().expect("no pump panics")[connection][way as usize].clone()
    }

    pub fn wait_until_held(&self) {
        until("the proxy to hold", || self.shared.held.load(SeqCst));
    }

    /// Cuts what is held.
    pub fn cut(&self) {
        self.shared.cut.store(true, SeqCst);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.closed.store(true, SeqCst);
        self.cut();
        for socket in self.shared.open.lock().expect("no pump panics").drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        until("the pumps to stop", || self.shared.pumps.load(SeqCst) == 0);
    }
}

impl Shared {
    fn serve(self: &Arc<Self>, client: TcpStream, to: &str, fault: &Fault) {
        // A server that is closed meanwhile is one more way to lose a connection.
        let Ok(server) = TcpStream::connect(to) else { return };
        let number = {
            let mut seen = self.seen.lock().expect("no pump panics");
            seen.push([Vec::new(), Vec::new()]);
            seen.len() - 1
        };
        let clone = |socket: &TcpStream| socket.try_clone().expect("a descriptor");
        self.open.lock().expect("no pump panics").extend([clone(&client), clone(&server)]);
        let fault = if number == 0 { fault.clone() } else { Fault::None };
        let ends = [(Way::Up, clone(&client), clone(&server)), (Way::Down, server, client)];
        for (way, from, to) in ends {
            let (shared, fault) = (self.clone(), fault.clone());
            shared.pumps.fetch_add(1, SeqCst);
            std::thread::spawn(move || {
                shared.pump(number, way, &from, &to, &fault);
                let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
                shared.pumps.fetch_sub(1, SeqCst);
            });
        }
    }

    fn pump(
        &self,
        number: usize,
        way: Way,
        mut from: &TcpStream,
        mut to: &TcpStream,
        fault: &Fault,
    ) {
        let (mut buffer, mut passed) = (vec![0; 1 << 16], 0);
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            let mut bytes = buffer[..count].to_vec();
            // Given back at once: one that holds its bytes must not hold up the others.
            self.seen.lock().expect("no pump panics")[number][way as usize]
                .extend_from_slice(&bytes);
            let goes_on = self.spoil(way, passed, &mut bytes, fault);
            passed += count;
            if let (false, Fault::Answer(_, answer)) = (goes_on, fault) {
                let _ = from.write_all(answer);
            }
            if let Fault::Trickle(there, at) = fault
                && *there == way
                && passed > *at
            {
                let drops = bytes.chunks(TRICKLE_BYTES);
                if drops
                    .into_iter()
                    .any(|drop| self.is_cut_within(PAUSE) || to.write_all(drop).is_err())
                {
                    return;
                }
                continue;
            }
            if to.write_all(&bytes).is_err() || !goes_on {
                return;
            }
        }
    }

    /// Waits for a while; true if the proxy was told to cut.
    fn is_cut_within(&self, pause: Duration) -> bool {
        let end = Instant::now() + pause;
        while Instant::now() < end {
            if self.cut.load(SeqCst) {
                return true;
            }
            std::thread::yield_now();
        }
        false
    }

    /// Does to some bytes what the fault asks for; false if the connection ends behind them.
    fn spoil(&self, way: Way, passed: usize, bytes: &mut Vec<u8>, fault: &Fault) -> bool {
        let (there, at) = match fault {
            Fault::None | Fault::Trickle(..) => return true,
            Fault::Flip(there, at) | Fault::Cut(there, at) | Fault::Hold(there, at) => (*there, at),
            Fault::Answer(at, _) => (Way::Up, at),
        };
        if there != way || !(passed..passed + bytes.len()).contains(at) {
            return true;
        }
        let at = at - passed;
        match fault {
            Fault::Flip(..) => bytes[at] ^= 1,
            _ => bytes.truncate(at),
        }
        if matches!(fault, Fault::Hold(..)) {
            self.held.store(true, SeqCst);
            until("the end of the hold", || self.cut.load(SeqCst));
        }
        matches!(fault, Fault::Flip(..))
    }
}
