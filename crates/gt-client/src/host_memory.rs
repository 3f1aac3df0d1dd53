//! Memory of this process for values that are read, which a program may have as its own.

use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::Arc;

use bytes::Bytes;
use gt_core::{Error, Meta, Result};
use gt_transport::region::{Region, Runs};
use gt_transport::transfers::{self, CHUNK_BYTES};
use gt_worker::buffer::{Buffer, Pool};

use crate::fork;

/// A piece of memory that nobody else has. It goes back to its pool when it is dropped.
pub struct HostMemory {
    buffer: ManuallyDrop<Buffer>,
    generation: u32,
}

impl HostMemory {
    fn take(pool: &Arc<Pool>, bytes: usize) -> Result<HostMemory> {
        let buffer = ManuallyDrop::new(pool.take(bytes)?);
        Ok(HostMemory { buffer, generation: fork::generation() })
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Where it begins.
    pub fn start(&mut self) -> NonNull<u8> {
        let start = self.buffer.as_mut_ptr().expect("memory of a pool is writable");
        NonNull::new(start).expect("memory is not at address zero")
    }
}

impl AsRef<[u8]> for HostMemory {
    fn as_ref(&self) -> &[u8] {
        self.buffer.bytes()
    }
}

impl std::fmt::Debug for HostMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.buffer.fmt(f)
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // A forked child leaves it: the pool may be locked for ever by a thread of the parent.
        if self.generation == fork::generation() {
            // SAFETY: nobody uses the buffer after this.
            unsafe { ManuallyDrop::drop(&mut self.buffer) }
        }
    }
}

/// A value that is being read: its parts are written where they belong, whoever they come from.
#[derive(Debug)]
pub(crate) struct Gathering {
    /// The dtype and shape of the whole.
    pub(crate) meta: Meta,
    memory: Arc<HostMemory>,
    start: NonNull<u8>,
    parts: Vec<Region>,
    /// Elements that have not arrived.
    missing: usize,
}

// SAFETY: the pointer is that of the memory, which any thread may have.
unsafe impl Send for Gathering {}

impl Gathering {
    /// Memory for all of a value.
    pub(crate) fn new(meta: Meta, pool: &Arc<Pool>) -> Result<Gathering> {
        let mut memory = HostMemory::take(pool, meta.bytes())?;
        let (start, missing) = (memory.start(), meta.shape.count());
        Ok(Gathering { meta, memory: Arc::new(memory), start, parts: Vec::new(), missing })
    }

    /// Where a part of it is written.
    pub(crate) fn part(&mut self, region: Region) -> Result<Box<dyn transfers::Buffer>> {
        let is_apart = self.parts.iter().all(|other| other.is_apart_from(&region));
        if region.whole != self.meta.shape || !is_apart {
            return Err(Error::bug("the parts of a value do not fit together"));
        }
        let runs = region.runs(self.meta.dtype.size());
        self.parts.push(region);
        let (memory, scratch) = (self.memory.clone(), Vec::new());
        Ok(Box::new(PartBuffer { _memory: memory, start: self.start, runs, done: 0, scratch }))
    }

    /// A part of so many elements has arrived; says whether that was all.
    pub(crate) fn arrive(&mut self, elements: usize) -> bool {
        self.missing = self.missing.saturating_sub(elements);
        self.missing == 0
    }

    /// The memory of the whole value, once every part has arrived.
    pub(crate) fn finish(self) -> Result<HostMemory> {
        let memory = Arc::try_unwrap(self.memory).ok().filter(|_| self.missing == 0);
        memory.ok_or_else(|| Error::bug("a part of a value is still on its way"))
    }
}

/// Memory of a part. No two parts of a value share a byte.
struct PartBuffer {
    /// Keeps what `start` points to.
    _memory: Arc<HostMemory>,
    start: NonNull<u8>,
    runs: Runs,
    /// Bytes that are where they belong.
    done: usize,
    /// Bytes after these, if they do not lie in one piece there.
    scratch: Vec<u8>,
}

// SAFETY: it alone writes its part of the memory, from whichever thread has it.
unsafe impl Send for PartBuffer {}

impl transfers::Buffer for PartBuffer {
    fn size(&self) -> usize {
        self.runs.bytes()
    }

    fn space(&mut self, offset: usize, bytes: usize) -> Option<&mut [u8]> {
        let end = offset.checked_add(bytes).filter(|end| *end <= self.size())?;
        if let Some(first) = self.runs.single() {
            // SAFETY: the range lies within the part, which lies within the memory and is written
            // by nobody else; the memory is read when every part is dropped.
            return Some(unsafe {
                std::slice::from_raw_parts_mut(self.start.as_ptr().add(first + offset), bytes)
            });
        }
        let first = offset.checked_sub(self.done)?;
        let room = CHUNK_BYTES.min(self.size() - self.done);
        if self.scratch.len() < room {
            self.scratch.resize(room, 0);
        }
        self.scratch.get_mut(first..end - self.done)
    }

    fn advance(&mut self, bytes: usize) {
        let mut copied = 0;
        while self.runs.single().is_none() && copied < bytes {
            let (at, run) = self.runs.locate(self.done + copied);
            let some = &self.scratch[copied..bytes.min(copied + run)];
            // SAFETY: the run lies within the part, as in `space`.
            unsafe {
                let target = self.start.as_ptr().add(at);
                std::ptr::copy_nonoverlapping(some.as_ptr(), target, some.len());
            }
            copied += some.len();
        }
        self.done += bytes;
    }

    fn freeze(self: Box<Self>) -> Bytes {
        Bytes::new()
    }
}

#[cfg(test)]
mod tests {
    use gt_core::placement::Span;
    use gt_core::{DType, Shape};

    use super::*;

    fn columns(start: usize, len: usize) -> Region {
        let part = [Span::whole(5), Span { blocks: 1, inner: 8, start, len }];
        Region { whole: Shape::from([5, 8]), part: part.into_iter().collect() }
    }

    #[test]
    fn parts_are_written_where_they_belong_piece_by_piece() {
        let pool = Pool::new(1 << 20);
        let mut gathering = Gathering::new(Meta::new(DType::U8, [5, 8]), &pool).unwrap();
        let numbers: Vec<u8> = (0..40).collect();
        let whole = Bytes::from(numbers.clone());
        for region in [columns(0, 3), columns(3, 5)] {
            let (part, elements) = (region.cut_from(&whole, 1), region.elements());
            let mut buffer = gathering.part(region).unwrap();
            assert_eq!(buffer.size(), part.len());
            for (at, chunk) in part.chunks(4).enumerate() {
                // The first bytes of a chunk whose connection is cut come again.
                buffer.space(4 * at, 1).unwrap().fill(99);
                buffer.space(4 * at, chunk.len()).unwrap().copy_from_slice(chunk);
                buffer.advance(chunk.len());
            }
            assert!(buffer.space(part.len(), 1).is_none());
            buffer.freeze();
            gathering.arrive(elements);
        }
        assert_eq!(gathering.finish().unwrap().as_ref(), numbers);
    }

    #[test]
    fn parts_that_overlap_are_refused_and_nothing_is_given_before_all_have_arrived() {
        let pool = Pool::new(1 << 20);
        let mut gathering = Gathering::new(Meta::new(DType::U8, [5, 8]), &pool).unwrap();
        let part = gathering.part(columns(0, 3)).unwrap();
        assert!(gathering.part(columns(2, 6)).is_err());
        assert!(!gathering.arrive(15));
        drop(part);
        assert!(gathering.finish().is_err());
        assert_eq!(pool.used_bytes(), 0);
    }
}
