//! The length limits of files and functions.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::Complaint;
use crate::items::{Function, functions, test_parts};
use crate::scan::line_of;
use crate::tree::{Source, Text};

/// The most lines of a file without its test modules, of its test modules, and of a C header.
pub const FILE: usize = 400;
/// The most lines of a function of the library.
pub const FUNCTION: usize = 40;
/// The most lines of a function of a test, whose tables are data.
pub const TEST: usize = 60;
/// The most lines of a shader.
pub const SHADER: usize = 120;
/// The most lines of ARCHITECTURE.md, which is a map.
pub const MAP: usize = 200;
/// The number of lines by which an entry may exceed the actual length, so that small changes need not touch it.
pub const SLACK: usize = 10;

/// A length above its limit.
#[derive(Debug, PartialEq)]
pub struct Long {
    pub path: String,
    pub line: usize,
    pub part: Part,
    pub lines: usize,
    pub limit: usize,
}

/// The long part of a file.
#[derive(Debug, PartialEq)]
pub enum Part {
    File,
    /// All test modules in a file of the library.
    Tests,
    Function(String),
}

/// A line of the file of exceptions: `path lines` or `path::function lines`.
#[derive(Debug, PartialEq)]
pub struct Exception {
    pub key: String,
    pub lines: usize,
    /// The line number of the entry.
    pub line: usize,
}

impl Long {
    fn key(&self) -> String {
        match &self.part {
            Part::File => self.path.clone(),
            Part::Tests => format!("{}::tests", self.path),
            Part::Function(name) => format!("{}::{name}", self.path),
        }
    }

    fn what(&self) -> String {
        match &self.part {
            Part::File => format!("{} lines without test modules", self.lines),
            Part::Tests => format!("{} lines of test modules", self.lines),
            Part::Function(name) => format!("function `{name}` has {} lines", self.lines),
        }
    }
}

/// All parts of Rust files that are too long. Files outside of the library are tests.
pub fn measure<'a>(
    sources: impl IntoIterator<Item = &'a Source>,
    is_library: impl Fn(&Source) -> bool,
) -> Vec<Long> {
    let mut found = Vec::new();
    for source in sources {
        let library: Vec<&str> = if is_library(source) { source.library.lines().collect() } else { vec![] };
        let all = source.text.lines().count();
        let tests = if library.is_empty() { 0 } else { test_lines(source) };
        for (part, lines) in [(Part::File, all - tests), (Part::Tests, tests)] {
            if lines > FILE {
                found.push(Long { path: source.path.clone(), line: 1, part, lines, limit: FILE });
            }
        }
        for Function { name, line, lines } in functions(&source.code) {
            let is_test = library.get(line - 1).is_none_or(|line| line.trim().is_empty());
            let limit = if is_test { TEST } else { FUNCTION };
            if lines > limit {
                let part = Part::Function(name);
                found.push(Long { path: source.path.clone(), line, part, lines, limit });
            }
        }
    }
    found
}

/// The number of lines of the test modules in a file.
fn test_lines(source: &Source) -> usize {
    let lines = |item: &Range<usize>| line_of(&source.code[item.clone()], item.len());
    test_parts(&source.code).items.iter().map(lines).sum()
}

/// All shaders, C headers and maps that are too long.
pub fn measure_texts(texts: &[Text]) -> Vec<Long> {
    let long = |text: &Text| {
        let limit = match text.path.rsplit_once('.')?.1 {
            "wgsl" | "cl" => SHADER,
            "h" => FILE,
            "md" if text.path == "ARCHITECTURE.md" => MAP,
            _ => return None,
        };
        let lines = text.text.lines().count();
        (lines > limit).then(|| Long { path: text.path.clone(), line: 1, part: Part::File, lines, limit })
    };
    texts.iter().filter_map(long).collect()
}

/// The exceptions of a file in which `#` starts a comment.
///
/// # Errors
/// Names the line that is malformed.
pub fn exceptions(file: &str, text: &str) -> Result<Vec<Exception>, Complaint> {
    let entries = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    entries
        .map(|(at, entry)| {
            let parsed =
                entry.rsplit_once(' ').and_then(|(key, lines)| Some((key.to_owned(), lines.parse().ok()?)));
            let (key, lines) = parsed.ok_or_else(|| {
                Complaint::new(
                    file,
                    at + 1,
                    format!("`{entry}` is neither `path lines` nor `path::function lines`"),
                )
            })?;
            Ok(Exception { key, lines, line: at + 1 })
        })
        .collect()
}

