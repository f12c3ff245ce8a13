//! Opens and reads files that a user names, without blocking and up to a size limit.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file, or a pipe inherited by this process: `/dev/stdin`, `/dev/fd/N`, a shell's `<(command)`.
///
/// Never blocks: an ordinary `open` of a named pipe without a writer would wait forever.
///
/// # Errors
/// The file cannot be opened, or is a directory, a named pipe, a socket or a device.
pub fn open(path: &Path) -> io::Result<File> {
    let inherited = is_inherited(path);
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    if !inherited {
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    match refusal(&file.metadata()?.file_type(), inherited) {
        None => Ok(file),
        Some(reason) => Err(io::Error::new(io::ErrorKind::InvalidInput, reason)),
    }
}

/// Whether the path names a descriptor that this process already has open.
fn is_inherited(path: &Path) -> bool {
    let number = |folder: &str| {
        let rest = path.to_str().and_then(|path| path.strip_prefix(folder));
        rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    path == Path::new("/dev/stdin") || number("/dev/fd/") || number("/proc/self/fd/")
}

#[cfg(unix)]
fn refusal(kind: &std::fs::FileType, inherited: bool) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt;

    if kind.is_file() || (inherited && (kind.is_fifo() || kind.is_socket())) {
        None
    } else if kind.is_dir() {
        Some("is a directory, not a file")
    } else if kind.is_fifo() {
        Some("is a named pipe, which may never get a writer; redirect it and give /dev/stdin")
    } else {
        Some("is a device or a socket, not a regular file")
    }
}

#[cfg(not(unix))]
fn refusal(kind: &std::fs::FileType, _: bool) -> Option<&'static str> {
    (!kind.is_file()).then_some("is not a regular file")
}

/// Reads a whole file of at most `limit` bytes.
///
/// # Errors
/// The file cannot be read or is longer.
pub fn read_all(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let reason = format!("is larger than the limit of {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    Ok(bytes)
}

/// Reads the text file at `path`, of at most `limit` bytes.
///
/// # Errors
/// As for [`open`] and [`read_all`], or the bytes are not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(read_all(open(path)?, limit)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("is not UTF-8 text: byte {at} is invalid"))
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_named_pipe_is_rejected_without_blocking() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let error = open(&pipe).unwrap_err();
        assert!(error.to_string().starts_with("is a named pipe"), "{error}");
        let around = format!("/dev/fd/../../..{}", pipe.display());
        let error = open(Path::new(&around)).unwrap_err();
        assert!(error.to_string().starts_with("is a named pipe"), "{error}");
        let error = open(folder.path()).unwrap_err();
        assert!(error.to_string().starts_with("is a directory"), "{error}");
        let error = open(Path::new("/dev/zero")).unwrap_err();
        assert!(error.to_string().starts_with("is a device"), "{error}");
    }

    #[test]
    fn reading_ends_at_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("five");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read_all(open(&path).unwrap(), 5).unwrap(), b"12345");
        let error = read_all(open(&path).unwrap(), 4).unwrap_err();
        assert_eq!(error.to_string(), "is larger than the limit of 4 bytes");
        std::fs::write(&path, b"ab\xff").unwrap();
        let error = read_text(&path, 9).unwrap_err();
        assert_eq!(error.to_string(), "is not UTF-8 text: byte 2 is invalid");
    }
}
