//! The kernels, for any instruction set. `F` is the index of a function in `Combine::ALL`, `W` the number of a `Way`.

use super::{Approximation, Combine, Pair, Way};
use crate::requantize::Bytes;
use crate::simd::Ints;

const SHIFT: usize = 0;
const PLAIN: usize = 1;
const GENERAL: usize = 2;

/// # Safety
/// The arguments must meet the requirements of [`super::Pairs`].
#[inline(always)]
pub(super) unsafe fn pair<S: Ints, const F: usize, const ONE: bool>(
    s: S,
    p: &Pair<'_>,
    n: usize,
    a: *const u8,
    b: *const u8,
    y: *mut u8,
) {
    let near = p.near.filter(|_| matches!(Combine::ALL[F], Combine::Add | Combine::Sub | Combine::SubFrom));
    let mut i = 0;
    // SAFETY: results `i..` of `n` are computed, from as many bytes of `a`, and of `b` or its one byte, as `Pairs`
    // requires.
    unsafe {
        while i < n {
            let mut count = n - i;
            if let Some(near) = &near {
                i += near_results::<S, ONE>(
                    s,
                    p,
                    near,
                    count,
                    a.add(i),
                    if ONE { b } else { b.add(i) },
                    y.add(i),
                );
                count = (n - i).min(4 * S::LANES);
            }
            let (a, b, y) = (a.add(i), if ONE { b } else { b.add(i) }, y.add(i));
            match p.way {
                // Operands are not scaled, so one loop is enough.
                _ if matches!(Combine::ALL[F], Combine::Mul) => run::<S, F, ONE, PLAIN>(s, p, count, a, b, y),
                Way::Shift => run::<S, F, ONE, SHIFT>(s, p, count, a, b, y),
                Way::Plain => run::<S, F, ONE, PLAIN>(s, p, count, a, b, y),
                Way::General => run::<S, F, ONE, GENERAL>(s, p, count, a, b, y),
            }
            i += count;
        }
    }
}

/// The results of whole groups of four vectors, until one of them could round otherwise. Returns their number.
///
/// # Safety
/// As for [`pair`].
#[inline(always)]
unsafe fn near_results<S: Ints, const ONE: bool>(
    s: S,
    p: &Pair<'_>,
    near: &Approximation,
    n: usize,
    a: *const u8,
    b: *const u8,
    y: *mut u8,
) -> usize {
    let [fa, fb, offset, limit] =
        [near.factors[0], near.factors[1], near.offset, near.limit].map(|x| s.splat(x));
    let flips = p.flips.map(|flip| s.splat_i32(flip.into()));
    let bytes = Bytes { zero_point: 0, ..p.bytes };
    let mut i = 0;
    // SAFETY: `i + 4 · LANES ≤ n`, so that all vectors are readable and writable; `b` has one byte at least, as
    // `Pairs` requires where there are results.
    unsafe {
        let one = if ONE { i32::from(*b ^ p.flips[1]) as f32 } else { 0.0 };
        let offset = if ONE { s.fma(s.splat(one), fb, offset) } else { offset };
        while i + 4 * S::LANES <= n {
            let mut steps = [s.splat_i32(0); 4];
            let mut far = s.splat(0.0);
            for (v, steps) in steps.iter_mut().enumerate() {
                let at = i + v * S::LANES;
                let mut real = s.fma(s.real(s.xor_i32(s.widen(a.add(at)), flips[0])), fa, offset);
                if !ONE {
                    real = s.fma(s.real(s.xor_i32(s.widen(b.add(at)), flips[1])), fb, real);
                }
                *steps = s.nearest(real);
                far = s.farther(real, far);
            }
            if !s.all_lt(far, limit) {
                break;
            }
            s.store_bytes(y.add(i), s.narrow_four(steps, &bytes));
            i += 4 * S::LANES;
        }
    }
    i
}

/// The blocks of a, b and y, the left shift of a, and what bytes of a and b are combined with by exclusive or.
#[derive(Clone, Copy)]
struct Scales<S: Ints> {
    blocks: [S::Channels; 3],
    shift: u32,
    flips: [S::I; 2],
}

/// Operand `I` (0 or 1), scaled.
#[inline(always)]
fn scaled<S: Ints, const F: usize, const W: usize, const I: usize>(s: S, p: Scales<S>, x: S::I) -> S::I {
    let x = s.add_bias(s.xor_i32(x, p.flips[I]), p.blocks[I]);
    match (Combine::ALL[F], W) {
        (Combine::Mul, _) => x,
        (_, SHIFT) if I == 0 => s.shift_left(x, p.shift),
        (_, GENERAL) => s.scale_by::<true, true>(x, p.blocks[I]),
        _ => s.scale_by::<false, false>(x, p.blocks[I]),
    }
}

