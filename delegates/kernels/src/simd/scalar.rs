//! Plain Rust: four lanes, which the compiler may put into whatever registers the target has.

use super::Simd;

/// Plain Rust.
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

// SAFETY: it needs no instructions.
unsafe impl Simd for Scalar {
    const LANES: usize = N;
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
        // SAFETY: it reads `LANES` values, which the caller says are there.
        unsafe { p.cast::<[f32; N]>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn load_first(self, p: *const f32, n: usize) -> [f32; N] {
        let mut v = [0.0; N];
        // SAFETY: it reads `n` values, which the caller says are there.
        unsafe { core::ptr::copy_nonoverlapping(p, v.as_mut_ptr(), n.min(N)) };
        v
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, v: [f32; N]) {
        // SAFETY: it writes `LANES` values, which the caller says are there.
        unsafe { p.cast::<[f32; N]>().write_unaligned(v) }
    }
    #[inline(always)]
    unsafe fn store_first(self, p: *mut f32, v: [f32; N], n: usize) {
        // SAFETY: it writes `n` values, which the caller says are there.
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
        map(a, f32::round_ties_even)
    }
    #[inline(always)]
    fn floor(self, a: [f32; N]) -> [f32; N] {
        map(a, f32::floor)
    }
    #[inline(always)]
    fn scale(self, a: [f32; N], n: [f32; N]) -> [f32; N] {
        zip(a, n, |a, n| a * f32::from_bits(((n as i32 + 127) as u32) << 23))
    }
    #[inline(always)]
    fn select_lt(self, a: [f32; N], b: [f32; N], yes: [f32; N], no: [f32; N]) -> [f32; N] {
        [0, 1, 2, 3].map(|i| if a[i] < b[i] { yes[i] } else { no[i] })
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
