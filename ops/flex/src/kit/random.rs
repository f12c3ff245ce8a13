//! TensorFlow's random number generator: Philox 4×32-10.
//!
//! Defined by: tensorflow/core/lib/random/philox_random.h, random_distributions.h;
//! tensorflow/core/kernels/random_op_cpu.h; Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.

use core::f64::consts::PI;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use arenite_abi::prelude::*;

use super::node_def::NodeDef;

/// A 128-bit counter and a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Philox {
    counter: [u32; 4],
    key: [u32; 2],
}

impl Philox {
    /// Seeds the generator: the first seed is the key, the second one the upper half of the counter.
    pub fn new(low: u64, high: u64) -> Philox {
        let [a, b] = [low, high].map(|s| [s as u32, (s >> 32) as u32]);
        Philox { counter: [0, 0, b[0], b[1]], key: a }
    }

    /// A generator with this key and counter, as the stateless ops use it.
    pub fn of_key(key: u64, counter: [u64; 2]) -> Philox {
        let [a, b] = counter.map(|c| [c as u32, (c >> 32) as u32]);
        Philox { counter: [a[0], a[1], b[0], b[1]], key: [key as u32, (key >> 32) as u32] }
    }

    /// Skips `count` blocks of four numbers.
    pub fn skip(&mut self, count: u64) {
        let counter = self.counter.iter().rev().fold(0u128, |n, &word| n << 32 | u128::from(word));
        let counter = counter.wrapping_add(count.into());
        self.counter = [0, 32, 64, 96].map(|shift| (counter >> shift) as u32);
    }

    /// Draws the next block of four numbers.
    pub fn block(&mut self) -> [u32; 4] {
        let (mut c, mut k) = (self.counter, self.key);
        for _ in 0..10 {
            let [a, b] = [(0xd251_1f53u64, c[0]), (0xcd9e_8d57, c[2])].map(|(by, c)| by * u64::from(c));
            c = [(b >> 32) as u32 ^ c[1] ^ k[0], b as u32, (a >> 32) as u32 ^ c[3] ^ k[1], a as u32];
            k = [k[0].wrapping_add(0x9e37_79b9), k[1].wrapping_add(0xbb67_ae85)];
        }
        self.skip(1);
        c
    }
}

/// The generator of a node, which continues from one invocation to the next.
pub struct Source {
    start: Philox,
    used: AtomicU64,
}

impl Source {
    /// Seeds the generator from the attributes `seed` and `seed2`, or randomly if both are zero.
    ///
    /// # Errors
    /// A seed is not an integer.
    pub fn of(def: &NodeDef<'_>) -> Result<Source> {
        let (low, high) = (def.int("seed", 0)? as u64, def.int("seed2", 0)? as u64);
        let chance = || RandomState::new().build_hasher().finish();
        let start =
            if low == 0 && high == 0 { Philox::new(chance(), chance()) } else { Philox::new(low, high) };
        Ok(Source { start, used: AtomicU64::new(0) })
    }

    /// Reserves `blocks` blocks of four numbers, and returns a generator at their start.
    pub fn reserve(&self, blocks: u64) -> Philox {
        let mut generator = self.start;
        generator.skip(self.used.fetch_add(blocks, Ordering::Relaxed));
        generator
    }
}

/// A distribution of random numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Uniform in `0..1`.
    Uniform,
    /// Standard normal.
    Normal,
    /// Standard normal, restricted to two standard deviations.
    TruncatedNormal,
}

/// The number of samples that are set aside for each output.
const RESERVED: u64 = 256;

/// The number of blocks that an op reserves for `count` numbers, whatever it uses.
pub fn blocks(count: usize) -> u64 {
    (count as u64).saturating_mul(RESERVED).div_ceil(4)
}

