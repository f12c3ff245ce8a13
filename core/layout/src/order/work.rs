//! Limits the work of a search for an order.

use std::cell::Cell;

/// Limit on the steps of all searches together: ready nodes and readers visited, words of states copied. This takes
/// some tens of milliseconds.
pub(super) const MOST_WORK: u64 = 1 << 22;
/// Steps between two calls of `is_over`.
pub(super) const POLLED: u64 = 1 << 14;

/// The remaining steps of a search.
pub(super) struct WorkLimit<'a> {
    left: Cell<u64>,
    is_over: &'a dyn Fn() -> bool,
}

impl<'a> WorkLimit<'a> {
    pub(super) fn new(is_over: &'a dyn Fn() -> bool) -> Self {
        WorkLimit { left: Cell::new(MOST_WORK), is_over }
    }

    /// Counts `steps` more.
    pub(super) fn count(&self, steps: usize) {
        let before = self.left.get();
        let left = before.saturating_sub(steps as u64);
        let stops = left / POLLED != before / POLLED && (self.is_over)();
        self.left.set(if stops { 0 } else { left });
    }

    /// Whether the search must stop.
    pub(super) fn is_used_up(&self) -> bool {
        self.left.get() == 0
    }
}
