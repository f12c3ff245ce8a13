//! The memory of an SVDF layer of `f32`: each filter drops its oldest number, appends a new one, and weighs them all.
//!
//! ```text
//! m[f] ← m[f][1..] · new[f]         y[f] = Σ_t m[f][t] · time[f][t]
//! ```

mod body;

use arenite_base::memory::{Source, Target};

use crate::isa::Isa;
use crate::simd::*;

/// The arguments of a kernel.
#[derive(Clone, Copy)]
struct Filters {
    /// How many filters.
    count: usize,
    /// Numbers per filter, at least 1.
    memory: usize,
    new: *const f32,
    time: *const f32,
    state: *mut f32,
    y: *mut f32,
}

/// The family for one instruction set.
#[non_exhaustive]
pub struct Svdf {
    /// The name, such as `f32_svdf__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    remember: unsafe fn(&Filters),
}

impl Svdf {
    /// Appends `new[f]` to the memory of each filter, which has `memory` numbers, and writes the weighted sums to `y`.
    ///
    /// # Panics
    /// If `memory` is 0, or a source or target has fewer elements than `y.len()` filters need.
    pub fn remember(
        &self,
        memory: usize,
        new: Source<'_, f32>,
        time: Source<'_, f32>,
        state: &mut Target<'_, f32>,
        y: &mut Target<'_, f32>,
    ) {
        assert!(memory > 0, "filters without a memory");
        let count = y.len();
        let all = count.saturating_mul(memory);
        let filters = Filters {
            count,
            memory,
            new: new.at(0, count),
            time: time.at(0, all),
            state: state.at(0, all),
            y: y.at(0, count),
        };
        // SAFETY: the machine can run it, as it got the member from a table; `at` checked that sources and targets have
        // the elements of all filters.
        unsafe { (self.remember)(&filters) }
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Svdf { name: $name, isa: $isa, remember }
    };
}

family! {
    Svdf: "f32_svdf" {
        fn remember(filters: &Filters);
    }
    vectors
}
member_of_table!(Svdf);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::family::available;
    use crate::random::values;

    proptest! {
        #[test]
        fn every_member_remembers(count in 1usize..20, memory in 1usize..40, seed: u64) {
            let all = count * memory;
            let (new, time, old) = (values(seed, count), values(seed ^ 3, all), values(seed ^ 9, all));
            for member in available(TABLE) {
                let (mut state, mut y) = (old.clone(), vec![0.0; count]);
                state.push(7.0);
                let sources = (Source::of(&new), Source::of(&time));
                let mut target = Target::of(&mut state);
                member.remember(memory, sources.0, sources.1, &mut target, &mut Target::of(&mut y));
                for f in 0..count {
                    let row = f * memory..(f + 1) * memory;
                    let mut want = old[row.clone()][1..].to_vec();
                    want.push(new[f]);
                    prop_assert_eq!(&state[row.clone()], &want[..], "{} {}", member.name, f);
                    let sum: f64 = want.iter().zip(&time[row]).map(|(&m, &w)| f64::from(m) * f64::from(w)).sum();
                    prop_assert!((f64::from(y[f]) - sum).abs() < 1e-4, "{} {f}: {} {sum}", member.name, y[f]);
                }
                prop_assert_eq!(state[all], 7.0);
            }
        }
    }
}
