//! The time limit of later calls.

use std::time::Duration;

use super::Interpreter;

/// Time limits.
impl Interpreter {
    /// The time that each later `allocate` or `invoke` may take: [`Quota::time`](crate::Quota::time), or the last
    /// [`set_time_limit`](Self::set_time_limit).
    pub fn time_limit(&self) -> Option<Duration> {
        self.settings.quota.time
    }

    /// Limits the time of each later `allocate` or `invoke`, for example to the rest of a deadline.
    pub fn set_time_limit(&mut self, limit: Option<Duration>) {
        self.settings.quota.time = limit;
    }
}
