//! Verifies flatbuffers: everything that a table of the schema refers to must be inside the file and aligned, and must
//! not be reached too often.
//!
//! The fields of each table are data ([`Field`]), which a single function walks. They refer to tables and unions by
//! number, so a field takes three bytes of flash.

use core::fmt;
use core::ops::Range;

use super::item::{Item, Width};
use super::kinds::{TableKind, UnionKind};
use super::reader::vtable_offset;
use super::text::is_text;
use crate::detail::{Detail, detail};
use crate::path::Path;

pub(super) type Verified<T = ()> = Result<T, Malformed>;

/// Tables of this schema are nested less than ten deep. Options tables are not entered.
const MAX_DEPTH: usize = 32;

/// Why the structure of a file was rejected, and at which field.
#[derive(Clone, Debug, PartialEq)]
pub struct Malformed {
    fault: Fault,
    path: Path,
}

#[derive(Clone, Debug, PartialEq)]
enum Fault {
    Text { range: Detail<Range<usize>> },
    Unaligned { position: Detail<usize>, what: Width },
    Range { range: Detail<Range<usize>> },
    Offset { position: Detail<usize>, offset: Detail<i32> },
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
            Fault::Range { range } => write!(f, "bytes {range:?} are outside the file")?,
            Fault::Offset { position, offset } => {
                write!(f, "offset {offset} at byte {position} leads outside the file")?;
            }
            Fault::TooManyTables => f.write_str("too many tables")?,
            Fault::TooMuchData => {
                f.write_str("tables share so much data that the file is too expensive to read")?;
            }
            Fault::TooDeep => f.write_str("tables are nested too deeply")?,
        }
        if !self.path.is_root() {
            write!(f, " in {}", self.path)?;
        }
        match self.fault {
            Fault::Range { .. } | Fault::Offset { .. } => f.write_str("; is the file truncated?"),
            _ => Ok(()),
        }
    }
}

/// The kind of a field.
#[derive(Clone, Copy)]
pub(super) enum FieldForm {
    /// A number of this width.
    Number(Width),
    /// The distance to a list of numbers.
    Numbers(Width),
    /// The distance to text.
    Text,
    /// The distance to a table.
    Table(TableKind),
    /// The distance to a list of distances to tables.
    Tables(TableKind),
    /// A tag, and in the next slot the distance to its table. No field is known of a table whose tag is not listed.
    Union(UnionKind),
}

/// A field of a table of the schema.
pub(super) struct Field {
    slot: u8,
    #[cfg(feature = "messages")]
    name: &'static str,
    is: FieldForm,
}

impl Field {
    pub(super) const fn new(slot: u8, _name: &'static str, is: FieldForm) -> Self {
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

/// The fields of each table, and the tables of each union by tag.
pub(super) struct Schema {
    pub fields: fn(TableKind) -> &'static [Field],
    pub variants: fn(UnionKind) -> &'static [(u8, TableKind)],
}

/// Walks all tables of a file once.
pub(super) struct Verifier<'a> {
    file: &'a [u8],
    schema: &'static Schema,
    /// How many more tables may be entered, and how many more bytes may be read. Limited because tables and lists may
    /// be shared.
    tables: usize,
    bytes: usize,
    depth: usize,
    path: Path,
}

/// A table that is being verified: the positions of the table and its vtable, and the size of the vtable.
struct OpenTable {
    position: usize,
    vtable: usize,
    vtable_len: usize,
}

impl<'a> Verifier<'a> {
    /// Reads at most `bytes` bytes of the file. Shared bytes count each time they are reached.
    pub(super) fn new(file: &'a [u8], schema: &'static Schema, bytes: usize) -> Self {
        Verifier { file, schema, tables: file.len(), bytes, depth: 0, path: Path::root() }
    }

    fn fault<T>(&self, fault: Fault) -> Verified<T> {
        Err(Malformed { fault, path: self.path })
    }

    /// An error without a path: an exceeded limit is not the fault of the field where it is noticed.
    fn limit<T>(&self, fault: Fault) -> Verified<T> {
        Err(Malformed { fault, path: Path::root() })
    }

    fn aligned(&self, position: usize, what: Width) -> Verified {
        match position.is_multiple_of(what.alignment()) {
            true => Ok(()),
            false => self.fault(Fault::Unaligned { position: detail(position), what }),
        }
    }

