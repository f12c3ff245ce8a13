//! Checks every text file: line endings, no absolute path of one machine, an error code for each example that must not
//! compile, and that files named in documents exist.

use crate::Complaint;
use crate::tree::Text;

/// The start of a path in a home folder, spelled so that this file does not contain it.
const MACHINE_PATHS: &[&str] = &[concat!("/", "root/"), concat!("/", "home/"), concat!("/", "Users/")];

/// Reports tabs (except gofmt's indentation), trailing spaces, and a last line without a line break.
pub fn check_lines(texts: &[Text]) -> Vec<Complaint> {
    let mut found = Vec::new();
    for Text { path, text } in texts {
        for (at, line) in text.split_terminator('\n').enumerate() {
            let written = if path.ends_with(".go") { line.trim_start_matches('\t') } else { line };
            if written.contains('\t') {
                found.push(Complaint::new(path, at + 1, "a tab: write spaces"));
            }
            if line.ends_with([' ', '\t', '\r']) {
                found.push(Complaint::new(path, at + 1, "space at the end of the line: remove it"));
            }
        }
        if !text.is_empty() && !text.ends_with('\n') {
            found.push(Complaint::new(
                path,
                text.lines().count(),
                "the last line has no line break: add one",
            ));
        }
    }
    found
}

/// Reports absolute paths into a home folder.
pub fn check_paths(texts: &[Text]) -> Vec<Complaint> {
    let mut found = Vec::new();
    for Text { path, text } in texts {
        for (at, line) in text.lines().enumerate() {
            for home in MACHINE_PATHS.iter().filter(|home| line.contains(**home)) {
                let message =
                    format!("`{home}` starts a path of one machine: write it relative to the repository");
                found.push(Complaint::new(path, at + 1, message));
            }
        }
    }
    found
}

/// Reports examples that must not compile, but do not say with which error: any mistake in them would do.
pub fn check_error_codes(texts: &[Text]) -> Vec<Complaint> {
    let mut found = Vec::new();
    for Text { path, text } in texts.iter().filter(|text| text.path.ends_with(".rs")) {
        for (at, line) in text.lines().enumerate() {
            let example = line.trim_start_matches(['/', '!', ' ']).strip_prefix("```compile_fail");
            if example.is_some_and(|rest| !rest.starts_with(",E0")) {
                let message = "an example without its error: write it as in `compile_fail,E0133`";
                found.push(Complaint::new(path, at + 1, message));
            }
        }
    }
    found
}

/// Reports code spans of `documents` that name a file or a folder which does not exist: spans that start with a folder
/// of the root. A module may be named without `.rs`; `my_` and capitals mark placeholders.
pub fn check_named_files(texts: &[Text], documents: &[&str]) -> Vec<Complaint> {
    let is_root =
        |first: &str| texts.iter().any(|text| text.path.split_once('/').is_some_and(|(r, _)| r == first));
    let names = |path: &str, name: &str| {
        let rest = path.strip_prefix(name);
        rest.is_some_and(|rest| {
            rest.is_empty() || rest == ".rs" || rest.starts_with('/') || name.ends_with('/')
        })
    };
    let exists = |name: &str| texts.iter().any(|text| names(&text.path, name));
    let is_example =
        |name: &str| name.contains("my_") || name.chars().any(|c| c.is_uppercase() || "*<…".contains(c));
    let mut found = Vec::new();
    for Text { path, text } in texts.iter().filter(|text| documents.contains(&text.path.as_str())) {
        for (at, line) in text.lines().enumerate() {
            let spans = line.split('`').skip(1).step_by(2).filter(|span| !span.contains(' '));
            let files = spans.filter(|span| span.split_once('/').is_some_and(|(first, _)| is_root(first)));
            found.extend(files.filter(|file| !is_example(file) && !exists(file)).map(|file| {
                Complaint::new(path, at + 1, format!("`{file}` does not exist: update its path"))
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_names_files_that_exist() {
        let found = |line: &str| {
            let text = |path: &str, text: &str| Text { path: path.into(), text: text.into() };
            let texts = [
                text("core/abi/src/op.rs", ""),
                text("A.md", &format!("x\n{line}\n")),
                text("B.md", "`core/x`"),
            ];
            let found = check_named_files(&texts, &["A.md"]);
            found.iter().map(Complaint::to_string).collect::<Vec<_>>()
        };
        for right in
            ["core/abi/src/op.rs", "core/abi/src/op", "core/abi", "core/", "core/my_op.rs", "a/b", "core/x y"]
        {
            assert_eq!(found(&format!("see `{right}`")), [""; 0]);
        }
        for wrong in ["core/abi/src/o", "core/abi/op.rs", "core/op/"] {
            let want = format!("A.md:2: `{wrong}` does not exist: update its path");
            assert_eq!(found(&format!("`core/abi` and `{wrong}`")), [want]);
        }
    }

    fn made_up(text: impl Into<String>) -> [Text; 1] {
        [Text { path: "a.md".into(), text: text.into() }]
    }

    #[test]
    fn go_may_be_indented_with_tabs() {
        let go = |text: &str| [Text { path: "a.go".into(), text: text.into() }];
        assert_eq!(check_lines(&go("a\n\t\tb\n")), []);
        assert_eq!(check_lines(&go("a\tb\n")), [Complaint::new("a.go", 1, "a tab: write spaces")]);
    }

    #[test]
    fn wrong_line_endings_fail() {
        assert_eq!(check_lines(&made_up("a\n\nb\n")), []);
        assert_eq!(check_lines(&made_up("")), []);
        let wrong = "space at the end of the line: remove it";
        for (text, line, message) in [
            ("a\n\tb\n", 2, "a tab: write spaces"),
            ("a \nb\n", 1, wrong),
            ("a\nb\r\n", 2, wrong),
            ("a\nb", 2, "the last line has no line break: add one"),
        ] {
            assert_eq!(check_lines(&made_up(text)), [Complaint::new("a.md", line, message)], "{text:?}");
        }
    }

    #[test]
    fn an_example_that_does_not_compile_names_its_error() {
        let found = |line: &str| {
            let text = format!("//! A.\n{line}\n//! x\n//! ```\n");
            let found = check_error_codes(&[Text { path: "a.rs".into(), text }]);
            found.iter().map(|found| found.line).collect::<Vec<_>>()
        };
        assert_eq!(found("//! ```compile_fail,E0133"), [0; 0]);
        assert_eq!(found("    /// ```"), [0; 0]);
        assert_eq!(found("    /// ```compile_fail"), [2]);
        assert_eq!(found("//! ```compile_fail,edition2024"), [2]);
    }

    #[test]
    fn a_path_of_one_machine_fails() {
        for home in MACHINE_PATHS {
            let found = check_paths(&made_up(format!("a\nsee {home}me/arenite\n")));
            let want =
                format!("a.md:2: `{home}` starts a path of one machine: write it relative to the repository");
            assert_eq!(found.iter().map(Complaint::to_string).collect::<Vec<_>>(), [want]);
        }
        assert_eq!(check_paths(&made_up("a/root\n")), []);
    }
}
