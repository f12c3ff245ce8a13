//! Plain loops, which the compiler vectorizes.
//!
//! ```text
//! a = 2ᵉ · m, √½ ≤ m < √2      log₂ m = 2 / ln 2 · artanh t,  t = (m − 1) / (m + 1)      p = b · (e + log₂ m)
//! n = round(p)                 aᵇ = 2ⁿ · exp((p − n) · ln 2)
//! ```
//! The formula is computed for |a|. If a is negative, the result is negative for odd b, and NaN for b with a fraction.
//! Doubles hold p with an error below 10⁻⁹, so that results are rounded once, except for one in a hundred or so. Series
//! end where the next term is below that.

// Loops over chunks of constant length become vectors.
#![allow(clippy::needless_range_loop)]

use core::f64::consts::LN_2;

/// The number of elements that are computed together.
const CHUNK: usize = 64;
/// The bits of √½ as `f32`.
const ROOT: i32 = 0x3F35_04F3;
/// Adding 1.5 · 2⁵² rounds a number of less than 2⁵⁰ to an integer. The lowest bits of the sum are the integer's.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// The bound of p: the power is a normal number then.
const MOST: f64 = 126.0;

/// Bases or exponents: one for each result if it moves, else one for all.
#[derive(Clone, Copy)]
struct Operand {
    x: *const f32,
    moves: bool,
}

impl Operand {
    /// Elements `first..first + n`, or the only one; the rest of the chunk is 1.
    ///
    /// # Safety
    /// The elements must be readable.
    #[inline(always)]
    unsafe fn chunk(self, first: usize, n: usize) -> [f32; CHUNK] {
        let mut chunk = [1.0; CHUNK];
        // SAFETY: the caller guarantees the elements; `n ≤ CHUNK`.
        unsafe {
            if !self.moves {
                return [self.x.read_unaligned(); CHUNK];
            }
            if n == CHUNK {
                return self.x.add(first).cast::<[f32; CHUNK]>().read_unaligned();
            }
            (0..n).for_each(|i| chunk[i] = self.x.add(first + i).read_unaligned());
        }
        chunk
    }
}

/// The powers of a chunk. A method, because a closure would be compiled without the instruction set.
trait Powers {
    fn of(&self, a: &[f32; CHUNK], b: &[f32; CHUNK]) -> [f32; CHUNK];
}

/// Any exponents.
struct Reals;
/// One exponent for all.
struct Whole(u32);

/// Computes `n` results at `y`, a chunk at a time.
///
/// # Safety
/// The elements must be readable, and the results writable.
#[inline(always)]
unsafe fn by_chunks(n: usize, [a, b]: [Operand; 2], y: *mut f32, powers: impl Powers) {
    for first in (0..n).step_by(CHUNK) {
        let count = CHUNK.min(n - first);
        // SAFETY: elements `first..first + count` exist: each operand that moves has `n`, and there are `n` results.
        unsafe {
            let results = powers.of(&a.chunk(first, count), &b.chunk(first, count));
            let y = y.add(first);
            match count {
                CHUNK => y.cast::<[f32; CHUNK]>().write_unaligned(results),
                _ => (0..count).for_each(|i| y.add(i).write_unaligned(results[i])),
            }
        }
    }
}

/// The series with these coefficients, the highest first.
macro_rules! series {
    ($x:expr, $highest:expr $(, $c:expr)*) => {{
        let (x, sum) = ($x, $highest);
        $(let sum = sum * x + $c;)*
        sum
    }};
}

/// [`signed`] does not know whether larger exponents are odd.
const FAR: f32 = (1u64 << 50) as f32;

/// Whether the fast formula holds for base `±a` and exponent `b`. Without branches, unlike `contains`.
#[allow(clippy::manual_range_contains)]
#[inline(always)]
fn is_plain(a: f32, b: f32, p: f64) -> bool {
    let a = a.abs();
    (a >= f32::MIN_POSITIVE) & (a <= f32::MAX) & (p > -MOST) & (p < MOST) & (b > -FAR) & (b < FAR)
}

/// `aᵇ`, where `power` is `|a|ᵇ`.
#[inline(always)]
fn signed(a: f32, b: f32, power: f32) -> f32 {
    let is_whole = |b: f64| (b + ROUNDER) - ROUNDER == b;
    let b = f64::from(b);
    let odd = if is_whole(b * 0.5) { power } else { -power };
    let negative = if is_whole(b) { odd } else { f32::NAN };
    if a < 0.0 { negative } else { power }
}

