//! Names of types are nouns, and say in a crate which of its things they name.

use std::collections::BTreeMap;

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

/// Nouns that could name many things of a crate, so only one of them.
const GENERAL: &[&str] = &["Memory", "Parts", "Place", "Rows", "Value", "Work"];

/// Reports types with such a name, outside of `exceptions`: paths and names.
pub fn check<'a>(
    sources: impl IntoIterator<Item = &'a Source>,
    exceptions: &[(&str, &str)],
    table: &str,
) -> Vec<Complaint> {
    let mut used = vec![false; exceptions.len()];
    let mut found = Vec::new();
    for source in sources {
        for (name, line) in types(&source.library, &["struct", "enum", "trait", "type"]) {
            if !WORDS.contains(&name) {
                continue;
            }
            match exceptions.iter().position(|(file, word)| *file == source.path && *word == name) {
                Some(i) => used[i] = true,
                None => found.push(Complaint::new(
                    &source.path,
                    line,
                    format!("`{name}` is not a noun: name the value, as `PrefetchTarget` does"),
                )),
            }
        }
    }
    let stale = exceptions.iter().zip(used).filter(|(_, used)| !used);
    found.extend(stale.map(|((file, name), _)| {
        Complaint::new(*file, 1, format!("`{name}` no longer occurs here: remove the entry from {table}"))
    }));
    found
}

/// Reports general nouns that name more than one type of a crate, unless `exceptions` has the folder of the crate, the
/// noun and the number of its types. There, the name of the module distinguishes them.
pub fn check_general<'a>(
    sources: impl IntoIterator<Item = &'a Source>,
    exceptions: &[(&str, &str, usize)],
    table: &str,
) -> Vec<Complaint> {
    let mut places: BTreeMap<(&str, &str), Vec<(&str, usize)>> = BTreeMap::new();
    for source in sources {
        let folder = source.path.split("/src/").next().unwrap_or_default();
        for (name, line) in types(&source.library, &["struct", "enum", "trait"]) {
            if GENERAL.contains(&name) {
                places.entry((folder, name)).or_default().push((&source.path, line));
            }
        }
    }
    let allowed = |key: (&str, &str)| {
        exceptions.iter().find(|entry| (entry.0, entry.1) == key).map_or(1, |(.., count)| *count)
    };
    let many = places.iter().filter(|(key, places)| places.len() > allowed(**key));
    let mut found: Vec<Complaint> = many
        .map(|((folder, name), places)| {
            let (file, line) = places[places.len() - 1];
            let count = places.len();
            let message = format!(
                "`{name}` names {count} types of {folder}: name it more exactly, as `KernelMemory` does"
            );
            Complaint::new(file, line, message)
        })
        .collect();
    for (folder, name, count) in exceptions {
        let now = places.get(&(*folder, *name)).map_or(0, Vec::len);
        if now < *count {
            let message = format!("`{name}` names only {now} types here: lower the entry in {table}");
            found.push(Complaint::new(*folder, 1, message));
        }
    }
    found
}

/// The names of the types that `code` declares with one of the keywords, and their lines.
fn types<'a>(code: &'a str, keywords: &[&'a str]) -> Vec<(&'a str, usize)> {
    let declared = |keyword: &&'a str| {
        let length = keyword.len();
        find_word(code, keyword).map(move |at| {
            let rest = code[at + length..].trim_start();
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            (&rest[..end], line_of(code, at))
        })
    };
    keywords.iter().flat_map(declared).collect()
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
        let want = "a/src/a.rs:2: `Known` is not a noun: name the value, as `PrefetchTarget` does";
        for text in
            ["\npub struct Known<'a>(&'a u8);\n", "\ntype Known = u8;\n", "\npub(crate) enum Known {}\n"]
        {
            assert_eq!(complaints(text, &[]), [want]);
            assert_eq!(complaints(text, &[("a/src/a.rs", "Known")]), [""; 0]);
        }
        let stale = "a/src/a.rs:1: `Own` no longer occurs here: remove the entry from t";
        assert_eq!(complaints("struct A;\n", &[("a/src/a.rs", "Own")]), [stale]);
    }

    #[test]
    fn a_general_noun_names_one_type_of_a_crate() {
        let texts = [
            ("a/src/a.rs", "\npub struct Work;\ntype Memory = u8;\n"),
            ("a/src/b.rs", "\n\nenum Work {}\nstruct WorkLimit;\n"),
            ("b/src/lib.rs", "trait Work {}\n#[cfg(test)]\nmod tests { struct Work; }\n"),
        ];
        let text = |(path, text): (&str, &str)| Text { path: path.into(), text: text.into() };
        let sources = sources(&texts.map(text));
        let complaints = |exceptions: &[_]| -> Vec<String> {
            check_general(&sources, exceptions, "t").iter().map(Complaint::to_string).collect()
        };
        let want = "a/src/b.rs:3: `Work` names 2 types of a: name it more exactly, as `KernelMemory` does";
        assert_eq!(complaints(&[]), [want]);
        assert_eq!(complaints(&[("a", "Work", 2)]), [""; 0]);
        let stale = "a:1: `Work` names only 2 types here: lower the entry in t";
        assert_eq!(complaints(&[("a", "Work", 3)]), [stale]);
    }
}
