//! A model in a generated Rust file, and the handle that owns its memory while it runs.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU8, Ordering};

use arenite_abi::Status;
use arenite_abi::raw::ArStatus;
use arenite_abi::tensor::Element;

use super::tables::{Aligned, Memory, Model, Step};
use super::{EmbeddedStep, forget, run_embedded};

/// Whether an [`Owned`] uses a block: not yet, not now, or now.
const FRESH: u8 = 0;
const FREE: u8 = 1;
const TAKEN: u8 = 2;

/// How many calls of subgraphs a run may make. `AR_EMBEDDED_CALLS` in C.
const CALLS: u32 = 10_000_000;

/// A `static` block of memory: the arena of a model, or of several models that run in turns.
///
/// ```
/// use arenite_micro::embedded::Arena;
///
/// static ARENA: Arena<4096> = Arena::new();
/// ```
#[repr(C, align(16))]
pub struct Arena<const N: usize> {
    bytes: UnsafeCell<[u8; N]>,
    owner: AtomicU8,
}

// SAFETY: only an `Owned` uses the bytes, and `owner` lets one exist at a time.
unsafe impl<const N: usize> Sync for Arena<N> {}

impl<const N: usize> Arena<N> {
    /// An arena that no model uses. It contains zeros, so it takes no flash.
    pub const fn new() -> Self {
        Arena { bytes: UnsafeCell::new([0; N]), owner: AtomicU8::new(FRESH) }
    }

    /// Bytes from offset `at`.
    pub const fn at(&'static self, at: usize, bytes: usize) -> Memory {
        Memory::within(self.bytes.get().cast(), N, at, bytes)
    }
}

impl<const N: usize> Default for Arena<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// The first bytes of a part of the variables.
pub enum First {
    /// This number of equal bytes.
    Fill(u8, usize),
    /// These bytes.
    Bytes(&'static [u8]),
}

impl First {
    const fn size(&self) -> usize {
        match self {
            First::Fill(_, count) => *count,
            First::Bytes(bytes) => bytes.len(),
        }
    }
}

/// A model with an arena of at least `A` bytes and `V` bytes of variables.
pub struct Program<const A: usize, const V: usize> {
    arena: *mut u8,
    arena_owner: &'static AtomicU8,
    variables: Option<&'static Arena<V>>,
    first: &'static [(usize, First)],
    steps: &'static [Step],
    main: usize,
    model: Option<&'static Model>,
}

// SAFETY: as for `Arena`, whose bytes `arena` points to.
unsafe impl<const A: usize, const V: usize> Sync for Program<A, V> {}

/// Makes the `Program` of a generated file from its `Parts`. For generated files only.
#[doc(hidden)]
#[macro_export]
macro_rules! generated_program {
    ($parts:expr) => {{
        let parts = $parts;
        // SAFETY: `arenite embed` or `arenite-embed` wrote the file that contains this call, and all its tables come
        // from one `Embedding`. Offsets, tensor numbers and sizes are checked, or the file would not compile.
        unsafe { $crate::embedded::Program::new(parts) }
    }};
}

/// Includes `NAME.rs`, which a build script wrote with `arenite-embed`, in a separate module:
///
/// ```ignore
/// mod hello_world {
///     arenite_micro::include_model!("hello_world");
/// }
/// ```
#[macro_export]
macro_rules! include_model {
    ($name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $name, ".rs"));
    };
}

/// The tables of a [`Program`].
pub struct Parts<const N: usize, const V: usize> {
    /// The arena.
    pub arena: &'static Arena<N>,
    /// Memory of variables, if there are any.
    pub variables: Option<&'static Arena<V>>,
    /// First values of variables, by offset.
    pub first: &'static [(usize, First)],
    /// The nodes of all subgraphs, the main subgraph's first.
    pub steps: &'static [Step],
    /// How many nodes the main subgraph has.
    pub main: usize,
    /// What nodes see of a model with subgraphs or variables.
    pub model: Option<&'static Model>,
}

impl<const A: usize, const V: usize> Program<A, V> {
    /// The model with these tables.
    ///
    /// # Safety
    /// All tables must come from one file that [`Embedding`](crate::Embedding) wrote: states are valid for their
    /// kernels, ports describe their tensors, buffers that are in use at the same time do not overlap, all memory that
    /// the tables name is in `arena` and `variables` or constant, and subgraphs do not call themselves.
    pub const unsafe fn new<const N: usize>(parts: Parts<N, V>) -> Self {
        let Parts { arena, variables, first, steps, main, model } = parts;
        assert!(N >= A, "the shared arena is smaller than ARENA_BYTES of a model");
        assert!(main <= steps.len(), "no such steps");
        assert!(variables.is_some() || V == 0, "the variables have no memory");
        let mut i = 0;
        while i < first.len() {
            let (at, value) = &first[i];
            assert!(*at <= V && value.size() <= V - *at, "a first value exceeds the variables");
            i += 1;
        }
        let (bytes, arena_owner) = (arena.bytes.get().cast(), &arena.owner);
        Program { arena: bytes, arena_owner, variables, first, steps, main, model }
    }

