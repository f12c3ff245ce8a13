//! Where the elements of a tensor are: checked without a copy of the tensor's description.

use core::ptr::NonNull;

use super::{Element, ElementType, TensorView};
use crate::raw::ArTensorV1;
use crate::{Result, ensure};

/// The address and the number of the elements of the host's entry, whose data may be absent.
#[inline]
pub(crate) fn elements<T: Element>(raw: &ArTensorV1) -> Result<(NonNull<T>, usize)> {
    let size = size_of::<T>();
    let (data, count) = find(raw, T::TYPE, (size.trailing_zeros(), align_of::<T>()))?;
    Ok((data.cast(), count))
}

/// `size` is a logarithm: the elements of every [`Element`] have a power of two of bytes.
#[inline]
fn find(raw: &ArTensorV1, ty: ElementType, (size, align): (u32, usize)) -> Result<(NonNull<u8>, usize)> {
    let (address, bytes) = (raw.data.addr(), raw.bytes as usize);
    let odd = address & (align - 1) | bytes & ((1 << size) - 1);
    match NonNull::new(raw.data.cast::<u8>()) {
        Some(data) if raw.element_type == ty as u32 && odd == 0 => Ok((data, bytes >> size)),
        _ => no_elements(raw, ty, align),
    }
}

/// Data without elements, or the error.
#[cold]
#[inline(never)]
fn no_elements(raw: &ArTensorV1, ty: ElementType, align: usize) -> Result<(NonNull<u8>, usize)> {
    // SAFETY: the view is for messages, which read the name; the entry and its name are valid during the call.
    let view = unsafe { TensorView::from_raw(raw)? };
    ensure!(ty == view.ty, "{view} is {}, not {ty}", view.ty);
    let (data, bytes) = (raw.data, raw.bytes);
    ensure!(data.is_null() || bytes == 0, "{view}: {bytes} bytes at {data:p} are not {ty} elements");
    // An address that suits any element.
    Ok((core::num::NonZero::new(align).map_or(NonNull::dangling(), NonNull::without_provenance), 0))
}
