//! Finds items of a file by matching brackets in its [`code`](crate::scan::code).

use std::ops::Range;

use crate::scan::{find_word, line_of};

/// A function with a body.
#[derive(Debug, PartialEq)]
pub struct Function {
    pub name: String,
    pub line: usize,
    /// From the line of `fn` to the line of the closing brace.
    pub lines: usize,
}

/// The test-only parts of a file.
#[derive(Debug, PartialEq)]
pub struct TestParts {
    /// The ranges of items with `#[cfg(test)]`, including the attribute.
    pub items: Vec<Range<usize>>,
    /// The names of test-only modules in separate files.
    pub modules: Vec<String>,
}

/// The functions of `code`, in order.
pub fn functions(code: &str) -> Vec<Function> {
    let found = find_word(code, "fn").filter_map(|at| {
        let rest = code[at + 2..].trim_start();
        let start = code.len() - rest.len();
        let name: String = rest.chars().take_while(|&c| c == '$' || c == '#' || is_word_char(c)).collect();
        if name.is_empty() {
            return None;
        }
        let end = item_end(code, start, false);
        let body = code[..end].ends_with('}');
        let lines = line_of(&code[at..end], end - at);
        body.then(|| Function { name, line: line_of(code, at), lines })
    });
    found.collect()
}

/// The test-only parts of `code`.
pub fn test_parts(code: &str) -> TestParts {
    let mut parts = TestParts { items: Vec::new(), modules: Vec::new() };
    let mut at = 0;
    while let Some(found) = code[at..].find("#[cfg(") {
        let start = at + found;
        let close = matching(code, start + 1);
        at = close;
        if !is_for_tests(&code[start..close]) {
            continue;
        }
        let item = skip_attributes(code, close);
        let words: Vec<&str> = code[item..].split_whitespace().take(8).collect();
        let end = item_end(code, item, !words.first().is_some_and(|word| begins_item(word)));
        if let Some(name) = module_file(&words) {
            parts.modules.push(name.to_owned());
        }
        parts.items.push(start..end);
        at = end;
    }
    parts
}

/// `code` with test-only items blanked; positions do not change.
pub fn without_tests(code: &str) -> String {
    let mut bytes = code.as_bytes().to_vec();
    for item in test_parts(code).items {
        bytes[item].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8(bytes).expect("items start and end at ASCII characters")
}

fn is_word_char(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn is_for_tests(attribute: &str) -> bool {
    let dense: String = attribute.split_whitespace().collect();
    dense == "#[cfg(test)]" || dense.starts_with("#[cfg(all(test,")
}

/// Matches `mod name;` with any visibility.
fn module_file<'a>(words: &[&'a str]) -> Option<&'a str> {
    let at = words.iter().position(|&word| word == "mod")?;
    (at <= 1).then(|| words.get(at + 1)?.strip_suffix(';')).flatten()
}

/// Whether an item starts with this word. Otherwise the attribute is on a field, a variant or an expression.
fn begins_item(word: &str) -> bool {
    let word = word.split(|c: char| !is_word_char(c)).next().unwrap_or_default();
    let items =
        "pub fn mod use impl struct enum union const static type trait unsafe extern async macro_rules let";
    items.split(' ').any(|item| item == word)
}

fn skip_attributes(code: &str, mut at: usize) -> usize {
    loop {
        at = code.len() - code[at..].trim_start().len();
        if !code[at..].starts_with("#[") {
            return at;
        }
        at = matching(code, at + 1);
    }
}

/// The position after the bracket that closes the one at `open`, or the end of a text without it.
pub fn matching(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (offset, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return offset + 1;
        }
    }
    code.len()
}

/// The end of the item at `start`: after its semicolon or its body. A `use` may have braces before the semicolon; if it
/// is not an item (`part`), it may end at a comma or at the end of its list.
fn item_end(code: &str, start: usize, part: bool) -> usize {
    let bytes = code.as_bytes();
    let import = code[start..].split_whitespace().take(2).any(|word| word == "use");
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b';' => return at + 1,
            b',' if part => return at + 1,
            b')' | b']' | b'}' => return at,
            b'{' if !import => return matching(code, at),
            b'(' | b'[' | b'{' => at = matching(code, at),
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::code;

    fn shape(text: &str) -> Vec<(String, usize, usize)> {
        functions(&code(text)).into_iter().map(|f| (f.name, f.line, f.lines)).collect()
    }

    #[test]
    fn functions_end_at_their_brace() {
        let text =
            "fn a() {\n    '}'\n}\npub fn b<T>(x: [u8; 3]) -> T\nwhere\n    T: Fn(u8),\n{ \"{\"; // }\n}\n";
        assert_eq!(shape(text), [("a".into(), 1, 3), ("b".into(), 4, 5)]);
        assert_eq!(shape("impl X { fn a(&self) { fn b() {\n} } }"), [("a".into(), 1, 2), ("b".into(), 1, 2)]);
        assert_eq!(shape("fn r#type() {}\nfn $name() {}"), [("r#type".into(), 1, 1), ("$name".into(), 2, 1)]);
    }

    #[test]
    fn declarations_without_a_body_are_not_functions() {
        assert_eq!(shape("trait X { fn a(&self) -> [u8; 2]; }\ntype F = fn(u8) -> u8;\n// fn c() {}"), []);
    }

    #[test]
    fn test_items_are_found() {
        for (text, want) in [
            (
                "a\n#[cfg(test)]\nmod tests {\n fn f() {}\n}\nb",
                "a\n            \n           \n          \n \nb",
            ),
            ("#[cfg(test)]\nuse a::{b, c};\nd", "            \n              \nd"),
            ("#[cfg(all(test, unix))] #[x(y)] pub(crate) use a::{b};d", &(" ".repeat(54) + "d")),
            ("S { #[cfg(test)] x: u8, y: u8 }", "S {                     y: u8 }"),
            ("S { y: u8, #[cfg(test)] x: u8 }", "S { y: u8,                    }"),
            ("#[cfg(not(test))] a; #[cfg(any(test, x))] b", "#[cfg(not(test))] a; #[cfg(any(test, x))] b"),
            ("#[cfg(test)] fn f() -> [u8; 2] { x } y", "                                     y"),
        ] {
            assert_eq!(without_tests(text), want, "{text}");
        }
    }

    #[test]
    fn names_of_test_modules_are_found() {
        let text =
            "#[cfg(test)] mod tests;\n#[cfg(test)]\npub(crate) mod reference;\n#[cfg(test)]\nmod more {}";
        assert_eq!(test_parts(text).modules, ["tests", "reference"]);
    }
}
