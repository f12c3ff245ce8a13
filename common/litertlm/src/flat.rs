//! Reads flatbuffers. Every access is checked, and the bytes that are read count against a budget, because tables and
//! texts may be shared: a small file can describe a huge structure.

use std::cell::Cell;

use crate::error::{Error, Result};

/// A flatbuffer.
pub(crate) struct Flat<'a> {
    bytes: &'a [u8],
    /// Bytes that may still be read.
    budget: Cell<usize>,
}

/// A table in it.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    flat: &'a Flat<'a>,
    at: usize,
    vtable: usize,
    /// Where the vtable's entries end, from its beginning.
    size: usize,
}

impl<'a> Flat<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Flat { bytes, budget: Cell::new(bytes.len().saturating_mul(16)) }
    }

    /// The root table.
    pub(crate) fn root(&'a self) -> Result<Table<'a>> {
        self.table(self.follow(0)?)
    }

    fn take<const N: usize>(&self, at: usize) -> Result<[u8; N]> {
        let outside =
            || Error::malformed(format!("the header has {} bytes, {N} at {at} are needed", self.bytes.len()));
        let bytes = self.bytes.get(at..).and_then(|rest| rest.first_chunk().copied()).ok_or_else(outside)?;
        self.spend(N)?;
        Ok(bytes)
    }

    fn spend(&self, bytes: usize) -> Result<()> {
        let rest = self.budget.get().checked_sub(bytes);
        self.budget
            .set(rest.ok_or_else(|| Error::malformed("the header refers to the same bytes too often"))?);
        Ok(())
    }

    fn u32(&self, at: usize) -> Result<usize> {
        self.take(at).map(|bytes| u32::from_le_bytes(bytes) as usize)
    }

    fn follow(&self, at: usize) -> Result<usize> {
        Ok(at.saturating_add(self.u32(at)?))
    }

    fn table(&'a self, at: usize) -> Result<Table<'a>> {
        let back = i32::from_le_bytes(self.take(at)?);
        let vtable = i64::try_from(at).ok().and_then(|at| usize::try_from(at - i64::from(back)).ok());
        let vtable = vtable.ok_or_else(|| Error::malformed(format!("a table at {at} has no fields")))?;
        let size = u16::from_le_bytes(self.take(vtable)?).into();
        Ok(Table { flat: self, at, vtable, size })
    }
}

impl<'a> Table<'a> {
    /// The position of a field, if it is present.
    fn field(&self, slot: usize) -> Result<Option<usize>> {
        let entry = 4 + 2 * slot;
        if entry + 2 > self.size {
            return Ok(None);
        }
        let distance = u16::from_le_bytes(self.flat.take(self.vtable + entry)?);
        Ok((distance != 0).then(|| self.at + usize::from(distance)))
    }

    /// A number, 0 if it is absent.
    pub(crate) fn number<const N: usize>(&self, slot: usize) -> Result<[u8; N]> {
        self.field(slot)?.map_or(Ok([0; N]), |at| self.flat.take(at))
    }

    /// A number that a union refers to.
    pub(crate) fn number_of_union<const N: usize>(&self, slot: usize) -> Result<[u8; N]> {
        let at = self.field(slot)?.ok_or_else(|| Error::malformed("a value is missing"))?;
        self.flat.take(self.flat.follow(at)?)
    }

    /// A table.
    pub(crate) fn table(&self, slot: usize) -> Result<Option<Table<'a>>> {
        self.field(slot)?.map(|at| self.flat.table(self.flat.follow(at)?)).transpose()
    }

    /// A text. Bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn text(&self, slot: usize) -> Result<Option<String>> {
        let Some(at) = self.field(slot)? else { return Ok(None) };
        let at = self.flat.follow(at)?;
        let length = self.flat.u32(at)?;
        self.flat.spend(length)?;
        let bytes = self.flat.bytes.get(at + 4..).and_then(|rest| rest.get(..length));
        let bytes =
            bytes.ok_or_else(|| Error::malformed(format!("a text of {length} bytes at {at} is outside")))?;
        Ok(Some(String::from_utf8_lossy(bytes).into_owned()))
    }

    /// The tables of a list, empty if it is absent.
    pub(crate) fn tables(&self, slot: usize) -> Result<Vec<Table<'a>>> {
        let Some(at) = self.field(slot)? else { return Ok(Vec::new()) };
        let at = self.flat.follow(at)?;
        let entries = (0..self.flat.u32(at)?).map(|k| at.saturating_add(4 + 4 * k));
        entries.map(|entry| self.flat.table(self.flat.follow(entry)?)).collect()
    }
}
