//! How two contenders that ran in turns compare, and how sure that is.
//!
//! In each round both run for a slice of time. The quotient of the medians of the two slices is one observation, so
//! whatever slows the machine for longer than a round slows both. The result is the median of the quotients. Its
//! confidence interval assumes nothing about their distribution: the number of `n` observations below the true median
//! is binomial with `n` trials and probability ½, so the median is between the k-th smallest and the k-th largest
//! observation except with probability `2 · P(B(n, ½) < k)`.

use serde::Serialize;

/// The chance that the interval misses the true ratio.
const RISK: f64 = 0.05;
/// Intervals within this distance of 1 are called the same.
const SAME: f64 = 0.01;

/// The time of a contender divided by the time of the first one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// Below 1: faster than the first one.
    pub ratio: f64,
    /// The bounds of the 95 % confidence interval; null with fewer than 6 rounds.
    pub low: Option<f64>,
    /// See `low`.
    pub high: Option<f64>,
    /// The number of rounds.
    pub rounds: usize,
}

impl Ratio {
    /// Compares the medians of slices, round by round; `None` without a round.
    pub fn of(first: &[f64], other: &[f64]) -> Option<Self> {
        let pairs = first.iter().zip(other).filter(|(first, _)| **first > 0.0);
        let mut quotients: Vec<f64> = pairs.map(|(first, other)| other / first).collect();
        quotients.sort_by(f64::total_cmp);
        let rounds = quotients.len();
        let middle = [quotients.get(rounds.saturating_sub(1) / 2)?, quotients.get(rounds / 2)?];
        let bound = |at: usize| quotients.get(at).copied();
        let (low, high) = match rank(rounds) {
            0 => (None, None),
            k => (bound(k - 1), bound(rounds - k)),
        };
        Some(Ratio { ratio: f64::midpoint(*middle[0], *middle[1]), low, high, rounds })
    }

    /// Whether the difference is larger than chance explains; `None` with too few rounds.
    pub fn differs(&self) -> Option<bool> {
        let (low, high) = (self.low?, self.high?);
        Some(low > 1.0 || high < 1.0)
    }

    /// Whether it is surely faster than the first one by more than this factor.
    pub fn is_faster_by(&self, factor: f64) -> bool {
        self.high.is_some_and(|high| high < 1.0) && self.ratio * factor < 1.0
    }

    /// The comparison as the end of a sentence about the contender: `1.31 times as fast (1.25 to 1.38)`.
    pub fn verdict(&self) -> String {
        let (Some(low), Some(high)) = (self.low, self.high) else {
            let rounds = self.rounds;
            return format!("{}, but {rounds} rounds are too few to be sure", factor(self.ratio).0);
        };
        if low > 1.0 - SAME && high < 1.0 + SAME {
            return "the same within 1 %".to_owned();
        }
        if self.differs() != Some(true) {
            return format!("no clear difference: {low:.2} to {high:.2} times the time");
        }
        let (text, is_inverse) = factor(self.ratio);
        let (from, to) = if is_inverse { (1.0 / high, 1.0 / low) } else { (low, high) };
        format!("{text} ({} to {})", digits(from), digits(to))
    }
}

/// The ratio in words, and whether its inverse is used.
fn factor(ratio: f64) -> (String, bool) {
    if ratio < 1.0 {
        (format!("{} times as fast", digits(1.0 / ratio)), true)
    } else {
        (format!("{} times as slow", digits(ratio)), false)
    }
}

/// A factor of 1 or more, with three digits or all before the point.
fn digits(factor: f64) -> String {
    let decimals = match factor {
        factor if factor < 9.995 => 2,
        factor if factor < 99.95 => 1,
        _ => 0,
    };
    format!("{factor:.decimals$}")
}

/// The largest `k` with `2 · P(B(n, ½) < k) ≤ RISK`, 0 if not even 1 is.
fn rank(n: usize) -> usize {
    let mut chance = 0.5f64.powi(i32::try_from(n).unwrap_or(i32::MAX));
    let (mut below, mut k) = (chance, 0);
    while 2.0 * below <= RISK && k < n {
        k += 1;
        chance *= (n + 1 - k) as f64 / k as f64;
        below += chance;
    }
    k
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ranks of tables of the sign test.
    #[test]
    fn ranks_are_those_of_the_sign_test() {
        let ranks = [5, 6, 8, 9, 10, 15, 20, 25, 30, 40].map(rank);
        assert_eq!(ranks, [0, 1, 1, 2, 2, 4, 6, 8, 10, 14]);
    }

    #[test]
    fn a_difference_is_told_from_noise() {
        let first: Vec<f64> = (0..20).map(|i| 10.0 + f64::from(i % 5)).collect();
        let slower: Vec<f64> = first.iter().map(|time| time * 2.0).collect();
        let ratio = Ratio::of(&first, &slower).unwrap();
        assert_eq!((ratio.ratio, ratio.low, ratio.high), (2.0, Some(2.0), Some(2.0)));
        assert_eq!(
            (ratio.differs(), ratio.verdict().as_str()),
            (Some(true), "2.00 times as slow (2.00 to 2.00)")
        );
        let back = Ratio::of(&slower, &first).unwrap();
        assert_eq!(back.verdict(), "2.00 times as fast (2.00 to 2.00)");
        assert!(back.is_faster_by(1.5) && !back.is_faster_by(2.5) && !ratio.is_faster_by(1.0));

        let noisy: Vec<f64> =
            first.iter().enumerate().map(|(i, time)| time * if i % 2 == 0 { 0.9 } else { 1.12 }).collect();
        let ratio = Ratio::of(&first, &noisy).unwrap();
        assert_eq!(ratio.differs(), Some(false));
        assert_eq!(ratio.verdict(), "no clear difference: 0.90 to 1.12 times the time");
    }

    #[test]
    fn tiny_differences_and_large_factors_are_rounded() {
        let ratio =
            |low, ratio, high| Ratio { ratio, low: Some(low), high: Some(high), rounds: 40 }.verdict();
        assert_eq!(ratio(1.002, 1.003, 1.005), "the same within 1 %");
        assert_eq!(ratio(91.07, 835.88, 1096.9), "836 times as slow (91.1 to 1097)");
    }

    #[test]
    fn few_rounds_have_no_interval() {
        let ratio = Ratio::of(&[1.0; 5], &[3.0; 5]).unwrap();
        assert_eq!((ratio.low, ratio.differs()), (None, None));
        assert_eq!(ratio.verdict(), "3.00 times as slow, but 5 rounds are too few to be sure");
        assert_eq!(Ratio::of(&[], &[]), None);
    }
}
