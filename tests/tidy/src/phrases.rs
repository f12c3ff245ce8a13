//! Phrases that native readers stumble over, counted per file in a list that may only shrink.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::length::Exception;
use crate::tree::Text;
use crate::{Complaint, scan};

/// A file may have this many phrases per 10,000 words, and always [`FREE`], without an entry in the list.
pub const LIMIT: usize = 60;
pub const FREE: usize = 2;

/// This file, whose tests contain the phrases.
pub const TESTED: &str = "tests/tidy/src/phrases.rs";

/// The phrases, each with a plain form.
static PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let lines = include_str!("../plain_forms.txt").lines();
    let phrases = lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": "));
    phrases.map(|(words, instead)| Phrase { words: words.split(' ').collect(), instead }).collect()
});

struct Phrase {
    /// For each word, its alternatives separated by `|`, or `*` for any word. A trailing `?` marks an optional word.
    words: Vec<&'static str>,
    instead: &'static str,
}

/// A phrase in a file.
pub struct Found {
    pub line: usize,
    phrase: String,
    instead: &'static str,
}

/// The prose of a file: the number of its words, and its phrases.
pub struct Prose {
    pub path: String,
    pub words: usize,
    pub found: Vec<Found>,
}

impl Prose {
    /// The number of phrases that need no entry in the list.
    fn free(&self) -> usize {
        FREE.max(self.words * LIMIT / 10_000)
    }
}

/// A word, with letters in lower case.
struct Word {
    text: String,
    line: usize,
    /// Whether only white space separates it from the word before it.
    continues: bool,
}

/// Measures the files that contain prose: comments and strings of code, and Markdown.
pub fn measure<'a>(texts: impl IntoIterator<Item = &'a Text>) -> Vec<Prose> {
    let prose = |text: &Text| {
        let words = match text.path.rsplit_once('.')?.1 {
            "md" => words(&paragraphs(&text.text)),
            "rs" | "c" | "h" | "cl" | "wgsl" => words(&comments_and_strings(&text.text)),
            _ => return None,
        };
        Some(Prose { path: text.path.clone(), words: words.len(), found: find(&words) })
    };
    texts.into_iter().filter_map(prose).collect()
}

/// Reports every phrase of the files that have more than the list allows.
pub fn check(files: &[Prose], allowed: &[Exception], list: &str) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in files {
        let entry = allowed.iter().find(|entry| entry.key == file.path).map_or(0, |entry| entry.lines);
        let most = entry.max(file.free());
        if file.found.len() <= most {
            continue;
        }
        let count = format!("{} such phrases in {} words, the limit is {most}", file.found.len(), file.words);
        complaints.extend(file.found.iter().map(|Found { line, phrase, instead }| {
            let message = format!(
                "`{phrase}`: write instead: {instead} ({count}; a moved file keeps its line of {list}, and \
                 `ARENITE_TIDY_WRITE=1 cargo test -p arenite-tidy phrases` lowers the list)"
            );
            Complaint::new(&file.path, *line, message)
        }));
    }
    complaints
}

/// The list `text` with each count lowered to the actual one, and without files that need no entry.
pub fn lowered(text: &str, files: &[Prose]) -> String {
    let files: BTreeMap<&str, &Prose> = files.iter().map(|file| (file.path.as_str(), file)).collect();
    let lowered = |line: &str| {
        let Some((path, count)) = line.split_once(' ').filter(|_| !line.starts_with('#')) else {
            return Some(format!("{line}\n"));
        };
        let file = files.get(path).filter(|file| file.found.len() > file.free())?;
        let count = count.parse().map_or(file.found.len(), |count: usize| count.min(file.found.len()));
        Some(format!("{path} {count}\n"))
    };
    text.lines().filter_map(lowered).collect()
}

