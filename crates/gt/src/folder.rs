//! The runtime folder: where the processes of one host find each other's sockets. It is private to
//! its owner; a server that admits a group has its sockets in a second folder, which that group may
//! enter.

use std::ffi::{CString, OsString};
use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use gt_core::{Error, Result};
use gt_zmq::IpcAccess;

use crate::settings;

mod claim;
mod leftover;
mod running;

pub use claim::{Claim, Record, Sockets};
pub use running::Running;

/// Our own folder inside of one that is shared with other programs.
const OWN: &str = "gt";

/// What the address of a Unix socket has room for.
const SOCKET_PATH_BYTES: usize = 107;

/// A folder of sockets that nobody else can write to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
    access: IpcAccess,
}

impl Folder {
    /// The folder of this user, which is made if it is not there.
    pub fn own() -> Result<Folder> {
        if let Some(named) = settings::runtime_folder()? {
            make(&named)?;
            check_private(&named)?;
        }
        let path = own_path()?;
        make(&path)?;
        check_private(&path)?;
        Ok(Folder { path, access: IpcAccess::SameUser })
    }

    /// The folder of this user that a group may enter, which is made if it is not there.
    pub fn for_group(group: &str) -> Result<Folder> {
        let (gid, path) = (group_number(group)?, group_path(group)?);
        let made = make(&path)?;
        let found = check_own(&path)?;
        if !made && (found.mode() & 0o027 != 0 || (found.mode() & 0o050 != 0 && found.gid() != gid))
        {
            let path = path.display();
            return Err(Error::runtime(format!(
                "{path} can be entered or written by others than the group {group}; remove it, or \
                 `chmod 750` and `chgrp {group}` it"
            )));
        }
        let open = || {
            chown(&path, None, Some(gid))?;
            fs::set_permissions(&path, Permissions::from_mode(0o750))
        };
        open().map_err(|error| {
            let path = path.display();
            Error::runtime(format!("{path} cannot be opened to the group {group}: {error}"))
        })?;
        Ok(Folder { path, access: IpcAccess::Group(gid) })
    }

    /// The folder in which a server of this host listens at a port: ours, or another user's that we
    /// may enter as a member of a group.
    pub fn with_server(port: u16) -> Result<Option<Folder>> {
        let private = own_paths()?.into_iter().filter(|path| check_private(path).is_ok());
        let private = private.map(|path| Folder { path, access: IpcAccess::SameUser });
        let serves = |folder: &Folder| claim::is_held(&folder.path, port);
        if let Some(folder) = private.into_iter().find(serves) {
            return Ok(Some(folder));
        }
        Ok(group_folders()?.into_iter().find(serves))
    }

    /// Where processes of the user put sockets that the clients of this folder should reach: here,
    /// or beside it if it is another user's.
    pub fn for_workers(&self) -> Result<Folder> {
        match self.access {
            IpcAccess::SameUser => Ok(self.clone()),
            IpcAccess::Group(gid) => Folder::for_group(&group_name(gid)?),
        }
    }

    /// Who may connect to sockets in it.
    pub fn access(&self) -> IpcAccess {
        self.access
    }

