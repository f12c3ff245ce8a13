//! The microkernel, for any instruction set.

// Indices are constants once loops over rows and vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use super::{LINES, Product};
use crate::rescale::QuantizedRow;
use crate::simd::dot::{Dot, Nibbles};
use crate::simd::{Ints, Simd};

type Sum<D> = <<D as Dot>::S as Ints>::I;
type Real<D> = <<D as Dot>::S as Simd>::V;

/// Computes `R` rows by `V` vectors of columns. Bytes are multiplied with their zero points included; the sums of
/// weights correct that.
///
/// # Safety
/// `p` must meet the requirements of [`super::Gemm::multiply`], with at least `R` rows.
#[inline(always)]
pub(super) unsafe fn tile<D: Nibbles, const R: usize, const V: usize>(d: D, p: &Product) {
    let (s, depth) = (d.ints(), p.blocks.depth());
    let vector = D::LANES * 4;
    let ones = d.spread(u32::from_ne_bytes([D::OFFSET + 1; 4]));
    let mut reals = [[s.splat(0.0); V]; R];
    let (mut panel, mut at) = (p.panel, p.a);
    for _ in 0..p.blocks.count {
        let scales = panel.cast::<f32>();
        prefetch::<D, R>(s, panel, V * vector);
        panel = panel.wrapping_add(V * vector);
        let mut sums = [[s.splat_i32(0); V]; R];
        let mut of_weights = [s.splat_i32(0); V];
        for _ in 0..p.blocks.lines / LINES {
            prefetch::<D, R>(s, panel, V * vector);
            for v in 0..V {
                // SAFETY: the panel has four bytes per column for each eight lines.
                let [low, high] = unsafe { d.nibbles(panel.add(v * vector)) };
                of_weights[v] = d.dot(d.dot(of_weights[v], ones, low), ones, high);
                for r in 0..R {
                    // SAFETY: row `r` has eight more bytes.
                    let eight = unsafe { at.add(r * depth).cast::<[u32; 2]>().read_unaligned() };
                    let sum = d.dot(sums[r][v], d.spread(eight[0]), low);
                    sums[r][v] = d.dot(sum, d.spread(eight[1]), high);
                }
            }
            panel = panel.wrapping_add(V * vector);
            at = at.wrapping_add(LINES);
        }
        // SAFETY: there is a quantization for each row, and the block begins with a scale per column.
        unsafe { add(d, &mut reals, &sums, &of_weights, (p.rows, scales)) };
    }
    // SAFETY: the rows and columns of `p` have biases and results.
    unsafe { write(d.ints(), &reals, p) };
}

/// How far ahead of its use a panel is fetched, in bytes. The processor itself fetches no further than to the end of a
/// page.
const AHEAD: usize = 4096;
/// Bytes that are fetched at once.
const FETCHED: usize = 64;

/// Prefetches a later part of the panels; past their end, that has no effect. A single row uses each weight once, so
/// reading the weights limits it; more rows are limited by their products.
#[inline(always)]
fn prefetch<D: Dot, const R: usize>(s: D::S, panel: *const u8, bytes: usize) {
    if R == 1 {
        for line in (0..bytes).step_by(FETCHED) {
            s.prefetch(panel.wrapping_add(AHEAD + line).cast());
        }
    }
}

/// Adds the sums of a block to the results.
///
/// # Safety
/// There must be `R` rows, and a scale for each column.
#[inline(always)]
unsafe fn add<D: Nibbles, const R: usize, const V: usize>(
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
            let sum = s.sub_i32(sums[r][v], s.mul_i32(of_weights[v], zero));
            // SAFETY: there is a scale for each column, as `# Safety` requires.
            let scale = unsafe { s.load(scales.add(v * D::LANES)) };
            let real = s.real(s.shift_right(sum, D::SHIFT));
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
