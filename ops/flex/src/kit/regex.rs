//! Translates RE2's regular expressions to the syntax of the crate `regex`.
//!
//! Both have the same semantics. They differ in the meaning of classes such as `\d` (ASCII in RE2), in brackets within
//! classes, in braces that are not a repetition, and in quoted text.

use arenite_abi::prelude::*;
use regex::bytes::{Regex, RegexBuilder};

/// The maximum size of a compiled expression in bytes.
const SIZE: usize = 8 << 20;

/// Compiles an RE2 expression. With `whole`, it must match the whole text.
///
/// # Errors
/// The pattern is not UTF-8, is invalid, or becomes too large.
pub fn compile(pattern: &[u8], whole: bool) -> Result<Regex> {
    let text = core::str::from_utf8(pattern).map_err(|_| invalid!("the pattern is not UTF-8"))?;
    let translated = translate(text);
    let translated = if whole { format!(r"\A(?:{translated})\z") } else { translated };
    RegexBuilder::new(&translated).octal(true).size_limit(SIZE).build().map_err(|error| {
        let message = error.to_string();
        let last = message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        invalid!("the pattern '{text}' is not supported: {last}")
    })
}

fn translate(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern.chars().peekable();
    // Inside a class: the number of items seen so far.
    let mut class: Option<usize> = None;
    while let Some(c) = rest.next() {
        if let Some(position) = &mut class {
            *position += 1;
        }
        match (c, class) {
            ('\\', _) => escape(&mut rest, &mut out, class.is_some()),
            ('[', None) => {
                class = Some(0);
                out.push('[');
                if rest.peek() == Some(&'^') {
                    out.extend(rest.next());
                }
                // A bracket in the first position is a literal.
                if rest.peek() == Some(&']') {
                    rest.next();
                    out.push_str(r"\]");
                }
            }
            ('[', Some(_)) if rest.peek() == Some(&':') => {
                // Copies a named class up to its end.
                out.push('[');
                for c in rest.by_ref() {
                    out.push(c);
                    if c == ']' {
                        break;
                    }
                }
            }
            ('[' | '&' | '~', Some(_)) => out.extend(['\\', c]),
            ('-', Some(_)) if rest.peek() == Some(&'-') => out.push_str(r"\-"),
            (']', Some(_)) => {
                class = None;
                out.push(']');
            }
            ('{', None) if !is_repetition(rest.clone()) => out.push_str(r"\{"),
            _ => out.push(c),
        }
    }
    out
}

fn escape(rest: &mut core::iter::Peekable<core::str::Chars<'_>>, out: &mut String, in_class: bool) {
    let Some(c) = rest.next() else { return out.push('\\') };
    match c {
        'd' => out.push_str(if in_class { "0-9" } else { "[0-9]" }),
        'w' => out.push_str(if in_class { "0-9A-Za-z_" } else { "[0-9A-Za-z_]" }),
        's' => out.push_str(if in_class { r"\t\n\f\r " } else { r"[\t\n\f\r ]" }),
        'D' => out.push_str("[^0-9]"),
        'W' => out.push_str("[^0-9A-Za-z_]"),
        'S' => out.push_str(r"[^\t\n\f\r ]"),
        'b' | 'B' => {
            out.push_str(if c == 'b' { r"(?-u:\b)" } else { r"(?-u:\B)" });
        }
        'C' => out.push_str("(?s-u:.)"),
        'Q' => {
            let mut quoted = String::new();
            while let Some(c) = rest.next() {
                if c == '\\' && rest.peek() == Some(&'E') {
                    rest.next();
                    break;
                }
                quoted.push(c);
            }
            out.push_str(&regex::escape(&quoted));
        }
        c => out.extend(['\\', c]),
    }
}

/// Whether `{` begins `{n}`, `{n,}` or `{n,m}`.
fn is_repetition(rest: impl Iterator<Item = char>) -> bool {
    let inside: String = rest.take_while(|&c| c != '}').take(12).collect();
    let mut parts = inside.splitn(2, ',');
    let number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    number(parts.next().unwrap_or_default())
        && parts.next().is_none_or(|part| part.is_empty() || number(part))
}

