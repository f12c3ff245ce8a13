//! Words that library code must not contain.

use crate::Complaint;
use crate::scan::{find_word, line_of};
use crate::tree::Source;

/// A word and what to write instead.
pub struct Word {
    pub word: &'static str,
    pub instead: &'static str,
}

/// A file that may contain a word.
pub struct Place {
    pub file: &'static str,
    pub word: &'static str,
}

/// Reports `words` outside of `places`, and places that do not contain their word. Tests may contain any word.
pub fn check<'a>(
    sources: impl IntoIterator<Item = &'a Source>,
    words: &[Word],
    places: &[Place],
    table: &str,
) -> Vec<Complaint> {
    let mut used = vec![false; places.len()];
    let mut found = Vec::new();
    for source in sources {
        for Word { word, instead } in words {
            let place = places.iter().position(|place| place.file == source.path && place.word == *word);
            for at in find_word(&source.library, word) {
                match place {
                    Some(place) => used[place] = true,
                    None => found.push(Complaint::new(
                        &source.path,
                        line_of(&source.library, at),
                        format!("`{word}` in library code: {instead}"),
                    )),
                }
            }
        }
    }
    let stale = places.iter().zip(used).filter(|(_, used)| !used);
    found.extend(stale.map(|(Place { file, word }, _)| {
        Complaint::new(*file, 1, format!("`{word}` no longer occurs here: remove the entry from {table}"))
    }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Text, sources};

    const WORDS: &[Word] = &[Word { word: ".unwrap()", instead: "return an error" }];

    #[test]
    fn a_word_in_library_code_fails() {
        let text = "//! x.unwrap()\nfn f() {\n    x.unwrap_or(\".unwrap()\").unwrap()\n}\n\
                    #[cfg(test)]\nmod tests { fn f() { x.unwrap() } }\n";
        let sources = sources(&[Text { path: "a.rs".into(), text: text.into() }]);
        let found = check(&sources, WORDS, &[], "table.rs");
        assert_eq!(found, [Complaint::new("a.rs", 3, "`.unwrap()` in library code: return an error")]);
        assert_eq!(check(&sources, WORDS, &[Place { file: "a.rs", word: ".unwrap()" }], "table.rs"), []);
    }

    #[test]
    fn a_named_place_without_its_word_fails() {
        let sources = sources(&[Text { path: "a.rs".into(), text: "fn f() {}".into() }]);
        let found = check(&sources, WORDS, &[Place { file: "a.rs", word: ".unwrap()" }], "table.rs");
        let want = "a.rs:1: `.unwrap()` no longer occurs here: remove the entry from table.rs";
        assert_eq!(found.iter().map(Complaint::to_string).collect::<Vec<_>>(), [want]);
    }
}
