//! The index of the first largest byte of each row or column.
//!
//! Bytes are compared after XOR with `flip`: 0xFF gives the index of the first smallest byte.

mod body;

use arenite_base::memory::Source;

use crate::isa::Isa;
use crate::simd::*;

/// Rows of bytes at equal distances.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// The first row.
    pub from: *const u8,
    /// The number of rows.
    pub count: usize,
    /// The distance between rows, in bytes.
    pub step: usize,
    /// The number of bytes of a row, at least one.
    pub n: usize,
    /// Bytes are XORed with this.
    pub flip: u8,
}

/// The family for one instruction set. All its functions are unsafe to call: the machine must have the instructions,
/// rows must be readable, and all results writable.
#[non_exhaustive]
pub struct Places {
    /// The name, such as `u8_arg__avx512`.
    pub name: &'static str,
    /// The CPU features that it needs.
    pub isa: Isa,
    /// For each row, the place in the row.
    pub in_rows: unsafe fn(&Rows, *mut i32),
    /// For each column, the number of the row.
    pub in_columns: unsafe fn(&Rows, *mut i32),
}

macro_rules! member {
    ($name:expr, $isa:expr, $t:ty) => {
        Places { name: $name, isa: $isa, in_rows, in_columns }
    };
}

family! {
    Places: "u8_arg" {
        fn in_rows(rows: &Rows, y: *mut i32);
        fn in_columns(rows: &Rows, y: *mut i32);
    }
    vectors
}
member_of_table!(Places);

impl Places {
    /// The places in contiguous rows of `n` bytes, as many as there are results.
    #[inline]
    pub fn of_rows(&self, x: Source<'_, u8>, n: usize, flip: u8, y: &mut [i32]) {
        let rows = Rows { from: x.at(0, y.len() * n), count: y.len(), step: n, n, flip };
        // SAFETY: the machine can run a selected member; `at` checked that the rows exist, and each has a result.
        unsafe { (self.in_rows)(&rows, y.as_mut_ptr()) }
    }

    /// The numbers of rows for columns that begin with the first byte, as many as there are results. There are `count`
    /// rows, `step` bytes apart.
    #[inline]
    pub fn of_columns(&self, x: Source<'_, u8>, [count, step]: [usize; 2], flip: u8, y: &mut [i32]) {
        let from = x.at(0, count.saturating_sub(1) * step + y.len());
        let rows = Rows { from, count, step, n: y.len(), flip };
        // SAFETY: the machine can run a selected member; `at` checked that the rows exist, and each column has a
        // result.
        unsafe { (self.in_columns)(&rows, y.as_mut_ptr()) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::family::available;
    use crate::random::Random;

    proptest! {
        #[test]
        fn every_member_agrees_with_plain_code(n in 1usize..700, count in 1usize..20, more in 0usize..9, seed: u64) {
            let mut random = Random::new(seed);
            let step = n + more;
            // Few values, so that several are the best.
            let x: Vec<u8> = (0..count * step).map(|_| (random.next() as u8 % 5) * 60).collect();
            let first = |bytes: &mut dyn Iterator<Item = u8>| {
                let (mut best, mut place) = (0, 0);
                for (i, byte) in bytes.enumerate() {
                    if i == 0 || byte > best {
                        (best, place) = (byte, i as i32);
                    }
                }
                place
            };
            for places in available(TABLE) {
                for flip in [0, 0xFF, 0x80] {
                    let rows = Rows { from: x.as_ptr(), count, step, n, flip };
                    let (mut in_rows, mut in_columns) = (vec![7; count + 1], vec![7; n + 1]);
                    // SAFETY: the machine can run the member; the lengths match the vectors.
                    unsafe {
                        (places.in_rows)(&rows, in_rows.as_mut_ptr());
                        (places.in_columns)(&rows, in_columns.as_mut_ptr());
                    }
                    for r in 0..count {
                        let want = first(&mut (0..n).map(|i| x[r * step + i] ^ flip));
                        prop_assert_eq!(in_rows[r], want, "{}", places.name);
                    }
                    for i in 0..n {
                        let want = first(&mut (0..count).map(|r| x[r * step + i] ^ flip));
                        prop_assert_eq!(in_columns[i], want, "{}", places.name);
                    }
                    prop_assert_eq!((in_rows[count], in_columns[n]), (7, 7));
                }
            }
        }
    }
}
