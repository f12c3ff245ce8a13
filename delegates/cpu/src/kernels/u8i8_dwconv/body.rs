//! The kernels, for any instruction set. `P` is the number of pixels that a vector of bytes holds.

// Indices are constants once loops over vectors are unrolled: so sums stay in registers.
#![allow(clippy::needless_range_loop)]

use super::{Outputs, Rows};
use crate::requantize::{Bytes, Channels};
use crate::simd::dot::Dot;
use crate::simd::{Ints, Simd};

/// Vectors of pixels that are computed together.
const TOGETHER: usize = 4;

type Sum<D> = <<D as Dot>::S as Ints>::I;

/// # Safety
/// That of [`super::Interleave`].
#[inline(always)]
pub(super) unsafe fn interleave<S: Ints, const P: usize, const OFFSET: u8>(s: S, rows: &Rows) {
    let channels = 4 * S::LANES / P;
    let mut done = 0;
    while done < rows.count {
        // The last vector overlaps the one before it.
        let p = done.min(rows.count - P);
        // SAFETY: `p + P ≤ count`.
        unsafe {
            let mut four =
                [s.load_runs::<P>(rows.from[0].add(p * rows.steps[0]), rows.steps[0], rows.channels); 4];
            for i in 1..4 {
                four[i] = s.load_runs::<P>(rows.from[i].add(p * rows.steps[i]), rows.steps[i], rows.channels);
            }
            let quads = s.interleave(four);
            for q in 0..4 {
                let quad = if OFFSET == 0 { quads[q] } else { s.flip_bytes(quads[q]) };
                s.store_bytes(rows.to.add(q * rows.plane + p * channels), quad);
            }
        }
        done = p + P;
    }
}

/// # Safety
/// That of [`super::Convolve`].
#[inline(always)]
pub(super) unsafe fn convolve<D: Dot, const P: usize>(d: D, o: &Outputs) {
    // SAFETY: the caller's promise.
    unsafe {
        if o.is_general {
            pixels::<D, P, true>(d, o);
        } else {
            pixels::<D, P, false>(d, o);
        }
    }
}

#[inline(always)]
unsafe fn pixels<D: Dot, const P: usize, const GENERAL: bool>(d: D, o: &Outputs) {
    let mut p = 0;
    // SAFETY: the caller's promise.
    unsafe {
        while p + TOGETHER * P <= o.count {
            vectors::<D, P, TOGETHER, GENERAL>(d, o, p, P);
            p += TOGETHER * P;
        }
        while p < o.count {
            vectors::<D, P, 1, GENERAL>(d, o, p, P.min(o.count - p));
            p += P;
        }
    }
}

/// `V` vectors of pixels from `p` on; of the last one `count` are written.
#[inline(always)]
unsafe fn vectors<D: Dot, const P: usize, const V: usize, const GENERAL: bool>(
    d: D,
    o: &Outputs,
    p: usize,
    count: usize,
) {
    let s = d.ints();
    let width = 4 * <D::S as Simd>::LANES;
    let stride = Channels::stride(<D::S as Simd>::LANES);
    // SAFETY: planes, weights and table are as large as the caller promises; results of `V` vectors are writable.
    unsafe {
        let mut sums: [[Sum<D>; V]; 4] =
            std::array::from_fn(|q| [s.load_i32(o.table.add(q * stride).cast()); V]);
        let mut w = o.weights;
        for tap in 0..o.taps {
            let plane = o.planes.add(*o.offsets.add(tap) + p * (width / P));
            for q in 0..4 {
                let weights = d.weights(w);
                w = w.add(D::WEIGHTS);
                for v in 0..V {
                    let fours = d.fours(plane.add(q * o.plane + v * width));
                    sums[q][v] = d.dot(sums[q][v], fours, weights);
                }
            }
        }
        let zero_point = s.splat_i32(o.bytes.zero_point);
        for q in 0..4 {
            for v in 0..V {
                sums[q][v] = s.requantize::<GENERAL, GENERAL>(sums[q][v], o.table.add(q * stride));
                if GENERAL {
                    sums[q][v] = s.add_i32(sums[q][v], zero_point);
                }
            }
        }
        let bytes = if GENERAL { Bytes { zero_point: 0, ..o.bytes } } else { o.bytes };
        for v in 0..V {
            let all = s.narrow_interleaved([sums[0][v], sums[1][v], sums[2][v], sums[3][v]], &bytes);
            let n = if v + 1 == V { count } else { P };
            s.store_runs::<P>(o.c.add((p + v * P) * o.step), o.step, o.channels, n, all);
        }
    }
}