fn find(words: &[Word]) -> Vec<Found> {
    let mut found = Vec::new();
    for at in 0..words.len() {
        for Phrase { words: pattern, instead } in &*PHRASES {
            if let Some(length) = matched(&words[at..], pattern, true) {
                let texts: Vec<&str> = words[at..at + length].iter().map(|word| word.text.as_str()).collect();
                found.push(Found { line: words[at].line, phrase: texts.join(" "), instead });
            }
        }
    }
    found
}

/// The number of words at the start of `words` that match the pattern.
fn matched(words: &[Word], pattern: &[&str], is_first: bool) -> Option<usize> {
    let Some((first, rest)) = pattern.split_first() else { return Some(0) };
    let (alternatives, optional) = first.strip_suffix('?').map_or((*first, false), |word| (word, true));
    let next = words.first().filter(|word| {
        (is_first || word.continues) && (*first == "*" || alternatives.split('|').any(|one| one == word.text))
    });
    match next {
        Some(_) => matched(&words[1..], rest, false).map(|length| length + 1),
        None if optional => matched(words, rest, is_first),
        None => None,
    }
}

/// Lines of prose that belong together, with their numbers.
type Block<'a> = Vec<(usize, &'a str)>;

/// Paragraphs, list items and table cells of Markdown, without code.
fn paragraphs(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = vec![Vec::new()];
    let mut is_code = false;
    for (at, line) in text.lines().enumerate() {
        let start = line.trim_start();
        if start.starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            if start.is_empty() || start.starts_with(['-', '*', '|', '#']) {
                blocks.push(Vec::new());
            }
            for (cell, part) in line.split('|').enumerate() {
                if cell > 0 {
                    blocks.push(Vec::new());
                }
                blocks.last_mut().expect("the first block exists").push((at + 1, part));
            }
        }
    }
    blocks
}

/// Comments, with adjacent lines in one block, and strings that contain a space.
fn comments_and_strings(text: &str) -> Vec<Block<'_>> {
    let code = scan::code(text);
    let (text_bytes, code_bytes) = (text.as_bytes(), code.as_bytes());
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let (mut at, mut line, mut last_comment) = (0, 1, usize::MAX - 1);
    while at < text.len() {
        let rest = &text_bytes[at..];
        let end = if code_bytes[at] == b' ' && rest.starts_with(b"//") {
            let end = at + rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            if last_comment + 1 != line {
                blocks.push(Vec::new());
            }
            blocks
                .last_mut()
                .expect("a comment line came before")
                .push((line, text[at..end].trim_start_matches(['/', '!'])));
            last_comment = line;
            end
        } else if code_bytes[at] == b' ' && rest.starts_with(b"/*") {
            let end = scan::comment_end(text_bytes, at);
            let lines = text[at..end].lines().enumerate();
            blocks.push(
                lines.map(|(below, part)| (line + below, part.trim_matches(['/', '*', ' ']))).collect(),
            );
            end
        } else if code_bytes[at] == b'"' {
            let length = code_bytes[at + 1..].iter().position(|&byte| byte == b'"');
            let end = length.map_or(text.len(), |length| at + 1 + length);
            let string = &text[at + 1..end];
            if string.contains(' ') {
                blocks.push(string.lines().enumerate().map(|(below, part)| (line + below, part)).collect());
            }
            (end + 1).min(text.len())
        } else {
            at + 1
        };
        line += text_bytes[at..end].iter().filter(|&&byte| byte == b'\n').count();
        at = end;
    }
    blocks
}

