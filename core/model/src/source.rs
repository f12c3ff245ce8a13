//! `ModelBuffer`: owns the bytes of a model (a file, read or mapped, a vector, the caller's memory), verified once.
//!
//! Unsafe code: the memory map, and the borrow of the owner that is kept with the owner.

use crate::error::ModelError;
use crate::model::Model;
use crate::schema;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

type Owner = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// A verified model together with its bytes. Cloning it shares them.
#[derive(Clone)]
pub struct ModelBuffer {
    /// What `owner` gave on its first and only `as_ref`.
    bytes: NonNull<[u8]>,
    /// Position of the verified root in `bytes`.
    root: usize,
    /// Keeps `bytes` alive.
    _owner: Owner,
    /// The owner, if it is a mapped file.
    map: Option<Arc<memmap2::Mmap>>,
    /// See [`ModelBuffer::origin`].
    origin: [u64; 4],
}

// SAFETY: the bytes are only read, and their owner is Send and Sync.
unsafe impl Send for ModelBuffer {}
// SAFETY: the bytes are only read, and their owner is Send and Sync.
unsafe impl Sync for ModelBuffer {}

impl ModelBuffer {
    /// Reads a file into memory and verifies it. What happens to the file afterwards changes nothing.
    ///
    /// # Errors
    /// [`ModelError::Io`] for what cannot be read (absent, a directory, empty, cut short meanwhile, larger than memory); otherwise as
    /// [`Model::new`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let read = open(path).and_then(|file| read_part(&file, None));
        Self::from_read(read, path.to_path_buf())
    }

    /// Reads `length` bytes of an open file from `offset` on and verifies them: a model inside another file, such as an archive, or one
    /// of which there is a descriptor and no path. The file's position stays where it is on Unix.
    ///
    /// # Errors
    /// [`ModelError::Io`] for what cannot be read (no regular file, no bytes, a part beyond the file's end, with both numbers);
    /// otherwise as [`Model::new`].
    pub fn from_file_part(file: &File, offset: u64, length: u64) -> Result<Self, ModelError> {
        Self::from_read(read_part(file, Some((offset, length))), part_name(offset, length))
    }

    fn from_read(read: io::Result<(FileCopy, [u64; 4])>, file: PathBuf) -> Result<Self, ModelError> {
        let (bytes, origin) = read.map_err(|error| io_error(file, &error))?;
        Ok(ModelBuffer { origin, ..Self::from_owner(Arc::new(bytes))? })
    }

    /// Maps a file, read-only, and verifies it: no copy is made, the pages are shared with other processes, and those of packed weights
    /// leave memory again ([`release`](Self::release)).
    ///
    /// # Errors
    /// As [`from_file`](Self::from_file).
    ///
    /// # Safety
    /// Until the last clone of this value is dropped, the file is neither written to nor cut short; replacing it by renaming another
    /// over it is fine. Otherwise what was verified is no longer true, and reading beyond a new end raises SIGBUS.
    pub unsafe fn map_file(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        // SAFETY: the file stays as it is, as this function requires.
        let mapped = open(path).and_then(|file| unsafe { map(&file, None) });
        Self::from_map(mapped, path.to_path_buf())
    }

    /// Maps a part of an open file, which may be closed then: [`map_file`](Self::map_file) for what
    /// [`from_file_part`](Self::from_file_part) reads.
    ///
    /// # Errors
    /// As [`from_file_part`](Self::from_file_part).
    ///
    /// # Safety
    /// As [`map_file`](Self::map_file).
    pub unsafe fn map_file_part(file: &File, offset: u64, length: u64) -> Result<Self, ModelError> {
        // SAFETY: the file stays as it is, as this function requires.
        Self::from_map(unsafe { map(file, Some((offset, length))) }, part_name(offset, length))
    }

    fn from_map(mapped: io::Result<(memmap2::Mmap, [u64; 4])>, file: PathBuf) -> Result<Self, ModelError> {
        let (map, origin) = mapped.map_err(|error| io_error(file, &error))?;
        let map = Arc::new(map);
        Ok(ModelBuffer { map: Some(Arc::clone(&map)), origin, ..Self::from_owner(map)? })
    }

    /// Takes over bytes and verifies them.
    ///
    /// # Errors
    /// As [`Model::new`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        Self::from_owner(Arc::new(bytes))
    }

    /// Verifies bytes that live as long as the program.
    ///
    /// # Errors
    /// As [`Model::new`].
    pub fn from_static(bytes: &'static [u8]) -> Result<Self, ModelError> {
        Self::from_owner(Arc::new(bytes))
    }

    /// Verifies memory of the caller, which is released with the last clone of this value.
    ///
    /// # Errors
    /// As [`Model::new`].
    pub fn from_owner(owner: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Result<Self, ModelError> {
        let bytes: &[u8] = (*owner).as_ref();
        let root = Model::new(bytes)?.0.position();
        let bytes = NonNull::from(bytes);
        Ok(ModelBuffer { bytes, root, _owner: owner, map: None, origin: [0; 4] })
    }

    /// The model, without verifying again.
    pub fn model(&self) -> Model<'_> {
        Model(schema::root_at(self.bytes(), self.root))
    }

    /// Four numbers that hint at which file the bytes came from: device, inode, size (and offset, of a part), and the times at which data and inode
    /// last changed, in nanoseconds, as one number. Files with other contents can have the same numbers. Zeros for bytes that came
    /// from no file, and where the system does not tell.
    pub fn origin(&self) -> [u64; 4] {
        self.origin
    }

    /// Lets the system take the pages of `bytes`, a part of a mapped file, out of memory: for constants of which somebody has a
    /// copy in another form. They, and what else lies on these pages, stay readable, and come back from the file when they are read.
    /// Nothing happens to other bytes.
    pub fn release(&self, bytes: &[u8]) {
        #[cfg(unix)]
        {
            let Some(map) = &self.map else { return };
            let (from, start) = (map.as_ptr() as usize, bytes.as_ptr() as usize);
            if start < from || start + bytes.len() > from + map.len() {
                return;
            }
            // What the system brings along when it reads a page: at least a page of every size in use.
            const AROUND: usize = 1 << 16;
            // Fewer bytes are hardly worth the call; their pages go with those of larger neighbours.
            const WORTH: usize = 1 << 12;
            let first = (start / AROUND * AROUND).max(from) - from;
            let end = (start + bytes.len()).next_multiple_of(AROUND).min(from + map.len()) - from;
            if bytes.len() >= WORTH {
                // SAFETY: the map is read-only and never written, so its pages are the file's: dropping them loses nothing.
                let result = unsafe {
                    map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, first, end - first)
                };
                // Advice that is not taken changes nothing.
                drop(result);
            }
        }
        #[cfg(not(unix))]
        let _ = bytes;
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `as_ref` lent these bytes for as long as the owner is borrowed. The owner lies in an Arc that
        // this value holds: it neither moves nor is lent mutably nor dropped before this value is.
        unsafe { self.bytes.as_ref() }
    }
}

