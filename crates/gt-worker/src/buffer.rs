//! Memory for tensors: a pool of aligned buffers with a byte limit. Fresh memory costs a page fault
//! for every 4 KiB, so freed buffers are kept for the next tensor of about the same size.
//!
//! Contract: what [`Pool::take`] gives may hold what another session left there. Whoever takes a
//! buffer writes every byte of its length before a [`crate::value::Value`] is made of it; kernels
//! write every element of their outputs. What cannot promise that uses [`Pool::zeroed`].

use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use gt_core::SessionId;
use gt_core::error::{Error, Result};
use gt_transport::lock::Mutex;

use self::blocks::{Block, CLASSES, acquire, class_bytes, class_of, release};
use self::charge::Charged;
use crate::account::Account;

mod blocks;
mod charge;

/// Where buffers begin: at the start of a cache line, which also suits every vector register.
pub const ALIGNMENT: usize = 64;

/// A pool that nobody takes from for so long gives back what it keeps.
const IDLE: Duration = Duration::from_secs(3);

/// So often somebody is asked to free memory for one buffer.
const MOST_RECLAIMS: usize = 64;

/// Somebody who can free memory of values that are not in use.
pub trait Reclaim: Send + Sync {
    /// Frees about so many bytes, of one session if it is the one that holds too much; says whether
    /// any were freed.
    fn reclaim(&self, bytes: usize, of: Option<SessionId>) -> bool;
}

/// A shared store of memory.
pub struct Pool {
    free: Vec<Mutex<Vec<Block>>>,
    limit: usize,
    /// Bytes taken from the system, in use or cached.
    held: AtomicUsize,
    used: AtomicUsize,
    charged: Charged,
    peak: AtomicUsize,
    /// How often a buffer was taken.
    takes: AtomicUsize,
    /// How often that was when it last changed, and when.
    last_take: Mutex<(usize, Duration)>,
    /// Who can free memory, if somebody can.
    reclaims: Mutex<Option<Weak<dyn Reclaim>>>,
    /// What buffers are filled with before they are given out.
    pattern: Option<u8>,
}

impl Pool {
    /// A pool that holds at most `limit` bytes, in use and cached together.
    pub fn new(limit: usize) -> Arc<Self> {
        Pool::with_pattern(limit, None)
    }

    /// The same for tests of the contract of this module: every buffer is given out full of `byte`,
    /// so that an element that no kernel writes is seen in the result. Full of `0xFF`, floats are
    /// NaN.
    pub fn patterned(limit: usize, byte: u8) -> Arc<Self> {
        Pool::with_pattern(limit, Some(byte))
    }

    fn with_pattern(limit: usize, pattern: Option<u8>) -> Arc<Self> {
        Arc::new(Pool {
            free: (0..CLASSES).map(|_| Mutex::default()).collect(),
            limit,
            held: AtomicUsize::new(0),
            used: AtomicUsize::new(0),
            charged: Charged::default(),
            peak: AtomicUsize::new(0),
            takes: AtomicUsize::new(0),
            last_take: Mutex::default(),
            reclaims: Mutex::default(),
            pattern,
        })
    }

    /// A buffer of `len` bytes with anything in it; see the contract of this module.
    pub fn take(self: &Arc<Self>, len: usize) -> Result<Buffer> {
        if len == 0 {
            return Ok(Buffer::empty());
        }
        self.takes.fetch_add(1, Relaxed);
        let class = class_of(len);
        let account = Account::current();
        let block = match &account {
            Some(account) => self.charged(class, len, account)?,
            None => self.block(class, len)?,
        };
        self.count_used(class_bytes(class));
        let pool = Arc::clone(self);
        let mut buffer =
            Buffer { start: block.0, len, memory: Memory::Pooled { class, pool, account } };
        if let (Some(byte), Some(bytes)) = (self.pattern, buffer.bytes_mut()) {
            bytes.fill(byte);
        }
        Ok(buffer)
    }