    fn inside(&mut self, position: usize, size: usize) -> Verified {
        let end = position.saturating_add(size);
        if end > self.file.len() {
            return self.fault(Fault::Range { range: detail(position..end) });
        }
        match self.bytes.checked_sub(size) {
            Some(left) => self.bytes = left,
            None => return self.limit(Fault::TooMuchData),
        }
        Ok(())
    }

    /// Checks that `at` is the position of a number of this width.
    fn present(&mut self, at: usize, width: Width) -> Verified {
        self.aligned(at, width)?;
        self.inside(at, usize::from(width.size))
    }

    fn number<T: Item<'a> + Default>(&mut self, at: usize) -> Verified<T> {
        self.present(at, T::WIDTH)?;
        Ok(T::read(self.file, at).unwrap_or_default())
    }

    /// Follows the distance at `at`.
    pub(super) fn follow(&mut self, at: usize) -> Verified<usize> {
        Ok(at.saturating_add(self.number::<u32>(at)? as usize))
    }

    /// Verifies the table at `position`, and everything its fields refer to. Without a kind, no field is known.
    /// Recurses once per nested table; `open` limits the depth.
    pub(super) fn table(&mut self, position: usize, kind: Option<TableKind>) -> Verified {
        let table = self.open(position)?;
        for field in kind.map_or(&[][..], self.schema.fields) {
            let slot = u16::from(field.slot);
            if let FieldForm::Union(union) = field.is {
                self.union(&table, slot, (self.schema.variants)(union))?;
            } else if let Some(at) = self.locate(&table, slot)? {
                self.path.enter((field.name(), None));
                self.item(at, field.is)?;
                self.path.leave();
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Verifies the item at `at`.
    fn item(&mut self, at: usize, is: FieldForm) -> Verified {
        if let FieldForm::Number(width) = is {
            return self.present(at, width);
        }
        let at = self.follow(at)?;
        match is {
            FieldForm::Number(_) | FieldForm::Union(_) => Ok(()),
            FieldForm::Numbers(width) => self.list(at, width).map(|_| ()),
            FieldForm::Text => self.text(at),
            FieldForm::Table(kind) => self.table(at, Some(kind)),
            FieldForm::Tables(kind) => self.tables(at, kind),
        }
    }

    /// Starts to verify the table at `position`.
    fn open(&mut self, position: usize) -> Verified<OpenTable> {
        let offset = self.number::<i32>(position)?;
        let distance = offset.unsigned_abs() as usize;
        let vtable = if offset > 0 { position.checked_sub(distance) } else { position.checked_add(distance) };
        let Some(vtable) = vtable.filter(|&vtable| vtable < self.file.len()) else {
            return self.fault(Fault::Offset { position: detail(position), offset: detail(offset) });
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
        Ok(OpenTable { position, vtable, vtable_len })
    }

    /// Position of a field, if it is present.
    fn locate(&mut self, table: &OpenTable, slot: u16) -> Verified<Option<usize>> {
        let entry = vtable_offset(slot);
        if entry >= table.vtable_len {
            return Ok(None);
        }
        let distance = usize::from(self.number::<u16>(table.vtable.saturating_add(entry))?);
        Ok((distance > 0).then(|| table.position.saturating_add(distance)))
    }

    /// Verifies the list of tables at `at`.
    fn tables(&mut self, at: usize, kind: TableKind) -> Verified {
        let entries = self.list(at, Width::OFFSET)?;
        for (index, at) in entries.step_by(usize::from(Width::OFFSET.size)).enumerate() {
            self.path.at(Some(index));
            let position = self.follow(at)?;
            self.table(position, Some(kind))?;
        }
        self.path.at(None);
        Ok(())
    }

    /// Verifies the union whose tag is in slot `tag_slot` and whose table is in the next slot. A tag without a table
    /// and a table without a tag are both read as an absent union, as in TFLite.
    fn union(&mut self, table: &OpenTable, tag_slot: u16, variants: &[(u8, TableKind)]) -> Verified {
        let tag = self.locate(table, tag_slot)?;
        let at = self.locate(table, tag_slot + 1)?;
        let Some(tag) = tag else { return Ok(()) };
        let tag = self.number::<u8>(tag)?;
        match at {
            Some(at) if tag != 0 => {
                let position = self.follow(at)?;
                let known = variants.iter().find(|(known, _)| *known == tag);
                self.table(position, known.map(|&(_, kind)| kind))
            }
            _ => Ok(()),
        }
    }

    /// The range of the entries of the list at `at`.
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
        match is_text(bytes) {
            true => Ok(()),
            false => self.fault(Fault::Text { range: detail(range) }),
        }
    }
}
