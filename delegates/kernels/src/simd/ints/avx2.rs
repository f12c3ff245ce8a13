//! Integers with AVX2: eight lanes.

// The index is constant once loops over rows are unrolled, so that results stay in registers.
#![allow(clippy::needless_range_loop)]

use core::arch::x86_64::*;

use super::{ByteRows, Ints, MOST, MemoryBlock};
use crate::requantize::{AWAY, Bytes, Channels, FAR, LEFT, MULTIPLIER, ROUNDING, SHIFT};
use crate::simd::Avx2;

/// Row `row` of a block.
///
/// # Safety
/// The machine must have the instructions, and `block` must point to a block for eight lanes.
#[inline(always)]
unsafe fn row(block: *const i64, row: usize) -> __m256i {
    // SAFETY: the block has this row for eight lanes, as `# Safety` requires.
    unsafe { _mm256_loadu_si256(block.add(4 * row).cast()) }
}

/// The low halves of the 64-bit lanes of `x` times their multipliers, rounded. `I` is 0 for even lanes, 1 for odd ones.
///
/// # Safety
/// The machine must have the instructions, and `block` must point to a block for eight lanes.
#[inline(always)]
unsafe fn rounded<const A: bool, const I: usize>(x: __m256i, block: *const i64) -> __m256i {
    // SAFETY: the machine has the instructions and the block has all rows, as `# Safety` requires.
    unsafe {
        let product = _mm256_mul_epi32(x, row(block, MULTIPLIER[I]));
        let rounded = _mm256_add_epi64(product, row(block, ROUNDING[I]));
        if !A {
            return rounded;
        }
        _mm256_sub_epi64(rounded, _mm256_and_si256(x, row(block, AWAY[I])))
    }
}

/// Like [`rounded`], followed by the shift. `I` is 0 for even lanes, 1 for odd ones.
///
/// There is no arithmetic shift of 64-bit lanes. So 2⁶² is added first, which shifts of up to 62 divide exactly.
///
/// # Safety
/// The machine must have the instructions, and `block` must point to a block for eight lanes.
#[inline(always)]
unsafe fn half<const A: bool, const I: usize>(x: __m256i, block: *const i64) -> __m256i {
    // SAFETY: the block has all rows, as `# Safety` requires; all else is in registers.
    unsafe {
        let lifted = _mm256_set1_epi64x(1 << 62);
        let shift = row(block, SHIFT[I]);
        let shifted = _mm256_srlv_epi64(_mm256_add_epi64(rounded::<A, I>(x, block), lifted), shift);
        _mm256_sub_epi64(shifted, _mm256_srlv_epi64(lifted, shift))
    }
}

/// Products that are rounded and shifted right by 32 or more. The results are in the upper halves, and 32-bit lanes
/// have an arithmetic shift.
///
/// # Safety
/// The machine must have the instructions, and `block` must point to a block for eight lanes.
#[inline(always)]
unsafe fn upper<const A: bool>(x: __m256i, block: *const i64) -> __m256i {
    // SAFETY: the block has all rows, as `# Safety` requires; all else is in registers.
    unsafe {
        let even = _mm256_srli_epi64::<32>(rounded::<A, 0>(x, block));
        let odd = rounded::<A, 1>(_mm256_srli_epi64::<32>(x), block);
        _mm256_srav_epi32(_mm256_blend_epi32::<0b1010_1010>(even, odd), row(block, FAR))
    }
}

