//! A connected socket of either family, with deadlines.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::address::Address;
use super::counters::Road;
use super::system;

/// One end of a connection.
#[derive(Debug)]
pub(super) enum Socket {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Socket {
    /// Connects to the first way of an address that answers in time.
    pub fn connect(to: &Address, within: Duration) -> io::Result<Socket> {
        let unix = to.unix.as_ref().map(|path| UnixStream::connect(path).map(Socket::Unix));
        match (unix, &to.tcp) {
            (Some(Ok(socket)), _) => Ok(socket),
            (_, Some(host)) => connect_tcp(host, Instant::now() + within),
            (Some(Err(error)), None) => Err(error),
            (None, None) => Err(io::Error::new(ErrorKind::NotFound, "the address is empty")),
        }
    }

    pub fn road(&self) -> Road {
        match self {
            Socket::Unix(_) => Road::Unix,
            Socket::Tcp(_) => Road::Tcp,
        }
    }

    /// How long one read and one write may wait for a byte.
    pub fn set_patience(&self, read: Duration, write: Duration) -> io::Result<()> {
        match self {
            Socket::Unix(socket) => {
                socket.set_read_timeout(Some(read))?;
                socket.set_write_timeout(Some(write))
            }
            Socket::Tcp(socket) => {
                socket.set_nodelay(true)?;
                socket.set_read_timeout(Some(read))?;
                socket.set_write_timeout(Some(write))
            }
        }
    }

    /// Some bytes and perhaps a descriptor, or `None` if there was nothing for the patience of one
    /// read. The end of the stream is an error.
    pub fn read(&self, into: &mut [u8]) -> io::Result<Option<(usize, Option<OwnedFd>)>> {
        let read = match self {
            Socket::Unix(socket) => system::receive(socket.as_fd(), into),
            Socket::Tcp(socket) => (&*socket).read(into).map(|bytes| (bytes, None)),
        };
        match read {
            Ok((0, _)) => Err(io::Error::new(ErrorKind::UnexpectedEof, "the peer has hung up")),
            Ok(read) => Ok(Some(read)),
            Err(error) if is_pause(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Fills the memory before the deadline.
    pub fn read_until(&self, mut into: &mut [u8], deadline: Instant) -> io::Result<()> {
        while !into.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(timed_out());
            }
            self.set_patience(left, left)?;
            if let Some((bytes, _)) = self.read(into)? {
                into = &mut into[bytes..];
            }
        }
        Ok(())
    }

    /// Writes everything; each write must get on within the patience.
    pub fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = match self {
                Socket::Unix(socket) => (&*socket).write(bytes),
                Socket::Tcp(socket) => (&*socket).write(bytes),
            };
            bytes = &bytes[advanced(written)?..];
        }
        Ok(())
    }

    /// Writes everything, and a descriptor with the first byte.
    pub fn write_with(&self, bytes: &[u8], fd: BorrowedFd<'_>) -> io::Result<()> {
        let Socket::Unix(socket) = self else {
            return Err(io::Error::other("TCP carries no descriptors"));
        };
        loop {
            let sent = advanced(system::send(socket.as_fd(), bytes, fd))?;
            if sent > 0 {
                return self.write(&bytes[sent..]);
            }
        }
    }

    /// Ends the connection, or our half of it; whoever waits in a read or write of it returns.
    pub fn shutdown(&self, how: Shutdown) {
        // A connection that has already ended is as ended as it can be.
        let _ = match self {
            Socket::Unix(socket) => socket.shutdown(how),
            Socket::Tcp(socket) => socket.shutdown(how),
        };
    }
}

/// The deadline of a read or write has passed.
pub(super) fn timed_out() -> io::Error {
    io::Error::new(ErrorKind::TimedOut, "the peer does not answer")
}

/// A signal says nothing; everything else without a byte is the deadline.
fn advanced(written: io::Result<usize>) -> io::Result<usize> {
    match written {
        Ok(0) => Err(io::Error::new(ErrorKind::WriteZero, "the peer takes nothing more")),
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(0),
        Err(error) if error.kind() == ErrorKind::WouldBlock => Err(timed_out()),
        other => other,
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn connect_tcp(host: &str, deadline: Instant) -> io::Result<Socket> {
    let mut last = io::Error::new(ErrorKind::NotFound, "the host has no address");
    for address in host.to_socket_addrs()? {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(timed_out());
        }
        match TcpStream::connect_timeout(&address, left) {
            Ok(socket) => return Ok(Socket::Tcp(socket)),
            Err(error) => last = error,
        }
    }
    Err(last)
}
