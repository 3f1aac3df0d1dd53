//! Listening at Unix sockets and TCP ports, each with its own protection.

use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, chown};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use crate::context::Context;
use crate::endpoint::{ipc_address, resolve, tcp_address};
use crate::fork::Home;
use crate::socket::Socket;
use crate::{Error, IpcAccess, Result, TcpSecurity, error, ffi, zap};

/// What has to be given back when a socket stops listening.
pub enum Listening {
    /// A file.
    Ipc(#[expect(dead_code, reason = "its drop removes the file")] SocketFile),
    /// The right to be asked about keys.
    Curve(#[expect(dead_code, reason = "its drop forgets the list")] zap::Domain),
}

/// The file of a Unix socket, removed on drop if it is still ours.
pub struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
    home: Home,
}

/// Listens at a path. libzmq takes its options when it binds, so those of one address do not touch
/// another.
pub fn ipc(socket: &Socket, path: &Path, access: IpcAccess) -> Result<Listening> {
    let address = ipc_address(path)?;
    let wrong = |reason: &dyn std::fmt::Display| {
        Error::Input(format!("cannot listen at {}: {reason}", path.display()))
    };
    socket.home().check()?;
    without_curve(socket)?;
    only_for(socket, access)?;
    // libzmq would remove whatever is there, and take the place of somebody who listens.
    if let Ok(found) = fs::symlink_metadata(path) {
        if !found.file_type().is_socket() {
            return Err(wrong(&"there is a file"));
        }
        if UnixStream::connect(path).is_ok() {
            return Err(wrong(&"somebody listens there already"));
        }
    }
    socket.bind(&address).map_err(|code| wrong(&error::reason(code)))?;
    let identity = fs::symlink_metadata(path).map(|found| (found.dev(), found.ino()));
    let identity = identity.map_err(|error| wrong(&error))?;
    let file = SocketFile { path: path.to_path_buf(), identity, home: socket.home() };
    permit(path, access).map_err(|error| wrong(&error))?;
    Ok(Listening::Ipc(file))
}

/// Listens at a TCP port; gives the address with its real port.
pub fn tcp(
    context: &Context,
    socket: &Socket,
    address: &str,
    security: &TcpSecurity,
) -> Result<(String, Option<Listening>)> {
    let found = resolve(address)?;
    socket.set_int(ffi::ZMQ_IPV6, i32::from(found.is_ipv6()))?;
    let listening = match security {
        TcpSecurity::Insecure => {
            without_curve(socket)?;
            None
        }
        TcpSecurity::Curve { secret, public, allowed } => {
            let domain = context.protect(allowed.clone())?;
            socket.set(ffi::ZMQ_ZAP_DOMAIN, domain.name().as_bytes())?;
            // Without somebody to ask nobody enters; libzmq's own choice is that everybody does.
            socket.set_int(ffi::ZMQ_ZAP_ENFORCE_DOMAIN, 1)?;
            socket.set(ffi::ZMQ_CURVE_PUBLICKEY, &public.0)?;
            socket.set(ffi::ZMQ_CURVE_SECRETKEY, &secret.0)?;
            socket.set_int(ffi::ZMQ_CURVE_SERVER, 1)?;
            Some(Listening::Curve(domain))
        }
    };
    socket.bind(&tcp_address(found)).map_err(|code| {
        Error::Input(format!("cannot listen at {address}: {}", error::reason(code)))
    })?;
    let real = socket.get_text(ffi::ZMQ_LAST_ENDPOINT)?;
    Ok((real.trim_start_matches("tcp://").to_string(), listening))
}

fn without_curve(socket: &Socket) -> Result<()> {
    if !socket.get_text(ffi::ZMQ_ZAP_DOMAIN)?.is_empty() {
        socket.set(ffi::ZMQ_ZAP_DOMAIN, zap::OPEN)?;
    }
    socket.set_int(ffi::ZMQ_CURVE_SERVER, 0)
}

/// Has libzmq ask the system who a peer is before it listens to it.
fn only_for(socket: &Socket, access: IpcAccess) -> Result<()> {
    // SAFETY: has no conditions.
    let user = unsafe { libc::geteuid() };
    socket.set(ffi::ZMQ_IPC_FILTER_UID, b"")?;
    socket.set(ffi::ZMQ_IPC_FILTER_GID, b"")?;
    socket.set(ffi::ZMQ_IPC_FILTER_UID, &user.to_ne_bytes())?;
    match access {
        IpcAccess::SameUser => Ok(()),
        IpcAccess::Group(group) => socket.set(ffi::ZMQ_IPC_FILTER_GID, &group.to_ne_bytes()),
    }
}

/// Who may open the file; the system asks before libzmq does.
fn permit(path: &Path, access: IpcAccess) -> std::io::Result<()> {
    match access {
        IpcAccess::SameUser => fs::set_permissions(path, Permissions::from_mode(0o600)),
        IpcAccess::Group(group) => {
            chown(path, None, Some(group))?;
            fs::set_permissions(path, Permissions::from_mode(0o660))
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let ours = || {
            let found = fs::symlink_metadata(&self.path).ok()?;
            Some((found.dev(), found.ino()) == self.identity)
        };
        if self.home.is_here() && ours() == Some(true) {
            // If it cannot be removed, the next one to listen there does it.
            let _ = fs::remove_file(&self.path);
        }
    }
}