/// Vectors of sums of the same channels, scaled. All channels shift right by 32 or more. Of each four lanes, the second
/// and third are exchanged: a shuffle then replaces a shift and a blend.
///
/// # Safety
/// The machine must have the instructions, and `block` must point to a block for eight lanes.
#[inline(always)]
unsafe fn scaled<const V: usize>(sums: &[[__m256i; V]], v: usize, block: *const i64) -> [__m256i; 4] {
    let mut results = [sums[0][v]; 4];
    // SAFETY: the block has all rows, as `# Safety` requires; all else is in registers.
    unsafe {
        let far = _mm256_shuffle_epi32::<0b11_01_10_00>(row(block, FAR));
        for r in 0..4 {
            let x = sums[r][v];
            let even = rounded::<false, 0>(x, block);
            let odd = rounded::<false, 1>(_mm256_srli_epi64::<32>(x), block);
            let (even, odd) = (_mm256_castsi256_ps(even), _mm256_castsi256_ps(odd));
            let upper = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(even, odd));
            results[r] = _mm256_srav_epi32(upper, far);
        }
    }
    results
}

/// Narrows the lanes of four vectors in the order of [`scaled`], one after the other.
#[inline(always)]
fn narrow_scaled(s: Avx2, x: [__m256i; 4], bytes: &Bytes) -> __m256i {
    let all = s.narrow_interleaved(x, bytes);
    // SAFETY: `s` proves that the machine has the instructions, which access only registers.
    unsafe {
        let order = _mm256_set1_epi64x(0x0705_0604_0301_0200);
        let order =
            _mm256_add_epi8(order, _mm256_set_epi64x(0x0808_0808_0808_0808, 0, 0x0808_0808_0808_0808, 0));
        let all = _mm256_shuffle_epi8(all, order);
        _mm256_permutevar8x32_epi32(all, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))
    }
}

// SAFETY: `Avx2` proves that the machine has the instructions.
unsafe impl Ints for Avx2 {
    type I = __m256i;
    type B = __m256i;

    channels_in_memory!();

