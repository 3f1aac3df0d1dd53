//! A file for values that lie on disk while memory is short. It has no name, so that it is gone
//! with the process, however that ends, and nobody else can open it.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gt_core::{Error, Result};
use gt_transport::lock::Mutex;

/// A file, and which parts of it are in use.
pub struct Spill {
    file: File,
    limit: u64,
    parts: Mutex<Parts>,
    /// Whether the last value could not be written.
    is_full: AtomicBool,
    report: Box<Report>,
}

/// Tells the operator of the worker why values cannot be written any more.
type Report = dyn Fn(&Error) + Send + Sync;

impl fmt::Debug for Spill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spill").field("limit", &self.limit).field("parts", &self.parts).finish()
    }
}

/// The parts of a file.
#[derive(Debug, Default)]
struct Parts {
    /// Those that are not in use, by where they begin; no two of them touch.
    free: BTreeMap<u64, u64>,
    /// Where the file ends.
    end: u64,
    used: u64,
}

/// A part of the file that somebody has. On drop it may be given to others.
#[derive(Debug)]
pub struct Region {
    spill: Arc<Spill>,
    start: u64,
    bytes: u64,
}

impl Spill {
    /// Opens a file in a folder, which is made for its owner alone if it is not there. It grows to
    /// `limit` bytes at most. `report` is called when values cannot be written any more, and not
    /// again before one could be.
    pub fn open(
        folder: &Path,
        limit: u64,
        report: impl Fn(&Error) + Send + Sync + 'static,
    ) -> Result<Arc<Spill>> {
        let wrong = |error| {
            let folder = folder.display();
            Error::value(format!("values cannot be spilled to {folder}: {error}"))
        };
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(wrong)?;
        let path = folder.join(format!("gt-spill-{}", std::process::id()));
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create_new(true).mode(0o600);
        let file = options.open(&path).map_err(wrong)?;
        fs::remove_file(&path).map_err(wrong)?;
        let (parts, is_full) = Default::default();
        Ok(Arc::new(Spill { file, limit, parts, is_full, report: Box::new(report) }))
    }

    /// How many bytes are in use.
    pub fn used_bytes(&self) -> u64 {
        self.parts.lock().used
    }

    /// Writes bytes; an error if the file is as large as it may be, or the disk is full.
    pub fn write(self: &Arc<Self>, data: &[u8]) -> Result<Region> {
        let written = self.try_write(data);
        match &written {
            Ok(_) => self.is_full.store(false, Ordering::Relaxed),
            Err(error) if !self.is_full.swap(true, Ordering::Relaxed) => (self.report)(error),
            Err(_) => {}
        }
        written
    }

    fn try_write(self: &Arc<Self>, data: &[u8]) -> Result<Region> {
        let bytes = data.len() as u64;
        let start = self.parts.lock().take(bytes, self.limit);
        let full = || {
            let (used, limit) = (self.used_bytes(), self.limit);
            Error::OutOfMemory(format!(
                "{used} bytes are on disk, {bytes} more do not fit into the {limit} allowed"
            ))
        };
        let region = Region { spill: self.clone(), start: start.ok_or_else(full)?, bytes };
        let wrong = |error| Error::runtime(format!("a value cannot be written to disk: {error}"));
        self.file.write_all_at(data, region.start).map_err(wrong)?;
        Ok(region)
    }
}

impl Region {
    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        self.bytes as usize
    }

    /// Reads what was written.
    pub fn read(&self, into: &mut [u8]) -> Result<()> {
        let wrong =
            |error| Error::runtime(format!("a value cannot be read back from disk: {error}"));
        self.spill.file.read_exact_at(into, self.start).map_err(wrong)
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        let mut parts = self.spill.parts.lock();
        let end = parts.end;
        parts.give_back(self.start, self.bytes);
        if parts.end < end {
            // The disk has it back; if that fails, the next value is written there.
            let _ = self.spill.file.set_len(parts.end);
        }
    }
}

