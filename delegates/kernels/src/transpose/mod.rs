//! Transposition of matrices with elements of 1, 2, 4, 8 or 16 bytes.
//!
//! ```text
//! to[a · to_row + b] = from[b · from_row + a]     for a < columns, b < rows of the source
//! ```

mod blocks;
#[cfg(all(target_arch = "aarch64", feature = "neon"))]
mod neon;
#[cfg(all(target_arch = "x86_64", feature = "avx2"))]
mod x86;

use arenite_base::memory::span;

pub use blocks::Matrix;

use super::family::{Member, usable};
use crate::isa::Isa;

/// # Safety
/// The machine must have the instruction set. All elements of the source must be readable and all elements of the
/// target writable. Both must be aligned for the element and must not overlap.
pub type Kernel = unsafe fn(&Matrix);

/// A transposition of elements of one size.
#[non_exhaustive]
pub struct Transpose {
    /// The name, such as `x32_transpose_8x8__avx2`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The size of an element in bytes.
    pub width: usize,
    /// The function that transposes a matrix.
    pub transpose: Kernel,
}

impl Member for Transpose {
    fn name(&self) -> &'static str {
        self.name
    }
    fn isa(&self) -> Isa {
        self.isa
    }
}

impl Transpose {
    /// The fastest transposition of elements of `width` bytes that this machine can run with the features in `isa`.
    /// `None` if that size is not supported.
    pub fn select(isa: Isa, width: usize) -> Option<&'static Transpose> {
        usable(TABLE, isa).rfind(|transpose| transpose.width == width)
    }

    /// The fastest transposition of 4-byte elements.
    pub fn words(isa: Isa) -> &'static Transpose {
        Transpose::select(isa, 4).unwrap_or(&WORDS)
    }

    /// Transposes slices, each given with the distance between its rows in elements.
    ///
    /// # Panics
    /// If elements have another size, or a slice is too short.
    pub fn slices<T: bytemuck::Pod>(
        &self,
        (from, from_row): (&[T], usize),
        (to, to_row): (&mut [T], usize),
        [rows, columns]: [usize; 2],
    ) {
        if rows == 0 || columns == 0 {
            return;
        }
        assert_eq!(size_of::<T>(), self.width);
        let there =
            [span([rows, from_row, columns]) <= from.len(), span([columns, to_row, rows]) <= to.len()];
        assert!(there == [true; 2], "{rows} rows of {columns} in {} and {}", from.len(), to.len());
        let matrix = Matrix {
            from: from.as_ptr().cast(),
            from_row: from_row as isize,
            to: to.as_mut_ptr().cast(),
            to_row: to_row as isize,
            rows,
            columns,
        };
        // SAFETY: the machine can run the instructions of a `&Transpose` (see `family`). The slices hold all elements,
        // as checked, and do not overlap, since one of them is borrowed mutably.
        unsafe { (self.transpose)(&matrix) };
    }
}

const WORDS: Transpose = Transpose {
    name: "x32_transpose_8x8__scalar",
    isa: Isa::SCALAR,
    width: 4,
    transpose: blocks::transpose::<u32>,
};

/// All transpositions, the slowest first.
pub(crate) static TABLE: &[Transpose] = &[
    Transpose {
        name: "x8_transpose_8x8__scalar",
        isa: Isa::SCALAR,
        width: 1,
        transpose: blocks::transpose::<u8>,
    },
    Transpose {
        name: "x16_transpose_8x8__scalar",
        isa: Isa::SCALAR,
        width: 2,
        transpose: blocks::transpose::<u16>,
    },
    WORDS,
    Transpose {
        name: "x64_transpose_8x8__scalar",
        isa: Isa::SCALAR,
        width: 8,
        transpose: blocks::transpose::<u64>,
    },
    Transpose {
        name: "x128_transpose_8x8__scalar",
        isa: Isa::SCALAR,
        width: 16,
        transpose: blocks::transpose::<[u64; 2]>,
    },
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    Transpose { name: "x8_transpose_32x16__avx2", isa: Isa::AVX2, width: 1, transpose: x86::transpose_x8 },
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    Transpose { name: "x16_transpose_16x8__avx2", isa: Isa::AVX2, width: 2, transpose: x86::transpose_x16 },
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    Transpose { name: "x32_transpose_8x8__avx2", isa: Isa::AVX2, width: 4, transpose: x86::transpose_x32 },
    #[cfg(all(target_arch = "x86_64", feature = "avx2"))]
    Transpose { name: "x64_transpose_4x2__avx2", isa: Isa::AVX2, width: 8, transpose: x86::transpose_x64 },
    #[cfg(all(target_arch = "aarch64", feature = "neon"))]
    Transpose { name: "x32_transpose_4x4__neon", isa: Isa::NEON, width: 4, transpose: neon::transpose_x32 },
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::family::available;

    proptest! {
        #[test]
        fn every_entry_transposes(rows in 0usize..80, columns in 0usize..40, more in 0usize..5) {
            for entry in available(TABLE) {
                let w = entry.width;
                let (from_row, to_row) = (columns + more, rows + 2 * more);
                let from: Vec<u64> =
                    (0..(rows * from_row * w).div_ceil(8) as u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
                let mut to = vec![0xA5A5_A5A5_A5A5_A5A5u64; (columns * to_row * w).div_ceil(8)];
                let matrix = Matrix {
                    from: from.as_ptr().cast(),
                    from_row: from_row as isize,
                    to: to.as_mut_ptr().cast(),
                    to_row: to_row as isize,
                    rows,
                    columns,
                };
                // SAFETY: the machine can run the member; the lengths match the vectors.
                unsafe { (entry.transpose)(&matrix) };
                let (from, to): (&[u8], &[u8]) = (bytemuck::cast_slice(&from), bytemuck::cast_slice(&to));
                for a in 0..columns {
                    for b in 0..to_row {
                        let got = &to[(a * to_row + b) * w..][..w];
                        if b < rows {
                            prop_assert_eq!(got, &from[(b * from_row + a) * w..][..w], "{} {} {}", entry.name, a, b);
                        } else {
                            prop_assert!(got.iter().all(|&byte| byte == 0xA5), "{} wrote past the end of row {}", entry.name, a);
                        }
                    }
                }
            }
        }
    }
}
