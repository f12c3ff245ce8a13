//! Sums and extremes of whole numbers, and whether any or all booleans are true, along adjacent axes.

use std::ops::BitXor;

use arenite_abi::prelude::*;
use bytemuck::Pod;

use crate::fixed_point::Factor;
use crate::kernels::StridedRows;
use crate::kernels::int_fold::{IntFolds, RowFolds};
use crate::memory::{Source, Target};
use crate::step::{Grain, Run, Step, StepValues};

/// Results that are computed together.
pub(crate) const PART: usize = 512;

/// `[outer][folded][inner]` elements become `[outer][inner]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// How often.
    pub outer: usize,
    /// Elements that become one.
    pub folded: usize,
    /// Elements side by side.
    pub inner: usize,
}

impl Shape {
    /// `[outer][folded][inner]`, if the folded axes are adjacent, not counting axes of size 1.
    pub(crate) fn of(sizes: &[usize], folded: &[bool]) -> Option<Shape> {
        let mut sections: Vec<(bool, usize)> = Vec::new();
        for (&size, &folded) in sizes.iter().zip(folded).filter(|(size, _)| **size != 1) {
            match sections.last_mut() {
                Some((same, n)) if *same == folded => *n *= size,
                _ => sections.push((folded, size)),
            }
        }
        match sections[..] {
            [] => Some(Shape { outer: 1, folded: 1, inner: 1 }),
            [(false, outer)] => Some(Shape { outer, folded: 1, inner: 1 }),
            [(true, folded)] => Some(Shape { outer: 1, folded, inner: 1 }),
            [(true, folded), (false, inner)] => Some(Shape { outer: 1, folded, inner }),
            [(false, outer), (true, folded)] => Some(Shape { outer, folded, inner: 1 }),
            [(false, outer), (true, folded), (false, inner)] => Some(Shape { outer, folded, inner }),
            _ => None,
        }
    }
}

/// A function of the elements that become one.
#[derive(Clone, Copy)]
pub(crate) enum Fold {
    /// The element with the most bits set from the highest on, after XOR: see [`IntFolds`].
    Extreme {
        /// Elements are XORed with this; its sign is extended to 16 bits.
        flip: i8,
    },
    /// Whether an extreme of booleans is true.
    Truth {
        /// 0 if one element decides, −1 if all have to be true.
        flip: i8,
    },
    /// A sum of quantized numbers.
    Sum(Line),
    /// A mean of 16-bit numbers: their sum times this factor.
    Mean(Factor),
}

/// Converts sums to quantized numbers: `round(sum · scale + bias) + zero_point`.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    /// The input's scale divided by the output's.
    pub scale: f32,
    /// The contribution of all elements' zero points.
    pub bias: f32,
    /// The zero point of results.
    pub zero_point: i32,
    /// The least and the largest result.
    pub limits: [i32; 2],
    /// Elements are XORed with this before they are added. It raises each of them by `raised`.
    pub flip: i8,
    /// By how much elements are raised.
    pub raised: i32,
    /// Results are XORed with this.
    pub unflip: i8,
}

impl Line {
    /// The number for a sum of `count` raised elements. Sums wrap. Products out of the range of 32 bits, and NaN,
    /// become the least number, as on x86.
    fn apply(&self, sum: i32, count: usize) -> i32 {
        let sum = sum.wrapping_sub(self.raised.wrapping_mul(count as i32));
        let x = sum as f32 * self.scale + self.bias;
        // The largest number below one half: with one half, its own double would round to 1.
        let x = x + 0.499_999_97_f32.copysign(x);
        let is_in_range = (-2_147_483_648.0..2_147_483_648.0).contains(&x);
        let whole = if is_in_range { x as i32 } else { i32::MIN };
        whole.wrapping_add(self.zero_point).clamp(self.limits[0], self.limits[1])
    }
}

/// A type of elements.
pub(crate) trait Whole: Pod + Send + Sync + Ord + BitXor<Output = Self> {
    /// The kernels.
    fn folds(all: &IntFolds) -> &RowFolds<Self>;
    /// The number with these low bits.
    fn of(x: i32) -> Self;
}

impl Whole for u8 {
    fn folds(all: &IntFolds) -> &RowFolds<u8> {
        &all.bytes
    }

    fn of(x: i32) -> u8 {
        x as u8
    }
}

