//! Exact products of rows of 16-bit numbers with weights of 8 bits, in 64 bits.
//!
//! ```text
//! sums[r][c] = Σ_tap Σ_i a[tap][r][i] · weights[c][tap][i]        at most MOST products are added up in 32 bits
//! ```

mod body;
mod words;

use crate::isa::Isa;
use crate::simd::*;

/// The most products whose sum fits in 32 bits: each is at most 2¹⁵ · 2⁷. A multiple of all vectors.
const MOST: usize = 480;
const _: () = assert!(MOST < 1 << (31 - 15 - 7) && MOST.is_multiple_of(32));

/// The rows of a tile.
pub const ROWS: usize = 4;

/// The arguments of a kernel.
#[derive(Clone, Copy)]
pub struct Tile {
    /// `[taps][rows]` pointers, each to `k` numbers.
    pub a: *const *const i16,
    /// The number of rows, 1 to [`ROWS`].
    pub rows: usize,
    /// The number of taps.
    pub taps: usize,
    /// The number of elements per row and tap.
    pub k: usize,
    /// `[columns][taps · k]` weights.
    pub weights: *const i8,
    /// The number of columns.
    pub columns: usize,
    /// `[rows][columns]` results.
    pub sums: *mut i64,
}

/// # Safety
/// The machine must have the instructions. All pointers must be readable and the results writable, for as many elements
/// as the tile says.
pub type Kernel = unsafe fn(&Tile);

/// The family for one instruction set.
#[non_exhaustive]
pub struct Dots {
    /// The name, such as `i16i8_dot__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// Computes a tile.
    pub tile: Kernel,
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Dots { name: $name, isa: $isa, tile }
    };
}

family! {
    Dots: "i16i8_dot" {
        fn tile(t: &Tile);
    }
    vectors
}
member_of_table!(Dots);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::available;
    use crate::random::Random;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_code(
            k in 1usize..1100, taps in 1usize..4, rows in 1..=ROWS, columns in 1usize..6, extreme: bool, seed: u64,
        ) {
            let mut random = Random::new(seed);
            let count = taps * rows * k;
            // The largest products reach the bound of 32 bits.
            let a: Vec<i16> = (0..count).map(|_| if extreme { i16::MIN } else { random.next() as i16 }).collect();
            let w: Vec<i8> =
                (0..columns * taps * k).map(|_| if extreme { i8::MIN } else { random.next() as i8 }).collect();
            let pointers: Vec<*const i16> = a.chunks(k).map(<[i16]>::as_ptr).collect();
            for dots in available(TABLE) {
                let mut sums = vec![7i64; rows * columns + 1];
                let (a, weights) = (pointers.as_ptr(), w.as_ptr());
                // SAFETY: the machine can run the member; the lengths match the vectors.
                unsafe { (dots.tile)(&Tile { a, rows, taps, k, weights, columns, sums: sums.as_mut_ptr() }) };
                for (i, &sum) in sums[..rows * columns].iter().enumerate() {
                    let (r, c) = (i / columns, i % columns);
                    let term = |j: usize| {
                        // SAFETY: tap `j / k` of row `r` has `k` elements.
                        let x = unsafe { *pointers[j / k * rows + r].add(j % k) };
                        i64::from(x) * i64::from(w[c * taps * k + j])
                    };
                    prop_assert_eq!(sum, (0..taps * k).map(term).sum::<i64>(), "{}", dots.name);
                }
                prop_assert_eq!(sums[rows * columns], 7);
            }
        }
    }
}
