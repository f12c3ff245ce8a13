//! Checked memory for steps and kernels.
//!
//! ```text
//! slice, Place ─► Source                     read by any thread
//! slice, Place ─► Target ─► parts            written by its owner; a part borrows the target
//!                   └────► Disjoint ─► part   written by several threads; `unsafe` code asserts that parts do not overlap
//! ```
//! Safe code can only make sources and targets of slices, and these stay borrowed. A [`Place`] is an address and a
//! length; reading or writing there is `unsafe`. An access outside of a source or target panics, and the host turns the
//! panic into an error.

mod overlap;
mod place;
mod ranges;

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use bytemuck::Pod;

pub use overlap::{InPlace, Lead};
pub use place::Place;
pub use ranges::span;
use ranges::{check, end_of, recount};

/// The alignment of scratch memory in bytes.
pub const LINE: usize = 64;

/// Elements to read: elements `start..end` of a tensor, which are all its elements unless only some rows are kept.
pub struct Source<'r, T> {
    /// The address of element 0, which need not be inside `start..end`.
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

// SAFETY: any thread may read the elements, because `T` is `Sync`. No element is written while it is read: the source
// borrows a slice or a target, or comes from `Place::source`, `Disjoint::written` or `Target::over`, whose callers
// guarantee it.
unsafe impl<T: Sync> Send for Source<'_, T> {}
// SAFETY: a shared source can only be copied, and the copies may be sent to other threads.
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

    /// Whether the source is empty.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The address of elements `first..first + len`, which are checked to be in the source.
    #[inline(always)]
    pub fn at(self, first: usize, len: usize) -> *const T {
        check(self.start..self.end, first, len);
        self.base.wrapping_add(first)
    }

    /// The address of element 0, which need not be in the source.
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
        // SAFETY: `at` checks that the element is in the source. No thread writes it at the same time, as explained at
        // `Send`.
        unsafe { *self.at(i, 1) }
    }

    /// All elements, in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator + use<'r, T> {
        (self.start..self.end).map(move |i| self.get(i))
    }

    /// The same elements, numbered from `first`: they are a part of a tensor.
    ///
    /// # Panics
    /// If the numbers overflow `usize`.
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

/// Elements to write, whose owner alone has them. There are never two targets of one memory:
///
/// ```compile_fail,E0382
/// # let mut memory = [0u8; 8];
/// let target = arenite_base::memory::Target::of(&mut memory);
/// let (shared, mut owned) = (target.share(), target);
/// ```
/// ```compile_fail,E0499
/// # let mut memory = [0u8; 8];
/// let mut target = arenite_base::memory::Target::of(&mut memory);
/// let (mut a, mut b) = (target.part(0, 8), target.part(0, 8));
/// let two_of_one = (a.as_mut_slice(), b.as_mut_slice());
/// ```
/// Nor does a target, or a source, outlive its memory, or contain memory that nothing has written:
///
/// ```compile_fail,E0597
/// # use arenite_base::memory::Source;
/// let source = {
///     let memory = [0u8; 8];
///     Source::of(&memory)
/// };
/// source.get(0);
/// ```
/// ```compile_fail,E0133
/// # use std::mem::MaybeUninit;
/// let mut room = [MaybeUninit::<u8>::uninit(); 8];
/// arenite_base::memory::Target::unwritten(&mut room).get(0);
/// ```
pub struct Target<'r, T>(Disjoint<'r, T>);

/// Elements that threads write, each its own part of them. Two parts could overlap, so making one is `unsafe`, and so
/// is reading what other threads may write:
///
/// ```compile_fail,E0133
/// # let mut memory = [0u8; 8];
/// let all = arenite_base::memory::Target::of(&mut memory).share();
/// let (mut a, mut b) = (all.part(0, 8), all.part(0, 8));
/// let two_of_one = (a.as_mut_slice(), b.as_mut_slice());
/// ```
/// ```compile_fail,E0133
/// # let mut memory = [0u8; 8];
/// let all = arenite_base::memory::Target::of(&mut memory).share();
/// all.written().get(0);
/// ```
pub struct Disjoint<'r, T> {
    /// The address of element 0, which need not be inside `start..end`.
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

