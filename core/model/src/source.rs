//! `ModelBuffer`: owns the bytes of a verified model, which may be a file (read or mapped), a vector, or memory of the
//! caller.
//!
//! Unsafe code: the memory map, and the borrow of the owner that is stored next to the owner.

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
    /// The result of the first and only call of `owner.as_ref()`.
    bytes: NonNull<[u8]>,
    /// Position of the verified root table in `bytes`.
    root: usize,
    /// Keeps `bytes` alive.
    _owner: Owner,
    /// The owner again, if it is a mapped file.
    map: Option<Arc<memmap2::Mmap>>,
    /// The value of [`ModelBuffer::origin`].
    origin: [u64; 4],
}

// SAFETY: `bytes` is only read, and the owner that keeps it alive is `Send + Sync`.
unsafe impl Send for ModelBuffer {}
// SAFETY: `bytes` is only read, and the owner that keeps it alive is `Send + Sync`.
unsafe impl Sync for ModelBuffer {}

impl ModelBuffer {
    /// Reads a file into memory and verifies it. Later changes to the file have no effect.
    ///
    /// # Errors
    /// [`ModelError::Io`] if the file cannot be read (it is absent, a directory, empty, truncated while it is read, or
    /// larger than memory); otherwise as for [`Model::new`].
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        let read = open(path).and_then(|file| read_part(&file, None));
        Self::from_read(read, path.to_path_buf())
    }

    /// Reads `length` bytes at `offset` of an open file and verifies them, for a model inside another file, such as an
    /// archive, or one known only by its descriptor. On Unix the position of the file does not change.
    ///
    /// # Errors
    /// [`ModelError::Io`] if the part cannot be read (not a regular file, no bytes, or a part beyond the end of the
    /// file, with both numbers); otherwise as for [`Model::new`].
    pub fn from_file_part(file: &File, offset: u64, length: u64) -> Result<Self, ModelError> {
        Self::from_read(read_part(file, Some((offset, length))), part_name(offset, length))
    }

    fn from_read(read: io::Result<(FileCopy, [u64; 4])>, file: PathBuf) -> Result<Self, ModelError> {
        let (bytes, origin) = read.map_err(|error| io_error(file, &error))?;
        Ok(ModelBuffer { origin, ..Self::from_owner(Arc::new(bytes))? })
    }

    /// Maps a file read-only and verifies it. Nothing is copied, the pages are shared with other processes, and the
    /// pages of packed weights can be released again ([`release`](Self::release)).
    ///
    /// # Errors
    /// As for [`from_file`](Self::from_file).
    ///
    /// # Safety
    /// Until the last clone of this value is dropped, the file must be neither written to nor truncated; renaming
    /// another file over it is fine. Otherwise the verification no longer holds, and reading beyond a new end raises
    /// SIGBUS. Safe code reads files instead:
    ///
    /// ```compile_fail,E0133
    /// let model = arenite_model::ModelBuffer::map_file("model.tflite");
    /// ```
    pub unsafe fn map_file(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        // SAFETY: the caller of this function guarantees that the file does not change while the map exists.
        let mapped = open(path).and_then(|file| unsafe { map(&file, None) });
        Self::from_map(mapped, path.to_path_buf())
    }

    /// Maps a part of an open file, which may then be closed. Like [`map_file`](Self::map_file), with the range of
    /// [`from_file_part`](Self::from_file_part).
    ///
    /// # Errors
    /// As for [`from_file_part`](Self::from_file_part).
    ///
    /// # Safety
    /// As for [`map_file`](Self::map_file).
    pub unsafe fn map_file_part(file: &File, offset: u64, length: u64) -> Result<Self, ModelError> {
        // SAFETY: the caller of this function guarantees that the file does not change while the map exists.
        Self::from_map(unsafe { map(file, Some((offset, length))) }, part_name(offset, length))
    }

    fn from_map(mapped: io::Result<(memmap2::Mmap, [u64; 4])>, file: PathBuf) -> Result<Self, ModelError> {
        let (map, origin) = mapped.map_err(|error| io_error(file, &error))?;
        let map = Arc::new(map);
        Ok(ModelBuffer { map: Some(Arc::clone(&map)), origin, ..Self::from_owner(map)? })
    }

    /// Takes ownership of bytes and verifies them.
    ///
    /// # Errors
    /// As for [`Model::new`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        Self::from_owner(Arc::new(bytes))
    }

    /// Verifies static bytes.
    ///
    /// # Errors
    /// As for [`Model::new`].
    pub fn from_static(bytes: &'static [u8]) -> Result<Self, ModelError> {
        Self::from_owner(Arc::new(bytes))
    }

    /// Verifies memory of the caller. The owner is released with the last clone of this value.
    ///
    /// # Errors
    /// As for [`Model::new`].
    pub fn from_owner(owner: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Result<Self, ModelError> {
        let bytes: &[u8] = (*owner).as_ref();
        let root = Model::new(bytes)?.0.position();
        let bytes = NonNull::from(bytes);
        Ok(ModelBuffer { bytes, root, _owner: owner, map: None, origin: [0; 4] })
    }

    /// The model. It is not verified again.
    pub fn model(&self) -> Model<'_> {
        Model(schema::root_at(self.bytes(), self.root))
    }

    /// Four numbers that identify the source file: device, inode, size (and offset, for a part), and the times of the
    /// last change of data and inode in nanoseconds, combined into one number. Files with different contents may have
    /// the same numbers. All are zero for bytes that are not from a file, and if the system does not report them.
    pub fn origin(&self) -> [u64; 4] {
        self.origin
    }

    /// Lets the system evict the pages of `bytes`, a part of a mapped file, from memory, for constants of which a copy
    /// in another format exists. These bytes, and others on the same pages, stay readable and are loaded from the file
    /// again when they are read. Does nothing for bytes that are not mapped.
    pub fn release(&self, bytes: &[u8]) {
        #[cfg(unix)]
        {
            let Some(map) = &self.map else { return };
            let (from, start) = (map.as_ptr() as usize, bytes.as_ptr() as usize);
            if start < from || start + bytes.len() > from + map.len() {
                return;
            }
            // The readahead around a page, which is at least one page of any size in use.
            const AROUND: usize = 1 << 16;
            // Smaller ranges are hardly worth a call; their pages are released together with larger neighbours.
            const WORTH: usize = 1 << 12;
            let first = (start / AROUND * AROUND).max(from) - from;
            let end = (start + bytes.len()).next_multiple_of(AROUND).min(from + map.len()) - from;
            if bytes.len() >= WORTH {
                // SAFETY: the map is read-only and never written, so its pages equal the file's contents, and dropping
                // them loses nothing.
                let result = unsafe {
                    map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, first, end - first)
                };
                // A failure only means that the pages stay in memory.
                drop(result);
            }
        }
        #[cfg(not(unix))]
        let _ = bytes;
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `as_ref` returned these bytes, which are valid as long as the owner is borrowed. The owner is in an
        // `Arc` stored in this value, so it is neither moved, nor borrowed mutably, nor dropped before this value is.
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
    format!("the {length} bytes at offset {offset} of the file").into()
}

