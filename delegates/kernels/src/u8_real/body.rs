//! The kernels, for any instruction set.

use super::{Halves, Scale, Sums};
use crate::requantize::Bytes;
use crate::simd::Ints;

/// # Safety
/// The arguments must meet the requirements of [`super::Reals`].
#[inline(always)]
pub(super) unsafe fn quantize<S: Ints>(
    s: S,
    n: usize,
    x: *const f32,
    factor: f32,
    bytes: &Bytes,
    y: *mut u8,
) {
    let factor = s.splat(factor);
    let mut i = 0;
    // SAFETY: `x` has `n` readable values and `y` `n` writable bytes, as `Reals` requires; whole vectors end within
    // `n`, and the last one has the remaining lanes.
    unsafe {
        while i + 4 * S::LANES <= n {
            let x = |v: usize| s.mul(s.load(x.add(i + v * S::LANES)), factor);
            s.store_bytes(y.add(i), s.round_bytes([x(0), x(1), x(2), x(3)], bytes));
            i += 4 * S::LANES;
        }
        while i < n {
            let left = S::LANES.min(n - i);
            let steps = s.round_i32(s.mul(s.load_first(x.add(i), left), factor));
            s.narrow(&[steps], bytes, y.add(i), left);
            i += left;
        }
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Reals`].
#[inline(always)]
pub(super) unsafe fn quantize_positive<S: Ints>(
    s: S,
    n: usize,
    x: *const f32,
    factor: f32,
    halves: Halves,
    y: *mut u8,
) {
    let (factor, half, zero, one) = (s.splat(factor), s.splat(0.5), s.splat(0.0), s.splat(1.0));
    let bytes = Bytes { zero_point: 0, low: 0, high: 255, flip: 0 };
    for i in (0..n).step_by(S::LANES) {
        let left = S::LANES.min(n - i);
        // SAFETY: lanes `i..i + left` are among the `n` values of `x` and the `n` bytes of `y`.
        unsafe {
            let steps = s.mul(s.load_first(x.add(i), left), factor);
            let rounded = match halves {
                Halves::Added => s.floor(s.add(steps, half)),
                Halves::Up => {
                    let whole = s.floor(steps);
                    s.add(whole, s.select_lt(s.sub(steps, whole), half, zero, one))
                }
            };
            s.narrow(&[s.round_i32(rounded)], &bytes, y.add(i), left);
        }
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Reals`].
#[inline(always)]
pub(super) unsafe fn dequantize<S: Ints>(s: S, n: usize, x: *const u8, scale: &Scale, y: *mut f32) {
    let (zero_point, flip) = (s.splat_i32(scale.zero_point), s.splat_i32(scale.flip.into()));
    // SAFETY: the arguments meet the requirements of `widened`, which are the same, and it widens bytes that are
    // readable.
    unsafe {
        match (scale.flip, scale.zero_point) {
            (0, 0) => widened::<S>(s, n, x, scale, y, |p| s.widen(p)),
            (0x80, 128) => widened::<S>(s, n, x, scale, y, |p| s.widen_signed(p)),
            _ => widened::<S>(s, n, x, scale, y, |p| s.sub_i32(s.xor_i32(s.widen(p), flip), zero_point)),
        }
    }
}

/// Reals of bytes, from which `widen` has subtracted the zero point.
///
/// # Safety
/// As for [`dequantize`].
#[inline(always)]
unsafe fn widened<S: Ints>(
    s: S,
    n: usize,
    x: *const u8,
    scale: &Scale,
    y: *mut f32,
    widen: impl Fn(*const u8) -> S::I,
) {
    let (factor, offset) = (s.splat(scale.factor), s.splat(scale.offset));
    let real = |p| s.add(s.mul(s.real(widen(p)), factor), offset);
    let mut i = 0;
    // SAFETY: `x` has `n` readable bytes and `y` `n` writable values, as `Reals` requires; whole vectors end within
    // `n`, and the rest is copied to a local buffer first.
    unsafe {
        while i + 4 * S::LANES <= n {
            let real = |v: usize| real(x.add(i + v * S::LANES));
            for (v, reals) in [real(0), real(1), real(2), real(3)].into_iter().enumerate() {
                s.store(y.add(i + v * S::LANES), reals);
            }
            i += 4 * S::LANES;
        }
        while i + S::LANES <= n {
            s.store(y.add(i), real(x.add(i)));
            i += S::LANES;
        }
        if i < n {
            let mut last = [0u8; 16];
            core::ptr::copy_nonoverlapping(x.add(i), last.as_mut_ptr(), n - i);
            s.store_first(y.add(i), real(last.as_ptr()), n - i);
        }
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Reals`].
#[inline(always)]
pub(super) unsafe fn requantize<S: Ints>(s: S, sums: &Sums, y: *mut u8) {
    // SAFETY: `scale` has the same requirements, which the arguments meet.
    unsafe {
        if sums.is_general {
            scale::<S, true>(s, sums, y);
        } else {
            scale::<S, false>(s, sums, y);
        }
    }
}

#[inline(always)]
unsafe fn scale<S: Ints, const G: bool>(s: S, sums: &Sums, y: *mut u8) {
    let bytes = if G { Bytes { zero_point: 0, ..sums.bytes } } else { sums.bytes };
    let zero_point = s.splat_i32(sums.bytes.zero_point);
    let (mut i, mut block) = (0, sums.table);
    // SAFETY: `n` sums are readable and `n` bytes writable, and the table has a block for each vector, `step` apart, as
    // `Reals` requires; a partial vector is copied to a local buffer first.
    unsafe {
        while i < sums.n {
            let left = S::LANES.min(sums.n - i);
            let x = if left == S::LANES {
                s.load_i32(sums.x.add(i))
            } else {
                let mut last = [0i32; 16];
                core::ptr::copy_nonoverlapping(sums.x.add(i), last.as_mut_ptr(), left);
                s.load_i32(last.as_ptr())
            };
            let scaled = s.requantize::<G, G>(s.add_i32(x, s.load_i32(block.cast())), block);
            let scaled = if G { s.add_i32(scaled, zero_point) } else { scaled };
            s.narrow(&[scaled], &bytes, y.add(i), left);
            i += left;
            block = block.add(sums.step);
        }
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::Reals`].
#[inline(always)]
pub(super) unsafe fn range<S: Ints>(s: S, n: usize, x: *const f32) -> [f32; 2] {
    let zero = s.splat(0.0);
    let (mut low, mut high) = ([zero; 4], [zero; 4]);
    let mut i = 0;
    // SAFETY: only the `n` values of `x` are read: whole vectors end within `n`, and `left` lanes of the last one are
    // read.
    unsafe {
        while i + 4 * S::LANES <= n {
            for part in 0..4 {
                let x = s.load(x.add(i + part * S::LANES));
                (low[part], high[part]) = (s.min(x, low[part]), s.max(x, high[part]));
            }
            i += 4 * S::LANES;
        }
        while i < n {
            let left = S::LANES.min(n - i);
            let x = s.load_first(x.add(i), left);
            (low[0], high[0]) = (s.min(x, low[0]), s.max(x, high[0]));
            i += left;
        }
    }
    let low = s.min(s.min(low[0], low[1]), s.min(low[2], low[3]));
    let high = s.max(s.max(high[0], high[1]), s.max(high[2], high[3]));
    [-s.largest(s.sub(zero, low)), s.largest(high)]
}

/// # Safety
/// The arguments must meet the requirements of [`super::Reals`].
#[inline(always)]
pub(super) unsafe fn quantize_away<S: Ints>(
    s: S,
    n: usize,
    x: *const f32,
    factor: f32,
    bytes: Bytes,
    y: *mut u8,
) {
    let factors = s.splat(factor);
    let (eights, mut i) = (n & !7, 0);
    // SAFETY: up to `eights ≤ n`, the same holds as in `quantize`; later elements are read and written one by one, up
    // to `n`.
    unsafe {
        while i + 2 * S::LANES <= eights {
            let low = cut(s, s.mul(s.load(x.add(i)), factors));
            let high = cut(s, s.mul(s.load(x.add(i + S::LANES)), factors));
            s.narrow(&[low, high], &bytes, y.add(i), 2 * S::LANES);
            i += 2 * S::LANES;
        }
        while i < eights {
            let left = S::LANES.min(eights - i);
            let steps = cut(s, s.mul(s.load_first(x.add(i), left), factors));
            s.narrow(&[steps], &bytes, y.add(i), left);
            i += left;
        }
        for i in eights..n {
            let steps = ((*x.add(i) * factor).round() as i32).saturating_add(bytes.zero_point);
            *y.add(i) = steps.clamp(bytes.low.into(), bytes.high.into()) as u8 ^ bytes.flip;
        }
    }
}

/// Adds a half, away from zero, and truncates.
#[inline(always)]
fn cut<S: Ints>(s: S, x: S::V) -> S::I {
    let zero = s.splat(0.0);
    let whole = s.floor(s.add(s.abs(x), s.splat(0.5)));
    s.round_i32(s.select_lt(x, zero, s.sub(zero, whole), whole))
}
