//! Options tables by slot, and the bytes of constant data.

/// An options table by slot. Slots that are not set have the schema's default.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Slot numbers and values.
    pub slots: Vec<(u16, Value)>,
}

/// Value of an options field.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Value {
    Bool(bool),
    I8(i8),
    I32(i32),
    I64(i64),
    F32(f32),
    Text(String),
    I32s(Vec<i32>),
    I64s(Vec<i64>),
    F32s(Vec<f32>),
    Bytes(Vec<u8>),
}

macro_rules! option_setters {
    ($($(#[$doc:meta])* $name:ident($of:ty) $variant:ident,)*) => {
        impl Options {
            $($(#[$doc])*
            pub fn $name(mut self, slot: u16, value: $of) -> Self {
                self.slots.push((slot, Value::$variant(value.into())));
                self
            })*
        }
    };
}

option_setters! {
    /// Sets a bool field.
    bool(bool) Bool,
    /// Sets a byte or a byte-sized enum.
    i8(i8) I8,
    /// Sets an int, an int-sized enum or a uint of the same bits.
    i32(i32) I32,
    /// Sets a long.
    i64(i64) I64,
    /// Sets a float.
    f32(f32) F32,
    /// Sets a string.
    text(&str) Text,
    /// Sets a vector of ints.
    i32s(&[i32]) I32s,
    /// Sets a vector of longs.
    i64s(&[i64]) I64s,
    /// Sets a vector of floats.
    f32s(&[f32]) F32s,
    /// Sets a vector of bytes.
    bytes(&[u8]) Bytes,
}

/// A number in constant data.
pub trait Number: Copy {
    /// Appends the number's little-endian bytes.
    fn append(self, bytes: &mut Vec<u8>);
}

macro_rules! numbers {
    ($($of:ty)*) => {
        $(impl Number for $of {
            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        })*
    };
}

numbers! { i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 }

impl Number for bool {
    fn append(self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(self));
    }
}

/// The little-endian bytes of numbers, as stored in buffers.
pub fn bytes_of<T: Number>(values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_of_val(values));
    values.iter().for_each(|value| value.append(&mut bytes));
    bytes
}

/// The buffer of a string tensor: count, `count + 1` offsets, text.
pub fn bytes_of_strings<S: AsRef<[u8]>>(values: &[S]) -> Vec<u8> {
    let mut offset = 4 * (values.len() as u32 + 2);
    let mut bytes = bytes_of(&[values.len() as u32, offset]);
    for value in values {
        offset += value.as_ref().len() as u32;
        offset.append(&mut bytes);
    }
    values.iter().for_each(|value| bytes.extend_from_slice(value.as_ref()));
    bytes
}
