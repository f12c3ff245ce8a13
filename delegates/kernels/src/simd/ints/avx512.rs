//! Integers with AVX-512: sixteen lanes.

// The index is constant once loops over rows are unrolled, so that results stay in registers.
#![allow(clippy::needless_range_loop)]

use core::arch::x86_64::*;

use super::{ByteRows, Ints, MOST};
use crate::requantize::{self, AWAY, BIAS, Bytes, FAR, LEFT, MULTIPLIER, ROUNDING, SHIFT};
use crate::simd::Avx512;

/// Row `row` of a block.
///
/// # Safety
/// The machine must have the instructions, and `block` must point to a block for sixteen lanes.
#[inline(always)]
unsafe fn row(block: *const i64, row: usize) -> __m512i {
    // SAFETY: the block has this row for sixteen lanes, as `# Safety` requires.
    unsafe { _mm512_loadu_si512(block.add(8 * row).cast()) }
}

/// A block of channels. The compiler loads the rows that are used.
#[derive(Clone, Copy)]
pub struct Channels {
    bias: __m512i,
    multiplier: [__m512i; 2],
    rounding: [__m512i; 2],
    shift: [__m512i; 2],
    /// The shifts of upper halves, if all shifts are by 32 or more.
    far: __m512i,
    is_far: bool,
    block: *const i64,
}

/// The low halves of the 64-bit lanes of `x` times their multipliers, rounded. `I` is 0 for even lanes, 1 for odd ones.
///
/// # Safety
/// The machine must have the instructions, and the block must be valid.
#[inline(always)]
unsafe fn rounded<const A: bool, const I: usize>(x: __m512i, channels: Channels) -> __m512i {
    // SAFETY: the block has all rows, as `# Safety` requires; all else is in registers.
    unsafe {
        let rounded = _mm512_add_epi64(_mm512_mul_epi32(x, channels.multiplier[I]), channels.rounding[I]);
        if !A {
            return rounded;
        }
        _mm512_sub_epi64(rounded, _mm512_and_si512(x, row(channels.block, AWAY[I])))
    }
}

/// Rounds products and shifts them by 32 or more. The results of odd lanes stay in the upper halves.
///
/// # Safety
/// The machine must have the instructions.
#[inline(always)]
unsafe fn shifted(even: __m512i, odd: __m512i, channels: Channels) -> __m512i {
    // SAFETY: the instructions access only registers, and the machine has them, as `# Safety` requires.
    unsafe { _mm512_mask_srav_epi32(_mm512_srav_epi64(even, channels.shift[0]), 0xAAAA, odd, channels.far) }
}

impl Avx512 {
    in_registers! {
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
        fn quarters() -> __m512i { _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15) }
    }
}

