//! Random numbers from the seeds of a node, and the position in their sequence, which the prepared node holds.
//!
//! Defined by: tflite/kernels/random_ops.cc; `PhiloxRandom` and `random_distributions_utils.h` of TensorFlow.
//!
//! ```text
//! block n = Philox(key = seed, counter = seed2 × 2⁶⁴ + n)
//! ```
//! An evaluation continues where the previous one ended; `prepare` starts from block 0, and so does a reset of the
//! interpreter's variables, because the number of the next block is a state of the node.
//!
//! If both seeds are 0, `prepare` chooses unpredictable ones: with the feature `std` from the random keys of the
//! standard library's hash maps, otherwise from an address and a counter. The latter differ from node to node, but not
//! from run to run if programs are always loaded at the same address.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use arenite_abi::prelude::*;
use arenite_abi::schema::RandomOptions;

use super::arguments::{Integers, expect_type, expect_vector};
use super::philox;

/// The number of random numbers in a block.
pub const BLOCK: usize = 4;

plain! {
    /// A sequence of random blocks.
    #[derive(Clone, Copy)]
    pub struct Sequence {
        key: [u32; 2],
        stream: u64,
    }
}

impl Sequence {
    /// The sequence of these seeds.
    pub fn new([seed, stream]: [u64; 2]) -> Sequence {
        Sequence { key: [seed as u32, (seed >> 32) as u32], stream }
    }

    /// Returns block `n`.
    pub fn block(&self, n: u64) -> [u32; BLOCK] {
        let counter = (u128::from(self.stream) << 64).wrapping_add(n.into());
        philox::block(self.key, [0, 32, 64, 96].map(|shift| (counter >> shift) as u32))
    }
}

plain! {
    /// A source of random blocks.
    pub struct Generator {
        sequence: Sequence,
        /// The number of the next block.
        next: State<u64>,
    }
}

impl Generator {
    /// Creates the generator from the seeds in the node's options. It must be the first state that the node requests.
    ///
    /// # Errors
    /// The options are invalid, or there is no memory.
    pub fn read(node: &NodeView<'_>, cx: &mut PrepareContext<'_>) -> Result<Generator> {
        let options = node.options()?;
        let seeds = match (options.get(RandomOptions::SEED)?, options.get(RandomOptions::SEED2)?) {
            (0, 0) => [unpredictable(), unpredictable()],
            (seed, seed2) => [seed as u64, seed2 as u64],
        };
        Ok(Generator { sequence: Sequence::new(seeds), next: cx.state(1, |_| 0)? })
    }

    /// Reserves `count` blocks, and returns the sequence and the number of the first one.
    ///
    /// # Errors
    /// The state belongs to another node.
    pub fn take(&self, cx: &EvalContext<'_>, count: u64) -> Result<(Sequence, u64)> {
        let first =
            cx.state(&self.next)?.first().map_or(0, |next| next.replace(next.get().wrapping_add(count)));
        Ok((self.sequence, first))
    }

    /// Fills `y` with the results of `convert` for consecutive blocks.
    ///
    /// # Errors
    /// As for [`take`](Self::take).
    pub fn fill(
        &self,
        cx: &EvalContext<'_>,
        y: &mut [f32],
        convert: impl Fn([u32; BLOCK]) -> [f32; BLOCK],
    ) -> Result<()> {
        let (sequence, first) = self.take(cx, y.len().div_ceil(BLOCK) as u64)?;
        for (i, y) in y.chunks_mut(BLOCK).enumerate() {
            let block = convert(sequence.block(first.wrapping_add(i as u64)));
            y.copy_from_slice(&block[..y.len()]);
        }
        Ok(())
    }
}

/// Uniform in `0..1`, from 23 bits of `x`.
pub fn unit_f32(x: u32) -> f32 {
    f32::from_bits(0x7f << 23 | x & 0x7f_ffff) - 1.0
}

/// Uniform in `0..1`, from 20 bits of `high` and 32 bits of `low`.
pub fn unit_f64(high: u32, low: u32) -> f64 {
    f64::from_bits(0x3ff << 52 | u64::from(high & 0xf_ffff) << 32 | u64::from(low)) - 1.0
}

/// Declares output 0. Its shape is the value of input 0, which has one of the types `shapes`.
///
/// # Errors
/// The input has another type or is not a vector, or the shape is invalid.
pub fn declare(node: &NodeView<'_>, cx: &mut PrepareContext<'_>, shapes: &[ElementType]) -> Result<()> {
    let shape = node.input(0)?;
    expect_type(&shape, shapes)?;
    expect_vector(&shape)?;
    if !shape.is_constant() {
        return cx.set_output_dynamic(0);
    }
    let (sizes, rank) = sizes(&shape)?;
    cx.set_output_shape(0, &sizes[..rank])
}

/// Returns output 0 with the shape that input 0 holds.
///
/// # Errors
/// The shape is invalid, or too large for the host.
pub fn output<'a>(cx: &EvalContext<'a>) -> Result<TensorViewMut<'a>> {
    let shape = cx.input(0)?;
    if shape.is_constant() {
        return cx.output(0);
    }
    let (sizes, rank) = sizes(&shape)?;
    cx.resize_output(0, &sizes[..rank])
}

fn sizes(shape: &TensorView<'_>) -> Result<([i32; super::arguments::MAX_INTEGERS], usize)> {
    let list = Integers::of(shape)?;
    let served = |&size: &i64| (0..=i64::from(i32::MAX)).contains(&size);
    ensure!(list.iter().all(served), "shape {shape} is {:?}; sizes must not be negative", &list[..]);
    Ok(list.saturated())
}

/// A number that differs from call to call.
fn unpredictable() -> u64 {
    static CALLS: AtomicU32 = AtomicU32::new(1);
    let call = CALLS.load(Relaxed);
    CALLS.store(call.wrapping_add(1), Relaxed);
    mix(entropy().wrapping_add(u64::from(call).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

#[cfg(feature = "std")]
fn entropy() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0)
}

#[cfg(not(feature = "std"))]
fn entropy() -> u64 {
    let here = 0u8;
    (&raw const here) as usize as u64
}

/// The last step of SplitMix64: every bit of the result depends on every bit of `x`.
fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_numbered_by_64_bits() {
        let sequence = Sequence::new([5, 7]);
        assert_eq!(sequence.block(1 << 32 | 2), philox::block([5, 0], [2, 1, 7, 0]));
        assert_eq!(Sequence::new([0, u64::MAX]).block(9), philox::block([0, 0], [9, 0, u32::MAX, u32::MAX]));
    }

    #[test]
    fn units_lie_below_one() {
        assert_eq!((unit_f32(0), unit_f32(1 << 22), unit_f32(u32::MAX)), (0.0, 0.5, 1.0 - f32::EPSILON));
        assert_eq!(unit_f64(1 << 19, 0), 0.5);
        assert_eq!(unit_f64(u32::MAX, u32::MAX), 1.0 - f64::EPSILON);
    }

    #[test]
    fn unpredictable_numbers_differ() {
        assert_ne!(unpredictable(), unpredictable());
    }
}
