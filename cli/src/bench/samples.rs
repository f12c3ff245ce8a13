//! Run times in constant memory: exact extremes, mean and deviation, and a histogram for percentiles.

use std::time::Duration;

use arenite_common::profile::ms;
use hdrhistogram::Histogram;
use serde::Serialize;

use crate::answer::{Failure, Result};

/// One day in nanoseconds. Percentiles count longer runs as one day.
const LONGEST: u64 = 86_400_000_000_000;
/// Significant digits of percentiles.
const DIGITS: u8 = 3;

/// The times of any number of runs.
pub struct Samples {
    histogram: Histogram<u64>,
    min: Duration,
    max: Duration,
    /// Mean in nanoseconds, and the sum of squared distances from it, by Welford's recurrence.
    mean: f64,
    squares: f64,
}

/// The times of runs in milliseconds.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Times {
    /// The number of runs.
    pub runs: u64,
    /// The shortest run.
    pub min_ms: f64,
    /// Half of the runs take at most this time.
    pub median_ms: f64,
    /// 90 % of the runs take at most this time.
    pub p90_ms: f64,
    /// 99 % of the runs take at most this time.
    pub p99_ms: f64,
    /// The longest run.
    pub max_ms: f64,
    /// The mean of the runs.
    pub mean_ms: f64,
    /// The standard deviation of the runs.
    pub sd_ms: f64,
}

impl Samples {
    /// No runs yet. All memory is allocated here.
    ///
    /// # Errors
    /// None in practice: the bounds of the histogram are constants.
    pub fn new() -> Result<Self> {
        let histogram = Histogram::new_with_bounds(1, LONGEST, DIGITS);
        let histogram = histogram.map_err(|error| Failure::with("histogram of run times", error))?;
        Ok(Samples { histogram, min: Duration::MAX, max: Duration::ZERO, mean: 0.0, squares: 0.0 })
    }

    /// Adds a run.
    pub fn record(&mut self, time: Duration) {
        let nanoseconds = time.as_nanos() as f64;
        self.histogram.saturating_record(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).min(LONGEST));
        self.min = self.min.min(time);
        self.max = self.max.max(time);
        let distance = nanoseconds - self.mean;
        self.mean += distance / self.histogram.len() as f64;
        self.squares += distance * (nanoseconds - self.mean);
    }

    /// Forgets all runs.
    pub fn clear(&mut self) {
        self.histogram.reset();
        (self.min, self.max, self.mean, self.squares) = (Duration::MAX, Duration::ZERO, 0.0, 0.0);
    }

    /// The number of runs.
    pub fn runs(&self) -> u64 {
        self.histogram.len()
    }

    /// The median in milliseconds, 0 without runs.
    pub fn median_ms(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The time that at least the share `q` of the runs does not exceed, exact to a thousandth.
    fn quantile(&self, q: f64) -> f64 {
        let found = Duration::from_nanos(self.histogram.value_at_quantile(q));
        if self.runs() == 0 { 0.0 } else { ms(found.clamp(self.min, self.max)) }
    }

    /// All figures. Without runs they are 0.
    pub fn times(&self) -> Times {
        let runs = self.runs();
        if runs == 0 {
            return Times::default();
        }
        Times {
            runs,
            min_ms: ms(self.min),
            median_ms: self.median_ms(),
            p90_ms: self.quantile(0.9),
            p99_ms: self.quantile(0.99),
            max_ms: ms(self.max),
            mean_ms: (self.mean / 1e6).clamp(ms(self.min), ms(self.max)),
            sd_ms: (self.squares / runs.saturating_sub(1).max(1) as f64).sqrt() / 1e6,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(micros: impl IntoIterator<Item = u64>) -> Times {
        let mut samples = Samples::new().unwrap();
        micros.into_iter().for_each(|time| samples.record(Duration::from_micros(time)));
        samples.times()
    }

    #[test]
    fn figures_of_known_times() {
        let times = times((1..=100).rev());
        let near = |got: f64, wanted: f64| assert!((got / wanted - 1.0).abs() < 0.002, "{got} {wanted}");
        assert_eq!((times.runs, times.min_ms, times.max_ms), (100, 0.001, 0.1));
        near(times.median_ms, 0.050);
        near(times.p90_ms, 0.090);
        near(times.p99_ms, 0.099);
        near(times.mean_ms, 0.0505);
        near(times.sd_ms, 0.029_011_491_975_882_016);
    }

    #[test]
    fn figures_of_equal_times_are_equal() {
        let times = times([1234; 7]);
        for got in [times.min_ms, times.median_ms, times.p90_ms, times.p99_ms, times.max_ms, times.mean_ms] {
            assert_eq!(got, 1.234);
        }
        assert_eq!(times.sd_ms, 0.0);
    }

    #[test]
    fn extremes_and_no_runs_are_within_bounds() {
        let mut samples = Samples::new().unwrap();
        assert_eq!((samples.runs(), samples.times().max_ms), (0, 0.0));
        samples.record(Duration::ZERO);
        samples.record(Duration::MAX);
        let times = samples.times();
        assert!(times.min_ms <= times.median_ms && times.median_ms <= times.p99_ms);
        samples.clear();
        assert_eq!((samples.runs(), samples.median_ms()), (0, 0.0));
    }
}
