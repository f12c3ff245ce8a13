//! The width of comments and documents: 120 characters. rustfmt wraps code, but no comments.

use crate::Complaint;
use crate::tree::Text;

const LIMIT: usize = 120;

/// How to distinguish a file's prose from its code.
enum Syntax {
    /// All lines outside of fences are prose.
    Markdown,
    /// Prose is after one of these marks.
    Lines(&'static [&'static str]),
    /// As C: after `//`, or between `/*` and `*/`.
    Blocks,
}

/// Reports wider lines of prose that could be broken. Tables and fenced blocks may be wider.
pub fn check(texts: &[Text]) -> Vec<Complaint> {
    texts.iter().flat_map(|text| wide(text).into_iter().map(|line| complaint(text, line))).collect()
}

fn complaint(text: &Text, line: usize) -> Complaint {
    let message = format!("prose wider than {LIMIT} characters: break the line");
    Complaint::new(&text.path, line, message)
}

fn syntax(path: &str) -> Option<Syntax> {
    match path.rsplit_once('.')?.1 {
        "md" => Some(Syntax::Markdown),
        "rs" => Some(Syntax::Lines(&["///", "//!", "//"])),
        "sh" | "py" | "toml" => Some(Syntax::Lines(&["#"])),
        "c" | "h" | "cc" | "cpp" | "hpp" | "cl" | "wgsl" => Some(Syntax::Blocks),
        _ => None,
    }
}

/// The lines of a file that are too wide.
fn wide(Text { path, text }: &Text) -> Vec<usize> {
    let Some(syntax) = syntax(path) else { return Vec::new() };
    let (mut is_fenced, mut is_block, mut found) = (false, false, Vec::new());
    for (at, line) in text.lines().enumerate() {
        let start = line.trim_start();
        let prose = match &syntax {
            Syntax::Markdown => Some(start),
            Syntax::Lines(marks) => marks.iter().find_map(|mark| start.strip_prefix(mark)),
            Syntax::Blocks => {
                let is_comment = is_block || start.starts_with("/*");
                let closed = start.split_once("*/");
                is_block = is_comment && closed.is_none();
                let has_code = closed.is_some_and(|(_, code)| !code.is_empty());
                if is_comment && !has_code {
                    Some(start.trim_start_matches(['/', '*']))
                } else {
                    start.strip_prefix("//")
                }
            }
        };
        let Some(prose) = prose.map(str::trim_start) else {
            is_fenced = false;
            continue;
        };
        if prose.starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced && !prose.starts_with('|') && line.chars().count() > LIMIT && is_breakable(prose)
        {
            found.push(at + 1);
        }
    }
    found
}

/// Whether the text has two words, not counting the mark of a list.
fn is_breakable(prose: &str) -> bool {
    prose.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        wide(&Text { path: path.into(), text: text.into() })
    }

    #[test]
    fn wide_prose_fails() {
        let words = "word ".repeat(24);
        let complaints = check(&[Text { path: "a.md".into(), text: format!("{words}\n\n- {words}\n") }]);
        let want = "a.md:3: prose wider than 120 characters: break the line";
        assert_eq!(complaints.iter().map(Complaint::to_string).collect::<Vec<_>>(), [want]);
        for (path, text) in [
            ("a.rs", format!("x\n    /// {words}")),
            ("a.rs", format!("x\n//! {words}")),
            ("a.sh", format!("x\n# {words}")),
            ("a.h", format!("/* x\n   {words} */")),
            ("a.cl", format!("x\n/* {words}")),
            ("a.wgsl", format!("x\n// {words}")),
        ] {
            assert_eq!(lines(path, &text), [2], "{text}");
        }
        assert_eq!(lines("a.md", &format!("```\n- {words}\n```\n- {words}")), [4]);
        assert_eq!(lines("a.rs", &format!("// ```\nf();\n// {words}")), [3], "code ends a fence");
    }

    #[test]
    fn code_tables_fences_and_long_words_pass() {
        let (words, word) = ("word ".repeat(30), "word".repeat(40));
        for (path, text) in [
            ("a.rs", format!("let x = \"{words}\"; // {words}")),
            ("a.rs", format!("//! ```text\n//! {words}\n//! ```\n/// | {words}")),
            ("a.md", format!("- {word}\n\n| {words}\n\n```\n{words}\n```\n")),
            ("a.h", format!("/* x */ int {words}\nint {words} /* x */")),
            ("a.txt", words.clone()),
        ] {
            assert_eq!(lines(path, &text), [0; 0], "{text}");
        }
    }
}
