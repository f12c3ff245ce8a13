//! SAFETY comments that only refer to someone else's argument.

use crate::counts::Lines;
use crate::scan::line_of;
use crate::tree::Source;

const MARK: &str = "// SAFETY:";
/// Openings of an argument that says neither what holds nor which code ensures it.
const VAGUE: &[&str] =
    &["as above", "the caller's promise", "the caller promises", "the crate's rule", "the crate's rules"];

/// The lines of vague comments, by file.
pub fn vague<'a>(sources: impl IntoIterator<Item = &'a Source>) -> Lines<'a> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Text, sources};

    #[test]
    fn a_vague_comment_is_found() {
        let lines = |text: &str| -> Vec<usize> {
            let sources = sources(&[Text { path: "a.rs".into(), text: text.into() }]);
            vague(&sources).into_values().flatten().collect()
        };
        let sound = "// SAFETY: `len` was checked above.\n// SAFETY: the caller's slice has it.\n";
        assert_eq!(lines(sound), [0; 0]);
        for vague in ["as above.", "As above; and more.", "the caller's promise.", "the crate's rules."] {
            assert_eq!(lines(&format!("fn f() {{\n    // SAFETY: {vague}\n}}\n")), [2]);
        }
    }
}