    #[inline(always)]
    fn scale_upper<const A: bool>(self, x: __m256i, MemoryBlock(block): MemoryBlock) -> __m256i {
        // SAFETY: `self` proves that the machine has the instructions; the block is still valid, as `channels`
        // requires.
        unsafe { upper::<A>(x, block) }
    }
    in_registers! {
        "avx2,fma"
        fn splat_i32(x: i32) -> __m256i { _mm256_set1_epi32(x) }
    }
    #[inline(always)]
    unsafe fn load_i32(self, p: *const i32) -> __m256i {
        // SAFETY: `self` proves that the machine has the instructions; `LANES` values are readable, as `Ints` requires.
        unsafe { _mm256_loadu_si256(p.cast()) }
    }
    in_registers! {
        "avx2,fma"
        fn add_i32(a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi32(a, b) }
        fn sub_i32(a: __m256i, b: __m256i) -> __m256i { _mm256_sub_epi32(a, b) }
        fn mul_i32(a: __m256i, b: __m256i) -> __m256i { _mm256_mullo_epi32(a, b) }
        fn xor_i32(a: __m256i, b: __m256i) -> __m256i { _mm256_xor_si256(a, b) }
        fn decrement_below(a: __m256i, x: __m256i, middle: i32) -> __m256i {
            // The comparison yields −1 where it is true.
            _mm256_add_epi32(a, _mm256_cmpgt_epi32(_mm256_set1_epi32(middle), x))
        }
        fn sub_below(a: __m256i, b: __m256i, x: __m256i, middle: i32) -> __m256i {
            _mm256_sub_epi32(a, _mm256_and_si256(b, _mm256_cmpgt_epi32(_mm256_set1_epi32(middle), x)))
        }
        fn clamp_i32(a: __m256i, low: i32, high: i32) -> __m256i {
            _mm256_min_epi32(_mm256_max_epi32(a, _mm256_set1_epi32(low)), _mm256_set1_epi32(high))
        }
        fn shift_right(a: __m256i, n: u32) -> __m256i { _mm256_sra_epi32(a, _mm_cvtsi32_si128(n as i32)) }
        fn shift_left(a: __m256i, n: u32) -> __m256i { _mm256_sll_epi32(a, _mm_cvtsi32_si128(n as i32)) }
        fn real(x: __m256i) -> __m256 { _mm256_cvtepi32_ps(x) }
        fn round_words(x: __m256) -> __m256i {
            // Numbers that are too negative become the most negative one.
            let number = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_ORD_Q>(x, x));
            _mm256_and_si256(number, _mm256_cvtps_epi32(_mm256_min_ps(x, _mm256_set1_ps(MOST))))
        }
        fn nearest(x: __m256) -> __m256i { _mm256_cvtps_epi32(x) }
        fn round_i32(x: __m256) -> __m256i {
            let number = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_ORD_Q>(x, x));
            let x = _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(-MOST)), _mm256_set1_ps(MOST));
            _mm256_and_si256(number, _mm256_cvtps_epi32(x))
        }
    }
    #[inline(always)]
    fn round_four(self, x: [__m256; 4]) -> [__m256i; 4] {
        let words = x.map(|x| self.nearest(x));
        // SAFETY: `self` proves that the machine has the instructions.
        let out_of_range = unsafe {
            let [a, b, c, d] = words;
            let least = _mm256_min_epi32(_mm256_min_epi32(a, b), _mm256_min_epi32(c, d));
            // The result for NaN and for numbers beyond 32 bits.
            let found = _mm256_cmpeq_epi32(least, _mm256_set1_epi32(i32::MIN));
            _mm256_movemask_epi8(found) != 0
        };
        if out_of_range { x.map(|x| self.round_words(x)) } else { words }
    }
    #[inline(always)]
    unsafe fn widen(self, p: *const u8) -> __m256i {
        // SAFETY: `self` proves that the machine has the instructions; `LANES` bytes are readable, as `Ints` requires.
        unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(p.cast())) }
    }
    #[inline(always)]
    unsafe fn widen_signed(self, p: *const u8) -> __m256i {
        // SAFETY: `self` proves that the machine has the instructions; `LANES` bytes are readable, as `Ints` requires.
        unsafe { _mm256_cvtepi8_epi32(_mm_loadl_epi64(p.cast())) }
    }
    #[inline(always)]
    unsafe fn requantize<const L: bool, const A: bool>(self, x: __m256i, block: *const i64) -> __m256i {
        // SAFETY: `self` proves that the machine has the instructions; the block is for `LANES` lanes, as `Ints`
        // requires.
        unsafe {
            let x = if L { _mm256_sllv_epi32(x, row(block, LEFT)) } else { x };
            if !L && _mm256_cvtsi256_si32(row(block, FAR)) >= 0 {
                return upper::<A>(x, block);
            }
            let even = half::<A, 0>(x, block);
            let odd = half::<A, 1>(_mm256_srli_epi64::<32>(x), block);
            _mm256_blend_epi32::<0b1010_1010>(even, _mm256_slli_epi64::<32>(odd))
        }
    }
    #[inline(always)]
    unsafe fn narrow<const V: usize>(self, x: &[__m256i; V], bytes: &Bytes, c: *mut u8, n: usize) {
        const { assert!(V == 1 || V == 2) };
        // SAFETY: `self` proves that the machine has the instructions; the `n` bytes that are written are writable, as
        // `Ints` requires.
        unsafe {
            // Packing interleaves the halves of its operands: the result has bytes 0‥3 of each, then 4‥7 of each. If
            // there is one vector, it is both operands, and its bytes occur twice.
            let words = _mm256_packs_epi32(x[0], x[V - 1]);
            let words = _mm256_adds_epi16(words, _mm256_set1_epi16(bytes.zero_point as i16));
            let order = _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5);
            let all = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(words, words), order);
            let all = _mm_max_epu8(_mm256_castsi256_si128(all), _mm_set1_epi8(bytes.low as i8));
            let all = _mm_min_epu8(all, _mm_set1_epi8(bytes.high as i8));
            let all = _mm_xor_si128(all, _mm_set1_epi8(bytes.flip as i8));
            if n == 16 {
                _mm_storeu_si128(c.cast(), all);
            } else if n == 8 {
                _mm_storel_epi64(c.cast(), all);
            } else {
                let mut buffer = [0u8; 16];
                _mm_storeu_si128(buffer.as_mut_ptr().cast(), all);
                core::ptr::copy_nonoverlapping(buffer.as_ptr(), c, n.min(16));
            }
        }
    }
    #[inline(always)]
    unsafe fn convert_rows<const R: usize, const V: usize>(
        self,
        sums: &[[__m256i; V]; R],
        blocks: *const i64,
        bytes: &Bytes,
        to: ByteRows,
    ) {
        const { assert!(V == 1 || V == 2) };
        // SAFETY: `self` proves that the machine has the instructions; there are `V` blocks, and whole rows are
        // writable, as `Ints` requires.
        unsafe {
            if R != 4 {
                for (r, row) in sums.iter().enumerate() {
                    self.convert_row(row, blocks, bytes, (to.row(r), to.columns));
                }
                return;
            }
            let left = scaled(sums, 0, blocks);
            if V == 1 {
                let all = narrow_scaled(self, left, bytes);
                let [low, high] = [_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all)];
                _mm_storel_epi64(to.row(0).cast(), low);
                _mm_storeh_pd(to.row(1).cast(), _mm_castsi128_pd(low));
                _mm_storel_epi64(to.row(2).cast(), high);
                _mm_storeh_pd(to.row(3).cast(), _mm_castsi128_pd(high));
                return;
            }
            let right = scaled(sums, V - 1, blocks.add(Channels::stride(8)));
            for r in [0, 2] {
                let all = narrow_scaled(self, [left[r], right[r], left[r + 1], right[r + 1]], bytes);
                _mm_storeu_si128(to.row(r).cast(), _mm256_castsi256_si128(all));
                _mm_storeu_si128(to.row(r + 1).cast(), _mm256_extracti128_si256::<1>(all));
            }
        }
    }
    #[inline(always)]
    unsafe fn load_runs<const P: usize>(self, p: *const u8, step: usize, n: usize) -> __m256i {
        const { assert!(P == 1 || P == 2) };
        // SAFETY: `self` proves that the machine has the instructions; at most `n` bytes of each run are read, which
        // are readable, as `Ints` requires.
        unsafe {
            match P {
                1 if n >= 32 => _mm256_loadu_si256(p.cast()),
                1 => _mm256_set_m128i(load_first(p.wrapping_add(16), n.saturating_sub(16)), load_first(p, n)),
                _ => _mm256_set_m128i(load_first(p.wrapping_add(step), n), load_first(p, n)),
            }
        }
    }
    #[inline(always)]
    unsafe fn store_runs<const P: usize>(self, p: *mut u8, step: usize, n: usize, count: usize, b: __m256i) {
        const { assert!(P == 1 || P == 2) };
        // SAFETY: `self` proves that the machine has the instructions; at most `n` bytes of `count` runs are written,
        // which are writable, as `Ints` requires.
        unsafe {
            let [low, high] = [_mm256_castsi256_si128(b), _mm256_extracti128_si256::<1>(b)];
            if count > 0 {
                store_first(p, n, low);
            }
            if P == 1 && count > 0 && n > 16 {
                store_first(p.wrapping_add(16), n - 16, high);
            }
            if P == 2 && count > 1 {
                store_first(p.wrapping_add(step), n, high);
            }
        }
    }
    #[inline(always)]
    unsafe fn store_bytes(self, p: *mut u8, b: __m256i) {
        // SAFETY: `self` proves that the machine has the instructions; `4 · LANES` bytes are writable, as `Ints`
        // requires.
        unsafe { _mm256_storeu_si256(p.cast(), b) }
    }
    in_registers! {
        "avx2,fma"
        fn largest_bytes(a: __m256i, b: __m256i) -> __m256i { _mm256_max_epu8(a, b) }
        fn clamp_bytes(b: __m256i, low: u8, high: u8) -> __m256i {
            let (low, high) = (_mm256_set1_epi8(low as i8), _mm256_set1_epi8(high as i8));
            _mm256_min_epu8(_mm256_max_epu8(b, low), high)
        }
        fn flip_bytes(b: __m256i) -> __m256i { _mm256_xor_si256(b, _mm256_set1_epi8(-128)) }
        fn interleave(r: [__m256i; 4]) -> [__m256i; 4] {
            let (low01, high01) = (_mm256_unpacklo_epi8(r[0], r[1]), _mm256_unpackhi_epi8(r[0], r[1]));
            let (low23, high23) = (_mm256_unpacklo_epi8(r[2], r[3]), _mm256_unpackhi_epi8(r[2], r[3]));
            [
                _mm256_unpacklo_epi16(low01, low23),
                _mm256_unpackhi_epi16(low01, low23),
                _mm256_unpacklo_epi16(high01, high23),
                _mm256_unpackhi_epi16(high01, high23),
            ]
        }
        fn in_order(x: [__m256; 4]) -> [__m256; 4] {
            [
                _mm256_permute2f128_ps::<0x20>(x[0], x[1]),
                _mm256_permute2f128_ps::<0x20>(x[2], x[3]),
                _mm256_permute2f128_ps::<0x31>(x[0], x[1]),
                _mm256_permute2f128_ps::<0x31>(x[2], x[3]),
            ]
        }
    }
    #[inline(always)]
    fn narrow_four(self, x: [__m256i; 4], bytes: &Bytes) -> __m256i {
        let all = self.narrow_interleaved(x, bytes);
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe { _mm256_permutevar8x32_epi32(all, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)) }
    }
    #[inline(always)]
    fn narrow_interleaved(self, x: [__m256i; 4], bytes: &Bytes) -> __m256i {
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe {
            let zero_point = _mm256_set1_epi16(bytes.zero_point as i16);
            let low = _mm256_adds_epi16(_mm256_packs_epi32(x[0], x[1]), zero_point);
            let high = _mm256_adds_epi16(_mm256_packs_epi32(x[2], x[3]), zero_point);
            let all = _mm256_packus_epi16(low, high);
            let all = self.clamp_bytes(all, bytes.low, bytes.high);
            _mm256_xor_si256(all, _mm256_set1_epi8(bytes.flip as i8))
        }
    }
}