    /// From now on this is asked to free memory before somebody is told that there is none.
    pub fn reclaim_from(&self, who: Weak<dyn Reclaim>) {
        *self.reclaims.lock() = Some(who);
    }

    /// Whether so many more bytes are more than it may hold, as things are.
    pub fn lacks(&self, bytes: usize) -> bool {
        self.used_bytes().saturating_add(bytes) > self.limit
    }

    /// What may be taken for values that nobody needs yet: of what is free a part is left to those
    /// that are needed, and of the rest three quarters to what others send and to kernels.
    pub fn room_bytes(&self) -> usize {
        self.limit.saturating_sub(self.used_bytes()).saturating_sub(self.limit / 8) / 4
    }

    /// Whether most of it is in use.
    pub fn is_crowded(&self) -> bool {
        self.lacks(self.limit / 4)
    }

    /// Has memory freed, of a session or of anybody; says whether any was.
    #[cold]
    fn reclaim(&self, bytes: usize, of: Option<SessionId>) -> bool {
        let who = self.reclaims.lock().as_ref().and_then(Weak::upgrade);
        who.is_some_and(|who| who.reclaim(bytes, of))
    }

    /// Memory that is charged to an account.
    fn charged(&self, class: usize, len: usize, account: &Account) -> Result<Block> {
        let size = class_bytes(class);
        self.charge_account(size, len, account)?;
        self.block(class, len).inspect_err(|_| account.release(size))
    }

    fn charge_account(&self, size: usize, len: usize, account: &Account) -> Result<()> {
        let mut tries = 0;
        while let Err(excess) = account.charge(size) {
            tries += 1;
            if tries > MOST_RECLAIMS || !self.reclaim(size, account.session()) {
                return Err(account.out_of_memory(len, excess));
            }
        }
        Ok(())
    }

    fn count_used(&self, bytes: usize) {
        let used = self.used.fetch_add(bytes, Relaxed) + bytes;
        if used > self.peak.load(Relaxed) {
            self.peak.fetch_max(used, Relaxed);
        }
    }

    /// Memory that was kept, or fresh memory.
    fn block(&self, class: usize, len: usize) -> Result<Block> {
        let cached = self.free[class].lock().pop();
        cached.map_or_else(|| self.fresh(class, len), Ok)
    }

    /// A buffer of `len` bytes that are zero.
    pub fn zeroed(self: &Arc<Self>, len: usize) -> Result<Buffer> {
        let mut buffer = self.take(len)?;
        buffer.bytes_mut().expect("a pooled buffer is writable").fill(0);
        Ok(buffer)
    }

    /// Gives cached memory back to the system.
    pub fn trim(&self) {
        for (class, list) in self.free.iter().enumerate() {
            for block in std::mem::take(&mut *list.lock()) {
                self.held.fetch_sub(class_bytes(class), Relaxed);
                release(block, class);
            }
        }
    }

    /// Gives the kept buffers back to the system if none was taken for a while: memory that ended
    /// sessions have left is others' too. `now` is counted from any moment.
    pub fn tick(&self, now: Duration) {
        self.clear_leftovers();
        let takes = self.takes.load(Relaxed);
        let mut last = self.last_take.lock();
        if last.0 != takes {
            *last = (takes, now);
        } else if now.saturating_sub(last.1) >= IDLE && self.cached_bytes() > 0 {
            self.trim();
        }
    }

