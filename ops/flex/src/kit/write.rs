//! Custom options as a converter writes them: for tests and tools that make models.

use arenite_abi::prelude::*;

use super::node_def::number_of;

/// The value of an attribute.
#[derive(Clone, Copy, Debug)]
pub enum Attribute<'a> {
    /// An integer.
    Int(i64),
    /// A number.
    Float(f32),
    /// A truth value.
    Bool(bool),
    /// Text.
    Text(&'a str),
    /// An element type.
    Type(ElementType),
    /// A shape; −1 for an unknown size.
    Shape(&'a [i64]),
    /// A list of integers.
    Ints(&'a [i64]),
}

/// The flexbuffer `[op, NodeDef]`.
pub fn custom_options(op: &str, attributes: &[(&str, Attribute<'_>)]) -> Vec<u8> {
    let mut buffer = Vec::new();
    let mut texts = Vec::new();
    for text in [op.as_bytes(), &node_def(op, attributes)] {
        buffer.extend((text.len() as u32).to_le_bytes());
        texts.push(buffer.len());
        buffer.extend(text);
        buffer.push(0);
        buffer.resize(buffer.len().next_multiple_of(4), 0);
    }
    buffer.extend(2u32.to_le_bytes());
    let vector = buffer.len();
    for text in texts {
        buffer.extend((buffer.len() as u32 - text as u32).to_le_bytes());
    }
    // Kind and width of both strings, then the root: an offset, the vector's kind and width, its own width.
    buffer.extend([5 << 2 | 2; 2]);
    buffer.extend([buffer.len() as u8 - vector as u8, 10 << 2 | 2, 1]);
    buffer
}

/// A serialized NodeDef.
pub fn node_def(op: &str, attributes: &[(&str, Attribute<'_>)]) -> Vec<u8> {
    let mut bytes = field(2, op.as_bytes());
    for (name, value) in attributes {
        let entry = [field(1, name.as_bytes()), field(2, &attribute(value))].concat();
        bytes.extend(field(5, &entry));
    }
    bytes
}

fn attribute(value: &Attribute<'_>) -> Vec<u8> {
    match *value {
        Attribute::Int(value) => number(3, value as u64),
        Attribute::Float(value) => [&[4 << 3 | 5][..], &value.to_le_bytes()].concat(),
        Attribute::Bool(value) => number(5, value.into()),
        Attribute::Text(value) => field(2, value.as_bytes()),
        Attribute::Type(ty) => number(6, number_of(ty)),
        Attribute::Shape(sizes) => {
            let sizes: Vec<u8> = sizes.iter().flat_map(|&size| field(2, &number(1, size as u64))).collect();
            field(7, &sizes)
        }
        Attribute::Ints(values) => {
            let packed: Vec<u8> = values.iter().flat_map(|&value| varint(value as u64)).collect();
            field(1, &field(3, &packed))
        }
    }
}

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2][..], &varint(bytes.len() as u64), bytes].concat()
}

fn number(field: u8, value: u64) -> Vec<u8> {
    [&[field << 3][..], &varint(value)].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
