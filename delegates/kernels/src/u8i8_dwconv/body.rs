//! The kernels, for any instruction set. `P` is the number of pixels in a vector of bytes.

// Indices are constants once loops over vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use super::{Outputs, PixelRows, Results};
use crate::requantize::{Bytes, Channels};
use crate::rescale::{QuantizedRow, RealChannels, rescale};
use crate::simd::dot::Dot;
use crate::simd::{Ints, Simd};
use arenite_base::Clamp;

/// The number of vectors of pixels that are computed together.
const TOGETHER: usize = 4;

type Sum<D> = <<D as Dot>::S as Ints>::I;

/// # Safety
/// `rows` must meet the requirements of [`super::Interleave`].
#[inline(always)]
pub(super) unsafe fn interleave<D: Dot, const P: usize>(d: D, rows: &PixelRows) {
    let (s, channels) = (d.ints(), 4 * D::LANES / P);
    let mut done = 0;
    while done < rows.count {
        // The last vector overlaps the previous one.
        let p = done.min(rows.count - P);
        // SAFETY: `p + P ≤ count`, so all pixels are readable and their places in the planes writable, as `Interleave`
        // requires.
        unsafe {
            let mut four =
                [s.load_runs::<P>(rows.from[0].add(p * rows.steps[0]), rows.steps[0], rows.channels); 4];
            for i in 1..4 {
                four[i] = s.load_runs::<P>(rows.from[i].add(p * rows.steps[i]), rows.steps[i], rows.channels);
            }
            let quads = s.interleave(four);
            for q in 0..4 {
                let quad = if D::OFFSET == 0 { quads[q] } else { s.flip_bytes(quads[q]) };
                s.store_bytes(rows.to.add(q * rows.plane + p * channels), quad);
            }
        }
        done = p + P;
    }
}

/// Converts and writes the sums of `V` vectors of pixels.
trait Finish<D: Dot>: Copy {
    /// The initial sums.
    ///
    /// # Safety
    /// The table must be complete.
    unsafe fn start(self, d: D, q: usize) -> Sum<D>;
    /// Writes the results of the pixels from `p`: `count` pixels of the last vector and all pixels of the others.
    ///
    /// # Safety
    /// The table must be complete, and the results writable.
    unsafe fn write<const P: usize, const V: usize>(
        self,
        d: D,
        sums: [[Sum<D>; V]; 4],
        o: &Outputs,
        p: usize,
        count: usize,
    );
}

#[derive(Clone, Copy)]
struct ToBytes<const GENERAL: bool> {
    table: *const i64,
    bytes: Bytes,
}

#[derive(Clone, Copy)]
struct ToReals {
    table: *const u32,
    image: QuantizedRow,
    limits: Clamp,
}

impl<D: Dot, const GENERAL: bool> Finish<D> for ToBytes<GENERAL> {
    #[inline(always)]
    unsafe fn start(self, d: D, q: usize) -> Sum<D> {
        let stride = Channels::stride(D::LANES);
        // SAFETY: a complete table has a block for each of the four vectors, and `q` is one of them.
        unsafe { d.ints().load_i32(self.table.add(q * stride).cast()) }
    }
    #[inline(always)]
    unsafe fn write<const P: usize, const V: usize>(
        self,
        d: D,
        mut sums: [[Sum<D>; V]; 4],
        o: &Outputs,
        p: usize,
        count: usize,
    ) {
        let (s, stride) = (d.ints(), Channels::stride(D::LANES));
        let zero_point = s.splat_i32(self.bytes.zero_point);
        let bytes = if GENERAL { Bytes { zero_point: 0, ..self.bytes } } else { self.bytes };
        // SAFETY: a complete table has four blocks. The results have `channels` writable bytes for each pixel: `P`
        // pixels of each vector, and `count` of the last one.
        unsafe {
            for q in 0..4 {
                let channels = s.channels(self.table.add(q * stride));
                for v in 0..V {
                    sums[q][v] = match GENERAL {
                        true => s.add_i32(s.scale_by::<true, true>(sums[q][v], channels), zero_point),
                        false => s.scale_upper::<false>(sums[q][v], channels),
                    };
                }
            }
            for v in 0..V {
                let all = s.narrow_interleaved([sums[0][v], sums[1][v], sums[2][v], sums[3][v]], &bytes);
                let n = if v + 1 == V { count } else { P };
                let c = o.c.add((p + v * P) * o.step);
                match P == 1 && V == 1 && o.channels == 4 * D::LANES {
                    true => s.store_bytes(c, all),
                    // Later loads must wait for a store with a mask to reach the cache.
                    false => s.store_runs::<P>(c, o.step, o.channels, n, all),
                }
            }
        }
    }
}

