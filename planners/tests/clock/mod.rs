//! Time that this thread has computed for: others that use the machine do not count.

use std::time::{Duration, Instant};

/// Since it was started.
pub struct Clock {
    start: Instant,
    before: Option<Duration>,
}

impl Clock {
    pub fn start() -> Self {
        Clock { start: Instant::now(), before: computed() }
    }

    /// Time on the processor where the system says it, else time on the wall.
    pub fn spent(&self) -> Duration {
        match (computed(), self.before) {
            (Some(now), Some(before)) => now.saturating_sub(before),
            _ => self.start.elapsed(),
        }
    }
}

fn computed() -> Option<Duration> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    times.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}
