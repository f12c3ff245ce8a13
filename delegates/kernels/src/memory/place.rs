//! Where a value lies, before somebody vouches for what is there.

use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;

use super::{Disjoint, LINE, Source, Target, check};

/// The address and the length of a value. Safe code compares and cuts it, and cannot reach what is there:
///
/// ```compile_fail,E0133
/// use arenite_kernels::memory::Place;
///
/// let place = Place::of(0x1000 as *mut u8, 8);
/// place.source::<u8>().get(0);
/// ```
/// Nor is it made of bytes:
///
/// ```compile_fail,E0277
/// let place: arenite_kernels::memory::Place = bytemuck::pod_read_unaligned(&[0x10; 16]);
/// ```
#[derive(Clone, Copy)]
pub struct Place {
    at: *mut u8,
    bytes: usize,
}

// SAFETY: an address and a number, which say nothing about what is there: `source` and `target` are unsafe.
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

    /// `bytes` bytes of it, from byte `first` on.
    ///
    /// # Panics
    /// If it has fewer.
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
    ///
    /// # Safety
    /// During `'r` the bytes are initialised and readable. Nobody writes one of them while an element that has it is read through the
    /// source, and nobody holds a `&mut` to one.
    #[inline]
    pub unsafe fn source<'r, T: Pod>(self) -> Source<'r, T> {
        let (base, Range { start, end }) = self.elements();
        Source { base, start, end, life: PhantomData }
    }

    /// To write.
    ///
    /// # Safety
    /// During `'r` the bytes are initialised and writable. Nobody else reads or writes one of them, but for sources that are read by the
    /// thread that writes the element, through pointers alone.
    #[inline]
    pub unsafe fn target<'r, T: Pod>(self) -> Target<'r, T> {
        let (base, Range { start, end }) = self.elements();
        Target(Disjoint { base, start, end, life: PhantomData })
    }
}

impl<'r> Target<'r, u8> {
    /// Where they lie.
    pub fn place(self) -> Place {
        let bytes = self.len();
        Place { at: self.0.at(self.0.start, bytes), bytes }
    }

    /// The first `len` elements of another type, and what is left from the next multiple of 64 bytes on.
    ///
    /// # Panics
    /// If there are fewer, or the memory is not aligned for them.
    pub fn take<T: Pod>(self, len: usize) -> (Target<'r, T>, Target<'r, u8>) {
        let all = self.place();
        let bytes = len.saturating_mul(size_of::<T>());
        let first = all.part(0, bytes);
        let rest = bytes.next_multiple_of(LINE).min(all.bytes);
        // SAFETY: two parts of this target's own elements that do not overlap, and the target is used up.
        unsafe { (first.target(), all.part(rest, all.bytes - rest).target()) }
    }
}
