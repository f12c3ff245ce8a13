//! `Arena`: a block of memory from the caller, and the allocator over it.
//!
//! ```text
//!  base              head          temp                tail              end
//!   │ planned buffers │ temporaries │       free        │   persistent    │
//!   │ (tensors,       │ (of the     │                   │ (bookkeeping,   │
//!   │  scratch)       │  current    │ ──►           ◄── │  states, tables,│
//!   │                 │  node)      │                   │  variables)     │
//! ```
//!
//! Invariant: base ≤ head ≤ temp ≤ tail ≤ end. `base` and `end` are multiples of [`ALIGNMENT`]. Persistent memory never
//! moves and lives as long as the arena. The head is set when no temporary is in use. How much a model uses depends on
//! the model alone, not on the size of the block or its address, so the peak is also the smallest arena that works.
//!
//! With two blocks, persistent memory is at the end of the second block; planned and temporary memory is in the first.

mod layout;
mod ledger;
mod part;
mod sizes;
mod temp;

use core::cell::Cell;
use core::marker::PhantomData;
use core::ptr::NonNull;

use arenite_abi::op::Registration as OpRegistration;

use crate::error::{Error, Result};
use arenite_model::detail;

pub(crate) use layout::{ALIGNMENT, Layout};
#[cfg(feature = "alloc")]
pub(crate) use ledger::Freed;
#[cfg(feature = "alloc")]
pub(crate) use ledger::Span;
use ledger::WithLedger;
pub(crate) use ledger::{Ledger, TailMark};
pub(crate) use part::Part;
pub use sizes::{Category, Recording, Sizes};
use temp::Front;
pub(crate) use temp::Temp;

/// A block of memory from the caller, trimmed to [`ALIGNMENT`].
#[derive(Clone, Copy)]
struct Block {
    base: NonNull<u8>,
    end: usize,
    /// Size of the block, and the bytes skipped in front of `base` to align it.
    given: usize,
    lost: usize,
}

impl Block {
    fn new(block: &mut [u8]) -> Self {
        let given = block.len();
        let lost = block.as_ptr().align_offset(ALIGNMENT).min(given);
        let (_, inner) = block.split_at_mut(lost);
        let end = inner.len() / ALIGNMENT * ALIGNMENT;
        Block { base: NonNull::from(inner).cast(), end, given, lost }
    }

    /// `bytes`, rounded up, if they fit in the block; else the block's size and the size that would do.
    fn check(&self, bytes: Option<usize>) -> Result<usize, (usize, usize)> {
        match bytes.and_then(|bytes| bytes.checked_next_multiple_of(ALIGNMENT)) {
            Some(bytes) if bytes <= self.end => Ok(bytes),
            bytes => Err((self.given, bytes.map_or(usize::MAX, |bytes| bytes.saturating_add(self.lost)))),
        }
    }
}

/// The memory of one model, or of several that take turns. Places are offsets from the base of their block.
pub(crate) struct Arena<'a> {
    /// Equal to `back` if there is one block.
    planned: Block,
    back: Block,
    front: Front,
    tail: Cell<usize>,
    /// The largest front claimed so far, with the tail at that time. A claim that exceeds neither is already recorded.
    claimed: Cell<(usize, usize)>,
    recording: Cell<Recording>,
    ledger: WithLedger<&'a dyn Ledger>,
    memory: PhantomData<&'a mut [u8]>,
}

/// A state of the tail, for [`Arena::release`].
pub(crate) struct Mark {
    tail: usize,
    recording: Recording,
    ledger: WithLedger<TailMark>,
}

impl<'a> Arena<'a> {
    /// An arena in one block.
    pub(crate) fn new(block: &'a mut [u8]) -> Self {
        let block = Block::new(block);
        Self::of(block, block)
    }

    /// An arena in two blocks: planned and temporary memory in the first, persistent memory in the second.
    pub(crate) fn of_two(planned: &'a mut [u8], persistent: &'a mut [u8]) -> Self {
        Self::of(Block::new(planned), Block::new(persistent))
    }

    /// An arena in one block that reports to `ledger`.
    #[cfg(feature = "alloc")]
    pub(crate) fn with_ledger(block: &'a mut [u8], ledger: &'a dyn Ledger) -> Self {
        Arena { ledger: WithLedger::some(ledger), ..Self::new(block) }
    }

    fn of(planned: Block, back: Block) -> Self {
        Arena {
            planned,
            back,
            front: Front::default(),
            tail: Cell::new(back.end),
            claimed: Cell::new((0, 0)),
            recording: Cell::new(Recording::default()),
            ledger: WithLedger::NONE,
            memory: PhantomData,
        }
    }

