//! Converts sums of products to real numbers, for rows that are quantized at run time.
//!
//! ```text
//! real = clamp((sum − zero point · Σ w) · (scale of the row · scale of the channel) + bias)
//! ```
//! Each operation rounds once. A block, which has the parameters of as many channels as a vector has lanes, consists of
//! rows of one vector each: sums of weights (i32), scales (f32), biases (f32).

use arenite_base::{Aligned, Clamp};
use bytemuck::{Pod, Zeroable};

use crate::simd::Ints;

const ROWS: usize = 3;

/// The parameters of one channel.
#[derive(Clone, Copy, Debug)]
pub struct RealChannel {
    /// The sum of the channel's weights.
    pub sum: i32,
    /// The scale of the channel's weights.
    pub scale: f32,
    /// The bias, which is added.
    pub bias: f32,
}

impl RealChannel {
    /// The parameters of lanes without a channel.
    pub const NONE: RealChannel = RealChannel { sum: 0, scale: 0.0, bias: 0.0 };
}

/// A quantized row: `real = scale · (q − zero_point)`, where `q` is an unsigned byte.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct QuantizedRow {
    /// The byte that represents 0.
    pub zero_point: i32,
    /// The scale of the row.
    pub scale: f32,
}

// SAFETY: the struct has two 4-byte numbers, which may be zero.
unsafe impl Zeroable for QuantizedRow {}
// SAFETY: the struct has two 4-byte numbers without padding, which may have any bits.
unsafe impl Pod for QuantizedRow {}

/// The parameters of channels, in blocks.
pub struct RealChannels {
    words: Aligned<u32>,
    lanes: usize,
}

impl RealChannels {
    /// Prepares blocks of `lanes` channels. The rest of the last block is zero.
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

    /// The address of the block of channels `from..from + lanes`, where `from` is a multiple of `lanes`. Later blocks
    /// follow it.
    #[inline]
    pub fn block(&self, from: usize) -> *const u32 {
        self.words[from / self.lanes * ROWS * self.lanes..].as_ptr()
    }

    /// The distance between blocks, in words.
    #[inline]
    pub const fn stride(lanes: usize) -> usize {
        ROWS * lanes
    }
}

/// Converts a vector of sums to real numbers.
///
/// # Safety
/// `block` must point to a block for `S::LANES` channels.
#[inline(always)]
pub unsafe fn rescale<S: Ints>(
    s: S,
    sums: S::I,
    block: *const u32,
    row: QuantizedRow,
    limits: Clamp,
) -> S::V {
    // SAFETY: a block has three rows of `S::LANES` words.
    let (of_weights, scale, bias) = unsafe {
        (s.load_i32(block.cast()), s.load(block.add(S::LANES).cast()), s.load(block.add(2 * S::LANES).cast()))
    };
    let sums = s.sub_i32(sums, s.mul_i32(of_weights, s.splat_i32(row.zero_point)));
    let real = s.mul(s.real(sums), s.mul(scale, s.splat(row.scale)));
    s.clamp(s.add(real, bias), s.splat(limits.low), s.splat(limits.high))
}

/// Like [`rescale`], for one sum.
#[cfg(test)]
pub fn rescaled(sum: i32, channel: RealChannel, row: QuantizedRow, limits: Clamp) -> f32 {
    let sum = sum.wrapping_sub(channel.sum.wrapping_mul(row.zero_point));
    let real = sum as f32 * (channel.scale * row.scale) + channel.bias;
    limits.high.min(limits.low.max(real))
}
