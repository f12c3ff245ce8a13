//! `Arena`: memory that the caller owns, and everything that a model takes from it.
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
//!
//! With two blocks, what is persistent lies at the end of the second one, and all else in the first.

mod part;
mod temp;

use core::cell::Cell;
use core::marker::PhantomData;
use core::ptr::NonNull;

#[cfg(feature = "alloc")]
use crate::elsewhere::Elsewhere;
use crate::error::{Error, Result};
use crate::layouts::Layout;
use crate::ops::OpRegistration;
use crate::sizes::{Category, Recording};

pub(crate) use part::Part;
use temp::Front;
pub(crate) use temp::Temp;

/// Alignment of the arena and of planned buffers, as in TensorFlow Lite Micro.
pub(crate) const ALIGNMENT: usize = 16;

/// A block of the caller's.
#[derive(Clone, Copy)]
struct Block {
    base: NonNull<u8>,
    end: usize,
    /// Bytes of the caller's block, and those of them in front of `base`.
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

    /// `bytes`, if the block has so many; else what was given, and what is needed.
    fn check(&self, bytes: Option<usize>) -> Result<usize, (usize, usize)> {
        match bytes.and_then(|bytes| bytes.checked_next_multiple_of(ALIGNMENT)) {
            Some(bytes) if bytes <= self.end => Ok(bytes),
            bytes => Err((self.given, bytes.map_or(usize::MAX, |bytes| bytes.saturating_add(self.lost)))),
        }
    }
}

/// The memory of one model, or of several that take turns. Places are distances from the base of their block.
pub(crate) struct Arena<'a> {
    /// The same as `back`, or apart from it.
    planned: Block,
    back: Block,
    front: Front,
    tail: Cell<usize>,
    /// What was claimed of the front, and at the tail: what takes less of both is there, and is on record.
    claimed: Cell<(usize, usize)>,
    recording: Cell<Recording>,
    /// Counts along what another machine would take.
    #[cfg(feature = "alloc")]
    elsewhere: Option<&'a Elsewhere>,
    memory: PhantomData<&'a mut [u8]>,
}

/// A state of the tail to go back to.
pub(crate) struct Mark {
    tail: usize,
    recording: Recording,
    #[cfg(feature = "alloc")]
    elsewhere: Option<(usize, Recording)>,
}

impl<'a> Arena<'a> {
    /// One block for all.
    pub fn new(block: &'a mut [u8]) -> Self {
        let block = Block::new(block);
        Self::of(block, block)
    }

    /// A block for what is planned or temporary, and one for what is persistent.
    pub fn of_two(planned: &'a mut [u8], persistent: &'a mut [u8]) -> Self {
        Self::of(Block::new(planned), Block::new(persistent))
    }

    /// One block for all, on behalf of another machine.
    #[cfg(feature = "alloc")]
    pub fn on_behalf(block: &'a mut [u8], elsewhere: &'a Elsewhere) -> Self {
        Arena { elsewhere: Some(elsewhere), ..Self::new(block) }
    }

    fn of(planned: Block, back: Block) -> Self {
        Arena {
            planned,
            back,
            front: Front { head: Cell::new(0), temp: Cell::new(0), open: Cell::new(0) },
            tail: Cell::new(back.end),
            claimed: Cell::new((0, 0)),
            recording: Cell::new(Recording::default()),
            #[cfg(feature = "alloc")]
            elsewhere: None,
            memory: PhantomData,
        }
    }

