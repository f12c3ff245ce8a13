//! Memory: aligned blocks, and persistent memory whose pieces never move.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Range;
use std::ptr::NonNull;

use crate::error::{Error, Result};
use crate::quota::Budget;

/// The alignment of every block and of every tensor in an arena.
pub(crate) const ALIGNMENT: usize = arenite_abi::host_side::MAX_ALIGNMENT;

/// Size of a huge page on x86-64, and on aarch64 with pages of 4 KiB.
const HUGE_PAGE: usize = 2 << 20;

/// The limit on huge pages per block, in bytes. If memory is fragmented, the kernel moves other pages to make room for
/// each huge page, which takes time.
const MOST_HUGE: usize = 64 << 20;

/// The alignment of a block of this size.
fn alignment(bytes: usize) -> usize {
    if bytes < HUGE_PAGE { ALIGNMENT } else { HUGE_PAGE }
}

/// The layout of an allocation with `bytes` bytes after the first multiple of [`alignment`]. With at most 16, the
/// system provides zeroed pages; with more, the allocator would write zeros, so the pages would be resident before they
/// are used.
fn layout(bytes: usize) -> Option<Layout> {
    const USUAL: usize = 16;
    Layout::from_size_align(bytes.checked_add(alignment(bytes) - USUAL)?, USUAL).ok()
}

/// Asks for huge pages for the part of the block that fills them. A partly filled one would waste memory.
#[cfg(target_os = "linux")]
fn advise_huge_pages(data: NonNull<u8>, bytes: usize) {
    if bytes >= HUGE_PAGE {
        // SAFETY: the pages belong to one allocation, and the advice changes no contents. Without huge pages it fails,
        // which has no effect.
        let _ = unsafe {
            rustix::mm::madvise(
                data.as_ptr().cast(),
                bytes.min(MOST_HUGE) / HUGE_PAGE * HUGE_PAGE,
                rustix::mm::Advice::LinuxHugepage,
            )
        };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_huge_pages(_: NonNull<u8>, _: usize) {}

/// A block of zeroed memory, aligned to [`ALIGNMENT`]. Its owner hands out pointers into it and creates no references.
#[derive(Debug)]
pub(crate) struct Block {
    data: NonNull<u8>,
    bytes: usize,
    /// Bytes of the allocation before `data`.
    lead: usize,
}

// SAFETY: the block owns its memory, like a `Vec<u8>`.
unsafe impl Send for Block {}

/// A type with the alignment of blocks.
#[repr(align(64))]
struct Aligned;

const _: () = assert!(align_of::<Aligned>() == ALIGNMENT);

impl Block {
    /// No memory. The address is aligned like any other, because delegates check the addresses of empty tensors too.
    pub(crate) const EMPTY: Block = Block { data: NonNull::<Aligned>::dangling().cast(), bytes: 0, lead: 0 };

    /// Allocates `bytes` zero bytes.
    pub(crate) fn zeroed(bytes: usize) -> Result<Self> {
        if bytes == 0 {
            return Ok(Block::EMPTY);
        }
        let layout = layout(bytes).ok_or(Error::OutOfMemory { bytes })?;
        // SAFETY: the layout's size is not zero.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(Error::OutOfMemory { bytes })?;
        let lead = start.as_ptr().addr().next_multiple_of(alignment(bytes)) - start.as_ptr().addr();
        // SAFETY: the allocation is larger than `bytes` by what aligning takes at most.
        let data = unsafe { start.add(lead) };
        advise_huge_pages(data, bytes);
        Ok(Block { data, bytes, lead })
    }

    /// The number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// The addresses of its bytes.
    pub(crate) fn addresses(&self) -> Range<usize> {
        let start = self.data.as_ptr().addr();
        start..start + self.bytes
    }

    /// Its start; dangling if it is empty.
    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.data.as_ptr()
    }

    /// As [`as_ptr`](Self::as_ptr).
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }

    /// Grows to `bytes` within `budget`, and keeps the contents. Returns whether the block moved.
    pub(crate) fn grow(&mut self, bytes: usize, budget: &mut Budget, purpose: &str) -> Result<bool> {
        if bytes <= self.bytes {
            return Ok(false);
        }
        budget.take((bytes - self.bytes) as u64, purpose)?;
        let larger = match Block::zeroed(bytes) {
            Ok(block) => block,
            Err(error) => {
                budget.give((bytes - self.bytes) as u64);
                return Err(error);
            }
        };
        // SAFETY: both blocks have at least `self.bytes` bytes and are different allocations.
        unsafe { std::ptr::copy_nonoverlapping(self.as_ptr(), larger.as_ptr(), self.bytes) };
        *self = larger;
        Ok(true)
    }

    /// Frees the memory and returns it to `budget`.
    pub(crate) fn release(&mut self, budget: &mut Budget) {
        budget.give(self.bytes as u64);
        *self = Block::EMPTY;
    }

    /// Fills `count` bytes, starting at offset `first`. Panics if they are not all in the block.
    pub(crate) fn fill(&mut self, first: usize, count: usize, value: u8) {
        assert!(
            first <= self.bytes && count <= self.bytes - first,
            "{count} bytes from {first} of {}",
            self.bytes
        );
        // SAFETY: the assertion keeps the range in the block, and `&mut self` is exclusive access.
        unsafe { self.as_ptr().add(first).write_bytes(value, count) };
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if let (1.., Some(layout)) = (self.bytes, layout(self.bytes)) {
            // SAFETY: allocated in `zeroed` with this layout, `lead` bytes in front of `data`.
            unsafe { dealloc(self.as_ptr().sub(self.lead), layout) };
        }
    }
}

