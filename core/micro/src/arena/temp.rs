//! `Temp`: a temporary list between head and tail.

use core::cell::Cell;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use super::ledger::{Freed, Ledger, Span, WithLedger};

/// Memory in front of the tail: the ends of head and temporaries, and the number of temporaries in use.
pub(super) struct Front {
    pub head: Cell<usize>,
    pub temp: Cell<usize>,
    pub open: Cell<usize>,
}

/// A temporary list. Dropping it frees its memory and the [values](super::Arena::temporary_value) after it; if later
/// temporaries are still in use, the last of them frees it.
pub(crate) struct Temp<'t, T> {
    pub(super) data: NonNull<T>,
    pub(super) count: usize,
    pub(super) before: usize,
    pub(super) end: usize,
    /// How many temporaries were in use before it.
    pub(super) depth: usize,
    pub(super) front: &'t Front,
    pub(super) ledger: WithLedger<(&'t dyn Ledger, Span)>,
}

impl<'t> Temp<'t, u8> {
    /// Start of the memory.
    pub(crate) fn start(&self) -> NonNull<u8> {
        self.data
    }

    /// The same memory as a list of `count` values, which must have been written.
    pub(super) fn of<T>(self, count: usize) -> Temp<'t, T> {
        let this = core::mem::ManuallyDrop::new(self);
        Temp {
            data: this.data.cast(),
            count,
            before: this.before,
            end: this.end,
            depth: this.depth,
            front: this.front,
            ledger: this.ledger,
        }
    }
}

impl<T> Temp<'_, T> {
    /// For readers that hold their own pointers while the list changes.
    pub(crate) fn as_ptr(&self) -> *mut T {
        self.data.as_ptr()
    }
}

impl<T> Deref for Temp<'_, T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: `temporary` wrote `count` values, and this value owns the memory until it is dropped.
        unsafe { NonNull::slice_from_raw_parts(self.data, self.count).as_ref() }
    }
}

impl<T> DerefMut for Temp<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: `temporary` wrote `count` values; `&mut self` is the only access.
        unsafe { NonNull::slice_from_raw_parts(self.data, self.count).as_mut() }
    }
}

impl<T> Drop for Temp<'_, T> {
    fn drop(&mut self) {
        let Front { head, temp, open } = self.front;
        open.set(open.get() - 1);
        let freed = match open.get() {
            0 => Freed::All,
            left if left == self.depth || temp.get() == self.end => Freed::This,
            _ => Freed::Nothing,
        };
        if let Some((ledger, span)) = self.ledger.get() {
            ledger.end(span, freed);
        }
        match freed {
            Freed::All => temp.set(head.get()),
            Freed::This => temp.set(self.before),
            Freed::Nothing => {}
        }
    }
}
