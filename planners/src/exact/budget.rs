//! The budget of a search: steps, which are the same on every machine, and time.

#[cfg(all(feature = "std", not(target_family = "wasm")))]
use std::time::{Duration, Instant};

/// The number of steps that take about a second. A step examines one item in one section.
pub(super) const DEFAULT_STEPS: u64 = 1 << 29;

/// The number of steps between two readings of the clock, well under a millisecond.
#[cfg(all(feature = "std", not(target_family = "wasm")))]
const STEPS_PER_LOOK: u64 = 1 << 16;

/// The remaining budget of a search.
pub(super) struct Budget {
    spent: u64,
    most: u64,
    #[cfg(all(feature = "std", not(target_family = "wasm")))]
    clock: Option<Clock>,
}

#[cfg(all(feature = "std", not(target_family = "wasm")))]
struct Clock {
    end: Instant,
    next_look: u64,
}

impl Budget {
    /// At most `steps` and `nanos`. The default is [`DEFAULT_STEPS`]. Without a clock, a nanosecond counts as half a
    /// step.
    pub(super) fn new(steps: Option<u64>, nanos: Option<u64>) -> Self {
        #[cfg(all(feature = "std", not(target_family = "wasm")))]
        {
            let clock = nanos.and_then(|nanos| Instant::now().checked_add(Duration::from_nanos(nanos)));
            let default = if nanos.is_some() { u64::MAX } else { DEFAULT_STEPS };
            let clock = clock.map(|end| Clock { end, next_look: 0 });
            Budget { spent: 0, most: steps.unwrap_or(default), clock }
        }
        #[cfg(not(all(feature = "std", not(target_family = "wasm"))))]
        {
            let of_time = nanos.map_or(u64::MAX, |nanos| nanos / 2);
            let default = if nanos.is_some() { u64::MAX } else { DEFAULT_STEPS };
            Budget { spent: 0, most: steps.unwrap_or(default).min(of_time) }
        }
    }

    /// Uses up steps.
    pub(super) fn spend(&mut self, steps: u64) {
        self.spent = self.spent.saturating_add(steps);
    }

    /// The steps used so far.
    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    /// The remaining steps, if they are limited.
    pub(super) fn left(&self) -> u64 {
        self.most.saturating_sub(self.spent)
    }

    /// Whether the steps or the time are used up.
    pub(super) fn is_over(&mut self) -> bool {
        #[cfg(all(feature = "std", not(target_family = "wasm")))]
        if let Some(clock) = self.clock.as_mut().filter(|clock| clock.next_look <= self.spent) {
            clock.next_look = self.spent + STEPS_PER_LOOK;
            if clock.end <= Instant::now() {
                self.most = 0;
            }
        }
        self.spent >= self.most
    }
}
