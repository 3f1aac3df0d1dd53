//! The only place that waits: for messages, for a wake-up from another thread, or for time to pass.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::fork::Home;
use crate::link::Link;
use crate::socket::Socket;
use crate::{Dealer, Error, Publisher, Result, Router, Subscriber};

mod sealed {
    use crate::socket::Socket;

    /// Shows every socket that may have news.
    pub trait Show {
        fn show(&self, look: &mut dyn FnMut(&Socket));
    }
}

/// What can be waited for.
pub trait Pollable: sealed::Show {}

impl sealed::Show for Router {
    fn show(&self, look: &mut dyn FnMut(&Socket)) {
        look(self.socket());
    }
}

impl sealed::Show for Publisher {
    fn show(&self, look: &mut dyn FnMut(&Socket)) {
        look(self.socket());
    }
}

impl sealed::Show for Dealer {
    fn show(&self, look: &mut dyn FnMut(&Socket)) {
        show_link(self.link(), look);
    }
}

impl sealed::Show for Subscriber {
    fn show(&self, look: &mut dyn FnMut(&Socket)) {
        show_link(self.link(), look);
    }
}

fn show_link(link: &Link, look: &mut dyn FnMut(&Socket)) {
    link.sockets().for_each(look);
}

impl Pollable for Router {}
impl Pollable for Publisher {}
impl Pollable for Dealer {}
impl Pollable for Subscriber {}

/// Ends a [`wait`] from another thread. Clones wake the same wait; a wake-up that comes before the
/// wait ends it at once, and several count as one.
#[derive(Debug, Clone)]
pub struct Waker {
    descriptor: Arc<OwnedFd>,
    home: Home,
}

impl Waker {
    /// A waker that nobody waits for yet.
    pub fn new() -> Result<Waker> {
        let home = Home::here();
        // SAFETY: has no conditions.
        let raw = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if raw < 0 {
            return Err(Error::system("make a waker", &io::Error::last_os_error()));
        }
        // SAFETY: the descriptor has just been made and belongs to nobody else.
        let descriptor = Arc::new(unsafe { OwnedFd::from_raw_fd(raw) });
        Ok(Waker { descriptor, home })
    }

    /// Ends the wait. In a forked child it does nothing: the parent would be woken.
    pub fn wake(&self) {
        if !self.home.is_here() {
            return;
        }
        let one = 1u64.to_ne_bytes();
        // The only failure is that the counter is full, and then it is readable all the same.
        // SAFETY: the descriptor is open and the place has 8 bytes.
        unsafe { libc::write(self.descriptor.as_raw_fd(), one.as_ptr().cast(), one.len()) };
    }

    fn clear(&self) {
        let mut count = [0u8; 8];
        // If nobody has woken it there is nothing to read, which is as good.
        // SAFETY: the descriptor is open and the place has 8 bytes.
        unsafe { libc::read(self.descriptor.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) };
    }
}

/// Waits until a socket may have something to receive, a waker is woken, `timeout` has passed, or a
/// signal has arrived. Clears the wakers that ended it, so look at what they announce after it; one
/// that was not looked at ends the next wait.
pub fn wait(sockets: &[&dyn Pollable], wakers: &[&Waker], timeout: Duration) -> Result<()> {
    let until = Instant::now().checked_add(timeout);
    let mut polled: Vec<libc::pollfd> = Vec::with_capacity(wakers.len() + 2 * sockets.len());
    for waker in wakers {
        waker.home.check()?;
        polled.push(readable(waker.descriptor.as_raw_fd()));
    }
    for descriptor in descriptors(sockets)? {
        polled.push(readable(descriptor));
    }
    // A descriptor of libzmq only says that something has changed, so the socket is asked each
    // time.
    while !any_readable(sockets)? {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let count = poll(&mut polled, left)?;
        if count == 0 || polled[..wakers.len()].iter().any(|waker| waker.revents != 0) {
            break;
        }
    }
    let woken = |(_, polled): &(&&Waker, &libc::pollfd)| polled.revents != 0;
    wakers.iter().zip(&polled).filter(woken).for_each(|(waker, _)| waker.clear());
    Ok(())
}

/// A wait for news of sockets that other threads may use meanwhile, one at a time. Whoever is woken
/// looks at the sockets again.
#[derive(Debug, Default)]
pub struct Sleep {
    descriptors: Vec<i32>,
}

impl Sleep {
    /// A wait that begins now; `None` if a socket has something to receive already. A message that
    /// comes later ends the wait, unless another thread takes it in.
    pub fn begin(sockets: &[&dyn Pollable]) -> Result<Option<Sleep>> {
        let descriptors = descriptors(sockets)?;
        Ok((!any_readable(sockets)?).then_some(Sleep { descriptors }))
    }

    /// Waits until there may be news, the waker is woken, `timeout` has passed, or a signal has
    /// arrived. Clears the waker if it has ended the wait.
    pub fn wait(self, waker: &Waker, timeout: Duration) -> Result<()> {
        waker.home.check()?;
        let all = [waker.descriptor.as_raw_fd()].into_iter().chain(self.descriptors);
        let mut polled: Vec<libc::pollfd> = all.map(readable).collect();
        poll(&mut polled, Some(timeout))?;
        if polled[0].revents != 0 {
            waker.clear();
        }
        Ok(())
    }
}

fn descriptors(sockets: &[&dyn Pollable]) -> Result<Vec<i32>> {
    let mut found = Vec::with_capacity(2 * sockets.len());
    let mut error = None;
    let mut look = |socket: &Socket| match socket.descriptor() {
        Ok(descriptor) => found.push(descriptor),
        Err(failure) => error = Some(failure),
    };
    sockets.iter().for_each(|pollable| pollable.show(&mut look));
    error.map_or(Ok(found), Err)
}

fn any_readable(sockets: &[&dyn Pollable]) -> Result<bool> {
    let mut any = Ok(false);
    let mut look = |socket: &Socket| {
        if let Ok(false) = any {
            any = socket.is_readable();
        }
    };
    sockets.iter().for_each(|pollable| pollable.show(&mut look));
    any
}

fn readable(descriptor: i32) -> libc::pollfd {
    libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 }
}

/// How many descriptors are ready; none when time is up or a signal came.
fn poll(polled: &mut [libc::pollfd], left: Option<Duration>) -> Result<usize> {
    let time = left.map(|left| libc::timespec {
        tv_sec: libc::time_t::try_from(left.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: left.subsec_nanos().into(),
    });
    let time = time.as_ref().map_or(std::ptr::null(), |time| &raw const *time);
    // SAFETY: the slice has the length that is given, and the time outlives the call.
    let count = unsafe {
        libc::ppoll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, time, std::ptr::null())
    };
    match usize::try_from(count) {
        Ok(count) => Ok(count),
        Err(_) => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(0),
            error => Err(Error::system("wait", &error)),
        },
    }
}
