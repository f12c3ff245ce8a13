//! Times of stages.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::failure::Result;
use crate::protocol::Stage;

/// Calls are repeated until they take this long, because reading the clock has a cost.
const SAMPLE: Duration = Duration::from_micros(50);

#[derive(Default)]
pub(crate) struct Stopwatch {
    pub ns: BTreeMap<Stage, f64>,
}

impl Stopwatch {
    /// The time of one call, unless it fails.
    pub(crate) fn time<T>(&mut self, stage: Stage, call: impl FnOnce() -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let done = call()?;
        self.ns.insert(stage, start.elapsed().as_nanos() as f64);
        Ok(done)
    }

    /// The mean time of a call, over the first number of calls among one, two, four, … that takes 50 µs.
    pub(crate) fn time_often(&mut self, stage: Stage, mut call: impl FnMut() -> Result<()>) -> Result<()> {
        let mut count = 1u32;
        loop {
            let start = Instant::now();
            for _ in 0..count {
                call()?;
            }
            let elapsed = start.elapsed();
            if elapsed >= SAMPLE {
                self.ns.insert(stage, elapsed.as_nanos() as f64 / f64::from(count));
                return Ok(());
            }
            count = count.saturating_mul(2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;

    #[test]
    fn a_short_call_is_repeated_and_a_failed_one_has_no_time() {
        let mut watch = Stopwatch::default();
        let mut calls = 0;
        let count = || {
            calls += 1;
            Ok(())
        };
        watch.time_often(Stage::Again, count).unwrap();
        assert!(calls > 10 && watch.ns[&Stage::Again] < 5e4, "{calls} calls, {:?}", watch.ns);
        assert!(watch.time::<()>(Stage::There, || Err(Failure::new("no"))).is_err());
        assert!(!watch.ns.contains_key(&Stage::There));
    }
}
