//! Sums of neighbouring bytes, and vectors of bytes that are copied.

use core::arch::x86_64::*;

use crate::simd::Avx2;
#[cfg(feature = "avx512")]
use crate::simd::Avx512;

/// What copies cost, in units of which multiplying eight bytes by a panel, as fours, takes 6.
#[derive(Clone, Copy)]
pub(super) struct Times {
    /// To copy eight bytes.
    pub(super) copy: u32,
    /// To find a correction.
    pub(super) find: u32,
    /// To add a correction to sums of a panel.
    pub(super) add: u32,
}

/// Vectors of bytes.
pub(super) trait Neighbours: Copy {
    /// A vector.
    type B: Copy;
    /// Its size.
    const BYTES: usize;
    /// The number of bits per word that [`over`](Self::over) returns.
    const BITS: u32;
    /// Its first bit of each eight bytes.
    const EIGHTS: u32;
    /// How long copies take.
    const TIMES: Times;

    /// A vector of equal bytes.
    fn splat_byte(self, byte: u8) -> Self::B;
    /// Loads a vector.
    ///
    /// # Safety
    /// `BYTES` bytes must be readable.
    unsafe fn load_bytes(self, p: *const u8) -> Self::B;
    /// Loads the first `n` bytes of a vector; the others are `fill`.
    ///
    /// # Safety
    /// `n < BYTES` bytes must be readable.
    unsafe fn load_first_bytes(self, p: *const u8, n: usize, fill: u8) -> Self::B;
    /// Stores a vector.
    ///
    /// # Safety
    /// `BYTES` bytes must be writable.
    unsafe fn store_bytes(self, p: *mut u8, bytes: Self::B);
    /// Stores a vector or its first `n` bytes.
    ///
    /// # Safety
    /// `n` bytes must be writable.
    unsafe fn store_bytes_within(self, p: *mut u8, bytes: Self::B, n: usize);
    /// `bytes − offset`, as signed bytes that saturate.
    fn signed(self, bytes: Self::B, offset: u8) -> Self::B;
    /// Adds bytes to totals.
    fn total(self, total: Self::B, bytes: Self::B) -> Self::B;
    /// The sum of totals.
    fn sum_of_total(self, total: Self::B) -> i32;
    /// Whether the sum of a word's two bytes exceeds the bound, for each word. If `FOURS`, for words 0 and 1 of each
    /// four, with the bytes of the word two places later. Positive and negative bytes have separate sums. Signed bytes
    /// that may have been saturated always exceed the bound.
    fn over<const SIGNED: bool, const FOURS: bool>(self, bytes: Self::B) -> u32;

    /// Of each eight bytes: whether one of its words exceeds the bound, by what `over` returns for fours.
    #[inline(always)]
    fn eights(over: u32) -> u32 {
        (over | over >> Self::BITS) & Self::EIGHTS
    }
}

/// The bounds of sums of unsigned bytes, of positive and of negative bytes.
const BOUNDS: [i16; 3] = [256, 126, -127];

/// If `FOURS`, adds the word two places later to each word.
#[inline]
#[target_feature(enable = "avx2")]
fn with_next<const FOURS: bool>(sums: __m256i) -> __m256i {
    if FOURS { _mm256_add_epi16(sums, _mm256_srli_epi64::<32>(sums)) } else { sums }
}

/// Like [`with_next`].
#[cfg(feature = "avx512")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn with_next_wide<const FOURS: bool>(sums: __m512i) -> __m512i {
    if FOURS { _mm512_add_epi16(sums, _mm512_srli_epi64::<32>(sums)) } else { sums }
}

impl Neighbours for Avx2 {
    type B = __m256i;
    const BYTES: usize = 32;
    const BITS: u32 = 2;
    const EIGHTS: u32 = 0x0101_0101;
    const TIMES: Times = Times { copy: 2, find: 50, add: 28 };

