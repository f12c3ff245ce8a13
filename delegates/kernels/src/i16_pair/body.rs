//! The bodies, as plain loops. Their results do not depend on the instruction set.

use super::{Pair, Rescale};

/// Combines scaled operands. The step from one element of b to the next is `STEP`.
///
/// # Safety
/// The arguments must meet the requirements of [`super::I16Kernels`].
#[inline(always)]
unsafe fn scaled<const STEP: usize>(
    pair: &Pair,
    n: usize,
    a: *const i16,
    b: *const i16,
    y: *mut i16,
    combine: impl Fn(i32, i32) -> i32,
) {
    let Pair { factors: [fa, fb, fy], low, high } = *pair;
    for i in 0..n {
        // SAFETY: `i < n` elements are readable and writable, of b those up to `STEP · i`, as `I16Kernels` requires.
        unsafe {
            let (a, b) = (fa.apply_lane((*a.add(i)).into()), fb.apply_lane((*b.add(STEP * i)).into()));
            *y.add(i) = fy.apply_lane(combine(a, b)).max(low).min(high) as i16;
        }
    }
}

/// Multiplies.
///
/// # Safety
/// The arguments must meet the requirements of [`super::I16Kernels`].
#[inline(always)]
unsafe fn product<const STEP: usize>(pair: &Pair, n: usize, a: *const i16, b: *const i16, y: *mut i16) {
    let Pair { factors: [_, _, factor], low, high } = *pair;
    for i in 0..n {
        // SAFETY: as in `scaled`.
        unsafe {
            let product = i32::from(*a.add(i)).wrapping_mul((*b.add(STEP * i)).into());
            *y.add(i) = factor.apply_lane(product).max(low).min(high) as i16;
        }
    }
}

/// A type of results.
trait Narrow {
    /// The number, which is in the type's range.
    fn of(x: i32) -> Self;
}

impl Narrow for i16 {
    #[inline(always)]
    fn of(x: i32) -> i16 {
        x as i16
    }
}

impl Narrow for u8 {
    #[inline(always)]
    fn of(x: i32) -> u8 {
        x as u8
    }
}

/// Converts to another scale and type.
///
/// # Safety
/// The arguments must meet the requirements of [`super::I16Kernels`].
#[inline(always)]
unsafe fn rescale<X: Copy + Into<i32>, Y: Narrow>(r: &Rescale, n: usize, x: *const X, y: *mut Y) {
    let Rescale { from, factor, to, low, high } = *r;
    for i in 0..n {
        // SAFETY: `i < n` elements are readable and writable, as `I16Kernels` requires.
        unsafe {
            let x: i32 = (*x.add(i)).into();
            let scaled = factor.apply_lane(x.wrapping_sub(from));
            y.add(i).write(Y::of(scaled.wrapping_add(to).max(low).min(high)));
        }
    }
}

/// Adding 1.5 · 2²³ rounds a number of less than 2²² to an integer, with ties to even. The lowest bits of the sum are
/// those of the integer.
const ROUNDER: f32 = 12_582_912.0;

/// # Safety
/// The arguments must meet the requirements of [`super::I16Kernels`].
#[inline(always)]
pub(super) unsafe fn quantize<S>(_: S, n: usize, x: *const f32, factor: f32, y: *mut i16) {
    for i in 0..n {
        // SAFETY: as in `rescale`.
        unsafe {
            let steps = *x.add(i) * factor;
            let steps = if steps.is_nan() { 0.0 } else { steps };
            let steps = if steps > -32768.0 { steps } else { -32768.0 };
            let steps = if steps < 32767.0 { steps } else { 32767.0 };
            *y.add(i) = (steps + ROUNDER).to_bits() as i16;
        }
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::I16Kernels`].
#[inline(always)]
pub(super) unsafe fn dequantize<S>(_: S, n: usize, x: *const i16, factor: f32, y: *mut f32) {
    for i in 0..n {
        // SAFETY: as in `rescale`.
        unsafe { *y.add(i) = f32::from(*x.add(i)) * factor };
    }
}

/// The functions of the table. None needs the vectors of its instruction set.
macro_rules! members {
    ($($name:ident($p:ident: $pt:ty, $($source:ident: $st:ty),*; $y:ty) $body:path $(, $f:expr)?;)*) => {$(
        /// # Safety
        /// The arguments must meet the requirements of [`super::I16Kernels`].
        #[inline(always)]
        pub(super) unsafe fn $name<S>(_: S, $p: $pt, n: usize, $($source: $st,)* y: *mut $y) {
            // SAFETY: the requirements are the same.
            unsafe { $body($p, n, $($source,)* y $(, $f)?) }
        }
    )*};
}

#[inline(always)]
fn sub_from(a: i32, b: i32) -> i32 {
    b.wrapping_sub(a)
}

type Shorts = *const i16;

members! {
    add(pair: &Pair, a: Shorts, b: Shorts; i16) scaled::<1>, i32::wrapping_add;
    add_one(pair: &Pair, a: Shorts, b: Shorts; i16) scaled::<0>, i32::wrapping_add;
    sub(pair: &Pair, a: Shorts, b: Shorts; i16) scaled::<1>, i32::wrapping_sub;
    sub_one(pair: &Pair, a: Shorts, b: Shorts; i16) scaled::<0>, i32::wrapping_sub;
    sub_from_one(pair: &Pair, a: Shorts, b: Shorts; i16) scaled::<0>, sub_from;
    mul(pair: &Pair, a: Shorts, b: Shorts; i16) product::<1>;
    mul_one(pair: &Pair, a: Shorts, b: Shorts; i16) product::<0>;
    short_to_short(r: &Rescale, x: Shorts; i16) rescale;
    short_to_byte(r: &Rescale, x: Shorts; u8) rescale;
    byte_to_short(r: &Rescale, x: *const u8; i16) rescale;
    whole_to_short(r: &Rescale, x: *const i32; i16) rescale;
    whole_to_byte(r: &Rescale, x: *const i32; u8) rescale;
}
