//! Shapes of up to eight axes, and loops over tensors in row-major order.
//!
//! Defined by: tflite/kernels/internal/runtime_shape.h and reference/reduce.h (`ResolveAxis`).

mod axes;
mod folds;
mod reduction;
mod runs;

pub use axes::Axes;
pub use folds::Fold;
pub use reduction::{KeepDims, Reduction};

/// The maximum rank that is supported.
pub const MAX_RANK: usize = 8;

arenite_abi::plain! {
    /// A shape of up to eight axes. Sizes are not negative, and their product fits the address space.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Dims {
        rank: usize,
        /// Entries beyond the rank are 1.
        sizes: [i32; MAX_RANK],
    }
}

impl Dims {
    /// The shape of rank 0, with one element.
    pub const SCALAR: Dims = Dims { rank: 0, sizes: [1; MAX_RANK] };

    /// `None` for more than eight axes, a negative size, or too many elements. Sizes of zero do not count in that
    /// product, so that strides never overflow.
    pub fn new(sizes: &[i32]) -> Option<Dims> {
        let mut dims = Dims { rank: sizes.len(), ..Dims::SCALAR };
        let mut count: usize = 1;
        for (to, &size) in dims.sizes.get_mut(..sizes.len())?.iter_mut().zip(sizes) {
            *to = size;
            count = count.checked_mul(usize::try_from(size).ok()?.max(1))?;
        }
        (count <= isize::MAX as usize).then_some(dims)
    }

    /// Like [`new`](Self::new), with sizes from an iterator.
    pub fn from_sizes(sizes: impl IntoIterator<Item = i32>) -> Option<Dims> {
        let (mut rank, mut list) = (0, [0; MAX_RANK]);
        for size in sizes {
            *list.get_mut(rank)? = size;
            rank += 1;
        }
        Dims::new(&list[..rank])
    }

    /// The number of axes.
    #[inline]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The sizes, outermost first.
    #[inline]
    pub fn as_slice(&self) -> &[i32] {
        &self.sizes[..self.rank]
    }

    /// The size of an axis; 1 beyond the rank.
    #[inline]
    pub fn size(&self, axis: usize) -> usize {
        self.sizes.get(axis).map_or(1, |&size| size as usize)
    }

    /// The number of elements.
    pub fn flat_size(&self) -> usize {
        self.product(0, self.rank)
    }

    /// The distance in elements between neighbors along each axis, in row-major order; 0 beyond the rank.
    pub fn strides(&self) -> [isize; MAX_RANK] {
        let mut strides = [0; MAX_RANK];
        let mut stride = 1;
        for axis in (0..self.rank).rev() {
            strides[axis] = stride;
            stride *= (self.sizes[axis] as isize).max(1);
        }
        strides
    }

    /// The same shape with leading ones up to `rank` axes, or `None` if it has more already.
    pub fn extended(&self, rank: usize) -> Option<Dims> {
        let added = rank.checked_sub(self.rank)?;
        let mut dims = Dims { rank, ..Dims::SCALAR };
        dims.sizes.get_mut(added..rank)?.copy_from_slice(self.as_slice());
        Some(dims)
    }

    /// `(outer, size, inner)`: the number of elements before, along and after an axis. Element `[o, i, k]` has the
    /// index `(o × size + i) × inner + k`.
    pub fn split_at(&self, axis: usize) -> (usize, usize, usize) {
        let axis = axis.min(self.rank);
        (self.product(0, axis), self.size(axis), self.product(axis + 1, self.rank))
    }

    /// The number of elements in the axes `from..to`.
    pub fn product(&self, from: usize, to: usize) -> usize {
        (from..to).map(|axis| self.size(axis)).product()
    }
}

/// The index of an axis; a negative one counts from the end. `None` outside `-rank..rank`.
pub fn normalize_axis(axis: i32, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    let axis = i64::from(axis);
    let axis = if axis < 0 { axis + rank } else { axis };
    if axis < rank { usize::try_from(axis).ok() } else { None }
}

arenite_abi::plain! {
    /// A nest of loops over `N` tensors at once, with one stride per axis and tensor.
    ///
    /// Axes of size 1 are dropped, and neighboring axes are merged if every tensor allows it, so that the innermost
    /// loop (a *run*) is as long as possible. Positions are counted in row-major order from 0.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Nest<const N: usize> {
        rank: usize,
        sizes: [usize; MAX_RANK],
        steps: [[isize; MAX_RANK]; N],
        start: [isize; N],
    }
}

