//! Builtin options for tests: one flatbuffer table, written by hand.
//!
//! ```text
//! vtable: u16 size, u16 table size, u16 offset per slot | table: i32 back to the vtable, 8 bytes per field | vectors
//! ```

use core::marker::PhantomData;
use std::vec::Vec;

use crate::raw::{ArBytes, ArTable};
use crate::schema::{Field, FieldType, OptionsTable};

/// The fields of the options table `T`. What is not set is left out, so that the op sees its default.
pub struct OptionsBuilder<T> {
    fields: Vec<(usize, Value)>,
    of: PhantomData<fn() -> T>,
}

/// A field as a flatbuffer holds it, little-endian.
pub enum Value {
    /// In the table.
    Scalar(Vec<u8>),
    /// Beside the table.
    Vector {
        /// Number of elements.
        count: usize,
        /// All of them.
        bytes: Vec<u8>,
    },
}

/// Fields that tests set.
pub trait Settable: FieldType {
    /// As a flatbuffer holds it.
    fn encode(value: Self::Given<'_>) -> Value;
}

macro_rules! settable {
    ($($ty:ty)*, |$value:ident| $bytes:expr) => {$(
        impl Settable for $ty {
            fn encode($value: $ty) -> Value {
                Value::Scalar($bytes.to_vec())
            }
        }

        impl Settable for [$ty] {
            fn encode(values: &[$ty]) -> Value {
                let bytes = values.iter().flat_map(|&$value| $bytes).collect();
                Value::Vector { count: values.len(), bytes }
            }
        }
    )*};
}
settable!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64, |value| value.to_le_bytes());
settable!(bool, |value| [u8::from(value)]);

impl Settable for str {
    fn encode(text: &str) -> Value {
        <[u8]>::encode(text.as_bytes())
    }
}

/// A finished table; the default stands for a node without options.
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

    /// The table as it crosses the boundary; it borrows `self`.
    pub(super) fn raw(&self) -> ArTable {
        ArTable { buffer: ArBytes::borrowed(&self.bytes), position: self.position as u64, tag: self.tag }
    }

    /// The table of these fields.
    pub(super) fn of(tag: u32, fields: Vec<(usize, Value)>) -> Self {
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
                Value::Scalar(scalar) => put(&mut bytes, position + offset, scalar),
                Value::Vector { count, bytes: elements } => {
                    // The count ends where elements of 8 bytes are aligned.
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
