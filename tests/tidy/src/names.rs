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
    "All",
    "Alone",
    "And",
    "Apart",
    "As",
    "Asked",
    "AtLeast",
    "AtMost",
    "Behind",
    "Below",
    "Beside",
    "Between",
    "Both",
    "Called",
    "Carried",
    "Checked",
    "Collected",
    "Compared",
    "Copied",
    "Counting",
    "Decoded",
    "Described",
    "Different",
    "Down",
    "Drawn",
    "Edited",
    "Elsewhere",
    "Enters",
    "Far",
    "Found",
    "Framed",
    "InMemory",
    "InUse",
    "Inside",
    "Is",
    "Joined",
    "JsonOnly",
    "Kept",
    "Known",
    "Laid",
    "Larger",
    "Layered",
    "Left",
    "LeftOut",
    "Lent",
    "Listed",
    "Measured",
    "Missing",
    "Named",
    "Near",
    "Needed",
    "Not",
    "Observed",
    "Of",
    "Once",
    "Opened",
    "Or",
    "Outside",
    "Own",
    "Panicked",
    "Pending",
    "Planned",
    "Quoted",
    "Ranked",
    "Reach",
    "Ready",
    "Recorded",
    "Running",
    "Said",
    "Same",
    "Scaled",
    "Seen",
    "Served",
    "Shared",
    "Shifted",
    "Shown",
    "Smaller",
    "Solved",
    "Soon",
    "Straight",
    "Through",
    "Together",
    "Told",
    "Tried",
    "Turned",
    "Typed",
    "Unknown",
    "Unresolved",
    "Unsolved",
    "Up",
    "Waiting",
    "Wanted",
    "When",
    "WithoutModel",
];

/// Nouns that could name many things of a crate, so only one of them.
const GENERAL: &[&str] = &["Memory", "Parts", "Place", "Rows", "Value", "Work"];

/// Reports types with such a name.
pub fn check<'a>(sources: impl IntoIterator<Item = &'a Source>) -> Vec<Complaint> {
    let mut found = Vec::new();
    for source in sources {
        let types = types(&source.library, &["struct", "enum", "trait", "type"]);
        found.extend(types.into_iter().filter(|(name, _)| WORDS.contains(name)).map(|(name, line)| {
            let message = format!("`{name}` is not a noun: name the value, as `PrefetchTarget` does");
            Complaint::new(&source.path, line, message)
        }));
    }
    found
}

/// Reports general nouns that name more than one type of a crate.
pub fn check_general<'a>(sources: impl IntoIterator<Item = &'a Source>) -> Vec<Complaint> {
    let mut places: BTreeMap<(&str, &str), Vec<(&str, usize)>> = BTreeMap::new();
    for source in sources {
        let folder = source.path.split("/src/").next().unwrap_or_default();
        for (name, line) in types(&source.library, &["struct", "enum", "trait"]) {
            if GENERAL.contains(&name) {
                places.entry((folder, name)).or_default().push((&source.path, line));
            }
        }
    }
    let many = places.into_iter().filter(|(_, places)| places.len() > 1);
    many.map(|((folder, name), places)| {
        let (file, line) = places[places.len() - 1];
        let count = places.len();
        let message =
            format!("`{name}` names {count} types of {folder}: name it more exactly, as `KernelMemory` does");
        Complaint::new(file, line, message)
    })
    .collect()
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

    fn complaints(text: &str) -> Vec<String> {
        let texts = [Text { path: "a/src/a.rs".into(), text: text.into() }];
        check(&sources(&texts)).iter().map(Complaint::to_string).collect()
    }

    #[test]
    fn a_type_is_a_noun() {
        assert_eq!(complaints("struct KnownBlocks;\nlet known = Known::of();\n// struct Known\n"), [""; 0]);
        let want = "a/src/a.rs:2: `Known` is not a noun: name the value, as `PrefetchTarget` does";
        for text in
            ["\npub struct Known<'a>(&'a u8);\n", "\ntype Known = u8;\n", "\npub(crate) enum Known {}\n"]
        {
            assert_eq!(complaints(text), [want]);
        }
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
        let complaints: Vec<String> = check_general(&sources).iter().map(Complaint::to_string).collect();
        let want = "a/src/b.rs:3: `Work` names 2 types of a: name it more exactly, as `KernelMemory` does";
        assert_eq!(complaints, [want]);
    }
}
