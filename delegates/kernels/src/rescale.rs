//! The way from sums of products to reals, where rows were quantized while the model runs.
//!
//! ```text
//! real = clamp((sum − zero point · Σ w) · (scale of the row · scale of the channel) + bias)
//! ```
//! Each operation rounds once. A block, which serves as many channels as a vector has lanes, consists of rows that a vector holds each:
//! sums of weights (i32), scales (f32), biases (f32).

use arenite_layers::Aligned;
pub use arenite_layers::Clamp as Limits;
use bytemuck::{Pod, Zeroable};

use crate::simd::Ints;

const ROWS: usize = 3;

/// One channel.
#[derive(Clone, Copy, Debug)]
pub struct RealChannel {
    /// The sum of its weights.
    pub sum: i32,
    /// What a step of its weights is worth.
    pub scale: f32,
    /// Added.
    pub bias: f32,
}

impl RealChannel {
    /// What lanes hold that are no channel's.
    pub const NONE: RealChannel = RealChannel { sum: 0, scale: 0.0, bias: 0.0 };
}

/// A quantized row: `real = scale · (q − zero_point)`, where `q` is an unsigned byte.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct QuantizedRow {
    /// The byte that means 0.
    pub zero_point: i32,
    /// What a step is worth.
    pub scale: f32,
}

// SAFETY: two numbers of 4 bytes each, all of which may be zero.
unsafe impl Zeroable for QuantizedRow {}
// SAFETY: two numbers without padding, of any bits.
unsafe impl Pod for QuantizedRow {}

/// Channels in blocks.
pub struct RealChannels {
    words: Aligned<u32>,
    lanes: usize,
}

impl RealChannels {
    /// In blocks of `lanes`. What is left of the last block is zero.
    pub fn new(lanes: usize, channels: &[RealChannel]) -> RealChannels {
        let mut words = Aligned::<u32>::zeros(channels.len().div_ceil(lanes) * ROWS * lanes);
        for (block, channels) in words.chunks_exact_mut(ROWS * lanes).zip(channels.chunks(lanes)) {
            for (i, channel) in channels.iter().enumerate() {
                block[i] = channel.sum as u32;
                block[lanes + i] = channel.scale.to_bits();
                block[2 * lanes + i] = channel.bias.to_bits();
            }
        }
        RealChannels { words, lanes }
    }

    /// The block of channels `from..from + lanes`, where `from` is a multiple of `lanes`, and those that follow it.
    #[inline]
    pub fn block(&self, from: usize) -> *const u32 {
        self.words[from / self.lanes * ROWS * self.lanes..].as_ptr()
    }

    /// Words from one block to the next.
    #[inline]
    pub const fn stride(lanes: usize) -> usize {
        ROWS * lanes
    }
}

/// The reals of a vector of sums.
///
/// # Safety
/// `block` is a block for as many lanes.
#[inline(always)]
pub unsafe fn rescale<S: Ints>(
    s: S,
    sums: S::I,
    block: *const u32,
    row: QuantizedRow,
    limits: Limits,
) -> S::V {
    // SAFETY: a block has three rows of as many words as the vector has lanes.
    let (of_weights, scale, bias) = unsafe {
        (s.load_i32(block.cast()), s.load(block.add(S::LANES).cast()), s.load(block.add(2 * S::LANES).cast()))
    };
    let sums = s.sub_i32(sums, s.mul_i32(of_weights, s.splat_i32(row.zero_point)));
    let real = s.mul(s.real(sums), s.mul(scale, s.splat(row.scale)));
    s.clamp(s.add(real, bias), s.splat(limits.low), s.splat(limits.high))
}

/// As [`rescale`], of one sum.
#[cfg(test)]
pub fn rescaled(sum: i32, channel: RealChannel, row: QuantizedRow, limits: Limits) -> f32 {
    let sum = sum.wrapping_sub(channel.sum.wrapping_mul(row.zero_point));
    let real = sum as f32 * (channel.scale * row.scale) + channel.bias;
    limits.high.min(limits.low.max(real))
}