/// Draws `count` numbers of type F16, BF16, F32 or F64.
///
/// # Errors
/// The type is another one.
pub fn draw(
    generator: Philox,
    count: usize,
    distribution: Distribution,
    ty: ElementType,
) -> Result<Vec<f64>> {
    let mut values = Vec::with_capacity(count + 4);
    let mut generator = generator;
    if distribution == Distribution::TruncatedNormal {
        let group = if ty == F64 { 2 } else { 4 };
        for index in 0..count.div_ceil(group) as u64 {
            let mut own = generator;
            own.skip(index * group as u64 * RESERVED / 4);
            truncated(&mut own, group, ty, &mut values)?;
        }
    } else {
        while values.len() < count {
            let block = generator.block();
            match (distribution, ty) {
                (Distribution::Uniform, F16) => values.extend(block.map(|x| f64::from(half_unit(x)))),
                (Distribution::Uniform, BF16) => values.extend(block.map(|x| f64::from(x & 0x7f) / 128.0)),
                (Distribution::Uniform, F64) => {
                    values.extend([(0, 1), (2, 3)].map(|(a, b)| double_unit(block[a], block[b])))
                }
                (Distribution::Uniform, _) => values.extend(block.map(unit)),
                (_, F64) => values.extend(box_muller_double(block)),
                _ => {
                    let [a, b] = box_muller(block[0], block[1]);
                    let [c, d] = box_muller(block[2], block[3]);
                    values.extend([a, b, c, d]);
                }
            }
        }
    }
    values.truncate(count);
    Ok(values)
}

fn truncated(generator: &mut Philox, group: usize, ty: ElementType, values: &mut Vec<f64>) -> Result<()> {
    let mut waiting: Vec<u32> = Vec::new();
    let mut next = |generator: &mut Philox| {
        if waiting.is_empty() {
            waiting.extend(generator.block().iter().rev());
        }
        waiting.pop().unwrap_or_default()
    };
    let end = values.len() + group;
    for _ in 0..10_000 {
        let pair = if ty == F64 {
            box_muller_double([next(generator), next(generator), next(generator), next(generator)])
        } else {
            let (a, b) = (next(generator), next(generator));
            box_muller(a, b)
        };
        for value in pair {
            if value.abs() < 2.0 && values.len() < end {
                values.push(value);
            }
        }
        if values.len() == end {
            return Ok(());
        }
    }
    Err(invalid!("no random number was within two standard deviations"))
}

/// Uses the low 23 bits as the fraction of a number in `1..2`, and subtracts one.
pub fn unit(x: u32) -> f64 {
    f64::from(f32::from_bits(0x3f80_0000 | x & 0x7f_ffff) - 1.0)
}

fn half_unit(x: u32) -> f32 {
    (x & 0x3ff) as f32 / 1024.0
}

/// Uses 52 bits as the fraction of a number in `1..2`, and subtracts one.
pub fn double_unit(high: u32, low: u32) -> f64 {
    let fraction = u64::from(high & 0xf_ffff) << 32 | u64::from(low);
    f64::from_bits(0x3ff0_0000_0000_0000 | fraction) - 1.0
}

fn box_muller(a: u32, b: u32) -> [f64; 2] {
    let first = (unit(a) as f32).max(1.0e-7);
    let angle = (2.0 * PI as f32) * unit(b) as f32;
    let size = libm::sqrtf(-2.0 * libm::logf(first));
    [libm::sinf(angle) * size, libm::cosf(angle) * size].map(f64::from)
}

fn box_muller_double(block: [u32; 4]) -> [f64; 2] {
    let first = double_unit(block[0], block[1]).max(1.0e-7);
    let angle = 2.0 * PI * double_unit(block[2], block[3]);
    let size = libm::sqrt(-2.0 * libm::log(first));
    [libm::sin(angle) * size, libm::cos(angle) * size]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_values() {
        // The authors' known answers for all zeros and all ones.
        assert_eq!(Philox::new(0, 0).block(), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        let mut ones = Philox { counter: [u32::MAX; 4], key: [u32::MAX; 2] };
        assert_eq!(ones.block(), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        assert_eq!(ones.counter, [0; 4]);
    }
}