    /// Bytes in buffers that somebody holds.
    pub fn used_bytes(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// Bytes kept for later use.
    pub fn cached_bytes(&self) -> usize {
        self.held.load(Relaxed).saturating_sub(self.used.load(Relaxed))
    }

    /// The most bytes that were in use at one time.
    pub fn peak_bytes(&self) -> usize {
        self.peak.load(Relaxed)
    }

    /// The most bytes it may hold.
    pub fn limit_bytes(&self) -> usize {
        self.limit
    }

    #[cold]
    fn fresh(&self, class: usize, len: usize) -> Result<Block> {
        let size = class_bytes(class);
        self.reserve_or_reclaim(size, len)?;
        acquire(class).ok_or_else(|| {
            self.held.fetch_sub(size, Relaxed);
            self.out_of_memory(len)
        })
    }

    /// Counts `size` more bytes as held; where that is over the limit, memory is freed first.
    fn reserve_or_reclaim(&self, size: usize, len: usize) -> Result<()> {
        let mut tries = 0;
        while !self.reserve(size) {
            let is_freed = tries == 0 || (tries <= MOST_RECLAIMS && self.reclaim(size, None));
            if !is_freed {
                return Err(self.out_of_memory(len));
            }
            tries += 1;
            self.trim();
        }
        Ok(())
    }

    /// Counts `size` more bytes as held, unless that is over the limit.
    fn reserve(&self, size: usize) -> bool {
        let more = |held: usize| held.checked_add(size).filter(|&held| held <= self.limit);
        self.held.fetch_update(Relaxed, Relaxed, more).is_ok()
    }

    fn out_of_memory(&self, len: usize) -> Error {
        let (used, limit) = (self.used_bytes(), self.limit);
        let own = |account: Arc<Account>| {
            // What it asks for is charged already.
            let own = account.used_bytes().saturating_sub(class_bytes(class_of(len)));
            format!(", {own} of these by this session")
        };
        let own = Account::current().map_or_else(String::new, own);
        Error::OutOfMemory(format!(
            "out of memory: {len} bytes were asked for, {used} of {limit} are in use{own}"
        ))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.trim();
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (used, cached) = (self.used_bytes(), self.cached_bytes());
        write!(f, "Pool({used} bytes used, {cached} cached, limit {})", self.limit)
    }
}

/// A piece of memory. On drop it goes back to its pool.
pub struct Buffer {
    start: NonNull<u8>,
    len: usize,
    memory: Memory,
}

enum Memory {
    Pooled {
        class: usize,
        pool: Arc<Pool>,
        /// Whose it is.
        account: Option<Arc<Account>>,
    },
    /// Bytes that came in a message. They are never written.
    Shared {
        _bytes: Bytes,
    },
    Empty,
}

// SAFETY: a buffer owns its memory; it is written only through `&mut`.
unsafe impl Send for Buffer {}
// SAFETY: as above; a shared buffer is only read.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// A buffer without bytes.
    #[inline]
    pub fn empty() -> Self {
        // Aligned like every other buffer, so that empty slices of any dtype can be made of it.
        let start = NonNull::new(std::ptr::without_provenance_mut(ALIGNMENT));
        Buffer { start: start.expect("not zero"), len: 0, memory: Memory::Empty }
    }

    /// The bytes of a message, not copied. They are read only, and aligned as they came.
    pub fn shared(bytes: Bytes) -> Self {
        if bytes.is_empty() {
            return Buffer::empty();
        }
        let start = NonNull::new(bytes.as_ptr().cast_mut()).expect("a slice is not null");
        Buffer { start, len: bytes.len(), memory: Memory::Shared { _bytes: bytes } }
    }

    /// How many bytes it has.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether it may be written by someone who holds it alone.
    #[inline]
    pub fn is_pooled(&self) -> bool {
        !matches!(self.memory, Memory::Shared { .. })
    }

    /// Where it begins.
    #[inline]
    pub fn as_ptr(&self) -> *const u8 {
        self.start.as_ptr()
    }

