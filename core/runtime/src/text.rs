//! Text that comes from models, plugins and files, made safe for terminals and logs.

use std::fmt::{self, Display, Write};

/// Shows control characters and characters that change the text direction as escapes: `\n`, `\u{1b}`. The result is one
/// line.
pub struct Visible<T>(pub T);

/// As [`Visible`], but keeps line ends. A line after the first never begins with a letter: it is indented by two spaces
/// then, so that a name with a line end in it cannot look like a message of the program's.
pub struct Lines<T>(pub T);

impl<T: Display> Display for Visible<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Filter { to: f, keeps_lines: false, at_start: false }, "{}", self.0)
    }
}

impl<T: Display> Display for Lines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Filter { to: f, keeps_lines: true, at_start: false }, "{}", self.0)
    }
}

/// Characters of a name in an error message.
const NAME: usize = 80;

/// Shows a name like [`Visible`]; if it has more than 80 characters, its middle is cut out.
pub struct Shortened<T>(pub T);

impl<T: Display> Display for Shortened<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Visible(&self.0).to_string();
        let count = name.chars().count();
        if count <= NAME {
            return f.write_str(&name);
        }
        let head = (NAME - 1) / 2;
        let tail = NAME - 1 - head;
        let ends = name.chars().take(head).chain(['…']).chain(name.chars().skip(count - tail));
        f.write_str(&ends.collect::<String>())
    }
}

/// A message whose names, which are in quotation marks, are shown like [`Shortened`] ones. A text in quotation marks
/// that has a space is not a name.
pub(crate) struct ShortNames<'a>(pub &'a str);

impl Display for ShortNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.0.split('\'').enumerate() {
            if i > 0 {
                f.write_str("'")?;
            }
            match part.contains(' ') {
                true => f.write_str(part)?,
                false => Shortened(part).fmt(f)?,
            }
        }
        Ok(())
    }
}

struct Filter<'a, 'b> {
    to: &'a mut fmt::Formatter<'b>,
    keeps_lines: bool,
    /// Whether the last character ended a line.
    at_start: bool,
}

impl Write for Filter<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut plain = 0;
        for (i, c) in text.char_indices() {
            let is_end = c == '\n' && self.keeps_lines;
            let indents = std::mem::replace(&mut self.at_start, is_end) && c.is_alphabetic();
            let escapes = is_hidden(c) && !is_end;
            if !indents && !escapes {
                continue;
            }
            self.to.write_str(&text[plain..i])?;
            plain = i;
            if indents {
                self.to.write_str("  ")?;
            }
            if escapes {
                write!(self.to, "{}", c.escape_default())?;
                plain += c.len_utf8();
            }
        }
        self.to.write_str(&text[plain..])
    }
}

/// Control characters (C0, DEL, C1), separators of lines and paragraphs, and characters that change the direction of
/// text.
fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_line_without_control_characters() {
        let name = "a\x1b[2J\x07\x7f\u{9b}\u{202e}\u{2066}\r\n\terror: ü";
        let shown = r"a\u{1b}[2J\u{7}\u{7f}\u{9b}\u{202e}\u{2066}\r\n\terror: ü";
        assert_eq!(Visible(name).to_string(), shown);
    }

    #[test]
    fn lines_do_not_begin_with_words() {
        let text = format_args!("list:\n  a\nerror{}\n1 | x\n\n", ": \x1b[1m").to_string();
        assert_eq!(Lines(text).to_string(), "list:\n  a\n  error: \\u{1b}[1m\n1 | x\n\n");
        // Also where the line end is the last of one piece of text.
        assert_eq!(Lines(format_args!("{}{}", "a\n", "error")).to_string(), "a\n  error");
    }
}
