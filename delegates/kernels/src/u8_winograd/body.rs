//! Plain loops over lines of channels, which the compiler vectorizes.

// Indices are constants once the loops over a tile are unrolled.
#![allow(clippy::needless_range_loop)]

use super::{PRODUCTS, SUMS};
use crate::simd::Simd;

/// The number of channels that are transformed together.
const LINE: usize = 16;

/// # Safety
/// The arguments must meet the requirements of [`super::ByteWinograd::input`].
#[inline(always)]
pub(super) unsafe fn input<S: Simd>(
    s: S,
    channels: usize,
    pixels: *const *const u8,
    v: *mut i16,
    stride: usize,
) {
    if channels < LINE {
        // SAFETY: there are 16 pixels of `channels` bytes and 16 lines of as many values, `stride` apart, as `narrow`
        // requires.
        return unsafe { narrow(s, channels, pixels, v, stride) };
    }
    for c in (0..channels).step_by(LINE) {
        // The last line overlaps the previous one.
        let c = c.min(channels - LINE);
        // SAFETY: a line of each pixel is readable, and one of each value writable, as `ByteWinograd::input` requires.
        unsafe { line(|i| (*pixels.add(i)).add(c), |f| v.add(f * stride + c)) };
    }
}

/// Transforms fewer channels than a line.
///
/// # Safety
/// The arguments must meet the requirements of [`super::ByteWinograd::input`].
#[inline(always)]
unsafe fn narrow<S: Simd>(_: S, n: usize, pixels: *const *const u8, v: *mut i16, stride: usize) {
    let (mut x, mut y) = ([[0u8; LINE]; PRODUCTS], [[0i16; LINE]; PRODUCTS]);
    // SAFETY: each of the 16 pixels has `n` bytes, which fit in a line; each of the 16 results has `n` writable values.
    unsafe {
        for (i, x) in x.iter_mut().enumerate() {
            (*pixels.add(i)).copy_to(x.as_mut_ptr(), n);
        }
        line(|i| x[i].as_ptr(), |f| y.as_mut_ptr().add(f).cast());
        for (f, y) in y.iter().enumerate() {
            v.add(f * stride).copy_from(y.as_ptr(), n);
        }
    }
}

/// Transforms a line of channels.
///
/// # Safety
/// All 16 lines that `from` returns must be readable; the 16 lines that `to` returns must be writable.
#[inline(always)]
unsafe fn line(from: impl Fn(usize) -> *const u8, mut to: impl FnMut(usize) -> *mut i16) {
    let mut d = [[0i16; LINE]; PRODUCTS];
    for i in 0..PRODUCTS {
        // SAFETY: the line is readable, as `# Safety` requires of `from`.
        let x = unsafe { from(i).cast::<[u8; LINE]>().read() };
        for l in 0..LINE {
            d[i][l] = x[l].into();
        }
    }
    for j in 0..4 {
        bt(&mut d, [j, 4 + j, 8 + j, 12 + j]);
    }
    for i in 0..4 {
        bt(&mut d, [4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3]);
    }
    for f in 0..PRODUCTS {
        // SAFETY: the line is writable, as `# Safety` requires of `to`.
        unsafe { to(f).cast::<[i16; LINE]>().write_unaligned(d[f]) };
    }
}

/// `Bᵀ` applied to four lines.
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
/// The arguments must meet the requirements of [`super::ByteWinograd::output`].
#[inline(always)]
pub(super) unsafe fn output<S: Simd>(_: S, n: usize, p: *mut i32, stride: usize) {
    for j in (0..n).step_by(SUMS) {
        // SAFETY: `ByteWinograd::output` requires that the sums of each product are readable and writable up to the
        // next multiple of `SUMS`.
        let line = |i: usize| unsafe { p.add(i * stride + j).cast::<[i32; SUMS]>() };
        let mut half = [[[0i32; SUMS]; 4]; 2];
        for k in 0..4 {
            // SAFETY: `line` returns `SUMS` initialized sums of product `4 * i + k < 16`.
            let column = [0, 1, 2, 3].map(|i| unsafe { line(4 * i + k).read_unaligned() });
            [half[0][k], half[1][k]] = at(&column);
        }
        for (i, row) in half.iter().enumerate() {
            for (k, sums) in at(row).into_iter().enumerate() {
                // SAFETY: `line` returns `SUMS` writable sums of product `2 * i + k < 4`; all products have been read.
                unsafe { line(2 * i + k).write_unaligned(sums.map(|sum| sum >> 2)) };
            }
        }
    }
}

/// `Aᵀ` applied to four lines.
#[inline(always)]
fn at([a, b, c, e]: &[[i32; SUMS]; 4]) -> [[i32; SUMS]; 2] {
    [
        std::array::from_fn(|l| a[l].wrapping_add(b[l]).wrapping_add(c[l])),
        std::array::from_fn(|l| b[l].wrapping_sub(c[l]).wrapping_sub(e[l])),
    ]
}
