//! Vectors of `i32`, with as many lanes as vectors of `f32`, and their conversion from and to bytes.

/// Blocks of channels stay in memory, for instruction sets with few or short registers.
macro_rules! channels_in_memory {
    () => {
        type Channels = crate::simd::ints::MemoryBlock;

        #[inline(always)]
        unsafe fn channels(self, block: *const i64) -> Self::Channels {
            crate::simd::ints::MemoryBlock(block)
        }
        #[inline(always)]
        fn add_bias(self, x: Self::I, block: Self::Channels) -> Self::I {
            // SAFETY: the block is still valid, as `channels` requires; its first row has the biases.
            self.add_i32(x, unsafe { self.load_i32(block.0.add(crate::requantize::BIAS).cast()) })
        }
        #[inline(always)]
        fn scale_by<const L: bool, const A: bool>(self, x: Self::I, block: Self::Channels) -> Self::I {
            // SAFETY: `self` proves that the machine has the instructions; the block is still valid, as `channels`
            // requires.
            unsafe { self.requantize::<L, A>(x, block.0) }
        }
    };
}

/// A block that is read from memory. It must stay valid while the value is used.
#[derive(Clone, Copy)]
pub struct MemoryBlock(*const i64);

/// Where rows of bytes are written.
#[derive(Clone, Copy)]
pub struct ByteRows {
    /// The first row.
    pub first: *mut u8,
    /// The distance between rows, in bytes.
    pub step: usize,
    /// The number of bytes of a row.
    pub columns: usize,
}

impl ByteRows {
    /// The address of row `r`.
    #[inline(always)]
    fn row(&self, r: usize) -> *mut u8 {
        self.first.wrapping_add(r * self.step)
    }
}

mod scalar;

#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", feature = "avx512"))]
mod avx512;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod neon;

use super::Simd;
use crate::requantize::{Bytes, Channels};

const _: () = assert!(crate::requantize::BIAS == 0);

/// The limit that reals are clamped to before they become integers.
const MOST: f32 = 1_073_741_824.0;

/// Arithmetic on vectors of `i32`, which wraps.
///
/// # Safety
/// A value of the type may only exist if the machine has the instructions.
pub unsafe trait Ints: Simd {
    /// A vector of `i32`.
    type I: Copy;
    /// A block of channels, partly in registers if that is worthwhile.
    type Channels: Copy;
    /// A vector of `4 · LANES` bytes. A quarter below means a quarter of each 16 bytes.
    type B: Copy;
    /// Vectors that [`narrow_rows`](Self::narrow_rows) narrows together.
    const NARROWED: usize = 1;
    /// Whether [`convert_rows`](Self::convert_rows) takes rows that end within a vector.
    const CONVERTS_PARTS: bool = false;

    /// A vector with `x` in all lanes.
    fn splat_i32(self, x: i32) -> Self::I;
    /// Loads a vector.
    ///
    /// # Safety
    /// `LANES` values must be readable.
    unsafe fn load_i32(self, p: *const i32) -> Self::I;
    /// `a + b`.
    fn add_i32(self, a: Self::I, b: Self::I) -> Self::I;
    /// `a − b`.
    fn sub_i32(self, a: Self::I, b: Self::I) -> Self::I;
    /// `a · b`.
    fn mul_i32(self, a: Self::I, b: Self::I) -> Self::I;
    /// `a ^ b`.
    fn xor_i32(self, a: Self::I, b: Self::I) -> Self::I;
    /// `a − 1` in lanes where `x` is below `middle`, else `a`.
    fn decrement_below(self, a: Self::I, x: Self::I, middle: i32) -> Self::I;
    /// `a − b` in lanes where `x` is below `middle`, else `a`.
    fn sub_below(self, a: Self::I, b: Self::I, x: Self::I, middle: i32) -> Self::I;
    /// `min(max(a, low), high)`.
    fn clamp_i32(self, a: Self::I, low: i32, high: i32) -> Self::I;
    /// `a · 2^n`.
    fn shift_left(self, a: Self::I, n: u32) -> Self::I;
    /// `⌊a / 2^n⌋`, for `n < 32`.
    fn shift_right(self, a: Self::I, n: u32) -> Self::I;
    /// Converts lanes to `f32`.
    fn real(self, x: Self::I) -> Self::V;
    /// Rounds `x` to the nearest integer, ties to even. Clamps to ±2³⁰; NaN becomes 0.
    fn round_i32(self, x: Self::V) -> Self::I;
    /// Rounds `x` to the nearest integer. Numbers beyond ±2²² and NaN give any integer.
    fn nearest(self, x: Self::V) -> Self::I;
    /// Rounds like [`round_i32`](Self::round_i32); numbers beyond 16 bits may become any others beyond that are as
    /// negative or positive.
    #[inline(always)]
    fn round_words(self, x: Self::V) -> Self::I {
        self.round_i32(x)
    }
    /// Rounds each vector like [`round_words`](Self::round_words).
    #[inline(always)]
    fn round_four(self, x: [Self::V; 4]) -> [Self::I; 4] {
        x.map(|x| self.round_words(x))
    }
    /// Loads bytes and extends them to 32 bits.
    ///
    /// # Safety
    /// `LANES` bytes must be readable.
    unsafe fn widen(self, p: *const u8) -> Self::I;

