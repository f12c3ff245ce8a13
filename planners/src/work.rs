//! A work limit after which a planner falls back to a simple method, so that it ends on any records.

/// The remaining steps.
pub(crate) struct WorkLimit {
    left: u64,
}

impl WorkLimit {
    /// The limit of strategies with a fallback: 2²⁶ + 2⁸ n steps for n records. Seconds at most.
    pub(crate) const fn new(records: usize) -> Self {
        WorkLimit { left: (1 << 26) + ((records as u64) << 8) }
    }

    /// The limit of strategies without a fallback: a few seconds.
    pub(crate) const fn of(steps: u64) -> Self {
        WorkLimit { left: steps }
    }

    /// Uses up steps.
    pub(crate) fn spend(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps as u64);
    }

    /// Whether all steps are used up.
    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }
}
