//! Pools of bytes: of each channel the mean or the largest of some pixels.

mod body;

use crate::isa::Isa;
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

#[cfg(test)]
mod tests;
