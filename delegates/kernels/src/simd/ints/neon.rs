//! Integers with NEON: four lanes.

use core::arch::aarch64::*;

use super::{Ints, MOST};
use crate::requantize::{AWAY, Bytes, LEFT, MULTIPLIER, ROUNDING, SHIFT};
use crate::simd::Neon;

const N: usize = 4;

/// Row `row` of a block.
///
/// # Safety
/// `block` must point to a block for four lanes.
#[inline(always)]
unsafe fn row(block: *const i64, row: usize) -> int64x2_t {
    // SAFETY: the block has this row for four lanes, as `# Safety` requires.
    unsafe { vld1q_s64(block.add(row * N / 2)) }
}

/// The lanes of `x` times their multipliers. `I` is 0 for even lanes, 1 for odd ones.
///
/// # Safety
/// `block` must point to a block for four lanes.
#[inline(always)]
unsafe fn half<const A: bool, const I: usize>(x: int32x2_t, block: *const i64) -> int32x4_t {
    // SAFETY: the block has all rows, as `# Safety` requires; all else is in registers.
    unsafe {
        let product = vmull_s32(x, vmovn_s64(row(block, MULTIPLIER[I])));
        let mut rounded = vaddq_s64(product, row(block, ROUNDING[I]));
        if A {
            rounded = vsubq_s64(rounded, vandq_s64(vmovl_s32(x), row(block, AWAY[I])));
        }
        vreinterpretq_s32_s64(vshlq_s64(rounded, vnegq_s64(row(block, SHIFT[I]))))
    }
}

/// `clamp(x + zero point) ^ flip` for eight lanes. Words saturate, which does not matter for results within the limits
/// of a byte.
#[target_feature(enable = "neon")]
#[inline]
fn eight(low: int32x4_t, high: int32x4_t, bytes: &Bytes) -> uint8x8_t {
    let words = vqmovn_high_s32(vqmovn_s32(low), high);
    let words = vqaddq_s16(words, vdupq_n_s16(bytes.zero_point as i16));
    let clamped = vmin_u8(vmax_u8(vqmovun_s16(words), vdup_n_u8(bytes.low)), vdup_n_u8(bytes.high));
    veor_u8(clamped, vdup_n_u8(bytes.flip))
}

/// Loads the first `n ≤ 8` bytes; the others are zero.
///
/// # Safety
/// `n` bytes must be readable.
#[inline(always)]
unsafe fn load_eight(p: *const u8, n: usize) -> u64 {
    // SAFETY: two overlapping reads of equal width cover exactly the `n` bytes, which are readable, as `# Safety`
    // requires.
    unsafe {
        let pair = |low: u64, high: u64, width: usize| low | high << (8 * (n - width));
        match n {
            8.. => p.cast::<u64>().read_unaligned(),
            4.. => {
                let at = |i| u64::from(p.wrapping_add(i).cast::<u32>().read_unaligned());
                pair(at(0), at(n - 4), 4)
            }
            2.. => {
                let at = |i| u64::from(p.wrapping_add(i).cast::<u16>().read_unaligned());
                pair(at(0), at(n - 2), 2)
            }
            1 => (*p).into(),
            0 => 0,
        }
    }
}

/// Writes the first `n ≤ 8` bytes.
///
/// # Safety
/// `n` bytes must be writable.
#[inline(always)]
unsafe fn store_eight(p: *mut u8, n: usize, bytes: u64) {
    // SAFETY: two overlapping writes of equal width cover exactly the `n` bytes, which are writable, as `# Safety`
    // requires.
    unsafe {
        match n {
            8.. => p.cast::<u64>().write_unaligned(bytes),
            4.. => {
                p.cast::<u32>().write_unaligned(bytes as u32);
                p.add(n - 4).cast::<u32>().write_unaligned((bytes >> (8 * (n - 4))) as u32);
            }
            2.. => {
                p.cast::<u16>().write_unaligned(bytes as u16);
                p.add(n - 2).cast::<u16>().write_unaligned((bytes >> (8 * (n - 2))) as u16);
            }
            1 => *p = bytes as u8,
            0 => {}
        }
    }
}