    /// At its own tail, for those who share it.
    pub fn into_tail(self) -> Result<&'a Self> {
        let place = self.persistent_bytes(size_of::<Self>(), align_of::<Self>(), Category::Subgraphs)?.cast();
        // SAFETY: new memory of that size and alignment in the block, which is lent for `'a`; it is handed out once, and nothing of it
        // is dropped.
        unsafe {
            place.write(self);
            Ok(place.as_ref())
        }
    }

    /// What was in use at most, and what for.
    pub fn recording(&self) -> Recording {
        self.recording.get()
    }

    fn record(&self, change: impl FnOnce(&mut Recording)) {
        let mut recording = self.recording.get();
        change(&mut recording);
        self.recording.set(recording);
    }

    /// Bytes at the tail.
    fn taken(&self) -> usize {
        self.back.end - self.tail.get()
    }

    /// Notes that so many bytes from the first block's base on are in use while the last `tail` of the second are; an error if there are
    /// not so many, or if they meet.
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
            self.planned.check(both).map_err(|(given, needed)| Error::Arena { given, needed })?;
        } else {
            self.planned.check(front).map_err(|(given, needed)| Error::Arena { given, needed })?;
            self.back.check(tail).map_err(|(given, needed)| Error::PersistentArena { given, needed })?;
        }
        if let (Some(front), Some(tail), Some(both)) = (front, tail, both) {
            // Once the tail stays as it is, this is the most that was claimed of the front.
            if tail >= self.claimed.get().1 {
                self.claimed.set((front, tail));
            }
            self.record(|recording| recording.note(front, tail, both.next_multiple_of(ALIGNMENT)));
        }
        Ok(())
    }

    /// Zeroed memory at the tail, which has as many bytes on every machine.
    pub fn persistent_bytes(
        &self,
        bytes: usize,
        alignment: usize,
        category: Category,
    ) -> Result<NonNull<u8>> {
        let taken = self.take(bytes, alignment, category)?;
        #[cfg(feature = "alloc")]
        if let Some(elsewhere) = self.elsewhere {
            elsewhere.persistent(Layout { size: bytes, align: alignment }, category);
        }
        Ok(taken)
    }

    /// Zeroed memory for the state of an op.
    pub fn state(&self, op: &OpRegistration) -> Result<NonNull<u8>> {
        let Layout { size, align } = Layout::of_state(op);
        let taken = self.take(size, align, Category::OpData)?;
        #[cfg(feature = "alloc")]
        if let Some(elsewhere) = self.elsewhere {
            elsewhere.state(op);
        }
        Ok(taken)
    }

    /// Zeroed memory at the tail.
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
        // SAFETY: `claim` has seen to it that the tail lies in its block, and behind `temp` if that is the same one; nobody else has the
        // bytes.
        unsafe {
            let start = self.back.base.add(tail);
            let start = start.add(start.align_offset(alignment.max(1)));
            start.write_bytes(0, bytes);
            Ok(start)
        }
    }

    /// A list at the tail.
    pub fn persistent<T>(
        &self,
        count: usize,
        category: Category,
        mut value: impl FnMut(usize) -> T,
    ) -> Result<&'a mut [T]> {
        const { assert!(!core::mem::needs_drop::<T>(), "what lies in the arena is not dropped") };
        let bytes = count.saturating_mul(size_of::<T>());
        let data = self.take(bytes, align_of::<T>(), category)?.cast::<T>();
        #[cfg(feature = "alloc")]
        if let Some(elsewhere) = self.elsewhere {
            elsewhere.persistent_list::<T>(count, category);
        }
        for i in 0..count {
            // SAFETY: there is room for `count` values, aligned.
            unsafe { data.add(i).write(value(i)) };
        }
        // SAFETY: the values were just written; the memory is the block's, which is lent for `'a`, and is handed out once.
        Ok(unsafe { NonNull::slice_from_raw_parts(data, count).as_mut() })
    }

    /// One value at the tail.
    pub fn persistent_value<T: Copy>(&self, category: Category, value: T) -> Result<&'a T> {
        let list: &'a [T] = self.persistent(1, category, |_| value)?;
        Ok(&list[0])
    }

    pub fn mark(&self) -> Mark {
        Mark {
            tail: self.tail.get(),
            recording: self.recording.get(),
            #[cfg(feature = "alloc")]
            elsewhere: self.elsewhere.map(Elsewhere::mark),
        }
    }

    /// Gives back what was taken from the tail since then.
    ///
    /// # Safety
    /// Nothing of it is used any more.
    pub unsafe fn release(&self, mark: Mark) {
        self.record(|recording| recording.release(&mark.recording));
        #[cfg(feature = "alloc")]
        if let Some((elsewhere, mark)) = self.elsewhere.zip(mark.elsewhere) {
            elsewhere.release(mark);
        }
        self.tail.set(mark.tail);
    }

    /// A list for as long as the result lives.
    pub fn temporary<T: Copy>(&self, count: usize, mut value: impl FnMut(usize) -> T) -> Result<Temp<'_, T>> {
        let list = self.temporaries(&[Part::of::<T>(count)])?.of::<T>(count);
        for i in 0..count {
            // SAFETY: there is room for `count` values, aligned.
            unsafe { list.as_ptr().add(i).write(value(i)) };
        }
        Ok(list)
    }

    /// Memory for several lists, for as long as the result lives; it begins where the first of them does. Nothing is written yet.
    pub fn temporaries(&self, parts: &[Part]) -> Result<Temp<'_, u8>> {
        self.placed(|before| Part::place(before, parts), || parts)
    }

    /// The same where it is known which place such lists take behind another.
    #[inline(always)]
    #[cfg_attr(not(feature = "alloc"), allow(unused_variables))]
    pub fn placed<P: AsRef<[Part]>>(
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
        Ok(Temp {
            // SAFETY: `claim` has seen to it that the lists lie in the block, in front of the tail.
            data: unsafe { self.planned.base.add(start) },
            count: 0,
            before,
            end,
            front: &self.front,
            #[cfg(feature = "alloc")]
            elsewhere: self.elsewhere.map(|elsewhere| (elsewhere, elsewhere.temporaries(parts().as_ref()))),
        })
    }

    /// Claims so many bytes as temporaries with this alignment will take later on, at once.
    pub fn rehearse(&self, bytes: usize, alignment: usize) -> Result<()> {
        let start = self.front.temp.get().checked_next_multiple_of(alignment);
        self.claim(start.and_then(|start| start.checked_add(bytes)), Some(self.taken()))
    }

    /// Bytes that the block has for what is planned: no tensor is larger.
    pub fn room(&self) -> usize {
        self.planned.end
    }

    /// What is wrong if a tensor, or more than one, has so many bytes.
    pub fn too_small(&self, bytes: usize) -> Error {
        Error::Arena { given: self.planned.given, needed: bytes.saturating_add(self.planned.lost) }
    }

    /// Bytes of the head.
    pub fn head(&self) -> usize {
        self.front.head.get()
    }

    /// The head becomes `bytes` long.
    pub fn set_head(&self, bytes: u64) -> Result<()> {
        let bytes = usize::try_from(bytes).ok();
        self.claim(bytes, Some(self.taken()))?;
        if self.front.open.get() != 0 {
            return Err(Error::Phase("temporaries are in use while the head is set"));
        }
        let bytes = bytes.unwrap_or(0);
        self.record(|recording| recording.head = bytes);
        #[cfg(feature = "alloc")]
        if let Some(elsewhere) = self.elsewhere {
            elsewhere.set_head(bytes);
        }
        self.front.head.set(bytes);
        self.front.temp.set(bytes);
        Ok(())
    }

    /// Notes that an op asked for a scratch buffer.
    pub fn note_scratch(&self, bytes: usize) {
        self.record(|recording| recording.scratch = recording.scratch.saturating_add(bytes));
    }

    /// The place so far into the head; for what the head was set to, or will be.
    pub fn in_head(&self, offset: u64) -> *mut u8 {
        self.planned.base.as_ptr().wrapping_add(usize::try_from(offset).unwrap_or(usize::MAX))
    }
}
