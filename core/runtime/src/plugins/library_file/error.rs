//! Why a file is not loaded as a plugin library.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a file is not loaded as a plugin library.
#[derive(Debug)]
#[non_exhaustive]
pub enum LibraryFileError {
    /// The file does not exist.
    NotFound {
        /// The library.
        path: PathBuf,
    },
    /// The file or its folder cannot be read.
    Unreadable {
        /// The library or its folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The path leads to something that is not a regular file.
    NotRegular {
        /// The library.
        path: PathBuf,
        /// The kind of file, such as a folder.
        found: &'static str,
    },
    /// Other users may write to the file.
    WritableFile {
        /// The library.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// Other users may put another file in its place, or add one: they may write to a folder above it.
    WritableFolder {
        /// The library.
        path: PathBuf,
        /// The folder, above the library or above a link to it.
        folder: PathBuf,
        /// The folder's permission bits.
        mode: u32,
    },
    /// The file or a folder above it is owned by a user other than root and the caller.
    ForeignOwner {
        /// The library.
        path: PathBuf,
        /// The file or the folder.
        entry: PathBuf,
        /// The owner's user ID.
        owner: u32,
        /// The caller's user ID.
        caller: u32,
    },
    /// The file does not start with the ELF magic number.
    NotElf {
        /// The library.
        path: PathBuf,
        /// The first four bytes; a shorter file is padded with zeros.
        magic: [u8; 4],
    },
    /// The library was built for another kind of machine.
    WrongMachine {
        /// The library.
        path: PathBuf,
        /// The header's field.
        field: &'static str,
        /// This program's value of the field.
        expected: u16,
        /// The library's value of the field.
        found: u16,
    },
    /// An ELF file that is not a shared library (`e_type` is not `ET_DYN`, 3).
    NotShared {
        /// The library.
        path: PathBuf,
        /// Its `e_type`.
        found: u16,
    },
    /// A header field has a value that no linker writes.
    Malformed {
        /// The library.
        path: PathBuf,
        /// The field.
        field: &'static str,
        /// Its value.
        found: u64,
        /// The expected value.
        expected: &'static str,
    },
    /// The file ends before something that its header announces.
    Truncated {
        /// The library.
        path: PathBuf,
        /// The part that does not fit.
        what: String,
        /// Bytes that the file would need.
        needed: u64,
        /// Bytes that it has.
        actual: u64,
    },
}

impl LibraryFileError {
    /// Writes the text of an error about permissions.
    fn fmt_rights(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use LibraryFileError::*;
        match self {
            WritableFile { path, mode } => {
                write!(f, "{}: other users may write to this file (mode {mode:04o}); ", path.display())?;
                f.write_str("take the right away (`chmod go-w`) to load it")
            }
            WritableFolder { path, folder, mode } => {
                write!(f, "{}: other users may write to the folder {} ", path.display(), folder.display())?;
                write!(
                    f,
                    "(mode {mode:04o}) and so put another plugin there; take the right away (`chmod go-w`), "
                )?;
                f.write_str("or move the plugin to a folder of your own")
            }
            ForeignOwner { path, entry, owner, caller } => {
                write!(f, "{}: {} is owned by user {owner}; ", path.display(), entry.display())?;
                write!(
                    f,
                    "only what root or user {caller}, who loads it, owns is loaded: copy it, or change its owner"
                )
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for LibraryFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use LibraryFileError::*;
        match self {
            NotFound { path } => write!(f, "{}: the file does not exist", path.display()),
            Unreadable { path, source } => write!(f, "{}: cannot be read: {source}", path.display()),
            NotRegular { path, found } => {
                write!(f, "{}: a plugin must be a regular file, this is {found}", path.display())
            }
            WritableFile { .. } | WritableFolder { .. } | ForeignOwner { .. } => self.fmt_rights(f),
            NotElf { path, magic } => {
                write!(f, "{}: not an ELF library: begins with {magic:02x?}, ", path.display())?;
                f.write_str("expected [7f, 45, 4c, 46]")
            }
            WrongMachine { path, field, expected, found } => {
                write!(f, "{}: built for another machine: ", path.display())?;
                write!(f, "{field} is {found}, this program has {expected}")
            }
            NotShared { path, found } => {
                write!(f, "{}: not a shared library: e_type is {found}, expected 3", path.display())
            }
            Malformed { path, field, found, expected } => {
                write!(f, "{}: damaged: {field} is {found}, expected {expected}", path.display())
            }
            Truncated { path, what, needed, actual } => {
                write!(f, "{}: cut short: {what} needs {needed} bytes, ", path.display())?;
                write!(f, "the file has {actual} bytes")
            }
        }
    }
}

impl std::error::Error for LibraryFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            LibraryFileError::Unreadable { source, .. } => Some(source),
            _ => None,
        }
    }
}
