//! Adds a metadata entry to an existing model.
//!
//! ```text
//!            ┌─────────── new ───────────┬─────────── the old model ────────────────────┬──────────────┐
//!            │ root, lists of buffers    │ its old root, tables, texts, constants    │ data after   │
//!            │ and metadata, the entry   │                                           │ flatbuffer   │
//!            └───────────────────────────┴───────────────────────────────────────────┴──────────────┘
//! ```
//!
//! The new root refers to the same tables as the old one. Offsets in flatbuffers point forward, so the new part comes
//! first. Offsets that count from the start of the file (data and options after the flatbuffer) are adjusted; nothing
//! else in the model changes.

use crate::Model;

/// The alignment of the old model in the new file, so that every constant keeps its alignment.
const ALIGNMENT: usize = 64;

/// Slots of the root's fields.
const VERSION: u16 = 0;
const BUFFERS: u16 = 4;
const METADATA: u16 = 6;

/// The bytes of `model` with one more metadata entry, which replaces an entry of the same name.
pub fn with_metadata(model: Model<'_>, name: &str, data: &[u8]) -> Vec<u8> {
    // The length of the new part does not depend on where the old model starts.
    let start = Front::new(model, 0).build(name, data).len().next_multiple_of(ALIGNMENT);
    let mut file = Front::new(model, start).build(name, data);
    file.resize(start, 0);
    file.extend_from_slice(model.bytes());
    for at in model.root.absolute_offsets() {
        let field = file.get_mut(start + at..).and_then(|rest| rest.first_chunk_mut::<8>());
        if let Some(field) = field {
            *field = (u64::from_le_bytes(*field) + start as u64).to_le_bytes();
        }
    }
    file
}

/// The new part before the old model.
struct Front<'a> {
    model: Model<'a>,
    /// Position of the old model.
    start: usize,
    bytes: Vec<u8>,
}

impl<'a> Front<'a> {
    fn new(model: Model<'a>, start: usize) -> Self {
        Front { model, start, bytes: Vec::new() }
    }

    fn build(mut self, name: &str, data: &[u8]) -> Vec<u8> {
        self.put(0);
        self.bytes.extend_from_slice(b"TFL3");
        let old = self.model.root.fields();
        let present = |slot| matches!(slot, BUFFERS | METADATA) || old.iter().any(|field| field.0 == slot);
        let slots = old.iter().map(|field| field.0).max().unwrap_or(0).max(METADATA) + 1;
        let (root, fields) = self.table(slots, present);
        self.lead(0, root);
        let field = |slot: u16| fields + 4 * usize::from(slot);
        for (slot, at) in old {
            match slot {
                VERSION => self.set(field(slot), self.model.version()),
                BUFFERS | METADATA => {}
                _ => self.lead(field(slot), self.start + at),
            }
        }
        let buffers: Vec<usize> = self.model.root.buffers().iter().map(|buffer| buffer.position()).collect();
        let buffer = self.list(field(BUFFERS), &buffers);
        let others = self.model.root.metadata().iter().filter(|entry| entry.name() != Some(name));
        let others: Vec<usize> = others.map(|entry| entry.position()).collect();
        let entry = self.list(field(METADATA), &others);
        self.buffer(buffer, data);
        self.entry(entry, name, buffers.len() as u32);
        self.bytes
    }

    /// A list in field `at`: the old tables, and a new one that is added later. Returns the new table's position in the
    /// list.
    fn list(&mut self, at: usize, tables: &[usize]) -> usize {
        self.lead(at, self.bytes.len());
        self.put(tables.len() as u32 + 1);
        for table in tables {
            self.put(0);
            self.lead(self.bytes.len() - 4, self.start + table);
        }
        self.put(0);
        self.bytes.len() - 4
    }

    fn buffer(&mut self, from: usize, data: &[u8]) {
        let (table, field) = self.table(1, |_| true);
        self.lead(from, table);
        // The bytes follow their length.
        while !(self.bytes.len() + 4).is_multiple_of(16) {
            self.bytes.push(0);
        }
        self.lead(field, self.bytes.len());
        self.text(data);
    }

    fn entry(&mut self, from: usize, name: &str, buffer: u32) {
        let (table, fields) = self.table(2, |_| true);
        self.lead(from, table);
        self.set(fields + 4, buffer);
        self.lead(fields, self.bytes.len());
        self.text(name.as_bytes());
    }

    /// Writes the length, the bytes, and a zero.
    fn text(&mut self, bytes: &[u8]) {
        self.put(bytes.len() as u32);
        self.bytes.extend_from_slice(bytes);
        self.bytes.push(0);
        self.align();
    }

    /// Writes a table with `count` fields of four bytes each. Returns the position of the table, then of its first
    /// field.
    fn table(&mut self, count: u16, present: impl Fn(u16) -> bool) -> (usize, usize) {
        let vtable = self.bytes.len();
        let slots = (0..count).map(|slot| if present(slot) { 4 * (slot + 1) } else { 0 });
        for half in [2 * (count + 2), 4 * (count + 1)].into_iter().chain(slots) {
            self.bytes.extend_from_slice(&half.to_le_bytes());
        }
        self.align();
        let table = self.bytes.len();
        self.put((table - vtable) as u32);
        self.bytes.resize(table + 4 + 4 * usize::from(count), 0);
        (table, table + 4)
    }

    fn put(&mut self, number: u32) {
        self.bytes.extend_from_slice(&number.to_le_bytes());
    }

    fn set(&mut self, at: usize, number: u32) {
        self.bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
    }

    /// Writes the distance to `target` at `at`.
    fn lead(&mut self, at: usize, target: usize) {
        self.set(at, target.saturating_sub(at) as u32);
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}
