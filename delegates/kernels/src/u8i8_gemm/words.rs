//! Products of words instead of bytes: rows of `i16` at steps and weights of `i16`, for sums below 2³¹.
//!
//! ```text
//! panel: ⌈k / 2⌉ groups of two lines, with the words of a column side by side; a line past k is zero
//! ```

// Indices are constants once loops over rows and vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use super::body::{self, Sum};
use super::{Microkernel, Product, Tile, each_panel};
use crate::isa::Isa;
use crate::simd::Ints;
use crate::simd::dot::*;

/// The most rows whose sums are in registers.
const ROWS: usize = 6;

/// A member of the family.
#[non_exhaustive]
pub struct Words {
    /// The name, such as `i16_gemm_6x16__avx2`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// The number of columns of a vector.
    lanes: usize,
    /// `strips[v − 1]` is the kernel for `v` vectors of columns.
    strips: &'static [Microkernel],
}

impl Words {
    /// Products with a multiple of this many rows are the fastest.
    pub const ROWS: usize = ROWS;

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

    /// Computes a product of any number of rows of `2 k` bytes, which has one tap. Its results are sums.
    ///
    /// # Safety
    /// The product must meet the requirements of [`super::Gemm::multiply`] but for the number of rows, with weights in
    /// the order of [`at`](Self::at) and a step that is not 0.
    pub unsafe fn multiply(&self, p: &Product) {
        // SAFETY: the kernel is for this number of vectors; all else is as `# Safety` requires.
        each_panel(p, self.lanes, self.strips.len(), |vectors, panel| unsafe {
            self.strips[vectors - 1](&panel);
        });
    }
}

/// The most rows of a tile. Without registers for vectors, taller ones only make code longer.
const fn most<D: Dot>() -> usize {
    if D::LANES > 4 { ROWS } else { 2 }
}

/// Computes all rows by `V` vectors of columns, in tiles of about equally many rows.
///
/// # Safety
/// As for [`Words::multiply`], with a panel of `V` vectors.
#[inline(always)]
unsafe fn in_tiles<D: Dot, const V: usize>(d: D, t: &Tile<'_>) {
    let tiles = t.rows.div_ceil(const { most::<D>() });
    for i in 0..tiles {
        let (first, end) = (i * t.rows / tiles, (i + 1) * t.rows / tiles);
        // SAFETY: the tile has these rows; all else is as `# Safety` requires.
        unsafe {
            match end - first {
                1 => tile::<D, 1, V>(d, t, first),
                _ if const { most::<D>() == 2 } => tile::<D, 2, V>(d, t, first),
                2 => tile::<D, 2, V>(d, t, first),
                3 => tile::<D, 3, V>(d, t, first),
                4 => tile::<D, 4, V>(d, t, first),
                5 => tile::<D, 5, V>(d, t, first),
                _ => tile::<D, ROWS, V>(d, t, first),
            }
        }
    }
}

/// Computes `R` rows from row `first` on.
///
/// # Safety
/// As for [`in_tiles`]. The product must have the rows.
#[inline(always)]
unsafe fn tile<D: Dot, const R: usize, const V: usize>(d: D, t: &Tile<'_>, first: usize) {
    let (p, mut w) = (t.product, t.weights);
    let (groups, rest) = (p.k / 4, p.k % 4);
    let mut sums: [[Sum<D>; V]; R] = [[d.ints().splat_i32(0); V]; R];
    let mut rows = [core::ptr::null::<u8>(); R];
    // SAFETY: the tap has a pointer to its first row; `k` bytes of each row are readable, and the panel has weights for
    // them. Rows of results have room for whole vectors.
    unsafe {
        for r in 0..R {
            rows[r] = (*p.a).wrapping_add((first + r) * p.step);
        }
        for g in 0..groups {
            body::group(d, &mut sums, |r| rows[r].add(4 * g).cast::<u32>().read_unaligned(), w);
            w = w.add(V * D::WEIGHTS);
        }
        if rest > 0 {
            body::group(d, &mut sums, |r| body::first(rows[r].add(4 * groups), rest), w);
        }
        for r in 0..R {
            t.c.add((first + r) * p.stride).cast::<[Sum<D>; V]>().write_unaligned(sums[r]);
        }
    }
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Words { name: $name, isa: $isa, lanes: <$t>::LANES, strips: &[strip::<1>, strip::<2>] }
    };
}

family! {
    Words: "i16_gemm" {
        fn strip[V: usize](tile: &Tile<'_>) {
            in_tiles::<T, V>(T::new(), tile)
        };
    }
    scalar("_2x8" ScalarWords);
    avx2("_6x16" Avx2Words);
    avx512("_6x32" Avx512Words);
}
member_of_table!(Words);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Cached, Extent, Results};
    use super::*;
    use crate::family::available;
    use crate::random::Random;

    /// The most rows of a product here.
    const MOST: usize = 3 * Words::ROWS;

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_sums(k in 1usize..90, columns in 1usize..70, more in 0usize..3, seed: u64) {
            let mut random = Random::new(seed);
            let mut word = |most: i32| (random.next() as i32 % (2 * most + 1) - most) as i16;
            let columns = columns.next_multiple_of(16);
            for member in available(TABLE) {
                let step = k + more;
                let a: Vec<i16> = (0..MOST * step).map(|_| word(1020)).collect();
                let w: Vec<i16> = (0..columns * k).map(|_| word(1152)).collect();
                let mut packed = vec![0i16; member.packed_len(k, columns)];
                for (j, i) in (0..columns).flat_map(|j| (0..k).map(move |i| (j, i))) {
                    packed[member.at(k, columns, j, i)] = w[j * k + i];
                }
                for rows in 1..=MOST {
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
