//! Verifying flatbuffers: that everything that a table of the schema can reach lies in the file, aligned, and is not reached too often.

use core::fmt;
use core::ops::Range;

use super::reader::{Item, Table, vtable_offset};
use crate::error::Path;

pub type Verified<T = ()> = Result<T, Malformed>;

/// Tables nest less than ten deep in this schema; options tables are not entered.
const MAX_DEPTH: usize = 32;

/// Why the structure of a file was refused, and in which field.
#[derive(Clone, Debug, PartialEq)]
pub struct Malformed {
    fault: Fault,
    path: Path,
}

#[derive(Clone, Debug, PartialEq)]
enum Fault {
    Text { range: Range<usize> },
    Unaligned { position: usize, what: &'static str },
    Range { range: Range<usize> },
    Offset { position: usize, offset: i32 },
    TooManyTables,
    TooMuchData,
    TooDeep,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("malformed file: ")?;
        match &self.fault {
            Fault::Text { range } => write!(f, "text in bytes {range:?} is not UTF-8")?,
            Fault::Unaligned { position, what } => write!(f, "{what} at byte {position} is not aligned")?,
            Fault::Range { range } => write!(f, "bytes {range:?} lie outside the file")?,
            Fault::Offset { position, offset } => {
                write!(f, "offset {offset} at byte {position} leads outside the file")?;
            }
            Fault::TooManyTables => f.write_str("too many tables")?,
            Fault::TooMuchData => {
                f.write_str("tables share so much data that the file is too costly to read")?;
            }
            Fault::TooDeep => f.write_str("tables are nested too deeply")?,
        }
        if !self.path.is_root() {
            write!(f, " in {}", self.path)?;
        }
        match self.fault {
            Fault::Range { .. } | Fault::Offset { .. } => f.write_str("; is it cut short?"),
            _ => Ok(()),
        }
    }
}

/// Walks a file's tables once.
pub struct Verifier<'a> {
    file: &'a [u8],
    /// Tables that may still be entered, and bytes that may still be read: tables and lists may be shared.
    tables: usize,
    bytes: usize,
    depth: usize,
    path: Path,
}

/// A table that is being verified: where it, and its vtable, are, and how long the vtable is.
pub struct Opened {
    position: usize,
    vtable: usize,
    vtable_len: usize,
}

impl<'a> Verifier<'a> {
    /// For a file of which at most `bytes` bytes are read, shared ones as often as they are reached.
    pub fn new(file: &'a [u8], bytes: usize) -> Self {
        Verifier { file, tables: file.len(), bytes, depth: 0, path: Path::root() }
    }

    fn fault<T>(&self, fault: Fault) -> Verified<T> {
        Err(Malformed { fault, path: self.path })
    }

    /// What a file may have too much of is no fault of the field where it is noticed.
    fn limit<T>(&self, fault: Fault) -> Verified<T> {
        Err(Malformed { fault, path: Path::root() })
    }

    fn aligned(&self, position: usize, size: usize, what: &'static str) -> Verified {
        if position.is_multiple_of(size) { Ok(()) } else { self.fault(Fault::Unaligned { position, what }) }
    }

    fn inside(&mut self, position: usize, size: usize) -> Verified {
        let end = position.saturating_add(size);
        if end > self.file.len() {
            return self.fault(Fault::Range { range: position..end });
        }
        match self.bytes.checked_sub(size) {
            Some(left) => self.bytes = left,
            None => return self.limit(Fault::TooMuchData),
        }
        Ok(())
    }