fn io_error(file: PathBuf, error: &io::Error) -> ModelError {
    ModelError::Io { file, kind: error.kind(), message: error.to_string() }
}

fn open(path: &Path) -> io::Result<File> {
    // Checked before opening, because opening a named pipe would wait for a writer.
    expect_file(&std::fs::metadata(path)?)?;
    File::open(path)
}

/// Offset and length of a file or of a part of it, and its origin.
fn extent(file: &File, part: Option<(u64, u64)>) -> io::Result<(u64, usize, [u64; 4])> {
    let kind = file.metadata()?;
    expect_file(&kind)?;
    if kind.len() == 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "is empty"));
    }
    let (offset, length) = part.unwrap_or((0, kind.len()));
    if offset.checked_add(length).is_none_or(|end| end > kind.len()) {
        let message = format!("exceed the file of {} bytes", kind.len());
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
    }
    let bytes = usize::try_from(length).ok().filter(|&length| length > 0);
    let bytes =
        bytes.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "cannot be read into memory"))?;
    Ok((offset, bytes, origin(&kind, offset, length)))
}

/// # Safety
/// As for [`ModelBuffer::map_file`].
unsafe fn map(file: &File, part: Option<(u64, u64)>) -> io::Result<(memmap2::Mmap, [u64; 4])> {
    let (offset, length, origin) = extent(file, part)?;
    let mut options = memmap2::MmapOptions::new();
    options.offset(offset).len(length);
    // SAFETY: the map is private and read-only, and the caller guarantees that the file does not change while the map
    // exists.
    Ok((unsafe { options.map_copy_read_only(file) }?, origin))
}

/// A copy of a file in private memory.
struct FileCopy {
    memory: memmap2::Mmap,
    /// Offset of the first byte, aligned to huge pages if the file is large enough.
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
    // A file that is not a model is rejected by its first bytes, however long it is.
    let length = if first.get(4..8) == Some(b"TFL3") { length } else { first.len() };
    let spare = if length < HUGE_PAGE { 0 } else { HUGE_PAGE };
    let mut memory = memmap2::MmapMut::map_anon(length.saturating_add(spare))?;
    let start = if spare == 0 { 0 } else { memory.as_ptr().align_offset(HUGE_PAGE) };
    #[cfg(target_os = "linux")]
    if spare > 0 {
        // One page fault per 2 MiB instead of 512. The advice excludes the last partial huge page, which would occupy 2
        // MiB as well. A failure has no effect on the copy.
        let _ = memory.advise_range(memmap2::Advice::HugePage, start, length / HUGE_PAGE * HUGE_PAGE);
    }
    let to = memory.get_mut(start..).and_then(|rest| rest.get_mut(..length)).unwrap_or_default();
    fill(file, offset, to)?;
    let memory = memory.make_read_only()?;
    Ok((FileCopy { memory, start, length }, origin))
}

/// Size of a huge page on x86-64, and on aarch64 with pages of 4 KiB.
const HUGE_PAGE: usize = 2 << 20;
/// Smaller files are read by a single thread.
const READ_ALONE: usize = 16 << 20;
/// Maximum number of threads that read one file. The copy is limited by memory bandwidth.
const READERS: usize = 4;

/// Fills `to` from the file at `offset`. Several threads read parts of a large file.
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
        // If the system cannot start a thread, the other threads read its part.
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

/// Parts start at multiples of this.
#[cfg(unix)]
const PAGE: usize = 4096;
