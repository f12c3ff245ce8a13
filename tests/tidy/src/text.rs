//! Every file of text: how its lines end, and no path of one machine.

use crate::Complaint;
use crate::tree::Text;

/// Where one machine's files lie. Spelled so that this file holds none.
const MACHINE_PATHS: &[&str] = &[concat!("/", "root/"), concat!("/", "home/"), concat!("/", "Users/")];

/// Complains of tabs, but for those that gofmt indents Go with, of spaces at the end of a line, and of a last line that does not end.
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
                "the last line does not end: add a line break",
            ));
        }
    }
    found
}

/// Complains of absolute paths into a home folder.
pub fn check_paths(texts: &[Text]) -> Vec<Complaint> {
    let mut found = Vec::new();
    for Text { path, text } in texts {
        for (at, line) in text.lines().enumerate() {
            for home in MACHINE_PATHS.iter().filter(|home| line.contains(**home)) {
                let message =
                    format!("`{home}` is the path of one machine: write it relative to the repository");
                found.push(Complaint::new(path, at + 1, message));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made_up(text: impl Into<String>) -> [Text; 1] {
        [Text { path: "a.md".into(), text: text.into() }]
    }

    #[test]
    fn go_is_indented_as_gofmt_does_it() {
        let go = |text: &str| [Text { path: "a.go".into(), text: text.into() }];
        assert_eq!(check_lines(&go("a\n\t\tb\n")), []);
        assert_eq!(check_lines(&go("a\tb\n")), [Complaint::new("a.go", 1, "a tab: write spaces")]);
    }

    #[test]
    fn lines_that_end_otherwise_fail() {
        assert_eq!(check_lines(&made_up("a\n\nb\n")), []);
        assert_eq!(check_lines(&made_up("")), []);
        let wrong = "space at the end of the line: remove it";
        for (text, line, message) in [
            ("a\n\tb\n", 2, "a tab: write spaces"),
            ("a \nb\n", 1, wrong),
            ("a\nb\r\n", 2, wrong),
            ("a\nb", 2, "the last line does not end: add a line break"),
        ] {
            assert_eq!(check_lines(&made_up(text)), [Complaint::new("a.md", line, message)], "{text:?}");
        }
    }

    #[test]
    fn a_path_of_one_machine_fails() {
        for home in MACHINE_PATHS {
            let found = check_paths(&made_up(format!("a\nsee {home}me/arenite\n")));
            let want =
                format!("a.md:2: `{home}` is the path of one machine: write it relative to the repository");
            assert_eq!(found.iter().map(Complaint::to_string).collect::<Vec<_>>(), [want]);
        }
        assert_eq!(check_paths(&made_up("a/root\n")), []);
    }
}