    /// The group whose members may connect besides our own user.
    pub fn group(&self) -> Option<u32> {
        match self.access {
            IpcAccess::SameUser => None,
            IpcAccess::Group(gid) => Some(gid),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a socket in it.
    pub fn socket(&self, name: &str) -> Result<PathBuf> {
        let path = self.path.join(name);
        let length = path.as_os_str().len();
        if length > SOCKET_PATH_BYTES {
            let path = path.display();
            return Err(Error::runtime(format!(
                "{path} has {length} bytes, and the path of a socket has at most \
                 {SOCKET_PATH_BYTES}; set GT_RUNTIME_DIR to a folder with a shorter name"
            )));
        }
        Ok(path)
    }
}

fn user_number() -> u32 {
    // SAFETY: geteuid only reads a number.
    unsafe { libc::geteuid() }
}

/// Where our own folder is.
fn own_path() -> Result<PathBuf> {
    let paths = own_paths()?;
    Ok(paths.into_iter().next().expect("there is always the one in /tmp"))
}

/// Where our own folder may be, the one that is made first. A process outside of a login does not
/// know the login's folder and uses the last one.
fn own_paths() -> Result<Vec<PathBuf>> {
    // A folder that the user names may have other things in it: sockets are in one of our own.
    if let Some(path) = settings::runtime_folder()? {
        return Ok(vec![path.join(OWN)]);
    }
    let login = settings::login_folder().filter(|path| check_private(path).is_ok());
    let login = login.map(|path| path.join(OWN));
    Ok(login.into_iter().chain([PathBuf::from(format!("/tmp/gt-{}", user_number()))]).collect())
}

/// Where our folder for a group is: beside our own, because nobody else gets through that.
fn group_path(group: &str) -> Result<PathBuf> {
    let base = settings::runtime_folder()?;
    let base = base.unwrap_or_else(|| PathBuf::from(format!("/tmp/gt-{}", user_number())));
    let mut path = base.into_os_string();
    path.push(format!("-{group}"));
    Ok(PathBuf::from(path))
}

/// Folders that a group may enter to which we belong.
fn group_folders() -> Result<Vec<Folder>> {
    let named = settings::runtime_folder()?;
    let base = named.clone().unwrap_or_else(|| PathBuf::from("/tmp/gt"));
    let mut prefix = base.file_name().unwrap_or_default().to_os_string();
    prefix.push("-");
    let above = base.parent().unwrap_or(Path::new("/"));
    let entries = fs::read_dir(above).into_iter().flatten().flatten();
    let fits = |name: &OsString| name.as_bytes().starts_with(prefix.as_bytes());
    let names = entries.map(|entry| entry.file_name()).filter(fits);
    let mut folders: Vec<Folder> = names
        .filter_map(|name| {
            let owner = match &named {
                Some(_) => None,
                // Anybody can make a folder in /tmp, but only under their own number.
                None => Some(name.to_str()?.split('-').nth(1)?.parse().ok()?),
            };
            group_folder(above.join(name), owner)
        })
        .collect();
    folders.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(folders)
}

/// The folder at a path, if its owner keeps it and lets only a group enter to which we belong.
fn group_folder(path: PathBuf, owner: Option<u32>) -> Option<Folder> {
    let found = fs::symlink_metadata(&path).ok().filter(Metadata::is_dir)?;
    let kept = found.mode() & 0o027 == 0 && found.mode() & 0o050 != 0;
    let admitted = found.uid() == user_number() || is_ours(found.gid());
    let fits = kept && owner.is_none_or(|owner| owner == found.uid()) && admitted;
    fits.then_some(Folder { path, access: IpcAccess::Group(found.gid()) })
}

/// Makes a folder for us alone; says whether it was not there.
fn make(path: &Path) -> Result<bool> {
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Error::runtime(format!(
            "the runtime folder {} cannot be made: {error}; set GT_RUNTIME_DIR to another one",
            path.display()
        ))),
    }
}

/// An error if a folder is not ours.
fn check_own(path: &Path) -> Result<Metadata> {
    let wrong = |reason: &dyn std::fmt::Display| {
        Error::runtime(format!(
            "{} cannot be the runtime folder: {reason}; set GT_RUNTIME_DIR to another one",
            path.display()
        ))
    };
    let found = fs::symlink_metadata(path).map_err(|error| wrong(&error))?;
    if found.is_symlink() {
        return Err(wrong(&"it is a symbolic link"));
    }
    if !found.is_dir() {
        return Err(wrong(&"it is no folder"));
    }
    if found.uid() != user_number() {
        return Err(wrong(&format!("it belongs to user {}", found.uid())));
    }
    Ok(found)
}