impl std::fmt::Debug for ModelBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ModelBuffer({} bytes)", self.bytes.len())
    }
}

#[cfg(unix)]
fn origin(file: &std::fs::Metadata, offset: u64, length: u64) -> [u64; 4] {
    use std::os::unix::fs::MetadataExt;
    let nanoseconds = |s: i64, ns: i64| s.wrapping_mul(1_000_000_000).wrapping_add(ns) as u64;
    let data = nanoseconds(file.mtime(), file.mtime_nsec());
    let inode = nanoseconds(file.ctime(), file.ctime_nsec());
    [file.dev(), file.ino(), length.wrapping_add(offset.rotate_left(32)), data ^ inode.rotate_left(32)]
}

#[cfg(not(unix))]
fn origin(_: &std::fs::Metadata, _: u64, _: u64) -> [u64; 4] {
    [0; 4]
}

fn expect_file(kind: &std::fs::Metadata) -> io::Result<()> {
    match (kind.is_file(), kind.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory, not a model file")),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "is not a regular file")),
    }
}

fn part_name(offset: u64, length: u64) -> PathBuf {
    format!("the file's {length} bytes from {offset} on").into()
}

fn io_error(file: PathBuf, error: &io::Error) -> ModelError {
    ModelError::Io { file, kind: error.kind(), message: error.to_string() }
}

fn open(path: &Path) -> io::Result<File> {
    // Asked before opening: opening a named pipe would wait for a writer.
    expect_file(&std::fs::metadata(path)?)?;
    File::open(path)
}

