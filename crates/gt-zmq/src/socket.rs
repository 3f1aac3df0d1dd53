//! A socket of libzmq: options, addresses, and frames in and out without waiting.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;

use crate::context::Context;
use crate::ffi;
use crate::fork::Home;
use crate::message::{COPIED_BYTES, Message};
use crate::waiting::Mark;
use crate::{Error, Options, Result, SendError, error};

/// An open socket. It may go from thread to thread and is used by one at a time.
pub struct Socket {
    raw: *mut c_void,
    home: Home,
    /// Where frames arrive, used again for each.
    arriving: RefCell<Message>,
    // Keeps libzmq's threads until the socket is closed; none for a socket that ends with them.
    _context: Option<Context>,
}

// SAFETY: libzmq allows a socket to be used on another thread if a full barrier lies between, as
// there is wherever Rust moves a value between threads; and no method takes it for two at once,
// because it is not `Sync`.
unsafe impl Send for Socket {}

impl Socket {
    /// A socket of the kind that `ZMQ_ROUTER` and the like name, with bounds on all that waits.
    pub fn open(context: &Context, kind: c_int, options: &Options) -> Result<Socket> {
        let socket = Socket::bare(context, kind)?;
        socket.bound(options)?;
        Ok(socket)
    }

    /// A socket for use inside the process.
    pub fn bare(context: &Context, kind: c_int) -> Result<Socket> {
        let mut socket = Socket::of_context(context, kind)?;
        socket._context = Some(context.clone());
        Ok(socket)
    }

    /// A socket that does not keep its context: its owner closes it when a call says that the
    /// context ends, which waits for that.
    pub fn of_context(context: &Context, kind: c_int) -> Result<Socket> {
        let home = context.home();
        home.check()?;
        // SAFETY: the context is alive, and ends only when this socket is closed.
        let raw = unsafe { ffi::zmq_socket(context.raw(), kind) };
        if raw.is_null() {
            return Err(Error::last("open a socket"));
        }
        let arriving = RefCell::new(Message::empty());
        let socket = Socket { raw, home, arriving, _context: None };
        socket.set_int(ffi::ZMQ_LINGER, 0)?;
        Ok(socket)
    }

    fn bound(&self, options: &Options) -> Result<()> {
        // Zero would mean without end to libzmq.
        let count = |count: u32| c_int::try_from(count.max(1)).unwrap_or(c_int::MAX);
        self.set_int(ffi::ZMQ_SNDHWM, count(options.send_high_water))?;
        self.set_int(ffi::ZMQ_RCVHWM, count(options.receive_high_water))?;
        let bytes = i64::try_from(options.max_message_bytes).unwrap_or(i64::MAX);
        self.set(ffi::ZMQ_MAXMSGSIZE, &bytes.to_ne_bytes())?;
        self.set_int(ffi::ZMQ_HEARTBEAT_IVL, milliseconds(options.heartbeat))?;
        self.set_int(ffi::ZMQ_HEARTBEAT_TIMEOUT, milliseconds(options.heartbeat_timeout))?;
        // Tells the peer after how much silence of ours to give up; the wire has 16 bits for it.
        let ttl = milliseconds(options.borne_silence).min(6_553_500);
        self.set_int(ffi::ZMQ_HEARTBEAT_TTL, ttl)?;
        self.set_int(ffi::ZMQ_CONNECT_TIMEOUT, milliseconds(options.connect_timeout))?;
        self.set_int(ffi::ZMQ_HANDSHAKE_IVL, milliseconds(options.connect_timeout))?;
        // Many peers may come at once when a cluster starts.
        self.set_int(ffi::ZMQ_BACKLOG, 1024)
    }

    /// The process in which the socket may be used.
    pub fn home(&self) -> Home {
        self.home
    }

    pub fn set_int(&self, option: c_int, value: c_int) -> Result<()> {
        self.set(option, &value.to_ne_bytes())
    }

