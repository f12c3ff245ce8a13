//! Files next to a model.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Larger files are refused. The largest vocabularies in use take a tenth of this.
const MOST_BYTES: u64 = 256 << 20;

/// Names of tokenizers. The model's name without its extension, and a dot or a dash, may precede them.
const TOKENIZERS: [&str; 4] = ["tokenizer.json", "tokenizer.model", "spiece.model", "tokenizer.spiece"];

/// The tokenizer of a model: a file in its folder whose name begins with the model's, such as
/// `MODEL.tokenizer.json`, otherwise one named `tokenizer.json` or `tokenizer.model`.
pub fn find_tokenizer(model: &Path) -> Option<PathBuf> {
    let stem = model.file_stem()?.to_string_lossy();
    let prefixes = [format!("{stem}."), format!("{stem}-"), String::new()];
    let names = prefixes.iter().flat_map(|prefix| TOKENIZERS.map(|name| format!("{prefix}{name}")));
    names.map(|name| model.with_file_name(name)).find(|path| path.is_file())
}

/// The prefix of a tokenizer's files, such as `MODEL.`.
pub(crate) fn prefix(tokenizer: &Path) -> String {
    let name = tokenizer.file_name().unwrap_or_default().to_string_lossy();
    TOKENIZERS.iter().find_map(|usual| name.strip_suffix(usual)).unwrap_or_default().to_owned()
}

/// Reads a regular file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let failed = |text: String| Error::File(format!("{}: {text}", path.display()));
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    let facts = file.metadata().map_err(|error| failed(error.to_string()))?;
    if !facts.is_file() {
        return Err(failed("not a regular file".into()));
    }
    if facts.len() > MOST_BYTES {
        return Err(failed(format!("it has {} bytes, at most {MOST_BYTES} are read", facts.len())));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
    Ok(bytes)
}

/// Reads a file of text.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    String::from_utf8(read(path)?).map_err(|_| Error::File(format!("{}: not UTF-8", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_with_the_models_name_comes_first() {
        let folder = tempfile::tempdir().expect("there is room");
        let model = folder.path().join("a.b.tflite");
        assert_eq!(find_tokenizer(&model), None);
        for name in ["spiece.model", "tokenizer.json", "a.b-tokenizer.model", "a.b.tokenizer.json"] {
            let path = folder.path().join(name);
            std::fs::write(&path, "{}").expect("there is room");
            assert_eq!(find_tokenizer(&model), Some(path), "{name}");
        }
        assert_eq!(prefix(Path::new("x/a.b.tokenizer.json")), "a.b.");
        assert_eq!(prefix(Path::new("tokenizer.model")), "");
        assert_eq!(prefix(Path::new("other.json")), "");
    }

    #[test]
    fn folders_and_missing_files_are_errors() {
        let folder = tempfile::tempdir().expect("there is room");
        let message = |path: &Path| read(path).expect_err("it cannot be read").to_string();
        assert!(message(folder.path()).ends_with("not a regular file"));
        assert!(message(&folder.path().join("none")).contains("No such file"));
    }
}
