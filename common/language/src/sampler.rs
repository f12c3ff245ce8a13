//! Chooses a token from logits.

use crate::error::{Error, Result};

/// How the next token is chosen. The default is greedy: the largest logit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Logits are divided by this; 0 always chooses the largest logit.
    pub temperature: f32,
    /// Only this many of the likeliest tokens; 0 for all.
    pub top_k: usize,
    /// Only the likeliest tokens whose probabilities together reach this; 1 for all.
    pub top_p: f32,
    /// Only tokens with at least this part of the likeliest token's probability; 0 for all.
    pub min_p: f32,
    /// The same seed gives the same choices from the same logits.
    pub seed: u64,
}

impl Default for Sampling {
    fn default() -> Self {
        Sampling { temperature: 0.0, top_k: 0, top_p: 1.0, min_p: 0.0, seed: 0 }
    }
}

/// Chooses tokens. It keeps the state of the random numbers.
#[derive(Clone, Debug)]
pub struct Sampler {
    sampling: Sampling,
    random: u64,
    /// Probabilities, unscaled, and tokens; kept for its memory.
    likely: Vec<(f32, u32)>,
}

impl Sampler {
    /// A sampler that begins with the seed.
    ///
    /// # Errors
    /// An option is out of its range.
    pub fn new(sampling: &Sampling) -> Result<Self> {
        let Sampling { temperature, top_p, min_p, seed, .. } = *sampling;
        let refuse =
            |name, range, value| Err(Error::Option(format!("{name} is {value}; it must be {range}")));
        if !(0.0..f32::INFINITY).contains(&temperature) {
            return refuse("temperature", "0 or a positive number", temperature);
        }
        if !(0.0..=1.0).contains(&top_p) || top_p == 0.0 {
            return refuse("top_p", "above 0 and at most 1", top_p);
        }
        if !(0.0..=1.0).contains(&min_p) {
            return refuse("min_p", "from 0 to 1", min_p);
        }
        Ok(Sampler { sampling: *sampling, random: seed, likely: Vec::new() })
    }

    /// Chooses a token. The order is temperature, top_k, min_p, top_p; among equal logits the lowest token comes first.
    ///
    /// # Errors
    /// The logits contain NaN, or none is above minus infinity.
    pub fn choose(&mut self, logits: &[f32]) -> Result<u32> {
        let mut best: Option<(f32, usize)> = None;
        for (i, &logit) in logits.iter().enumerate() {
            if logit.is_nan() {
                return Err(Error::Logits);
            }
            if best.is_none_or(|(top, _)| logit > top) {
                best = Some((logit, i));
            }
        }
        let Some((top, first)) = best.filter(|(top, _)| *top > f32::NEG_INFINITY) else {
            return Err(Error::Logits);
        };
        if self.sampling.temperature == 0.0 || self.sampling.top_k == 1 || top == f32::INFINITY {
            return Ok(first as u32);
        }
        self.weigh(logits, top);
        let sum: f32 = self.likely.iter().map(|(weight, _)| weight).sum();
        let mut rest = self.uniform() * sum;
        for &(weight, token) in &self.likely {
            rest -= weight;
            if rest < 0.0 {
                return Ok(token);
            }
        }
        // Rounding may leave a rest; the likeliest token is first.
        Ok(self.likely.first().map_or(first as u32, |&(_, token)| token))
    }

    /// Fills `likely` with the tokens that may be chosen, the likeliest first. The likeliest has weight 1.
    fn weigh(&mut self, logits: &[f32], top: f32) {
        let Sampling { temperature, top_k, top_p, min_p, .. } = self.sampling;
        let likely = &mut self.likely;
        likely.clear();
        let weight = |logit: f32| ((logit - top) / temperature).exp();
        likely.extend(logits.iter().enumerate().map(|(i, &logit)| (weight(logit), i as u32)));
        let order = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if (1..likely.len()).contains(&top_k) {
            likely.select_nth_unstable_by(top_k - 1, order);
            likely.truncate(top_k);
        }
        likely.retain(|&(weight, _)| weight > 0.0 && weight >= min_p);
        likely.sort_unstable_by(order);
        if top_p < 1.0 {
            let enough = top_p * likely.iter().map(|(weight, _)| weight).sum::<f32>();
            let mut sum = 0.0;
            let kept = likely.iter().position(|&(weight, _)| {
                sum += weight;
                sum >= enough
            });
            likely.truncate(kept.map_or(likely.len(), |last| last + 1));
        }
    }

