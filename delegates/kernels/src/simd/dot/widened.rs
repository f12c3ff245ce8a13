//! Products of pairs of words whose weights are bytes in memory.

use super::{Dot, Dots, Ints};

/// Dot products of words that can load weights from bytes.
pub trait Widen: Dot {
    /// Loads weights, four bytes per lane.
    ///
    /// # Safety
    /// Four bytes per lane must be readable.
    unsafe fn widened(self, p: *const u8) -> Self::W;
}

/// The products of `D`, of weights that are bytes in memory and become words when they are loaded.
#[derive(Clone, Copy)]
pub struct Widened<D>(D);

// SAFETY: only `new` creates a value, and it requires that the machine has the instructions of `D`.
unsafe impl<D: Widen> Dot for Widened<D> {
    type S = D::S;
    type A = D::A;
    type W = D::W;
    const WEIGHTS: usize = 4 * D::LANES;
    const OFFSET: u8 = D::OFFSET;
    const STARTS: u8 = 1;
    const IN_WORDS: bool = true;

    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the machine has the instructions, as `new` requires.
        Widened(unsafe { D::new() })
    }
    #[inline(always)]
    fn ints(self) -> D::S {
        self.0.ints()
    }
    #[inline(always)]
    fn spread(self, four: u32) -> D::A {
        self.0.spread(four)
    }
    #[inline(always)]
    unsafe fn fours(self, p: *const u8) -> D::A {
        // SAFETY: a vector of bytes is readable, as `Dot` requires.
        unsafe { self.0.fours(p) }
    }
    #[inline(always)]
    unsafe fn weights(self, p: *const u8) -> D::W {
        // SAFETY: `WEIGHTS` bytes, four per lane, are readable, as `Dot` requires.
        unsafe { self.0.widened(p) }
    }
    #[inline(always)]
    fn dot(self, sum: <D::S as Ints>::I, a: D::A, w: D::W) -> <D::S as Ints>::I {
        self.0.dot(sum, a, w)
    }
    #[inline(always)]
    fn dot_row<const V: usize>(self, sums: &mut [<D::S as Ints>::I; V], a: D::A, w: [D::W; V]) {
        self.0.dot_row(sums, a, w);
    }
}

impl<D: Widen> Dots for Widened<D> {
    #[inline(always)]
    fn dot_all<const N: usize>(
        self,
        sum: <D::S as Ints>::I,
        a: [D::A; N],
        w: [D::W; N],
    ) -> <D::S as Ints>::I {
        a.into_iter().zip(w).fold(sum, |sum, (a, w)| self.0.dot(sum, a, w))
    }
}
