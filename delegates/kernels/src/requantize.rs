//! Converts sums of products to bytes. The parameters are prepared for vectors.
//!
//! ```text
//! byte = clamp((bias + sum) · multiplier + zero point)
//! ```
//! Even and odd lanes are scaled separately, as 64-bit numbers. So a block, which has the parameters of as many
//! channels as a vector has 32-bit lanes, consists of rows of one vector each:
//!
//! ```text
//! row      0      1      2      3      4      5      6      7      8      9      10
//!          bias   multiplier    rounding      shift         away          left   far
//!          i32    even   odd    even   odd    even   odd    even   odd    i32    i32
//! ```
//! `rounding` is added to the product, which is then shifted right by `shift`; see [`crate::fixed_point`]. `away` (2³¹
//! or 0) and `left` shifts are read only if a channel has them. `far` is the remaining shift of the upper half of a
//! number; it is −1 for all channels if the shift of one is below 32.

use arenite_base::Aligned;

use crate::fixed_point::Factor;

/// The row of the biases.
pub const BIAS: usize = 0;
/// The rows of the multipliers.
pub const MULTIPLIER: [usize; 2] = [1, 2];
/// The rows of the rounding terms, which are added to products.
pub const ROUNDING: [usize; 2] = [3, 4];
/// The rows of the right shifts.
pub const SHIFT: [usize; 2] = [5, 6];
/// The rows of masks: 2³¹, the sign bit of a 32-bit lane, or 0. The masked sum is subtracted from its product.
pub const AWAY: [usize; 2] = [7, 8];
/// The row of the left shifts.
pub const LEFT: usize = 9;
/// The row of the right shifts of upper halves.
pub const FAR: usize = 10;
const ROWS: usize = 11;

/// The parameters of one channel.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    /// The bias, which is added to sums.
    pub bias: i32,
    /// The factor that sums are multiplied with.
    pub factor: Factor,
}

/// The output range of scaled sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// The zero point, which is added.
    pub zero_point: i32,
    /// The smallest result.
    pub low: u8,
    /// The largest result.
    pub high: u8,
    /// What clamped results are combined with by exclusive or: 0x80 makes signed bytes of them.
    pub flip: u8,
}

/// The parameters of channels, in blocks.
pub struct Channels {
    words: Aligned<i64>,
    lanes: usize,
    /// Whether a channel rounds away from zero or shifts to the left.
    pub is_general: bool,
    /// Whether all channels round up and shift to the right by 32 or more.
    pub is_far: bool,
    /// Whether all channels shift to the right by 32 or more, none to the left, and some round away from zero.
    pub is_away: bool,
    /// The output range, which is the same for all channels.
    pub bytes: Bytes,
}

impl Channels {
    /// Prepares blocks of `lanes` channels, an even number. The rest of the last block is zero.
    pub fn new(lanes: usize, channels: &[Channel], bytes: Bytes) -> Channels {
        let half = lanes / 2;
        let mut words = Aligned::<i64>::zeros(channels.len().div_ceil(lanes) * Channels::stride(lanes));
        let (mut is_general, mut is_upper) = (false, true);
        for (block, channels) in words.chunks_exact_mut(Channels::stride(lanes)).zip(channels.chunks(lanes)) {
            for (i, channel) in channels.iter().enumerate() {
                let (pair, odd, factor) = (i / 2, i % 2, factor(channel));
                is_general |= factor.is_away || factor.left > 0;
                is_upper &= factor.shift >= 32 && factor.left == 0;
                set_i32(block, BIAS * half, i, channel.bias);
                set_i32(block, LEFT * half, i, factor.left as i32);
                set_i32(block, FAR * half, i, factor.shift as i32 - 32);
                block[MULTIPLIER[odd] * half + pair] = factor.value.into();
                block[ROUNDING[odd] * half + pair] = factor.rounding;
                block[SHIFT[odd] * half + pair] = factor.shift.into();
                block[AWAY[odd] * half + pair] = if factor.is_away { 1 << 31 } else { 0 };
            }
            if channels.iter().any(|channel| factor(channel).shift < 32) {
                block[FAR * half..].fill(-1);
            }
        }
        let (is_far, is_away) = (is_upper && !is_general, is_upper && is_general);
        Channels { words, lanes, is_general, is_far, is_away, bytes }
    }

    /// The address of the block of channels `from..from + lanes`, where `from` is a multiple of `lanes`. Later blocks
    /// follow it.
    #[inline]
    pub fn block(&self, from: usize) -> *const i64 {
        debug_assert!(self.lanes.is_power_of_two() && from.is_multiple_of(self.lanes));
        // Each of the `from / lanes` earlier blocks has `ROWS · lanes / 2` words.
        self.words[from / 2 * ROWS..].as_ptr()
    }

    /// The number of channels of a block.
    #[inline]
    pub(crate) fn lanes(&self) -> usize {
        self.lanes
    }

    /// Whether there is at least one block.
    #[inline]
    pub(crate) fn has_block(&self) -> bool {
        self.lanes > 0 && self.words.len() >= Channels::stride(self.lanes)
    }

    /// The distance between blocks, in words.
    #[inline]
    pub const fn stride(lanes: usize) -> usize {
        ROWS * (lanes / 2)
    }
}

/// The factor of a channel. All forms of zero are far.
fn factor(channel: &Channel) -> Factor {
    if channel.factor.value == 0 { Factor::ZERO } else { channel.factor }
}

fn set_i32(block: &mut [i64], row: usize, i: usize, x: i32) {
    bytemuck::cast_slice_mut::<i64, i32>(&mut block[row..])[i] = x;
}