/// The words of all blocks. A code span counts as one word, a fenced block as none.
fn words(blocks: &[Block<'_>]) -> Vec<Word> {
    let mut words = Vec::new();
    for block in blocks {
        let (mut continues, mut is_fenced, mut is_span) = (false, false, false);
        for (line, text) in block {
            if text.trim_start().starts_with("```") {
                (is_fenced, continues) = (!is_fenced, false);
            } else if !is_fenced {
                words_of(text, *line, &mut continues, &mut is_span, &mut words);
            }
        }
    }
    words
}

/// Appends the words of a line. `continues`: only white space separates it from the last word. `is_span`: the line
/// starts within a code span.
fn words_of(text: &str, line: usize, continues: &mut bool, is_span: &mut bool, words: &mut Vec<Word>) {
    let mut push = |text: &str, continues: &mut bool| {
        words.push(Word { text: text.to_lowercase(), line, continues: *continues });
        *continues = true;
    };
    for (at, part) in text.split('`').enumerate() {
        if at > 0 {
            *is_span = !*is_span;
            if !*is_span {
                push("x", continues);
            }
        }
        if *is_span {
            continue;
        }
        let is_letter = |one: char| one.is_alphanumeric() || one == '\'' || one == '_';
        let mut rest = part;
        while let Some(one) = rest.chars().next() {
            let length = rest.find(|one| !is_letter(one)).unwrap_or(rest.len());
            if length > 0 {
                push(&rest[..length], continues);
                rest = &rest[length..];
            } else {
                *continues &= one.is_whitespace();
                rest = &rest[one.len_utf8()..];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::length::exceptions;

    fn measured(path: &str, text: &str) -> Vec<Prose> {
        measure(&[Text { path: path.into(), text: text.into() }])
    }

    /// Each line of `phrase_cases.txt`: its number, the file name, the text and the expected phrases.
    fn cases() -> impl Iterator<Item = (usize, &'static str, String, &'static str)> {
        let lines = include_str!("../phrase_cases.txt").lines().enumerate();
        lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).map(|(at, line)| {
            let (path, rest) = line.split_once(": ").expect("a file name");
            let (text, phrases) = rest.rsplit_once(" =>").expect("an arrow before the phrases");
            (at + 1, path, text.replace("\\n", "\n"), phrases.trim())
        })
    }

    #[test]
    fn phrases_are_found_in_prose_only() {
        assert!(cases().count() >= 10);
        for (line, path, text, wanted) in cases() {
            let found = measured(path, &text).into_iter().flat_map(|file| file.found);
            let found: Vec<String> = found.map(|found| format!("{}:{}", found.line, found.phrase)).collect();
            assert_eq!(found.join(", "), wanted, "phrase_cases.txt:{line}");
        }
        assert!(measured("a.toml", "# lies\n").is_empty());
    }

    /// A text with three phrases.
    fn lies() -> String {
        "It lies.\n\n".repeat(3)
    }

    fn said(list: &str) -> Vec<String> {
        let allowed = exceptions("list.txt", list).unwrap();
        check(&measured("a.md", &lies()), &allowed, "list.txt").iter().map(Complaint::to_string).collect()
    }

    #[test]
    fn too_many_phrases_fail() {
        let found = said("");
        assert_eq!(found.len(), 3);
        assert_eq!(
            found[1],
            "a.md:3: `lies`: write instead: is, is stored at, starts at (3 such phrases in 6 words, the limit is \
             2; a moved file keeps its line of list.txt, and `ARENITE_TIDY_WRITE=1 cargo test -p arenite-tidy \
             phrases` lowers the list)"
        );
        assert_eq!(said("a.md 2").len(), 3);
        assert_eq!(said("a.md 3"), [""; 0]);
        let long = format!("{}{}", lies(), "word ".repeat(500));
        assert!(check(&measured("a.md", &long), &[], "list.txt").is_empty(), "60 per 10,000 words");
    }

    #[test]
    fn the_list_is_only_lowered() {
        let files = measured("a.md", &lies());
        assert_eq!(lowered("# why\n\na.md 5\ngone.md 4\n", &files), "# why\n\na.md 3\n");
        assert_eq!(lowered("a.md 2\n", &files), "a.md 2\n");
        assert_eq!(lowered("a.md 9\n", &measured("a.md", "It lies.\n")), "");
    }
}
