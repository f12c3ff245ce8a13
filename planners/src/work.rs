//! How much a planner looks at before it takes the simple way: it must end on any records.

/// Steps that are left.
pub struct Work {
    left: u64,
}

impl Work {
    /// For a strategy that has a simple way to go on: 2²⁶ + 2⁸ n steps for n records. Seconds at most.
    pub const fn new(records: usize) -> Self {
        Work { left: (1 << 26) + ((records as u64) << 8) }
    }

    /// For one that has none: some seconds.
    pub const fn of(steps: u64) -> Self {
        Work { left: steps }
    }

    /// Takes steps off.
    pub fn spend(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps as u64);
    }

    /// Whether none are left.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }
}
