//! Custom options for tests: one flexbuffer map, with all numbers in 8 bytes.

use std::string::String;
use std::vec::Vec;

use super::nodes::numbers;

/// Builds a map that [`FlexMap`](crate::flexbuffer::FlexMap) can read.
///
/// ```
/// use arenite_abi::flexbuffer::FlexMap;
/// use arenite_abi::testing::FlexBuilder;
///
/// let bytes = FlexBuilder::default().int("n", 7).text("padding", "SAME").finish();
/// assert_eq!(FlexMap::from_bytes(&bytes)?.str("padding", "")?, "SAME");
/// # Ok::<(), arenite_abi::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct FlexBuilder {
    entries: Vec<(String, Value)>,
}

#[derive(Clone)]
enum Value {
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(String),
    Ints(Vec<i64>),
}

impl Value {
    fn packed_type(&self) -> u8 {
        let kind = match self {
            Value::Int(_) => 1,
            Value::Float(_) => 3,
            Value::Bool(_) => 26,
            Value::Text(_) => 5,
            Value::Ints(_) => 11,
        };
        kind << 2 | 3
    }
}

impl FlexBuilder {
    /// Adds an entry that is written as text: `name=value`, where a value is `2`, `0.5`, `true`, `'text'` or `(1,2)`.
    ///
    /// # Panics
    /// The text has another form.
    pub fn parse(self, text: &str) -> Self {
        let (name, value) = text.split_once('=').unwrap_or_else(|| panic!("'{text}' is not name=value"));
        match value.as_bytes()[0] {
            b'\'' => self.text(name, value.trim_matches('\'')),
            b'(' => self.ints(name, &numbers(value.trim_matches(['(', ')']))),
            _ if value == "true" || value == "false" => self.bool(name, value == "true"),
            _ if value.contains('.') => self.float(name, numbers(value)[0]),
            _ => self.int(name, numbers(value)[0]),
        }
    }

    /// Adds an integer.
    pub fn int(self, key: &str, value: i64) -> Self {
        self.entry(key, Value::Int(value))
    }

    /// Adds a floating-point number.
    pub fn float(self, key: &str, value: f32) -> Self {
        self.entry(key, Value::Float(value.into()))
    }

    /// Adds a truth value.
    pub fn bool(self, key: &str, value: bool) -> Self {
        self.entry(key, Value::Bool(value))
    }

    /// Adds a string.
    pub fn text(self, key: &str, value: &str) -> Self {
        self.entry(key, Value::Text(value.into()))
    }

    /// Adds a vector of integers.
    pub fn ints(self, key: &str, values: &[i64]) -> Self {
        self.entry(key, Value::Ints(values.to_vec()))
    }

    /// Removes the entry `key`.
    pub fn without(mut self, key: &str) -> Self {
        self.entries.retain(|(other, _)| other != key);
        self
    }

    /// The bytes of the flexbuffer.
    pub fn finish(mut self) -> Vec<u8> {
        self.entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut bytes = Vec::new();
        let mut keys = Vec::new();
        for (key, _) in &self.entries {
            keys.push(bytes.len());
            bytes.extend(key.bytes().chain([0]));
        }
        let targets: Vec<usize> =
            self.entries.iter().map(|(_, value)| put_target(&mut bytes, value)).collect();
        put(&mut bytes, self.entries.len() as i64);
        let keys_at = bytes.len();
        keys.iter().for_each(|&key| put_offset(&mut bytes, key));
        put_offset(&mut bytes, keys_at);
        put(&mut bytes, 8);
        put(&mut bytes, self.entries.len() as i64);
        let values_at = bytes.len();
        for ((_, value), &target) in self.entries.iter().zip(&targets) {
            match value {
                Value::Int(i) => put(&mut bytes, *i),
                Value::Float(x) => put(&mut bytes, x.to_bits() as i64),
                Value::Bool(b) => put(&mut bytes, i64::from(*b)),
                Value::Text(_) | Value::Ints(_) => put_offset(&mut bytes, target),
            }
        }
        bytes.extend(self.entries.iter().map(|(_, value)| value.packed_type()));
        put_offset(&mut bytes, values_at);
        bytes.extend([9 << 2 | 3, 8]);
        bytes
    }

    fn entry(mut self, key: &str, value: Value) -> Self {
        self = self.without(key);
        self.entries.push((key.into(), value));
        self
    }
}

/// Writes the target of an offset after its length; returns its position.
fn put_target(bytes: &mut Vec<u8>, value: &Value) -> usize {
    match value {
        Value::Text(text) => {
            put(bytes, text.len() as i64);
            bytes.extend(text.bytes().chain([0]));
            bytes.len() - text.len() - 1
        }
        Value::Ints(ints) => {
            put(bytes, ints.len() as i64);
            ints.iter().for_each(|&i| put(bytes, i));
            bytes.len() - 8 * ints.len()
        }
        _ => bytes.len(),
    }
}

fn put(bytes: &mut Vec<u8>, number: i64) {
    bytes.extend(number.to_le_bytes());
}

fn put_offset(bytes: &mut Vec<u8>, target: usize) {
    let here = bytes.len();
    put(bytes, (here - target) as i64);
}
