//! A table of a flatbuffer by slots, each read with checked bounds.

use core::marker::PhantomData;

use crate::raw::ArTable;
use crate::{ElementType, Result, ensure, invalid};

/// An options table that is read by slot, for code that does not know its type. The slot of a field is its position in
/// the schema.
#[derive(Clone, Copy)]
pub struct RawOptions<'a> {
    buffer: &'a [u8],
    /// Position of the table; `None` if the node has no options, so that every field has its default.
    table: Option<usize>,
}

/// The scalar types of options.
pub trait OptionScalar: Copy + 'static {
    /// The element type with the same values.
    const ELEMENT: ElementType;

    /// Reads a value from little-endian bytes; `None` if their number is not the type's size.
    fn read_le(bytes: &[u8]) -> Option<Self>;
}

macro_rules! scalars {
    ($($ty:ty: $element:ident)*) => {$(
        impl OptionScalar for $ty {
            const ELEMENT: ElementType = ElementType::$element;

            fn read_le(bytes: &[u8]) -> Option<Self> {
                Some(<$ty>::from_le_bytes(bytes.get(..size_of::<$ty>())?.try_into().ok()?))
            }
        }
    )*};
}
scalars!(i8: I8 u8: U8 i16: I16 u16: U16 i32: I32 u32: U32 i64: I64 u64: U64 f32: F32 f64: F64);

impl OptionScalar for bool {
    const ELEMENT: ElementType = ElementType::Bool;

    fn read_le(bytes: &[u8]) -> Option<Self> {
        bytes.first().map(|&b| b != 0)
    }
}

impl<'a> RawOptions<'a> {
    /// Wraps the host's table.
    ///
    /// # Safety
    /// The table's buffer must be valid for `'a`.
    pub(super) unsafe fn from_raw(raw: &ArTable, tag: u32, name: &str) -> Result<Self> {
        ensure!(
            raw.tag == tag || raw.tag == 0,
            "its options have union type {}, but this op expects {name}, type {tag}",
            raw.tag
        );
        // SAFETY: the caller guarantees that the table's buffer is valid for `'a`.
        let buffer = unsafe { raw.buffer.as_slice() };
        Ok(RawOptions {
            buffer,
            table: (raw.tag != 0 && !buffer.is_empty()).then_some(raw.position as usize),
        })
    }

    /// The table at `position` of `buffer`. Any bytes are allowed, because each read is checked.
    pub fn from_bytes(buffer: &'a [u8], position: usize) -> Self {
        RawOptions { buffer, table: Some(position) }
    }

    pub(super) fn is_present(&self) -> bool {
        self.table.is_some()
    }

    /// The scalar in `slot`, or `default` if the file omits it.
    ///
    /// # Errors
    /// The table is malformed.
    pub fn get<T: OptionScalar>(&self, slot: u16, default: T) -> Result<T> {
        let Some(at) = self.field(slot)? else { return Ok(default) };
        self.buffer.get(at..).and_then(T::read_le).ok_or_else(|| out_of_bounds(slot))
    }

    /// The vector of scalars in `slot`; empty if the file omits it.
    ///
    /// # Errors
    /// The table is malformed.
    pub fn vector<T: OptionScalar>(&self, slot: u16) -> Result<OptionVector<'a, T>> {
        let Some(at) = self.field(slot)? else {
            return Ok(OptionVector { bytes: &[], of: Default::default() });
        };
        self.vector_at(at, size_of::<T>())
            .map(|bytes| OptionVector { bytes, of: Default::default() })
            .ok_or_else(|| out_of_bounds(slot))
    }

    /// The text in `slot`; empty if the file omits it.
    ///
    /// # Errors
    /// The table is malformed, or the text is not UTF-8.
    pub fn text(&self, slot: u16) -> Result<&'a str> {
        let bytes = self.vector::<u8>(slot)?.bytes;
        core::str::from_utf8(bytes).map_err(|_| invalid!("field {slot} of its options is not UTF-8"))
    }

    /// The table in `slot`, if it is present.
    ///
    /// # Errors
    /// The table is malformed.
    pub fn table(&self, slot: u16) -> Result<Option<RawOptions<'a>>> {
        let Some(at) = self.field(slot)? else { return Ok(None) };
        let target = self.indirect(at).ok_or_else(|| out_of_bounds(slot))?;
        Ok(Some(RawOptions { buffer: self.buffer, table: Some(target) }))
    }

    /// The position of the field in `slot`; `None` if it is absent.
    fn field(&self, slot: u16) -> Result<Option<usize>> {
        let Some(table) = self.table else { return Ok(None) };
        self.find(table, slot).ok_or_else(|| out_of_bounds(slot))
    }

    /// A table starts with an i32, the distance back to its vtable = { u16 size of the vtable, u16 size of the table,
    /// u16 offset per slot, 0 if absent }.
    fn find(&self, table: usize, slot: u16) -> Option<Option<usize>> {
        let back = i32::read_le(self.buffer.get(table..)?)?;
        let vtable = usize::try_from((table as i64).checked_sub(i64::from(back))?).ok()?;
        let size = usize::from(u16::read_le(self.buffer.get(vtable..)?)?);
        let entry = 2 * usize::from(slot) + 4;
        if entry + 2 > size {
            return Some(None);
        }
        let offset = u16::read_le(self.buffer.get(vtable.checked_add(entry)?..)?)?;
        if offset == 0 {
            return Some(None);
        }
        Some(Some(table.checked_add(usize::from(offset))?))
    }

    fn indirect(&self, at: usize) -> Option<usize> {
        at.checked_add(u32::read_le(self.buffer.get(at..)?)? as usize)
    }

    fn vector_at(&self, at: usize, element: usize) -> Option<&'a [u8]> {
        let start = self.indirect(at)?;
        let count = u32::read_le(self.buffer.get(start..)?)? as usize;
        let data = start.checked_add(4)?;
        self.buffer.get(data..data.checked_add(count.checked_mul(element)?)?)
    }
}

fn out_of_bounds(slot: u16) -> crate::Error {
    invalid!("field {} of its options is outside the file", usize::from(slot))
}

/// A vector of scalars in the options. Its elements may be unaligned.
pub struct OptionVector<'a, T> {
    bytes: &'a [u8],
    of: PhantomData<fn() -> T>,
}

impl<'a, T: OptionScalar> OptionVector<'a, T> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / size_of::<T>()
    }

    /// Whether the vector is empty.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Iterates over the elements in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + 'a {
        self.bytes.chunks_exact(size_of::<T>()).filter_map(T::read_le)
    }
}
