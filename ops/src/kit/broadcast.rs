//! Element-wise loops over inputs whose shapes broadcast.
//!
//! Defined by: `CalculateShapeForBroadcast` in tflite/kernels/kernel_util.cc.

use super::indexing::{Dims, MAX_RANK, Nest};

arenite_abi::plain! {
    /// Loops over shapes that are aligned at the last axis. On each axis the sizes are equal or 1; zero is an ordinary
    /// size.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Broadcast<const N: usize> {
        output: Dims,
        nest: Nest<N>,
    }
}

impl<const N: usize> Broadcast<N> {
    /// The loops over `inputs`, or `None` if the shapes do not broadcast.
    pub fn new(inputs: [&Dims; N]) -> Option<Broadcast<N>> {
        Broadcast::onto(inputs, &broadcast_dims(inputs)?)
    }

    /// The loops over a given output shape, or `None` unless every input broadcasts to it.
    pub fn onto(inputs: [&Dims; N], output: &Dims) -> Option<Broadcast<N>> {
        let mut steps = [[0; MAX_RANK]; N];
        for (steps, input) in steps.iter_mut().zip(inputs) {
            // Missing leading axes are like axes of size 1.
            let added = output.rank().checked_sub(input.rank())?;
            let mut stride = 1;
            for axis in (0..input.rank()).rev() {
                match input.size(axis) {
                    1 => {}
                    size if size == output.size(added + axis) => steps[added + axis] = stride,
                    _ => return None,
                }
                stride *= (input.size(axis) as isize).max(1);
            }
        }
        Some(Broadcast { output: *output, nest: Nest::new(output, steps) })
    }

    /// The shape of the output.
    pub fn output(&self) -> Dims {
        self.output
    }

    /// The loops themselves, to process whole runs.
    pub fn nest(&self) -> &Nest<N> {
        &self.nest
    }

    /// Calls `f(output index, input indices)` for every output element, in row-major order.
    pub fn for_each(&self, f: impl FnMut(usize, [usize; N])) {
        self.nest.for_each(f);
    }
}

impl Broadcast<2> {
    /// Calls `f(output index, a index, b index)` for every output element, in row-major order.
    pub fn for_each2(&self, mut f: impl FnMut(usize, usize, usize)) {
        self.nest.for_each(|out, [a, b]| f(out, a, b));
    }
}

impl Broadcast<3> {
    /// Calls `f(output index, a index, b index, c index)` for every output element, in row-major
    /// order.
    pub fn for_each3(&self, mut f: impl FnMut(usize, usize, usize, usize)) {
        self.nest.for_each(|out, [a, b, c]| f(out, a, b, c));
    }
}

