//! A progress bar for everything that is measured.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Shorter measurements show no bar.
const SHORTEST: Duration = Duration::from_secs(1);
/// Time between two updates.
const UPDATE: Duration = Duration::from_millis(100);

/// Shows how much of the work is done, on a terminal only.
pub(super) struct Progress {
    bar: ProgressBar,
    shown: Instant,
    done: Duration,
}

impl Progress {
    /// For work that takes about this long.
    pub(super) fn new(length: Duration) -> Self {
        let is_shown = length >= SHORTEST && std::io::stderr().is_terminal();
        let bar = if is_shown { bar(length) } else { ProgressBar::hidden() };
        Progress { bar, shown: Instant::now(), done: Duration::ZERO }
    }

    /// Names the present part of the work.
    pub(super) fn begin(&self, part: String) {
        self.bar.set_message(part);
        self.bar.tick();
    }

    /// Counts time that passed.
    pub(super) fn add(&mut self, time: Duration) {
        self.done += time;
        let now = Instant::now();
        if now - self.shown > UPDATE {
            self.shown = now;
            self.bar.set_position(u64::try_from(self.done.as_millis()).unwrap_or(u64::MAX));
        }
    }
}

fn bar(length: Duration) -> ProgressBar {
    let bar = ProgressBar::new(u64::try_from(length.as_millis()).unwrap_or(u64::MAX));
    match ProgressStyle::with_template("{bar:40.cyan} {percent:>3} %  {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