    /// Loads signed bytes and extends them to 32 bits.
    ///
    /// # Safety
    /// `LANES` bytes must be readable.
    #[inline(always)]
    unsafe fn widen_signed(self, p: *const u8) -> Self::I {
        // SAFETY: `LANES` bytes are readable, as `# Safety` requires.
        let bytes = unsafe { self.widen(p) };
        self.sub_i32(self.xor_i32(bytes, self.splat_i32(0x80)), self.splat_i32(0x80))
    }

    /// Prepares a block of channels.
    ///
    /// # Safety
    /// `block` must point to a block for `LANES` lanes that stays valid while the result is used.
    unsafe fn channels(self, block: *const i64) -> Self::Channels;
    /// Adds the biases.
    fn add_bias(self, x: Self::I, channels: Self::Channels) -> Self::I;
    /// Multiplies with the multipliers and rounds. `L` must be true if a channel shifts to the left, `A` if one rounds
    /// away from zero.
    fn scale_by<const L: bool, const A: bool>(self, x: Self::I, channels: Self::Channels) -> Self::I;
    /// Like [`scale_by`](Self::scale_by) without left shifts, if all channels shift to the right by 32 or more.
    #[inline(always)]
    fn scale_upper<const A: bool>(self, x: Self::I, channels: Self::Channels) -> Self::I {
        self.scale_by::<false, A>(x, channels)
    }
    /// Like [`scale_by`](Self::scale_by), for a block that is used once.
    ///
    /// # Safety
    /// `block` must point to a block for `LANES` lanes.
    unsafe fn requantize<const L: bool, const A: bool>(self, x: Self::I, block: *const i64) -> Self::I;

    /// Writes `clamp(x + zero point) ^ flip` for the first `n` lanes of `V` vectors. Sums saturate.
    ///
    /// # Safety
    /// `n ≤ V · LANES` bytes must be writable.
    unsafe fn narrow<const V: usize>(self, x: &[Self::I; V], bytes: &Bytes, c: *mut u8, n: usize);

    /// Like [`narrow`](Self::narrow), for `rows` rows of `V` vectors: at most [`NARROWED`](Self::NARROWED) vectors, or
    /// one row. Rows are `step` bytes apart.
    ///
    /// # Safety
    /// `n ≤ V · LANES` bytes of each row must be writable.
    #[inline(always)]
    unsafe fn narrow_rows<const V: usize>(
        self,
        x: [Self::I; 4],
        bytes: &Bytes,
        c: *mut u8,
        step: usize,
        n: usize,
        rows: usize,
    ) {
        const { assert!(Self::NARROWED == 1, "a row at a time") };
        _ = (step, rows);
        // SAFETY: the row's `n` bytes are writable, as `# Safety` requires.
        unsafe { self.narrow::<V>(&core::array::from_fn(|v| x[v]), bytes, c, n) };
    }

