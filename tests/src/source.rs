//! The files of cases, in folders and zips.

use std::fmt;
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zip::ZipArchive;

use arenite::Model;

/// The file that marks a folder as a case.
pub const CASE_FILE: &str = "case.json";

/// The files of one case.
#[derive(Clone)]
pub enum Source {
    /// A folder.
    Folder(PathBuf),
    /// A folder in a zip that is held in memory.
    Zip {
        /// The archive; clones share it.
        archive: ZipArchive<Cursor<Arc<[u8]>>>,
        /// The case's folder with a final `/`, or empty.
        prefix: String,
    },
}

impl Source {
    /// The bytes of the file with this path, relative to the case's folder.
    ///
    /// # Errors
    /// The file is missing or cannot be read.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        match self {
            Source::Folder(folder) => fs::read(folder.join(name)).map_err(|e| format!("{name}: {e}")),
            Source::Zip { archive, prefix } => {
                let mut archive = archive.clone();
                let path = format!("{prefix}{name}");
                let mut file = archive.by_name(&path).map_err(|e| format!("{path}: {e}"))?;
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes).map_err(|e| format!("{path}: {e}"))?;
                Ok(bytes)
            }
        }
    }

    /// The model in the file with this path.
    ///
    /// # Errors
    /// The file is missing or not a valid model.
    pub fn model(&self, name: &str) -> Result<Model, String> {
        let model = match self {
            Source::Folder(folder) => Model::from_file(folder.join(name)),
            Source::Zip { .. } => Model::from_bytes(self.read(name)?),
        };
        model.map_err(|e| e.to_string())
    }
}

/// All cases under a path: a case folder, a zip of cases, or a folder of either, sorted by name.
///
/// # Errors
/// If a path cannot be read, or contains no case.
pub fn find(path: &Path) -> Result<Vec<Source>, String> {
    let explain = |e: std::io::Error| format!("{}: {e}", path.display());
    let found = if fs::metadata(path).map_err(explain)?.is_file() {
        in_zip(path)?
    } else if path.join(CASE_FILE).is_file() {
        vec![Source::Folder(path.to_owned())]
    } else {
        let mut children = Vec::new();
        for entry in fs::read_dir(path).map_err(explain)? {
            children.push(entry.map_err(explain)?.path());
        }
        children.sort();
        let mut found = Vec::new();
        for child in children {
            if child.join(CASE_FILE).is_file() {
                found.push(Source::Folder(child));
            } else if child.extension().is_some_and(|e| e == "zip") {
                found.extend(in_zip(&child)?);
            }
        }
        found
    };
    if found.is_empty() {
        return Err(format!(
            "{}: no case found: no {CASE_FILE}, and no folders or zips that contain one",
            path.display()
        ));
    }
    Ok(found)
}

fn in_zip(path: &Path) -> Result<Vec<Source>, String> {
    let bytes: Arc<[u8]> = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?.into();
    let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut prefixes = Vec::new();
    for name in archive.file_names() {
        let name = name.map_err(|e| format!("{}: {e}", path.display()))?;
        match name.strip_suffix(CASE_FILE) {
            Some(prefix) if prefix.is_empty() || prefix.ends_with('/') => prefixes.push(prefix.to_owned()),
            _ => {}
        }
    }
    prefixes.sort();
    Ok(prefixes.into_iter().map(|prefix| Source::Zip { archive: archive.clone(), prefix }).collect())
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Folder(folder) => write!(f, "{}", folder.display()),
            Source::Zip { prefix, .. } => f.write_str(prefix.trim_end_matches('/')),
        }
    }
}
