//! Checks a plugin library before `dlopen`: who may write to it, and whether it is complete.
//!
//! `dlopen` maps the segments of a file without checking the file's length; access to a page beyond its end kills the
//! process (SIGBUS). So the extent of every loadable segment is checked first. On systems whose libraries are not ELF,
//! only the file itself is checked.
//!
//! The file can still change between the check and `dlopen`, but only root or the caller can do that: see
//! `permissions`.
//!
//! Format: System V gABI, chapters 4 (ELF header) and 5 (program header); `elf(5)`.

#![forbid(unsafe_code)]

#[cfg(all(unix, not(target_vendor = "apple")))]
mod elf;
mod error;
#[cfg(unix)]
mod permissions;

pub use error::LibraryFileError;

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Identifies a file: two paths have the same value exactly if they lead to the same file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
    #[cfg(not(unix))]
    canonical: PathBuf,
}

/// How a library came to be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibrarySource {
    /// The caller named this file.
    Named,
    /// It was in a folder that was searched.
    Searched,
}

/// A library that may be loaded.
#[derive(Debug)]
pub struct CheckedLibrary {
    /// The identity of the file.
    pub identity: FileIdentity,
    /// The open file.
    pub file: File,
    /// Names of the libraries that it is linked to; empty on systems whose libraries are not ELF.
    pub needed: Vec<String>,
}

/// Checks that a plugin library may be loaded. Follows symbolic links.
///
/// # Errors
/// A [`LibraryFileError`], each with the path: not found, unreadable, not a regular file; the file or a folder above it
/// is owned by another user than root and the caller, or others may write to it (sticky folders: see `permissions`);
/// and on ELF systems: not ELF, for another machine, not a shared library, damaged, or cut short.
pub fn check(path: &Path, found: LibrarySource) -> Result<CheckedLibrary, LibraryFileError> {
    let unreadable = |source| LibraryFileError::Unreadable { path: path.to_owned(), source };
    // Checked before opening, because opening a named pipe would wait for a writer.
    regular(path, &std::fs::metadata(path).map_err(|error| not_found_or(path, error))?)?;
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    regular(path, &metadata)?;
    let canonical = path.canonicalize().map_err(unreadable)?;
    #[cfg(unix)]
    permissions::check(path, &canonical, &metadata, found)?;
    #[cfg(not(unix))]
    let _ = found;
    #[cfg(all(unix, not(target_vendor = "apple")))]
    let needed = elf::check(path, &file, metadata.len())?;
    #[cfg(not(all(unix, not(target_vendor = "apple"))))]
    let needed = Vec::new();
    Ok(CheckedLibrary { identity: identity(&metadata, canonical), file, needed })
}

#[cfg(unix)]
fn identity(metadata: &Metadata, _canonical: PathBuf) -> FileIdentity {
    use std::os::unix::fs::MetadataExt;
    FileIdentity { device_and_inode: (metadata.dev(), metadata.ino()) }
}

#[cfg(not(unix))]
fn identity(_metadata: &Metadata, canonical: PathBuf) -> FileIdentity {
    FileIdentity { canonical }
}

fn not_found_or(path: &Path, source: io::Error) -> LibraryFileError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::NotFound => LibraryFileError::NotFound { path },
        _ => LibraryFileError::Unreadable { path, source },
    }
}

fn regular(path: &Path, metadata: &Metadata) -> Result<(), LibraryFileError> {
    if metadata.is_file() {
        return Ok(());
    }
    let found = if metadata.is_dir() { "a folder" } else { "a device, a pipe or a socket" };
    Err(LibraryFileError::NotRegular { path: path.to_owned(), found })
}

#[cfg(test)]
mod tests;
