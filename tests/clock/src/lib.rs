//! Time that this thread has computed for: what else runs on the machine does not count. Tests bound with it what would grow with the
//! square of a size.

use std::time::{Duration, Instant};

/// Since it was started.
pub struct Clock {
    start: Instant,
    before: Option<Duration>,
}

impl Clock {
    /// Starts it.
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

    /// Fails after more than so many seconds of it.
    #[track_caller]
    pub fn at_most(&self, seconds: u64) {
        let spent = self.spent();
        assert!(spent < Duration::from_secs(seconds), "it took {spent:?}, {seconds} s at most were expected");
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
    fn it_runs_while_the_thread_computes() {
        let clock = Clock::start();
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(50) {}
        assert!(clock.spent() > Duration::ZERO);
        clock.at_most(60);
    }

    #[test]
    #[should_panic = "0 s at most were expected"]
    fn too_much_is_a_failure() {
        let clock = Clock::start();
        while clock.spent() == Duration::ZERO {}
        clock.at_most(0);
    }
}
