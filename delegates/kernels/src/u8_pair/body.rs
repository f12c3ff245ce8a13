//! The kernels, for any instruction set. `F` is the index of a function in `Combine::ALL`, `W` the number of a `Way`.

use super::{Combine, Pair, Way};
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
    // SAFETY: `run` reads `n` bytes of `a` and `n` bytes or one byte of `b`, and writes `n` bytes of `y`, as `Pairs`
    // requires.
    unsafe {
        match p.way {
            // Operands are not scaled, so one loop is enough.
            _ if matches!(Combine::ALL[F], Combine::Mul) => run::<S, F, ONE, PLAIN>(s, p, n, a, b, y),
            Way::Shift => run::<S, F, ONE, SHIFT>(s, p, n, a, b, y),
            Way::Plain => run::<S, F, ONE, PLAIN>(s, p, n, a, b, y),
            Way::General => run::<S, F, ONE, GENERAL>(s, p, n, a, b, y),
        }
    }
}

/// The blocks of a, b and y, and the left shift of a.
#[derive(Clone, Copy)]
struct Scales<S: Ints> {
    blocks: [S::Channels; 3],
    shift: u32,
}

/// Operand `I` (0 or 1), scaled.
#[inline(always)]
fn scaled<S: Ints, const F: usize, const W: usize, const I: usize>(s: S, p: Scales<S>, x: S::I) -> S::I {
    let x = s.add_bias(x, p.blocks[I]);
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
        let (p, bytes) = (Scales { blocks, shift: p.shift }, p.bytes);
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
