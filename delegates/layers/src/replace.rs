//! Files that are replaced as a whole.

use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Writes a file beside `path` and puts it in its place, so that readers see the old or the new one, whole.
///
/// # Errors
/// Those of the system, and of `write`; nothing is left beside then.
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

/// A new file beside `path`, for this user alone, whose name nobody can foresee: so nobody has put a link there, and no other thread
/// writes to it.
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
