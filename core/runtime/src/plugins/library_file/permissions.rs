//! Who can change a plugin library: root and the caller alone, as sshd demands of its keys.
//!
//! The file and every folder above it are owned by root or the caller, and nobody else may write to them. In a sticky folder, such as
//! `/tmp`, only its owner can rename or remove an entry: so one above the file's own folder may be writable for all, if the entry that
//! leads to the file is owned by root or the caller. The file's own folder may be sticky only for a named file of the caller's: anybody
//! can add a file there, which a search would find.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{Found, LibraryFileError};

const WRITABLE_BY_OTHERS: u32 = 0o022;
const STICKY: u32 = 0o1000;
const ROOT: u32 = 0;

/// `path` is the path as given, `canonical` the one without links: both lead to the file, so both must be safe.
pub(super) fn check(
    path: &Path,
    canonical: &Path,
    file: &Metadata,
    found: Found,
) -> Result<(), LibraryFileError> {
    let caller = rustix::process::geteuid().as_raw();
    owned(path, path, file, caller)?;
    if file.mode() & WRITABLE_BY_OTHERS != 0 {
        return Err(LibraryFileError::WritableFile { path: path.to_owned(), mode: file.mode() & 0o7777 });
    }
    let unreadable = |source| LibraryFileError::Unreadable { path: path.to_owned(), source };
    let given = std::path::absolute(path).map_err(unreadable)?;
    folders(path, &given, found, caller)?;
    folders(path, canonical, found, caller)
}

/// The folders above `entry`, an absolute path to the file.
fn folders(path: &Path, entry: &Path, found: Found, caller: u32) -> Result<(), LibraryFileError> {
    let chain: Vec<&Path> = entry.ancestors().collect();
    for (depth, pair) in chain.windows(2).enumerate() {
        let &[entry, folder] = pair else { continue };
        let unreadable = |source| LibraryFileError::Unreadable { path: folder.to_owned(), source };
        let metadata = std::fs::metadata(folder).map_err(unreadable)?;
        owned(path, folder, &metadata, caller)?;
        let mode = metadata.mode();
        if mode & WRITABLE_BY_OTHERS == 0 {
            continue;
        }
        let owner = std::fs::symlink_metadata(entry).map_err(unreadable)?.uid();
        let stays = match depth {
            0 => found == Found::Named && owner == caller,
            _ => owner == caller || owner == ROOT,
        };
        if mode & STICKY == 0 || !stays {
            let (path, folder) = (path.to_owned(), folder.to_owned());
            return Err(LibraryFileError::WritableFolder { path, folder, mode: mode & 0o7777 });
        }
    }
    Ok(())
}

fn owned(path: &Path, entry: &Path, metadata: &Metadata, caller: u32) -> Result<(), LibraryFileError> {
    match metadata.uid() {
        owner if owner == caller || owner == ROOT => Ok(()),
        owner => {
            let (path, entry) = (path.to_owned(), entry.to_owned());
            Err(LibraryFileError::ForeignOwner { path, entry, owner, caller })
        }
    }
}
