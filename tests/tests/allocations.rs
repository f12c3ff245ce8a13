//! Once an interpreter has run, `invoke` takes nothing from the heap.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use arenite::pool::parallel_for;
use arenite::{Interpreter, Model};
use arenite_builtin as _;

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System.alloc` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs bodies until `count` threads have taken part: from then on the pool's workers have started.
fn await_threads(count: usize) {
    let (seen, start) = (Mutex::new(HashSet::new()), Instant::now());
    let body = |_| {
        seen.lock().expect("no body panics").insert(thread::current().id());
        thread::sleep(Duration::from_millis(1));
    };
    while seen.lock().expect("no body panics").len() < count {
        assert!(start.elapsed() < Duration::from_secs(60), "the workers do not take part");
        assert_eq!(parallel_for(64, 1, 0, &body), Ok(()));
    }
}

/// One test for all: another one at the same time would be counted too.
#[test]
fn invoke_takes_nothing_from_the_heap() {
    await_threads(arenite::pool::threads());
    for name in ["digits_f32", "digits_i8"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../examples/digits/{name}.tflite"));
        let model = Model::from_file(path).unwrap();
        for profile in [false, true] {
            let mut interpreter = Interpreter::builder(&model).threads(2).build().unwrap();
            interpreter.allocate().unwrap();
            if profile {
                interpreter.start_profile();
            }
            let bytes = interpreter.input(0).unwrap().byte_len();
            let input: Vec<u8> = vec![0; bytes];
            for _ in 0..3 {
                interpreter.input_mut(0).unwrap().copy_from_bytes(&input).unwrap();
                interpreter.invoke().unwrap();
            }
            let before = ALLOCATIONS.load(Relaxed);
            for _ in 0..10 {
                interpreter.input_mut(0).unwrap().copy_from_bytes(&input).unwrap();
                interpreter.invoke().unwrap();
                assert!(interpreter.output(0).unwrap().bytes().unwrap().len() >= 10);
            }
            let count = ALLOCATIONS.load(Relaxed) - before;
            assert_eq!(count, 0, "{name}, profile {profile}: {count} allocations in 10 invocations");
        }
    }
    // The counter works.
    let before = ALLOCATIONS.load(Relaxed);
    drop(std::hint::black_box(Box::new(1)));
    assert!(ALLOCATIONS.load(Relaxed) > before);
}