    /// The model with its memory, unless another [`Owned`] has one of both. The first call gives variables
    /// their first values.
    pub fn take(&'static self) -> Option<Owned<A, V>> {
        if self.arena_owner.swap(TAKEN, Ordering::Acquire) == TAKEN {
            return None;
        }
        match self.variables.map(|variables| variables.owner.swap(TAKEN, Ordering::Acquire)) {
            Some(TAKEN) => {
                self.arena_owner.store(FREE, Ordering::Release);
                None
            }
            Some(FRESH) => {
                let mut owned = Owned(self);
                owned.reset();
                Some(owned)
            }
            _ => Some(Owned(self)),
        }
    }
}

/// A model that owns its memory. Dropping it gives the memory back; variables keep their values.
pub struct Owned<const A: usize, const V: usize>(&'static Program<A, V>);

impl<const A: usize, const V: usize> Drop for Owned<A, V> {
    fn drop(&mut self) {
        if let Some(variables) = self.0.variables {
            variables.owner.store(FREE, Ordering::Release);
        }
        self.0.arena_owner.store(FREE, Ordering::Release);
    }
}

/// Fails to compile unless `N` elements at this offset are aligned and within a block of `size` bytes.
const fn check<T>(at: usize, count: usize, size: usize) {
    assert!(at.is_multiple_of(align_of::<T>()) && align_of::<T>() <= 16, "misaligned");
    assert!(at <= size && count * size_of::<T>() <= size - at, "beyond the block");
}

impl<const A: usize, const V: usize> Owned<A, V> {
    /// `N` elements in the arena, from offset `AT`.
    pub fn arena<T: Element, const AT: usize, const N: usize>(&self) -> &[T; N] {
        const { check::<T>(AT, N, A) };
        // SAFETY: the elements are aligned and in the arena, checked above. `self` owns the initialized arena, which
        // only `&mut self` writes. Any bit pattern is an element.
        unsafe { &*self.0.arena.add(AT).cast() }
    }

    /// The same, to be written.
    pub fn arena_mut<T: Element, const AT: usize, const N: usize>(&mut self) -> &mut [T; N] {
        const { check::<T>(AT, N, A) };
        // SAFETY: as in `arena`, and nothing else borrows from `self`.
        unsafe { &mut *self.0.arena.add(AT).cast() }
    }

    fn variable_bytes(&self) -> *mut u8 {
        // Without variables `V` is 0, checked by `new`: the address is then used for no bytes.
        self.0.variables.map_or(self.0.arena, |variables| variables.bytes.get().cast())
    }

    /// `N` elements of the variables, from offset `AT`.
    pub fn variable<T: Element, const AT: usize, const N: usize>(&self) -> &[T; N] {
        const { check::<T>(AT, N, V) };
        // SAFETY: the elements are aligned and in the block, checked above. `self` owns the initialized variables,
        // which only `&mut self` writes. Any bit pattern is an element.
        unsafe { &*self.variable_bytes().add(AT).cast() }
    }

    /// The same, to be written.
    pub fn variable_mut<T: Element, const AT: usize, const N: usize>(&mut self) -> &mut [T; N] {
        const { check::<T>(AT, N, V) };
        // SAFETY: as in `variable`, and nothing else borrows from `self`.
        unsafe { &mut *self.variable_bytes().add(AT).cast() }
    }

    /// Sets all variables to their first values.
    pub fn reset(&mut self) {
        let program = self.0;
        let block = self.variable_mut::<u8, 0, V>();
        for (at, value) in program.first {
            let Some(place) = block.get_mut(*at..*at + value.size()) else { continue };
            match value {
                First::Fill(byte, _) => place.fill(*byte),
                First::Bytes(bytes) => place.copy_from_slice(bytes),
            }
        }
        if let Some(Model(model)) = program.model {
            // SAFETY: `Program::new` requires the tables of a generated file, and `&mut self` means that no node runs.
            unsafe { forget(model) };
        }
    }

    /// Runs the main subgraph. Every run overwrites the inputs.
    ///
    /// # Errors
    /// The status of the node that failed.
    pub fn run(&mut self) -> Result<(), Status> {
        let Program { steps, main, model, .. } = self.0;
        let steps = steps.get(..*main).unwrap_or_default();
        // SAFETY: `Program::new` requires the tables of a generated file; `Step` is a transparent `EmbeddedStep`.
        // `self` owns the memory of the model, and `&mut self` means that no node runs and nothing borrows the memory.
        let status = unsafe {
            if let Some(Model(model)) = model {
                model.allow_calls(CALLS);
            }
            run_embedded(core::slice::from_raw_parts(steps.as_ptr().cast::<EmbeddedStep>(), steps.len()))
        };
        if status == Status::Ok as ArStatus { Ok(()) } else { Err(Status::from_raw(status)) }
    }
}

impl<const M: usize> Aligned<M> {
    /// The bytes as elements of a type.
    pub fn elements<T: Element, const N: usize>(&self) -> &[T; N] {
        const { check::<T>(0, N, M) };
        // SAFETY: the elements are within the aligned bytes, checked above; any bit pattern is an element.
        unsafe { &*(&raw const self.0).cast() }
    }
}