/// Offset and length of a file, or of a part of it; and its origin.
fn extent(file: &File, part: Option<(u64, u64)>) -> io::Result<(u64, usize, [u64; 4])> {
    let kind = file.metadata()?;
    expect_file(&kind)?;
    if kind.len() == 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "is empty"));
    }
    let (offset, length) = part.unwrap_or((0, kind.len()));
    if offset.checked_add(length).is_none_or(|end| end > kind.len()) {
        let message = format!("end beyond the file, which has {} bytes", kind.len());
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
    }
    let bytes = usize::try_from(length).ok().filter(|&length| length > 0);
    let bytes =
        bytes.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "cannot be read into memory"))?;
    Ok((offset, bytes, origin(&kind, offset, length)))
}

/// # Safety
/// As [`ModelBuffer::map_file`].
unsafe fn map(file: &File, part: Option<(u64, u64)>) -> io::Result<(memmap2::Mmap, [u64; 4])> {
    let (offset, length, origin) = extent(file, part)?;
    let mut options = memmap2::MmapOptions::new();
    options.offset(offset).len(length);
    // SAFETY: the map is private and read-only; the file stays as it is, as this function requires.
    Ok((unsafe { options.map_copy_read_only(file) }?, origin))
}

/// A file's bytes in memory that belongs to this process alone.
struct FileCopy {
    memory: memmap2::Mmap,
    /// Where the bytes begin, at a boundary of huge pages if there are enough.
    start: usize,
    length: usize,
}

impl AsRef<[u8]> for FileCopy {
    fn as_ref(&self) -> &[u8] {
        self.memory.get(self.start..).and_then(|bytes| bytes.get(..self.length)).unwrap_or_default()
    }
}

fn read_part(file: &File, part: Option<(u64, u64)>) -> io::Result<(FileCopy, [u64; 4])> {
    let (offset, length, origin) = extent(file, part)?;
    let mut first = [0; 64];
    let first = &mut first[..length.min(64)];
    fill(file, offset, first)?;
    // What is no model is refused by its first bytes, however long it is.
    let length = if first.get(4..8) == Some(b"TFL3") { length } else { first.len() };
    let spare = if length < HUGE_PAGE { 0 } else { HUGE_PAGE };
    let mut memory = memmap2::MmapMut::map_anon(length.saturating_add(spare))?;
    let start = if spare == 0 { 0 } else { memory.as_ptr().align_offset(HUGE_PAGE) };
    #[cfg(target_os = "linux")]
    if spare > 0 {
        // One page fault per 2 MiB instead of 512. The advice leaves out the last part of a page, which would take 2 MiB all the same.
        // The copy is right without it, so a refusal changes nothing.
        let _ = memory.advise_range(memmap2::Advice::HugePage, start, length / HUGE_PAGE * HUGE_PAGE);
    }
    let to = memory.get_mut(start..).and_then(|rest| rest.get_mut(..length)).unwrap_or_default();
    fill(file, offset, to)?;
    let memory = memory.make_read_only()?;
    Ok((FileCopy { memory, start, length }, origin))
}

/// Bytes of a huge page on x86-64, and on aarch64 with pages of 4 KiB.
const HUGE_PAGE: usize = 2 << 20;
/// Bytes below which one thread reads them all.
const READ_ALONE: usize = 16 << 20;
/// Most threads that read one file: the copy is bound by memory.
const READERS: usize = 4;

/// Reads as many bytes as `to` has, from `offset` on; large files in parts, by several threads.
#[cfg(unix)]
fn fill(file: &File, offset: u64, to: &mut [u8]) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(READERS);
    if threads == 1 || to.len() < READ_ALONE {
        return file.read_exact_at(to, offset);
    }
    let each = to.len().div_ceil(threads).next_multiple_of(PAGE);
    let read = |(i, part): (usize, &mut [u8])| file.read_exact_at(part, offset + (i * each) as u64);
    let parts = std::sync::Mutex::new(to.chunks_mut(each).enumerate());
    let next = || parts.lock().map_or(None, |mut parts| parts.next());
    let work = || std::iter::from_fn(next).try_for_each(read);
    std::thread::scope(|scope| {
        // Where the system gives no thread, the others read its part.
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let readers: Vec<_> = (1..threads).filter_map(start).collect();
        let failed = || io::Error::other("a thread that reads the file panicked");
        let own = work();
        readers
            .into_iter()
            .fold(own, |done, reader| done.and(reader.join().unwrap_or_else(|_| Err(failed()))))
    })
}

#[cfg(not(unix))]
fn fill(mut file: &File, offset: u64, to: &mut [u8]) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(to)
}

/// Parts begin at multiples of it.
#[cfg(unix)]
const PAGE: usize = 4096;
