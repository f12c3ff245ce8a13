//! The keys of an `arenite.toml` and their lines.

use std::path::{Path, PathBuf};

use arenite::config::MAX_FILE_BYTES;
use arenite_common::file;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::answer::{Failure, Result};

/// A file and its entries, sorted by line.
pub(crate) struct ConfigFile {
    pub path: PathBuf,
    pub entries: Vec<Entry>,
}

/// A key with a value that is not a table.
pub(crate) struct Entry {
    /// The whole key, such as `delegate[0].use`.
    pub key: String,
    /// The value as it is written.
    pub value: String,
    /// Line, from 1.
    pub line: usize,
}

impl ConfigFile {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read or is not TOML.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let fail = |error: &dyn std::fmt::Display| Failure::with(path.display(), error);
        let text = file::read_text(path, MAX_FILE_BYTES).map_err(|error| fail(&error))?;
        let tree = DeTable::parse(&text).map_err(|error| fail(&error))?;
        let mut entries = Vec::new();
        collect(&text, "", tree.get_ref(), &mut entries);
        entries.sort_by_key(|entry| entry.line);
        Ok(ConfigFile { path: path.to_owned(), entries })
    }

    /// `FILE:LINE` of the entry `use` of a planner or delegate of this name.
    pub(crate) fn place_of(&self, table: &str, name: &str) -> Option<String> {
        let is_it = |entry: &&Entry| {
            entry.key.starts_with(table)
                && entry.key.ends_with(".use")
                && entry.value.trim_matches(['"', '\'']) == name
        };
        let line = self.entries.iter().find(is_it)?.line;
        Some(format!("{}:{line}", self.path.display()))
    }
}

/// Adds the entries of a table. The depth is limited by the parser.
fn collect(text: &str, prefix: &str, table: &DeTable<'_>, entries: &mut Vec<Entry>) {
    for (key, value) in table {
        let name = key.get_ref();
        let key_path = if prefix.is_empty() { name.to_string() } else { format!("{prefix}.{name}") };
        collect_value(text, key_path, key.span().start, value, entries);
    }
}

fn collect_value(text: &str, key: String, at: usize, value: &Spanned<DeValue<'_>>, entries: &mut Vec<Entry>) {
    match value.get_ref() {
        DeValue::Table(inner) => collect(text, &key, inner, entries),
        DeValue::Array(items) if items.iter().any(|item| matches!(item.get_ref(), DeValue::Table(_))) => {
            for (i, item) in items.iter().enumerate() {
                collect_value(text, format!("{key}[{i}]"), at, item, entries);
            }
        }
        _ => {
            let line = 1 + text.bytes().take(at).filter(|&byte| byte == b'\n').count();
            let value = text.get(value.span()).unwrap_or_default().split_whitespace();
            entries.push(Entry { key, value: value.collect::<Vec<_>>().join(" "), line });
        }
    }
}
