//! Reads flatbuffers: tables, their fields and lists. Every access is bounds-checked. In a verified file every access
//! succeeds; otherwise it is read as an absent field.
//!
//! ```text
//! vtable ─┐                           table ─┐
//!         ▼                                  ▼
//!         │ bytes │ … │ slot 0 │ slot 1 │ …  │ table − vtable │ … │ field │ …
//!           u16   u16     u16                   i32                 ▲
//!                          └─ distance from the table, 0: absent ───┘
//! ```
//!
//! Small machines call the functions of tables; others inline them.
//!
//! A field is a number, or the distance (u32) to a table or to a list (its length, u32, then its entries). All
//! little-endian.

use super::item::{Item, Width};
use super::list::{List, Span};
use super::text;

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

/// A table in the file.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    pub file: &'a [u8],
    /// Position of the table.
    pub at: usize,
    /// Position of the vtable, and where its entries end.
    vtable: usize,
    told: usize,
}

impl<'a> Table<'a> {
    /// The table at `at`; it has no fields if its vtable is outside the file.
    #[inline(never)]
    pub(super) fn new(file: &'a [u8], at: usize) -> Self {
        let vtable = || {
            let to_vtable = i32::read(file, at)? as isize;
            let vtable = at.checked_add_signed(to_vtable.checked_neg()?)?;
            Some((vtable, usize::from(u16::read(file, vtable)?)))
        };
        let (vtable, told) = vtable().unwrap_or((0, 0));
        Table { file, at, vtable, told }
    }

    /// The table at the end of the distance at `at`.
    #[cfg_attr(feature = "alloc", inline)]
    #[cfg_attr(not(feature = "alloc"), inline(never))]
    pub(super) fn read(file: &'a [u8], at: usize) -> Option<Self> {
        Some(Table::new(file, follow(file, at)?))
    }

    /// Position of a field, if it is present. Not inlined, because every accessor calls it.
    #[inline(never)]
    pub(super) fn field(&self, slot: u16) -> Option<usize> {
        let entry = vtable_offset(slot);
        if entry >= self.told {
            return None;
        }
        let distance = u16::read(self.file, self.vtable.checked_add(entry)?)?;
        if distance == 0 { None } else { self.at.checked_add(usize::from(distance)) }
    }

    #[cfg_attr(feature = "alloc", inline)]
    #[cfg_attr(not(feature = "alloc"), inline(never))]
    pub(super) fn item<T: Item<'a>>(&self, slot: u16) -> Option<T> {
        T::read(self.file, self.field(slot)?)
    }

    /// The table in a field.
    #[cfg_attr(feature = "alloc", inline)]
    #[cfg_attr(not(feature = "alloc"), inline(never))]
    pub(super) fn table(&self, slot: u16) -> Option<Self> {
        Table::read(self.file, self.field(slot)?)
    }

    /// The list in a field; empty if it is absent.
    #[inline]
    pub(super) fn list<T: Item<'a>>(&self, slot: u16) -> List<'a, T> {
        List::new(self.span(slot))
    }

    #[cfg_attr(feature = "alloc", inline)]
    #[cfg_attr(not(feature = "alloc"), inline(never))]
    fn span(&self, slot: u16) -> Span<'a> {
        let (start, len) = self.entries(slot).unwrap_or((0, 0));
        Span { file: self.file, start, len }
    }

    /// Position of the first entry of the list in a field, and the number of entries.
    #[inline(never)]
    fn entries(&self, slot: u16) -> Option<(usize, usize)> {
        let at = follow(self.file, self.field(slot)?)?;
        Some((at.checked_add(4)?, u32::read(self.file, at)? as usize))
    }

    /// The number in a field; `default` if it is absent.
    #[cfg_attr(feature = "alloc", inline)]
    #[cfg_attr(not(feature = "alloc"), inline(never))]
    pub(super) fn number<T: Item<'a>>(&self, slot: u16, default: T) -> T {
        self.item(slot).unwrap_or(default)
    }

    pub(super) fn bytes(&self, slot: u16) -> Option<&'a [u8]> {
        let (start, count) = self.entries(slot)?;
        self.file.get(start..)?.get(..count)
    }

    pub(super) fn text(&self, slot: u16) -> Option<&'a str> {
        text::parse(self.bytes(slot)?)
    }
}

/// The target of the distance at `at`.
pub(super) fn follow(file: &[u8], at: usize) -> Option<usize> {
    at.checked_add(u32::read(file, at)? as usize)
}

/// Offset of the entry for field `slot` in a vtable.
#[inline]
pub(super) const fn vtable_offset(slot: u16) -> usize {
    2 * (slot as usize + 2)
}
