//! Files that are replaced as a whole.

use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Replaces the file `path` atomically: a reader sees either the old contents or the new.
///
/// The contents are written to a temporary file in the same folder, which is then renamed.
///
/// # Errors
/// I/O errors, and any error from `write`. The temporary file is removed.
pub fn replace(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let (beside, file) = create_beside(path)?;
    let written = (|| {
        let mut file = BufWriter::new(file);
        write(&mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()?;
        std::fs::rename(&beside, path)
    })();
    if written.is_err() {
        drop(std::fs::remove_file(&beside));
    }
    written
}

/// Creates a file next to `path` that only this user can read. Its name is random and the file must not exist, so no
/// link at that name is followed and no other thread writes to it.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let number = RandomState::new().build_hasher().finish();
    let beside = path.with_extension(format!("{number:016x}.part"));
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&beside)?;
    Ok((beside, file))
}
