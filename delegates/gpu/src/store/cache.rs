//! Files that keep compiled programs and tuned work-group sizes between processes.
//!
//! ```text
//! magic, bytes of the key, key, bytes of the content, content, checksum      64-bit words, little-endian; XXH3
//! ```
//! The key names driver, device and text; its hash is the file's name. A file is ignored, and the reason is logged, if
//! it is a link, belongs to another user, is writable by others, is damaged, or has another key. Files are replaced
//! atomically.

use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use arenite_abi::host::{self, LogLevel};
use arenite_base::files::replace;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

const MAGIC: &[u8; 8] = b"arengpu1";
/// The size limit of a file in bytes.
const MOST: u64 = 1 << 28;

/// A folder of cache files.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Opens a folder.
    pub fn new(folder: &Path) -> Self {
        Cache { folder: folder.to_owned() }
    }

    fn path(&self, kind: &str, key: &str) -> PathBuf {
        self.folder.join(format!("{:032x}.arenite-{kind}", xxh3_128(key.as_bytes())))
    }

    /// The content of the file with this kind and key.
    pub fn load(&self, kind: &str, key: &str) -> Option<Vec<u8>> {
        let path = self.path(kind, key);
        let found = read(&path).and_then(|bytes| bytes.map(|bytes| content(&bytes, key)).transpose());
        found.unwrap_or_else(|error| {
            warn(&path, "is ignored", &error);
            None
        })
    }

    /// Replaces the file with this kind and key. A failure is logged.
    pub fn save(&self, kind: &str, key: &str, content: &[u8]) {
        let path = self.path(kind, key);
        let mut bytes = MAGIC.to_vec();
        for part in [key.as_bytes(), content] {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        }
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        if let Err(error) = replace(&path, |file| file.write_all(&bytes)) {
            warn(&path, "was not written", &error);
        }
    }
}

fn warn(path: &Path, what: &str, error: &io::Error) {
    let message = format!("cache {} {what}: {error}", path.display());
    host::log(LogLevel::Warn, "arenite_gpu", &message);
}

fn wrong<T>(why: &str) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::InvalidData, why))
}

/// The bytes of a file that no other user can have changed; `None` if it does not exist.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let about = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        about => about?,
    };
    // Checked before opening: opening a named pipe would wait for a writer.
    if !about.is_file() {
        return wrong("it is a link, or no regular file");
    }
    let file = File::open(path)?;
    check_owner(&about, &file.metadata()?)?;
    if about.len() > MOST {
        return wrong("it is too large");
    }
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// An error unless the open file is the checked one, belongs to this user, has one name, and is not writable by others.
#[cfg(unix)]
fn check_owner(looked_at: &Metadata, opened: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    if (looked_at.dev(), looked_at.ino()) != (opened.dev(), opened.ino()) {
        return wrong("it was exchanged while it was opened");
    }
    if opened.nlink() != 1 {
        return wrong("it has other names");
    }
    if opened.mode() & 0o022 != 0 {
        return wrong("others may write to it");
    }
    match std::fs::metadata("/proc/self") {
        Ok(own) if own.uid() != opened.uid() => wrong("it belongs to another user"),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn check_owner(_: &Metadata, _: &Metadata) -> io::Result<()> {
    Ok(())
}

/// The content of a file, if it is intact and has this key.
fn content(bytes: &[u8], key: &str) -> io::Result<Vec<u8>> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
    let (body, check) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
    if xxh3_64(body).to_le_bytes() != *check {
        return Err(damaged());
    }
    let rest = body.strip_prefix(MAGIC).ok_or_else(damaged)?;
    let (found, rest) = part(rest).ok_or_else(damaged)?;
    let (content, rest) = part(rest).ok_or_else(damaged)?;
    match (found == key.as_bytes(), rest.is_empty()) {
        (true, true) => Ok(content.to_vec()),
        (true, false) => Err(damaged()),
        (false, _) => wrong("it is another driver's, device's or kernel's"),
    }
}

/// Splits off a length-prefixed byte string.
fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    #[test]
    fn files_are_loaded_by_their_key() {
        let folder = folder();
        let cache = Cache::new(folder.path());
        assert_eq!(cache.load("program", "key"), None);
        for content in [&b"first"[..], b"", b"third"] {
            cache.save("program", "key", content);
            assert_eq!(cache.load("program", "key").as_deref(), Some(content));
        }
        assert_eq!(cache.load("program", "other"), None);
        assert_eq!(cache.load("sizes", "key"), None);
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("the file exists").count(),
            1,
            "no temporary file remains"
        );
    }

    /// Unusable files are ignored, and replaced by the next save.
    #[test]
    fn damaged_foreign_and_linked_files_are_ignored() {
        let reason = |spoil: &dyn Fn(&Cache, &Path)| {
            let folder = folder();
            let cache = Cache::new(folder.path());
            cache.save("program", "key", b"content");
            let path = cache.path("program", "key");
            spoil(&cache, &path);
            assert_eq!(cache.load("program", "key"), None);
            let found = read(&path).and_then(|bytes| content(&bytes.expect("the file exists"), "key"));
            cache.save("program", "key", b"again");
            assert_eq!(cache.load("program", "key").as_deref(), Some(&b"again"[..]));
            found.expect_err("it is ignored").to_string()
        };
        let edit = |path: &Path, f: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = std::fs::read(path).expect("the file exists");
            f(&mut bytes);
            std::fs::write(path, bytes).expect("it is written");
        };
        assert_eq!(reason(&|_, path| edit(path, &|bytes| bytes[20] ^= 1)), "it is damaged");
        assert_eq!(reason(&|_, path| edit(path, &|bytes| bytes.truncate(9))), "it is damaged");
        assert_eq!(reason(&|_, path| edit(path, &Vec::clear)), "it is damaged");
        assert_eq!(
            reason(&|cache, path| {
                cache.save("program", "other", b"x");
                std::fs::rename(cache.path("program", "other"), path).expect("it is renamed");
            }),
            "it is another driver's, device's or kernel's"
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let beside = |path: &Path| path.with_extension("elsewhere");
            assert_eq!(
                reason(&|_, path| {
                    std::fs::rename(path, beside(path)).expect("it is renamed");
                    std::os::unix::fs::symlink(beside(path), path).expect("a link");
                }),
                "it is a link, or no regular file"
            );
            assert_eq!(
                reason(&|_, path| std::fs::hard_link(path, beside(path)).expect("a link")),
                "it has other names"
            );
            assert_eq!(
                reason(&|_, path| {
                    let everyone = std::fs::Permissions::from_mode(0o666);
                    std::fs::set_permissions(path, everyone).expect("it is ours");
                }),
                "others may write to it"
            );
        }
    }

    #[test]
    fn a_missing_folder_is_not_an_error() {
        let cache = Cache::new(Path::new("/proc/none"));
        cache.save("program", "key", b"content");
        assert_eq!(cache.load("program", "key"), None);
    }
}
