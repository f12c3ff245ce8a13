//! Programs and sizes of work-groups that stay from one start to the next, each in a file of its own.
//!
//! ```text
//! magic, bytes of the key, key, bytes of the content, content, check of all before      64-bit words, little-endian; XXH3
//! ```
//! The key names driver, device and text; its hash is the file's name. What is no such file counts as none, and it is said why: a link, a
//! file of another user or one that others may change, a damaged one, one with another key. Files are replaced as a whole.

use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use arenite_abi::host::{self, LogLevel};
use arenite_layers::replace;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

const MAGIC: &[u8; 8] = b"arengpu1";
/// Bytes of the largest file that is read.
const MOST: u64 = 1 << 28;

/// A folder of such files.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// In this folder.
    pub fn new(folder: &Path) -> Self {
        Cache { folder: folder.to_owned() }
    }

    fn path(&self, kind: &str, key: &str) -> PathBuf {
        self.folder.join(format!("{:032x}.arenite-{kind}", xxh3_128(key.as_bytes())))
    }

    /// The content of the file of this kind and key, if there is one.
    pub fn load(&self, kind: &str, key: &str) -> Option<Vec<u8>> {
        let path = self.path(kind, key);
        let found = read(&path).and_then(|bytes| bytes.map(|bytes| content(&bytes, key)).transpose());
        found.unwrap_or_else(|error| {
            warn(&path, "is ignored", &error);
            None
        })
    }

    /// Replaces the file of this kind and key. It is said if that does not go well.
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

/// The bytes of a file that nobody else can have changed; `None` if there is none.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let about = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        about => about?,
    };
    // Asked before opening: opening a named pipe would wait for a writer.
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

/// What was opened is what was looked at, of this user, under one name, and nobody else may write to it.
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

/// What a file with this key has.
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

/// A length, so many bytes, and what is behind them.
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
    fn what_was_saved_is_loaded_by_its_key_alone() {
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
            std::fs::read_dir(folder.path()).expect("it is there").count(),
            1,
            "nothing is left beside"
        );
    }

    /// Each file is ignored for a reason of its own, and replaced by the next that is saved.
    #[test]
    fn damaged_foreign_and_linked_files_are_ignored() {
        let reason = |spoil: &dyn Fn(&Cache, &Path)| {
            let folder = folder();
            let cache = Cache::new(folder.path());
            cache.save("program", "key", b"content");
            let path = cache.path("program", "key");
            spoil(&cache, &path);
            assert_eq!(cache.load("program", "key"), None);
            let found = read(&path).and_then(|bytes| content(&bytes.expect("it is there"), "key"));
            cache.save("program", "key", b"again");
            assert_eq!(cache.load("program", "key").as_deref(), Some(&b"again"[..]));
            found.expect_err("it is ignored").to_string()
        };
        let edit = |path: &Path, f: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = std::fs::read(path).expect("it is there");
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
    fn a_folder_that_is_not_there_is_no_failure() {
        let cache = Cache::new(Path::new("/proc/none"));
        cache.save("program", "key", b"content");
        assert_eq!(cache.load("program", "key"), None);
    }
}
