//! AVX2: a table of 256 bytes as sixteen rows of sixteen bytes.
//!
//! A shuffle gives 0 for numbers that are negative as signed bytes, else looks up their low four bits. So rows are kept as what they
//! differ from the row before: a number that is not yet negative after `16 r` were taken from it has seen all rows up to its own.
//!
//! ```text
//! x = 37:   row 0 [5] ^ (row 0 ^ row 1)[5] ^ (row 1 ^ row 2)[5] = row 2 [5]      37, 21, 5, then −11 …
//! ```
//! Numbers from 128 on are negative; they go through the other eight rows as `x − 128`, where those below are.

use core::arch::x86_64::*;

use super::body::Lookup;
use crate::simd::Avx2;

/// Rows of half a table, each as what it differs from the one before it, in both halves of a vector.
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
        // SAFETY: the machine has the instructions, `self` proves it; a row has 16 bytes.
        let row = |r: usize| unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(rows[r].as_ptr().cast())) };
        [0, 8].map(|first| {
            std::array::from_fn(|r| match r {
                0 => row(first),
                // SAFETY: the machine has the instructions, `self` proves it; they touch registers only.
                _ => unsafe { _mm256_xor_si256(row(first + r - 1), row(first + r)) },
            })
        })
    }
    #[inline(always)]
    fn look(self, [low, high]: [Half; 2], x: __m256i) -> __m256i {
        // SAFETY: the machine has the instructions, `self` proves it; they touch registers only.
        unsafe { _mm256_xor_si256(look(&low, x), look(&high, _mm256_xor_si256(x, _mm256_set1_epi8(-128)))) }
    }
}

/// `half[x]` for `x` up to 127, else 0.
///
/// # Safety
/// The machine has the instructions.
#[inline(always)]
unsafe fn look(half: &Half, mut x: __m256i) -> __m256i {
    // SAFETY: the machine has the instructions; there are no addresses.
    unsafe {
        let mut looked = _mm256_shuffle_epi8(half[0], x);
        for &row in &half[1..] {
            x = _mm256_subs_epi8(x, _mm256_set1_epi8(16));
            looked = _mm256_xor_si256(looked, _mm256_shuffle_epi8(row, x));
        }
        looked
    }
}
