//! The data of buffers.

use crate::schema::{Buffer, ModelTable, Tensor};

/// The constant data of a tensor, in a model whose buffer ranges may not be verified yet.
pub(crate) fn constant<'a>(root: ModelTable<'a>, tensor: &Tensor<'a>) -> Option<&'a [u8]> {
    let index = tensor.buffer() as usize;
    if index == 0 {
        return None;
    }
    let data = buffer_data(&root.buffers().get(index)?, root.bytes())?;
    (!data.is_empty() || tensor.shape().iter().any(|dim| dim == 0)).then_some(data)
}

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
