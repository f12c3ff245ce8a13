//! The loops. They are plain code without branches, which the compiler turns into vectors where an instruction set has
//! the instructions.

use super::function::{Function, interpolated, logistic, tanh};
use crate::simd::Simd;

/// # Safety
/// The arguments must meet the requirements of [`super::I16Map`].
#[inline(always)]
pub(super) unsafe fn map<S: Simd>(_: S, f: &Function, n: usize, x: *const i16, y: *mut i16) {
    // SAFETY: each call has the elements that this function got.
    unsafe {
        match f {
            Function::Lines(lines) => each(n, x, y, |x| interpolated(x, lines)),
            Function::Curve(curve) => each(n, x, y, |x| curve.of(x)),
            Function::Logistic => each(n, x, y, logistic),
            Function::Tanh { doubles: false } => each(n, x, y, |x| tanh(x, false)),
            Function::Tanh { doubles: true } => each(n, x, y, |x| tanh(x, true)),
        }
    }
}

/// Elements that are computed together: they are read before results are written, so that they become vectors even
/// though both may be the same memory.
const LANES: usize = 32;

/// # Safety
/// `x` must be readable and `y` writable for `n` elements.
#[inline(always)]
unsafe fn each(n: usize, x: *const i16, y: *mut i16, f: impl Fn(i16) -> i16) {
    let whole = n / LANES * LANES;
    // SAFETY: vectors up to `whole` and the single elements after it are below `n`.
    unsafe {
        for i in (0..whole).step_by(LANES) {
            let lanes = x.add(i).cast::<[i16; LANES]>().read_unaligned();
            let mut results = [0; LANES];
            for (result, x) in results.iter_mut().zip(lanes) {
                *result = f(x);
            }
            y.add(i).cast::<[i16; LANES]>().write_unaligned(results);
        }
        for i in whole..n {
            *y.add(i) = f(*x.add(i));
        }
    }
}
