//! `Temp`: a list in front of the tail, for as long as its owner has it.

use core::cell::Cell;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

#[cfg(feature = "alloc")]
use crate::elsewhere::{Elsewhere, Span};

/// What lies in front of the tail: the head ends at `head`, temporaries at `temp`, and so many of these are in use.
pub(super) struct Front {
    pub head: Cell<usize>,
    pub temp: Cell<usize>,
    pub open: Cell<usize>,
}

/// A temporary list. Its memory is free again when it is dropped, or, if others that came later are still in use, with the last of them.
pub(crate) struct Temp<'t, T> {
    pub(super) data: NonNull<T>,
    pub(super) count: usize,
    pub(super) before: usize,
    pub(super) end: usize,
    pub(super) front: &'t Front,
    #[cfg(feature = "alloc")]
    pub(super) elsewhere: Option<(&'t Elsewhere, Span)>,
}

impl<'t> Temp<'t, u8> {
    /// Where the memory begins.
    pub fn start(&self) -> NonNull<u8> {
        self.data
    }

    /// The same memory, as a list of so many values: they are there, and were written.
    pub(super) fn of<T>(self, count: usize) -> Temp<'t, T> {
        let this = core::mem::ManuallyDrop::new(self);
        Temp {
            data: this.data.cast(),
            count,
            before: this.before,
            end: this.end,
            front: this.front,
            #[cfg(feature = "alloc")]
            elsewhere: this.elsewhere,
        }
    }
}

impl<T> Temp<'_, T> {
    /// For what others read through pointers of their own while it changes.
    pub fn as_ptr(&self) -> *mut T {
        self.data.as_ptr()
    }
}

impl<T> Deref for Temp<'_, T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: written by `temporary`, and this value's alone until it is dropped.
        unsafe { NonNull::slice_from_raw_parts(self.data, self.count).as_ref() }
    }
}

impl<T> DerefMut for Temp<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`.
        unsafe { NonNull::slice_from_raw_parts(self.data, self.count).as_mut() }
    }
}

impl<T> Drop for Temp<'_, T> {
    fn drop(&mut self) {
        let Front { head, temp, open } = self.front;
        open.set(open.get() - 1);
        #[cfg(feature = "alloc")]
        if let Some((elsewhere, span)) = self.elsewhere {
            elsewhere.end(span, open.get() == 0);
        }
        if open.get() == 0 {
            temp.set(head.get());
        } else if temp.get() == self.end {
            temp.set(self.before);
        }
    }
}
