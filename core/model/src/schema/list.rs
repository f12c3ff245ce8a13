//! `List`: a flatbuffers vector that is empty when absent and never panics.

use core::marker::PhantomData;

use super::reader::Item;

/// A verified vector of the model; absent vectors are empty.
pub struct List<'a, T> {
    file: &'a [u8],
    /// Where the first entry is.
    start: usize,
    len: usize,
    entry: PhantomData<T>,
}

/// Bytes of a list's length, which stands in front of its entries.
const LENGTH: usize = size_of::<u32>();

/// A verified vector of tables.
pub type Tables<'a, T> = List<'a, T>;

impl<'a, T> List<'a, T> {
    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no element.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl<'a, T: Item<'a>> List<'a, T> {
    /// The list of `len` entries that begin at `start`.
    #[inline]
    pub(super) fn new(file: &'a [u8], start: usize, len: usize) -> Self {
        List { file, start, len, entry: PhantomData }
    }

    /// Where the list is in the file; 0 if it is absent. [`Model::numbers_at`](crate::Model::numbers_at) finds the entries there.
    #[inline]
    pub fn place(&self) -> usize {
        self.start.saturating_sub(LENGTH)
    }

    /// The entries as they lie in the file: numbers are little-endian, at a multiple of their size from the file's beginning.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.file.get(self.start..).and_then(|rest| rest.get(..self.len * T::SIZE)).unwrap_or(&[])
    }

    /// Element `index`; `None` outside the list.
    #[inline]
    pub fn get(&self, index: usize) -> Option<T> {
        let (file, at) = self.entry(index)?;
        T::read(file, at)
    }

    /// The file, and where in it entry `index` lies.
    #[inline]
    pub(super) fn entry(&self, index: usize) -> Option<(&'a [u8], usize)> {
        if index < self.len { Some((self.file, self.start + index * T::SIZE)) } else { None }
    }

    /// The elements in order.
    #[inline]
    pub fn iter(&self) -> Entries<'a, T> {
        Entries { list: *self, front: 0, back: self.len }
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
        List { file: &[], start: 0, len: 0, entry: PhantomData }
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

/// The entries of a [`List`] from `front` to before `back`.
#[derive(Clone)]
pub struct Entries<'a, T> {
    list: List<'a, T>,
    front: usize,
    back: usize,
}

impl<'a, T: Item<'a>> Iterator for Entries<'a, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let entry = if self.front < self.back { self.list.get(self.front) } else { None };
        self.front += usize::from(entry.is_some());
        entry
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.back - self.front;
        (left, Some(left))
    }

    #[inline]
    fn nth(&mut self, count: usize) -> Option<T> {
        self.front = self.front.saturating_add(count).min(self.back);
        self.next()
    }
}

impl<'a, T: Item<'a>> DoubleEndedIterator for Entries<'a, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        let last = self.back.checked_sub(1).filter(|&last| last >= self.front)?;
        self.back = last;
        self.list.get(last)
    }
}

impl<'a, T: Item<'a>> ExactSizeIterator for Entries<'a, T> {}