/// The mask of the first `n` of 64 bytes.
#[inline(always)]
fn first(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

// SAFETY: `Avx512` proves that the machine has the instructions.
unsafe impl Ints for Avx512 {
    type I = __m512i;
    type Channels = Channels;
    type B = __m512i;
    const NARROWED: usize = 4;
    const CONVERTS_PARTS: bool = true;

    in_registers! {
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
        fn splat_i32(x: i32) -> __m512i { _mm512_set1_epi32(x) }
    }
    #[inline(always)]
    unsafe fn load_i32(self, p: *const i32) -> __m512i {
        // SAFETY: `self` proves that the machine has the instructions; `LANES` values are readable, as `Ints` requires.
        unsafe { _mm512_loadu_si512(p.cast()) }
    }
    in_registers! {
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
        fn add_i32(a: __m512i, b: __m512i) -> __m512i { _mm512_add_epi32(a, b) }
        fn sub_i32(a: __m512i, b: __m512i) -> __m512i { _mm512_sub_epi32(a, b) }
        fn mul_i32(a: __m512i, b: __m512i) -> __m512i { _mm512_mullo_epi32(a, b) }
        fn xor_i32(a: __m512i, b: __m512i) -> __m512i { _mm512_xor_si512(a, b) }
        fn decrement_below(a: __m512i, x: __m512i, middle: i32) -> __m512i {
            let below = _mm512_cmplt_epi32_mask(x, _mm512_set1_epi32(middle));
            _mm512_mask_sub_epi32(a, below, a, _mm512_set1_epi32(1))
        }
        fn sub_below(a: __m512i, b: __m512i, x: __m512i, middle: i32) -> __m512i {
            let below = _mm512_cmplt_epi32_mask(x, _mm512_set1_epi32(middle));
            _mm512_mask_sub_epi32(a, below, a, b)
        }
        fn clamp_i32(a: __m512i, low: i32, high: i32) -> __m512i {
            _mm512_min_epi32(_mm512_max_epi32(a, _mm512_set1_epi32(low)), _mm512_set1_epi32(high))
        }
        fn shift_right(a: __m512i, n: u32) -> __m512i { _mm512_sra_epi32(a, _mm_cvtsi32_si128(n as i32)) }
        fn shift_left(a: __m512i, n: u32) -> __m512i { _mm512_sll_epi32(a, _mm_cvtsi32_si128(n as i32)) }
        fn real(x: __m512i) -> __m512 { _mm512_cvtepi32_ps(x) }
        fn round_words(x: __m512) -> __m512i {
            // Numbers that are too negative become the most negative one.
            let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
            _mm512_maskz_cvtps_epi32(number, _mm512_min_ps(x, _mm512_set1_ps(MOST)))
        }
        fn nearest(x: __m512) -> __m512i { _mm512_cvtps_epi32(x) }
        fn round_i32(x: __m512) -> __m512i {
            let number = _mm512_cmp_ps_mask::<_CMP_ORD_Q>(x, x);
            let x = _mm512_min_ps(_mm512_max_ps(x, _mm512_set1_ps(-MOST)), _mm512_set1_ps(MOST));
            _mm512_maskz_cvtps_epi32(number, x)
        }
    }
    #[inline(always)]
    unsafe fn widen(self, p: *const u8) -> __m512i {
        // SAFETY: `self` proves that the machine has the instructions; `LANES` bytes are readable, as `Ints` requires.
        unsafe { _mm512_cvtepu8_epi32(_mm_loadu_si128(p.cast())) }
    }
    #[inline(always)]
    unsafe fn widen_signed(self, p: *const u8) -> __m512i {
        // SAFETY: `self` proves that the machine has the instructions; `LANES` bytes are readable, as `Ints` requires.
        unsafe { _mm512_cvtepi8_epi32(_mm_loadu_si128(p.cast())) }
    }
    #[inline(always)]
    unsafe fn channels(self, block: *const i64) -> Channels {
        // SAFETY: `self` proves that the machine has the instructions; the block has all rows for `LANES` lanes, as
        // `Ints` requires.
        unsafe {
            Channels {
                bias: row(block, BIAS),
                multiplier: [row(block, MULTIPLIER[0]), row(block, MULTIPLIER[1])],
                rounding: [row(block, ROUNDING[0]), row(block, ROUNDING[1])],
                shift: [row(block, SHIFT[0]), row(block, SHIFT[1])],
                far: row(block, FAR),
                is_far: *block.add(8 * FAR) >= 0,
                block,
            }
        }
    }
    #[inline(always)]
    fn add_bias(self, x: __m512i, channels: Channels) -> __m512i {
        self.add_i32(x, channels.bias)
    }
    #[inline(always)]
    fn scale_by<const L: bool, const A: bool>(self, x: __m512i, channels: Channels) -> __m512i {
        // SAFETY: `self` proves that the machine has the instructions; the block is still valid, as `channels`
        // requires.
        unsafe {
            let x = if L { _mm512_sllv_epi32(x, row(channels.block, LEFT)) } else { x };
            let high = _mm512_castps_si512(_mm512_movehdup_ps(_mm512_castsi512_ps(x)));
            let (even, odd) = (rounded::<A, 0>(x, channels), rounded::<A, 1>(high, channels));
            if !L && channels.is_far {
                return shifted(even, odd, channels);
            }
            let even = _mm512_castsi512_ps(_mm512_srav_epi64(even, channels.shift[0]));
            let odd = _mm512_castsi512_ps(_mm512_srav_epi64(odd, channels.shift[1]));
            _mm512_castps_si512(_mm512_mask_moveldup_ps(even, 0xAAAA, odd))
        }
    }
    #[inline(always)]
    fn scale_upper<const A: bool>(self, x: __m512i, channels: Channels) -> __m512i {
        // SAFETY: `self` proves that the machine has the instructions; the block is still valid, as `channels`
        // requires.
        unsafe {
            let high = _mm512_srli_epi64::<32>(x);
            shifted(rounded::<A, 0>(x, channels), rounded::<A, 1>(high, channels), channels)
        }
    }
    #[inline(always)]
    unsafe fn requantize<const L: bool, const A: bool>(self, x: __m512i, block: *const i64) -> __m512i {
        // SAFETY: `self` proves that the machine has the instructions; the block is for `LANES` lanes, as `Ints`
        // requires.
        self.scale_by::<L, A>(x, unsafe { self.channels(block) })
    }
    #[inline(always)]
    unsafe fn narrow<const V: usize>(self, x: &[__m512i; V], bytes: &Bytes, c: *mut u8, n: usize) {
        const { assert!(V == 1 || V == 2) };
        // SAFETY: `self` proves that the machine has the instructions; the `n` bytes that are written are writable, as
        // `Ints` requires.
        unsafe {
            // Packing interleaves the quarters of its operands: the result has bytes 0‥3 of each, then 4‥7 of each, and
            // so on.
            let words = _mm512_packs_epi32(x[0], x[V - 1]);
            let words = _mm512_adds_epi16(words, _mm512_set1_epi16(bytes.zero_point as i16));
            let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 0, 4, 8, 12, 1, 5, 9, 13);
            let all = _mm512_permutexvar_epi32(order, _mm512_packus_epi16(words, words));
            let low = _mm256_set1_epi8(bytes.low as i8);
            let high = _mm256_set1_epi8(bytes.high as i8);
            let all = _mm256_min_epu8(_mm256_max_epu8(_mm512_castsi512_si256(all), low), high);
            let all = _mm256_xor_si256(all, _mm256_set1_epi8(bytes.flip as i8));
            if n == 32 {
                _mm256_storeu_si256(c.cast(), all);
            } else {
                _mm256_mask_storeu_epi8(c.cast(), ((1u64 << n) - 1) as u32, all);
            }
        }
    }
    #[inline(always)]
    unsafe fn narrow_rows<const V: usize>(
        self,
        x: [__m512i; 4],
        bytes: &Bytes,
        c: *mut u8,
        step: usize,
        n: usize,
        rows: usize,
    ) {
        const { assert!(V == 1 || V == 2) };
        let all = self.narrow_four(x, bytes);
        // SAFETY: the `n` bytes of each row are writable, as `Ints` requires; whole rows without gaps are all bytes.
        unsafe {
            match V {
                _ if step == n && n == 16 * V && rows == 4 / V => self.store_bytes(c, all),
                1 => self.store_runs::<4>(c, step, n, rows, all),
                _ => self.store_runs::<2>(c, step, n, rows, all),
            }
        }
    }
    #[inline(always)]
    unsafe fn convert_rows<const R: usize, const V: usize>(
        self,
        sums: &[[__m512i; V]; R],
        blocks: *const i64,
        bytes: &Bytes,
        to: ByteRows,
    ) {
        const { assert!(V == 1 || V == 2) };
        let mut x = *sums;
        // SAFETY: `self` proves that the machine has the instructions; there are `V` blocks, and `n` bytes of each row
        // are writable, as `Ints` requires.
        unsafe {
            for v in 0..V {
                let channels = self.channels(blocks.add(v * requantize::Channels::stride(16)));
                for r in 0..R {
                    x[r][v] = self.scale_upper::<false>(sums[r][v], channels);
                }
            }
            if R == 1 {
                return self.narrow::<V>(&x[0], bytes, to.first, to.columns);
            }
            let is_whole = to.columns == 16 * V && to.step == to.columns;
            for r in (0..R).step_by(4 / V) {
                let rows = (R - r).min(4 / V);
                let four = core::array::from_fn(|i| x[(r + i / V).min(R - 1)][i % V]);
                let all = self.narrow_four(four, bytes);
                match V {
                    _ if is_whole && rows == 4 / V => self.store_bytes(to.row(r), all),
                    1 => self.store_runs::<4>(to.row(r), to.step, to.columns, rows, all),
                    _ => self.store_runs::<2>(to.row(r), to.step, to.columns, rows, all),
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn load_runs<const P: usize>(self, p: *const u8, step: usize, n: usize) -> __m512i {
        const { assert!(P == 1 || P == 2 || P == 4) };
        // SAFETY: `self` proves that the machine has the instructions; at most `n` bytes of each run are read, which
        // are readable, as `Ints` requires.
        unsafe {
            match P {
                1 => _mm512_maskz_loadu_epi8(first(n), p.cast()),
                2 => {
                    let mask = first(n) as u32;
                    let low = _mm256_maskz_loadu_epi8(mask, p.cast());
                    let high = _mm256_maskz_loadu_epi8(mask, p.add(step).cast());
                    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
                }
                _ => {
                    let mask = first(n) as u16;
                    let all = _mm512_castsi128_si512(_mm_maskz_loadu_epi8(mask, p.cast()));
                    let next = _mm_maskz_loadu_epi8(mask, p.add(step).cast());
                    let all = _mm512_inserti32x4::<1>(all, next);
                    let next = _mm_maskz_loadu_epi8(mask, p.add(2 * step).cast());
                    let all = _mm512_inserti32x4::<2>(all, next);
                    let next = _mm_maskz_loadu_epi8(mask, p.add(3 * step).cast());
                    _mm512_inserti32x4::<3>(all, next)
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn store_runs<const P: usize>(self, p: *mut u8, step: usize, n: usize, count: usize, b: __m512i) {
        const { assert!(P == 1 || P == 2 || P == 4) };
        // SAFETY: `self` proves that the machine has the instructions; at most `n` bytes of `count` runs are written,
        // which are writable, as `Ints` requires.
        unsafe {
            match P {
                1 => _mm512_mask_storeu_epi8(p.cast(), first(n), b),
                2 => {
                    let mask = first(n) as u32;
                    _mm256_mask_storeu_epi8(p.cast(), mask, _mm512_castsi512_si256(b));
                    if count > 1 {
                        _mm256_mask_storeu_epi8(p.add(step).cast(), mask, _mm512_extracti64x4_epi64::<1>(b));
                    }
                }
                _ => {
                    let mask = first(n) as u16;
                    let runs = [
                        _mm512_castsi512_si128(b),
                        _mm512_extracti32x4_epi32::<1>(b),
                        _mm512_extracti32x4_epi32::<2>(b),
                        _mm512_extracti32x4_epi32::<3>(b),
                    ];
                    for (i, run) in runs.into_iter().enumerate().take(count) {
                        _mm_mask_storeu_epi8(p.add(i * step).cast(), mask, run);
                    }
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn store_bytes(self, p: *mut u8, b: __m512i) {
        // SAFETY: `self` proves that the machine has the instructions; `4 · LANES` bytes are writable, as `Ints`
        // requires.
        unsafe { _mm512_storeu_si512(p.cast(), b) }
    }
    in_registers! {
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
        fn largest_bytes(a: __m512i, b: __m512i) -> __m512i { _mm512_max_epu8(a, b) }
        fn clamp_bytes(b: __m512i, low: u8, high: u8) -> __m512i {
            let (low, high) = (_mm512_set1_epi8(low as i8), _mm512_set1_epi8(high as i8));
            _mm512_min_epu8(_mm512_max_epu8(b, low), high)
        }
        fn flip_bytes(b: __m512i) -> __m512i { _mm512_xor_si512(b, _mm512_set1_epi8(-128)) }
        fn interleave(r: [__m512i; 4]) -> [__m512i; 4] {
            let (low01, high01) = (_mm512_unpacklo_epi8(r[0], r[1]), _mm512_unpackhi_epi8(r[0], r[1]));
            let (low23, high23) = (_mm512_unpacklo_epi8(r[2], r[3]), _mm512_unpackhi_epi8(r[2], r[3]));
            [
                _mm512_unpacklo_epi16(low01, low23),
                _mm512_unpackhi_epi16(low01, low23),
                _mm512_unpacklo_epi16(high01, high23),
                _mm512_unpackhi_epi16(high01, high23),
            ]
        }
        fn in_order(x: [__m512; 4]) -> [__m512; 4] {
            let low = [_mm512_shuffle_f32x4::<0x44>(x[0], x[1]), _mm512_shuffle_f32x4::<0x44>(x[2], x[3])];
            let high = [_mm512_shuffle_f32x4::<0xEE>(x[0], x[1]), _mm512_shuffle_f32x4::<0xEE>(x[2], x[3])];
            [
                _mm512_shuffle_f32x4::<0x88>(low[0], low[1]),
                _mm512_shuffle_f32x4::<0xDD>(low[0], low[1]),
                _mm512_shuffle_f32x4::<0x88>(high[0], high[1]),
                _mm512_shuffle_f32x4::<0xDD>(high[0], high[1]),
            ]
        }
    }
    #[inline(always)]
    fn narrow_four(self, x: [__m512i; 4], bytes: &Bytes) -> __m512i {
        let all = self.narrow_interleaved(x, bytes);
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe { _mm512_permutexvar_epi32(self.quarters(), all) }
    }
    #[inline(always)]
    fn narrow_interleaved(self, x: [__m512i; 4], bytes: &Bytes) -> __m512i {
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe {
            let zero_point = _mm512_set1_epi16(bytes.zero_point as i16);
            let low = _mm512_adds_epi16(_mm512_packs_epi32(x[0], x[1]), zero_point);
            let high = _mm512_adds_epi16(_mm512_packs_epi32(x[2], x[3]), zero_point);
            let all = _mm512_packus_epi16(low, high);
            let all = self.clamp_bytes(all, bytes.low, bytes.high);
            _mm512_xor_si512(all, _mm512_set1_epi8(bytes.flip as i8))
        }
    }
    #[inline(always)]
    fn round_bytes(self, x: [__m512; 4], bytes: &Bytes) -> __m512i {
        let words = x.map(|x| self.nearest(x));
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe {
            let low = _mm512_packs_epi32(words[0], words[1]);
            let high = _mm512_packs_epi32(words[2], words[3]);
            // The result for NaN, for numbers beyond 32 bits, and for some that are clamped.
            let least = _mm512_min_epi16(low, high);
            if _mm512_cmpeq_epi16_mask(least, _mm512_set1_epi16(i16::MIN)) != 0 {
                return self.narrow_four(x.map(|x| self.round_words(x)), bytes);
            }
            let Bytes { zero_point, low: 0, high: 255, flip: 0x80 } = *bytes else {
                return self.narrow_four(words, bytes);
            };
            let zero_point = _mm512_set1_epi16((zero_point - 128) as i16);
            let all =
                _mm512_packs_epi16(_mm512_adds_epi16(low, zero_point), _mm512_adds_epi16(high, zero_point));
            _mm512_permutexvar_epi32(self.quarters(), all)
        }
    }
}
