//! Metrics and the web page of a dispatcher, over HTTP: one thread watches as `gt top` does, and
//! one answers. The dispatcher notices one more who watches, and nothing of who reads.

use std::io;
use std::net::{IpAddr, TcpListener};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Once};
use std::thread::{self, JoinHandle};

use gt::address::{Address, Trust, host_name};
use gt_client::fork;
use gt_core::{Error, Result};
use gt_transport::lock::Mutex;

use self::access::Access;
use self::board::Shared;
use self::serve::Server;

mod access;
mod answer;
mod board;
mod places;
mod serve;

/// Where HTTP is served: `PORT` for this host alone, or `HOST:PORT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    host: String,
    port: u16,
}

impl Place {
    /// A port of this host; zero is a free one.
    pub fn local(port: u16) -> Place {
        Place { host: "127.0.0.1".to_string(), port }
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Place, String> {
        let (host, port) = text.rsplit_once(':').unwrap_or(("127.0.0.1", text));
        let host = host.trim_start_matches('[').trim_end_matches(']');
        match port.parse() {
            Ok(port) if !host.is_empty() => Ok(Place { host: host.to_string(), port }),
            _ => Err("PORT or HOST:PORT is needed, such as 9100 or 0.0.0.0:9100".to_string()),
        }
    }
}

/// The dispatcher that is shown.
#[derive(Clone, Debug)]
pub enum Target {
    /// A server, which is looked for again when it does not answer.
    Server(Address, Trust),
    /// A session inside this process, and its socket. The page ends with it.
    Session(PathBuf),
}

/// A page that is served until it is closed, or what it shows is over.
pub struct Web {
    /// Where the page is, with what opens it.
    url: String,
    /// Where metrics are.
    metrics: String,
    end: Sender<()>,
    threads: [JoinHandle<()>; 2],
}

impl Web {
    /// Begins to watch and to serve.
    pub fn open(place: &Place, target: Target) -> Result<Web> {
        let Place { host, port } = place;
        let wrong = |error: io::Error| {
            Error::runtime(format!("port {port} of {host} cannot be served: {error}"))
        };
        let listener = TcpListener::bind((host.as_str(), *port)).map_err(wrong)?;
        let port = listener.local_addr().map_err(wrong)?.port();
        // Nobody can open an address that means all of them.
        let is_everywhere = host.parse().is_ok_and(|address: IpAddr| address.is_unspecified());
        let seen = if is_everywhere { host_name() } else { host.clone() };
        let base = format!("http://{}", Address::new(seen, port));
        let access = Access::new(port, [host.clone(), host_name()]);
        let (url, metrics) =
            (format!("{base}/?token={}", access.token()), format!("{base}/metrics"));
        let shared = Arc::new(Shared::of(&target, access));
        let server = Server::open(listener, shared.clone()).map_err(wrong)?;
        let ((end, ended), (over, is_over)) = (channel(), tokio::sync::oneshot::channel());
        let watch = move || {
            board::watch(&target, &shared, &ended);
            // What is over is served no more.
            drop(over);
        };
        let watching = thread::Builder::new().name("gt-board".to_string()).spawn(watch);
        let serve = move || server.run(is_over);
        let serving = thread::Builder::new().name("gt-web".to_string()).spawn(serve);
        Ok(Web { url, metrics, end, threads: [watching.map_err(wrong)?, serving.map_err(wrong)?] })
    }

    /// Where it is, in lines that can be copied.
    pub fn words(&self) -> String {
        let Web { url, metrics, .. } = self;
        format!("It shows what it does, and has metrics for Prometheus:\n  {url}\n  {metrics}")
    }

    /// Ends it.
    pub fn close(self) {
        drop(self.end);
        for thread in self.threads {
            let _ = thread.join();
        }
    }

    fn is_over(&self) -> bool {
        self.threads.iter().any(JoinHandle::is_finished)
    }
}

/// The pages of this process's sessions, and the sockets of what they show. A forked child has
/// those of its parent, too, but sessions with other sockets.
static PAGES: Mutex<Vec<(PathBuf, Web)>> = Mutex::new(Vec::new());

/// The address of a page about a session inside this process, which is served from now on. There is
/// one for each session; it ends with it.
pub fn dashboard(session: &gt::Session, port: u16) -> Result<String> {
    static PROTECT: Once = Once::new();
    PROTECT.call_once(|| fork::protect(&PAGES));
    let Some(socket) = session.monitor() else { return Err(unseen(session)) };
    let mut pages = PAGES.lock();
    let open = pages.iter().find(|(shown, page)| *shown == socket && !page.is_over());
    if let Some((_, page)) = open {
        return Ok(page.url.clone());
    }
    let page = Web::open(&Place::local(port), Target::Session(socket.clone()))?;
    let url = page.url.clone();
    pages.push((socket, page));
    Ok(url)
}

/// Why there is nothing to show.
fn unseen(session: &gt::Session) -> Error {
    match gt::server_of(session) {
        Some(address) => Error::runtime(format!(
            "dashboard: this session is at {address}, whose page its server has: start that with \
             `gt server --metrics-port 9100`"
        )),
        None => Error::runtime(
            "dashboard: this session cannot be watched; GT_MONITOR=0 or a runtime folder that \
             cannot be written (GT_RUNTIME_DIR) are reasons",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_port_or_a_host_and_a_port() {
        let place = |text: &str| text.parse::<Place>().map(|place| (place.host, place.port));
        assert_eq!(place("9100"), Ok(("127.0.0.1".to_string(), 9100)));
        assert_eq!(place("0.0.0.0:0"), Ok(("0.0.0.0".to_string(), 0)));
        assert_eq!(place("[::1]:9100"), Ok(("::1".to_string(), 9100)));
        for wrong in ["", ":", ":9100", "host", "host:", "99999", "a:b"] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }
}
