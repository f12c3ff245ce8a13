//! The data of buffers.

use crate::schema::Buffer;

/// A buffer's data, if it has any; `None` also for a range outside the file.
pub(crate) fn buffer_data<'a>(buffer: &Buffer<'a>, file: &'a [u8]) -> Option<&'a [u8]> {
    match buffer.data() {
        Some(data) if !data.is_empty() => Some(data),
        inline if buffer.offset() <= 1 => inline,
        _ => file_range(file, buffer.offset(), buffer.size()),
    }
}

/// The `size` bytes at `offset`, if they are inside the file.
pub(crate) fn file_range(file: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    file.get(start..end)
}
