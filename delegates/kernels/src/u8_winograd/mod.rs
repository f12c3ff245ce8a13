//! Transforms of Winograd's minimal filtering `F(2 × 2, 3 × 3)` on integers, without rounding.
//!
//! Like [`f32_winograd`](super::f32_winograd), but with `2 G` instead of `G`, which contains halves. So sums are four
//! times as large.
//!
//! ```text
//! 4 Y = Aᵀ [ (2G g 2Gᵀ) ⊙ (Bᵀ d B) ] A      ⊙ for all tiles and channels: 16 products of matrices of words
//!             9 · 128 at most   1020 at most
//! multiplications per output: 4 instead of 9
//! ```
//! Sums wrap. The quotient by four is correct if four times the sum of products is below 2³¹, which the limit
//! [`CHANNELS`] ensures.

mod body;

use crate::isa::Isa;
use crate::simd::*;

/// The most channels of a filter: 4 · 9 · 255 · 128 · 1827 < 2³¹.
pub const CHANNELS: usize = 1827;

/// The number of inputs of a tile, and of products.
pub const PRODUCTS: usize = 16;

/// The number of sums that are transformed together. Lines of products have a multiple of this length.
pub const SUMS: usize = 16;

/// The family for one instruction set.
#[non_exhaustive]
pub struct ByteWinograd {
    /// The name, such as `u8_winograd__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// `Bᵀ d B` of one tile: `(channels, pixels, v, stride)`. `pixels` are 16 pointers to `channels` bytes each. Value
    /// `f` of the transform of channel `c` is written to `v[f · stride + c]`. Unsafe to call: the machine must have the
    /// instructions, and all of these must be readable or writable.
    pub input: unsafe fn(usize, *const *const u8, *mut i16, usize),
    /// `Aᵀ p A / 4` of one tile: `(n, p, stride)`, for `n` sums, a multiple of [`SUMS`]. Product `f` of sum `j` is `p[f
    /// · stride + j]`. Output `i` is written to `p[i · stride + j]`, by rows. Unsafe to call: the machine must have the
    /// instructions, and all products must be readable and writable.
    pub output: unsafe fn(usize, *mut i32, usize),
}

/// `2G g 2Gᵀ` for the taps of a filter.
pub fn filter(g: &[i8; 9]) -> [i16; PRODUCTS] {
    let g = g.map(i16::from);
    let half: [[i16; 3]; 4] = {
        let column =
            |k: usize| [2 * g[k], g[k] + g[3 + k] + g[6 + k], g[k] - g[3 + k] + g[6 + k], 2 * g[6 + k]];
        let columns = [column(0), column(1), column(2)];
        std::array::from_fn(|i| columns.map(|column| column[i]))
    };
    let mut u = [0; PRODUCTS];
    for (row, [a, b, c]) in u.as_chunks_mut::<4>().0.iter_mut().zip(half) {
        *row = [2 * a, a + b + c, a - b + c, 2 * c];
    }
    u
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        ByteWinograd { name: $name, isa: $isa, input, output }
    };
}

family! {
    ByteWinograd: "u8_winograd" {
        fn input(channels: usize, pixels: *const *const u8, v: *mut i16, stride: usize);
        fn output(n: usize, p: *mut i32, stride: usize);
    }
    vectors
}
member_of_table!(ByteWinograd);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::family::available;
    use crate::random::Random;

    proptest! {
        /// Compares a tile after all transforms with its convolution, where each channel is filtered separately.
        /// Extreme values are likely.
        #[test]
        fn a_tile_is_its_convolution(channels in 1usize..80, seed: u64) {
            let mut random = Random::new(seed);
            let byte = |random: &mut Random| [0, 255, random.next() as u8][random.next() as usize % 3];
            let inputs: Vec<Vec<u8>> =
                (0..PRODUCTS).map(|_| (0..channels).map(|_| byte(&mut random)).collect()).collect();
            let g: [i8; 9] = std::array::from_fn(|_| (byte(&mut random) ^ 0x80) as i8);
            let pixels: Vec<*const u8> = inputs.iter().map(|pixel| pixel.as_ptr()).collect();
            let (u, stride) = (filter(&g), channels.next_multiple_of(SUMS) + 3);
            for member in available(TABLE) {
                let mut v = vec![i16::MAX; PRODUCTS * stride];
                // SAFETY: the machine can run the member; the lengths match the vectors.
                unsafe { (member.input)(channels, pixels.as_ptr(), v.as_mut_ptr(), stride) };
                let of_line = |i: usize| i32::from(u[i / stride]);
                let mut p: Vec<i32> = v.iter().enumerate().map(|(i, &v)| of_line(i) * i32::from(v)).collect();
                // SAFETY: the machine can run the member; each of the 16 products has `stride` sums in `p`, no fewer
                // than `channels` rounded up.
                unsafe { (member.output)(channels.next_multiple_of(SUMS), p.as_mut_ptr(), stride) };
                for (i, c) in (0..4).flat_map(|i| (0..channels).map(move |c| (i, c))) {
                    let tap = |t: usize| i32::from(inputs[(i / 2 + t / 3) * 4 + i % 2 + t % 3][c]) * i32::from(g[t]);
                    prop_assert_eq!(p[i * stride + c], (0..9).map(tap).sum::<i32>(), "{} {} {}", member.name, i, c);
                }
                prop_assert!((0..PRODUCTS).all(|f| v[f * stride + channels] == i16::MAX), "{}", member.name);
            }
        }
    }
}