/// Appends the replacement of a match: `\0` to `\9` in `rewrite` are the match's groups.
pub fn expand(rewrite: &[u8], captures: &regex::bytes::Captures<'_>, out: &mut Vec<u8>) {
    let mut rest = rewrite.iter();
    while let Some(&byte) = rest.next() {
        match byte {
            b'\\' => match rest.next() {
                Some(digit @ b'0'..=b'9') => {
                    out.extend(captures.get(usize::from(digit - b'0')).map_or(&[][..], |m| m.as_bytes()));
                }
                Some(&other) => out.push(other),
                None => {}
            },
            byte => out.push(byte),
        }
    }
}

/// Checks a rewrite.
///
/// # Errors
/// It refers to a group that the expression lacks, or ends in an escape.
pub fn check_rewrite(rewrite: &[u8], regex: &Regex) -> Result<()> {
    let mut rest = rewrite.iter();
    while let Some(&byte) = rest.next() {
        if byte != b'\\' {
            continue;
        }
        match rest.next() {
            Some(digit @ b'0'..=b'9') => {
                let group = usize::from(digit - b'0');
                ensure!(
                    group < regex.captures_len(),
                    "the rewrite names group {group}, the pattern has {}",
                    regex.captures_len() - 1
                );
            }
            Some(b'\\') => {}
            _ => {
                return Err(invalid!("the rewrite has a backslash without a digit or a backslash after it"));
            }
        }
    }
    Ok(())
}

/// Replaces the first match, or all of them.
///
/// # Errors
/// The text grows beyond 2 GiB.
pub fn replace(regex: &Regex, text: &[u8], rewrite: &[u8], all: bool) -> Result<Vec<u8>> {
    let (mut out, mut end) = (Vec::with_capacity(text.len()), 0);
    for captures in regex.captures_iter(text).take(if all { usize::MAX } else { 1 }) {
        let Some(found) = captures.get(0) else { continue };
        // RE2 never matches in the middle of a character.
        if found.is_empty() && text.get(found.start()).is_some_and(|byte| byte & 0xc0 == 0x80) {
            continue;
        }
        out.extend(&text[end..found.start()]);
        expand(rewrite, &captures, &mut out);
        end = found.end();
        ensure!(i32::try_from(out.len()).is_ok(), "a string grows beyond 2 GiB");
    }
    out.extend(&text[end..]);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_re2() {
        for (pattern, text, matches) in [
            (r"\d+", "12", true),
            (r"\d+", "١", false),
            (r"[\w-]+", "a_b-1", true),
            (r"[^\s]*", "a b", false),
            (r"a{,2}", "a{,2}", true),
            (r"a{1,2}", "aa", true),
            (r"[[a]+", "[a", true),
            (r"[]a]+", "]a", true),
            (r"[a&&b]+", "a&b", true),
            (r"[[:alpha:]]+", "ab", true),
            (r"\Qa.b\Ec", "a.bc", true),
            (r"\Qa.b\E", "axb", false),
            (r".*o.*", "fox", true),
            (r".", "\n", false),
            (r"(?i)ABC", "aBc", true),
            (r"a|ab", "ab", true),
        ] {
            assert_eq!(
                compile(pattern.as_bytes(), true).unwrap().is_match(text.as_bytes()),
                matches,
                "{pattern}"
            );
        }
        let message = compile(b"(", false).unwrap_err().message().to_owned();
        assert_eq!(message, "the pattern '(' is not supported: unclosed group");
    }

    #[test]
    fn replacements() {
        let regex = compile(b"(a)(b)?", false).unwrap();
        assert_eq!(replace(&regex, b"ab-a", br"<\2\1\\>", true).unwrap(), br"<ba\>-<a\>");
        assert_eq!(replace(&regex, b"ab-a", b"", false).unwrap(), b"-a");
        assert!(check_rewrite(br"\2\\", &regex).is_ok());
        assert_eq!(
            check_rewrite(br"\3", &regex).unwrap_err().message(),
            "the rewrite names group 3, the pattern has 2"
        );
    }
}
