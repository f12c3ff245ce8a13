//! How long a search for an order may take.

use std::cell::Cell;

/// Steps of all searches together: ready nodes and readers that are looked at, words of states that are copied. Some tens of
/// milliseconds.
pub(super) const MOST_WORK: u64 = 1 << 22;
/// Steps between two calls of `is_over`.
pub(super) const POLLED: u64 = 1 << 14;

/// The steps that a search may still do.
pub(super) struct Work<'a> {
    left: Cell<u64>,
    is_over: &'a dyn Fn() -> bool,
}

impl<'a> Work<'a> {
    pub fn new(is_over: &'a dyn Fn() -> bool) -> Self {
        Work { left: Cell::new(MOST_WORK), is_over }
    }

    /// Counts `steps` that were done.
    pub fn count(&self, steps: usize) {
        let before = self.left.get();
        let left = before.saturating_sub(steps as u64);
        let stops = left / POLLED != before / POLLED && (self.is_over)();
        self.left.set(if stops { 0 } else { left });
    }

    /// Whether the search must end.
    pub fn is_used_up(&self) -> bool {
        self.left.get() == 0
    }
}
