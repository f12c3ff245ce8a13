//! `invoke` allocates nothing once an interpreter has run; neither does an `allocate` that has nothing to do.

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use arenite::pool::parallel_for;
use arenite::{AlignedBytes, Interpreter, Model};
use arenite_tests as _;
use arenite_tests::op_models::control;

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

/// Runs bodies until `count` threads have taken part. After that, all workers of the pool have started.
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

/// One test for everything: the counter would also count the allocations of a test that runs in parallel.
#[test]
fn invoke_does_not_allocate() {
    await_threads(arenite::pool::threads());
    let digits = ["digits_f32", "digits_i8"].map(|name| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../examples/digits/{name}.tflite"));
        (name, Model::from_file(path).unwrap())
    });
    let control = [("a loop", control::counting_loop(1)), ("a variable", control::variable(true))]
        .map(|(name, model)| (name, Model::from_bytes(model.finish()).unwrap()));
    for (name, model) in digits.iter().chain(&control) {
        for profile in [false, true] {
            let count = allocations_of_ten(model, profile);
            assert_eq!(count, 0, "{name}, profile {profile}: {count} allocations in 10 invocations");
        }
    }
    for (name, model) in digits.iter().chain(&control) {
        let count = allocations_of_nothing(model);
        assert_eq!(count, 0, "{name}: {count} allocations by `allocate` and resizes to the same shape");
    }
    // The counter works.
    let before = ALLOCATIONS.load(Relaxed);
    drop(std::hint::black_box(Box::new(1)));
    assert!(ALLOCATIONS.load(Relaxed) > before);
}

/// Allocations during ten invocations, after three warm-up invocations.
fn allocations_of_ten(model: &Model, profile: bool) -> usize {
    let mut interpreter = Interpreter::builder(model).threads(2).build().unwrap();
    interpreter.allocate().unwrap();
    if profile {
        interpreter.start_profile();
    }
    let inputs: Vec<Vec<u8>> =
        (0..interpreter.input_count()).map(|i| vec![0; interpreter.input(i).unwrap().byte_len()]).collect();
    let mut before = 0;
    for round in 0..13 {
        if round == 3 {
            before = ALLOCATIONS.load(Relaxed);
        }
        for (i, input) in inputs.iter().enumerate() {
            interpreter.input_mut(i).unwrap().copy_from_bytes(input).unwrap();
        }
        interpreter.invoke().unwrap();
        assert!(!interpreter.output(0).unwrap().bytes().unwrap().is_empty());
    }
    ALLOCATIONS.load(Relaxed) - before
}

/// Allocations of a second `allocate`, of resizes to the current shapes, of replacing one lent block by another, and in
/// the next invocation.
fn allocations_of_nothing(model: &Model) -> usize {
    let mut interpreter = Interpreter::builder(model).threads(2).build().unwrap();
    let [first, second] = [(); 2].map(|()| Box::new(AlignedBytes::zeroed(4096).unwrap()));
    let tensor = interpreter.outputs_of(0).unwrap()[0] as usize;
    interpreter.lend(0, tensor, first).unwrap();
    interpreter.allocate().unwrap();
    (0..3).for_each(|_| interpreter.invoke().unwrap());
    let shapes: Vec<Vec<i32>> =
        (0..interpreter.input_count()).map(|i| interpreter.input(i).unwrap().shape.to_vec()).collect();
    let before = ALLOCATIONS.load(Relaxed);
    interpreter.allocate().unwrap();
    for (i, shape) in shapes.iter().enumerate() {
        interpreter.resize_input(i, shape).unwrap();
    }
    interpreter.allocate().unwrap();
    let first = interpreter.lend(0, tensor, second).unwrap();
    interpreter.allocate().unwrap();
    interpreter.invoke().unwrap();
    let count = ALLOCATIONS.load(Relaxed) - before;
    drop(first);
    count
}
