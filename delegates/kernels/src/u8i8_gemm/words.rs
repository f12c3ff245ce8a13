//! Products of words instead of bytes: rows of `i16` at steps and weights of `i16`, for sums below 2³¹.
//!
//! ```text
//! panel: ⌈k / 2⌉ groups of two lines, with the words of a column side by side; a line past k is zero
//! ```

use super::body::{self, Strip};
use super::{Microkernel, Product, Tile, panels};
use crate::isa::Isa;
use crate::simd::dot::*;

/// A member of the family.
#[non_exhaustive]
pub struct Words {
    /// The name, such as `i16_gemm_6x16__avx2`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The most rows of a product.
    pub mr: usize,
    /// The number of columns of a vector.
    lanes: usize,
    /// `strips[v − 1][r − 1]` is the kernel for `r` rows and `v` vectors of columns.
    strips: &'static [&'static [Microkernel]],
}

impl Words {
    /// The number of columns of the widest panel.
    pub const fn nr(&self) -> usize {
        self.strips.len() * self.lanes
    }

    /// The size of a panel per column, in bytes.
    pub const fn column_bytes(k: usize) -> usize {
        k.next_multiple_of(2) * size_of::<i16>()
    }

    /// The size of packed weights, in words.
    pub const fn packed_len(&self, k: usize, columns: usize) -> usize {
        columns.next_multiple_of(self.lanes) * k.next_multiple_of(2)
    }

    /// The position of the word of a column and line in packed weights of `k` lines and `columns` columns.
    pub const fn at(&self, k: usize, columns: usize, column: usize, line: usize) -> usize {
        let from = column - column % self.nr();
        let left = (columns - from).next_multiple_of(self.lanes);
        let width = if left < self.nr() { left } else { self.nr() };
        from * k.next_multiple_of(2) + (line / 2 * width + column - from) * 2 + line % 2
    }

    /// Computes a product. Its rows have `2 k` bytes.
    ///
    /// # Safety
    /// The product must meet the requirements of [`super::Gemm::multiply`], with weights in the order of
    /// [`at`](Self::at) and a step that is not 0.
    pub unsafe fn multiply(&self, p: &Product) {
        // SAFETY: the strips are this member's kernels for rows at steps, and the weights have its layout, as `#
        // Safety` requires.
        unsafe { panels(p, self.lanes, self.strips) };
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty, $mr:literal, [$($r:literal)*]) => {
        Words {
            name: $name,
            isa: $isa,
            mr: $mr,
            lanes: <$t>::LANES,
            strips: &[&[$(strip::<$r, 1>),*], &[$(strip::<$r, 2>),*]],
        }
    };
}

family! {
    Words: "i16_gemm" {
        #[inline(never)]
        fn write[V: usize](sums: &mut [[body::Sum<T>; V]], tile: &Tile<'_>) {
            body::write_sums::<T, V>(sums, tile)
        };
        fn strip[R: usize, V: usize](tile: &Tile<'_>) {
            body::tile::<T, Strip, R, V>(T::new(), tile, write::<V>)
        };
    }
    scalar("_2x8" ScalarWords, 2, [1 2]);
    avx2("_6x16" Avx2Words, 6, [1 2 3 4 5 6]);
    avx512("_8x32" Avx512Words, 8, [1 2 3 4 5 6 7 8]);
}
member_of_table!(Words);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Cached, Extent, Results};
    use super::*;
    use crate::family::available;
    use crate::random::Random;

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_sums(k in 1usize..90, columns in 1usize..70, more in 0usize..3, seed: u64) {
            let mut random = Random::new(seed);
            let mut word = |most: i32| (random.next() as i32 % (2 * most + 1) - most) as i16;
            let columns = columns.next_multiple_of(16);
            for member in available(TABLE) {
                let step = k + more;
                let a: Vec<i16> = (0..member.mr * step).map(|_| word(1020)).collect();
                let w: Vec<i16> = (0..columns * k).map(|_| word(1152)).collect();
                let mut packed = vec![0i16; member.packed_len(k, columns)];
                for (j, i) in (0..columns).flat_map(|j| (0..k).map(move |i| (j, i))) {
                    packed[member.at(k, columns, j, i)] = w[j * k + i];
                }
                for rows in 1..=member.mr {
                    let (stride, first) = (columns + 5, a.as_ptr().cast::<u8>());
                    let mut c = vec![7i32; rows * stride];
                    let product = Product {
                        a: &first,
                        step: step * size_of::<i16>(),
                        rows,
                        taps: 1,
                        k: k * size_of::<i16>(),
                        reach: Extent::Exact,
                        weights: packed.as_ptr().cast(),
                        cached: Cached::Yes,
                        column_bytes: Words::column_bytes(k),
                        results: Results::Sums,
                        c: c.as_mut_ptr().cast(),
                        stride: stride * size_of::<i32>(),
                        columns,
                    };
                    // SAFETY: the machine can run the member; all lengths match the vectors above.
                    unsafe { member.multiply(&product) };
                    for (r, j) in (0..rows).flat_map(|r| (0..stride).map(move |j| (r, j))) {
                        let product = |i: usize| i32::from(a[r * step + i]) * i32::from(w[j * k + i]);
                        let want = if j < columns { (0..k).map(product).sum() } else { 7 };
                        prop_assert_eq!(c[r * stride + j], want, "{} row {} column {}", member.name, r, j);
                    }
                }
            }
        }
    }
}
