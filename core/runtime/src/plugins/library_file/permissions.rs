//! Checks that only root and the caller can change a plugin library, as sshd requires for its keys.
//!
//! The file and every folder above it must be owned by root or the caller, and no other user may write to them. In a
//! sticky folder such as `/tmp`, only the owner of an entry can rename or remove it. So a sticky folder above the
//! file's own folder may be writable for all, if the entry that leads to the file is owned by root or the caller. The
//! file's own folder may be sticky only if the file was named explicitly and is the caller's: any user can add a file
//! there, and a search would find it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{LibraryFileError, LibrarySource};

const WRITABLE_BY_OTHERS: u32 = 0o022;
const STICKY: u32 = 0o1000;
const ROOT: u32 = 0;

/// `path` is the path as given, `canonical` the one without links: both lead to the file, so both must be safe.
pub(super) fn check(
    path: &Path,
    canonical: &Path,
    file: &Metadata,
    found: LibrarySource,
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
fn folders(path: &Path, entry: &Path, found: LibrarySource, caller: u32) -> Result<(), LibraryFileError> {
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
            0 => found == LibrarySource::Named && owner == caller,
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
