//! Separates Rust code from comments and strings.

/// `text` with comments and the contents of quotes replaced by spaces. Line breaks, the quotes themselves and all
/// positions stay, so an offset into the result is an offset into `text`.
pub fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if bytes[at..].starts_with(b"//") => blank(&mut out, at, line_end(bytes, at)),
            b'/' if bytes[at..].starts_with(b"/*") => blank(&mut out, at, comment_end(bytes, at)),
            b'"' => quoted(&mut out, at, b'"'),
            b'\'' if is_character(text, at) => quoted(&mut out, at, b'\''),
            first if is_word(first) => word(&mut out, bytes, at),
            _ => at + 1,
        };
        at = end;
    }
    String::from_utf8(out).expect("blanked ranges start and end at ASCII characters")
}

/// The line of an offset, from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    1 + text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count()
}

/// Offsets at which `word` occurs as a whole: its first and last letter, digit or underscore is not adjacent to another
/// one.
pub fn find_word<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let bytes = code.as_bytes();
    let edge = |byte: Option<u8>, own: u8| !(is_word(own) && byte.is_some_and(is_word));
    let (first, last) = (word.as_bytes()[0], word.as_bytes()[word.len() - 1]);
    code.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let before = at.checked_sub(1).map(|at| bytes[at]);
        edge(before, first) && edge(bytes.get(at + word.len()).copied(), last)
    })
}

/// The line of the first bracket of `code` that is not closed properly, if there is one. Valid Rust has no such
/// bracket, so it indicates a scanning error.
pub fn unbalanced(code: &str) -> Option<usize> {
    let mut open = Vec::new();
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'(' => open.push((b')', at)),
            b'[' => open.push((b']', at)),
            b'{' => open.push((b'}', at)),
            b')' | b']' | b'}' if open.pop().is_none_or(|(close, _)| close != byte) => {
                return Some(line_of(code, at));
            }
            _ => {}
        }
    }
    open.pop().map(|(_, at)| line_of(code, at))
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

fn blank(out: &mut [u8], from: usize, to: usize) -> usize {
    for byte in &mut out[from..to] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
    to
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |length| at + length)
}

/// The end of a comment that may contain comments.
pub fn comment_end(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0;
    while at < bytes.len() {
        let step = match &bytes[at..] {
            [b'/', b'*', ..] => (1, 2),
            [b'*', b'/', ..] => (-1, 2),
            _ => (0, 1),
        };
        depth += step.0;
        at += step.1;
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

/// Blanks a literal with escapes that starts with the quote at `at`; returns its end.
fn quoted(out: &mut [u8], at: usize, quote: u8) -> usize {
    let mut end = at + 1;
    while end < out.len() && out[end] != quote {
        end += if out[end] == b'\\' { 2 } else { 1 };
    }
    let end = end.min(out.len());
    blank(out, at + 1, end);
    (end + 1).min(out.len())
}

/// Whether the quote at `at` starts a character literal, not a lifetime: an escape follows, or a quote one character
/// later.
fn is_character(text: &str, at: usize) -> bool {
    let mut rest = text[at + 1..].chars();
    match rest.next() {
        Some('\\') => true,
        Some('\'') | None => false,
        Some(_) => rest.next() == Some('\''),
    }
}

/// Skips a word, and the raw string of which it may be the prefix. `br"…"` counts, `r#type` does not.
fn word(out: &mut [u8], bytes: &[u8], at: usize) -> usize {
    let end = at + bytes[at..].iter().take_while(|&&byte| is_word(byte)).count();
    if !matches!(&bytes[at..end], b"r" | b"br" | b"cr") {
        return end;
    }
    let hashes = bytes[end..].iter().take_while(|&&byte| byte == b'#').count();
    let open = end + hashes;
    if bytes.get(open) != Some(&b'"') {
        return end;
    }
    let close: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    let length = bytes[open + 1..].windows(close.len()).position(|window| window == close);
    let stop = length.map_or(bytes.len(), |length| open + 1 + length);
    blank(out, open + 1, stop);
    (stop + close.len()).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn becomes(text: &str, want: &str) {
        let found = code(text);
        assert_eq!(found, want);
        assert_eq!(found.len(), text.len());
    }

    #[test]
    fn comments_are_blanked() {
        becomes("a // unsafe {\nb", "a            \nb");
        becomes("a /* x /* y */ unsafe\n*/ b", "a                    \n   b");
        becomes("a /* without end", "a               ");
        becomes("/// unsafe\nfn", "          \nfn");
        becomes("1 / 2 * 3", "1 / 2 * 3");
        becomes("/* é */x", "        x");
    }

    #[test]
    fn strings_are_blanked() {
        becomes(r#"f("unsafe // {", x)"#, r#"f("           ", x)"#);
        becomes(r#""a\"b" c"#, r#""    " c"#);
        becomes(r#""\\" c "d""#, r#""  " c " ""#);
        becomes("\"a\n\\\nb\" c", "\" \n \n \" c");
        becomes(r#"b"x" c"y""#, r#"b" " c" ""#);
        becomes("\"without end", "\"           ");
        becomes("\"é\" é", "\"  \" é");
        becomes("\"\\", "\" ");
    }

    #[test]
    fn raw_strings_are_blanked() {
        becomes(r###"r"\" x"###, r###"r" " x"###);
        becomes(r###"r#"a"b"# x"###, r###"r#"   "# x"###);
        becomes(r###"br##"a"#b"## x"###, r###"br##"    "## x"###);
        becomes(r###"r#type + r#"{"#"###, r###"r#type + r#" "#"###);
        becomes(r###"number"{" "###, r###"number" " "###);
        becomes("r#\"without", "r#\"       ");
    }

    #[test]
    fn characters_are_blanked_and_lifetimes_are_not() {
        becomes("f('{', '\"')", "f(' ', ' ')");
        becomes(r"'\'' '\\' '\u{7d}' b'}'", r"'  ' '  ' '      ' b' '");
        becomes("fn f<'a>(x: &'a str, y: &'a u8)", "fn f<'a>(x: &'a str, y: &'a u8)");
        becomes("'outer: loop { break 'outer; }", "'outer: loop { break 'outer; }");
        becomes("impl<'a, 'b> X<'a> for 'é'", "impl<'a, 'b> X<'a> for '  '");
    }

    #[test]
    fn words_end_at_a_non_letter() {
        let found: Vec<usize> = find_word("unsafe_code unsafe{ (unsafe) notunsafe", "unsafe").collect();
        assert_eq!(found, [12, 21]);
        assert_eq!(find_word("x.unwrap().unwrap_or(1)", ".unwrap()").collect::<Vec<_>>(), [1]);
        assert_eq!(find_word("println! eprintln!", "println!").collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn brackets_balance() {
        assert_eq!(["{(\n[])}", "{\n(}", "{\n", "\n\n]"].map(unbalanced), [None, Some(2), Some(1), Some(3)]);
    }

    #[test]
    fn lines_count_from_one() {
        assert_eq!([0, 1, 2, 4].map(|at| line_of("a\nb\nc", at)), [1, 1, 2, 3]);
    }
}
