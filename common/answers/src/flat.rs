//! Tables of an unverified flatbuffer: every read is bounds-checked, and a damaged offset reads as an absent field.
//!
//! Format: <https://flatbuffers.dev/internals/>. The first field of a table is the signed distance back to its vtable.
//! The vtable has its own size, the table's size, and for each field the distance from the table, or 0 if the field is
//! absent.

/// A table within `file`.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    file: &'a [u8],
    at: usize,
}

impl<'a> Table<'a> {
    /// The root table of a flatbuffer.
    pub(crate) fn root(file: &'a [u8]) -> Option<Self> {
        Some(Table { file, at: follow(file, 0)? })
    }

    /// The place of a field, if the table has it.
    fn field(&self, slot: usize) -> Option<usize> {
        let back = i32::from_le_bytes(bytes(self.file, self.at)?);
        let vtable = usize::try_from(i64::try_from(self.at).ok()? - i64::from(back)).ok()?;
        let size = usize::from(u16::from_le_bytes(bytes(self.file, vtable)?));
        let entry = 4 + 2 * slot;
        if entry + 2 > size {
            return None;
        }
        let distance = u16::from_le_bytes(bytes(self.file, vtable.checked_add(entry)?)?);
        (distance != 0).then_some(self.at.saturating_add(usize::from(distance)))
    }

    /// A field of one byte; 0 if it is absent.
    pub(crate) fn byte(&self, slot: usize) -> u8 {
        self.field(slot).and_then(|at| self.file.get(at)).copied().unwrap_or(0)
    }

    /// An unsigned field of 32 bits; 0 if it is absent.
    pub(crate) fn word(&self, slot: usize) -> u32 {
        self.field(slot).and_then(|at| bytes(self.file, at)).map_or(0, u32::from_le_bytes)
    }

    /// A table in a field.
    pub(crate) fn table(&self, slot: usize) -> Option<Table<'a>> {
        Some(Table { file: self.file, at: follow(self.file, self.field(slot)?)? })
    }

    /// A text in a field.
    pub(crate) fn text(&self, slot: usize) -> Option<&'a str> {
        let (start, count) = self.vector(slot)?;
        std::str::from_utf8(self.file.get(start..start.checked_add(count)?)?).ok()
    }

    /// The tables in a field with a vector of them; none if it is absent.
    pub(crate) fn tables(&self, slot: usize) -> impl Iterator<Item = Table<'a>> + use<'a> {
        let file = self.file;
        self.places(slot).filter_map(move |at| Some(Table { file, at: follow(file, at)? }))
    }

    /// The numbers in a field with a vector of 32-bit floats.
    pub(crate) fn floats(&self, slot: usize) -> Vec<f32> {
        self.places(slot).filter_map(|at| bytes(self.file, at)).map(f32::from_le_bytes).collect()
    }

    /// The numbers in a field with a vector of unsigned 32-bit integers.
    pub(crate) fn words(&self, slot: usize) -> Vec<u32> {
        self.places(slot).filter_map(|at| bytes(self.file, at)).map(u32::from_le_bytes).collect()
    }

    /// Where the elements of 4 bytes of a vector are; as many as the file has room for.
    fn places(&self, slot: usize) -> impl Iterator<Item = usize> + use<'a> {
        let (start, count) = self.vector(slot).unwrap_or((0, 0));
        let room = self.file.len().saturating_sub(start) / 4;
        (0..count.min(room)).map(move |i| start + 4 * i)
    }

    fn vector(&self, slot: usize) -> Option<(usize, usize)> {
        let at = follow(self.file, self.field(slot)?)?;
        let count = u32::from_le_bytes(bytes(self.file, at)?);
        Some((at.checked_add(4)?, usize::try_from(count).ok()?))
    }
}

/// The place that the unsigned offset at `at` points to.
fn follow(file: &[u8], at: usize) -> Option<usize> {
    at.checked_add(usize::try_from(u32::from_le_bytes(bytes(file, at)?)).ok()?)
}

fn bytes<const N: usize>(file: &[u8], at: usize) -> Option<[u8; N]> {
    file.get(at..at.checked_add(N)?)?.try_into().ok()
}
