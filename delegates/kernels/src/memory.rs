//! The memory that steps read and write, in checked parts.
//!
//! ```text
//! Run::input  ─► Source                     read, by any thread
//! Run::output ─► Target ─► parts            written, by who has it: cut into parts one behind the other,
//!                   └────► Disjoint ─► part   or by threads, each of which says what is its own
//! ```
//! The program vouches for places: they are there while a step runs, as many bytes as the value has, and what a step writes overlaps
//! nothing that it reads, but where `Step::in_place` or
//! `behind` allowed it. All that is reached from a place lies inside of it: whoever asks for more panics, and
//! the host makes an error of that.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

use bytemuck::{AnyBitPattern, Zeroable};

/// Where a value's bytes lie.
#[derive(Clone, Copy)]
pub struct Place {
    at: *mut u8,
    bytes: usize,
}

// SAFETY: an address and a number; what is done with them is up to `Source` and `Target`.
unsafe impl Send for Place {}
// SAFETY: as above.
unsafe impl Sync for Place {}
// SAFETY: no bytes at address 0 are a place: `NOWHERE`.
unsafe impl Zeroable for Place {}
// SAFETY: any address and any number; `Run` reaches through those alone that `Place::new` vouched for.
unsafe impl AnyBitPattern for Place {}

impl Place {
    /// No memory.
    pub const NOWHERE: Place = Place { at: std::ptr::null_mut(), bytes: 0 };

    /// # Safety
    /// `bytes` are readable at `at`, and writable if a step has the place for an output, for as long as a `Run` has it.
    #[inline]
    pub unsafe fn new(at: *mut u8, bytes: usize) -> Place {
        Place { at, bytes }
    }

    /// How many bytes there are.
    #[inline]
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// So many bytes of it.
    #[inline]
    pub fn part(self, first: usize, bytes: usize) -> Place {
        check((0, self.bytes), first, bytes);
        Place { at: self.at.wrapping_add(first), bytes }
    }

    /// The elements that it has room for.
    fn elements<T>(self) -> (*mut T, Range<usize>) {
        let at = self.at.cast::<T>();
        assert!(at.is_aligned(), "a place between elements");
        (at, 0..self.bytes / size_of::<T>())
    }

    /// To read.
    #[inline]
    pub fn source<'r, T: AnyBitPattern>(self) -> Source<'r, T> {
        let (base, Range { start, end }) = self.elements();
        Source { base, start, end, life: PhantomData }
    }

    /// To write.
    #[inline]
    pub fn target<'r, T: AnyBitPattern>(self) -> Target<'r, T> {
        let (base, Range { start, end }) = self.elements();
        Target(Disjoint { base, start, end, life: PhantomData })
    }
}

/// Panics unless elements `first..first + len` are among those that are there.
#[inline(always)]
fn check((start, end): (usize, usize), first: usize, len: usize) {
    if first < start || first > end || len > end - first {
        refuse(start, end, first, len);
    }
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

// SAFETY: elements are plain values, which any thread may read; none writes what another one reads at the time (see `Disjoint::part`).
unsafe impl<T: Sync> Send for Source<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Source<'_, T> {}

impl<T> Source<'_, T> {
    /// No elements.
    pub const NONE: Self = Source { base: std::ptr::null(), start: 0, end: 0, life: PhantomData };
}

impl<'r, T: AnyBitPattern> Source<'r, T> {
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
        // SAFETY: it is there, and no thread writes it now.
        unsafe { *self.at(i, 1) }
    }

    /// All elements, in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator + use<'r, T> {
        (self.start..self.end).map(move |i| self.get(i))
    }

    /// These elements are some of a tensor's, from element `first` on.
    #[inline]
    pub fn within(self, first: usize) -> Self {
        Source {
            base: self.at(self.start, 0).wrapping_sub(first),
            start: first,
            end: first + self.len(),
            life: PhantomData,
        }
    }

    /// The same memory as elements of another type.
    pub fn cast<U: AnyBitPattern>(self) -> Source<'r, U> {
        let (from, to) = (size_of::<T>(), size_of::<U>());
        assert!(self.base.cast::<U>().is_aligned(), "a source between elements");
        Source {
            base: self.base.cast(),
            start: self.start * from / to,
            end: self.end * from / to,
            life: PhantomData,
        }
    }
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

// SAFETY: elements are plain values, and who makes a part of it says that no other thread touches that.
unsafe impl<T: Send> Send for Disjoint<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}

impl<T> Disjoint<'_, T> {
    /// No elements.
    pub const NONE: Self = Disjoint { base: std::ptr::null_mut(), start: 0, end: 0, life: PhantomData };
}

impl<'r, T: AnyBitPattern> Disjoint<'r, T> {
    /// Where elements `first..first + len` lie.
    #[inline(always)]
    pub fn at(self, first: usize, len: usize) -> *mut T {
        check((self.start, self.end), first, len);
        self.base.wrapping_add(first)
    }

