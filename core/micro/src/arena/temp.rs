//! `Temp`: a temporary list between head and tail.

use core::cell::Cell;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use super::ledger::{Freed, Ledger, Span, WithLedger};

/// Memory in front of the tail.
#[derive(Default)]
pub(super) struct Front {
    /// The end of the head.
    pub head: Cell<usize>,
    /// The end of the temporaries.
    pub temp: Cell<usize>,
    /// How many temporaries are in use.
    pub open: Cell<usize>,
    /// The level of the next temporary. All levels in use are below it, and no two temporaries in use have the same.
    pub level: Cell<usize>,
}

/// A temporary list. Dropping it frees its memory and the [values](super::Arena::temporary_value) after it. If a later
/// temporary is still in use, the memory is free when none is in use any more.
pub(crate) struct Temp<'t, T> {
    pub(super) data: NonNull<T>,
    pub(super) count: usize,
    pub(super) before: usize,
    pub(super) level: usize,
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
            level: this.level,
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
        let Front { head, temp, open, level } = self.front;
        open.set(open.get() - 1);
        let freed = match open.get() {
            0 => Freed::All,
            _ if level.get() == self.level + 1 => Freed::This,
            _ => Freed::Nothing,
        };
        if let Some((ledger, span)) = self.ledger.get() {
            ledger.end(span, freed);
        }
        match freed {
            Freed::All => {
                temp.set(head.get());
                level.set(0);
            }
            Freed::This => {
                temp.set(self.before);
                level.set(self.level);
            }
            Freed::Nothing => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Arena, Part};

    fn list<'t>(arena: &'t Arena<'_>, value: u8) -> super::Temp<'t, u8> {
        arena.temporary(8, |_| value).expect("the arena has room")
    }

    /// Where the next temporary would start.
    fn next(arena: &Arena<'_>) -> usize {
        arena.front.temp.get()
    }

    #[test]
    fn temporaries_do_not_overlap_those_in_use_in_any_order_of_drops() {
        let mut block = [0; 1024];
        let arena = Arena::new(&mut block);
        let (a, b) = (list(&arena, 1), list(&arena, 2));
        drop(a);
        let c = list(&arena, 3);
        drop(b);
        // Larger than the memory of `a` and `b`.
        let d = arena.temporary(24, |_| 4).expect("the arena has room");
        assert_eq!((&c[..], &d[..]), (&[3; 8][..], &[4; 24][..]));
        drop(c);
        let e = arena.temporary(32, |_| 5).expect("the arena has room");
        assert_eq!((&d[..], &e[..]), (&[4; 24][..], &[5; 32][..]));
    }

    #[test]
    fn the_last_temporary_frees_its_memory_and_the_values_after_it() {
        let mut block = [0; 1024];
        let arena = Arena::new(&mut block);
        let first = list(&arena, 1);
        let used = next(&arena);
        for _ in 0..2 {
            let second = list(&arena, 2);
            let empty = arena.temporaries(&[Part::of::<u8>(0)]).expect("the arena has room");
            arena.temporary_value(3u64).expect("the arena has room");
            drop(empty);
            arena.temporary_value(4u64).expect("the arena has room");
            assert!(next(&arena) > used + 8);
            drop(second);
            assert_eq!(next(&arena), used);
        }
        assert_eq!(first[..], [1; 8]);
    }

    #[test]
    fn memory_dropped_too_early_is_free_when_no_temporary_is_in_use() {
        let mut block = [0; 1024];
        let arena = Arena::new(&mut block);
        arena.set_head(32).expect("the arena has room");
        let (a, b, c) = (list(&arena, 1), list(&arena, 2), list(&arena, 3));
        drop(b);
        drop(c);
        assert!(next(&arena) > 32);
        drop(a);
        assert_eq!(next(&arena), 32);
    }
}
