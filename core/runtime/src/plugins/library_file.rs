//! Checks on a plugin library before `dlopen` sees it: who may write it, and whether it is all there.
//!
//! `dlopen` maps the segments of a file without asking whether the file reaches that far; touching a page
//! beyond its end kills the process (SIGBUS). So the extent of every loadable segment is checked first.
//! On systems whose libraries are not ELF, only the checks on the file itself are made.
//!
//! The file can still change between the check and `dlopen`. That only a trusted user can change it is what
//! the checks on permissions are for.
//!
//! Format: System V gABI, chapters 4 (ELF header) and 5 (program header); `elf(5)`.

#![forbid(unsafe_code)]

#[cfg(all(unix, not(target_vendor = "apple")))]
mod elf;
mod error;

pub use error::LibraryFileError;

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The same for two paths exactly if they lead to the same file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
    #[cfg(not(unix))]
    canonical: PathBuf,
}

/// Checks that a plugin library may be loaded, and says which file it is. Follows symbolic links.
///
/// # Errors
/// A [`LibraryFileError`], each with the path: not found, unreadable, not a regular file; the file, its
/// folder or the folder of a link to it is writable by everyone (a sticky folder such as `/tmp` is allowed);
/// and on ELF systems: not ELF, for another machine, not a shared library, damaged, or cut short.
pub fn check(path: &Path) -> Result<FileIdentity, LibraryFileError> {
    let unreadable = |source| LibraryFileError::Unreadable { path: path.to_owned(), source };
    // Asked before opening: opening a named pipe would wait for a writer.
    regular(path, &std::fs::metadata(path).map_err(|error| not_found_or(path, error))?)?;
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    regular(path, &metadata)?;
    let canonical = path.canonicalize().map_err(unreadable)?;
    #[cfg(unix)]
    permissions::check(path, &canonical, &metadata)?;
    #[cfg(all(unix, not(target_vendor = "apple")))]
    elf::check(path, &file, metadata.len())?;
    Ok(identity(&metadata, canonical))
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

#[cfg(unix)]
mod permissions {
    use super::LibraryFileError;
    use std::fs::Metadata;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    const WRITABLE_BY_OTHERS: u32 = 0o002;
    const STICKY: u32 = 0o1000;

    /// `path` is the path as given, `canonical` the one without links: who may write the folder of either
    /// may put another file there.
    pub(super) fn check(path: &Path, canonical: &Path, file: &Metadata) -> Result<(), LibraryFileError> {
        let mode = file.permissions().mode();
        if mode & WRITABLE_BY_OTHERS != 0 {
            return Err(LibraryFileError::WorldWritableFile { path: path.to_owned(), mode: mode & 0o7777 });
        }
        folder_of(path, path)?;
        folder_of(path, canonical)
    }

    fn folder_of(path: &Path, entry: &Path) -> Result<(), LibraryFileError> {
        let folder = match entry.parent() {
            Some(folder) if folder.as_os_str().is_empty() => Path::new("."),
            Some(folder) => folder,
            None => return Ok(()),
        };
        let unreadable = |source| LibraryFileError::Unreadable { path: folder.to_owned(), source };
        let mode = std::fs::metadata(folder).map_err(unreadable)?.permissions().mode();
        if mode & WRITABLE_BY_OTHERS != 0 && mode & STICKY == 0 {
            let (path, folder) = (path.to_owned(), folder.to_owned());
            return Err(LibraryFileError::WorldWritableFolder { path, folder, mode: mode & 0o7777 });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