impl Whole for i16 {
    fn folds(all: &IntFolds) -> &RowFolds<i16> {
        &all.words
    }

    fn of(x: i32) -> i16 {
        x as i16
    }
}

/// A fold along an axis.
pub(crate) struct FoldInt {
    /// The kernels.
    pub folds: &'static IntFolds,
    /// The function.
    pub fold: Fold,
    /// Whether elements have 16 bits.
    pub is_wide: bool,
    /// The axes around the folded one.
    pub shape: Shape,
    /// The input and the output.
    pub ends: StepValues,
}

/// Rows of columns that are folded to one. Rows of few elements are folded some at a time, as one row.
struct Columns<'a, T> {
    x: Source<'a, T>,
    /// Rows, and elements from one to the next.
    rows: StridedRows,
    /// Rows that count as one.
    together: usize,
    /// The rows that are left over.
    rest: (Source<'a, T>, StridedRows),
}

impl<'a, T: Pod> Columns<'a, T> {
    /// The `n` columns `from..` of slab `outer`.
    fn new(x: Source<'a, T>, shape: Shape, [outer, from, n]: [usize; 3]) -> Self {
        let Shape { folded, inner, .. } = shape;
        let together = if n == inner { (PART / n).clamp(1, folded) } else { 1 };
        let (count, stride) = (folded / together, together * inner);
        let x = x.part(outer * folded * inner + from, (folded - 1) * inner + n);
        let left = folded - count * together;
        let rest = if left > 0 { x.part(count * stride, (left - 1) * inner + n) } else { Source::NONE };
        let rest = (rest, StridedRows { count: left, stride: inner });
        Columns { x, rows: StridedRows { count, stride }, together, rest }
    }
}

/// The sums of `n` columns, as [`Columns::new`] takes them; `n` is at most [`PART`].
pub(crate) fn column_sums<T: Whole>(
    folds: &RowFolds<T>,
    x: Source<'_, T>,
    shape: Shape,
    place @ [_, _, n]: [usize; 3],
    flip: T,
) -> [i32; PART] {
    let (mut sums, columns) = ([0; PART], Columns::new(x, shape, place));
    folds.rows_added(columns.x, columns.rows, flip, &mut sums[..columns.together * n]);
    let (all, others) = sums.split_at_mut(n);
    for other in others[..(columns.together - 1) * n].chunks_exact(n) {
        all.iter_mut().zip(other).for_each(|(sum, &x)| *sum = sum.wrapping_add(x));
    }
    if columns.rest.1.count > 0 {
        folds.rows_added(columns.rest.0, columns.rest.1, flip, all);
    }
    sums
}

/// The extremes of `n` columns, as [`Columns::new`] takes them; `n` is at most [`PART`].
fn column_extremes<T: Whole>(
    folds: &RowFolds<T>,
    x: Source<'_, T>,
    shape: Shape,
    place @ [_, _, n]: [usize; 3],
    flip: T,
) -> [T; PART] {
    let (mut most, columns) = ([T::zeroed(); PART], Columns::new(x, shape, place));
    let join = |all: &mut [T], other: &[T]| {
        all.iter_mut().zip(other).for_each(|(most, &x)| *most = (*most ^ flip).max(x ^ flip) ^ flip);
    };
    folds.extremes_of_columns(columns.x, columns.rows, flip, &mut most[..columns.together * n]);
    let (all, others) = most.split_at_mut(n);
    others[..(columns.together - 1) * n].chunks_exact(n).for_each(|other| join(all, other));
    if columns.rest.1.count > 0 {
        let mut last = [T::zeroed(); PART];
        folds.extremes_of_columns(columns.rest.0, columns.rest.1, flip, &mut last[..n]);
        join(all, &last[..n]);
    }
    most
}

impl FoldInt {
    /// Sums for results `first..` of slab `outer`.
    fn sums<T: Whole>(&self, x: Source<'_, T>, place: [usize; 3], flip: i8) -> [i32; PART] {
        let (folds, flip, [_, first, n]) = (T::folds(self.folds), T::of(flip.into()), place);
        let Shape { folded, inner, .. } = self.shape;
        if inner > 1 {
            return column_sums(folds, x, self.shape, place, flip);
        }
        let mut sums = [0; PART];
        folds.rows_summed(x.part(first * folded, n * folded), folded, flip, &mut sums[..n]);
        sums
    }