    /// Uniform in [0, 1), by SplitMix64: the same on every machine.
    fn uniform(&mut self) -> f32 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::LN_2;

    use super::*;

    /// Logits whose softmax is 1/8, 1/2, 1/4, 1/8.
    const LOGITS: [f32; 4] = [-3.0 * LN_2, -LN_2, -2.0 * LN_2, -3.0 * LN_2];

    fn sampler(sampling: Sampling) -> Sampler {
        Sampler::new(&sampling).expect("the options are in range")
    }

    /// How often each token is chosen in 4,000 draws.
    fn counts(sampling: Sampling) -> [usize; 4] {
        let mut sampler = sampler(Sampling { temperature: 1.0, seed: 7, ..sampling });
        let mut counts = [0; 4];
        (0..4000).for_each(|_| counts[sampler.choose(&LOGITS).expect("they are numbers") as usize] += 1);
        counts
    }

    #[test]
    fn without_temperature_the_largest_logit_is_chosen() {
        let mut greedy = sampler(Sampling::default());
        assert_eq!(greedy.choose(&LOGITS).ok(), Some(1));
        assert_eq!(greedy.choose(&[2.0, 3.0, 3.0]).ok(), Some(1));
        assert_eq!(greedy.choose(&[f32::NEG_INFINITY, -4.0]).ok(), Some(1));
    }

    #[test]
    fn tokens_are_as_frequent_as_their_probabilities() {
        let near = |counts: [usize; 4], wanted: [usize; 4]| {
            assert!(
                counts.iter().zip(wanted).all(|(&n, w)| n.abs_diff(w) <= 150 && (n == 0) == (w == 0)),
                "{counts:?}"
            );
        };
        near(counts(Sampling::default()), [500, 2000, 1000, 500]);
        near(counts(Sampling { top_k: 2, ..Sampling::default() }), [0, 2667, 1333, 0]);
        near(counts(Sampling { top_p: 0.7, ..Sampling::default() }), [0, 2667, 1333, 0]);
        near(counts(Sampling { min_p: 0.4, ..Sampling::default() }), [0, 2667, 1333, 0]);
        near(counts(Sampling { top_p: 0.4, ..Sampling::default() }), [0, 4000, 0, 0]);
        near(counts(Sampling { top_p: 0.8, ..Sampling::default() }), [571, 2286, 1143, 0]);
    }

    #[test]
    fn the_seed_determines_the_choices() {
        let draw = |seed| {
            let mut sampler = sampler(Sampling { temperature: 1.0, seed, ..Sampling::default() });
            (0..64).map(|_| sampler.choose(&LOGITS).expect("they are numbers")).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn options_out_of_range_and_bad_logits_are_errors() {
        let message = |sampling| Sampler::new(&sampling).map(drop).expect_err("out of range").to_string();
        let default = Sampling::default;
        assert!(message(Sampling { temperature: -1.0, ..default() }).starts_with("temperature is -1"));
        assert!(message(Sampling { temperature: f32::NAN, ..default() }).starts_with("temperature is NaN"));
        assert_eq!(
            message(Sampling { top_p: 0.0, ..default() }),
            "top_p is 0; it must be above 0 and at most 1"
        );
        assert_eq!(message(Sampling { min_p: 1.5, ..default() }), "min_p is 1.5; it must be from 0 to 1");
        let mut greedy = sampler(default());
        assert!(matches!(greedy.choose(&[0.0, f32::NAN]), Err(Error::Logits)));
        assert!(matches!(greedy.choose(&[f32::NEG_INFINITY; 2]), Err(Error::Logits)));
        assert!(matches!(greedy.choose(&[]), Err(Error::Logits)));
    }
}
