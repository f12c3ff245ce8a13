//! The products of a [strip](super::strip) of rows that have a form.

// Indices are constants once loops over rows and vectors are unrolled, so that sums stay in registers.
#![allow(clippy::needless_range_loop)]

use super::Tile;
use super::body::Sum;
use super::bound::Form;
use super::copies::{Copies, Correction};
use super::strip::{Products, RowsInPlace, taps};
use crate::simd::Ints;
use crate::simd::dot::Dots;

/// Products of words, of bytes and of signed bytes.
#[derive(Clone, Copy)]
pub(super) struct Forms<D, B, G>(pub(super) D, pub(super) B, pub(super) G);

impl<D: Dots, B: Dots<S = D::S>, G: Dots<S = D::S>> Products for Forms<D, B, G> {
    type D = D;

    #[inline(always)]
    fn dot(self) -> D {
        self.0
    }
    #[inline(always)]
    unsafe fn products<const R: usize, const V: usize>(
        self,
        from: &RowsInPlace<'_>,
        first: usize,
        t: &Tile<'_>,
        mut starts: [[Sum<D>; V]; R],
    ) -> [[Sum<D>; V]; R] {
        let Forms(d, b, g) = self;
        // SAFETY: as `products` requires.
        unsafe {
            if let Some(copies) = from.copies {
                if from.form.is_signed() {
                    copies.add_terms::<D, R, V>(d, first, &mut starts);
                }
                if !copies.of_rows(first, R).is_empty() {
                    starts = match from.form.is_signed() {
                        true => copies.corrected::<G, R, V>(g, t, first, starts),
                        false => copies.corrected::<B, R, V>(b, t, first, starts),
                    };
                }
            }
            match from.form {
                Form::Words => taps::<D, 1, R, V>(d, from, first, t, starts),
                Form::Pairs => taps::<B, 1, R, V>(b, from, first, t, starts),
                Form::Fours => taps::<B, 2, R, V>(b, from, first, t, starts),
                Form::SignedPairs => taps::<G, 1, R, V>(g, from, first, t, starts),
                Form::SignedFours => taps::<G, 2, R, V>(g, from, first, t, starts),
            }
        }
    }
}

impl Copies<'_> {
    /// Adds the products of the offset. The panel starts with the sums of its columns.
    ///
    /// # Safety
    /// The tile must meet the requirements of [`super::Microkernel`], with `V` vectors.
    #[inline(always)]
    pub(super) unsafe fn add_offset<D: Dots, const V: usize>(
        &self,
        d: D,
        t: &Tile<'_>,
        start: &mut [Sum<D>; V],
    ) {
        let s = d.ints();
        for v in 0..V {
            // SAFETY: the panel starts with `V` vectors of sums.
            let sums = unsafe { s.load_i32(t.weights.add(v * D::WEIGHTS).cast()) };
            start[v] = s.add_i32(start[v], s.mul_i32(sums, s.splat_i32(self.offset.into())));
        }
    }

    /// Adds the terms of `R` rows.
    #[inline(always)]
    fn add_terms<D: Dots, const R: usize, const V: usize>(
        &self,
        d: D,
        first: usize,
        sums: &mut [[Sum<D>; V]; R],
    ) {
        let s = d.ints();
        for r in 0..R {
            let term = s.splat_i32(self.terms[first + r]);
            for v in 0..V {
                sums[r][v] = s.add_i32(sums[r][v], term);
            }
        }
    }

    /// Adds the products of the corrections of `R` rows.
    ///
    /// # Safety
    /// There must be `V` vectors of weights for each group of the copies.
    #[inline(always)]
    unsafe fn corrected<D: Dots, const R: usize, const V: usize>(
        &self,
        d: D,
        t: &Tile<'_>,
        first: usize,
        mut sums: [[Sum<D>; V]; R],
    ) -> [[Sum<D>; V]; R] {
        let weights = t.weights.wrapping_add(V * D::BEFORE);
        // In memory, since the rows of corrections are known only at run time.
        let rows = core::hint::black_box(&mut sums);
        for &Correction { group, row, four } in self.of_rows(first, R) {
            let Some(row) = rows.get_mut(usize::from(row).wrapping_sub(first)) else { continue };
            let four = d.spread(four);
            for v in 0..V {
                // SAFETY: a correction names a group, and all groups have weights, as `# Safety` requires.
                let weights = unsafe { d.weights(weights.add((usize::from(group) * V + v) * D::WEIGHTS)) };
                row[v] = d.dot_all(row[v], [four], [weights]);
            }
        }
        sums
    }
}
