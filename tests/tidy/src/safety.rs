//! SAFETY comments that only refer to someone else's argument, counted per file in a list that may only shrink.

use std::collections::BTreeMap;

use crate::Complaint;
use crate::length::Exception;
use crate::scan::line_of;
use crate::tree::Source;

const MARK: &str = "// SAFETY:";
/// Openings of an argument that says neither what holds nor which code ensures it.
const VAGUE: &[&str] =
    &["as above", "the caller's promise", "the caller promises", "the crate's rule", "the crate's rules"];

/// The lines of vague comments, by file.
pub fn vague<'a>(sources: impl IntoIterator<Item = &'a Source>) -> BTreeMap<&'a str, Vec<usize>> {
    let lines = |source: &Source| -> Vec<usize> {
        let at = source.text.match_indices(MARK).map(|(at, _)| at);
        at.filter(|&at| is_vague(&source.text[at + MARK.len()..]))
            .map(|at| line_of(&source.text, at))
            .collect()
    };
    let files = sources.into_iter().map(|source| (source.path.as_str(), lines(source)));
    files.filter(|(_, lines)| !lines.is_empty()).collect()
}

fn is_vague(argument: &str) -> bool {
    let argument = argument.lines().next().unwrap_or("").trim().to_lowercase();
    let ends = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric());
    VAGUE.iter().any(|vague| argument.strip_prefix(vague).is_some_and(ends))
}

/// Reports files with more vague comments than the list allows, and entries above the actual count.
pub fn check(vague: &BTreeMap<&str, Vec<usize>>, allowed: &[Exception], file: &str) -> Vec<Complaint> {
    let mut found = Vec::new();
    for (&path, lines) in vague {
        let most = allowed.iter().find(|entry| entry.key == path).map_or(0, |entry| entry.lines);
        if lines.len() > most {
            let message = format!(
                "{} vague SAFETY comments, but {file} allows {most}: say what is guaranteed and by which code",
                lines.len()
            );
            found.push(Complaint::new(path, lines[lines.len() - 1], message));
        }
    }
    for Exception { key, lines, line } in allowed {
        let now = vague.get(key.as_str()).map_or(0, Vec::len);
        if now < *lines {
            let message =
                format!("`{key}` has only {now} vague SAFETY comments: lower the entry, or remove it at 0");
            found.push(Complaint::new(file, *line, message));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::length::exceptions;
    use crate::tree::{Text, sources};

    fn said(text: &str, list: &str) -> Vec<String> {
        let sources = sources(&[Text { path: "a.rs".into(), text: text.into() }]);
        let allowed = exceptions("list.txt", list).unwrap();
        check(&vague(&sources), &allowed, "list.txt").iter().map(Complaint::to_string).collect()
    }

    #[test]
    fn a_vague_comment_fails() {
        let sound = "// SAFETY: `len` was checked above.\n// SAFETY: the caller's slice has it.\n";
        assert_eq!(said(sound, ""), [""; 0]);
        for vague in ["as above.", "As above; and more.", "the caller's promise.", "the crate's rules."] {
            assert_eq!(
                said(&format!("fn f() {{\n    // SAFETY: {vague}\n}}\n"), ""),
                ["a.rs:2: 1 vague SAFETY comments, but list.txt allows 0: say what is guaranteed and by \
                     which code"]
            );
        }
    }

    #[test]
    fn the_list_only_shrinks() {
        let two = ["as above.", "the crate's rule."].map(|vague| format!("// SAFETY: {vague}\n")).concat();
        assert_eq!(said(&two, "# why\na.rs 2"), [""; 0]);
        assert_eq!(said(&two, "a.rs 1").len(), 1);
        assert_eq!(
            said(&two, "a.rs 3"),
            ["list.txt:1: `a.rs` has only 2 vague SAFETY comments: lower the entry, or remove it at 0"]
        );
        assert_eq!(
            said("", "a.rs 3"),
            ["list.txt:1: `a.rs` has only 0 vague SAFETY comments: lower the entry, or remove it at 0"]
        );
    }
}