impl<D: Dot> Finish<D> for ToReals {
    #[inline(always)]
    unsafe fn start(self, d: D, _: usize) -> Sum<D> {
        d.ints().splat_i32(0)
    }
    #[inline(always)]
    unsafe fn write<const P: usize, const V: usize>(
        self,
        d: D,
        sums: [[Sum<D>; V]; 4],
        o: &Outputs,
        p: usize,
        count: usize,
    ) {
        let (s, lanes) = (d.ints(), D::LANES);
        let stride = RealChannels::stride(lanes);
        let channels = 4 * lanes / P;
        for v in 0..V {
            let mut reals = [s.splat(0.0); 4];
            // SAFETY: a complete table has four blocks. Pixels from `n` and missing channels are skipped, and the last
            // vector of a pixel stores the remaining channels.
            unsafe {
                for q in 0..4 {
                    let block = self.table.add(q * stride);
                    reals[q] = rescale(s, sums[q][v], block, self.image, self.limits);
                }
                let reals = s.in_order(reals);
                let n = if v + 1 == V { count } else { P };
                for i in 0..4 {
                    let (pixel, channel) = (i * lanes / channels, i * lanes % channels);
                    if pixel < n && channel < o.channels {
                        let c = o.c.add((p + v * P + pixel) * o.step).cast::<f32>().add(channel);
                        s.store_first(c, reals[i], lanes.min(o.channels - channel));
                    }
                }
            }
        }
    }
}

/// # Safety
/// `o` must meet the requirements of [`super::Convolve`].
#[inline(always)]
pub(super) unsafe fn convolve<D: Dot, const P: usize>(d: D, o: &Outputs) {
    // SAFETY: the table is for this kind of results, as `Convolve` requires, which are also the requirements of the
    // called functions.
    unsafe {
        match o.results {
            Results::Bytes { table, is_far: true, bytes } => {
                pixels::<D, P, _>(d, o, ToBytes::<false> { table, bytes });
            }
            Results::Bytes { table, bytes, .. } => {
                pixels::<D, P, _>(d, o, ToBytes::<true> { table, bytes });
            }
            Results::Reals { table, image, limits } => {
                pixels::<D, P, _>(d, o, ToReals { table, image, limits });
            }
        }
    }
}

#[inline(always)]
unsafe fn pixels<D: Dot, const P: usize, F: Finish<D>>(d: D, o: &Outputs, finish: F) {
    let mut p = 0;
    while p < o.count {
        let left = (o.count - p).div_ceil(P);
        // Three vectors are computed together with the one before them.
        if left + 1 == TOGETHER && p > 0 {
            p -= P;
        }
        // SAFETY: vectors begin within `count`; at most the remaining pixels of the last one are written.
        unsafe {
            if p + (TOGETHER - 1) * P < o.count {
                vectors::<D, P, TOGETHER, F>(d, o, p, P.min(o.count - p - (TOGETHER - 1) * P), finish);
                p += TOGETHER * P;
            } else {
                vectors::<D, P, 1, F>(d, o, p, P.min(o.count - p), finish);
                p += P;
            }
        }
    }
}

/// Computes `V` vectors of pixels from `p`, and writes `count` pixels of the last one.
#[inline(always)]
unsafe fn vectors<D: Dot, const P: usize, const V: usize, F: Finish<D>>(
    d: D,
    o: &Outputs,
    p: usize,
    count: usize,
    finish: F,
) {
    let width = 4 * D::LANES;
    // SAFETY: planes, weights and table have the sizes that `Convolve` requires, and the results of `V` vectors are
    // writable.
    unsafe {
        let mut sums: [[Sum<D>; V]; 4] = [
            [finish.start(d, 0); V],
            [finish.start(d, 1); V],
            [finish.start(d, 2); V],
            [finish.start(d, 3); V],
        ];
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
        finish.write::<P, V>(d, sums, o, p, count);
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Pixel`].
#[inline(always)]
pub(super) unsafe fn pixel<D: Dot, const P: usize>(d: D, o: &Outputs, rows: *const *const u8) {
    let Results::Bytes { table, bytes, .. } = o.results else { return };
    let (s, finish) = (d.ints(), ToBytes::<false> { table, bytes });
    // SAFETY: each dot product has four pointers to pixels and four vectors of weights, and the table is complete, as
    // `Pixel` requires. A vector of bytes fits the room.
    unsafe {
        let mut sums: [[Sum<D>; 1]; 4] = [[s.splat_i32(0)]; 4];
        for q in 0..4 {
            sums[q][0] = Finish::<D>::start(finish, d, q);
        }
        let mut w = o.weights;
        for tap in 0..o.taps {
            let mut four = [s.load_runs::<P>(*rows.add(4 * tap), 0, o.channels); 4];
            for i in 1..4 {
                four[i] = s.load_runs::<P>(*rows.add(4 * tap + i), 0, o.channels);
            }
            let quads = s.interleave(four);
            for q in 0..4 {
                let mut room = core::mem::MaybeUninit::<[u8; 64]>::uninit();
                let quad = if D::OFFSET == 0 { quads[q] } else { s.flip_bytes(quads[q]) };
                s.store_bytes(room.as_mut_ptr().cast(), quad);
                sums[q][0] = d.dot(sums[q][0], d.fours(room.as_ptr().cast()), d.weights(w));
                w = w.add(D::WEIGHTS);
            }
        }
        Finish::<D>::write::<P, 1>(finish, d, sums, o, 0, 1);
    }
}
