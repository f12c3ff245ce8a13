//! The loops, which the compiler vectorizes for any instruction set.

use super::tables::{RowTables, Spectrum, reversed};
use crate::simd::Simd;

/// Transforms all columns in place. Rows are in bit-reversed order before, and in natural order after.
///
/// ```text
/// for half = 1, 2, 4, …:  a, b = rows k, k + half of a block of 2 half rows;  t = b e^(−πi k / half)
///                         a, b = a + t, a − t
/// ```
///
/// # Safety
/// None: it is unsafe because of its place in the family. Lengths that do not fit panic.
#[inline(always)]
pub(super) unsafe fn columns<S: Simd>(_: S, roots: &[[f64; 2]], columns: usize, x: Spectrum<'_>) {
    let (length, Spectrum { re, im }) = (x.re.len() / columns, x);
    let mut half = 1;
    while half < length {
        for block in (0..length).step_by(2 * half) {
            for k in 0..half {
                let [cos, sin] = roots[k * (roots.len() / half)];
                let (a, b) = ((block + k) * columns, (block + k + half) * columns);
                let (re_a, re_b) = re[a..b + columns].split_at_mut(b - a);
                let (im_a, im_b) = im[a..b + columns].split_at_mut(b - a);
                let (re_a, im_a) = (&mut re_a[..columns], &mut im_a[..columns]);
                let (re_b, im_b) = (&mut re_b[..columns], &mut im_b[..columns]);
                for i in 0..columns {
                    let (re, im) = (re_b[i] * cos - im_b[i] * sin, re_b[i] * sin + im_b[i] * cos);
                    (re_b[i], im_b[i]) = (re_a[i] - re, im_a[i] - im);
                    (re_a[i], im_a[i]) = (re_a[i] + re, im_a[i] + im);
                }
            }
        }
        half *= 2;
    }
}

/// The transform of a row of reals, with zeros after `x`; see the head of the module.
///
/// # Safety
/// As for [`columns`].
#[inline(always)]
pub(super) unsafe fn row<S: Simd>(s: S, tables: &RowTables, x: &[f32], work: &mut [f64], y: Spectrum<'_>) {
    let &RowTables { across, down, .. } = tables;
    let (z, turned) = work.split_at_mut(2 * across * down);
    let (mut z, mut turned) = (Spectrum::halves_of(z), Spectrum::halves_of(turned));
    load(tables, x, &mut z);
    // SAFETY: the function has no requirements.
    unsafe { columns(s, &tables.roots, across, z.reborrow()) };
    turn(tables, &z, &mut turned);
    // SAFETY: the function has no requirements.
    unsafe { columns(s, &tables.roots, down, turned.reborrow()) };
    split(tables, &turned, y);
}

/// Pairs of neighbours as complex numbers, in rows whose order is bit-reversed.
#[inline(always)]
fn load(&RowTables { across, down, .. }: &RowTables, x: &[f32], z: &mut Spectrum<'_>) {
    let rows = z.re.chunks_exact_mut(across).zip(z.im.chunks_exact_mut(across));
    for (n, (re, im)) in rows.enumerate() {
        let x = x.get(2 * reversed(n, down) * across..).unwrap_or_default();
        let pairs = x[..x.len().min(2 * across)].chunks(2);
        let rest = pairs.len();
        for ((re, im), pair) in re.iter_mut().zip(&mut *im).zip(pairs) {
            (*re, *im) = (f64::from(pair[0]), f64::from(pair.get(1).copied().unwrap_or_default()));
        }
        re[rest..].fill(0.0);
        im[rest..].fill(0.0);
    }
}

/// Multiplies by the roots between both transforms, and transposes to rows whose order is bit-reversed.
#[inline(always)]
fn turn(tables: &RowTables, z: &Spectrum<'_>, turned: &mut Spectrum<'_>) {
    let &RowTables { across, down, .. } = tables;
    for n in 0..across {
        let to = reversed(n, across) * down;
        let (re, im) = (&mut turned.re[to..][..down], &mut turned.im[to..][..down]);
        for (k, [cos, sin]) in tables.turns[n * down..][..down].iter().enumerate() {
            let (a, b) = (z.re[k * across + n], z.im[k * across + n]);
            (re[k], im[k]) = (a * cos - b * sin, a * sin + b * cos);
        }
    }
}

/// Computes the transform of the row from the transform of its pairs.
#[inline(always)]
fn split(tables: &RowTables, z: &Spectrum<'_>, y: Spectrum<'_>) {
    let (re, im, half) = (&*z.re, &*z.im, z.re.len());
    (y.re[0], y.im[0]) = (re[0] + im[0], 0.0);
    (y.re[half], y.im[half]) = (re[0] - im[0], 0.0);
    for (k, &[cos, sin]) in tables.halves.iter().enumerate().skip(1) {
        let even = [0.5 * (re[k] + re[half - k]), 0.5 * (im[k] - im[half - k])];
        let odd = [0.5 * (im[k] + im[half - k]), 0.5 * (re[half - k] - re[k])];
        let turned = [odd[0] * cos - odd[1] * sin, odd[0] * sin + odd[1] * cos];
        (y.re[half - k], y.im[half - k]) = (even[0] - turned[0], turned[1] - even[1]);
        (y.re[k], y.im[k]) = (even[0] + turned[0], even[1] + turned[1]);
    }
}
