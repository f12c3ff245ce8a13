//! Reading flatbuffers: tables, and what their fields and lists hold. Every access is within the file's bounds; what a verified file
//! has is there, and anything else reads as absent.
//!
//! ```text
//! vtable ─┐                           table ─┐
//!         ▼                                  ▼
//!         │ bytes │ … │ slot 0 │ slot 1 │ …  │ table − vtable │ … │ field │ …
//!           u16   u16     u16                   i32                 ▲
//!                          └─ distance from the table, 0: absent ───┘
//! ```
//!
//! A field is a number, or the distance (u32) to a table or to a list (its length, u32, then its entries). All little-endian.

use super::List;
use super::verifier::Width;

/// What stands in a field, or in an entry of a list: a number, or the distance to a table.
pub trait Item<'a>: Copy {
    /// How it is verified.
    const WIDTH: Width;
    /// Bytes of it.
    const SIZE: usize;

    /// The item at `at`.
    fn read(file: &'a [u8], at: usize) -> Option<Self>;
}

macro_rules! numbers {
    ($($number:ident: $read:expr;)*) => {$(
        impl Item<'_> for $number {
            const WIDTH: Width = Width::new(Self::SIZE, stringify!($number));
            const SIZE: usize = size_of::<$number>();

            #[inline]
            fn read(file: &[u8], at: usize) -> Option<Self> {
                chunk(file, at).map($read)
            }
        }
    )*};
}

numbers! {
    bool: |[byte]: [u8; 1]| byte != 0;
    i8: i8::from_le_bytes;
    u8: u8::from_le_bytes;
    i32: i32::from_le_bytes;
    u16: u16::from_le_bytes;
    u32: u32::from_le_bytes;
    f32: f32::from_le_bytes;
    i64: i64::from_le_bytes;
    u64: u64::from_le_bytes;
}

fn chunk<const N: usize>(file: &[u8], at: usize) -> Option<[u8; N]> {
    file.get(at..)?.first_chunk().copied()
}

/// A table of the file.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    pub file: &'a [u8],
    /// Where it begins.
    pub at: usize,
    /// Where its vtable begins, and behind which byte of that nothing is told.
    vtable: usize,
    told: usize,
}

impl<'a> Table<'a> {
    /// The table at `at`; without fields if its vtable is not in the file.
    #[inline(never)]
    pub fn new(file: &'a [u8], at: usize) -> Self {
        let vtable = || {
            let to_vtable = i32::read(file, at)? as isize;
            let vtable = at.checked_add_signed(to_vtable.checked_neg()?)?;
            Some((vtable, usize::from(u16::read(file, vtable)?)))
        };
        let (vtable, told) = vtable().unwrap_or((0, 0));
        Table { file, at, vtable, told }
    }

    /// The table to which the distance at `at` leads.
    #[inline]
    pub fn read(file: &'a [u8], at: usize) -> Option<Self> {
        Some(Table::new(file, follow(file, at)?))
    }

    /// Where a field is, if it is there. Every accessor asks: it is there once.
    #[inline(never)]
    pub fn field(&self, slot: u16) -> Option<usize> {
        let entry = vtable_offset(slot);
        if entry >= self.told {
            return None;
        }
        let distance = u16::read(self.file, self.vtable.checked_add(entry)?)?;
        if distance == 0 { None } else { self.at.checked_add(usize::from(distance)) }
    }

    #[inline]
    pub fn item<T: Item<'a>>(&self, slot: u16) -> Option<T> {
        T::read(self.file, self.field(slot)?)
    }

    /// The table in a field.
    #[inline]
    pub fn table(&self, slot: u16) -> Option<Self> {
        Table::read(self.file, self.field(slot)?)
    }

    /// The list in a field; empty if there is none.
    #[inline]
    pub fn list<T: Item<'a>>(&self, slot: u16) -> List<'a, T> {
        let (start, len) = self.entries(slot).unwrap_or((0, 0));
        List::new(self.file, start, len)
    }

    /// Where the entries of the list in a field begin, and how many there are.
    #[inline(never)]
    fn entries(&self, slot: u16) -> Option<(usize, usize)> {
        let at = follow(self.file, self.field(slot)?)?;
        Some((at.checked_add(4)?, u32::read(self.file, at)? as usize))
    }

    pub fn bytes(&self, slot: u16) -> Option<&'a [u8]> {
        let (start, count) = self.entries(slot)?;
        self.file.get(start..)?.get(..count)
    }

    pub fn text(&self, slot: u16) -> Option<&'a str> {
        core::str::from_utf8(self.bytes(slot)?).ok()
    }
}

/// Where the distance at `at` leads.
pub fn follow(file: &[u8], at: usize) -> Option<usize> {
    at.checked_add(u32::read(file, at)? as usize)
}

/// Where the vtable has the distance of field number `slot`.
#[inline]
pub const fn vtable_offset(slot: u16) -> usize {
    2 * (slot as usize + 2)
}