    /// Where it begins, to be written; `None` if its bytes are those of a message.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> Option<*mut u8> {
        self.is_pooled().then_some(self.start.as_ptr())
    }

    /// Its bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the memory lives as long as `self` and is not written meanwhile.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// Its bytes to be written; `None` if they are those of a message.
    #[inline]
    pub fn bytes_mut(&mut self) -> Option<&mut [u8]> {
        if !self.is_pooled() {
            return None;
        }
        // SAFETY: the memory is ours alone, and `&mut self` keeps others away. Any bit pattern is
        // a byte, and the allocator's leftovers are never read before they are written.
        Some(unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) })
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Memory::Pooled { class, pool, account } = &self.memory {
            account.iter().for_each(|account| account.release(class_bytes(*class)));
            pool.used.fetch_sub(class_bytes(*class), Relaxed);
            pool.free[*class].lock().push(Block(self.start));
        }
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::blocks::HUGE_PAGE;
    use super::*;

    #[test]
    fn classes_hold_what_they_promise_and_waste_a_quarter_at_most() {
        for len in (1..100_000).chain((0..40).map(|power| (1usize << power) + 1)) {
            let size = class_bytes(class_of(len));
            assert!(size >= len && size < len + len / 4 + ALIGNMENT, "{len} in {size}");
            assert!(class_of(size) == class_of(len) && class_of(size + 1) == class_of(len) + 1);
        }
        assert!(class_of(1 << 46) < CLASSES);
    }

    #[test]
    fn an_idle_pool_gives_back_what_it_keeps() {
        let (pool, second) = (Pool::new(1 << 30), Duration::from_secs);
        let kept = pool.take(1 << 20).unwrap();
        drop(pool.take(4 << 20).unwrap());
        pool.tick(second(10));
        pool.tick(second(12));
        assert_eq!(pool.cached_bytes(), 4 << 20, "it was used two seconds ago");
        drop(pool.take(1000).unwrap());
        pool.tick(second(14));
        pool.tick(second(16));
        assert_eq!(pool.cached_bytes(), (4 << 20) + 1024, "it was used again meanwhile");
        pool.tick(second(17));
        assert_eq!((pool.cached_bytes(), pool.used_bytes()), (0, 1 << 20));
        drop(kept);
    }

    #[test]
    fn memory_comes_back_and_is_used_again() {
        let pool = Pool::new(1 << 30);
        let buffer = pool.take(1000).unwrap();
        let start = buffer.as_ptr() as usize;
        assert_eq!((pool.used_bytes(), pool.cached_bytes()), (1024, 0));
        drop(buffer);
        assert_eq!((pool.used_bytes(), pool.cached_bytes(), pool.peak_bytes()), (0, 1024, 1024));
        assert_eq!(pool.take(1024).unwrap().as_ptr() as usize, start);
        pool.trim();
        assert_eq!(pool.cached_bytes(), 0);
    }

    #[test]
    fn alignment_suits_the_size() {
        let pool = Pool::new(1 << 30);
        for len in [1, 63, 4096, 1 << 20] {
            assert_eq!(pool.take(len).unwrap().as_ptr() as usize % ALIGNMENT, 0);
        }
        let mut large = pool.take(5 << 20).unwrap();
        assert_eq!(large.as_ptr() as usize % HUGE_PAGE, 0);
        large.bytes_mut().unwrap().fill(7);
        assert!(pool.zeroed(5 << 20).unwrap().bytes().iter().all(|&byte| byte == 0));
    }

    #[test]
    fn the_limit_first_drops_what_is_cached() {
        let pool = Pool::new(1 << 20);
        drop(pool.take(600 << 10).unwrap());
        let kept = pool.take(512 << 10).unwrap();
        assert_eq!(pool.cached_bytes(), 0);
        assert!(matches!(pool.take(600 << 10), Err(Error::OutOfMemory(_))));
        assert!(matches!(pool.take(1 << 45), Err(Error::OutOfMemory(_))));
        drop(kept);
        pool.take(1 << 20).unwrap();
    }

    #[test]
    fn shared_bytes_are_neither_copied_nor_written() {
        let bytes = Bytes::from(vec![1u8, 2, 3]);
        let mut buffer = Buffer::shared(bytes.clone());
        assert_eq!(buffer.as_ptr(), bytes.as_ptr());
        assert!(buffer.bytes_mut().is_none());
        assert_eq!(buffer.bytes(), [1, 2, 3]);
        assert!(Buffer::shared(Bytes::new()).bytes_mut().unwrap().is_empty());
    }
}
