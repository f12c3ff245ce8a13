//! `Arena`: one block of memory that the caller owns, and everything that a model takes from it.
//!
//! ```text
//!  base              head          temp                tail              end
//!   │ planned buffers │ temporaries │       free        │   persistent    │
//!   │ (tensors,       │ (of the     │                   │ (bookkeeping,   │
//!   │  scratch)       │  node in    │ ──►           ◄── │  states, tables,│
//!   │                 │  work)      │                   │  variables)     │
//! ```
//!
//! base ≤ head ≤ temp ≤ tail ≤ end, always. `base` and `end` are multiples of [`ALIGNMENT`]. What is persistent stays where it is for
//! as long as the arena; the head is set once all temporaries are gone. How much is taken depends on the model alone, not on the size
//! of the block or on its address, so that the most that was in use is the least that is needed.

use core::cell::Cell;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use crate::error::{Error, Result};
use crate::sizes::{Category, Sizes};

/// Alignment of the arena and of planned buffers, as in TensorFlow Lite Micro.
pub(crate) const ALIGNMENT: usize = 16;

/// The block. Its five places are distances from `base`, which itself is 0.
pub(crate) struct Arena<'a> {
    base: NonNull<u8>,
    head: Cell<usize>,
    temp: Cell<usize>,
    tail: Cell<usize>,
    end: usize,
    /// Temporaries that are still in use.
    open: Cell<usize>,
    /// Bytes of the caller's block, and those of them in front of `base` and behind `end`.
    given: usize,
    lost: usize,
    sizes: Cell<Sizes>,
    block: PhantomData<&'a mut [u8]>,
}

/// A state of the tail to go back to.
pub(crate) struct Mark {
    tail: usize,
    sizes: Sizes,
}

impl<'a> Arena<'a> {
    pub fn new(block: &'a mut [u8]) -> Self {
        let given = block.len();
        let padding = block.as_ptr().align_offset(ALIGNMENT).min(given);
        let (_, inner) = block.split_at_mut(padding);
        let end = inner.len() / ALIGNMENT * ALIGNMENT;
        Arena {
            base: NonNull::from(inner).cast(),
            head: Cell::new(0),
            temp: Cell::new(0),
            tail: Cell::new(end),
            end,
            open: Cell::new(0),
            given,
            lost: padding,
            sizes: Cell::new(Sizes::default()),
            block: PhantomData,
        }
    }

    /// What was in use at most, and what for.
    pub fn sizes(&self) -> Sizes {
        self.sizes.get()
    }

    /// Notes that so many bytes from `base` on are in use while the last `persistent` are; an error if they meet.
    fn claim(&self, front: Option<usize>, persistent: Option<usize>) -> Result<()> {
        let sum = front.zip(persistent).and_then(|(front, persistent)| {
            front.checked_add(persistent)?.checked_next_multiple_of(ALIGNMENT)
        });
        match sum {
            Some(bytes) if bytes <= self.end => {
                let mut sizes = self.sizes.get();
                sizes.arena = sizes.arena.max(bytes);
                self.sizes.set(sizes);
                Ok(())
            }
            sum => {
                let needed = sum.map_or(usize::MAX, |bytes| bytes.saturating_add(self.lost));
                Err(Error::Arena { given: self.given, needed })
            }
        }
    }

    /// Zeroed memory at the tail.
    pub fn persistent_bytes(
        &self,
        bytes: usize,
        alignment: usize,
        category: Category,
    ) -> Result<NonNull<u8>> {
        let padding = alignment.saturating_sub(ALIGNMENT);
        let taken = self.end - self.tail.get();
        let now = bytes.checked_add(padding).and_then(|bytes| taken.checked_add(bytes));
        let now = now.and_then(|bytes| bytes.checked_next_multiple_of(alignment.min(ALIGNMENT)));
        self.claim(Some(self.temp.get()), now)?;
        let tail = self.end - now.unwrap_or(taken);
        self.tail.set(tail);
        let mut sizes = self.sizes.get();
        sizes.add(category, now.unwrap_or(taken) - taken);
        self.sizes.set(sizes);
        // SAFETY: `claim` has seen to it that temp ≤ tail ≤ end, so the bytes lie in the block; nobody else has them.
        unsafe {
            let start = self.base.add(tail);
            let start = start.add(start.align_offset(alignment.max(1)));
            start.write_bytes(0, bytes);
            Ok(start)
        }
    }

