//! The memory that steps read and write, in checked parts.
//!
//! ```text
//! slice, Place ─► Source                     read, by any thread
//! slice, Place ─► Target ─► parts            written by its owner: parts borrow it, one after the other
//!                   └────► Disjoint ─► part   or by threads, each of which says in `unsafe` that a part is its own
//! ```
//! Safe code makes sources and targets of slices only, for as long as it borrows these. A [`Place`] is an address and a length; to read or
//! write there is `unsafe`. All that is reached through a source or target lies inside of it: a request for more panics, and the host makes
//! an error of that.

mod place;

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use bytemuck::Pod;

pub use place::Place;

/// Scratch memory begins at multiples of so many bytes.
pub const LINE: usize = 64;

/// Panics unless elements `first..first + len` are among those that are there.
#[inline(always)]
fn check((start, end): (usize, usize), first: usize, len: usize) {
    if first < start || first > end || len > end - first {
        refuse(start, end, first, len);
    }
}

/// The number behind the last of `len` elements from `first` on.
#[inline(always)]
fn end_of(first: usize, len: usize) -> usize {
    first.checked_add(len).unwrap_or_else(|| refuse(0, len, first, len))
}

/// How many elements `rows` rows of `columns` span, each `stride` behind the one before. If that is more than can be counted, it is
/// `usize::MAX`, which [`Source::at`] and [`Target::at`] refuse: no memory has as many.
#[inline(always)]
pub(crate) fn span([rows, stride, columns]: [usize; 3]) -> usize {
    let Some(before) = rows.checked_sub(1) else { return 0 };
    before.checked_mul(stride).and_then(|before| before.checked_add(columns)).unwrap_or(usize::MAX)
}

/// Apart, so that steps pay for no more than the comparisons.
#[cold]
#[inline(never)]
fn refuse(start: usize, end: usize, first: usize, len: usize) -> ! {
    std::panic::panic_any(format!("{len} elements from {first} on, of {start}..{end}"))
}

/// Elements to read: of a tensor those from `start` to `end`, which are all but where only some rows of it are kept.
pub struct Source<'r, T> {
    /// Where element 0 would lie.
    base: *const T,
    start: usize,
    end: usize,
    life: PhantomData<&'r [T]>,
}

impl<T> Clone for Source<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Source<'_, T> {}

// SAFETY: elements are plain values, which any thread may read. Nobody writes an element while it is read: the source borrows a slice or a
// target, or was made by `Place::source`, `Disjoint::written` or `Target::over`, which require it.
unsafe impl<T: Sync> Send for Source<'_, T> {}
// SAFETY: a shared source gives what a copy of it gives, and copies may be sent.
unsafe impl<T: Sync> Sync for Source<'_, T> {}

impl<T> Source<'_, T> {
    /// No elements.
    pub const NONE: Self = Source { base: std::ptr::null(), start: 0, end: 0, life: PhantomData };
}

impl<'r, T: Pod> Source<'r, T> {
    /// The elements of a slice.
    pub fn of(slice: &'r [T]) -> Self {
        Source { base: slice.as_ptr(), start: 0, end: slice.len(), life: PhantomData }
    }

    /// How many elements there are.
    #[inline]
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Where elements `first..first + len` lie.
    #[inline(always)]
    pub fn at(self, first: usize, len: usize) -> *const T {
        check((self.start, self.end), first, len);
        self.base.wrapping_add(first)
    }

    /// Where element 0 would lie.
    #[inline(always)]
    pub fn base(self) -> *const T {
        self.base
    }

    /// Elements `first..first + len`, counted from 0.
    #[inline(always)]
    pub fn part(self, first: usize, len: usize) -> Self {
        Source { base: self.at(first, len), start: 0, end: len, life: PhantomData }
    }

    /// Element `i`.
    #[inline(always)]
    pub fn get(self, i: usize) -> T {
        // SAFETY: `at` checks that it is there; nobody writes it now, as for `Send`.
        unsafe { *self.at(i, 1) }
    }