    /// Whether there is such a number at `at`.
    pub fn present<T: Item<'a>>(&mut self, at: usize) -> Verified {
        self.aligned(at, T::SIZE, T::TYPE)?;
        self.inside(at, T::SIZE)
    }

    fn number<T: Item<'a> + Default>(&mut self, at: usize) -> Verified<T> {
        self.present::<T>(at)?;
        Ok(T::read(self.file, at).unwrap_or_default())
    }

    /// Where the distance at `at` leads.
    pub fn follow(&mut self, at: usize) -> Verified<usize> {
        Ok(at.saturating_add(self.number::<u32>(at)? as usize))
    }

    /// Begins with the table at `position`.
    pub fn open(&mut self, position: usize) -> Verified<Opened> {
        let offset = self.number::<i32>(position)?;
        let distance = offset.unsigned_abs() as usize;
        let vtable = if offset > 0 { position.checked_sub(distance) } else { position.checked_add(distance) };
        let Some(vtable) = vtable.filter(|&vtable| vtable < self.file.len()) else {
            return self.fault(Fault::Offset { position, offset });
        };
        let vtable_len = usize::from(self.number::<u16>(vtable)?);
        self.aligned(vtable.saturating_add(vtable_len), u16::SIZE, u16::TYPE)?;
        self.inside(vtable, vtable_len)?;
        match self.tables.checked_sub(1) {
            Some(left) => self.tables = left,
            None => return self.limit(Fault::TooManyTables),
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.limit(Fault::TooDeep);
        }
        Ok(Opened { position, vtable, vtable_len })
    }

    /// Ends with the table that was opened last.
    pub fn close(&mut self) {
        self.depth -= 1;
    }

    /// Where a field is, if it is there.
    fn locate(&mut self, table: &Opened, slot: u16) -> Verified<Option<usize>> {
        let entry = vtable_offset(slot);
        if entry >= table.vtable_len {
            return Ok(None);
        }
        let distance = usize::from(self.number::<u16>(table.vtable.saturating_add(entry))?);
        Ok((distance > 0).then(|| table.position.saturating_add(distance)))
    }

    /// Verifies a field, if it is there, with a function that gets where it is.
    pub fn field(
        &mut self,
        table: &Opened,
        slot: u16,
        name: &'static str,
        verify: fn(&mut Self, usize) -> Verified,
    ) -> Verified {
        let Some(at) = self.locate(table, slot)? else { return Ok(()) };
        self.path.enter((name, None));
        verify(self, at)?;
        self.path.leave();
        Ok(())
    }

    /// Verifies what each entry of a list of tables leads to.
    pub fn entries(
        &mut self,
        start: usize,
        count: usize,
        verify: fn(&mut Self, usize) -> Verified,
    ) -> Verified {
        for index in 0..count {
            self.path.at(Some(index));
            verify(self, start + index * Table::SIZE)?;
        }
        self.path.at(None);
        Ok(())
    }

    /// Verifies the union whose tag lies in slot `tag_slot` and whose table in the next one. A tag without a
    /// table and a table without a tag both read as an absent union, as in TFLite.
    pub fn union(
        &mut self,
        table: &Opened,
        tag_slot: u16,
        verify: fn(u8, &mut Self, usize) -> Verified,
    ) -> Verified {
        let tag = self.locate(table, tag_slot)?;
        let at = self.locate(table, tag_slot + 1)?;
        let Some(tag) = tag else { return Ok(()) };
        let tag = self.number::<u8>(tag)?;
        match at {
            Some(at) if tag != 0 => {
                let position = self.follow(at)?;
                verify(tag, self, position)
            }
            _ => Ok(()),
        }
    }

    /// Where the entries of the list at `at` are.
    pub fn list(&mut self, at: usize, size: usize, what: &'static str) -> Verified<Range<usize>> {
        let count = self.number::<u32>(at)? as usize;
        let start = at.saturating_add(4);
        self.aligned(start, size, what)?;
        let bytes = count.saturating_mul(size);
        self.inside(start, bytes)?;
        Ok(start..start + bytes)
    }

    /// Verifies the text to which the distance at `at` leads.
    pub fn text(&mut self, at: usize) -> Verified {
        let at = self.follow(at)?;
        let range = self.list(at, u8::SIZE, u8::TYPE)?;
        let bytes = self.file.get(range.clone()).unwrap_or(&[]);
        match core::str::from_utf8(bytes) {
            Ok(_) => Ok(()),
            Err(_) => self.fault(Fault::Text { range }),
        }
    }
}