    /// A list at the tail.
    pub fn persistent<T: Copy>(
        &self,
        count: usize,
        category: Category,
        mut value: impl FnMut(usize) -> T,
    ) -> Result<&'a mut [T]> {
        let bytes = count.saturating_mul(size_of::<T>());
        let data = self.persistent_bytes(bytes, align_of::<T>(), category)?.cast::<T>();
        for i in 0..count {
            // SAFETY: there is room for `count` values, aligned.
            unsafe { data.add(i).write(value(i)) };
        }
        // SAFETY: the values were just written; the memory is the block's, which is lent for `'a`, and is handed out once.
        Ok(unsafe { NonNull::slice_from_raw_parts(data, count).as_mut() })
    }

    pub fn mark(&self) -> Mark {
        Mark { tail: self.tail.get(), sizes: self.sizes.get() }
    }

    /// Gives back what was taken from the tail since then.
    ///
    /// # Safety
    /// Nothing of it is used any more.
    pub unsafe fn release(&self, mark: Mark) {
        self.sizes.set(Sizes { arena: self.sizes.get().arena, ..mark.sizes });
        self.tail.set(mark.tail);
    }

    /// A list for as long as the result lives.
    pub fn temporary<T: Copy>(&self, count: usize, mut value: impl FnMut(usize) -> T) -> Result<Temp<'_, T>> {
        let before = self.temp.get();
        let start = before.next_multiple_of(align_of::<T>());
        let end = count.checked_mul(size_of::<T>()).and_then(|bytes| start.checked_add(bytes));
        self.claim(end, Some(self.end - self.tail.get()))?;
        let end = end.unwrap_or(start);
        // SAFETY: `claim` has seen to it that the list lies in the block, in front of the tail.
        let data = unsafe { self.base.add(start) }.cast::<T>();
        for i in 0..count {
            // SAFETY: there is room for `count` values, aligned.
            unsafe { data.add(i).write(value(i)) };
        }
        self.temp.set(end);
        self.open.set(self.open.get() + 1);
        Ok(Temp {
            data,
            count,
            before,
            end,
            places: Places { temp: &self.temp, open: &self.open, head: &self.head },
        })
    }

    /// The head becomes `bytes` long.
    pub fn set_head(&self, bytes: u64) -> Result<()> {
        let bytes = usize::try_from(bytes).ok();
        self.claim(bytes, Some(self.end - self.tail.get()))?;
        if self.open.get() != 0 {
            return Err(Error::Phase("temporaries are in use while the head is set"));
        }
        let mut sizes = self.sizes.get();
        sizes.head = bytes.unwrap_or(0);
        self.sizes.set(sizes);
        self.head.set(sizes.head);
        self.temp.set(sizes.head);
        Ok(())
    }

    /// The place so far into the head; for what the head was set to, or will be.
    pub fn in_head(&self, offset: u64) -> *mut u8 {
        self.base.as_ptr().wrapping_add(usize::try_from(offset).unwrap_or(usize::MAX))
    }
}

/// What a temporary changes when it ends.
#[derive(Clone, Copy)]
struct Places<'t> {
    temp: &'t Cell<usize>,
    open: &'t Cell<usize>,
    head: &'t Cell<usize>,
}

/// A temporary list. Its memory is free again when it is dropped, or, if others that came later are still in use, with the last of them.
pub(crate) struct Temp<'t, T> {
    data: NonNull<T>,
    count: usize,
    before: usize,
    end: usize,
    places: Places<'t>,
}

impl<T> Temp<'_, T> {
    /// For what others read through pointers of their own while it changes.
    pub fn as_ptr(&self) -> *mut T {
        self.data.as_ptr()
    }

    pub fn count(&self) -> usize {
        self.count
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
        let Places { temp, open, head } = self.places;
        open.set(open.get() - 1);
        if open.get() == 0 {
            temp.set(head.get());
        } else if temp.get() == self.end {
            temp.set(self.before);
        }
    }
}
