//! Models, their results, and memory between guard pages.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::ptr::{NonNull, null_mut};

use arenite::ElementType;
use arenite_micro::{Interpreter, Planner, required_arena};
use arenite_model::writer::ModelBuilder;
use arenite_tests::micro::{Aligned, ops};

/// The folder of the shared corpora. Prints a note and returns `None` if it does not exist.
pub(crate) fn shared(part: &str) -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let folder = std::env::var_os("ARENITE_SHARED").map_or(default, PathBuf::from).join(part);
    if !folder.is_dir() {
        println!("skipped: {} does not exist; set ARENITE_SHARED to the corpora", folder.display());
        return None;
    }
    Some(folder)
}

/// The models for microcontrollers in the shared corpora.
pub(crate) fn models() -> Vec<(&'static str, Aligned)> {
    const NAMES: [&str; 15] = [
        "hello_world_f32",
        "hello_world_int8",
        "micro_speech_int8",
        "kws_f32",
        "kws_int8",
        "vww_96_f32",
        "vww_96_int8",
        "resnet8_f32",
        "resnet8_int8",
        "ad01_f32",
        "ad01_int8",
        "str_ww_int8",
        "keyword_scrambled",
        "mnist_lstm_f32",
        "mnist_lstm_int8",
    ];
    let Some(folder) = shared("models") else { return Vec::new() };
    let read = |name| std::fs::read(folder.join(name).join("model.tflite")).expect("the model can be read");
    NAMES.map(|name| (name, Aligned::of(&read(name)))).into()
}

/// Fills an input with pseudo-random bytes; floats are between −1 and 1, counters and indices below 3.
pub(crate) fn fill(bytes: &mut [u8], ty: ElementType, mut state: u32) {
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    let mut words = |word: &mut dyn FnMut(u32) -> [u8; 4]| {
        bytes.chunks_exact_mut(4).for_each(|place| place.copy_from_slice(&word(next())));
    };
    match ty {
        ElementType::F32 => words(&mut |x| (x as f32 / (1 << 23) as f32 - 1.0).to_le_bytes()),
        ElementType::I32 => words(&mut |x| (x % 3).to_le_bytes()),
        _ => bytes.iter_mut().for_each(|byte| *byte = next() as u8),
    }
}

/// The outputs of the large runtime's reference ops in `count` invocations in a row.
pub(crate) fn large(model: &[u8], invocations: u32) -> Vec<Vec<u8>> {
    let model = arenite::Model::from_bytes(model.to_vec()).expect("a sound model");
    let mut interpreter = arenite_tests::reference_ops(&model).build().expect("an interpreter");
    interpreter.allocate().expect("it has memory");
    let mut outputs = Vec::new();
    for invocation in 0..invocations {
        for i in 0..interpreter.input_count() {
            let input = interpreter.input_mut(i).expect("an input");
            let ty = input.tensor().ty;
            fill(input.into_bytes().expect("host memory"), ty, invocation);
        }
        interpreter.invoke().expect("it runs");
        outputs.extend(
            (0..interpreter.output_count()).map(|i| {
                interpreter.output(i).and_then(|output| output.bytes()).expect("an output").to_vec()
            }),
        );
    }
    outputs
}

/// Fills the inputs as [`large`] does in that invocation.
pub(crate) fn fill_inputs(interpreter: &mut Interpreter<'_>, invocation: u32) {
    for i in 0..interpreter.input_count() {
        let ty = interpreter.input_info(i).expect("an input").ty;
        fill(interpreter.input(i).expect("an input"), ty, invocation);
    }
}

/// The outputs of one invocation.
pub(crate) fn invoke(interpreter: &mut Interpreter<'_>, invocation: u32) -> Vec<Vec<u8>> {
    fill_inputs(interpreter, invocation);
    interpreter.invoke().expect("it runs");
    (0..interpreter.output_count()).map(|i| interpreter.output(i).expect("an output").to_vec()).collect()
}

/// A block between inaccessible pages: an access to them kills the process.
///
/// ```text
/// │ no access │ readable and writable │ no access │
///                         ░░ block ░░░            its end is the guard's beginning
/// ```
pub(crate) struct Pages {
    mapped: NonNull<u8>,
    inner: usize,
    bytes: usize,
}

const PAGE: usize = 1 << 16;

impl Pages {
    pub(crate) fn new(bytes: usize) -> Self {
        let inner = bytes.next_multiple_of(PAGE);
        // SAFETY: a new mapping at an address that the system chooses.
        let mapped = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(null_mut(), inner + 2 * PAGE, libc::PROT_NONE, flags, -1, 0)
        };
        assert_ne!(mapped, libc::MAP_FAILED, "mmap fails");
        let mapped = NonNull::new(mapped.cast::<u8>()).expect("memory does not start at null");
        // SAFETY: the range is within the mapping, without its first and its last page.
        let done = unsafe {
            let first = mapped.as_ptr().add(PAGE).cast();
            libc::mprotect(first, inner, libc::PROT_READ | libc::PROT_WRITE)
        };
        assert_eq!(done, 0, "mprotect fails");
        Pages { mapped, inner, bytes }
    }

    /// The block, which ends at the upper guard page.
    pub(crate) fn block(&mut self) -> &mut [u8] {
        let start = PAGE + self.inner - self.bytes;
        // SAFETY: `self` owns the mapping up to the guard page, and new pages are zero.
        unsafe { std::slice::from_raw_parts_mut(self.mapped.as_ptr().add(start), self.bytes) }
    }

    /// A block of `len` bytes that starts at the lower guard page.
    pub(crate) fn low_block(&mut self) -> &mut [u8] {
        // SAFETY: `bytes` writable bytes follow the lower guard page; `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.mapped.as_ptr().add(PAGE), self.bytes) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: exactly the mapping of `new`.
        unsafe { libc::munmap(self.mapped.as_ptr().cast(), self.inner + 2 * PAGE) };
    }
}

/// Counts the heap allocations of each thread.
struct Counting;

thread_local! {
    static TAKEN: Cell<usize> = const { Cell::new(0) };
}

/// The number of heap allocations of this thread.
pub(crate) fn allocations() -> usize {
    TAKEN.with(Cell::get)
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        _ = TAKEN.try_with(|taken| taken.set(taken.get() + 1));
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

/// Asserts that three invocations give the same bytes as the large runtime's, in an arena of the reported size.
#[track_caller]
pub(crate) fn check(name: &str, model: ModelBuilder) {
    let (ops, model) = (ops(), Aligned::of(&model.finish()));
    let sizes = required_arena(model.as_slice(), &ops, Planner::Greedy)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut arena = Pages::new(sizes.arena);
    let mut interpreter = Interpreter::new(model.as_slice(), &ops, arena.block()).expect("it has enough");
    let outputs: Vec<_> = (0..3).flat_map(|invocation| invoke(&mut interpreter, invocation)).collect();
    assert!(outputs == large(model.as_slice(), 3), "{name}: other bytes");
}
