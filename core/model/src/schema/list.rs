//! `List`: a flatbuffers vector that is empty when absent and never panics.

use core::marker::PhantomData;

use super::item::Item;

/// A verified vector of the model; absent vectors are empty.
pub struct List<'a, T> {
    all: Span<'a>,
    entry: PhantomData<T>,
}

/// The place of a list. It does not depend on the type of the entries, so the code that reads it exists once.
#[derive(Clone, Copy)]
pub(super) struct Span<'a> {
    pub file: &'a [u8],
    /// Position of the first entry in the file.
    pub start: usize,
    pub len: usize,
}

/// Size of a list's length, which precedes its entries.
const LENGTH: usize = size_of::<u32>();

/// A verified vector of tables.
pub type Tables<'a, T> = List<'a, T>;

impl<'a, T> List<'a, T> {
    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.all.len
    }

    /// Whether the list is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.all.len == 0
    }
}

impl<'a, T: Item<'a>> List<'a, T> {
    /// The list with this place.
    #[inline]
    pub(super) fn new(all: Span<'a>) -> Self {
        List { all, entry: PhantomData }
    }

    /// Position of the list in the file; 0 if it is absent. [`Model::numbers_at`](crate::Model::numbers_at) reads the
    /// entries at this position.
    #[inline]
    pub fn place(&self) -> usize {
        self.all.start.saturating_sub(LENGTH)
    }

    /// The bytes of the entries: little-endian numbers. Relative to the start of the file they are aligned to their
    /// size, but at most to four bytes.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.all.file.get(self.all.start..).and_then(|rest| rest.get(..self.all.len * T::SIZE)).unwrap_or(&[])
    }

    /// The element at `index`; `None` if out of range.
    #[cfg_attr(feature = "alloc", inline)]
    #[cfg_attr(not(feature = "alloc"), inline(never))]
    pub fn get(&self, index: usize) -> Option<T> {
        let (file, at) = self.entry(index)?;
        T::read(file, at)
    }

    /// The file, and the position of entry `index` in it.
    #[inline]
    pub(super) fn entry(&self, index: usize) -> Option<(&'a [u8], usize)> {
        if index < self.all.len { Some((self.all.file, self.all.start + index * T::SIZE)) } else { None }
    }

    /// The elements in order.
    #[inline]
    pub fn iter(&self) -> Entries<'a, T> {
        Entries { left: *self }
    }
}

impl<'a, T: Item<'a>> IntoIterator for List<'a, T> {
    type Item = T;
    type IntoIter = Entries<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> Default for List<'_, T> {
    fn default() -> Self {
        List { all: Span { file: &[], start: 0, len: 0 }, entry: PhantomData }
    }
}

impl<T> Clone for List<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<'_, T> {}

impl<'a, T: Item<'a> + core::fmt::Debug> core::fmt::Debug for List<'a, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Iterates over the entries of a [`List`].
#[derive(Clone)]
pub struct Entries<'a, T> {
    left: List<'a, T>,
}

impl<'a, T: Item<'a>> Iterator for Entries<'a, T> {
    type Item = T;

    #[cfg_attr(feature = "alloc", inline)]
    #[cfg_attr(not(feature = "alloc"), inline(never))]
    fn next(&mut self) -> Option<T> {
        let all = &mut self.left.all;
        all.len = all.len.checked_sub(1)?;
        let at = all.start;
        all.start += T::SIZE;
        T::read(all.file, at)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left.len(), Some(self.left.len()))
    }

    #[inline]
    fn nth(&mut self, count: usize) -> Option<T> {
        let all = &mut self.left.all;
        let skipped = count.min(all.len);
        all.len -= skipped;
        all.start += skipped * T::SIZE;
        self.next()
    }
}

impl<'a, T: Item<'a>> DoubleEndedIterator for Entries<'a, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        let last = self.left.len().checked_sub(1)?;
        let entry = self.left.get(last);
        self.left.all.len = last;
        entry
    }
}

impl<'a, T: Item<'a>> ExactSizeIterator for Entries<'a, T> {}
