//! Addresses of servers, as people write them, and the way to each: a Unix socket where the server
//! runs on this host and lets us in, TCP otherwise.

use std::ffi::CStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use gt_core::{Error, Result};
use gt_zmq::{ClientSecurity, Endpoint, resolve};

use crate::folder::{Folder, Running};
use crate::keys::{KeyFile, KeyRing};

/// The port of a server unless another is chosen.
pub const DEFAULT_PORT: u16 = 12345;

const TCP: &str = "tcp://";

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
    way: Way,
}

/// How a server may be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// As is best.
    Any,
    /// By TCP, also on this host.
    Tcp,
}

/// What a client shows to a server on another host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// The key file of the environment, or that of the cluster.
    #[default]
    Usual,
    /// This key file.
    Key(PathBuf),
    /// Nothing; everybody on the way can read and change what is said.
    Insecure,
}

impl Trust {
    /// What a caller asks for. A key that was asked for is always used.
    pub fn asked(key: Option<PathBuf>, insecure: bool) -> Result<Trust> {
        match (key, insecure) {
            (Some(_), true) => {
                Err(Error::value("a key and `insecure` exclude each other; leave one of them out"))
            }
            (Some(key), false) => Ok(Trust::Key(key)),
            (None, true) => Ok(Trust::Insecure),
            (None, false) => Ok(Trust::Usual),
        }
    }

    fn key(&self) -> Option<&Path> {
        match self {
            Trust::Key(path) => Some(path),
            Trust::Usual | Trust::Insecure => None,
        }
    }
}

impl Address {
    /// A host and a port.
    pub fn new(host: impl Into<String>, port: u16) -> Address {
        Address { host: host.into(), port, way: Way::Any }
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether it names this host by one of the names that a server here is looked for under.
    pub fn is_local(&self) -> bool {
        let own = host_name();
        let host = self.host.as_str();
        self.way == Way::Any
            && (["localhost", "127.0.0.1", "::1"].contains(&host)
                || host == own
                || own.split_once('.').is_some_and(|(short, _)| host == short))
    }

    /// Whether both lead to the same server.
    pub fn is_same(&self, other: &Address) -> bool {
        self.port == other.port
            && self.way == other.way
            && (self.host == other.host || (self.is_local() && other.is_local()))
    }

    /// Where to connect.
    pub fn endpoint(&self, trust: &Trust) -> Result<Endpoint> {
        if self.is_local()
            && let Some(folder) = Folder::with_server(self.port)?
        {
            return Ok(Endpoint::Ipc(folder.sockets(self.port)?.control));
        }
        self.tcp_endpoint(trust)
    }

    /// Where to connect by TCP.
    pub fn tcp_endpoint(&self, trust: &Trust) -> Result<Endpoint> {
        let security = match trust {
            Trust::Insecure => ClientSecurity::Insecure,
            Trust::Usual | Trust::Key(_) => match KeyFile::find(trust.key())? {
                Some(key) => key.security(),
                None => return Err(self.without_key()?),
            },
        };
        Ok(Endpoint::Tcp { address: self.host_and_port(), security })
    }

    fn host_and_port(&self) -> String {
        Address { way: Way::Any, ..self.clone() }.to_string()
    }

    /// Which servers of the user there are on this host, to be added to a message that one is not
    /// there; nothing for a server on another host.
    pub fn servers_here(&self) -> String {
        let running = if self.is_local() { Folder::running().unwrap_or_default() } else { vec![] };
        let ports: Vec<String> = running
            .iter()
            .filter_map(|one| match one {
                Running::Server { port, .. } => Some(port.to_string()),
                Running::Process { .. } => None,
            })
            .collect();
        match ports.as_slice() {
            [] => String::new(),
            [port] => format!(", but one at port {port}"),
            ports => format!(", but some at ports {}", ports.join(", ")),
        }
    }

    fn without_key(&self) -> Result<Error> {
        // A wrong name is not mended by a key.
        resolve(&self.host_and_port()).map_err(|error| Error::value(error.to_string()))?;
        let missing = KeyRing::of_user()?.cluster_key();
        let missing = missing.display();
        let port = self.port;
        let here = if self.is_local() {
            format!(
                "no server of yours listens at port {port} of this host{} (`gt server -p {port}` \
                 starts one), and ",
                self.servers_here()
            )
        } else {
            String::new()
        };
        Ok(Error::runtime(format!(
            "{self} cannot be reached: {here}connecting by TCP needs a key, but there is no \
             {missing}; copy a key file there from the server, or set GT_KEY to its path, or \
             insist on an unprotected connection with insecure=True (--insecure)"
        )))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = if self.way == Way::Tcp { TCP } else { "" };
        match self.host.contains(':') {
            true => write!(f, "{way}[{}]:{}", self.host, self.port),
            false => write!(f, "{way}{}:{}", self.host, self.port),
        }
    }
}

impl FromStr for Address {
    type Err = Error;

