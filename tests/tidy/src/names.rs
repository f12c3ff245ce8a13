//! Names of types are nouns.

use crate::Complaint;
use crate::scan::{find_word, line_of};
use crate::tree::Source;

/// Adverbs, prepositions and participles that were names of types.
const WORDS: &[&str] = &[
    "About",
    "Above",
    "Ahead",
    "Alone",
    "Apart",
    "Asked",
    "Behind",
    "Below",
    "Beside",
    "Between",
    "Called",
    "Elsewhere",
    "Enters",
    "Far",
    "Found",
    "Inside",
    "Kept",
    "Known",
    "Laid",
    "Left",
    "Lent",
    "Listed",
    "Named",
    "Near",
    "Of",
    "Once",
    "Opened",
    "Outside",
    "Own",
    "Reach",
    "Ready",
    "Said",
    "Seen",
    "Shown",
    "Soon",
    "Through",
    "Together",
    "Told",
    "Wanted",
    "Waiting",
];

/// Reports types with such a name, outside of `exceptions`: paths and names.
pub fn check<'a>(
    sources: impl IntoIterator<Item = &'a Source>,
    exceptions: &[(&str, &str)],
    table: &str,
) -> Vec<Complaint> {
    let mut used = vec![false; exceptions.len()];
    let mut found = Vec::new();
    for source in sources {
        for keyword in ["struct", "enum", "trait", "type"] {
            for at in find_word(&source.library, keyword) {
                let rest = source.library[at + keyword.len()..].trim_start();
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                let Some(name) = WORDS.iter().find(|word| **word == &rest[..end]) else { continue };
                match exceptions.iter().position(|(file, word)| *file == source.path && word == name) {
                    Some(i) => used[i] = true,
                    None => found.push(Complaint::new(
                        &source.path,
                        line_of(&source.library, at),
                        format!("`{name}` is no noun: name the value, as `PrefetchTarget` does"),
                    )),
                }
            }
        }
    }
    let stale = exceptions.iter().zip(used).filter(|(_, used)| !used);
    found.extend(stale.map(|((file, name), _)| {
        Complaint::new(*file, 1, format!("`{name}` no longer occurs here: remove the entry from {table}"))
    }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Text, sources};

    fn complaints(text: &str, exceptions: &[(&str, &str)]) -> Vec<String> {
        let texts = [Text { path: "a/src/a.rs".into(), text: text.into() }];
        check(&sources(&texts), exceptions, "t").iter().map(Complaint::to_string).collect()
    }

    #[test]
    fn a_type_is_a_noun() {
        assert_eq!(
            complaints("struct KnownBlocks;\nlet known = Known::of();\n// struct Known\n", &[]),
            [""; 0]
        );
        let want = "a/src/a.rs:2: `Known` is no noun: name the value, as `PrefetchTarget` does";
        for text in
            ["\npub struct Known<'a>(&'a u8);\n", "\ntype Known = u8;\n", "\npub(crate) enum Known {}\n"]
        {
            assert_eq!(complaints(text, &[]), [want]);
            assert_eq!(complaints(text, &[("a/src/a.rs", "Known")]), [""; 0]);
        }
        let stale = "a/src/a.rs:1: `Own` no longer occurs here: remove the entry from t";
        assert_eq!(complaints("struct A;\n", &[("a/src/a.rs", "Own")]), [stale]);
    }
}
