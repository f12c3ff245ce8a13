//! The microkernel, for any instruction set.

// Indices are constants once loops over rows and vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use super::{Product, are_summed};
use crate::rescale::QuantizedRow;
use crate::simd::dot::{AHEAD, Dot, SubByte, prefetch};
use crate::simd::{Ints, Simd};

type Sum<D> = <<D as Dot>::S as Ints>::I;
type Real<D> = <<D as Dot>::S as Simd>::V;

/// Computes `R` rows by `V` vectors of columns, with `P` weights in a byte. Bytes are multiplied with their zero points
/// included; the sums of weights correct that.
///
/// # Safety
/// `p` must meet the requirements of [`super::Gemm::multiply`], with at least `R` rows.
#[inline(always)]
pub(crate) unsafe fn tile<D: SubByte<P>, const P: usize, const R: usize, const V: usize>(d: D, p: &Product) {
    let (s, depth) = (d.ints(), p.blocks.depth());
    let vector = D::LANES * 4;
    let ones = [d.spread(u32::from_ne_bytes([D::OFFSET + 1; 4])); P];
    let mut reals = [[s.splat(0.0); V]; R];
    let (mut panel, mut at) = (p.panel, p.a);
    for _ in 0..p.blocks.count {
        let scales = panel.cast::<f32>();
        prefetch::<D, R>(s, panel, V * vector, AHEAD);
        panel = panel.wrapping_add(V * vector);
        let mut sums = [[s.splat_i32(0); V]; R];
        // SAFETY: the sums of the columns' weights follow the scales, if they are stored.
        let mut of_weights = unsafe { stored_sums::<D, P, V>(s, &mut panel) };
        for _ in 0..p.blocks.lines / (4 * P) {
            prefetch::<D, R>(s, panel, V * vector, AHEAD);
            for v in 0..V {
                // SAFETY: the panel has four bytes per column for these lines.
                let weights = unsafe { d.parts(panel.add(v * vector)) };
                if !are_summed(P) {
                    of_weights[v] = d.dots(of_weights[v], ones, weights);
                }
                for r in 0..R {
                    // SAFETY: row `r` has as many more bytes.
                    let fours = unsafe { at.add(r * depth).cast::<[u32; P]>().read_unaligned() };
                    sums[r][v] = d.dots(sums[r][v], fours.map(|four| d.spread(four)), weights);
                }
            }
            panel = panel.wrapping_add(V * vector);
            at = at.wrapping_add(4 * P);
        }
        // SAFETY: there is a quantization for each row, and the block begins with a scale per column.
        unsafe { add::<D, P, R, V>(d, &mut reals, &sums, &of_weights, (p.rows, scales)) };
    }
    // SAFETY: the rows and columns of `p` have biases and results.
    unsafe { write(d.ints(), &reals, p) };
}

/// The sums of the columns' weights, after which the panel continues; zeros if they are not stored.
///
/// # Safety
/// If they are stored, there must be a sum for each column.
#[inline(always)]
unsafe fn stored_sums<D: Dot, const P: usize, const V: usize>(s: D::S, panel: &mut *const u8) -> [Sum<D>; V] {
    let mut sums = [s.splat_i32(0); V];
    if are_summed(P) {
        for v in 0..V {
            // SAFETY: there is a sum for each column, as `# Safety` requires.
            sums[v] = unsafe { s.load_i32(panel.cast::<i32>().add(v * D::LANES)) };
        }
        *panel = panel.wrapping_add(V * D::LANES * size_of::<i32>());
    }
    sums
}

/// Adds the sums of a block to the results.
///
/// # Safety
/// There must be `R` rows, and a scale for each column.
#[inline(always)]
unsafe fn add<D: SubByte<P>, const P: usize, const R: usize, const V: usize>(
    d: D,
    reals: &mut [[Real<D>; V]; R],
    sums: &[[Sum<D>; V]; R],
    of_weights: &[Sum<D>; V],
    (rows, scales): (*const QuantizedRow, *const f32),
) {
    let s = d.ints();
    for r in 0..R {
        // SAFETY: there is a quantization for each row, as `# Safety` requires.
        let row = unsafe { *rows.add(r) };
        let zero = s.splat_i32(row.zero_point - i32::from(D::OFFSET));
        for v in 0..V {
            let zeros = s.mul_i32(of_weights[v], zero);
            let sum = match are_summed(P) {
                true => s.sub_i32(s.shift_right(sums[r][v], D::SHIFT), zeros),
                false => s.shift_right(s.sub_i32(sums[r][v], zeros), D::SHIFT),
            };
            // SAFETY: there is a scale for each column, as `# Safety` requires.
            let scale = unsafe { s.load(scales.add(v * D::LANES)) };
            let real = s.real(sum);
            reals[r][v] = s.add(reals[r][v], s.mul(real, s.mul(s.splat(row.scale), scale)));
        }
    }
}

/// Writes the results of the columns that have some.
///
/// # Safety
/// `p` must meet the requirements of [`super::Gemm::multiply`], with at least `R` rows.
#[inline(always)]
unsafe fn write<S: Simd, const R: usize, const V: usize>(s: S, reals: &[[S::V; V]; R], p: &Product) {
    for r in 0..R {
        for v in 0..V {
            let from = v * S::LANES;
            if from >= p.columns {
                break;
            }
            // SAFETY: there is a bias per column of the panel, and the results of the first columns are writable.
            unsafe {
                let y = s.add(s.load(p.bias.add(from)), reals[r][v]);
                let y = s.clamp(y, s.splat(p.limits.low), s.splat(p.limits.high));
                s.store_first(p.c.add(r * p.stride + from), y, (p.columns - from).min(S::LANES));
            }
        }
    }
}
