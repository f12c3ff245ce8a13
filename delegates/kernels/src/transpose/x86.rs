//! AVX2: transposes blocks of 8 × 8 elements of 4 bytes in eight registers. Smaller and larger elements are transposed
//! in halves of registers: with `N` elements to a half, `N` registers hold `2N` rows of a block.
//!
//! ```text
//! register i       row i                  │  row N + i                N elements each
//! register j       elements j of rows 0…  │  elements j of rows N…    after log₂ N rounds: consecutive in the target
//! ```
//! A round interleaves registers `i` and `i + N / 2` to registers `2i` and `2i + 1`.

use core::arch::x86_64::*;

use super::blocks::{self, Matrix};

/// # Safety
/// The arguments must meet the requirements of [`super::Kernel`].
#[target_feature(enable = "avx2")]
pub(super) unsafe fn transpose_x32(m: &Matrix) {
    let (rows, columns) = (m.rows & !7, m.columns & !7);
    for b in (0..rows).step_by(8) {
        for a in (0..columns).step_by(8) {
            // SAFETY: the block is within both matrices.
            unsafe {
                let from = m.from.cast::<f32>().offset(b as isize * m.from_row + a as isize);
                let to = m.to.cast::<f32>().offset(a as isize * m.to_row + b as isize);
                let x = core::array::from_fn(|i| _mm256_loadu_ps(from.offset(i as isize * m.from_row)));
                for (i, y) in transpose_8x8(x).into_iter().enumerate() {
                    _mm256_storeu_ps(to.offset(i as isize * m.to_row), y);
                }
            }
        }
    }
    // SAFETY: the elements to the right of and below the whole blocks are within the matrix, as `Kernel` requires.
    unsafe {
        blocks::block::<u32>(m, 0..rows, columns..m.columns);
        blocks::block::<u32>(m, rows..m.rows, 0..m.columns);
    }
}

/// Interleaves pairs of rows by elements, then by pairs of elements, then by halves of the registers.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose_8x8(x: [__m256; 8]) -> [__m256; 8] {
    let low = |i: usize| _mm256_unpacklo_ps(x[i], x[i + 1]);
    let high = |i: usize| _mm256_unpackhi_ps(x[i], x[i + 1]);
    let pairs = [low(0), high(0), low(2), high(2), low(4), high(4), low(6), high(6)];
    let front = |i: usize| _mm256_shuffle_ps::<0x44>(pairs[i], pairs[i + 2]);
    let back = |i: usize| _mm256_shuffle_ps::<0xEE>(pairs[i], pairs[i + 2]);
    let fours = [front(0), back(0), front(1), back(1), front(4), back(4), front(5), back(5)];
    let upper = |i: usize| _mm256_permute2f128_ps::<0x20>(fours[i], fours[i + 4]);
    let lower = |i: usize| _mm256_permute2f128_ps::<0x31>(fours[i], fours[i + 4]);
    [upper(0), upper(1), upper(2), upper(3), lower(0), lower(1), lower(2), lower(3)]
}

macro_rules! in_halves {
    ($($(#[$doc:meta])* $name:ident: $t:ty, $low:ident, $high:ident;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// The arguments must meet the requirements of [`super::Kernel`].
        #[target_feature(enable = "avx2")]
        pub(super) unsafe fn $name(m: &Matrix) {
            const N: usize = 16 / size_of::<$t>();
            let (rows, columns) = (m.rows - m.rows % (2 * N), m.columns - m.columns % N);
            for b in (0..rows).step_by(2 * N) {
                for a in (0..columns).step_by(N) {
                    // SAFETY: the block is within both matrices.
                    unsafe {
                        let from = m.from.cast::<$t>().offset(b as isize * m.from_row + a as isize);
                        let to = m.to.cast::<$t>().offset(a as isize * m.to_row + b as isize);
                        let half = |i: usize| _mm_loadu_si128(from.offset(i as isize * m.from_row).cast());
                        let mut x: [__m256i; N] =
                            core::array::from_fn(|i| _mm256_set_m128i(half(N + i), half(i)));
                        for _ in 0..N.ilog2() {
                            x = core::array::from_fn(|i| match i % 2 {
                                0 => $low(x[i / 2], x[(i + N) / 2]),
                                _ => $high(x[i / 2], x[(i + N) / 2]),
                            });
                        }
                        for (i, y) in x.into_iter().enumerate() {
                            _mm256_storeu_si256(to.offset(i as isize * m.to_row).cast(), y);
                        }
                    }
                }
            }
            // SAFETY: the elements to the right of and below the whole blocks are within the matrix, as `Kernel`
            // requires.
            unsafe {
                blocks::block::<$t>(m, 0..rows, columns..m.columns);
                blocks::block::<$t>(m, rows..m.rows, 0..m.columns);
            }
        }
    )*};
}

in_halves! {
    /// Transposes blocks of 32 × 16 bytes.
    transpose_x8: u8, _mm256_unpacklo_epi8, _mm256_unpackhi_epi8;
    /// Transposes blocks of 16 × 8 elements of 2 bytes.
    transpose_x16: u16, _mm256_unpacklo_epi16, _mm256_unpackhi_epi16;
    /// Transposes blocks of 4 × 2 elements of 8 bytes.
    transpose_x64: u64, _mm256_unpacklo_epi64, _mm256_unpackhi_epi64;
}
