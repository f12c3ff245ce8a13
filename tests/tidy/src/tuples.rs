//! Parameters that are tuples with two elements of one type: a call with the elements exchanged would compile.

use crate::Complaint;
use crate::items::matching;
use crate::scan::{find_word, line_of};
use crate::tree::Source;

/// Reports functions with such parameters.
pub fn check<'a>(sources: impl IntoIterator<Item = &'a Source>) -> Vec<Complaint> {
    let complaint = |source: &'a Source, line| {
        let message = "a tuple parameter with two elements of one type, which a caller can exchange: name them in a \
                       struct, or pass them separately";
        Complaint::new(&source.path, line, message)
    };
    let found = sources.into_iter().map(|source| (source, lines(&source.library)));
    found.flat_map(|(source, lines)| lines.into_iter().map(move |line| complaint(source, line))).collect()
}

/// The lines of such functions in `code`: one line per parameter.
fn lines(code: &str) -> Vec<usize> {
    let functions = find_word(code, "fn").map(|at| (at, parameters(code, at)));
    let ambiguous = |at: usize, parameters: &str| {
        let count = split(parameters).into_iter().filter(|one| is_ambiguous(one)).count();
        std::iter::repeat_n(line_of(code, at), count)
    };
    functions.flat_map(|(at, parameters)| ambiguous(at, parameters)).collect()
}

/// The parameter list of the function whose `fn` is at `at`, without parentheses. Empty for a type such as `fn(u8)`.
fn parameters(code: &str, at: usize) -> &str {
    let name = code[at + 2..].trim_start();
    let start = code.len() - name.len();
    let length = name.find(|c: char| !(c.is_alphanumeric() || "_#$".contains(c))).unwrap_or(name.len());
    let mut open = start + length;
    if length > 0 && code[open..].starts_with('<') {
        open = generics_end(code, open);
    }
    let is_list = length > 0 && code[open..].starts_with('(');
    if is_list { &code[open + 1..matching(code, open) - 1] } else { "" }
}

/// The position after the angle bracket that closes the one at `open`.
fn generics_end(code: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        depth += angle(code, at, byte);
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// By how much the byte at `at` changes the depth of angle brackets; `->` and `=>` have none.
fn angle(code: &str, at: usize, byte: u8) -> i32 {
    match byte {
        b'<' => 1,
        b'>' if !code[..at].ends_with(['-', '=']) => -1,
        _ => 0,
    }
}

/// The parts of a list that are separated by commas outside of brackets.
fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => depth += angle(list, at, byte),
        }
    }
    parts.push(list[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether the type of a parameter is a tuple, or a reference to one, with two equal elements.
fn is_ambiguous(parameter: &str) -> bool {
    let mut depth = 0;
    let colon = parameter.bytes().position(|byte| {
        depth += i32::from(b"([{".contains(&byte)) - i32::from(b")]}".contains(&byte));
        byte == b':' && depth == 0
    });
    let Some(colon) = colon else { return false };
    let mut kind = parameter[colon + 1..].trim();
    while let Some(inner) = kind.strip_prefix('&') {
        let inner = inner.trim_start();
        let lifetime = inner.strip_prefix('\'').and_then(|rest| rest.split_once(' '));
        let inner = lifetime.map_or(inner, |(_, rest)| rest);
        kind = inner.strip_prefix("mut ").unwrap_or(inner).trim_start();
    }
    let Some(elements) = kind.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return false };
    let elements = split(elements);
    elements.iter().enumerate().any(|(at, one)| elements[..at].contains(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Text, sources};

    #[test]
    fn equal_elements_are_found() {
        for text in [
            "fn f((width, height): (usize, usize)) {}",
            "fn f(&self, x: &'a mut (u8, &str, u8)) {}",
            "fn f<T: Fn(u8) -> u8>(x: u8, pair: ([T; 2], [T; 2],)) -> u8;",
            "pub(super) fn\nf(pair: &&(Vec<(u8, u16)>, Vec<(u8, u16)>)) {}",
        ] {
            assert_eq!(lines(text), [1], "{text}");
        }
        assert_eq!(lines("\nfn f(a: (u8, u8), b: (i8, i8)) {}"), [2, 2]);
        let text = Text { path: "a.rs".into(), text: "\nfn f(pair: (u8, u8)) {}\n".into() };
        let complaints: Vec<String> = check(&sources(&[text])).iter().map(Complaint::to_string).collect();
        let want = "a.rs:2: a tuple parameter with two elements of one type, which a caller can exchange: name them in \
                    a struct, or pass them separately";
        assert_eq!(complaints, [want]);
    }

    #[test]
    fn other_parameters_pass() {
        for text in [
            "fn f(x: (u8, u16), y: (Vec<u8>, Vec<u16>)) -> (u8, u8) {}",
            "fn f(list: &[(u8, u8)], map: Map<u8, (u8, u8)>, run: impl Fn((u8, u8))) {}",
            "struct S { x: (u8, u8) } type F = fn((u8, u8));",
            "fn f(self, unit: (), one: (u8)) { let x: (u8, u8) = y; }",
        ] {
            assert_eq!(lines(text), [0; 0], "{text}");
        }
    }
}
