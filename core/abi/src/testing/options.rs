//! Builtin options for tests, encoded as a flatbuffer table.
//!
//! ```text
//! vtable: u16 size, u16 table size, u16 offset per slot | table: i32 back to the vtable, 8 bytes per field | vectors
//! ```

use core::marker::PhantomData;
use std::vec::Vec;

use crate::ElementType;
use crate::raw::{ArBytes, ArTable};
use crate::schema::{Field, FieldInfo, FieldType, OptionsTable};
use crate::testing::nodes::numbers;

/// Builds the options table `T`. Fields that are not set are omitted, so that the op sees their defaults.
pub struct OptionsBuilder<T> {
    fields: Vec<(usize, EncodedField)>,
    of: PhantomData<fn() -> T>,
}

/// The little-endian encoding of a field in a flatbuffer.
pub enum EncodedField {
    /// Stored in the table.
    Scalar(Vec<u8>),
    /// Stored outside the table.
    Vector {
        /// The number of elements.
        count: usize,
        /// The bytes of all elements.
        bytes: Vec<u8>,
    },
}

/// Field types that tests can set.
pub trait Settable: FieldType {
    /// Encodes a value.
    fn encode(value: Self::Given<'_>) -> EncodedField;
}

impl EncodedField {
    /// Encodes the value of a field that is written as text: a number, `true`, a list such as `(1,2)`, or `'text'`.
    ///
    /// # Panics
    /// The text has another form.
    pub fn parse(field: &FieldInfo, text: &str) -> Self {
        if let Some(text) = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
            return str::encode(text);
        }
        let list = text.trim_matches(['(', ')']);
        macro_rules! by_type {
            ($($variant:ident $ty:ty;)*) => {
                match field.ty {
                    $(ElementType::$variant if field.vector => <[$ty]>::encode(&numbers(list)),
                    ElementType::$variant => <$ty>::encode(numbers(text)[0]),)*
                    _ => panic!("{} has type {}", field.name, field.ty),
                }
            };
        }
        by_type! { Bool bool; I8 i8; U8 u8; I32 i32; U32 u32; I64 i64; F32 f32; }
    }
}

macro_rules! settable {
    ($($ty:ty)*, |$value:ident| $bytes:expr) => {$(
        impl Settable for $ty {
            fn encode($value: $ty) -> EncodedField {
                EncodedField::Scalar($bytes.to_vec())
            }
        }

        impl Settable for [$ty] {
            fn encode(values: &[$ty]) -> EncodedField {
                let bytes = values.iter().flat_map(|&$value| $bytes).collect();
                EncodedField::Vector { count: values.len(), bytes }
            }
        }
    )*};
}
settable!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64, |value| value.to_le_bytes());
settable!(bool, |value| [u8::from(value)]);

impl Settable for str {
    fn encode(text: &str) -> EncodedField {
        <[u8]>::encode(text.as_bytes())
    }
}

/// An encoded options table. A node without options has the default.
#[derive(Clone, Default)]
pub(super) struct Encoded {
    tag: u32,
    position: usize,
    bytes: Vec<u8>,
}

impl Encoded {
    pub(super) fn new(tag: u32, bytes: Vec<u8>, position: usize) -> Self {
        Encoded { tag, position, bytes }
    }

    /// The table as a struct of the ABI, which borrows `self`.
    pub(super) fn raw(&self) -> ArTable {
        ArTable { buffer: ArBytes::borrowed(&self.bytes), position: self.position as u64, tag: self.tag }
    }

    /// Encodes a table with these fields.
    pub(super) fn of(tag: u32, fields: Vec<(usize, EncodedField)>) -> Self {
        let slots = fields.iter().map(|(slot, _)| slot + 1).max().unwrap_or(0);
        let vtable_size = 4 + 2 * slots;
        let position = vtable_size.next_multiple_of(8);
        let table_size = 8 + 8 * fields.len();

        let mut bytes = std::vec![0; position + table_size];
        put(&mut bytes, 0, &(vtable_size as u16).to_le_bytes());
        put(&mut bytes, 2, &(table_size as u16).to_le_bytes());
        put(&mut bytes, position, &(position as i32).to_le_bytes());
        for (i, (slot, field)) in fields.iter().enumerate() {
            let offset = 8 + 8 * i;
            put(&mut bytes, 4 + 2 * slot, &(offset as u16).to_le_bytes());
            match field {
                EncodedField::Scalar(scalar) => put(&mut bytes, position + offset, scalar),
                EncodedField::Vector { count, bytes: elements } => {
                    // Aligns the end of the count to 8 bytes, for elements of that size.
                    let start = (bytes.len() + 4).next_multiple_of(8) - 4;
                    let reference = (start - position - offset) as u32;
                    put(&mut bytes, position + offset, &reference.to_le_bytes());
                    bytes.resize(start, 0);
                    bytes.extend((*count as u32).to_le_bytes());
                    bytes.extend(elements);
                    bytes.resize(bytes.len().next_multiple_of(4), 0);
                }
            }
        }
        Encoded { tag, position, bytes }
    }
}

impl<T> Default for OptionsBuilder<T> {
    fn default() -> Self {
        OptionsBuilder { fields: Vec::new(), of: PhantomData }
    }
}

impl<T: OptionsTable> OptionsBuilder<T> {
    /// Sets a field.
    pub fn set<F: Settable + ?Sized>(mut self, field: Field<T, F>, value: F::Given<'_>) -> Self {
        let slot = usize::from(field.slot());
        assert!(self.fields.iter().all(|(other, _)| *other != slot), "slot {slot} is set twice");
        self.fields.push((slot, F::encode(value)));
        self
    }

    pub(super) fn encode(self) -> Encoded {
        Encoded::of(T::INFO.tag, self.fields)
    }
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}
