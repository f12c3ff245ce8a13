//! Rules for the text of the project: what ARCHITECTURE.md and CONTRIBUTING.md require of files, crates and functions.
//!
//! A rule is a function from texts and a table to [`Complaint`]s. Its unit tests break it on purpose. `tests/tidy.rs`
//! holds the tables and runs every rule on the repository.
#![forbid(unsafe_code)]

pub mod crates;
pub mod cycles;
pub mod format;
pub mod imports;
pub mod items;
pub mod length;
pub mod names;
pub mod phrases;
pub mod places;
pub mod safety;
pub mod scan;
pub mod text;
pub mod tree;
pub mod tuples;
pub mod width;
pub mod words;

use std::fmt;

/// A line that breaks a rule, and the remedy.
#[derive(Clone, Debug, PartialEq)]
pub struct Complaint {
    /// The path relative to the repository's root.
    pub file: String,
    /// The line number, from 1.
    pub line: usize,
    /// The violation, the rule, and the remedy.
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

/// Fails a test with all complaints together, one per line.
///
/// # Panics
/// If there is any complaint.
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
