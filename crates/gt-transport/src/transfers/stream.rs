//! Frames as bytes: what one side writes and the other reads, piece by piece as a connection takes
//! and brings it. Between hosts every head and every chunk is sealed, in order.

use bytes::Bytes;

use super::frame::{Frame, HEAD_BYTES};
use super::key::Key;
use super::machine::{ConnectionId, Transfers, Violation};
use super::seal::{self, PROOF_BYTES};

/// How the bytes of chunks travel.
pub enum Protection {
    /// As they are, behind their frames.
    Plain,
    /// In shared memory; only frames go over the connection.
    Ring,
    /// Sealed with a key that serves one direction of one connection.
    Sealed(Key),
}

/// Counts what is sealed with a key, so that no two things share a nonce.
struct Counted {
    key: Key,
    count: u64,
}

impl Counted {
    fn nonce(&mut self) -> [u8; 32] {
        let mut nonce = [0; 32];
        nonce[..8].copy_from_slice(&self.count.to_le_bytes());
        self.count += 1;
        nonce
    }
}

/// Turns frames into bytes.
pub struct Writer {
    sealing: Option<Counted>,
    inline: bool,
    out: Vec<u8>,
    sent: usize,
}

impl Writer {
    /// A writer of a connection's first frame.
    pub fn new(protection: Protection) -> Writer {
        let inline = !matches!(protection, Protection::Ring);
        let sealing = match protection {
            Protection::Sealed(key) => Some(Counted { key, count: 0 }),
            Protection::Plain | Protection::Ring => None,
        };
        Writer { sealing, inline, out: Vec::new(), sent: 0 }
    }

    /// Bytes that are to be sent.
    pub fn rest(&self) -> &[u8] {
        &self.out[self.sent..]
    }

    /// So many of them were sent.
    pub fn sent(&mut self, count: usize) {
        self.sent += count;
        if self.sent == self.out.len() {
            self.out.clear();
            self.sent = 0;
        }
    }

    /// Adds a frame, and the bytes behind it.
    pub fn push(&mut self, frame: &Frame, data: &Bytes) {
        let head = frame.encode();
        self.add(&head);
        if self.inline && !data.is_empty() {
            self.add(data);
        }
    }

    fn add(&mut self, plain: &[u8]) {
        let Some(counted) = &mut self.sealing else { return self.out.extend_from_slice(plain) };
        let nonce = counted.nonce();
        let at = self.out.len();
        self.out.resize(at + plain.len() + PROOF_BYTES, 0);
        let (text, proof) = self.out[at..].split_at_mut(plain.len());
        proof.copy_from_slice(&seal::seal(&counted.key.0, &nonce, &[], plain, text));
    }
}

/// A chunk that is being read.
struct Chunk {
    seq: u64,
    offset: u64,
    bytes: usize,
    filled: usize,
    /// Somebody wanted all of it so far.
    wanted: bool,
}

/// Turns bytes into frames. The bytes of a chunk go straight to where they belong.
pub struct Reader {
    opening: Option<Counted>,
    inline: bool,
    head: [u8; HEAD_BYTES + PROOF_BYTES],
    filled: usize,
    chunk: Option<Chunk>,
    scrap: Vec<u8>,
    /// Bytes of chunks that came.
    pub chunk_bytes: u64,
}

/// Bytes that nobody wants are read away in pieces of this size.
const SCRAP_BYTES: usize = 64 << 10;

impl Reader {
    /// A reader of a connection's first frame.
    pub fn new(protection: Protection) -> Reader {
        let inline = !matches!(protection, Protection::Ring);
        let opening = match protection {
            Protection::Sealed(key) => Some(Counted { key, count: 0 }),
            Protection::Plain | Protection::Ring => None,
        };
        let (head, scrap) = ([0; HEAD_BYTES + PROOF_BYTES], Vec::new());
        Reader { opening, inline, head, filled: 0, chunk: None, scrap, chunk_bytes: 0 }
    }

