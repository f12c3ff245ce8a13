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
                    "`{word}` outside of the places that {table} lists: avoid it, or list the place there"
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

/// The files of a list in which `#` starts a comment.
///
/// # Errors
/// Names a folder: only files are listed.
pub fn listed<'a>(table: &str, text: &'a str) -> Result<Vec<&'a str>, Complaint> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let file = |(at, line): (usize, &'a str)| {
        let message = || format!("`{line}` is a folder: list its files");
        if line.ends_with('/') { Err(Complaint::new(table, at + 1, message())) } else { Ok(line) }
    };
    lines.map(file).collect()
}

/// Reports crate roots without `#![forbid(unsafe_code)]` if no file of the crate is among `places`. Plugins are exempt:
/// the macro that exports them contains `unsafe`.
pub fn check_forbidden(sources: &[Source], places: &[&str], table: &str) -> Vec<Complaint> {
    let is_safe = |root: &&Source| {
        let folder = source_folder(&root.path);
        folder.is_some_and(|folder| !places.iter().any(|place| place.starts_with(folder)))
            && find_word(&root.code, "export_plugin!").next().is_none()
    };
    let missing = sources.iter().filter(is_safe).filter(|root| !root.code.contains("#![forbid(unsafe_code"));
    let message = format!("{table} lists no file of this crate: write `#![forbid(unsafe_code)]` here");
    missing.map(|root| Complaint::new(&root.path, 1, &message)).collect()
}

/// The folder `…/src/` of the crate of which `path` is the root.
fn source_folder(path: &str) -> Option<&str> {
    let (folder, file) = path.rsplit_once('/')?;
    let is_program = folder.ends_with("/src/bin") && file.ends_with(".rs");
    let is_root = folder.ends_with("/src") && matches!(file, "lib.rs" | "main.rs");
    (is_program || is_root).then(|| path.rfind("/src/").map(|at| &path[..at + 5]))?
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
            ["a.rs:2: `unsafe` outside of the places that table.rs lists: avoid it, or list the place there"]
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
    fn a_list_has_no_folders() {
        assert_eq!(listed("list.txt", "# why\n\na.rs\nb/c.rs\n"), Ok(vec!["a.rs", "b/c.rs"]));
        let wrong = listed("list.txt", "a.rs\nb/\n").unwrap_err();
        assert_eq!(wrong.to_string(), "list.txt:2: `b/` is a folder: list its files");
    }

    #[test]
    fn a_crate_root_without_forbid_fails() {
        let sources = made_up(&[
            ("a/src/lib.rs", "#![forbid(unsafe_code)]"),
            ("b/src/lib.rs", "//! #![forbid(unsafe_code)]"),
            ("b/src/bin/c.rs", ""),
            ("b/src/d.rs", ""),
            ("e/src/lib.rs", "mod f;"),
            ("g/src/main.rs", "export_plugin!(A);"),
        ]);
        let why = "list.txt lists no file of this crate: write `#![forbid(unsafe_code)]` here";
        assert_eq!(
            said(&check_forbidden(&sources, &["e/src/f.rs"], "list.txt")),
            [format!("b/src/lib.rs:1: {why}"), format!("b/src/bin/c.rs:1: {why}")]
        );
    }
}