    #[inline(always)]
    fn splat_byte(self, byte: u8) -> __m256i {
        // SAFETY: `self` proves that the machine has the instruction.
        unsafe { _mm256_set1_epi8(byte as i8) }
    }
    #[inline(always)]
    unsafe fn load_bytes(self, p: *const u8) -> __m256i {
        // SAFETY: as `load_bytes` requires; `self` proves that the machine has the instruction.
        unsafe { _mm256_loadu_si256(p.cast()) }
    }
    #[inline(always)]
    unsafe fn load_first_bytes(self, p: *const u8, n: usize, fill: u8) -> __m256i {
        // SAFETY: words are loaded of whole fours only, and at most three single bytes of the last four; `self` proves
        // that the machine has the instructions.
        unsafe {
            let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            let whole = _mm256_cmpgt_epi32(_mm256_set1_epi32(n as i32 / 4), places);
            let fours = _mm256_maskload_epi32(p.cast(), whole);
            let mut last = u32::from_ne_bytes([fill; 4]);
            for i in n / 4 * 4..n {
                let at = 8 * (i % 4);
                last = last & !(255 << at) | u32::from(*p.add(i)) << at;
            }
            let is_last = _mm256_cmpeq_epi32(_mm256_set1_epi32(n as i32 / 4), places);
            let others =
                _mm256_blendv_epi8(_mm256_set1_epi8(fill as i8), _mm256_set1_epi32(last as i32), is_last);
            _mm256_blendv_epi8(others, fours, whole)
        }
    }
    #[inline(always)]
    unsafe fn store_bytes(self, p: *mut u8, bytes: __m256i) {
        // SAFETY: as `store_bytes` requires; `self` proves that the machine has the instruction.
        unsafe { _mm256_storeu_si256(p.cast(), bytes) }
    }
    #[inline(always)]
    unsafe fn store_bytes_within(self, p: *mut u8, bytes: __m256i, n: usize) {
        // SAFETY: `n` bytes are writable, as `store_bytes_within` requires; `self` proves that the machine has the
        // instruction.
        unsafe {
            if n >= Self::BYTES {
                return _mm256_storeu_si256(p.cast(), bytes);
            }
            let mut all = [0u8; Self::BYTES];
            _mm256_storeu_si256(all.as_mut_ptr().cast(), bytes);
            p.copy_from_nonoverlapping(all.as_ptr(), n);
        }
    }
    #[inline(always)]
    fn signed(self, bytes: __m256i, offset: u8) -> __m256i {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe {
            let flipped = _mm256_xor_si256(bytes, _mm256_set1_epi8(-128));
            _mm256_subs_epi8(flipped, _mm256_set1_epi8((offset ^ 0x80) as i8))
        }
    }
    #[inline(always)]
    fn total(self, total: __m256i, bytes: __m256i) -> __m256i {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe { _mm256_add_epi64(total, _mm256_sad_epu8(bytes, _mm256_setzero_si256())) }
    }
    #[inline(always)]
    fn sum_of_total(self, total: __m256i) -> i32 {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe {
            let halves = _mm_add_epi64(_mm256_castsi256_si128(total), _mm256_extracti128_si256::<1>(total));
            _mm_cvtsi128_si32(_mm_add_epi64(halves, _mm_unpackhi_epi64(halves, halves)))
        }
    }
    #[inline(always)]
    fn over<const SIGNED: bool, const FOURS: bool>(self, bytes: __m256i) -> u32 {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe {
            let one = _mm256_set1_epi8(1);
            let over = if SIGNED {
                let positive = _mm256_max_epi8(bytes, _mm256_setzero_si256());
                let positive = _mm256_maddubs_epi16(one, positive);
                let negative =
                    with_next::<FOURS>(_mm256_sub_epi16(_mm256_maddubs_epi16(one, bytes), positive));
                let above = _mm256_cmpgt_epi16(with_next::<FOURS>(positive), _mm256_set1_epi16(BOUNDS[1]));
                _mm256_or_si256(above, _mm256_cmpgt_epi16(_mm256_set1_epi16(BOUNDS[2]), negative))
            } else {
                _mm256_cmpgt_epi16(
                    with_next::<FOURS>(_mm256_maddubs_epi16(bytes, one)),
                    _mm256_set1_epi16(BOUNDS[0]),
                )
            };
            _mm256_movemask_epi8(over) as u32 & if FOURS { 0x0505_0505 } else { 0x5555_5555 }
        }
    }
}

