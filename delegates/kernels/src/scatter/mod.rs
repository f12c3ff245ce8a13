//! Adds rows to listed rows of a matrix, in order: the list may name a row twice. Integers wrap.

mod body;

use core::ops::Range;

use arenite_base::memory::{Disjoint, Source, span};
use bytemuck::Pod;

use crate::isa::Isa;
use crate::simd::*;

/// `(n, (x, step), (offsets, count), y)`: adds `n` elements of `count` rows to `n` elements at each of these offsets
/// from `y`. Row `r` begins at `x[r · step]`.
type Kernel<T> = unsafe fn(usize, (*const T, usize), (*const usize, usize), *mut T);

/// The addition of one type of elements. It is unsafe to call: the machine must have the instructions, sources must be
/// readable and targets readable and writable, and they must not overlap.
pub struct Addition<T>(Kernel<T>);

/// The family for one instruction set.
#[non_exhaustive]
pub struct Scatter {
    /// The name, such as `scatter__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Of `f32`.
    pub add_f32: Addition<f32>,
    /// Of `i32`.
    pub add_i32: Addition<i32>,
    /// Of `i64`.
    pub add_i64: Addition<i64>,
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Scatter {
            name: $name,
            isa: $isa,
            add_f32: Addition(add_f32),
            add_i32: Addition(add_i32),
            add_i64: Addition(add_i64),
        }
    };
}

family! {
    Scatter: "scatter" {
        fn add_f32(n: usize, x: (*const f32, usize), to: (*const usize, usize), y: *mut f32) {
            bodies::add(T::new(), n, x, to, y, |a, b| a + b)
        };
        fn add_i32(n: usize, x: (*const i32, usize), to: (*const usize, usize), y: *mut i32) {
            bodies::add(T::new(), n, x, to, y, i32::wrapping_add)
        };
        fn add_i64(n: usize, x: (*const i64, usize), to: (*const usize, usize), y: *mut i64) {
            bodies::add(T::new(), n, x, to, y, i64::wrapping_add)
        };
    }
    vectors
}
member_of_table!(Scatter);

impl<T: Pod> Addition<T> {
    /// Adds these columns of the rows of `x` to the same columns of rows that begin at these offsets in `y`. Rows of
    /// `x` have `step` elements.
    ///
    /// # Safety
    /// No other code may access these columns of `y` at the same time.
    ///
    /// # Panics
    /// If a row is not inside of `x`, or not inside of `y`.
    #[inline]
    pub unsafe fn add(
        &self,
        columns: Range<usize>,
        (x, step): (Source<'_, T>, usize),
        to: &[usize],
        y: Disjoint<'_, T>,
    ) {
        let Some(last) = to.iter().copied().reduce(usize::max) else { return };
        let (first, n) = (columns.start, columns.len());
        let (from, y) = (x.at(first, span([to.len(), step, n])), y.at(first, last + n));
        // SAFETY: an addition is part of a member that the machine can run; `at` checked that all rows of `x` exist,
        // and all columns of `y` up to the last row, which no other code accesses, as the caller guarantees.
        unsafe { (self.0)(n, (from, step), (to.as_ptr(), to.len()), y) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::available;
    use crate::random::Random;
    use arenite_base::memory::Target;
    use proptest::prelude::*;

    fn check<T: Pod + PartialEq + std::fmt::Debug>(
        addition: &Addition<T>,
        (x, n, step): (&[T], usize, usize),
        offsets: &[usize],
        plus: impl Fn(T, T) -> T,
    ) {
        let mut y = vec![T::zeroed(); 200];
        let mut want = y.clone();
        let first = n / 3;
        let all = Target::of(&mut y).share();
        // SAFETY: only this thread accesses `y`.
        unsafe { addition.add(first..n, (Source::of(x), step), offsets, all) };
        for (r, &at) in offsets.iter().enumerate() {
            (first..n).for_each(|i| want[at + i] = plus(want[at + i], x[r * step + i]));
        }
        assert_eq!(y, want);
    }

    proptest! {
        #[test]
        fn every_member_adds_in_order(n in 1usize..90, more in 0usize..3, rows in 1usize..9, seed: u64) {
            let mut random = Random::new(seed);
            let step = n + more;
            let offsets: Vec<usize> = (0..rows).map(|_| random.next() as usize % (200 - n)).collect();
            let x: Vec<i32> = (0..rows * step).map(|_| random.next() as i32).collect();
            let add_f32: Vec<f32> = x.iter().map(|&x| x as f32 * 1e-7).collect();
            let add_i64: Vec<i64> = x.iter().map(|&x| i64::from(x) << 32).collect();
            for member in available(TABLE) {
                check(&member.add_f32, (&add_f32, n, step), &offsets, |a, b| a + b);
                check(&member.add_i32, (&x, n, step), &offsets, i32::wrapping_add);
                check(&member.add_i64, (&add_i64, n, step), &offsets, i64::wrapping_add);
            }
        }
    }
}
