//! Groups of elements, each of which becomes one.

use super::{Axes, Dims, Indices, Nest};

arenite_abi::plain! {
    /// Whether the reduced axes stay in the output with size 1.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum KeepDims {
        /// Keep them with size 1.
        Keep,
        /// Drop them.
        Drop,
    }
}

arenite_abi::plain! {
    /// Divides a tensor into groups of elements, one group per output element.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Reduction {
        pub(super) output: Dims,
        pub(super) kept: Nest<1>,
        pub(super) reduced: Nest<1>,
        pub(super) to_output: Nest<1>,
    }
}

impl Reduction {
    /// Reduces `input` along `axes`.
    pub fn new(input: &Dims, axes: Axes, keep_dims: KeepDims) -> Reduction {
        let rank = input.rank();
        let mut kept = Dims { rank, ..Dims::SCALAR };
        let mut reduced = kept;
        let mut output = Dims::SCALAR;
        for (axis, &size) in input.as_slice().iter().enumerate() {
            if axes.contains(axis) {
                reduced.sizes[axis] = size;
                output.rank += usize::from(keep_dims == KeepDims::Keep);
            } else {
                kept.sizes[axis] = size;
                output.sizes[output.rank] = size;
                output.rank += 1;
            }
        }
        let mut output_steps = kept.strides();
        for (axis, step) in output_steps.iter_mut().enumerate() {
            if axes.contains(axis) {
                *step = 0;
            }
        }
        Reduction {
            output,
            kept: Nest::new(&kept, [input.strides()]),
            reduced: Nest::new(&reduced, [input.strides()]),
            to_output: Nest::new(input, [output_steps]),
        }
    }

    /// The shape of the output.
    pub fn output(&self) -> Dims {
        self.output
    }

    /// The number of input elements per output element; 0 if a reduced axis is empty.
    pub fn group_len(&self) -> usize {
        self.reduced.len()
    }

    /// Calls `f(output index, input indices)` for every output element, both in row-major order.
    pub fn for_each(&self, mut f: impl FnMut(usize, Indices)) {
        self.kept.for_each(|out, [first]| {
            f(out, self.reduced.starting_at([first as isize]).indices());
        });
    }

    /// Calls `f(input index, output index)` for every input element, in row-major order.
    pub fn for_each_input(&self, mut f: impl FnMut(usize, usize)) {
        self.to_output.for_each(|input, [out]| f(input, out));
    }
}
