//! A listening socket of either family, which another thread can stop.

use std::fs;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Shutdown, TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use crate::bulk::socket::Socket;
use crate::bulk::system;

/// Accepts connections of friends.
pub(super) enum Listener {
    Unix { socket: UnixListener, path: PathBuf, allowed_group: Option<u32> },
    Tcp(TcpListener),
}

/// Where a connection comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A process of this user.
    User(u32),
    /// A host.
    Host(IpAddr),
}

/// Ends a listener from another thread.
pub(super) struct Stop {
    socket: TcpStream,
    path: Option<PathBuf>,
}

impl Listener {
    pub fn unix(path: &Path, allowed_group: Option<u32>) -> io::Result<Listener> {
        let socket = match UnixListener::bind(path) {
            // A file that nobody answers at was left by a process that was killed.
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                if UnixStream::connect(path).is_ok() {
                    return Err(error);
                }
                fs::remove_file(path)?;
                UnixListener::bind(path)?
            }
            bound => bound?,
        };
        let mode = if allowed_group.is_some() { 0o660 } else { 0o600 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        if let Some(group) = allowed_group {
            chown(path, None, Some(group))?;
        }
        Ok(Listener::Unix { socket, path: path.into(), allowed_group })
    }

    /// Listens, and says what others connect to.
    pub fn tcp(host: &str, advertise: Option<&str>) -> io::Result<(Listener, String)> {
        let socket = TcpListener::bind(host)?;
        let port = socket.local_addr()?.port();
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        Ok((Listener::Tcp(socket), reachable(advertise.unwrap_or(name), port)))
    }

    /// What ends this listener.
    pub fn stop(&self) -> io::Result<Stop> {
        // Any socket can be shut down through the type that has the function for it.
        let shut = |fd: OwnedFd, path| Stop { socket: TcpStream::from(fd), path };
        match self {
            Listener::Unix { socket, path, .. } => {
                Ok(shut(socket.try_clone()?.into(), Some(path.clone())))
            }
            Listener::Tcp(socket) => Ok(shut(socket.try_clone()?.into(), None)),
        }
    }

    /// The next connection; `None` if it came from somebody who may not connect.
    pub fn accept(&self) -> io::Result<Option<(Socket, Source)>> {
        match self {
            Listener::Tcp(socket) => {
                let (socket, from) = socket.accept()?;
                Ok(Some((Socket::Tcp(socket), Source::Host(from.ip()))))
            }
            Listener::Unix { socket, allowed_group, .. } => {
                let (socket, _) = socket.accept()?;
                let friend = system::friend(socket.as_fd(), *allowed_group);
                Ok(friend.map(|user| (Socket::Unix(socket), Source::User(user))))
            }
        }
    }
}

impl Stop {
    /// Wakes the thread that accepts, which finds that it is over.
    pub fn stop(&self) {
        // A listener that has already ended is as ended as it can be.
        let _ = self.socket.shutdown(Shutdown::Both);
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}

/// A host with the port, unless it names one itself.
fn reachable(host: &str, port: u16) -> String {
    let after_brackets = host.rsplit(']').next().unwrap_or(host);
    let is_bare_v6 = !host.starts_with('[') && host.matches(':').count() > 1;
    match (is_bare_v6, after_brackets.contains(':')) {
        (true, _) => format!("[{host}]:{port}"),
        (false, true) => host.into(),
        (false, false) => format!("{host}:{port}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advertised_host_gets_the_port_unless_it_has_one() {
        for (host, expected) in [
            ("node7", "node7:4100"),
            ("node7:99", "node7:99"),
            ("::1", "[::1]:4100"),
            ("[::1]", "[::1]:4100"),
            ("[::1]:99", "[::1]:99"),
        ] {
            assert_eq!(reachable(host, 4100), expected);
        }
    }
}