/// The scaled result of two vectors.
#[inline(always)]
fn combined<S: Ints, const F: usize, const W: usize>(s: S, p: Scales<S>, a: S::I, b: S::I) -> S::I {
    let a = scaled::<S, F, W, 0>(s, p, a);
    let difference = s.sub_i32(a, b);
    let c = match Combine::ALL[F] {
        Combine::Add => s.add_i32(a, b),
        Combine::Sub => difference,
        Combine::SubFrom => s.sub_i32(b, a),
        Combine::Mul => s.mul_i32(a, b),
        Combine::SquaredDifference => s.mul_i32(difference, difference),
    };
    s.scale_by::<false, true>(c, p.blocks[2])
}

/// The second operand: one per result, or one for all results.
#[derive(Clone, Copy)]
enum SecondOperand<I> {
    Many(*const u8),
    One(I),
}

impl<I: Copy> SecondOperand<I> {
    #[inline(always)]
    fn at(self, i: usize) -> Self {
        match self {
            SecondOperand::Many(p) => SecondOperand::Many(p.wrapping_add(i)),
            one => one,
        }
    }
}

/// A vector of scaled results.
#[inline(always)]
unsafe fn vector<S: Ints, const F: usize, const W: usize>(
    s: S,
    p: Scales<S>,
    a: *const u8,
    b: SecondOperand<S::I>,
) -> S::I {
    // SAFETY: a vector of bytes is readable, which `run` ensures.
    unsafe {
        let b = match b {
            SecondOperand::Many(b) => scaled::<S, F, W, 1>(s, p, s.widen(b)),
            SecondOperand::One(b) => b,
        };
        combined::<S, F, W>(s, p, s.widen(a), b)
    }
}

/// Computes two vectors of results, and writes `n` bytes.
#[inline(always)]
unsafe fn two<S: Ints, const F: usize, const W: usize>(
    s: S,
    (p, bytes): (Scales<S>, &Bytes),
    n: usize,
    a: *const u8,
    b: SecondOperand<S::I>,
    y: *mut u8,
) {
    // SAFETY: two vectors are readable and `n` bytes writable, which `run` ensures.
    unsafe {
        let low = vector::<S, F, W>(s, p, a, b);
        let high = vector::<S, F, W>(s, p, a.add(S::LANES), b.at(S::LANES));
        s.narrow(&[low, high], bytes, y, n);
    }
}

#[inline(always)]
unsafe fn run<S: Ints, const F: usize, const ONE: bool, const W: usize>(
    s: S,
    p: &Pair<'_>,
    n: usize,
    a: *const u8,
    b: *const u8,
    y: *mut u8,
) {
    if n == 0 {
        return;
    }
    // SAFETY: the blocks of `p` are valid, as `Pairs` requires. `i + count ≤ n` bytes of `a`, `b` and `y` are used, and
    // fewer than two vectors are copied to local buffers first.
    unsafe {
        let blocks = [s.channels(p.blocks[0]), s.channels(p.blocks[1]), s.channels(p.blocks[2])];
        let flips = p.flips.map(|flip| s.splat_i32(flip.into()));
        let (p, bytes) = (Scales { blocks, shift: p.shift, flips }, p.bytes);
        let second = match ONE {
            true => SecondOperand::One(scaled::<S, F, W, 1>(s, p, s.splat_i32((*b).into()))),
            false => SecondOperand::Many(b),
        };
        let (mut x, mut z) = ([0u8; 32], [0u8; 32]);
        let mut i = 0;
        // One loop body for whole pairs and the rest, which halves the size of the code.
        while i < n {
            let (mut a, mut second) = (a.add(i), second.at(i));
            let count = (n - i).min(2 * S::LANES);
            if count < 2 * S::LANES {
                core::ptr::copy_nonoverlapping(a, x.as_mut_ptr(), count);
                a = x.as_ptr();
                if let SecondOperand::Many(b) = &mut second {
                    core::ptr::copy_nonoverlapping(*b, z.as_mut_ptr(), count);
                    *b = z.as_ptr();
                }
            }
            two::<S, F, W>(s, (p, &bytes), count, a, second, y.add(i));
            i += 2 * S::LANES;
        }
    }
}
