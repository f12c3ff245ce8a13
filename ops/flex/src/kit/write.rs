//! Writes custom options like a converter, for tests and for tools that create models.

use arenite_abi::prelude::*;

use super::node_def::number_of;

/// The value of an attribute.
#[derive(Clone, Copy, Debug)]
pub enum Attribute<'a> {
    /// An integer.
    Int(i64),
    /// A real number.
    Float(f32),
    /// A boolean.
    Bool(bool),
    /// Text.
    Text(&'a str),
    /// An element type.
    Type(ElementType),
    /// A shape; unknown sizes are −1.
    Shape(&'a [i64]),
    /// A list of integers.
    Ints(&'a [i64]),
    /// A list of element types.
    Types(&'a [ElementType]),
    /// A list of shapes.
    Shapes(&'a [&'a [i64]]),
}

/// Reads attributes from text: `n=2`, `n=0.5`, `n=true`, `n='text'`, `n=:F32`, `n=(1,2)`, a shape, `n=<2,3>`, a list
/// of types, `n=[F32,I64]`, or a list of shapes, `n=[<2>;<>]`; `-` means no attributes. `None` if the text has
/// another form.
pub fn attributes(text: &'static str) -> Option<Vec<(&'static str, Attribute<'static>)>> {
    use arenite_abi::testing::nodes::{numbers, type_of};
    let attribute = |text: &'static str| {
        let (name, value) = text.split_once('=')?;
        let inner = value.get(1..value.len().max(2) - 1)?;
        let value = match *value.as_bytes().first()? {
            b'\'' => Attribute::Text(inner),
            b'(' => Attribute::Ints(numbers(inner).leak()),
            b'<' => Attribute::Shape(numbers(inner).leak()),
            b'[' if inner.starts_with('<') => {
                let sizes = |shape: &'static str| &*numbers(shape.trim_matches(['<', '>'])).leak();
                Attribute::Shapes(inner.split(';').map(sizes).collect::<Vec<_>>().leak())
            }
            b'[' => {
                let names = inner.split(',').filter(|name| !name.is_empty());
                Attribute::Types(names.map(type_of).collect::<Vec<_>>().leak())
            }
            b':' => Attribute::Type(type_of(&value[1..])),
            _ if value == "true" || value == "false" => Attribute::Bool(value == "true"),
            _ if value.contains('.') => Attribute::Float(value.parse().ok()?),
            _ => Attribute::Int(value.parse().ok()?),
        };
        Some((name, value))
    };
    text.split_whitespace().filter(|word| *word != "-").map(attribute).collect()
}

/// Builds the flexbuffer `[op, NodeDef]`.
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
    // The kind and width of both strings, then the root: an offset, the vector's kind and width, and its own width.
    buffer.extend([5 << 2 | 2; 2]);
    buffer.extend([buffer.len() as u8 - vector as u8, 10 << 2 | 2, 1]);
    buffer
}

/// Serializes a NodeDef.
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
        Attribute::Types(types) => {
            let packed: Vec<u8> = types.iter().flat_map(|&ty| varint(number_of(ty))).collect();
            field(1, &field(6, &packed))
        }
        Attribute::Shapes(shapes) => {
            let shapes: Vec<u8> =
                shapes.iter().flat_map(|sizes| attribute(&Attribute::Shape(sizes))).collect();
            field(1, &shapes)
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