    /// All elements, in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator + use<'r, T> {
        (self.start..self.end).map(move |i| self.get(i))
    }

    /// These elements are some of a tensor's, from element `first` on.
    ///
    /// # Panics
    /// If the number of the last one is none of a `usize`.
    #[inline]
    pub fn within(self, first: usize) -> Self {
        let end = end_of(first, self.len());
        Source { base: self.at(self.start, 0).wrapping_sub(first), start: first, end, life: PhantomData }
    }

    /// The same memory as elements of another type.
    ///
    /// # Panics
    /// If an element of that type begins or ends between two elements.
    pub fn cast<U: Pod>(self) -> Source<'r, U> {
        assert!(self.base.cast::<U>().is_aligned(), "a source between elements");
        let (start, end) = recount::<T, U>(self.start, self.end);
        Source { base: self.base.cast(), start, end, life: PhantomData }
    }
}

/// Elements `start..end` of type `T`, counted as elements of type `U`: all whole ones, where the first begins with an element.
fn recount<T, U>(start: usize, end: usize) -> (usize, usize) {
    let (from, to) = (size_of::<T>(), size_of::<U>());
    let bytes = start.checked_mul(from).zip(end.checked_mul(from)).filter(|(start, _)| start % to == 0);
    let Some((start, end)) = bytes else {
        std::panic::panic_any(format!("elements {start}..{end} of {from} bytes as elements of {to} bytes"))
    };
    (start / to, end / to)
}

/// Elements to write, whose owner alone has them.
pub struct Target<'r, T>(Disjoint<'r, T>);

/// Elements that threads write, each its own part of them.
pub struct Disjoint<'r, T> {
    /// Where element 0 would lie.
    base: *mut T,
    start: usize,
    end: usize,
    life: PhantomData<&'r mut [T]>,
}

impl<T> Clone for Disjoint<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Disjoint<'_, T> {}

// SAFETY: elements are plain values, and all ways to them are unsafe: who makes a part says that no other thread touches its elements.
unsafe impl<T: Send> Send for Disjoint<'_, T> {}
// SAFETY: a shared `Disjoint` gives what a copy of it gives, and copies may be sent.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}

impl<T> Disjoint<'_, T> {
    /// No elements.
    pub const NONE: Self = Disjoint { base: std::ptr::null_mut(), start: 0, end: 0, life: PhantomData };
}

impl<'r, T: Pod> Disjoint<'r, T> {
    /// Where elements `first..first + len` lie.
    #[inline(always)]
    pub fn at(self, first: usize, len: usize) -> *mut T {
        check((self.start, self.end), first, len);
        self.base.wrapping_add(first)
    }

    /// Where `rows` rows of `columns` elements lie, the first of them at `first`, each `stride` behind the one before.
    ///
    /// # Panics
    /// If not all of them are here.
    #[inline(always)]
    pub fn tile(self, first: usize, sizes: [usize; 3]) -> *mut T {
        self.at(first, span(sizes))
    }

    /// Elements `first..first + len`, counted from 0.
    ///
    /// # Safety
    /// During `'p` nobody else reads or writes them, but for sources that are read by the thread that writes the element, through
    /// pointers alone.
    #[inline(always)]
    pub unsafe fn part<'p>(self, first: usize, len: usize) -> Target<'p, T> {
        Target(Disjoint { base: self.at(first, len), start: 0, end: len, life: PhantomData })
    }

    /// The elements, to be read.
    ///
    /// # Safety
    /// During `'p` no other thread writes an element that is read through the source.
    #[inline]
    pub unsafe fn written<'p>(self) -> Source<'p, T> {
        Source { base: self.base, start: self.start, end: self.end, life: PhantomData }
    }

    /// These elements are some of a tensor's, from element `first` on.
    ///
    /// # Panics
    /// If the number of the last one is none of a `usize`.
    #[inline]
    pub fn within(self, first: usize) -> Self {
        let (base, len) = (self.base.wrapping_add(self.start), self.end - self.start);
        Disjoint { base: base.wrapping_sub(first), start: first, end: end_of(first, len), life: PhantomData }
    }

    /// The same memory as elements of another type.
    ///
    /// # Panics
    /// If an element of that type begins or ends between two elements.
    pub fn cast<U: Pod>(self) -> Disjoint<'r, U> {
        assert!(self.base.cast::<U>().is_aligned(), "a target between elements");
        let (start, end) = recount::<T, U>(self.start, self.end);
        Disjoint { base: self.base.cast(), start, end, life: PhantomData }
    }
}

impl<'r, T: Pod> Target<'r, T> {
    /// The elements of a slice.
    pub fn of(slice: &'r mut [T]) -> Self {
        Target(Disjoint { base: slice.as_mut_ptr(), start: 0, end: slice.len(), life: PhantomData })
    }

