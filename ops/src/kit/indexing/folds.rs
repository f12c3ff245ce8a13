//! Folds of groups that read slices of the input, so that their inner loops neither count axes nor check bounds.
//!
//! ```text
//! reduced elements are neighbors      some groups at a time, row by row:   acc = f(acc, row[0]), f(acc, row[1]), …
//! others                              a block of groups at a time:         acc[k] = f(acc[k], row[k]) for each row
//! ```
//! Either way, each group's elements are combined in row-major order. Functions that accept any order combine a row in
//! lanes, which vectors hold.

use super::{Nest, Reduction};
use crate::kit::blocks::BLOCK;

/// The functions of a fold.
pub struct Fold<F, G> {
    /// The accumulator after the first element.
    pub first: F,
    /// The accumulator after the next element.
    pub next: G,
}

impl Reduction {
    /// Folds each group in row-major order and calls `end(output index, result)`; the result is `None` for an empty
    /// group.
    pub fn fold<T: Copy, A: Copy, F: Fn(T) -> A, G: Fn(A, T) -> A>(
        &self,
        x: &[T],
        fold: &Fold<F, G>,
        mut end: impl FnMut(usize, Option<A>),
    ) {
        if self.reduced.is_empty() {
            (0..self.output.flat_size()).for_each(|out| end(out, None));
        } else if self.has_rows() {
            self.fold_rows(x, fold, &mut end);
        } else if self.reduced.run_steps() == [1] {
            self.kept
                .for_each(|out, [first]| end(out, fold.rows(x, &self.reduced.starting_at([first as isize]))));
        } else {
            self.fold_blocks(x, fold, &mut end);
        }
    }

    /// Whether the elements of each group are contiguous.
    fn has_rows(&self) -> bool {
        self.reduced.run_steps() == [1] && self.reduced.run_len() == self.reduced.len()
    }

    /// Like [`fold`](Self::fold), for functions that give the same result in any order; `merge` combines the results of
    /// two parts.
    pub fn fold_in_any_order<T: Copy, A: Copy>(
        &self,
        x: &[T],
        fold: &Fold<impl Fn(T) -> A, impl Fn(A, T) -> A>,
        merge: impl Fn(A, A) -> A,
        mut end: impl FnMut(usize, Option<A>),
    ) {
        let length = self.reduced.len();
        if length < LANES || !self.has_rows() {
            return self.fold(x, fold, end);
        }
        self.kept.for_each(|out, [at]| end(out, Some(fold.lanes(&x[at..at + length], &merge))));
    }

    /// Folds groups of contiguous elements, some at a time.
    fn fold_rows<T: Copy, A: Copy, F: Fn(T) -> A, G: Fn(A, T) -> A>(
        &self,
        x: &[T],
        fold: &Fold<F, G>,
        end: &mut impl FnMut(usize, Option<A>),
    ) {
        let ([step], length) = (self.kept.run_steps(), self.reduced.len());
        self.kept.for_each_run(&mut |out, [at], count| {
            let row = |k: usize| &x[at.wrapping_add_signed(step * k as isize)..][..length];
            let whole = count - count % TOGETHER;
            for k in (0..whole).step_by(TOGETHER) {
                let results = fold.together(core::array::from_fn::<_, TOGETHER, _>(|i| row(k + i)));
                results.into_iter().enumerate().for_each(|(i, acc)| end(out + k + i, Some(acc)));
            }
            (whole..count).for_each(|k| end(out + k, Some(fold.together([row(k)])[0])));
        });
    }

    /// Folds blocks of groups whose first elements are equally distant.
    fn fold_blocks<T: Copy, A: Copy, F: Fn(T) -> A, G: Fn(A, T) -> A>(
        &self,
        x: &[T],
        fold: &Fold<F, G>,
        end: &mut impl FnMut(usize, Option<A>),
    ) {
        let Some(&any) = x.first() else { return };
        let mut accumulators = [(fold.first)(any); BLOCK];
        let [step] = self.kept.run_steps();
        self.kept.for_each_run(&mut |out, [at], length| {
            for begin in (0..length).step_by(BLOCK) {
                let first = at.wrapping_add_signed(step * begin as isize);
                let block = &mut accumulators[..BLOCK.min(length - begin)];
                fold.columns(x, &self.reduced.starting_at([first as isize]), step, block);
                for (k, &mut acc) in block.iter_mut().enumerate() {
                    end(out + begin + k, Some(acc));
                }
            }
        });
    }
}

/// The number of results of a row that are computed side by side.
const LANES: usize = 16;

/// The number of rows that are folded side by side.
const TOGETHER: usize = 4;

