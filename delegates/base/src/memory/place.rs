//! Addresses of values, before unsafe code makes sources or targets of them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;

use super::{Disjoint, LINE, Source, Target, check};

/// The address and the length of a value. Safe code can compare and cut places, but cannot access the memory:
///
/// ```compile_fail,E0133
/// use arenite_base::memory::Place;
///
/// let place = Place::of(0x1000 as *mut u8, 8);
/// place.source::<u8>().get(0);
/// ```
/// ```compile_fail,E0133
/// # let mut memory = [0u8; 8];
/// let place = arenite_base::memory::Target::of(&mut memory).place();
/// let (mut a, mut b) = (place.target::<u8>(), place.target::<u8>());
/// let two_of_one = (a.as_mut_slice(), b.as_mut_slice());
/// ```
/// A place cannot be read from bytes either:
///
/// ```compile_fail,E0277
/// let place: arenite_base::memory::Place = bytemuck::pod_read_unaligned(&[0x10; 16]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Place {
    at: *mut u8,
    bytes: usize,
}

// SAFETY: a place is an address and a number. Only `source` and `target` give access to the memory, and both are
// `unsafe`.
unsafe impl Send for Place {}
// SAFETY: nothing can be changed through a shared place, nor read: `source` and `target` are unsafe.
unsafe impl Sync for Place {}

impl Place {
    /// No memory, at an address that is aligned for any element.
    pub const NOWHERE: Place = Place { at: std::ptr::without_provenance_mut(LINE), bytes: 0 };

    /// `bytes` bytes at `at`.
    #[inline]
    pub const fn of(at: *mut u8, bytes: usize) -> Place {
        Place { at, bytes }
    }

    /// How many bytes there are.
    #[inline]
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// Whether the address is a multiple of `alignment`.
    #[inline]
    pub fn is_aligned(self, alignment: usize) -> bool {
        self.at.addr().is_multiple_of(alignment)
    }

    /// Whether some byte is in both places.
    pub fn overlaps(self, other: Place) -> bool {
        let span = |place: Place| (place.at.addr(), place.at.addr().saturating_add(place.bytes));
        let ((start, end), (other_start, other_end)) = (span(self), span(other));
        start < other_end && other_start < end && self.bytes > 0 && other.bytes > 0
    }

    /// The part of `bytes` bytes that starts at byte `first`.
    ///
    /// # Panics
    /// If it has fewer.
    #[inline]
    pub fn part(self, first: usize, bytes: usize) -> Place {
        check(0..self.bytes, first, bytes);
        Place { at: self.at.wrapping_add(first), bytes }
    }

    /// The elements that it has room for.
    fn elements<T>(self) -> (*mut T, Range<usize>) {
        let at = self.at.cast::<T>();
        assert!(at.is_aligned(), "a place between elements");
        (at, 0..self.bytes / size_of::<T>())
    }

    /// The elements, to be read.
    ///
    /// # Safety
    /// During `'r` the bytes must be initialized and readable. While an element is read through the source, no code may
    /// write its bytes, and no `&mut` to them may exist.
    #[inline]
    pub unsafe fn source<'r, T: Pod>(self) -> Source<'r, T> {
        let (base, Range { start, end }) = self.elements();
        Source { base, start, end, life: PhantomData }
    }

    /// The elements, to be written.
    ///
    /// # Safety
    /// During `'r` the bytes must be initialized and writable, and no other code may read or write them. One exception:
    /// the thread that writes an element may read it before through pointers.
    #[inline]
    pub unsafe fn target<'r, T: Pod>(self) -> Target<'r, T> {
        let (base, Range { start, end }) = self.elements();
        Target(Disjoint { base, start, end, life: PhantomData })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "address {:p}", self.at)
    }
}

impl<'r> Target<'r, u8> {
    /// The address and the length of the target.
    pub fn place(self) -> Place {
        let bytes = self.len();
        Place { at: self.0.at(self.0.start, bytes), bytes }
    }

    /// Splits the target into its first `len` elements of another type and the bytes from the next multiple of 64 on.
    ///
    /// # Panics
    /// If the target is too short, or not aligned for the elements.
    pub fn take<T: Pod>(self, len: usize) -> (Target<'r, T>, Target<'r, u8>) {
        let all = self.place();
        let bytes = len.saturating_mul(size_of::<T>());
        let first = all.part(0, bytes);
        let rest = bytes.next_multiple_of(LINE).min(all.bytes);
        // SAFETY: two parts of this target's own elements that do not overlap, and the target is used up.
        unsafe { (first.target(), all.part(rest, all.bytes - rest).target()) }
    }
}