impl<const N: usize> Nest<N> {
    /// Loops over `dims`; tensor `n` moves by `steps[n][axis]` elements along an axis (0 repeats elements, a negative
    /// step goes back).
    pub fn new(dims: &Dims, steps: [[isize; MAX_RANK]; N]) -> Nest<N> {
        let mut nest = Nest { rank: 0, sizes: [1; MAX_RANK], steps: [[0; MAX_RANK]; N], start: [0; N] };
        for axis in 0..dims.rank() {
            let size = dims.size(axis);
            if size == 1 {
                continue;
            }
            let merges = nest.rank > 0
                && (0..N)
                    .all(|n| steps[n][axis].checked_mul(size as isize) == Some(nest.steps[n][nest.rank - 1]));
            if !merges {
                nest.rank += 1;
            }
            let last = nest.rank - 1;
            nest.sizes[last] *= size;
            for (to, from) in nest.steps.iter_mut().zip(&steps) {
                to[last] = from[axis];
            }
        }
        nest.rank = nest.rank.max(1);
        nest
    }

    /// The same loops with other first elements, as a slice needs.
    pub fn starting_at(self, start: [isize; N]) -> Nest<N> {
        Nest { start, ..self }
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.sizes.contains(&0)
    }

    /// The length of every run.
    pub fn run_len(&self) -> usize {
        self.sizes[self.rank - 1]
    }

    /// The step of every tensor within a run.
    pub fn run_steps(&self) -> [isize; N] {
        self.steps.map(|steps| steps[self.rank - 1])
    }

    /// Calls `f(out, first indices, length)` for every run, in row-major order. `f` is called through a pointer, so
    /// that the loops are compiled once instead of once per kernel.
    pub fn for_each_run(&self, f: &mut dyn FnMut(usize, [usize; N], usize)) {
        if self.is_empty() {
            return;
        }
        let inner = self.rank - 1;
        let length = self.sizes[inner];
        let mut walk = Walk::new(*self, inner);
        for out in (0..self.len()).step_by(length) {
            f(out, walk.at.map(|i| i as usize), length);
            walk.advance();
        }
    }
}

/// Moves each index by its step.
#[inline]
fn step<const N: usize>(at: &mut [usize; N], steps: &[isize; N]) {
    for (i, &step) in at.iter_mut().zip(steps) {
        *i = i.wrapping_add_signed(step);
    }
}

impl Nest<1> {
    /// The diagonals of the matrices in the last two axes, one matrix after another, or `None` with fewer than two
    /// axes.
    pub fn diagonals(matrices: &Dims) -> Option<Nest<1>> {
        let row = matrices.rank().checked_sub(2)?;
        let (rows, columns) = (matrices.sizes[row], matrices.sizes[row + 1]);
        let mut loops = Dims { rank: row + 1, ..*matrices };
        (loops.sizes[row], loops.sizes[row + 1]) = (rows.min(columns), 1);
        let mut steps = matrices.strides();
        steps[row] += 1;
        Some(Nest::new(&loops, [steps]))
    }

    /// The index of the first element if all elements are contiguous.
    pub fn contiguous(&self) -> Option<usize> {
        let follows = self.rank == 1 && (self.steps[0][0] == 1 || self.sizes[0] == 1);
        usize::try_from(self.start[0]).ok().filter(|_| follows && !self.is_empty())
    }

    /// The maximum by which a position is ahead of its index. If outputs start this many elements before the input in
    /// memory, overwriting everything before a position never destroys elements that are still to be read.
    pub fn lead(&self) -> i128 {
        self.farthest(1)
    }

    /// The maximum by which an index is ahead of its position.
    pub fn lag(&self) -> i128 {
        self.farthest(-1)
    }

    /// The largest of `sign × (position − index)`, which is a sum of one term per axis.
    fn farthest(&self, sign: i128) -> i128 {
        let (mut sum, mut block) = (-sign * self.start[0] as i128, 1);
        for axis in (0..self.rank).rev() {
            let per_step = sign * (block - self.steps[0][axis] as i128);
            sum += (per_step * (self.sizes[axis] as i128 - 1)).max(0);
            block *= self.sizes[axis] as i128;
        }
        sum
    }

    /// The indices of a nest over a single tensor, in row-major order of the loops.
    pub fn indices(&self) -> Indices {
        Indices { remaining: self.len(), walk: Walk::new(*self, self.rank) }
    }
}

/// Iterates over the indices of one tensor in the order of a [`Nest`].
#[derive(Clone, Copy, Debug)]
pub struct Indices {
    remaining: usize,
    walk: Walk<1>,
}

impl Iterator for Indices {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        self.remaining = self.remaining.checked_sub(1)?;
        let [at] = self.walk.at;
        self.walk.advance();
        Some(at as usize)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl ExactSizeIterator for Indices {}

/// A counter over the axes `0..axes` of a nest.
#[derive(Clone, Copy, Debug)]
struct Walk<const N: usize> {
    nest: Nest<N>,
    axes: usize,
    counter: [usize; MAX_RANK],
    at: [isize; N],
}

impl<const N: usize> Walk<N> {
    fn new(nest: Nest<N>, axes: usize) -> Walk<N> {
        Walk { nest, axes, counter: [0; MAX_RANK], at: nest.start }
    }

