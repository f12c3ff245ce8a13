//! A limit on the heap: an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering::Relaxed};

use crate::Ending;

/// The system's allocator, with a count of the bytes that are in use, and a limit on them. For `#[global_allocator]`.
pub struct Heap;

/// Of all threads, but for less than `BATCH` of each.
static USED: AtomicIsize = AtomicIsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
static ENDING: OnceLock<Ending> = OnceLock::new();
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// Bytes that a thread counts before it adds them to `USED`: small allocations then cost a few instructions.
const BATCH: isize = 16 << 10;

thread_local! {
    static OWN: Cell<isize> = const { Cell::new(0) };
}

impl Heap {
    /// Bytes in use, to 16 KiB for each thread, with what the system's allocator adds to each allocation. 0 where [`Heap`] is not the
    /// program's allocator.
    pub fn used() -> usize {
        USED.load(Relaxed).max(0).unsigned_abs()
    }

    /// From now on an allocation that brings the heap to more than `bytes` ends the process with `ending`. The first call counts.
    pub fn limit(bytes: usize, ending: Ending) {
        if ENDING.set(ending).is_ok() {
            LIMIT.store(bytes, Relaxed);
        }
    }
}

/// What an allocation takes of the heap in glibc: a word in front of it, in multiples of 16 bytes, 32 at least.
fn taken(bytes: usize) -> isize {
    // A layout has no more than `isize::MAX` bytes; the program does not live to count more.
    ((bytes.saturating_add(23) & !15).max(32)).try_into().unwrap_or(isize::MAX)
}

/// Counts bytes that are taken, or with a minus given back.
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
    // The first thread speaks; what others allocate in the meantime goes with the process.
    if let (Some(ending), false) = (ENDING.get(), IS_ENDING.swap(true, Relaxed)) {
        ending.end();
    }
}

// SAFETY: every call goes to `System` with the arguments that came, and its answer goes back; counting touches neither.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(taken(layout.size()));
        // SAFETY: the requirements are those of this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(taken(layout.size()));
        // SAFETY: as in `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, data: *mut u8, layout: Layout) {
        // SAFETY: `data` came from `System` by this allocator, with this layout.
        unsafe { System.dealloc(data, layout) };
        count(-taken(layout.size()));
    }

    unsafe fn realloc(&self, data: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(taken(size).saturating_sub(taken(layout.size())));
        // SAFETY: as in `dealloc`; the rest are the requirements of this function.
        unsafe { System.realloc(data, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_allocations_take_more_than_they_ask_for() {
        assert_eq!([0, 1, 24, 25, 40, 41, 1 << 20].map(taken), [32, 32, 32, 48, 48, 64, (1 << 20) + 16]);
    }
}
