//! A listening socket of either family.

use std::fs;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, TcpListener};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, chown};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use super::socket::Socket;
use super::system;

/// Accepts connections of friends. The file of a Unix socket goes with it.
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

impl Listener {
    pub fn unix(path: &Path, allowed_group: Option<u32>) -> io::Result<Listener> {
        let socket = match UnixListener::bind(path) {
            // A socket that refuses connections was left by a process that was killed.
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                let is_socket = fs::symlink_metadata(path)?.file_type().is_socket();
                if !is_socket || UnixStream::connect(path).is_ok() {
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
        socket.set_nonblocking(true)?;
        Ok(Listener::Unix { socket, path: path.into(), allowed_group })
    }

    /// Listens, and says what others connect to.
    pub fn tcp(host: &str, advertise: Option<&str>) -> io::Result<(Listener, String)> {
        let socket = TcpListener::bind(host)?;
        socket.set_nonblocking(true)?;
        let port = socket.local_addr()?.port();
        let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
        Ok((Listener::Tcp(socket), reachable(advertise.unwrap_or(name), port)))
    }

    pub fn fd(&self) -> RawFd {
        match self {
            Listener::Unix { socket, .. } => socket.as_raw_fd(),
            Listener::Tcp(socket) => socket.as_raw_fd(),
        }
    }

    /// The next connection, if there is one, and where it comes from. Whoever may not connect is
    /// from nowhere.
    pub fn accept(&self) -> io::Result<Option<(Socket, Option<Source>)>> {
        let accepted = match self {
            Listener::Tcp(socket) => socket
                .accept()
                .map(|(socket, from)| (Socket::Tcp(socket), Some(Source::Host(from.ip())))),
            Listener::Unix { socket, allowed_group, .. } => socket.accept().map(|(socket, _)| {
                let friend = system::friend(socket.as_fd(), *allowed_group);
                (Socket::Unix(socket), friend.map(Source::User))
            }),
        };
        match accepted {
            Ok((socket, source)) => {
                socket.prepare()?;
                Ok(Some((socket, source)))
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix { path, .. } = self {
            // Somebody may have tidied up already.
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
