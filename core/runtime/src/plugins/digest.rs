//! Checks libraries against the digests in `[plugins] sha256`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use sha2::{Digest as _, Sha256};

/// The SHA-256 of a file, in 64 lower-case hexadecimal digits.
pub(crate) fn of(mut file: &File) -> io::Result<String> {
    file.rewind()?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            n => hash.update(&buffer[..n]),
        }
    }
}

/// Compares the digest of an open library with its entry in the list. An entry names a library by path or by file name.
///
/// # Errors
/// The list has no entry for the library, or lists another digest; the message shows both.
pub(crate) fn check(list: &BTreeMap<String, String>, path: &Path, file: &File) -> Result<(), String> {
    let found = of(file).map_err(|error| format!("its SHA-256 cannot be computed: {error}"))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let wanted = list.iter().find(|(key, _)| Path::new(key) == path).or_else(|| list.get_key_value(&*name));
    match wanted {
        Some((_, wanted)) if wanted.eq_ignore_ascii_case(&found) => Ok(()),
        Some((_, wanted)) => Err(format!(
            "its SHA-256 is {found}, but [plugins] sha256 has {wanted}; the file is damaged or another version"
        )),
        None => Err(format!(
            "[plugins] sha256 does not list it; if it is to be loaded, add \"{name}\" = \"{found}\""
        )),
    }
}
