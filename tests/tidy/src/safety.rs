//! SAFETY comments that only refer to someone else's argument.

use crate::Complaint;
use crate::scan::line_of;
use crate::tree::Source;

const MARK: &str = "// SAFETY:";
/// Openings of an argument that says neither what holds nor which code ensures it.
const VAGUE: &[&str] = &["as above", "see above", "the caller promises", "valid for the call"];

/// Reports vague comments.
pub fn check<'a>(sources: impl IntoIterator<Item = &'a Source>) -> Vec<Complaint> {
    let complaint = |source: &'a Source, at| {
        let message = "a SAFETY comment without an argument: name the guarantee and the code that gives it";
        Complaint::new(&source.path, line_of(&source.text, at), message)
    };
    let vague = |source: &'a Source| {
        let at = source.text.match_indices(MARK).map(|(at, _)| at);
        at.filter(|&at| is_vague(&source.text[at + MARK.len()..])).map(move |at| complaint(source, at))
    };
    sources.into_iter().flat_map(vague).collect()
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
        let complaints = |text: &str| -> Vec<String> {
            let sources = sources(&[Text { path: "a.rs".into(), text: text.into() }]);
            check(&sources).iter().map(Complaint::to_string).collect()
        };
        let sound = "// SAFETY: `len` was checked above.\n// SAFETY: the caller's slice has it.\n";
        assert_eq!(complaints(sound), [""; 0]);
        let want =
            "a.rs:2: a SAFETY comment without an argument: name the guarantee and the code that gives it";
        for vague in ["as above.", "As above; and more.", "see above.", "the caller promises."] {
            assert_eq!(complaints(&format!("fn f() {{\n    // SAFETY: {vague}\n}}\n")), [want]);
        }
    }
}
