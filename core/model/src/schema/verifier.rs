//! Verifying flatbuffers: that everything that a table of the schema can reach lies in the file, aligned, and is not reached too often.
//!
//! What the tables have is data ([`Field`]), which one function walks.

use core::fmt;
use core::ops::Range;

use super::reader::{Item, vtable_offset};
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
    Unaligned { position: usize, what: Width },
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
            Fault::Unaligned { position, what } => {
                write!(f, "{} at byte {position} is not aligned", what.name())?;
            }
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

/// A number, or a distance: its size, which is its alignment as well, and what an error calls it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Width {
    size: u8,
    #[cfg(feature = "messages")]
    name: &'static str,
}

impl Width {
    pub const OFFSET: Width = Width::new(4, "offset");

    pub const fn new(size: usize, _name: &'static str) -> Self {
        Width {
            size: size as u8,
            #[cfg(feature = "messages")]
            name: _name,
        }
    }

    fn name(&self) -> &'static str {
        #[cfg(feature = "messages")]
        return self.name;
        #[cfg(not(feature = "messages"))]
        ""
    }
}

/// What stands in a field.
#[derive(Clone, Copy)]
pub enum Is {
    /// A number.
    Number(Width),
    /// The distance to a list of numbers.
    Numbers(Width),
    /// The distance to text.
    Text,
    /// The distance to a table that has these fields.
    Table(&'static [Field]),
    /// The distance to a list of distances to such tables.
    Tables(&'static [Field]),
    /// A tag, and in the next slot the distance to the table that it stands for; of one that is not among these no field is known.
    Union(&'static [(u8, &'static [Field])]),
}

/// A field of a table of the schema.
pub struct Field {
    slot: u16,
    #[cfg(feature = "messages")]
    name: &'static str,
    is: Is,
}

impl Field {
    pub const fn new(slot: u16, _name: &'static str, is: Is) -> Self {
        Field {
            slot,
            #[cfg(feature = "messages")]
            name: _name,
            is,
        }
    }

    fn name(&self) -> &'static str {
        #[cfg(feature = "messages")]
        return self.name;
        #[cfg(not(feature = "messages"))]
        ""
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
struct Opened {
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

    fn aligned(&self, position: usize, what: Width) -> Verified {
        match position.is_multiple_of(usize::from(what.size)) {
            true => Ok(()),
            false => self.fault(Fault::Unaligned { position, what }),
        }
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
    fn present(&mut self, at: usize, width: Width) -> Verified {
        self.aligned(at, width)?;
        self.inside(at, usize::from(width.size))
    }

    fn number<T: Item<'a> + Default>(&mut self, at: usize) -> Verified<T> {
        self.present(at, T::WIDTH)?;
        Ok(T::read(self.file, at).unwrap_or_default())
    }

    /// Where the distance at `at` leads.
    pub fn follow(&mut self, at: usize) -> Verified<usize> {
        Ok(at.saturating_add(self.number::<u32>(at)? as usize))
    }

    /// Verifies the table at `position`, which has these fields, and what they lead to. As deep as tables are nested, which `open` limits.
    pub fn table(&mut self, position: usize, fields: &'static [Field]) -> Verified {
        let table = self.open(position)?;
        for field in fields {
            if let Is::Union(variants) = field.is {
                self.union(&table, field.slot, variants)?;
            } else if let Some(at) = self.locate(&table, field.slot)? {
                self.path.enter((field.name(), None));
                self.item(at, field.is)?;
                self.path.leave();
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Verifies what stands at `at`.
    fn item(&mut self, at: usize, is: Is) -> Verified {
        if let Is::Number(width) = is {
            return self.present(at, width);
        }
        let at = self.follow(at)?;
        match is {
            Is::Number(_) | Is::Union(_) => Ok(()),
            Is::Numbers(width) => self.list(at, width).map(|_| ()),
            Is::Text => self.text(at),
            Is::Table(fields) => self.table(at, fields),
            Is::Tables(fields) => self.tables(at, fields),
        }
    }

    /// Begins with the table at `position`.
    fn open(&mut self, position: usize) -> Verified<Opened> {
        let offset = self.number::<i32>(position)?;
        let distance = offset.unsigned_abs() as usize;
        let vtable = if offset > 0 { position.checked_sub(distance) } else { position.checked_add(distance) };
        let Some(vtable) = vtable.filter(|&vtable| vtable < self.file.len()) else {
            return self.fault(Fault::Offset { position, offset });
        };
        let vtable_len = usize::from(self.number::<u16>(vtable)?);
        self.aligned(vtable.saturating_add(vtable_len), u16::WIDTH)?;
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

    /// Where a field is, if it is there.
    fn locate(&mut self, table: &Opened, slot: u16) -> Verified<Option<usize>> {
        let entry = vtable_offset(slot);
        if entry >= table.vtable_len {
            return Ok(None);
        }
        let distance = usize::from(self.number::<u16>(table.vtable.saturating_add(entry))?);
        Ok((distance > 0).then(|| table.position.saturating_add(distance)))
    }

    /// Verifies the list of tables at `at`.
    fn tables(&mut self, at: usize, fields: &'static [Field]) -> Verified {
        let entries = self.list(at, Width::OFFSET)?;
        for (index, at) in entries.step_by(usize::from(Width::OFFSET.size)).enumerate() {
            self.path.at(Some(index));
            let position = self.follow(at)?;
            self.table(position, fields)?;
        }
        self.path.at(None);
        Ok(())
    }

    /// Verifies the union whose tag lies in slot `tag_slot` and whose table in the next one. A tag without a
    /// table and a table without a tag both read as an absent union, as in TFLite.
    fn union(&mut self, table: &Opened, tag_slot: u16, variants: &[(u8, &'static [Field])]) -> Verified {
        let tag = self.locate(table, tag_slot)?;
        let at = self.locate(table, tag_slot + 1)?;
        let Some(tag) = tag else { return Ok(()) };
        let tag = self.number::<u8>(tag)?;
        match at {
            Some(at) if tag != 0 => {
                let position = self.follow(at)?;
                let known = variants.iter().find(|(known, _)| *known == tag);
                self.table(position, known.map_or(&[], |(_, fields)| fields))
            }
            _ => Ok(()),
        }
    }

    /// Where the entries of the list at `at` are.
    fn list(&mut self, at: usize, entry: Width) -> Verified<Range<usize>> {
        let count = self.number::<u32>(at)? as usize;
        let start = at.saturating_add(4);
        self.aligned(start, entry)?;
        let bytes = count.saturating_mul(usize::from(entry.size));
        self.inside(start, bytes)?;
        Ok(start..start + bytes)
    }

    /// Verifies the text at `at`.
    fn text(&mut self, at: usize) -> Verified {
        let range = self.list(at, u8::WIDTH)?;
        let bytes = self.file.get(range.clone()).unwrap_or(&[]);
        match core::str::from_utf8(bytes) {
            Ok(_) => Ok(()),
            Err(_) => self.fault(Fault::Text { range }),
        }
    }
}
