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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlexBuilder {
    entries: Vec<(String, FlexItem)>,
}

/// A value of a flexbuffer.
#[derive(Clone, Debug, PartialEq)]
pub enum FlexItem {
    /// No value.
    Null,
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// A string.
    Text(String),
    /// A typed vector of integers.
    Ints(Vec<i64>),
    /// A typed vector of floating-point numbers.
    Floats(Vec<f64>),
    /// A vector whose items have types of their own.
    List(Vec<FlexItem>),
    /// A map.
    Map(FlexBuilder),
}

impl FlexItem {
    fn packed_type(&self) -> u8 {
        let kind = match self {
            FlexItem::Null => 0,
            FlexItem::Int(_) => 1,
            FlexItem::Float(_) => 3,
            FlexItem::Bool(_) => 26,
            FlexItem::Text(_) => 5,
            FlexItem::Ints(_) => 11,
            FlexItem::Floats(_) => 13,
            FlexItem::List(_) => 10,
            FlexItem::Map(_) => MAP,
        };
        kind << 2 | WIDTH
    }
}

const MAP: u8 = 9;
/// The code for numbers of 8 bytes.
const WIDTH: u8 = 3;

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
        self.item(key, FlexItem::Int(value))
    }

    /// Adds a floating-point number.
    pub fn float(self, key: &str, value: f32) -> Self {
        self.item(key, FlexItem::Float(value.into()))
    }

    /// Adds a truth value.
    pub fn bool(self, key: &str, value: bool) -> Self {
        self.item(key, FlexItem::Bool(value))
    }

    /// Adds a string.
    pub fn text(self, key: &str, value: &str) -> Self {
        self.item(key, FlexItem::Text(value.into()))
    }

    /// Adds a vector of integers.
    pub fn ints(self, key: &str, values: &[i64]) -> Self {
        self.item(key, FlexItem::Ints(values.to_vec()))
    }

    /// Adds an entry of any type; replaces the entry with this key.
    pub fn item(mut self, key: &str, item: FlexItem) -> Self {
        self = self.without(key);
        self.entries.push((key.into(), item));
        self
    }

    /// Removes the entry `key`.
    pub fn without(mut self, key: &str) -> Self {
        self.entries.retain(|(other, _)| other != key);
        self
    }

    /// The bytes of the flexbuffer.
    pub fn finish(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let map = put_map(&mut bytes, &self);
        put_offset(&mut bytes, map);
        bytes.extend([MAP << 2 | WIDTH, 8]);
        bytes
    }
}

/// Writes a map; returns the position of its values.
fn put_map(bytes: &mut Vec<u8>, map: &FlexBuilder) -> usize {
    let mut entries: Vec<&(String, FlexItem)> = map.entries.iter().collect();
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut keys = Vec::new();
    for (key, _) in &entries {
        keys.push(bytes.len());
        bytes.extend(key.bytes().chain([0]));
    }
    let items: Vec<&FlexItem> = entries.iter().map(|(_, item)| item).collect();
    let targets = put_targets(bytes, &items);
    align(bytes);
    put(bytes, keys.len() as i64);
    let keys_at = bytes.len();
    keys.iter().for_each(|&key| put_offset(bytes, key));
    put_offset(bytes, keys_at);
    put(bytes, 8);
    put_items(bytes, &items, &targets)
}

/// Writes the length of a vector or a map, its items, and their types; returns the position of the items.
fn put_items(bytes: &mut Vec<u8>, items: &[&FlexItem], targets: &[usize]) -> usize {
    put(bytes, items.len() as i64);
    let items_at = bytes.len();
    for (item, &target) in items.iter().zip(targets) {
        match item {
            FlexItem::Null => put(bytes, 0),
            FlexItem::Int(i) => put(bytes, *i),
            FlexItem::Float(x) => put(bytes, x.to_bits() as i64),
            FlexItem::Bool(b) => put(bytes, i64::from(*b)),
            _ => put_offset(bytes, target),
        }
    }
    bytes.extend(items.iter().map(|item| item.packed_type()));
    items_at
}

/// Writes the targets of offsets, each after its length; returns their positions.
fn put_targets(bytes: &mut Vec<u8>, items: &[&FlexItem]) -> Vec<usize> {
    items.iter().map(|item| put_target(bytes, item)).collect()
}

fn put_target(bytes: &mut Vec<u8>, item: &FlexItem) -> usize {
    align(bytes);
    match item {
        FlexItem::Text(text) => {
            put(bytes, text.len() as i64);
            bytes.extend(text.bytes().chain([0]));
            bytes.len() - text.len() - 1
        }
        FlexItem::Ints(ints) => {
            put(bytes, ints.len() as i64);
            ints.iter().for_each(|&i| put(bytes, i));
            bytes.len() - 8 * ints.len()
        }
        FlexItem::Floats(floats) => {
            put(bytes, floats.len() as i64);
            floats.iter().for_each(|x| put(bytes, x.to_bits() as i64));
            bytes.len() - 8 * floats.len()
        }
        FlexItem::List(items) => {
            let items: Vec<&FlexItem> = items.iter().collect();
            let targets = put_targets(bytes, &items);
            align(bytes);
            put_items(bytes, &items, &targets)
        }
        FlexItem::Map(map) => put_map(bytes, map),
        FlexItem::Null | FlexItem::Int(_) | FlexItem::Float(_) | FlexItem::Bool(_) => bytes.len(),
    }
}

/// Numbers are aligned to their width.
fn align(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
}

fn put(bytes: &mut Vec<u8>, number: i64) {
    bytes.extend(number.to_le_bytes());
}

fn put_offset(bytes: &mut Vec<u8>, target: usize) {
    let here = bytes.len();
    put(bytes, (here - target) as i64);
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;
    use crate::flexbuffer::FlexMap;

    #[test]
    fn nested_items_are_read_back() {
        let inner = FlexBuilder::default().int("n", -1).item("none", FlexItem::Null);
        let list = vec![FlexItem::Text("a".into()), FlexItem::Float(0.25), FlexItem::Ints(vec![])];
        let bytes = FlexBuilder::default()
            .item("map", FlexItem::Map(inner))
            .item("list", FlexItem::List(list))
            .item("floats", FlexItem::Floats(vec![0.5, -2.0]))
            .ints("ints", &[3, 4])
            .bool("last", true)
            .finish();
        let map = FlexMap::from_bytes(&bytes).unwrap();
        let inner = map.get("map").unwrap().unwrap().as_map().unwrap();
        assert_eq!(
            (inner.i64("n", 0).unwrap(), inner.len(), inner.get("none").unwrap().is_none()),
            (-1, 2, true)
        );
        let list = map.get("list").unwrap().unwrap().as_vector().unwrap();
        let items: Vec<_> = list.iter().map(Result::unwrap).collect();
        assert_eq!((items[0].as_str().unwrap(), items[1].as_f64().unwrap()), ("a", 0.25));
        assert_eq!(items[2].as_vector().unwrap().iter().count(), 0);
        let floats = map.get("floats").unwrap().unwrap().as_vector().unwrap();
        assert_eq!(floats.iter().map(|x| x.unwrap().as_f64().unwrap()).collect::<Vec<_>>(), [0.5, -2.0]);
        assert!(map.bool("last", false).unwrap());
    }
}
