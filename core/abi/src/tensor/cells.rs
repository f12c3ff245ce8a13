//! Elements that others may write: read and written one at a time.

use core::cell::Cell;
use core::marker::PhantomData;
use core::ops::Range;

use super::{Element, TensorView};
use crate::raw::{self, ArTensorV1};
use crate::{Result, ensure};

/// Elements that are read one at a time, or copied, and may lie where an output is written.
#[derive(Clone, Copy)]
pub struct ReadCells<'a, T> {
    data: *const T,
    len: usize,
    of: PhantomData<&'a [Cell<T>]>,
}

impl<'a, T: Element> ReadCells<'a, T> {
    /// # Safety
    /// The data is valid for `'a`; during it, it is written through cells only.
    pub(crate) unsafe fn from_raw(raw: ArTensorV1) -> Result<Self> {
        // SAFETY: forwarded to the caller. Only reads are offered, so that memory which cannot be written is not.
        Ok(unsafe { cells::<T>(raw)? }.into())
    }
}

impl<'a> ReadCells<'a, u8> {
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    pub(crate) unsafe fn bytes_of(raw: ArTensorV1) -> Self {
        // SAFETY: as in `from_raw`.
        unsafe { byte_cells(raw) }.into()
    }

    /// The bytes as words of `S`, without a rest that is shorter.
    #[inline]
    pub fn words<const S: usize>(&self) -> ReadCells<'a, [u8; S]> {
        ReadCells { data: self.data.cast(), len: self.len / S, of: PhantomData }
    }
}

impl<'a, T: Copy> ReadCells<'a, T> {
    /// Number of elements.
    #[allow(clippy::len_without_is_empty)]
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Element `i`. Panics past the end.
    #[inline]
    pub fn get(&self, i: usize) -> T {
        assert!(i < self.len, "element {i} of {}", self.len);
        // SAFETY: in range. What it was made of is borrowed for `'a`, on this thread, and written through cells only.
        unsafe { self.data.add(i).read() }
    }

    /// All elements in order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + Clone + use<'a, T> {
        let data = self.data;
        // SAFETY: as in `get`.
        (0..self.len).map(move |i| unsafe { data.add(i).read() })
    }

    /// The elements of `range`. Panics past the end.
    #[inline]
    pub fn range(&self, range: Range<usize>) -> ReadCells<'a, T> {
        assert!(range.start <= range.end && range.end <= self.len, "elements {range:?} of {}", self.len);
        // SAFETY: in range.
        ReadCells { data: unsafe { self.data.add(range.start) }, len: range.len(), of: PhantomData }
    }

    /// Pieces of `length` elements, without a rest that is shorter. Panics if `length` is 0.
    #[inline]
    pub fn chunks_exact(
        &self,
        length: usize,
    ) -> impl ExactSizeIterator<Item = ReadCells<'a, T>> + Clone + use<'a, T> {
        let all = *self;
        (0..self.len / length).map(move |i| all.range(i * length..(i + 1) * length))
    }

    /// Copies all elements to `target`. Panics if it has another length.
    #[inline]
    pub fn load(&self, target: &mut [T]) {
        assert_eq!(self.len, target.len(), "elements to load");
        // SAFETY: both have that many elements. The target is borrowed exclusively, so it is not where the cells are.
        unsafe { core::ptr::copy_nonoverlapping(self.data, target.as_mut_ptr(), target.len()) };
    }

    /// Copies all elements to `target`, which may overlap them: it has the elements that stood here before. Nothing moves if
    /// they lie there already. Panics if it has another length.
    #[inline]
    pub fn copy_to(&self, target: &[Cell<T>]) {
        assert_eq!(self.len, target.len(), "elements to copy");
        let to = target.as_ptr().cast::<T>().cast_mut();
        if self.data != to.cast_const() {
            // SAFETY: both have that many elements; `copy` allows overlap. A slice of cells may be written through, and all
            // that borrows this memory is cells, on this thread.
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

/// The cells of a slice.
#[inline]
pub fn cells_of<T>(elements: &mut [T]) -> &[Cell<T>] {
    Cell::from_mut(elements).as_slice_of_cells()
}

/// Cells of bytes as cells of words of `S`, without a rest that is shorter.
#[inline]
pub fn word_cells<const S: usize>(bytes: &[Cell<u8>]) -> &[Cell<[u8; S]>] {
    // SAFETY: a cell has the layout of what it holds: `S` cells of a byte are one of `S` bytes, of alignment 1.
    unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / S) }
}

/// # Safety
/// The data is valid for `'a`; during it, it is read and written through cells only.
pub(crate) unsafe fn cells<'a, T: Element>(raw: ArTensorV1) -> Result<&'a [Cell<T>]> {
    // SAFETY: the struct is valid; no slice of its data is made here.
    let view = unsafe { TensorView::from_raw(&raw)? };
    ensure!(T::TYPE == view.ty, "'{}' is {}, not {}", view.name, view.ty, T::TYPE);
    let (data, bytes) = (raw.data, raw.bytes as usize);
    if data.is_null() || bytes == 0 {
        return Ok(&[]);
    }
    ensure!(
        data.cast::<T>().is_aligned() && bytes.is_multiple_of(size_of::<T>()),
        "'{}': {} bytes at {:p} are no {}",
        view.name,
        bytes,
        data,
        T::TYPE
    );
    // SAFETY: aligned and whole, as checked; valid by the caller's promise; `Cell<T>` has the layout of `T`, and any
    // bit pattern is a `T`.
    Ok(unsafe { core::slice::from_raw_parts(data.cast::<Cell<T>>(), bytes / size_of::<T>()) })
}

/// # Safety
/// The data is valid for `'a`; during it, it is read and written through cells only.
pub(crate) unsafe fn byte_cells<'a>(raw: ArTensorV1) -> &'a [Cell<u8>] {
    // SAFETY: the caller's promise; null has no bytes. `Cell<u8>` has the layout of `u8`.
    unsafe { raw::slice(raw.data.cast::<Cell<u8>>().cast_const(), raw.bytes as usize) }
}