/// An error if a folder is not ours alone.
fn check_private(path: &Path) -> Result<()> {
    let mode = check_own(path)?.mode() & 0o777;
    if mode & 0o077 != 0 {
        let path = path.display();
        return Err(Error::runtime(format!(
            "{path} cannot be the runtime folder: others can enter it (its mode is {mode:o}); \
             `chmod 700` it, or set GT_RUNTIME_DIR to another one"
        )));
    }
    Ok(())
}

/// Whether we belong to a group.
fn is_ours(gid: u32) -> bool {
    // SAFETY: getegid only reads a number.
    if unsafe { libc::getegid() } == gid {
        return true;
    }
    let mut groups = vec![0; 1 << 16];
    // SAFETY: the place has room for as many numbers as are asked for.
    let count = unsafe { libc::getgroups(groups.len() as i32, groups.as_mut_ptr()) };
    groups.iter().take(usize::try_from(count).unwrap_or(0)).any(|&group| group == gid)
}

/// The number of a group of this host.
pub fn group_number(name: &str) -> Result<u32> {
    let unknown = || Error::value(format!("there is no group '{name}' on this host"));
    // The name becomes part of that of a folder.
    if name.is_empty() || name.contains('/') {
        return Err(unknown());
    }
    let text = CString::new(name).map_err(|_| unknown())?;
    look_up(&|entry, buffer, size, found| {
        // SAFETY: all places are there, and the buffer has the size that is given.
        unsafe { libc::getgrnam_r(text.as_ptr(), entry, buffer, size, found) }
    })
    .map(|(gid, _)| gid)
    .ok_or_else(unknown)
}

/// The number of a user of this host.
pub fn number_of_user(name: &str) -> Result<u32> {
    let unknown = || Error::value(format!("there is no user '{name}' on this host"));
    let text = CString::new(name).map_err(|_| unknown())?;
    let mut buffer = vec![0; 1 << 16];
    let mut entry = std::mem::MaybeUninit::<libc::passwd>::zeroed();
    let mut found = std::ptr::null_mut();
    // SAFETY: all places are there, and the buffer has the size that is given.
    let failed = unsafe {
        let (buffer, size) = (buffer.as_mut_ptr(), buffer.len());
        libc::getpwnam_r(text.as_ptr(), entry.as_mut_ptr(), buffer, size, &mut found)
    };
    if failed != 0 || found.is_null() {
        return Err(unknown());
    }
    // SAFETY: what was found is there, in `entry`.
    Ok(unsafe { (*found).pw_uid })
}

fn group_name(gid: u32) -> Result<String> {
    look_up(&|entry, buffer, size, found| {
        // SAFETY: as above.
        unsafe { libc::getgrgid_r(gid, entry, buffer, size, found) }
    })
    .map(|(_, name)| name)
    .ok_or_else(|| Error::runtime(format!("the group {gid} has no name on this host")))
}

/// Fills in an entry whose texts lie in a buffer, and says whether it was found.
type Ask<'a> =
    &'a dyn Fn(*mut libc::group, *mut libc::c_char, usize, *mut *mut libc::group) -> libc::c_int;

/// The number and name of a group.
fn look_up(ask: Ask<'_>) -> Option<(u32, String)> {
    let mut size = 1 << 12;
    loop {
        let mut buffer: Vec<libc::c_char> = vec![0; size];
        let (mut entry, mut found) = (std::mem::MaybeUninit::uninit(), std::ptr::null_mut());
        match ask(entry.as_mut_ptr(), buffer.as_mut_ptr(), size, &mut found) {
            libc::ERANGE if size < 1 << 24 => size *= 4,
            0 if !found.is_null() => {
                // SAFETY: `found` is the entry, which was filled in; its name lies in the buffer.
                let (gid, name) = unsafe {
                    let entry = entry.assume_init();
                    (entry.gr_gid, std::ffi::CStr::from_ptr(entry.gr_name))
                };
                return Some((gid, name.to_string_lossy().into_owned()));
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests;