impl Powers for Reals {
    #[inline(always)]
    fn of(&self, a: &[f32; CHUNK], b: &[f32; CHUNK]) -> [f32; CHUNK] {
        let (mut y, mut exponents, mut plain) = ([0f32; CHUNK], [0f64; CHUNK], true);
        for i in 0..CHUNK {
            let bits = a[i].abs().to_bits() as i32;
            let e = bits.wrapping_sub(ROOT) >> 23;
            let m = f64::from(f32::from_bits(bits.wrapping_sub(e << 23) as u32));
            let t = (m - 1.0) / (m + 1.0);
            let l = series!(t * t, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0);
            let p = f64::from(b[i]) * (f64::from(e) + t * l * (2.0 / LN_2));
            let sum = p + ROUNDER;
            let n = sum.to_bits() as i32;
            let x = (p - (sum - ROUNDER)) * LN_2;
            let z = series!(
                x,
                1.0 / 40320.0,
                1.0 / 5040.0,
                1.0 / 720.0,
                1.0 / 120.0,
                1.0 / 24.0,
                1.0 / 6.0,
                0.5,
                1.0,
                1.0
            );
            y[i] = signed(a[i], b[i], z as f32 * f32::from_bits((n.wrapping_add(127) << 23) as u32));
            exponents[i] = p;
        }
        for i in 0..CHUNK {
            plain &= is_plain(a[i], b[i], exponents[i]);
        }
        if !plain {
            for i in (0..CHUNK).filter(|&i| !is_plain(a[i], b[i], exponents[i])) {
                y[i] = libm::pow(f64::from(a[i]), f64::from(b[i])) as f32;
            }
        }
        y
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::ElementKernel`].
#[inline(always)]
pub(super) unsafe fn pow<S>(_: S, n: usize, x: [*const u8; 3], moves: [bool; 3], y: *mut u8) {
    let operand = |i: usize| Operand { x: x[i].cast(), moves: moves[i] };
    // SAFETY: the requirements are the same.
    unsafe { by_chunks(n, [operand(0), operand(1)], y.cast(), Reals) }
}

/// The integer within 0.00001 of `x`, if it is positive and fits i32.
fn near_whole(x: f32) -> Option<u32> {
    let whole = libm::roundf(x);
    let fits = (1.0..2_147_483_648.0).contains(&whole);
    (fits && (x - whole).abs() < 1e-5).then_some(whole as u32)
}

/// The product, within the finite numbers.
#[inline(always)]
fn product(a: f32, b: f32) -> f32 {
    let x = a * b;
    let x = if x < f32::MIN { f32::MIN } else { x };
    if x > f32::MAX { f32::MAX } else { x }
}

impl Powers for Whole {
    /// By squaring, from the highest bit on, with one multiplication more for each bit that is set.
    #[inline(always)]
    fn of(&self, a: &[f32; CHUNK], _: &[f32; CHUNK]) -> [f32; CHUNK] {
        let mut power = *a;
        for bit in (0..self.0.ilog2()).rev() {
            for i in 0..CHUNK {
                power[i] = product(power[i], power[i]);
            }
            if self.0 >> bit & 1 == 1 {
                for i in 0..CHUNK {
                    power[i] = product(a[i], power[i]);
                }
            }
        }
        power
    }
}

/// # Safety
/// The arguments must meet the requirements of [`super::ElementKernel`], and the second operand must have one element.
#[inline(always)]
pub(super) unsafe fn pow_by_one<S>(s: S, n: usize, x: [*const u8; 3], moves: [bool; 3], y: *mut u8) {
    let a = Operand { x: x[0].cast(), moves: moves[0] };
    // SAFETY: the second operand has one element; otherwise `pow` and `by_chunks` require the same.
    unsafe {
        if n == 0 {
            return;
        }
        let b = Operand { x: x[1].cast(), moves: false };
        let Some(whole) = near_whole(b.x.read_unaligned()) else {
            return pow(s, n, x, [moves[0], false, false], y);
        };
        by_chunks(n, [a, b], y.cast(), Whole(whole));
    }
}
