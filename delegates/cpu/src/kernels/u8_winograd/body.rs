//! Plain loops over lines of channels, which the compiler makes vectors of.

// Indices are constants once the loops over a tile are unrolled.
#![allow(clippy::needless_range_loop)]

use super::{PRODUCTS, SUMS};
use crate::simd::Simd;

/// Channels that are transformed together.
const LINE: usize = 32;

/// # Safety
/// That of [`super::ByteWinograd::input`].
#[inline(always)]
pub(super) unsafe fn input<S: Simd>(
    _: S,
    channels: usize,
    pixels: *const *const u8,
    v: *mut i16,
    stride: usize,
) {
    for c in (0..channels).step_by(LINE) {
        let n = LINE.min(channels - c);
        let mut d = [[0i16; LINE]; PRODUCTS];
        for (i, d) in d.iter_mut().enumerate() {
            let mut x = [0u8; LINE];
            // SAFETY: `n` bytes of the pixel are readable, as the caller promises.
            unsafe {
                let from = (*pixels.add(i)).add(c);
                if n == LINE { x = from.cast::<[u8; LINE]>().read() } else { from.copy_to(x.as_mut_ptr(), n) }
            }
            *d = x.map(i16::from);
        }
        for j in 0..4 {
            bt(&mut d, [j, 4 + j, 8 + j, 12 + j]);
        }
        for i in 0..4 {
            bt(&mut d, [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3]);
        }
        for (f, d) in d.iter().enumerate() {
            // SAFETY: `n` words of the line are writable, as the caller promises.
            unsafe {
                let to = v.add(f * stride + c);
                if n == LINE {
                    to.cast::<[i16; LINE]>().write_unaligned(*d)
                } else {
                    to.copy_from(d.as_ptr(), n)
                }
            }
        }
    }
}

/// `Bᵀ` of four lines.
#[inline(always)]
fn bt(d: &mut [[i16; LINE]; PRODUCTS], at: [usize; 4]) {
    let [a, b, c, e] = at.map(|i| d[i]);
    for l in 0..LINE {
        d[at[0]][l] = a[l].wrapping_sub(c[l]);
        d[at[1]][l] = b[l].wrapping_add(c[l]);
        d[at[2]][l] = c[l].wrapping_sub(b[l]);
        d[at[3]][l] = b[l].wrapping_sub(e[l]);
    }
}

/// # Safety
/// That of [`super::ByteWinograd::output`].
#[inline(always)]
pub(super) unsafe fn output<S: Simd>(_: S, n: usize, p: *mut i32, stride: usize) {
    for j in (0..n).step_by(SUMS) {
        // SAFETY: sums are readable and writable to the next multiple, as the caller promises.
        let line = |i: usize| unsafe { p.add(i * stride + j).cast::<[i32; SUMS]>() };
        let mut half = [[[0i32; SUMS]; 4]; 2];
        for k in 0..4 {
            // SAFETY: as above.
            let column = [0, 1, 2, 3].map(|i| unsafe { line(4 * i + k).read_unaligned() });
            [half[0][k], half[1][k]] = at(&column);
        }
        for (i, row) in half.iter().enumerate() {
            for (k, sums) in at(row).into_iter().enumerate() {
                // SAFETY: as above; all products have been read.
                unsafe { line(2 * i + k).write_unaligned(sums.map(|sum| sum >> 2)) };
            }
        }
    }
}

/// `Aᵀ` of four lines.
#[inline(always)]
fn at([a, b, c, e]: &[[i32; SUMS]; 4]) -> [[i32; SUMS]; 2] {
    [
        std::array::from_fn(|l| a[l].wrapping_add(b[l]).wrapping_add(c[l])),
        std::array::from_fn(|l| b[l].wrapping_sub(c[l]).wrapping_sub(e[l])),
    ]
}
