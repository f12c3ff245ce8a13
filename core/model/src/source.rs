//! `Source`: bytes that a model consists of, from a file (read or mapped), a vector, or memory of the caller.
//!
//! Unsafe code: the memory map, and the borrow of the owner that is stored next to the owner.

use crate::error::ModelError;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;

type Owner = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The bytes of a model, or of another file with its constants. Cloning shares them.
#[derive(Clone)]
pub struct Source {
    /// The result of the first and only call of `owner.as_ref()`.
    bytes: NonNull<[u8]>,
    /// Keeps `bytes` alive.
    _owner: Owner,
    /// The owner again, if it is a mapped file.
    map: Option<Arc<memmap2::Mmap>>,
    /// The value of [`Source::origin`].
    origin: [u64; 4],
    /// The file, if it was named by its path.
    path: Option<Arc<Path>>,
}

// SAFETY: `bytes` is only read, and the owner that keeps it alive is `Send + Sync`.
unsafe impl Send for Source {}
// SAFETY: `bytes` is only read, and the owner that keeps it alive is `Send + Sync`.
unsafe impl Sync for Source {}

impl Source {
    /// Reads a file into memory. Later changes to the file have no effect.
    ///
    /// # Errors
    /// [`ModelError::Io`] if the file cannot be read: it is absent, a directory, empty, truncated while it is read, or
    /// larger than memory.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        Self::read(path.as_ref(), Contents::Any)
    }

    /// As [`from_file`](Self::from_file), for a file that must be a model. Of any other, only the first bytes are read.
    pub(crate) fn of_model(path: &Path) -> Result<Self, ModelError> {
        Self::read(path, Contents::Model)
    }

    fn read(path: &Path, contents: Contents) -> Result<Self, ModelError> {
        let read = open(path).and_then(|file| read_part(&file, None, contents));
        let (bytes, origin) = read.map_err(|error| io_error(path.to_path_buf(), &error))?;
        Ok(Source { origin, path: Some(path.into()), ..Self::from_owner(Arc::new(bytes)) })
    }

    /// Reads `length` bytes at `offset` of an open file, for a part of another file, such as an archive, or a file
    /// known only by its descriptor. On Unix the position of the file does not change.
    ///
    /// # Errors
    /// [`ModelError::Io`] if the part cannot be read (not a regular file, no bytes, or a part beyond the end of the
    /// file, with both numbers).
    pub fn from_file_part(file: &File, offset: u64, length: u64) -> Result<Self, ModelError> {
        Self::read_part(file, offset, length, Contents::Any)
    }

    /// As [`from_file_part`](Self::from_file_part), for a part that must be a model.
    pub(crate) fn of_model_part(file: &File, offset: u64, length: u64) -> Result<Self, ModelError> {
        Self::read_part(file, offset, length, Contents::Model)
    }

    fn read_part(file: &File, offset: u64, length: u64, contents: Contents) -> Result<Self, ModelError> {
        let read = read_part(file, Some((offset, length)), contents);
        let (bytes, origin) = read.map_err(|error| io_error(part_name(offset, length), &error))?;
        Ok(Source { origin, ..Self::from_owner(Arc::new(bytes)) })
    }

    /// Maps a file read-only. Nothing is copied, the pages are shared with other processes, and the pages of packed
    /// weights can be released again ([`release`](Self::release)).
    ///
    /// # Errors
    /// As for [`from_file`](Self::from_file).
    ///
    /// # Safety
    /// Until the last clone of this value and of the sources that [`next_to`](Self::next_to) returns is dropped, the
    /// files must be neither written to nor truncated; renaming another file over one is fine. Otherwise the
    /// verification of a model no longer holds, and reading beyond a new end raises SIGBUS. Safe code reads files
    /// instead:
    ///
    /// ```compile_fail,E0133
    /// let source = arenite_model::Source::map_file("model.tflite");
    /// ```
    pub unsafe fn map_file(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        // SAFETY: the caller of this function guarantees that the file does not change while the map exists.
        let mapped = open(path).and_then(|file| unsafe { map(&file, None) });
        Ok(Source { path: Some(path.into()), ..Self::from_map(mapped, path.to_path_buf())? })
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
        Ok(Source { map: Some(Arc::clone(&map)), origin, ..Self::from_owner(map) })
    }

    /// Takes ownership of bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self::from_owner(Arc::new(bytes))
    }

    /// Static bytes.
    pub fn from_static(bytes: &'static [u8]) -> Self {
        Self::from_owner(Arc::new(bytes))
    }

    /// Memory of the caller. The owner is released with the last clone of this value.
    pub fn from_owner(owner: Arc<dyn AsRef<[u8]> + Send + Sync>) -> Self {
        let bytes = NonNull::from((*owner).as_ref());
        Source { bytes, _owner: owner, map: None, origin: [0; 4], path: None }
    }

    /// The file with this name, next to this file, read or mapped like it. The name must not lead to another folder,
    /// and neither must the file if it is a link.
    ///
    /// # Errors
    /// [`ModelError::Group`] if this source was not named by its path, or the name or the link leads out of the folder;
    /// otherwise as for [`from_file`](Self::from_file).
    pub fn next_to(&self, name: &str) -> Result<Self, ModelError> {
        let path = self.path_next_to(name)?;
        match &self.map {
            // SAFETY: this source is mapped, so the caller of `map_file` also guarantees that files next to it do not
            // change.
            Some(_) => unsafe { Self::map_file(path) },
            None => Self::from_file(path),
        }
    }

    /// The path of the file that [`next_to`](Self::next_to) opens, without links.
    ///
    /// # Errors
    /// As for [`next_to`](Self::next_to); [`ModelError::Io`] if there is no such file.
    pub fn path_next_to(&self, name: &str) -> Result<PathBuf, ModelError> {
        let Some(path) = &self.path else {
            return Err(ModelError::group(
                name,
                "has constants, and the model was not loaded from a path: give the file's bytes with the model's",
            ));
        };
        let mut parts = Path::new(name).components();
        let is_plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
            && !name.contains(['/', '\\', ':', '\0']);
        if !is_plain {
            return Err(ModelError::group(
                name,
                "must be in the model's folder: its name has no separators and is not . or ..",
            ));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let resolve = |path: &Path| {
            let failed = |error: io::Error| {
                let message = format!("has constants of the model: {error}");
                ModelError::Io { file: path.to_path_buf(), kind: error.kind(), message }
            };
            path.canonicalize().map_err(failed)
        };
        let (folder, file) = (resolve(folder)?, resolve(&folder.join(name))?);
        match file.parent() == Some(&folder) {
            true => Ok(file),
            false => {
                Err(ModelError::group(name, "is a link to another folder: give the file's bytes instead"))
            }
        }
    }

    /// Whether it is a mapped file.
    pub fn is_mapped(&self) -> bool {
        self.map.is_some()
    }

    /// Four numbers that identify the file: device, inode, size (and offset, for a part), and the times of the
    /// last change of data and inode in nanoseconds, combined into one number. Files with different contents may have
    /// the same numbers. All are zero for bytes that are not from a file, and if the system does not report them.
    pub fn origin(&self) -> [u64; 4] {
        self.origin
    }

    /// Lets the system evict the pages of `bytes`, a part of this source, from memory if it is a mapped file, for
    /// constants of which a copy in another format exists. These bytes, and others on the same pages, stay readable and
    /// are loaded from the file again when they are read. Does nothing for other bytes.
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

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `as_ref` returned these bytes, which are valid as long as the owner is borrowed. The owner is in an
        // `Arc` stored in this value, so it is neither moved, nor borrowed mutably, nor dropped before this value is.
        unsafe { self.bytes.as_ref() }
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Source({} bytes)", self.bytes.len())
    }
}

/// Whether a file must be a model.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contents {
    Any,
    /// A file that is not a model is rejected by its first bytes, however long it is.
    Model,
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
/// As for [`Source::map_file`].
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

fn read_part(file: &File, part: Option<(u64, u64)>, contents: Contents) -> io::Result<(FileCopy, [u64; 4])> {
    let (offset, length, origin) = extent(file, part)?;
    let mut first = [0; 64];
    let first = &mut first[..length.min(64)];
    fill(file, offset, first)?;
    let is_other = contents == Contents::Model && first.get(4..8) != Some(b"TFL3");
    let length = if is_other { first.len() } else { length };
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