    /// Extremes for results `first..` of slab `outer`.
    fn extremes<T: Whole>(&self, x: Source<'_, T>, place: [usize; 3], flip: i8, y: &mut Target<'_, T>) {
        let (folds, flip, [_, first, n]) = (T::folds(self.folds), T::of(flip.into()), place);
        let Shape { folded, inner, .. } = self.shape;
        if inner > 1 {
            let most = column_extremes(folds, x, self.shape, place, flip);
            return y.as_mut_slice().copy_from_slice(&most[..n]);
        }
        folds.extremes_of_rows(x.part(first * folded, n * folded), folded, flip, y);
    }

    /// Results `first..` of slab `outer`.
    fn part<T: Whole>(&self, x: Source<'_, T>, [outer, first]: [usize; 2], y: &mut Target<'_, T>) {
        let (place, folded) = ([outer, first, y.len()], self.shape.folded);
        match self.fold {
            Fold::Sum(line) => {
                let (sums, unflip) = (self.sums(x, place, line.flip), T::of(line.unflip.into()));
                let results = y.as_mut_slice().iter_mut().zip(&sums);
                results.for_each(|(y, &sum)| *y = T::of(line.apply(sum, folded)) ^ unflip);
            }
            Fold::Mean(factor) => {
                let sums = self.sums(x, place, 0);
                let results = y.as_mut_slice().iter_mut().zip(&sums);
                results.for_each(|(y, &sum)| {
                    *y = T::of(factor.apply(sum).clamp(i16::MIN.into(), i16::MAX.into()));
                });
            }
            Fold::Extreme { flip } => self.extremes(x, place, flip, y),
            Fold::Truth { flip } => {
                self.extremes(x, place, flip, y);
                let no = T::of(0);
                y.as_mut_slice().iter_mut().for_each(|y| *y = T::of((*y != no).into()));
            }
        }
    }

    fn elements<T: Whole>(&self, cx: &Run<'_>) -> Result<()> {
        let Shape { outer, folded, inner } = self.shape;
        let (x, y) = (cx.input::<T>(self.ends.input), cx.output::<T>(self.ends.output));
        ensure!(y.len() == outer * inner, "the output has {} elements", y.len());
        let y = y.share();
        let (slabs, all) = if inner == 1 { (1, outer) } else { (outer, inner) };
        let parts = all.div_ceil(PART);
        cx.parallel_for(slabs * parts, Grain::of_cost(folded * PART.min(all)), |range| {
            for item in range {
                let (slab, first) = (item / parts, item % parts * PART);
                // SAFETY: parts cut a slab, slabs cut the output, and each part is one thread's.
                let mut y = unsafe { y.part(slab * all + first, PART.min(all - first)) };
                self.part(x, [slab, first], &mut y);
            }
        })
    }
}

impl Step for FoldInt {
    fn name(&self) -> &'static str {
        match self.fold {
            Fold::Sum(_) => "SUM",
            Fold::Mean(_) => "MEAN",
            Fold::Extreme { .. } => "extreme",
            Fold::Truth { flip: 0 } => "REDUCE_ANY",
            Fold::Truth { .. } => "REDUCE_ALL",
        }
    }

    fn run(&self, cx: &Run<'_>) -> Result<()> {
        if self.is_wide { self.elements::<i16>(cx) } else { self.elements::<u8>(cx) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Halves round away from zero; what 32 bits do not hold is the least number.
    #[test]
    fn sums_round_as_roundf_does() {
        let line = |scale: f32, bias: f32| {
            let [flip, unflip] = [0; 2];
            Line { scale, bias, zero_point: 0, limits: [i32::MIN, i32::MAX], flip, raised: 0, unflip }
        };
        for scale in [0.5, 0.1, 0.499_999_97, 1.0, 1.0 / 3.0, 0.007, 31.7] {
            for sum in (-3000..3000).chain([8_388_607, 8_388_609, -16_777_215, 4_194_305]) {
                let want = (sum as f32 * scale + 0.25).round() as i32;
                assert_eq!(line(scale, 0.25).apply(sum, 3), want, "{sum} · {scale}");
            }
        }
        assert_eq!(line(1.0, f32::NAN).apply(1, 1), i32::MIN);
        assert_eq!(line(4.0, 0.0).apply(i32::MAX, 1), i32::MIN);
        assert_eq!(Line { raised: 128, ..line(1.0, 0.0) }.apply(1000, 7), 1000 - 7 * 128);
    }
}