// SAFETY: `Neon` proves that the machine has the instructions.
unsafe impl Ints for Neon {
    type I = int32x4_t;
    type B = uint8x16_t;

    channels_in_memory!();

    in_registers! {
        "neon"
        fn splat_i32(x: i32) -> int32x4_t { vdupq_n_s32(x) }
    }
    #[inline(always)]
    unsafe fn load_i32(self, p: *const i32) -> int32x4_t {
        // SAFETY: `self` proves that the machine has the instructions; `LANES` values are readable, as `Ints` requires.
        unsafe { vld1q_s32(p) }
    }
    in_registers! {
        "neon"
        fn add_i32(a: int32x4_t, b: int32x4_t) -> int32x4_t { vaddq_s32(a, b) }
        fn sub_i32(a: int32x4_t, b: int32x4_t) -> int32x4_t { vsubq_s32(a, b) }
        fn mul_i32(a: int32x4_t, b: int32x4_t) -> int32x4_t { vmulq_s32(a, b) }
        fn xor_i32(a: int32x4_t, b: int32x4_t) -> int32x4_t { veorq_s32(a, b) }
        fn decrement_below(a: int32x4_t, x: int32x4_t, middle: i32) -> int32x4_t {
            // The comparison yields −1 where it is true.
            vaddq_s32(a, vreinterpretq_s32_u32(vcltq_s32(x, vdupq_n_s32(middle))))
        }
        fn sub_below(a: int32x4_t, b: int32x4_t, x: int32x4_t, middle: i32) -> int32x4_t {
            let below = vreinterpretq_s32_u32(vcltq_s32(x, vdupq_n_s32(middle)));
            vsubq_s32(a, vandq_s32(b, below))
        }
        fn clamp_i32(a: int32x4_t, low: i32, high: i32) -> int32x4_t {
            vminq_s32(vmaxq_s32(a, vdupq_n_s32(low)), vdupq_n_s32(high))
        }
        fn shift_right(a: int32x4_t, n: u32) -> int32x4_t {
            // A left shift by a negative number shifts to the right.
            vshlq_s32(a, vdupq_n_s32(-(n as i32)))
        }
        fn shift_left(a: int32x4_t, n: u32) -> int32x4_t { vshlq_s32(a, vdupq_n_s32(n as i32)) }
        fn real(x: int32x4_t) -> float32x4_t { vcvtq_f32_s32(x) }
        fn nearest(x: float32x4_t) -> int32x4_t { vcvtnq_s32_f32(x) }
        fn round_i32(x: float32x4_t) -> int32x4_t {
            // NaN is not changed here; its conversion yields 0.
            vcvtnq_s32_f32(vminq_f32(vmaxq_f32(x, vdupq_n_f32(-MOST)), vdupq_n_f32(MOST)))
        }
    }
    #[inline(always)]
    unsafe fn widen(self, p: *const u8) -> int32x4_t {
        // SAFETY: `self` proves that the machine has the instructions; `LANES` bytes are readable, as `Ints` requires.
        unsafe {
            let four = vcreate_u8(p.cast::<u32>().read_unaligned().into());
            vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(four))))
        }
    }
    #[inline(always)]
    unsafe fn requantize<const L: bool, const A: bool>(self, x: int32x4_t, block: *const i64) -> int32x4_t {
        // SAFETY: `self` proves that the machine has the instructions; the block is for `LANES` lanes, as `Ints`
        // requires.
        unsafe {
            let x = if L { vshlq_s32(x, vld1q_s32(block.add(LEFT * N / 2).cast())) } else { x };
            let even = half::<A, 0>(vget_low_s32(vuzp1q_s32(x, x)), block);
            let odd = half::<A, 1>(vget_low_s32(vuzp2q_s32(x, x)), block);
            vtrn1q_s32(even, odd)
        }
    }
    #[inline(always)]
    unsafe fn narrow<const V: usize>(self, x: &[int32x4_t; V], bytes: &Bytes, c: *mut u8, n: usize) {
        // SAFETY: `self` proves that the machine has the instructions; the `n` bytes that are written are writable, as
        // `Ints` requires.
        unsafe {
            for v in (0..V).step_by(2) {
                let all = eight(x[v], x[(v + 1).min(V - 1)], bytes);
                let from = v * N;
                if from + 8 <= n {
                    vst1_u8(c.add(from), all);
                } else if from < n {
                    store_eight(c.add(from), n - from, vget_lane_u64::<0>(vreinterpret_u64_u8(all)));
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn load_runs<const P: usize>(self, p: *const u8, step: usize, n: usize) -> uint8x16_t {
        const { assert!(P == 1) };
        let _ = step;
        // SAFETY: `self` proves that the machine has the instructions; at most `n` bytes of each run are read, which
        // are readable, as `Ints` requires.
        unsafe {
            if n >= 16 {
                return vld1q_u8(p);
            }
            let low = load_eight(p, n.min(8));
            let high = load_eight(p.wrapping_add(8), n.saturating_sub(8));
            vcombine_u8(vcreate_u8(low), vcreate_u8(high))
        }
    }
    #[inline(always)]
    unsafe fn store_runs<const P: usize>(
        self,
        p: *mut u8,
        step: usize,
        n: usize,
        count: usize,
        b: uint8x16_t,
    ) {
        const { assert!(P == 1) };
        let _ = step;
        // SAFETY: `self` proves that the machine has the instructions; at most `n` bytes of `count` runs are written,
        // which are writable, as `Ints` requires.
        unsafe {
            if count == 0 {
                return;
            }
            if n >= 16 {
                return vst1q_u8(p, b);
            }
            let halves = vreinterpretq_u64_u8(b);
            store_eight(p, n.min(8), vgetq_lane_u64::<0>(halves));
            store_eight(p.wrapping_add(8), n.saturating_sub(8), vgetq_lane_u64::<1>(halves));
        }
    }
    #[inline(always)]
    unsafe fn store_bytes(self, p: *mut u8, b: uint8x16_t) {
        // SAFETY: `self` proves that the machine has the instructions; `4 · LANES` bytes are writable, as `Ints`
        // requires.
        unsafe { vst1q_u8(p, b) }
    }
    in_registers! {
        "neon"
        fn largest_bytes(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vmaxq_u8(a, b) }
        fn clamp_bytes(b: uint8x16_t, low: u8, high: u8) -> uint8x16_t {
            vminq_u8(vmaxq_u8(b, vdupq_n_u8(low)), vdupq_n_u8(high))
        }
        fn flip_bytes(b: uint8x16_t) -> uint8x16_t { veorq_u8(b, vdupq_n_u8(128)) }
        fn interleave(r: [uint8x16_t; 4]) -> [uint8x16_t; 4] {
            let words = |a, b| [vreinterpretq_u16_u8(vzip1q_u8(a, b)), vreinterpretq_u16_u8(vzip2q_u8(a, b))];
            let (first, last) = (words(r[0], r[1]), words(r[2], r[3]));
            let low = [0, 1].map(|i| vreinterpretq_u8_u16(vzip1q_u16(first[i], last[i])));
            let high = [0, 1].map(|i| vreinterpretq_u8_u16(vzip2q_u16(first[i], last[i])));
            [low[0], high[0], low[1], high[1]]
        }
        fn narrow_interleaved(x: [int32x4_t; 4], bytes: &Bytes) -> uint8x16_t {
            vcombine_u8(eight(x[0], x[1], bytes), eight(x[2], x[3], bytes))
        }
    }
}
