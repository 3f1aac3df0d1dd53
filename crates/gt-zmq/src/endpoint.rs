//! Where to listen and where to connect, and whom to trust there.

use std::ffi::CString;
use std::fmt;
use std::io::ErrorKind;
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::{AllowList, Error, PublicKey, Result, SecretKey};

/// Who may connect to a Unix socket, by what the system says of the other process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IpcAccess {
    /// Processes of the same user.
    SameUser,
    /// Those, and processes of users in the group with this number.
    Group(u32),
}

/// How a TCP port is protected.
#[derive(Debug, Clone)]
pub enum TcpSecurity {
    /// Encrypted, for those who know the server's public key and are on the list.
    Curve {
        /// The server's secret key.
        secret: SecretKey,
        /// The server's public key.
        public: PublicKey,
        /// Whose keys may enter.
        allowed: AllowList,
    },
    /// Readable and open to everybody who reaches the port.
    Insecure,
}

/// How a client proves who it is over TCP.
#[derive(Debug, Clone)]
pub enum ClientSecurity {
    /// Encrypted; the server has to own the key that is expected of it.
    Curve {
        /// The server's public key.
        server: PublicKey,
        /// The client's public key.
        public: PublicKey,
        /// The client's secret key.
        secret: SecretKey,
    },
    /// Readable, to a server that does not ask for keys.
    Insecure,
}

/// Where somebody listens.
#[derive(Debug, Clone)]
pub enum Endpoint {
    /// At a Unix socket on this host.
    Ipc(PathBuf),
    /// At a TCP port.
    Tcp {
        /// Host and port: `"gpu7:12345"`, `"[::1]:12345"`.
        address: String,
        /// How to prove who one is.
        security: ClientSecurity,
    },
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Ipc(path) => write!(f, "{}", path.display()),
            Endpoint::Tcp { address, .. } => f.write_str(address),
        }
    }
}

/// What the address of a Unix socket has room for, without the zero at its end.
const PATH_BYTES: usize = 107;

/// A path as libzmq wants it.
pub fn ipc_address(path: &Path) -> Result<CString> {
    let bytes = path.as_os_str().as_bytes();
    let wrong = |what: String| Error::Input(format!("{}: {what}", path.display()));
    // libzmq gives a meaning of its own to names that begin with `@` or `*`.
    if !path.is_absolute() {
        return Err(wrong("the path of a socket has to be absolute".to_string()));
    }
    if bytes.len() > PATH_BYTES {
        let length = bytes.len();
        return Err(wrong(format!(
            "the path of a socket has at most {PATH_BYTES} bytes, this one has {length}; choose a \
             folder with a shorter name"
        )));
    }
    CString::new([b"ipc://", bytes].concat())
        .map_err(|_| wrong("the path of a socket has no zero byte".to_string()))
}

/// The first address of a `"host:port"`. Names are looked up here, so that an unknown one is an
/// error and not a wait; addresses of version 4 come first, because servers more often have them.
pub fn resolve(address: &str) -> Result<SocketAddr> {
    let wrong = |reason: String| Error::Input(format!("{address}: {reason}"));
    let found: Vec<SocketAddr> = match address.to_socket_addrs() {
        Ok(found) => found.collect(),
        Err(error) if error.kind() == ErrorKind::InvalidInput => {
            return Err(wrong(format!("cannot be understood as host:port ({error})")));
        }
        Err(error) => {
            return Err(wrong(format!(
                "the name of the host cannot be resolved ({error}); is it spelled right?"
            )));
        }
    };
    let fourth = found.iter().find(|address| address.is_ipv4());
    fourth.or(found.first()).copied().ok_or_else(|| wrong("the host has no address".to_string()))
}

/// A TCP address as libzmq wants it.
pub fn tcp_address(address: SocketAddr) -> CString {
    CString::new(format!("tcp://{address}")).expect("numbers have no zero byte")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_too_long_is_an_error_with_advice() {
        let longest = format!("/{}", "a".repeat(PATH_BYTES - 1));
        assert!(ipc_address(Path::new(&longest)).is_ok());
        let error = ipc_address(Path::new(&format!("{longest}a"))).unwrap_err().to_string();
        assert!(error.contains("at most 107 bytes, this one has 108"), "{error}");
    }

    #[test]
    fn names_with_a_meaning_to_libzmq_are_refused() {
        for path in ["*", "@abstract", "relative", "", "/a\0b"] {
            assert!(ipc_address(Path::new(path)).is_err(), "{path:?}");
        }
    }

    #[test]
    fn hosts_are_looked_up() {
        assert_eq!(resolve("127.0.0.1:5").unwrap().to_string(), "127.0.0.1:5");
        assert_eq!(resolve("[::1]:5").unwrap().to_string(), "[::1]:5");
        assert_eq!(resolve("localhost:5").unwrap().to_string(), "127.0.0.1:5");
        for wrong in ["", "localhost", "127.0.0.1:99999"] {
            let error = resolve(wrong).unwrap_err().to_string();
            assert!(error.contains("cannot be understood as host:port"), "{error}");
        }
        for unknown in ["no such host:1", "*:1"] {
            let error = resolve(unknown).unwrap_err().to_string();
            assert!(error.contains("the name of the host cannot be resolved"), "{error}");
        }
    }
}
