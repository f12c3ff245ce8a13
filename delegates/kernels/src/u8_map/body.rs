//! The functions, for any instruction set.

use crate::simd::{Ints, Scalar, Simd};

/// How an instruction set looks up bytes in a table.
///
/// # Safety
/// A value of the type may only exist if the machine has the instructions.
pub(super) unsafe trait Lookup: Copy {
    /// The vectors of bytes.
    type S: Ints;
    /// A table, in registers if there are instructions for that.
    type Table<'t>: Copy;

    /// The arithmetic of the vectors.
    fn ints(self) -> Self::S;
    /// Prepares a table.
    fn table(self, table: &[u8; 256]) -> Self::Table<'_>;
    /// `table[x]` for each byte.
    fn look(self, table: Self::Table<'_>, x: <Self::S as Ints>::B) -> <Self::S as Ints>::B;
}

// SAFETY: plain Rust needs no special instructions.
unsafe impl Lookup for Scalar {
    type S = Scalar;
    type Table<'t> = &'t [u8; 256];

    #[inline(always)]
    fn ints(self) -> Scalar {
        self
    }
    #[inline(always)]
    fn table(self, table: &[u8; 256]) -> &[u8; 256] {
        table
    }
    #[inline(always)]
    fn look(self, table: &[u8; 256], x: [u8; 16]) -> [u8; 16] {
        x.map(|x| table[usize::from(x)])
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::ByteMap`].
#[inline(always)]
pub(super) unsafe fn flip<L: Lookup>(l: L, n: usize, x: *const u8, y: *mut u8) {
    let (s, bytes) = (l.ints(), 4 * L::S::LANES);
    // Explicit vectors: the compiler makes none where source and target are the same memory.
    for at in (0..n).step_by(bytes) {
        let here = bytes.min(n - at);
        // SAFETY: the `here` bytes at `at` are among the `n` bytes that are readable and writable, as `ByteMap`
        // requires.
        unsafe {
            let flipped = s.flip_bytes(s.load_runs::<1>(x.add(at), 0, here));
            match here == bytes {
                // Without a mask: a load that follows a masked store waits until that is in the cache.
                true => s.store_bytes(y.add(at), flipped),
                false => s.store_runs::<1>(y.add(at), 0, here, 1, flipped),
            }
        }
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::ByteMap`].
#[inline(always)]
pub(super) unsafe fn lookup<L: Lookup>(l: L, n: usize, x: *const u8, table: &[u8; 256], y: *mut u8) {
    let (s, bytes, table) = (l.ints(), 4 * L::S::LANES, l.table(table));
    for at in (0..n).step_by(bytes) {
        let here = bytes.min(n - at);
        // SAFETY: the `here` bytes at `at` are among the `n` bytes that are readable and writable, as `ByteMap`
        // requires.
        unsafe {
            let looked = l.look(table, s.load_runs::<1>(x.add(at), 0, here));
            s.store_runs::<1>(y.add(at), 0, here, 1, looked);
        }
    }
}