    /// Moves the arena into its own tail, so that several models can share it.
    pub(crate) fn into_tail(self) -> Result<&'a Self> {
        let place = self.persistent_bytes(size_of::<Self>(), align_of::<Self>(), Category::Subgraphs)?.cast();
        // SAFETY: `persistent_bytes` returned unused memory with the size and alignment of `Self`, in a block that is
        // borrowed for `'a`. The reference is created once, and dropping an arena does nothing.
        unsafe {
            place.write(self);
            Ok(place.as_ref())
        }
    }

    /// Peak use, and the use of the tail by category.
    pub(crate) fn recording(&self) -> Recording {
        self.recording.get()
    }

    fn record(&self, change: impl FnOnce(&mut Recording)) {
        let mut recording = self.recording.get();
        change(&mut recording);
        self.recording.set(recording);
    }

    /// Bytes in use in the tail.
    fn taken(&self) -> usize {
        self.back.end - self.tail.get()
    }

    /// Records that `front` bytes of the first block and `tail` bytes of the second are in use at the same time. Fails
    /// if they do not fit.
    #[inline]
    fn claim(&self, front: Option<usize>, tail: Option<usize>) -> Result<()> {
        let (most, behind) = self.claimed.get();
        match (front, tail) {
            (Some(front), Some(tail)) if front <= most && tail <= behind => Ok(()),
            _ => self.claim_more(front, tail),
        }
    }

    #[inline(never)]
    fn claim_more(&self, front: Option<usize>, tail: Option<usize>) -> Result<()> {
        let both = front.zip(tail).and_then(|(front, tail)| front.checked_add(tail));
        if (self.planned.base, self.planned.end) == (self.back.base, self.back.end) {
            self.planned
                .check(both)
                .map_err(|(given, needed)| Error::Arena { given: detail(given), needed })?;
        } else {
            self.planned
                .check(front)
                .map_err(|(given, needed)| Error::Arena { given: detail(given), needed })?;
            self.back
                .check(tail)
                .map_err(|(given, needed)| Error::PersistentArena { given: detail(given), needed })?;
        }
        if let (Some(front), Some(tail), Some(both)) = (front, tail, both) {
            // While the tail does not grow, this is the largest front so far.
            if tail >= self.claimed.get().1 {
                self.claimed.set((front, tail));
            }
            self.record(|recording| recording.note(front, tail, both.next_multiple_of(ALIGNMENT)));
        }
        Ok(())
    }

    /// Zeroed memory in the tail, for data that has the same size on every machine.
    pub(crate) fn persistent_bytes(
        &self,
        bytes: usize,
        alignment: usize,
        category: Category,
    ) -> Result<NonNull<u8>> {
        let taken = self.take(bytes, alignment, category)?;
        if let Some(ledger) = self.ledger.get() {
            ledger.persistent(Layout { size: bytes, align: alignment }, category);
        }
        Ok(taken)
    }

    /// Zeroed tail memory for the state of an op.
    pub(crate) fn state(&self, op: &OpRegistration) -> Result<NonNull<u8>> {
        let Layout { size, align } = Layout::of_state(op);
        let taken = self.take(size, align, Category::OpData)?;
        if let Some(ledger) = self.ledger.get() {
            ledger.state(op);
        }
        Ok(taken)
    }

    /// Zeroed memory in the tail.
    fn take(&self, bytes: usize, alignment: usize, category: Category) -> Result<NonNull<u8>> {
        let padding = alignment.saturating_sub(ALIGNMENT);
        let taken = self.taken();
        let now = bytes.checked_add(padding).and_then(|bytes| taken.checked_add(bytes));
        let now = now.and_then(|bytes| bytes.checked_next_multiple_of(alignment.min(ALIGNMENT)));
        self.claim(Some(self.front.temp.get()), now)?;
        let now = now.unwrap_or(taken);
        let tail = self.back.end - now;
        self.tail.set(tail);
        self.record(|recording| recording.add(category, now - taken));
        // SAFETY: `claim` checked that the tail fits in its block and does not reach `temp`, and nothing else uses
        // these bytes.
        unsafe {
            let start = self.back.base.add(tail);
            let start = start.add(start.align_offset(alignment.max(1)));
            start.write_bytes(0, bytes);
            Ok(start)
        }
    }

    /// A list in the tail.
    pub(crate) fn persistent<T>(
        &self,
        count: usize,
        category: Category,
        mut value: impl FnMut(usize) -> T,
    ) -> Result<&'a mut [T]> {
        const { assert!(!core::mem::needs_drop::<T>(), "the arena never drops values") };
        let bytes = count.saturating_mul(size_of::<T>());
        let data = self.take(bytes, align_of::<T>(), category)?.cast::<T>();
        if let Some(ledger) = self.ledger.get() {
            ledger.persistent_list(&Part::of::<T>(count), category);
        }
        for i in 0..count {
            // SAFETY: `take` returned aligned memory for `count` values.
            unsafe { data.add(i).write(value(i)) };
        }
        // SAFETY: all `count` values were written above; the memory is borrowed for `'a`, and no one else got a
        // reference to it.
        Ok(unsafe { NonNull::slice_from_raw_parts(data, count).as_mut() })
    }

    /// One value in the tail.
    pub(crate) fn persistent_value<T: Copy>(&self, category: Category, value: T) -> Result<&'a T> {
        let list: &'a [T] = self.persistent(1, category, |_| value)?;
        Ok(&list[0])
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { tail: self.tail.get(), recording: self.recording.get(), ledger: self.ledger.map(Ledger::mark) }
    }

    /// Frees everything that was allocated in the tail since `mark`.
    ///
    /// # Safety
    /// Nothing may use that memory afterwards.
    pub(crate) unsafe fn release(&self, mark: Mark) {
        self.record(|recording| recording.release(&mark.recording));
        if let Some((ledger, mark)) = self.ledger.get().zip(mark.ledger.get()) {
            ledger.release(mark);
        }
        self.tail.set(mark.tail);
    }

    /// A temporary list, freed when the result is dropped.
    pub(crate) fn temporary<T: Copy>(
        &self,
        count: usize,
        mut value: impl FnMut(usize) -> T,
    ) -> Result<Temp<'_, T>> {
        let list = self.temporaries(&[Part::of::<T>(count)])?.of::<T>(count);
        for i in 0..count {
            // SAFETY: `temporaries` returned aligned memory for `count` values.
            unsafe { list.as_ptr().add(i).write(value(i)) };
        }
        Ok(list)
    }

    /// Uninitialized temporary memory for several lists, freed when the result is dropped. It starts where the first
    /// list starts.
    pub(crate) fn temporaries(&self, parts: &[Part]) -> Result<Temp<'_, u8>> {
        self.placed(|before| Part::place(before, parts), || parts)
    }

    /// Like [`temporaries`](Self::temporaries), for a caller that computes start and end itself: `place` gets the end
    /// of the previous temporary.
    #[inline(always)]
    pub(crate) fn placed<P: AsRef<[Part]>>(
        &self,
        place: impl Fn(usize) -> Option<(usize, usize)>,
        parts: impl Fn() -> P,
    ) -> Result<Temp<'_, u8>> {
        let before = self.front.temp.get();
        let placed = place(before);
        self.claim(placed.map(|(_, end)| end), Some(self.taken()))?;
        let (start, end) = placed.unwrap_or((before, before));
        self.front.temp.set(end);
        self.front.open.set(self.front.open.get() + 1);
        let level = self.front.level.get();
        self.front.level.set(level + 1);
        Ok(Temp {
            // SAFETY: `claim` checked that the lists fit in the block, in front of the tail.
            data: unsafe { self.planned.base.add(start) },
            count: 0,
            before,
            level,
            front: &self.front,
            ledger: self.ledger.map(|ledger| (ledger, ledger.temporaries(parts().as_ref()))),
        })
    }

    /// Temporary memory for one value, freed with the temporary before it.
    pub(crate) fn temporary_value<T: Copy>(&self, value: T) -> Result<NonNull<T>> {
        let parts = [Part::of::<T>(1)];
        let placed = Part::place(self.front.temp.get(), &parts);
        self.claim(placed.map(|(_, end)| end), Some(self.taken()))?;
        let (start, end) = placed.unwrap_or_default();
        self.front.temp.set(end);
        if let Some(ledger) = self.ledger.get() {
            ledger.temporaries(&parts);
        }
        // SAFETY: `claim` checked that the value fits in the block, in front of the tail.
        unsafe {
            let place = self.planned.base.add(start).cast::<T>();
            place.write(value);
            Ok(place)
        }
    }

    /// Claims `bytes` for temporaries that will be in use together later.
    pub(crate) fn rehearse(&self, bytes: usize, alignment: usize) -> Result<()> {
        let start = self.front.temp.get().checked_next_multiple_of(alignment);
        self.claim(start.and_then(|start| start.checked_add(bytes)), Some(self.taken()))
    }

    /// Bytes that the first block has for planned buffers. No tensor can be larger.
    pub(crate) fn room(&self) -> usize {
        self.planned.end
    }

    /// The error for tensors that need `bytes` together.
    pub(crate) fn too_small(&self, bytes: usize) -> Error {
        Error::Arena { given: detail(self.planned.given), needed: bytes.saturating_add(self.planned.lost) }
    }

    /// Size of the head.
    pub(crate) fn head(&self) -> usize {
        self.front.head.get()
    }

    /// Sets the size of the head.
    pub(crate) fn set_head(&self, bytes: u64) -> Result<()> {
        let bytes = usize::try_from(bytes).ok();
        self.claim(bytes, Some(self.taken()))?;
        if self.front.open.get() != 0 {
            return Err(Error::Phase(detail("temporaries are in use")));
        }
        let bytes = bytes.unwrap_or(0);
        self.record(|recording| recording.head = bytes);
        if let Some(ledger) = self.ledger.get() {
            ledger.set_head(bytes);
        }
        self.front.head.set(bytes);
        self.front.temp.set(bytes);
        Ok(())
    }

    /// Records that an op requested a scratch buffer.
    pub(crate) fn note_scratch(&self, bytes: usize) {
        self.record(|recording| recording.scratch = recording.scratch.saturating_add(bytes));
    }

    /// The address at `offset` in the head, which may not be set yet.
    pub(crate) fn in_head(&self, offset: u64) -> *mut u8 {
        self.planned.base.as_ptr().wrapping_add(usize::try_from(offset).unwrap_or(usize::MAX))
    }
}
