//! Plain Rust: four lanes, which the compiler may put into any registers of the target.

use super::Simd;

/// Plain Rust: four lanes.
#[derive(Clone, Copy)]
pub struct Scalar(());

const N: usize = 4;

#[inline(always)]
fn map(a: [f32; N], f: impl Fn(f32) -> f32) -> [f32; N] {
    [f(a[0]), f(a[1]), f(a[2]), f(a[3])]
}

#[inline(always)]
fn zip(a: [f32; N], b: [f32; N], f: impl Fn(f32, f32) -> f32) -> [f32; N] {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])]
}

/// `x.round_ties_even()`, which is a function call on x86-64 without SSE4.1. Adding 2²³ leaves no bits for a fraction.
#[inline(always)]
fn nearest(x: f32) -> f32 {
    const WHOLE: f32 = (1 << 23) as f32;
    let size = x.abs();
    if size < WHOLE { ((size + WHOLE) - WHOLE).copysign(x) } else { x }
}

// SAFETY: plain Rust needs no special instructions.
unsafe impl Simd for Scalar {
    const LANES: usize = N;
    const FUSED: bool = false;
    type V = [f32; N];

    #[inline(always)]
    unsafe fn new() -> Self {
        Scalar(())
    }
    #[inline(always)]
    fn splat(self, x: f32) -> [f32; N] {
        [x; N]
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> [f32; N] {
        // SAFETY: `LANES` values are readable, as `Simd` requires.
        unsafe { p.cast::<[f32; N]>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn load_first(self, p: *const f32, n: usize) -> [f32; N] {
        let mut v = [0.0; N];
        // SAFETY: `n` values are readable, as `Simd` requires.
        unsafe { core::ptr::copy_nonoverlapping(p, v.as_mut_ptr(), n.min(N)) };
        v
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, v: [f32; N]) {
        // SAFETY: `LANES` values are writable, as `Simd` requires.
        unsafe { p.cast::<[f32; N]>().write_unaligned(v) }
    }
    #[inline(always)]
    unsafe fn store_first(self, p: *mut f32, v: [f32; N], n: usize) {
        // SAFETY: `n` values are writable, as `Simd` requires.
        unsafe { core::ptr::copy_nonoverlapping(v.as_ptr(), p, n.min(N)) }
    }
    #[inline(always)]
    fn add(self, a: [f32; N], b: [f32; N]) -> [f32; N] {
        zip(a, b, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, a: [f32; N], b: [f32; N]) -> [f32; N] {
        zip(a, b, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, a: [f32; N], b: [f32; N]) -> [f32; N] {
        zip(a, b, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, a: [f32; N], b: [f32; N]) -> [f32; N] {
        zip(a, b, |a, b| a / b)
    }
    #[inline(always)]
    fn fma(self, a: [f32; N], b: [f32; N], c: [f32; N]) -> [f32; N] {
        self.add(zip(a, b, |a, b| a * b), c)
    }
    #[inline(always)]
    fn min(self, a: [f32; N], b: [f32; N]) -> [f32; N] {
        zip(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(self, a: [f32; N], b: [f32; N]) -> [f32; N] {
        zip(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn sqrt(self, a: [f32; N]) -> [f32; N] {
        map(a, f32::sqrt)
    }
    #[inline(always)]
    fn abs(self, a: [f32; N]) -> [f32; N] {
        map(a, f32::abs)
    }
    #[inline(always)]
    fn round(self, a: [f32; N]) -> [f32; N] {
        map(a, nearest)
    }
    #[inline(always)]
    fn floor(self, a: [f32; N]) -> [f32; N] {
        map(a, |a| {
            let nearest = nearest(a);
            if nearest > a { nearest - 1.0 } else { nearest }
        })
    }
    #[inline(always)]
    fn scale(self, a: [f32; N], n: [f32; N]) -> [f32; N] {
        zip(a, n, |a, n| a * f32::from_bits(((n as i32 + 127) as u32) << 23))
    }
    #[inline(always)]
    fn split_normal(self, x: [f32; N]) -> ([f32; N], [f32; N]) {
        let n = x.map(|x| (x.to_bits().wrapping_sub(0.75_f32.to_bits()) as i32) >> 23);
        let m = |i: usize| f32::from_bits(x[i].to_bits().wrapping_sub((n[i] << 23) as u32));
        (n.map(|n| n as f32), [m(0), m(1), m(2), m(3)])
    }
    #[inline(always)]
    fn negate_odd(self, x: [f32; N], n: [f32; N]) -> [f32; N] {
        zip(x, n, |x, n| f32::from_bits(x.to_bits() ^ n.to_bits() << 31))
    }
    #[inline(always)]
    fn select_lt(self, a: [f32; N], b: [f32; N], yes: [f32; N], no: [f32; N]) -> [f32; N] {
        // Without a branch, which random numbers would mispredict.
        let select = |i: usize| {
            let mask = u32::from(a[i] < b[i]).wrapping_neg();
            f32::from_bits(yes[i].to_bits() & mask | no[i].to_bits() & !mask)
        };
        [select(0), select(1), select(2), select(3)]
    }
    #[inline(always)]
    fn all_lt(self, a: [f32; N], b: [f32; N]) -> bool {
        (a[0] < b[0]) & (a[1] < b[1]) & (a[2] < b[2]) & (a[3] < b[3])
    }
    #[inline(always)]
    fn sum(self, a: [f32; N]) -> f32 {
        (a[0] + a[2]) + (a[1] + a[3])
    }
    #[inline(always)]
    fn largest(self, a: [f32; N]) -> f32 {
        a[0].max(a[1]).max(a[2].max(a[3]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_has_the_bits_of_the_standard_library() {
        let halves = (-40..40).map(|i| i as f32 / 4.0);
        // Every 4,099th bit pattern: all exponents, both signs, infinities and NaN.
        let patterns = (0..=u32::MAX).step_by(4099).map(f32::from_bits);
        // SAFETY: plain Rust needs no special instructions.
        let s = unsafe { Scalar::new() };
        for x in halves.chain(patterns) {
            let got = [s.round(s.splat(x))[0], s.floor(s.splat(x))[0]].map(f32::to_bits);
            let want = [x.round_ties_even(), x.floor()].map(f32::to_bits);
            assert!(x.is_nan() || got == want, "{x:e}: {got:x?} and not {want:x?}");
        }
    }
}