/// Reports code that is longer than its exception or the limit, and exceptions above the actual length. Functions of
/// the same name in one file share an exception.
pub fn check(long: &[Long], exceptions: &[Exception], file: &str) -> Vec<Complaint> {
    let mut longest = BTreeMap::new();
    let mut found = Vec::new();
    for long in long {
        let key = long.key();
        let most = longest.entry(key.clone()).or_insert(0);
        *most = long.lines.max(*most);
        let allowed =
            exceptions.iter().find(|exception| exception.key == key).map(|exception| exception.lines);
        let message = match allowed {
            Some(allowed) if long.lines <= allowed => continue,
            Some(allowed) => format!("{}, but {file} allows {allowed}: shorten it again", long.what()),
            None => {
                format!("{}, but the limit is {} (CONTRIBUTING.md, Style): split it", long.what(), long.limit)
            }
        };
        found.push(Complaint::new(&long.path, long.line, message));
    }
    for Exception { key, lines, line } in exceptions {
        let message = match longest.get(key) {
            None => format!("`{key}` is within the limit or no longer exists: remove the entry"),
            Some(now) if now + SLACK < *lines => {
                format!("`{key}` has only {now} lines: lower the entry to {now}")
            }
            Some(_) => continue,
        };
        found.push(Complaint::new(file, *line, message));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::sources;

    fn said(files: &[(&str, String)], exceptions: &str) -> Vec<String> {
        let texts: Vec<Text> =
            files.iter().map(|(path, text)| Text { path: (*path).into(), text: text.clone() }).collect();
        let exceptions = super::exceptions("except.txt", exceptions).unwrap();
        let mut long = measure(&sources(&texts), |source| !source.path.starts_with("tests/"));
        long.extend(measure_texts(&texts));
        let found = check(&long, &exceptions, "except.txt");
        found.iter().map(Complaint::to_string).collect()
    }

    fn function(lines: usize) -> String {
        format!("\nfn f() {{\n{}}}\n", "    g();\n".repeat(lines - 2))
    }

    #[test]
    fn a_long_function_fails() {
        assert_eq!(said(&[("a.rs", function(40))], ""), [""; 0]);
        assert_eq!(
            said(&[("a.rs", function(41))], ""),
            ["a.rs:2: function `f` has 41 lines, but the limit is 40 (CONTRIBUTING.md, Style): split it"]
        );
    }

    #[test]
    fn a_long_file_fails() {
        let tests = "#[cfg(test)]\nmod tests {\n    use x;\n}\n";
        let file = |lines: usize| "// x\n".repeat(lines) + tests;
        assert_eq!(said(&[("a.rs", file(400))], ""), [""; 0]);
        assert_eq!(
            said(&[("a.rs", file(401))], ""),
            [
                "a.rs:1: 401 lines without test modules, but the limit is 400 (CONTRIBUTING.md, Style): split it"
            ]
        );
        let declares = "#[cfg(test)]\nmod b;\n".to_owned();
        assert_eq!(said(&[("a.rs", declares.clone()), ("a/b.rs", file(330) + &function(60))], ""), [""; 0]);
        assert_eq!(
            said(&[("a.rs", declares), ("a/b.rs", file(401))], "a.rs::tests 401\n")[..1],
            [
                "a/b.rs:1: 405 lines without test modules, but the limit is 400 (CONTRIBUTING.md, Style): split it"
            ]
        );
    }

    #[test]
    fn long_tests_fail() {
        let module = |lines| format!("#[cfg(test)]\nmod tests {{{}}}\n", function(lines));
        assert_eq!(said(&[("a.rs", module(60)), ("tests/b.rs", function(60))], ""), [""; 0]);
        let long =
            |lines: usize| format!("{lines} lines, but the limit is 60 (CONTRIBUTING.md, Style): split it");
        assert_eq!(
            said(&[("a.rs", module(61)), ("tests/b.rs", function(62))], ""),
            [
                format!("a.rs:3: function `f` has {}", long(61)),
                format!("tests/b.rs:2: function `f` has {}", long(62))
            ]
        );
        let many = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", function(50).repeat(9));
        assert_eq!(said(&[("a.rs", many.clone())], "a.rs::tests 470"), [""; 0]);
        assert_eq!(
            said(&[("a.rs", many)], ""),
            ["a.rs:1: 462 lines of test modules, but the limit is 400 (CONTRIBUTING.md, Style): split it"]
        );
    }

    #[test]
    fn long_shaders_and_headers_fail() {
        let lines = |count: usize| "x;\n".repeat(count);
        let within = [("a.wgsl", lines(120)), ("a.cl", lines(120)), ("a.h", lines(400)), ("a.c", lines(900))];
        assert_eq!(said(&within, ""), [""; 0]);
        assert_eq!(said(&[("ARCHITECTURE.md", lines(201)), ("docs/a.md", lines(900))], "").len(), 1);
        let beyond = [("a.wgsl", lines(121)), ("a.cl", lines(121)), ("a.h", lines(401))];
        assert_eq!(said(&beyond, "").len(), 3);
        assert_eq!(said(&beyond, "a.wgsl 121\na.cl 121\na.h 401"), [""; 0]);
    }

    #[test]
    fn an_exception_only_shrinks() {
        let files = [("a.rs", function(52))];
        assert_eq!(said(&files, "# why\n\na.rs::f 52"), [""; 0]);
        assert_eq!(said(&files, "a.rs::f 62"), [""; 0]);
        assert_eq!(
            said(&files, "a.rs::f 63"),
            ["except.txt:1: `a.rs::f` has only 52 lines: lower the entry to 52"]
        );
        assert_eq!(
            said(&files, "a.rs::f 51"),
            ["a.rs:2: function `f` has 52 lines, but except.txt allows 51: shorten it again"]
        );
        let gone = "\na.rs::f 52\na.rs 401";
        assert_eq!(
            said(&files, gone),
            ["except.txt:3: `a.rs` is within the limit or no longer exists: remove the entry"]
        );
    }

    #[test]
    fn functions_of_the_same_name_share_an_exception() {
        let files = [("a.rs", function(45) + &function(60))];
        assert_eq!(said(&files, "a.rs::f 60"), [""; 0]);
        assert_eq!(
            said(&files, "a.rs::f 50"),
            ["a.rs:48: function `f` has 60 lines, but except.txt allows 50: shorten it again"]
        );
    }

    #[test]
    fn a_malformed_entry_fails() {
        let wrong = exceptions("except.txt", "# x\na.rs forty\n").unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "except.txt:2: `a.rs forty` is neither `path lines` nor `path::function lines`"
        );
    }
}
