//! `Ledger`: records all memory that an arena hands out. Boards have no ledger; on a host, `elsewhere` uses one to
//! compute how much arena the same model needs on another machine.

use arenite_abi::op::Registration as OpRegistration;

use super::layout::Layout;
use super::part::Part;
use super::sizes::{Category, Recording};

/// Receives a call for each piece of memory that an arena hands out or takes back, in order.
pub(crate) trait Ledger {
    /// Tail memory whose layout is the same on every machine.
    fn persistent(&self, layout: Layout, category: Category);

    /// A list in the tail.
    fn persistent_list(&self, list: &Part, category: Category);

    /// The state of an op, in the tail.
    fn state(&self, op: &OpRegistration);

    /// Lists between head and tail, until [`end`](Self::end).
    fn temporaries(&self, parts: &[Part]) -> Span;

    /// Ends the use of temporary memory.
    fn end(&self, span: Span, freed: Freed);

    fn set_head(&self, bytes: usize);

    /// The state of the tail, for [`release`](Self::release).
    fn mark(&self) -> TailMark;

    /// Restores the tail to its state at `mark`.
    fn release(&self, mark: TailMark);
}

/// What becomes free when the use of temporary memory ends.
#[derive(Clone, Copy)]
pub(crate) enum Freed {
    /// All temporary memory: no other is in use.
    All,
    /// This memory, and all after it.
    This,
    /// Nothing yet: later memory is still in use.
    Nothing,
}

/// Start and end of temporary memory, in the ledger's own count.
pub(crate) type Span = (usize, usize);

/// A state of the tail: bytes in use, by category.
#[derive(Clone, Copy)]
#[cfg_attr(not(feature = "alloc"), allow(dead_code))]
pub(crate) struct TailMark {
    pub bytes: usize,
    pub recording: Recording,
}

/// A value that exists only if the arena has a ledger. Without the feature `alloc` its size is zero, and code that uses
/// it compiles to nothing.
#[derive(Clone, Copy)]
pub(crate) struct WithLedger<T> {
    #[cfg(feature = "alloc")]
    value: Option<T>,
    #[cfg(not(feature = "alloc"))]
    value: core::marker::PhantomData<T>,
}

#[cfg(feature = "alloc")]
impl<T: Copy> WithLedger<T> {
    pub(super) const NONE: Self = WithLedger { value: None };

    pub(super) fn some(value: T) -> Self {
        WithLedger { value: Some(value) }
    }

    #[inline(always)]
    pub(super) fn get(&self) -> Option<T> {
        self.value
    }

    #[inline(always)]
    pub(super) fn map<U>(&self, change: impl FnOnce(T) -> U) -> WithLedger<U> {
        WithLedger { value: self.value.map(change) }
    }
}

#[cfg(not(feature = "alloc"))]
impl<T: Copy> WithLedger<T> {
    pub(super) const NONE: Self = WithLedger { value: core::marker::PhantomData };

    #[inline(always)]
    pub(super) fn get(&self) -> Option<T> {
        None
    }

    #[inline(always)]
    pub(super) fn map<U>(&self, _: impl FnOnce(T) -> U) -> WithLedger<U> {
        WithLedger { value: core::marker::PhantomData }
    }
}