impl Parts {
    /// Where so many bytes are free.
    fn take(&mut self, bytes: u64, limit: u64) -> Option<u64> {
        let fits = |(_, free): &(&u64, &u64)| **free >= bytes;
        let found = self.free.iter().find(fits).map(|(&start, &free)| (start, free));
        let start = match found {
            Some((start, free)) => {
                self.free.remove(&start);
                if free > bytes {
                    self.free.insert(start + bytes, free - bytes);
                }
                start
            }
            None => {
                let end = self.end.checked_add(bytes).filter(|end| *end <= limit)?;
                std::mem::replace(&mut self.end, end)
            }
        };
        self.used += bytes;
        Some(start)
    }

    fn give_back(&mut self, mut start: u64, mut bytes: u64) {
        self.used -= bytes;
        if let Some((&before, &free)) = self.free.range(..start).next_back()
            && before + free == start
        {
            self.free.remove(&before);
            (start, bytes) = (before, bytes + free);
        }
        if let Some(free) = self.free.remove(&(start + bytes)) {
            bytes += free;
        }
        if start + bytes == self.end {
            self.end = start;
        } else if bytes > 0 {
            self.free.insert(start, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> std::path::PathBuf {
        std::env::temp_dir().join(format!("gt-spill-test-{}", std::process::id()))
    }

    #[test]
    fn what_is_written_is_read_and_the_file_has_no_name() {
        let spill = Spill::open(&folder(), 1 << 20, |_| {}).expect("a file");
        assert_eq!(fs::read_dir(folder()).expect("a folder").count(), 0);
        let region = spill.write(&[1, 2, 3]).expect("there is room");
        let other = spill.write(&[4, 5]).expect("there is room");
        let mut found = [0; 3];
        region.read(&mut found).expect("it was written");
        assert_eq!((found, spill.used_bytes()), ([1, 2, 3], 5));
        drop((region, other));
        let length = spill.file.metadata().expect("a file").len();
        assert_eq!((spill.used_bytes(), length), (0, 0));
        fs::remove_dir(folder()).expect("it is empty");
    }

    #[test]
    fn a_full_disk_is_reported_once_until_there_is_room_again() {
        let folder = folder().with_extension("full");
        let reports = Arc::new(Mutex::new(Vec::new()));
        let told = reports.clone();
        let report = move |error: &Error| told.lock().push(error.to_string());
        let spill = Spill::open(&folder, 8, report).expect("a file");
        let region = spill.write(&[1; 8]).expect("there is room");
        (0..3).for_each(|_| assert!(spill.write(&[2; 5]).is_err()));
        assert_eq!(reports.lock().len(), 1);
        assert!(reports.lock()[0].contains("8 bytes are on disk, 5 more do not fit into the 8"));
        drop(region);
        let region = spill.write(&[3; 4]).expect("there is room");
        assert!(spill.write(&[4; 5]).is_err());
        assert_eq!(reports.lock().len(), 2);
        drop(region);
        fs::remove_dir(folder).expect("it is empty");
    }

    #[test]
    fn parts_are_used_again_and_there_is_an_end_to_them() {
        let (mut parts, limit) = (Parts::default(), 100);
        let starts: Vec<_> = (0..11).map(|_| parts.take(10, limit)).collect();
        assert_eq!(starts[9..], [Some(90), None]);
        parts.give_back(20, 10);
        parts.give_back(40, 10);
        assert_eq!(parts.take(20, limit), None, "neither of the two is large enough");
        parts.give_back(30, 10);
        assert_eq!(parts.take(25, limit), Some(20), "the three are one");
        assert_eq!((parts.take(5, limit), parts.used), (Some(45), 100));
        [0, 10, 50, 60, 70, 80, 90].into_iter().for_each(|start| parts.give_back(start, 10));
        parts.give_back(20, 25);
        parts.give_back(45, 5);
        assert_eq!((parts.used, parts.end, parts.free.len()), (0, 0, 0));
    }
}