    /// `host:port`, `[::1]:port`, `host`, `:port` or `port`, with `tcp://` in front if it has to be
    /// TCP.
    fn from_str(text: &str) -> Result<Address> {
        let wrong = |reason: &str| {
            Error::value(format!("'{text}' is no address of a server: {reason}; write host:port"))
        };
        let (way, rest) = match text.strip_prefix(TCP) {
            Some(rest) => (Way::Tcp, rest),
            None => (Way::Any, text),
        };
        let (host, port) = if let Some(rest) = rest.strip_prefix('[') {
            let (host, port) = rest.split_once(']').ok_or_else(|| wrong("']' is missing"))?;
            let port = match port {
                "" => None,
                port => Some(port.strip_prefix(':').ok_or_else(|| wrong("':' is missing"))?),
            };
            (host, port)
        } else if !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()) {
            ("", Some(rest))
        } else {
            match rest.split_once(':') {
                Some((_, port)) if port.contains(':') => {
                    return Err(wrong("a host with ':' stands in brackets, as in [::1]:12345"));
                }
                Some((host, port)) => (host, Some(port)),
                None => (rest, None),
            }
        };
        if rest.is_empty() || host.contains(|c: char| c.is_whitespace() || "/@[]".contains(c)) {
            return Err(wrong("there is no host"));
        }
        let port = match port.map(str::parse::<u16>) {
            None => DEFAULT_PORT,
            Some(Ok(port)) if port > 0 => port,
            Some(_) => return Err(wrong("a port is a number from 1 to 65535")),
        };
        let host = if host.is_empty() { "localhost" } else { host };
        Ok(Address { host: host.to_string(), port, way })
    }
}

/// What this host calls itself.
pub fn host_name() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the place has the size that is given, and keeps a zero at its end.
    let status = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let name = CStr::from_bytes_until_nul(&name).ok().filter(|_| status == 0);
    let name = name.and_then(|name| name.to_str().ok()).filter(|name| !name.is_empty());
    name.unwrap_or("localhost").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> String {
        text.parse::<Address>().unwrap().to_string()
    }

    #[test]
    fn addresses_are_written_in_many_ways() {
        assert_eq!(parsed("node7:99"), "node7:99");
        assert_eq!(parsed("node7"), "node7:12345");
        assert_eq!(parsed("99"), "localhost:99");
        assert_eq!(parsed(":99"), "localhost:99");
        assert_eq!(parsed("[::1]:99"), "[::1]:99");
        assert_eq!(parsed("[fe80::1]"), "[fe80::1]:12345");
        assert_eq!(parsed("tcp://10.0.0.7:99"), "tcp://10.0.0.7:99");
    }

    #[test]
    fn what_is_no_address_is_named() {
        let wrong =
            ["", "tcp://", "a:b", "a:0", "99999", "::1", "a:1:2", "[::1", "[::1]9", "a b:1"];
        for text in wrong.into_iter().chain(["http://a:1", "a:-1", "me@a:1"]) {
            let error = text.parse::<Address>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("'{text}' is no address")), "{error}");
        }
    }

    #[test]
    fn this_host_has_several_names() {
        let address = |text: &str| text.parse::<Address>().unwrap();
        let own = format!("{}:5", host_name());
        let names = ["5", ":5", "localhost:5", "127.0.0.1:5", "[::1]:5", &own];
        for name in names {
            assert!(address(name).is_local(), "{name}");
            assert!(address(name).is_same(&address("localhost:5")), "{name}");
        }
        for name in ["10.0.0.7:5", "127.0.0.2:5", "tcp://localhost:5"] {
            assert!(!address(name).is_local(), "{name}");
        }
        assert!(!address("a:5").is_same(&address("a:6")));
        assert!(address("a:5").is_same(&address("a:5")));
    }

    #[test]
    fn insecure_means_no_key() {
        assert!(Trust::asked(Some("a".into()), true).is_err());
        let endpoint =
            "tcp://[::1]:5".parse::<Address>().unwrap().endpoint(&Trust::Insecure).unwrap();
        assert_eq!(endpoint.to_string(), "[::1]:5");
    }
}