#[cfg(feature = "avx512")]
impl Neighbours for Avx512 {
    type B = __m512i;
    const BYTES: usize = 64;
    const BITS: u32 = 1;
    const EIGHTS: u32 = 0x1111_1111;
    const TIMES: Times = Times { copy: 1, find: 25, add: 14 };

    #[inline(always)]
    fn splat_byte(self, byte: u8) -> __m512i {
        // SAFETY: `self` proves that the machine has the instruction.
        unsafe { _mm512_set1_epi8(byte as i8) }
    }
    #[inline(always)]
    unsafe fn load_bytes(self, p: *const u8) -> __m512i {
        // SAFETY: as `load_bytes` requires; `self` proves that the machine has the instruction.
        unsafe { _mm512_loadu_si512(p.cast()) }
    }
    #[inline(always)]
    unsafe fn load_first_bytes(self, p: *const u8, n: usize, fill: u8) -> __m512i {
        // SAFETY: as `load_first_bytes` requires; `self` proves that the machine has the instruction.
        unsafe { _mm512_mask_loadu_epi8(_mm512_set1_epi8(fill as i8), (1 << n) - 1, p.cast()) }
    }
    #[inline(always)]
    unsafe fn store_bytes(self, p: *mut u8, bytes: __m512i) {
        // SAFETY: as `store_bytes` requires; `self` proves that the machine has the instruction.
        unsafe { _mm512_storeu_si512(p.cast(), bytes) }
    }
    #[inline(always)]
    unsafe fn store_bytes_within(self, p: *mut u8, bytes: __m512i, n: usize) {
        // SAFETY: `n` bytes are writable, as `store_bytes_within` requires; `self` proves that the machine has the
        // instructions.
        unsafe {
            match n {
                64.. => _mm512_storeu_si512(p.cast(), bytes),
                _ => _mm512_mask_storeu_epi8(p.cast(), (1 << n) - 1, bytes),
            }
        }
    }
    #[inline(always)]
    fn signed(self, bytes: __m512i, offset: u8) -> __m512i {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe {
            let flipped = _mm512_xor_si512(bytes, _mm512_set1_epi8(-128));
            _mm512_subs_epi8(flipped, _mm512_set1_epi8((offset ^ 0x80) as i8))
        }
    }
    #[inline(always)]
    fn total(self, total: __m512i, bytes: __m512i) -> __m512i {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe { _mm512_add_epi64(total, _mm512_sad_epu8(bytes, _mm512_setzero_si512())) }
    }
    #[inline(always)]
    fn sum_of_total(self, total: __m512i) -> i32 {
        // SAFETY: `self` proves that the machine has the instruction.
        unsafe { _mm512_reduce_add_epi64(total) as i32 }
    }
    #[inline(always)]
    fn over<const SIGNED: bool, const FOURS: bool>(self, bytes: __m512i) -> u32 {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe {
            let one = _mm512_set1_epi8(1);
            let words = if FOURS { 0x3333_3333 } else { u32::MAX };
            if SIGNED {
                let positive = _mm512_max_epi8(bytes, _mm512_setzero_si512());
                let positive = _mm512_maddubs_epi16(one, positive);
                let negative =
                    with_next_wide::<FOURS>(_mm512_sub_epi16(_mm512_maddubs_epi16(one, bytes), positive));
                let above =
                    _mm512_cmpgt_epi16_mask(with_next_wide::<FOURS>(positive), _mm512_set1_epi16(BOUNDS[1]));
                words & (above | _mm512_cmplt_epi16_mask(negative, _mm512_set1_epi16(BOUNDS[2])))
            } else {
                let sums = with_next_wide::<FOURS>(_mm512_maddubs_epi16(bytes, one));
                words & _mm512_cmpgt_epi16_mask(sums, _mm512_set1_epi16(BOUNDS[0]))
            }
        }
    }
}
