//! A connected socket of either family, which never waits.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::address::Address;
use super::system;

/// One end of a connection.
#[derive(Debug)]
pub(super) enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Socket {
    /// Connects to the first way of an address that answers in time. This waits.
    pub fn connect(to: &Address, within: Duration) -> io::Result<Socket> {
        let unix = to.unix.as_ref().map(|path| UnixStream::connect(path).map(Socket::Unix));
        let socket = match (unix, &to.tcp) {
            (Some(Ok(socket)), _) => socket,
            (_, Some(host)) => connect_tcp(host, Instant::now() + within)?,
            (Some(Err(error)), None) => return Err(error),
            (None, None) => return Err(io::Error::new(ErrorKind::NotFound, "no address")),
        };
        socket.prepare()?;
        Ok(socket)
    }

    /// From here on nothing waits.
    pub fn prepare(&self) -> io::Result<()> {
        match self {
            Socket::Unix(socket) => socket.set_nonblocking(true),
            Socket::Tcp(socket) => {
                socket.set_nodelay(true)?;
                socket.set_nonblocking(true)
            }
        }
    }

    pub fn is_unix(&self) -> bool {
        matches!(self, Socket::Unix(_))
    }

    pub fn fd(&self) -> RawFd {
        match self {
            Socket::Unix(socket) => socket.as_raw_fd(),
            Socket::Tcp(socket) => socket.as_raw_fd(),
        }
    }

    /// Some bytes and perhaps a descriptor, or `None` if there is nothing at the moment. The end of
    /// the stream is an error.
    pub fn read(&self, into: &mut [u8]) -> io::Result<Option<(usize, Option<OwnedFd>)>> {
        loop {
            let read = match self {
                Socket::Unix(socket) => system::receive(socket.as_fd(), into),
                Socket::Tcp(socket) => (&*socket).read(into).map(|bytes| (bytes, None)),
            };
            return match read {
                Ok((0, _)) => Err(io::Error::new(ErrorKind::UnexpectedEof, "the peer hung up")),
                Ok(read) => Ok(Some(read)),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
                Err(error) => Err(error),
            };
        }
    }

    /// Writes what the connection takes at the moment, and with the first byte a descriptor.
    pub fn write(&self, bytes: &[u8], fd: Option<BorrowedFd<'_>>) -> io::Result<usize> {
        loop {
            let written = match (self, fd) {
                (Socket::Unix(socket), Some(fd)) => system::send(socket.as_fd(), bytes, fd),
                (Socket::Unix(socket), None) => (&*socket).write(bytes),
                (Socket::Tcp(socket), _) => (&*socket).write(bytes),
            };
            return match written {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
                other => other,
            };
        }
    }

    /// Ends the connection.
    pub fn shutdown(&self) {
        // A connection that has already ended is as ended as it can be.
        let _ = match self {
            Socket::Unix(socket) => socket.shutdown(Shutdown::Both),
            Socket::Tcp(socket) => socket.shutdown(Shutdown::Both),
        };
    }
}

fn connect_tcp(host: &str, deadline: Instant) -> io::Result<Socket> {
    let mut last = io::Error::new(ErrorKind::NotFound, "the host has no address");
    for address in host.to_socket_addrs()? {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::new(ErrorKind::TimedOut, "nobody answers"));
        }
        match TcpStream::connect_timeout(&address, left) {
            Ok(socket) => return Ok(Socket::Tcp(socket)),
            Err(error) => last = error,
        }
    }
    Err(last)
}
