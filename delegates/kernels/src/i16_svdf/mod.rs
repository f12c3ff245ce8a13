//! The memory of an SVDF layer of bytes, of `i16`: each filter drops its oldest number, appends a new one, and weighs
//! them all. Sums wrap.
//!
//! ```text
//! m[f] ← m[f][1..] · saturate(scale(new[f] + bias[f]))         y[f] = Σ_t m[f][t] · time[f][t]
//! ```

mod body;

use arenite_base::memory::{Source, Target};

use crate::fixed_point::Factor;
use crate::isa::Isa;
use crate::simd::*;

/// The arguments of a kernel.
struct Filters {
    /// How many filters.
    count: usize,
    /// Numbers per filter, at least 1.
    memory: usize,
    factor: Factor,
    new: *const i32,
    bias: *const i32,
    time: *const i16,
    state: *mut i16,
    y: *mut i32,
}

/// The arguments of the kernel that adds the sums of filters.
struct Units {
    /// How many units.
    count: usize,
    /// Filters of a unit, at least 1.
    rank: usize,
    factor: Factor,
    zero_point: i32,
    sums: *const i32,
    /// One per unit, or null.
    bias: *const i32,
    y: *mut u8,
}

/// From the sums of filters to the output: `scale(Σ sums + bias) + zero point`.
#[derive(Clone, Copy)]
pub struct Output<'r> {
    /// Filters of a unit.
    pub rank: usize,
    /// One per unit; may be empty.
    pub biases: Source<'r, i32>,
    /// What sums are multiplied by.
    pub factor: Factor,
    /// Of the output, as signed bytes.
    pub zero_point: i32,
}

/// The new numbers of all filters: `saturate(scale(sums + biases))`.
#[derive(Clone, Copy)]
pub struct NewNumbers<'r> {
    /// Sums of products.
    pub sums: Source<'r, i32>,
    /// Numbers that are added to them.
    pub biases: Source<'r, i32>,
    /// What they are multiplied by.
    pub factor: Factor,
}

/// The family for one instruction set.
#[non_exhaustive]
pub struct Svdf {
    /// The name, such as `i16_svdf__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    remember: unsafe fn(&Filters),
    finish: unsafe fn(&Units),
}

impl Svdf {
    /// Appends a new number to the memory of each filter, which has `memory` numbers, and writes the weighted sums to
    /// `y`.
    ///
    /// # Panics
    /// If `memory` is 0, or a source or target has fewer elements than `y.len()` filters need.
    pub fn remember(
        &self,
        memory: usize,
        new: NewNumbers<'_>,
        time: Source<'_, i16>,
        state: &mut Target<'_, i16>,
        y: &mut Target<'_, i32>,
    ) {
        assert!(memory > 0, "filters without a memory");
        let count = y.len();
        let all = count.saturating_mul(memory);
        let filters = Filters {
            count,
            memory,
            factor: new.factor,
            new: new.sums.at(0, count),
            bias: new.biases.at(0, count),
            time: time.at(0, all),
            state: state.at(0, all),
            y: y.at(0, count),
        };
        // SAFETY: the machine can run it, as it got the member from a table; `at` checked that sources and targets have
        // the elements of all filters.
        unsafe { (self.remember)(&filters) }
    }

    /// Writes the outputs of all units, as unsigned bytes.
    ///
    /// # Panics
    /// If the rank is 0, or a list is shorter than `y.len()` units need.
    pub fn finish(&self, sums: Source<'_, i32>, output: Output<'_>, y: &mut Target<'_, u8>) {
        let Output { rank, biases, factor, zero_point } = output;
        assert!(rank > 0, "units without filters");
        let count = y.len();
        let units = Units {
            count,
            rank,
            factor,
            zero_point,
            sums: sums.at(0, count.saturating_mul(rank)),
            bias: if biases.is_empty() { std::ptr::null() } else { biases.at(0, count) },
            y: y.at(0, count),
        };
        // SAFETY: the machine can run it, as it got the member from a table; `at` checked that sources and targets have
        // the elements of all units.
        unsafe { (self.finish)(&units) }
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Svdf { name: $name, isa: $isa, remember, finish }
    };
}

family! {
    Svdf: "i16_svdf" {
        fn remember(filters: &Filters);
        fn finish(units: &Units);
    }
    vectors
}
member_of_table!(Svdf);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::family::available;
    use crate::fixed_point::{Multiplier, Ties};
    use crate::random::integers;

    fn words(seed: u64, count: usize) -> Vec<i16> {
        integers(seed, count, -32768, 32767).iter().map(|&x| x as i16).collect()
    }

    proptest! {
        #[test]
        fn every_member_finishes_units(count in 1usize..40, rank in 1usize..4, seed: u64, biased: bool) {
            let multiplier = Multiplier::from_real(1e-3).unwrap();
            let sums = integers(seed, count * rank, -60_000, 60_000);
            let biases = integers(seed ^ 1, if biased { count } else { 0 }, -9999, 9999);
            for member in available(TABLE) {
                let mut y = vec![0; count];
                let factor = multiplier.factor(Ties::Away);
                let output = Output { rank, biases: Source::of(&biases), factor, zero_point: -7 };
                member.finish(Source::of(&sums), output, &mut Target::of(&mut y));
                for (unit, &y) in y.iter().enumerate() {
                    let sum: i32 = sums[unit * rank..][..rank].iter().sum();
                    let scaled = multiplier.apply(sum + biases.get(unit).unwrap_or(&0), Ties::Away) - 7;
                    prop_assert_eq!(i32::from(y) - 128, scaled.clamp(-128, 127), "{} {}", member.name, unit);
                }
            }
        }

        #[test]
        fn every_member_remembers(count in 1usize..20, memory in 1usize..40, seed: u64) {
            let all = count * memory;
            let multiplier = Multiplier::from_real(0.037).unwrap();
            let (sums, biases) = (integers(seed, count, -1 << 20, 1 << 20), integers(seed ^ 1, count, -999, 999));
            let (time, old) = (words(seed ^ 3, all), words(seed ^ 9, all));
            for member in available(TABLE) {
                let (mut state, mut y) = (old.clone(), vec![0; count]);
                state.push(7);
                let factor = multiplier.factor(Ties::Away);
                let new = NewNumbers { sums: Source::of(&sums), biases: Source::of(&biases), factor };
                let mut target = Target::of(&mut state);
                member.remember(memory, new, Source::of(&time), &mut target, &mut Target::of(&mut y));
                for f in 0..count {
                    let row = f * memory..(f + 1) * memory;
                    let mut want = old[row.clone()][1..].to_vec();
                    let new = multiplier.apply(sums[f] + biases[f], Ties::Away);
                    want.push(new.clamp(-32768, 32767) as i16);
                    prop_assert_eq!(&state[row.clone()], &want[..], "{} {}", member.name, f);
                    let sum = want.iter().zip(&time[row]).map(|(&m, &w)| i64::from(m) * i64::from(w)).sum::<i64>();
                    prop_assert_eq!(y[f], sum as i32, "{} {}", member.name, f);
                }
                prop_assert_eq!(state[all], 7);
            }
        }
    }
}
