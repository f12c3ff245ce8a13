//! AVX2: a table of 256 bytes as sixteen rows of sixteen bytes.
//!
//! A shuffle yields 0 for numbers that are negative as signed bytes, and otherwise looks up their low four bits. So
//! each row is stored as its XOR with the previous row. A number that is not yet negative after subtracting `16 r` has
//! been XORed with all rows up to its own.
//!
//! ```text
//! x = 37:   row 0 [5] ^ (row 0 ^ row 1)[5] ^ (row 1 ^ row 2)[5] = row 2 [5]      37, 21, 5, then −11 …
//! ```
//! Numbers from 128 are negative. They are looked up as `x − 128` in the other eight rows, where numbers below 128 are
//! negative.

use core::arch::x86_64::*;

use super::body::Lookup;
use crate::simd::Avx2;

/// The rows of half a table, each XORed with the previous one, in both halves of a vector.
type Half = [__m256i; 8];

// SAFETY: `Avx2` proves that the machine has the instructions.
unsafe impl Lookup for Avx2 {
    type S = Avx2;
    type Table<'t> = [Half; 2];

    #[inline(always)]
    fn ints(self) -> Avx2 {
        self
    }
    #[inline(always)]
    fn table(self, table: &[u8; 256]) -> [Half; 2] {
        let (rows, _) = table.as_chunks::<16>();
        // SAFETY: `self` proves that the machine has the instructions; a row has 16 bytes.
        let row = |r: usize| unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(rows[r].as_ptr().cast())) };
        // Loops, because closures would not be compiled for the instructions.
        let mut halves = [[row(0); 8], [row(8); 8]];
        for (half, first) in halves.iter_mut().zip([0, 8]) {
            for (r, xored) in half.iter_mut().enumerate().skip(1) {
                // SAFETY: `self` proves that the machine has the instructions, which access only registers.
                *xored = unsafe { _mm256_xor_si256(row(first + r - 1), row(first + r)) };
            }
        }
        halves
    }
    #[inline(always)]
    fn look(self, [low, high]: [Half; 2], x: __m256i) -> __m256i {
        // SAFETY: `self` proves that the machine has the instructions, which access only registers.
        unsafe { _mm256_xor_si256(look(&low, x), look(&high, _mm256_xor_si256(x, _mm256_set1_epi8(-128)))) }
    }
}

/// `half[x]` for `x` up to 127, otherwise 0.
///
/// # Safety
/// The machine must have the instructions.
#[inline(always)]
unsafe fn look(half: &Half, mut x: __m256i) -> __m256i {
    // SAFETY: the machine has the instructions, as `# Safety` requires; they access only registers.
    unsafe {
        let mut looked = _mm256_shuffle_epi8(half[0], x);
        for &row in &half[1..] {
            x = _mm256_subs_epi8(x, _mm256_set1_epi8(16));
            looked = _mm256_xor_si256(looked, _mm256_shuffle_epi8(row, x));
        }
        looked
    }
}
