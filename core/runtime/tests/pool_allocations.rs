//! Once the pool's workers run, `parallel_for` allocates nothing on any thread.

use arenite_runtime::pool::{parallel_for, set_thread_limit};
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs bodies until `count` threads have taken part. After that, all of them have started.
fn await_threads(count: usize) {
    let (seen, start) = (Mutex::new(HashSet::new()), Instant::now());
    let body = |_| {
        seen.lock().expect("no body panics").insert(thread::current().id());
        thread::sleep(Duration::from_millis(1));
    };
    while seen.lock().expect("no body panics").len() < count {
        assert!(start.elapsed() < Duration::from_secs(60), "the pool's workers did not start");
        assert_eq!(parallel_for(64, 1, 0, &body), Ok(()));
    }
}

fn round(pause: bool) -> usize {
    let total = AtomicUsize::new(0);
    let body = |range: Range<usize>| {
        total.fetch_add(range.len(), Relaxed);
        assert_eq!(parallel_for(3, 1, 0, &|_| ()), Ok(()));
    };
    assert_eq!(parallel_for(500, 1, 0, &body), Ok(()));
    if pause {
        thread::sleep(Duration::from_micros(300));
    }
    total.into_inner()
}

#[test]
fn steady_state_does_not_allocate() {
    set_thread_limit(4);
    let start = ALLOCATIONS.load(Relaxed);
    await_threads(4);
    (0..200).for_each(|i| assert_eq!(round(i % 2 == 0), 500));
    let warm = ALLOCATIONS.load(Relaxed);
    assert!(warm > start, "the counter missed the allocations of starting workers");
    (0..2000).for_each(|i| assert_eq!(round(i % 8 == 0), 500));
    assert_eq!(ALLOCATIONS.load(Relaxed) - warm, 0);
}
