//! What the standard library does not offer of Linux: sealed shared memory, descriptors that
//! travel over a socket, and who is at the other end. All unsafe code on memory is here.

use std::fs::File;
use std::io;
use std::mem::{size_of, size_of_val, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::{self, NonNull};

/// The size of shared memory cannot be changed once it is handed over: a reader would be killed
/// where the memory ends.
const FIXED_SIZE: libc::c_int = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW;

/// Makes shared memory whose size is sealed, and maps it for writing. Only this mapping can write:
/// whoever gets the descriptor can read.
pub(super) fn share(bytes: usize) -> io::Result<(OwnedFd, Map)> {
    let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
    // SAFETY: the name ends with a zero; the call has no other requirements.
    let fd = unsafe { libc::memfd_create(c"gt-bulk".as_ptr(), flags) };
    let fd = owned(fd)?;
    let file = File::from(fd);
    file.set_len(bytes as u64)?;
    let map = Map::make(&file, bytes, libc::PROT_READ | libc::PROT_WRITE)?;
    // Kernels before 5.1 do not know the seal against later writers.
    seal(&file, FIXED_SIZE | libc::F_SEAL_FUTURE_WRITE).or_else(|_| seal(&file, FIXED_SIZE))?;
    Ok((file.into(), map))
}

/// Maps shared memory of a peer for reading, all of it. Its size must be sealed.
pub(super) fn attach(fd: OwnedFd) -> io::Result<Map> {
    // SAFETY: the descriptor is open; asking for its seals has no other requirements. What is not
    // memory of this kind has none and is refused.
    let seals = unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_GET_SEALS) };
    if seals < 0 || seals & libc::F_SEAL_SHRINK == 0 {
        return Err(io::Error::other("shared memory of a peer may shrink"));
    }
    let file = File::from(fd);
    let bytes = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
    Map::make(&file, bytes, libc::PROT_READ)
}

fn seal(file: &File, seals: libc::c_int) -> io::Result<()> {
    // SAFETY: the descriptor is open; sealing has no other requirements.
    let status = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) };
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn owned(fd: RawFd) -> io::Result<OwnedFd> {
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the system has just made the descriptor for us, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// A piece of shared memory in our address space.
#[derive(Debug)]
pub(super) struct Map {
    memory: NonNull<u8>,
    bytes: usize,
    writable: bool,
}

// SAFETY: the memory belongs to the map until it is dropped, whichever thread that happens on.
unsafe impl Send for Map {}
// SAFETY: through a shared reference the memory is only read.
unsafe impl Sync for Map {}

impl Map {
    fn make(file: &File, bytes: usize, protection: libc::c_int) -> io::Result<Map> {
        // SAFETY: the system chooses the place, so that nothing mapped is replaced.
        let memory = unsafe {
            libc::mmap(ptr::null_mut(), bytes, protection, libc::MAP_SHARED, file.as_raw_fd(), 0)
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let memory = NonNull::new(memory.cast()).expect("the system does not map address zero");
        Ok(Map { memory, bytes, writable: protection & libc::PROT_WRITE != 0 })
    }

    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Copies bytes into the memory.
    pub fn write(&mut self, at: usize, from: &[u8]) {
        assert!(self.writable, "memory of a peer is not written");
        assert!(at <= self.bytes && from.len() <= self.bytes - at, "within the memory");
        // SAFETY: the range lies within the mapping, which is writable and apart from `from`.
        unsafe { ptr::copy_nonoverlapping(from.as_ptr(), self.memory.as_ptr().add(at), from.len()) }
    }

    /// Copies bytes out of the memory.
    pub fn read(&self, at: usize, to: &mut [u8]) {
        assert!(at <= self.bytes && to.len() <= self.bytes - at, "within the memory");
        // SAFETY: the range lies within the mapping, whose size is sealed, and is apart from `to`.
        // A peer that writes meanwhile changes which bytes arrive and nothing else.
        unsafe { ptr::copy_nonoverlapping(self.memory.as_ptr().add(at), to.as_mut_ptr(), to.len()) }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this place and length, and nobody borrows it.
        unsafe { libc::munmap(self.memory.as_ptr().cast(), self.bytes) };
    }
}

/// Room for the control message that carries one descriptor, aligned as the system asks.
#[repr(C, align(8))]
struct Control([u8; 64]);

const FD_BYTES: u32 = size_of::<RawFd>() as u32;

/// Sends bytes, and with the first of them a descriptor.
pub(super) fn send(socket: BorrowedFd<'_>, bytes: &[u8], fd: BorrowedFd<'_>) -> io::Result<usize> {
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut control = Control([0; 64]);
    // SAFETY: a message header of zeros is an empty message.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = (&raw mut control).cast();
    // SAFETY: the macros compute with lengths; the header they find lies within `control`, which
    // has room for one descriptor.
    unsafe {
        message.msg_controllen = libc::CMSG_SPACE(FD_BYTES) as _;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(FD_BYTES) as _;
        libc::CMSG_DATA(header).cast::<RawFd>().write_unaligned(fd.as_raw_fd());
    }
    // SAFETY: all that the message points to outlives the call.
    let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL) };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(sent as usize) }
}

