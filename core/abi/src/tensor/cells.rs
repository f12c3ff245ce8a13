//! Elements in memory that may be shared with other tensors. They are read and written one at a time.

use core::cell::Cell;
use core::marker::PhantomData;
use core::ops::Range;

use super::{Element, elements};
use crate::Result;
use crate::raw::{self, ArTensorV1};

/// Elements that are read one at a time or copied, in memory that an output may share.
#[derive(Clone, Copy)]
pub struct ReadCells<'a, T> {
    data: *const T,
    len: usize,
    of: PhantomData<&'a [Cell<T>]>,
}

impl<'a, T: Element> ReadCells<'a, T> {
    /// Wraps the host's entry.
    ///
    /// # Safety
    /// The data must be valid for `'a`, and written only through cells during it.
    pub(crate) unsafe fn from_raw(raw: &ArTensorV1) -> Result<Self> {
        // SAFETY: the caller guarantees the same. Only reads are offered, so read-only memory is not written.
        Ok(unsafe { cells::<T>(raw)? }.into())
    }
}

impl<'a> ReadCells<'a, u8> {
    /// Wraps the bytes of the host's entry.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    pub(crate) unsafe fn bytes_of(raw: &ArTensorV1) -> Self {
        // SAFETY: the caller guarantees the same. Only reads are offered, so read-only memory is not written.
        unsafe { byte_cells(raw) }.into()
    }

    /// The bytes as words of `S` bytes, without an incomplete last one.
    #[inline]
    pub fn words<const S: usize>(&self) -> ReadCells<'a, [u8; S]> {
        ReadCells { data: self.data.cast(), len: self.len / S, of: PhantomData }
    }
}

impl<'a, T: Copy> ReadCells<'a, T> {
    /// The number of elements.
    #[allow(clippy::len_without_is_empty)]
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The address of the first element.
    #[inline]
    pub fn as_ptr(&self) -> *const T {
        self.data
    }

    /// The element at index `i`. Panics if it is out of range.
    #[inline]
    pub fn get(&self, i: usize) -> T {
        assert!(i < self.len, "element {i} of {}", self.len);
        // SAFETY: `i` is in range, checked above. The data is borrowed for `'a` on this thread and written only through
        // cells.
        unsafe { self.data.add(i).read() }
    }

    /// Iterates over the elements in order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + Clone + use<'a, T> {
        let data = self.data;
        // SAFETY: `i` is in range. The data is borrowed for `'a` on this thread and written only through cells.
        (0..self.len).map(move |i| unsafe { data.add(i).read() })
    }

    /// The elements of `range`. Panics if it is out of range.
    #[inline]
    pub fn range(&self, range: Range<usize>) -> ReadCells<'a, T> {
        assert!(range.start <= range.end && range.end <= self.len, "elements {range:?} of {}", self.len);
        // SAFETY: the range is inside the data, checked above.
        ReadCells { data: unsafe { self.data.add(range.start) }, len: range.len(), of: PhantomData }
    }

    /// Chunks of `length` elements, without an incomplete last one. Panics if `length` is 0.
    #[inline]
    pub fn chunks_exact(
        &self,
        length: usize,
    ) -> impl ExactSizeIterator<Item = ReadCells<'a, T>> + Clone + use<'a, T> {
        let all = *self;
        (0..self.len / length).map(move |i| all.range(i * length..(i + 1) * length))
    }

    /// Copies all elements to `target`. Panics if the lengths differ.
    #[inline]
    pub fn load(&self, target: &mut [T]) {
        assert_eq!(self.len, target.len(), "elements to load");
        // SAFETY: both have that many elements, checked above. `target` is borrowed exclusively, so it does not overlap
        // the cells.
        unsafe { core::ptr::copy_nonoverlapping(self.data, target.as_mut_ptr(), target.len()) };
    }

    /// Copies all elements to `target`, which may overlap them; it receives their previous values. Does nothing if both
    /// are at the same address. Panics if the lengths differ.
    #[inline]
    pub fn copy_to(&self, target: &[Cell<T>]) {
        assert_eq!(self.len, target.len(), "elements to copy");
        let to = target.as_ptr().cast::<T>().cast_mut();
        if self.data != to.cast_const() {
            // SAFETY: both have that many elements, checked above, and `copy` allows overlap. A slice of cells may be
            // written, and this memory is only borrowed as cells, on this thread.
            unsafe { core::ptr::copy(self.data, to, target.len()) };
        }
    }
}

impl<'a, T: Copy> From<&'a [T]> for ReadCells<'a, T> {
    #[inline]
    fn from(elements: &'a [T]) -> Self {
        ReadCells { data: elements.as_ptr(), len: elements.len(), of: PhantomData }
    }
}

impl<'a, T: Copy> From<&'a [Cell<T>]> for ReadCells<'a, T> {
    #[inline]
    fn from(cells: &'a [Cell<T>]) -> Self {
        ReadCells { data: cells.as_ptr().cast(), len: cells.len(), of: PhantomData }
    }
}

/// A slice as cells.
#[inline]
pub fn cells_of<T>(elements: &mut [T]) -> &[Cell<T>] {
    Cell::from_mut(elements).as_slice_of_cells()
}

/// Cells of bytes as cells of words of `S` bytes, without an incomplete last one.
#[inline]
pub fn word_cells<const S: usize>(bytes: &[Cell<u8>]) -> &[Cell<[u8; S]>] {
    // SAFETY: a cell has the layout of its contents, so `S` cells of a byte have the layout of one cell of `S` bytes,
    // with alignment 1.
    unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / S) }
}

/// The elements of the host's entry as cells.
///
/// # Safety
/// The data must be valid for `'a`, and read and written only through cells during it.
pub(crate) unsafe fn cells<'a, T: Element>(raw: &ArTensorV1) -> Result<&'a [Cell<T>]> {
    let (data, count) = elements::<T>(raw)?;
    // SAFETY: `elements` gives an aligned address and as many elements as the data has, and the caller guarantees that
    // the data is valid and accessed only through cells. `Cell<T>` has the layout of `T`, and any bit pattern is a
    // valid `T`.
    Ok(unsafe { core::slice::from_raw_parts(data.cast::<Cell<T>>().as_ptr(), count) })
}

/// The bytes of the host's entry as cells.
///
/// # Safety
/// The data must be valid for `'a`, and read and written only through cells during it.
pub(crate) unsafe fn byte_cells<'a>(raw: &ArTensorV1) -> &'a [Cell<u8>] {
    // SAFETY: the caller guarantees that the data is null or valid and accessed only through cells. `Cell<u8>` has the
    // layout of `u8`.
    unsafe { raw::slice(raw.data.cast::<Cell<u8>>().cast_const(), raw.bytes as usize) }
}