// SAFETY: the elements are `Send`. They can only be accessed through `unsafe` functions, whose callers guarantee that
// no other thread accesses the same elements.
unsafe impl<T: Send> Send for Disjoint<'_, T> {}
// SAFETY: a shared `Disjoint` only gives copies of itself, and these may be sent to other threads.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}

impl<T> Disjoint<'_, T> {
    /// No elements.
    pub const NONE: Self = Disjoint { base: std::ptr::null_mut(), start: 0, end: 0, life: PhantomData };
}

impl<'r, T: Pod> Disjoint<'r, T> {
    /// The address of elements `first..first + len`, which are checked to be in the target.
    #[inline(always)]
    pub fn at(self, first: usize, len: usize) -> *mut T {
        check(self.start..self.end, first, len);
        self.base.wrapping_add(first)
    }

    /// The address of `rows` rows of `columns` elements. The first row starts at `first`, and each of the others
    /// `stride` elements later.
    ///
    /// # Panics
    /// If an element of the rows is outside of the target.
    #[inline(always)]
    pub fn tile(self, first: usize, sizes: [usize; 3]) -> *mut T {
        self.at(first, span(sizes))
    }

    /// Elements `first..first + len`, numbered from 0.
    ///
    /// # Safety
    /// During `'p` no other code may read or write the elements. One exception: the thread that writes an element may
    /// read it before through pointers.
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

    /// The same elements, numbered from `first`: they are a part of a tensor.
    ///
    /// # Panics
    /// If the numbers overflow `usize`.
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

    /// Whether the target is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The address of elements `first..first + len`, which are checked to be in the target.
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
        // SAFETY: `len` initialised elements, as `Place::target` and `unwritten` require; this target, which alone
        // writes them, is borrowed.
        unsafe { std::slice::from_raw_parts(self.0.at(self.0.start, len), len) }
    }

    /// The elements.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        let len = self.len();
        // SAFETY: as in `as_slice`; the target is borrowed mutably, so no other code accesses the elements.
        unsafe { std::slice::from_raw_parts_mut(self.at(self.0.start, len), len) }
    }

    /// The elements, to be read while the target is borrowed.
    ///
    /// ```compile_fail,E0502
    /// use arenite_base::memory::Target;
    ///
    /// let mut memory = [0u8; 8];
    /// let mut target = Target::of(&mut memory);
    /// let source = target.written();
    /// target.set(0, 1); // another thread may read `source` now
    /// source.get(0);
    /// ```
    #[inline]
    pub fn written(&self) -> Source<'_, T> {
        // SAFETY: the elements can only be written through the target, and it is borrowed.
        unsafe { self.0.written() }
    }

    /// The elements, to be read as long as the memory exists. They cannot be written any longer.
    #[inline]
    pub fn into_source(self) -> Source<'r, T> {
        // SAFETY: the elements could only be written through the target, which is consumed.
        unsafe { self.0.written() }
    }

    /// The elements, to be read by a kernel that writes its results over them.
    ///
    /// ```compile_fail,E0133
    /// # let mut memory = [0u8; 8];
    /// let mut target = arenite_base::memory::Target::of(&mut memory);
    /// let source = target.over();
    /// target.set(0, 1); // another thread may read `source` now
    /// source.get(0);
    /// ```
    ///
    /// # Safety
    /// The source is read by the thread that writes the target, through pointers alone, and each element before it is
    /// written.
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
        // SAFETY: `at` checks that the element is in the target, which has exclusive access to it.
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
        // SAFETY: both ranges have `len` elements, as checked. The target has exclusive access to its own, and `copy`
        // allows overlap.
        unsafe { std::ptr::copy(from, to, len) };
    }
}

/// Returns the target's length, and pointers to as many elements of the source and the target.
#[inline(always)]
pub fn pair<A: Pod, B: Pod>(x: Source<'_, A>, y: &mut Target<'_, B>) -> (usize, *const A, *mut B) {
    let n = y.len();
    (n, x.at(0, n), y.at(0, n))
}

#[cfg(test)]
mod tests;