/// Receives bytes, and a descriptor if one came with them.
pub(super) fn receive(
    socket: BorrowedFd<'_>,
    bytes: &mut [u8],
) -> io::Result<(usize, Option<OwnedFd>)> {
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut control = Control([0; 64]);
    // SAFETY: a message header of zeros is an empty message.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = (&raw mut control).cast();
    message.msg_controllen = size_of::<Control>() as _;
    // SAFETY: all that the message points to outlives the call.
    let got =
        unsafe { libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) };
    if got < 0 {
        return Err(io::Error::last_os_error());
    }
    let mut received = descriptors(&message);
    // More than one was not agreed on; all are closed when the list is dropped.
    let fd = if received.len() == 1 { received.pop() } else { None };
    Ok((got as usize, fd))
}

/// The descriptors that a received message brought; what did not fit the system has closed.
fn descriptors(message: &libc::msghdr) -> Vec<OwnedFd> {
    let mut found = Vec::new();
    // SAFETY: the system has filled the control part and set its length; the macros stay within.
    // Each descriptor of an SCM_RIGHTS message is ours from here on and is taken once.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while !header.is_null() {
            if (*header).cmsg_level == libc::SOL_SOCKET && (*header).cmsg_type == libc::SCM_RIGHTS {
                let bytes = (*header).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                let data = libc::CMSG_DATA(header).cast::<RawFd>();
                for i in 0..bytes / size_of::<RawFd>() {
                    found.push(OwnedFd::from_raw_fd(data.add(i).read_unaligned()));
                }
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    }
    found
}

/// The user of the process at the other end of a Unix socket, if it is our own or belongs to a
/// group.
pub(super) fn friend(socket: BorrowedFd<'_>, allowed_group: Option<u32>) -> Option<u32> {
    // SAFETY: zeros are credentials of nobody in particular; the system overwrites them.
    let mut peer: libc::ucred = unsafe { zeroed() };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: pointer and length are those of `peer`.
    let status = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut peer).cast(),
            &raw mut length,
        )
    };
    // SAFETY: no requirements.
    let own = unsafe { libc::geteuid() };
    if status < 0 {
        return None;
    }
    let in_group = |group| peer.gid == group || groups(socket).contains(&group);
    (peer.uid == own || allowed_group.is_some_and(in_group)).then_some(peer.uid)
}

/// The further groups of the process at the other end.
fn groups(socket: BorrowedFd<'_>) -> Vec<libc::gid_t> {
    let mut groups = vec![0; 1024];
    let mut length = size_of_val(groups.as_slice()) as libc::socklen_t;
    // SAFETY: pointer and length are those of `groups`.
    let status = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERGROUPS,
            groups.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    let found = if status < 0 { 0 } else { length as usize / size_of::<libc::gid_t>() };
    groups.truncate(found);
    groups
}

/// Waits until one of some descriptors can be read or written, as asked for each, or has ended;
/// says which of them. An error of the wait is the end of the time.
pub(super) fn poll(sockets: &[(RawFd, bool, bool)], timeout_ms: u64) -> Vec<bool> {
    let events = |reads: bool, writes: bool| {
        let (reads, writes) =
            (if reads { libc::POLLIN } else { 0 }, if writes { libc::POLLOUT } else { 0 });
        reads | writes
    };
    let entry = |&(fd, reads, writes): &(RawFd, bool, bool)| {
        // A negative descriptor is left out; one that is asked for nothing would report its end
        // again and again.
        let fd = if reads || writes { fd } else { -1 };
        libc::pollfd { fd, events: events(reads, writes), revents: 0 }
    };
    let mut entries: Vec<libc::pollfd> = sockets.iter().map(entry).collect();
    // SAFETY: pointer and length are those of the list.
    unsafe { libc::poll(entries.as_mut_ptr(), entries.len() as _, timeout_ms as libc::c_int) };
    entries.iter().map(|entry| entry.revents != 0).collect()
}
