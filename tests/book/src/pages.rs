//! The pages of README and the book.

use std::path::Path;

/// README and the book, as paths relative to `root`.
///
/// # Panics
/// If `docs` cannot be listed.
pub fn pages(root: &Path) -> Vec<String> {
    let docs = std::fs::read_dir(root.join("docs")).expect("the book's folder");
    let names = docs.map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned());
    let mut found: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    found.push("README.md".to_owned());
    found.sort();
    found
}