/// The shape that `inputs` broadcast to, or `None` if they do not broadcast or the result has too many elements.
pub fn broadcast_dims<const N: usize>(inputs: [&Dims; N]) -> Option<Dims> {
    let rank = inputs.iter().map(|dims| dims.rank()).max().unwrap_or(0);
    let mut sizes = [1; MAX_RANK];
    for dims in inputs {
        let extended = dims.extended(rank)?;
        for (out, &size) in sizes.iter_mut().zip(extended.as_slice()) {
            match (*out, size) {
                (_, 1) => {}
                (1, size) => *out = size,
                (out, size) if out == size => {}
                _ => return None,
            }
        }
    }
    Dims::new(sizes.get(..rank)?)
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
        type Case<'a> = (&'a [i32], &'a [i32], Option<&'a [i32]>);
        let cases: [Case<'_>; 10] = [
            (&[2, 3], &[2, 3], Some(&[2, 3])),
            (&[2, 3], &[3], Some(&[2, 3])),
            (&[2, 1], &[1, 3], Some(&[2, 3])),
            (&[], &[4], Some(&[4])),
            (&[], &[], Some(&[])),
            (&[0, 3], &[1, 3], Some(&[0, 3])),
            (&[1], &[0], Some(&[0])),
            (&[0], &[5], None),
            (&[2, 3], &[2], None),
            (&[2, 1, 1, 1, 1, 1, 1, 2], &[2, 1], Some(&[2, 1, 1, 1, 1, 1, 2, 2])),
        ];
        for (a, b, want) in cases {
            let got = broadcast_dims([&dims(a), &dims(b)]);
            assert_eq!(got, want.map(dims), "{a:?} {b:?}");
            assert_eq!(broadcast_dims([&dims(b), &dims(a)]), got);
        }
        assert_eq!(
            broadcast_dims([&dims(&[2, 1]), &dims(&[1, 3]), &dims(&[4, 1, 1])]),
            Some(dims(&[4, 2, 3]))
        );
    }

    /// The index into an input, computed from the coordinates of the output.
    fn expected(input: &Dims, output: &Dims, out: usize) -> usize {
        let input = input.extended(output.rank()).unwrap();
        let (mut rest, mut index, mut stride) = (out, 0, 1);
        for axis in (0..output.rank()).rev() {
            let coordinate = rest % output.size(axis);
            rest /= output.size(axis);
            if input.size(axis) != 1 {
                index += coordinate * stride;
            }
            stride *= input.size(axis);
        }
        index
    }

    #[test]
    fn indices_of_two() {
        let cases: [(&[i32], &[i32]); 9] = [
            (&[2, 3], &[2, 3]),
            (&[2, 3], &[]),
            (&[], &[2, 3]),
            (&[2, 3, 4], &[3, 1]),
            (&[2, 1, 4], &[3, 1]),
            (&[5, 1], &[1, 5]),
            (&[2, 3, 1, 1, 2, 1, 3, 1], &[1, 3, 2, 1, 1, 2, 1, 2]),
            (&[0, 3], &[3]),
            (&[1, 1], &[1]),
        ];
        for (a, b) in cases {
            let (a, b) = (dims(a), dims(b));
            let broadcast = Broadcast::new([&a, &b]).unwrap();
            let output = broadcast.output();
            let mut got = Vec::new();
            broadcast.for_each2(|out, i, j| got.push((out, i, j)));
            let want: Vec<_> = (0..output.flat_size())
                .map(|out| (out, expected(&a, &output, out), expected(&b, &output, out)))
                .collect();
            assert_eq!(got, want, "{a:?} {b:?}");
        }
    }

    #[test]
    fn indices_of_three() {
        let (a, b, c) = (dims(&[2, 1, 3]), dims(&[4, 1]), dims(&[3]));
        let broadcast = Broadcast::new([&a, &b, &c]).unwrap();
        let output = broadcast.output();
        assert_eq!(output, dims(&[2, 4, 3]));
        let mut count = 0;
        broadcast.for_each3(|out, i, j, k| {
            let want = [&a, &b, &c].map(|dims| expected(dims, &output, out));
            assert_eq!((out, [i, j, k]), (count, want));
            count += 1;
        });
        assert_eq!(count, 24);
    }

    #[test]
    fn onto_a_given_shape() {
        let input = dims(&[3, 1]);
        let broadcast = Broadcast::onto([&input], &dims(&[2, 3, 2])).unwrap();
        let mut got = Vec::new();
        broadcast.for_each(|_, [i]| got.push(i));
        assert_eq!(got, [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]);
        assert_eq!(Broadcast::onto([&dims(&[2])], &dims(&[3])), None);
        assert_eq!(Broadcast::onto([&dims(&[2, 3])], &dims(&[3])), None);
        assert_eq!(Broadcast::onto([&dims(&[2])], &dims(&[1])), None);
    }

    #[test]
    fn runs_are_as_long_as_possible() {
        let run = |a: &[i32], b: &[i32]| {
            let mut length = 0;
            let broadcast = Broadcast::new([&dims(a), &dims(b)]).unwrap();
            broadcast.nest().for_each_run(&mut |_, _, n| length = n);
            length
        };
        assert_eq!(run(&[2, 3, 4], &[2, 3, 4]), 24);
        assert_eq!(run(&[2, 3, 4], &[1]), 24);
        assert_eq!(run(&[2, 3, 4], &[3, 4]), 12);
        assert_eq!(run(&[2, 3, 4], &[4]), 4);
    }
}
