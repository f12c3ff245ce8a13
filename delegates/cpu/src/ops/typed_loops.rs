//! Loops over elements that [`super::typed`] runs, compiled with and without AVX2.

use std::hint::select_unpredictable;
use std::marker::PhantomData;

use super::typed_functions::{One, Two};
use crate::steps::typed_map::{ElementFn, INPUTS};

/// A loop over elements.
trait Loop {
    /// The bytes of each operand's element, 0 for missing ones.
    const OPERANDS: [usize; INPUTS];
    /// The bytes of a result.
    const RESULT: usize;

    /// Computes `n` results.
    ///
    /// # Safety
    /// See [`RunFn`](crate::steps::typed_map::RunFn).
    unsafe fn run(n: usize, x: [*const u8; INPUTS], moves: [bool; INPUTS], y: *mut u8);
}

/// The function that runs the loop.
fn element_fn<L: Loop>() -> ElementFn {
    /// # Safety
    /// See [`RunFn`](crate::steps::typed_map::RunFn).
    unsafe fn plain<L: Loop>(n: usize, x: [*const u8; INPUTS], moves: [bool; INPUTS], y: *mut u8) {
        // SAFETY: `L::run` requires what this function does, which its caller guarantees.
        unsafe { L::run(n, x, moves, y) }
    }
    /// # Safety
    /// See [`RunFn`](crate::steps::typed_map::RunFn); the machine must have AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn avx2<L: Loop>(n: usize, x: [*const u8; INPUTS], moves: [bool; INPUTS], y: *mut u8) {
        // SAFETY: `L::run` requires what this function does, which its caller guarantees.
        unsafe { L::run(n, x, moves, y) }
    }
    #[cfg(target_arch = "x86_64")]
    let wide = Some(avx2::<L> as _);
    #[cfg(not(target_arch = "x86_64"))]
    let wide = None;
    // SAFETY: loops read elements of `OPERANDS` bytes and write results of `RESULT` bytes; all are numbers. `avx2`
    // needs AVX2, as `wide` may.
    unsafe { ElementFn::new(plain::<L>, L::OPERANDS, L::RESULT).or_wide(wide) }
}

/// `F` of one operand.
struct OfOne<X, Y, F>(PhantomData<(X, Y, F)>);

impl<X: Copy, Y, F: One<X, Y>> Loop for OfOne<X, Y, F> {
    const OPERANDS: [usize; INPUTS] = [size_of::<X>(), 0, 0];
    const RESULT: usize = size_of::<Y>();

    #[inline(always)]
    unsafe fn run(n: usize, x: [*const u8; INPUTS], moves: [bool; INPUTS], y: *mut u8) {
        let (x, y) = (x[0].cast::<X>(), y.cast::<Y>());
        // SAFETY: `n` elements are readable, or one if the operand does not move, and `n` results writable, as the
        // caller guarantees.
        unsafe {
            if moves[0] {
                (0..n).for_each(|i| y.add(i).write_unaligned(F::of(x.add(i).read_unaligned())));
            } else if n > 0 {
                let x = x.read_unaligned();
                (0..n).for_each(|i| y.add(i).write_unaligned(F::of(x)));
            }
        }
    }
}

/// `F` of two operands.
struct OfTwo<X, Y, F>(PhantomData<(X, Y, F)>);

impl<X: Copy, Y, F: Two<X, Y>> Loop for OfTwo<X, Y, F> {
    const OPERANDS: [usize; INPUTS] = [size_of::<X>(), size_of::<X>(), 0];
    const RESULT: usize = size_of::<Y>();

    #[inline(always)]
    unsafe fn run(n: usize, x: [*const u8; INPUTS], moves: [bool; INPUTS], y: *mut u8) {
        let (a, b, y) = (x[0].cast::<X>(), x[1].cast::<X>(), y.cast::<Y>());
        let at = |from: *const X, i: usize| {
            // SAFETY: the element exists, as the caller of `run` guarantees for the operands and places below.
            unsafe { from.add(i).read_unaligned() }
        };
        // SAFETY: `n` results are writable, as the caller guarantees.
        let put = |i: usize, value: Y| unsafe { y.add(i).write_unaligned(value) };
        // One loop for each case, so that the compiler makes vectors of it.
        match moves {
            _ if n == 0 => {}
            [of_a, of_b, _] if F::HAS_USUAL => {
                let group = |from: *const X, moves: bool, first: usize| match moves {
                    // SAFETY: a whole group is among the `n` elements, which exist.
                    true => unsafe { from.add(first).cast::<[X; GROUP]>().read_unaligned() },
                    false => [at(from, 0); GROUP],
                };
                let groups = |first| [group(a, of_a, first), group(b, of_b, first)];
                let pair = |i| [at(a, if of_a { i } else { 0 }), at(b, if of_b { i } else { 0 })];
                in_groups::<X, Y, F>(n, groups, pair, put);
            }
            [true, true, _] => (0..n).for_each(|i| put(i, F::of(at(a, i), at(b, i)))),
            [true, false, _] => {
                let b = at(b, 0);
                (0..n).for_each(|i| put(i, F::of(at(a, i), b)));
            }
            [false, true, _] => {
                let a = at(a, 0);
                (0..n).for_each(|i| put(i, F::of(a, at(b, i))));
            }
            [false, false, _] => (0..n).for_each(|i| put(i, F::of(at(a, 0), at(b, 0)))),
        }
    }
}

