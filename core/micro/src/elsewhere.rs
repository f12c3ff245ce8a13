//! What a model would take of an arena on another machine, counted along while it is made ready on this one.
//!
//! Tensors, scratch buffers, tables and constants have the same bytes everywhere. What differs are the structs of the bookkeeping and the
//! states of ops, which hold pointers and `usize`: their sizes come from a [`Target`].

use core::cell::Cell;

use crate::arena::{ALIGNMENT, Part};
use crate::layouts::Layout;
use crate::ops::OpRegistration;
use crate::sizes::{Category, Recording};
use crate::target::Target;

/// The places of an arena on the other machine, as in `Arena`: distances from the base, and from the end for the tail.
pub(crate) struct Elsewhere {
    target: Target,
    head: Cell<usize>,
    temp: Cell<usize>,
    taken: Cell<usize>,
    recording: Cell<Recording>,
}

/// Where a temporary begins and ends there; what the tail was.
pub(crate) type Span = (usize, usize);

impl Elsewhere {
    pub fn new(target: Target) -> Self {
        let zero = || Cell::new(0);
        Elsewhere {
            target,
            head: zero(),
            temp: zero(),
            taken: zero(),
            recording: Cell::new(Recording::default()),
        }
    }

    pub fn recording(&self) -> Recording {
        self.recording.get()
    }

    fn record(&self, change: impl FnOnce(&mut Recording)) {
        let mut recording = self.recording.get();
        change(&mut recording);
        self.recording.set(recording);
    }

    fn note(&self, front: usize, tail: usize) {
        let both = front.saturating_add(tail).next_multiple_of(ALIGNMENT);
        self.record(|recording| recording.note(front, tail, both));
    }

    /// So many bytes at the tail, as `Arena::persistent_bytes` takes them.
    pub fn persistent(&self, Layout { size, align }: Layout, category: Category) {
        let (taken, padding) = (self.taken.get(), align.saturating_sub(ALIGNMENT));
        let now = (taken + size + padding).next_multiple_of(align.min(ALIGNMENT));
        self.note(self.temp.get(), now);
        self.record(|recording| recording.add(category, now - taken));
        self.taken.set(now);
    }

    pub fn persistent_list<T>(&self, count: usize, category: Category) {
        let Layout { size, align } = self.target.layout_of::<T>();
        self.persistent(Layout { size: size * count, align }, category);
    }

    pub fn state(&self, op: &OpRegistration) {
        self.persistent(self.target.state_of(op), Category::OpData);
    }

    #[cold]
    pub fn temporaries(&self, parts: &[Part]) -> Span {
        let before = self.temp.get();
        let end = Part::place_elsewhere(before, parts, &self.target).map_or(usize::MAX, |(_, end)| end);
        self.note(end, self.taken.get());
        self.temp.set(end);
        (before, end)
    }

    /// A temporary ends; `is_last` if there is no other one.
    #[cold]
    pub fn end(&self, (before, end): Span, is_last: bool) {
        if is_last {
            self.temp.set(self.head.get());
        } else if self.temp.get() == end {
            self.temp.set(before);
        }
    }

    pub fn set_head(&self, bytes: usize) {
        self.note(bytes, self.taken.get());
        self.record(|recording| recording.head = bytes);
        self.head.set(bytes);
        self.temp.set(bytes);
    }

    /// A state of the tail to go back to.
    pub fn mark(&self) -> (usize, Recording) {
        (self.taken.get(), self.recording.get())
    }

    pub fn release(&self, (taken, recording): (usize, Recording)) {
        self.record(|now| now.release(&recording));
        self.taken.set(taken);
    }
}