impl<F, G> Fold<F, G> {
    /// Folds rows of the same length, which must not be 0, in order.
    fn together<T: Copy, A: Copy, const N: usize>(&self, rows: [&[T]; N]) -> [A; N]
    where
        F: Fn(T) -> A,
        G: Fn(A, T) -> A,
    {
        let length = rows[0].len();
        let rows = rows.map(|row| &row[..length]);
        let mut accumulators = rows.map(|row| (self.first)(row[0]));
        for i in 1..length {
            for (acc, row) in accumulators.iter_mut().zip(rows) {
                *acc = (self.next)(*acc, row[i]);
            }
        }
        accumulators
    }

    /// Folds a row of at least [`LANES`] elements in lanes, and these by halves.
    fn lanes<T: Copy, A: Copy>(&self, row: &[T], merge: &impl Fn(A, A) -> A) -> A
    where
        F: Fn(T) -> A,
        G: Fn(A, T) -> A,
    {
        let (chunks, rest) = row.as_chunks::<LANES>();
        let mut lanes = chunks[0].map(&self.first);
        for chunk in &chunks[1..] {
            lanes.iter_mut().zip(chunk).for_each(|(acc, &x)| *acc = (self.next)(*acc, x));
        }
        let mut half = LANES / 2;
        while half > 0 {
            for k in 0..half {
                lanes[k] = merge(lanes[k], lanes[k + half]);
            }
            half /= 2;
        }
        rest.iter().fold(lanes[0], |acc, &x| (self.next)(acc, x))
    }

    /// Folds the elements at the positions of a nest whose runs are contiguous.
    fn rows<T: Copy, A: Copy>(&self, x: &[T], rows: &Nest<1>) -> Option<A>
    where
        F: Fn(T) -> A,
        G: Fn(A, T) -> A,
    {
        let mut acc = None;
        rows.for_each_run(&mut |_, [at], length| {
            let row = &x[at..at + length];
            let (begin, rest) = match acc {
                Some(acc) => (acc, row),
                None => ((self.first)(row[0]), &row[1..]),
            };
            acc = Some(rest.iter().fold(begin, |acc, &x| (self.next)(acc, x)));
        });
        acc
    }

    /// Folds one element per accumulator at each position of a nest. The stride of the elements is `step`.
    fn columns<T: Copy, A: Copy>(&self, x: &[T], positions: &Nest<1>, step: isize, block: &mut [A])
    where
        F: Fn(T) -> A,
        G: Fn(A, T) -> A,
    {
        for (position, at) in positions.indices().enumerate() {
            let element = |k: usize| x[at.wrapping_add_signed(step * k as isize)];
            if position == 0 {
                block.iter_mut().enumerate().for_each(|(k, acc)| *acc = (self.first)(element(k)));
            } else if step == 1 {
                let row = &x[at..at + block.len()];
                block.iter_mut().zip(row).for_each(|(acc, &x)| *acc = (self.next)(*acc, x));
            } else {
                block.iter_mut().enumerate().for_each(|(k, acc)| *acc = (self.next)(*acc, element(k)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::indexing::{Axes, Dims, KeepDims};
    use std::vec::Vec;

    /// Each group is folded in row-major order, whichever axes are reduced.
    #[test]
    fn order() {
        for sizes in [&[3, 2, 70][..], &[2, 1, 3, 2], &[200], &[5, 0, 2], &[0, 3], &[]] {
            let dims = Dims::new(sizes).unwrap();
            let x: Vec<u32> = (0..dims.flat_size() as u32).collect();
            for set in 0..1 << sizes.len() {
                let list: Vec<i32> = (0..sizes.len() as i32).filter(|axis| set >> axis & 1 == 1).collect();
                let axes = Axes::new(&list, sizes.len()).unwrap();
                let reduction = Reduction::new(&dims, axes, KeepDims::Drop);
                let hash = |acc: u32, x: u32| acc.wrapping_mul(31).wrapping_add(x);
                let mut want = Vec::new();
                reduction.for_each(|out, indices| want.push((out, indices.map(|i| x[i]).reduce(hash))));
                let mut got = Vec::new();
                reduction.fold(&x, &Fold { first: |x| x, next: hash }, |out, acc| got.push((out, acc)));
                assert_eq!(got, want, "{sizes:?} along {list:?}");
                let sum = Fold { first: |x| x, next: u32::wrapping_add };
                let (mut got, mut want) = (Vec::new(), Vec::new());
                reduction.fold(&x, &sum, |out, acc| want.push((out, acc)));
                reduction.fold_in_any_order(&x, &sum, u32::wrapping_add, |out, acc| got.push((out, acc)));
                assert_eq!(got, want, "the sums of {sizes:?} along {list:?}");
            }
        }
    }
}
