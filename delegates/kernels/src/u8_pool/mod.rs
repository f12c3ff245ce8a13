//! Pools of bytes: of each channel the mean or the largest of some pixels.

mod body;

use crate::fixed_point::Factor;
use crate::isa::Isa;
use crate::requantize::Channel;
use crate::simd::*;

/// The pixels of a window and what becomes of them.
#[derive(Clone, Copy)]
pub struct Window {
    /// Pixels, at least one.
    pub pixels: *const *const u8,
    /// How many.
    pub count: usize,
    /// Channels.
    pub n: usize,
    /// Smallest result.
    pub low: u8,
    /// Largest result.
    pub high: u8,
    /// The division of means.
    pub mean: Mean,
    /// The results.
    pub c: *mut u8,
}

/// A division by `count` to the nearest.
#[derive(Clone, Copy)]
pub struct Mean {
    /// A block of channels that are alike: their bias is half of `count`, their factor `1 / count`, rounded down.
    pub table: *const i64,
    /// Below this sum ties go down: where signed numbers are negative. 0 if there are no ties.
    pub middle: i32,
}

/// The family on one instruction set. Its functions are unsafe to call: the machine has the instructions, pixels are readable and results
/// writable for `n` bytes, and the table is whole.
#[non_exhaustive]
pub struct Pools {
    /// As in `u8_pool__avx512`.
    pub name: &'static str,
    /// The features that it needs.
    pub isa: Isa,
    /// Lanes of a block.
    pub lanes: usize,
    /// The mean.
    pub mean: unsafe fn(&Window),
    /// The largest.
    pub largest: unsafe fn(&Window),
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Pools { name: $name, isa: $isa, lanes: <$t>::LANES, mean, largest }
    };
}

family! {
    Pools: "u8_pool" {
        fn mean(window: &Window);
        fn largest(window: &Window);
    }
    vectors
}
member_of_table!(Pools);

/// The division of a sum of up to 256 · `count` by `count`, to the nearest, ties up: `floor((sum + count / 2) · m / 2^k)` with m above
/// `2^k / count` by less than one, which is exact while `256 · count² < 2^k`.
pub fn division(count: usize) -> Channel {
    let k = 30 + count.ilog2();
    let value = (1u64 << k).div_ceil(count as u64) as i32;
    let factor = Factor { left: 0, value, rounding: 0, shift: k, is_away: false };
    Channel { bias: (count / 2) as i32, factor }
}

#[cfg(test)]
mod tests;
