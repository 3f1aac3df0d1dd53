//! What the system knows of users and descriptors.

use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::{fs, ptr};

use crate::{Error, Result};

/// What a user is called on this host.
pub fn user_name(user: u32) -> Option<String> {
    account(user).map(|(name, _)| name.to_string_lossy().into_owned())
}

/// The name of a user, and the group that it belongs to first.
fn account(user: u32) -> Option<(CString, u32)> {
    let mut buffer: Vec<libc::c_char> = vec![0; 1 << 16];
    let (mut entry, mut found) = (MaybeUninit::<libc::passwd>::uninit(), ptr::null_mut());
    // SAFETY: all places are there, and the buffer has the size that is given.
    let status = unsafe {
        libc::getpwuid_r(
            user,
            entry.as_mut_ptr(),
            buffer.as_mut_ptr(),
            buffer.len(),
            &raw mut found,
        )
    };
    if status != 0 || found.is_null() {
        return None;
    }
    // SAFETY: the entry was found and filled in; its name lies in the buffer.
    unsafe {
        let entry = entry.assume_init();
        Some((CStr::from_ptr(entry.pw_name).to_owned(), entry.pw_gid))
    }
}

/// Whether a user belongs to a group, by the lists of this host.
pub fn is_member(user: u32, group: u32) -> bool {
    let Some((name, own)) = account(user) else { return false };
    let mut groups = vec![0; 1 << 16];
    let mut count = groups.len() as libc::c_int;
    // SAFETY: the name ends with a zero, and the place has room for so many groups.
    let status =
        unsafe { libc::getgrouplist(name.as_ptr(), own, groups.as_mut_ptr(), &raw mut count) };
    let count = if status < 0 { 0 } else { usize::try_from(count).unwrap_or(0) };
    groups.iter().take(count).any(|&one| one == group)
}

/// How many descriptors this process may have.
pub fn descriptor_limit() -> Result<u64> {
    limits().map(|limits| limits.rlim_cur)
}

/// Lets this process have as many descriptors as the system allows it; gives how many that are.
pub fn raise_descriptor_limit() -> Result<u64> {
    let mut limits = limits()?;
    limits.rlim_cur = limits.rlim_max;
    // SAFETY: the limits outlive the call.
    let status = unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limits) };
    if status == 0 {
        return Ok(limits.rlim_cur);
    }
    Err(Error::system("raise the limit of descriptors", &std::io::Error::last_os_error()))
}

/// How many descriptors this process has.
pub fn descriptor_count() -> Result<u64> {
    let entries = fs::read_dir("/proc/self/fd");
    let entries = entries.map_err(|error| Error::system("count descriptors", &error))?;
    // One of them is that of the folder itself.
    Ok((entries.count() as u64).saturating_sub(1))
}

fn limits() -> Result<libc::rlimit> {
    let mut limits = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the place is writable.
    let status = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limits) };
    if status == 0 {
        return Ok(limits);
    }
    Err(Error::system("read the limit of descriptors", &std::io::Error::last_os_error()))
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn the_groups_of_a_user_are_known() {
        assert!(is_member(0, 0));
        assert!(!is_member(0, 54_321));
        assert!(!is_member(54_321, 0));
    }

    #[test]
    fn descriptors_are_counted() {
        let before = descriptor_count().unwrap();
        let files: Vec<File> = (0..100).map(|_| File::open("/dev/null").unwrap()).collect();
        // Other tests of this process open and close some as well.
        assert!(descriptor_count().unwrap() >= before.saturating_sub(40) + 100);
        drop(files);
        assert!(raise_descriptor_limit().unwrap() >= 100);
        assert_eq!(descriptor_limit().unwrap(), limits().unwrap().rlim_max);
    }
}
