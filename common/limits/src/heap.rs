//! An allocator that counts the heap's bytes and limits them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering::Relaxed};

use crate::Ending;

/// The system's allocator, with a count of the bytes in use and a limit on them. For use as `#[global_allocator]`.
pub struct Heap;

/// Bytes in use by all threads, except for up to `BATCH` bytes that each thread has not added yet.
static USED: AtomicIsize = AtomicIsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
static ENDING: OnceLock<Ending> = OnceLock::new();
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// A thread counts this many bytes before it adds them to `USED`, so that small allocations cost only a few
/// instructions.
const BATCH: isize = 16 << 10;

thread_local! {
    static OWN: Cell<isize> = const { Cell::new(0) };
}

impl Heap {
    /// Bytes in use, to within 16 KiB per thread, including the overhead of the system's allocator. 0 if [`Heap`] is
    /// not the program's allocator.
    pub fn used() -> usize {
        USED.load(Relaxed).max(0).unsigned_abs()
    }

    /// From this call on, an allocation that brings the heap above `bytes` ends the process with `ending`. Only the
    /// first call has an effect.
    pub fn limit(bytes: usize, ending: Ending) {
        if ENDING.set(ending).is_ok() {
            LIMIT.store(bytes, Relaxed);
        }
    }
}

/// The heap bytes an allocation uses in glibc: its size plus one word, rounded up to a multiple of 16, and at least 32.
fn taken(bytes: usize) -> isize {
    // A layout has at most `isize::MAX` bytes, so saturation never affects a successful allocation.
    ((bytes.saturating_add(23) & !15).max(32)).try_into().unwrap_or(isize::MAX)
}

/// Adds to the count; `bytes` is negative for memory that is freed.
#[inline]
fn count(bytes: isize) {
    OWN.with(|own| {
        let sum = own.get().saturating_add(bytes);
        match -BATCH < sum && sum < BATCH {
            true => own.set(sum),
            false => {
                own.set(0);
                add(sum);
            }
        }
    });
}

#[cold]
fn add(bytes: isize) {
    let used = USED.fetch_add(bytes, Relaxed).saturating_add(bytes);
    if bytes > 0 && used.max(0).unsigned_abs() > LIMIT.load(Relaxed) {
        end();
    }
}

fn end() {
    // Only the first thread reports. Allocations by other threads do not matter, because the process ends.
    if let (Some(ending), false) = (ENDING.get(), IS_ENDING.swap(true, Relaxed)) {
        ending.end();
    }
}

// SAFETY: every method forwards its arguments to `System` unchanged and returns its result, so `Heap` keeps the
// contract of `GlobalAlloc` because `System` does. Counting touches neither.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(taken(layout.size()));
        // SAFETY: the caller of `alloc` guarantees a layout of nonzero size, which is all that `System.alloc` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(taken(layout.size()));
        // SAFETY: the caller of `alloc_zeroed` guarantees a layout of nonzero size.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, data: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees that this allocator returned `data` for this layout, and all its memory comes
        // from `System`.
        unsafe { System.dealloc(data, layout) };
        count(-taken(layout.size()));
    }

    unsafe fn realloc(&self, data: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(taken(size).saturating_sub(taken(layout.size())));
        // SAFETY: the caller guarantees that this allocator returned `data` for this layout, so it comes from `System`,
        // and that `size` is nonzero and does not overflow when it is rounded up to the alignment.
        unsafe { System.realloc(data, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_allocations_use_more_than_the_requested_size() {
        assert_eq!([0, 1, 24, 25, 40, 41, 1 << 20].map(taken), [32, 32, 32, 48, 48, 64, (1 << 20) + 16]);
    }
}
