//! Rules of the project's own text: what ARCHITECTURE.md and CONTRIBUTING.md say about files, crates and functions.
//!
//! A rule is a function from texts and a table to [`Complaint`]s. Its unit tests break it on purpose; `tests/tidy.rs`
//! holds the tables and runs every rule on the repository.
#![forbid(unsafe_code)]

pub mod crates;
pub mod format;
pub mod items;
pub mod length;
pub mod places;
pub mod safety;
pub mod scan;
pub mod text;
pub mod tree;
pub mod words;

use std::fmt;

/// A line that breaks a rule, and what to do about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Complaint {
    /// Relative to the repository's root.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// What is wrong, which rule says so, and what to do.
    pub message: String,
}

impl Complaint {
    pub fn new(file: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.into(), line, message: message.into() }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// Fails a test with all complaints at once, one per line.
///
/// # Panics
/// If there is a complaint.
#[track_caller]
pub fn demand(rule: &str, complaints: &[Complaint]) {
    let lines: Vec<String> = complaints.iter().map(Complaint::to_string).collect();
    assert!(lines.is_empty(), "{rule}: {} complaint(s)\n{}\n", lines.len(), lines.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_names_file_and_line() {
        let complaint = Complaint::new("ops/src/abs.rs", 7, "a thing; do another");
        assert_eq!(complaint.to_string(), "ops/src/abs.rs:7: a thing; do another");
        demand("rule", &[]);
    }

    #[test]
    #[should_panic = "rule: 2 complaint(s)\na:1: x\nb:2: y\n"]
    fn a_complaint_fails_the_test() {
        demand("rule", &[Complaint::new("a", 1, "x"), Complaint::new("b", 2, "y")]);
    }
}
