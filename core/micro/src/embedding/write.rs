//! Names and lists of numbers, for source files in any language.

use alloc::format;
use alloc::string::String;
use core::fmt::{Display, Write};

use arenite_abi::ElementType;

use super::tables::{Constant, Tensor};

/// A generated source file.
pub struct SourceFile {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub text: String,
}

/// Names for the generated source files.
pub struct Sources<'s> {
    /// The prefix of all names that other files see: a C identifier.
    pub name: &'s str,
    /// The comment at the head of each file.
    pub title: &'s str,
    /// Identifies the states of the ops, which must be those of the kernels.
    pub states: u32,
}

impl Sources<'_> {
    /// Whether `name` can be the prefix of C names.
    pub fn is_name(name: &str) -> bool {
        let word = |c: char| c == '_' || c.is_ascii_alphanumeric();
        name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic()) && name.chars().all(word)
    }

    /// A name for the model in a file with this stem.
    pub fn name_of(stem: &str) -> String {
        let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let name: String = stem.chars().map(word).collect();
        if Self::is_name(&name) { name } else { format!("model_{name}") }
    }

    pub(super) fn upper(&self) -> String {
        self.name.to_ascii_uppercase()
    }
}

/// The scale and the zero point of a tensor that has one of each.
pub(super) fn scale_note(tensor: &Tensor) -> String {
    match tensor.scales.as_ref().map(|q| (&q.scales[..], &q.zero_points[..])) {
        Some(([scale], [zero_point])) => format!(", scale {scale}, zero point {zero_point}"),
        _ => String::new(),
    }
}

/// Text that does not end a comment.
pub(super) fn comment(text: &str) -> String {
    let plain = |c: char| if c.is_control() || !c.is_ascii() { '_' } else { c };
    text.chars().map(plain).collect::<String>().replace("*/", "* /").replace("/*", "/ *")
}

/// Text that grows.
#[derive(Default)]
pub(super) struct Text(pub String);

impl Text {
    /// Appends a line.
    pub(super) fn line(&mut self, line: impl Display) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.0, "{line}");
    }

    /// Appends items, separated by commas, in lines of at most 110 characters.
    pub(super) fn items(&mut self, items: impl Iterator<Item = String>) {
        let mut line = String::new();
        for item in items {
            if line.len() + item.len() > 106 {
                self.line(&line);
                line.clear();
            }
            line.push_str(if line.is_empty() { "    " } else { " " });
            line.push_str(&item);
            line.push(',');
        }
        if !line.is_empty() {
            self.line(&line);
        }
    }
}

/// A byte string in Rust, in lines of at most 120 characters.
pub(super) fn literal(bytes: &[u8]) -> String {
    let mut text = String::from("b\"");
    let mut room = 40;
    for &byte in bytes {
        let begins = room < 4;
        if begins {
            text.push_str("\\\n    ");
            room = 110;
        }
        let before = text.len();
        match byte {
            // Spaces at the beginning of a continued line are not part of the string.
            b' ' if begins => text.push_str("\\x20"),
            0 => text.push_str("\\0"),
            b'"' | b'\\' => text.extend(['\\', byte as char]),
            b' '..=b'~' => text.push(byte as char),
            _ => {
                let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or('0');
                text.extend(['\\', 'x', digit(byte >> 4), digit(byte & 15)]);
            }
        }
        room -= text.len() - before;
    }
    text.push('"');
    text
}

/// The C type of the elements of a list, and the elements as integers of that type.
pub(super) fn words(constant: &Constant) -> (&'static str, impl Iterator<Item = String> + use<'_>) {
    let (ty, size) = match constant.ty {
        ElementType::I8 => ("int8_t", 1),
        ElementType::I16 => ("int16_t", 2),
        ElementType::I32 => ("int32_t", 4),
        // A handle.
        ElementType::Resource => ("uint32_t", 4),
        ty => match ty.bits() {
            16 => ("uint16_t", 2),
            32 => ("uint32_t", 4),
            64 | 128 => ("uint64_t", 8),
            _ => ("uint8_t", 1),
        },
    };
    let number = move |word: &[u8]| {
        let mut bytes = [0; 8];
        bytes[..word.len()].copy_from_slice(word);
        let number = u64::from_le_bytes(bytes);
        match ty {
            "int8_t" => format!("{}", number as i8),
            "int16_t" => format!("{}", number as i16),
            // The smallest number has no literal in C.
            "int32_t" if number as i32 == i32::MIN => "-2147483647 - 1".into(),
            "int32_t" => format!("{}", number as i32),
            "uint64_t" => format!("{number:#x}u"),
            _ => format!("{number:#x}"),
        }
    };
    (ty, constant.bytes.chunks(size).map(number))
}
