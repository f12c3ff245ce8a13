//! Words that are permitted only in named places, such as `unsafe`.

use crate::Complaint;
use crate::scan::{find_word, line_of};
use crate::tree::Source;

/// Reports code that contains `word` outside of `places`, and places that no longer contain it. A place is a file, or a
/// folder with a slash at its end; `table` is the file that lists them.
pub fn check(sources: &[Source], word: &str, places: &[&str], table: &str) -> Vec<Complaint> {
    let is_in = |path: &str, place: &str| path == place || (place.ends_with('/') && path.starts_with(place));
    let mut used = vec![false; places.len()];
    let mut found = Vec::new();
    for source in sources {
        let Some(at) = find_word(&source.code, word).next() else { continue };
        let allowed = places.iter().position(|place| is_in(&source.path, place));
        match allowed {
            Some(place) => used[place] = true,
            None => found.push(Complaint::new(
                &source.path,
                line_of(&source.code, at),
                format!(
                    "`{word}` outside of the places that ARCHITECTURE.md names: avoid it, or name the place \
                     there and in {table}"
                ),
            )),
        }
    }
    let stale = places.iter().zip(used).filter(|(_, used)| !used);
    found.extend(stale.map(|(place, _)| {
        Complaint::new(*place, 1, format!("`{word}` no longer occurs here: remove the place from {table}"))
    }));
    found
}

/// Reports crate roots without `#![forbid(unsafe_code)]`.
pub fn check_forbidden(sources: &[Source], roots: &[&str]) -> Vec<Complaint> {
    let forbids = |root: &str| {
        let source = sources.iter().find(|source| source.path == root);
        source.is_some_and(|source| source.code.contains("#![forbid(unsafe_code"))
    };
    let missing = roots.iter().filter(|root| !forbids(root));
    missing
        .map(|root| {
            Complaint::new(
                *root,
                1,
                "ARCHITECTURE.md declares this crate safe: write `#![forbid(unsafe_code)]` here",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Text, sources};

    fn made_up(files: &[(&str, &str)]) -> Vec<Source> {
        let texts: Vec<Text> =
            files.iter().map(|&(path, text)| Text { path: path.into(), text: text.into() }).collect();
        sources(&texts)
    }

    fn said(found: &[Complaint]) -> Vec<String> {
        found.iter().map(Complaint::to_string).collect()
    }

    #[test]
    fn unsafe_elsewhere_fails() {
        let sources = made_up(&[
            ("a.rs", "// unsafe\nfn f() { unsafe { g() } }"),
            ("b/c.rs", "unsafe fn f() {}"),
            ("b.rs", "#![forbid(unsafe_code)]\nconst X: &str = \"unsafe\";"),
            ("d.rs", "\n\nunsafe impl X for Y {}"),
        ]);
        assert_eq!(
            said(&check(&sources, "unsafe", &["b/", "d.rs"], "table.rs")),
            ["a.rs:2: `unsafe` outside of the places that ARCHITECTURE.md names: avoid it, or name the \
                 place there and in table.rs"]
        );
        assert_eq!(check(&sources, "unsafe", &["a.rs", "b/", "d.rs"], "table.rs"), []);
    }

    #[test]
    fn a_named_place_without_unsafe_fails() {
        let sources = made_up(&[("a.rs", "// unsafe")]);
        assert_eq!(
            said(&check(&sources, "unsafe", &["a.rs", "b/"], "table.rs")),
            [
                "a.rs:1: `unsafe` no longer occurs here: remove the place from table.rs",
                "b/:1: `unsafe` no longer occurs here: remove the place from table.rs",
            ]
        );
    }

    #[test]
    fn a_crate_root_without_forbid_fails() {
        let sources =
            made_up(&[("a/lib.rs", "#![forbid(unsafe_code)]"), ("b/lib.rs", "//! #![forbid(unsafe_code)]")]);
        let why = "ARCHITECTURE.md declares this crate safe: write `#![forbid(unsafe_code)]` here";
        assert_eq!(
            said(&check_forbidden(&sources, &["a/lib.rs", "b/lib.rs", "c/lib.rs"])),
            [format!("b/lib.rs:1: {why}"), format!("c/lib.rs:1: {why}")]
        );
    }
}
