//! Pooling of bytes: the mean or the maximum of each channel of several pixels.

mod body;

use crate::fixed_point::Factor;
use crate::isa::Isa;
use crate::requantize::Channel;
use crate::simd::*;

/// The pixels of a window that moves along a row, and the output range of the results.
#[derive(Clone, Copy)]
pub struct Window {
    /// The pixels of the first position, at least one.
    pub pixels: *const *const u8,
    /// The number of pixels.
    pub count: usize,
    /// The number of positions.
    pub positions: usize,
    /// The distance in bytes between the pixels of consecutive positions.
    pub step: usize,
    /// The number of channels.
    pub n: usize,
    /// The smallest result.
    pub low: u8,
    /// The largest result.
    pub high: u8,
    /// The parameters of the division for means.
    pub mean: Mean,
    /// Exclusive or of these bits makes the pixels of maxima unsigned, and their results signed.
    pub flips: [u8; 2],
    /// The address of the results, `n` for each position.
    pub c: *mut u8,
}

/// A division by `count` that rounds to the nearest.
#[derive(Clone, Copy)]
pub struct Mean {
    /// A block of equal channels: the bias is half of `count`, the factor `1 / count`, rounded down.
    pub table: *const i64,
    /// If a sum is below this, ties are rounded down: those are sums of negative signed numbers. 0 if there are no
    /// ties.
    pub middle: i32,
}

/// The family for one instruction set. Its functions are unsafe to call: the machine must have the instructions, pixels
/// must be readable and results writable for `n` bytes at each position, and the table must be complete.
#[non_exhaustive]
pub struct Pools {
    /// The name, such as `u8_pool__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The number of lanes of a block.
    pub lanes: usize,
    /// Computes means.
    pub mean: unsafe fn(&Window),
    /// Computes maxima.
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

/// Divides a sum of at most 256 · `count` by `count`, rounded to the nearest with ties up: `floor((sum + count / 2) · m
/// / 2^k)`, where m exceeds `2^k / count` by less than one. This is exact if `256 · count² < 2^k`.
pub fn division(count: usize) -> Channel {
    let k = 30 + count.ilog2();
    let value = (1u64 << k).div_ceil(count as u64) as i32;
    let factor = Factor { left: 0, value, rounding: 0, shift: k, is_away: false };
    Channel { bias: (count / 2) as i32, factor }
}

#[cfg(test)]
mod tests;