/// The first `n` bytes, at most 16; the others are zero. Half a vector, which is frequent, is one instruction.
///
/// # Safety
/// `n.min(16)` bytes must be readable.
#[inline(always)]
unsafe fn load_first(p: *const u8, n: usize) -> __m128i {
    // SAFETY: at most `n.min(16)` bytes are read, which are readable, as `# Safety` requires.
    unsafe {
        match n {
            16.. => _mm_loadu_si128(p.cast()),
            8 => _mm_loadl_epi64(p.cast()),
            _ => {
                let mut bytes = [0u8; 16];
                core::ptr::copy_nonoverlapping(p, bytes.as_mut_ptr(), n);
                _mm_loadu_si128(bytes.as_ptr().cast())
            }
        }
    }
}

/// Writes the first `n` bytes, at most 16.
///
/// # Safety
/// `n.min(16)` bytes must be writable.
#[inline(always)]
unsafe fn store_first(p: *mut u8, n: usize, b: __m128i) {
    // SAFETY: at most `n.min(16)` bytes are written, which are writable, as `# Safety` requires.
    unsafe {
        match n {
            16.. => _mm_storeu_si128(p.cast(), b),
            8 => _mm_storel_epi64(p.cast(), b),
            _ => {
                let mut bytes = [0u8; 16];
                _mm_storeu_si128(bytes.as_mut_ptr().cast(), b);
                core::ptr::copy_nonoverlapping(bytes.as_ptr(), p, n);
            }
        }
    }
}
