//! Builtin options for tests: one flatbuffer table, written by hand.
//!
//! ```text
//! vtable: u16 size, u16 table size, u16 offset per slot | table: i32 back to the vtable, 8 bytes per field | vectors
//! ```

use std::vec::Vec;

use crate::raw::{ArBytes, ArTable};

/// The fields of an options table. A slot is the field's position in its table in `schema.fbs`; what is not set is left
/// out, so that the op sees its default.
#[derive(Default)]
pub struct OptionsBuilder {
    fields: Vec<(usize, Field)>,
}

enum Field {
    Scalar(Vec<u8>),
    Vector { count: usize, bytes: Vec<u8> },
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
}

macro_rules! scalars {
    ($($(#[$doc:meta])* $name:ident: $ty:ty;)*) => {$(
        $(#[$doc])*
        pub fn $name(self, slot: usize, value: $ty) -> Self {
            self.field(slot, Field::Scalar(value.to_le_bytes().to_vec()))
        }
    )*};
}

macro_rules! vectors {
    ($($(#[$doc:meta])* $name:ident: $ty:ty;)*) => {$(
        $(#[$doc])*
        pub fn $name(self, slot: usize, values: &[$ty]) -> Self {
            let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            self.field(slot, Field::Vector { count: values.len(), bytes })
        }
    )*};
}

impl OptionsBuilder {
    scalars! {
        /// A `byte` or an enumeration.
        i8: i8;
        /// A `ubyte`.
        u8: u8;
        /// A `short`.
        i16: i16;
        /// An `int`.
        i32: i32;
        /// A `uint`.
        u32: u32;
        /// A `long`.
        i64: i64;
        /// A `ulong`.
        u64: u64;
        /// A `float`.
        f32: f32;
        /// A `double`.
        f64: f64;
    }

    vectors! {
        /// An `[int]`.
        i32s: i32;
        /// A `[uint]`.
        u32s: u32;
        /// A `[long]`.
        i64s: i64;
        /// A `[float]`.
        f32s: f32;
        /// A `[ubyte]`.
        u8s: u8;
    }

    /// A `bool`.
    pub fn bool(self, slot: usize, value: bool) -> Self {
        self.u8(slot, u8::from(value))
    }

    /// A `string`.
    pub fn text(self, slot: usize, value: &str) -> Self {
        self.u8s(slot, value.as_bytes())
    }

    fn field(mut self, slot: usize, field: Field) -> Self {
        assert!(self.fields.iter().all(|(other, _)| *other != slot), "slot {slot} is set twice");
        self.fields.push((slot, field));
        self
    }

    pub(super) fn encode(self, tag: u32) -> Encoded {
        let slots = self.fields.iter().map(|(slot, _)| slot + 1).max().unwrap_or(0);
        let vtable_size = 4 + 2 * slots;
        let position = vtable_size.next_multiple_of(8);
        let table_size = 8 + 8 * self.fields.len();

        let mut bytes = std::vec![0; position + table_size];
        put(&mut bytes, 0, &(vtable_size as u16).to_le_bytes());
        put(&mut bytes, 2, &(table_size as u16).to_le_bytes());
        put(&mut bytes, position, &(position as i32).to_le_bytes());
        for (i, (slot, field)) in self.fields.iter().enumerate() {
            let offset = 8 + 8 * i;
            put(&mut bytes, 4 + 2 * slot, &(offset as u16).to_le_bytes());
            match field {
                Field::Scalar(scalar) => put(&mut bytes, position + offset, scalar),
                Field::Vector { count, bytes: elements } => {
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

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}
