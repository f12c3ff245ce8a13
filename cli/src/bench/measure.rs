//! Runs contenders in turns, a slice of time each.

use std::time::{Duration, Instant};

use super::samples::Samples;
use crate::answer::Result;

/// Rounds in which contenders take turns: enough for a narrow confidence interval, few enough that a slice has many
/// runs of a small model.
const ROUNDS: u64 = 40;

/// How much to measure, per contender.
#[derive(Clone, Copy)]
pub enum Length {
    /// For this long.
    Time(Duration),
    /// This many runs.
    Runs(u64),
}

/// A model that is ready to run.
pub trait Contend {
    /// Runs once, and returns how long it took.
    ///
    /// # Errors
    /// The invocation fails.
    fn run(&mut self) -> Result<Duration>;
}

/// The runs of one contender.
pub struct Measurement {
    /// The times of its runs.
    pub samples: Samples,
    /// The median of each slice, in milliseconds.
    pub slices: Vec<f64>,
}

/// When a slice ends.
enum Slice {
    After(Duration),
    Runs(u64),
}

/// Runs every contender for `length`, at least once. `progress` receives the time of each run. Several contenders take
/// turns; each round begins with another one. Memory is allocated before the first run, except the list of slices.
///
/// # Errors
/// An invocation fails.
pub fn measure<C: Contend>(
    contenders: &mut [&mut C],
    length: Length,
    progress: &mut dyn FnMut(Duration),
) -> Result<Vec<Measurement>> {
    let count = contenders.len();
    let new = || Ok(Measurement { samples: Samples::new()?, slices: Vec::new() });
    let mut measured: Vec<Measurement> = (0..count).map(|_| new()).collect::<Result<_>>()?;
    let mut slice = Samples::new()?;
    let begin = Instant::now();
    for round in 0.. {
        let Some(until) = slice_of(round, length, count, begin.elapsed()) else { break };
        for turn in 0..count {
            let at = (round as usize + turn) % count;
            slice.clear();
            let samples = &mut measured[at].samples;
            run_slice(contenders[at], &until, samples, &mut slice, progress)?;
            measured[at].slices.push(slice.median_ms());
        }
    }
    Ok(measured)
}

/// The slice of this round; `None` after the last one.
fn slice_of(round: u64, length: Length, contenders: usize, elapsed: Duration) -> Option<Slice> {
    match length {
        Length::Time(_) if round == 0 && contenders == 0 => None,
        Length::Time(time) if contenders == 1 => (round == 0).then_some(Slice::After(time)),
        Length::Time(time) => {
            let is_over = round > 0 && elapsed >= time.saturating_mul(u32::try_from(contenders).unwrap_or(1));
            (!is_over).then(|| Slice::After(time / ROUNDS as u32))
        }
        Length::Runs(runs) => {
            let rounds = if contenders == 1 { 1 } else { ROUNDS.min(runs) };
            let until = |round: u64| (u128::from(runs) * u128::from(round) / u128::from(rounds)) as u64;
            (round < rounds).then(|| Slice::Runs(until(round + 1) - until(round)))
        }
    }
}

fn run_slice<C: Contend>(
    contender: &mut C,
    until: &Slice,
    samples: &mut Samples,
    slice: &mut Samples,
    progress: &mut dyn FnMut(Duration),
) -> Result<()> {
    let begin = Instant::now();
    loop {
        let time = contender.run()?;
        samples.record(time);
        slice.record(time);
        progress(time);
        let is_over = match until {
            Slice::After(length) => begin.elapsed() >= *length,
            Slice::Runs(runs) => slice.runs() >= *runs,
        };
        if is_over {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_add_up_to_the_runs() {
        for (runs, contenders) in [(1, 1), (1, 3), (7, 2), (40, 2), (1001, 2)] {
            let slices =
                (0..).map_while(|round| slice_of(round, Length::Runs(runs), contenders, Duration::ZERO));
            let slices: Vec<u64> = slices
                .map(|slice| match slice {
                    Slice::Runs(runs) => runs,
                    Slice::After(_) => panic!("runs were asked for"),
                })
                .collect();
            assert_eq!(slices.iter().sum::<u64>(), runs);
            assert!(slices.iter().all(|&runs| runs > 0) && slices.len() as u64 <= ROUNDS, "{slices:?}");
        }
    }

    #[test]
    fn time_is_per_contender_and_there_is_a_first_round() {
        let second = Length::Time(Duration::from_secs(1));
        let is_there =
            |round, contenders, ms| slice_of(round, second, contenders, Duration::from_millis(ms)).is_some();
        assert!(is_there(0, 3, 5000) && is_there(9, 3, 2999) && !is_there(9, 3, 3000));
        assert!(is_there(0, 1, 0) && !is_there(1, 1, 1000));
    }
}
