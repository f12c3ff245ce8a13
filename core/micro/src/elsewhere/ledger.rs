//! `TargetLedger`: computes the arena of another machine while the model is prepared on this one.
//!
//! Tensors, scratch buffers, tables and constants have the same size everywhere. Bookkeeping structs and states of ops
//! contain pointers and `usize`; a [`Target`] has their sizes.

use core::cell::Cell;

use arenite_abi::op::Registration as OpRegistration;

use super::target::Target;
use crate::arena::{ALIGNMENT, Category, Freed, Layout, Ledger, Part, Recording, Span, TailMark};

/// The arena on the other machine: offsets from the base, and for the tail from the end.
pub(crate) struct TargetLedger {
    target: Target,
    head: Cell<usize>,
    temp: Cell<usize>,
    taken: Cell<usize>,
    recording: Cell<Recording>,
}

impl TargetLedger {
    pub(super) fn new(target: Target) -> Self {
        let zero = || Cell::new(0);
        TargetLedger {
            target,
            head: zero(),
            temp: zero(),
            taken: zero(),
            recording: Cell::new(Recording::default()),
        }
    }

    pub(super) fn recording(&self) -> Recording {
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
}

impl Ledger for TargetLedger {
    fn persistent(&self, Layout { size, align }: Layout, category: Category) {
        let (taken, padding) = (self.taken.get(), align.saturating_sub(ALIGNMENT));
        let now = (taken + size + padding).next_multiple_of(align.min(ALIGNMENT));
        self.note(self.temp.get(), now);
        self.record(|recording| recording.add(category, now - taken));
        self.taken.set(now);
    }

    fn persistent_list(&self, list: &Part, category: Category) {
        let Layout { size, align } = self.target.layout_of(list);
        self.persistent(Layout { size: size * list.count, align }, category);
    }

    fn state(&self, op: &OpRegistration) {
        self.persistent(self.target.state_of(op), Category::OpData);
    }

    #[cold]
    fn temporaries(&self, parts: &[Part]) -> Span {
        let before = self.temp.get();
        let place = Part::place_with(before, parts, |part| self.target.layout_of(part));
        let end = place.map_or(usize::MAX, |(_, end)| end);
        self.note(end, self.taken.get());
        self.temp.set(end);
        (before, end)
    }

    #[cold]
    fn end(&self, (before, _): Span, freed: Freed) {
        match freed {
            Freed::All => self.temp.set(self.head.get()),
            Freed::This => self.temp.set(before),
            Freed::Nothing => {}
        }
    }

    fn set_head(&self, bytes: usize) {
        self.note(bytes, self.taken.get());
        self.record(|recording| recording.head = bytes);
        self.head.set(bytes);
        self.temp.set(bytes);
    }

    fn mark(&self) -> TailMark {
        TailMark { bytes: self.taken.get(), recording: self.recording.get() }
    }

    fn release(&self, mark: TailMark) {
        self.record(|now| now.release(&mark.recording));
        self.taken.set(mark.bytes);
    }
}
