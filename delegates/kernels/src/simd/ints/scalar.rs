//! Integers in plain Rust.

use super::{Ints, MOST};
use crate::requantize::{AWAY, BIAS, Bytes, LEFT, MULTIPLIER, ROUNDING, SHIFT};
use crate::simd::Scalar;

const N: usize = 4;
const _: () = assert!(BIAS == 0);

/// Lane `i` of `lanes` times its multiplier.
///
/// # Safety
/// `block` must point to a block for `lanes` lanes, and `i < lanes`.
#[inline(always)]
pub(super) unsafe fn scale_lane(lanes: usize, i: usize, x: i32, block: *const i64) -> i32 {
    let half = lanes / 2;
    // SAFETY: all elements are within the block, as `# Safety` requires.
    unsafe {
        let word = |rows: [usize; 2]| *block.add(rows[i % 2] * half + i / 2);
        let left = *block.add(LEFT * half).cast::<i32>().add(i);
        let x = i64::from(x.wrapping_shl(left as u32));
        ((x * word(MULTIPLIER) + word(ROUNDING) - (x & word(AWAY))) >> word(SHIFT)) as i32
    }
}

/// Each lane times its multiplier. Not inlined, since each kernel would contain it a dozen times.
///
/// # Safety
/// `block` must point to a block for `N` lanes.
#[inline(never)]
unsafe fn scale(x: [i32; N], block: *const i64) -> [i32; N] {
    // SAFETY: `i < N`, and the block has `N` lanes, as `# Safety` requires.
    std::array::from_fn(|i| unsafe { scale_lane(N, i, x[i], block) })
}

/// Converts a scaled sum to a byte.
#[inline(always)]
pub(super) fn byte(x: i32, bytes: &Bytes) -> u8 {
    x.saturating_add(bytes.zero_point).max(bytes.low.into()).min(bytes.high.into()) as u8 ^ bytes.flip
}

// SAFETY: plain Rust needs no special instructions.
unsafe impl Ints for Scalar {
    type I = [i32; N];
    type B = [u8; 16];

    channels_in_memory!();