    #[inline]
    fn advance(&mut self) {
        for axis in (0..self.axes).rev() {
            self.counter[axis] += 1;
            let wraps = self.counter[axis] == self.nest.sizes[axis];
            // Advances by one step, or returns to the first position of the axis.
            let count = if wraps { 1 - self.nest.sizes[axis] as isize } else { 1 };
            for (at, steps) in self.at.iter_mut().zip(&self.nest.steps) {
                *at = at.wrapping_add(steps[axis].wrapping_mul(count));
            }
            if !wraps {
                return;
            }
            self.counter[axis] = 0;
        }
    }
}

/// A transposition: `output[i0, i1, ...] = input[...]` with output axis `k` = input axis `perm[k]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    output: Dims,
    nest: Nest<1>,
}

impl Permutation {
    /// `None` unless `perm` contains every axis of `input` exactly once; negative axes count from the end.
    pub fn new(input: &Dims, perm: &[i32]) -> Option<Permutation> {
        let rank = input.rank();
        if perm.len() != rank {
            return None;
        }
        let strides = input.strides();
        let mut seen = [false; MAX_RANK];
        let mut output = Dims { rank, ..Dims::SCALAR };
        let mut steps = [0; MAX_RANK];
        for (to, &from) in perm.iter().enumerate() {
            let from = normalize_axis(from, rank)?;
            if core::mem::replace(&mut seen[from], true) {
                return None;
            }
            output.sizes[to] = input.sizes[from];
            steps[to] = strides[from];
        }
        Some(Permutation { output, nest: Nest::new(&output, [steps]) })
    }

    /// The shape of the output.
    pub fn output(&self) -> Dims {
        self.output
    }

    /// Calls `f(output index, input index)` for every element, in row-major order of the output.
    pub fn for_each(&self, mut f: impl FnMut(usize, usize)) {
        self.nest.for_each(|out, [input]| f(out, input));
    }

