//! Random numbers for tests.

use crate::fixed_point::{Multiplier, Ties};
use crate::requantize::Channel;
use crate::rescale::{QuantizedRow, RealChannel};

/// A linear congruential generator.
pub struct Random(u64);

/// `n` numbers between −1 and 1.
pub fn values(seed: u64, n: usize) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..n).map(|_| random.next() as f32 / (1u32 << 30) as f32 - 1.0).collect()
}

/// `n` integers between `low` and `high`.
pub fn integers(seed: u64, n: usize, low: i32, high: i32) -> Vec<i32> {
    let mut random = Random::new(seed);
    let count = (high - low) as u32 + 1;
    (0..n).map(|_| low + (random.next() % count) as i32).collect()
}

impl Random {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed | 1)
    }

    /// The next number, with 31 bits.
    #[allow(clippy::should_implement_trait)] // The sequence never ends, so there is no need for an option.
    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32
    }

    /// 0x80 or 0: what flips the signs of bytes, or does not.
    pub fn flip(&mut self) -> u8 {
        u8::from(self.flip_coin()) << 7
    }

    /// Whether the next number is even.
    pub fn flip_coin(&mut self) -> bool {
        self.next().is_multiple_of(2)
    }

    /// A channel that divides by up to `2^most`. If `general`, it may also multiply, and round away from zero.
    pub fn channel(&mut self, most: u32, general: bool) -> Channel {
        let shift = (self.next() % most) as i32 - most as i32 + if general { 3 } else { 0 };
        Channel {
            bias: self.next() as i32 % 20_000 - 10_000,
            factor: Multiplier { value: (1 << 30) + (self.next() >> 1) as i32 % (1 << 30), shift }
                .factor(if general && self.flip_coin() { Ties::Away } else { Ties::Up }),
        }
    }

    /// A channel with `f32` results.
    pub fn real_channel(&mut self) -> RealChannel {
        let [scale, bias] = [1 << 20, 1 << 30].map(|unit| self.next() as f32 / unit as f32);
        RealChannel { sum: self.next() as i32 % 2_000 - 1_000, scale: scale * 1e-4, bias: bias - 1.0 }
    }

    /// The zero point and scale of a quantized row.
    pub fn quantized_row(&mut self) -> QuantizedRow {
        QuantizedRow {
            zero_point: (self.next() % 256) as i32,
            scale: self.next() as f32 / (1u32 << 31) as f32,
        }
    }
}
