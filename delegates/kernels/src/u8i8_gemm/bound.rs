//! Rows in which no sum of products saturates; see [`split`](super::split).

use core::arch::x86_64::*;
use core::ops::Range;

use super::Product;

/// The largest sum of bytes whose products with any weights do not saturate.
const BOUND: i16 = 256;

/// How rows are multiplied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As words.
    Words,
    /// As bytes whose pairs are bounded.
    Pairs,
    /// As bytes whose fours are bounded.
    Fours,
    /// As signed bytes whose pairs are bounded.
    SignedPairs,
    /// As signed bytes whose fours are bounded.
    SignedFours,
}

impl Form {
    /// Whether bytes are signed.
    #[inline(always)]
    pub(super) const fn is_signed(self) -> bool {
        matches!(self, Form::SignedPairs | Form::SignedFours)
    }

    /// Whether fours are bounded.
    pub(super) const fn is_fours(self) -> bool {
        matches!(self, Form::Fours | Form::SignedFours)
    }
}

/// The address of a row of a tap.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`], and have the tap and the row.
#[inline(always)]
pub(super) unsafe fn row_of(p: &Product, tap: usize, r: usize) -> *const u8 {
    // SAFETY: there is a pointer per tap if rows are at steps, otherwise one per tap and row.
    unsafe { if p.step == 0 { *p.a.add(tap * p.rows + r) } else { (*p.a.add(tap)).wrapping_add(r * p.step) } }
}

/// Whether rows of a tap overlap or touch, and are looked at together. Two groups that are multiplied together stay
/// side by side.
#[inline(always)]
pub(super) fn touch(p: &Product) -> bool {
    p.step > 0 && p.step <= p.k && p.step.is_multiple_of(8)
}

/// Finds the fastest form whose bound these rows meet. The rows must have whole groups.
///
/// # Safety
/// The product must meet the requirements of [`super::Gemm::multiply`] and have the rows, at least one.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn form_of(p: &Product, rows: Range<usize>) -> Form {
    let bound = _mm256_set1_epi16(BOUND);
    let mut fours = _mm256_setzero_si256();
    let (end, n) = match touch(p) {
        true => (rows.start + 1, (rows.len() - 1) * p.step + p.k),
        false => (rows.end, p.k),
    };
    for tap in 0..p.taps {
        for r in rows.start..end {
            // SAFETY: the row is readable for `k` bytes, as are the rows after it that overlap or touch.
            let largest = unsafe { Largest::of(row_of(p, tap, r), n) };
            let over = _mm256_cmpgt_epi16(largest.pair, bound);
            if _mm256_testz_si256(over, over) == 0 {
                return Form::Words;
            }
            fours = _mm256_max_epi16(fours, largest.four);
        }
    }
    let over = _mm256_cmpgt_epi16(fours, bound);
    if _mm256_testz_si256(over, over) == 0 { Form::Pairs } else { Form::Fours }
}

/// The largest sums of some bytes, by word.
struct Largest {
    /// Of two neighbours.
    pair: __m256i,
    /// Of the same two bytes of two neighbouring groups.
    four: __m256i,
}

impl Largest {
    /// Of `n` bytes, a multiple of four.
    ///
    /// # Safety
    /// The bytes must be readable.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn of(bytes: *const u8, n: usize) -> Largest {
        let mut largest = Largest { pair: _mm256_setzero_si256(), four: _mm256_setzero_si256() };
        // SAFETY: each vector is within the `n` bytes.
        unsafe {
            let mut i = 0;
            while i + 32 <= n {
                largest.add(_mm256_loadu_si256(bytes.add(i).cast()));
                i += 32;
            }
            if n & 16 != 0 {
                largest.add(_mm256_zextsi128_si256(_mm_loadu_si128(bytes.add(i).cast())));
                i += 16;
            }
            if n & 8 != 0 {
                largest.add(_mm256_zextsi128_si256(_mm_loadl_epi64(bytes.add(i).cast())));
                i += 8;
            }
            if n & 4 != 0 {
                let four = bytes.add(i).cast::<i32>().read_unaligned();
                largest.add(_mm256_zextsi128_si256(_mm_cvtsi32_si128(four)));
            }
        }
        largest
    }

    /// Takes more bytes into account, starting at an even group.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn add(&mut self, bytes: __m256i) {
        let pairs = _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1));
        self.pair = _mm256_max_epi16(self.pair, pairs);
        self.four = _mm256_max_epi16(self.four, _mm256_add_epi16(pairs, _mm256_srli_epi64::<32>(pairs)));
    }
}
