//! Whether another number of threads is faster, measured in turns with the number in use.

use std::num::NonZeroUsize;
use std::time::Duration;

use arenite::pool;
use serde::Serialize;
use tracing::subscriber::NoSubscriber;

use super::detail::Detail;
use crate::answer::Result;
use crate::bench::contender::{Contender, Spec};
use crate::bench::measure::{Length, measure};
use crate::bench::progress::Progress;
use crate::bench::ratio::Ratio;
use crate::text;

/// Rounds that a confidence interval needs, and one to spare.
const LEAST_ROUNDS: u64 = 7;
/// The longest time that is spent on one number of threads if runs are long.
const LONGEST: Duration = Duration::from_secs(4);
/// The factor from which another number of threads is worth a line.
const WORTH: f64 = 1.03;

/// The numbers of threads that were tried.
#[derive(Serialize)]
pub(crate) struct Threads {
    used: usize,
    tried: Vec<ThreadTrial>,
    /// Why some or all were not tried.
    skipped: Option<String>,
}

/// Another number of threads. Ratios are of its time to the time with the number in use.
#[derive(Serialize)]
struct ThreadTrial {
    threads: usize,
    #[serde(flatten)]
    ratio: Ratio,
}

impl Threads {
    /// Tries 1, 2, 4, … threads up to the number of processors, for `budget` together. The contender must not collect a
    /// profile, which would slow it alone.
    pub(crate) fn measure(contender: &mut Contender<'_>, budget: Duration, progress: &mut Progress) -> Self {
        let used = contender.interpreter.threads();
        let counts = others(used, pool::threads());
        let mut threads = Threads { used, tried: Vec::new(), skipped: None };
        let each = budget / counts.len().max(1) as u32;
        for count in counts {
            progress.begin(text::count(count, "thread"));
            match compare(contender, count, each, progress) {
                Ok(Some(ratio)) => threads.tried.push(ThreadTrial { threads: count, ratio }),
                Ok(None) => {
                    threads.skipped = Some("a run takes too long to try other numbers of threads".to_owned());
                }
                Err(error) => threads.skipped = Some(error.to_string()),
            }
        }
        threads
    }

    pub(super) fn lines(&self, detail: Detail) -> Vec<String> {
        let Threads { used, tried, skipped } = self;
        let faster = tried.iter().filter(|tried| tried.ratio.is_faster_by(WORTH));
        if let Some(best) = faster.min_by(|a, b| a.ratio.ratio.total_cmp(&b.ratio.ratio)) {
            let (threads, verdict) = (best.threads, best.ratio.verdict());
            let verb = if threads == 1 { "is" } else { "are" };
            let better = text::count(threads, "thread");
            return vec![format!(
                "{better} {verb} {verdict} as {used} on this machine now; try --threads {threads}"
            )];
        }
        if detail == Detail::Findings {
            return Vec::new();
        }
        if let Some(reason) = skipped {
            return vec![format!(
                "other numbers of threads were not measured: {reason}; --compare threads=N does"
            )];
        }
        let of = |ThreadTrial { threads, ratio }: &ThreadTrial| {
            format!("{}: {:.2} times the time", text::count(*threads, "thread"), ratio.ratio)
        };
        let listed: Vec<String> = tried.iter().map(of).collect();
        if listed.is_empty() {
            return Vec::new();
        }
        vec![format!("no other number of threads is clearly faster than {used} ({})", listed.join("; "))]
    }
}

/// 1, 2, 4, … and `most`, without `used`.
fn others(used: usize, most: usize) -> Vec<usize> {
    let doubled = std::iter::successors(Some(1usize), |count| count.checked_mul(2));
    let counts = doubled.take_while(|&count| count < most).chain([most]);
    counts.filter(|&count| count != used).collect()
}

/// `None` if a run takes too long.
fn compare(
    contender: &mut Contender<'_>,
    threads: usize,
    budget: Duration,
    progress: &mut Progress,
) -> Result<Option<Ratio>> {
    let run = contender.run()?;
    let needed = run.saturating_mul(2 * LEAST_ROUNDS as u32);
    if needed > LONGEST.max(budget) {
        return Ok(None);
    }
    let length = if needed > budget { Length::Runs(LEAST_ROUNDS) } else { Length::Time(budget / 2) };
    let mut common = contender.spec.common.clone();
    common.threads = NonZeroUsize::new(threads);
    let spec = Spec { common, ..contender.spec.clone() };
    let model = contender.interpreter.model().clone();
    // Warnings about plugins were printed when the first contender was loaded.
    let other = tracing::subscriber::with_default(NoSubscriber::new(), || Contender::of(spec, &model));
    let mut other = other?;
    other.run()?;
    let measured = measure(&mut [contender, &mut other], length, &mut |time| progress.add(time))?;
    let [used, other] = &measured[..] else { return Ok(None) };
    Ok(Ratio::of(&used.slices, &other.slices))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_and_all_processors_are_tried() {
        assert_eq!(others(2, 2), [1]);
        assert_eq!(others(1, 2), [2]);
        assert_eq!(others(6, 6), [1, 2, 4]);
        assert_eq!(others(4, 12), [1, 2, 8, 12]);
        assert_eq!(others(1, 1), [0; 0]);
    }

    fn threads(used: usize, tried: &[(usize, f64, f64, f64)]) -> Threads {
        let tried = tried.iter().map(|&(threads, low, ratio, high)| ThreadTrial {
            threads,
            ratio: Ratio { ratio, low: Some(low), high: Some(high), rounds: 40 },
        });
        Threads { used, tried: tried.collect(), skipped: None }
    }

    #[test]
    fn a_faster_number_is_advised() {
        let faster = threads(4, &[(1, 0.9, 1.1, 1.3), (2, 0.5, 0.5, 0.5)]);
        let line =
            "2 threads are 2.00 times as fast (2.00 to 2.00) as 4 on this machine now; try --threads 2";
        assert_eq!(faster.lines(Detail::Findings), [line]);
    }

    #[test]
    fn noise_is_no_advice() {
        let noise = threads(2, &[(1, 0.8, 0.9, 1.1)]);
        assert!(noise.lines(Detail::Findings).is_empty());
        let line = "no other number of threads is clearly faster than 2 (1 thread: 0.90 times the time)";
        assert_eq!(noise.lines(Detail::All), [line]);
    }
}
