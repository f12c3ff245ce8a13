//! The length limits: 400 lines per file, 40 per function.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::Complaint;
use crate::items::{functions, test_parts};
use crate::scan::line_of;
use crate::tree::Source;

pub const FILE: usize = 400;
pub const FUNCTION: usize = 40;
/// The number of lines by which an entry may exceed the actual length, so that small changes need not touch it.
pub const SLACK: usize = 10;

/// A length above its limit.
#[derive(Debug, PartialEq)]
pub struct Long {
    pub path: String,
    pub line: usize,
    /// The function's name; `None` for a file.
    pub function: Option<String>,
    pub lines: usize,
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
        let function = self.function.as_ref().map_or(String::new(), |name| format!("::{name}"));
        format!("{}{function}", self.path)
    }

    fn what(&self) -> String {
        match &self.function {
            Some(name) => format!("function `{name}` has {} lines", self.lines),
            None => format!("{} lines before the tests", self.lines),
        }
    }

    fn limit(&self) -> usize {
        if self.function.is_some() { FUNCTION } else { FILE }
    }
}

/// All files and functions of library code that are too long. Tests do not count.
pub fn measure<'a>(sources: impl IntoIterator<Item = &'a Source>) -> Vec<Long> {
    let mut found = Vec::new();
    for source in sources {
        let path = &source.path;
        let lines = file_lines(source);
        if lines > FILE {
            found.push(Long { path: path.clone(), line: 1, function: None, lines });
        }
        let long = functions(&source.library).into_iter().filter(|function| function.lines > FUNCTION);
        found.extend(long.map(|function| Long {
            path: path.clone(),
            line: function.line,
            function: Some(function.name),
            lines: function.lines,
        }));
    }
    found
}

/// The number of lines of a file without its tests.
fn file_lines(source: &Source) -> usize {
    if source.library.is_empty() {
        return 0;
    }
    let tests = test_parts(&source.code).items;
    let lines = |item: &Range<usize>| line_of(&source.code[item.clone()], item.len());
    source.text.lines().count() - tests.iter().map(lines).sum::<usize>()
}

/// The exceptions of a file in which `#` starts a comment.
///
/// # Errors Names the line that is malformed.
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
            None => format!(
                "{}, but the limit is {} (CONTRIBUTING.md, Style): split it",
                long.what(),
                long.limit()
            ),
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
    use crate::tree::{Text, sources};

    fn said(files: &[(&str, String)], exceptions: &str) -> Vec<String> {
        let texts: Vec<Text> =
            files.iter().map(|(path, text)| Text { path: (*path).into(), text: text.clone() }).collect();
        let exceptions = super::exceptions("except.txt", exceptions).unwrap();
        let found = check(&measure(&sources(&texts)), &exceptions, "except.txt");
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
            ["a.rs:1: 401 lines before the tests, but the limit is 400 (CONTRIBUTING.md, Style): split it"]
        );
        let declares = "#[cfg(test)]\nmod b;\n".to_owned();
        assert_eq!(said(&[("a.rs", declares), ("a/b.rs", file(401) + &function(50))], ""), [""; 0]);
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