/// Memory that lives as long as the nodes that requested it: a stack of pieces in blocks that never move.
///
/// ```text
/// block 0 [ state 0 | table 0 | state 1 | ……… ]  block 1 [ table 1 | state 2 | ……… ]
///                                                          ▲ Mark: everything from here on can be released
/// ```
#[derive(Debug, Default)]
pub(crate) struct Persistent {
    blocks: Vec<Block>,
    /// The number of blocks in use; later blocks are kept for reuse.
    filled: usize,
    /// Bytes in use in the last block.
    used: usize,
    total: u64,
}

/// A height of the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    filled: usize,
    used: usize,
    total: u64,
}

const BLOCK_BYTES: usize = 64 << 10;

impl Persistent {
    /// The height of an empty stack.
    pub(crate) const BOTTOM: Mark = Mark { filled: 0, used: 0, total: 0 };

    /// The current height.
    pub(crate) fn mark(&self) -> Mark {
        Mark { filled: self.filled, used: self.used, total: self.total }
    }

    /// Releases everything above `mark`, which must no longer be in use. Blocks of the usual size are kept for reuse;
    /// larger ones are freed, so that they do not accumulate when sizes change.
    pub(crate) fn release(&mut self, mark: Mark, budget: &mut Budget) {
        let mut position = 0;
        self.blocks.retain(|block| {
            position += 1;
            let keep = position <= mark.filled || block.len() == BLOCK_BYTES;
            if !keep {
                budget.give(block.len() as u64);
            }
            keep
        });
        self.filled = mark.filled;
        self.used = mark.used;
        self.total = mark.total;
    }

    /// All blocks, including those kept for reuse.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Bytes in use.
    pub(crate) fn in_use(&self) -> u64 {
        self.total
    }

    /// Allocates `bytes` zero bytes at a multiple of `align`, a power of two.
    pub(crate) fn take(&mut self, bytes: usize, align: usize, budget: &mut Budget) -> Result<*mut u8> {
        if bytes == 0 {
            return Ok(std::ptr::without_provenance_mut(align.max(1)));
        }
        loop {
            if self.filled > 0
                && let Some(piece) = self.carve(bytes, align)
            {
                return Ok(piece);
            }
            if self.filled < self.blocks.len() {
                self.filled += 1;
                self.used = 0;
                continue;
            }
            let size = bytes.saturating_add(align).max(BLOCK_BYTES);
            let mut block = Block::EMPTY;
            block.grow(size, budget, "the state of its nodes")?;
            self.blocks.push(block);
            self.filled += 1;
            self.used = 0;
        }
    }

    fn carve(&mut self, bytes: usize, align: usize) -> Option<*mut u8> {
        let block = &self.blocks[self.filled - 1];
        let start = block.as_ptr() as usize;
        let from = (start + self.used).checked_next_multiple_of(align)? - start;
        let to = from.checked_add(bytes).filter(|&to| to <= block.len())?;
        self.used = to;
        self.total += bytes as u64;
        // SAFETY: `from..to` is in the block, since `to` was checked against its length.
        let piece = unsafe { block.as_ptr().add(from) };
        // SAFETY: the piece is in the block, and `used` ensures that it overlaps no other piece in use.
        unsafe { piece.write_bytes(0, bytes) };
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_blocks_start_at_a_huge_page_and_are_zeroed() {
        for bytes in [HUGE_PAGE - 1, HUGE_PAGE, 2 * HUGE_PAGE + 1] {
            let block = Block::zeroed(bytes).unwrap();
            assert!(block.as_ptr().addr().is_multiple_of(alignment(bytes)));
            // SAFETY: the block has this number of initialized bytes.
            let contents = unsafe { std::slice::from_raw_parts(block.as_ptr(), bytes) };
            assert!(contents.iter().all(|&byte| byte == 0), "{bytes}");
        }
    }

    #[test]
    fn persistent_pieces_are_aligned_zeroed_and_reused_after_release() {
        let mut budget = Budget::new(1 << 20);
        let mut memory = Persistent::default();
        memory.take(3, 1, &mut budget).unwrap();
        let mark = memory.mark();
        let first = memory.take(100, 64, &mut budget).unwrap();
        assert!(first.addr().is_multiple_of(64));
        // SAFETY: 100 bytes were handed out.
        unsafe { first.write_bytes(7, 100) };
        let large = memory.take(200_000, 16, &mut budget).unwrap();
        assert_ne!(first, large);
        let before = memory.blocks.len();
        memory.release(mark, &mut budget);
        assert_eq!(memory.blocks.len(), before - 1, "the block beyond the usual size goes back");
        budget.take((1 << 20) - BLOCK_BYTES as u64 + 1, "more than is left").unwrap_err();
        budget.take((1 << 20) - BLOCK_BYTES as u64, "all that is left").unwrap();
        let again = memory.take(100, 64, &mut budget).unwrap();
        assert_eq!(first, again);
        // SAFETY: 100 bytes were handed out.
        assert!((0..100).all(|i| unsafe { again.add(i).read() } == 0));
        assert_eq!(memory.in_use(), 103);
    }

    #[test]
    fn a_quota_stops_growth() {
        let mut budget = Budget::new(100_000);
        let mut memory = Persistent::default();
        memory.take(10, 8, &mut budget).unwrap();
        let error = memory.take(90_000, 8, &mut budget).unwrap_err();
        assert!(matches!(error, Error::Quota { resource: crate::Resource::Bytes, .. }), "{error}");
    }
}