    /// The loops themselves, to copy whole runs.
    pub fn nest(&self) -> &Nest<1> {
        &self.nest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn dims(sizes: &[i32]) -> Dims {
        Dims::new(sizes).unwrap()
    }

    #[test]
    fn shapes() {
        let shape = dims(&[2, 3, 4]);
        assert_eq!((shape.rank(), shape.flat_size(), shape.size(1), shape.size(9)), (3, 24, 3, 1));
        assert_eq!(shape.strides()[..4], [12, 4, 1, 0]);
        assert_eq!(shape.split_at(1), (2, 3, 4));
        assert_eq!(shape.split_at(usize::MAX), (24, 1, 1));
        assert_eq!(shape.extended(5), Some(dims(&[1, 1, 2, 3, 4])));
        assert_eq!(shape.extended(2), None);
        assert_eq!(shape.extended(9), None);
        assert_eq!(Dims::SCALAR.flat_size(), 1);
        assert_eq!(dims(&[0, i32::MAX]).flat_size(), 0);
    }

    #[test]
    fn diagonals_of_matrices() {
        let of = |sizes: &[i32]| Nest::diagonals(&dims(sizes)).map(|nest| nest.indices().collect::<Vec<_>>());
        assert_eq!(of(&[2, 2]), Some(vec![0, 3]));
        assert_eq!(of(&[2, 3]), Some(vec![0, 4]));
        assert_eq!(of(&[3, 1]), Some(vec![0]));
        assert_eq!(of(&[2, 3, 2]), Some(vec![0, 3, 6, 9]));
        assert_eq!(of(&[2, 0, 4]), Some(vec![]));
        assert_eq!(of(&[1, 1, 1, 1, 1, 2, 2, 2]), Some(vec![0, 3, 4, 7]));
        assert_eq!(of(&[3]), None);
    }

    #[test]
    fn rejected_shapes() {
        assert_eq!(Dims::new(&[1; 9]), None);
        assert_eq!(Dims::from_sizes([1; 9]), None);
        assert_eq!(Dims::from_sizes([2, 0, 3]), Dims::new(&[2, 0, 3]));
        assert_eq!(Dims::new(&[2, -1]), None);
        assert_eq!(Dims::new(&[i32::MAX; 3]), None);
        assert_eq!(Dims::new(&[0, i32::MAX, i32::MAX, i32::MAX]), None);
    }

    #[test]
    fn axes() {
        for (axis, rank, want) in [
            (0, 3, Some(0)),
            (2, 3, Some(2)),
            (-1, 3, Some(2)),
            (-3, 3, Some(0)),
            (3, 3, None),
            (-4, 3, None),
            (0, 0, None),
            (i32::MIN, 3, None),
        ] {
            assert_eq!(normalize_axis(axis, rank), want, "{axis} of {rank}");
        }
        let set = Axes::new(&[2, -1, 0, 2], 3).unwrap();
        assert_eq!([0, 1, 2, 8].map(|axis| set.contains(axis)), [true, false, true, false]);
        assert_eq!(Axes::new(&[3], 3), None);
        assert!(Axes::new(&[7], 0).is_some());
    }

    #[test]
    fn reductions() {
        let cases: [[&[i32]; 5]; 8] = [
            // input, axes, output kept, output dropped, sums of 0, 1, 2, ...
            [&[2, 3], &[1], &[2, 1], &[2], &[3, 12]],
            [&[2, 3], &[0], &[1, 3], &[3], &[3, 5, 7]],
            [&[2, 3], &[0, 1], &[1, 1], &[], &[15]],
            [&[2, 3], &[], &[2, 3], &[2, 3], &[0, 1, 2, 3, 4, 5]],
            [&[2, 2, 2], &[0, 2], &[1, 2, 1], &[2], &[10, 18]],
            [&[], &[0], &[], &[], &[0]],
            [&[2, 0], &[1], &[2, 1], &[2], &[0, 0]],
            [&[0, 2], &[1], &[0, 1], &[0], &[]],
        ];
        for [input, axes, keep, drop, sums] in cases {
            let shape = dims(input);
            let axes = Axes::new(axes, shape.rank()).unwrap();
            let reduction = Reduction::new(&shape, axes, KeepDims::Keep);
            assert_eq!(reduction.output(), dims(keep), "{input:?}");
            assert_eq!(Reduction::new(&shape, axes, KeepDims::Drop).output(), dims(drop));

            let mut by_output = Vec::new();
            reduction.for_each(|out, indices| {
                assert_eq!(out, by_output.len());
                assert_eq!(indices.len(), reduction.group_len());
                by_output.push(indices.sum::<usize>() as i32);
            });
            assert_eq!(by_output, sums, "{input:?}");

            let mut by_input = std::vec![0; reduction.output().flat_size()];
            reduction.for_each_input(|i, out| by_input[out] += i as i32);
            assert_eq!(by_input, sums, "{input:?}");
        }
    }

    #[test]
    fn reduction_visits_in_order() {
        let shape = dims(&[2, 2, 2]);
        let reduction = Reduction::new(&shape, Axes::new(&[0, 2], 3).unwrap(), KeepDims::Drop);
        let mut groups = Vec::new();
        reduction.for_each(|_, indices| groups.push(indices.collect::<Vec<_>>()));
        assert_eq!(groups, [[0, 1, 4, 5], [2, 3, 6, 7]]);
    }

    #[test]
    fn permutations() {
        let order = |sizes: &[i32], perm: &[i32]| {
            let permutation = Permutation::new(&dims(sizes), perm)?;
            let mut order = Vec::new();
            permutation.for_each(|out, input| {
                assert_eq!(out, order.len());
                order.push(input);
            });
            Some((permutation.output().as_slice().to_vec(), order))
        };
        assert_eq!(order(&[2, 3], &[1, 0]), Some((vec![3, 2], vec![0, 3, 1, 4, 2, 5])));
        assert_eq!(order(&[2, 3], &[-1, 0]), order(&[2, 3], &[1, 0]));
        assert_eq!(order(&[2, 1, 3], &[1, 2, 0]), Some((vec![1, 3, 2], vec![0, 3, 1, 4, 2, 5])));
        assert_eq!(order(&[], &[]), Some((vec![], vec![0])));
        assert_eq!(order(&[0, 3], &[1, 0]), Some((vec![3, 0], vec![])));
        assert_eq!(order(&[2, 3], &[0, 0]), None);
        assert_eq!(order(&[2, 3], &[0]), None);
        assert_eq!(order(&[2, 3], &[0, 2]), None);
    }

    #[test]
    fn nests_slice_and_reverse() {
        // Rows 2 and 0, columns 1 and 3 of a 3 × 4 matrix.
        let steps = [[-8, 2, 0, 0, 0, 0, 0, 0]];
        let nest = Nest::new(&dims(&[2, 2]), steps).starting_at([9]);
        assert_eq!(nest.indices().collect::<Vec<_>>(), [9, 11, 1, 3]);
        let mut visited = Vec::new();
        nest.for_each(|out, [i]| visited.push((out, i)));
        assert_eq!(visited, [(0, 9), (1, 11), (2, 1), (3, 3)]);
        assert_eq!((nest.len(), nest.is_empty(), nest.run_steps()), (4, false, [2]));
    }
}