    /// Where `rows` rows of `columns` elements lie, the first of them at `first`, each `stride` behind the one before.
    #[inline(always)]
    pub fn tile(self, first: usize, [rows, stride, columns]: [usize; 3]) -> *mut T {
        let len = if rows == 0 { 0 } else { (rows - 1) * stride + columns };
        self.at(first, len)
    }

    /// Elements `first..first + len`, counted from 0.
    ///
    /// # Safety
    /// Nobody else reads or writes them for as long as the part is used.
    #[inline(always)]
    pub unsafe fn part<'p>(self, first: usize, len: usize) -> Target<'p, T> {
        Target(Disjoint { base: self.at(first, len), start: 0, end: len, life: PhantomData })
    }

    /// What was written, to be read: no thread writes it any more, or it is this thread's.
    #[inline]
    pub fn written(self) -> Source<'r, T> {
        Source { base: self.base, start: self.start, end: self.end, life: PhantomData }
    }

    /// These elements are some of a tensor's, from element `first` on.
    #[inline]
    pub fn within(self, first: usize) -> Self {
        let (base, len) = (self.base.wrapping_add(self.start), self.end - self.start);
        Disjoint { base: base.wrapping_sub(first), start: first, end: first + len, life: PhantomData }
    }

    /// The same memory as elements of another type.
    pub fn cast<U: AnyBitPattern>(self) -> Disjoint<'r, U> {
        let (from, to) = (size_of::<T>(), size_of::<U>());
        assert!(self.base.cast::<U>().is_aligned(), "a target between elements");
        let (start, end) = (self.start * from / to, self.end * from / to);
        Disjoint { base: self.base.cast(), start, end, life: PhantomData }
    }
}

impl<'r, T: AnyBitPattern> Target<'r, T> {
    /// The elements of a slice.
    pub fn of(slice: &'r mut [T]) -> Self {
        Target(Disjoint { base: slice.as_mut_ptr(), start: 0, end: slice.len(), life: PhantomData })
    }

    /// Room for elements.
    ///
    /// # Safety
    /// None is read before it is written.
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
        // SAFETY: they are this target's, which is lent for as long.
        unsafe { self.0.part(first, len) }
    }

    /// The elements, which hold something.
    pub fn as_slice(&self) -> &[T] {
        let len = self.len();
        // SAFETY: `len` elements of any bits, which only this target writes, and does not while it is borrowed.
        unsafe { std::slice::from_raw_parts(self.0.at(self.0.start, len), len) }
    }

    /// The elements, which hold something.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        let len = self.len();
        // SAFETY: `len` elements of any bits, which only this target has.
        unsafe { std::slice::from_raw_parts_mut(self.at(self.0.start, len), len) }
    }

    /// The same elements to read, once they were written.
    #[inline]
    pub fn written(&self) -> Source<'r, T> {
        self.0.written()
    }

    /// The same memory as elements of another type.
    pub fn cast<U: AnyBitPattern>(self) -> Target<'r, U> {
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
        // SAFETY: the element is there, and this target's.
        unsafe { *self.at(i, 1) = value }
    }

    /// Writes all elements.
    pub fn fill(&mut self, value: T) {
        (self.0.start..self.0.end).for_each(|i| self.set(i, value));
    }

    /// Writes all elements, as many as `from` has, which may be the same.
    pub fn copy_from(&mut self, from: Source<'_, T>) {
        let len = from.len();
        let (from, to) = (from.at(from.start, len), self.at(self.0.start, self.len()));
        assert_eq!(len, self.len(), "elements to be copied");
        // SAFETY: both have `len` elements; those of the target are this one's alone.
        unsafe { std::ptr::copy(from, to, len) };
    }
}

impl<'r> Target<'r, u8> {
    /// Where they lie.
    pub fn place(self) -> Place {
        let bytes = self.len();
        Place { at: self.0.at(self.0.start, bytes), bytes }
    }

    /// The first `len` elements of another type, and what is left from the next multiple of 64 bytes on.
    pub fn take<T: AnyBitPattern>(self, len: usize) -> (Target<'r, T>, Target<'r, u8>) {
        let (all, bytes) = (self.place(), len * size_of::<T>());
        let rest = bytes.next_multiple_of(LINE).min(all.bytes);
        (all.part(0, bytes).target(), all.part(rest, all.bytes - rest).target())
    }
}

/// For kernels: how many elements the target has, and where they and as many of the source lie.
#[inline(always)]
pub fn pair<A: AnyBitPattern, B: AnyBitPattern>(
    x: Source<'_, A>,
    y: &mut Target<'_, B>,
) -> (usize, *const A, *mut B) {
    let n = y.len();
    (n, x.at(0, n), y.at(0, n))
}

/// Scratch memory begins at multiples of so many bytes.
pub const LINE: usize = 64;