/// Elements that are all computed in the usual way, or all not.
const GROUP: usize = 64;

/// Puts the result of each of `n` pairs in its place. Both operands are copied in groups, so that the same loops serve
/// operands that do not move.
#[inline(always)]
fn in_groups<X: Copy, Y, F: Two<X, Y>>(
    n: usize,
    group: impl Fn(usize) -> [[X; GROUP]; 2],
    pair: impl Fn(usize) -> [X; 2],
    put: impl Fn(usize, Y),
) {
    let whole = n - n % GROUP;
    for first in (0..whole).step_by(GROUP) {
        let [a, b] = group(first);
        if a.iter().zip(&b).fold(true, |all, (a, b)| all & F::is_usual(a, b)) {
            (0..GROUP).for_each(|i| put(first + i, F::usual(a[i], b[i])));
        } else {
            (0..GROUP).for_each(|i| put(first + i, F::of(a[i], b[i])));
        }
    }
    for i in whole..n {
        let [a, b] = pair(i);
        put(i, F::of(a, b));
    }
}

/// The sum of three numbers, from the first to the last.
struct SumOfThree;

impl Loop for SumOfThree {
    const OPERANDS: [usize; INPUTS] = [4; INPUTS];
    const RESULT: usize = 4;

    #[inline(always)]
    unsafe fn run(n: usize, x: [*const u8; INPUTS], moves: [bool; INPUTS], y: *mut u8) {
        let ([a, b, c], y) = (x.map(|x| x.cast::<i32>()), y.cast::<i32>());
        let at = |from: *const i32, moves: bool, i: usize| {
            // SAFETY: as in `OfTwo`, for three operands.
            unsafe { from.add(if moves { i } else { 0 }).read_unaligned() }
        };
        // SAFETY: `n` results are writable, as the caller guarantees.
        let put = |i: usize, value: i32| unsafe { y.add(i).write_unaligned(value) };
        let sum = |moves: [bool; INPUTS], i| {
            at(a, moves[0], i).wrapping_add(at(b, moves[1], i)).wrapping_add(at(c, moves[2], i))
        };
        match moves {
            [true, true, true] => (0..n).for_each(|i| put(i, sum([true; INPUTS], i))),
            _ => (0..n).for_each(|i| put(i, sum(moves, i))),
        }
    }
}

/// The second operand where the first is not zero, else the third.
struct Choose<T>(PhantomData<T>);

impl<T: Copy> Loop for Choose<T> {
    const OPERANDS: [usize; INPUTS] = [1, size_of::<T>(), size_of::<T>()];
    const RESULT: usize = size_of::<T>();

    #[inline(always)]
    unsafe fn run(n: usize, x: [*const u8; INPUTS], moves: [bool; INPUTS], y: *mut u8) {
        let (c, a, b, y) = (x[0], x[1].cast::<T>(), x[2].cast::<T>(), y.cast::<T>());
        // SAFETY: as in `OfTwo`, for a condition of bytes and two operands. Results are in memory of their own.
        unsafe {
            match moves {
                _ if n == 0 => {}
                // Both are read, so that vectors can choose.
                [true, true, true] => {
                    for i in 0..n {
                        let (a, b) = (a.add(i).read_unaligned(), b.add(i).read_unaligned());
                        y.add(i).write_unaligned(select_unpredictable(*c.add(i) != 0, a, b));
                    }
                }
                [false, of_a, of_b] => {
                    let (from, moves) = if *c != 0 { (a, of_a) } else { (b, of_b) };
                    if moves {
                        y.cast::<u8>().copy_from_nonoverlapping(from.cast(), n * size_of::<T>());
                    } else {
                        let value = from.read_unaligned();
                        (0..n).for_each(|i| y.add(i).write_unaligned(value));
                    }
                }
                [true, of_a, of_b] => {
                    for i in 0..n {
                        let (from, moves) = if *c.add(i) != 0 { (a, of_a) } else { (b, of_b) };
                        y.add(i).write_unaligned(from.add(if moves { i } else { 0 }).read_unaligned());
                    }
                }
            }
        }
    }
}

/// `F` of one operand.
pub(super) fn one<X: Copy, Y, F: One<X, Y>>() -> ElementFn {
    element_fn::<OfOne<X, Y, F>>()
}

/// `F` of two operands.
pub(super) fn two<X: Copy, Y, F: Two<X, Y>>() -> ElementFn {
    element_fn::<OfTwo<X, Y, F>>()
}

/// The sum of three numbers, from the first to the last.
pub(super) fn sum_of_three() -> ElementFn {
    element_fn::<SumOfThree>()
}

/// The second operand where the first is not zero, else the third.
pub(super) fn choose<T: Copy>() -> ElementFn {
    element_fn::<Choose<T>>()
}
