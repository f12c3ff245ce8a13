//! The transforms, for any instruction set. `A` is α.

// Indices are constants once the loops over a tile are unrolled.
#![allow(clippy::needless_range_loop)]

use super::{FILTERS, Output};
use crate::simd::Simd;

/// `Bᵀ d` for a column.
#[inline(always)]
fn bt<S: Simd, const A: usize>(s: S, d: [S::V; A]) -> [S::V; A] {
    let mut o = d;
    if A == 4 {
        o[0] = s.sub(d[0], d[2]);
        o[1] = s.add(d[1], d[2]);
        o[2] = s.sub(d[2], d[1]);
        o[3] = s.sub(d[1], d[3]);
        return o;
    }
    let (two, four, five) = (s.splat(2.0), s.splat(4.0), s.splat(-5.0));
    let minus_four = s.splat(-4.0);
    let (a, b) = (s.fma(minus_four, d[2], d[4]), s.fma(minus_four, d[1], d[3]));
    let (e, f) = (s.sub(d[4], d[2]), s.mul(two, s.sub(d[3], d[1])));
    o[0] = s.fma(four, d[0], s.fma(five, d[2], d[4]));
    o[1] = s.add(a, b);
    o[2] = s.sub(a, b);
    o[3] = s.add(e, f);
    o[4] = s.sub(e, f);
    o[5] = s.fma(four, d[1], s.fma(five, d[3], d[5]));
    o
}

/// `Aᵀ p` for a column: the first α − 2 values.
#[inline(always)]
fn at<S: Simd, const A: usize>(s: S, p: [S::V; A]) -> [S::V; A] {
    let mut o = p;
    if A == 4 {
        o[0] = s.add(p[0], s.add(p[1], p[2]));
        o[1] = s.sub(s.sub(p[1], p[2]), p[3]);
        return o;
    }
    let (s1, s2) = (s.add(p[1], p[2]), s.add(p[3], p[4]));
    let (d1, d2) = (s.sub(p[1], p[2]), s.sub(p[3], p[4]));
    o[0] = s.add(p[0], s.add(s1, s2));
    o[1] = s.fma(s.splat(2.0), d2, d1);
    o[2] = s.fma(s.splat(4.0), s2, s1);
    o[3] = s.fma(s.splat(8.0), d2, s.add(d1, p[5]));
    o
}

/// # Safety
/// There must be `A²` pointers, each readable for `channels` values. `v` must be writable for `channels` values at each
/// of `A²` places, at a distance of `stride`.
#[inline(always)]
pub(super) unsafe fn input<S: Simd, const A: usize>(
    s: S,
    channels: usize,
    pixels: *const *const f32,
    v: *mut f32,
    stride: usize,
) {
    let mut c = 0;
    while c < channels {
        let n = (channels - c).min(S::LANES);
        let mut half = [[s.splat(0.0); A]; A];
        for j in 0..A {
            let mut column = [s.splat(0.0); A];
            for i in 0..A {
                // SAFETY: each of the `A²` pixels has `channels` values; `c` is below that, and at most the remaining
                // values are read.
                unsafe {
                    let p = (*pixels.add(i * A + j)).add(c);
                    column[i] = if n == S::LANES { s.load(p) } else { s.load_first(p, n) };
                }
            }
            let column = bt::<S, A>(s, column);
            for i in 0..A {
                half[i][j] = column[i];
            }
        }
        for i in 0..A {
            let row = bt::<S, A>(s, half[i]);
            for j in 0..A {
                // SAFETY: `v` has `channels` values for this tile at each of its `A²` places, as `# Safety` requires.
                unsafe {
                    let to = v.add((i * A + j) * stride + c);
                    if n == S::LANES { s.store(to, row[j]) } else { s.store_first(to, row[j], n) }
                }
            }
        }
        c += S::LANES;
    }
}

/// # Safety
/// The pointers of `o` must be readable and writable as [`Output`] describes.
#[inline(always)]
pub(super) unsafe fn output<S: Simd, const A: usize>(s: S, o: &Output) {
    let (low, high) = (s.splat(o.low), s.splat(o.high));
    let mut c = 0;
    while c < o.channels {
        let n = (o.channels - c).min(S::LANES);
        let whole = n == S::LANES;
        let mut half = [[s.splat(0.0); A]; A];
        for j in 0..A {
            let mut column = [s.splat(0.0); A];
            for i in 0..A {
                // SAFETY: `p` has `channels` values for this tile at each of its places, as `# Safety` requires.
                unsafe {
                    let p = o.p.add((i * A + j) * o.stride + c);
                    column[i] = if whole { s.load(p) } else { s.load_first(p, n) };
                }
            }
            let column = at::<S, A>(s, column);
            for i in 0..A - 2 {
                half[i][j] = column[i];
            }
        }
        // SAFETY: there is a bias for each channel, as `# Safety` requires.
        let bias = unsafe { if whole { s.load(o.bias.add(c)) } else { s.load_first(o.bias.add(c), n) } };
        for i in 0..A - 2 {
            let row = at::<S, A>(s, half[i]);
            for j in 0..A - 2 {
                if i < o.size[0] && j < o.size[1] {
                    let y = s.clamp(s.add(row[j], bias), low, high);
                    // SAFETY: row `i` and column `j` are within `size`, so the pixel is one of the results, and has
                    // `channels` values.
                    unsafe {
                        let to = o.y.add(i * o.row + j * o.channels + c);
                        if whole { s.store(to, y) } else { s.store_first(to, y, n) }
                    }
                }
            }
        }
        c += S::LANES;
    }
}

const G2: [[f64; 3]; 4] = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]];

const G4: [[f64; 3]; 6] = [
    [0.25, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

/// # Safety
/// The machine must have the instruction set.
#[inline(always)]
pub(super) unsafe fn filters<S: Simd, const A: usize>(_: S, g: &[[f32; FILTERS]; 9]) -> [[f32; FILTERS]; 36] {
    let rows: [[f64; 3]; A] = std::array::from_fn(|i| if A == 4 { G2[i % 4] } else { G4[i] });
    let mut u = [[0.0; FILTERS]; 36];
    for (i, a) in rows.iter().enumerate() {
        let half: [[f64; FILTERS]; 3] = std::array::from_fn(|k| {
            std::array::from_fn(|l| (0..3).map(|t| a[t] * f64::from(g[t * 3 + k][l])).sum())
        });
        for (j, b) in rows.iter().enumerate() {
            u[i * A + j] = std::array::from_fn(|l| (0..3).map(|k| b[k] * half[k][l]).sum::<f64>() as f32);
        }
    }
    u
}
