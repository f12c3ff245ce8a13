//! The files of the repository.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use crate::{items, scan};

/// A text file.
pub struct Text {
    /// The path relative to the root, with slashes.
    pub path: String,
    pub text: String,
}

/// A Rust file.
pub struct Source {
    pub path: String,
    pub text: String,
    /// The code without comments and strings; see [`scan::code`].
    pub code: String,
    /// `code` without tests; empty if the whole file is a test module.
    pub library: String,
}

/// Folders that builds and experiments leave in the tree. They are never in a tarball, but may be next to one.
const LEFT_OUT: &[&str] = &[".git", "target", "venv", "corpus", "artifacts"];

/// Inputs of fuzz targets. They are data, even if they happen to be text.
const DATA: &str = "tests/fuzz/seeds/";

/// Paths of the existing files that git tracks; without git, of all files.
pub fn list(root: &Path) -> Vec<String> {
    let mut files = tracked(root).unwrap_or_else(|| {
        println!("{} is not a git work tree: all files are checked", root.display());
        let mut found = Vec::new();
        walk(root, "", &mut found);
        found
    });
    files.sort();
    files
}

/// The files that are text (UTF-8 without a zero byte) and outside `DATA`.
pub fn texts(root: &Path, files: &[String]) -> Vec<Text> {
    let read = |path: &String| {
        let text = String::from_utf8(std::fs::read(root.join(path)).ok()?).ok()?;
        (!text.contains('\0')).then(|| Text { path: path.clone(), text })
    };
    files.iter().filter(|path| !path.starts_with(DATA)).filter_map(read).collect()
}

/// The Rust files among `texts`, with their code. If a file's module is declared with `#[cfg(test)]`, the whole file
/// and those below it are tests.
pub fn sources(texts: &[Text]) -> Vec<Source> {
    let mut sources: Vec<Source> = (texts.iter().filter(|text| text.path.ends_with(".rs")))
        .map(|text| {
            let code = scan::code(&text.text);
            let library = items::without_tests(&code);
            Source { path: text.path.clone(), text: text.text.clone(), code, library }
        })
        .collect();
    let modules: HashSet<String> = sources.iter().flat_map(test_modules).collect();
    for source in &mut sources {
        let stem = source.path.strip_suffix(".rs").unwrap_or_default();
        let is_below = |at: usize| modules.contains(&stem[..at]);
        if is_below(stem.len()) || stem.match_indices('/').any(|(at, _)| is_below(at)) {
            source.library.clear();
        }
    }
    sources
}

fn tracked(root: &Path) -> Option<Vec<String>> {
    let listed = Command::new("git").arg("-C").arg(root).args(["ls-files", "-z"]).output().ok()?;
    let names = String::from_utf8(listed.stdout).ok()?;
    let files: Vec<String> =
        names.split_terminator('\0').filter(|path| root.join(path).is_file()).map(str::to_owned).collect();
    (listed.status.success() && !files.is_empty()).then_some(files)
}

fn walk(root: &Path, folder: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = join(folder, &name);
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !LEFT_OUT.contains(&name.as_str()) => walk(root, &path, found),
            Ok(kind) if kind.is_file() => found.push(path),
            _ => {}
        }
    }
}

/// The paths of the test modules that `source` declares: for `a/b.rs` in `a/b/`, for a root or a `mod.rs` in the same
/// folder.
fn test_modules(source: &Source) -> Vec<String> {
    let (folder, file) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let base = match stem {
        "lib" | "main" | "mod" => folder.to_owned(),
        _ => join(folder, stem),
    };
    items::test_parts(&source.code).modules.iter().map(|name| join(&base, name)).collect()
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path: &str, text: &str) -> Text {
        Text { path: path.into(), text: text.into() }
    }

    #[test]
    fn test_modules_are_not_library_code() {
        let sources = sources(&[
            text("a/src/lib.rs", "#[cfg(test)] mod check; mod b;"),
            text("a/src/check.rs", "x"),
            text("a/src/check/deep.rs", "x"),
            text("a/src/checked.rs", "x // y"),
            text("a/src/b.rs", "#[cfg(test)]\nmod tests;"),
            text("a/src/b/tests/mod.rs", "x"),
            text("a/src/b/other.rs", "x"),
            text("a/README.md", "x"),
        ]);
        let left: Vec<_> = sources.iter().filter(|s| !s.library.trim().is_empty()).map(|s| &s.path).collect();
        assert_eq!(left, ["a/src/lib.rs", "a/src/checked.rs", "a/src/b/other.rs"]);
        assert_eq!(sources[3].code, "x     ");
    }

    #[test]
    fn without_git_the_folders_are_walked() {
        let root = tempfile::tempdir().unwrap();
        for (path, bytes) in [("a/x.rs", &b"x"[..]), ("a/target/y.rs", b"y"), ("z", b"\0"), (".git/w", b"w")]
        {
            std::fs::create_dir_all(root.path().join(path).parent().unwrap()).unwrap();
            std::fs::write(root.path().join(path), bytes).unwrap();
        }
        let files = list(root.path());
        assert_eq!(files, ["a/x.rs", "z"]);
        let texts = texts(root.path(), &files);
        assert_eq!(texts.iter().map(|text| text.path.as_str()).collect::<Vec<_>>(), ["a/x.rs"]);
    }
}