    #[inline(always)]
    fn splat_i32(self, x: i32) -> [i32; N] {
        [x; N]
    }
    #[inline(always)]
    unsafe fn load_i32(self, p: *const i32) -> [i32; N] {
        // SAFETY: `LANES` values are readable, as `Ints` requires.
        unsafe { p.cast::<[i32; N]>().read_unaligned() }
    }
    #[inline(always)]
    fn add_i32(self, a: [i32; N], b: [i32; N]) -> [i32; N] {
        std::array::from_fn(|i| a[i].wrapping_add(b[i]))
    }
    #[inline(always)]
    fn sub_i32(self, a: [i32; N], b: [i32; N]) -> [i32; N] {
        std::array::from_fn(|i| a[i].wrapping_sub(b[i]))
    }
    #[inline(always)]
    fn mul_i32(self, a: [i32; N], b: [i32; N]) -> [i32; N] {
        std::array::from_fn(|i| a[i].wrapping_mul(b[i]))
    }
    #[inline(always)]
    fn xor_i32(self, a: [i32; N], b: [i32; N]) -> [i32; N] {
        std::array::from_fn(|i| a[i] ^ b[i])
    }
    #[inline(always)]
    fn decrement_below(self, a: [i32; N], x: [i32; N], middle: i32) -> [i32; N] {
        std::array::from_fn(|i| a[i] - i32::from(x[i] < middle))
    }
    #[inline(always)]
    fn sub_below(self, a: [i32; N], b: [i32; N], x: [i32; N], middle: i32) -> [i32; N] {
        std::array::from_fn(|i| if x[i] < middle { a[i].wrapping_sub(b[i]) } else { a[i] })
    }
    #[inline(always)]
    fn clamp_i32(self, a: [i32; N], low: i32, high: i32) -> [i32; N] {
        a.map(|a| a.max(low).min(high))
    }
    #[inline(always)]
    fn shift_right(self, a: [i32; N], n: u32) -> [i32; N] {
        a.map(|a| a.wrapping_shr(n))
    }
    #[inline(always)]
    fn shift_left(self, a: [i32; N], n: u32) -> [i32; N] {
        a.map(|a| a.wrapping_shl(n))
    }
    #[inline(always)]
    fn real(self, x: [i32; N]) -> [f32; N] {
        x.map(|x| x as f32)
    }
    #[inline(always)]
    fn round_i32(self, x: [f32; N]) -> [i32; N] {
        x.map(|x| x.clamp(-MOST, MOST).round_ties_even() as i32)
    }
    #[inline(always)]
    fn nearest(self, x: [f32; N]) -> [i32; N] {
        // Without a call or a branch: the sum has no bits for a fraction.
        const WHOLE: f32 = 12_582_912.0;
        x.map(|x| ((x + WHOLE).to_bits() as i32).wrapping_sub(WHOLE.to_bits() as i32))
    }
    #[inline(always)]
    unsafe fn widen(self, p: *const u8) -> [i32; N] {
        // SAFETY: `LANES` bytes are readable, as `Ints` requires.
        unsafe { p.cast::<[u8; N]>().read_unaligned() }.map(i32::from)
    }
    #[inline(always)]
    unsafe fn requantize<const L: bool, const A: bool>(self, x: [i32; N], block: *const i64) -> [i32; N] {
        // SAFETY: the block is for `LANES` lanes, as `Ints` requires.
        unsafe { scale(x, block) }
    }
    #[inline(always)]
    unsafe fn narrow<const V: usize>(self, x: &[[i32; N]; V], bytes: &Bytes, c: *mut u8, n: usize) {
        for (i, &x) in x.as_flattened()[..n].iter().enumerate() {
            // SAFETY: `n` bytes are writable, as `Ints` requires.
            unsafe { *c.add(i) = byte(x, bytes) };
        }
    }
    #[inline(always)]
    unsafe fn load_runs<const P: usize>(self, p: *const u8, step: usize, n: usize) -> [u8; 16] {
        let mut b = [0; 16];
        for (i, run) in b.chunks_exact_mut(16 / P).enumerate() {
            // SAFETY: at most `n` bytes of each run are read, which are readable, as `Ints` requires.
            unsafe { core::ptr::copy_nonoverlapping(p.add(i * step), run.as_mut_ptr(), n.min(16 / P)) };
        }
        b
    }
    #[inline(always)]
    unsafe fn store_runs<const P: usize>(self, p: *mut u8, step: usize, n: usize, count: usize, b: [u8; 16]) {
        for (i, run) in b.chunks_exact(16 / P).enumerate().take(count) {
            // SAFETY: at most `n` bytes of `count` runs are written, which are writable, as `Ints` requires.
            unsafe { core::ptr::copy_nonoverlapping(run.as_ptr(), p.add(i * step), n.min(16 / P)) };
        }
    }
    #[inline(always)]
    unsafe fn store_bytes(self, p: *mut u8, b: [u8; 16]) {
        // SAFETY: `4 · LANES` bytes are writable, as `Ints` requires.
        unsafe { p.cast::<[u8; 16]>().write_unaligned(b) };
    }
    #[inline(always)]
    fn largest_bytes(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        std::array::from_fn(|i| a[i].max(b[i]))
    }
    #[inline(always)]
    fn clamp_bytes(self, b: [u8; 16], low: u8, high: u8) -> [u8; 16] {
        b.map(|b| b.max(low).min(high))
    }
    #[inline(always)]
    fn flip_bytes(self, b: [u8; 16]) -> [u8; 16] {
        b.map(|b| b ^ 0x80)
    }
    #[inline(always)]
    fn interleave(self, rows: [[u8; 16]; 4]) -> [[u8; 16]; 4] {
        std::array::from_fn(|q| std::array::from_fn(|i| rows[i % 4][4 * q + i / 4]))
    }
    #[inline(always)]
    fn narrow_interleaved(self, x: [[i32; N]; 4], bytes: &Bytes) -> [u8; 16] {
        std::array::from_fn(|i| byte(x[i / 4][i % 4], bytes))
    }
}