    /// Room for elements.
    ///
    /// # Safety
    /// No element is read before it is written.
    pub unsafe fn unwritten(room: &'r mut [MaybeUninit<T>]) -> Self {
        Target(Disjoint { base: room.as_mut_ptr().cast(), start: 0, end: room.len(), life: PhantomData })
    }

    /// How many elements there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.end - self.0.start
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where elements `first..first + len` lie.
    #[inline(always)]
    pub fn at(&mut self, first: usize, len: usize) -> *mut T {
        self.0.at(first, len)
    }

    /// Elements `first..first + len`, counted from 0.
    #[inline(always)]
    pub fn part(&mut self, first: usize, len: usize) -> Target<'_, T> {
        // SAFETY: this target's elements are its own, and it is borrowed for as long as the part is used.
        unsafe { self.0.part(first, len) }
    }

    /// The elements.
    pub fn as_slice(&self) -> &[T] {
        let len = self.len();
        // SAFETY: `len` initialised elements, as `Place::target` and `unwritten` require; this target, which alone writes them, is borrowed.
        unsafe { std::slice::from_raw_parts(self.0.at(self.0.start, len), len) }
    }

    /// The elements.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        let len = self.len();
        // SAFETY: as in `as_slice`; nobody else reads or writes them.
        unsafe { std::slice::from_raw_parts_mut(self.at(self.0.start, len), len) }
    }

    /// The elements, to be read while the target is borrowed.
    ///
    /// ```compile_fail,E0502
    /// use arenite_kernels::memory::Target;
    ///
    /// let mut memory = [0u8; 8];
    /// let mut target = Target::of(&mut memory);
    /// let source = target.written();
    /// target.set(0, 1); // another thread may read `source` now
    /// source.get(0);
    /// ```
    #[inline]
    pub fn written(&self) -> Source<'_, T> {
        // SAFETY: nobody writes elements of a target but through it, and it is borrowed.
        unsafe { self.0.written() }
    }

    /// The elements, to be read for as long as the memory is there: nobody writes them any more.
    #[inline]
    pub fn into_source(self) -> Source<'r, T> {
        // SAFETY: nobody writes elements of a target but through it, and it is used up.
        unsafe { self.0.written() }
    }

    /// The elements, to be read by a kernel that writes its results over them.
    ///
    /// # Safety
    /// The source is read by the thread that writes the target, through pointers alone, and each element before it is written.
    #[inline]
    pub unsafe fn over(&self) -> Source<'r, T> {
        // SAFETY: no other thread writes the elements, which this function requires.
        unsafe { self.0.written() }
    }

    /// The same memory as elements of another type.
    pub fn cast<U: Pod>(self) -> Target<'r, U> {
        Target(self.0.cast())
    }

    /// For threads.
    #[inline]
    pub fn share(self) -> Disjoint<'r, T> {
        self.0
    }

    /// Writes element `i`.
    #[inline(always)]
    pub fn set(&mut self, i: usize, value: T) {
        // SAFETY: `at` checks that the element is there, and it is this target's own.
        unsafe { *self.at(i, 1) = value }
    }

    /// Element `i`.
    #[inline(always)]
    pub fn get(&self, i: usize) -> T {
        self.written().get(i)
    }

    /// Writes all elements.
    pub fn fill(&mut self, value: T) {
        (self.0.start..self.0.end).for_each(|i| self.set(i, value));
    }

    /// Writes all elements, as many as `from` has, which may overlap them.
    pub fn copy_from(&mut self, from: Source<'_, T>) {
        let len = from.len();
        let (from, to) = (from.at(from.start, len), self.at(self.0.start, self.len()));
        assert_eq!(len, self.len(), "elements to be copied");
        // SAFETY: both have `len` elements, as checked; those of the target are its own, and `copy` allows overlap.
        unsafe { std::ptr::copy(from, to, len) };
    }
}

/// For kernels: how many elements the target has, and where they and as many of the source lie.
#[inline(always)]
pub fn pair<A: Pod, B: Pod>(x: Source<'_, A>, y: &mut Target<'_, B>) -> (usize, *const A, *mut B) {
    let n = y.len();
    (n, x.at(0, n), y.at(0, n))
}

#[cfg(test)]
pub(crate) mod tests;