    /// Converts sums of `V` vectors to bytes: multiplies, rounds, and writes the first `n` bytes of `clamp(x + zero
    /// point) ^ flip`. Biases have been added.
    ///
    /// # Safety
    /// `n` must be `V · LANES`, or less if [`CONVERTS_PARTS`](Self::CONVERTS_PARTS) says so. There must be a block for
    /// each vector, whose channels all round up and shift to the right by 32 or more, and `n` bytes must be writable.
    #[inline(always)]
    unsafe fn convert_row<const V: usize>(
        self,
        sums: &[Self::I; V],
        blocks: *const i64,
        bytes: &Bytes,
        (c, n): (*mut u8, usize),
    ) {
        let mut x = *sums;
        let n = if Self::CONVERTS_PARTS { n } else { V * Self::LANES };
        // SAFETY: there is a block for each vector, and `n` bytes are writable.
        unsafe {
            for (v, x) in x.iter_mut().enumerate() {
                *x = self
                    .scale_upper::<false>(*x, self.channels(blocks.add(v * Channels::stride(Self::LANES))));
            }
            self.narrow::<V>(&x, bytes, c, n);
        }
    }
    /// Like [`convert_row`](Self::convert_row), for `R` rows. Four vectors may be converted together.
    ///
    /// # Safety
    /// As for `convert_row`, of each row.
    #[inline(always)]
    unsafe fn convert_rows<const R: usize, const V: usize>(
        self,
        sums: &[[Self::I; V]; R],
        blocks: *const i64,
        bytes: &Bytes,
        to: ByteRows,
    ) {
        for (r, row) in sums.iter().enumerate() {
            // SAFETY: all is as `# Safety` requires.
            unsafe { self.convert_row(row, blocks, bytes, (to.row(r), to.columns)) };
        }
    }

    /// Loads `P` runs of `4 · LANES / P` bytes. The first `n` bytes of each run are loaded, the others are unspecified.
    ///
    /// # Safety
    /// `n` bytes must be readable at `p`, `p + step`, ….
    unsafe fn load_runs<const P: usize>(self, p: *const u8, step: usize, n: usize) -> Self::B;
    /// Writes the first `n` bytes of the first `count` of `P` runs.
    ///
    /// # Safety
    /// `n` bytes must be writable at `p`, `p + step`, ….
    unsafe fn store_runs<const P: usize>(self, p: *mut u8, step: usize, n: usize, count: usize, b: Self::B);
    /// Writes all bytes.
    ///
    /// # Safety
    /// `4 · LANES` bytes must be writable.
    unsafe fn store_bytes(self, p: *mut u8, b: Self::B);
    /// The larger byte in each place.
    fn largest_bytes(self, a: Self::B, b: Self::B) -> Self::B;
    /// `min(max(b, low), high)`.
    fn clamp_bytes(self, b: Self::B, low: u8, high: u8) -> Self::B;
    /// `b ^ 0x80`, which subtracts 128 and makes the bytes signed.
    fn flip_bytes(self, b: Self::B) -> Self::B;
    /// Interleaves bytes: each quarter of result `q` has bytes `4q‥4q + 3` of the same quarter of all four operands.
    fn interleave(self, rows: [Self::B; 4]) -> [Self::B; 4];
    /// `clamp(x + zero point) ^ flip` for lanes in the order of [`interleave`](Self::interleave)'s results. The result
    /// is in the order of its operands' bytes.
    fn narrow_interleaved(self, x: [Self::I; 4], bytes: &Bytes) -> Self::B;
    /// `clamp(x + zero point) ^ flip` for the lanes of four vectors, one after the other.
    #[inline(always)]
    fn narrow_four(self, x: [Self::I; 4], bytes: &Bytes) -> Self::B {
        const { assert!(Self::LANES == 4, "only vectors of one quarter are in order") };
        self.narrow_interleaved(x, bytes)
    }
    /// `clamp(round(x) + zero point) ^ flip` for the lanes of four vectors, one after the other; ties to even. NaN
    /// becomes 0 before the zero point is added.
    #[inline(always)]
    fn round_bytes(self, x: [Self::V; 4], bytes: &Bytes) -> Self::B {
        self.narrow_four(self.round_four(x), bytes)
    }
    /// Reorders lanes from the order of [`interleave`](Self::interleave)'s results to the order of its operands' bytes:
    /// the first `LANES` bytes in the first vector, and so on.
    #[inline(always)]
    fn in_order(self, x: [Self::V; 4]) -> [Self::V; 4] {
        const { assert!(Self::LANES == 4, "only vectors of one quarter are in order") };
        x
    }
}

/// The byte that lane `d` of vector `q` of interleaved vectors comes from.
pub const fn interleaved(q: usize, d: usize) -> usize {
    16 * (d / 4) + 4 * q + d % 4
}
