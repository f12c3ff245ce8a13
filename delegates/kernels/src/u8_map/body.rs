//! The functions, for any instruction set.

use crate::simd::{Ints, Scalar, Simd};

/// How an instruction set looks bytes up in a table.
///
/// # Safety
/// A value of the type exists only where the machine has the instructions.
pub(super) unsafe trait Lookup: Copy {
    /// Vectors of bytes.
    type S: Ints;
    /// A table, in registers where there are instructions for that.
    type Table<'t>: Copy;

    /// The arithmetic of the vectors.
    fn ints(self) -> Self::S;
    /// Makes a table ready.
    fn table(self, table: &[u8; 256]) -> Self::Table<'_>;
    /// `table[x]` of each byte.
    fn look(self, table: Self::Table<'_>, x: <Self::S as Ints>::B) -> <Self::S as Ints>::B;
}

// SAFETY: it needs no instructions.
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
/// That of [`super::ByteMap`].
#[inline(always)]
pub(super) unsafe fn flip<S: Copy>(_: S, n: usize, x: *const u8, y: *mut u8) {
    for i in 0..n {
        // SAFETY: `n` bytes are readable and writable, as the caller promises.
        unsafe { *y.add(i) = *x.add(i) ^ 0x80 };
    }
}

/// # Safety
/// That of [`super::ByteMap`].
#[inline(always)]
pub(super) unsafe fn lookup<L: Lookup>(l: L, n: usize, x: *const u8, table: &[u8; 256], y: *mut u8) {
    let (s, bytes, table) = (l.ints(), 4 * L::S::LANES, l.table(table));
    for at in (0..n).step_by(bytes) {
        let here = bytes.min(n - at);
        // SAFETY: `here` bytes from `at` on are inside the `n` that are readable and writable, as the caller promises.
        unsafe {
            let looked = l.look(table, s.load_runs::<1>(x.add(at), 0, here));
            s.store_runs::<1>(y.add(at), 0, here, 1, looked);
        }
    }
}