    fn proof_bytes(&self) -> usize {
        if self.opening.is_some() { PROOF_BYTES } else { 0 }
    }

    /// Where the next bytes of the connection go.
    pub fn space<'a>(
        &'a mut self,
        machine: &'a mut Transfers,
        connection: ConnectionId,
    ) -> &'a mut [u8] {
        let proof_bytes = self.proof_bytes();
        let Some(chunk) = &mut self.chunk else {
            return &mut self.head[self.filled..HEAD_BYTES + proof_bytes];
        };
        let (at, left) = (chunk.offset + chunk.filled as u64, chunk.bytes - chunk.filled);
        if left == 0 {
            // The proof of a chunk is put where its head was.
            return &mut self.head[self.filled..proof_bytes];
        }
        chunk.wanted &= machine.memory(connection, chunk.seq, at, left).is_some();
        if chunk.wanted {
            return machine.memory(connection, chunk.seq, at, left).expect("just seen");
        }
        self.scrap.resize(SCRAP_BYTES, 0);
        &mut self.scrap[..left.min(SCRAP_BYTES)]
    }

    /// So many bytes were put there. Gives a frame that is not for the machine.
    pub fn advance(
        &mut self,
        now: u64,
        machine: &mut Transfers,
        connection: ConnectionId,
        count: usize,
    ) -> Result<Option<Frame>, Violation> {
        let proof_bytes = self.proof_bytes();
        if let Some(chunk) = &mut self.chunk {
            if chunk.filled < chunk.bytes {
                chunk.filled += count;
                machine.heard(now, connection, count);
            } else {
                self.filled += count;
            }
            if chunk.filled == chunk.bytes && self.filled == proof_bytes {
                self.finish(now, machine, connection)?;
            }
            return Ok(None);
        }
        self.filled += count;
        if self.filled < HEAD_BYTES + proof_bytes {
            return Ok(None);
        }
        self.filled = 0;
        let frame = self.open_head()?;
        match frame {
            Frame::Ring | Frame::Free { .. } => return Ok(Some(frame)),
            Frame::Chunk { seq, offset, bytes, .. } => {
                machine.frame(now, connection, frame)?;
                self.chunk_bytes += u64::from(bytes);
                if !self.inline {
                    return Ok(Some(frame));
                }
                let bytes = bytes as usize;
                self.chunk = Some(Chunk { seq, offset, bytes, filled: 0, wanted: true });
            }
            frame => machine.frame(now, connection, frame)?,
        }
        Ok(None)
    }

    fn open_head(&mut self) -> Result<Frame, Violation> {
        let (head, proof) = self.head.split_first_chunk_mut::<HEAD_BYTES>().expect("long enough");
        if let Some(counted) = &mut self.opening {
            let nonce = counted.nonce();
            let proof = (&*proof).try_into().expect("the rest of a head");
            if !seal::open(&counted.key.0, &nonce, &[], head, proof) {
                return Err(Violation("a frame was changed on its way"));
            }
        }
        Frame::decode(head).ok_or(Violation("it does not speak the protocol of the data plane"))
    }

    fn finish(
        &mut self,
        now: u64,
        machine: &mut Transfers,
        connection: ConnectionId,
    ) -> Result<(), Violation> {
        let chunk = self.chunk.take().expect("a chunk ends");
        self.filled = 0;
        let nonce = self.opening.as_mut().map(Counted::nonce);
        let place = machine.memory(connection, chunk.seq, chunk.offset, chunk.bytes);
        let Some(place) = place.filter(|_| chunk.wanted) else { return Ok(()) };
        if let (Some(counted), Some(nonce)) = (&self.opening, nonce) {
            let proof = self.head[..PROOF_BYTES].try_into().expect("just read");
            if !seal::open(&counted.key.0, &nonce, &[], place, proof) {
                return Err(Violation("a chunk was changed on its way"));
            }
        }
        machine.chunk_done(now, connection, chunk.seq, chunk.bytes);
        Ok(())
    }
}
