//! The kernels, for any instruction set. `F` is the index of a function in `Combine::ALL`, `W` the number of a `Way`.

use super::{Approximation, Combine, Form, Pair, Way};
use crate::requantize::Bytes;
use crate::simd::Ints;

const SHIFT: usize = 0;
const PLAIN: usize = 1;
const GENERAL: usize = 2;

/// # Safety
/// The arguments must meet the requirements of [`super::Pairs`].
#[inline(always)]
pub(super) unsafe fn pair<S: Ints, const F: usize>(
    s: S,
    p: &Pair<'_>,
    n: usize,
    a: *const u8,
    b: *const u8,
    y: *mut u8,
) {
    // SAFETY: the arguments meet the requirements of `run`, which are the same.
    unsafe {
        match p.way {
            // Operands are not scaled, so one loop is enough.
            _ if matches!(Combine::ALL[F], Combine::Mul) => run::<S, F, PLAIN>(s, p, n, a, b, y),
            Way::Shift => run::<S, F, SHIFT>(s, p, n, a, b, y),
            Way::Plain => run::<S, F, PLAIN>(s, p, n, a, b, y),
            Way::General => run::<S, F, GENERAL>(s, p, n, a, b, y),
        }
    }
}

/// The results of whole groups of four vectors as reals, in the form of number `FORM`, until one of them could round
/// otherwise. Returns their number: 0 in scalar code, see [`Pairs::has_reals`](super::Pairs::has_reals).
///
/// # Safety
/// As for [`pair`].
#[inline(always)]
pub(super) unsafe fn near<S: Ints, const FORM: usize, const ONE: bool>(
    s: S,
    p: &Pair<'_>,
    near: &Approximation,
    n: usize,
    a: *const u8,
    b: *const u8,
    y: *mut u8,
) -> usize {
    let is_checked = matches!(Form::ALL[FORM], Form::Checked);
    let (flips, bytes) = (p.flips.map(|f| s.splat_i32(f.into())), Bytes { zero_point: 0, ..p.bytes });
    let mut i = 0;
    // SAFETY: `i + 4 · LANES ≤ n`, so that all vectors are readable and writable; `b` has one byte at least, as
    // `Pairs` requires where there are results. The blocks of `p` are valid, as `Pairs` requires.
    unsafe {
        let reals = Reals {
            biases: [s.channels(p.blocks[0]), s.channels(p.blocks[1])],
            factors: near.factors.map(|x| s.splat(x)),
            offsets: near.offsets.map(|x| s.splat(x)),
        };
        let one = s.splat_i32(if ONE && n > 0 { (*b ^ p.flips[1]).into() } else { 0 });
        while S::FUSED && i + 4 * S::LANES <= n {
            let (mut steps, mut far) = ([s.splat_i32(0); 4], s.splat(0.0));
            for (v, steps) in steps.iter_mut().enumerate() {
                let at = i + v * S::LANES;
                let a = s.xor_i32(s.widen(a.add(at)), flips[0]);
                let b = if ONE { one } else { s.xor_i32(s.widen(b.add(at)), flips[1]) };
                let real = real::<S, FORM>(s, reals, [a, b]);
                *steps = s.nearest(real);
                far = if is_checked { s.farther(real, far) } else { far };
            }
            if is_checked && !s.all_lt(far, s.splat(near.limit)) {
                break;
            }
            s.store_bytes(y.add(i), s.narrow_four(steps, &bytes));
            i += 4 * S::LANES;
        }
    }
    i
}

/// An approximation, and the blocks with the biases of products.
#[derive(Clone, Copy)]
struct Reals<S: Ints> {
    biases: [S::Channels; 2],
    factors: [S::V; 2],
    offsets: [S::V; 2],
}

/// The result before it is rounded.
#[inline(always)]
fn real<S: Ints, const FORM: usize>(
    s: S,
    Reals { biases, factors, offsets }: Reals<S>,
    [a, b]: [S::I; 2],
) -> S::V {
    if matches!(Form::ALL[FORM], Form::Product) {
        let product = s.real(s.mul_i32(s.add_bias(a, biases[0]), s.add_bias(b, biases[1])));
        s.fma(product, factors[0], s.select_lt(product, s.splat(0.0), offsets[0], offsets[1]))
    } else {
        s.fma(s.real(b), factors[1], s.fma(s.real(a), factors[0], offsets[1]))
    }
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

/// A vector of scaled results.
#[inline(always)]
unsafe fn vector<S: Ints, const F: usize, const W: usize>(
    s: S,
    p: Scales<S>,
    a: *const u8,
    b: *const u8,
) -> S::I {
    // SAFETY: a vector of bytes of each is readable, which `run` ensures.
    unsafe { combined::<S, F, W>(s, p, s.widen(a), scaled::<S, F, W, 1>(s, p, s.widen(b))) }
}

/// Computes two vectors of results, and writes `n` bytes.
#[inline(always)]
unsafe fn two<S: Ints, const F: usize, const W: usize>(
    s: S,
    (p, bytes): (Scales<S>, &Bytes),
    n: usize,
    a: *const u8,
    b: *const u8,
    y: *mut u8,
) {
    // SAFETY: two vectors are readable and `n` bytes writable, which `run` ensures.
    unsafe {
        let low = vector::<S, F, W>(s, p, a, b);
        let high = vector::<S, F, W>(s, p, a.add(S::LANES), b.add(S::LANES));
        s.narrow(&[low, high], bytes, y, n);
    }
}

#[inline(always)]
unsafe fn run<S: Ints, const F: usize, const W: usize>(
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
        let (mut x, mut z) = ([0u8; 32], [0u8; 32]);
        let mut i = 0;
        // One loop body for whole pairs and the rest, which halves the size of the code.
        while i < n {
            let (mut a, mut b) = (a.add(i), b.add(i));
            let count = (n - i).min(2 * S::LANES);
            if count < 2 * S::LANES {
                core::ptr::copy_nonoverlapping(a, x.as_mut_ptr(), count);
                core::ptr::copy_nonoverlapping(b, z.as_mut_ptr(), count);
                (a, b) = (x.as_ptr(), z.as_ptr());
            }
            two::<S, F, W>(s, (p, &bytes), count, a, b, y.add(i));
            i += 2 * S::LANES;
        }
    }
}
