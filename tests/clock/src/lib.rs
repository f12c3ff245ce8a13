//! Measures the processor time of this thread, so that other load on the machine does not count. Tests use it to bound
//! algorithms that must not be quadratic.
#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

/// The processor time since the start.
pub struct Clock {
    start: Instant,
    before: Option<Duration>,
}

impl Clock {
    /// Starts the clock.
    pub fn start() -> Self {
        Clock { start: Instant::now(), before: computed() }
    }

    /// The processor time if the system reports it, or else wall-clock time.
    pub fn spent(&self) -> Duration {
        match (computed(), self.before) {
            (Some(now), Some(before)) => now.saturating_sub(before),
            _ => self.start.elapsed(),
        }
    }

    /// Fails if more than this many seconds were used.
    #[track_caller]
    pub fn at_most(&self, seconds: u64) {
        let spent = self.spent();
        assert!(spent < Duration::from_secs(seconds), "it took {spent:?}, expected at most {seconds} s");
    }
}

fn computed() -> Option<Duration> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    times.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_runs_while_the_thread_computes() {
        let clock = Clock::start();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(50) {}
        assert!(clock.spent() > Duration::ZERO);
        clock.at_most(60);
    }

    #[test]
    #[should_panic = "expected at most 0 s"]
    fn exceeding_the_limit_fails() {
        let clock = Clock::start();
        while clock.spent() == Duration::ZERO {}
        clock.at_most(0);
    }
}
