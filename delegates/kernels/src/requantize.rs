//! The way from sums of products to bytes, prepared for vectors.
//!
//! ```text
//! byte = clamp((bias + sum) · multiplier + zero point)
//! ```
//! Lanes that lie side by side are scaled apart, the even ones and the odd ones, as 64-bit numbers. So a block, which serves as many
//! channels as a vector has 32-bit lanes, consists of rows that a vector holds each:
//!
//! ```text
//! row      0      1      2      3      4      5      6      7      8      9      10
//!          bias   multiplier    rounding      shift         away          left   far
//!          i32    even   odd    even   odd    even   odd    even   odd    i32    i32
//! ```
//! `rounding` is added to the product and `shift` divides it; see [`crate::fixed_point`]. `away` (2³¹ or 0) and `left` shifts are read
//! only if a channel has them. `far` is what is left to shift of the upper half of a number; −1 for all if a channel's shift is below 32.

use arenite_layers::Aligned;

use crate::fixed_point::Factor;

/// Row of the biases.
pub const BIAS: usize = 0;
/// Rows of the multipliers.
pub const MULTIPLIER: [usize; 2] = [1, 2];
/// Rows of what is added to products.
pub const ROUNDING: [usize; 2] = [3, 4];
/// Rows of the shifts to the right.
pub const SHIFT: [usize; 2] = [5, 6];
/// Rows of what is taken from negative products.
pub const AWAY: [usize; 2] = [7, 8];
/// Row of the shifts to the left.
pub const LEFT: usize = 9;
/// Row of the shifts to the right of upper halves.
pub const FAR: usize = 10;
const ROWS: usize = 11;

/// One channel.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    /// Added to sums.
    pub bias: i32,
    /// Multiplied with them.
    pub factor: Factor,
}

/// What scaled sums become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Added.
    pub zero_point: i32,
    /// Smallest.
    pub low: u8,
    /// Largest.
    pub high: u8,
}

/// Channels in blocks.
pub struct Channels {
    words: Aligned<i64>,
    lanes: usize,
    /// Whether a channel rounds away from zero or shifts to the left.
    pub is_general: bool,
    /// The same for all channels.
    pub bytes: Bytes,
}

impl Channels {
    /// In blocks of `lanes`, an even number. What is left of the last block is zero.
    pub fn new(lanes: usize, channels: &[Channel], bytes: Bytes) -> Channels {
        let half = lanes / 2;
        let mut words = Aligned::<i64>::zeros(channels.len().div_ceil(lanes) * Channels::stride(lanes));
        let mut is_general = false;
        for (block, channels) in words.chunks_exact_mut(Channels::stride(lanes)).zip(channels.chunks(lanes)) {
            for (i, channel) in channels.iter().enumerate() {
                let (pair, odd, factor) = (i / 2, i % 2, channel.factor);
                is_general |= factor.is_away || factor.left > 0;
                set_i32(block, BIAS * half, i, channel.bias);
                set_i32(block, LEFT * half, i, factor.left as i32);
                set_i32(block, FAR * half, i, factor.shift as i32 - 32);
                block[MULTIPLIER[odd] * half + pair] = factor.value.into();
                block[ROUNDING[odd] * half + pair] = factor.rounding;
                block[SHIFT[odd] * half + pair] = factor.shift.into();
                block[AWAY[odd] * half + pair] = if factor.is_away { 1 << 31 } else { 0 };
            }
            if channels.iter().any(|channel| channel.factor.shift < 32) {
                block[FAR * half..].fill(-1);
            }
        }
        Channels { words, lanes, is_general, bytes }
    }

    /// The block of channels `from..from + lanes`, where `from` is a multiple of `lanes`, and those that follow it.
    #[inline]
    pub fn block(&self, from: usize) -> *const i64 {
        debug_assert!(self.lanes.is_power_of_two() && from.is_multiple_of(self.lanes));
        // `from / lanes` blocks of `ROWS · lanes / 2` words.
        self.words[from / 2 * ROWS..].as_ptr()
    }

    /// Channels of a block.
    #[inline]
    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Whether there is at least one block.
    #[inline]
    pub(crate) fn has_block(&self) -> bool {
        self.lanes > 0 && self.words.len() >= Channels::stride(self.lanes)
    }

    /// Words from one block to the next.
    #[inline]
    pub const fn stride(lanes: usize) -> usize {
        ROWS * (lanes / 2)
    }
}

fn set_i32(block: &mut [i64], row: usize, i: usize, x: i32) {
    bytemuck::cast_slice_mut::<i64, i32>(&mut block[row..])[i] = x;
}