    pub fn set(&self, option: c_int, value: &[u8]) -> Result<()> {
        self.home.check()?;
        // An empty value is a null pointer: some options are cleared by that and nothing else.
        let start = if value.is_empty() { std::ptr::null() } else { value.as_ptr() };
        // SAFETY: the socket is open; libzmq copies the value.
        let outcome = unsafe { ffi::zmq_setsockopt(self.raw, option, start.cast(), value.len()) };
        if outcome == 0 { Ok(()) } else { Err(Error::last("set an option of a socket")) }
    }

    fn get_int(&self, option: c_int) -> Result<c_int> {
        self.home.check()?;
        let mut value: c_int = 0;
        let mut size = size_of::<c_int>();
        let place = (&raw mut value).cast();
        // SAFETY: the socket is open, and the place has the size that is given.
        let outcome = unsafe { ffi::zmq_getsockopt(self.raw, option, place, &raw mut size) };
        if outcome == 0 { Ok(value) } else { Err(Error::last("read an option of a socket")) }
    }

    /// The descriptor that becomes readable when `is_readable` may have changed.
    pub fn descriptor(&self) -> Result<c_int> {
        self.get_int(ffi::ZMQ_FD)
    }

    /// Whether a message waits.
    pub fn is_readable(&self) -> Result<bool> {
        loop {
            match self.get_int(ffi::ZMQ_EVENTS) {
                Ok(events) => return Ok(events & ffi::ZMQ_POLLIN != 0),
                Err(Error::System { .. }) if error::code() == libc::EINTR => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Listens at an address; the error is libzmq's code.
    pub fn bind(&self, address: &CStr) -> std::result::Result<(), c_int> {
        // SAFETY: the socket is open and the address ends with a zero.
        let outcome = unsafe { ffi::zmq_bind(self.raw, address.as_ptr()) };
        if outcome == 0 { Ok(()) } else { Err(error::code()) }
    }

    /// Begins to connect to an address.
    pub fn connect(&self, address: &CStr) -> Result<()> {
        // SAFETY: the socket is open and the address ends with a zero.
        let outcome = unsafe { ffi::zmq_connect(self.raw, address.as_ptr()) };
        if outcome == 0 { Ok(()) } else { Err(Error::last("connect")) }
    }

    /// An option that is a text.
    pub fn get_text(&self, option: c_int) -> Result<String> {
        self.home.check()?;
        let mut text = [0u8; 256];
        let mut size = text.len();
        let place = text.as_mut_ptr().cast();
        // SAFETY: the socket is open, and the place has the size that is given.
        let outcome = unsafe { ffi::zmq_getsockopt(self.raw, option, place, &raw mut size) };
        if outcome != 0 {
            return Err(Error::last("read an option of a socket"));
        }
        let text = CStr::from_bytes_until_nul(&text).unwrap_or_default();
        Ok(text.to_string_lossy().into_owned())
    }

    /// A socket on which `events` of this one are told.
    pub fn monitor(&self, context: &Context, events: u16) -> Result<Socket> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let address =
            CString::new(format!("inproc://monitor-{number}")).expect("a number has no zero byte");
        let monitor = Socket::bare(context, ffi::ZMQ_PAIR)?;
        // SAFETY: the socket is open and the address ends with a zero.
        let outcome =
            unsafe { ffi::zmq_socket_monitor(self.raw, address.as_ptr(), c_int::from(events)) };
        if outcome != 0 {
            return Err(Error::last("watch a socket"));
        }
        monitor.connect(&address)?;
        Ok(monitor)
    }

    /// Ends what [`Socket::monitor`] began.
    pub fn end_monitor(&self) {
        // The parent's thread may have held the lock of its events when it forked.
        if self.home.is_here() {
            // SAFETY: the socket is open; no address means the end.
            unsafe { ffi::zmq_socket_monitor(self.raw, std::ptr::null(), 0) };
        }
    }

    /// Sends one frame without waiting. A mark goes with it, and is dropped when it has left.
    pub fn send(
        &self,
        frame: &Bytes,
        more: More,
        mark: Option<Mark>,
    ) -> std::result::Result<(), SendError> {
        if !self.home.is_here() {
            return Err(SendError::Gone);
        }
        let flags = ffi::ZMQ_DONTWAIT | more as c_int;
        if frame.len() <= COPIED_BYTES && mark.is_none() {
            // SAFETY: the socket is open; libzmq copies the bytes before it returns.
            return retry(|| unsafe {
                ffi::zmq_send(self.raw, frame.as_ptr().cast(), frame.len(), flags)
            });
        }
        let mut message = Message::sharing(frame, mark).map_err(|_| SendError::Full)?;
        // SAFETY: socket and message are alive; a message that was sent is left empty.
        retry(|| unsafe { ffi::zmq_msg_send(message.raw(), self.raw, flags) })
    }

    /// Sends frames as one message without waiting; it is sent whole or not at all.
    pub fn send_all<'a>(
        &self,
        frames: impl IntoIterator<Item = &'a Bytes>,
        mut mark: Option<Mark>,
    ) -> std::result::Result<(), SendError> {
        let mut frames = frames.into_iter().peekable();
        assert!(frames.peek().is_some(), "a message has at least one frame");
        while let Some(frame) = frames.next() {
            let last = frames.peek().is_none();
            let more = if last { More::Last } else { More::Follow };
            self.send(frame, more, mark.take_if(|_| last))?;
        }
        Ok(())
    }

    /// The next message, if one waits; `look` sees each frame, with its number, before it is taken.
    pub fn receive(&self, look: impl FnMut(usize, &Message)) -> Result<Option<Vec<Bytes>>> {
        self.receive_with(ffi::ZMQ_DONTWAIT, look)
    }

    /// The next message, or none once the context ends.
    pub fn receive_blocking(&self) -> Result<Option<Vec<Bytes>>> {
        self.receive_with(0, |_, _| {})
    }

    fn receive_with(
        &self,
        flags: c_int,
        mut look: impl FnMut(usize, &Message),
    ) -> Result<Option<Vec<Bytes>>> {
        self.home.check()?;
        let mut arriving = self.arriving.borrow_mut();
        let mut frames = Vec::new();
        loop {
            // SAFETY: socket and message are alive; what the message held is let go.
            let size = unsafe { ffi::zmq_msg_recv(arriving.raw(), self.raw, flags) };
            if size < 0 {
                match error::code() {
                    libc::EINTR => continue,
                    libc::EAGAIN | ffi::ETERM => return Ok(None),
                    _ => return Err(Error::last("receive")),
                }
            }
            look(frames.len(), &arriving);
            let has_more = arriving.has_more();
            frames.push(arriving.take());
            if !has_more {
                return Ok(Some(frames));
            }
        }
    }

    /// Closes the socket; what waits to leave may still do so for a while.
    pub fn close_after(self, linger: Duration) {
        // A socket that cannot be told closes at once, which is all that is lost.
        let _ = self.set_int(ffi::ZMQ_LINGER, milliseconds(linger));
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.home.is_here() {
            // SAFETY: the socket is open and not used again.
            unsafe { ffi::zmq_close(self.raw) };
        }
    }
}

/// Whether another frame of the same message follows.
#[derive(Clone, Copy)]
pub enum More {
    /// This is the last one.
    Last = 0,
    /// Another one follows.
    Follow = ffi::ZMQ_SNDMORE as isize,
}

/// Calls again when a signal came in between.
fn retry(mut send: impl FnMut() -> c_int) -> std::result::Result<(), SendError> {
    loop {
        if send() >= 0 {
            return Ok(());
        }
        match error::code() {
            libc::EINTR => {}
            libc::EAGAIN => return Err(SendError::Full),
            // The peer is unknown (EHOSTUNREACH), or the socket cannot be used any more.
            _ => return Err(SendError::Gone),
        }
    }
}

/// As libzmq counts time; at least one, because zero means "off" or "without end" to it.
fn milliseconds(time: Duration) -> c_int {
    if time.is_zero() {
        return 0;
    }
    c_int::try_from(time.as_millis()).unwrap_or(c_int::MAX).max(1)
}
